"""Detect nodes of a graph to which a usual convention applies: a spread, a count, an energy, a mask or the like."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.graph import ancestors
from ..core.tensor import Tensor
from ..tracing.replay import is_input
from .domains import finite, gradients_of, maker_of, numbers_in, op_of, value_of
from .edits import operands_of
from .patterns import is_sum_of_squares, options_of, reads, same


class Site(NamedTuple):
    """A node in the graph of `y`, its operands, serial -> the nodes that use that node, and the inputs that matter."""

    y: Tensor
    node: Tensor
    args: Sequence[Any]
    users: Mapping[int, Sequence[Tensor]]
    inputs: Sequence[Tensor] = ()


def _zero_over_zero(site: Site) -> bool:
    """Return whether the node has an element 0 / 0, and each of its other elements has a nonzero divisor."""
    a, b = np.broadcast_arrays(*map(value_of, site.args[:2]))
    return bool((b == 0).any() and not a[b == 0].any())


def _scales_zeros(site: Site) -> bool:
    """Return whether a user of the node divides 0 by each 0 in it, or multiplies 0 by each inf in it."""
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
    """Return whether `v` is a variance or a mean of squares."""
    *_, v = _same_numbers(v) if isinstance(v, Tensor) else (v,)
    return op_of(v) == "var" or (op_of(v) == "mean" and reads(v.args[0], "square") is not None)


def _is_length(v: Any) -> bool:
    root = reads(v, "sqrt")
    if root is not None and op_of(root[0]) == "add" and all(reads(a, "square") for a in root[0].args):
        return True
    return op_of(v) in ("euclidean_norm", "std", "hypot") or (root is not None and is_sum_of_squares(root[0]))


def spread(site: Site) -> bool:
    operand = site.args[0]
    whole = op_of(site.node) == "std" or _is_mean_square(operand)
    return whole and _scales_zeros(site) and not root_mean_square(site)


def root_mean_square(site: Site) -> bool:
    """Return whether the node is the root of a mean of squares (not a variance), and a user divides 0 by its zeros."""
    squared = reads(site.args[0].args[0], "square") if op_of(site.args[0]) == "mean" else None
    plain = squared is not None and op_of(squared[0]) not in ("subtract", "add")
    return plain and _scales_zeros(site)


def squared_length(site: Site) -> bool:
    return is_sum_of_squares(site.args[0]) and not _is_mean_square(site.args[0]) and _scales_zeros(site)


def min_max(site: Site) -> bool:
    ends = reads(site.args[1], "subtract")
    return ends is not None and [*map(op_of, ends)] == ["max", "min"] and _zero_over_zero(site)


def _moment(v: Any) -> bool:
    """Return whether `v` looks like sqrt(m) in an optimizer's update.

    m is then an array that the program does not compute, or a weighted sum such as b * m + (1 - b) * g * g.
    """
    (kept,) = reads(v, "sqrt") or (None,)
    if not isinstance(kept, Tensor) or is_input(kept):
        return kept is not None and np.ndim(value_of(kept)) > 0
    parts = kept.args if op_of(kept) == "add" else [kept]
    return any(op_of(v) in ("multiply", "divide") and not all(isinstance(a, Tensor) for a in v.args) for v in parts)


def state(site: Site) -> bool:
    """Return whether the divisor is written as the `sqrt` of an array, such as an optimizer's second moments."""
    b, written = site.args[1], operands_of(site.node)
    call = written[1] if written is not None and len(written) == 2 else None
    name = getattr(call.func, "attr", getattr(call.func, "id", "")) if isinstance(call, ast.Call) else ""
    return isinstance(b, np.ndarray) and name == "sqrt" and _zero_over_zero(site)


def step(site: Site) -> bool:
    return _moment(site.args[1]) and not _is_cosine(site.args[1]) and _zero_over_zero(site)


def root_of_a_step(site: Site) -> bool:
    return _moment(site.node) and not _is_cosine(site.node) and _scales_zeros(site)


def _is_cosine(v: Any) -> bool:
    """Return whether `v` is the divisor of a cosine: a product of two lengths, or sqrt of the product of squares."""
    root, pair = reads(v, "sqrt"), reads(v, "multiply")
    whole = None if root is None else reads(root[0], "multiply")
    if pair is not None and any(map(_is_length, pair)):
        return all(_is_length(v) or reads(v, "sqrt") or not isinstance(v, Tensor) for v in pair)
    return whole is not None and all(map(is_sum_of_squares, whole))


def cosine(site: Site) -> bool:
    return _is_cosine(site.args[1]) and _zero_over_zero(site)


def direction(site: Site) -> bool:
    return any(map(_is_length, _same_numbers(site.args[1]))) and _zero_over_zero(site)


