"""Folding: what is drawn once per use, what is folded, what never is, and that it is said."""

from dataclasses import replace

import pytest

from minigrad.traces import BackwardTrace, Send
from tests.viz.traces import log1pexp, of_graph
from viz.fold import CAP, draw_plan
from viz.plan import ranks


def chain(n, leaves=1, **extra):
    return of_graph({k: [k - 1, *extra.get("also", [])] for k in range(leaves, leaves + n)}, leaves)


def in_scopes(trace, scope_of):
    nodes = tuple(replace(n, scope=scope_of(n.id)) if n.kind != "leaf" else n for n in trace.nodes)
    return BackwardTrace(nodes, trace.edges, trace.steps)


def test_up_to_150_ops_are_drawn_as_they_are():
    plan = draw_plan(chain(150))
    assert len(plan.items) == 151 and plan.note == ""


def test_a_leaf_with_many_far_uses_is_drawn_once_per_use():
    trace = of_graph({k: [k - 1, 0] for k in range(2, 16)}, leaves=2)
    plan = draw_plan(trace)
    copies = [item for item in plan.items if item.nodes == (0,)]
    assert len(copies) == 14
    assert [c.copy for c in copies] == list(range(1, 15)) and {c.copies for c in copies} == {14}


def test_a_leaf_with_near_or_few_uses_is_drawn_once():
    assert len(draw_plan(of_graph({k: [k - 1, 0] for k in range(2, 6)}, leaves=2)).items) == 6
    few = of_graph({k: [k - 1] for k in range(2, 16)} | {16: [15, 0]}, leaves=2)
    assert sum(item.nodes == (0,) for item in draw_plan(few).items) == 1


def test_beyond_the_budget_scopes_fold_and_the_view_says_so():
    trace = in_scopes(chain(200), lambda n: ("attention",) if 40 <= n < 180 else ())
    plan = draw_plan(trace)
    (fold,) = [item for item in plan.items if item.folded]
    assert fold.label == "attention" and len(fold.nodes) == 140
    assert plan.note.startswith("140 of 201 nodes are folded into 1 box (scopes)") and 'fold="none"' in plan.note


def test_beyond_the_budget_repeats_fold_and_their_first_and_last_round_stay_open():
    plan = draw_plan(chain(400))
    (fold,) = [item for item in plan.items if item.folded]
    assert fold.label == f"{len(fold.nodes)} × (add)"
    assert "repeats" in plan.note
    assert {"n1", "n400"} <= {item.key for item in plan.items}


def test_a_scope_can_be_folded_by_name_and_everything_opened():
    trace = in_scopes(chain(30), lambda n: ("block",) if 5 <= n < 12 else ())
    assert sum(item.folded for item in draw_plan(trace, "block").items) == 1
    assert len(draw_plan(chain(400), "none").items) == 401


def test_never_more_boxes_than_the_cap():
    plan = draw_plan(chain(5000), "none")
    assert len(plan.items) <= CAP and "5" in plan.note


def test_the_way_of_a_nan_is_never_folded():
    trace = in_scopes(chain(200), lambda n: ("block",))
    steps = list(trace.steps)
    for i in range(100, 104):
        step = steps[i]
        bad = tuple(Send(s.edge, s.to, "nan", s.before, "nan", "carries") for s in step.sends)
        steps[i] = replace(step, sends=bad)
    plan = draw_plan(replace(trace, steps=tuple(steps)))
    alone = {item.nodes[0] for item in plan.items if not item.folded}
    assert {steps[i].node for i in range(100, 105)} <= alone
    assert any(item.folded for item in plan.items)


def test_a_kept_node_stays_open():
    trace = in_scopes(chain(200), lambda n: ("block",))
    assert "n77" in {item.key for item in draw_plan(trace, keep=(77,)).items}


@pytest.mark.parametrize("fold", ["auto", "none", "block"])
def test_a_folded_picture_has_no_cycle_and_every_edge_once(fold):
    trace = of_graph({k: [k - 1, max(0, k - 9)] for k in range(2, 300)}, leaves=2)
    trace = in_scopes(trace, lambda n: ("block",) if n % 50 < 30 else ())
    plan = draw_plan(trace, fold)
    keys = [item.key for item in plan.items]
    assert len(ranks(keys, [(link.src, link.dst) for link in plan.links])) == len(keys)
    drawn = [edge for link in plan.links for edge in link.edges]
    assert len(drawn) == len(set(drawn))
    home = {n: item.key for item in plan.items for n in item.nodes}
    hidden = {e.id for e in trace.edges} - set(drawn)
    assert all(home[e.src] == home[e.dst] for e in trace.edges if e.id in hidden)


def test_a_constant_used_twice_is_drawn_twice():
    trace = log1pexp()
    twice = replace(trace, edges=(*trace.edges, replace(trace.edges[1], id=9, dst=4, arg=1)))
    assert sum(item.nodes == (2,) for item in draw_plan(twice).items) == 2
