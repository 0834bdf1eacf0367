"""NumPy's warnings about overflow and 0 / 0 are neither shown nor raised, whatever filter the user sets."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.tables import over

X = np.array([1000.0, -1.0, 0.0])
FUNCTIONS = {
    "exp": lambda x: mg.sum(mg.exp(x)),
    "log": lambda x: mg.sum(mg.log(x)),
    "divide": lambda x: mg.sum(1 / x),
    "0 / 0": lambda x: mg.sum(x / x),
    "sqrt": lambda x: mg.sum(mg.sqrt(x)),
    "power": lambda x: mg.sum(x**-1.0) + mg.sum(x**500),
    "remainder": lambda x: mg.sum(x % 0.0),
    "scalars": lambda x: x[0] / x[2] + mg.exp(x[0]) * mg.exp(x[0]),
    "cast": lambda x: mg.sum(mg.astype(mg.exp(x / 2), "float32")),
    "cumprod": lambda x: mg.sum(mg.cumprod(mg.exp(x))),
    "einsum": lambda x: mg.einsum("i,i->", mg.exp(x), -mg.exp(x)),
    "norm": lambda x: mg.linalg.norm(x * 0),
    "nanmean": lambda x: np.nanmean(x * np.nan),
    "var": lambda x: mg.var(x[:1], ddof=1),
    "where": lambda x: mg.sum(mg.where(x > 0, 1 / x, 0.0)),
}
USES = {
    "grad": lambda f: mg.grad(f)(X),
    "float32": lambda f: mg.value_and_grad(f)(X.astype(np.float32)),
    "hessian": lambda f: mg.hessian(f)(X),
    "jvp": lambda f: mg.jvp(f, (X,), (X,)),
    "find_nan": lambda f: mg.find_nan(f(mg.constant(X))),
    "check_gradients": lambda f: mg.check_gradients(f, X, raises=False),
}


@over(FUNCTIONS.values(), USES.values())
def test_no_runtime_warning_is_raised(function, use):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        use(function)


def test_nothing_is_printed_where_nobody_set_a_filter():
    """In a separate process: only the filters set by `import minigrad` apply, none of pytest's."""
    code = (
        f"import runpy; here = runpy.run_path({__file__!r})\n"
        "for use in here['USES'].values():\n"
        "    for function in here['FUNCTIONS'].values():\n"
        "        use(function)\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


def test_values_are_those_without_the_filter():
    with np.errstate(all="ignore"):
        expected = 1 / X, np.exp(X), np.float32(np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = mg.constant(X)
        np.testing.assert_array_equal((1 / x).value, expected[0])
        np.testing.assert_array_equal(mg.exp(x).value, expected[1])
        np.testing.assert_array_equal(mg.exp(X), expected[1])
        assert mg.constant(1e300).value == (mg.constant(1.0) * 1e300).value == expected[2]
        assert mg.Variable(1.0).assign(1e300).value == expected[2]
        with pytest.raises(ValueError, match="cannot work on arguments of shape"):
            mg.exp(x) + mg.constant([1.0, 2.0])


def test_a_user_s_own_warnings_stay_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            mg.grad(lambda x: mg.sum(x) * np.log(np.zeros(1))[0])(X)
        assert warnings.filters[0][0] == "error"
