"""The trace: plain data that says exactly what the engine did."""

import json

import numpy as np
import pytest
from hypothesis import given, settings

import minigrad as mg
import minigrad.tracing.user_lines
import viz
from minigrad.tracing.numbers import full
from minigrad.tracing.trace_fields import number
from minigrad.tracing.trace_schema import BackwardTrace, Summary
from tests.helpers.random_programs import arrays, programs


def log1pexp(x):
    return mg.log(1 + mg.exp(x))


@mg.custom_gradient
def repaired(x):
    e = mg.exp(x)

    def slope(dy):
        return dy * (1 - 1 / (1 + e))

    return mg.log(1 + e), slope


def replay(trace, steps):
    """Add up the messages as a reader of the trace would, and return what every node ends with."""
    total = {}
    for step in steps:
        for send in step.sends:
            assert send.before == total.get(send.to)
            total[send.to] = send.after
    return total


def plain(num, dtype):
    values = num.sample if isinstance(num, Summary) else num
    return np.array(values, float).astype(dtype)


@given(programs(), arrays((4,)), arrays((4,)))
@settings(max_examples=60)
def test_replaying_the_messages_gives_the_engines_gradients_bit_for_bit(program, a, b):
    x, y = mg.constant(a), mg.constant(b)
    out = program(x, y)
    trace = mg.backward_trace(out, names={"x": x, "y": y})
    total = replay(trace, trace.steps)
    ids = {node.name: node for node in trace.nodes if node.kind == "leaf"}
    for name, g in zip("xy", mg.gradients(out, [x, y])):
        np.testing.assert_array_equal(plain(total[ids[name].id], float), g.value)
        assert ids[name].adjoint == total[ids[name].id]


@given(programs(), arrays((2,)), arrays((2,)))
@settings(max_examples=30)
def test_json_keeps_everything(program, a, b):
    trace = mg.backward_trace(program(mg.constant(a), mg.constant(b)))
    text = trace.to_json()
    assert BackwardTrace.from_json(text) == trace
    json.loads(text, parse_constant=lambda word: pytest.fail(f"JSON has no {word}"))


def test_the_nan_of_log1pexp_is_born_where_0_meets_inf_at_exp():
    x = mg.constant(100.0)
    trace = mg.backward_trace(log1pexp(x), names={"x": x})
    told = [(trace.nodes[s.node].op, s.g, [(m.value, m.event) for m in s.sends]) for s in trace.steps]
    assert told == [
        ("log", 1.0, [(0.0, "stops")]),
        ("add", 0.0, [(0.0, "stops")]),
        ("exp", 0.0, [("nan", "nan-born")]),
        ("leaf", "nan", []),
    ]
    (edge,) = [e for e in trace.edges if trace.nodes[e.dst].op == "exp"]
    assert (edge.local, edge.local_value) == ("y", "inf")
    assert [n.name for n in trace.nodes if n.kind == "const"] == ["1"]


def test_a_custom_rule_is_one_step_and_what_it_replaced_is_a_ghost():
    x = mg.constant(100.0)
    trace = mg.backward_trace(repaired(x), names={"x": x})
    custom = next(n for n in trace.nodes if n.kind == "custom")
    assert (custom.op, custom.custom, custom.output) == ("repaired", "slope", True)
    assert [(s.rule, [m.value for m in s.sends]) for s in trace.steps] == [("custom:slope", [1.0]), ("derived", [])]
    (ghost,) = trace.ghosts
    assert ghost.of == custom.id
    assert [trace.nodes[s.node].op for s in ghost.steps] == ["log", "add", "exp"]
    assert ghost.steps[-1].sends[0].value == "nan"
    assert all(n.ghost == (n.ghost_of == custom.id) for n in trace.nodes)


def test_an_error_of_a_rule_that_the_program_does_not_call_is_told_and_ends_no_report():
    @mg.custom_gradient
    def inner(x):
        def rule(dy):
            raise ValueError("only for positive numbers\x1b[2J")

        return x * 1.0, rule

    @mg.custom_gradient
    def outer(x):
        return mg.log(inner(x)), lambda dy: dy / x

    x = mg.constant(0.0)
    y = outer(x)
    (ghost,) = mg.backward_trace(y).ghosts
    assert (ghost.steps, ghost.raised) == ((), "ValueError: only for positive numbers\\x1b[2J")
    assert "a rule inside raises ValueError: only for positive numbers" in str(viz.backward(y))
    assert mg.find_nan(y).kind == "domain"  # the value is -inf already: log(0), before any rule is called


def test_a_ghost_ends_at_the_arguments_even_when_they_share_a_variable_with_the_body():
    w = mg.Variable(3.0, name="w")

    @mg.custom_gradient
    def scaled(x):
        return x * w, lambda dy, variables=None: (dy, [dy])

    (ghost,) = mg.backward_trace(scaled(w * 2.0)).ghosts
    assert [[m.value for m in s.sends] for s in ghost.steps] == [[3.0, 6.0]]


