"""Random calls of the ops, compared with NumPy's values and PyTorch's gradients: `python -m tests.parity.fuzz N SEED`.

A case is an op, shapes (also of no axes, of no elements, broadcast), a dtype, numbers (also with ties and zeros), and
options by position or by keyword. The value is that of NumPy's function of the same name, in the same dtype; the
gradient is PyTorch's, computed in float64 from the same numbers, and for some of the cases the second one as well.
If minigrad differs on purpose, the case is left out; the reason is in `docs/differences.md`.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg
from minigrad.core.op import OPS
from tests.parity.fuzz_ops import ROWS, Row

DTYPES = ("float64", "float64", "float32", "float32", "float16", "int32", "int64", "bool")


class Case(NamedTuple):
    """A call: the row of the op, its arrays, its options, how it is spelled, and how many orders are compared."""

    row: Row
    arrays: list[Any]
    options: dict[str, Any]
    way: str
    order: int

    def __repr__(self) -> str:
        shown = [f"{a.dtype}{a.shape}" if isinstance(a, np.ndarray) else repr(a) for a in self.arrays]
        return f"{self.row.name}({', '.join(shown)}, {self.options}) by {self.way}, order {self.order}"


def draw(rng: np.random.Generator, rows: list[Row] = ROWS) -> Case:
    """A random case."""
    row = rows[rng.integers(len(rows))]
    dtype = str(rng.choice(row.dtypes or DTYPES))
    arrays, options = row.draw(rng, dtype)
    ways = ["position", "keyword", "keyword", "first by keyword"]
    if hasattr(np, row.name) and row.numpy is None:
        ways += ["numpy"]
    if hasattr(mg.Tensor, row.name) and len(arrays) == 1 and row.name not in ("reshape", "transpose"):
        ways += ["method"]
    return Case(row, arrays, options, str(rng.choice(ways)), 2 if dtype == "float64" and rng.random() < 0.4 else 1)


def call(case: Case, arrays: list[Any]) -> Any:
    """The call of minigrad."""
    op = OPS[case.row.name].call
    arguments: list[Any] = [arrays] if case.row.listed else list(arrays)
    options = dict(case.options)
    if case.way == "numpy":
        return getattr(np, case.row.name)(*arguments, **options)
    if case.way == "method":
        return getattr(arguments[0], case.row.name)(**options)
    names = list(inspect.signature(op).parameters.values())
    if case.way == "position":
        for parameter in names[len(arguments) :]:
            if parameter.name not in options or parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
                break
            arguments.append(options.pop(parameter.name))
    if case.way == "first by keyword" and names[0].kind is names[0].POSITIONAL_OR_KEYWORD:
        kept = 0 if len(arguments) == 1 else int(len(arguments) > 1)
        options |= {p.name: a for p, a in zip(names[kept : len(arguments)], arguments[kept:])}
        arguments = arguments[:kept]
    return op(*arguments, **options)


def parts(y: Any) -> list[Any]:
    return list(y) if isinstance(y, (tuple, list)) else [y]


def faults(case: Case) -> str:
    """The difference in words, or ""."""
    row = case.row
    plain = [a.tolist() if isinstance(a, np.ndarray) and a.dtype == object else a for a in case.arrays]
    refused = expected = None
    try:
        expected = (row.numpy or getattr(np, row.name))(*([plain] if row.listed else plain), **case.options)
    except (ValueError, TypeError, IndexError) as error:
        refused = error
    tensors = [mg.constant(a, dtype=a.dtype) if isinstance(a, np.ndarray) else a for a in plain]
    try:
        y = call(case, tensors)
    except (ValueError, TypeError, IndexError, NotImplementedError) as error:
        return "" if refused else f"raises {type(error).__name__}: {error}"
    if refused is not None:
        return "" if row.lenient else f"gives {y} where NumPy raises {refused}"
    dtype = np.result_type(*[a.dtype for a in plain if isinstance(a, np.ndarray)])
    for mine, theirs in zip(parts(y), parts(expected), strict=True):
        fault = compare("value", getattr(mine, "value", mine), np.asarray(theirs), dtype)
        if fault:
            return fault
        if (
            dtype.kind == "f"
            and np.asarray(theirs).dtype.kind == "f"
            and mine.dtype not in (dtype, np.asarray(theirs).dtype)
        ):
            return f"value has dtype {mine.dtype}, not {dtype}"
    if dtype.kind != "f" or row.torch is None:
        return ""
    return slope_faults(case, tensors, y, dtype)


def slope_faults(case: Case, tensors: list[Any], y: Any, dtype: np.dtype) -> str:
    """Compare gradients with PyTorch's."""
    import torch

    sources = [t for t in tensors if isinstance(t, mg.Tensor) and t.dtype.kind == "f"]
    theirs = [
        torch.tensor(np.asarray(t.value, "float64" if t.dtype.kind == "f" else None), requires_grad=t.dtype.kind == "f")
        if isinstance(t, mg.Tensor)
        else t
        for t in tensors
    ]
    try:
        z = case.row.torch(*([theirs] if case.row.listed else theirs), **case.options)
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
        return ""  # PyTorch has no such call
    pairs = [(a, b) for a, b in zip(parts(y), parts(z)) if a.dtype.kind == "f" and b.requires_grad]
    if not pairs:
        return ""
    weights = [np.cos(1.0 + np.arange(a.size)).reshape(a.shape).astype(dtype) for a, _ in pairs]
    if any(tuple(b.shape) != a.shape for a, b in pairs):
        return f"shapes {[a.shape for a, _ in pairs]}, PyTorch {[tuple(b.shape) for _, b in pairs]}"
    total = sum((mg.sum(a * w) for (a, _), w in zip(pairs[1:], weights[1:])), start=mg.sum(pairs[0][0] * weights[0]))
    their_total = sum((b * torch.tensor(w.astype("float64"))).sum() for (_, b), w in zip(pairs, weights))
    differentiable = [t for t in theirs if isinstance(t, torch.Tensor) and t.requires_grad]
    first = mg.gradients(total, sources)
    their_first = torch.autograd.grad(their_total, differentiable, create_graph=True, allow_unused=True)
    for x, g, h in zip(sources, first, their_first):
        fault = slope_fault("gradient", x, g, h, dtype)
        if fault:
            return fault
    squares = [(h * h).sum() for h in their_first if h is not None and h.requires_grad]
    if case.order == 1 or not squares:
        return ""
    try:
        their_second = torch.autograd.grad(sum(squares), differentiable, allow_unused=True)
    except (RuntimeError, NotImplementedError):
        return ""
    ours = [mg.sum(g * g) for g in first if g is not None]
    for x, g, h in zip(sources, mg.gradients(sum(ours[1:], start=ours[0]), sources), their_second):
        fault = slope_fault("second gradient", x, g, h, dtype, 100)
        if fault:
            return fault
    return ""


