"""A finished computation as a function of its inputs: the value and the gradients that a new run would give."""

import numpy as np

import minigrad as mg
from minigrad.tracing.recorded_function import RecordedFunction
from minigrad.tracing.replay import made_from

X = np.array([1.0, 2.0])


@mg.custom_gradient
def cubed(x):
    y = x * x
    return y * x, lambda dy: dy * 3.0 * y


def test_at_other_inputs_it_gives_what_a_new_run_gives():
    f = lambda x, w: mg.sum(mg.tanh(x) * w)
    x, w = mg.constant(X), mg.constant(X + 1.0)
    finished = RecordedFunction(f(x, w), names={w.serial: "w", x.serial: "x"})
    assert list(finished.inputs) == ["w", "x"]
    value, gradients = finished({"x": X * 3.0, "w": X})
    new = mg.constant(X * 3.0), mg.constant(X)
    assert value == f(*new).value and [s.serial for s in finished.sources] == [x.serial, w.serial]
    for ours, theirs in zip(gradients, mg.gradients(f(*new), new)):
        assert ours.tolist() == theirs.value.tolist()


def test_a_rule_computes_with_what_its_function_captured_and_the_nodes_are_as_before():
    x = mg.constant(X)
    y = mg.sum(cubed(x))
    seen = []
    value, (slope,) = RecordedFunction(y, [x], {x.serial: "x"})({"x": X * 2.0}, lambda t, now: seen.append(t.serial))
    assert float(value) == 8.0 + 64.0 and slope.tolist() == [12.0, 48.0]
    assert float(y.value) == 9.0 and x.value.tolist() == [1.0, 2.0] and seen == sorted(seen)


def test_arrays_that_ops_were_given_are_inputs_by_the_names_of_the_user():
    x, mass, other = mg.constant(X), np.array([3.0, 4.0]), np.array([5.0, 6.0])
    finished = RecordedFunction(mg.sum(x * mass), [x], {x.serial: "x"}, {"mass": mass, "other": other})
    assert list(finished.inputs) == ["x", "mass"]
    assert finished({"x": X, "mass": np.ones(2)})[1][0].tolist() == [1.0, 1.0]


def test_a_source_that_is_not_connected_has_no_gradient():
    x, z = mg.constant(X), mg.constant(X)
    assert RecordedFunction(mg.sum(x), [x, z])({"x": X})[1][1] is None


def test_everything_is_found_that_a_value_was_made_from_behind_rules_too():
    x = mg.constant(X)
    y = cubed(x * x)
    names = {t.op.name for t in made_from([y]) if t.op is not None}
    assert {"multiply", "cubed"} <= names and any(t is x for t in made_from([y]))
