"""The usual conventions: what textbooks and libraries write where a program has no value, although it changes the
function.

A convention is never called equal: the report says where both functions agree, or how far they differ, and where it
comes from. It is offered only if no repair is proven, and if the value and all gradients are finite with it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.graph import ancestors
from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_input
from .domains import gradients_of, maker_of, numbers_in, op_of, users_of, value_of
from .edits import operands_of
from .other_points import Bench
from .patterns import BINARY, Rewrite, is_sum_of_squares, options_of, readings, reads, same


class Site(NamedTuple):
    """A node of the graph of `y`, its operands, and the nodes that use each node, by serial."""

    y: Tensor
    node: Tensor
    args: Sequence[Any]
    users: Mapping[int, Sequence[Tensor]]


class Convention(NamedTuple):
    """The text to write for an op whose operands are a and b.

    fits : whether this is written for a node. guard : a letter and the ends between which the function is the same, or
        none. holds : where the function is the same, in words, or how much it differs. source : who writes it.
    """

    op: str
    write: str
    fits: Callable[[Site], bool]
    guard: tuple[Any, ...]
    holds: str
    source: str


def _zero_over_zero(site: Site) -> bool:
    """Whether the node divides by 0, and only 0."""
    a, b = np.broadcast_arrays(*map(value_of, site.args[:2]))
    return bool((b == 0).any() and not a[b == 0].any())


def _scales_zeros(site: Site) -> bool:
    """Whether only zeros are divided by a node that is 0, or multiplied by one that is infinite."""
    for user in site.users.get(site.node.serial, []):
        own = value_of(site.node)
        if op_of(user) == "divide" and user.args[1] is site.node:
            other, lost = np.broadcast_arrays(value_of(user.args[0]), own == 0)
        elif op_of(user) == "multiply":
            other, lost = np.broadcast_arrays(value_of(user.args[user.args[0] is site.node]), np.isinf(own))
        else:
            continue
        if lost.any() and not other[lost].any():
            return True
    return False


def _is_mean_square(v: Any) -> bool:
    """Whether `v` is a variance, or a mean of squares."""
    return op_of(v) == "var" or (op_of(v) == "mean" and reads(v.args[0], "square") is not None)


def _is_length(v: Any) -> bool:
    root = reads(v, "sqrt")
    if root is not None and op_of(root[0]) == "add" and all(reads(a, "square") for a in root[0].args):
        return True
    return op_of(v) in ("euclidean_norm", "std", "hypot") or (root is not None and is_sum_of_squares(root[0]))


def _spread(site: Site) -> bool:
    operand = site.args[0]
    whole = op_of(site.node) == "std" or _is_mean_square(operand)
    return whole and _scales_zeros(site) and not _root_mean_square(site)


def _root_mean_square(site: Site) -> bool:
    """Whether zeros are scaled by the mean of squares that are not those of differences from a mean."""
    squared = reads(site.args[0].args[0], "square") if op_of(site.args[0]) == "mean" else None
    plain = squared is not None and op_of(squared[0]) not in ("subtract", "add")
    return plain and _scales_zeros(site)


def _squared_length(site: Site) -> bool:
    return is_sum_of_squares(site.args[0]) and not _is_mean_square(site.args[0]) and _scales_zeros(site)


def _range(site: Site) -> bool:
    ends = reads(site.args[1], "subtract")
    return ends is not None and [*map(op_of, ends)] == ["max", "min"] and _zero_over_zero(site)


def _moment(v: Any) -> bool:
    """Whether `v` is a root of an optimizer's state: an array, or a mixture with constant weights; not a length."""
    (kept,) = reads(v, "sqrt") or (None,)
    if not isinstance(kept, Tensor) or is_input(kept):
        return kept is not None and np.ndim(value_of(kept)) > 0
    parts = kept.args if op_of(kept) == "add" else [kept]
    return any(op_of(v) in ("multiply", "divide") and not all(isinstance(a, Tensor) for a in v.args) for v in parts)


def _state(site: Site) -> bool:
    """Whether the divisor is the root of an array of plain numbers, like the moments of an optimizer."""
    b, written = site.args[1], operands_of(site.node)
    call = written[1] if written is not None and len(written) == 2 else None
    name = getattr(call.func, "attr", getattr(call.func, "id", "")) if isinstance(call, ast.Call) else ""
    return isinstance(b, np.ndarray) and name == "sqrt" and _zero_over_zero(site)