def slope_fault(what: str, x: Any, g: Any, h: Any, dtype: np.dtype, room: float = 1) -> str:
    if g is not None and g.dtype != x.dtype:
        return f"{what} has dtype {g.dtype}, its source {x.dtype}"
    zeros = np.zeros(x.shape)
    h = zeros if h is None else h.detach().numpy(force=True)
    return compare(what, zeros if g is None else g.value, h, dtype, 8 * room)


def compare(what: str, mine: Any, theirs: Any, dtype: np.dtype, room: float = 1) -> str:
    """A sentence if arrays differ by more than rounding in `dtype`, relative to the largest number in them."""
    mine, theirs = np.asarray(mine), np.asarray(theirs)
    if mine.shape != theirs.shape:
        return f"{what} has shape {mine.shape}, not {theirs.shape}"
    if theirs.dtype.kind in "biu":
        return "" if np.array_equal(mine, theirs) else f"{what} {mine}, not {theirs}"
    with np.errstate(all="ignore"):
        theirs = theirs.astype("float64")
        narrow = "float32" if dtype.kind != "f" else dtype
        outside = np.abs(theirs) > np.finfo(narrow).max / 8
        finite = np.isfinite(theirs) & ~outside
        scale = np.abs(theirs[finite]).max(initial=0.0)
        eps = np.finfo(narrow).eps
        far = np.abs(mine.astype("float64") - theirs) > 64 * room * eps * (np.abs(theirs) + 0.1 * scale + 0.01)
        far = np.where(
            finite, far | ~np.isfinite(mine), ~outside & ~((mine == theirs) | (np.isnan(mine) & np.isnan(theirs)))
        )
    return f"{what} {mine.ravel()[:8]}, not {theirs.ravel()[:8]}" if far.any() else ""


def search(number: int, seed: int, report: Callable[[str], Any] = print) -> int:
    """Draw `number` cases; report each that differs, with the seed that draws it alone. Return how many there were."""
    count = 0
    for turn in range(number):
        case = draw(np.random.default_rng([seed, turn]))
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                fault = faults(case)
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
        if fault:
            count += 1
            numbers = [a.tolist() if isinstance(a, np.ndarray) else a for a in case.arrays]
            report(f"[{seed}, {turn}] {case}: {fault}; numbers {str(numbers)[:200]}")
    return count


if __name__ == "__main__":
    number, seed = [*map(int, sys.argv[1:]), 20_000, 0][:2] if len(sys.argv) > 2 else (int((sys.argv + ["2000"])[1]), 0)
    wrong = search(number, seed)
    print(f"{number} cases, {wrong} differ")
    sys.exit(bool(wrong))
