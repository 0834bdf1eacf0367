"""Print every op with its kind, formula, local derivatives and names in other frameworks: `python -m minigrad.ops`."""

from __future__ import annotations

import sys
from collections import Counter

from ..core.op import OPS, Op

LETTERS = "a, b and c are the arguments, y is the result and g the upstream gradient."
KINDS = {"primitive": "has a rule", "composite": "made of other ops", "constant": "no gradient"}


def groups() -> dict[str, list[Op]]:
    """Return the ops of each file, by the file's name, in the order of their declarations."""
    by_module: dict[str, list[Op]] = {}
    title = ""
    for op in OPS.values():  # an op without minigrad's own code belongs to the preceding op's file
        modules = [getattr(f, "__module__", None) or "" for f in (op.fn, *(op.vjps or ()), op.vjp_all)]
        title = next((m.rpartition(".")[2] for m in modules if m.startswith("minigrad.ops.")), title)
        by_module.setdefault(title, []).append(op)
    return dict(sorted(by_module.items()))


def row(op: Op) -> tuple[str, str, str, str, str]:
    """Return an op's name, kind, formula, local derivatives and names in other frameworks as text."""
    names = ", ".join(f"{framework} {name}" for framework, name in op.facts.names.items())
    return op.name, op.kind, op.facts.latex, "; ".join(text or "none" for text in op.facts.slope), names


def plain() -> str:
    lines = [LETTERS]
    for title, ops in groups().items():
        lines += ["", title, ""]
        for op in ops:
            name, kind, formula, slope, names = row(op)
            lines.append(f"  {name:22} {kind:9}  {formula}")
            lines += [f"  {'':22} {what:9}  {text}" for what, text in
                      (("slope", slope), ("note", op.facts.edge_cases), ("names", names)) if text]  # fmt: skip
    return "\n".join([*lines, "", summary()])


def markdown() -> str:
    lines = [LETTERS, ""]
    for title, ops in groups().items():
        head = "| op | kind | formula | local derivative | also known as |"
        lines += [f"## {title}", "", head, "|---|---|---|---|---|"]
        for op in ops:
            name, kind, formula, slope, names = (text.replace("|", "\\|") for text in row(op))
            lines.append(f"| `{name}` | {kind} | {f'${formula}$' if formula else ''} | {slope} | {names} |")
        lines.append("")
    return "\n".join([*lines, summary()])


def summary() -> str:
    count = Counter(op.kind for op in OPS.values())
    kinds = ", ".join(f"{count[kind]} {kind} ({what})" for kind, what in KINDS.items())
    return f"{len(OPS)} ops: {kinds}."


if __name__ == "__main__":
    print(markdown() if "--markdown" in sys.argv[1:] else plain())
