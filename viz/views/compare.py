"""`viz.compare`: several backward passes side by side.

The derived pass of a function and the pass with its custom rule are drawn as two lanes of one picture, with their
common parts at the same positions and with finite differences as the reference. Below the custom lane is the ghost: the
ops that the rule replaced, and their numbers. If a function is given for several frameworks or in several forms, each
has a lane, and a table shows the value and the gradients.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from minigrad.bridges import program_of
from minigrad.bridges.given import framework_of
from minigrad.core.custom import CustomGradient
from minigrad.core.support.error_words import visible
from minigrad.core.support.structure import flatten, is_structure
from minigrad.core.tensor import Tensor, next_serial
from minigrad.tracing.numbers import short
from minigrad.tracing.recorder import backward_trace
from minigrad.tracing.table import text_table
from minigrad.tracing.trace_schema import BackwardTrace, Num
from minigrad.transforms.nesting import call_recorded

from ..drag.followed_page import Followed
from ..drag.replayed import CalledWith
from ..model.findings import Findings
from ..model.frames import parts_of
from ..model.unused import with_unused
from ..model.verdicts import VERDICTS, CompareRow, rows
from ..render.compare_table import table_html, verdicts_html, verdicts_text
from ..render.lane import Lane, lane_of
from ..render.markup import Html, joined, markup
from ..rule.field import rule_of
from ..rule.opening import result_names
from ..rule.summed import Summed, edges_of
from ..rule.variables import opened
from ..sentences.two_passes import both_of
from .backward import as_tensors, backward, leaves_of, returned
from .binding import bound, check_flow, known_as
from .static_view import write
from .view import View

RECORDED = "The table stays with the recorded numbers: with several results the page does not measure it again."


class Comparison(View):
    """Two lanes with one slider, and a table with one row per argument; `rows` has the numbers of the table.

    >>> import minigrad as mg
    >>> import viz
    >>> triple = mg.custom_gradient(lambda x: (3 * x, lambda dy: 3 * dy))
    >>> view = viz.compare(triple, 1.0)
    >>> type(view).__name__, view.rows[0].verdict
    ('Comparison', 'both are right here')
    """

    rows: tuple[CompareRow, ...] = ()
    labels: tuple[str, str] = ("derived", "custom")
    equal: bool = True  #: whether both lanes have the same value
    several: bool = False  #: whether the function has several results, whose sum is differentiated
    _shared = View._shared | {"several"}

    def to_json(self, path: str | Path | None = None) -> str:
        """Return both traces as JSON, by label; `minigrad.BackwardTrace.from_json` reads each of them."""
        both = ",".join(f"{json.dumps(lane.name)}:{lane.trace.to_json()}" for lane in self._lanes)
        return write(path, f"{{{both}}}")

    def _point(self) -> str:
        return both_of([lane.trace for lane in self._lanes], self.rows, self.labels, self.equal)

    def data(self, drag: bool = True) -> tuple[dict[str, Any], int]:
        view, stop = super().data(drag)
        if not self.several:
            return {**view, "labels": self.labels, "verdicts": VERDICTS}, stop
        for lane in view["lanes"]:
            if "drag" in lane:
                lane["drag"] = {**lane["drag"], "note": RECORDED}
        return view, stop

    def _extra_text(self) -> list[str]:
        return [verdicts_text(self.rows, self.labels), *self._rule_text()]

    def _extra_html(self) -> Html:
        return joined([verdicts_html(self.rows, self.labels), super()._extra_html()])


def compare(*parts: Any, flow: str = "auto", drag: bool = True, **inputs: Any) -> View:
    """Draw backward passes side by side: derived and custom, or the passes of several functions.

    A function can also be compared across frameworks, with a lane for each framework.

    Parameters
    ----------
    parts : one function decorated with `custom_gradient`, or two functions with the same arguments, followed by the
        arguments: numbers, arrays, Tensors, or dicts and tuples of these. Arguments can also be passed by name, as
        `inputs`. If a function returns several Tensors, the sum of all their elements is differentiated. Functions of
        minigrad, PyTorch, JAX and TensorFlow can be mixed: each gets a separate lane and the same inputs. Import the
        frameworks first.
    flow, drag : as for `viz.backward`.

    Returns a Comparison. Its table, `rows`, has a row for each argument and each trainable Variable that is used: both
    gradients, the slope measured in float64 by finite differences, and a verdict, which also covers upstream gradients
    other than 1 and nearby points. For several frameworks, or more than two functions, a table shows the value and the
    gradients of each lane instead.

    Raises TypeError if there is nothing to compare, or for arguments that the functions do not take.

    >>> import minigrad as mg
    >>> @mg.custom_gradient
    ... def triple(x):
    ...     return 3.0 * x, lambda dy: 100.0 * dy
    >>> compare(triple, 1.0).rows[0].verdict
    'the custom rule gives another slope than the function has: 100 instead of 3'
    """
    check_flow(flow, "compare", inputs, parts[0] if parts else None)
    leading = [*takewhile(callable, parts)]
    if len(leading) > 2 or (leading and frameworks_in(leading, [*parts[len(leading) :], *inputs.values()])):
        return lanes(leading, parts[len(leading) :], inputs, flow)
    functions = [*filter(callable, parts[:2])]
    if not functions or parts[0] is not functions[0]:
        got = known_as(parts[0], f"{parts[0]!r:.60}") if parts else "nothing"
        raise TypeError(
            "compare takes a function decorated with custom_gradient and its arguments, as in compare(f, 100.0), "
            f"or two functions, as in compare(f, g, 100.0); got {got}"
        )
    if len(functions) == 1 and not isinstance(functions[0], CustomGradient):
        bound(functions[0], parts[1:], inputs, "compare", known_as(functions[0]))
        return backward(*parts, flow=flow, drag=drag, mode="rule", **inputs)
    shown = ", ".join(known_as(f) for f in functions)
    named = bound(functions[0], parts[len(functions) :], inputs, "compare", shown)
    arguments = as_tensors(named, (str, bool, type(None)))
    custom = functions[0] if len(functions) == 1 else None
    if custom is not None:
        functions = [opened(functions[0], {}), functions[0]]
        labels = ("derived", "custom")
    else:
        labels = (known_as(functions[0], "first"), known_as(functions[1], "second"))
        labels = labels if labels[0] != labels[1] else (f"{labels[0]} (first)", f"{labels[1]} (second)")
    names = leaves_of(arguments)
    summed = [Summed(f) for f in functions]
    passes = [_followed(f, arguments, names, custom) for f in summed]
    drawn = aligned([with_unused(followed.trace, names, arguments) for followed in passes], labels, flow)
    view = Comparison(drawn, f"{labels[0]} and {labels[1]} gradient of {known_as(functions[-1])}")
    view.labels = labels
    view.rows = rows(functions, arguments, labels)
    view.several = bool(summed[0].several())
    view.equal = np.array_equal(passes[0].y.value, passes[1].y.value, equal_nan=True)
    view.followed = tuple(passes) if drag else ()
    view.mode = "gradient"
    if custom is not None:
        view.mode = "rule"
        results, y = summed[0].several(), passes[0].y
        view.rule, view.tried = rule_of(custom, arguments, (passes[1].y, y), functions[0], several=results)
        if results and "results" in view.rule:
            edges = edges_of(passes[0].trace, results.values(), y)
            view.rule["results"] = [[*row, edge] for row, edge in zip(view.rule["results"], edges)]
    return view


def _followed(f: Summed, arguments: dict[str, Any], names: dict[str, Any], custom: CustomGradient | None) -> Followed:
    """Call `f` with `arguments`, and return its backward pass.

    names : Tensors by name. custom : the compared function if there is only one; several results then get the names
        in its source code.
    """
    since = next_serial()
    y = call_recorded(f, **arguments)
    results = f.several()
    for one in flatten(y) if is_structure(y) else results.values():
        returned(f.plain, one, "compare")
    whole = returned(f.plain, y, "compare")
    if results and custom:
        called = result_names(custom, [*arguments], [], len(results))
        names = {**dict(zip(called, results.values())), "sum of results": whole, **names}
    why = "the functions return several results" if results and not custom else ""
    return Followed(whole, backward_trace(whole, names=names), CalledWith(f, arguments, since), why)


@dataclass(frozen=True)
class LaneRow:
    """The value of the result or the gradient of an argument in each lane. It is None if a lane has no such number."""

    what: str
    numbers: tuple[Num | None, ...]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple("none" if v is None else short(v) for v in self.numbers)

    @property
    def agree(self) -> bool:
        return len(set(self.words)) == 1


class Lanes(View):
    """Several passes with one slider, and a table: `rows` has the table's numbers, `labels` the names of the lanes."""

    rows: tuple[LaneRow, ...] = ()
    labels: tuple[str, ...] = ()

    def _point(self) -> str:
        said = []
        for row in self.rows:
            if row.agree:
                said.append(f"{row.what} is {row.words[0]} in all")
                continue
            by: dict[str, list[str]] = {}
            for label, word in zip(self.labels, row.words):
                by.setdefault(word, []).append(label)
            said.append(f"{row.what} is " + ", ".join(f"{word} in {' and '.join(who)}" for word, who in by.items()))
        return visible("; ".join(said)[:1].upper() + "; ".join(said)[1:] + ".")

    def _extra_text(self) -> list[str]:
        lines = [(row.what, *row.words) for row in self.rows]
        return [text_table(("", *self.labels), lines, words=range(1 + len(self.labels)))]

    def _extra_html(self) -> Html:
        cell = lambda word: markup("<td>{word}</td>", word=word)
        lines = ((row.what, map(cell, row.words)) for row in self.rows)
        return table_html("The value and the gradients in each lane", ("", *self.labels), lines)


