"""Scopes and calls to functions around each op, the outermost first."""

import pytest

import minigrad as mg


@pytest.fixture(autouse=True)
def _lines():
    mg.remember_lines()
    yield
    mg.remember_lines(False)


def parts(y):
    """The parts of each op of a graph, oldest first."""
    trace = mg.backward_trace(y)
    assert mg.BackwardTrace.from_json(trace.to_json()) == trace
    return [node.scope for node in trace.nodes if node.kind not in ("leaf", "const")]


def act(x):
    return mg.tanh(x)


def layer(x):
    return act(x * 0.5)


def test_calls_are_numbered_among_those_of_their_function_in_the_part_around_them():
    assert parts(layer(layer(mg.constant(1.0)))) == [
        ("layer, call 1 of 2",),
        ("layer, call 1 of 2", "act"),
        ("layer, call 2 of 2",),
        ("layer, call 2 of 2", "act"),
    ]
    assert parts(act(act(layer(mg.constant(1.0)))))[-2:] == [("act, call 1 of 2",), ("act, call 2 of 2",)]


def test_calls_around_the_whole_graph_are_left_out():
    assert parts(layer(mg.constant(1.0))) == [(), ("act",)]
    assert parts(act(mg.constant(1.0))) == [()]


def test_a_scope_stands_around_the_calls_in_it_and_inside_the_call_that_opens_it():
    def block(x):
        y = x * 2.0
        with mg.scope("wide"):
            return act(y + 1.0)

    with mg.scope("model"):
        y = block(mg.constant(1.0))
    y = y * 1.0
    assert parts(y) == [
        ("model", "block"),
        ("model", "block", "wide"),
        ("model", "block", "wide", "act"),
        (),
    ]


def test_ops_made_before_lines_were_remembered_have_no_calls():
    mg.remember_lines(False)
    x = layer(mg.constant(1.0))
    mg.remember_lines()
    assert parts(act(layer(x))) == [(), (), ("layer",), ("layer", "act"), ("act",)]
