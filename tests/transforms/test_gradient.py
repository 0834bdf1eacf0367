"""`grad` and `value_and_grad`: arguments, structures, nesting, and what they refuse."""

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.tables import over


def test_value_and_gradient_of_a_structure():
    f = lambda p, x: mg.sum((x @ p["w"] + p["b"]) ** 2)
    p = {"w": np.array([1.0, 2.0]), "b": 3.0}
    x = np.array([[1.0, 0.0], [0.0, 1.0]])
    value, g = mg.value_and_grad(f)(p, x)
    assert float(value) == 16.0 + 25.0
    np.testing.assert_array_equal(g["w"], [8.0, 10.0])
    assert float(g["b"]) == 18.0
    assert (g["w"].dtype, g["b"].dtype) == (np.float64, np.float32)


def test_several_arguments_and_auxiliary_output():
    f = lambda x, y: (x * y * y, {"seen": y})
    g, aux = mg.grad(f, argnums=(0, 1), has_aux=True)(2.0, 3.0)
    assert [float(v) for v in g] == [9.0, 12.0]
    assert float(aux["seen"]) == 3.0
    assert float(mg.grad(lambda x, y: x * y, argnums=-1)(2.0, 3.0)) == 2.0


def test_any_order():
    f = mg.tanh
    x = 0.3
    t = np.tanh(x)
    s = 1 - t * t
    exact = [s, -2 * t * s, 6 * t * t * s - 2 * s, s * (16 * t - 24 * t**3)]
    for want in exact:
        f = mg.grad(f)
        assert float(f(np.float64(x))) == pytest.approx(want, rel=1e-12)


def test_nested_derivatives_do_not_mix_their_variables():
    assert float(mg.grad(lambda x: x * mg.grad(lambda y: x + y)(1.0))(1.0)) == 1.0
    assert float(mg.grad(lambda x: x * mg.grad(lambda y: x * y)(1.0))(3.0)) == 6.0
    assert float(mg.grad(lambda x: mg.grad(lambda y: y * y * x)(x))(3.0)) == 12.0
    assert float(mg.grad(lambda x: mg.gradients(x * x * x, x)[0])(2.0)) == 12.0


def test_variables_and_tensors_as_arguments():
    w = mg.Variable([1.0, 2.0])
    g = mg.grad(lambda v: mg.sum(v * v))(w)
    np.testing.assert_array_equal(g.value, [2.0, 4.0])
    assert float(mg.grad(lambda v: v * v)(mg.constant(3.0))) == 6.0


def test_what_does_not_matter_has_gradient_zero():
    g = mg.grad(lambda p: p["a"] * 2.0)({"a": 1.0, "b": np.ones(2)})
    np.testing.assert_array_equal(g["b"], [0.0, 0.0])


def test_the_outermost_pass_is_not_recorded():
    value, g = mg.value_and_grad(lambda x: x * x)(3.0)
    assert g.op is None
    assert value.op is None


def test_numpy_in_numpy_out():
    value, g = mg.value_and_grad(lambda x: mg.sum(x * x))(np.array([1.0, 2.0]))
    assert (type(value), type(g)) == (np.float64, np.ndarray)
    g[0] = 7.0  # and it is the caller's own
    assert isinstance(mg.grad(lambda x: x * x)(2.0), mg.Tensor)
    inner = []
    mg.grad(lambda x: inner.append(mg.grad(lambda y: y * y)(np.float64(2.0))) or x)(1.0)
    assert isinstance(inner[0], mg.Tensor)


@pytest.mark.parametrize(("f", "args", "words"), [
    (lambda x: x * 2, (3,), r"argument 0 of <lambda> is 3 of dtype int32"),
    (lambda x: x["n"] * 1.0, ({"n": 3},), r"argument 0 of <lambda>\['n'\] is 3"),
    (lambda x: x * 2, ([1.0, 2.0],), "returned"), (lambda x: x * 2, (np.ones(2),), r"shape \(2,\).*sum\(\)"),
    (lambda x: None, (1.0,), "returned None"), (lambda x: "a", (1.0,), "returned 'a'"),
    (lambda x: x > 0, (1.0,), "dtype bool"), (lambda x: x, (1 + 1j,), "complex"),
    (lambda x: x, ("s",), "string"),
])  # fmt: skip
def test_bad_calls_are_explained(f, args, words):
    with pytest.raises(TypeError, match=words):
        mg.grad(f)(*args)


def test_a_missing_argument_and_a_non_function_are_explained():
    with pytest.raises(TypeError, match="argument 1, counted from 0, but <lambda> was called with 1 argument"):
        mg.grad(lambda x: x, argnums=1)(1.0)
    with pytest.raises(TypeError, match="takes a function"):
        mg.grad(3.0)


