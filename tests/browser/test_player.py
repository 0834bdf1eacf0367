"""The player in a separate page: it shows the trace, and every key and button works."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.tracing.numbers import short
from tests.browser.gallery import drawn
from tests.browser.lab import new_page, watch
from viz.scene.ink import size_of
from viz.scene.words import digits

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


def more(page, name):
    """A button behind ⋯, as it is pressed."""
    page.get_by_role("button", name="More").evaluate("button => button.ariaExpanded === 'true' || button.click()")
    return page.get_by_role("button", name=name)


def forward(page):
    page.get_by_role("button", name="One step forward").click()


def shown(gradient):
    """A gradient as a box shows it: all entries of a vector of up to four, the largest entry of any other array."""
    if gradient[:1] == "[" and "…" not in gradient and len(gradient.split()) <= 4:
        return gradient
    return digits(size_of(gradient)) if gradient[:1] == "[" or "…" in gradient else gradient


def said_at(view, lane, at):
    """The sentence at a moment; at the end, the picture's headline, if it has one."""
    words = (at == len(lane.moments) - 1 and view.point) or lane.moments[at].words
    born, _, why = words.partition(" first appears here (0 * inf): ")
    said_below = why and view.report and why[:-1] in view._report_html()
    return f"{born} first appears here (0 * inf)." if said_below else words


#: The gradient that each box shows, or whether it has room for one: {node: words}.
GRADIENTS = """() => Object.fromEntries([...document.querySelectorAll(".mg-stage .n:not(.pill)")]
    .map((g) => [g.dataset.n, g.querySelector(".gv")?.textContent ?? ""]))"""
WORDS = "() => [...document.querySelectorAll('.mg-stage svg text:not(.tok *)')].map((t) => t.textContent)"


@pytest.mark.parametrize("f", [pytest.param(plain, marks=pytest.mark.smoke), log1pexp, busy, product_of_two])
def test_at_every_stop_the_page_shows_what_the_trace_says(open_view, f):
    inputs = {"x": 100.0} if f in (plain, log1pexp) else {"x": 1.5, "w": -0.5}
    view = viz.backward(f, **inputs)
    page = open_view(view)
    (lane,) = view._lanes
    wide = page.locator(".mg-stage").evaluate("e => e.clientWidth")
    more(page, "To the start").click()
    for at in range(len(lane.moments)):
        assert sentence(page) == said_at(view, lane, at)
        frame = lane.frame(at)
        held, scalar = frame.held, {node.id for node in lane.trace.nodes if not node.shape}
        for node, words in page.evaluate(GRADIENTS).items():
            assert words.removeprefix("ḡ ").removesuffix("…") == shown(held.get(int(node), ""))
            late = int(node) in frame.late and int(node) in held
            assert words.endswith("…") == late if int(node) in scalar else words.endswith("…") <= late
        picture = ElementTree.fromstring(f"<svg>{lane.drawn(at, wide)[0]}</svg>")
        assert page.evaluate(WORDS) == [text.text for text in picture.iter("text")]
        if at + 1 < len(lane.moments):
            forward(page)
    assert page.get_by_role("button", name="One step forward").is_disabled()


@pytest.mark.parametrize("name", drawn())
def test_every_step_changes_something_that_can_be_seen(open_view, name):
    page = open_view(drawn()[name])
    stages = page.evaluate(
        """() => { const slider = document.querySelector(".mg-bar input[type=range]"),
                stage = document.querySelector(".mg-stage");
            const last = +slider.max, every = Math.max(1, Math.round(last / 40)), same = [];
            const at = (k) => { slider.value = k; slider.oninput();
                const copy = stage.cloneNode(true);
                copy.querySelectorAll("title").forEach((title) => title.remove());
                return copy.innerHTML.replace(/ aria-label="[^"]*"/g, ""); };
            for (let k = 0; k < last; k += every) if (at(k) === at(k + 1)) same.push(k);
            return same; }"""
    )
    assert stages == []


def test_it_opens_where_the_picture_stood(open_view):
    view = viz.backward(plain, x=100.0).step(1)
    assert sentence(open_view(view)) == view._lanes[0].moments[2].words


