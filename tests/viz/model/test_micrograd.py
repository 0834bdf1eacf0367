"""A `Value` as micrograd makes it: its graph, and what the `_backward` of each sends."""

import math
import random

import pytest

import viz


class Value:
    """A class as people who follow micrograd write it: data, grad, a set of children, and a closure."""

    def __init__(self, data, children=(), op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, set(children), op
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self, adds=True):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad = (self.grad if adds else 0.0) + (1 - t * t) * out.grad

        out._backward = _backward
        return out


def sends(view):
    """(from, to, message), by the names or ops of the boxes."""
    label = {node.id: node.name or node.op for node in view.trace.nodes}
    return [(label[step.node], label[send.to], send.value) for step in view.trace.steps for send in step.sends]


def test_each_message_is_drawn_in_the_names_of_the_notebook():
    x, w, b = Value(2.0), Value(-3.0), Value(7.0)
    y = x * w + b
    view = viz.backward(y)
    assert sends(view) == [("y", "*", 1.0), ("y", "b", 1.0), ("*", "x", -3.0), ("*", "w", 2.0)]
    assert view.note == "4 messages were recorded. Every box holds the sum of what arrived."
    assert [node.name for node in view.trace.nodes if node.kind == "leaf"] == ["x", "w", "b"]


def test_a_rule_that_sets_in_place_of_adding_is_told_from_the_sum():
    x = Value(0.5)
    y = x.tanh(adds=False) * x
    assert "This cannot be right" in viz.backward(y).note and "at x" in viz.backward(y).note
    y = x.tanh() * x
    assert "Every box holds the sum" in viz.backward(y).note


def test_the_grads_of_the_user_stay_also_after_an_error():
    x = Value(0.5)
    y = x * x
    x.grad, y.grad = 3.0, 4.0
    viz.backward(y)
    assert (x.grad, y.grad) == (3.0, 4.0)
    y._backward = lambda: 1 / 0
    with pytest.raises(ZeroDivisionError):
        viz.backward(y)
    assert (x.grad, y.grad) == (3.0, 4.0)


def test_a_value_that_is_used_twice_by_one_op_is_one_argument():
    x = Value(3.0)
    y = x * x
    assert sends(viz.backward(y)) == [("y", "x", 6.0)]


def test_without_rules_there_are_the_values():
    x = Value(3.0)
    y = x * x
    del y._backward
    assert [node.value for node in viz.forward(y).trace.nodes] == [3.0, 9.0]
    with pytest.raises(TypeError, match=r"no _backward; viz\.forward\(y\)"):
        viz.backward(y)


def test_what_does_not_go_with_a_value_is_answered_in_a_sentence():
    x = Value(3.0)
    with pytest.raises(TypeError, match="by= is not for a Value"):
        viz.backward(x * x, by=lambda y, tell: None)
    with pytest.raises(TypeError, match="not for another engine's"):
        viz.backward(x * x, mode="values")
    x._prev = {x * x}
    with pytest.raises(ValueError, match="computed from itself"):
        viz.backward(x)


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_hold_what_their_own_pass_computes(seed):
    """The oracle is micrograd's recursion over the set, written out."""
    draw = random.Random(seed)
    values = [Value(draw.uniform(-2, 2)) for _ in range(3)]
    inputs = dict(zip("abc", values))
    for _ in range(12):
        one, other = draw.choice(values), draw.choice(values)
        values.append(draw.choice([one.__add__, one.__mul__, lambda _: one.tanh()])(other))  # noqa: B023
    y = values[-1]
    view = viz.backward(y, names=inputs)

    order, seen = [], set()

    def visit(value):
        if id(value) not in seen:
            seen.add(id(value))
            for child in value._prev:
                visit(child)
            order.append(value)

    visit(y)
    y.grad = 1.0
    for value in reversed(order):
        value._backward()
    drawn = {node.name: node.adjoint for node in view.trace.nodes if node.name in inputs}
    assert drawn == {name: pytest.approx(x.grad, rel=1e-12) for name, x in inputs.items() if id(x) in seen}
    assert "Every box holds the sum" in view.note


def test_three_thousand_values_in_a_row():
    x = y = Value(1.0)
    for _ in range(3000):
        y = y + x
    assert len(viz.backward(y, fold="none").trace.nodes) == 3001