def test_two_uses_are_two_edges_and_nothing_yet_is_not_zero():
    x = mg.constant(3.0)
    trace = mg.backward_trace(x * x, names={"x": x})
    assert [(e.arg, e.local) for e in trace.edges] == [(0, "b"), (1, "a")]
    first, second = trace.steps[0].sends
    assert (first.before, first.after, first.event) == (None, 3.0, "first")
    assert (second.before, second.after, second.event) == (3.0, 6.0, "accumulate")


def test_a_sum_of_infinities_of_both_signs_gives_birth_to_a_nan():
    x = mg.constant(0.0)
    trace = mg.backward_trace(mg.sqrt(x) - mg.sqrt(x), names={"x": x})
    events = [m.event for s in trace.steps for m in s.sends]
    assert "inf-born" in events
    assert events[-1] == "nan-born"


def test_variables_scopes_outputs_and_options_are_named():
    w = mg.Variable([[1.0, 2.0]], name="w")
    y = mg.sum(w * w, axis=0, keepdims=True)
    trace = mg.backward_trace(y, names={"y": y})
    leaf = next(n for n in trace.nodes if n.kind == "leaf")
    assert (leaf.name, leaf.shape, leaf.dtype) == (w.name, (1, 2), "float32")
    assert (trace.nodes[-1].name, trace.nodes[-1].detail, trace.nodes[-1].kind) == (
        "y",
        "axis=0, keepdims=True",
        "output",
    )


def test_lines_are_remembered_when_asked():
    mg.remember_lines()
    try:
        y = mg.constant(2.0) * 3.0  # the line
        z = mg.sum(y, axis=None) + np.sin(y)  # another
    finally:
        mg.remember_lines(False)
    said = {n.op: n.line for n in mg.backward_trace(z).nodes if n.kind != "const"}
    assert (said["multiply"].file, said["multiply"].text) == (
        "test_recorder.py",
        "y = mg.constant(2.0) * 3.0  # the line",
    )
    assert {said[op].text for op in ("sum", "sin", "add")} == {
        "z = mg.sum(y, axis=None) + np.sin(y)  # another",
    }
    assert said["sum"].no == said["multiply"].no + 1
    assert mg.backward_trace(mg.constant(2.0) * 3.0).nodes[-1].line is None


def test_a_wrong_argument_and_a_wrong_schema_are_named():
    with pytest.raises(TypeError, match="y must be a Tensor, got 3"):
        mg.backward_trace(3)
    with pytest.raises(ValueError, match=r"minigrad\.backward/1"):
        BackwardTrace.from_json('{"schema": "other/2"}')


@pytest.mark.parametrize("dtype, large", [(np.float16, 6e4), (np.float32, 3e38), (np.float64, 1.5e308)])
@pytest.mark.filterwarnings("error")
def test_the_mean_of_large_finite_numbers_is_finite(dtype, large):
    """A sum of them is inf in their dtype, and of the largest in float64 too; a warning would be an error here."""
    assert number(np.full(4, large, dtype)).mean == float(dtype(large))


@pytest.mark.filterwarnings("error")
def test_the_mean_of_numbers_whose_sum_is_beyond_float64():
    assert number(np.array([1e308, 1.5e308])).mean == 1.25e308
    assert number(np.array([-1e308, -1.5e308, np.nan, np.inf])).mean == -1.25e308
    assert number(np.array([1.7e308, 1.7e308, -1.7e308])).mean == pytest.approx(1.7e308 / 3)


def second_order(x):
    """The slope of a rule that computes with its argument, to be differentiated again."""
    rule = mg.custom_gradient(lambda x: (mg.log(1 + mg.exp(x)), lambda dy: dy * (1 - 1 / (1 + mg.exp(x)))))
    return mg.gradients(rule(x), x)[0]


def test_a_copy_that_the_engine_made_for_a_rule_is_called_so():
    x = mg.constant(1.5)
    trace = mg.backward_trace(second_order(x), names={"x": x})
    (copied,) = [node for node in trace.nodes if node.op == "copy"]
    assert (copied.name, copied.detail, copied.value) == ("copy of x", "made by the engine", 1.5)
    of_result = mg.backward_trace(second_order(x * x), names={"x": x})
    assert "copy of multiply" in {node.name for node in of_result.nodes}


def test_a_copy_of_the_user_is_none_of_the_engine():
    x = mg.constant(1.5)
    nodes = mg.backward_trace(mg.identity(x) * mg.copy(x), names={"x": x}).nodes
    assert [(node.op, node.name, node.detail) for node in nodes[1:3]] == [("identity", "", ""), ("copy", "", "")]


def test_a_repair_is_written_without_the_copies_of_the_engine():
    x = mg.constant(100.0)
    words = str(mg.find_nan(second_order(x), names={"x": x}))
    assert "exp sends 0 · inf = nan to copy of x" in words
    assert "write     : sigmoid(-x)" in words and "identity" not in words


def test_a_trace_keeps_the_first_64_elements_and_sentences_name_eight():
    kept = number(np.arange(100.0).reshape(10, 10))
    assert kept.sample == tuple(range(64)) and number(np.arange(5.0)).sample == (0, 1, 2, 3, 4)
    assert full(kept) == ("float64 array of shape (10, 10): [0, 1, 2, 3, 4, 5, 6, 7, …]; min 0, max 99, mean 49.5")