@pytest.mark.smoke
def test_keys(open_view):
    view = viz.backward(plain, x=100.0)
    page = open_view(view)
    words = [said_at(view, view._lanes[0], at) for at in range(len(view._lanes[0].moments))]
    page.get_by_role("button", name="Play").focus()
    press(page, "Home")
    assert sentence(page) == words[0]
    press(page, "ArrowRight", "ArrowRight")
    assert sentence(page) == words[2]
    press(page, "ArrowLeft")
    assert sentence(page) == words[1]
    press(page, "End")
    assert sentence(page) == words[-1]


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
    assert page.locator(".mg-count").inner_text() == "1 of 4"
    assert slider.get_attribute("aria-valuetext") == "step 1 of 4"
    page.get_by_role("button", name="More").click()
    page.get_by_role("combobox", name="Speed").select_option("fast")
    page.get_by_role("button", name="Play").click()
    assert page.get_by_role("button", name="Pause").is_visible()
    page.wait_for_function("document.querySelector('.mg-count').textContent === '4 of 4'")
    page.get_by_role("button", name="Play").wait_for()
    page.get_by_role("button", name="Play").focus()
    page.locator(".mg-stage [tabindex='0']").focus()
    press(page, "Space")
    page.wait_for_function("document.querySelector('.mg-count').textContent === '0 of 4'")  # again from its start
    press(page, "Space")
    assert page.get_by_role("button", name="Play").is_visible()


def test_what_is_seldom_needed_is_behind_one_button(open_view):
    page = open_view(viz.backward(plain, x=100.0))
    open_it = page.get_by_role("button", name="More")
    hidden = [page.get_by_role("button", name=name) for name in ("To the start", "To the end", "Save as SVG")]
    hidden += [page.get_by_role("combobox", name="Speed"), page.get_by_role("searchbox")]
    assert not any(control.is_visible() for control in hidden) and open_it.get_attribute("aria-expanded") == "false"
    open_it.click()
    assert all(control.is_visible() for control in hidden) and open_it.get_attribute("aria-expanded") == "true"
    open_it.click()
    assert not any(control.is_visible() for control in hidden)
    above, bar = (page.locator(css).bounding_box() for css in (".mg-stage", ".mg-bar"))
    assert above["y"] + above["height"] <= bar["y"] and bar["height"] < 44  # one slim line under the picture


def test_the_card_of_a_node_adds_up_its_gradient(open_view):
    view = viz.backward(busy, x=1.5, w=-0.5)
    page = open_view(view)
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


def test_boxes_are_one_tab_stop_and_arrows_walk_along_the_lines(open_view):
    page = open_view(viz.backward(plain, x=100.0))
    assert page.locator('.mg-stage [tabindex="0"]').count() == 1
    page.locator(".mg-stage .n").filter(has_text="log").first.focus()
    walked = []
    for _ in range(3):
        press(page, "Alt+ArrowLeft")
        walked.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
    assert [text.partition(",")[0] for text in walked] == ["add", "exp", "x (input)"]
    assert page.locator('.mg-stage [tabindex="0"]').count() == 1


def test_arrows_reach_the_pills_of_a_shared_input_one_by_one(open_view):
    w = mg.Variable(0.5, name="w")
    x = mg.constant(2.0)
    page = open_view(viz.backward(mg.tanh(mg.tanh(x * w) * w), names={"x": x}))
    pills = page.locator(".mg-stage .pill")
    assert pills.count() == 2 and page.locator('.mg-stage [tabindex="0"]').count() == 1
    page.locator(".mg-stage .n").filter(has_text="multiply").first.focus()
    press(page, "Alt+ArrowUp")
    reached = "document.activeElement.dataset.e"
    first = page.evaluate(reached)
    press(page, "ArrowLeft", "ArrowRight")  # after redrawing, the same chip has the focus
    assert page.evaluate(reached) == first and page.locator('.mg-stage [tabindex="0"]').count() == 1


def test_the_first_nan_is_one_click_away(open_view):
    page = open_view(viz.backward(plain, x=100.0))
    press(page, "Tab")
    page.get_by_role("slider", name="Step").fill("0")
    page.get_by_role("button", name="First nan", exact=True).click()
    assert "nan first appears here (0 * inf)" in sentence(page)


def test_there_is_no_nan_button_without_a_nan(open_view):
    page = open_view(viz.backward(busy, x=1.5, w=-0.5))
    assert page.get_by_role("button", name="First nan", exact=True).count() == 0


def test_the_ghost_can_be_hidden_and_its_stops_with_it(open_view):
    page = open_view(viz.backward(log1pexp, x=100.0))
    ghost = page.get_by_role("button", name="Ghost")
    assert ghost.get_attribute("aria-pressed") == "true"
    assert page.locator(".mg-stage .n.ghost").first.is_visible()
    ghost.click()
    assert page.locator(".mg-stage .n.ghost").count() == 0
    assert page.locator(".mg-count").inner_text() == "2 of 2"


