"""Arrays and numbers are used with NumPy's and Python's own arithmetic: the program must do what that does."""

import functools
import math
import numbers as abstract
import operator

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, M, X, Y, outcome, over

methods = Attempts()
methods.functions(
    "honest",
    {
        "sum": lambda m: m.sum(),
        "sum along an axis": lambda m: m.sum(axis=0) * 2.0,
        "mean": lambda m: m.mean(),
        "mean along an axis": lambda m: m.mean(axis=-1),
        "var": lambda m: m.var(),
        "std along an axis": lambda m: m.std(axis=0),
        "prod": lambda m: m.prod(),
        "max and min": lambda m: m.max(axis=0) - m.min(),
        "argmax": lambda m: m.argmax(),
        "argsort": lambda m: m.argsort(axis=0),
        "sort of a copy": lambda m: np.sort(m, axis=0) * 1.0,
        "the transpose": lambda m: m.T * 2,
        "a product with the transpose": lambda m: m.T @ m,
        "dot": lambda m: m.T.dot(m),
        "reshape": lambda m: m.reshape(-1) * 2,
        "ravel and flatten": lambda m: m.ravel() + m.flatten(),
        "astype": lambda m: m.astype("f4") * 0.1,
        "copy": lambda m: m.copy() * 3,
        "clip": lambda m: m.clip(0, 1),
        "cumsum": lambda m: m.cumsum(),
        "squeeze": lambda m: m.squeeze() * 2,
        "swapaxes": lambda m: m.swapaxes(0, -1) * 2,
        "round": lambda m: m.round(1),
        "repeat": lambda m: m.repeat(2),
        "trace": lambda m: m.trace() if m.ndim == 2 else m.sum(),
        "diagonal": lambda m: m.diagonal() * 2 if m.ndim == 2 else m,
        "any and all": lambda m: (m.any(), m.all()),
        "nonzero": lambda m: m.nonzero(),
        "item": lambda m: m.ravel()[0].item() * m,
        "tolist": lambda m: m.tolist(),
        "strides": lambda m: m * m.strides[0],
        "nbytes and itemsize": lambda m: m * m.nbytes + m.itemsize,
        "flags": lambda m: m * 2 if m.flags["C_CONTIGUOUS"] else m,
        "its base": lambda m: m * 2 if m.base is None else m,
        "its memory": lambda m: m * len(bytes(m.data)),
        "real and imag": lambda m: m.real + m.imag,
        "flat": lambda m: m.flat[1] * m,
        "fill of a copy": lambda m: filled(m),
        "bytes": lambda m: m * len(m.tobytes()),
        "view as integers": lambda m: m.view("i8" if m.itemsize == 8 else "i4"),
    },
    M, M * 0.7, M.T, np.float32(X),
)  # fmt: skip


def filled(m):
    m = m.copy()
    m.fill(3.0)
    return m


test_methods = methods.test()


