"""Zoom, pan, the map, and the camera that follows: when nearer, boxes say more and words keep their size."""

import pytest

import minigrad as mg
import viz
from tests.browser.lab import new_page, rests
from tests.browser.test_labels import FAULTS

pytestmark = pytest.mark.browser

#: The width of the boxes of ops, and the part of the picture that is seen: left, top, width, height.
WIDTH = """() => Math.max(...[...document.querySelectorAll(".mg-stage .op > .b")]
    .map((b) => b.getBoundingClientRect().width))"""
SEEN = """() => { const r = document.querySelector(".map .seen"), b = document.querySelector(".map .b");
    const of = (e, name) => +e.getAttribute(name), [w, h] = [of(b, "width"), of(b, "height")];
    return [of(r, "x") / w, of(r, "y") / h, of(r, "width") / w, of(r, "height") / h]; }"""


def wide(x, w):
    h = x
    for k in range(8):
        h = mg.tanh(h * w) + mg.sin(h) * float(k)
    return h


def many():
    return viz.backward(wide, x=0.5, w=1.5, fold="none")


@pytest.fixture(autouse=True)
def _screen(page):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(reduced_motion="reduce")


def nearer(page, times=1):
    for _ in range(times):
        page.get_by_role("button", name="Nearer (+)").click()


def seen(page):
    """The visible part of the picture; all of it if there is no map."""
    return page.evaluate(SEEN) if page.locator(".map").count() else [0, 0, 1, 1]


@pytest.mark.smoke
def test_zoom_by_buttons_and_by_keys(open_view):
    page = open_view(many())
    assert seen(page)[2] == 1
    nearer(page)
    once = seen(page)[2]
    assert once == pytest.approx(1 / 1.4, rel=0.02)
    page.keyboard.press("+")
    assert seen(page)[2] == pytest.approx(once / 1.4, rel=0.02)
    page.keyboard.press("-")
    assert seen(page)[2] == pytest.approx(once, rel=0.02)
    page.get_by_role("button", name="Farther (-)").click()
    assert seen(page)[2] == 1
    for whole in (lambda: page.keyboard.press("0"), lambda: page.get_by_role("button", name="The whole (0)").click()):
        nearer(page, 3)
        assert seen(page)[2] < 0.4
        whole()
        assert seen(page) == [0, 0, 1, 1]
    page.keyboard.press("-")
    assert seen(page)[2] == 1  # no farther than the whole


def test_nearer_boxes_are_larger_and_say_more_in_words_of_the_same_size(open_view):
    page = open_view(many())
    size = "all => [...new Set(all.map((t) => getComputedStyle(t).fontSize))].sort()"
    words = page.locator(".mg-stage .n text")
    before, width, heads = words.evaluate_all(size), page.evaluate(WIDTH), words.count()
    nearer(page, 4)
    assert page.evaluate(WIDTH) > 1.5 * width and words.count() >= heads
    assert set(words.evaluate_all(size)) <= {"11px", "12px"} and set(before) <= {"11px", "12px"}
    page.keyboard.press("0")
    assert page.evaluate(WIDTH) == pytest.approx(width) and words.count() == heads


def wheel(page, by, *keys):
    for key in keys:
        page.keyboard.down(key)
    page.mouse.wheel(0, by)
    for key in keys:
        page.keyboard.up(key)


def middle(box):
    place = box.bounding_box()
    return place["x"] + place["width"] / 2, place["y"] + place["height"] / 2


def test_zoom_by_wheel_with_ctrl_keeps_the_point_under_the_pointer(open_view):
    page = open_view(many())
    box = page.locator(".mg-stage .n.op").nth(9)
    key = f".mg-stage .n[data-n='{box.get_attribute('data-n')}']:not(.pill) > .b"
    x, y = middle(page.locator(key))
    page.mouse.move(x, y)
    for _ in range(3):
        wheel(page, -100, "Control")
    page.wait_for_function(f"document.querySelector('.map') && ({SEEN})()[2] < 0.4")
    assert middle(page.locator(key)) == pytest.approx((x, y), abs=24)
    wheel(page, 1000, "Control")
    page.wait_for_selector(".map", state="detached")


def test_a_plain_wheel_scrolls_the_page(open_view):
    page = open_view(many())
    page.set_viewport_size({"width": 1280, "height": 300})
    page.mouse.move(*middle(page.locator(".mg-stage")))
    wheel(page, 100)
    page.wait_for_function("scrollY > 50")
    assert page.locator(".map").count() == 0