def _step(site: Site) -> bool:
    return _moment(site.args[1]) and not _is_cosine(site.args[1]) and _zero_over_zero(site)


def _root_of_a_step(site: Site) -> bool:
    return _moment(site.node) and not _is_cosine(site.node) and _scales_zeros(site)


def _is_cosine(v: Any) -> bool:
    """Whether `v` is a product of two lengths, or the root of a product of their squares."""
    root, pair = reads(v, "sqrt"), reads(v, "multiply")
    whole = None if root is None else reads(root[0], "multiply")
    if pair is not None and any(map(_is_length, pair)):
        return all(_is_length(v) or not isinstance(v, Tensor) for v in pair)
    return whole is not None and all(map(is_sum_of_squares, whole))


def _cosine(site: Site) -> bool:
    return _is_cosine(site.args[1]) and _zero_over_zero(site)


def _direction(site: Site) -> bool:
    return _is_length(site.args[1]) and _zero_over_zero(site)


#: The ops that round to 0 what is not 0, such as exp of -1000.
ROUND_TO_0 = {"exp", "exp2", "sigmoid", "softmax", "erfc", "prod", "cumprod", "tanh", "softplus", "expm1", "norm_pdf"}


PRODUCTS = {"prod", "cumprod"}
#: The ops whose result has the numbers of their argument.
SAME_NUMBERS = {"reshape", "expand_dims", "squeeze", "transpose", "broadcast_to", "astype", "stop_gradient"}
LOGS = {"log", "log2", "log10", "log1p", "log_softmax", "log_sigmoid", "logsumexp"}


def _is_arithmetic(v: Any) -> bool:
    """Whether `v` is 0 only where it is 0 in exact numbers."""
    rounds = lambda n: op_of(maker_of(n)) in ROUND_TO_0 and not (op_of(n) in PRODUCTS and value_of(n).all())
    return not isinstance(v, Tensor) or not any(map(rounds, ancestors([v])))


def _is_whole(v: Any) -> bool:
    """Whether all numbers of a value are whole, and none is below 0."""
    a = value_of(v)
    return a.dtype.kind in "iuf" and bool((np.isfinite(a) & (a >= 0) & (a == np.round(a))).all())


def _counted(v: Any) -> Any:
    """The summand of `v`, if it is a sum, also in another shape or dtype; else None."""
    while op_of(v) in SAME_NUMBERS:
        v = v.args[0]
    return v.args[0] if op_of(v) == "sum" else None


def _is_count(v: Any) -> bool:
    """Whether `v` is an array of whole numbers, a count, or a sum of zeros and ones."""
    if not isinstance(v, Tensor):
        written = not isinstance(v, np.ndarray) and not isinstance(v, np.integer)  # a 0 that is written there
        return _is_whole(v) and not written
    if (summed := _counted(v)) is None:
        return False
    what = value_of(summed)
    chosen = op_of(summed) == "where" and {float(np.ravel(value_of(a))[0]) for a in summed.args[1:]} == {0.0, 1.0}
    return what.dtype.kind in "biu" or chosen or bool(np.isin(what, (0, 1)).all() and what.any())


def _count(site: Site) -> bool:
    return _is_count(site.args[1]) and _zero_over_zero(site)


def _counted_number(site: Site) -> bool:
    """Whether the divisor is a number 0 from a call or a name in the line, not a literal."""
    b, written = site.args[1], operands_of(site.node)
    if isinstance(b, (Tensor, np.ndarray)) or written is None or len(written) != 2:
        return False
    return not isinstance(written[1], ast.Constant) and _zero_over_zero(site)


def _entropy(site: Site) -> bool:
    """Whether 0 is multiplied by the infinite logarithm of a probability."""
    a, b = site.args[:2]
    p, log = np.broadcast_arrays(value_of(a), value_of(b))
    logs = isinstance(b, Tensor) and any(op_of(maker_of(n)) in LOGS for n in ancestors([b]))
    return logs and bool((p >= 0).all() and ((p == 0) & np.isinf(log)).any())


def _total(site: Site) -> bool:
    """Whether a part is divided by a total that is 0, and not only by rounding."""
    a, b = site.args[:2]
    if op_of(b) not in ("sum", "mean", "add", "subtract", "max") or not _zero_over_zero(site) or not _is_arithmetic(b):
        return False
    if op_of(b) == "max":  # the saturation of black, and the like
        return any(same(b, part) for part in _parts(a, "add"))
    if op_of(b) in ("sum", "mean"):
        return isinstance(a, Tensor) and any(same(b.args[0], n) for n in ancestors([a]))
    if all(op_of(v) == "sum" or not isinstance(v, Tensor) for v in b.args):
        return True
    return any(same(f, v) for f in _parts(a, "multiply") for v in _parts(b, "add"))


