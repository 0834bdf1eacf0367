"""Large graphs in frames and loops: each fits one screen with readable words, opens, and says what it shows."""

import pytest

import minigrad as mg
import viz
from tests.browser.test_labels import FAULTS

pytestmark = pytest.mark.browser

#: The least size of the words that are drawn, in pixels of the screen.
LEAST = """() => { const svg = document.querySelector(".mg-stage svg");
    const zoom = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return Math.min(...[...svg.querySelectorAll("text")]
        .map((t) => zoom * parseFloat(getComputedStyle(t).fontSize))); }"""

FITS = """() => { const b = document.querySelector(".mg-bar").getBoundingClientRect();
    return document.documentElement.scrollWidth <= innerWidth && b.bottom <= innerHeight; }"""


def rnn(steps):
    x, w, u = mg.constant(0.5), mg.constant(0.9), mg.constant(0.1)
    h = x
    for _ in range(steps):
        h = mg.tanh(h * w + x * u)
    return viz.backward(h, names={"x": x, "w": w, "u": u})


def norm(x):
    centred = x - mg.mean(x)
    return centred / mg.sqrt(mg.mean(centred * centred) + 1e-5)


def block():
    """A block of a transformer with one number per head: 8 heads, a norm before and after, and a wide layer."""
    x = mg.constant(0.5)
    with mg.scope("block"):
        with mg.scope("norm 1"):
            n = norm(x)
        heads = []
        for head in range(8):
            with mg.scope(f"head {head + 1}"):
                q, k, v = (mg.tanh(n * mg.constant(0.1 * (head + i))) for i in (1, 2, 3))
                scores = [mg.exp(q * k * 0.1 * (i + 1)) for i in range(4)]
                total = scores[0] + scores[1] + scores[2] + scores[3]
                heads.append(v * (scores[0] / total) + v * (scores[1] / total))
        with mg.scope("join"):
            y = sum(heads[1:], heads[0]) * 0.125 + x
        with mg.scope("norm 2"):
            m = norm(y)
        with mg.scope("wide layer"):
            for k in range(8):
                y = y + mg.tanh(m * 0.1 * (k + 1)) * mg.constant(0.01 * k)
    return viz.backward(y, names={"x": x})


def chain():
    x = mg.constant(0.5)
    y = x
    for k in range(60):
        y = (mg.sin, mg.tanh, mg.exp, mg.negative, mg.cos)[k * k % 5](y)
    return viz.backward(y, names={"x": x})


@pytest.fixture(autouse=True)
def _screen(page):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(reduced_motion="reduce")


def frame(page, name):
    return page.get_by_role("button", name=name)


def layer(x, turns=20):
    for _ in range(turns):
        x = mg.tanh(x * 0.9)
    return x


def layers(flow="auto"):
    return viz.backward(lambda x: layer(layer(x)), x=0.5, fold="layer", flow=flow)


def to(page, name):
    page.locator(f"[aria-label='To the {name}']").evaluate("button => button.click()")


def turn(page):
    """The iteration of the loop that is drawn, as a screen reader announces it."""
    return page.locator(".f.loop").get_attribute("aria-label").split(", ")[2]


def drawn(page):
    return set(page.locator(".mg-stage .n").evaluate_all("all => all.map((g) => +g.dataset.n)"))


def ops(view):
    return {node.id for node in view.trace.nodes if node.kind not in ("leaf", "const")}


@pytest.mark.parametrize("make", [lambda: rnn(1000), block, chain, layers], ids=["rnn", "block", "chain", "layers"])
def test_it_fits_one_screen_in_words_of_eleven_pixels(open_view, make):
    page = open_view(make())
    for end in ("end", "start"):
        to(page, end)
        assert page.evaluate(FITS) and page.evaluate(LEAST) >= 11
        assert page.evaluate(FAULTS) == []


