"""Search for a repair of a nan or inf: a rewrite of the recorded graph that is run before it is offered.

The cause is found first. Candidates come from the table of equal expressions, from holes that a limit fills, and from
guards; a candidate that passes the rules of `repair_proof` is proven. If no candidate passes, a wider dtype is tried,
then the table of usual conventions. An offer becomes an edit of the user's lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..core.graph import ancestors
from ..core.tensor import Tensor
from ..tracing.replay import NotReplayable, graph_of
from .cause import cause_of
from .domains import finite, gradients_of, suspects, underflows
from .edit_spelling import MINIGRAD, Dialect
from .edits import Edit, line_edits, shown, texts_of
from .families import apply_all, by_line, families, to_prove
from .guards import guards, holes
from .log_variances import HOLDS, log_variances
from .missing_data import FILL, TOO_LATE, edits_of_names, filled, is_expression, is_nan_free, is_put_back
from .missing_limit import why_no_limit
from .other_points import Bench, OutOfBudget, close, sources_of
from .patterns import Rewrite, rewrites
from .repair_apart import helps, part_with, within_its_program
from .repair_conventions import conventions
from .repair_proof import BRANCH, CONVENTION, NO_VALUE, SELECTED, Offer, compared_with, equal_points, verify
from .repair_report import NONE_KNOWN, NOT_ELSEWHERE, OUT_OF_TIME, USUAL, Repair
from .second_derivatives import Twice, on_second_derivatives, twice_differentiated
from .wider_dtype import HUGE, UNFIT, Also, numbers_of, wider


def find_repair(
    y: Tensor,
    op: str,
    kind: str,
    called: Callable[[Tensor], str],
    replays: int = 1500,
    also: Also | None = None,
    dialect: Dialect = MINIGRAD,
    xs: Iterable[Tensor] | None = None,
    elsewhere: Sequence[Tensor] = (),
    origin: Tensor | None = None,
    sender: Tensor | None = None,
    apart: Sequence[Tensor] = (),
    twice: Twice = twice_differentiated,
    blamed: Sequence[Tensor] = (),
) -> Repair:
    """Find the cause of a nan or inf in the graph of `y`, and a repair that passed all checks, or a usual convention.

    op, kind : the op and the kind of the origin.
    called : returns the user's name of an input.
    also : a further check that every offer must pass.
    dialect : the way that the user's lines are written.
    xs : the inputs whose gradients matter; by default all float inputs.
    elsewhere : the inputs whose nonfinite gradients have other origins.
    origin : the node where the nan or inf first appears in the forward pass, which may be an input.
    sender : the node that first sends the nan or inf in the backward pass.
    apart : the nodes of other origins, to repair only this origin and leave the inputs `elsewhere` unchanged.
    twice : computes the second derivative of a rewritten graph along one direction.
    blamed : nodes that get nan or inf only by rules of the program's framework.
    """
    xs = None if xs is None else [*xs]
    first, cause = find_cause(y, op, kind, called, xs, elsewhere, origin, sender, blamed)
    if cause.words:
        return _with_data_filled(y, cause, called, dialect, also, Bench(y, xs=xs, elsewhere=elsewhere, blamed=blamed))
    bench = Bench(y, replays, xs=xs, elsewhere=elsewhere if apart else ())
    bench.blamed = blamed if any(node is first for node in blamed) else ()
    offer, words = _tried(search, y, bench, also, NONE_KNOWN + _not_run_again(first, bench))
    part = part_with(origin if sender is None else sender, y, apart) if offer is None and apart else None
    if part is not None:
        whole, bench = bench, Bench(part, replays, xs=xs, elsewhere=elsewhere)
        offer, _ = _tried(search, part, bench, also, words)
        offer = None if offer is None or not helps(offer, part, y, whole.shown) else offer
        part, bench = (None, whole) if offer is None else (part, bench)
    if offer is None and not bench.calls:
        widened = wider(y, cause, bench, also)
        if widened is not None and HUGE not in widened.words:
            return widened
        rows = conventions if widened is None else log_variances
        offer, words = _tried(partial(_convention, rows=rows), y, bench, also, words)
        if offer is None and widened is not None:
            return widened
    if offer is None:
        why = why_no_limit(y, first, called, bench.shown)
        return replace(cause, words="; ".join(filter(None, [why, words])))
    if offer.grade in ("same", "limit") and not {BRANCH, SELECTED} & {*offer.checks}:
        differs = on_second_derivatives(y if part is None else part, offer, bench, called, dialect, twice)
        offer = offer._replace(checks=(*offer.checks, *filter(None, [differs])))
    if part is not None:
        offer, bench = within_its_program(offer, part, y), Bench(y, xs=xs)
    return _written(y, offer, cause, first, called, bench, dialect)


def _tried(
    find: Callable[..., Offer | None], y: Tensor, bench: Bench, also: Also | None, words: str
) -> tuple[Offer | None, str]:
    """Return the offer that a search finds, and the words if it finds none: `words`, unless it ran out of budget."""
    try:
        return find(y, bench, also), words
    except OutOfBudget:
        return None, OUT_OF_TIME
    except NotReplayable:
        return None, NOT_ELSEWHERE


def _with_data_filled(
    y: Tensor, cause: Repair, called: Callable[[Tensor], str], dialect: Dialect, also: Also | None, bench: Bench
) -> Repair:
    """Add a repair to a cause in the data, if the program leaves the nonfinite data out, but only after using them."""
    offer = filled(y, bench, also) if cause.reason == "input" and not bench.calls else None
    if offer is None:
        return cause
    edits = line_edits(y, offer.rewrites, dialect) or edits_of_names(offer, called, dialect)
    repair = _written(y, offer, cause, None, called, bench, dialect, edits)
    where = cause.words.partition(";")[0]
    if not edits:  # report only how to replace the nan, because the op may be inside a framework's loss function
        data = list(dict.fromkeys(called(s) for s in sources_of(y) if not is_nan_free(s.value))) or ["data"]
        fill = replace(offer.rewrites[0], was="d", template=FILL, bound={"d": bench.inputs[0]}, names={})
        texts = [(name, texts_of(fill, partial(_always, name), dialect)[1]) for name in data]
        unwritten = is_put_back(offer) or not all(map(is_expression, data))
        repair = cause if unwritten else replace(repair, rewrites=tuple(texts))
    left_out = "the value leaves it out, and its gradient is nan all the same"
    end = left_out if offer.grade == "limit" else f"{TOO_LATE}; {NONE_KNOWN}"
    return replace(repair, words=f"{where}; {end}") if repair.rewrites else cause


def _always(name: str, _: Tensor) -> str:
    return name


def find_cause(
    y: Tensor,
    op: str,
    kind: str,
    called: Callable[[Tensor], str],
    xs: Iterable[Tensor] | None = None,
    elsewhere: Sequence[Tensor] = (),
    origin: Tensor | None = None,
    sender: Tensor | None = None,
    blamed: Sequence[Tensor] = (),
) -> tuple[Tensor | None, Repair]:
    """Return the node to blame for a nan or inf, and the cause in words, without a repair.

    For the arguments, see `find_repair`.
    """
    bench = Bench(y, xs=xs, elsewhere=elsewhere, blamed=blamed)
    before = numbers_of(y, bench.shown, tuple(map(called, bench.shown)))
    return cause_of(y, Repair(op, kind, before=before), called, bench, origin, sender)


def _written(
    y: Tensor,
    offer: Offer,
    cause: Repair,
    first: Tensor | None,
    called: Callable[[Tensor], str],
    bench: Bench,
    dialect: Dialect,
    edits: tuple[Edit, ...] | None = None,
) -> Repair:
    """Return the Repair that reports an offer, with the given edits, or by default with edits of the user's lines."""
    words, edits = "", line_edits(y, offer.rewrites, dialect) if edits is None else edits
    if edits is None:
        return replace(cause, words=NONE_KNOWN)
    if offer.grade == "convention":
        why = why_no_limit(y, first, called, bench.shown)
        overflows = offer.rewrites[0].holds == HOLDS  # such a value exists
        why = f"{NO_VALUE}{why and ', since '}{why}" if np.isnan(y.value).any() and not overflows else why
        words = "; ".join(filter(None, [why, USUAL]))
    each, masked = by_line(offer.rewrites), any(r.kind == "masked" for r in offer.rewrites)
    runs = [f"written at each of the {many} runs of its line" for _, many in each if many > 1]
    return replace(
        cause,
        reason="masked branch" if masked and offer.grade != "convention" else cause.reason,
        grade=offer.grade,
        words=words,
        rewrites=tuple(texts_of(rewrite, called, dialect) for rewrite, _ in each),
        edits=edits,
        lines=tuple(shown(edits)),
        after=numbers_of(offer.new, bench.shown, () if cause.before is None else cause.before.names),
        checks=offer.checks if edits else (*offer.checks, *runs),
        changes=changes_of(offer),
    )


