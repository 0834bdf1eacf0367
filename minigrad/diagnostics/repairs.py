"""Search for a repair of a nan or inf: a rewrite of the recorded graph, which is run before it is offered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.graph import ancestors
from ..core.op import PICK
from ..core.tensor import Tensor
from ..core.variable import READ
from ..tracing.replay import NotReplayable, graph_of, is_input, replay
from .bench import (
    Bench,
    OutOfBudget,
    bounds_of,
    finite,
    finite_value,
    gradients_of,
    maker_of,
    numbers_in,
    op_of,
    outside,
    sources_of,
    suspects,
    underflows,
    value_of,
)
from .conventions import conventions
from .dialect import MINIGRAD, Dialect
from .edits import line_edits, shown, texts_of
from .growth import growth_of, step_length
from .guards import guards, holes
from .patterns import Rewrite, rewrites
from .report import NOTHING, Numbers, Repair
from .verify import BRANCH, CONVENTION, NO_VALUE, SELECTED, Offer, equal_points, verify, why_no_limit

#: Errors of an op or a template that mean that a rewrite does not fit a graph.
UNFIT = (ArithmeticError, AttributeError, IndexError, KeyError, NotReplayable, TypeError, ValueError)
NONE_KNOWN = "no repair is known"
SELECTS = {"where", "maximum", "minimum", "fmax", "fmin", "clip", "equal", "less", "greater", "isfinite"}


#: A further check of a rewritten graph: its result and its float inputs, in the order of `sources_of`.
Also = Callable[[Tensor, Sequence[Tensor]], bool]


def find_repair(
    y: Tensor,
    op: str,
    kind: str,
    called: Callable[[Tensor], str],
    replays: int = 1500,
    also: Also | None = None,
    dialect: Dialect = MINIGRAD,
    xs: Iterable[Tensor] | None = None,
) -> Repair:
    """Find the cause of a nan or inf in the graph of `y`, and a repair that passed all checks, or a usual convention.

    op, kind : the op and the kind of its origin. called : returns the user's name of an input.
    also : a further check that everything that is offered passes. dialect : how the user's lines are spelled.
    xs : the inputs whose gradients matter; by default all floats.
    """
    bench = Bench(y, replays, xs=xs)
    names = tuple(map(called, bench.inputs))
    before = _numbers(y, bench.inputs, names)
    found = Repair(op, kind, before=before)
    blown_up = next((s for s in bench.inputs if s.op is READ and not finite(s.value)), None)
    if blown_up is not None:
        return replace(found, op="input", reason="weights", words=_weights(y, blown_up.args[0]))
    if finite(before.value, *before.gradients):
        return replace(found, words=NOTHING)
    if kind == "custom rule":
        return replace(found, words=NONE_KNOWN)
    first, found = _cause(y, found, called, bench)
    if found.words:
        return found
    offer, words = None, NONE_KNOWN + _not_run_again(first, bench)
    try:
        offer = search(y, bench, also)
    except OutOfBudget:
        words = "no repair was found in the time allowed"
    if offer is None and not bench.calls:
        wider = _wider(y, found, bench, also)
        if wider is not None:
            return wider
        offer = _usual(y, bench, also)
    if offer is None:
        return replace(found, words="; ".join(filter(None, [why_no_limit(y, first, called), words])))
    return _written(y, offer, found, first, called, bench, dialect)


def _written(
    y: Tensor,
    offer: Offer,
    found: Repair,
    first: Tensor | None,
    called: Callable[[Tensor], str],
    bench: Bench,
    dialect: Dialect,
) -> Repair:
    """An offer in the words of the user's lines."""
    edits, words = line_edits(y, offer.rewrites, dialect), ""
    if edits is None:
        return replace(found, words=NONE_KNOWN)
    if offer.grade == "convention":
        why = why_no_limit(y, first, called)
        none = f"{NO_VALUE}{why and ', since '}{why}: {NONE_KNOWN}"
        words = none if np.isnan(y.value).any() else "; ".join(filter(None, [why, NONE_KNOWN]))
    return replace(
        found,
        reason="masked branch" if any(r.kind == "masked" for r in offer.rewrites) else found.reason,
        grade=offer.grade,
        words=words,
        rewrites=tuple(texts_of(rewrite, called, dialect) for rewrite in offer.rewrites),
        edits=edits,
        lines=tuple(shown(edits)),
        after=_numbers(offer.new, bench.inputs, () if found.before is None else found.before.names),
        checks=offer.checks,
        changes=changes_of(offer),
    )


def changes_of(offer: Offer) -> str:
    """Where a convention is the same function, or by how much it differs, and who writes it; "" of a proven repair."""
    said = dict.fromkeys(r.holds for r in offer.rewrites if r.holds)
    return "; ".join(said) or ("it is the same where yours has a value" if offer.grade == "convention" else "")


