"""Inputs that are changed on their boxes and in fields: everything follows, by mouse and keys, without a kernel."""

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.tracing.numbers import short
from tests.browser.gallery import layer, log1pexp
from tests.browser.lab import new_page, watch

pytestmark = pytest.mark.browser


def box(page, name):
    """The box of an op or an input."""
    return page.locator(f".mg-stage .n[aria-label^='{name} (input),'], .mg-stage .n[aria-label^='{name},']").first


def texts(page, name):
    """The text in a box."""
    return box(page, name).locator("text").all_text_contents()


def heard(page, name):
    """What a screen reader says about a box."""
    return box(page, name).get_attribute("aria-label")


@pytest.fixture
def open_view(open_view):
    """Open a view with its fields."""

    def with_fields(view):
        page = open_view(view)
        page.get_by_role("button", name="More").click()
        return page

    return with_fields


def recorded(page):
    return page.get_by_role("button", name="Recorded numbers")


def status(page):
    return page.locator(".mg-still [role=status]").inner_text()


def say(page):
    return page.locator(".mg-say").inner_text()


@pytest.mark.smoke
def test_typing_another_number_changes_every_box_message_and_sentence(open_view):
    page = open_view(viz.backward(log1pexp, x=80.0))
    field = page.get_by_role("spinbutton", name="x", exact=True)
    assert field.input_value() == "80" and field.get_attribute("aria-valuenow") == "80"
    field.fill("89")
    field.press("Enter")
    assert "= 89" in texts(page, "x") and "ḡ 1" in texts(page, "x")
    assert {"= inf", "inf", "ḡ 0"} <= set(texts(page, "exp"))
    page.get_by_role("button", name="First nan", exact=True).click()
    assert "nan first appears here: 0 · inf at" in say(page)
    field.fill("nan")
    field.press("Enter")
    assert "= nan" in texts(page, "log1pexp")
    recorded(page).click()
    assert field.input_value() == "80" and "= 80" in texts(page, "log1pexp")
    assert recorded(page).count() == 0


def test_at_other_inputs_the_sentence_is_the_one_of_python(open_view):
    def plane(x, w, v):
        return mg.sum(w * mg.tanh(x)) - v * v

    w = np.array([0.5, -2.0, 1.0], "float32")
    page = open_view(viz.backward(plane, x=0.25, w=w, v=1.0))
    now = {"x": 0.25, "v": 1.0}
    for name, value in (("x", 1.5), ("v", -0.75), ("v", 0.5), ("x", -3.25)):
        field = page.get_by_role("spinbutton", name=name, exact=True)
        field.fill(str(value))
        field.press("Enter")
        now[name] = value
        assert say(page) == viz.backward(plane, x=now["x"], w=w, v=now["v"]).point
    recorded(page).click()
    assert say(page) == viz.backward(plane, x=0.25, w=w, v=1.0).point
    assert "depends most" not in say(page) and "grows" in say(page)


def test_the_page_says_what_python_says_at_every_stop_but_for_the_cause_of_a_nan(open_view):
    page = open_view(viz.backward(log1pexp, x=80.0))
    field = page.get_by_role("spinbutton", name="x", exact=True)
    field.fill("89")
    field.press("Enter")
    other = viz.backward(log1pexp, x=89.0)
    slider = page.get_by_role("slider", name="Step")
    for at, moment in enumerate(other._lanes[0].moments):
        slider.fill(str(at))
        said, _, factors = say(page).partition(" first appears here: ")
        words, _, cause = moment.words.partition(" first appears here ")
        assert said == words and bool(factors) == bool(cause)