@pytest.mark.smoke
def test_both_lanes_of_a_comparison_run_on_one_slider(open_view):
    view = viz.compare(log1pexp, 100.0)
    page = open_view(view)
    assert page.locator(".mg-name").all_inner_texts() == ["derived", "custom"]
    more(page, "To the start").click()
    for at in range(4):
        derived, custom = (page.locator(".mg-say p").nth(i).inner_text() for i in (0, 1))
        assert derived == f"derived: {view._lanes[0].moments[at].words}"
        assert custom == f"custom: {view._lanes[1].moments[at].words}"
        forward(page)
    assert page.locator("table th[scope=row]").inner_text() == "x"
    assert "the custom rule repairs nan" in page.locator("table").inner_text()


def sum_of_sines(x):
    y = x
    for k in range(1, 8):
        y = y + mg.sin(x * float(k))
    return y


def test_search_dims_what_it_does_not_find_and_enter_goes_there(open_view):
    page = open_view(viz.backward(busy, x=1.5, w=-0.5))
    page.get_by_role("button", name="More").click()
    page.get_by_role("searchbox").press_sequentially("sin")
    assert page.get_by_role("searchbox").input_value() == "sin"
    assert page.locator(".mg-stage .n.dim").filter(has_text="sin").count() == 0
    assert page.locator(".mg-stage .n:not(.dim)").count() == 1 and page.locator(".mg-stage .n.dim").count() > 4
    page.get_by_role("button", name="One step back").click()
    assert page.locator(".mg-stage .n:not(.dim)").count() == 1  # after redrawing it is dimmed again
    page.get_by_role("searchbox").press("Enter")
    assert page.evaluate("document.activeElement.ariaLabel").startswith("sin")
    page.get_by_role("searchbox").fill("")
    assert page.locator(".mg-stage .dim").count() == 0


def test_hit_targets_are_large_enough(open_view):
    page = open_view(viz.compare(log1pexp, 100.0))
    page.get_by_role("button", name="More").click()
    for box in page.locator(":is(.mg-bar, .mg-more) :is(button, select, input)").all():
        size = box.bounding_box()
        assert size["height"] >= 28 and size["width"] >= 28


def test_a_number_travels_along_its_line_and_lands(open_view):
    page = open_view(viz.backward(plain, x=1.0))
    more(page, "To the start").click()
    forward(page)
    token = page.locator(".mg-stage .tok")
    assert token.text_content() == short(0.26894143)
    box, begin = page.locator(".mg-stage .n").filter(has_text="add").locator(".b").bounding_box(), token.bounding_box()
    passed = "x => !document.querySelector('.tok') || document.querySelector('.tok').getBoundingClientRect().x < x"
    page.wait_for_function(passed, arg=begin["x"])
    end = token.bounding_box() if token.count() else begin
    assert end["x"] + end["width"] / 2 >= box["x"] + box["width"] - 1  # it stops at the box that it is sent to
    token.wait_for(state="detached")


def test_motion_is_stopped_where_it_is_not_wanted(open_view):
    page = open_view(viz.backward(plain, x=100.0).step(1))
    animation = "getComputedStyle(document.querySelector('.mg-stage .e.now')).animationName"
    assert page.evaluate(animation) == "mg-march"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(animation) == "none"
    forward(page)
    assert page.locator(".mg-stage .tok").count() == 0


@pytest.mark.smoke
def test_it_follows_the_system_and_the_host_into_the_dark(open_view):
    page = open_view(viz.backward(plain, x=100.0))
    paper = "getComputedStyle(document.querySelector('.mg-stage svg .paper')).fill"
    light = page.evaluate(paper)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(paper)
    assert light == "rgb(255, 255, 255)" and max(map(int, re.findall(r"\d+", dark))) < 40
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
    assert "first nan" in page.locator("pre").text_content()
    page.context.close()


def test_two_views_on_one_page_do_not_disturb_each_other(page, tmp_path):
    errors, _ = watch(page)
    views = [viz.backward(plain, x=100.0), viz.backward(plain, x=100.0)]
    body = "".join(view._repr_mimebundle_()["text/html"] for view in views)
    (tmp_path / "two.html").write_text(f"<meta charset=utf-8>{body}", encoding="utf-8")
    page.goto((tmp_path / "two.html").as_uri())
    page.wait_for_function("document.querySelectorAll('.mg-bar').length === 2")
    page.get_by_role("slider", name="Step").first.fill("0")
    assert page.locator(".mg-count").all_inner_texts() == ["0 of 4", "3 of 4"]
    assert errors == []


