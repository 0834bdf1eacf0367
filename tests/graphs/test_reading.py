"""Data that describes no graph is refused before anything is run."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as mg
from minigrad.graphs import Graph, Unreadable, function_of, write
from minigrad.graphs.as_function import TooMuchWork
from minigrad.graphs.as_json import NotData, from_data, numbers_in, to_data
from tests.helpers.tables import over


def text(*nodes, out=1, params=(0,)):
    return json.dumps({"params": list(params), "nodes": list(nodes), "out": [out]})


REFUSED = {
    "no JSON": ("{", "not JSON"),
    "nan": ('{"params": [NaN]}', "NaN is not JSON"),
    "another form": ("[]", "params, nodes and out"),
    "no op": (text([1, "op", "eval", [{"node": 0}], {}]), "'eval' is not an op of minigrad"),
    "attribute": (text([1, "op", "__class__", [{"node": 0}], {}]), "is not an op of minigrad"),
    "composite": (text([1, "op", "stack", [{"node": 0}], {}]), "is not an op of minigrad"),
    "a list as an op": (text([1, "op", ["exp"], [{"node": 0}], {}]), "is not an op of minigrad"),
    "ufunc option": (text([1, "op", "sqrt", [{"node": 0}], {"where": False}]), "sqrt is called wrongly"),
    "out": (text([1, "op", "sqrt", [{"node": 0}, {"node": 0}], {}]), "sqrt is called wrongly"),
    "itself": (text([1, "op", "add", [{"node": 1}, {"node": 0}], {}]), "does not come before it"),
    "no Tensor": (text([1, "op", "add", [1.0, 2.0], {}]), "no Tensor among its arguments"),
    "number taken": (text([0, "op", "exp", [{"node": 0}], {}], out=0), "is taken"),
    "True as a number": (text([True, "op", "exp", [{"node": 0}], {}]), "is taken"),
    "missing result": (text([1, "op", "exp", [{"node": 0}], {}], out=2), "no node 2"),
    "kind": (text([1, "import", "os"]), "not a kind of node"),
    "dtype": (text([1, "constant", {"array": "object", "shape": [], "number": 1.0}]), "no array of 'object'"),
    "shape": (text([1, "constant", {"array": "float32", "shape": [-1], "bytes": ""}]), "shape [-1]"),
    "bytes": (text([1, "constant", {"array": "float32", "shape": [3], "bytes": "AAAA"}]), "cannot be read"),
    "deep": (text([1, "constant", json.loads("[" * 500 + "]" * 500)]), "nested more than 50 deep"),
    "callable": (text([1, "constant", {"call": "os.system"}]), "is not an argument"),
    "output": (text([1, "output", 0, -1]), "an output must have an index"),
    "size": ("[" + " " * 4_000_001 + "]", "more than 4,000,000"),
}


@over(REFUSED)
def test_refused(data, why):
    with pytest.raises(Unreadable) as caught:
        Graph(data)
    assert why in str(caught.value)


def test_too_many_nodes():
    nodes = [[i, "op", "exp", [{"node": i - 1}], {}] for i in range(1, 20_002)]
    with pytest.raises(Unreadable, match="more than 20,000 nodes"):
        Graph(text(*nodes))


def nested(depth):
    body = {"params": [3 * depth + 1], "nodes": [], "out": [3 * depth + 1]}
    if depth:
        inner = nested(depth - 1)
        body["nodes"] = [[3 * depth + 2, "custom", "f", [3 * depth + 1], False, inner, None]]
    return body


def test_custom_gradients_are_not_nested_without_end():
    Graph(json.dumps(nested(12)))
    with pytest.raises(Unreadable, match="nested too deeply"):
        Graph(json.dumps(nested(13)))


def test_nothing_outside_of_a_rule_sees_into_it():
    inner = {"params": [2], "nodes": [[3, "op", "exp", [{"node": 2}], {}]], "out": [3]}
    rule = {"params": [4], "nodes": [[5, "op", "multiply", [{"node": 4}, {"node": 3}], {}]], "out": [5]}
    call = [1, "custom", "f", [0], False, inner, rule]
    Graph(text(call))
    with pytest.raises(Unreadable, match="refers to 3"):
        Graph(text(call, [6, "op", "exp", [{"node": 3}], {}], out=6))
    with pytest.raises(Unreadable, match="one upstream for each output"):
        Graph(text([1, "custom", "f", [0], False, inner, {"params": [4, 6], "nodes": [], "out": [4]}]))


def test_a_run_is_limited():
    x = mg.constant([1.0])
    run = function_of(Graph(text([1, "op", "broadcast_to", [{"node": 0}, {"tuple": [2000, 1000]}], {}])))
    with pytest.raises(TooMuchWork, match="broadcast_to makes 2,000,000 numbers"):
        run(x)


def test_what_is_in_a_graph_is_counted():
    @mg.custom_gradient
    def f(x):
        return mg.exp(x) + 1, lambda upstream: upstream * mg.sin(x) * np.array([1.0, 2.0])

    x = mg.constant([1.0, 2.0])
    graph = Graph(json.dumps(write([x], [f(x) * 2])))
    assert {(use.name, use.part) for use in graph.ops} >= {("exp", "body"), ("sin", "rule"), ("multiply", "function")}
    assert graph.customs == [("f", "function")]
    assert graph.constants == 4


@pytest.mark.parametrize(
    "value",
    [None, True, 3, 2.5, float("inf"), "reflect", slice(1, None, 2), ..., (1, (2.0, None)), [1, [2]], np.dtype("int64"),
     np.float32(0.1), np.array([[1, 2], [3, 4]]), np.array([True, False]), np.zeros((0, 3)), np.float64("nan")],
    ids=repr,
)  # fmt: skip
def test_arguments_are_the_same_again(value):
    data = json.loads(json.dumps(to_data(value), allow_nan=False))
    again = from_data(data, node=None)
    assert type(again) is type(value)
    np.testing.assert_equal(again, value)


@pytest.mark.parametrize(
    "value", [object(), {1: 2}, 1j, np.array([1j]), 2**70, b"x"], ids=lambda value: type(value).__name__
)
def test_what_is_no_data(value):
    with pytest.raises(NotData):
        to_data(value)


def test_numbers_are_counted():
    assert numbers_in(to_data((1, [2.0, None, True], np.arange(6.0).reshape(2, 3), slice(0, 4)))) == 10
    assert numbers_in(to_data(np.zeros((2, 3)))) == 1


RIGHT = text(
    [1, "op", "exp", [{"node": 0}], {}],
    [2, "custom", "f", [1], False,
     {"params": [3], "nodes": [[4, "op", "multiply", [{"node": 3}, 2.0], {}]], "out": [4]},
     {"params": [5], "nodes": [[6, "op", "multiply", [{"node": 5}, {"node": 4}], {}]], "out": [6]}],
    out=2,
)  # fmt: skip


@given(st.integers(0, len(RIGHT) - 1), st.sampled_from(list('{}[]",:0123456789eno- ')))
def test_a_changed_graph_runs_or_is_a_sentence(place, letter):
    changed = RIGHT[:place] + letter + RIGHT[place + 1 :]
    try:
        function_of(Graph(changed))(mg.constant(0.5))
    except (Unreadable, TypeError, ValueError, KeyError) as error:
        assert str(error)