def test_a_pinch_zooms(browser, tmp_path):
    many().to_html(tmp_path / "view.html")
    page = new_page(browser, has_touch=True, viewport={"width": 1280, "height": 800})
    page.goto((tmp_path / "view.html").as_uri())
    page.wait_for_selector(".mg-bar")
    x, y = middle(page.locator(".mg-stage"))
    session = page.context.new_cdp_session(page)

    def touch(kind, apart=None):
        points = [] if apart is None else [{"x": x + s * apart, "y": y, "id": i} for i, s in enumerate((-1, 1))]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 40)
    for apart in (60, 80, 100, 120):
        touch("touchMove", apart)
    touch("touchEnd")
    page.wait_for_selector(".map")
    assert seen(page)[2] == pytest.approx(1 / 3, rel=0.1)
    assert page.locator(".mg-card").is_hidden()  # nothing was chosen
    page.context.close()


def test_the_map_shows_each_box_where_the_picture_has_it(open_view):
    page = open_view(many())
    nearer(page, 3)
    boxes, drawn = page.evaluate(
        """() => { const path = document.querySelector(".map > path").getAttribute("d");
            const svg = document.querySelector(".mg-stage svg");
            const k = 120 / svg.clientWidth * (document.querySelector(".map .seen").getAttribute("width") / 120);
            const o = svg.getBoundingClientRect(), map = document.querySelector(".map .seen");
            const there = [...svg.querySelectorAll(".n > .b")].map((b) => b.getBoundingClientRect())
                .map((r) => [(r.x - o.x) * k + +map.getAttribute("x"), (r.y - o.y) * k + +map.getAttribute("y")]);
            return [[...path.matchAll(/M(\\S+) ([^h]+)h/g)].map((m) => [+m[1], +m[2]]), there]; }"""
    )
    assert len(boxes) == len(drawn) > 20
    assert all(any(box == pytest.approx(there, abs=1) for there in drawn) for box in boxes)


@pytest.mark.smoke
def test_pan_by_dragging_moves_the_picture_and_chooses_nothing(open_view):
    page = open_view(many())
    nearer(page, 4)
    start = seen(page)
    paper = "([x, y]) => document.elementFromPoint(x, y).matches('.paper')"
    x, y = next((x, y) for x in range(900, 300, -20) for y in range(400, 100, -20) if page.evaluate(paper, [x, y]))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 150, y, steps=5)
    for height in (y + 60, 710, 60):  # over words, and out of the picture
        page.mouse.move(x - 150, height, steps=5)
        assert page.evaluate("getSelection().toString()") == ""
    page.mouse.move(x - 150, y)
    page.mouse.up()
    wide = page.locator(".mg-stage svg").bounding_box()["width"]
    assert seen(page)[0] - start[0] == pytest.approx(150 / wide * start[2], abs=0.01)
    assert seen(page)[2:] == start[2:] and page.locator(".mg-card").is_hidden()


def test_the_picture_cannot_be_dragged_out_of_sight(open_view):
    page = open_view(many())
    nearer(page, 2)
    for by in (2000, -4000):
        page.mouse.move(640, 60)
        page.mouse.down()
        page.mouse.move(640 + by, 60, steps=3)
        page.mouse.up()
        left, top, width, height = seen(page)
        assert left >= -0.01 and left + width <= 1.01 and top >= -0.01 and top + height <= 1.01


def test_the_camera_follows_the_pass_and_the_map_never_covers_the_box_that_runs(open_view):
    page = open_view(many())
    nearer(page, 4)
    found = page.evaluate(
        """async () => { const of = (css) => document.querySelector(css)?.getBoundingClientRect(), found = [];
            document.querySelector("[aria-label='To the start']").click();
            const next = document.querySelector("[aria-label='One step forward']"), stage = of(".mg-stage");
            for (let i = 0; i < 30; i++) {
                next.click();
                const a = of(".mg-stage .n.active > .b"), b = of(".map");
                const over = a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
                const beside = a.left >= stage.left && a.right <= stage.right;
                found.push([beside && a.top >= stage.top && a.bottom <= stage.bottom, over]);
            }
            return found; }"""
    )
    assert found == [[True, False]] * 30


