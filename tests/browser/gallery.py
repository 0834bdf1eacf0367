"""Every view in light and dark, as pictures to look at: `python -m tests.browser.gallery`.

The pictures go to screenshots/, which git ignores. `python -m tests.browser.gallery --readme` makes the README's
moving picture instead: viz/gallery/compare.gif, its end as compare.png, both for dark pages, and its page.
"""

from __future__ import annotations

import functools
import io
import sys
from pathlib import Path

import numpy as np

import minigrad as mg
import viz
from tests.browser.lab import CHROMIUM_FLAGS, ROOT, SCREENSHOTS, find_chromium
from tests.helpers.own_engines import Number, assigning, double_counting
from tests.helpers.random_programs import transformer


@mg.custom_gradient
def log1pexp(x):
    return mg.log(1 + mg.exp(x)), lambda upstream: upstream * mg.sigmoid(x)


def layer(x, w, b):
    return mg.mean(mg.tanh(x @ w + b) ** 2)


def chain(x, w, turns=12):
    h = x
    for _ in range(turns):
        h = mg.tanh(h * w + x)
    return h


def views():
    """The name and the view of each picture."""
    rng = np.random.default_rng(0)
    x, w, b = rng.normal(size=(4, 3)), rng.normal(size=(3, 2)), np.zeros(2)
    yield "compare", viz.compare(log1pexp, 100.0)
    yield "custom", viz.backward(log1pexp, x=100.0)
    yield "forward", viz.forward(lambda x: mg.exp(x * x * 0.5) + x, x=1.5).step(3)
    yield "own", own(assigning)
    yield "own-twice", own(double_counting)
    yield "nan", viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=100.0)
    yield "trace-nan", viz.trace_nan(lambda x, w: mg.log(1 + mg.exp(x * w)), x=50.0, w=2.0)
    yield "trace-nan-forward", viz.trace_nan(lambda x: mg.sqrt(x) * 2.0 + mg.exp(x), x=-1.0)
    yield "fan", viz.backward(lambda x: x * x + mg.sin(x) * x, x=3.0)
    yield "masked", viz.backward(lambda x: mg.where(x > 0, mg.log(x), 0.0), x=0.0)
    yield "small", viz.backward(lambda x: x * x, x=3.0)
    yield "down", viz.backward(lambda x, w: mg.exp(x * w) + mg.sin(x) * w, x=1.0, w=0.5, flow="down")
    yield "layer", viz.backward(layer, x=x, w=w, b=b)
    yield "chain", viz.backward(chain, x=0.5, w=1.5)
    yield "folded-scopes", viz.backward(lambda x: transformer(x, 30), x=0.5)
    yield "folded-repeats", viz.backward(lambda x, w: chain(x, w, 300), x=0.5, w=1.5)
    yield "source", viz.source(layer, x, w, b)
    yield "source-custom", viz.source(lambda x: log1pexp(x * x), 1.5).step(1)
    yield "source-down", viz.source(lambda x, w: mg.exp(x * w) + mg.sin(x) * w, x=1.0, w=0.5, flow="down")
    yield "second", second()
    yield "missing", missing()


@functools.cache
def drawn():
    """These views, drawn once, by name."""
    return dict(views())


def many():
    """Views of every kind, the one with the most styles first, so that a missing style would be seen."""
    names = ("compare", "source-custom", "missing", "trace-nan", "folded-scopes", "down", "small", "forward", "own")
    return [drawn()[name] for name in names]


def own(by):
    """A learner's backward pass through b + b*b with b = 2x, at 3."""
    x = Number(3.0)
    b = 2 * x
    y = b + b * b
    view = viz.backward(y, by=by)
    return view.step(len(view.trace.steps) - 1)


def second():
    """The gradient of a gradient: the backward graph as the forward graph of the next pass."""
    x = mg.constant(2.0)
    (slope,) = mg.gradients(mg.exp(x) * x, x)
    return viz.backward(slope)


def missing():
    """The gradient of a rule that takes a plain number out of a Tensor: no path leads back to x."""
    x = mg.constant(1.0)
    y = leaving(x)
    (slope,) = mg.gradients(y, x)
    return viz.backward(slope)


