"""Every argument that NumPy's own signatures name, by keyword and by position, on Tensors beside arrays.

Each is taken and gives NumPy's value, or is refused with a sentence that names it.
"""

import copy
import inspect
import warnings

import numpy as np
import pytest

import minigrad as mg
import minigrad.numpy
from minigrad.ops.declare import BY_NUMPY
from minigrad.ops.numpy_methods import METHODS
from minigrad.ops.numpy_options import DIFFERENT, NO_EFFECT, REFUSED, spelled, table
from minigrad.ops.numpy_order import numpys_signature
from tests.helpers.tables import over

A = np.array([[0.5, -1.5, 2.0], [1.0, 3.0, -0.25]])
V = np.array([0.5, 1.0, 2.5, 4.0])
S = np.array([[2.0, 0.5], [0.5, 1.5]])
BOX = np.arange(12.0).reshape(2, 2, 3) ** 1.5
MASK = np.array([[True, False, True], [True, True, False]])

#: The arguments of a function, if they are not just A.
REQUIRED = {
    "append": (A, A), "astype": (A, np.float32), "average": (A,), "block": ([A, A],), "broadcast_to": (V, (2, 4)),
    "clip": (A, -1.0, 1.0), "column_stack": ([V, V],), "concatenate": ([A, A],), "convolve": (V, V[:2]),
    "correlate": (V, V[:2]), "cross": (A, A + 1), "delete": (A, 1), "dot": (A, A.T), "dsplit": (BOX, 3),
    "dstack": ([A, A],), "einsum": ("ij,kj->ik", A, A), "expand_dims": (A, 0), "full_like": (A, 2.0),
    "gradient": (A,), "hsplit": (A, 3), "hstack": ([A, A],), "inner": (A, A), "insert": (A, 1, 7.0),
    "interp": (V, V[:3], V[:3] ** 2), "kron": (A, A), "linspace": (V, V + 1), "moveaxis": (A, 0, 1),
    "outer": (V, V), "array_split": (V, 2), "split": (V, 2), "vsplit": (A, 2), "pad": (A, 1), "partition": (V, 2),
    "percentile": (A, 30.0), "nanpercentile": (A, 30.0), "quantile": (A, 0.3), "nanquantile": (A, 0.3),
    "polyval": (V, A), "repeat": (A, 2), "reshape": (A, (3, 2)), "roll": (A, 1), "rollaxis": (A, 1),
    "row_stack": ([A, A],), "searchsorted": (V, A), "select": ([MASK, ~MASK], [A, A + 1]), "stack": ([A, A],),
    "swapaxes": (A, 0, 1), "take": (A, [0, 2]), "take_along_axis": (A, np.array([[0], [2]]), 1),
    "tensordot": (A, A.T, 1), "tile": (A, 2), "vdot": (A, A), "vstack": ([A, A],), "where": (MASK, A, A + 1),
    "linalg.cholesky": (S,), "linalg.cond": (S,), "linalg.cross": (A, A + 1), "linalg.det": (S,),
    "linalg.eigh": (S,), "linalg.eigvalsh": (S,), "linalg.inv": (S,), "linalg.lstsq": (A.T, V[:3]),
    "linalg.matmul": (A, A.T), "linalg.matrix_power": (S, 3), "linalg.multi_dot": ([A, A.T, A],),
    "linalg.outer": (V, V), "linalg.slogdet": (S,), "linalg.solve": (S, A), "linalg.tensordot": (A, A),
    "linalg.vecdot": (A, A), "trapezoid": (A,), "meshgrid": (V, V[:2]), "broadcast_arrays": (V, A[:, :1]),
    "cov": (A,), "corrcoef": (A,), "cumulative_sum": (V,), "cumulative_prod": (V,),
}  # fmt: skip

