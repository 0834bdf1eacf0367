"""RegisterGradient and gradient_override_map."""

import re
import threading

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.op import OPS
from minigrad.core.support.observers import created
from minigrad.frameworks.operation import type_of
from minigrad.ops.declare import defop
from tests.helpers.gradients import values


@pytest.fixture
def x():
    return mg.constant(3.0)


@mg.RegisterGradient("Hundred")
def _hundred(op, dy):
    return dy * 100.0


@mg.RegisterGradient("Thousand")
def _thousand(op, dy):
    return [dy * 1000.0]


@mg.RegisterGradient("TwoInputs")
def _two_inputs(op, dy):
    a, b = op.inputs
    return dy * b * 10.0, dy * a * 100.0


@mg.RegisterGradient("Result")
def _result(op, dy):
    return op.outputs[0]


def test_a_gradient_that_the_caller_changes_in_place_is_no_value_of_the_graph():
    x = np.array([1.0, 2.0])
    with mg.gradient_override_map({"Square": "Result"}):
        _, pull_back = mg.vjp(mg.square, x)
    for _ in range(2):
        (slope,) = pull_back(np.ones(2))
        assert slope.tolist() == [1.0, 4.0]
        slope *= 0.0


# Scope.


def test_it_applies_to_ops_created_inside_not_to_gradients_computed_inside(x):
    with mg.gradient_override_map({"Square": "Hundred"}):
        y = mg.square(x)
    z = mg.square(x)
    assert values(mg.gradients(y, x)) == [100.0]
    assert values(mg.gradients(z, x)) == [6.0]
    with mg.gradient_override_map({"Square": "Hundred"}):
        assert values(mg.gradients(z, x)) == [6.0]
    assert float(y) == 9.0


def test_the_inner_of_nested_maps_wins_and_the_outer_is_restored(x):
    with mg.gradient_override_map({"Square": "Hundred", "Neg": "Hundred"}):
        with mg.gradient_override_map({"Square": "Thousand"}):
            inner, kept = mg.square(x), -x
        outer = mg.square(x)
    assert values(mg.gradients([inner], x)) == [1000.0]
    assert values(mg.gradients([kept], x)) == [100.0]
    assert values(mg.gradients([outer], x)) == [100.0]


def test_nothing_is_left_behind_even_after_an_error(x):
    before = list(created)
    with pytest.raises(KeyError), mg.gradient_override_map({"Square": "Hundred"}):
        raise KeyError
    assert created == before
    assert values(mg.gradients(mg.square(x), x)) == [6.0]


def test_other_threads_are_not_concerned():
    found = []

    def work():
        x = mg.constant(3.0)
        found.extend(values(mg.gradients(mg.square(x), x)))

    with mg.gradient_override_map({"Square": "Hundred"}):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert found == [6.0]


def test_in_raw_passes_and_inside_functions_too(x):
    @mg.custom_gradient
    def f(x):
        return mg.square(x), lambda dy: dy * 7.0

    def g(x):
        with mg.gradient_override_map({"Square": "Hundred"}):
            return mg.square(x) + f(x)

    slope = mg.grad(g)(3.0)
    assert float(slope) == 107.0 and slope.op is None


# The function.


def test_what_the_function_sees_of_the_op():
    seen = []

    def spy(op, dy):
        seen.append((op, dy))
        return mg.broadcast_to(dy, op.inputs[0].shape)

    matrix = mg.constant([[1.0, 2.0, 3.0]])
    with _registered(spy, "Sum"):
        y = mg.sum(matrix, axis=1, keepdims=True)
    assert values(mg.gradients(y, matrix)) == [[[1.0, 1.0, 1.0]]]
    ((op, dy),) = seen
    assert (op.type, op.name) == ("Sum", "sum")
    assert [t.value.tolist() for t in (*op.inputs, *op.outputs, dy)] == [[[1.0, 2.0, 3.0]], [[6.0]], [[1.0]]]
    assert all(isinstance(t, mg.Tensor) for t in (*op.inputs, *op.outputs, dy))
    assert (op.get_attr("axis"), op.get_attr("keepdims"), op.get_attr("T")) == (1, True, np.float32)
    with pytest.raises(ValueError, match=r"the op sum of type Sum has no attribute 'stride'; it has .*axis"):
        op.get_attr("stride")


def test_one_gradient_per_input(x):
    y = mg.constant(2.0)
    with mg.gradient_override_map({"Mul": "TwoInputs"}):
        z = x * y
        number = x * 5.0
    assert values(mg.gradients(z, [x, y])) == [20.0, 300.0]
    assert values(mg.gradients(number, x)) == [50.0]