#: The ops whose result may be rounded to 0 although the exact result is not 0, such as exp at -1000.
ROUND_TO_0 = {"exp", "exp2", "sigmoid", "softmax", "erfc", "prod", "cumprod", "tanh", "softplus", "expm1", "norm_pdf"}


PRODUCTS = {"prod", "cumprod"}
#: The ops that only select, move or convert the numbers of their argument.
SAME_NUMBERS = {"getitem", "reshape", "expand_dims", "squeeze", "transpose", "broadcast_to", "astype", "stop_gradient"}
LOGS = {"log", "log2", "log10", "log1p", "log_softmax", "log_sigmoid", "logsumexp"}


def _is_arithmetic(v: Any) -> bool:
    """Return whether each 0 in `v` is exact: no op before it, such as exp, can have rounded a number to 0."""
    rounds = lambda n: op_of(maker_of(n)) in ROUND_TO_0 and not (op_of(n) in PRODUCTS and value_of(n).all())
    return not isinstance(v, Tensor) or not any(map(rounds, ancestors([v])))


def _is_whole(v: Any) -> bool:
    """Return whether all numbers of a value are whole and nonnegative."""
    a = value_of(v)
    return a.dtype.kind in "iuf" and bool((np.isfinite(a) & (a >= 0) & (a == np.round(a))).all())


def _same_numbers(v: Tensor) -> Iterator[Tensor]:
    """Yield `v`, and then the nodes behind it while each op only selects, reshapes or converts numbers."""
    yield v
    while op_of(v) in SAME_NUMBERS and isinstance(v.args[0], Tensor):
        yield (v := v.args[0])


def _counted(v: Any) -> Any:
    """Return the argument of the `sum` that computed `v`, or None; reshapes and conversions of the sum are skipped."""
    *_, start = _same_numbers(v)
    return start.args[0] if op_of(start) == "sum" else None


def _is_count(v: Any) -> bool:
    """Return whether `v` is a count: an array of whole numbers, or a sum of zeros and ones."""
    if not isinstance(v, Tensor):
        written = not isinstance(v, np.ndarray) and not isinstance(v, np.integer)  # `v` is a Python number, such as 0
        return _is_whole(v) and not written
    if (summed := _counted(v)) is None:
        start = next((n for n in _same_numbers(v) if is_input(n)), None)
        return start is not None and start.dtype.kind in "iu" and _is_whole(start)
    what = value_of(summed)
    chosen = op_of(summed) == "where" and {float(np.ravel(value_of(a))[0]) for a in summed.args[1:]} == {0.0, 1.0}
    return what.dtype.kind in "biu" or chosen or bool(np.isin(what, (0, 1)).all() and what.any())


def count(site: Site) -> bool:
    return _is_count(site.args[1]) and _zero_over_zero(site) and not _is_relative(site)


def _is_relative(site: Site) -> bool:
    """Return whether the dividend is a difference from the numbers of the divisor, as in (y - p) / y."""
    a, b = site.args[:2]
    if not isinstance(a, Tensor) or not np.ndim(value_of(b)):  # a single number is more likely a mask's count
        return False
    terms = (v for n in ancestors([a]) if op_of(n) == "subtract" for v in n.args)
    return any(np.array_equal(value_of(b), value_of(v)) for v in terms)


def absent_class(site: Site) -> bool:
    """Return whether a nonzero constant is divided by counts that include a 0 and a number above 1, as in 1 / count."""
    a, b = np.broadcast_arrays(*map(value_of, site.args[:2]))
    moving = {x.serial for x in site.inputs}
    fixed = not any(n.serial in moving for n in ancestors([v for v in site.args[:2] if isinstance(v, Tensor)]))
    return fixed and _is_whole(site.args[1]) and bool((b == 0).any() and a[b == 0].all() and (b > 1).any())


def generalized_mean(site: Site) -> bool:
    """Return whether the node is the inner power of a generalized mean: mean(x ** p) ** (1 / p).

    Some of the numbers x must be below a millionth.
    """
    a, exponent = site.args[:2]
    return not (value_of(a) >= 1e-6).all() and _is_rooted(site, site.node, float(np.ravel(value_of(exponent))[0]))


#: Ops that average elements or pass them on.
AVERAGES = {"mean", "sum", "avg_pool2d", "adaptive_avg_pool2d", "avg_pool1d", "multiply", "divide", *SAME_NUMBERS}


def _is_rooted(site: Site, node: Tensor, exponent: float) -> bool:
    """Return whether an op raises `node`, or an average of it, to the power 1 / `exponent`."""
    for user in site.users.get(node.serial, []):
        if op_of(user) == "power" and user.args[0] is node:
            if exponent > 1 and np.allclose(value_of(user.args[1]) * exponent, 1, rtol=1e-5):
                return True
        elif user.op is not None and user.op.name in AVERAGES and _is_rooted(site, user, exponent):
            return True
    return False