def changes_of(offer: Offer) -> str:
    """Describe where a convention is the same function or how much it differs, and name its source.

    Return "" for a proven repair.
    """
    said = dict.fromkeys(r.holds for r in offer.rewrites if r.holds)
    return "; ".join(said) or ("it is the same where yours has a value" if offer.grade == "convention" else "")


def _at_this_point(offer: Offer) -> Offer | None:
    """Remove an offer's claims about jumps and limits near this point, or return None if the offer depends on them.

    Near this point, the results of the user's functions were varied independently of their arguments, so a claim about
    the program may be false: x ** 3 / x seems to jump if x ** 3 is such a result. Also, if an infinite slope remains,
    another infinite slope may be intended.
    """
    if offer.grade == "convention" or CONVENTION in offer.checks:
        return None
    return offer._replace(checks=tuple(SELECTED if check == BRANCH else check for check in offer.checks))


def _not_run_again(first: Tensor | None, bench: Bench) -> str:
    """Return a phrase about the user's functions before or after the node to blame, which prevent checking a repair."""
    if first is None:
        return ""
    before = {node.serial for node in ancestors([first])}
    on_the_way = (c for c in bench.calls if c.serial in before or any(node is first for node in ancestors([c])))
    names = [call.op.name for call in on_the_way]
    return f": {' and '.join(dict.fromkeys(names))} would have to be called again to check one" if names else ""