def test_a_clean_pass_opens_at_its_end_and_one_with_a_nan_at_its_origin(open_view):
    page = open_view(viz.backward(busy, x=1.5, w=-0.5))
    at, _, last = page.locator(".mg-count").inner_text().split()
    assert at == last and int(last) > 8
    assert page.locator(".mg-why").count() == 0
    page = open_view(viz.backward(plain, x=100.0))
    assert page.locator(".mg-count").inner_text() == "3 of 4"
    assert sentence(page).startswith("A nan first appears at exp: "), "until it is played, the point of the whole"


def test_what_no_gradient_reaches_has_none_at_the_end_and_its_card_says_why(open_view):
    page = open_view(viz.backward(lambda x, w: mg.stop_gradient(x * x) * w, x=2.0, w=3.0))
    x = page.get_by_role("button", name="x (input)")
    assert x.get_attribute("aria-label") == "x (input), value 2, gradient none"
    x.click()
    assert "the connection ends at stop_gradient" in page.locator(".mg-card").inner_text()
    assert "No gradient reaches x" in page.locator(".mg-note", has_text="No gradient").inner_text()
    page.get_by_role("slider", name="Step").fill("0")
    assert x.get_attribute("aria-label") == "x (input), value 2, gradient none yet"


def test_choosing_a_box_spells_out_its_bad_elements(open_view):
    x, w = np.array([[1.0, 2.0], [3.0, np.inf]]), np.array([[1.0, 0.5], [2.0, 0.0]])
    page = open_view(viz.backward(lambda x, w: mg.sum(x @ w), x=x, w=w))
    cell = page.locator(".mg-stage .n", has_text="matmul").locator(".qx").first
    assert cell.bounding_box()["width"] > 6
    cell.click(force=True)
    assert "value[1, 1]: row 1 of x [3 inf] by column 1 of w [0.5 0] = nan" in page.locator(".mg-card").inner_text()


def test_trace_nan_marks_the_path_of_the_nan_before_it_goes_there(open_view):
    view = viz.trace_nan(lambda x, w: mg.log(1 + mg.exp(x * w)), x=50.0, w=2.0)
    page = open_view(view)
    page.get_by_role("slider", name="Step").fill("0")
    red = page.evaluate("getComputedStyle(document.querySelector('.mg-nan')).color")
    marked = page.evaluate(
        """(red) => [...document.querySelectorAll(".mg-stage :is(.n > .b, path.e)")]
            .filter((e) => getComputedStyle(e).stroke === red)
            .map((e) => e.closest(".n")?.ariaLabel.split(",")[0] ?? "line").sort()""",
        red,
    )
    assert marked == ["exp", "line", "line", "line", "multiply", "w (input)", "x (input)"]


