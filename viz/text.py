"""The text twin of a picture: the table of steps, for terminals, diffs, screen readers and untrusted notebooks."""

from __future__ import annotations

from minigrad.births import Birth, births
from minigrad.formulas import titles
from minigrad.numerals import short
from minigrad.traces import BackwardTrace, Edge, Send, Step

from .stops import arithmetic

HEAD = ("step", "op", "adjoint in", "sends")


def step_table(trace: BackwardTrace, ghosts: bool = True, most: int | None = None) -> str:
    """One line per message: step, op, the adjoint it holds, and what it sends where.

    `w += 0.5 * 2 = 1 (3 -> 4)` reads: w receives the message 1, so that its adjoint goes from 3 to 4.
    most: leave lines out of the middle beyond this many, except those where a nan or inf is born.
    """
    name = titles(trace)
    edges = {edge.id: edge for edge in trace.edges}
    rows = _rows(trace.steps, name, edges, {(b.step, b.edge): b for b in births(trace)}, most)
    widths = [max(len(row[i]) for row in [HEAD, *rows] if len(row) > 1) for i in range(3)]
    lines = [_line(HEAD, widths), *(_line(row, widths) for row in rows)]
    for ghost in trace.ghosts if ghosts else ():
        born = {(b.step, b.edge): b for b in births(trace, ghost.steps, ghost=True)}
        lines += ["", f"Replaced by the custom rule of {name[ghost.of]}; derived, it would have been:"]
        lines += [_line(row, widths) for row in _rows(ghost.steps, name, edges, born, most)]
    return "\n".join(lines)


def _rows(
    steps: tuple[Step, ...], name: dict[int, str], edges: dict[int, Edge], born: dict, most: int | None
) -> list[tuple[str, ...]]:
    """The rows; of a long pass the first and last of them with the births between, and a word on what is left out."""
    total = sum(max(1, len(step.sends)) for step in steps)
    if most is None or total <= most:
        return [row for step in steps for row in _of_step(step, name, edges, born)]
    half = most // 2
    first = [row for step in steps[:half] for row in _of_step(step, name, edges, born)][:half]
    last = [row for step in steps[-half:] for row in _of_step(step, name, edges, born)][-half:]
    places = [at for at, _ in born]
    middle = [row for at in places for row in _of_step(steps[at], name, edges, born) if " born: " in row[3]]
    middle = [row for row in middle if row not in first + last][:half]
    left = total - len(first) - len(middle) - len(last)
    return [*first, (f"... {left} lines are left out here; to_text() has them all ...",), *middle, *last]


def _of_step(step: Step, name: dict[int, str], edges: dict[int, Edge], born: dict) -> list[tuple[str, ...]]:
    rule = step.rule.partition(":")[2]
    op = name[step.node] + (f" [{rule}]" if rule else "")
    cells = [_send(step, send, name, edges, born.get((step.i, send.edge))) for send in step.sends]
    cells = cells or ["(nothing: the end of the path)"]
    return [(str(step.i), op, short(step.g), cell) if i == 0 else ("", "", "", cell) for i, cell in enumerate(cells)]


def _send(step: Step, send: Send, name: dict[int, str], edges: dict[int, Edge], birth: Birth | None) -> str:
    before = "not yet" if send.before is None else short(send.before)
    text = f"{name[send.to]} += {arithmetic(step, edges[send.edge], send)} ({before} -> {short(send.after)})"
    if birth is not None:
        text += f" [{birth.word} born: {birth.kind}]"
    elif send.event in ("carries", "stops"):
        text += f" [{send.event}]"
    return text


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    if len(row) == 1:
        return row[0]
    return "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]).rstrip()