def lanes(functions: Sequence[Callable[..., Any]], args: Sequence[Any], inputs: Mapping[str, Any], flow: str) -> Lanes:
    """Return a lane for each function, of minigrad or another framework, at the same inputs."""
    homes = [framework_of(f, args, inputs) or "minigrad" for f in functions]
    repeated = [home for home, count in Counter(homes).items() if count > 1]
    labels = [f"{known_as(f)} ({home})" if home in repeated else home for f, home in zip(functions, homes)]
    labels = [label if labels.count(label) == 1 else f"{label}, {i + 1}" for i, label in enumerate(labels)]
    traces = [_trace(f, home, args, inputs) for f, home in zip(functions, homes)]
    view = Lanes(aligned(traces, labels, flow), f"{known_as(functions[0])} in {', '.join(labels)}")
    view.labels, view.rows = tuple(labels), _rows(traces)
    return view


def aligned(traces: Sequence[BackwardTrace], labels: Sequence[str], flow: str) -> list[Lane]:
    """Return a lane for each pass, padded so that all lanes have the same number of columns."""
    drawn = [lane_of(Findings(trace), parts_of(trace), flow=flow) for trace in traces]
    columns = [len(lane.scene.choice(lane.window(), lane.state(0)).fit.grid("").columns) for lane in drawn]
    return [replace(lane, padding=max(columns) - own, name=label) for lane, own, label in zip(drawn, columns, labels)]


