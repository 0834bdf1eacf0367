"""The modes of one picture: values, wiggle, gradient, your rule. Each shows what Python computes, at any input."""

import math
import random
import re
from functools import partial

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.tracing.numbers import short
from tests.browser.gallery import layer, log1pexp
from tests.browser.lab import new_page

pytestmark = pytest.mark.browser
UNARY = (mg.exp, mg.sin, mg.tanh, mg.log, mg.sqrt, mg.abs, mg.square)
BINARY = (mg.add, mg.multiply, mg.subtract, mg.divide, mg.maximum)


def softplus(x):
    e = mg.exp(x)
    return mg.log(1 + e)


def product(x, w):
    return mg.exp(x * w) + mg.sin(x)


def switch(page, mode):
    """Choose a mode by its radio button."""
    page.get_by_role("radiogroup", name="What the picture shows").get_by_role("radio", name=mode, exact=True).check()


def modes(page):
    radios = page.locator(".mg-modes input")
    return [(radios.nth(i).get_attribute("value"), radios.nth(i).is_checked()) for i in range(radios.count())]


def chosen(page):
    return next(name for name, checked in modes(page) if checked)


def say(page):
    return page.locator(".mg-say").inner_text()


def heard(page):
    """What a screen reader says about each box, by the number of its node."""
    boxes = page.locator(".mg-stage .n:not(.pill)")
    return {int(b.get_attribute("data-n")): b.get_attribute("aria-label") for b in boxes.all()}


def corners(page):
    """Where each box is."""
    return page.evaluate(
        "[...document.querySelectorAll('.mg-stage .n > .b')].map((b) => [b.parentElement.dataset.n,"
        " ...['x', 'y', 'width', 'height'].map((k) => b.getAttribute(k))].join(' ')).sort()"
    )


def change(page, name, value):
    field = page.locator(f".mg-inputs [aria-label='{name}']")
    if not field.is_visible():
        page.get_by_role("button", name="More").click()
    field.fill(str(value))
    field.press("Enter")


@pytest.mark.smoke
def test_the_boxes_stay_where_they_are_and_show_what_the_mode_is_about(open_view):
    page = open_view(viz.backward(product, x=1.0, w=0.5, mode="rule"))
    assert modes(page) == [("values", False), ("wiggle", False), ("gradient", False), ("rule", True)]
    assert page.locator(".mg-rule").is_visible()
    begin = corners(page)
    switch(page, "Values")
    assert corners(page) == begin and page.locator(".mg-rule").is_hidden()
    assert say(page) == "add(exp, sin) = 2.49." and "ḡ" not in page.locator(".mg-stage").inner_text()
    assert "gradient" not in " ".join(heard(page).values())
    switch(page, "Wiggle")
    assert corners(page) == begin
    assert say(page) == "By the slopes, a tiny step of x moves add 0.8244 · 1 + 0.5403 · 1 = 1.365 times as far."
    assert "δ 1.365" in page.locator(".mg-stage").inner_text()
    switch(page, "Gradient")
    assert corners(page) == begin and "ḡ 1.365" in page.locator(".mg-stage").inner_text()


def test_each_name_of_a_mode_opens_it_and_its_saved_picture(open_view):
    for mode, sign, absent in (("values", "= 2.49", "ḡ"), ("wiggle", "δ 1.365", "ḡ"), ("gradient", "ḡ 1.365", "δ")):
        view = viz.backward(product, x=1.0, w=0.5, mode=mode)
        page = open_view(view)
        assert chosen(page) == mode
        for text in (page.locator(".mg-stage").inner_text(), view.to_svg()):
            assert sign in text and absent not in re.sub("<style.*?</style>|<title.*?</title>", "", text)