functions = Attempts()
functions.functions(
    "honest",
    {
        "np.sin": lambda x: np.sin(x) * 2,
        "np.sum": lambda x: np.sum(x * x),
        "np.mean": lambda x: np.mean(x) * x,
        "np.var": lambda x: np.var(x) + x,
        "np.std with ddof": lambda x: np.std(x, ddof=1) + x,
        "np.where": lambda x: np.where(x > 0, x, 0.1),
        "np.maximum": lambda x: np.maximum(x, 0),
        "np.concatenate": lambda x: np.concatenate([x, x[::-1]]),
        "np.stack": lambda x: np.stack([x, x * 2]),
        "np.dot": lambda x: np.dot(x, x),
        "np.outer": lambda x: np.outer(x, x),
        "np.einsum": lambda x: np.einsum("i,j->ij", x, x),
        "np.linalg.norm": lambda x: np.linalg.norm(x) * x,
        "np.exp and np.log": lambda x: np.log(1 + np.exp(x)),
        "np.power": lambda x: np.power(np.abs(x), 0.5),
        "np.square": lambda x: np.square(x) + np.sqrt(np.abs(x)),
        "np.tanh": lambda x: np.tanh(x),
        "np.clip": lambda x: np.clip(x, -1, 1),
        "np.zeros_like": lambda x: np.zeros_like(x) + x,
        "np.ones_like with a dtype": lambda x: np.ones_like(x, dtype="f4") * 0.1,
        "np.full_like": lambda x: np.full_like(x, 7) + x,
        "np.cumsum": lambda x: np.cumsum(x),
        "np.diff": lambda x: np.diff(x),
        "np.gradient": lambda x: np.gradient(x),
        "np.convolve": lambda x: np.convolve(x, [1, 2]),
        "np.fft": lambda x: np.abs(np.fft.fft(x)),
        "np.interp": lambda x: np.interp(x, [0, 1], [0, 2]),
        "np.isnan": lambda x: np.isnan(x),
        "np.nan_to_num": lambda x: np.nan_to_num(x),
        "np.shape and np.ndim": lambda x: x * np.shape(x)[0] + np.ndim(x) + np.size(x),
        "np.add.reduce": lambda x: np.add.reduce(x) * x,
        "np.multiply.outer": lambda x: np.multiply.outer(x, x),
        "np.array_equal": lambda x: np.array_equal(x, X),
        "np.broadcast_to": lambda x: np.broadcast_to(x, (2, 3)) * 2,
        "np.frompyfunc": lambda x: np.frompyfunc(lambda v: v * 2, 1, 1)(x),
        "np.apply_along_axis": lambda x: np.apply_along_axis(lambda v: v * 2, 0, x),
        "np.vectorize": lambda x: np.vectorize(lambda v: v * 2 if v > 0 else v)(x),
        "np.asarray": lambda x: np.asarray(x) * 2,
        "np.random with a seed of its size": lambda x: np.random.default_rng(x.size).normal(size=3) * x,
        "a Python sum": lambda x: sum(x),
        "a Python max": lambda x: max(x),
        "len and range": lambda x: [x[i] * i for i in range(len(x))],
        "an operator": lambda x: operator.mul(x, 2),
        "an operator in place": lambda x: operator.iadd(x * 1, 2),
        "reduce": lambda x: functools.reduce(operator.mul, x),
        "map": lambda x: list(map(lambda v: v * 2, x)),
        "a comprehension": lambda x: {i: v * 2 for i, v in enumerate(x)},
        "math": lambda x: [math.sin(v) for v in x],
    },
    X, Y, np.int64([1, 2, 3]),
)  # fmt: skip
test_functions = functions.test()


integers = Attempts()
integers.functions(
    "honest",
    {
        "a division": lambda x: x / 2,
        "a division of it": lambda x: 1 / (x + 1),
        "a floor division": lambda x: x // 2,
        "a remainder": lambda x: x % 2,
        "divmod": lambda x: divmod(x, 2),
        "a power": lambda x: x**2,
        "a power of 2": lambda x: 2 ** np.abs(x),
        "bits": lambda x: (x & 1) | (x ^ 3),
        "inverted bits": lambda x: ~x,
        "shifted": lambda x: (x << 1) + (x >> 1),
        "a sum": lambda x: x.sum(),
        "a mean": lambda x: x.mean(),
        "a product": lambda x: x.prod(),
        "times a float": lambda x: x * 0.1,
        "negative": lambda x: -x.astype("i4"),
        "compared": lambda x: (x == 2) * x,
        "abs": lambda x: abs(x),
        "a product of matrices": lambda x: x @ x,
        "sin": lambda x: np.sin(x),
        "mg.sin": lambda x: mg.sin(mg.cast(x, "float32")),
        "a cumulative sum": lambda x: x.cumsum(),
        "a running max": lambda x: np.maximum.accumulate(x),
    },
    *(np.array([1, 2, 3]).astype(d) for d in ("i8", "i4", "i1", "u1", "u8")),
    np.array([True, False, True]),
)
test_integers = integers.test()


