"""Jacobians and Hessians inside of compiled functions: all rows at once, where nothing differentiates them again."""

import numpy as np
import pytest
from hypothesis import given, settings

import minigrad as mg
from minigrad.programs import rows
from tests.shaped import cubed, shaped_arrays, shaped_programs
from tests.test_compile import assert_compiles, refused

RNG = np.random.default_rng(0)


def text_of(compiled):
    (program,) = next(iter(compiled._entries.values())).programs
    return program.text


def near(a, b):
    """Whether nested results agree, where numbers that should be zero may be as large as the rounding of others."""
    if isinstance(b, (tuple, list)):
        return type(a) is type(b) and all(map(near, a, b))
    digits = 1e-9 if b.dtype == np.float64 else 1e-3
    return a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, digits, digits)


@settings(max_examples=60, deadline=None)
@given(shaped_programs(most=5), shaped_arrays())
def test_hessians_of_any_program(f, arrays):
    compiled, plain = mg.compile(mg.hessian(f, (0, 1))), mg.hessian(f, (0, 1))
    for _ in range(3):
        assert near(compiled(*arrays), plain(*arrays))
    assert not compiled.reason


@settings(max_examples=40, deadline=None)
@given(shaped_programs(most=5), shaped_arrays())
def test_hessians_of_compiled_programs(f, arrays):
    ours, plain = mg.hessian(mg.compile(f), (0, 1)), mg.hessian(f, (0, 1))
    for _ in range(3):
        assert near(ours(*arrays), plain(*arrays))


WORKS = {
    "elementwise": lambda x: mg.tanh(x) * x,
    "product with a vector": lambda x: mg.tanh(RNG_MATRIX @ x[0]),
    "product with a matrix": lambda x: mg.exp(x @ RNG_MATRIX.T),
    "both sides of a product": lambda x: x.T @ x,
    "stack of matrices": lambda x: mg.stack([x, x * 2]) @ mg.stack([x.T, x.T * x[0, 0]]),
    "reductions": lambda x: mg.sum(x * x, axis=0) + mg.max(x, axis=1, keepdims=True),
    "cumulative sum": lambda x: mg.cumsum(x * x, axis=1),
    "moved axes": lambda x: mg.transpose(mg.reshape(x * x, (3, 2)))[:, ::-1],
    "rows by number": lambda x: (x * x)[[1, 0, 1, 1]],
    "arrays apart in an index": lambda x: mg.stack([x * x, x])[[0, 1], :, [1, 2]],
    "joined": lambda x: mg.concatenate([x * x, x[:1]], 0),
    "softmax": lambda x: mg.softmax(x, axis=0),
    "solve": lambda x: mg.solve(x @ x.T + np.eye(2), x),
    "einsum of three": lambda x: mg.einsum("ij,kj,kl->il", x, x, x),
    "sorted": lambda x: mg.sort(x * x, axis=-1),
    "choices": lambda x: mg.where(x > 0, x * x, mg.exp(x)),
    "a rule of one's own": cubed,
}
RNG_MATRIX = RNG.normal(size=(4, 3))


@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_kind_of_line_has_a_form_for_many_rows(name, dtype):
    f = lambda x: mg.sum(WORKS[name](x) ** 2)
    calls = [(RNG.normal(size=(2, 3)).astype(dtype),) for _ in range(4)]
    for transform in (mg.jacobian(WORKS[name]), mg.hessian(f)):
        compiled = mg.compile(transform)
        for args in calls:
            assert near(compiled(*args), transform(*args))
        assert not compiled.reason


def test_the_program_has_no_line_for_each_row():
    w = RNG.normal(size=(30, 20))
    compiled = assert_compiles(
        mg.jacobian(lambda x: mg.tanh(x @ w)), *[(np.linspace(-1, 1, 30) + i,) for i in range(4)]
    )
    assert len(text_of(compiled).splitlines()) < 10


