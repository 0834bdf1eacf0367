"""The field for a rule of a function: its initial data, and the object that tries a rule in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minigrad.core.support.error_words import name_of, visible
from minigrad.core.tensor import Tensor
from minigrad.diagnostics.nan import NanReport
from minigrad.tracing.trace_schema import BackwardTrace

from ..drag.replayed import CalledWith
from .opening import opening
from .repaired import repaired_rules
from .summed import Summed, edges_of
from .tried import Tried


def ruled(
    f: Any,
    y: Tensor,
    call: CalledWith | None,
    report: NanReport | None,
    variables: Sequence[str] = (),
    results: Mapping[str, Tensor] | None = None,
    trace: BackwardTrace | None = None,
) -> Callable[[], tuple[dict[str, Any], Callable[[], Tried] | None]] | None:
    """Return a function without arguments that calls `rule_of` for `f`, or None if no call of `f` is known.

    y : the result of `f` without a rule; if there are several, their sum. call : the call of `f`. report : the report
        on a nan or inf, whose replacements are offered. results : all results of `f` if it returns several, else None.
        trace : the trace of the pass from `y`.
    """
    if call is None:
        return None
    rewrites = report.repair.rewrites if report else ()
    derived = call.f.plain if isinstance(call.f, Summed) else call.f

    def opens() -> tuple[dict[str, Any], Callable[[], Tried] | None]:
        field, tried = rule_of(f, call.inputs, (y, y), derived, variables, rewrites, results)
        if trace and results and "results" in field:
            edges = edges_of(trace, results.values(), y)
            field["results"] = [[*row, edge] for row, edge in zip(field["results"], edges)]
        return field, tried

    return opens


def rule_of(
    f: Callable[..., Any],
    arguments: Mapping[str, Any],
    results: tuple[Any, Any],
    derived: Callable[..., Any],
    variables: Sequence[str] = (),
    rewrites: Sequence[tuple[str, str]] = (),
    several: Mapping[str, Tensor] | None = None,
) -> tuple[dict[str, Any], Callable[[], Tried] | None]:
    """Return the initial content of the field for a rule of `f`, and a function that returns its `Tried` object.

    results : the result of `f` and the result of `derived`, which is `f` without its rule. variables : the arguments
        that are Variables. rewrites : the replacements that a report on a nan suggests. several : all results, if the
        function returns several.
    """
    field = opening(f, visible(name_of(f)), arguments, *results, variables, several)
    if "cannot" in field:
        return field, None
    if repair := repaired_rules(f, field, rewrites):
        field["repair"] = repair
    return field, lambda: Tried(derived, arguments, field)
