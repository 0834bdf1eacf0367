"""The table of steps: the text twin of a picture, for terminals, diffs, screen readers and untrusted notebooks."""

from __future__ import annotations

from collections.abc import Collection

from minigrad.tracing.model import Step

from .findings import Findings

HEAD = ("step", "op", "adjoint in", "sends")


def step_table(found: Findings, ghosts: bool = True, max_lines: int | None = None) -> str:
    """One line per message: step, op, the adjoint it holds, and what it sends where.

    `w += 0.5 * 2 = 1 (3 -> 4)` reads: w receives the message 1, so that its adjoint goes from 3 to 4.
    max_lines: leave lines out of the middle beyond this many, except those where a nan or inf is born.
    """
    rows = _rows(found, found.trace.steps, max_lines)
    widths = [max(len(row[i]) for row in [HEAD, *rows] if len(row) > 1) for i in range(3)]
    lines = [HEAD, *rows]
    for ghost in found.trace.ghosts if ghosts else ():
        lines += [("",), (f"Replaced by the custom rule of {found.names[ghost.of]}; derived, it would have been:",)]
        lines += _rows(found, ghost.steps, max_lines)
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]).rstrip() if row[1:] else row[0]
        for row in lines
    )


def _rows(found: Findings, steps: tuple[Step, ...], max_lines: int | None) -> list[tuple[str, ...]]:
    """The rows; of a long pass the first and last with the origins between, and a note of what is left out."""
    total = sum(max(1, len(step.sends)) for step in steps)
    if max_lines is None or total <= max_lines:
        return _rows_of(found, steps)
    half = max_lines // 2
    first = _rows_of(found, steps[:half])[:half]
    last = _rows_of(found, steps[-half:])[-half:]
    edges = {send.edge for step in steps for send in step.sends}
    begun = [origin for origin in found.origins if origin.edge in edges]
    middle = [row for origin in begun for row in _rows_of(found, [steps[origin.step]]) if " born: " in row[3]]
    middle = [row for row in middle if row not in first + last][:half]
    left = total - len(first) - len(middle) - len(last)
    return [*first, (f"... {left} lines are left out here; to_text() has them all ...",), *middle, *last]


def _rows_of(found: Findings, steps: Collection[Step]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for step in steps:
        rule = step.rule.partition(":")[2]
        start = str(step.i), found.names[step.node] + (f" [{rule}]" if rule else ""), found.adjoints[step.node]
        if not step.sends:
            rows.append((*start, "(nothing: the end of the path)"))
        for send in step.sends:
            message = found.message(step, send)
            text = f"{found.names[send.to]} += {message.product} ({message.before} -> {message.after})"
            if message.origin is not None:
                text += f" [{message.origin.word} born: {message.origin.kind}]"
            elif send.event in ("carries", "stops"):
                text += f" [{send.event}]"
            rows.append((*start, text))
            start = "", "", ""
    return rows
