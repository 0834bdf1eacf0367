"""Zoom, pan and what the eye sees: nothing overlaps, nothing is clipped, and every way has a key."""

import pytest

import minigrad as mg
import viz

pytestmark = pytest.mark.browser


def wide(x, w):
    h = x
    for _ in range(8):
        h = mg.tanh(h * w) + mg.sin(h)
    return h


def net(x):
    for block in range(40):
        with mg.scope(f"block {block}"):
            x = mg.tanh(x * 0.5) + mg.sin(x) * mg.exp(x * 0.1)
    return x


def soft(x, w):
    return mg.log(1 + mg.exp(x * w))


#: What of a picture lies on something else, or reaches out of its box, in words.
FAULTS = """() => {
    const svg = document.querySelector(".mg-stage svg"), faults = [], of = (e) => e.getBoundingClientRect();
    const within = (a, b) => a.left >= b.left && a.right <= b.right + 0.5 && a.top >= b.top && a.bottom <= b.bottom + 1;
    const hit = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
    const seen = (kind) => [...svg.querySelectorAll(kind)].filter((e) => e.textContent && e.getClientRects().length);
    const boxes = seen(".n").map((g) => [g, of(g.querySelector(".b"))]);
    for (const [g, b] of boxes) {
        if (!within(b, of(svg))) faults.push(`outside: ${g.textContent}`);
        for (const t of g.querySelectorAll(":scope > text"))
            if (t.getClientRects().length && !within(of(t), b)) faults.push(`clipped: ${t.textContent}`);
    }
    const words = seen(".m, .w").map((t) => [t, of(t)]);
    const all = [...boxes, ...words];
    const inside = (g, h) => g.dataset.f && h.closest(`[data-in="${g.dataset.f}"]`);
    all.forEach(([g, a], i) => all.slice(i + 1).forEach(([h, b]) =>
        !inside(g, h) && hit(a, b) && faults.push(`${g.textContent} on ${h.textContent}`)));
    return faults;
}"""


@pytest.fixture(autouse=True)
def _still(page):
    page.emulate_media(reduced_motion="reduce")


def width(page):
    return page.locator(".mg-stage svg").bounding_box()["width"]


def scrolled(page):
    return page.evaluate("document.querySelector('.mg-stage').scrollLeft")


def test_zoom_by_buttons_and_by_keys(open_view):
    page = open_view(viz.backward(wide, x=0.5, w=1.5))
    before = width(page)
    page.get_by_role("button", name="Larger (+)").click()
    assert width(page) == pytest.approx(1.25 * before, rel=0.01)
    page.keyboard.press("-")
    assert width(page) == pytest.approx(before, rel=0.01)
    page.keyboard.press("f")
    stage = page.locator(".mg-stage").bounding_box()["width"]
    assert width(page) <= stage
    assert page.get_by_role("button", name="Fit").get_attribute("aria-pressed") == "true"
    page.keyboard.press("0")
    assert width(page) == pytest.approx(before, rel=0.01)


def test_zoom_by_wheel_keeps_the_point_under_the_pointer(open_view):
    page = open_view(viz.backward(wide, x=0.5, w=1.5))
    box = page.locator(".mg-stage .n").nth(6)
    box.scroll_into_view_if_needed()
    place = box.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.wait_for_function(
        "([box, wide]) => box.getBoundingClientRect().width > wide", arg=[box.element_handle(), 1.2 * place["width"]]
    )
    after = box.bounding_box()
    assert after["x"] + after["width"] / 2 == pytest.approx(x, abs=3)


def test_pan_by_dragging_and_by_keys(open_view):
    page = open_view(viz.backward(wide, x=0.5, w=1.5))
    page.emulate_media(reduced_motion="reduce")
    for _ in range(3):
        page.get_by_role("button", name="Larger (+)").click()
    page.get_by_role("button", name="To the end").click()
    start = scrolled(page)
    visible = "e => { const r = e.getBoundingClientRect(); return r.x > 400 && r.right < 1000 && r.y > 100 }"
    word = next(word for word in page.locator(".mg-stage .m").all() if word.evaluate(visible)).bounding_box()
    x, y = word["x"] + word["width"] / 2, word["y"] + word["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 150, y, steps=5)
    page.mouse.up()
    assert scrolled(page) == pytest.approx(start + 150, abs=3)
    assert page.evaluate("getSelection().toString()") == ""
    page.get_by_role("button", name="Play").focus()
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_function(f"document.querySelector('.mg-stage').scrollLeft >= {start + 235}")


@pytest.mark.parametrize("name", ["wide", "net", "nan", "down", "array"])
def test_no_boxes_overlap_and_no_word_is_clipped_or_covered(open_view, name):
    view = {
        "wide": lambda: viz.backward(wide, x=0.5, w=1.5),
        "net": lambda: viz.backward(net, x=0.5),
        "nan": lambda: viz.trace_nan(soft, x=50.0, w=2.0),
        "down": lambda: viz.backward(wide, x=0.5, w=1.5, rankdir="TB"),
        "array": lambda: viz.backward(lambda a, b: mg.sum(mg.tanh(a @ b)), a=[[1.0, -2e-9]] * 3, b=[[1e30], [2.0]]),
    }[name]()
    page = open_view(view)
    assert page.evaluate(FAULTS) == []
