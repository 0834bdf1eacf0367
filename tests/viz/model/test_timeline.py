"""Moments and frames: one message at a time, never a number that the engine did not send."""

import pytest
from hypothesis import given, settings

import minigrad as mg
from minigrad.tracing.model import Edge, Send, Step
from minigrad.tracing.numbers import short
from tests.helpers.traces import graphs, log1pexp, repaired
from viz.model.findings import Findings, arithmetic
from viz.model.timeline import frame, timeline


def moments_of(trace):
    return timeline(Findings(trace))


def words(trace):
    return [moment.words for moment in moments_of(trace)]


def test_each_message_is_a_moment_and_so_is_each_input():
    trace = log1pexp()
    assert [(m.step, m.node, m.message and m.message.send.to) for m in moments_of(trace)] == [
        (-1, 4, None),
        (0, 4, 3),
        (1, 3, 1),
        (2, 1, 0),
        (3, 0, None),
    ]


def test_sentences_hold_the_arithmetic():
    a, b = mg.constant(2.0), mg.constant(0.5)
    lines = words(mg.backward_trace(a * b + a, names={"v": a, "w": b}))
    assert lines[0].startswith("Start: the adjoint of add is 1, the slope of add with respect to itself.")
    assert "multiply sends v ḡ * w = 1 * 0.5 = 0.5. The adjoint of v is now 1 + 0.5 = 1.5." in lines
    assert any("The adjoint of w was not computed yet and is now 2." in line for line in lines)


def test_the_sentence_says_where_a_nan_is_born():
    assert "nan is born here (0 * inf)" in words(log1pexp())[3]


def test_ghosts_follow_the_custom_call_and_speak_in_the_conditional():
    found = moments_of(repaired())
    assert [moment.ghost for moment in found] == [False, False, True, True, True, False]
    assert "The custom rule grad stands in for log1pexp: it sends x 1." in found[1].words
    assert "exp would have sent x" in found[4].words


def test_nothing_is_computed_before_the_first_step():
    trace = log1pexp()
    first = frame(trace, moments_of(trace), 0)
    assert first.adjoint == {4: 1.0} and first.messages == {} and first.active is None


def test_a_ghost_message_never_touches_a_real_adjoint():
    trace = repaired()
    found = moments_of(trace)
    last = frame(trace, found, len(found) - 1)
    assert last.adjoint[0] == 1.0 and last.adjoint[2] == 0.0
    without = frame(trace, found, len(found) - 1, ghosts=False)
    assert set(without.adjoint) == {0, 1} and set(without.messages) == {0}


@given(trace=graphs())
@settings(max_examples=60, deadline=None)
def test_the_last_frame_holds_the_gradients_of_the_trace(trace):
    found = moments_of(trace)
    last = frame(trace, found, len(found) - 1)
    assert last.adjoint == {step.node: step.g for step in trace.steps}
    assert last.done == {step.node for step in trace.steps}


@given(trace=graphs(most=8))
@settings(max_examples=30, deadline=None)
def test_from_moment_to_moment_one_message_is_new(trace):
    found = moments_of(trace)
    for at in range(1, len(found)):
        before, now = frame(trace, found, at - 1), frame(trace, found, at)
        new = set(now.messages) - set(before.messages)
        assert len(new) == (found[at].message is not None)


@pytest.mark.parametrize(
    "g, local, value, expected",
    [
        (0.5, 2.0, 1.0, "0.5 * 2 = 1"),
        (0.0, "inf", "nan", "0 * inf = nan"),
        (1.0, None, 3.0, "3"),
        (1.0, 2.0, 5.0, "5"),
        (0.0, 4.0, 0.0, "0 * 4 = 0"),
    ],
)
def test_a_product_is_shown_only_where_it_is_what_was_computed(g, local, value, expected):
    edge, send = Edge(0, 0, 1, 0, "b", local), Send(0, 0, value, None, value, "first")
    assert arithmetic(Step(0, 1, "derived", g), edge, send) == expected


def test_a_custom_rule_is_never_shown_as_a_product():
    edge, send = Edge(0, 0, 1, 0, "b", 2.0), Send(0, 0, 2.0, None, 2.0, "first")
    assert arithmetic(Step(0, 1, "custom:grad", 1.0), edge, send) == short(2.0)


def test_each_output_of_a_replaced_body_holds_its_adjoint():
    @mg.custom_gradient
    def two(a, b):
        return (a * b, a + b), lambda p, q: (p * b + q, p * a + q)

    p, q = two(mg.constant(2.0), mg.constant(5.0))
    trace = mg.backward_trace(p * q)
    found = moments_of(trace)
    last = frame(trace, found, len(found) - 1)
    assert {node.op: last.adjoint[node.id] for node in trace.nodes if node.ghost} == {"multiply": 7.0, "add": 10.0}