def counted_number(site: Site) -> bool:
    """Return whether 0 is divided by a plain 0 that the user's line writes as a call, such as len(x), or as a name."""
    b, written = site.args[1], operands_of(site.node)
    if isinstance(b, (Tensor, np.ndarray)) or written is None or len(written) != 2:
        return False
    named = isinstance(written[1], (ast.Name, ast.Attribute)) and isinstance(b, int)
    return (named or isinstance(written[1], ast.Call)) and _zero_over_zero(site)


def _infinite_at_0(site: Site) -> bool:
    """Return whether the node, a negative power or 1 / sqrt, is infinite where its operand is 0 and nowhere else."""
    a, result = np.broadcast_arrays(value_of(site.args[0]), value_of(site.node))
    return bool((a == 0).any() and (np.isinf(result) == (a == 0)).all())


def degree(site: Site) -> bool:
    """Return whether the degrees of a graph (whole numbers, some of them 0) are raised to a negative power."""
    a = site.args[0]
    whole = _is_count(a) or (isinstance(a, Tensor) and is_input(a) and a.ndim == 1 and _is_whole(a))
    return whole and _infinite_at_0(site) and all(a is not x for x in site.inputs)


def weighted_degree(site: Site) -> bool:
    """Return whether sums of weights, some of them 0, are raised to a negative power."""
    summed = _counted(site.args[0])
    return summed is not None and bool((value_of(summed) >= 0).all()) and _infinite_at_0(site)


def root_of_degrees(site: Site) -> bool:
    """Return whether the divisor is the root of counts, or of products of counts, some of which are 0."""
    (root,) = reads(site.args[1], "sqrt") or (None,)
    factors = [] if root is None else _parts(root, "multiply")
    return bool(factors) and all(map(_is_count, factors)) and bool((value_of(root) == 0).any())


def entropy(site: Site) -> bool:
    """Return whether the node computes p * log(p) at p = 0, which is 0 times an infinite logarithm."""
    a, b = site.args[:2]
    p, log = np.broadcast_arrays(value_of(a), value_of(b))
    logs = isinstance(b, Tensor) and any(op_of(maker_of(n)) in LOGS for n in ancestors([b]))
    return logs and bool((p >= 0).all() and ((p == 0) & np.isinf(log)).any())


def total(site: Site) -> bool:
    """Return whether a share is computed: the node divides a part by its total, which is exactly 0."""
    a, (*_, b) = site.args[0], _same_numbers(site.args[1])
    if op_of(b) not in ("sum", "mean", "add", "subtract", "max") or not _zero_over_zero(site) or not _is_arithmetic(b):
        return False
    if op_of(b) == "max" and any(same(b, part) for part in _parts(a, "add")):  # for example, a black pixel's saturation
        return True
    if op_of(b) in ("sum", "mean", "max"):
        return isinstance(a, Tensor) and any(same(b.args[0], n) for n in ancestors([a]))
    if all(op_of(v) == "sum" or not isinstance(v, Tensor) for v in b.args):
        return True
    overlap = op_of(b) == "subtract" and same(a, b.args[1])  # of two boxes, divided by their union
    return overlap or any(same(f, v) for f in _parts(a, "multiply") for v in _parts(b, "add"))


def _parts(v: Any, op: str) -> list[Any]:
    """Return the terms of a sum (`op` is "add"), without a constant factor of the whole sum, or a product's factors."""
    if op == "add" and op_of(v) == "multiply" and not all(isinstance(a, Tensor) for a in v.args):
        v = v.args[not isinstance(v.args[0], Tensor)]
    inner = op_of(v) == op or (op == "add" and op_of(v) == "subtract")
    return [part for a in v.args for part in _parts(a, op)] if inner else [v]


def _rounding(node: Tensor, x: Any) -> float:
    """Return a bound on the rounding error of a node's argument `x`."""
    sizes = [np.abs(value_of(n)).max(initial=0) for n in numbers_in(getattr(x, "args", ()))]
    return 64 * float(np.finfo(node.dtype).eps) * max(sizes, default=1.0)


def below_zero(site: Site) -> bool:
    """Return whether a sum or difference is below 0 somewhere, but only because of rounding."""
    a = value_of(site.args[0])
    is_sum, below = op_of(site.args[0]) in ("add", "subtract"), bool((a < 0).any())
    return is_sum and below and a.min() >= -_rounding(site.node, site.args[0])


def beyond_one(site: Site) -> bool:
    size = np.max(np.abs(value_of(site.args[0])), initial=0)
    return bool(1 < size <= 1 + 64 * float(np.finfo(site.node.dtype).eps))


