"""Properties of every picture, in any window: no collisions, no small words, the whole graph inside."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.browser.gallery import drawn
from tests.helpers.pictures import PROGRAMS, exchanged, lane_of, program, random_view
from tests.helpers.seen import Line, Rect, Seen, points_of
from viz.scene.fit import LONGEST
from viz.scene.words import SMALL
from viz.scene.words import wide as text_width

WIDTHS = (360, 390, 640, 850, 1150)
HIGH, TALL = 440, 640  #: of the window, and where it is a phone
SPARE = 20  #: pixels below a picture, for words at its foot


def window(wide, lanes=1):
    return wide, TALL if wide < 560 else HIGH / lanes


def pictures(lane, lanes=1):
    """States of a lane, and the windows in which each is drawn."""
    last = len(lane.moments) - 1
    whole = lane.state(last)
    yield from ((whole, *window(wide, lanes)) for wide in WIDTHS)
    for at in sorted({0, last // 3, last // 2, max(0, last - 1)}):
        yield from ((lane.state(at), *window(wide, lanes)) for wide in (360, 850))
    for key, frame in lane.graph["frames"].items():
        for turn in sorted({1, len(frame["turns"]) // 2, len(frame["turns"]) - 1}) if frame["turns"] else ():
            yield from (({**whole, "turns": {key: turn}}, *window(wide, lanes)) for wide in (360, 850))
    for key in lane.graph["outward"][:6]:
        yield from (({**whole, "opened": [key]}, *window(wide, lanes)) for wide in (360, 850))


def check(view):
    lanes = view._lanes
    for lane in lanes:
        for state, wide, high in pictures(lane, len(lanes)):
            seen = Seen(lane.scene.draw(lane.window(wide, high), state))
            assert seen.sizes <= {11, 12} and (seen.boxes or state["forward"])
            assert seen.troubles(wide, lane.scene.bottom) == {}, (wide, state["opened"], state["turns"])
            named = {text.of for text in seen.texts}
            assert [box.what for box in seen.boxes if box.what not in named] == [], (wide, state["opened"])
            assert (
                wide < 560
                or lane.scene.choice(lane.window(wide, high), state).reading
                or lane.scene.bottom <= high + SPARE
            )


@pytest.mark.parametrize("name", PROGRAMS)
def test_in_the_picture_of_a_program_nothing_collides(name):
    check(program(name))


@pytest.mark.parametrize("name", drawn())
def test_in_a_picture_of_the_gallery_nothing_collides(name):
    check(drawn()[name])


@pytest.mark.parametrize("tens", range(8))
def test_in_the_picture_of_a_random_graph_nothing_collides(tens):
    for seed in range(10 * tens, 10 * tens + 10):
        check(random_view(seed))


def nested(depth, name):
    """A program of scopes within scopes, with a loop in the innermost."""
    x = h = mg.constant(0.5)

    def inside(h, left):
        if not left:
            for k in range(8):
                h = mg.sin(h * 1.1) + mg.tanh(h) / (2.0 + k)
            return h
        with mg.scope(name.format(left)):
            return mg.sqrt(inside(mg.exp(-h) * 1.5, left - 1) ** 2 + 1.0)

    return viz.backward(inside(h, depth), names={"x": x})


def of_long_names():
    x, w, h = mg.constant(0.5), mg.constant(np.ones((3, 3), "float32")), mg.constant(0.5)
    for _ in range(10):
        h = mg.sin(h + w) * mg.tanh(h)
        h = mg.where(h > 0, h, mg.exp(h))
    names = {"an_input_with_a_name_that_fits_into_no_box": x, "重み行列重み行列重み": w, "Ergebnis_der_Rechnung": h}
    return viz.backward(mg.sum(h * x), names=names)


@pytest.mark.parametrize(
    "make", [lambda: nested(3, "scope {}"), lambda: nested(6, "s{}"), lambda: nested(12, "{}"),
             lambda: nested(4, "a scope with a long name, number {}"), of_long_names],
    ids=["3", "6", "12", "long scopes", "long names"],
)  # fmt: skip
def test_every_box_is_named_however_narrow_the_window_and_however_deep_it_stands(make):
    (lane,) = make()._lanes
    last, outward = lane.state(len(lane.moments) - 1), lane.graph["outward"]
    for opened in ([], outward[:1], outward[:3], outward):
        for wide in (220, 260, *WIDTHS):
            state = {**last, "opened": [*opened]}
            seen = Seen(lane.scene.draw(lane.window(wide, window(wide)[1]), state))
            named = {text.of for text in seen.texts}
            assert [box.what for box in seen.boxes if box.what not in named] == [], (wide, opened)
            assert seen.sizes <= {11, 12} and seen.troubles(wide, lane.scene.bottom) == {}, (wide, opened)


@pytest.mark.parametrize("name", ["mlp", "attention", "newton", "layers", "second_derivative"])
def test_nearer_boxes_say_more_in_letters_of_the_same_size_and_nothing_collides(name):
    lane = lane_of(program(name))
    state = lane.state(len(lane.moments) - 1)
    for wide, high in map(window, (360, 850)):
        far = Seen(lane.scene.draw(lane.window(wide, high), state))
        seen = Seen(lane.scene.draw({**lane.window(wide, high), "zoom": 2.2}, state))
        assert seen.troubles(3 * wide, lane.scene.bottom) == {} and seen.sizes <= {11, 12}
        said = {box: sum(len(text.what) for text in seen.texts if text.of == box) for box in seen.looks}
        boxes = {box.what for box in seen.boxes}
        for box in far.boxes:
            if box.what in boxes:  # not a frame that opened: it shows its parts
                assert said[box.what] >= sum(len(text.what) for text in far.texts if text.of == box.what)
        assert lane.scene.across == (wide > 560)


PHONES = {
    "chain": lambda x: mg.log(1 + mg.exp(mg.tanh(x))),
    "four inputs": lambda a, b, c, d: a * b * mg.exp(c) + d,
    "norm": lambda x, y: mg.sqrt(x * x + y * y),
    "two inputs in a column": lambda p, q: mg.sin(p) * mg.cos(q) - p / q,
}


@pytest.mark.parametrize("name", PHONES)
def test_on_a_phone_each_number_has_its_value_and_its_gradient(name):
    f = PHONES[name]
    (lane,) = viz.backward(f, *[1.5, 2.5, 0.25, 4.5][: f.__code__.co_argcount])._lanes
    end = lane.state(len(lane.moments) - 1)
    seen = Seen(lane.scene.draw(lane.window(390 - 32, TALL), end))
    for node in lane.graph["nodes"]:
        words = [text.what for text in seen.texts if f"n{node['id']}" in text.of.split()]
        for number in (end["value"].get(f"n{node['id']}", node["value"]), end["gradient"].get(f"n{node['id']}", "")):
            assert node["kind"] == "const" or any(number in text for text in words), (node["title"], number, words)


@mg.custom_gradient
def smooth(x):
    return mg.maximum(x, 0.0) + mg.log1p(mg.exp(-mg.abs(x))), lambda dy: dy * mg.sigmoid(x)


X = np.float32([1, 2, 3])
CROWDED = {
    "a variable in two lanes": lambda: viz.compare(exchanged(mg.Variable([1.0, 2.0], name="weights")), X),
    "weights of a rule": lambda: viz.backward(
        lambda x, weights: mg.sum(smooth(x) * weights), X, np.float32([2, -1, 10])
    ),
    "a long name of an op": lambda: viz.backward(lambda first, second: mg.logsumexp(mg.absolute(first) @ second), X, X),
}


@pytest.mark.parametrize("name", [*CROWDED, *PROGRAMS])
def test_on_a_phone_no_name_is_cut_that_could_be_whole(name):
    for lane in (CROWDED[name]() if name in CROWDED else program(name))._lanes:
        end = lane.state(len(lane.moments) - 1)
        for wide in (258, 266, 288, 320, 344, 358) if name in CROWDED else (266, 344):
            seen = Seen(lane.scene.draw(lane.window(wide, 720), end))
            cut = [text.what for text in seen.texts if text.of and text.what.endswith("…") and text.what != "…"]
            names = {node["called"] or node["title"] for node in lane.graph["nodes"]}
            short = [name for name in names if text_width(name, SMALL, True) < LONGEST]
            assert [word for word in cut if any(name.startswith(word[:-1]) for name in short)] == [], wide
            assert seen.troubles(wide, lane.scene.bottom) == {} and seen.sizes <= {11, 12}, wide


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_wide_window_is_used(name):
    lane = lane_of(program(name))
    lane.drawn(len(lane.moments) - 1, 1150, 440)
    boxes = lane.scene.boxes.values()
    assert max(x + w for x, _, w, _ in boxes) - min(x for x, *_ in boxes) > 0.6 * 1150 or len(boxes) < 5


def test_each_part_of_a_graph_is_in_its_picture_or_in_a_frame_that_is_closed():
    for seed in range(30):
        lane = lane_of(random_view(seed))
        lane.drawn(len(lane.moments) - 1, 1150, 440)
        seen = Seen(lane.drawn(len(lane.moments) - 1, 1150, 440)[0])
        shown = {int(key) for box in seen.boxes for key in re.findall(r"n(\d+)", box.what)}
        for box in seen.boxes:
            for frame in lane.graph["frames"].values() if box.what[0] == "f" else ():
                shown.update(frame["nodes"] if f"f{frame['as']}" == box.what else ())
        said = {edge["src"] for edge in lane.graph["edges"] if lane.graph["nodes"][edge["src"]]["kind"] == "const"}
        inner = {edge["src"] for edge in lane.graph["edges"] if edge["dst"] in shown}
        assert {node["id"] for node in lane.graph["nodes"]} <= shown | said | inner


def test_the_checker_sees_each_kind_of_collision():
    def box(n, x, y=10, w=60, text=""):
        inside = f"<text class='nm' x='{x + 4}' y='{y + 20}'>{text}</text>" if text else ""
        return f"<g class='n op' data-n='{n}'><rect class='b' x='{x}' y='{y}' width='{w}' height='40'/>{inside}</g>"

    def line(path):
        return f"<path class='e b1' d='{path}' stroke-width='2' data-e='0'/>"

    lone = "<text class='lv r' x='{}' y='30'>0.25</text>"
    assert Seen(box(0, 10, text="exp") + box(1, 120, text="log") + line("M70 30L120 30")).troubles(200, 60) == {}
    kinds = {
        "boxes on boxes": box(0, 10) + box(1, 60),
        "texts cut": box(0, 10, text="concatenate"),
        "boxes out of the window": box(0, 160),
        "texts over foreign boxes": box(0, 10) + lone.format(90),
        "texts on texts": lone.format(90) + lone.format(100),
        "boxes crossed by lines": box(0, 60) + line("M20 20C90 20 90 40 150 40"),
        "texts crossed by lines": lone.format(90) + line("M20 26L150 26"),
        "lines out of the window": line("M20 20C90 20 90 90 150 90"),
    }
    for kind, svg in kinds.items():
        assert list(Seen(svg).troubles(200, 60)) == [kind]


def test_points_follow_the_path():
    points = [*points_of("M10 20L30 20C40 20 40 60 50 60v-20h5")]
    assert points[0] == (10, 20) and (30, 20) in points and (50, 60) in points and points[-1] == (55, 40)
    assert (40, 40) in points, "a curve is steepest in the middle"
    assert Rect(0, 0, 10, 10).inside((5, 5)) and not Rect(0, 0, 10, 10).inside((1, 5))
    assert Line(0, "e", 1.0, tuple(points)).points[0] == (10, 20)
