"""A program has the bytes of its function for arrays of every layout: the order of a sum depends on it."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from tests.programs.contract import bits

LAYOUTS = {
    "C": lambda x: x,
    "Fortran": np.asfortranarray,
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "swapped": lambda x: np.ascontiguousarray(x.swapaxes(0, -1)).swapaxes(0, -1),
    "last two swapped": lambda x: np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2),
    "reversed": lambda x: np.flip(np.flip(x).copy()),
    "rows reversed": lambda x: x[::-1].copy()[::-1],
    "every second": lambda x: np.repeat(x, 2, -1)[..., ::2],
    "a part": lambda x: np.pad(x, 1)[(slice(1, -1),) * x.ndim],
    "rows repeated": lambda x: np.broadcast_to(x[:1], x.shape),
    "columns repeated": lambda x: np.broadcast_to(x[..., :1], x.shape),
}
TABLE = np.random.default_rng(1).standard_normal((40, 40))

FUNCTIONS = {
    "sum": mg.sum,
    "sum of rows": lambda x: mg.sum(x, axis=0),
    "mean of a transpose": lambda x: mg.mean(mg.transpose(x) * 1.1, axis=0),
    "variance": lambda x: mg.var(x, axis=-1),
    "matmul": lambda x: mg.exp(mg.swapaxes(x, -1, -2)) @ mg.tanh(x),
    "matmul with itself": lambda x: x @ mg.swapaxes(x, -1, -2),
    "einsum": lambda x: mg.einsum("...ij,...kj->...ik", x, mg.sin(x)),
    "norm": mg.linalg.norm,
    "norm of rows": lambda x: mg.linalg.norm(x, axis=-1),
    "softmax": lambda x: mg.softmax(x, axis=0),
    "cumulative": lambda x: mg.cumsum(mg.transpose(x), axis=0),
    "reshape": lambda x: mg.sum(mg.reshape(mg.transpose(x), (-1,)) * 1.5),
    "reshape there and back": lambda x: mg.sum(mg.reshape(mg.reshape(mg.transpose(x), (-1,)), x.shape[::-1]), axis=0),
    "swapaxes": lambda x: mg.sum(mg.exp(mg.swapaxes(x, 0, -1)) * mg.swapaxes(x, 0, -1), axis=0),
    "broadcasting": lambda x: mg.sum((x + mg.sum(x, axis=0)) ** 2),
    "reversed": lambda x: mg.mean(mg.exp(x[::-1])),
    "an array beside it": lambda x: mg.sum(x * TABLE[: x.shape[-1], 0].astype(x.dtype), axis=0),
    "an array of its layout": lambda x: mg.sum(x * copy.copy(np.asfortranarray(TABLE[:1, :1]).astype(x.dtype))),
    "recomputed": mg.recompute_grad(lambda x: mg.sum(x * mg.sin(x))),
    "a custom rule": mg.custom_gradient(lambda x: (mg.sum(x * x), lambda dy: dy * (x + mg.mean(x)))),
}


def cases(test):
    """A test of layouts, shapes and dtypes."""
    given_all = given(
        layout=st.sampled_from(sorted(LAYOUTS)),
        shape=st.sampled_from([(3, 5), (13, 17), (40, 33), (3, 11, 9)]),
        dtype=st.sampled_from(["float32", "float64"]),
        seed=st.integers(0, 1000),
    )
    return settings(max_examples=20, deadline=None)(given_all(test))


def check(f, layout, shape, dtype, seed, wrap=lambda x: x):
    """The program is written at ones, for which the order of a sum does not matter, and run at other numbers."""
    rng, compiled = np.random.default_rng(seed), mg.compile(f)
    for x in (np.ones(shape), rng.standard_normal(shape), rng.standard_normal(shape)):
        x = wrap(LAYOUTS[layout](x.astype(dtype)))
        assert bits(compiled(x), f(x))
    assert len(compiled.programs) == 1


@pytest.mark.parametrize("name", FUNCTIONS)
@cases
def test_a_gradient_has_the_bytes_of_the_function_itself(name, layout, shape, dtype, seed):
    f = FUNCTIONS[name]
    check(mg.value_and_grad(lambda x: mg.sum(mg.sin(f(x)))), layout, shape, dtype, seed)


@cases
def test_a_gradient_at_a_tensor_has_them_too(layout, shape, dtype, seed):
    check(mg.grad(lambda x: mg.mean(mg.sin(x) * mg.sum(mg.swapaxes(x, 0, 1)))), layout, shape, dtype, seed, mg.constant)


@pytest.mark.parametrize(
    "f", [np.sum, copy.copy, copy.deepcopy, lambda x: np.sum(copy.copy(x)), lambda x: x.copy().sum()]
)
@cases
def test_a_function_of_arrays_has_them_too(f, layout, shape, dtype, seed):
    check(lambda x: f(x) * 2.0, layout, shape, dtype, seed)


@cases
def test_an_array_that_a_function_uses_beside_its_argument_has_its_layout(layout, shape, dtype, seed):
    beside = LAYOUTS[layout](np.random.default_rng(seed).standard_normal(shape).astype(dtype))
    check(mg.grad(lambda x: mg.sum(mg.sum(x * beside) * mg.mean(x + beside))), "C", shape, dtype, seed)


@cases
def test_a_jacobian_has_them_too(layout, shape, dtype, seed):
    check(mg.jacobian(lambda x: mg.sum(mg.tanh(x), axis=-1)[..., :2]), layout, shape[-2:], dtype, seed)
