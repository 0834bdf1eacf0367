"""A learner's own walk over arrays: its numbers are the engine's, and what cannot be right is marked."""

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.classroom.own_engine import backward
from minigrad.tracing.nodes import behind

RIGHT = "Every box holds the sum of what arrived, and sent it on times its slopes."


def newest_first(y):
    return sorted(behind(y), key=lambda node: -node.serial)


def in_place(y):
    """A walk without `tell` that adds to the arrays it got."""
    adjoints = {y: 1.0}
    for node in newest_first(y):
        for parent, slope in zip(node.parents, node.slopes):
            message = adjoints[node] * slope
            if parent in adjoints:
                adjoints[parent] += message
            else:
                adjoints[parent] = message
    return adjoints


def stores(y):
    adjoints = {y: 1.0}
    for node in newest_first(y):
        for parent, slope in zip(node.parents, node.slopes):
            adjoints[parent] = adjoints[node] * slope
    return adjoints


def program(seed, dtype):
    """A random program of arrays and numbers, and its inputs."""
    rng = np.random.default_rng(seed)
    draw = lambda *shape: mg.constant(rng.normal(size=shape).astype(dtype))
    inputs = {"W": draw(3, 3), "v": draw(3), "column": draw(3, 1), "a": draw()}
    values = [*inputs.values()]
    for _ in range(8):
        x, y = (values[i] for i in rng.integers(len(values), size=2))
        ops = [mg.add, mg.multiply, mg.maximum, lambda x, y: mg.tanh(x), lambda x, y: mg.sum(x)]
        ops += [lambda x, y: mg.transpose(x), lambda x, y: x[0]] * (x.ndim == 2)
        ops += [mg.matmul] * (x.ndim == 2 and y.ndim > 0 and y.shape[0] == x.shape[1])
        values.append(ops[rng.integers(len(ops))](x, y))
    return sum(mg.sum(mg.sin(x)) for x in values), inputs


@pytest.mark.parametrize("walk", [backward, in_place])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", range(10))
def test_the_walk_finds_the_gradients_of_the_engine(seed, dtype, walk):
    y, inputs = program(seed, dtype)
    view = viz.backward(y, by=walk, names=inputs)
    rtol = 1e-4 if dtype == "float32" else 1e-9
    found = {node.name: node.adjoint for node in view.trace.nodes}
    for name, true in zip(inputs, mg.gradients(y, [*inputs.values()])):
        adjoint = found[name]
        sample, got = np.ravel(true.numpy()), getattr(adjoint, "sample", (adjoint,))
        assert np.allclose(got, sample[: len(got)], rtol=rtol, atol=rtol)
        assert getattr(adjoint, "shape", ()) == true.shape
    assert view.note.endswith(RIGHT)
    assert view.to_svg() and view.step(2).to_text()


def twice_used():
    x = mg.constant(np.arange(3.0))
    b = x * 2.0
    return mg.sum(b * b + b)


def test_a_walk_that_stores_is_marked_at_the_entry():
    b = mg.constant(np.arange(3.0)) * 2.0
    view = viz.backward(mg.sum(b * b + b), by=stores)
    assert "[1 1 1], [0 2 4], [0 2 4] arrived at b, together [1 5 9]. But b holds [0 2 4]." in view.note
    assert "At entry [0] they are 1 and 0." in view.note and RIGHT not in view.note


def test_a_message_that_is_not_the_slope_times_the_gradient_is_marked():
    def doubled(y, tell):
        return backward(y, lambda node, i, message, held: tell(node, i, 2 * message, held))

    note = viz.backward(mg.sum(mg.constant(np.arange(3.0)) ** 2.0), by=doubled).note
    assert "But y holds" not in note and "the rule of sum makes [1 1 1] of it" in note


def test_messages_in_several_parts_are_equal_up_to_the_rounding_of_float32():
    def parts(y, tell):
        def walk(node, g, held):
            for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
                message = g * slope
                held[parent] = held.get(parent, 0.0) + message
                tell(node, i, message, held[parent])
                walk(parent, message, held)

        walk(y, 1.0, {})

    x = mg.constant(np.array([0.1, 0.7, -1.3], "float32"))
    b = mg.sin(x) * 0.3
    assert viz.backward(mg.sum(b + b * b + b * b * b), by=parts).note.endswith(RIGHT)
    b = mg.sin(mg.constant(0.1)) * 0.3
    assert viz.backward(b + b * b + b * b * b, by=parts).note.endswith(RIGHT)


def with_split():
    a, b = mg.split(mg.constant(np.arange(4.0)), 2)
    return mg.sum(a * b)


def told(message, held):
    def walk(y, tell):
        tell(y, 0, message, held)

    return walk


def seven(y):
    return {y: 1.0, y.parents[0]: np.ones(7) * y.parents[0].slopes[0]}


@pytest.mark.parametrize(
    "wrong, error, words",
    [
        (lambda: viz.backward(with_split(), by=backward), TypeError, "split has several results; a walk over nodes"),
        (lambda: viz.backward(twice_used(), by=told(1.0, np.ones(3))), ValueError, r"a message of shape \(\) for add"),
        (lambda: viz.backward(twice_used(), by=told(np.ones(3), 1.0)), ValueError, r"a gradient of shape \(\) for add"),
        (lambda: viz.backward(twice_used(), by=seven), ValueError, r"of <add> has shape \(7,\), and its value \(3,\)"),
        (lambda: viz.backward(twice_used(), by=told(1j, 1.0)), TypeError, "reported 1j as message, which must be"),
    ],
)
def test_what_cannot_be_drawn_gets_a_sentence(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()
