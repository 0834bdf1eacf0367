"""The benchmark of pictures in a browser times each of its pictures. How fast they are is not tested."""

import pytest

pytest.importorskip("benchmarks", reason="benchmarks/ is part of a clone, not of the installed library")

from benchmarks.stage import EMPTY, PICTURES, staged

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_in_a_browser_is_timed_step_by_step(page, name):
    page.set_content(EMPTY)
    result = staged(name, page, 1, steps=3)
    assert result.picture == name and min(result[1:]) > 0 and result.bytes > 20_000
