"""vjp, jvp, jacobian, hessian, hvp, elementwise_grad: against each other, against first principles, nested."""

import numpy as np
import pytest
from hypothesis import given, settings

import minigrad as mg
from tests.helpers.random_programs import arrays, numeric_gradient, programs


@given(programs(), arrays(), arrays(), arrays(), arrays())
@settings(max_examples=60)
def test_forward_and_backward_products_agree_with_the_jacobian(program, a, b, u, v):
    f = lambda x: program(x, mg.constant(b))
    J = mg.jacobian(f)(a)
    assert J.shape == (3, 3)
    _, pull_back = mg.vjp(f, a)
    np.testing.assert_allclose(pull_back(u)[0], u @ J, rtol=1e-9, atol=1e-9)
    y, moved = mg.jvp(f, (a,), (v,))
    np.testing.assert_allclose(moved, J @ v, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(y, f(mg.constant(a)).value)
    for i in range(3):
        row = numeric_gradient(lambda x, i=i: f(x)[i], a)[0]
        np.testing.assert_allclose(J[i], row, rtol=1e-5, atol=1e-6)


@given(programs(1), arrays(), arrays())
@settings(max_examples=40)
def test_the_hessian_is_symmetric_and_hvp_is_its_product(program, a, v):
    f = lambda x: mg.sum(program(x) * x)
    H = mg.hessian(f)(a)
    np.testing.assert_allclose(H, H.T, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(mg.hvp(f)(a, v), H @ v, rtol=1e-8, atol=1e-8)


def test_structures_in_and_out():
    f = lambda p, x: {"a": p["w"] * x, "b": mg.sum(p["w"]) + p["c"]}
    p = {"w": np.array([1.0, 2.0]), "c": np.float64(3.0)}
    J = mg.jacobian(f)(p, 5.0)
    np.testing.assert_array_equal(J["a"]["w"], np.diag([5.0, 5.0]))
    np.testing.assert_array_equal(J["a"]["c"], [0.0, 0.0])
    np.testing.assert_array_equal(J["b"]["w"], [1.0, 1.0])
    assert J["b"]["c"] == 1.0
    both = mg.jacobian(lambda x, y: x * y, argnums=(0, 1))(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    np.testing.assert_array_equal(both, [np.diag([3.0, 4.0]), np.diag([1.0, 2.0])])
    _, pull_back = mg.vjp(f, p, 5.0)
    gp, gx = pull_back({"a": np.ones(2), "b": np.float64(1.0)})
    np.testing.assert_array_equal(gp["w"], [6.0, 6.0])
    assert float(gx) == 3.0
    _, moved = mg.jvp(f, (p, 5.0), ({"w": np.array([1.0, 0.0]), "c": 2.0}, 0.0))
    np.testing.assert_array_equal(moved["a"].value, [5.0, 0.0])
    assert float(moved["b"]) == 3.0


def test_nested_to_any_order_without_mixing():
    cube = lambda x: x**3
    inner = lambda x: mg.jvp(cube, (x,), (1.0,))[1]
    assert float(mg.jvp(inner, (2.0,), (1.0,))[1]) == 12.0
    assert float(mg.grad(inner)(2.0)) == 12.0
    assert float(mg.jvp(mg.grad(cube), (2.0,), (1.0,))[1]) == 12.0
    assert float(mg.grad(lambda x: mg.jacobian(cube)(x) * x)(2.0)) == 12.0 * 2 + 12.0
    confusion = lambda x: x * mg.jvp(lambda y: x * y, (1.0,), (1.0,))[1]
    assert float(mg.jvp(confusion, (3.0,), (1.0,))[1]) == 6.0
    H = mg.jacobian(mg.jacobian(lambda x: mg.sum(x**3)))(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(H, np.diag([6.0, 12.0]))


def test_jvp_follows_the_rule_of_a_custom_gradient_never_the_derived_derivative():
    @mg.custom_gradient
    def lie(x):
        return x * x, lambda dy: dy * 100.0

    assert float(mg.jvp(lie, (3.0,), (2.0,))[1]) == 200.0
    assert float(mg.jvp(lambda x: lie(x) + x, (3.0,), (2.0,))[1]) == 202.0

    @mg.custom_gradient
    def opaque(x):
        return x * x, lambda dy: np.asarray(dy) * 100.0

    with pytest.raises(TypeError, match=r"rule of opaque.*linear in dy.*numpy"):
        mg.jvp(lambda x: opaque(x) + x, (3.0,), (2.0,))


def test_elementwise_grad():
    np.testing.assert_allclose(mg.elementwise_grad(mg.tanh)(np.array([0.0, 1.0])), 1 - np.tanh([0.0, 1.0]) ** 2)
    assert float(mg.elementwise_grad(mg.elementwise_grad(mg.sin))(np.float64(0.5))) == pytest.approx(-np.sin(0.5))


def test_what_does_not_depend_moves_by_zero():
    with pytest.warns(UserWarning, match="does not depend on x"):
        _, moved = mg.jvp(lambda x: mg.constant([1.0, 2.0]), (1.0,), (1.0,))
    np.testing.assert_array_equal(moved.value, [0.0, 0.0])
    for constant in (mg.constant([1.0, 2.0]), np.array([1.0, 2.0])):
        with pytest.warns(UserWarning, match="does not depend on x"):
            np.testing.assert_array_equal(
                mg.jacobian(lambda x, constant=constant: constant)(np.ones(3)), np.zeros((2, 3))
            )


def test_a_pull_back_can_be_differentiated_in_another_transform():
    x = np.array([1.0, 2.0])
    _, pull_back = mg.vjp(lambda x: x * x, x)
    u = np.array([3.0, 5.0])
    np.testing.assert_allclose(mg.grad(lambda u: mg.sum(pull_back(u)[0] ** 2))(u), 8 * x * x * u)
    np.testing.assert_allclose(mg.jacobian(lambda u: pull_back(u)[0])(u), np.diag(2 * x))
    np.testing.assert_array_equal(pull_back(u)[0], 2 * x * u)
    with mg.GradientTape() as tape:
        v = mg.constant(u)
        tape.watch(v)
        y = mg.sum(pull_back(v)[0] ** 2)
    np.testing.assert_allclose(tape.gradient(y, v).value, 8 * x * x * u)


def test_results_share_memory_with_nothing_that_the_caller_holds():
    x, u = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    v = mg.constant(u)
    for upstream, kept in ((u, u), (v, v.value)):
        value, pull_back = mg.vjp(lambda a, b: a + b, x, x)
        first, second = pull_back(upstream)
        for one, other in ((first, second), (first, kept), (second, kept), (value.value, x)):
            assert not np.shares_memory(one, other)
    (value, same), (moved, also) = mg.jvp(lambda a: (a, a), (x,), (u,))
    for one, other in ((value, x), (moved, u), (value, same), (moved, also)):
        assert not np.shares_memory(one, other)


@pytest.mark.parametrize("argnums", [True, (0,), (0, 1), "x", 1.0])
def test_hvp_takes_the_position_of_one_argument(argnums):
    with pytest.raises(TypeError, match="argnums"):
        mg.hvp(lambda x, y: x * y, argnums)(1.0, 2.0, 1.0)


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: mg.jvp(mg.sin, 1.0, 1.0), TypeError, "as tuples"),
    (lambda: mg.jvp(mg.sin, (1.0,), (1.0, 2.0)), ValueError, "tangents"),
    (lambda: mg.jvp(mg.sin, (np.ones(2),), (np.ones(3),)), ValueError, r"tangents.*\(3,\).*\(2,\)"),
    (lambda: mg.vjp(mg.sin, np.ones(2))[1](np.ones(3)), ValueError, r"upstream.*\(3,\).*\(2,\)"),
    (lambda: mg.jacobian(lambda x: None)(1.0), TypeError, "returned None"),
    (lambda: mg.jacobian(lambda x: x > 0)(1.0), TypeError, "dtype bool"),
    (lambda: mg.hvp(lambda x: mg.sum(x))(np.ones(2), [1.0, 1.0]), ValueError, "vector"),
    (lambda: mg.hvp(mg.sum)(np.ones(3), np.ones(1)), ValueError, r"vector.*\(1,\) where shape \(3,\)"),
    (lambda: mg.hvp(mg.sum)(np.ones(3), 1.0), ValueError, r"vector.*\(\) where shape \(3,\)"),
    (lambda: mg.hvp(lambda p: mg.sum(p["w"]))({"w": np.ones(2)}, {"w": np.ones(1)}), ValueError, "vector.*part"),
    (lambda: mg.hvp(mg.sum)(np.ones(3)), TypeError, r"vector.*hvp\(f\)\(x, vector\); it got 1 argument$"),
    (lambda: mg.hvp(mg.sum)(), TypeError, r"hvp\(f\)\(x, vector\); it got 0 arguments"),
    (lambda: mg.hvp(mg.sum, 1)(np.ones(3), np.ones(3)), TypeError, "argnums names argument 1"),
    (lambda: mg.hessian(3), TypeError, "takes a function"),
])  # fmt: skip
def test_bad_calls_are_explained(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("rule", [
    lambda dy, x: dy * dy * x, lambda dy, x: dy * 2.0 * x + 1.0, lambda dy, x: mg.abs(dy) * 2.0 * x,
    lambda dy, x: mg.clip(dy, -1.0, 1.0) * 2.0 * x, lambda dy, x: mg.relu(dy) * x,
])  # fmt: skip
def test_jvp_refuses_a_rule_that_is_not_linear_in_its_upstream_gradient(rule):
    odd = mg.custom_gradient(lambda x: (x * x, lambda dy: rule(dy, x)))
    for x in (3.0, np.array([3.0, -0.5])):
        with pytest.raises(TypeError, match="rule of <lambda> forward: it is not linear"):
            mg.jvp(lambda x: odd(x) * 2.0, (x,), (np.ones_like(x),))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_jvp_runs_a_linear_rule_of_several_arguments(dtype):
    @mg.custom_gradient
    def product(x, y):
        return mg.sum(x * y), lambda dy: (7.0 * dy * y, dy * x)

    x, y, v = (np.arange(1, 200, dtype=dtype)[::step][:50] / 50 for step in (1, 2, -1))
    _, moved = mg.jvp(product, (x, y), (v, v))
    np.testing.assert_allclose(moved, np.sum(7 * y * v) + np.sum(x * v), rtol=5e-3 if dtype == "float16" else 1e-5)


def test_refusals_name_the_function_and_transforms_keep_its_name():
    def loss(w):
        return mg.sum(w * w)

    for transform in (mg.grad, mg.value_and_grad, mg.jacobian, mg.hessian):
        assert transform(loss).__name__ == "loss"
        with pytest.raises(TypeError, match="argument 0 of loss is 1"):
            transform(loss)(1)
    for nested in (mg.grad(mg.grad(loss)), mg.jacobian(mg.grad(loss)), mg.elementwise_grad(loss)):
        with pytest.raises(TypeError, match="argument 0 of loss is 1"):
            nested(1)
    with pytest.raises(TypeError, match="argument 0 of loss is 1"):
        mg.hvp(loss)(1, 1)


def test_the_second_derivatives_of_several_outputs():
    x = np.array([1.0, 2.0, 4.0])
    cubes = np.zeros((3, 3, 3))
    cubes[range(3), range(3), range(3)] = 6 * x
    np.testing.assert_array_equal(mg.hessian(lambda x: x**3)(x), cubes)
    pair = mg.hessian(lambda x: {"product": x[0] * x[1], "both": mg.stack([x[2] ** 2, x[0]])})(x)
    np.testing.assert_array_equal(pair["product"], [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    assert pair["both"].shape == (2, 3, 3)
    np.testing.assert_array_equal(pair["both"][0], np.diag([0, 0, 2.0]))
    np.testing.assert_array_equal(pair["both"][1], 0)
    table = mg.hessian(lambda x, a: mg.sum(x**2 * a, 1), argnums=0)(np.ones((2, 3)), np.arange(6.0).reshape(2, 3))
    assert table.shape == (2, 2, 3, 2, 3)
    np.testing.assert_array_equal(np.einsum("iijij->ij", table), 2 * np.arange(6.0).reshape(2, 3))
    mixed = mg.hessian(lambda a, b: a * b, argnums=(0, 1))(np.float64(2), x)
    assert [[h.shape for h in row] for row in mixed] == [[(3,), (3, 3)], [(3, 3), (3, 3, 3)]]
    np.testing.assert_array_equal(mixed[0][1], np.eye(3))


K = np.linspace(-2.0, 2.0, 40)
TALL = {  # functions of few inputs, with many outputs
    "spiral": (lambda t: mg.sin(t * K) * mg.exp(-t * K), np.float64(0.5)),
    "three inputs": (
        lambda x: mg.tanh(x[0] * K) + x[1] * x[1] * mg.cos(K) - mg.exp(x[2] * K),
        np.array([1.0, -2.0, 0.3]),
    ),
    "a table": (lambda x: mg.reshape(x, (2, 1)) * mg.sin(x[0] * mg.reshape(K, (1, 40))), np.array([0.7, 1.5])),
    "float32": (lambda x: mg.sin(x * K.astype("float32")), np.float32(0.5)),
    "a number of float32, outputs of float64": (lambda x: mg.sin(x * K), np.float32(0.5)),
    "one input of two is used": (lambda x: x[0] * x[0] * K, np.array([3.0, 5.0])),
    "an argument that is not used": (lambda p: p[0] * p[0] * K, [np.float64(3.0), np.array([1.0, 2.0])]),
    "max and where": (lambda x: mg.where(x * K > 0.5, mg.maximum(x * K, 1.0), x * x), np.float64(0.9)),
    "parts that depend on nothing": (lambda x: mg.concatenate([x * K, K]), np.array([2.0])),
}


def rows(f, x, monkeypatch):
    """The Jacobian by rows, one backward pass for each output."""
    with monkeypatch.context() as m:
        m.setattr("minigrad.transforms.jacobians._columns_are_cheaper", lambda y, sources: False)
        return mg.jacobian(f)(x)


def passes(run, monkeypatch):
    """The result of `run()`, and how many backward passes it made."""
    count, pullback = [], mg.transforms.jacobians.pullback
    with monkeypatch.context() as m:
        m.setattr("minigrad.transforms.jacobians.pullback", lambda *args: count.append(1) or pullback(*args))
        return run(), len(count)


@pytest.mark.parametrize("given_as", [lambda leaf: leaf, mg.constant], ids=["arrays", "Tensors"])
@pytest.mark.parametrize("name", TALL)
def test_few_columns_are_the_rows(name, given_as, monkeypatch):
    f, x = TALL[name]
    x = mg.nest.map_structure(given_as, x)
    J, made = passes(lambda: mg.jacobian(f)(x), monkeypatch)
    true, of_rows = passes(lambda: rows(f, x, monkeypatch), monkeypatch)
    inputs = sum(np.size(leaf) for leaf in mg.nest.flatten(x))
    assert made <= 1 + inputs and of_rows == np.size(mg.nest.flatten(J)[0]) / np.size(mg.nest.flatten(x)[0])
    for block, by_rows in zip(mg.nest.flatten(J), mg.nest.flatten(true), strict=True):
        assert type(block) is type(by_rows) and block.dtype == by_rows.dtype and block.shape == by_rows.shape
        digits = 1e-6 if block.dtype == np.float32 else 1e-13
        np.testing.assert_allclose(np.asarray(block), np.asarray(by_rows), rtol=digits, atol=1e-14)


def test_columns_can_be_differentiated_again():
    t, f = np.float64(0.3), lambda t: mg.sin(t * K)
    np.testing.assert_allclose(mg.jacobian(mg.jacobian(f))(t), -(K**2) * np.sin(t * K), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(mg.hessian(lambda t: f(t) * t)(t), 2 * K * np.cos(t * K) - t * K**2 * np.sin(t * K))
    third = mg.jacobian(mg.jacobian(mg.jacobian(f)))(t)
    np.testing.assert_allclose(third, -(K**3) * np.cos(t * K), rtol=1e-12, atol=1e-14)
    lengths = lambda t: mg.sum(mg.jacobian(f)(t) ** 2)
    np.testing.assert_allclose(mg.grad(lengths)(t), -np.sum(K**3 * np.sin(2 * t * K)), rtol=1e-12)
    assert float(mg.jvp(lengths, (t,), (2.0,))[1]) == pytest.approx(2 * float(mg.grad(lengths)(t)))
    with mg.GradientTape() as tape:
        x = mg.Variable(0.3, dtype="float64")
        total = mg.sum(mg.jacobian(lambda t: f(t) * x)(mg.constant(t)))
    assert float(tape.gradient(total, x)) == pytest.approx(np.sum(K * np.cos(t * K)))


def test_rules_without_a_tangent_stay_rows(monkeypatch):
    @mg.custom_gradient
    def clipped(x):
        return x * K, lambda dy: mg.clip(mg.sum(dy * K), -1.0, 1.0)

    @mg.custom_gradient
    def by_numpy(x):
        return x * K, lambda dy: mg.constant(np.sum(dy.numpy() * K))

    @mg.custom_gradient
    def other(x):
        return mg.sin(x * K), lambda dy: mg.sum(dy * 10.0)

    for f, true in ((clipped, np.clip(K, -1, 1)), (by_numpy, K), (other, np.full(40, 10.0))):
        J, made = passes(lambda f=f: mg.jacobian(f)(np.float64(0.5)), monkeypatch)
        np.testing.assert_array_equal(J, true)
        assert made == 40
    g = mg.recompute_grad(lambda x: mg.sin(x * K))
    np.testing.assert_allclose(mg.jacobian(g)(np.float64(0.5)), K * np.cos(0.5 * K), rtol=1e-14)


def test_what_is_not_finite_in_a_column_is_what_the_rows_hold(monkeypatch):
    for f in (lambda x: mg.sqrt(x * np.arange(40.0)), lambda x: mg.where(K > 0, mg.sqrt(x), x), lambda x: K / x):
        x = np.float64(0.0)
        np.testing.assert_array_equal(mg.jacobian(f)(x), rows(f, x, monkeypatch))


def test_what_depends_on_nothing_is_warned_of_beside_columns_too():
    with pytest.warns(UserWarning, match="does not depend"):
        np.testing.assert_array_equal(mg.jacobian(lambda x: mg.constant(K))(np.float64(1.0)), np.zeros(40))
