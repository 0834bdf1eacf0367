"""Every text of a picture whose inputs were changed is the one that Python draws at these inputs."""

import numpy as np
import pytest

import minigrad as mg
import viz

pytestmark = pytest.mark.browser

TEXTS = """() => [...document.querySelectorAll('.mg-stage .n')].filter((g) => !g.dataset.f).map((g) =>
    [...g.querySelectorAll('text:not(.k):not(.w)')].filter((t) => t.parentElement.style.display !== 'none')
    .map((t) => t.textContent.trim()).filter(Boolean).sort().join(' | '))"""
FRAMES = """() => [...document.querySelectorAll('.mg-stage [data-f]')].map((g) =>
    [g.getAttribute('aria-label').replace(/, (open|closed)$/, ''), g.classList.contains('born'),
     [...g.querySelectorAll('.tag')].filter((t) => t.style.display !== 'none').map((t) => t.textContent).join()])"""
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


def change(page, **values):
    for name, value in values.items():
        field = page.get_by_role("spinbutton", name=name, exact=True)
        field.fill(str(value))
        field.press("Enter")


def at_end(page):
    page.get_by_label("To the end").click()
    return page


@pytest.mark.parametrize("f", [plain, dense, framed])
@pytest.mark.parametrize("values", [dict(zip("xw", values)) for values in VALUES])
def test_the_boxes_say_what_python_draws(open_view, f, values):
    other = at_end(open_view(viz.backward(f, **values, drag=False, predict=False)))
    want, frames = other.evaluate(TEXTS), other.evaluate(FRAMES)
    page = at_end(open_view(viz.backward(f, x=1.0, w=0.5)))
    assert bool(frames) == (f is framed)
    assert page.evaluate(TEXTS) != want
    change(page, **values)
    assert page.evaluate(TEXTS) == want
    assert page.evaluate(FRAMES) == frames
    page.get_by_role("button", name="Recorded numbers").click()
    recorded = page.evaluate(TEXTS), page.evaluate(FRAMES)
    again = at_end(open_view(viz.backward(f, x=1.0, w=0.5, drag=False)))
    assert recorded == (again.evaluate(TEXTS), again.evaluate(FRAMES))