def _at_this_point(offer: Offer) -> Offer | None:
    """An offer without what it says of jumps and limits beside this point; None if it rests on them.

    There the results of the user's functions were moved on their own: x ** 3 / x jumps if x ** 3 is such a result.
    """
    if offer.grade == "convention" or CONVENTION in offer.checks:
        return None
    return offer._replace(checks=tuple(SELECTED if check == BRANCH else check for check in offer.checks))


def _not_run_again(first: Tensor | None, bench: Bench) -> str:
    """The user's functions on the way to or from the node to blame, in words: they are not run to check a repair."""
    if first is None:
        return ""
    before = {node.serial for node in ancestors([first])}
    on_the_way = (c for c in bench.calls if c.serial in before or any(node is first for node in ancestors([c])))
    names = [call.op.name for call in on_the_way]
    return f": {' and '.join(dict.fromkeys(names))} would have to be called again to check one" if names else ""


def _numbers(y: Tensor, sources: list[Tensor], names: tuple[str, ...]) -> Numbers:
    return Numbers(y.value, tuple(gradients_of(y, sources)), names)


def _cause(y: Tensor, found: Repair, called: Callable[[Tensor], str], bench: Bench) -> tuple[Tensor | None, Repair]:
    """The oldest node to blame, and the cause; it has words if it lies before the graph, in its data or weights."""
    for node in graph_of(y):
        if not is_input(node) and node.op.name not in SELECTS and not finite(*map(_constant, node.args)):
            words = f"a constant of {node.op.name} holds nan or inf already: it was computed outside of the graph"
            return None, replace(found, op="input", reason="input", words=words)
    lost = next((s for s in sources_of(y) if np.isnan(s.value).any() or (s.value == np.inf).any()), None)
    if lost is not None:
        return None, replace(found, op="input", reason="input", words=_data(lost, called))
    bad = suspects(y, bench.inputs)
    first = next((node for node in bad if outside(node) or not finite(node.value)), bad[0] if bad else None)
    if first is not None:
        op = maker_of(first).op.name
        found = replace(found, op=op, reason=_reason(first, found), at=_argument(first))
    grown = next(filter(None, (growth_of(s.args[0]) for s in bench.inputs if s.op is READ)), "")
    if grown and found.reason == "overflow":
        found = replace(found, reason="weights", words="; ".join(filter(None, [grown, step_length(y)])))
    return first, found


def _argument(node: Tensor) -> str:
    """The argument of a node that is outside of its domain, as in " of 0"; "" if there is none."""
    bounds = bounds_of(node)
    if bounds is None or not outside(node):
        return ""
    a = value_of(node.args[bounds.argument])
    number = (
        np.max(a) if bounds.high is not None and np.max(a) > bounds.high else np.min(np.abs(a) if bounds.hole else a)
    )
    return f"{' by' if node.op.name == 'divide' else ' of'} {with_digits(number)}"


def with_digits(v: Any) -> str:
    """A number in seven digits, or in as many as tell it from an integer beside it, as 1.0000001."""
    text = f"{v:.7g}"
    return text if float(text) == v or float(text) != round(float(text)) else str(v)


def _constant(a: Any) -> Any:
    """A constant among the arguments of a node; None for anything else, and for -inf, which masks scores."""
    if isinstance(a, Tensor) or not isinstance(a, (float, np.ndarray, np.generic)) or value_of(a).dtype.kind != "f":
        return None
    return np.where(value_of(a) == -np.inf, 0, a)


def _weights(y: Tensor, variable: Any) -> str:
    """A sentence about weights that were not finite before the computation began."""
    count = int((~np.isfinite(variable.value)).sum())
    words = f"the weights {variable.name} hold {count} numbers that are not finite before this computation begins"
    return "; ".join(filter(None, [words, growth_of(variable), step_length(y)]))


def _data(s: Tensor, called: Callable[[Tensor], str]) -> str:
    """A sentence about data that are not finite: their true numbers are unknown here."""
    bad = np.isnan(s.value) | (s.value == np.inf)
    where = f" at {tuple(np.argwhere(bad)[0].tolist())}, {int(bad.sum())} of {s.size} elements" if s.ndim else ""
    what = "nan" if np.isnan(s.value).any() else "inf"
    return f"{called(s)} is {what}{where}; leave it out, or fill it in, before the computation; {NONE_KNOWN}"


def _reason(node: Tensor, found: Repair) -> str:
    """The reason why a node is not finite: "0 / 0", "domain", "overflow" or that of `found`."""
    if op_of(node) == "divide":
        a, b = map(value_of, node.args[:2])
        return "0 / 0" if ((a == 0) & (b == 0)).any() else "domain" if (b == 0).any() else "overflow"
    if outside(node) or node.op is PICK:  # the logarithm of a determinant of 0
        return "overflow" if node.op.name in ("exp", "exp2", "expm1", "cosh", "sinh") else "domain"
    whole = not isinstance(node.value, tuple) and np.isinf(node.value).any()
    return "overflow" if whole and finite(*map(value_of, numbers_in(node.args))) else found.reason


