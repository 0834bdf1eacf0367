"""Large graphs in frames: each fits one screen in words that can be read, opens in place, and says what it shows."""

import pytest

import minigrad as mg
import viz
from tests.browser.test_player_zoom import FAULTS

pytestmark = pytest.mark.browser

#: The least size of the words that are drawn, in pixels of the screen; numbers of arguments and tags are signs.
LEAST = """() => { const svg = document.querySelector(".mg-stage svg");
    const zoom = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return Math.min(...[...svg.querySelectorAll("text:not(.k):not(.tag text)")]
      .filter((t) => t.textContent && t.getClientRects().length)
      .map((t) => zoom * parseFloat(getComputedStyle(t).fontSize))); }"""

FITS = """() => { const stage = document.querySelector(".mg-stage"), b = stage.getBoundingClientRect();
    return stage.scrollWidth <= stage.clientWidth && stage.scrollHeight <= stage.clientHeight
      && b.height <= innerHeight && b.right <= innerWidth; }"""


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
    """A block of a transformer on one number a head: 8 heads, a norm before and after, and a wide layer."""
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


@pytest.mark.parametrize("make", [lambda: rnn(1000), block, chain], ids=["rnn", "block", "chain"])
def test_it_fits_one_screen_in_words_of_eleven_pixels(open_view, make):
    view = make()
    page = open_view(view)
    assert page.evaluate(FITS) and page.evaluate(LEAST) >= 11
    assert page.evaluate(FAULTS) == []
    page.get_by_role("button", name="To the end").click()
    assert page.evaluate(FAULTS) == []


def test_the_block_has_three_hundred_ops_and_each_can_be_reached(open_view):
    view = block()
    ops = {node.id for node in view.trace.nodes if node.kind not in ("leaf", "const")}
    assert 290 <= len(ops) <= 310 and ops <= view._lanes[0].drawing.alone
    page = open_view(view)
    page.get_by_role("button", name="Play").focus()
    for _ in range(60):
        closed = page.evaluate_handle(
            """() => [...document.querySelectorAll(".n[aria-expanded=false]")].find((g) => g.getClientRects().length)"""
        ).as_element()
        if closed is None:
            break
        closed.focus()
        page.keyboard.press("Enter")
    assert page.evaluate(FAULTS) == []
    shown = page.evaluate(
        """() => [...document.querySelectorAll(".n:not([data-f])")].filter((g) => g.getClientRects().length)
             .map((g) => +g.dataset.n)"""
    )
    assert ops <= set(shown)


def test_enter_opens_and_closes_a_frame_and_the_focus_stays(open_view):
    page = open_view(rnn(20))
    where = "() => [...document.querySelectorAll('.n')].map((g) => g.getAttribute('transform'))"
    before = page.evaluate(where)
    frame(page, "frame turn 4, 4 ops, closed").focus()
    page.keyboard.press("Enter")
    name = "() => document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(name) == "frame turn 4, 4 ops, open"
    assert frame(page, "frame turn 4, 4 ops, open").get_attribute("aria-expanded") == "true"
    assert page.locator('.in[data-in="f3"] .n').filter(has_text="tanh").is_visible()
    assert page.evaluate(FAULTS) == []
    page.keyboard.press("Enter")
    assert page.evaluate(name) == "frame turn 4, 4 ops, closed"
    assert page.evaluate("() => document.querySelectorAll('.in .n')[0].getClientRects().length") == 0
    drawn = page.evaluate(where)
    assert [a for a, b in zip(before, drawn) if a != b and a != "translate(0 0)" and b != "translate(0 0)"] == []


