"""The field of a rule below a picture: by keys and by mouse, in a saved page, light and dark, wide and narrow."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.browser.lab import rests

pytestmark = pytest.mark.browser


def softplus(x):
    e = mg.exp(x)
    return mg.log(1 + e)


def field(page, name="x"):
    return page.get_by_role("textbox", name=f"Rule for the gradient of {name}")


def verdict(page):
    return page.locator(".mg-verdict").inner_text()


def marker(page):
    return page.locator(".mg-strip .marker")


def compared(f, *args):
    with np.errstate(all="ignore"):
        return viz.compare(f, *args)


@pytest.mark.smoke
def test_a_rule_is_repaired_by_typing_alone(open_view):
    page = open_view(compared(softplus, 100.0))
    assert field(page).input_value() == "upstream / (1 + e) * e"
    assert verdict(page).startswith(
        "Wrong at x = 100: nan instead of 1, because 0 * inf is nan; also at 24 more of the 121 samples, from 90 to 150"
    )
    field(page).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("upstream * sigmoid(x")
    assert field(page).get_attribute("aria-invalid") == "true"
    assert page.locator(".mg-refused").inner_text().endswith("at character 21: a ) is missing")
    page.keyboard.type(")")
    assert verdict(page).startswith("Right at x = 100: 1, where the derived rule gives nan; right at all 121 samples")
    assert field(page).get_attribute("aria-invalid") == "false"
    page.wait_for_function("document.querySelector('.mg-said').textContent.startsWith('Right at x = 100')")
    assert page.locator(".mg-said").inner_text() == verdict(page), "it is spoken when it rests"


def test_the_strip_has_the_colours_of_the_hosts_theme(open_view):
    page = open_view(compared(softplus, 100.0))
    papers = set()
    for light in ("false", "true"):
        page.evaluate("light => document.body.dataset.jpThemeLight = light", light)
        picture, strip = (
            page.locator(part).evaluate("svg => getComputedStyle(svg).getPropertyValue('--paper')")
            for part in (".mg-stage svg >> nth=0", ".mg-strip")
        )
        assert picture == strip
        papers.add(strip)
    assert len(papers) == 2
    assert page.locator(".mg-strip").evaluate("svg => getComputedStyle(svg).backgroundColor") == "rgba(0, 0, 0, 0)"


@mg.custom_gradient
def cancelling(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))


def test_the_field_opens_with_the_rule_that_the_function_has(open_view):
    page = open_view(compared(cancelling, 100.0))
    assert "the rule that the function has" in page.locator(".mg-rule .mg-note").inner_text()
    assert field(page).input_value().startswith("upstream * (1 - 1 / (1 + ")
    assert verdict(page).startswith("Lost to rounding at x = -17.5")


def test_the_marker_moves_by_keys_and_the_picture_with_it(open_view):
    page = open_view(compared(softplus, 1.0))
    marker(page).focus()
    for key, x in [("ArrowRight", "1.4"), ("ArrowLeft", "1"), ("PageUp", "5"), ("Home", "-20"), ("End", "20")]:
        page.keyboard.press(key)
        assert marker(page).get_attribute("aria-valuetext") == f"x = {x}"
    assert page.locator(".mg-stage .n[aria-label^='x (input)']").get_attribute("aria-label").find("20") > 0
    assert "Gradient of x at 20: " in page.locator(".mg-three").inner_text()
    assert page.evaluate("document.activeElement.classList.contains('marker')"), "the marker keeps the focus"


def test_the_marker_is_dragged_and_the_field_of_the_input_follows(open_view):
    page = open_view(compared(softplus, 1.0))
    box = page.locator(".mg-strip").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 60, steps=4)
    rests(page)
    page.mouse.up()
    x = float(marker(page).get_attribute("aria-valuenow"))
    assert 8 < x < 12
    page.get_by_role("button", name="More").click()
    shown = page.get_by_role("spinbutton", name="x", exact=True).input_value()
    assert float(shown) == pytest.approx(x)


def test_an_input_that_is_changed_in_its_field_moves_the_marker(open_view):
    page = open_view(compared(softplus, 1.0))
    page.get_by_role("button", name="More").click()
    inside = page.get_by_role("spinbutton", name="x", exact=True)
    inside.fill("90")
    inside.press("Enter")
    assert marker(page).get_attribute("aria-valuetext") == "x = 90"
    assert verdict(page).startswith("Wrong at x = 90")


def test_each_input_has_a_field_and_an_entry_is_chosen(open_view):
    def f(W, x):
        return mg.sum(mg.tanh(W * x))

    page = open_view(compared(f, np.float32([[1, 2], [0, -1]]), np.float32([[1, 0.5], [2, 1]])))
    assert field(page, "W").is_visible() and field(page, "x").is_visible()
    field(page, "W").fill("upstream * x * (1 - tanh(W * x) ** 2)")
    assert "Gradient of W[0, 0] at 1" in page.locator(".mg-three").inner_text()
    field(page, "x").fill("upstream * W * (1 - tanh(W * x) ** 2)")
    assert "Gradient of x[0, 0] at 1" in page.locator(".mg-three").inner_text(), "the strip follows the field"
    assert page.get_by_role("combobox", name="Slope over").locator("option:checked").inner_text() == "x[0, 0]"
    page.get_by_role("combobox", name="Slope over").select_option(label="x[0, 1]")
    assert "Gradient of x[0, 1] at 0.5" in page.locator(".mg-three").inner_text()
    assert "right at x[0, 1] = 0.5: 0.8399" in verdict(page)
    program = page.locator(".mg-rule details pre").text_content()
    space = {}
    exec(program, space)
    x, w = mg.constant(np.float32([[1, 0.5], [2, 1]])), mg.constant(np.float32([[1, 2], [0, -1]]))
    (got,) = mg.gradients(space["f"](w, x), [x])
    assert np.allclose(got.value, w.value * (1 - np.tanh(w.value * x.value) ** 2))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_nothing_scrolls_sideways_and_no_letter_is_small(open_view, theme):
    page = open_view(compared(softplus, 100.0))
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": 390, "height": 900})
    rests(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    small = """[...document.querySelectorAll('.mg-rule *')].filter((e) => !e.children.length && e.textContent.trim())
        .map((e) => parseFloat(getComputedStyle(e).fontSize)).filter((size) => size < 11)"""
    assert page.evaluate(small) == []


def test_where_the_page_has_no_field_it_says_why():
    weights = [mg.Variable(2.0, name="weight")]
    rows = [(lambda x: x * weights[0], (1.0,), "a Variable that the function does not call by a name of its own")]
    rows += [(lambda p: p["a"] * 2.0, ({"a": 1.0},), "the arrays inside a dict")]
    rows += [(lambda x: mg.sum(x * x), (np.ones(65),), "more than 64 entries: x has 65")]
    for f, args, why in rows:
        view = compared(f, *args)
        assert why in view.rule["cannot"] and why in view.to_html()
        if "64 entries" in why:
            assert view.try_rule(x="2 * upstream * x").startswith("Right at x[0] = 1: 2")
            continue
        with pytest.raises(TypeError, match=re.escape(why)):
            view.try_rule(x="upstream")


BEHIND = """() => {
    const svg = document.querySelector(".mg-stage svg"), at = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll(".n > .b")].map((b) => b.getBoundingClientRect());
    return [...svg.querySelectorAll(".ribbon")].flatMap((path) => {
        const long = path.getTotalLength(), found = [];
        for (let k = 0; k <= long; k += 2) {
            const p = path.getPointAtLength(k), [x, y] = [at.left + p.x, at.top + p.y];
            const behind = (b) => x > b.left + 1 && x < b.right - 1 && y > b.top + 1 && y < b.bottom - 1;
            if (boxes.some(behind)) found.push([x, y]);
        }
        return found;
    });
}"""


CROSSED = """() => {
    const ribbons = [...document.querySelectorAll(".ribbon")], points = (path) =>
        Array.from({length: path.getTotalLength() / 3 | 0}, (_, k) => path.getPointAtLength(3 * k));
    const all = ribbons.map(points), found = [];
    all.forEach((a, i) => all.slice(i + 1).forEach((b) => {
        for (const p of a) for (const q of b) if (Math.hypot(p.x - q.x, p.y - q.y) < 4) found.push([p.x, p.y]);
    }));
    return found;
}"""


@pytest.mark.parametrize("wide", [1280, 390])
@pytest.mark.parametrize(
    "f, args",
    [
        (lambda x, y: mg.sin(x) * mg.cos(y) - y * x, (1.5, 2.0)),
        (lambda x, y, z: mg.sin(x * y) * mg.cos(z * y) + x * z, (1.5, 2.0, 0.5)),
    ],
)
def test_ribbons_to_inputs_that_stand_in_one_column_or_row_do_not_cross(open_view, f, args, wide):
    page = open_view(ruled(f, *args))
    page.set_viewport_size({"width": wide, "height": 800})
    rests(page)
    assert page.locator(".ribbon").count() == len(args)
    assert page.evaluate(CROSSED) == [] and page.evaluate(BEHIND) == []


@pytest.mark.parametrize(
    "f, args",
    [
        (lambda x, w, b: mg.tanh(x * w + b), (1.0, 0.5, 0.3)),
        (lambda x, w: mg.exp(x * w) * w + mg.sin(x), (1.0, 0.5)),
        (lambda x, w, v: mg.sum(mg.tanh(x @ w) @ v), [np.ones(s, "f") for s in ((2, 3), (3, 2), (2, 2))]),
    ],
)
def test_no_ribbon_of_a_rule_passes_behind_a_box(open_view, f, args):
    page = open_view(ruled(f, *args))
    page.set_viewport_size({"width": 1280, "height": 800})
    page.wait_for_selector(".ribbon")
    assert page.locator(".ribbon").count() == len(args)
    assert page.evaluate(BEHIND) == []


def test_a_comparison_of_several_results_has_a_field_and_says_that_its_table_stays(open_view):
    @mg.custom_gradient
    def two(x):
        s, c = mg.sin(x), mg.cos(x)
        return (s, c), lambda up_s, up_c: up_s * c

    page = open_view(viz.compare(two, 1.0))
    field, verdict = page.get_by_label("Rule for the gradient of x"), page.locator(".mg-verdict")
    assert verdict.inner_text().startswith("Wrong at x = 1: ")
    field.fill("upstream_s * c - upstream_c * s")
    assert verdict.inner_text().startswith("Right at x = 1: -0.3012; right at all 121 samples")
    field.fill("upstream_s * (c - s)")
    assert verdict.inner_text().startswith("It forgets upstream_c: for upstream gradients of 0 for s and 1 for c")
    table = page.locator(".mg-view table").inner_text()
    box = page.locator(".mg-inputs [aria-label='x']")
    page.get_by_role("button", name="More").click()
    box.fill("2")
    box.press("Enter")
    assert page.get_by_text("The table stays with the recorded numbers").is_visible()
    assert page.locator(".mg-view table").inner_text() == table
    assert "Gradient of x at 2: true -1.325" in page.locator(".mg-three").inner_text()  # cos 2 - sin 2


def ruled(f, *args):
    with np.errstate(all="ignore"):
        return viz.backward(f, *args, mode="rule")


def said(page):
    return page.locator(".mg-say").inner_text()


def box(page, name):
    return page.locator(f".mg-stage .n[aria-label^='{name}']")


def test_a_ribbon_brings_what_the_rule_sends_past_the_boxes_that_it_replaces(open_view):
    page = open_view(ruled(softplus, 100.0))
    dashed = page.locator(".mg-stage .n.ruled")
    assert dashed.count() == 3, "all but the input"
    assert page.locator(".mg-stage .ribbon.bad").count() == 1 and "The rule sends nan to x." in said(page)
    field(page).fill("upstream * sigmoid(x)")
    assert page.locator(".mg-stage .ribbon:not(.bad)").count() == 1
    assert page.locator(".mg-stage .rt").text_content() == "x: upstream * sigmoid(x)"
    assert said(page) == "The rule sends 1 to x, where the derived pass sends nan."
    assert "gradient 1" in box(page, "x (input)").get_attribute("aria-label")
    thick = lambda: float(page.locator(".mg-stage .ribbon").get_attribute("stroke-width"))
    wide = thick()
    field(page).fill("upstream * 1e-3")
    assert thick() < wide, "it is as wide as the number"
    field(page).fill("upstream * ")
    assert page.locator(".mg-stage .ribbon").count() == 0, "a rule that cannot be read sends nothing"
    assert said(page) == "The rule cannot be read yet."
    page.get_by_role("radio", name="Gradient").check()
    assert page.locator(".mg-stage .ruled").count() == 0


@pytest.mark.parametrize("width", [1180, 390])
def test_ribbons_stay_in_the_picture_and_their_words_apart(open_view, width):
    def f(a, b):
        return mg.sin(a * b) + a * a * b

    page = open_view(ruled(f, 1.0, 2.0))
    page.set_viewport_size({"width": width, "height": 900})
    rests(page)
    stage = page.locator(".mg-stage svg").bounding_box()
    parts = [part.bounding_box() for part in page.locator(".mg-stage .ribbons :is(text,rect,path)").all()]
    assert len(parts) >= (4 if width == 390 else 6)  # on a phone the boxes have the numbers
    for part in parts:
        assert part["x"] >= stage["x"] - 1 and part["x"] + part["width"] <= stage["x"] + stage["width"] + 1
        assert part["y"] + part["height"] <= stage["y"] + stage["height"] + 1
    assert page.evaluate(BEHIND) == []
    texts = [text.bounding_box() for text in page.locator(".mg-stage .ribbons text").all()]
    for i, a in enumerate(texts):
        for b in texts[:i]:
            apart = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
            assert apart or a["y"] + a["height"] <= b["y"] + 3 or b["y"] + b["height"] <= a["y"] + 3


def test_a_click_on_a_box_is_for_its_rule_and_the_pass_goes_on_with_it(open_view):
    page = open_view(ruled(softplus, 1.0))
    field(page).fill("upstream")
    box(page, "e (exp)").click()
    assert page.locator(".mg-rule h4 code").inner_text() == "e" and field(page).input_value() == "upstream * e"
    assert verdict(page).startswith("Right at x = 1: 0.7311; right at all 121 samples")
    field(page).fill("upstream")
    assert said(page) == "With the rule for e the pass sends 0.2689 to x, where the derived pass sends 0.7311."
    assert verdict(page).startswith(
        "Wrong at x = 1: 0.2689 instead of 0.7311; also at 119 more of the 121 samples, from -20 to 20"
    )
    assert [g.get_attribute("aria-label")[:1] for g in page.locator(".mg-stage .n.ruled").all()] == ["e"]
    assert "gradient 0.2689" in box(page, "x (input)").get_attribute("aria-label")
    assert "your rule" in page.locator(".mg-stage .sl").all_text_contents()
    program = {}
    exec(page.locator(".mg-rule details pre").text_content(), program)
    x = mg.constant(1.0)
    assert mg.gradients(mg.log(1 + program["exp_with_rule"](x)), x)[0].value == pytest.approx(0.2689414, rel=1e-6)
    page.get_by_role("button", name="Back to the whole function").click()
    assert field(page).input_value() == "upstream", "what was typed is kept"
    box(page, "log").press("Enter")
    assert page.locator(".mg-rule h4 code").inner_text() == "log"


def test_a_box_of_arrays_has_a_field_for_each_argument(open_view):
    def net(x, w):
        return mg.sum(mg.tanh(mg.matmul(x, w)))

    page = open_view(ruled(net, np.float32([[1, 2, 3], [4, 5, 0.1]]), np.float32([[1, 0.2], [0.3, 0.1], [0.1, 0.1]])))
    box(page, "matmul").click()
    assert [field(page, name).input_value() for name in "xw"] == ["0 * x", "0 * w"]
    assert "Your rule for the box matmul" in page.locator(".mg-rule h4").inner_text()
    assert "sends all 0 to x" in said(page)
    box(page, "tanh").click()
    assert field(page, "a (matmul)").input_value() == "upstream * (1 - y ** 2)"
    assert "where the derived pass" not in said(page)


def test_the_strip_says_how_far_a_rule_goes_beyond_it(open_view):
    page = open_view(ruled(lambda x: x * mg.sigmoid(x), 1.0))
    field(page).fill("upstream * sigmoid(x) * (1 + x)")
    far = page.locator(".mg-strip .far")
    assert far.text_content() == "▲ to 21"
    line = page.locator(".mg-strip .line.yours").bounding_box()
    strip = page.locator(".mg-strip").bounding_box()
    assert line["x"] + line["width"] < strip["x"] + 0.8 * strip["width"], "it does not run on along the edge"
    texts = page.locator(".mg-strip text:not(.tick)")
    boxes = [text.bounding_box() for text in texts.all()]
    assert all(b["x"] >= strip["x"] - 1 for b in boxes), "no label is cut off"
    field(page).fill("upstream * sigmoid(x) * (1 + x * (1 - sigmoid(x)))")
    assert far.count() == 0


def test_an_overflow_is_told_from_rounding(open_view):
    page = open_view(ruled(softplus, 100.0))
    field(page).fill("upstream * exp(x - y)")
    assert verdict(page).startswith("Lost to overflow or rounding at x = 100: ")
    assert "; also at 24 more of the 121 samples, from 90 to 150;" in verdict(page)
    assert ruled(softplus, 100.0).try_rule(x="upstream * exp(x - y)") == verdict(page).removeprefix("✓ ")


def test_nothing_moves_while_a_rule_is_typed(open_view):
    page = open_view(ruled(softplus, 1.0))
    place = lambda: field(page).bounding_box()["y"]
    before = place()
    field(page).fill("upstream * sigmoid(")
    assert place() == before