def test_the_block_has_three_hundred_ops_and_each_can_be_reached(open_view):
    view = block()
    assert 290 <= len(ops(view)) <= 310
    page = open_view(view)
    for _ in range(60):
        closed = page.locator(".f[aria-expanded=false]")
        if not closed.count():
            break
        closed.first.focus()
        page.keyboard.press("Enter")
    seen = drawn(page)
    page.get_by_role("button", name="frame block/wide layer/8 × turn").focus()
    for _ in range(10):
        page.keyboard.press("[")
    for _ in range(10):
        seen |= drawn(page)
        page.keyboard.press("]")
    assert ops(view) <= seen


def test_every_op_of_a_loop_is_drawn_in_its_turn(open_view):
    view = rnn(20)
    page = open_view(view)
    page.locator(".mg-stage .n").first.focus()
    for _ in range(20):
        page.keyboard.press("[")
    seen = set()
    for k in range(20):
        assert turn(page) == f"turn {k + 1} is drawn"
        assert page.evaluate(FAULTS) == []
        seen |= drawn(page)
        page.keyboard.press("]")
    assert ops(view) <= seen and turn(page) == "turn 20 is drawn"


@pytest.mark.smoke
def test_a_press_on_the_strip_of_a_loop_and_a_drag_along_it_choose_the_turn(open_view):
    page = open_view(rnn(1000))
    strip = page.locator(".hit").bounding_box()
    at = lambda k: strip["x"] + strip["width"] * (k - 0.5) / 1000
    page.mouse.move(at(500), strip["y"] + 8)
    page.mouse.down()
    assert turn(page) in {f"turn {k} is drawn" for k in (499, 500, 501)}
    page.mouse.move(at(200), strip["y"] + 8, steps=4)
    page.mouse.up()
    assert turn(page) in {f"turn {k} is drawn" for k in (199, 200, 201)}
    page.mouse.move(at(900), strip["y"] + 8)
    assert turn(page) in {f"turn {k} is drawn" for k in (199, 200, 201)}
    assert page.evaluate(FAULTS) == []


def test_turns_that_no_gradient_reaches_share_a_part_of_the_strip(open_view):
    page = open_view(fading(3000))
    strip = page.locator(".hit")
    zeros, part, box = (
        int(strip.get_attribute("data-zeros")),
        float(strip.get_attribute("data-part")),
        strip.bounding_box(),
    )
    assert zeros > 2900 and part < 0.5 * box["width"]
    for x, k in ((part * 1000 / zeros, 1001), (part + 1, zeros + 1), (box["width"] - 1, 3000)):
        page.mouse.click(box["x"] + x, box["y"] + 8)
        assert abs(int(turn(page).split()[1]) - k) <= 12
        assert page.evaluate(FAULTS) == []
    assert "gradient 0: too small for float32" in page.locator(".mg-stage").inner_text()


def fading(turns):
    def f(x, w):
        h = x
        for _ in range(turns):
            h = mg.tanh(h * w + x)
        return h

    return viz.backward(f, x=0.5, w=1.5)


def test_the_turn_that_is_drawn_follows_the_steps(open_view):
    page = open_view(rnn(20))
    to(page, "start")
    turns = []
    for _ in range(20):
        page.keyboard.press("ArrowRight") if turns else page.get_by_role("button", name="One step forward").click()
        turns.append(int(turn(page).split()[1]))
        assert page.locator(".mg-stage .n.active").count() == 1
    assert turns[0] == 20 and turns[-1] < 20 and turns == sorted(turns, reverse=True)


def test_the_strip_says_the_gradient_that_the_turn_hands_on(open_view):
    view = rnn(20)
    page = open_view(view)
    page.locator(".mg-stage .n").first.focus()
    tanh = [node for node in view.trace.nodes if node.op == "tanh"]
    for _ in range(20):
        page.keyboard.press("[")
    for node in tanh[:5]:
        label = page.locator(".mg-stage .lv").filter(has_text="turn").text_content()
        assert label.startswith("turn ") and float(label.split(": ")[1]) == pytest.approx(abs(node.adjoint), rel=0.01)
        page.keyboard.press("]")


