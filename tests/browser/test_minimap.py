"""The overview of a picture of more than 60 boxes: there while the picture is larger than its place."""

import pytest

import minigrad as mg
import viz

pytestmark = pytest.mark.browser

#: The frame in the overview, in parts of the picture: left, top, width, height; and the same of what is scrolled.
SEEN = """() => { const r = document.querySelector(".mg-map rect"), b = r.ownerSVGElement.viewBox.baseVal;
    const part = (name, whole) => +r.getAttribute(name) / whole;
    return [part("x", b.width), part("y", b.height), part("width", b.width), part("height", b.height)]; }"""
SCROLLED = """() => { const s = document.querySelector(".mg-stage"), b = s.querySelector("svg").getBoundingClientRect();
    return [s.scrollLeft / b.width, s.scrollTop / b.height, s.clientWidth / b.width, s.clientHeight / b.height]; }"""


def grid(columns, rows=4):
    """A picture of more than four boxes for each column."""
    xs = [mg.constant(float(k)) for k in range(rows)]
    for _ in range(columns):
        xs = [mg.sin(x) for x in xs]
    return viz.backward(xs[0] + xs[1] + xs[2] + xs[3], fold="none")


@pytest.fixture(autouse=True)
def _screen(page):
    page.set_viewport_size({"width": 1000, "height": 800})
    page.emulate_media(reduced_motion="reduce")


def larger(page, times):
    for _ in range(times):
        page.get_by_role("button", name="Larger (+)").click()
    return page


def overview(page):
    return page.get_by_role("group", name="Overview")


def same(page):
    """Wait until the frame is the part that is seen, which is returned."""
    page.wait_for_function(
        f"() => {{ const a = ({SEEN})(), b = ({SCROLLED})(); return a.every((x, i) => Math.abs(x - b[i]) < 0.01); }}"
    )
    return page.evaluate(SCROLLED)


def test_its_frame_is_the_part_that_is_seen_at_every_zoom(open_view):
    page = open_view(grid(20))
    assert overview(page).is_visible()
    same(page)
    page.locator(".mg-stage").evaluate("s => s.scrollTo(300, 40)")
    same(page)
    page.get_by_role("button", name="Larger (+)").click()
    same(page)
    page.set_viewport_size({"width": 700, "height": 500})
    page.wait_for_function(f"Math.abs(({SEEN})()[2] - ({SCROLLED})()[2]) < 0.01")
    same(page)


def test_it_shows_each_box_where_the_picture_has_it(open_view):
    page = open_view(grid(20))
    drawn = page.evaluate(
        """() => { const path = document.querySelector(".mg-map path").getAttribute("d");
            const svg = document.querySelector(".mg-stage svg"), o = svg.getBoundingClientRect();
            const k = o.width / svg.viewBox.baseVal.width, boxes = [...svg.querySelectorAll(".n")];
            const there = boxes.map((g) => g.getBoundingClientRect()).map((r) => [(r.x - o.x) / k, (r.y - o.y) / k]);
            return [[...path.matchAll(/M(\\S+) ([^h]+)h/g)].map((m) => [+m[1], +m[2]]), there]; }"""
    )
    assert len(drawn[0]) == len(drawn[1]) > 60
    for here, there in zip(*drawn):
        assert here == pytest.approx(there, abs=1)


def test_it_is_hidden_where_all_fits_and_comes_when_it_no_longer_does(open_view):
    h = mg.constant(0.5)
    for k in range(62):
        h = (mg.sin, mg.tanh, mg.cos)[k % 3](h)
    page = open_view(viz.backward(h))
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_selector(".mg-map", state="hidden")
    assert page.locator(".mg-map").count() == 1
    larger(page, 3)
    assert overview(page).is_visible()
    page.get_by_role("button", name="Fit").click()
    assert not overview(page).is_visible()


def test_sixty_boxes_have_none(open_view):
    boxes = len(grid(13)._lanes[0].drawing.boxes)
    assert boxes <= 60 < len(grid(14)._lanes[0].drawing.boxes)
    page = open_view(grid(13))
    page.get_by_role("button", name="Larger (+)").click()
    assert page.locator(".mg-map").count() == 0


