"""Layout: what holds for every graph, whichever engine places it."""

import random
import shutil
import subprocess
from itertools import combinations
from math import inf

import pytest
from hypothesis import given, settings

import viz.layout.layout as dot
from tests.helpers.traces import graphs, log1pexp, of_graph, repaired
from tests.helpers.work import assert_linear
from viz.layout.layers import crossings, make_layers, order
from viz.layout.layout import Sizes, lay_out
from viz.layout.sheet import LANE
from viz.model.drawing import Box, Drawing, Link, ranks
from viz.model.findings import Findings
from viz.model.folding import draw
from viz.model.timeline import timeline
from viz.render.boxes import box_texts, numbers_at, sizes_of, slopes_at

ENGINES = ["builtin", pytest.param("dot", marks=pytest.mark.skipif(not shutil.which("dot"), reason="needs dot"))]


def drawing_and_sizes(trace, fold="auto"):
    found, drawing = Findings(trace), draw(trace, fold)
    moments = timeline(found)
    return drawing, sizes_of(
        box_texts(found, drawing, moments, numbers_at(found, drawing)), drawing, moments, slopes_at(found, drawing)
    )


def check(drawing, layout):
    """No overlap, every edge drawn from its source's box to its target's, ranks increase, all inside the picture."""
    assert set(layout.boxes) == {box.key for box in drawing.boxes}
    assert set(layout.paths) == {link.key for link in drawing.links}
    for a, b in combinations(layout.boxes.values(), 2):
        assert a.x + a.w <= b.x or b.x + b.w <= a.x or a.y + a.h <= b.y or b.y + b.h <= a.y
    for box in layout.boxes.values():
        assert box.x >= 0 and box.x + box.w <= layout.width
        assert box.y >= 0 and box.y + box.h <= layout.height
    for link in drawing.links:
        path = layout.paths[link.key]
        assert layout.ranks[link.src] > layout.ranks[link.dst]
        for point, key in ((path.start, link.src), (path.end, link.dst)):
            assert on_rim(point, layout.boxes[key])
        assert not any(inside(point, box) for point in walk(path) for box in layout.boxes.values())
    parallel = {}
    for link in drawing.links:
        parallel.setdefault((link.src, link.dst), []).append(layout.paths[link.key].d)
    assert all(len(set(ds)) == len(ds) for ds in parallel.values())


def on_rim(point, box):
    x, y = point
    return box.x - 1 <= x <= box.x + box.w + 1 and box.y - 1 <= y <= box.y + box.h + 1 and not inside(point, box)


def inside(point, box, by=1.0):
    x, y = point
    return box.x + by < x < box.x + box.w - by and box.y + by < y < box.y + box.h - by


def walk(path):
    """Points along a path."""
    x, y = path.start
    for letter, p in path.pieces:
        points = [(x, y), *zip(p[::2], p[1::2])]
        for i in range(9):
            t = i / 8
            if letter == "L":
                (a, b), (c, d) = points
                yield a + t * (c - a), b + t * (d - b)
            else:
                weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
                yield tuple(sum(w * q[k] for w, q in zip(weights, points)) for k in (0, 1))
        x, y = p[-2:]


@pytest.mark.parametrize("rankdir", ["LR", "TB"])
@given(trace=graphs())
@settings(max_examples=25)
def test_the_builtin_layout_keeps_its_promises_on_every_graph(rankdir, trace):
    drawing, sizes = drawing_and_sizes(trace)
    layout = lay_out(drawing, sizes, "builtin", rankdir)
    check(drawing, layout)
    assert layout == lay_out(drawing, sizes, "builtin", rankdir)