def test_a_click_opens_a_frame_which_stays_where_it_is_on_the_screen(open_view):
    page = open_view(rnn(20))
    frame(page, "frame turn 18, 4 ops, closed").scroll_into_view_if_needed()
    before = frame(page, "frame turn 18, 4 ops, closed").bounding_box()
    frame(page, "frame turn 18, 4 ops, closed").click()
    after = frame(page, "frame turn 18, 4 ops, open").bounding_box()
    assert after["height"] > 2 * before["height"]
    assert after["y"] == pytest.approx(before["y"], abs=16)  # as far as the picture can be scrolled
    frame(page, "frame turn 18, 4 ops, open").click(position={"x": 40, "y": 10})
    assert frame(page, "frame turn 18, 4 ops, closed").count() == 1


def test_frames_open_inside_frames_and_arrows_walk_in_them(open_view):
    page = open_view(rnn(1000))
    frame(page, "frame turns 1 to 100, 400 ops, closed").click()
    frame(page, "frame turns 1 to 10, 40 ops, closed").click()
    frame(page, "frame turn 2, 4 ops, closed").click()
    assert page.evaluate(FAULTS) == []
    page.locator(".in .in .in .n:visible").filter(has_text="tanh").first.focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("add")


def exploding():
    x = mg.constant(100.0)
    h = x
    with mg.scope("before"):
        for _ in range(50):
            h = h * 1.0 + 0.0
    with mg.scope("risky"):
        y = mg.log(1 + mg.exp(h))
    return viz.backward(y * 1.0, names={"x": x})


def test_the_frame_around_the_origin_of_a_nan_is_marked_and_the_player_opens_it(open_view):
    view = exploding()
    assert "nan born inside" in view.to_svg()
    page = open_view(view)
    assert "nan is born here" in page.locator(".mg-say").inner_text()
    assert frame(page, "frame risky, 3 ops, nan born inside, open").count() == 1
    assert page.locator(".in .n").filter(has_text="exp").first.is_visible()
    frame(page, "frame risky").focus()
    page.keyboard.press("Enter")
    assert frame(page, "frame risky, 3 ops, nan born inside, closed").count() == 1
    page.get_by_role("button", name="First nan").click()
    assert frame(page, "frame risky, 3 ops, nan born inside, open").count() == 1


def test_the_running_message_inside_a_closed_frame_marks_the_frame(open_view):
    page = open_view(rnn(20))
    page.get_by_role("button", name="One step forward").click()
    assert page.locator(".n.now:visible").get_attribute("aria-label") == "frame turn 20, 4 ops, closed"


def test_down_the_page_frames_open_too(open_view):
    x = mg.constant(0.5)
    h = x
    for _ in range(20):
        h = mg.tanh(h * 0.9 + x * 0.1)
    page = open_view(viz.backward(h, rankdir="TB", names={"x": x}))
    frame(page, "frame turn 3, 4 ops, closed").click()
    assert page.evaluate(FAULTS) == []
    assert page.locator(".in .n").filter(has_text="tanh").nth(2).is_visible()


def test_more_than_eight_equal_inputs_are_one_line_that_opens(open_view):
    xs = [mg.constant(float(k)) for k in range(12)]
    page = open_view(viz.backward(mg.sum(mg.stack(xs))))
    fan = page.get_by_role("button", name="12 expand_dims ops")
    assert fan.count() == 1 and "12 edges" in page.locator(".mg-stage .m").all_text_contents()
    fan.click()
    assert page.locator(".in .n:visible").count() >= 12 and page.evaluate(FAULTS) == []


def test_an_open_frame_of_a_call_says_which_call_it_is(open_view):
    def layer(x):
        for _ in range(20):
            x = mg.tanh(x * 0.9)
        return x

    page = open_view(viz.backward(lambda x: layer(layer(x)), x=0.5, fold="layer"))
    heads = page.locator(".mg-stage .fold .h")
    assert heads.all_text_contents()[:2] == ["layer", "layer"]
    frame(page, "frame layer, call 2 of 2, 40 ops, closed").click()
    assert "layer, call 2 of 2, 40 ops" in heads.all_text_contents()
    assert page.evaluate(FAULTS) == []