def test_enter_opens_and_closes_a_frame_and_the_focus_stays(open_view):
    page = open_view(layers())
    page.get_by_role("button", name="frame layer, call 1 of 2").focus()
    name = "() => document.activeElement.getAttribute('aria-label')"
    for state in ("closed", "open", "closed"):
        assert page.evaluate(name).startswith("frame layer, call 1 of 2, 40 ops") and page.evaluate(name).endswith(
            state
        )
        assert page.evaluate("document.activeElement.ariaExpanded") == str(state == "open").lower()
        assert bool(page.locator(".mg-stage .n").filter(has_text="tanh").count()) == (state == "open")
        assert page.evaluate(FAULTS) == []
        page.keyboard.press("Enter")


def test_a_click_opens_a_frame_and_one_on_its_name_closes_it(open_view):
    page = open_view(layers())
    second = page.get_by_role("button", name="frame layer, call 2 of 2")
    before = second.bounding_box()["width"]
    second.click()
    assert second.bounding_box()["width"] > 1.5 * before
    second.locator(".fn").first.click()
    assert second.get_attribute("aria-expanded") == "false"


def test_arrows_walk_from_box_to_box_and_into_open_frames(open_view):
    page = open_view(rnn(20))
    page.locator(".mg-stage .n").filter(has_text="tanh").first.focus()
    page.keyboard.press("Alt+ArrowLeft")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("add")


#: For each box and frame, the destinations of Alt with an arrow key; their names, and which are frames.
WALKS = """() => { const all = () => [...document.querySelectorAll(".mg-stage .n, .mg-stage .f")];
    const pressed = (i, key) => { all()[i].focus();
        all()[i].dispatchEvent(new KeyboardEvent("keydown", {key, altKey: true, bubbles: true, cancelable: true}));
        return all().indexOf(document.activeElement); };
    const ways = all().map((g, i) => ["Up", "Down", "Left", "Right"].map((way) => pressed(i, `Arrow${way}`)));
    return [ways, all().map((g) => g.ariaLabel), all().map((g) => !!g.dataset.f)]; }"""


def unreached(page):
    """The names of frames to which no walk from the first box, or from the last, leads."""
    ways, names, frames = page.evaluate(WALKS)
    for start in (0, len(ways) - 1):
        seen, pending = {start}, [start]
        while pending:
            new = {to for to in ways[pending.pop()]} - seen
            seen |= new
            pending += new
        yield from (name for i, name in enumerate(names) if frames[i] and i not in seen)


@pytest.mark.parametrize("make", [block, layers, lambda: rooted(3, 9)], ids=["block", "layers", "roots"])
def test_alt_and_arrows_lead_to_each_frame_open_or_closed(open_view, make):
    page = open_view(make())
    for wide in (1280, 390):
        page.set_viewport_size({"width": wide, "height": 800})
        for _ in range(3):
            assert [*unreached(page)] == []
            closed = page.locator(".f[aria-expanded=false]")
            if closed.count():
                closed.first.focus()
                page.keyboard.press("Enter")


def test_up_from_the_top_of_an_open_frame_is_the_frame_which_enter_closes(open_view):
    page = open_view(block())
    page.get_by_role("button", name="frame block/norm 1").click()
    page.locator(".mg-stage .n").filter(has_text="sqrt").first.focus()
    name = lambda: page.locator(":focus").get_attribute("aria-label")
    walk = []
    while not walk or walk[-1] != name():
        walk.append(name())
        page.keyboard.press("Alt+ArrowUp")
    frames = [words for words in walk if words.startswith("frame") and words.endswith(", open")]
    assert [words.split(",")[0] for words in frames] == ["frame block/norm 1", "frame block"]
    page.keyboard.press("Alt+ArrowDown")
    assert name() not in frames
    assert "Up, Down, or Alt and arrows walk over boxes" in page.locator(".mg-stage svg").get_attribute(
        "aria-description"
    )
    page.get_by_role("button", name="frame block/norm 1").focus()
    page.keyboard.press("Enter")
    assert name().startswith("frame block/norm 1") and name().endswith(", closed")