python_numbers = Attempts()
python_numbers.functions(
    "honest",
    {
        "a sum": lambda a, b: a + b,
        "a difference": lambda a, b: a - b,
        "a product": lambda a, b: a * b,
        "a division": lambda a, b: outcome(operator.truediv, a, b),
        "a floor division": lambda a, b: outcome(operator.floordiv, a, b),
        "a remainder": lambda a, b: outcome(operator.mod, a, b),
        "a power": lambda a, b: outcome(operator.pow, a, b),
        "a square root": lambda a, b: (a * a + b * b) ** 0.5,
        "negative": lambda a, b: (-a, +b),
        "inverted": lambda a, b: outcome(operator.invert, a),
        "abs": lambda a, b: abs(a) + abs(b),
        "round": lambda a, b: round(a),
        "int": lambda a, b: int(a) + b,
        "float": lambda a, b: float(a) + b,
        "bool": lambda a, b: bool(a) + b,
        "compared": lambda a, b: (a < b, a == b),
        "and": lambda a, b: a and b,
        "max": lambda a, b: max(a, b),
        "math.sin": lambda a, b: math.sin(a) * b,
        "math.hypot": lambda a, b: math.hypot(a, b),
        "is_integer": lambda a, b: float(a).is_integer(),
        "hex": lambda a, b: float(a).hex(),
        "isinstance of float": lambda a, b: a * 2 if isinstance(a, float) else a * 3,
        "isinstance of int": lambda a, b: a * 2 if isinstance(a, int) else a * 3,
        "isinstance of a Number": lambda a, b: a * 2 if isinstance(a, abstract.Number) else a * 3,
        "isinstance of np.floating": lambda a, b: a * 2 if isinstance(a, np.floating) else a * 3,
        "its type": lambda a, b: type(a)(3) + b,
        "its type's name": lambda a, b: type(a).__name__,
        "a list repeated": lambda a, b: [b] * (int(a) % 5),
        "np.sin": lambda a, b: np.sin(a) * b,
        "mg.sin": lambda a, b: mg.sin(a) * b,
        "beside an array": lambda a, b: (X * a, np.float32(X) * b),
        "into an array": lambda a, b: np.array([a, b]),
        "into a constant": lambda a, b: mg.constant([a, b]) * 2,
        "into a Tensor of its own": lambda a, b: mg.constant(a) * b,
        "formatted": lambda a, b: f"{a:.3f}",
        "as a key": lambda a, b: {a: 1.0}[a] * b,
    },
    (2.0, 3.0), (2, 3), (7, -2), (2.5, -0.3), (True, False), (True, True), (1.0, 0.0), (0.0, -0.0), (2**40, 3), (1, 0),
    (np.float32(0.1), 3),
)  # fmt: skip
test_python_numbers = python_numbers.test()


kinds = Attempts()
kinds.functions(
    "honest",
    {
        "isinstance of ndarray": lambda x: x * 2.0 if isinstance(x, np.ndarray) else x * 3.0,
        "isinstance of Tensor": lambda x: x * 2.0 if isinstance(x, mg.Tensor) else x * 3.0,
        "isinstance of Variable": lambda x: x * 2.0 if isinstance(x, mg.Variable) else x * 3.0,
        "the exact type": lambda x: x * 2.0 if type(x) is np.ndarray else x * 3.0,
        "the exact type of a Tensor": lambda x: x * 2.0 if type(x) is mg.Tensor else x * 3.0,
        "the name of its type": lambda x: x * len(type(x).__name__),
        "hasattr": lambda x: x * 2.0 if hasattr(x, "numpy") else x * 3.0,
        "getattr": lambda x: x * 2.0 if getattr(x, "op", None) is None else x * 3.0,
        "mg.is_tensor": lambda x: x * 2.0 if mg.is_tensor(x) else x * 3.0,
        "np.isscalar": lambda x: x * 2.0 if np.isscalar(x) else x * 3.0,
        "callable": lambda x: x * 2.0 if callable(x) else x * 3.0,
        "identity with what is captured": lambda x: x * 2.0 if x is X else x * 3.0,
        "the op that made it": lambda x: x * (len(getattr(x.op, "name", "")) if isinstance(x, mg.Tensor) else 0.5),
        "its repr": lambda x: x * (2.0 if "Tensor" in repr(type(x)) else 3.0),
        "a try of an attribute": lambda x: tried(x),
        "match": lambda x: by_class(x),
        "its dict": lambda x: x * len(dir(type(x))),
    },
    X, mg.constant(X), Y, mg.constant(Y), mg.Variable(X), 2.0, np.float64(2), np.array(2.0), mg.sin(mg.constant(Y)),
)  # fmt: skip


def tried(x):
    try:
        x.serial  # noqa: B018
        return x * 2.0
    except AttributeError:
        return x * 3.0


def by_class(x):
    match x:
        case float():
            return x * 2.0
        case np.ndarray():
            return x * 3.0
        case mg.Tensor():
            return x * 4.0
        case _:
            return x * 5.0


@kinds.honest
def a_tensor_with_a_history_and_one_without(compile):
    f = compile(lambda x: x * 2.0 if x.op is None else x * 3.0)
    t = mg.constant(X)
    yield from over(f, t, mg.sin(t), mg.constant(Y))


@kinds.honest
def the_number_of_its_ancestors(compile):
    f = compile(lambda x: x * len(x.args))
    t = mg.constant(X)
    yield from over(f, t, t + Y, mg.sin(t))


test_kinds = kinds.test()