@pytest.mark.smoke
def test_dragging_a_field_or_the_box_keeps_the_stop_and_moves_nothing_under_the_pointer(open_view):
    page = open_view(viz.backward(lambda x, w: mg.exp(x * w), x=2.0, w=0.5).step(0))
    before, count = page.locator(".mg-stage").bounding_box(), page.locator(".mg-count").inner_text()
    for target in (page.get_by_role("spinbutton", name="x", exact=True), box(page, "x")):
        page.locator(".mg-still button").evaluate("b => b.click()")
        place = target.bounding_box()
        at = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
        page.mouse.move(*at)
        page.mouse.down()
        page.mouse.move(at[0] + 2, at[1])
        page.mouse.move(at[0] + 10, at[1])
        page.wait_for_function("document.querySelector('.mg-field').value === '2.1'")
        assert page.locator(".mg-say").get_attribute("aria-live") == "off"
        assert page.locator(".mg-stage").bounding_box() == before
        moved = [target.bounding_box()[side] - place[side] for side in "xy"]
        assert max(map(abs, moved)) < 1  # a rim that is chosen is a little thicker
        page.mouse.up()
        assert page.locator(".mg-say").get_attribute("aria-live") == "polite"
        assert page.locator(".mg-count").inner_text() == count
    assert "= 2.858" in texts(page, "exp")  # e to the power of 1.05


def drag(page, target, *offsets):
    """Press in the middle of a target, move by each of the offsets, and return what its field holds at each."""
    place, found = target.bounding_box(), []
    at = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(*at)
    page.mouse.down()
    page.mouse.move(at[0] + 5, at[1])
    for dx in offsets:
        page.mouse.move(at[0] + dx, at[1])
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found.append(page.evaluate("document.querySelector('.mg-field').value"))
    page.mouse.up()
    return found


def test_a_drag_counts_from_the_number_in_the_field_and_leads_back_to_it(open_view):
    page = open_view(viz.backward(lambda x: x * x, x=1000.0))
    field = page.get_by_role("spinbutton")
    for typed, found in (
        ("2", ["2.5", "-0.5", "2"]),
        ("0.00123", ["0.00173", "-0.00127", "0.00123"]),
        ("-1e30", ["-5e29", "-3.5e30", "-1e30"]),
        ("0", ["500", "-2500", "0"]),  # as the recorded number
        ("nan", ["500", "-2500", "nan"]),
        ("-0", ["500", "-2500", "-0"]),
    ):
        field.fill(typed)
        field.press("Enter")
        for target in (field, box(page, "x")):
            assert drag(page, target, 50, -250, 0) == found
    assert page.locator(".mg-field.moved").count() == 1


def test_a_run_of_keys_passes_0_and_comes_back(open_view):
    page = open_view(viz.backward(lambda x: mg.sum(x * x), x=np.array([0.1, 0.0, 300.0, 1e-9], "float32")))
    page.get_by_role("button", name="Elements of x").click()
    first, zero, _, small = (page.get_by_role("spinbutton", name=f"x[{k}]") for k in range(4))
    press = lambda field, *keys: [(field.press(key), field.input_value())[1] for key in keys]
    first.focus()
    assert press(first, "ArrowDown", "Shift+ArrowDown", "ArrowDown") == ["-9.9", "-109.9", "-119.9"]  # beside 300
    assert press(first, "ArrowUp", "Shift+ArrowUp", "ArrowUp") == ["-109.9", "-9.9", "0.1"]
    assert "moved" not in first.get_attribute("class")
    assert press(zero, "ArrowUp", "ArrowDown") == ["10", "0"]
    assert press(small, "Alt+ArrowUp", "Alt+ArrowDown") == ["1", "1e-9"]
    assert recorded(page).count() == 0
    first.fill("4")
    assert press(first, "ArrowUp", *["ArrowDown"] * 3) == ["4.1", "4", "3.9", "3.8"]  # from what was typed
    recorded(page).click()
    assert press(first, "ArrowUp") == ["10.1"]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_what_is_typed_is_the_number_that_python_would_compute_with_or_leaves_the_field(open_view, dtype):
    page = open_view(viz.backward(lambda x, w: mg.sum(x * w), x=np.dtype(dtype).type(2), w=np.array([3, 4], dtype)))
    page.get_by_role("button", name="Elements of w").click()
    for field in (page.get_by_role("spinbutton", name="x", exact=True), page.get_by_role("spinbutton", name="w[1]")):
        before = field.input_value()
        for text in ("", "0x10", "two", "1,234,567", "9" * 400 + "x"):
            field.fill(text)
            field.press("Enter")
            assert field.input_value() == before and recorded(page).count() == 0
        for text in ("-0", "1e400", "-1e39", "nan", "-inf", "1,5", "65519", "65520", "1e-8", "1e-50", "9" * 400):
            with np.errstate(over="ignore"):
                want = np.dtype(dtype).type(text.replace(",", "."))
            field.fill(text)
            field.press("Enter")
            assert field.input_value() == short(want, 7 if field.get_attribute("aria-label") == "x" else 6), text
            now = field.get_attribute("aria-valuenow")
            assert np.array_equal([float(now)], [want], equal_nan=True)
        recorded(page).click()


