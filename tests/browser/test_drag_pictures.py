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
def test_the_boxes_say_what_python_draws(open_view, f, subtests):
    """One page is changed to all values, one after another, and back each time."""

    def drawn(**values):
        page = at_end(open_view(viz.backward(f, **values, drag=False, predict=False)))
        return page.evaluate(TEXTS), page.evaluate(FRAMES)

    settings = [dict(zip("xw", values)) for values in VALUES]
    want, recorded = [drawn(**values) for values in settings], drawn(x=1.0, w=0.5)
    page = at_end(open_view(viz.backward(f, x=1.0, w=0.5)))
    assert bool(recorded[1]) == (f is framed)
    for values, texts in zip(settings, want, strict=True):
        with subtests.test(**values):
            assert page.evaluate(TEXTS) != texts[0]
            change(page, **values)
            assert (page.evaluate(TEXTS), page.evaluate(FRAMES)) == texts
            page.get_by_role("button", name="Recorded numbers").click()
            assert (page.evaluate(TEXTS), page.evaluate(FRAMES)) == recorded
