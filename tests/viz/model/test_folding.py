"""Folding: what is drawn once per use, what is folded, what never is, and that it is said."""

from dataclasses import replace

import pytest

import minigrad as mg
import viz
from minigrad.tracing.model import BackwardTrace, Send
from tests.helpers.traces import log1pexp, of_graph
from viz.model.drawing import ranks
from viz.model.folding import CAP, draw, folded, opened


def chain(n, leaves=1, **extra):
    return of_graph({k: [k - 1, *extra.get("also", [])] for k in range(leaves, leaves + n)}, leaves)


def in_scopes(trace, scope_of):
    nodes = tuple(replace(n, scope=scope_of(n.id)) if n.kind != "leaf" else n for n in trace.nodes)
    return BackwardTrace(nodes, trace.edges, trace.steps)


def frames(drawing):
    return {box.label: box for box in drawing.all_boxes if box.folded}


def test_up_to_72_ops_are_drawn_as_they_are():
    drawing = draw(chain(72))
    assert len(drawing.boxes) == 73 and drawing.note == "" and not drawing.frames


def test_a_leaf_with_many_far_uses_is_drawn_once_per_use():
    trace = of_graph({k: [k - 1, 0] for k in range(2, 16)}, leaves=2)
    drawing = draw(trace)
    copies = [box for box in drawing.boxes if box.nodes == (0,)]
    assert len(copies) == 14
    assert [c.copy for c in copies] == list(range(1, 15)) and {c.copies for c in copies} == {14}


def test_a_leaf_with_near_or_few_uses_is_drawn_once():
    assert len(draw(of_graph({k: [k - 1, 0] for k in range(2, 6)}, leaves=2)).boxes) == 6
    few = of_graph({k: [k - 1] for k in range(2, 16)} | {16: [15, 0]}, leaves=2)
    assert sum(box.nodes == (0,) for box in draw(few).boxes) == 1


def test_beyond_the_budget_scopes_become_frames_and_the_view_says_so():
    trace = in_scopes(chain(100), lambda n: ("attention",) if 40 <= n < 70 else ("mlp",))
    drawing = draw(trace)
    assert [(box.label, len(box.nodes)) for box in drawing.boxes if box.folded] == [
        ("mlp", 40),  # 39 ops and the input
        ("attention", 30),
        ("mlp", 31),
    ]
    assert drawing.note.startswith("100 of 100 ops are in 3 frames. A click or Enter opens and closes a frame.")
    assert 'fold="none"' in drawing.note


def test_scopes_are_frames_inside_frames():
    scopes = in_scopes(chain(310), lambda n: ("model", f"block {(n - 1) // 31}", "ab"[(n - 1) % 31 < 20]))
    drawing = draw(scopes)
    outer = [box for box in drawing.boxes if box.folded]
    assert [box.label for box in outer] == [f"block {k}" for k in range(10)]
    assert all([box.label for box in block.inside.boxes if box.folded] == ["b", "a"] for block in outer)


def test_turns_of_a_loop_are_frames_and_many_turns_are_frames_of_turns():
    turn = of_graph({2 + k: [1 + k, *([0] * (k % 4 == 0))] for k in range(80)}, leaves=2)
    ops = ["multiply", "add", "sin", "tanh"]
    nodes = tuple(replace(n, op=ops[(n.id - 2) % 4]) if n.kind != "leaf" else n for n in turn.nodes)
    drawing = draw(replace(turn, nodes=nodes))
    assert [box.label for box in drawing.boxes if box.folded] == [f"turn {k}" for k in range(1, 21)]
    assert [len(box.nodes) for box in drawing.boxes if box.folded] == [5] + [4] * 19  # one input is used there alone
    labels = [box.label for box in draw(chain(400)).boxes if box.folded]
    assert labels == ["50 add ops"] * 8


def test_a_graph_without_scopes_and_turns_has_frames_of_neighbours():
    trace = chain(300)
    ops = ["sin", "tanh", "exp", "log", "add"]
    nodes = tuple(replace(n, op=ops[n.id**3 % 101 % 5]) if n.kind != "leaf" else n for n in trace.nodes)
    drawing = draw(replace(trace, nodes=nodes))
    assert 3 <= len(drawing.boxes) <= 30 and all(box.inside for box in drawing.boxes if box.folded)