def search(y: Tensor, bench: Bench, also: Also | None = None) -> Offer | None:
    """Return an offer of the first rewrites that pass: up to seven from the table, one hole, or up to five guards."""
    if any(map(underflows, graph_of(y))):  # no rewrite can recover a number that underflowed
        return None
    if bench.blamed:
        return _first_that_passes(y, rewrites, 2, bench, _as_here, also)
    for candidates, most in ((rewrites, 7), (holes, 1), (guards, 5)):
        bench.reserved = bench.replays // 2 if candidates is holes else 0  # leave half of the replays for the guards
        try:
            offer = _first_that_passes(y, candidates, most, bench, verify, also)
        except (NotReplayable, OutOfBudget):
            if candidates is not holes:
                raise
            continue
        if offer is not None:
            return _at_this_point(offer) if bench.calls or bench.elsewhere else offer
    return None


def _as_here(y: Tensor, new: Tensor, rewritten: list[Rewrite], bench: Bench) -> Offer | None:
    """Return an offer if the program's numbers in minigrad are finite and the rewrites keep them, else None."""
    pairs = zip((y.value, *gradients_of(y, bench.inputs)), (new.value, *gradients_of(new, bench.inputs)))
    if not all(finite(a) and close(a, b, 1e-5) for a, b in pairs):
        return None
    return Offer(
        rewritten, new, "same", (compared_with(rewritten), "its gradient here is the one that minigrad computes")
    )