def search(y: Tensor, bench: Bench, also: Also | None = None) -> Offer | None:
    """The first rewrites that pass all checks: up to seven of the table, one hole, or five guards."""
    if any(map(underflows, graph_of(y))):  # numbers that are lost are unknown
        return None
    for find, most in ((rewrites, 7), (holes, 1), (guards, 5)):
        offer = _passed(y, find, most, bench, verify, also)
        if offer is not None:
            return _at_this_point(offer) if bench.calls else offer
    return None


def _usual(y: Tensor, bench: Bench, also: Also | None) -> Offer | None:
    """The first conventions with which the value and all gradients are finite; None if numbers underflow."""
    if any(map(underflows, graph_of(y))):
        return None

    def find(now: Tensor, bench: Bench) -> Iterator[Rewrite]:
        yield from conventions(now, bench)
        if now is not y:  # what is left is no convention
            yield from rewrites(now, bench)
            yield from (guard for guard in guards(now, bench) if guard.kind in ("masked", "end"))

    try:
        return _passed(y, find, 4, Bench(y, 600, 1.0, bench.inputs), _finite, also)
    except OutOfBudget:
        return None


def _finite(y: Tensor, new: Tensor, made: list[Rewrite], bench: Bench) -> Offer | None:
    """An offer of a convention; None if the value or a gradient is not finite with it."""
    if not finite(new.value, *gradients_of(new, bench.inputs)):
        return None
    compared = min((r.equal for r in made if r.guard or r.kind != "usual"), default=0)
    equal = f"equal to the program there, at {compared} other points, in value and gradient"
    return Offer(made, new, "convention", (equal,) if compared else ())


def _passed(
    y: Tensor,
    find: Callable[[Tensor, Bench], Iterator[Rewrite]],
    most: int,
    bench: Bench,
    check: Callable[[Tensor, Tensor, list[Rewrite], Bench], Offer | None],
    also: Also | None = None,
) -> Offer | None:
    """Apply up to `most` rewrites, one after the other, until the check is passed; None if it is not.

    If one is not enough, the first of the table is kept, or the one that leaves the fewest suspects.
    """
    now = y
    made: list[Rewrite] = []
    for _ in range(most):
        best, least = None, 1 if find is rewrites else len(suspects(now, bench.inputs))
        for rewrite in find(now, bench):
            new = _applied(rewrite, bench)
            if new is None:
                continue
            offer = check(y, new, [*made, rewrite], bench)
            if offer is not None and (also is None or also(new, bench.inputs)):
                return offer
            left = 0 if find is rewrites else len(suspects(new, bench.inputs))
            if left < least:
                best, least = (new, rewrite), left
        if best is None:
            return None
        now, made = best[0], [*made, best[1]]
    return None


def _applied(rewrite: Rewrite, bench: Bench) -> Tensor | None:
    """Apply a rewrite; None if its template does not fit, or if the node differs from the old one where it may not."""
    try:
        new = rewrite.apply()
        if new.shape != rewrite.y.shape:
            return None
        usual = rewrite.kind == "usual"
        with np.errstate(all="ignore"):
            equal = 0 if usual and not rewrite.guard else equal_points(rewrite, new, bench)
        rewrite.equal = equal or 0
        return new if equal or (usual and equal is not None) else None
    except UNFIT:
        return None


def _wider(y: Tensor, found: Repair, old: Bench, also: Also | None) -> Repair | None:
    """A repair by the next wider dtype, if everything is finite in it, and not only by luck of rounding."""
    dtype = np.dtype(np.float32 if y.dtype == np.float16 else np.float64)
    if y.dtype == dtype:
        return None
    try:
        now = replay(y, number=lambda a: np.asarray(a, dtype)[()])
        bench, rng = Bench(y, xs=old.inputs), np.random.default_rng(5)
        point = {s.serial: finite_value(s) for s in sources_of(y)}
        points = [{k: v + 1e-6 * rng.standard_normal(v.shape) for k, v in point.items()} for _ in range(6)]
        around = [bench.slopes(y, bench.inputs, near) for near in points]
        steady = bench.steady(y, bench.inputs, point)
    except (OutOfBudget, *UNFIT):
        return None
    names = () if found.before is None else found.before.names
    inputs = [now[s.serial] for s in bench.inputs]
    after = _numbers(now[y.serial], inputs, names)
    if also is not None and not also(now[y.serial], inputs):
        return None
    if not steady or not all(finite(value, *gradients) for value, gradients in [after[:2], *around]):
        return None
    words = f"in {dtype} everything is finite: make the inputs {dtype}"
    if np.max(np.abs(after.value), initial=0) > 1e30:
        words += "; the number itself is that large, so look at what makes it grow"
    return replace(found, grade="wider", words=words, after=after)