def test_a_scope_can_be_folded_by_name_and_everything_opened():
    trace = in_scopes(chain(30), lambda n: ("block",) if 5 <= n < 12 else ())
    assert sum(box.folded for box in draw(trace, "block").boxes) == 1
    assert len(draw(chain(400), "none").boxes) == 401


def test_never_more_boxes_than_the_cap():
    drawing = draw(chain(1800), "none")
    assert len(drawing.boxes) <= CAP < 1800 and "1" in drawing.note


def test_every_op_up_to_360_can_be_reached_by_opening_frames_and_of_more_ops_both_ends():
    drawing = draw(chain(300))
    assert drawing.alone == {n for n in range(301)}
    some = draw(chain(2000)).alone
    assert {1, 2, 1999, 2000} <= some and 1000 not in some


def test_the_frames_around_the_origin_of_a_nan_can_be_opened():
    trace = chain(2000)
    steps = list(trace.steps)
    step = steps[1000]
    born = tuple(Send(s.edge, s.to, "nan", s.before, "nan", "nan-born") for s in step.sends)
    steps[1000] = replace(step, sends=born)
    assert step.node in draw(replace(trace, steps=tuple(steps))).alone


def test_the_frames_around_kept_nodes_can_be_opened():
    assert 1000 in draw(chain(2000), keep=(1000,)).alone


def test_a_weight_that_one_block_uses_stands_inside_it():
    graph = {k: [k - 1, *([0] * (k == 50))] for k in range(2, 102)}
    trace = in_scopes(of_graph(graph, leaves=2), lambda n: ("a",) if n < 40 else ("b",))
    drawing = draw(trace)
    assert 0 in frames(drawing)["b"].nodes and "n0" not in {box.key for box in drawing.boxes}
    assert "n0" in {box.key for box in drawing.all_boxes}


def test_an_input_of_many_frames_stands_before_the_first_and_inside_the_others():
    graph = {k: [k - 1, *([0] * (k % 10 == 0))] for k in range(2, 202)}
    trace = in_scopes(of_graph(graph, leaves=2), lambda n: (f"s{(n - 2) // 10}",))
    drawing = draw(trace)
    assert [box.key for box in drawing.boxes if box.nodes == (0,)] == ["n0.1"]
    copies = [box for box in drawing.all_boxes if box.nodes == (0,)]
    assert {box.copies for box in copies} == {20} and sorted(box.copy for box in copies) == list(range(1, 21))
    assert [box.shared for box in drawing.boxes if box.folded] == [()] + [(0,)] * 19


def test_inputs_of_six_frames_in_a_row_have_no_line_to_the_far_ones():
    recurrent = of_graph({k: [k - 1, *[(1,), (0,), ()][(k - 2) % 3]] for k in range(2, 902)}, leaves=2)
    ops = ["multiply", "add", "tanh"]
    nodes = tuple(replace(n, op=ops[(n.id - 2) % 3]) if n.kind != "leaf" else n for n in recurrent.nodes)
    drawing = draw(replace(recurrent, nodes=nodes))
    row = [box for box in drawing.boxes if box.folded]
    assert [box.label for box in row][:2] == ["turns 1 to 50", "turns 51 to 100"] and len(row) == 6
    assert [box.shared for box in row[1:]] == [(0, 1)] * 5
    assert len(drawing.links) == 2 + 5, "from each input to the first frame, and from frame to frame"


def test_more_than_eight_inputs_of_one_op_are_one_line():
    eight = of_graph({8: list(range(8))}, leaves=8)
    nine = of_graph({9: list(range(9))}, leaves=9)
    assert len(draw(eight).links) == 8
    drawing = draw(nine)
    (link,) = drawing.links
    assert len(link.edges) == 9 and [box.label for box in drawing.boxes if box.folded] == ["9 inputs"]
    assert len(frames(drawing)["9 inputs"].inside.boxes) == 9


def test_more_than_eight_equal_ops_of_inputs_are_one_line():
    trace = of_graph({k: [k - 9] for k in range(9, 18)} | {18: list(range(9, 18))}, leaves=9)
    drawing = draw(trace)
    assert [len(link.edges) for link in drawing.links] == [9]
    assert len(frames(drawing)["9 add ops"].inside.boxes) == 18


