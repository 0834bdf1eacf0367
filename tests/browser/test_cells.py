"""The cells of gradients follow the messages, and rows that are added up move together where motion is welcome."""

import numpy as np
import pytest

import minigrad as mg
import viz

pytestmark = pytest.mark.browser

CELLS = """(name) => [...document.querySelectorAll(`.mg-stage .n[aria-label^='${name}'] .ga path`)]
    .map((p) => p.getAttribute("class") + " " + p.getAttribute("d").split("M").length)"""


def dense(x, w, b):
    return mg.sum(mg.tanh(x @ w + b) * 2.0)


@pytest.fixture
def layer(open_view):
    rng = np.random.default_rng(1)
    page = open_view(viz.backward(dense, x=rng.normal(size=(4, 2)), w=rng.normal(size=(2, 3)), b=np.zeros(3)).start())
    page.get_by_role("button", name="More").click()
    return page


def to(page, words):
    """Go on to the message whose sentence begins with these words."""
    while not page.locator(".mg-say").inner_text().startswith(words):
        page.get_by_role("button", name="One step forward").click()
    return page


def test_cells_come_with_the_gradient_and_go_with_it(layer):
    assert layer.evaluate(CELLS, "tanh") == [] == layer.evaluate(CELLS, "b ")
    to(layer, "multiply sends to tanh")
    assert layer.evaluate(CELLS, "tanh") == ["q4 13"] and layer.evaluate(CELLS, "b ") == []
    to(layer, "add sends to b")
    assert layer.evaluate(CELLS, "b ") != []
    layer.get_by_role("button", name="To the start").click()
    assert layer.evaluate(CELLS, "tanh") == [] == layer.evaluate(CELLS, "b ")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_rows_move_together_beside_their_words_unless_motion_is_reduced(layer, motion):
    layer.emulate_media(reduced_motion=motion)
    to(layer, "add sends to b")
    assert "added up over 4 rows" in layer.locator(".mg-say").inner_text()
    fold = layer.locator(".mg-say .mg-fold")
    assert fold.is_visible() and fold.locator("path").count() == 12 + 12 + 3
    names = fold.locator(".go").evaluate_all("all => all.map((p) => getComputedStyle(p).animationName)")
    assert set(names) == {"mg-go" if motion == "no-preference" else "none"} and len(names) == 12
    to(layer, "matmul sends to")
    assert fold.count() == 0


def test_the_rows_arrive_where_the_sum_stands(layer):
    layer.emulate_media(reduced_motion="no-preference")
    to(layer, "add sends to b")
    ends = layer.locator(".mg-fold").evaluate(
        """(svg) => { const corner = (p) => p.getAttribute("d").match(/M([\\d.]+) ([\\d.]+)/).slice(1).map(Number);
            const moved = [...svg.querySelectorAll(".go")].map((p) => {
              const by = p.style.getPropertyValue("--go").split(",").map(parseFloat), [x, y] = corner(p);
              return `${x + by[0]} ${y + by[1]}`; });
            const sum = [...svg.querySelectorAll("path")].slice(-3).map((p) => corner(p).join(" "));
            return [[...new Set(moved)].sort(), sum.sort()]; }"""
    )
    assert ends[0] == ends[1] and len(ends[0]) == 3


def test_cells_follow_an_input_that_is_changed(open_view):
    page = open_view(viz.backward(lambda x: mg.sum(x * x), x=np.array([1.0, -2.0])))
    assert sorted(page.evaluate(CELLS, "x ")) == ["q2 2", "qd 2"]
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Elements of x").click()
    field = page.get_by_role("spinbutton", name="x[0]")
    field.fill("3")
    field.press("Enter")
    assert sorted(page.evaluate(CELLS, "x ")) == ["q4 2", "qc 2"]