def test_a_failing_function_leaves_no_trace_behind():
    with pytest.raises(ZeroDivisionError):
        mg.grad(lambda x: x * (1 // 0))(1.0)
    assert mg.value_and_grad(lambda x: x * x)(3.0)[1].op is None


def test_scipy_minimises_with_value_and_grad():
    optimize = pytest.importorskip("scipy.optimize")
    rosenbrock = lambda x: mg.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    found = optimize.minimize(mg.value_and_grad(rosenbrock), np.zeros(3), jac=True)
    np.testing.assert_allclose(found.x, 1.0, atol=1e-4)


@pytest.mark.parametrize("one", [1, -1, np.int64(1), np.int32(-1)])
def test_argnums_takes_every_integer(one):
    f = lambda a, b: a * b * b
    assert float(mg.grad(f, one)(2.0, 3.0)) == 12.0
    assert [float(g) for g in mg.grad(f, (one, 0))(2.0, 3.0)] == [12.0, 9.0]
    np.testing.assert_array_equal(mg.jacobian(f, one)(np.float64(2), np.float64(3)), 12.0)
    np.testing.assert_array_equal(mg.hvp(f, one)(np.float64(2), np.float64(3), np.float64(1)), 4.0)
    np.testing.assert_array_equal(mg.hessian(f, one)(np.float64(2), np.float64(3)), 4.0)


@over([mg.grad, mg.value_and_grad, mg.jacobian, mg.elementwise_grad], [(0, 0), (0, -2), [1, -1, 0], (np.int64(1), 1)])
def test_a_repeated_argument_is_an_error(transform, argnums):
    with pytest.raises(ValueError, match=r"argnums=.* names an argument of .* twice"):
        transform(lambda a, b: a * b, argnums)(1.0, 2.0)


@over([mg.grad, mg.value_and_grad, mg.jacobian, mg.hvp], [True, (0, False), np.True_, "a", ("a",), 1.0, None])
def test_what_is_no_position_is_an_error(transform, argnums):
    with pytest.raises(TypeError, match="argnums is the position of an argument"):
        transform(lambda a, b: a * b, argnums)


@pytest.mark.parametrize("truth", [True, np.True_, np.array(True), mg.constant(True)])
def test_a_truth_value_has_no_gradient(truth):
    with pytest.raises(TypeError, match="bool"):
        mg.grad(lambda x: truth)(1.0)


def test_the_gradient_of_an_outermost_transform_says_that_it_is_not_recorded():
    c = mg.constant(2.0)
    value, slope = mg.value_and_grad(lambda x: x**3)(c)
    c.item()  # what left elsewhere is not to blame
    for y in (slope, slope * 2.0, value):
        assert mg.gradients(y, c) == [None]
        said = mg.explain_none(y, c)
        assert said.reason == "not recorded"
        assert "grad(grad(f))" in str(said)
    assert float(mg.grad(mg.grad(lambda x: x**3))(c)) == 12.0


def test_gradients_share_no_memory():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    one, other = mg.grad(lambda a, b: mg.sum(a + b), (0, 1))(x, y)
    one[0] = 99.0
    assert other.tolist() == [1.0, 1.0]
    (_, aux), _ = mg.value_and_grad(lambda a: (mg.sum(a), [a, mg.reshape(a, (2, 1)), a[:1]]), has_aux=True)(x)
    for t in aux:
        assert not np.shares_memory(t.value, x)
    a, b, u = mg.constant(x), mg.constant(y), mg.constant([5.0, 6.0])
    for upstream in (None, u):
        first, second = mg.gradients(a + b, [a, b], grad_ys=None if upstream is None else [mg.astype(u, "float64")])
        assert not np.shares_memory(first.value, second.value)
        np.testing.assert_array_equal(first.value, second.value)
    u = mg.constant(x)
    first, second = mg.gradients(a + b, [a, b], grad_ys=[u])
    assert not np.shares_memory(first.value, u.value)
    assert not np.shares_memory(second.value, u.value)
    assert float(mg.gradients(mg.sum(first * second), u)[0][0]) == 2.0
    with mg.GradientTape() as tape:
        tape.watch([a, b])
        z = a + b
    first, second = tape.gradient(z, [a, b])
    assert not np.shares_memory(first.value, second.value)


@pytest.mark.filterwarnings("ignore")
def test_an_elementwise_function_may_return_a_plain_array():
    assert mg.elementwise_grad(lambda x: np.ones(3))(np.ones(3)).tolist() == [0.0] * 3
