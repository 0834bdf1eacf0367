"""Loops: an iteration is drawn once, with a strip of all iterations that shows what each passes on."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.tracing.numbers import nonfinite
from tests.helpers.pictures import program
from tests.helpers.seen import Seen


def loops(view):
    """The loops of a picture by their names."""
    return {frame["name"]: frame for frame in view._lanes[0].graph["frames"].values() if frame["turns"]}


def drawn(view, turn=None):
    """The SVG of the finished pass; for a view with one loop also at another iteration, counted from 0."""
    lane = view._lanes[0]
    state = lane.state(len(lane.moments) - 1)
    turns = state["turns"] if turn is None else {loop["key"]: turn for loop in loops(view).values()}
    return lane.scene.draw(lane.window(), {**state, "turns": turns})


def words(view, turn=None):
    return [text.what for text in Seen(drawn(view, turn)).texts]


def boxes(view, turn=None):
    """The names of the boxes and pills."""
    found = [view.trace.nodes[int(n)] for n in re.findall(r"<g class='n [^>]*data-n='(\d+)'", drawn(view, turn))]
    return sorted(node.name if node.kind == "leaf" else node.op for node in found)


def recurrent(xs, u=0.1):
    w, u = mg.Variable(0.9, name="w"), mg.Variable(u, name="u")

    def last(**xs):
        h = 0.3
        for x in xs.values():
            h = mg.tanh(h * w + x * u)
        return h

    return viz.backward(last, **{f"x{t}": x for t, x in enumerate(xs)})


XS = np.linspace(0.5, -0.6, 12)


def test_a_loop_is_one_turn_and_a_strip_of_all_from_which_each_can_be_chosen():
    view = recurrent(XS)
    assert [*loops(view)] == ["12 × turn"]
    for turn in range(12):
        assert boxes(view, turn) == ["add", "multiply", "multiply", "tanh", "u", "w", f"x{turn}"]
        assert {f"turn {turn + 1}, one of 12", "|ḡ| of each turn, on a log scale"} <= {*words(view, turn)}
        ends = [word for word in words(view, turn) if re.fullmatch(r"turn \d+", word)]
        beside = [i for i in (turn, turn + 2) if 1 <= i <= 12]  # where its lines lead
        assert {f"turn {i}" for i in beside} <= {*ends} <= {f"turn {i}" for i in (1, 12, *beside)}
        assert "turn 1" in ends or turn == 0


def test_the_strip_has_the_gradient_of_what_each_turn_hands_on():
    h = [0.3]
    for x in XS:
        h.append(np.tanh(0.9 * h[-1] + 0.1 * x))
    gradient = [1.0]
    for value in h[:1:-1]:
        gradient.insert(0, gradient[0] * (1 - value**2) * 0.9)
    view = recurrent(XS)
    (loop,) = loops(view).values()
    assert [view.trace.nodes[n].value for n in loop["carry"]] == pytest.approx(h[1:], abs=1e-6)
    assert [view.trace.nodes[n].adjoint for n in loop["carry"]] == pytest.approx(gradient, abs=1e-6)
    for turn in range(12):
        assert f"turn {turn + 1}: {gradient[turn]:.3g}" in words(view, turn)


def test_the_bars_of_a_strip_grow_with_the_gradient_and_a_nan_is_told():
    bars = re.findall(r"<path class='sp (?:b\d|cur)' d='([^']*)'", drawn(recurrent(XS)))
    tall = sorted((float(x), float(high)) for path in bars for x, high in re.findall(r"M(\S+) \S+h\S+v([\d.]+)", path))
    assert len(tall) == 12 and [high for _, high in tall] == sorted(high for _, high in tall)

    def overflowing(x):
        for _ in range(9):
            x = mg.log(1 + mg.exp(x * 3.0)) * 2.0
        return x

    view = viz.backward(overflowing, x=1.0)
    bad = [nonfinite(view.trace.nodes[n].adjoint) for n in loops(view)["9 × turn"]["carry"]]
    assert "nan" in bad and None in bad
    for turn, word in enumerate(bad):
        assert (f"turn {turn + 1}: {word}" in words(view, turn)) == (word is not None)


def test_a_picture_opens_at_the_turn_that_its_sentence_tells_of():
    view = program("newton")
    assert view.point.startswith("Only the last turn matters") and "turn 5, one of 5" in words(view)


def test_repeated_scopes_are_a_loop_with_their_names():
    view = program("blocks")
    assert "block 99, one of 100" in words(view, 99) and "|ḡ| of each block, on a log scale" in words(view)
    assert "Frames:\n100 × block: 600 ops; gradient 1 at its end, " in view.to_text()


def test_a_loop_in_a_loop_is_drawn_in_a_turn():
    view = program("nested")
    assert [*loops(view)] == ["4 × turn", "5 × turn"]
    assert {"turn 1, one of 4", "turn 1, one of 5"} <= {*words(view)}
    assert boxes(view) == ["add", "multiply", "sin", "tanh", "w", "x"]
    outer = loops(view)["4 × turn"]
    lane = view._lanes[0]
    state = lane.state(len(lane.moments) - 1) | {"turns": {outer["key"]: 3}}
    svg = lane.scene.draw(lane.window(), state)
    held = lane.graph["frames"][outer["turns"][3]]["nodes"]
    assert {int(n) for n in re.findall(r"<g class='n op[^>]*data-n='(\d+)'", svg)} <= {*held}
    assert "  5 × turn: 10 ops; gradient " in view.to_text()


def test_two_loops_one_after_the_other_have_a_strip_each():
    def two(x, w):
        for _ in range(12):
            x = mg.tanh(x * w)
        x = mg.exp(x)
        for _ in range(9):
            x = mg.sin(x * w)
        return x

    view = viz.backward(two, x=0.5, w=0.9)
    assert [*loops(view)] == ["12 × turn", "9 × turn"] and words(view).count("|ḡ| of each turn, on a log scale") == 2


def parallel(x):
    return mg.sum(mg.stack([mg.tanh(mg.sin(x * k) * mg.exp(x)) for k in range(8)]))


def growing(x):
    for _ in range(5):
        x = mg.concatenate([x, mg.tanh(x) * 0.5])
    return mg.sum(x)


def twice(x):
    for _ in range(2):
        x = mg.tanh(mg.sin(mg.exp(mg.cos(x) * 0.5) + x) * mg.sqrt(x * x + 1))
    return x


def unequal(x):
    for k in range(12):
        x = mg.tanh(x * 0.5) if k % 5 else mg.sin(x) + 1.0
    return x


@pytest.mark.parametrize("f", [parallel, growing, twice, unequal], ids=lambda f: f.__name__)
def test_what_does_not_repeat_turn_by_turn_is_no_loop(f):
    x = np.ones(2) if f is growing else 0.5
    assert not any("one of" in text or "each turn" in text for text in words(viz.backward(f, x=x)))


def test_a_loop_that_can_be_read_as_it_is_is_not_folded():
    view = program("shared")
    assert loops(view) == {} and boxes(view).count("tanh") == 4


def test_an_input_of_every_turn_stands_before_the_loop_or_at_each_use_and_one_of_a_turn_in_it():
    view = recurrent(XS)
    for turn in (0, 7):
        assert boxes(view, turn).count(f"x{turn}") == boxes(view, turn).count("w") == 1

    def start(x, k):
        h = mg.sin(x)
        for _ in range(9):
            h = mg.tanh(h * x + k)
        return h

    view = viz.backward(start, x=0.5, k=0.1)
    inside = {n for loop in loops(view).values() for n in loop["nodes"]}
    assert {view.trace.nodes[n].name for n in inside} & {"x", "k"} == set()
    assert boxes(view, 0).count("x") == boxes(view, 8).count("x") == 1