def _trace(f: Callable[..., Any], home: str, args: Sequence[Any], inputs: Mapping[str, Any]) -> BackwardTrace:
    if home == "minigrad":
        arguments = as_tensors(bound(f, args, inputs, "compare"), (str, bool, type(None)))
        return backward_trace(returned(f, call_recorded(f, **arguments), "compare"), names=leaves_of(arguments))
    program = program_of(f, [_plain(a) for a in args], {k: _plain(v) for k, v in inputs.items()}, "viz.compare")
    assert program is not None
    return backward_trace(program.y, program.inputs, program.names)


def _plain(a: Any) -> Any:
    """Convert an argument for another framework: a Tensor to a NumPy array, and an int to a float."""
    if isinstance(a, Tensor):
        return a.value
    return float(a) if isinstance(a, int) and not isinstance(a, bool) else a


def _rows(traces: Sequence[BackwardTrace]) -> tuple[LaneRow, ...]:
    """Return the table's rows: one for the value, and one for the gradient of each input that any lane has."""
    values = tuple(next(node.value for node in trace.nodes if node.output) for trace in traces)
    leaves = [{n.name: n.adjoint for n in t.nodes if n.kind == "leaf" and not n.ghost} for t in traces]
    names = dict.fromkeys(name for leaf in leaves for name in leaf)
    rows = [LaneRow(f"the gradient of {name}", tuple(leaf.get(name) for leaf in leaves)) for name in names]
    return (LaneRow("the value", values), *rows)


def frameworks_in(functions: Sequence[Any], arguments: Sequence[Any]) -> bool:
    """Return whether a function or an argument belongs to another framework."""
    every = [x for a in arguments for x in (flatten(a) if is_structure(a) else [a])]
    return any(framework_of(f, every) for f in functions)