def test_a_click_of_less_than_three_pixels_chooses_the_box(open_view):
    page = open_view(viz.backward(lambda x: mg.exp(x), x=2.0))
    box(page, "x").click()
    assert page.locator(".mg-card h4").inner_text() == "x (input)"
    assert page.get_by_role("spinbutton").input_value() == "2"


def test_keys_change_a_field_and_do_not_step_the_picture(open_view):
    page = open_view(viz.backward(lambda x: mg.exp(x), x=2.0))
    count = page.locator(".mg-count").inner_text()
    box(page, "x").focus()
    page.keyboard.press("Enter")
    field = page.get_by_role("spinbutton")
    assert field.evaluate("f => f === document.activeElement")
    for key, value in (("ArrowUp", "2.1"), ("Shift+ArrowUp", "3.1"), ("Alt+ArrowDown", "3.09"), ("PageDown", "2.09")):
        page.keyboard.press(key)
        assert field.input_value() == value == field.get_attribute("aria-valuetext")
    page.keyboard.type("7")
    page.keyboard.press("Escape")
    assert field.input_value() == "2.09"
    assert page.locator(".mg-count").inner_text() == count


def test_arrows_walk_over_inputs_and_change_a_number_only_in_its_field(open_view):
    page = open_view(viz.backward(lambda x, w, b: mg.exp(x) * mg.tanh(w) + mg.sin(b), x=2.0, w=3.0, b=4.0))
    count = page.locator(".mg-count").inner_text()
    focused = lambda: page.locator(":focus").get_attribute("aria-label")
    box(page, "x").focus()
    walk = [focused()]
    for key in ("ArrowDown", "ArrowDown", "PageUp"):
        page.keyboard.press(key)
        walk.append(focused())
    assert [words.split(",")[0] for words in walk] == [f"{name} (input)" for name in "xwbb"]
    page.keyboard.press("ArrowUp")
    assert not focused().startswith("b (input)") and recorded(page).count() == 0, "walking changes no number"
    box(page, "w").focus()
    page.keyboard.press("Enter")
    assert focused() == "w" and page.locator(".mg-more small").is_visible()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    assert focused().startswith("w (input), value 3.1, gradient ")
    page.keyboard.press("ArrowUp")
    assert focused().startswith("x (input), value 2, ")
    assert "press Enter" in box(page, "x").get_attribute("aria-description")
    assert page.locator(".mg-count").inner_text() == count
    recorded(page).press("Enter")
    assert heard(page, "w").startswith("w (input), value 3, ")
    assert focused() == "Step"


def test_a_pill_is_dragged_as_a_box(open_view):
    page = open_view(viz.backward(lambda x, w: x * x * w, x=2.0, w=3.0))
    pill = page.locator(".mg-stage .pill.mg-drag")
    assert pill.count() == 1
    place = pill.bounding_box()
    page.mouse.move(place["x"] + 20, place["y"] + 8)
    page.mouse.down()
    page.mouse.move(place["x"] + 25, place["y"] + 8)
    page.mouse.move(place["x"] + 70, place["y"] + 8)
    page.mouse.up()
    page.wait_for_function("document.querySelector('.pill').ariaLabel === 'w (input), value 3.5, gradient 4'")