def _convention(
    y: Tensor, bench: Bench, also: Also | None, rows: Callable[[Tensor, Bench], Iterator[Rewrite]] = conventions
) -> Offer | None:
    """Return an offer of the first conventions in `rows` that make the value and all gradients finite, else None.

    The result is also None if a number underflows. Raises OutOfBudget.
    """
    if any(map(underflows, graph_of(y))):
        return None

    def candidates(now: Tensor, bench: Bench) -> Iterator[Rewrite]:
        yield from rows(now, bench)
        if now is not y:  # after a first convention, other rewrites are tried too
            yield from rewrites(now, bench)
            yield from (guard for guard in guards(now, bench) if guard.kind in ("masked", "end"))

    shorter = Bench(y, 600, 1.0, bench.inputs, bench.elsewhere)
    return _first_that_passes(y, candidates, 4, shorter, _finite_offer, also)


def _finite_offer(y: Tensor, new: Tensor, made: list[Rewrite], bench: Bench) -> Offer | None:
    """Return an offer of a convention, or None if it leaves the value or a gradient nonfinite."""
    if not finite(new.value, *gradients_of(new, bench.inputs)):
        return None
    compared = [r for r in made if r.guard or r.kind != "usual"]
    equal = (compared_with(compared, "there, "),) if compared and all(r.equal for r in compared) else ()
    return Offer(made, new, "convention", equal)


def _first_that_passes(
    y: Tensor,
    candidates: Callable[[Tensor, Bench], Iterator[Rewrite]],
    most: int,
    bench: Bench,
    check: Callable[[Tensor, Tensor, list[Rewrite], Bench], Offer | None],
    also: Also | None = None,
) -> Offer | None:
    """Apply up to `most` rewrites one after the other until the check passes; return None if it never does.

    If one rewrite is not enough, the search continues after the first applicable rewrite from the table, or after the
    guard, hole or convention that leaves the fewest suspects.
    """
    now = y
    made: list[Rewrite] = []
    for _ in range(most):
        best, least = None, 1 if candidates is rewrites else len(suspects(now, bench.inputs))
        for runs in families(candidates(now, bench)):
            new = _applied(runs, bench)
            if new is None:
                continue
            try:
                offer = check(y, new, [*made, *runs], bench)
            except UNFIT:  # for example, a framework's op does not support float64
                offer = None
            if offer is not None and _passes(also, new, bench):
                return offer
            left = 0 if candidates is rewrites else len(suspects(new, bench.inputs))
            if left < least:
                best, least = (new, runs), left
        if best is None:
            return None
        now, made = best[0], [*made, *best[1]]
    return None


def _passes(also: Also | None, new: Tensor, bench: Bench) -> bool:
    if also is None:
        return True
    with bench.untimed():
        return also(new, bench.inputs)


def _applied(runs: Sequence[Rewrite], bench: Bench) -> Tensor | None:
    """Apply a rewrite at all runs of its line, and return the new result.

    Return None if the template does not fit, or if a rewritten node that should equal the old one differs from it.
    """
    try:
        first, several = runs[0], len(runs) > 1
        usual, equal = first.kind == "usual", []
        with np.errstate(all="ignore"):
            for one in to_prove(runs):
                new = one.apply()
                if new.shape != one.y.shape:
                    return None
                points = 0 if usual and not one.guard else equal_points(one, new, bench, several)
                if not points and (not usual or points is None):
                    return None
                equal.append(points or 0)
            new = apply_all(runs) if several else new
        for one in runs:
            one.equal, one.by_operands = min(equal), first.by_operands or several
            one.by_differences = first.by_differences
        return new
    except UNFIT:
        return None
