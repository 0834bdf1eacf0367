"""NumPy's options when a NumPy function is called on a Tensor.

An option that the op itself has, such as `axis`, works as in NumPy. The tables list all other options, and the results
that differ on purpose. `help(minigrad.numpy)` shows the tables, and the tests check each row.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

#: Options that have no effect on a Tensor, and why.
NO_EFFECT: dict[str, str] = {
    "copy": "a Tensor never changes, so a copy equals it",
    "device": "there is only NumPy's own, 'cpu'",
    "kind": "the way of sorting, which is always stable",
    "optimize": "the order of the products in einsum is chosen by NumPy",
    "order": "the layout in memory is not a property of a Tensor; in reshape and ravel 'C' and 'F' have their meaning",
    "overwrite_input": "a Tensor never changes",
    "stable": "sorting is always stable",
    "subok": "a Tensor has no subclasses that could be returned",
    "tol": "a Tensor holds no imaginary parts",
}

#: Options that raise an error unless they have NumPy's default, with the code to write instead. {name} is the function.
REFUSED: dict[str, str] = {
    "out": "nothing is written into an array, because the gradient would be lost; write y = {name}(x, ...)",
    "where": "without out= its other elements would be undefined; write np.where(mask, {name}(x), other)",
    "order": "a Tensor has no fields to sort by; write {name}(x) or sort a column with np.argsort",
    "axes": "write np.moveaxis(x, ...) before and after {name}",
    "axis": "write np.moveaxis(x, axis, -1) before {name}",
    "signature": "write dtype= for the dtype to compute in",
    "sig": "write dtype= for the dtype to compute in",
    "like": "write {name}(...) without like= : a Tensor as the value makes the result a Tensor",
    "mean": "the mean is computed from x, for its gradient; for another centre write np.mean((x - m) ** 2)",
    "hermitian": "write np.linalg.eigh(x) for the eigenvalues, whose absolute values are the singular values",
    "mode": "write {name}(x.numpy(), mode=...) for the plain value",
}

#: NumPy functions whose `order` argument names record fields; in all other functions, it is a memory layout.
BY_FIELD = frozenset({"sort", "argsort", "partition", "argpartition"})

#: Results on Tensors that differ on purpose from NumPy's results on arrays, and why.
DIFFERENT: dict[str, str] = {
    "linalg.eigh, linalg.eigvalsh": "without UPLO= they take the symmetric part of a matrix that is not symmetric, so "
    "that the gradient is symmetric; NumPy takes the lower triangle, as UPLO='L' does here",
    "linalg.lstsq, linalg.svd, linalg.qr": "the signs of vectors, rank and residuals are as in NumPy, but "
    "vectors that the matrix does not determine have no gradient, and raise",
    "add.reduce, multiply.outer and other methods of ufuncs": "they raise an error that names the function to write",
    "imag, angle, iscomplex": "a Tensor holds no complex numbers, so these are 0, 0 or pi, and False",
    "fft, emath, roots, linalg.eig": "their results are complex and have no gradient here: they raise; x.numpy() works",
    "x ** 2, reciprocal, conjugate of truth values or integers": "the square of a bool is a bool, 1 / x is a "
    "float, and the conjugate is x itself; in NumPy they are int8, integer and int8",
    "convolve, correlate": "the ends are padded with zeros, so nan or inf in the shorter row reaches the ends as nan",
    "quantile and its kin": "next to inf, one of the two may give nan, from inf - inf, and the other inf",
    "trapezoid": "truth values count as 0 and 1; NumPy's sum of two truth values is one",
    "cross": "takes vectors of three numbers only",
    "full": "with a Tensor as the value write mg.full: NumPy's own function looks at the shape only",
    "round(x), math.trunc(x)": "round gives a Tensor, which has a place in the graph; trunc a Python integer",
    "a Python number with a Tensor": "adopts its float dtype, also where NumPy makes it an array of float64 first, "
    "as in diff(x, prepend=0); with truth values a float is float32",
    "astype, cumsum(dtype=int) of nan and inf": "raise: no integer is nan or inf",
    "a float with a Tensor of integers": "raises, because the dtype would change; write np.astype(x, float)",
    "a[i] = v, a += b of an array a": "raise: the gradient would be lost; write mg.index_set(a, i, v), a = a + b",
}


def spelled(theirs: Callable[..., Any]) -> str:
    """Return the name of a NumPy function as users write it: np.linalg.norm."""
    group = "np.linalg." if getattr(theirs, "__module__", "") == "numpy.linalg" else "np."
    return group + theirs.__name__


def refusal(function: str, name: str, value: Any) -> TypeError:
    """Return the error for an option that is not allowed on a Tensor."""
    why = REFUSED.get(name, "write {name}(x.numpy(), ...) for the plain value").format(name=function)
    return TypeError(f"{function} does not take {name}={value!r:.60} on a Tensor: {why}")


def table() -> str:
    """Return the tables as text, one row for each option or function.

    >>> print(table().splitlines()[0])
    Options without an effect on a Tensor:
    """
    refused = {name: why.replace("{name}", "the function") for name, why in REFUSED.items() if name != "sig"}
    titles = {
        "Options without an effect on a Tensor": NO_EFFECT,
        "Options that raise a TypeError, unless NumPy's default is given": refused,
        "Results that differ from NumPy's": DIFFERENT,
    }
    parts = []
    for title, rows in titles.items():
        lines = [textwrap.fill(f"{name}: {why}", 100, initial_indent="    ", subsequent_indent=" " * 8)
                 for name, why in rows.items()]  # fmt: skip
        parts.append("\n".join([f"{title}:", *lines]))
    return "\n\n".join(parts)
