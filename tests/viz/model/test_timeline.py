"""Moments and frames: one message at a time, never a number that the engine did not send."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad.tracing.numbers import nonfinite, short
from minigrad.tracing.trace_schema import Edge, Send, Step
from tests.helpers.pictures import PROGRAMS, lane_of, program
from tests.helpers.random_programs import straight_line
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
    assert lines[0].startswith("Start: the gradient of add is 1, the slope of add with respect to itself.")
    assert "multiply sends to v: 1 · 0.5 = 0.5. At v so far: 1 + 0.5 = 1.5." in lines
    assert "multiply sends to w: 1 · 2 = 2. At w so far: 2." in lines


def test_small_arrays_are_written_in_full():
    a = mg.constant(np.array([0.25, 0.0, 4.0]))
    with np.errstate(all="ignore"):
        lines = words(mg.backward_trace(mg.sum(mg.sqrt(a) * np.array([1.0, 0.0, 2.0])), names={"a": a}))
    assert any("= [1 nan 0.5] (3)" in line for line in lines), lines
    b = mg.constant(np.arange(1.0, 6.0))
    lines = words(mg.backward_trace(mg.sum(b * b), names={"b": b}))
    assert any("= [1 2 3 4 5] (5)" in line for line in lines), lines


def test_the_sentence_says_where_a_nan_is_born():
    assert "nan first appears here (0 * inf)" in words(log1pexp())[3]


#: Ops with poles, with overflow, and some that pass a nan on.
SPOILING = {
    "multiply": (2, lambda a, b: a * b), "subtract": (2, lambda a, b: a - b), "divide": (2, lambda a, b: a / b),
    "exp": (1, mg.exp), "log": (1, mg.log), "sqrt": (1, mg.sqrt), "tanh": (1, mg.tanh), "abs": (1, mg.abs),
}  # fmt: skip


@settings(max_examples=100)
@given(st.data(), st.sampled_from([0.0, 100.0, -1.0, 1e30]), st.sampled_from([0.0, 1.0, 90.0]))
def test_a_nan_or_inf_first_appears_once_and_no_message_held_it_before(data, x, y):
    _, values = straight_line(data.draw, SPOILING, 2, 10)
    with np.errstate(all="ignore"):
        trace = mg.backward_trace(mg.sum(mg.stack(values([mg.constant(x), mg.constant(y)]))))
    for word in ("nan", "inf"):
        sent = [moment for moment in moments_of(trace) if moment.message and not moment.ghost]
        first = [i for i, moment in enumerate(sent) if f" {word} first appears here" in moment.words]
        also = [i for i, moment in enumerate(sent) if f" {word} also appears here" in moment.words]
        assert len(first) <= 1 and all(first and i > first[0] for i in also)
        ends = [(moment.message.send.value, moment.message.send.after) for moment in sent[: first[0] if first else 0]]
        assert not any(nonfinite(number) == word for pair in ends for number in pair)


def said(f, **inputs):
    tensors = {name: mg.constant(value) for name, value in inputs.items()}
    return words(mg.backward_trace(f(**tensors), names=tensors))


def test_zeros_go_on_only_where_no_inf_is_met():
    loud = said(lambda x: mg.log(1 + mg.exp(x)), x=100.0)
    assert [line.endswith("Further on, at exp, the 0 meets an inf.") for line in loud[1:3]] == [True, True]
    quiet = said(lambda x: mg.tanh(x) * mg.relu(x), x=-2.0)
    assert [line for line in quiet if line.endswith("Only zeros go on from here.")] and "inf" not in " ".join(quiet)


MATRICES = {"h": np.ones((2, 3)), "W": np.ones((3, 2))}


@pytest.mark.parametrize(
    "f, inputs, sentence",
    [
        (lambda h, W: mg.sum(h @ W), MATRICES, "matmul sends to W: h.T @ ḡ = all 2 (3×2)."),
        (lambda h, W: mg.sum(h @ W), MATRICES, "matmul sends to h: ḡ @ W.T = all 2 (2×3)."),
        (lambda h, w: h @ w, {"h": np.ones(2), "w": np.ones(2)}, "matmul sends to h: [1 1] (2)."),
        (lambda x: mg.mean(x), {"x": np.ones(4)}, "mean sends to x: ḡ · (1 / 4) = [0.25 0.25 0.25 0.25] (4)."),
        (lambda x: mg.sum(x), {"x": np.ones(3)}, "sum sends to x: ḡ · 1 = [1 1 1] (3)."),
        (
            lambda z: mg.softmax(z)[0],
            {"z": np.zeros(2)},
            "softmax sends to z: softmax(z) · (ḡ - sum(ḡ · softmax(z))) = [0.25 -0.25] (2).",
        ),
        (lambda x: 1 / x, {"x": 2.0}, "divide sends to x: 1 · -0.25 = -0.25. At x so far: -0.25."),
        (
            lambda x, b: mg.sum(x + b),
            {"x": np.ones((4, 2)), "b": np.zeros(2)},
            "add sends to b: ḡ · 1 (4×2), added up over 4 rows, = [4 4] (2).",
        ),
        (
            lambda c, r: mg.sum(c * r),
            {"c": np.ones((2, 1)), "r": np.ones((1, 3))},
            "multiply sends to c: ḡ · r (2×3), added up over 3 columns, = [3 3] (2×1).",
        ),
    ],
)
def test_the_rule_is_said_in_the_names_of_the_user(f, inputs, sentence):
    assert any(sentence in line for line in said(f, **inputs))


def test_ghosts_follow_the_custom_call_and_speak_in_the_conditional():
    found = moments_of(repaired())
    assert [moment.ghost for moment in found] == [False, False, True, True, True, False]
    assert "The rule grad runs instead of the ops inside log1pexp. It sends to x: 1." in found[1].words
    assert "exp would have sent to x: 0 · inf = nan." in found[4].words


def test_nothing_is_computed_before_the_first_step():
    trace = log1pexp()
    first = frame(trace, moments_of(trace), 0)
    assert first.adjoint == {4: 1.0} and first.messages == {} and first.active is None


def test_a_ghost_message_never_touches_a_real_gradient():
    trace = repaired()
    found = moments_of(trace)
    last = frame(trace, found, len(found) - 1)
    assert last.adjoint[0] == 1.0 and last.adjoint[2] == 0.0
    without = frame(trace, found, len(found) - 1, ghosts=False)
    assert set(without.adjoint) == {0, 1} and set(without.messages) == {0}


@given(trace=graphs())
@settings(max_examples=30)
def test_the_last_frame_holds_the_gradients_of_the_trace(trace):
    found = moments_of(trace)
    last = frame(trace, found, len(found) - 1)
    assert last.adjoint == {step.node: step.g for step in trace.steps}
    assert last.done == {step.node for step in trace.steps}


@given(trace=graphs(most=8))
@settings(max_examples=30)
def test_from_moment_to_moment_one_message_is_new(trace):
    found = moments_of(trace)
    for at in range(1, len(found)):
        before, now = frame(trace, found, at - 1), frame(trace, found, at)
        new = set(now.messages) - set(before.messages)
        assert len(new) == (found[at].message is not None)


@pytest.mark.parametrize(
    "g, local, value, expected",
    [
        (0.5, 2.0, 1.0, "0.5 · 2 = 1"),
        (0.0, "inf", "nan", "0 · inf = nan"),
        (1.0, None, 3.0, "3"),
        (1.0, 2.0, 5.0, "5"),
        (0.0, 4.0, 0.0, "0 · 4 = 0"),
    ],
)
def test_a_product_is_shown_only_where_it_is_what_was_computed(g, local, value, expected):
    edge, send = Edge(0, 0, 1, 0, "b", local), Send(0, 0, value, None, value, "first")
    assert arithmetic(Step(0, 1, "derived", g), edge, send) == expected


def test_a_custom_rule_is_never_shown_as_a_product():
    edge, send = Edge(0, 0, 1, 0, "b", 2.0), Send(0, 0, 2.0, None, 2.0, "first")
    assert arithmetic(Step(0, 1, "custom:grad", 1.0), edge, send) == short(2.0)


def test_each_output_of_a_replaced_body_holds_its_gradient():
    @mg.custom_gradient
    def two(a, b):
        return (a * b, a + b), lambda p, q: (p * b + q, p * a + q)

    p, q = two(mg.constant(2.0), mg.constant(5.0))
    trace = mg.backward_trace(p * q)
    found = moments_of(trace)
    last = frame(trace, found, len(found) - 1)
    assert {node.op: last.adjoint[node.id] for node in trace.nodes if node.ghost} == {"multiply": 7.0, "add": 10.0}


def test_what_has_arrived_is_said_as_a_sum_and_the_whole_as_the_gradient():
    lines = said(lambda x: x * x + x, x=3.0)
    assert lines[-1] == "All messages have arrived: the gradient of x is 7."
    assert [line.partition(". ")[2] for line in lines if " to x:" in line] == [
        "At x so far: 1.", "At x so far: 1 + 3 = 4.", "At x so far: 4 + 3 = 7."
    ]  # fmt: skip


def test_a_negative_message_is_taken_away():
    assert "At x so far: 6 - 5 = 1." in " ".join(said(lambda x: -5 * x + x * x, x=3.0))


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - {"long_chain"}))
def test_pictures_say_value_gradient_and_slope(name):
    lines = " ".join(moment.words for moment in lane_of(program(name)).moments)
    assert not re.search(r"adjoint|local derivative|cotangent|not yet|not computed yet", lines)
    assert "the gradient of " in lines