@pytest.mark.parametrize("times", [1, 3])
def test_on_a_phone_the_map_stands_below_the_boxes(open_view, times):
    page = open_view(viz.backward(lambda x, w: mg.log(1 + mg.exp(x * w)), 1.0, 0.5))
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_function("document.querySelector('.mg-stage svg').clientWidth < 390")
    whole = page.locator(".mg-stage svg").bounding_box()["height"]
    nearer(page, times)
    lowest = page.evaluate(
        """() => { const top = document.querySelector(".map .b").getBoundingClientRect().top;
            const strip = [...document.querySelectorAll(".paper")].at(-1).getBoundingClientRect();
            return [strip.top <= top, Math.abs(strip.width - document.querySelector(".mg-stage svg").clientWidth) < 1,
                document.querySelector(".mg-stage svg").lastElementChild.matches(".map")]; }"""
    )
    assert lowest == [True, True, True]
    assert seen(page)[2] < 1 and page.evaluate("document.documentElement.scrollWidth") <= 390
    page.keyboard.press("Escape")
    page.get_by_role("button", name="The whole (0)").click()
    assert page.locator(".mg-stage svg").bounding_box()["height"] == whole


def test_the_camera_follows_while_it_plays(open_view):
    page = open_view(many())
    nearer(page, 5)
    page.locator("[aria-label='To the start']").evaluate("button => button.click()")
    left = seen(page)[0]
    page.locator("[aria-label=Speed]").evaluate("select => { select.value = '0.4'; }")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(f"Math.abs(({SEEN})()[0] - {left}) > 0.2")
    page.get_by_role("button", name="Pause").click()


def test_what_was_zoomed_by_hand_stays_in_another_window(open_view):
    page = open_view(many())
    nearer(page, 2)
    part = seen(page)[2]
    page.set_viewport_size({"width": 900, "height": 800})
    page.wait_for_function("document.querySelector('.mg-stage svg').getBoundingClientRect().width < 900")
    assert seen(page)[2] == pytest.approx(part, rel=0.02)


def test_the_map_follows_the_theme(open_view):
    page = open_view(many())
    nearer(page)
    for theme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 24, 31)")):
        page.emulate_media(color_scheme=theme)
        assert page.evaluate("getComputedStyle(document.querySelector('.map .b')).fill") == ground


def test_a_picture_that_is_shown_later_or_in_another_window_has_the_size_for_it(page, tmp_path):
    text = viz.backward(lambda x: 3 * x**3 - 2 * x**2 + x - 5, x=1.2345678).to_html()
    text = text.replace("<body ", "<details><summary>open</summary><body ")
    (tmp_path / "view.html").write_text(text.replace("</body>", "</details></body>"), encoding="utf-8")
    page.goto((tmp_path / "view.html").as_uri())
    page.wait_for_selector(".mg-bar", state="attached")
    page.get_by_text("open", exact=True).click()
    fits = """(([a, b]) => Math.abs(a - b) < 3)([".mg-stage", ".mg-stage svg"]
        .map((css) => document.querySelector(css).getBoundingClientRect().width))"""
    for wide in (1280, 800, 1024, 390, 1280):
        page.set_viewport_size({"width": wide, "height": 800})
        page.wait_for_function(fits)
        assert page.evaluate(FAULTS) == []


@pytest.mark.parametrize("calm", [True, False])
def test_a_number_travels_unless_motion_is_unwanted(open_view, calm):
    page = open_view(viz.backward(lambda x: mg.exp(x * x), x=0.5))
    page.emulate_media(reduced_motion="reduce" if calm else "no-preference")
    page.locator("[aria-label='To the start']").evaluate("button => button.click()")
    there = """() => { document.querySelector("[aria-label='One step forward']").click();
        return document.querySelectorAll(".tok").length; }"""
    assert page.evaluate(there) == (0 if calm else 1)
    page.wait_for_selector(".tok", state="detached")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_low_picture_gets_a_higher_window_nearer_and_its_own_height_back(open_view, width):
    low = (lambda x: mg.exp(mg.tanh(x))) if width < 500 else (lambda x: mg.log(1 + mg.exp(x)))
    page = open_view(viz.backward(low, 1.0))
    page.set_viewport_size({"width": width, "height": 900})
    rests(page)
    high = lambda: page.locator(".mg-stage").bounding_box()["height"]
    before = high()
    nearer(page, 2)
    assert high() > 1.6 * before
    boxes = [box.bounding_box() for box in page.locator(".mg-stage .n > .b").all()]
    stage = page.locator(".mg-stage").bounding_box()
    assert all(stage["y"] <= b["y"] and b["y"] + b["height"] <= stage["y"] + stage["height"] for b in boxes)
    page.keyboard.press("0")
    assert high() == before
