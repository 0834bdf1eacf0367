"""Offer the usual call instead of a PyTorch loss that is not finite, after running it.

This covers a cross entropy whose targets are all ignored, a target longer than the input of `ctc_loss`, and a mean of
no elements.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from ..core.tensor import Tensor
from ..diagnostics.domains import finite, gradients_of, op_of, value_of
from ..diagnostics.edits import Edit, bracketed, shown
from ..diagnostics.nan import NanReport
from ..diagnostics.patterns import Rewrite, options_of
from ..diagnostics.repair_report import USUAL, Numbers, without_none_known
from ..diagnostics.user_expressions import source_of, span_of
from ..tracing.replay import NotReplayable, graph_of
from .pytorch_ops import plain_name
from .rebuilt_program import ForeignProgram


class OtherCall(NamedTuple):
    """A call to offer instead of a call to a loss function: the same function with one option changed.

    option : the changed keyword and its value.
    position : the keyword's position in torch's own function; -1 if it has none.
    after : computes the loss from PyTorch's result, the targets and the ignored index.
    write : returns the code to write, given the code of the call and of its targets, and the ignored index.
    holds : a phrase that names the inputs on which both calls agree, and in parentheses the new call's convention.
    """

    option: tuple[str, Any]
    position: int
    after: Callable[[Any, Any, int], Any]
    write: Callable[[str, str, int], str]
    holds: str


def _mean_of_counted(total: Any, target: Any, ignored: int) -> Any:
    return total / (target != ignored).sum().clamp(min=1)


COUNTED = OtherCall(
    ("reduction", "sum"), -1, _mean_of_counted,
    lambda call, target, ignored: f"({call} / ({target} != {ignored}).sum().clamp(min=1))",
    "it is the same if at least one target counts (the mean over a mask, 0 where it selects nothing)",
)  # fmt: skip
OTHER_CALLS = {
    "cross_entropy": COUNTED,
    "nll_loss": COUNTED,
    "ctc_loss": OtherCall(
        ("zero_infinity", True), 6, lambda loss, *_: loss, lambda call, *_: call,
        "it is the same where each target fits its input (PyTorch's zero_infinity)",
    ),
}  # fmt: skip


def with_other_call(report: NanReport, program: ForeignProgram) -> NanReport:
    """Add to a report the call that is usually written instead of the loss at fault.

    The report is unchanged if the user's line does not call the loss by its name, or if a number is still not finite.
    """
    serials = {serial for serial, id in report.trace.node_of.items() if id == report.node}
    empty = next((n for n in graph_of(program.y) if n.serial in serials and op_of(n) == "mean"), None)
    if empty is not None:
        return _with_counted_mean(report, program, empty)
    node = next((n for n in graph_of(program.y) if n.serial in serials and n.op in program.again), None)
    call = None if node is None else program.again[node.op]
    other = None if call is None else OTHER_CALLS.get(plain_name(call.func))
    reason = None if node is None else program.reasons.get(node.serial)
    if node is None or call is None or other is None or reason is None or call.kwargs.get("weight") is not None:
        return report
    edit = _edit(node, plain_name(call.func), other, call.kwargs)
    name, number = other.option
    target = call.args[1] if len(call.args) > 1 else call.kwargs["target"]
    ignored = call.kwargs.get("ignore_index", -100)
    option = {other.position if 0 <= other.position < len(call.args) else name: number}
    function = call.instead(option, lambda out: other.after(out, target, ignored))
    letters = dict(zip("abcdefgh", node.args))
    rewrite = Rewrite(program.y, node, f"call({', '.join(letters)})", letters, "usual")
    rewrite.bound["call"] = lambda *args: program.left(node.op.name, function, args, function.value(*map(_value, args)))
    return _offered(report, program, rewrite, edit, other.holds)


def _offered(report: NanReport, program: ForeignProgram, rewrite: Rewrite, edit: Edit | None, holds: str) -> NanReport:
    """Add a rewrite to a report as a convention, if there is an edit and all numbers are finite with it."""
    if edit is None:
        return report
    try:
        new = rewrite.apply()
        gradients = gradients_of(new, program.inputs)
        if not finite(new.value, *gradients) or not program.holds(new, program.inputs):
            return report
    except (NotReplayable, RuntimeError, TypeError, ValueError):
        return report
    names = () if report.repair.before is None else report.repair.before.names
    lines, words = tuple(shown([edit])), "; ".join(filter(None, [without_none_known(report.repair.words), USUAL]))
    repair = replace(report.repair, grade="convention", edits=(edit,), lines=lines, changes=holds,
                     rewrites=tuple((old, new) for _, _, old, new in lines), words=words,
                     after=Numbers(new.value, tuple(gradients), names))  # fmt: skip
    return replace(report, repair=repair)


#: Losses that PyTorch averages unless they get another reduction.
AVERAGED = {"mse_loss", "l1_loss", "binary_cross_entropy_with_logits"}


def _with_counted_mean(report: NanReport, program: ForeignProgram, node: Tensor) -> NanReport:
    """Add to a report on the mean of no elements a sum that is divided by their number, or by 1 if there are none."""
    span, options = span_of(node), options_of(node, 1)
    e = None if span is None else source_of(span[0]).expressions.get(span)
    whole = not value_of(node.args[0]).size and all(v is None or v is False for v in options.values())
    if span is None or not isinstance(e, ast.Call) or not whole:
        return report
    name = getattr(e.func, "attr", getattr(e.func, "id", ""))
    if name in AVERAGED and len(e.args) == 2 and not e.keywords:
        total, first = ast.Call(e.func, e.args, [ast.keyword("reduction", ast.Constant("sum"))]), e.args[0]
    elif name == "mean" and isinstance(e.func, ast.Attribute) and not e.keywords and len(e.args) <= 1:
        first = (e.args or [e.func.value])[0]
        total = ast.Call(ast.Attribute(e.func.value, "sum"), e.args, [])
    else:
        return report
    count = ast.Call(ast.Name("max"), [ast.Call(ast.Attribute(first, "numel"), [], []), ast.Constant(1)], [])
    edit = Edit(*span, text=bracketed(span, ast.BinOp(total, ast.Div(), count)))
    rewrite = Rewrite(program.y, node, "sum(a) / 1.0", {"a": node.args[0]}, "usual")
    holds = "it is the same if there is an element (the mean over a mask, 0 where it selects nothing)"
    return _offered(report, program, rewrite, edit, holds)


def _value(a: Any) -> Any:
    return getattr(a, "value", a)


def _edit(node: Tensor, name: str, other: OtherCall, options: dict[str, Any]) -> Edit | None:
    """Return the new call as an edit of the user's line, or None if the line does not call the function by its name."""
    span = span_of(node)
    e = None if span is None else source_of(span[0]).expressions.get(span)
    if span is None or not isinstance(e, ast.Call) or getattr(e.func, "attr", getattr(e.func, "id", "")) != name:
        return None
    by_name = {keyword.arg: keyword.value for keyword in e.keywords}
    target = e.args[1] if len(e.args) > 1 else by_name.get("target", by_name.get("targets"))
    if target is None or None in by_name or any(isinstance(a, ast.Starred) for a in e.args) or len(e.args) > 5:
        return None
    others = [keyword for keyword in e.keywords if keyword.arg != other.option[0]]
    new = [ast.keyword(other.option[0], ast.Constant(other.option[1]))]
    call = ast.unparse(ast.Call(e.func, e.args, [*others, *new]))
    simple = isinstance(target, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    text = ast.unparse(target) if simple else f"({ast.unparse(target)})"
    return Edit(*span, text=other.write(call, text, options.get("ignore_index", -100)))
