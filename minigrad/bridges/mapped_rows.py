"""Write edits for the lines of a function under `jax.vmap`, which see one row of the arrays that the graph holds whole.

An elementwise op reads the same for a row and for all rows. A reduction over the last axis of the graph's array is a
reduction over all of the row if the row is a vector and the user's call names no axis. Other ops are not rewritten.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.graph import ancestors
from ..core.tensor import Tensor
from ..diagnostics.domains import op_of
from ..diagnostics.patterns import Rewrite, number, options_of
from ..diagnostics.user_expressions import Span, source_of, span_in, span_of
from ..tracing.replay import is_input
from .spelling import Spelling


class RowSpelling(Spelling):
    """A spelling that knows which lines a `vmap` runs.

    mapped : the location of such a line -> the number of `vmap`s around it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.mapped: dict[Any, int] = {}

    def maps(self, location: Any, rows: int) -> None:
        """Note that the code at a location was run under `rows` vmaps; a call such as `vmap(f)(x)` sees all rows."""
        if rows and location is not None and not _is_call_of_a_call(location):
            self.mapped[location] = max(rows, self.mapped.get(location, 0))

    def span_of(self, node: Tensor) -> Span | None:
        """Return the span of the expression that created a node, unless it is a cast or an axis that is not written.

        An operator such as `/` casts and broadcasts its operands, and a row has no axes that broadcasting adds.
        """
        span, name = super().span_of(node), "" if is_input(node) else node.op.name
        if span is None or name not in ("astype", "reshape"):
            return span
        unwritten = isinstance(source_of(span[0]).expressions.get(span), ast.BinOp)
        return None if unwritten or (name == "reshape" and self._rows(node)) else span

    def fits(self, rewrite: Rewrite) -> bool:
        """Return whether the expressions between a rewritten node and its operands can be written for one row."""
        bound = {id(a) for a in rewrite.bound.values()}
        inside = ancestors([rewrite.at], enter=lambda node: id(node) not in bound)
        return all(self._row_options(node) is not None for node in inside if id(node) not in bound)

    def options_in(self, rewrite: Rewrite, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the options of a rewrite's functions: for one row, the axis that `fits` allowed is the default."""
        axis = options.get("axis")
        whole = not self._rows(rewrite.at) or (isinstance(axis, int) and axis < 0)
        return options if whole else {k: v for k, v in options.items() if k != "axis"}

    def in_line(self, node: Tensor, args: Sequence[ast.expr]) -> ast.expr | None:
        """Return the expression of a node for one row, or None if it is unknown."""
        options = self._row_options(node)
        if self._rows(node) and op_of(node) == "divide" and not isinstance(node.args[1], Tensor):
            total = node.args[0].args[0] if op_of(node.args[0]) == "reshape" else node.args[0]
            first, mean = args[0], op_of(total) == "sum" and number(node.args[1]) == _length(total)
            # the line must not contain the length of the row
            return self.call("mean", first.args, {}) if mean and isinstance(first, ast.Call) else None
        if not self._rows(node) or _is_elementwise(node) or options is None:
            return super().in_line(node, args) if options is not None else None
        return args[0] if node.op.name == "reshape" else self.call(op_of(node), args[:1], options)

    def _rows(self, node: Tensor) -> int:
        return self.mapped.get(getattr(node, "location", None), 0)

    def _row_options(self, node: Tensor) -> Mapping[str, Any] | None:
        """Return the options of a node for one row, or None if they are unknown."""
        rows = self._rows(node)
        if is_input(node) or not rows or _is_elementwise(node):
            return {}
        x = next((a for a in node.args if isinstance(a, Tensor)), None)
        if x is None or x.ndim - rows > 1:
            return None
        if op_of(node) == "reshape":  # a number of each row gets an axis of length 1, as broadcasting gives it too
            return {} if node.shape == x.shape + (1,) * (node.ndim - x.ndim) else None
        if not op_of(node) or "axis" not in inspect.signature(node.op.call).parameters:
            return None
        options = options_of(node, 1)
        axis = options.get("axis")
        if axis is None or (isinstance(axis, int) and axis < 0):  # as the user wrote it
            return options if axis is not None or node.ndim == x.ndim else None
        alone = {k: v for k, v in options.items() if v is not None and v is not False}
        return {} if alone == {"axis": x.ndim - 1} and x.ndim - rows == 1 and _names_no_axis(node) else None


def _length(total: Tensor) -> float:
    """Return the number of elements in each of the sums that a node holds."""
    return float(total.args[0].size / max(total.size, 1))


def _is_elementwise(node: Tensor) -> bool:
    return node.op is not None and node.op.elementwise


def _names_no_axis(node: Tensor) -> bool:
    """Return whether the user's call has a single operand and no options."""
    span = span_of(node)
    e = None if span is None else source_of(span[0]).expressions.get(span)
    if not isinstance(e, ast.Call) or e.keywords:
        return False
    method = isinstance(e.func, ast.Attribute) and not e.args
    return method or len(e.args) == 1


def _is_call_of_a_call(location: Any) -> bool:
    """Return whether the code at a location calls the result of a call, as in `jax.vmap(f)(x)`."""
    code, at = location
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return False
    a, b, c, d = [*positions()][at // 2]
    span = (code.co_filename, a, c, b, d)
    e = source_of(code.co_filename).expressions.get(span)  # type: ignore[arg-type]
    return isinstance(e, ast.Call) and isinstance(e.func, ast.Call) and span_in(code.co_filename, e) == span
