"""viz.compare: two lanes in the same places, and a judge."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz


@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + e))

    return mg.log(1 + e), grad


@mg.custom_gradient
def wrong(x, w):
    return x * w, lambda dy: (dy * 100.0, dy * x)


def plain(x):
    return mg.log(1 + mg.exp(x))


def stable(x):
    return mg.maximum(x, 0.0) + mg.log1p(mg.exp(-mg.abs(x)))


def test_derived_custom_and_finite_difference():
    (row,) = viz.compare(log1pexp, 100.0).rows
    assert (row.argument, row.first, row.second) == ("x", "nan", 1.0)
    assert row.difference == pytest.approx(1.0, abs=1e-6)
    assert row.verdict == "the custom rule repairs nan"


def test_each_argument_has_its_row():
    x, w = viz.compare(wrong, 2.0, w=3.0).rows
    assert x.verdict == "the custom rule gives another slope than the function has: 100 instead of 3"
    assert w.verdict == "both are right"


def test_where_float64_ends_there_is_no_judge():
    (row,) = viz.compare(log1pexp, 1000.0).rows
    assert row.verdict.startswith("no judge: the function is not finite in float64 here")


def test_shared_nodes_stand_in_the_same_place():
    view = viz.compare(log1pexp, 100.0)
    derived, custom = view._lanes
    ops = {n.op: n.id for n in derived.trace.nodes if n.op in ("exp", "add", "log")}
    ghosts = {n.op: n.id for n in custom.trace.nodes if n.ghost and n.op in ops}
    assert set(ghosts) == set(ops)
    keys = [{box.nodes[0]: box.key for box in lane.drawing.boxes} for lane in view._lanes]
    assert all(keys[0][ops[op]] == keys[1][ghosts[op]] for op in ops)
    assert view._lanes[0].layout is view._lanes[1].layout


def test_two_functions_side_by_side():
    view = viz.compare(plain, stable, 100.0)
    assert view.labels == ("plain", "stable")
    assert view.rows[0].verdict == "stable is right, not nan"
    assert [lane.name for lane in view._lanes] == ["plain", "stable"]


def test_the_table_is_html_with_scopes_and_text():
    view = viz.compare(log1pexp, 100.0)
    html = view.to_html()
    assert html.count('<th scope="col">') == 5 and '<th scope="row">x</th>' in html
    assert re.search(r"argument +derived +custom +finite difference +verdict\nx +nan +1 +1 ", view.to_text())
    assert view.step(1).rows == view.rows


def test_arrays_are_differenced_element_by_element():
    (row,) = viz.compare(log1pexp, np.array([-1.0, 0.0, 100.0], np.float32)).rows
    assert row.difference.sample == pytest.approx([0.26894142, 0.5, 1.0], abs=1e-5)
    assert row.verdict.startswith("the custom rule repairs")


def test_large_arrays_are_not_differenced():
    (row,) = viz.compare(log1pexp, np.ones(300, np.float32)).rows
    assert row.difference is None and row.verdict.startswith("not checked")


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: viz.compare(), "got nothing"),
        (lambda: viz.compare(plain, 1.0), "decorated with custom_gradient"),
        (lambda: viz.compare(3.0), r"compare\(f, 100\.0\)"),
        (lambda: viz.compare(log1pexp), "cannot call log1pexp with these arguments"),
        (lambda: viz.compare(plain, lambda x: None, 1.0), "must return a Tensor, got None"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(call, words):
    with pytest.raises(TypeError, match=words):
        call()
