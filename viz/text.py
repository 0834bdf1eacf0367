"""The text twin of a picture: the table of steps, for terminals, diffs, screen readers and untrusted notebooks."""

from __future__ import annotations

from minigrad.births import Birth, births
from minigrad.formulas import titles
from minigrad.numerals import short
from minigrad.trace import BackwardTrace, Edge, Send, Step

from .stops import arithmetic

HEAD = ("step", "op", "adjoint in", "sends")


def step_table(trace: BackwardTrace, ghosts: bool = True, most: int | None = None) -> str:
    """One line per message: step, op, the adjoint it holds, and what it sends where.

    `w += 0.5 * 2 = 1 (3 -> 4)` reads: w receives the message 1, so that its adjoint goes from 3 to 4.
    most: leave lines out of the middle beyond this many, except those where a nan or inf is born.
    """
    name = titles(trace)
    edges = {edge.id: edge for edge in trace.edges}
    rows = _rows(trace.steps, name, edges, {(b.step, b.edge): b for b in births(trace)})
    widths = [max(len(row[i]) for row in [HEAD, *rows]) for i in range(3)]
    lines = [_line(HEAD, widths), *_shorten([_line(row, widths) for row in rows], most)]
    for ghost in trace.ghosts if ghosts else ():
        born = {(b.step, b.edge): b for b in births(trace, ghost.steps, ghost=True)}
        lines += ["", f"Replaced by the custom rule of {name[ghost.of]}; derived, it would have been:"]
        lines += _shorten([_line(row, widths) for row in _rows(ghost.steps, name, edges, born)], most)
    return "\n".join(lines)


def _shorten(lines: list[str], most: int | None) -> list[str]:
    """The lines, or the first and last of them with the births between, and a word on what is left out."""
    if most is None or len(lines) <= most:
        return lines
    half = most // 2
    born = [line for line in lines[half:-half] if " born: " in line][:half]
    left = len(lines) - 2 * half - len(born)
    return [*lines[:half], f"... {left} lines are left out here; to_text() has them all ...", *born, *lines[-half:]]


def _rows(steps: tuple[Step, ...], name: dict[int, str], edges: dict[int, Edge], born: dict) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for step in steps:
        rule = step.rule.partition(":")[2]
        op = name[step.node] + (f" [{rule}]" if rule else "")
        cells = [_send(step, send, name, edges, born.get((step.i, send.edge))) for send in step.sends]
        for i, cell in enumerate(cells or ["(nothing: the end of the path)"]):
            rows.append((str(step.i), op, short(step.g), cell) if i == 0 else ("", "", "", cell))
    return rows


def _send(step: Step, send: Send, name: dict[int, str], edges: dict[int, Edge], birth: Birth | None) -> str:
    before = "not yet" if send.before is None else short(send.before)
    text = f"{name[send.to]} += {arithmetic(step, edges[send.edge], send)} ({before} -> {short(send.after)})"
    if birth is not None:
        text += f" [{birth.word} born: {birth.kind}]"
    elif send.event in ("carries", "stops"):
        text += f" [{send.event}]"
    return text


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]).rstrip()