@pytest.mark.parametrize(("grad_fn", "count"), [(lambda dy: dy, 1), (lambda dy: [dy] * 3, 3), (lambda dy: [], 0)])
def test_another_number_of_gradients(grad_fn, count, x):
    with _registered(lambda op, dy: grad_fn(dy), "Mul"):
        y = x * x
    message = rf"<lambda> \(test_registered_gradients\.py:\d+\) returned {count} gradients? for Mul, which has 2 inputs"
    with pytest.raises(ValueError, match=message):
        mg.gradients(y, x)


_names = iter(range(1000))


def _registered(f, kind):
    name = f"Local{next(_names)}"
    mg.RegisterGradient(name)(f)
    return mg.gradient_override_map({kind: name})


def test_none_is_allowed(x):
    with _registered(lambda op, dy: (None, dy), "Mul"):
        y = x * mg.constant(2.0)
    assert values(mg.gradients(y, x)) == [None]


@pytest.mark.parametrize("gradient", ["oops", mg.constant(1), [["nested"]]])
def test_what_is_no_gradient(gradient, x):
    with _registered(lambda op, dy: [gradient], "Exp"):
        y = mg.exp(x)
    with pytest.raises(
        TypeError, match=r"<lambda> \(test_registered_gradients\.py:\d+\): the gradient for input 0 of Exp is"
    ):
        mg.gradients(y, x)


def test_a_wrong_shape_is_refused_and_broadcasting_undone():
    a, b = mg.constant(np.ones((4, 3))), mg.constant(np.ones(3))
    with mg.gradient_override_map({"Mul": "TwoInputs"}):
        y = a * b
    ga, gb = mg.gradients(y, [a, b])
    assert ga.shape == (4, 3) and gb.value.tolist() == [400.0] * 3
    column = mg.constant(np.ones((4, 1)))
    with mg.gradient_override_map({"Mul": "TwoInputs"}):
        y = a * column
    assert mg.gradients(y, column)[0].value.tolist() == [[300.0]] * 4
    with _registered(lambda op, dy: mg.sum(dy), "Exp"):
        y = mg.exp(b)
    with pytest.raises(ValueError, match=r"input 0 of Exp has shape \(\), but the input has shape \(3,\)"):
        mg.gradients(y, b)
    with _registered(lambda op, dy: dy, "Sum"):
        y = mg.sum(a)
    with pytest.raises(ValueError, match=r"input 0 of Sum has shape \(\), but the input has shape \(4, 3\)"):
        mg.gradients(y, a)


def test_the_function_is_differentiable_itself(x):
    with _registered(lambda op, dy: dy * op.inputs[0] * op.outputs[0], "Square"):
        y = mg.square(x)  # slope x * x^2, whose slope is x^2 + x * x * x^2 by the same function
    (g,) = mg.gradients(y, x)
    assert values([g]) == [27.0]
    assert values(mg.gradients(g, x)) == [9.0 + 3.0 * 27.0]


@pytest.mark.parametrize("kind", ["Sign", "Round", "Floor"])
def test_another_op_lends_its_rule_the_straight_through_estimator(kind, x):
    op = {type_of(op): op for op in OPS.values()}[kind]
    with mg.gradient_override_map({kind: "Identity"}):
        y = op.call(x)
    assert values(mg.gradients(y * 5.0, x)) == [5.0]


# Names.


def test_a_name_that_is_taken_says_where(x):
    with pytest.raises(
        KeyError, match=r"a gradient named 'Hundred' is registered already: _hundred \(test_registered_gradients\.py:"
    ):
        mg.RegisterGradient("Hundred")(lambda op, dy: dy)


def test_a_function_of_the_same_name_in_a_file_is_another_function():
    def register():
        @mg.RegisterGradient("SameName")
        def rule(op, dy):
            return dy

    register()
    with pytest.raises(KeyError, match="registered already: rule"):
        register()


def test_a_builtin_op_keeps_its_gradient():
    with pytest.raises(KeyError, match=r"the op 'Square' has its own gradient; .*gradient_override_map"):
        mg.RegisterGradient("Square")(lambda op, dy: dy)


def test_a_cell_of_a_notebook_can_run_again(x):
    cell = "@mg.RegisterGradient('FromCell')\ndef rule(op, dy):\n    return dy * {}"
    for factor in (10.0, 20.0):
        exec(compile(cell.format(factor), "<cell>", "exec"), {"mg": mg})
        with mg.gradient_override_map({"Square": "FromCell"}):
            y = mg.square(x)
        assert values(mg.gradients(y, x)) == [factor]


@pytest.mark.parametrize("name", [3, None, ["a"]])
def test_a_name_must_be_a_string(name):
    with pytest.raises(TypeError, match="op_type must be a string, got"):
        mg.RegisterGradient(name)


