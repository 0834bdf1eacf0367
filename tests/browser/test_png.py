"""A PNG looks like the picture in a browser."""

from io import BytesIO

import numpy as np
import pytest

from tests.browser.gallery import drawn
from tests.browser.lab import new_page

pytest.importorskip("matplotlib")
from matplotlib.image import imread

pytestmark = pytest.mark.browser


def blocks(data, size=24):
    """The mean colour of each square of a PNG: each program smooths letters in a different way."""
    image = imread(BytesIO(data))[..., :3]
    h, w = (side // size * size for side in image.shape[:2])
    return image[:h, :w].reshape(h // size, size, w // size, size, 3).mean(axis=(1, 3))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_png_looks_like_the_picture_in_a_browser(browser, tmp_path, theme):
    page = new_page(browser, color_scheme=theme, device_scale_factor=2, viewport={"width": 3000, "height": 900})
    for name, view in drawn().items():
        if name in ("compare", "forward", "nan", "down", "source-custom", "missing", "layer"):
            (tmp_path / "a.html").write_text(f"<meta charset=utf-8><body>{view.to_svg()}", encoding="utf-8")
            page.goto((tmp_path / "a.html").as_uri())
            seen = blocks(page.locator("svg").screenshot())
            painted = blocks(view.to_png(tmp_path / "a.png", theme).read_bytes())
            assert seen.shape == painted.shape, name
            assert np.abs(seen - painted).max() < 0.15, name
            assert np.abs(seen - painted).mean() < 0.004, name
    page.context.close()
