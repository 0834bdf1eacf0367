"""Rules that are not linear in their upstream gradient: forward products refuse them, and right rules pass."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.transforms.linear_rules import nonlinearity

THRESHOLDS = [1e-6, 1e-2, 0.25, 1.0, 30.0, 1e6]


def ruled(rule, value=lambda x: x * 1.0):
    return mg.custom_gradient(lambda x: (value(x), lambda dy: rule(dy, x)))


def raises(call, words="it is not linear"):
    with pytest.raises(TypeError, match=words):
        call()


@pytest.mark.parametrize("size", THRESHOLDS)
@pytest.mark.parametrize("x", [3.0, np.array([3.0, -0.5, 2.0, 1.0]), np.float32(2.0)])
def test_a_rule_that_clips_at_any_size_has_no_forward_product(size, x):
    clips = ruled(lambda dy, x: mg.clip(dy, -size, size))
    for v in (np.ones_like(x) * 100, np.resize([1.0, 2.0, 3.0, 4.0], np.shape(x))):
        raises(lambda v=v: mg.jvp(clips, (x,), (v,)))
        raises(lambda v=v: mg.jvp(lambda x: mg.sum(clips(x) * 1e-8), (x,), (v,)))
        raises(lambda v=v: mg.hvp(lambda x: mg.sum(clips(x) ** 2))(x, np.asarray(v, np.asarray(x).dtype)), "hvp cannot")


@pytest.mark.parametrize(
    "rule",
    [
        lambda dy, x: dy / (mg.sqrt(mg.sum(dy * dy)) + 1e-12),
        lambda dy, x: dy * mg.minimum(1.0, 5.0 / (mg.sqrt(mg.sum(dy * dy)) + 1e-30)),
        lambda dy, x: mg.where(mg.abs(dy) < 1e-3, 0.0 * dy, dy),
        lambda dy, x: mg.where(dy > 0, dy, 0.5 * dy),
        lambda dy, x: dy + 1e-7,
        lambda dy, x: mg.sign(dy),
        lambda dy, x: mg.sort(dy),
        lambda dy, x: dy * mg.max(mg.abs(dy)) / mg.sum(mg.abs(dy)),
        lambda dy, x: mg.where(np.arange(4) == 3, mg.clip(dy, -1.0, 1.0), dy),
        lambda dy, x: dy * 0.0 + mg.cos(x),
    ],
)
def test_rules_that_are_not_linear_in_other_ways(rule):
    x = np.array([3.0, -0.5, 2.0, 1.0])
    raises(lambda: mg.jvp(ruled(rule), (x,), (np.ones(4),)))
    raises(lambda: mg.hvp(lambda x: mg.sum(ruled(rule)(x) ** 2))(x, np.ones(4)), "hvp cannot")
    check = mg.check_gradients(ruled(rule), x, order=1, raises=False)
    assert any("is not linear in the upstream" in text for text in check.findings)


def test_one_output_of_several():
    @mg.custom_gradient
    def two(x, w):
        return (x * w, x + w), lambda s, t: (s * w + mg.clip(t, -10.0, 10.0), s * x + t)

    raises(lambda: mg.jvp(two, (2.0, 3.0), (1.0, 1.0)))
    (_, moved) = mg.jvp(lambda x, w: (x * w, x + w), (2.0, 3.0), (1.0, 1.0))
    assert [float(m) for m in moved] == [5.0, 2.0]


def test_a_rule_inside_of_a_recomputed_function_is_found():
    clips = ruled(lambda dy, x: mg.clip(dy, -100.0, 100.0))
    raises(lambda: mg.jvp(mg.recompute_grad(lambda x: clips(x) * 2.0), (mg.constant(1.0),), (1.0,)))
    fine = ruled(lambda dy, x: 3.0 * dy)
    assert float(mg.jvp(mg.recompute_grad(lambda x: fine(x) * 2.0), (mg.constant(1.0),), (1.0,))[1]) == 6.0


LINEAR = {
    "product": lambda u, x, a: u * x,
    "matrix": lambda u, x, a: a.T @ u,
    "twice": lambda u, x, a: a.T @ (a @ u),
    "softmax": lambda u, x, a: np.abs(x) / np.sum(np.abs(x)) * (u - np.sum(np.abs(x) / np.sum(np.abs(x)) * u)),
    "batch norm": lambda u, x, a: (u - u.mean() - np.sign(x) * np.mean(u * np.sign(x))) * 7,
    "cumulative": lambda u, x, a: np.cumsum(u * x),
    "zero": lambda u, x, a: u * 0,
    "nan": lambda u, x, a: u * np.nan,
}


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_linear_rules_are_not_refused(name, dtype):
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 8, 50):
        for scale in (1.0,) if dtype == "float16" else (1e-12, 1e-3, 1.0, 1e3, 1e12):
            x, a = (rng.normal(size=size) for size in (n, (n, n)))
            x, a = (x * scale).astype(dtype), (a * scale).astype(dtype)
            rule = lambda us, x=x, a=a: [LINEAR[name](us[0].reshape(-1), x, a).astype(dtype)]
            assert nonlinearity(rule, [x]) == "", (n, scale)


@pytest.mark.parametrize("name", LINEAR)
def test_a_rule_of_float64_that_computes_in_float32_is_not_refused(name):
    rng, single = np.random.default_rng(0), np.float32
    for n in (1, 2, 3, 8, 50):
        for scale in (1e-3, 1.0, 1e3):
            x, a = (single(rng.normal(size=size) * scale) for size in (n, (n, n)))
            rule = lambda us, x=x, a=a: [LINEAR[name](single(us[0]).reshape(-1), x, a).astype(np.float64)]
            assert nonlinearity(rule, [x.astype(np.float64)]) == "", (n, scale)


def test_a_jvp_calls_a_rule_four_times_and_an_hvp_of_large_arrays_is_right():
    calls = []

    def rule(dy, x):
        calls.append(dy)
        return dy * 2.0 * x

    square = ruled(rule, lambda x: x * x)
    x = np.linspace(-1, 1, 1000)
    np.testing.assert_allclose(mg.jvp(square, (x,), (x,))[1], 2 * x * x)
    assert len(calls) == 4
    np.testing.assert_allclose(mg.hvp(lambda x: mg.sum(square(x) * x))(x, np.ones(1000)), 6 * x)


def test_the_rows_of_a_jacobian_are_what_the_rule_sends():
    clips = ruled(lambda dy, x: mg.clip(dy, -0.25, 0.25))
    np.testing.assert_array_equal(mg.jacobian(clips)(np.ones(2)), np.eye(2) / 4)
