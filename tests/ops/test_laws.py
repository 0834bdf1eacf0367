"""Laws that hold for all inputs: linear ops have linear adjoints, and broadcasting is undone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

import minigrad as mg
from minigrad import ops
from tests.helpers.op_samples import NAMED, arrays, each_sample, floats, function, tensors
from tests.helpers.tables import over

LINEAR = {
    "identity", "copy", "negative", "positive", "deg2rad", "rad2deg", "sum", "mean", "cumsum", "diff", "broadcast_to",
    "sum_to", "reshape", "ravel", "transpose", "swapaxes", "moveaxis", "expand_dims", "squeeze", "atleast_1d",
    "atleast_2d", "astype", "flip", "roll", "rot90", "tril", "triu", "tile", "repeat", "diag", "diagonal", "diag_embed",
    "getitem", "take", "take_along_axis", "embedding", "trace", "windows", "fold", "split", "array_split", "stack",
    "concatenate", "meshgrid", "dropout",
}  # fmt: skip


def pairing(xs, ys):
    return sum(float(np.sum(np.asarray(x) * np.asarray(y))) for x, y in zip(xs, ys))


@over({name: row for name, row in NAMED.items() if row[0].name in LINEAR})
def test_the_rule_of_a_linear_op_is_its_transpose(op, sample):
    rng = np.random.default_rng(0)
    f, xs = function(op, sample), tensors(sample)
    ys = floats(f(*xs))
    for _ in range(5):
        vs = [rng.normal(size=x.shape) for x in xs]
        us = [rng.normal(size=y.shape) for y in ys]
        up = pairing([y.value for y in floats(f(*(mg.constant(v) for v in vs)))], us)
        down = pairing(vs, [g.value for g in mg.gradients(ys, xs, grad_ys=[mg.constant(u) for u in us])])
        np.testing.assert_allclose(up, down, atol=1e-9)


@each_sample
def test_every_rule_is_linear_in_the_upstream(op, sample):
    rng = np.random.default_rng(0)
    xs = tensors(sample)
    ys = floats(function(op, sample)(*xs))
    for _ in range(3):
        u, v = ([mg.constant(rng.normal(size=y.shape)) for y in ys] for _ in "uv")
        both = mg.gradients(ys, xs, grad_ys=[a + 3 * b for a, b in zip(u, v)])
        for g, a, b in zip(both, mg.gradients(ys, xs, grad_ys=u), mg.gradients(ys, xs, grad_ys=v)):
            np.testing.assert_allclose(g.value, a.value + 3 * b.value, rtol=1e-7, atol=1e-9)


BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "hypot", "arctan2", "logaddexp", "power"]


@pytest.mark.parametrize("name", BINARY)
@given(shapes=mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_side=3, max_dims=3), seed=st.integers(0, 99))
@settings(max_examples=30)
def test_broadcasting_is_undone(name, shapes, seed):
    rng = np.random.default_rng(seed)
    a, b = (mg.constant(rng.uniform(0.5, 2, shape)) for shape in shapes.input_shapes)
    y = getattr(ops, name)(a, b)
    assert y.shape == shapes.result_shape
    wide = [mg.constant(np.broadcast_to(x.value, y.shape)) for x in (a, b)]
    full = mg.gradients(getattr(ops, name)(*wide), wide)
    for x, g, w in zip((a, b), mg.gradients(y, [a, b]), full):
        assert g.shape == x.shape
        np.testing.assert_allclose(g.value, ops.sum_to(w.value, x.shape), rtol=1e-10)


@given(
    shapes=mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_side=3, max_dims=3, base_shape=(2, 1, 3)),
    seed=st.integers(0, 99),
)
@settings(max_examples=50)
def test_sum_to_and_broadcast_to_are_transposes(shapes, seed):
    rng = np.random.default_rng(seed)
    small, large = shapes.input_shapes[0], shapes.result_shape
    x, y = rng.normal(size=small), rng.normal(size=large)
    np.testing.assert_allclose(np.sum(ops.broadcast_to(x, large) * y), np.sum(x * ops.sum_to(y, small)), atol=1e-9)


KEYS = [
    0, -1, slice(1, None), slice(None, None, -1), None, Ellipsis, (0, 1), (slice(None), [0, 0, 2]), ([1, 0], [2, 2]),
    [[0, 1], [1, 1]], (Ellipsis, None, 0), np.array([True, False]), (np.array([1, 1]), slice(0, 2)), np.array([], int),
    (slice(0, 0),),
]  # fmt: skip


@over(KEYS)
def test_getitem_and_index_add_are_transposes(key):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3))
    taken = ops.getitem(mg.constant(x), key)
    np.testing.assert_array_equal(taken.value, x[key])
    u = rng.normal(size=taken.shape)
    back = ops.index_add(np.zeros((2, 3)), key, u)
    np.testing.assert_allclose(np.sum(taken.value * u), np.sum(x * back))


def test_arrays_of_the_samples_are_found():
    assert all(arrays(sample) for _, sample in NAMED.values())


@st.composite
def contractions(draw):
    """Subscripts of a sum of products of two arrays, and their shapes; some lengths are 1."""
    size = {c: draw(st.integers(1, 4)) for c in "abcde"}
    left, right = ("".join(draw(st.lists(st.sampled_from("abcde"), max_size=4))) for _ in range(2))
    known = sorted({*left, *right})
    out = "".join(draw(st.permutations([c for c in known if draw(st.booleans())])))
    return f"{left},{right}->{out}", [size[c] for c in left], [size[c] for c in right]


@given(contractions(), st.integers(0, 2**32 - 1))
@settings(max_examples=300)
def test_einsum_gives_what_numpy_gives_and_its_gradients_are_its_transposes(contraction, seed):
    subscripts, *shapes = contraction
    rng = np.random.default_rng(seed)
    a, b = (rng.normal(size=shape) for shape in shapes)
    x, z = mg.constant(a), mg.constant(b)
    y = mg.einsum(subscripts, x, z)
    np.testing.assert_allclose(y.value, np.einsum(subscripts, a, b), rtol=1e-12, atol=1e-12)
    g = mg.constant(rng.normal(size=y.shape))
    for source, value, gradient in zip((x, z), (a, b), mg.gradients(y, [x, z], grad_ys=g)):
        assert gradient.shape == source.shape
        # y is linear in each operand alone: <g, y> = <gradient, operand>.
        assert float(np.sum(gradient.value * value)) == pytest.approx(float(np.sum(g.value * y.value)), abs=1e-9)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (7,), (2, 7)])
def test_what_is_not_chosen_is_zero_whatever_it_was(dtype, shape):
    values = np.array([np.nan, np.inf, -np.inf, -0.0, 1.5, -2.5, 0.0], dtype)
    x = np.broadcast_to(values, shape).copy() if shape else values[0]
    for chosen in (True, False):
        condition = np.full(shape, chosen)[()]
        y = ops.where(condition, x, 0)
        assert y.dtype == dtype and y.shape == shape
        assert np.asarray(y).tobytes() == np.asarray(x if chosen else np.zeros(shape, dtype)).tobytes()
    mixed = np.arange(x.size).reshape(shape) % 2 == 0
    np.testing.assert_array_equal(ops.where(mixed, x, 0), np.where(mixed, x, 0))


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("x", [np.array([-1.7, 0.0, 3.1]), np.float32(-1.1), np.array([2, -3])])
def test_small_powers_are_products(x, n):
    assert np.asarray(ops.power(x, n)).tobytes() == np.asarray(x * x if n == 2 else x * x * x).tobytes()