#: A value for each option, other than NumPy's default.
VALUES = {
    "UPLO": "U", "append": 3.0, "aweights": [1.0, 2.0, 3.0], "axes": (1, 0), "axis": 0, "axis1": 1, "axis2": 0,
    "axisa": 1, "axisb": 1, "axisc": 0, "bias": True, "casting": "unsafe", "compute_uv": False, "copy": False,
    "correction": 1, "ddof": 1, "decimals": 1, "deg": True, "device": "cpu", "dtype": "float32", "dx": 0.5,
    "edge_order": 2, "endpoint": False, "full_matrices": False, "fweights": [1, 2, 1], "hermitian": True,
    "include_initial": True, "indexing": "ij", "initial": 0.25, "keepdims": True, "kind": "mergesort", "k": 1,
    "left": -9.0, "mean": 0.5, "method": "lower", "min": -0.5, "max": 0.5, "mode": "clip", "n": 2, "nan": 1.0,
    "neginf": -5.0, "num": 3, "offset": 1, "optimize": True, "ord": 1, "order": "C", "out": np.zeros(3),
    "overwrite_input": True, "p": 1, "period": 3.0, "posinf": 5.0, "prepend": 3.0, "rcond": 0.1, "retstep": True,
    "returned": True, "right": 9.0, "rowvar": False, "rtol": 0.1, "shape": (2, 2), "side": "right",
    "sorter": np.arange(4), "sparse": True, "stable": True, "subok": True, "tol": 1000, "upper": True,
    "weights": [[1.0, 2.0, 1.0], [3.0, 1.0, 1.0]], "where": MASK, "default": 5.0, "start": 1, "x": None, "y": None,
    "reps": 2, "a_min": -0.5, "a_max": 0.5, "nonzero": True, "like": A,
}  # fmt: skip

#: Options with another value in one function.
OF_ONE = {
    ("expand_dims", "axis"): 1, ("linalg.norm", "axis"): 1, ("linalg.qr", "mode"): "r", ("meshgrid", "copy"): True,
    ("nan_to_num", "copy"): True, ("pad", "mode"): "edge", ("convolve", "mode"): "same", ("correlate", "mode"): "same",
    ("rot90", "axes"): (1, 0), ("sort", "order"): "f", ("argsort", "order"): "f", ("partition", "order"): "f",
    ("partition", "kind"): "introselect", ("tensordot", "axes"): ([1], [0]),
    ("linalg.tensordot", "axes"): ([0, 1], [0, 1]),
    ("quantile", "weights"): None, ("percentile", "weights"): None, ("nanquantile", "weights"): None,
    ("nanpercentile", "weights"): None, ("split", "axis"): 0, ("searchsorted", "mode"): None,
    ("linalg.cross", "axis"): -1, ("cross", "axis"): -1, ("cross", "axisc"): 1, ("partition", "axis"): 0,
    ("linalg.cond", "p"): "fro", ("trapezoid", "x"): np.array([0.0, 1.0, 3.0]), ("interp", "period"): None,
    ("linalg.vector_norm", "ord"): 3, ("linalg.matrix_norm", "ord"): "nuc", ("reshape", "copy"): True,
    ("linspace", "axis"): -1, ("linalg.eigh", "UPLO"): "U", ("linalg.pinv", "rcond"): 1e-9,
    ("linalg.pinv", "rtol"): 1e-9, ("squeeze", "axis"): None, ("take", "mode"): "wrap", ("atleast_1d", "x"): A,
    ("roll", "axis"): 1, ("diff", "append"): 3.0, ("astype", "copy"): True, ("gradient", "axis"): (1, 0),
    ("select", "default"): 5.0, ("broadcast_arrays", "subok"): True, ("cov", "y"): A**2, ("corrcoef", "y"): A**2,
    ("take_along_axis", "axis"): 1, ("linalg.pinv", "hermitian"): False, ("linalg.trace", "dtype"): "float32",
}  # fmt: skip

NOT_HERE = {np.full}  # NumPy looks at its first argument, a shape


def rows():
    for function in BY_NUMPY:
        if isinstance(function, np.ufunc) or function in NOT_HERE:
            continue
        name = spelled(function).removeprefix("np.")
        required = REQUIRED.get(name, (BOX if "diagonal" in name or "matrix" in name else A,))
        yield function, required, None
        for p in list(numpys_signature(function).parameters.values()):
            if p.default is not p.empty and (name, p.name) not in [("where", "x"), ("where", "y")]:
                yield function, required, p.name


CASES = list(rows())


