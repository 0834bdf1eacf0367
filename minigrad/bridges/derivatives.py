"""A gradient that the user's program computes, and whose derivative it needs, as in a physics-informed network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.backward import pullback
from ..core.support.observers import observing
from ..core.tensor import Tensor, next_serial
from ..diagnostics.domains import maker_of
from ..tracing.user_lines import line_of


def adjoints_of(
    ys: Sequence[Tensor], upstreams: Sequence[Tensor], xs: Sequence[Tensor]
) -> tuple[list[Any], dict[int, Tensor]]:
    """Return the adjoints of `xs`, and a dict: serial of a new node -> the node whose derivative it belongs to."""
    of: dict[int, Tensor] = {}

    def follow(started: Any) -> Any:
        first = [next_serial()]

        def after_step(node: Tensor, g: Any, sends: Any) -> None:
            end = next_serial()
            of.update(dict.fromkeys(range(first[0], end), node) if node.op is not None else {})
            first[0] = end

        return after_step

    with observing(follow=follow):
        return pullback(ys, upstreams, xs), of


def derivative_words(node: Tensor, within: str) -> str:
    """Return a phrase about the derivative of a node, such as "the derivative of sqrt, model.py:12"."""
    maker, line = maker_of(node), line_of(node)
    parts = [f"the derivative of {maker.op.name}", line.where if line else "", within]
    return ", ".join(filter(None, parts))
