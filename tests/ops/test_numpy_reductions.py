"""Reductions with NumPy's keywords give what NumPy gives: values, dtypes and errors."""

import itertools
import warnings

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.tables import over

TABLE = np.array([[1.5, -2.0, 0.5, 3.0], [0.3, 1.0, 2.5, -1.0]])
HOLES = np.array([[True, False, True, True], [False, False, False, True]])
MASKS = {"all": None, "holes": HOLES, "none": np.zeros((2, 4), bool)}
KINDS = ["float64", "float32", "float16", "int64", "int32", "uint8", "bool"]
DTYPES = [None, int, "int32", bool, "float64", "float32", "float16"]
AXES = [None, 0, 1]


def table(kind, holed):
    x = TABLE > 0 if kind == "bool" else abs(TABLE).astype(kind) if kind == "uint8" else TABLE.astype(kind)
    if holed and x.dtype.kind == "f":
        x[0, 1] = np.nan
    return x


def agree(name, x, *args, **keywords):
    """The op and NumPy's function give the same, or both raise."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            want = getattr(np, name)(x, *args, **keywords)
        except (TypeError, ValueError, OverflowError):
            with pytest.raises((TypeError, ValueError, OverflowError)):
                getattr(mg.ops, name)(mg.constant(x), *args, **keywords)
            return
    got = getattr(mg.ops, name)(mg.constant(x), *args, **keywords)
    assert (got.dtype, got.shape) == (want.dtype, want.shape), keywords
    eps = max([np.finfo(d).eps for d in (x.dtype, want.dtype) if d.kind == "f"], default=0)
    np.testing.assert_allclose(got.value.astype(float), want.astype(float), 4 * eps, 8 * eps, err_msg=str(keywords))


@over(["sum", "prod", "mean", "var", "std", "nansum", "nanprod", "nanmean", "nanvar", "nanstd"], KINDS)
def test_sums_and_means(name, kind):
    starts = [None, 2] if name.endswith(("sum", "prod")) else [None]
    for dtype, mask, axis, initial in itertools.product(DTYPES, MASKS.values(), AXES, starts):
        given = {"dtype": dtype, "where": mask, "initial": initial}
        agree(name, table(kind, "nan" in name), axis=axis, **{k: v for k, v in given.items() if v is not None})


@over(["max", "min", "nanmax", "nanmin"], KINDS)
def test_extremes(name, kind):
    for mask, axis, initial in itertools.product(MASKS.values(), AXES, [None, 2, 2.5, -np.inf, np.inf, np.nan]):
        given = {"where": mask, "initial": initial}
        if mask is None or initial is not None:
            agree(name, table(kind, "nan" in name), axis=axis, **{k: v for k, v in given.items() if v is not None})


QUANTILES = [0.3, 1, np.float64(0.3), np.float32(0.3), np.array(0.3), [0.25, 0.8], (0.1,), [[0.1], [0.4]], [0, 1],
             np.array([0.2, 0.5], "float32")]  # fmt: skip
PERCENTS = [30.0, np.float64(30), np.float32(30), [25.0, 80.0], np.array([20, 50], "float32")]
METHODS = ["linear", "lower", "higher", "nearest", "midpoint", "hazen", "inverted_cdf", "averaged_inverted_cdf",
           "closest_observation", "median_unbiased"]  # fmt: skip
#: NumPy 2.2 takes a single float64 for a Python number; later versions and minigrad give float64.
SINGLE_IS_WEAK = np.quantile(np.ones(2, np.float32), np.float64(0.3)).dtype == np.float32


@over(["quantile", "percentile", "nanquantile", "nanpercentile"], ["float64", "float32", "int64", "uint8"])
def test_quantiles(name, kind):
    whole = kind in ("int64", "uint8")
    for q, method, axis in itertools.product(PERCENTS if "percent" in name else QUANTILES, METHODS, [*AXES, (0, 1)]):
        dtype = np.asarray(q).dtype
        if (whole and dtype.kind == "i") or (kind != "float32" and dtype == np.float32):
            continue  # NumPy's dtypes differ by method and by the shape of q there; here they do not
        if SINGLE_IS_WEAK and kind == "float32" and isinstance(q, (np.float64, np.ndarray)) and np.ndim(q) == 0:
            continue
        agree(name, table(kind, "nan" in name), q, axis=axis, method=method)


def test_no_gradient_passes_through_a_sum_of_integers():
    x = mg.constant(TABLE)
    y = mg.sum(x, dtype=int)
    assert y.value == TABLE.astype(int).sum() and y.op is not None
    assert mg.gradients(mg.cast(y, "float64"), x) == [None]


def test_a_list_of_quantiles_of_float32_has_a_gradient_of_float32():
    x = mg.constant(TABLE[0], "float32")
    y = mg.quantile(x, [0.25, 0.5])
    assert y.dtype == np.float64
    (slope,) = mg.gradients(y, x)
    assert slope.dtype == np.float32 and slope.value.sum() == pytest.approx(2.0)