def test_arrow_keys_move_the_part_that_is_seen_and_no_message(open_view):
    page = open_view(grid(20))
    larger(page, 4).locator(".mg-stage").evaluate("s => s.scrollTo(0, 0)")
    count = page.locator(".mg-count").inner_text()
    overview(page).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    quarter = page.locator(".mg-stage").evaluate("s => s.clientWidth / 4")
    page.wait_for_function(f"Math.abs(document.querySelector('.mg-stage').scrollLeft - {2 * quarter}) < 2")
    same(page)
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"Math.abs(document.querySelector('.mg-stage').scrollLeft - {quarter}) < 2")
    assert page.locator(".mg-count").inner_text() == count
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.mg-map')") is None


def test_the_frame_is_dragged_and_a_click_goes_there(open_view):
    page = larger(open_view(grid(20)), 4)
    box = page.locator(".mg-map svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    page.mouse.down()
    page.wait_for_function(f"(([x, , w]) => Math.abs(x + w / 2 - 0.5) < 0.02)(({SCROLLED})())")
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.5)
    page.wait_for_function(f"(([x, , w]) => Math.abs(x + w / 2 - 0.3) < 0.02)(({SCROLLED})())")
    page.mouse.up()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] * 0.5)
    left, _, width, _ = same(page)
    assert left + width / 2 == pytest.approx(0.3, abs=0.02)


def test_it_never_lies_on_the_box_of_the_running_message(open_view):
    page = open_view(grid(20))
    apart = page.evaluate(
        """async () => { const of = (css) => document.querySelector(css).getBoundingClientRect(), found = [];
            for (let i = 0; i < 40; i++) {
                document.querySelector("[aria-label='One step forward']").click();
                for (let k = 0; k < 2; k++) await new Promise(requestAnimationFrame);
                const [a, b] = [of(".mg-stage .n.now"), of(".mg-map")];
                const over = a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
                found.push(!over && !!document.querySelector(".mg-map .cur").getAttribute("d"));
            }
            return found; }"""
    )
    assert apart == [True] * 40 and page.locator(".mg-count").inner_text().startswith("step 40 of")


def test_an_open_frame_is_in_it(open_view):
    x = mg.constant(0.5)
    h = x
    for _ in range(20):
        h = mg.tanh(h * 0.9 + x * 0.1)
    page = open_view(viz.backward(h, names={"x": x}))
    count = "() => document.querySelector('.mg-map path').getAttribute('d').split('M').length"
    before = page.evaluate(count)
    page.get_by_role("button", name="frame turn 3, 4 ops, closed").click()
    assert page.evaluate(count) >= before + 4  # the ops in it, and no longer the frame that they stand in
    page.get_by_role("button", name="frame turn 20, 4 ops").click()
    page.get_by_role("button", name="One step forward").click()
    now, at = page.evaluate(
        """() => { const map = document.querySelector(".mg-map .cur").getBoundingClientRect();
            const svg = document.querySelector(".mg-map svg").getBoundingClientRect();
            const box = document.querySelector(".n.now:not([data-f])").getBoundingClientRect();
            const all = document.querySelector(".mg-stage svg").getBoundingClientRect();
            return [[(map.x - svg.x) / svg.width, (map.y - svg.y) / svg.height],
                    [(box.x - all.x) / all.width, (box.y - all.y) / all.height]]; }"""
    )
    assert now == pytest.approx(at, abs=0.02)
    same(page)


def test_paper_has_no_overview(open_view):
    page = open_view(grid(20))
    page.emulate_media(media="print")
    assert not page.locator(".mg-map").is_visible()


def test_it_follows_the_theme(page, open_view):
    page.set_viewport_size({"width": 800, "height": 600})
    open_view(grid(20))
    for theme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 24, 31)")):
        page.emulate_media(color_scheme=theme)
        page.reload()
        page.wait_for_selector(".mg-map")
        assert page.evaluate("getComputedStyle(document.querySelector('.mg-map')).backgroundColor") == ground
        assert page.locator(".mg-map").bounding_box()["width"] < 220