@mg.custom_gradient
def leaving(x):
    e = mg.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + float(e)))

    return mg.log(1 + e), grad


def figures():
    """The name and the view of each plot."""
    rng = np.random.default_rng(0)
    yield "curves", viz.curves(log1pexp, x=(-50, 150))
    yield "curves-wrong", viz.curves(twice, x=(-4, 4))
    yield "jacobian", viz.jacobian(softmax, rng.normal(size=6))
    yield "jacobian-large", viz.jacobian(mg.cumsum, rng.normal(size=40))
    yield "jacobian-several", viz.jacobian(lambda x: (mg.cumsum(x), {"sum": mg.sum(x)}), rng.normal(size=4))
    yield "matrices", viz.matrices(yours=np.tril(np.ones((4, 4))), true=np.triu(np.ones((4, 4))))
    yield "steps", viz.steps(mg.exp, x=1.0)
    yield "jacobian-nan", viz.jacobian(lambda x: mg.log(1 + mg.exp(x)), np.array([0.0, 50.0, 100.0], np.float32))


def softmax(x):
    e = mg.exp(x)
    return e / mg.sum(e)


@mg.custom_gradient
def twice(x):
    return mg.sin(x), lambda dy: 2 * dy * mg.cos(x)


def main(arguments: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    readme = "--readme" in arguments
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
        for theme in ("light", "dark"):
            if readme:
                film(browser, ROOT / "viz" / "gallery" / {"light": "compare", "dark": "compare-dark"}[theme], theme)
                continue
            for name, view in views():
                for wide in (1280, 390):
                    shoot(browser, view, SCREENSHOTS / f"{name}-{wide}-{theme}.png", theme, wide)
        browser.close()
    if readme:
        viz.compare(log1pexp, 100.0).to_html(ROOT / "viz" / "gallery" / "compare.html")
    else:
        plots()


RULES = ("upstream", "upstream * exp(x)", "upstream * sigmoid(x)")  #: what is typed into the field, one by one


def film(browser, path: Path, theme: str) -> None:
    """Both passes message by message, then rules that are typed: a GIF, which ends on what the PNG shows."""
    from PIL import Image

    page = browser.new_page(viewport={"width": 900, "height": 1000}, color_scheme=theme)
    page.set_content(viz.compare(log1pexp, 100.0).start(play=False).to_html())
    page.wait_for_selector(".mg-say")
    shots: list[tuple[Image.Image, int]] = []

    def take(milliseconds: int) -> None:
        page.wait_for_timeout(900)  # movements have ended
        shots.append((Image.open(io.BytesIO(page.screenshot())).convert("RGB"), milliseconds))

    take(1500)
    slider, field = page.locator("input[type=range]").first, page.get_by_role("textbox", name="Rule for the gradient")
    slider.focus()
    for _ in range(int(slider.get_attribute("max"))):
        page.keyboard.press("ArrowRight")
        take(1800)
    for rule in RULES:
        field.fill(rule)
        take(3000)
    panel = page.locator(".mg-rule").bounding_box()
    images = [shot.crop((0, 0, 900, int(panel["y"] + panel["height"]) + 16)) for shot, _ in shots]
    images[-1].save(path.with_suffix(".png"), optimize=True)
    images = [image.quantize(64, dither=Image.Dither.NONE) for image in images]
    times = [*(milliseconds for _, milliseconds in shots[:-1]), 8000]
    images[0].save(path.with_suffix(".gif"), save_all=True, append_images=images[1:], duration=times, loop=2)
    page.close()


def plots() -> None:
    """The figures in both themes."""
    for name, view in figures():
        for theme in ("light", "dark"):
            print(view.to_png(SCREENSHOTS / f"{name}-{theme}.png", theme).relative_to(ROOT))


def shoot(browser, view, path: Path, theme: str, wide: int) -> None:
    """One view as it opens in a page so many pixels wide."""
    path.parent.mkdir(exist_ok=True)
    page = browser.new_page(viewport={"width": wide, "height": 500}, color_scheme=theme, device_scale_factor=2)
    page.set_content(view.to_html())
    page.wait_for_selector(".mg-say")
    page.screenshot(path=path, full_page=True)
    page.close()
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