def rooted(*where):
    """Scopes s0, s1, ...; of those at `where` a masked square root sends nan to x, and to nothing inside."""
    x, h = mg.constant(0.0), mg.constant(1.0)
    for i in range(14):
        with mg.scope(f"s{i}"):
            h = mg.sin(h * 1.0) + h * 0.9
            if i in where:
                h = h + mg.where(x > 0, mg.sqrt(x), 0.0)
    return viz.backward(h, names={"x": x})


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_closed_frame_in_which_a_nan_is_born_is_marked_and_says_so_once_it_is_sent(open_view, theme):
    page = open_view(rooted(3, 9))
    page.emulate_media(color_scheme=theme)
    edge = "g => getComputedStyle(g.querySelector('.fb')).stroke"
    bad = page.locator(".mg-stage .n.isbad .b").first.evaluate("b => getComputedStyle(b).stroke")
    for end, born in (("end", True), ("start", False)):
        to(page, end)
        for i in (3, 9, 4):
            one = frame(page, f"frame s{i},")
            if one.get_attribute("aria-expanded") == "true":
                one.focus()
                page.keyboard.press("Enter")
                page.keyboard.press("Tab")
            marked = born and i != 4
            assert ("first nan inside" in one.get_attribute("aria-label")) == marked
            assert (one.evaluate(edge) == bad) == marked


def test_a_closed_frame_that_hands_a_nan_on_is_marked_and_one_with_inf_among_its_values(open_view):
    page = open_view(exploding())
    for name in ("before", "risky"):
        frame(page, f"frame {name},").focus()
        page.keyboard.press("Enter")
    to(page, "end")
    before, risky = (frame(page, f"frame {name},") for name in ("before", "risky"))
    assert ", nan inside, closed" in before.get_attribute("aria-label")
    assert ", first nan inside, inf among its values, closed" in risky.get_attribute("aria-label")
    assert page.locator(".f.isbad").count() == 2
    assert risky.locator(".tagt").text_content() == "inf" and not before.locator(".tagt").count()


def exploding():
    x = mg.constant(100.0)
    h = x
    with mg.scope("before"):
        for _ in range(50):
            h = h * 1.0 + 0.0
    with mg.scope("risky"):
        y = mg.log(1 + mg.exp(h))
    return viz.backward(y * 1.0, names={"x": x})


@pytest.mark.smoke
def test_the_frame_around_the_origin_of_a_nan_is_open_and_first_nan_opens_it_again(open_view):
    page = open_view(exploding())
    assert page.locator(".mg-say").inner_text().startswith("A nan first appears at exp: ")
    risky = page.get_by_role("button", name="frame risky, 3 ops")
    assert risky.get_attribute("aria-expanded") == "true"
    assert page.locator(".mg-stage .n").filter(has_text="exp").count() == 1
    risky.focus()
    page.keyboard.press("Enter")
    assert risky.get_attribute("aria-expanded") == "false"
    assert page.locator(".mg-stage path.e.bad.now").count() >= 1  # the nan first appears in what leaves it
    page.get_by_role("button", name="First nan", exact=True).click()
    assert risky.get_attribute("aria-expanded") == "true"


def test_the_running_message_inside_a_closed_frame_marks_the_frame(open_view):
    page = open_view(layers())
    to(page, "start")
    page.get_by_role("button", name="One step forward").click()
    assert page.locator(".f.lit").get_attribute("aria-label").startswith("frame layer, call 2 of 2, 40 ops")


def test_down_the_page_frames_open_too(open_view):
    page = open_view(layers("down"))
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.querySelector('.mg-stage svg').getBoundingClientRect().width < 390")
    frames = [page.get_by_role("button", name=f"frame layer, call {k} of 2") for k in (1, 2)]
    assert frames[0].bounding_box()["y"] < frames[1].bounding_box()["y"]
    frames[0].click()
    assert frames[0].get_attribute("aria-expanded") == "true" and page.evaluate(FAULTS) == []
