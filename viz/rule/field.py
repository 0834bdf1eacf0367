"""The field for a rule of a function: its initial data, and the object that tries a rule in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minigrad.core.custom import CustomGradient
from minigrad.core.graph import ancestors
from minigrad.core.support.error_words import name_of, visible
from minigrad.core.tensor import Tensor
from minigrad.core.variable import READ, Variable
from minigrad.diagnostics.nan import NanReport
from minigrad.tracing.trace_schema import BackwardTrace

from ..drag.replayed import CalledWith
from .opening import IN_PYTHON, INSTEAD, opening
from .python_rules import OwnRule, constants_in
from .repaired import repaired_rules
from .summed import Summed, edges_of
from .tried import Tried
from .variables import opened, variables_of

LARGE = 100_000  #: maximum number of elements of an input for a rule in Python


def ruled(
    f: Any,
    y: Tensor,
    call: CalledWith | None,
    report: NanReport | None,
    variables: Mapping[str, Variable] | None = None,
    results: Mapping[str, Tensor] | None = None,
    trace: BackwardTrace | None = None,
) -> Callable[[], tuple[dict[str, Any], Callable[[], Tried] | None]] | None:
    """Return a function without arguments that calls `rule_of` for `f`, or None if no call of `f` is known.

    y : the result of `f` without a rule; if there are several, their sum. call : the call of `f`. report : the report
        on a nan or inf, whose replacements are offered. variables : the Variables that the code of `f` names, which
        `call` may have as inputs. results : all results of `f` if it returns several, else None.
        trace : the trace of the pass from `y`.
    """
    if call is None:
        return None
    rewrites = report.repair.rewrites if report else ()
    derived = call.f.plain if isinstance(call.f, Summed) else call.f
    variables = variables or {}

    def opens() -> tuple[dict[str, Any], Callable[[], Tried] | None]:
        arguments, free = {**call.inputs}, {name: v for name, v in variables.items() if name not in call.inputs}
        reads = {id(t.args[0]): t for t in ancestors([y.read_value()]) if t.op is READ} if free else {}
        arguments |= {name: reads[id(v)] for name, v in free.items() if id(v) in reads}
        named, body = [name for name in variables if name in arguments], opened(f, free) if free else derived
        field, tried = rule_of(f, arguments, (y, y), body, named, rewrites, results)
        if trace and "inputs" in field and reads:
            field["nodes"] = {name: trace.node_of[arguments[name].serial] for name in free if name in arguments}
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
    field = full = opening(f, visible(name_of(f)), arguments, *results, variables, several)
    if "cannot" in field:
        full = opening(f, visible(name_of(f)), arguments, *results, variables, several, LARGE)
        if "cannot" in full:
            return field, None
        field = {"cannot": field["cannot"].replace(INSTEAD, IN_PYTHON)}
    own_rule, constants = None, constants_in(f)
    if isinstance(f, CustomGradient) and "own" in full:
        read = {name: v for name, v in variables_of(f).items() if name in variables}
        own_rule = OwnRule(f, arguments, read)
        field = field | ({"own": [full["own"], own_rule.sent(arguments)]} if "own" in field else {})
    if "inputs" in field and (repair := repaired_rules(f, field, rewrites)):
        field["repair"] = repair
    return field, lambda: Tried(derived, arguments, full, own_rule, constants)
