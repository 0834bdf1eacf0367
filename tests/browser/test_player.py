"""The player in a page of its own: what it shows is the trace, and every key and button does its work."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.tracing.numbers import short
from tests.browser.lab import new_page, watch
from viz.render.svg import slot_text

pytestmark = pytest.mark.browser


@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + e))

    return mg.log(1 + e), grad


def plain(x):
    return mg.log(1 + mg.exp(x))


def busy(x, w):
    h = mg.tanh(x * w) + x * x
    return h * mg.sin(h) + w * 0.5


@mg.custom_gradient
def two(a, b):
    return (a * b, a + b), lambda p, q: (p * b + q, p * a + q)


def product_of_two(x, w):
    p, q = two(x, w)
    return p * q


def sentence(page):
    return page.locator(".mg-say").inner_text()


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def shown(page):
    """Slot and message texts as the page has them: {node: text}, {edge: text}."""
    return page.evaluate(
        """() => [["n", ".g"], ["e", ".m"]].map(([kind, text]) => Object.fromEntries(
            [...document.querySelectorAll(`.mg-stage [data-${kind}]`)]
              .filter(g => g.querySelector(text))
              .map(g => [g.dataset[kind], g.querySelector(text).textContent])))"""
    )


def told_once(view, words):
    """A sentence without the cause that the report above the picture gives."""
    for origin in view.origins:
        if origin.reason in view.report.sentence:
            words = words.replace(f": {origin.reason}.", ".")
    return words


@pytest.mark.parametrize("f", [pytest.param(plain, marks=pytest.mark.smoke), log1pexp, busy, product_of_two])
def test_at_every_stop_the_page_shows_what_the_trace_says(open_view, f):
    inputs = {"x": 100.0} if f in (plain, log1pexp) else {"x": 1.5, "w": -0.5}
    view = viz.backward(f, **inputs)
    page = open_view(view)
    (lane,) = view._lanes
    page.get_by_role("button", name="To the start").click(force=True)
    for at, moment in enumerate(lane.moments):
        assert sentence(page) == told_once(view, moment.words)
        frame = lane.frame(at)
        slots, messages = shown(page)
        for node, text in slots.items():
            assert text == slot_text(frame, int(node))[0]
        for edge, text in messages.items():
            message = frame.messages.get(int(edge))
            assert text == ("" if message is None else message.value)
        if at + 1 < len(lane.moments):
            page.get_by_role("button", name="One step forward").click()
    assert page.get_by_role("button", name="One step forward").is_disabled()


def test_it_opens_where_the_picture_stood(open_view):
    view = viz.backward(plain, x=100.0).step(1)
    assert sentence(open_view(view)) == view._lanes[0].moments[2].words


@pytest.mark.smoke
def test_keys(open_view):
    view = viz.backward(plain, x=100.0)
    page = open_view(view)
    words = [moment.words for moment in view._lanes[0].moments]
    page.get_by_role("button", name="To the start").click(force=True)
    page.get_by_role("button", name="Play").focus()
    press(page, "ArrowRight", "ArrowRight")
    assert sentence(page) == words[2]
    press(page, "ArrowLeft")
    assert sentence(page) == words[1]
    press(page, "End")
    assert sentence(page) == words[-1]
    press(page, "Home")
    assert sentence(page) == words[0]


def test_keys_do_not_leave_the_player_but_tab_and_escape_do(open_view):
    page = open_view(viz.backward(plain, x=100.0))
    page.evaluate("() => { window.heard = []; document.addEventListener('keydown', e => heard.push(e.key)); }")
    page.get_by_role("button", name="Play").focus()
    press(page, "b", "d", "Enter", "ArrowRight", "Escape", "Tab")
    assert page.evaluate("heard") == ["Escape", "Tab"]


def test_the_slider_and_play(open_view):
    page = open_view(viz.backward(plain, x=100.0))
    slider = page.get_by_role("slider", name="Step")
    slider.fill("1")
    assert page.locator(".mg-count").inner_text() == "step 1 of 4"
    page.get_by_role("combobox", name="Speed").select_option("fast")
    page.get_by_role("button", name="Play").click()
    assert page.get_by_role("button", name="Pause").is_visible()
    page.wait_for_function("document.querySelector('.mg-count').textContent === 'step 4 of 4'")
    page.get_by_role("button", name="Play").wait_for()


def test_the_card_of_a_node_adds_up_its_adjoint(open_view):
    page = open_view(viz.backward(busy, x=1.5, w=-0.5))
    page.get_by_role("button", name="To the end").click()
    view = viz.backward(busy, x=1.5, w=-0.5)
    x = next(node for node in view.trace.nodes if node.name == "x")
    page.locator(f'.mg-stage [data-n="{x.id}"]').click()
    card = page.locator(".mg-card").inner_text()
    sends = [send for step in view.trace.steps for send in step.sends if send.to == x.id]
    assert len(sends) == 3 and card.count("from ") == 3
    assert short(x.adjoint) in card


def test_the_card_shows_formula_rule_and_line(open_view):
    page = open_view(viz.backward(log1pexp, x=100.0))
    page.locator('.mg-stage [data-n="1"]').click()
    assert "grad runs instead of the ops inside" in page.locator(".mg-card").inner_text()
    page.locator(".mg-stage .ghost").filter(has_text="exp").first.click()
    card = page.locator(".mg-card").inner_text()
    assert "for x: exp(x) = inf" in card and "e = mg.exp(x)" in card


def test_nodes_are_one_tab_stop_and_arrows_walk_along_the_edges(open_view):
    page = open_view(viz.backward(plain, x=100.0))
    assert page.locator('.mg-stage [tabindex="0"]').count() == 1
    page.locator(".mg-stage .op").filter(has_text="log").first.focus()
    walked = []
    for _ in range(3):
        press(page, "ArrowLeft")
        walked.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
    assert [text.partition(",")[0] for text in walked] == ["add", "exp", "x (input)"]
    assert page.locator('.mg-stage [tabindex="0"]').count() == 1


def test_the_first_nan_is_one_click_away(open_view):
    page = open_view(viz.backward(plain, x=100.0))
    page.get_by_role("button", name="First nan").click()
    assert "nan is born here (0 * inf)" in sentence(page)


def test_there_is_no_nan_button_without_a_nan(open_view):
    page = open_view(viz.backward(busy, x=1.5, w=-0.5))
    assert page.get_by_role("button", name="First nan").count() == 0


def test_the_ghost_can_be_hidden_and_its_stops_with_it(open_view):
    page = open_view(viz.backward(log1pexp, x=100.0))
    ghost = page.get_by_role("button", name="Ghost")
    assert ghost.get_attribute("aria-pressed") == "true"
    assert page.locator(".mg-stage .n.ghost").first.is_visible()
    ghost.click()
    assert not page.locator(".mg-stage .n.ghost").first.is_visible()
    assert page.locator(".mg-count").inner_text() == "step 0 of 2"


@pytest.mark.smoke
def test_both_lanes_of_a_comparison_run_on_one_slider(open_view):
    view = viz.compare(log1pexp, 100.0)
    page = open_view(view)
    page.get_by_role("button", name="To the start").click(force=True)
    for at in range(4):
        derived, custom = (page.locator(".mg-say p").nth(i).inner_text() for i in (0, 1))
        assert derived == f"derived: {view._lanes[0].moments[at].words}"
        assert custom == f"custom: {view._lanes[1].moments[at].words}"
        page.get_by_role("button", name="One step forward").click()
    assert page.locator("table th[scope=row]").inner_text() == "x"
    assert "the custom rule repairs nan" in page.locator("table").inner_text()


def test_search_dims_what_it_does_not_find(open_view):
    page = open_view(viz.backward(lambda x: sum_of_sines(x), x=1.0))
    page.get_by_role("searchbox").press_sequentially("sin")
    assert page.get_by_role("searchbox").input_value() == "sin"
    assert page.locator(".mg-stage .n.dim").filter(has_text="sin").count() == 0
    assert page.locator(".mg-stage .n.dim").count() > 0


def sum_of_sines(x):
    y = x
    for k in range(1, 8):
        y = y + mg.sin(x * float(k))
    return y


def test_the_running_node_is_scrolled_into_sight(open_view):
    def deep(x):
        for _ in range(20):
            x = mg.sin(x)
        return x

    page = open_view(viz.backward(deep, x=1.0))
    page.emulate_media(reduced_motion="reduce")
    press(page, "Tab")
    page.get_by_role("button", name="To the start").click(force=True)
    for _ in range(3):
        page.get_by_role("button", name="One step forward").click()
        box = page.locator(".mg-stage .n.now").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    assert page.evaluate("window.scrollX") == 0


def test_hit_targets_are_large_enough(open_view):
    page = open_view(viz.compare(log1pexp, 100.0))
    for box in page.locator(".mg-bar button, .mg-bar select, .mg-bar input").all():
        size = box.bounding_box()
        assert size["height"] >= 28 and size["width"] >= 28


def test_motion_is_stopped_where_it_is_not_wanted(open_view):
    page = open_view(viz.backward(plain, x=100.0).step(1))
    animation = "getComputedStyle(document.querySelector('.mg-stage .e.now path')).animationName"
    assert page.evaluate(animation) == "mg-march"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(animation) == "none"


@pytest.mark.smoke
def test_it_follows_the_system_and_the_host_into_the_dark(open_view):
    page = open_view(viz.backward(plain, x=100.0))
    paper = "getComputedStyle(document.querySelector('.mg-stage svg .paper')).fill"
    light = page.evaluate(paper)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(paper)
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(20, 24, 31)")
    page.evaluate("document.body.setAttribute('data-jp-theme-light', 'true')")
    page.wait_for_function(f"{paper} === '{light}'")
    page.evaluate("document.body.removeAttribute('data-jp-theme-light')")
    page.evaluate("document.body.setAttribute('data-vscode-theme-kind', 'vscode-light')")
    page.wait_for_function(f"{paper} === '{light}'")


def test_without_scripts_the_picture_and_the_text_remain(browser, tmp_path):
    viz.compare(log1pexp, 100.0).to_html(tmp_path / "view.html")
    page = new_page(browser, java_script_enabled=False)
    page.goto((tmp_path / "view.html").as_uri())
    image = page.locator("img").bounding_box()
    assert image["width"] > 400 and image["height"] > 100
    assert page.locator("table").is_visible() and page.locator("summary").is_visible()
    assert "nan born" in page.locator("pre").text_content()
    page.context.close()


def test_text_fits_its_box_in_the_fonts_of_this_computer(open_view):
    page = open_view(viz.backward(busy, x=np.float64(1.23456789e-7), w=-2.5e30))
    wide = page.evaluate(
        """() => [...document.querySelectorAll('.mg-stage .n')].flatMap(g => {
            const b = g.querySelector('.b').getBoundingClientRect();
            return [...g.querySelectorAll(':scope > text')].map(t => t.getBoundingClientRect())
              .filter(t => t.left < b.left || t.right > b.right || t.top < b.top || t.bottom > b.bottom + 1)
              .map(() => g.textContent); })"""
    )
    assert wide == []


def test_two_views_on_one_page_do_not_disturb_each_other(page, tmp_path):
    errors, _ = watch(page)
    views = [viz.backward(plain, x=100.0), viz.backward(plain, x=100.0)]
    body = "".join(view._repr_mimebundle_()["text/html"] for view in views)
    (tmp_path / "two.html").write_text(f"<meta charset=utf-8>{body}", encoding="utf-8")
    page.goto((tmp_path / "two.html").as_uri())
    page.wait_for_function("document.querySelectorAll('.mg-bar').length === 2")
    page.get_by_role("button", name="To the start").first.click(force=True)
    assert page.locator(".mg-count").all_inner_texts() == ["step 0 of 4", "step 3 of 4"]
    assert errors == []


def test_a_clean_pass_opens_at_the_loss_and_one_with_a_nan_at_its_origin(open_view):
    page = open_view(viz.backward(busy, x=1.5, w=-0.5))
    assert page.locator(".mg-count").inner_text().startswith("step 0 of")
    assert page.locator(".mg-why").count() == 0
    page = open_view(viz.backward(plain, x=100.0))
    assert "nan is born here" in sentence(page)
    why = page.locator(".mg-why").inner_text()
    assert "return mg.log(1 + mg.exp(x))" in why and "return mg.softplus(x)" in why
    assert page.locator(".mg-why").bounding_box()["y"] < page.locator(".mg-stage").bounding_box()["y"]


def test_the_start_of_a_long_picture_is_the_loss(open_view):
    def deep(x):
        for _ in range(20):
            x = mg.sin(x)
        return x

    page = open_view(viz.backward(deep, x=1.0))
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 600, "height": 700})
    page.get_by_role("button", name="To the end").click()
    assert page.evaluate("document.querySelector('.mg-stage').scrollLeft") == 0
    page.get_by_role("button", name="To the start").click(force=True)
    box = page.locator(".mg-stage .n").filter(has=page.locator(".rim")).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]


def test_what_no_gradient_reaches_is_none_at_the_end_and_its_card_says_why(open_view):
    page = open_view(viz.backward(lambda x, w: mg.stop_gradient(x * x) * w, x=2.0, w=3.0))
    x = page.locator(".mg-stage .leaf").filter(has_text="= 2")
    assert "ḡ not yet" in x.text_content()
    page.get_by_role("button", name="To the end").click()
    assert "ḡ none" in x.text_content()
    x.click()
    assert "the connection ends at stop_gradient" in page.locator(".mg-card").inner_text()
    assert "No gradient reaches x" in page.locator(".mg-note").inner_text()


def test_the_card_of_a_frame_speaks_of_all_its_ops(open_view):
    def chain(x):
        for _ in range(200):
            x = mg.tanh(x * 0.5)
        return x

    page = open_view(viz.backward(chain, x=0.5))
    page.get_by_role("button", name="frame turns 101 to 120, 40 ops, closed").click()
    card = page.locator(".mg-card").inner_text()
    assert "20 multiply, 20 tanh" in card and "frame turns 101 to 120" in card and 'unfold("turns 101 to 120")' in card


WORDS = """root => [...root.querySelectorAll(".m,.d,.k")].map(t =>
    [t.classList[0], t.getAttribute("x"), t.getAttribute("y"), t.textContent].join(" ")).sort()"""


def drawn_words(svg):
    """Messages, local derivatives and numbers of arguments of a picture, each with its place."""
    found = re.findall(r"<text class='([mdk])\b[^']*'(?: data-at='\d+')? x='(\d+)' y='(\d+)'>([^<]*)<", svg)
    return sorted(" ".join(text) for text in found)


@pytest.mark.parametrize(
    "view",
    [
        viz.backward(lambda x, w: mg.exp(x * w) + mg.sin(x) * w, x=1.0, w=0.5).step(6),
        viz.backward(lambda x, w: mg.exp(x * w) + mg.sin(x) * w, x=1.0, w=0.5, rankdir="TB").step(3),
        viz.backward(lambda x, w: mg.mean(x @ w), x=np.ones((4, 3)), w=np.ones((3, 2))).step(1),
        viz.forward(lambda x: x * x + x, x=3.0),
    ],
    ids=["across", "down", "arrays", "forward"],
)
def test_the_words_at_lines_stand_where_the_picture_without_a_script_has_them(open_view, view):
    page = open_view(view)
    words = page.evaluate(WORDS, page.query_selector(".mg-stage"))
    assert words == drawn_words(view.to_svg()) and len(words) > 3


def test_choosing_a_box_spells_out_its_bad_elements(open_view):
    x, w = np.array([[1.0, 2.0], [3.0, np.inf]]), np.array([[1.0, 0.5], [2.0, 0.0]])
    page = open_view(viz.backward(lambda x, w: mg.sum(x @ w), x=x, w=w))
    cell = page.locator(".mg-stage .n", has_text="matmul").locator(".qx")
    assert cell.bounding_box()["width"] > 10
    cell.click(force=True)
    assert "value[1, 1]: row 1 of x [3 inf] by column 1 of w [0.5 0] = nan" in page.locator(".mg-card").inner_text()