@pytest.mark.skipif(not shutil.which("dot"), reason="needs the program dot")
@given(trace=graphs(most=12))
@settings(max_examples=12)
def test_positions_from_dot_keep_the_same_promises(trace):
    drawing, sizes = drawing_and_sizes(trace)
    layout = lay_out(drawing, sizes, "dot")
    check(drawing, layout)
    assert layout.engine == "dot" and layout == lay_out(drawing, sizes, "dot")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_is_a_backward_wave(engine):
    drawing, sizes = drawing_and_sizes(repaired())
    layout = lay_out(drawing, sizes, engine)
    assert [layout.ranks[key] for key in ("n1", "n5", "n4", "n2", "n0")] == [0, 1, 2, 3, 4]
    centres = [layout.boxes[key].centre[0] for key in ("n1", "n5", "n4", "n2", "n0")]
    assert centres == sorted(centres, reverse=True)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_custom_edge_is_straight_and_the_ghost_lies_below_it(engine):
    drawing, sizes = drawing_and_sizes(repaired())
    layout = lay_out(drawing, sizes, engine)
    assert [letter for letter, _ in layout.paths["e0"].pieces] == ["L"]
    assert layout.boxes["n2"].centre[1] > layout.boxes["n1"].centre[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_chain_is_straight(engine):
    trace = of_graph({k: [k - 1] for k in range(1, 12)}, leaves=1)
    drawing, sizes = drawing_and_sizes(trace)
    layout = lay_out(drawing, sizes, engine, width=inf)
    assert len({box.centre[1] for box in layout.boxes.values()}) == 1
    assert all(len(path.pieces) == 1 for path in layout.paths.values())


def test_the_main_line_is_straight_although_a_constant_joins_it():
    drawing, sizes = drawing_and_sizes(log1pexp())
    layout = lay_out(drawing, sizes, "builtin")
    assert len({layout.boxes[key].centre[1] for key in ("n0", "n1", "n3", "n4")}) == 1


def test_a_tree_has_no_crossings():
    tree = {7: [0, 1], 8: [2, 3], 9: [4, 5], 10: [7, 8], 11: [9, 6], 12: [10, 11]}
    drawing, _ = drawing_and_sizes(of_graph(tree, leaves=7))
    layers = make_layers([box.key for box in drawing.boxes], [(x.key, x.src, x.dst) for x in drawing.links])
    order(layers)
    assert sum(crossings(layers, r) for r in range(len(layers.rows) - 1)) == 0


def test_crossings_are_counted():
    layers = make_layers(
        ["a", "b", "c", "d", "y"], [("1", "c", "a"), ("2", "d", "b"), ("3", "a", "y"), ("4", "b", "y")]
    )
    assert crossings(layers, 1) == 0
    layers.rows[2].reverse()
    assert crossings(layers, 1) == 1


def test_an_edge_over_forty_ranks_runs_around_the_picture():
    arguments = {k: [k - 1] for k in range(1, 50)} | {50: [49, 0]}
    drawing, sizes = drawing_and_sizes(of_graph(arguments, leaves=1))
    layout = lay_out(drawing, sizes, "builtin")
    check(drawing, layout)
    lowest = max(box.y + box.h for box in layout.boxes.values())
    assert any(y > lowest for link in drawing.links for _, y in walk(layout.paths[link.key]) if link.arg == 1)


@pytest.mark.slow
def test_the_work_of_placing_grows_as_the_graph_does():
    def placing(n):
        arguments = {k: [k - 1, max(0, k - 7)] for k in range(3, n)}
        drawing, sizes = drawing_and_sizes(of_graph(arguments, leaves=3), "none")
        return lambda: lay_out(drawing, sizes, "builtin")

    assert_linear(placing, 150)


def test_ranks_need_no_recursion():
    n = 20_000
    rank = ranks([str(k) for k in range(n)], [(str(k), str(k + 1)) for k in range(n - 1)])
    assert rank["0"] == n - 1


def test_without_dot_auto_is_the_builtin_layout_and_says_so(monkeypatch):
    monkeypatch.setattr(dot.shutil, "which", lambda name: None)
    drawing, sizes = drawing_and_sizes(log1pexp())
    layout = lay_out(drawing, sizes, "auto")
    assert layout.engine == "builtin" and "dot" in layout.why
    with pytest.raises(
        RuntimeError, match=r'needs the Graphviz program dot on the PATH; layout="builtin" needs nothing'
    ):
        lay_out(drawing, sizes, "dot")


@pytest.mark.parametrize(
    "failure",
    [subprocess.TimeoutExpired("dot", 4), subprocess.CalledProcessError(-11, "dot"), OSError("no"), ImportError("no")],
)
def test_whatever_goes_wrong_with_dot_the_picture_is_drawn(monkeypatch, failure):
    def fail(*args, **kwargs):
        raise failure

    monkeypatch.setattr(dot.shutil, "which", lambda name: "/usr/bin/dot")
    monkeypatch.setattr(dot.subprocess, "run", fail)
    drawing, sizes = drawing_and_sizes(log1pexp())
    layout = lay_out(drawing, sizes, "auto")
    assert layout.engine == "builtin" and layout.why


@pytest.mark.parametrize("options", [{"engine": "neato"}, {"rankdir": "RL"}])
def test_an_unknown_layout_or_direction_is_refused_in_a_sentence(options):
    drawing, sizes = drawing_and_sizes(log1pexp())
    with pytest.raises(ValueError, match="must be"):
        lay_out(drawing, sizes, **options)


def test_nothing_and_one_box_have_a_layout():
    assert lay_out(Drawing((), ()), Sizes({})).boxes == {}
    layout = lay_out(Drawing((Box("n0", (0,)),), ()), Sizes({"n0": (80, 60)}), engine="builtin")
    assert layout.boxes["n0"].w == 80 and layout.width > 80
    assert Link("e", (0,), "a", "b", 0).ghost is False


def tangled(ops, seed):
    """A graph of `ops` ops with one to three arguments among the ten before."""
    dice = random.Random(seed)
    arguments = {
        k: [dice.randint(max(0, k - 10), k - 1) for _ in range(dice.choice([1, 1, 2, 3]))] for k in range(3, ops)
    }
    used = {src for sources in arguments.values() for src in sources}
    arguments[ops] = sorted(set(range(ops)) - used) or [ops - 1]
    return of_graph(arguments, leaves=3)


@pytest.mark.skipif(not shutil.which("dot"), reason="needs the program dot")
@pytest.mark.cases(1)
@pytest.mark.parametrize("ops", [20, 60, 120])
def test_the_builtin_layout_crosses_at_most_a_third_more_than_dot(ops):
    ours = theirs = 0
    for seed in range(4):
        drawing, sizes = drawing_and_sizes(tangled(ops, seed), "none")
        links = [(link.key, link.src, link.dst) for link in drawing.links]
        layers = make_layers([box.key for box in drawing.boxes], links)
        breadth = {key: sizes.boxes[key][1] if key in sizes.boxes else LANE for row in layers.rows for key in row}
        dot.dot_coordinates(layers, breadth, 22.0)
        theirs += sum(crossings(layers, r) for r in range(len(layers.rows) - 1))
        layers = make_layers([box.key for box in drawing.boxes], links)
        order(layers)
        ours += sum(crossings(layers, r) for r in range(len(layers.rows) - 1))
    print(f"{ops} ops: {ours} crossings, {theirs} by dot")
    assert ours <= 1.3 * theirs + 4
