"""Every stroke and text of a picture whose inputs were changed is the one that Python draws at these inputs."""

import numpy as np
import pytest

import minigrad as mg
import viz

pytestmark = pytest.mark.browser

PICTURE = """() => { const copy = document.querySelector('.mg-stage svg').cloneNode(true);
    for (const e of copy.querySelectorAll('[aria-label]')) {
        e.removeAttribute('aria-description'); e.removeAttribute('aria-label'); e.classList.remove('mg-drag') }
    copy.querySelectorAll('title, .et').forEach((aid) => aid.remove());
    return copy.innerHTML.replaceAll('><', '>\\n<').split('\\n') }"""
VALUES = [(0.75, 1.5), (-200.0, 1.25), (0.5, np.nan), (1e308, -0.0), (-0.0, 5e-324), (-np.inf, 65504.0)]


def plain(x, w):
    return mg.log(mg.exp(x * w) + x) * mg.sqrt(w)


def dense(x, w):
    for _ in range(20):
        x = mg.sin(x) * w + 0.1
    return x


def framed(x, w):
    for _ in range(12):
        with mg.scope("turn"):
            x = mg.tanh(x * w) + mg.exp(-x) * 0.5 - w * 0.1
    return x


def arrays(x, w):
    return mg.sum(mg.tanh(x * mg.constant(np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]])) + w) * w)


def change(page, **values):
    for name, value in values.items():
        field = page.get_by_role("spinbutton", name=name, exact=True)
        field.fill(str(value))
        field.press("Enter")


@pytest.mark.parametrize("f", [plain, dense, framed, arrays])
def test_the_picture_is_the_one_that_python_draws(open_view, f, subtests):
    """One page is changed to all values, one after another, and back each time."""

    def picture(page):
        page.get_by_role("button", name="To the start").click(force=True)
        page.get_by_role("button", name="To the end").click(force=True)
        return page.evaluate(PICTURE)

    def opened(**options):
        page = open_view(viz.backward(f, **options))
        page.get_by_role("button", name="More").click()
        return page

    settings = [dict(zip("xw", values)) for values in VALUES]
    want = [picture(opened(**values, drag=False)) for values in settings]
    recorded = picture(opened(x=1.0, w=0.5, drag=False))
    page = opened(x=1.0, w=0.5)
    assert any("data-f" in line for line in recorded) == (f in (dense, framed))
    for values, drawn in zip(settings, want, strict=True):
        with subtests.test(**values):
            assert picture(page) != drawn
            change(page, **values)
            assert picture(page) == drawn
            page.get_by_role("button", name="Recorded numbers").click()
            assert picture(page) == recorded