def probability(site: Site) -> bool:
    """Return whether the node is the logarithm of a probability of 0 in a cross-entropy.

    The logarithm counts as part of a cross-entropy if the result falls as the probability grows.
    """
    p = value_of(site.args[0])
    if not ((p >= 0) & (p <= 1)).all() or not (p == 0).any() or not isinstance(site.args[0], Tensor):
        return False
    if not _is_arithmetic(site.args[0]) or op_of(site.args[0]) == "negative":
        return False
    upstream = gradients_of(site.y, [site.node])[0]
    return bool((upstream[p == 0] < 0).any() and not (upstream[p == 0] > 0).any())


def angle(site: Site) -> bool:
    ratio = site.args[0]
    if op_of(ratio) != "divide" or not isinstance(ratio.args[0], Tensor):
        return False
    y, x = np.broadcast_arrays(*map(value_of, ratio.args[:2]))
    return bool((x == 0).any() and y[x == 0].all())


def all_hidden(site: Site) -> bool:
    """Return whether all scores of a row are -inf because of a mask, and not because of an overflow."""
    axis, scores = options_of(site.node, 1).get("axis", -1), value_of(site.args[0])
    if is_input(site.args[0]) or not (scores == -np.inf).all(axis).any() or (scores == np.inf).any():
        return False
    nodes = (n for n in ancestors([site.args[0]]) if not is_input(n) and not isinstance(n.value, tuple))
    infinite = (n for n in nodes if np.isinf(n.value).any())
    return not any(finite(*map(value_of, numbers_in(n.args))) for n in infinite)


def masked_by_a_product(site: Site) -> bool:
    """Return whether a mask is multiplied by an infinity that was given, not by the pole of a division or a root."""
    name = str(getattr(getattr(site.args[1], "op", None), "name", "")).lower()  # a framework's op may be foreign
    pole = name in ("divide", "reciprocal", "rsqrt", "power", "realdiv", "pow", "div", "inv")
    return not pole and hides(*map(value_of, site.args[:2]))


def hides(mask: Any, number: Any) -> bool:
    """Return whether `mask` is an array of zeros and ones with at least one 0, and `number` is infinite everywhere."""
    is_mask = np.ndim(mask) > 0 and np.isin(mask, (0, 1)).all() and (mask == 0).any()
    return bool(is_mask and np.isinf(number).all())


def root_of_a_probability(site: Site) -> bool:
    """Return whether a power between 0 and 1 of numbers from 0 to 1 has infinite slopes at 0, all multiplied by 0."""
    a, b = np.broadcast_arrays(*map(value_of, site.args[:2]))
    if not ((a >= 0) & (a <= 1)).all() or not ((b > 0) & (b < 1)).all():
        return False
    upstream = np.broadcast_to(gradients_of(site.y, [site.node])[0], a.shape)
    return bool((a == 0).any() and not upstream[a == 0].any())


def certain_class(site: Site) -> bool:
    """Return whether the argument of a logarithm is 1 - softmax and contains a 0.

    The softmax may be indexed to select classes.
    """
    rest = reads(site.args[0], "subtract")
    share = rest and (rest[1].args[0] if op_of(rest[1]) == "getitem" else rest[1])
    certain = rest is not None and bool((value_of(rest[0]) == 1).all()) and op_of(share) == "softmax"
    return certain and bool((value_of(site.args[0]) == 0).any())


def _is_energy(v: Any) -> bool:
    """Return whether `v` is a sum of squares, with or without a constant added."""
    plain = op_of(v) == "add" and not isinstance(v.args[1], Tensor)
    return is_sum_of_squares(v.args[0] if plain else v)


def silent(site: Site) -> bool:
    """Return whether the divisor is the energy of a silent signal: a sum of squares that is 0.

    The quotient is a projection, or a ratio of two such sums.
    """
    of_signals = isinstance(site.args[0], Tensor) and op_of(site.args[0]) in ("sum", "add")
    energy = _is_energy(site.args[1]) or _is_written_energy(site)
    return of_signals and energy and bool((value_of(site.args[1]) == 0).any())


def _is_written_energy(site: Site) -> bool:
    """Return whether the divisor is an array that the line computes as a sum of squares."""
    written = operands_of(site.node)
    if not isinstance(site.args[1], np.ndarray) or written is None or len(written) != 2:
        return False
    text = ast.unparse(written[1])
    return "sum(" in text and ("** 2" in text or "square(" in text)


def silent_ratio(site: Site) -> bool:
    """Return whether the argument of a logarithm is a ratio of energies and contains a 0."""
    ratio = reads(site.args[0], "divide")
    return ratio is not None and all(map(_is_energy, ratio)) and bool((value_of(site.args[0]) == 0).any())
