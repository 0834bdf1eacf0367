"""Pictures of a function that differentiates inside: the gradient of `mg.grad`, or a note that it is incomplete."""

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.helpers.inner_transforms import INNER, cube

each = pytest.mark.parametrize("inner", INNER.values(), ids=INNER)


@pytest.fixture
def f(inner):
    return lambda x: inner(x) * mg.sin(x)


def expected(f, x=1.5, h=1e-5):
    at = lambda x: float(f(mg.constant(x, dtype="float64")))
    return (at(x + h) - at(x - h)) / (2 * h)


def gradient_of_x(trace):
    (node,) = [node for node in trace.nodes if node.name == "x"]
    return float(node.adjoint.value if hasattr(node.adjoint, "value") else node.adjoint)


@each
def test_a_picture_has_the_gradient_of_the_function(f):
    slope = expected(f)
    view = viz.backward(f, x=1.5)
    assert gradient_of_x(view.trace) == pytest.approx(slope, rel=1e-5) and not view.note
    assert gradient_of_x(viz.source(f, x=1.5).trace) == pytest.approx(slope, rel=1e-5)


@each
def test_a_program_beside_a_picture_computes_it(f):
    program = viz.source(f, x=1.5).source
    _, gradients = program.run()
    assert any(np.asarray(g) == pytest.approx(expected(f), rel=1e-5) for g in gradients)


@each
def test_the_derived_gradient_is_right_beside_finite_differences(f):
    for factor, verdict in ((1.0, "two gradients, the same here"), (1.1, "The derived pass is right here")):

        @mg.custom_gradient
        def ruled(x, factor=factor):
            return f(x), lambda upstream: upstream * factor * expected(f)

        assert verdict in str(viz.compare(ruled, x=1.5)).split("\n")[0]


@each
def test_a_value_that_a_transform_computed_before_has_a_note(inner):
    x = mg.constant(1.5)
    part = inner(x)
    view = viz.backward(part * mg.sin(x))
    try:
        (slope,) = mg.gradients(part * mg.sin(x), x)
    except ValueError:
        assert "The gradient of x is incomplete: grad" in view.note
        assert "depends most" not in str(view), "no rank by a gradient of which a part is missing"
        assert view.followed[0].why == "a transform was not recorded", "another x would be another part"
    else:
        assert not view.note and float(slope) == pytest.approx(expected(lambda x: inner(x) * mg.sin(x)), rel=1e-5)


def test_the_note_names_a_variable_and_is_absent_where_its_own_value_is_not_used():
    w = mg.Variable(2.0, name="w")
    slope = mg.grad(cube)(w)
    assert (
        "The gradient of w is incomplete: grad, vjp, a tape or another transform computed slope"
        in viz.backward(slope * w).note
    )
    assert "The gradient of w is incomplete" in viz.source(slope * w).note
    x = mg.constant(3.0)
    assert not viz.backward(slope * x).note


def random_program(rng):
    """A function of x and w with parts that transforms compute outside of any function: its value, as a Tensor."""
    transforms = [INNER[name] for name in ("grad", "value_and_grad", "vjp", "jacobian", "tape", "hessian")]
    at = [lambda x, w: x, lambda x, w: w, lambda x, w: x * w, lambda x, w: mg.sin(x), lambda x, w: mg.constant(0.7)]
    keep = [lambda part: part, lambda part: part, mg.stop_gradient]
    parts = [(rng.choice(transforms), rng.choice(at), rng.choice(keep)) for _ in range(rng.integers(0, 3))]
    factors = [rng.choice(at[:4]) for _ in range(3)]

    def program(x, w, constant=lambda part: part):
        terms = [factor(x, w) for factor in factors]
        for i, (transform, where, kept) in enumerate(parts):
            part = kept(transform(where(x, w)))
            terms[i] = terms[i] * (constant(part) if kept is mg.stop_gradient else part)
        return mg.sum(mg.stack(terms))

    return program


@pytest.mark.cases(40)
@pytest.mark.parametrize("seed", range(40))
def test_of_random_programs_the_note_names_the_gradients_that_are_not_whole(seed):
    program = random_program(np.random.default_rng([36, seed]))
    values = {"x": 0.8, "w": 1.3}
    inputs = {name: mg.constant(np.float64(value)) for name, value in values.items()}
    held = []
    program(**inputs, constant=lambda part: held.append(part) or part)

    def measured(name, h=1e-5):
        def at(value):  # what stop_gradient takes for a constant keeps its value
            constants = iter(held)
            shifted = {k: mg.constant(np.float64(v)) for k, v in (values | {name: value}).items()}
            return float(program(**shifted, constant=lambda part: next(constants)))

        return (at(values[name] + h) - at(values[name] - h)) / (2 * h)

    x, w = inputs["x"], inputs["w"]
    view = viz.backward(program(x, w))
    for name in inputs:
        shown = [node.adjoint for node in view.trace.nodes if node.name == name and node.adjoint is not None]
        if shown:
            whole = float(shown[0]) == pytest.approx(measured(name), rel=1e-6, abs=1e-6)
            assert (f"The gradient of {name} is incomplete" not in view.note) == whole, (name, view.note)