def test_arrows_move_through_the_modes_and_the_focus_is_seen(open_view):
    page = open_view(viz.backward(product, x=1.0, w=0.5))
    page.locator(".mg-modes input:checked").focus()
    page.keyboard.press("ArrowLeft")
    assert chosen(page) == "wiggle"
    page.keyboard.press("ArrowLeft")
    assert chosen(page) == "values"
    outline = page.evaluate("getComputedStyle(document.querySelector('.mg-modes input:checked + span')).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert chosen(page) == "gradient" and page.evaluate("document.activeElement.value") == "gradient"


def test_one_slider_runs_over_the_boxes_in_values_and_over_the_messages_in_gradients(open_view):
    page = open_view(viz.backward(product, x=1.0, w=0.5))
    slider = page.get_by_role("slider", name="Step")
    assert page.locator(".mg-count").inner_text() == "8 of 8"
    switch(page, "Values")
    assert (
        page.locator(".mg-count").inner_text() == "6 of 6" and len(heard(page)) == 5
    )  # w is part of the box that uses it
    slider.fill("0")
    assert say(page) == "x is an input: 1." and len(heard(page)) == 1
    switch(page, "Wiggle")
    assert say(page) == "x takes a tiny step: how far does each number move, as a multiple of it?"
    assert "moves" in heard(page)[0] and not any("moves" in words for n, words in heard(page).items() if n)
    switch(page, "Gradient")
    assert page.locator(".mg-count").inner_text() == "0 of 8" and say(page).startswith(
        "Start: the gradient of add is 1"
    )


def test_another_input_wiggles_when_it_is_chosen(open_view):
    page = open_view(viz.backward(lambda x, w: mg.exp(x * w) * w, x=1.0, w=0.5, mode="wiggle"))
    assert say(page).startswith("By the slopes, a tiny step of x moves")
    page.locator(".mg-stage .n[aria-label^='w (input)']").first.click()
    assert say(page).startswith("By the slopes, a tiny step of w moves") and say(page).endswith("= 2.473 times as far.")
    assert page.locator(".mg-card").is_visible()


def test_the_card_has_the_gradient_of_the_finished_pass_in_each_mode(open_view):
    page = open_view(viz.backward(product, x=1.0, w=0.5))
    for mode in ("Values", "Wiggle", "Gradient"):
        switch(page, mode)
        page.locator(".mg-stage .n[aria-label^='exp']").click()
        assert "gradient ḡ\n1\n" in page.locator(".mg-card").inner_text(), mode


def test_the_card_of_a_short_array_has_the_entries_of_each_message(open_view):
    t = np.array([0.5, -1.0, 2.0])
    page = open_view(viz.backward(lambda t: mg.exp(-t) + mg.tanh(t) * t, t=t))
    page.locator(".mg-stage .n[aria-label^='t ']").click()
    card = page.locator(".mg-card").inner_text()
    sent = [-np.exp(-t), np.tanh(t), t / np.cosh(t) ** 2]
    found = [[float(v) for v in row.split()] for row in re.findall(r"\[([^\],]+)\](?= from|\n)", card)]
    assert len(found) == 4 and "sum of" in card
    for numbers in [sum(sent), *sent]:
        assert any(np.allclose(numbers, row, rtol=6e-3, atol=6e-4) for row in found), (numbers, card)
    page.locator(".mg-stage .n[aria-label^='exp']").click()
    assert "message\n" in page.locator(".mg-card").inner_text(), "one message is no sum"


def test_no_mode_is_offered_that_does_not_exist(open_view):
    names = lambda page: [name for name, _ in modes(page)]
    assert names(open_view(viz.backward(layer, x=np.ones((4, 3)), w=np.ones((3, 2)), b=np.zeros(2)))) == [
        "values",
        "wiggle",
        "gradient",
        "rule",
    ]
    assert names(open_view(viz.backward(layer, x=np.ones((4, 3)), w=np.ones((3, 2)), b=np.zeros(2), drag=False))) == [
        "values",
        "gradient",
    ]
    assert names(open_view(viz.backward(log1pexp, x=2.0))) == ["values", "gradient", "rule"]
    assert names(open_view(viz.backward(log1pexp, x=2.0, drag=False))) == ["values", "gradient"]
    assert names(open_view(viz.backward(product, x=1.0, w=0.5, drag=False))) == ["values", "gradient"]
    assert names(open_view(viz.compare(log1pexp, 2.0))) == ["values", "gradient", "rule"]
    assert names(open_view(viz.backward(product, x=1.0, w=0.5, predict=True))) == []
    assert names(open_view(viz.forward(mg.constant(3) * 2))) == []


def test_both_lanes_of_a_comparison_have_their_values(open_view):
    page = open_view(viz.compare(log1pexp, 2.0))
    assert chosen(page) == "rule" and page.locator(".mg-rule").is_visible()
    switch(page, "Values")
    first, last = page.locator(".mg-say p").all_inner_texts()
    assert first.startswith("derived: ") and first.endswith(" = 2.127.")
    assert last == "custom: log1pexp(x) = 2.127."
    assert "ḡ" not in page.locator(".mg-stage").inner_text()


def test_a_wiggle_that_is_no_number_is_told_with_the_product_that_makes_it(open_view):
    page = open_view(viz.backward(softplus, x=100.0, mode="wiggle"))
    assert say(page) == "By the slopes, it cannot be said how far a tiny step of x moves log: inf · 0 = nan."
    assert "bad" in page.locator(".mg-say").get_attribute("class")
    change(page, "x", 2)
    assert say(page).endswith("= 0.8808 times as far.")


def random_program(seed):
    """A function of two numbers of up to eight ops."""
    draw = random.Random(seed)
    plan = []
    for n in range(draw.randint(3, 8)):
        picks = [draw.randrange(n + 2) for _ in range(2)]
        plan.append((draw.choice(UNARY if draw.random() < 0.5 else BINARY), picks))

    def f(x, w):
        made = [x, w]
        for op, picks in plan:
            made.append(op(*(made[i] for i in picks[: 1 if op in UNARY else 2])))
        return mg.add(made[-1], x * w)

    return f


def near(text, other):
    """Whether two numbers in words are equal except for the rounding of a browser's functions, which may cancel."""
    mine, theirs = float(text), float(other)
    return math.isclose(mine, theirs, rel_tol=2e-3, abs_tol=2e-6) or (math.isnan(mine) and math.isnan(theirs))


def same(words, other):
    """Whether two sentences are the same except for the rounding of their numbers."""
    number = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?|-?inf|nan")
    return number.sub("#", words) == number.sub("#", other) and all(
        near(*pair) for pair in zip(number.findall(words), number.findall(other))
    )


@pytest.mark.parametrize("seed", range(24))
def test_numbers_and_sentences_of_every_mode_are_those_of_python_after_each_change(open_view, seed):
    f, draw = random_program(seed), random.Random(seed + 1000)
    now = {"x": 0.75, "w": -1.25}
    with np.errstate(all="ignore"):
        page = open_view(viz.backward(f, **now))
        for turn in range(4):
            if turn:
                name, value = draw.choice("xw"), round(draw.uniform(-3, 3), 2) if turn < 3 else 0.0
                now[name] = value
                change(page, name, value)
            x, w = (mg.constant(now[key]) for key in "xw")
            _, tangent = mg.jvp(partial(f, w=w), [x], [mg.constant(1.0)])
            shown = [m for m, _ in modes(page) if m != "rule"]  # a nan has that mode too; test_rule is about it
            for mode in draw.sample(shown, len(shown)):
                page.locator(f".mg-modes [value={mode}]").check()
                page.get_by_role("slider", name="Step").evaluate("s => { s.value = s.max; s.oninput(); }")
                view = viz.backward(f, **now, mode=mode)
                nodes, boxes = view.trace.nodes, heard(page)
                assert boxes
                for n, words in boxes.items():
                    assert f"value {short(nodes[n].value)}" in words
                    if mode == "gradient" and nodes[n].adjoint is not None:
                        assert near(words.rpartition("gradient ")[2], short(nodes[n].adjoint)), (n, words)
                (lane,) = map(view._opened, view._lanes)
                if mode != "gradient":
                    assert same(say(page), lane.moments[-1].words), (say(page), lane.moments[-1].words)
                if mode == "values":
                    assert say(page).endswith(f" = {short(nodes[-1].value)}.")
                if mode == "wiggle":
                    total = re.search(r"= (\S+)(?: times as far)?\.$", say(page))[1]
                    assert near(total, tangent.value), (total, tangent)


def test_the_opening_runs_over_values_and_gradients_and_ends_at_your_turn(browser, tmp_path):
    page = new_page(browser)
    page.emulate_media(reduced_motion="reduce")
    with np.errstate(all="ignore"):
        viz.backward(softplus, x=100.0).start().to_html(tmp_path / "film.html")
    page.goto((tmp_path / "film.html").as_uri())
    page.wait_for_selector(".mg-bar")
    slider = page.get_by_role("slider", name="Step")
    page.wait_for_timeout(800)
    assert slider.input_value() == "0", "nothing moves by itself under reduced motion"
    assert say(page) == "x is an input: 100." and chosen(page) == "values"
    seen = []
    for at in range(int(slider.get_attribute("max")) + 1):
        slider.fill(str(at))
        seen.append(chosen(page))
        assert page.locator(".mg-rule").is_visible() == (seen[-1] == "rule")
    assert seen == ["values"] * 4 + ["gradient"] * 4 + ["rule"]
    assert "Your turn" in say(page) and "nan first appears" in say(page)
    assert page.get_by_role("textbox", name="Rule for the gradient of x").input_value() == "upstream / (1 + e) * e"
    assert page.locator(".mg-verdict").inner_text().startswith("Wrong at x = 100")
    slider.fill("2")
    assert chosen(page) == "values"
    switch(page, "Gradient")
    assert slider.get_attribute("max") == "4", "a mode that is chosen ends the opening"
    page.context.close()


def test_the_opening_plays_by_itself_and_ends_at_the_gradient_where_there_is_no_nan(open_view):
    page = open_view(viz.backward(product, x=1.0, w=0.5).start())
    slider = page.get_by_role("slider", name="Step")
    page.wait_for_function("document.querySelector('.mg-bar input[type=range]').value > 0")
    page.get_by_role("button", name="Pause").click()
    slider.fill(slider.get_attribute("max"))
    assert chosen(page) == "gradient" and "Your turn" not in say(page) and "times as fast" in say(page)


def test_an_opening_takes_about_twenty_seconds_and_less_for_a_few_boxes(open_view):
    page = open_view(viz.backward(lambda x: mg.sin(mg.exp(mg.tanh(mg.square(x)))), x=0.5).start())
    value = lambda: page.evaluate("+document.querySelector('.mg-bar input[type=range]').value")
    page.wait_for_function("document.querySelector('.mg-bar input[type=range]').value >= 1")
    begin, since = value(), page.evaluate("performance.now()")
    page.wait_for_function(f"document.querySelector('.mg-bar input[type=range]').value >= {begin + 3}")
    each = (page.evaluate("performance.now()") - since) / 3000
    count = 1 + int(page.get_by_role("slider", name="Step").get_attribute("max"))
    assert 14 < each * count < 26


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1180, 390])
def test_no_mode_is_wider_than_its_page_or_smaller_than_a_finger(browser, tmp_path, scheme, width):
    page = new_page(browser, viewport={"width": width, "height": 900}, color_scheme=scheme)
    viz.backward(product, x=1.0, w=0.5, mode="rule").to_html(tmp_path / "view.html")
    page.goto((tmp_path / "view.html").as_uri())
    page.wait_for_selector(".mg-modes")
    for mode in ("Values", "Wiggle", "Gradient", "Your rule"):
        switch(page, mode)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), mode
        sizes = page.evaluate(
            "[...document.querySelectorAll('.mg-stage text')].map(t => parseFloat(getComputedStyle(t).fontSize))"
        )
        assert min(sizes) >= 11
    heights = [page.locator(".mg-modes label").nth(i).bounding_box()["height"] for i in range(4)]
    assert min(heights) >= 24
    page.context.close()