def test_the_elements_of_an_array_stand_beside_the_gradient_of_each(open_view):
    rng = np.random.default_rng(0)
    x, w, b = rng.normal(size=(4, 3)), rng.normal(size=(3, 2)), np.zeros(2)
    page = open_view(viz.backward(layer, x=x, w=w, b=b))
    for name in ("x", "w"):  # one is open at a time
        page.get_by_role("button", name=f"Elements of {name}").click()
    assert page.locator(".mg-field:visible").count() == 6
    field = page.get_by_role("spinbutton", name="w[1, 0]")
    field.fill("3")
    field.press("Enter")
    w[1, 0] = 3.0
    want = mg.grad(lambda w: layer(x, w, b))(w)
    shown = [float(t) for t in page.locator(".mg-slope:visible").all_text_contents()]
    assert np.allclose(shown, np.ravel(want), rtol=6e-3)


def test_every_field_has_a_role_a_name_and_a_spoken_value(open_view):
    w = np.array([[1.0, -0.0], [np.inf, 1e-7]])
    page = open_view(viz.backward(lambda x, w, p: mg.sum(x * w) * p["b"], x=2.0, w=w, p={"b": 3.0}))
    page.get_by_role("button", name="Elements of w").click()
    rows = page.locator(".mg-field").evaluate_all(
        "(fs) => fs.map((f) => ['role', 'aria-label', 'aria-valuenow', 'aria-valuetext'].map((n) => f.getAttribute(n)))"
    )
    said = {name: spoken for role, name, *spoken in rows if role == "spinbutton"}
    assert len(said) == len(rows) == 6
    assert said["x"] == ["2", "2"] and said["p['b']"] == ["3", "3"]
    assert said["w[0, 0]"] == ["1", "1"] and said["w[0, 1]"] == ["0", "-0"]
    assert said["w[1, 0]"] == ["Infinity", "inf"] and said["w[1, 1]"] == ["1e-7", "1e-7"]
    adjoints = page.get_by_role("note").evaluate_all("(notes) => notes.map((n) => [n.ariaLabel, n.textContent])")
    assert adjoints == [[f"gradient of w[{i}, {j}], 6", "6"] for i in range(2) for j in range(2)]
    button = page.get_by_role("button", name="Elements of w")
    assert button.get_attribute("aria-expanded") == "true"
    assert page.locator(".mg-still").get_by_role("status").count() == 1


def test_a_decision_that_would_be_another_one_leaves_the_picture_where_it_was(open_view):
    def f(x):
        if x > 1:
            return x * x
        return mg.exp(x)

    page = open_view(viz.backward(f, x=2.0))
    field = page.get_by_role("spinbutton")
    for value, said in (("3", ""), ("0.5", f"decides otherwise (line {f.__code__.co_firstlineno + 1})"), ("4", "")):
        field.fill(value)
        field.press("Enter")
        text = status(page)
        assert said in text if said else text == ""
        assert page.locator(".mg-strayed").count() == bool(said)
        assert f"= {9 if value != '4' else 16}" in texts(page, "multiply")


def test_a_median_is_found_anew_and_what_was_chosen_has_the_gradient(open_view):
    page = open_view(viz.backward(lambda x: mg.square(mg.median(x)), x=np.array([1.0, 3.0, 2.0, 9.0, 0.0])))
    page.get_by_role("button", name="Elements of x").click()
    field, status = page.get_by_role("spinbutton", name="x[2]"), page.locator(".mg-still [role=status]")
    slopes = page.locator(".mg-slope:visible")
    assert slopes.all_text_contents() == ["0", "0", "4", "0", "0"]
    for typed, y, slope, chosen in (("7", "9", "6", 1), ("-5", "1", "2", 0), ("2.5", "6.25", "5", 2)):
        field.fill(typed)
        field.press("Enter")
        assert f"= {y}" in texts(page, "square")
        assert slopes.all_text_contents() == [slope if k == chosen else "0" for k in range(5)]
        assert status.inner_text() == ""
    field.fill("nan")
    field.press("Enter")
    assert status.inner_text().startswith("Here the code decides otherwise (line ")