@pytest.mark.parametrize("op_type_map", [3, {"Square": 3}, {3: "Hundred"}, [("Square", "Hundred")]])
def test_a_map_must_map_strings_to_strings(op_type_map):
    with (
        pytest.raises(TypeError, match="op_type_map must be a dictionary mapping strings to strings"),
        mg.gradient_override_map(op_type_map),
    ):
        pass


@pytest.mark.parametrize(("op_type_map", "message"), [
    ({"sqare": "Hundred"}, "there is no op of type 'sqare'; did you mean 'Square'?"),
    ({"Matmul": "Hundred"}, "there is no op of type 'Matmul'; did you mean 'MatMul'?"),
    ({"Zzz": "Hundred"}, "there is no op of type 'Zzz'"),
    ({"Pack": "Hundred"}, "'Pack' is made of other ops and not in the graph itself: override one of those"),
    ({"Square": "Hundert"}, "no gradient named 'Hundert' is registered; did you mean 'Hundred'?; write"),
])  # fmt: skip
def test_a_typo_is_an_error_with_the_nearest_name(op_type_map, message):
    with pytest.raises(LookupError, match=re.escape(message)), mg.gradient_override_map(op_type_map):
        pass


@pytest.mark.parametrize(("kind", "make"), [
    ("Mul", lambda x: x * x), ("AddV2", lambda x: x + x), ("Sub", lambda x: x - x), ("RealDiv", lambda x: x / x),
    ("Neg", lambda x: -x), ("Exp", mg.exp), ("Log", mg.log), ("Square", mg.square), ("Sqrt", mg.sqrt),
    ("Sum", mg.sum), ("Pow", lambda x: x**x),
    ("MatMul", lambda x: mg.reshape(x, (1, 1)) @ mg.reshape(x, (1, 1))), ("Relu", mg.relu), ("Sign", mg.sign),
    ("Identity", mg.identity), ("SelectV2", lambda x: mg.where(x > 0, x, x)),
    ("Maximum", lambda x: mg.maximum(x, x)),
])  # fmt: skip
def test_the_types_are_those_of_tensorflow(kind, make, x):
    seen = []

    def spy(op, dy):
        seen.append(op.type)
        return [None for _ in op.inputs]

    with _registered(spy, kind):
        y = make(x)
    assert values(mg.gradients(y, x)) == [None]
    assert seen == [kind]


def test_no_two_ops_have_one_type():
    types = [type_of(op) for op in OPS.values()]
    assert len(set(types)) == len(types)


# Ops of one's own.


def test_an_op_declared_without_a_gradient_gets_one(x):
    cube = defop("cube_of_registry", lambda x: x * x * x)
    try:
        y = cube(x)
        assert values(mg.gradients(y, x)) == [None]

        @mg.RegisterGradient("CubeOfRegistry")
        def _cube(op, dy):
            return dy * 3.0 * mg.square(op.inputs[0])

        y = cube(x)
        (g,) = mg.gradients(y, x)
        assert values([g]) == [27.0]
        assert values(mg.gradients(g, x)) == [18.0]
        with pytest.raises(KeyError, match="registered already: _cube"):
            mg.RegisterGradient("CubeOfRegistry")(_hundred)
    finally:
        del OPS["cube_of_registry"]


# No gradient.


def test_no_gradient_declares_that_there_is_none(x):
    mg.no_gradient("NothingFlows")
    mg.no_gradient("NothingFlows")  # as when a cell runs again
    with mg.gradient_override_map({"Mul": "NothingFlows"}):
        y = x * x
    assert mg.gradients(y + x, x)[0].value == 1.0
    assert mg.NotDifferentiable is mg.no_gradient


def test_no_gradient_leaves_an_op_without_one_as_it_is(x):
    mg.no_gradient("Floor")
    assert not OPS["floor"].differentiable
    with pytest.raises(KeyError, match="has its own gradient"):
        mg.no_gradient("Square")


def test_an_override_of_identity_leaves_the_copies_alone_that_the_engine_makes():
    @mg.RegisterGradient("TenTimes")
    def ten_times(op, dy):
        return 10.0 * dy

    @mg.custom_gradient
    def cube(x):
        return x * x * x, lambda dy: dy * 3.0 * x * x

    plain = lambda x: x * x * x
    x = mg.constant(2.0)
    for f in (cube, mg.recompute_grad(plain), mg.recompute_grad(cube)):
        with mg.gradient_override_map({"Identity": "TenTimes"}):
            y = f(x)
            (slope,) = mg.gradients(y, x)
            second = mg.grad(mg.grad(f))(2.0)
            own = f(mg.identity(x))
        assert slope.value == 12.0
        assert second.value == 12.0
        assert mg.gradients(slope, x)[0].value == 12.0
        assert mg.gradients(own, x)[0].value == 120.0