def _parts(v: Any, op: str) -> list[Any]:
    """The terms of a sum, without factors that are numbers, or the factors of a product."""
    if op == "add" and op_of(v) == "multiply" and not all(isinstance(a, Tensor) for a in v.args):
        v = v.args[not isinstance(v.args[0], Tensor)]
    inner = op_of(v) == op or (op == "add" and op_of(v) == "subtract")
    return [part for a in v.args for part in _parts(a, op)] if inner else [v]


def _rounding(node: Tensor, x: Any) -> float:
    """How far rounding may move an argument of a node."""
    sizes = [np.abs(value_of(n)).max(initial=0) for n in numbers_in(getattr(x, "args", ()))]
    return 64 * float(np.finfo(node.dtype).eps) * max(sizes, default=1.0)


def _below_zero(site: Site) -> bool:
    """Whether a difference is 0, or below it by rounding."""
    a = value_of(site.args[0])
    return (
        op_of(site.args[0]) in ("add", "subtract")
        and bool((a < 0).any())
        and a.min() >= -_rounding(site.node, site.args[0])
    )


def _beyond_one(site: Site) -> bool:
    size = np.max(np.abs(value_of(site.args[0])), initial=0)
    return bool(1 < size <= 1 + 64 * float(np.finfo(site.node.dtype).eps))


def _probability(site: Site) -> bool:
    """Whether the node is the logarithm of a probability of 0 in a cross-entropy, which falls with it."""
    p = value_of(site.args[0])
    if not ((p >= 0) & (p <= 1)).all() or not (p == 0).any() or not isinstance(site.args[0], Tensor):
        return False
    if not _is_arithmetic(site.args[0]) or op_of(site.args[0]) == "negative":
        return False
    upstream = gradients_of(site.y, [site.node])[0]
    return bool((upstream[p == 0] < 0).any() and not (upstream[p == 0] > 0).any())


def _angle(site: Site) -> bool:
    ratio = site.args[0]
    if op_of(ratio) != "divide" or not isinstance(ratio.args[0], Tensor):
        return False
    y, x = np.broadcast_arrays(*map(value_of, ratio.args[:2]))
    return bool((x == 0).any() and y[x == 0].all())


BATCH = "batch and layer normalization: Ioffe and Szegedy, 2015, algorithm 1"
LEARNING = "RMSprop and Adam: Kingma and Ba, 2015, algorithm 1"
LARGER = "it differs from yours by less than {} of its value where {} is above 1, and by more below"
SAME = "it is the same where {}"