def test_of_arrays_the_entry_that_is_chosen_wiggles_and_each_box_has_what_moves(open_view):
    W, x = np.float32([[1, 2], [3, 4]]), np.float32([0.1, 0.2])
    page = open_view(viz.backward(lambda W, x: mg.sum(mg.tanh(W @ x) ** 2), W, x))
    assert modes(page) == [("values", False), ("wiggle", False), ("gradient", True), ("rule", False)]
    switch(page, "Wiggle")

    def expected(W, i, j):
        """What a step of W[i, j] does to W @ x, to its tanh and to the sum of squares: the chain rule in NumPy."""
        dz = np.eye(2)[i] * np.float64(x[j])
        t = np.tanh(W.astype(float) @ x)
        return dz, (1 - t * t) * dz, 2 * (t * (1 - t * t) * dz).sum()

    def told():
        count = int(page.locator(".mg-count").inner_text().split()[-1])
        slider, words = page.get_by_role("slider", name="Step"), {}
        for k in range(count):
            slider.fill(str(k))
            if found := re.search(r"moves (?:the entries of )?(\w+) (.*) times as far", say(page)):
                words[found[1]] = [float(v) for v in found[2].strip("[]").split()]
        return words

    for i, j, v in ((0, 0, None), (1, 0, None), (0, 1, None), (0, 1, 0.5)):
        if (i, j) != (0, 0):
            if not page.get_by_role("spinbutton", name="W[0, 0]").is_visible():
                page.locator(".mg-stage .n[aria-label^='W (input)'] .hf").first.click()
            field = page.get_by_role("spinbutton", name=f"W[{i}, {j}]")
            field.click()
            if v is not None:
                W[i, j] = v
                field.fill(str(v))
                field.press("Enter")
        dz, dt, total = expected(W, i, j)
        words = told()
        assert say(page).startswith("Measured with a step of ") and f" W[{i}, {j}] moves sum " in say(page)
        assert words["matmul"] == pytest.approx(dz, rel=1e-3) and words["tanh"] == pytest.approx(dt, rel=1e-3)
        assert words["sum"] == [pytest.approx(total, rel=1e-3)]
        assert "does not move x" in (page.get_by_role("slider", name="Step").fill("1") or say(page))
        picture = page.locator(".mg-stage").inner_text()
        assert "ḡ" not in picture and "gradient" not in picture