def test_the_saved_svg_stands_alone(open_view, tmp_path):
    page = open_view(viz.compare(log1pexp, 100.0))
    page.emulate_media(color_scheme="dark")
    paper = page.evaluate("getComputedStyle(document.querySelector('.mg-stage svg .paper')).fill")
    with page.expect_download() as download:
        more(page, "Save as SVG").click()
    download.value.save_as(tmp_path / "saved.svg")
    assert download.value.suggested_filename.endswith(".svg")
    seen = page.locator(".mg-stage svg text").all_text_contents()
    svg = ElementTree.parse(tmp_path / "saved.svg").getroot()
    words = [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert sorted(words) == sorted([*seen, "derived", "custom"])
    page.goto((tmp_path / "saved.svg").as_uri())
    assert page.evaluate("getComputedStyle(document.querySelector('.paper')).fill") == paper
    assert page.evaluate("getComputedStyle(document.querySelector('text')).fontSize") in ("11px", "12px")
    bounds = "document.rootElement.getBoundingClientRect()"
    width, height = page.evaluate(f"(({{width, height}}) => [width, height])({bounds})")
    bounds = "[...document.querySelectorAll('.b')].map((e) => e.getBoundingClientRect())"
    inside = f"() => {bounds}.map((r) => [r.right, r.bottom])"
    assert all(right <= width and bottom <= height for right, bottom in page.evaluate(inside))


def test_names_of_any_characters_are_saved_as_xml(open_view, tmp_path):
    names = {"a\x1b[31m<b>&": mg.constant(2.0), "\u00a0nbsp": mg.constant(3.0)}
    x, w = names.values()
    page = open_view(viz.backward(x * w, names=names))
    with page.expect_download() as download:
        more(page, "Save as SVG").click()
    download.value.save_as(tmp_path / "saved.svg")
    assert "\\x1b[31m<b>&" in "".join(ElementTree.parse(tmp_path / "saved.svg").getroot().itertext())


def long_pass():
    x, w, u = mg.constant(0.5), mg.constant(0.9), mg.constant(0.1)
    h = x
    for _ in range(60):
        h = mg.tanh(h * w + x * u)
    return viz.backward(h, names={"x": x, "w": w, "u": u})


def test_a_step_does_not_have_the_page_laid_out_between_two_changes(open_view):
    """The width of the picture is read when it changes. How long a step takes: `python -m benchmarks stage`."""
    page = open_view(long_pass())
    reads = page.evaluate(
        """async () => { const next = document.querySelector("[aria-label='One step forward']"), reads = [];
            const slider = document.querySelector(".mg-bar input[type=range]");
            slider.value = 0;
            slider.oninput();
            await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
            for (const name of ["clientWidth", "clientHeight", "offsetWidth", "offsetHeight"]) {
                const proto = name.startsWith("client") ? Element.prototype : HTMLElement.prototype;
                const was = Object.getOwnPropertyDescriptor(proto, name);
                Object.defineProperty(proto, name, { get() { reads.push(name); return was.get.call(this); } });
            }
            const before = document.querySelector(".mg-stage svg").innerHTML;
            for (let k = 0; k < 5; k++) next.click();
            return [document.querySelector(".mg-stage svg").innerHTML !== before, reads]; }"""
    )
    assert reads == [True, []]


#: The elements that are wider than their page, or would scroll sideways.
WIDER = """() => [document.documentElement,
        ...document.querySelectorAll(".mg-view :is(.mg-stage, svg, table, .mg-bar, .mg-why)")]
    .filter((e) => e.scrollWidth > e.clientWidth + 1 && !(e instanceof SVGElement) ||
        e.getBoundingClientRect().right > innerWidth)
    .map((e) => e.className.baseVal ?? (e.className || e.tagName))"""


@pytest.mark.parametrize("name", drawn())
def test_on_a_phone_nothing_is_scrolled_sideways_and_words_can_be_read(open_view, name):
    page = open_view(drawn()[name])
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.querySelector('.mg-stage svg').getBoundingClientRect().width < 390")
    assert page.evaluate(WIDER) == []
    sizes = page.locator(".mg-stage text").evaluate_all(
        "all => all.map((t) => parseFloat(getComputedStyle(t).fontSize))"
    )
    assert len(sizes) > 4 and min(sizes) >= 11
    assert (
        page.locator("svg[viewBox]").first.evaluate("e => e.getBoundingClientRect().width / e.viewBox.baseVal.width")
        == 1
    )


def test_on_a_phone_the_pass_goes_from_top_to_bottom(open_view):
    page = open_view(viz.backward(plain, x=1.0))
    middle = """() => ["x (input)", "exp", "add", "log"].map((name) => {
        const r = document.querySelector(`.mg-stage [aria-label^="${name}"] .b`).getBoundingClientRect();
        return [r.x + r.width / 2, r.y + r.height / 2]; })"""
    across = page.evaluate(middle)
    assert [x for x, _ in across] == sorted(x for x, _ in across) and len({y for _, y in across}) == 1
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(f"(all => all.every(([x]) => x === all[0][0]))(({middle})())")
    down = page.evaluate(middle)
    assert [y for _, y in down] == sorted(y for _, y in down)


def chain(length):
    def deep(x):
        for _ in range(length):
            x = mg.sin(x)
        return x

    return deep


@pytest.mark.parametrize("length", [40, 700])
def test_the_text_of_a_long_pass_is_whole_when_it_is_opened(open_view, length):
    page = open_view(viz.backward(chain(length), x=1.5, drag=False))
    text, said = page.locator("details pre"), viz.backward(chain(length), x=1.5).trace
    assert "lines are left out here" in text.text_content()
    page.locator("details summary").click()
    page.wait_for_selector("details pre + pre")
    text = text.last
    assert text.bounding_box()["height"] <= 0.6 * page.viewport_size["height"] + 1
    lines = text.inner_text().splitlines()
    assert len(lines) > length and all(f"{short(step.sends[0].value)}" in text.inner_text() for step in said.steps[:-1])
    middle = said.steps[length // 2]
    sent = f"sin#{middle.node} sends {short(middle.sends[0].value)} to sin#{middle.node - 1}."
    told = f"sin#{middle.node} sends to sin#{middle.node - 1}: "
    assert any(line.startswith(told) or line == sent for line in lines)
