"""The usual conventions: expressions that textbooks and libraries write where a program has no value.

A convention changes the function, so the report never calls it equal to the program. It says where the convention and
the program agree, or how far they differ, and names the source. A convention is offered only if no repair is proven,
and if it makes the value and all gradients finite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_input
from . import convention_fits as where
from .convention_fits import Site
from .domains import users_of
from .log_variances import log_variances
from .other_points import Bench
from .patterns import BINARY, Rewrite, options_of, readings


class Convention(NamedTuple):
    """A usual replacement for an op with the operands a and b.

    op, write : the name of the op, and the expression to write instead.
    fits : returns whether the convention applies to a node.
    guard : a letter and the ends of the range where the function is the same, or ().
    holds : a phrase about where the function is the same, or how much it differs.
    source : a phrase about who uses the convention.
    """

    op: str
    write: str
    fits: Callable[[Site], bool]
    guard: tuple[Any, ...]
    holds: str
    source: str


BATCH = "batch and layer normalization: Ioffe and Szegedy, 2015, algorithm 1"
LEARNING = "RMSprop and Adam: Kingma and Ba, 2015, algorithm 1"
GRAPHS = "degrees of a graph, as DGL clamps them"
SIGNALS = "signal-to-distortion ratios in Asteroid"
LARGER = "it differs from yours by less than {} of its value where {} is above 1, and by more below"
SAME = "it is the same where {}"

#: The rows are tried in this order. EPS stands for the distance from 1 to the next number, TINY for the smallest normal
#: number, and LOW for the score of a masked element.
CONVENTIONS = [
    Convention("rsqrt", "rsqrt(a + 1e-05)", where.spread, (), LARGER.format("5e-06", "the variance"), BATCH),
    Convention("sqrt", "sqrt(a + 1e-05)", where.spread, (), LARGER.format("5e-06", "the variance"), BATCH),
    *(
        Convention(op, f"{op}(a + 1e-06)", where.root_mean_square, (),
                   LARGER.format("5e-07", "the mean of the squares"),
                   "root mean square normalization in T5 and Llama of transformers")
        for op in ("rsqrt", "sqrt")
    ),
    Convention("std", "sqrt(var(a, **k) + 1e-05)", where.spread, (), LARGER.format("5e-06", "the variance"), BATCH),
    Convention("rsqrt", "rsqrt(maximum(a, 1e-12))", where.squared_length, ("a", 1e-12),
               SAME.format("the sum of the squares is above 1e-12"), "l2_normalize in TensorFlow"),
    Convention("divide", "a / maximum(b, EPS)", where.min_max, ("b", "EPS"), SAME.format("the range is above EPS"),
               "min-max scaling, as scikit-learn keeps a range of 0 out of its divisor"),
    Convention("divide", "a / (b + 1e-08)", where.step, (), LARGER.format("1e-08", "the root"), LEARNING),
    Convention("divide", "a / (b + 1e-08)", where.state, (), LARGER.format("1e-08", "the divisor"), LEARNING),
    Convention("sqrt", "sqrt(a + 1e-06)", where.root_of_a_step, (), LARGER.format("5e-07", "the radicand"),
               "RMSprop: Goodfellow, Bengio and Courville, Deep Learning, 2016, algorithm 8.5"),
    Convention("divide", "a / maximum(b, 1e-08)", where.cosine, ("b", 1e-8),
               SAME.format("the product of the lengths is above 1e-08"), "cosine similarity in PyTorch"),
    Convention("divide", "a / maximum(b, 1e-12)", where.direction, ("b", 1e-12),
               SAME.format("the length is above 1e-12"), "normalize in PyTorch"),
    Convention("divide", "a / (b + 1e-08)", where.silent, (), LARGER.format("1e-08", "the energy"), SIGNALS),
    *(
        Convention("divide", "a / maximum(b, 1.0)", fits, ("b", 1.0), SAME.format("the divisor is at least 1"),
                   "the mean over a mask or a class, 0 where it selects nothing")
        for fits in (where.count, where.counted_number)
    ),
    Convention("divide", "a / maximum(b, 1.0)", where.absent_class, ("b", 1.0),
               SAME.format("the divisor is at least 1"), "the weight of a class without examples"),
    Convention("power", "power(maximum(a, 1e-06), b)", where.generalized_mean, ("a", 1e-6),
               SAME.format("the base is above 1e-06"), "generalized-mean pooling: Radenović, Tolias and Chum, 2018"),
    Convention("multiply", "a * where(a == 0, 0.0, b)", where.entropy, ("a", 0.0),
               SAME.format("the first factor is not 0"),
               "0 log 0 is 0 in an entropy or a cross-entropy, as in xlogy of SciPy"),
    *(
        Convention(op, write, where.degree, ("a", 1.0), SAME.format("the count is at least 1"), GRAPHS)
        for op, write in (("power", "power(maximum(a, 1.0), b)"), ("rsqrt", "rsqrt(maximum(a, 1.0))"))
    ),
    Convention("divide", "a / maximum(b, 1.0)", where.root_of_degrees, ("b", 1.0),
               SAME.format("the counts are at least 1"), GRAPHS),
    *(
        Convention(op, f"where(a > 0, {write}, 0.0)", where.weighted_degree, ("a", 0.0),
                   SAME.format("the sum is above 0"), "gcn_norm in PyTorch Geometric")
        for op, write in (("power", "power(where(a > 0, a, 1.0), b)"), ("rsqrt", "rsqrt(where(a > 0, a, 1.0))"))
    ),
    Convention("divide", "a / where(b == 0, 1.0, b)", where.total, ("b", 0.0), SAME.format("the divisor is not 0"),
               "a share of nothing is 0, as with zero_division=0 in scikit-learn"),
    *(
        Convention(op, f"{op}(maximum(a, LOW), **k)", where.all_hidden, ("a", "LOW"),
                   "it is the same in each row that has a score above LOW",
                   "a mask with a large number instead of -inf, as in BERT") for op in ("softmax", "log_softmax")
    ),
    Convention("multiply", "where(a == 0, a, b)", where.masked_by_a_product, (), SAME.format("the mask is 1"),
               "a mask that is filled with the infinity, not multiplied by it, as by masked_fill in PyTorch"),
    Convention("power", "power(maximum(a, EPS), b)", where.root_of_a_probability, ("a", "EPS"),
               SAME.format("the base is above EPS"), "Keras's focal losses, which clip the probability"),
    *(
        Convention(op, f"{op}(a + 1e-08)", where.silent_ratio, (),
                   "it differs from yours by less than 1e-08 where the ratio is above 1, and by more below", SIGNALS)
        for op in ("log10", "log")
    ),
    Convention("log", "log(maximum(a, EPS))", where.certain_class, ("a", "EPS"),
               SAME.format("the argument of log is above EPS"), "Keras, which keeps a probability away from 0 and 1"),
    Convention("sqrt", "where(a > 0, sqrt(where(a > 0, a, 1.0)), 0.0)", where.below_zero, ("a", 0.0),
               SAME.format("the radicand is above 0"), "distances by a Gram matrix, which rounding moves"),
    *(
        Convention(op, f"{op}(clip(a, {low}, {high}))", where.beyond_one, ("a", low, high),
                   SAME.format(f"the argument lies between {low} and {high}"), "a rounded cosine or sine is clipped")
        for op in ("arccos", "arcsin")
        for low, high in ((-1, 1), ("-INSIDE", "INSIDE"))
    ),
    Convention("log", "log(maximum(a, TINY))", where.probability, ("a", "TINY"),
               SAME.format("the argument of log is above TINY"),
               "cross-entropy, as Keras keeps a probability away from 0"),
    Convention("arctan", "arctan2(y, x)", where.angle, ("x", 0.0),
               "it differs from yours by pi where the divisor is below 0", "the angle of a point (x, y)"),
]  # fmt: skip


def conventions(y: Tensor, bench: Bench) -> Iterator[Rewrite]:
    """Yield the conventions that fit a node of the graph of `y`, in the order of the table."""
    yield from log_variances(y, bench)
    users = users_of(y)
    nodes = [n for n in graph_of(y) if not is_input(n) and not isinstance(n.value, tuple) and n.dtype.kind == "f"]
    for row in CONVENTIONS:
        for node in nodes:
            forms = [args for name, args in readings(node) if name == row.op]
            forms = forms[: 2 if row.op == "multiply" else 1]
            forms = [args for args in forms if row.fits(Site(y, node, args, users, bench.inputs))]
            if forms:
                yield _rewrite(y, node, forms[0], row)


def in_dtype(row: Convention, dtype: Any) -> tuple[str, str, tuple[Any, ...]]:
    """Return a row's `write`, `holds` and `guard` with EPS, TINY and LOW replaced by the dtype's numbers."""
    limits = np.finfo(dtype)
    numbers = {
        "EPS": f"{float(limits.eps):.0e}",
        "TINY": f"{1.02 * float(limits.tiny):.1e}",
        "LOW": f"{max(-1e9, -float(limits.max) / 2):.0e}",
        "INSIDE": str(limits.dtype.type(1 - limits.eps)),
    }

    def written(text: str) -> str:
        for name, digits in numbers.items():
            text = text.replace(name, digits)
        return text

    letter, *ends = row.guard or ("",)
    guard = (letter, *(float(written(str(end))) for end in ends)) if letter else ()
    return written(row.write), written(row.holds), guard


def _rewrite(y: Tensor, node: Tensor, args: Sequence[Any], row: Convention) -> Rewrite:
    """Return the rewrite of a node with the operands `args` that a row of the table describes."""
    write, holds, guard = in_dtype(row, node.dtype)
    bound: dict[str, Any] = dict(zip("ab", args[: 2 if row.op in BINARY.values() else 1]))
    if row.op == "arctan":
        bound = dict(zip("yx", args[0].args))
    bound["k"] = options_of(node, 1) if "**k" in write else {}
    if guard:
        low, high = (*guard[1:], None)[:2]
        guard = (bound[guard[0]], low, high)
    forms = {"divide": "a / b", "multiply": "a * b", "arctan": "arctan(y / x)"}
    was = forms.get(row.op, f"{row.op}(a, **k)")
    names = {"a": "d2"} if row.fits is where.below_zero else {"b": "divisor"} if row.fits is where.total else {}
    return Rewrite(y, node, write, bound, "usual", guard, was, holds=f"{holds} ({row.source})", names=names)