def test_too_many_rows_for_memory_are_found_one_by_one(monkeypatch):
    monkeypatch.setattr(rows, "MOST", 100)
    compiled = assert_compiles(mg.jacobian(mg.tanh), *[(np.linspace(-1, 1, 5) + i,) for i in range(4)])
    assert "concatenate" in text_of(compiled)


def test_several_arguments_and_nested_ones():
    f = lambda p, x: {"y": mg.tanh(x @ p["w"]) + p["b"], "n": mg.sum(p["b"] ** 2)}
    p = {"w": RNG.normal(size=(3, 2)), "b": np.ones(2)}
    assert_compiles(mg.jacobian(f, (0, 1)), *[(p, RNG.normal(size=3)) for _ in range(4)])


def test_what_does_not_depend_on_an_argument_has_zeros():
    assert_compiles(mg.jacobian(lambda a, b: mg.tanh(a), (0, 1)), *[(np.ones(2) * i, np.ones(3)) for i in range(4)])


def test_a_jacobian_is_computed_with():
    f = lambda x: mg.sum(mg.abs(mg.jacobian(lambda x: mg.tanh(x) * x[0])(x)))
    assert_compiles(f, *[(mg.constant([0.5, -1.0 + i]),) for i in range(4)])


def test_a_jacobian_that_is_differentiated_again():
    f = lambda x: mg.sum(mg.jacobian(lambda x: mg.tanh(x) * x[0])(x) ** 2)
    assert_compiles(mg.grad(f), *[(np.array([0.5, -1.0]) + i,) for i in range(4)])
    assert_compiles(mg.hessian(f), *[(np.array([0.5, -1.0]) + i,) for i in range(4)])


def test_a_compiled_jacobian_can_be_differentiated():
    f = mg.jacobian(lambda x: mg.tanh(x) * x[0])
    compiled = mg.compile(f)
    for i in range(4):
        x = np.array([0.5, -1.0]) + i
        ours, plain = (mg.grad(lambda x, g=g: mg.sum(g(x) ** 2))(x) for g in (compiled, f))
        assert near(ours, plain)


def test_products_with_jacobians():
    f = lambda x: mg.tanh(x) * mg.sum(x)
    calls = [(RNG.normal(size=3), RNG.normal(size=3)) for _ in range(4)]
    assert_compiles(lambda x, v: mg.jvp(f, (x,), (v,)), *calls)
    assert_compiles(lambda x, u: mg.vjp(f, x)[1](u), *calls)
    assert_compiles(mg.hvp(lambda x: mg.sum(f(x))), *calls)


def test_a_rule_that_decides_by_its_upstream_gradient_is_asked_for_each_row():
    @mg.custom_gradient
    def clipped(x):
        def grad(dy):
            return dy * 5.0 if mg.sum(dy) > 0.5 and dy[0] > 0.5 else dy * 0.0

        return x * 1.0, grad

    f = mg.jacobian(lambda x: clipped(x) * x)
    assert_compiles(f, *[(np.array([1.0, 2.0, 3.0]) + i,) for i in range(4)])


def test_a_rule_that_draws_random_numbers_for_each_row():
    ours, theirs = np.random.default_rng(7), np.random.default_rng(7)
    f = lambda x, rng: mg.jacobian(lambda x: _noisy(x, rng))(x)
    compiled = mg.compile(f)
    with pytest.warns(mg.NotCompiled, match="draws random numbers, anew for each row"):
        for i in range(4):
            x = np.array([1.0, 2.0, 3.0]) + i
            assert near(compiled(x, ours), f(x, theirs))
    assert ours.random() == theirs.random()


def _noisy(x, rng):
    @mg.custom_gradient
    def noisy(x):
        return x * 1.0, lambda dy: dy * rng.normal(size=3)

    return noisy(x)


def test_a_rule_that_takes_the_numbers_out():
    @mg.custom_gradient
    def frozen(x):
        return x * 1.0, lambda dy: mg.constant(dy.numpy() * 2.0)

    refused(mg.jacobian(lambda x: frozen(x) * x), *[(np.ones(2),)] * 4, match="takes the numbers out of a Tensor")
