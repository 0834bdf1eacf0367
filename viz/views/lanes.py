"""The same function in several frameworks, or in several forms: a lane for each, and a table of the value and the
gradients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from minigrad.bridges import program_of
from minigrad.bridges.given import framework_of
from minigrad.core.support.error_words import visible
from minigrad.core.support.structure import flatten, is_structure
from minigrad.core.tensor import Tensor
from minigrad.tracing.numbers import short
from minigrad.tracing.recorder import backward_trace
from minigrad.tracing.table import text_table
from minigrad.tracing.trace_schema import BackwardTrace, Num
from minigrad.transforms.nesting import call_recorded

from ..model.findings import Findings
from ..model.frames import parts_of
from ..render.compare_table import table_html
from ..render.lane import Lane, lane_of
from ..render.markup import Html, markup
from .backward import as_tensors, leaves_of, returned
from .binding import bound, known_as
from .view import View


@dataclass(frozen=True)
class LaneRow:
    """The value of the result, or the gradient of an argument, in each lane; None for a lane without one."""

    what: str
    numbers: tuple[Num | None, ...]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple("none" if v is None else short(v) for v in self.numbers)

    @property
    def agree(self) -> bool:
        return len(set(self.words)) == 1


class Lanes(View):
    """Several passes on one slider, and a table: `rows` holds the table's numbers, `labels` the names of the lanes."""

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
    """A lane for each function, of minigrad or of a different framework, at the same inputs."""
    homes = [framework_of(f, args, inputs) or "minigrad" for f in functions]
    repeated = [home for home, count in Counter(homes).items() if count > 1]
    labels = [f"{known_as(f)} ({home})" if home in repeated else home for f, home in zip(functions, homes)]
    labels = [label if labels.count(label) == 1 else f"{label}, {i + 1}" for i, label in enumerate(labels)]
    traces = [_trace(f, home, args, inputs) for f, home in zip(functions, homes)]
    view = Lanes(aligned(traces, labels, flow), f"{known_as(functions[0])} in {', '.join(labels)}")
    view.labels, view.rows = tuple(labels), _rows(traces)
    return view


def aligned(traces: Sequence[BackwardTrace], labels: Sequence[str], flow: str) -> list[Lane]:
    """A lane for each pass, padded so that all have the same number of columns."""
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
    """A minigrad Tensor as a NumPy array, for a different framework."""
    if isinstance(a, Tensor):
        return a.value
    return float(a) if isinstance(a, int) and not isinstance(a, bool) else a


def _rows(traces: Sequence[BackwardTrace]) -> tuple[LaneRow, ...]:
    """A row for the value, and one for each input of any lane."""
    values = tuple(next(node.value for node in trace.nodes if node.output) for trace in traces)
    leaves = [{n.name: n.adjoint for n in t.nodes if n.kind == "leaf" and not n.ghost} for t in traces]
    names = dict.fromkeys(name for leaf in leaves for name in leaf)
    rows = [LaneRow(f"the gradient of {name}", tuple(leaf.get(name) for leaf in leaves)) for name in names]
    return (LaneRow("the value", values), *rows)


def frameworks_in(functions: Sequence[Any], arguments: Sequence[Any]) -> bool:
    """Whether a function, or an argument, belongs to another framework."""
    every = [x for a in arguments for x in (flatten(a) if is_structure(a) else [a])]
    return any(framework_of(f, every) for f in functions)
