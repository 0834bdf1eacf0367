"""The fields of the inputs are behind "More", however many there are; a box opens its own."""

import numpy as np
import pytest

import minigrad as mg
import viz

pytestmark = pytest.mark.browser

WINDOW = {"width": 1280, "height": 800}
WEIGHTS = {f"w{k}": 1 + 0.1 * k for k in range(15)}


def chain(x, **weights):
    """60 ops and 16 inputs."""
    for w in weights.values():
        x = mg.tanh(mg.sin(x * w)) * 0.5
    return x


def attention(x, q, k, v, o, a, b, c):
    """A transformer block."""
    h = mg.softmax((x @ q) @ mg.transpose(x @ k) * 0.5) @ (x @ v) @ o
    h = (x + h) - mg.mean(x + h)
    h = h / mg.sqrt(mg.mean(h * h) + 1e-5)
    h = h + mg.tanh(h @ a + b) @ c
    h = h - mg.mean(h)
    return mg.mean((h / mg.sqrt(mg.mean(h * h) + 1e-5)) ** 2)


def block():
    rng = np.random.default_rng(0)
    shapes = {"x": (3, 2), **dict.fromkeys("qkvo", (2, 2)), "a": (2, 3), "b": (3,), "c": (3, 2)}
    return viz.backward(attention, **{name: rng.normal(size=shape) for name, shape in shapes.items()})


def many():
    return viz.backward(chain, x=0.5, **WEIGHTS)


def small():
    return viz.backward(lambda x, w: mg.sum((x * x) @ w), x=np.array([[1.0, 2.0]]), w=np.array([[3.0], [4.0]]))


def more(page):
    return page.get_by_role("button", name="More")


def fields(page):
    return page.get_by_role("group", name="Inputs", exact=True)


@pytest.mark.parametrize("view", [many, block, small])
def test_the_player_fits_the_window_and_its_fields_wait_behind_more(page, open_view, view):
    page.set_viewport_size(WINDOW)
    open_view(view())
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        stage = page.locator(".mg-stage").bounding_box()
        if view is not block:  # its boxes need lines of their own, or they would have no names
            assert stage["y"] + stage["height"] <= WINDOW["height"]
        assert (
            page.locator(".mg-stage .n").evaluate_all("all => all.filter((g) => !g.querySelector('text')).length") == 0
        )
        assert page.locator(".mg-stage").evaluate("e => e.scrollWidth <= e.clientWidth")
    assert not fields(page).is_visible() and more(page).get_attribute("aria-expanded") == "false"


def test_more_opens_by_click_and_by_keys_and_says_so(open_view):
    page = open_view(many())
    more(page).click()
    assert fields(page).is_visible() and more(page).get_attribute("aria-expanded") == "true"
    more(page).press("Enter")
    assert not fields(page).is_visible() and more(page).get_attribute("aria-expanded") == "false"
    more(page).press(" ")
    assert page.get_by_role("spinbutton", name="w3", exact=True).is_visible()


@pytest.mark.parametrize("way", ["Enter", "a click on its number", "a double click"])
def test_a_box_opens_its_field(open_view, way):
    page = open_view(small())
    for name, field in (("x", "x[0, 0]"), ("w", "w[0, 0]")):
        box = page.locator(f".mg-stage .n[aria-label^='{name} (input)']").first
        if way == "Enter":
            box.focus()
            page.keyboard.press("Enter")
        elif way == "a click on its number":
            assert "lick" in box.get_attribute("aria-description")
            box.locator(".hf").first.click()
        else:
            box.dblclick()
        assert page.locator(":focus").get_attribute("aria-label") == field
        assert more(page).get_attribute("aria-expanded") == "true"
        assert page.get_by_role("spinbutton").count() == 2, "the elements of one array are open at a time"
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    assert page.locator(".mg-stage .n[aria-label^='sum, value 21']").count() == 1  # 1 · 5 + 4 · 4


def test_a_click_on_the_number_of_an_input_opens_its_field_and_one_on_its_name_its_card(open_view):
    page = open_view(viz.backward(lambda x: x * x, 3.0))
    box = page.locator(".mg-stage .n[aria-label^='x (input)']")
    box.locator(".nm").click()
    assert page.locator(":focus").get_attribute("aria-label").startswith("x (input)")
    assert "Click its number" in page.locator(".mg-card").inner_text()
    box.locator(".ed").click()
    assert page.locator(":focus").get_attribute("aria-label") == "x"
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    assert page.locator(".mg-stage .n[aria-label^='multiply, value 25']").count() == 1