def test_more_than_eight_uses_of_one_value_by_one_op_are_one_line():
    assert len(draw(of_graph({1: [0] * 8}, leaves=1)).links) == 8
    (link,) = draw(of_graph({1: [0] * 9}, leaves=1)).links
    assert len(link.edges) == 9


def sheets(drawing):
    yield drawing
    for box in drawing.boxes:
        if box.inside:
            yield from sheets(box.inside)


@pytest.mark.parametrize("fold", ["auto", "none", "block"])
def test_a_folded_picture_has_no_cycle_and_every_edge_once(fold):
    trace = of_graph({k: [k - 1, max(0, k - 9)] for k in range(2, 300)}, leaves=2)
    trace = in_scopes(trace, lambda n: ("block",) if n % 50 < 30 else ())
    drawing = draw(trace, fold)
    for sheet in sheets(drawing):
        keys = [*(box.key for box in sheet.boxes), *sheet.ports]
        assert len(ranks(keys, [(link.src, link.dst) for link in sheet.links])) == len(keys)
        drawn = [edge for link in sheet.links for edge in link.edges]
        assert len(drawn) == len(set(drawn))
    keys = [link.key for link in drawing.all_links]
    assert len(keys) == len(set(keys))
    reached = {edge for link in drawing.all_links for edge in link.edges}
    home = {n: box.key for box in drawing.all_boxes if not box.inside for n in box.nodes}
    assert all(home[e.src] == home[e.dst] for e in trace.edges if e.id not in reached)


def test_a_constant_used_twice_is_drawn_twice():
    trace = log1pexp()
    twice = replace(trace, edges=(*trace.edges, replace(trace.edges[1], id=9, dst=4, arg=1)))
    assert sum(box.nodes == (2,) for box in draw(twice).boxes) == 2


def layer(x, turns):
    for _ in range(turns):
        x = mg.tanh(x * mg.constant(0.5))
    return x


def calls(count, turns, then=1.0):
    x = mg.constant(0.5)
    for _ in range(count):
        x = layer(x, turns)
    return mg.backward_trace(x * then)


def test_each_call_of_a_function_is_a_frame_with_the_weights_that_it_makes():
    drawing = draw(calls(4, 10))
    found = {label: box for label, box in frames(drawing).items() if "layer" in label}
    assert list(found) == [f"layer, call {k} of 4" for k in (1, 2, 3, 4)]
    inside = [box.nodes[0] for box in found["layer, call 3 of 4"].inside.all_boxes if not box.folded]
    trace = calls(4, 10)
    kinds = [trace.nodes[n].kind for n in inside]
    assert (kinds.count("op"), kinds.count("leaf")) == (20, 10)


def test_many_calls_are_frames_of_calls():
    outer = [box for box in draw(calls(100, 2)).boxes if box.folded]
    assert [box.label for box in outer] == [f"layer, calls {k} to {k + 9}" for k in range(1, 100, 10)]
    inside = [box.label for box in outer[0].inside.boxes if box.folded]
    assert inside == [f"layer, call {k} of 100" for k in range(1, 11)]


def test_a_function_is_folded_by_its_name_and_a_call_is_opened_by_its_own():
    trace = calls(3, 2)
    assert not frames(draw(trace))
    closed = folded(trace, draw(trace), "layer")
    assert [box.label for box in closed.boxes if box.folded] == [f"layer, call {k} of 3" for k in (1, 2, 3)]
    one = opened(trace, closed, "layer, call 2 of 3")
    assert [box.label for box in one.boxes if box.folded] == ["layer, call 1 of 3", "layer, call 3 of 3"]
    assert not opened(trace, closed, "layer").frames


def test_a_frame_of_a_call_names_the_function_and_below_it_the_call():
    view = viz.backward(lambda x: layer(layer(x, 40), 40), x=0.5)
    texts = [text for text in view._lanes[0].texts.values() if text.head == "layer"]
    assert [text.lines for text in texts] == [("call 1 of 2", "80 ops"), ("call 2 of 2", "80 ops")]
