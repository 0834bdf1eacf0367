"""Many fields of inputs: behind a button where the player would not fit the window with them."""

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


@pytest.fixture
def opened(page, open_view):
    page.set_viewport_size(WINDOW)
    return open_view(viz.backward(chain, x=0.5, **WEIGHTS))


def sign(page):
    return page.get_by_role("button", name="Inputs (16)")


@pytest.mark.parametrize("kind", ["chain", "block"])
def test_the_player_of_a_large_picture_fits_the_window(page, open_view, kind):
    page.set_viewport_size(WINDOW)
    open_view(block() if kind == "block" else viz.backward(chain, x=0.5, **WEIGHTS))
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.reload()
        page.wait_for_selector(".mg-inputs", state="attached")
        stage = page.locator(".mg-stage").bounding_box()
        assert stage["y"] + stage["height"] <= WINDOW["height"]
        assert page.locator(".mg-stage").evaluate("e => e.scrollWidth <= e.clientWidth")


def test_folded_fields_open_by_click_and_by_keys_and_say_so(opened):
    fields = opened.get_by_role("group", name="Inputs", exact=True)
    assert not fields.is_visible() and sign(opened).get_attribute("aria-expanded") == "false"
    sign(opened).click()
    assert fields.is_visible() and sign(opened).get_attribute("aria-expanded") == "true"
    sign(opened).press("Enter")
    assert not fields.is_visible()
    sign(opened).press(" ")
    assert opened.get_by_role("spinbutton", name="w3", exact=True).is_visible()


def test_what_was_chosen_is_remembered(opened):
    sign(opened).click()
    opened.reload()
    opened.wait_for_selector(".mg-field", state="visible")
    sign(opened).click()
    opened.reload()
    sign(opened).wait_for()
    assert not opened.locator(".mg-field").first.is_visible()


def test_enter_on_a_box_opens_its_field(opened):
    opened.locator(".mg-stage .n.mg-drag").first.focus()
    opened.keyboard.press("Enter")
    assert opened.evaluate("document.activeElement.matches('.mg-field')")
    assert sign(opened).get_attribute("aria-expanded") == "true"


def test_a_few_fields_and_those_of_a_small_picture_stay_in_sight(page, open_view):
    page.set_viewport_size(WINDOW)
    for view in (viz.backward(lambda x, w: mg.exp(x * w), x=1.0, w=0.5), viz.backward(three, a=1.0, b=2.0, c=3.0)):
        assert open_view(view).locator(".mg-field").first.is_visible()
        assert page.get_by_role("button", name="Inputs (").count() == 0


def three(a, b, c):
    return a * b + c