def tensors(value):
    """Float arrays as Tensors, in lists too."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return mg.constant(value)
    return [tensors(v) for v in value] if isinstance(value, list) and isinstance(value[0], np.ndarray) else value


def leaves(y):
    return [leaf for part in y for leaf in leaves(part)] if isinstance(y, (tuple, list)) else [y]


def same(got, expected, where=""):
    got, expected = leaves(got), leaves(expected)
    assert len(got) == len(expected), where
    for g, e in zip(got, expected):
        g = g.value if isinstance(g, mg.Tensor) else np.asarray(g)
        np.testing.assert_allclose(g, e, rtol=1e-6, atol=1e-9, err_msg=where)
        assert np.shape(g) == np.shape(e) and g.dtype == np.asarray(e).dtype, where


def attempt(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(), None
        except Exception as error:
            return None, error


def check(function, args, kwargs, option):
    """Compare one call; an option may be refused by name."""
    args, kwargs = copy.deepcopy((args, kwargs))  # overwrite_input=True has an effect on arrays
    expected, wrong = attempt(lambda: function(*copy.deepcopy(args), **kwargs))
    if wrong is not None:
        return None
    got, error = attempt(lambda: function(*map(tensors, args), **kwargs))
    if isinstance(error, TypeError) and option is not None and f"does not take {option}=" in str(error):
        assert option in REFUSED or "x.numpy()" in str(error)
        assert spelled(function) in str(error)
        return False
    assert error is None, repr(error)
    same(got, expected, f"{spelled(function)} {option}")
    return True


#: Options that are refused; every other option of NumPy's is taken.
REFUSALS = {
    "out", "mean", "hermitian", ("sort", "order"), ("argsort", "order"), ("partition", "order"),
}  # fmt: skip


@over(CASES)
def test_numpys_options_are_taken_or_refused_by_name(function, required, option):
    if option is None:
        assert check(function, required, {}, None), "NumPy itself must take the call"
        return
    name = spelled(function).removeprefix("np.")
    parameters = numpys_signature(function).parameters
    p = parameters[option]
    values = [p.default]
    if option in VALUES or (name, option) in OF_ONE:
        values.append(OF_ONE.get((name, option), VALUES.get(option)))
    for value in values:
        if name == "clip" and option in ("a_min", "a_max", "min", "max"):
            required = (A,)
        by_keyword = None
        if p.kind is not p.POSITIONAL_ONLY:
            by_keyword = check(function, required, {option: value}, option)
        before = list(parameters.values())[: list(parameters).index(option)]
        if p.kind is not p.KEYWORD_ONLY and all(q.kind is not q.VAR_POSITIONAL for q in before):
            filling = [q.default for q in before[len(required) :]]
            if len(before) >= len(required) and all(d is not inspect.Parameter.empty for d in filling):
                assert check(function, (*required, *filling, value), {}, option) in (by_keyword, None)
        if by_keyword is False:
            assert option in REFUSALS or (name, option) in REFUSALS, f"{name} refuses {option}={value!r}"


def test_a_refused_option_is_in_the_table_that_users_read():
    text = table()
    assert text in minigrad.numpy.__doc__
    for name in (*NO_EFFECT, *REFUSED, *DIFFERENT):
        assert f"    {name}: " in " ".join(text.split("\n")) or name == "sig" or name[:40] in text


UFUNCS = [function for function in BY_NUMPY if isinstance(function, np.ufunc)]
WHOLE = {"bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"}


def operands(ufunc):
    if ufunc.signature is not None:
        return {"matvec": (A, V[:3]), "vecmat": (V[:2], A), "matmul": (A, A.T)}.get(ufunc.__name__, (A, A + 1))
    x = np.array([1, 3, 2]) if ufunc.__name__ in WHOLE else np.array([0.25, 0.5, 0.75])
    return (x, x + (1 if ufunc.__name__ in WHOLE else 0.125))[: ufunc.nin]


@over(UFUNCS, [
    {}, {"dtype": "float32"}, {"dtype": np.float64, "casting": "safe"}, {"casting": "same_kind"}, {"order": "F"},
    {"subok": False}, {"dtype": None}, {"dtype": "float16", "casting": "unsafe"},
])  # fmt: skip
def test_ufuncs_take_numpys_options(ufunc, options):
    args = operands(ufunc)
    expected, wrong = attempt(lambda: ufunc(*args, **options))
    for call in (ufunc, getattr(minigrad.numpy, ufunc.__name__)):
        got, error = attempt(lambda call=call: call(*[mg.constant(a) for a in args], **options))
        if wrong is None:
            assert error is None, repr(error)
            for g, e in zip(leaves(got), leaves(expected)):
                np.testing.assert_allclose(g.value, e, rtol=1e-6 if e.dtype.itemsize > 2 else 2e-3)
                assert g.dtype == e.dtype
        else:
            assert isinstance(error, TypeError), "NumPy refuses it"


@over(UFUNCS, [
    ("where", np.array([True, False, True])), ("signature", "d->d"), ("out", np.zeros(3)), ("nonsense", 1),
])  # fmt: skip
def test_ufuncs_refuse_an_option_by_name(ufunc, option):
    name, value = option
    args = [mg.constant(a) for a in operands(ufunc)]
    value = (value, value) if (ufunc.nout, name) == (2, "out") else value
    for call in (ufunc, getattr(minigrad.numpy, ufunc.__name__)):
        _, error = attempt(lambda call=call: call(*args, **{name: value}))
        assert isinstance(error, TypeError)
        assert f"{name}=" in str(error) or f"'{name}'" in str(error)  # NumPy's own words
    if ufunc.nout == 1 and name == "out":  # by position as well
        _, error = attempt(lambda: ufunc(*args, value))
        assert isinstance(error, TypeError) and "out=" in str(error)


@pytest.mark.parametrize(("call", "words"), [
    (lambda x: np.add(x, 1, dtype="int64"), r"np.add cannot cast argument 0 from float32 to int64 by casting="),
    (lambda x: np.exp(np.astype(x, "int32"), dtype="int64"), r"np.exp does not compute in int64"),
    (lambda x: np.add(x, 1, where=[True]), r"np.add does not take where=.* write np.where\(mask"),
    (lambda x: np.sum(x, nonsense=1), "nonsense"),
    (lambda x: minigrad.numpy.clip(x, a_min=0.0, min=0.0), "another name"),
    (lambda x: np.sort(x, order="f"), "np.sort does not take order='f' on a Tensor: a Tensor has no fields"),
    (lambda x: np.var(x, mean=1.0), "np.var does not take mean=1.0"),
    (lambda x: minigrad.numpy.sum(x, 0, None, np.zeros(3)), "np.sum does not take out="),
    (lambda x: np.zeros_like(x, device="gpu"), "np.zeros_like does not take device='gpu'"),
    (lambda x: np.linalg.qr(x, "raw"), "np.linalg.qr does not take mode='raw'"),
    (lambda x: np.linalg.matmul(x), "called wrongly|missing"),
])  # fmt: skip
def test_refusals_say_what_to_write(call, words):
    with pytest.raises(TypeError, match=words):
        call(mg.constant([[0.5, 1.5], [2.5, 1.0]]))


# Methods.

FIRST = {"clip": (-1.0,), "dot": (A.T,), "repeat": (2,), "swapaxes": (0, 1), "take": ([0, 1],)}
METHOD_OPTIONS = {
    "sum": (0, "float32", None, True), "prod": (0, "float32", None, True), "mean": (0, "float32", None, True),
    "var": (0, "float32", None, 1, True), "std": (0, "float32", None, 1, True), "max": (0, None, True),
    "min": (0, None, True), "all": (0,), "any": (0,), "argmax": (0, None),
    "argmin": (0, None), "argsort": (0, "stable"), "clip": (-1.0, 1.0), "copy": ("C",), "cumsum": (0, "float32"),
    "cumprod": (0, "float32"), "diagonal": (1, 1, 0), "dot": (A.T,), "ravel": ("F",), "repeat": (2, 0),
    "round": (1,), "squeeze": (None,), "swapaxes": (0, 1), "take": ([0, 1], 1, None, "wrap"),
    "trace": (1, 1, 0, "float32"), "astype": ("float32", "K", "same_kind", True, False),
}  # fmt: skip


@over([*METHODS, "astype"])
def test_methods_take_numpys_positions(name):
    options = METHOD_OPTIONS[name]
    for n in range(len(FIRST.get(name, ())) or (name == "astype"), len(options) + 1):
        expected, wrong = attempt(lambda n=n: getattr(A, name)(*options[:n]))
        if wrong is None:
            same(getattr(mg.constant(A), name)(*options[:n]), expected, f"{name}{options[:n]}")
    assert wrong is None, "NumPy itself must take all of them"


@over(["sum", "prod", "mean", "max", "min", "any", "all", "argmax", "var", "std"])
def test_a_truth_value_as_the_second_argument_is_keepdims(name):
    same(getattr(mg.constant(A), name)(0, True), getattr(A, name)(axis=0, keepdims=True))
    assert getattr(mg.constant(A), name)(0, False).shape == (3,)


@over(METHODS)
def test_methods_refuse_out(name):
    if "out" in numpys_signature(getattr(np, name)).parameters:
        with pytest.raises(TypeError, match=rf"np\.{name} does not take out="):
            getattr(mg.constant(A), name)(*FIRST.get(name, ()), out=np.zeros(3))
