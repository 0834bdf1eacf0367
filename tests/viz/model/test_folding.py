"""Folding: what is drawn once per use, what is folded, what never is, and that it is said."""

from dataclasses import replace

import pytest

from minigrad.tracing.model import BackwardTrace, Send
from tests.helpers.traces import log1pexp, of_graph
from viz.model.drawing import ranks
from viz.model.folding import CAP, draw


def chain(n, leaves=1, **extra):
    return of_graph({k: [k - 1, *extra.get("also", [])] for k in range(leaves, leaves + n)}, leaves)


def in_scopes(trace, scope_of):
    nodes = tuple(replace(n, scope=scope_of(n.id)) if n.kind != "leaf" else n for n in trace.nodes)
    return BackwardTrace(nodes, trace.edges, trace.steps)


def test_up_to_150_ops_are_drawn_as_they_are():
    drawing = draw(chain(150))
    assert len(drawing.boxes) == 151 and drawing.note == ""


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


def test_beyond_the_budget_scopes_fold_and_the_view_says_so():
    trace = in_scopes(chain(200), lambda n: ("attention",) if 40 <= n < 180 else ())
    drawing = draw(trace)
    (fold,) = [box for box in drawing.boxes if box.folded]
    assert fold.label == "attention" and len(fold.nodes) == 140
    assert drawing.note.startswith("140 of 201 nodes are folded into 1 box (scopes)") and 'fold="none"' in drawing.note


def test_beyond_the_budget_repeats_fold_and_their_first_and_last_round_stay_open():
    drawing = draw(chain(400))
    (fold,) = [box for box in drawing.boxes if box.folded]
    assert fold.label == f"{len(fold.nodes)} × (add)"
    assert "repeats" in drawing.note
    assert {"n1", "n400"} <= {box.key for box in drawing.boxes}


def test_a_scope_can_be_folded_by_name_and_everything_opened():
    trace = in_scopes(chain(30), lambda n: ("block",) if 5 <= n < 12 else ())
    assert sum(box.folded for box in draw(trace, "block").boxes) == 1
    assert len(draw(chain(400), "none").boxes) == 401


def test_never_more_boxes_than_the_cap():
    drawing = draw(chain(5000), "none")
    assert len(drawing.boxes) <= CAP and "5" in drawing.note


def test_the_way_of_a_nan_is_never_folded():
    trace = in_scopes(chain(200), lambda n: ("block",))
    steps = list(trace.steps)
    for i in range(100, 104):
        step = steps[i]
        bad = tuple(Send(s.edge, s.to, "nan", s.before, "nan", "carries") for s in step.sends)
        steps[i] = replace(step, sends=bad)
    drawing = draw(replace(trace, steps=tuple(steps)))
    alone = {box.nodes[0] for box in drawing.boxes if not box.folded}
    assert {steps[i].node for i in range(100, 105)} <= alone
    assert any(box.folded for box in drawing.boxes)


def test_a_kept_node_stays_open():
    trace = in_scopes(chain(200), lambda n: ("block",))
    assert "n77" in {box.key for box in draw(trace, keep=(77,)).boxes}


@pytest.mark.parametrize("fold", ["auto", "none", "block"])
def test_a_folded_picture_has_no_cycle_and_every_edge_once(fold):
    trace = of_graph({k: [k - 1, max(0, k - 9)] for k in range(2, 300)}, leaves=2)
    trace = in_scopes(trace, lambda n: ("block",) if n % 50 < 30 else ())
    drawing = draw(trace, fold)
    keys = [box.key for box in drawing.boxes]
    assert len(ranks(keys, [(link.src, link.dst) for link in drawing.links])) == len(keys)
    drawn = [edge for link in drawing.links for edge in link.edges]
    assert len(drawn) == len(set(drawn))
    home = {n: box.key for box in drawing.boxes for n in box.nodes}
    hidden = {e.id for e in trace.edges} - set(drawn)
    assert all(home[e.src] == home[e.dst] for e in trace.edges if e.id in hidden)


def test_a_constant_used_twice_is_drawn_twice():
    trace = log1pexp()
    twice = replace(trace, edges=(*trace.edges, replace(trace.edges[1], id=9, dst=4, arg=1)))
    assert sum(box.nodes == (2,) for box in draw(twice).boxes) == 2