def test_an_index_out_of_range_leaves_the_picture_where_it_was(open_view):
    page = open_view(viz.backward(lambda x, i: x[mg.astype(i, int)] * i, x=np.array([1.0, 3.0]), i=1.0))
    field, status = page.get_by_role("spinbutton", name="i", exact=True), page.locator(".mg-still [role=status]")
    for typed, value, said in (
        ("-1", "-3", ""),
        ("0.5", "0.5", ""),
        ("2", "0.5", "an index is out of range"),
        ("1.5", "4.5", ""),
    ):
        field.fill(typed)
        field.press("Enter")
        assert f"= {value}" in texts(page, "multiply")
        assert said in status.inner_text() if said else status.inner_text() == ""


def test_a_whole_number_beyond_the_page_leaves_the_picture_where_it_was(open_view):
    page = open_view(viz.backward(lambda x: x * (7 // mg.astype(x, int)), x=2.0))
    field = page.get_by_role("spinbutton")
    for value, said in (
        ("3", ""),
        ("0", "a whole number is too large for the page, or divided by 0"),
        ("1e30", "too large"),
    ):
        field.fill(value)
        field.press("Enter")
        text = status(page)
        assert said in text if said else text == ""
        assert "= 6" in texts(page, "multiply")


def normed(x, w):
    for _ in range(2):
        mean = mg.mean(x, axis=-1, keepdims=True)
        scale = mg.sqrt(mg.mean((x - mean) ** 2, axis=-1, keepdims=True) + 1e-5)
        x = x + mg.tanh(mg.matmul((x - mean) / scale, w))
    return mg.mean(x * x)


@pytest.mark.parametrize("seed", (13, 2))
def test_what_rounding_leaves_of_terms_that_cancel_is_no_other_number(open_view, seed):
    """The messages of a mean cancel: sums rounded differently may differ in sign, or only one of them may be 0."""
    random = np.random.default_rng(seed)
    x, w = random.normal(size=(4, 8)), random.normal(size=(8, 8)) * 0.3
    page = open_view(viz.backward(normed, x=x.astype("f"), w=w.astype("f")))
    assert page.locator(".mg-input").count() == 2 and status(page) == ""


def test_a_browser_that_computes_otherwise_says_so_and_stays_still(browser, tmp_path):
    viz.backward(log1pexp, x=2.0).to_html(tmp_path / "view.html")
    for factor, fields in ((1.01, 0), (1.00001, 1)):
        page = new_page(browser)
        errors, _ = watch(page)
        page.add_init_script(f"const exp = Math.exp; Math.exp = (x) => exp(x) * {factor}")
        page.goto((tmp_path / "view.html").as_uri())
        page.wait_for_selector(".mg-bar")
        assert page.locator(".mg-field").count() == fields
        assert ("does not reproduce the recorded numbers" in status(page)) == (not fields)
        assert errors == []
        page.context.close()


def test_that_decisions_stay_is_said_of_a_finished_value_while_an_input_is_changed(open_view):
    x = mg.constant(2.0)
    page = open_view(viz.backward(mg.exp(x)))
    field, picture = page.get_by_role("spinbutton"), page.locator(".mg-stage").bounding_box()
    for _ in range(2):
        assert status(page) == "" and page.get_by_text("decisions of the Python code").is_hidden()
        field.fill("3")
        field.press("Enter")
        assert status(page).endswith("decisions of the Python code, indices and masks stay as they were.")
        assert page.locator(".mg-stage").bounding_box() == picture  # the words had their room
        recorded(page).click()
    field.fill("3")
    field.press("Enter")
    field.fill("2")  # by hand
    field.press("Enter")
    assert status(page) == ""


def test_why_the_inputs_cannot_be_changed_is_said(open_view):
    page = open_view(viz.backward(lambda x: x * float(x), x=2.0))
    assert page.locator(".mg-inputs").count() == 0
    words = "The inputs cannot be changed here: a plain number was taken out of the graph."
    assert words in page.locator("body").inner_text()
    page = open_view(viz.backward(lambda x: mg.det(x), x=np.eye(2)))
    assert "The inputs cannot be changed here: the page cannot compute det." in page.locator("body").inner_text()
    page = open_view(viz.backward(mg.round, x=2.5))
    assert "The inputs cannot be changed here: no gradient reaches an input." in page.locator("body").inner_text()
    page = open_view(viz.backward(lambda x: x * x, x=2.0, drag=False))
    assert page.locator(".mg-inputs").count() == 0


def test_the_cause_below_the_picture_is_hidden_while_its_numbers_are_not_shown(open_view):
    page = open_view(viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=100.0))
    why = page.locator(".mg-why")
    assert why.is_visible()
    field = page.get_by_role("spinbutton")
    field.fill("1")
    field.press("Enter")
    assert not why.is_visible()
    assert page.locator(".mg-nan").is_hidden()
    recorded(page).click()
    assert why.is_visible() and page.locator(".mg-nan").is_visible()


def test_both_lanes_and_the_table_of_a_comparison_follow(open_view):
    page = open_view(viz.compare(log1pexp, 88.7))
    assert page.get_by_role("spinbutton").count() == 1
    row = page.locator("tbody tr").locator("th,td")
    assert row.all_text_contents()[4] == "both are right here"
    field = page.get_by_role("spinbutton", name="x", exact=True)
    field.fill("89")
    field.press("Enter")
    assert row.all_text_contents() == ["x", "nan", "1", "1", "the custom rule repairs nan"]
    assert say(page) == "Same value, two gradients: the derived pass sends nan, the rule 1. The rule repairs the nan."
    field.fill("1000")
    field.press("Enter")
    assert "no reference: the function is not finite in float64 here" in row.all_text_contents()[4]
    recorded(page).click()
    assert row.all_text_contents()[4] == "both are right here"


def test_the_cells_of_a_small_array_are_shaded_anew(open_view):
    def cells(page):
        paths = "[...document.querySelectorAll('.mg-stage .n path')]"
        shades = f"{paths}.map((q) => [q.getAttribute('class'), q.getAttribute('d')])"
        return page.evaluate(shades)

    def f(x):
        return mg.sum(mg.log(x) * x)

    for values in ([5.0, 0.5, 1.0, 2.0], [0.0, -1.0, 3.0, np.inf]):
        want = cells(open_view(viz.backward(f, x=np.array(values).reshape(2, 2), drag=False)))
        page = open_view(viz.backward(f, x=np.ones((2, 2))))
        page.get_by_role("button", name="Elements of x").click()
        for k, value in enumerate(values):
            field = page.locator(".mg-field").nth(k)
            field.fill(str(value))
            field.press("Enter")
        assert cells(page) == want and want


def test_the_button_of_the_first_nan_goes_where_it_is_born_and_is_named_by_what_is(open_view):
    def norm(x, y):
        return mg.sqrt(x * x + y * y)

    page = open_view(viz.backward(norm, 0.0, 0.0))
    place = page.locator(".mg-count").inner_text()
    page.get_by_role("button", name="First nan", exact=True).click()
    assert page.locator(".mg-count").inner_text() == place and "nan first appears here (0 * inf)" in say(page)
    for name in "xy":
        page.get_by_role("spinbutton", name=name, exact=True).fill("1e-30")
        page.get_by_role("spinbutton", name=name, exact=True).press("Enter")
    assert page.locator(".mg-nan:visible").count() == 1, "in float32 the squares are 0"
    page = open_view(viz.backward(lambda x: mg.sqrt(x), 0.0))
    page.get_by_role("button", name="First inf").click()
    assert "inf first appears here" in say(page)