#: The rows are tried in their order. EPS and TINY stand for the distance of 1 from the next number, and for the
#: smallest number with all digits.
CONVENTIONS = [
    Convention("rsqrt", "rsqrt(a + 1e-05)", _spread, (), LARGER.format("5e-06", "the variance"), BATCH),
    Convention("sqrt", "sqrt(a + 1e-05)", _spread, (), LARGER.format("5e-06", "the variance"), BATCH),
    *(
        Convention(op, f"{op}(a + 1e-06)", _root_mean_square, (), LARGER.format("5e-07", "the mean of the squares"),
                   "root mean square normalization in T5 and Llama of transformers") for op in ("rsqrt", "sqrt")
    ),
    Convention("std", "sqrt(var(a, **k) + 1e-05)", _spread, (), LARGER.format("5e-06", "the variance"), BATCH),
    Convention("rsqrt", "rsqrt(maximum(a, 1e-12))", _squared_length, ("a", 1e-12),
               SAME.format("the sum of the squares is above 1e-12"), "l2_normalize in TensorFlow"),
    Convention("divide", "a / maximum(b, EPS)", _range, ("b", "EPS"), SAME.format("the range is above EPS"),
               "min-max scaling, as scikit-learn keeps a range of 0 out of its divisor"),
    Convention("divide", "a / (b + 1e-08)", _step, (), LARGER.format("1e-08", "the root"), LEARNING),
    Convention("divide", "a / (b + 1e-08)", _state, (), LARGER.format("1e-08", "the divisor"), LEARNING),
    Convention("sqrt", "sqrt(a + 1e-06)", _root_of_a_step, (), LARGER.format("5e-07", "what is under the root"),
               "RMSprop: Goodfellow, Bengio and Courville, Deep Learning, 2016, algorithm 8.5"),
    Convention("divide", "a / maximum(b, 1e-08)", _cosine, ("b", 1e-8),
               SAME.format("the product of the lengths is above 1e-08"), "cosine similarity in PyTorch"),
    Convention("divide", "a / maximum(b, 1e-12)", _direction, ("b", 1e-12), SAME.format("the length is above 1e-12"),
               "normalize in PyTorch"),
    *(
        Convention("divide", "a / maximum(b, 1.0)", fits, ("b", 1.0), SAME.format("the divisor is at least 1"),
                   "the mean over a mask or a class, 0 where it selects nothing") for fits in (_count, _counted_number)
    ),
    Convention("multiply", "a * where(a == 0, 0.0, b)", _entropy, ("a", 0.0), SAME.format("the first factor is not 0"),
               "0 log 0 is 0 in an entropy or a cross-entropy, as in xlogy of SciPy"),
    Convention("divide", "a / where(b == 0, 1.0, b)", _total, ("b", 0.0), SAME.format("the divisor is not 0"),
               "a share of nothing is 0, as with zero_division=0 in scikit-learn"),
    Convention("sqrt", "where(a > 0, sqrt(where(a > 0, a, 1.0)), 0.0)", _below_zero, ("a", 0.0),
               SAME.format("what is under the root is above 0"), "distances by a Gram matrix, which rounding moves"),
    *(
        Convention(op, f"{op}(clip(a, {low}, {high}))", _beyond_one, ("a", low, high),
                   SAME.format(f"the argument lies between {low} and {high}"), "a rounded cosine or sine is clipped")
        for op in ("arccos", "arcsin")
        for low, high in ((-1, 1), ("-INSIDE", "INSIDE"))
    ),
    Convention("log", "log(maximum(a, TINY))", _probability, ("a", "TINY"),
               SAME.format("the argument of log is above TINY"),
               "cross-entropy, as Keras keeps a probability away from 0"),
    Convention("arctan", "arctan2(y, x)", _angle, ("x", 0.0),
               "it differs from yours by pi where the divisor is below 0", "the angle of a point (x, y)"),
]  # fmt: skip


def conventions(y: Tensor, bench: Bench) -> Iterator[Rewrite]:
    """The conventions that fit a node of the graph of `y`, in the order of the table."""
    users = users_of(y)
    nodes = [n for n in graph_of(y) if not is_input(n) and not isinstance(n.value, tuple) and n.dtype.kind == "f"]
    for row in CONVENTIONS:
        for node in nodes:
            forms = [args for name, args in readings(node) if name == row.op]
            forms = [args for args in forms[: 2 if row.op == "multiply" else 1] if row.fits(Site(y, node, args, users))]
            if forms:
                yield _rewrite(y, node, forms[0], row)


def in_dtype(row: Convention, dtype: Any) -> tuple[str, str, tuple[Any, ...]]:
    """A row's text, validity and guard, with the numbers of a dtype."""
    known = np.finfo(dtype)
    numbers = {
        "EPS": f"{float(known.eps):.0e}",
        "TINY": f"{1.02 * float(known.tiny):.1e}",
        "INSIDE": str(known.dtype.type(1 - known.eps)),
    }

    def written(text: str) -> str:
        for name, digits in numbers.items():
            text = text.replace(name, digits)
        return text

    letter, *ends = row.guard or ("",)
    guard = (letter, *(float(written(str(end))) for end in ends)) if letter else ()
    return written(row.write), written(row.holds), guard


def _rewrite(y: Tensor, node: Tensor, args: Sequence[Any], row: Convention) -> Rewrite:
    """The rewrite of a node by a row."""
    write, holds, guard = in_dtype(row, node.dtype)
    bound: dict[str, Any] = dict(zip("ab", args[: 2 if row.op in BINARY.values() else 1]))
    if row.op == "arctan":
        bound = dict(zip("yx", args[0].args))
    bound["k"] = options_of(node, 1) if row.op == "std" else {}
    if guard:
        low, high = (*guard[1:], None)[:2]
        guard = (bound[guard[0]], low, high)
    forms = {"divide": "a / b", "multiply": "a * b", "arctan": "arctan(y / x)"}
    was = forms.get(row.op, f"{row.op}(a, **k)")
    names = {"a": "d2"} if row.fits is _below_zero else {"b": "divisor"} if row.fits is _total else {}
    return Rewrite(y, node, write, bound, "usual", guard, was, holds=f"{holds} ({row.source})", names=names)
