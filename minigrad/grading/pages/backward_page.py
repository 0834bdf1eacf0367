"""A page that plays the backward pass of a failed answer, at the inputs where it failed.

For a wrong gradient, the messages that differ from the true messages are marked.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from minigrad import remember_lines
from minigrad.core.tensor import Tensor
from minigrad.graphs import Graph, function_of

from ..report import Mark


def backward_page(mark: Mark) -> str:
    """Return the page as HTML, or "" if the answer recorded no graph or the graph cannot be drawn.

    The graph runs in this process, as it did in the judge: it contains no code, and its content is checked when it is
    read.
    """
    if not mark.graph:
        return ""
    import viz
    from viz.views.wrong_messages import with_wrong

    data = json.loads(mark.graph)
    remember_lines(False)  # the graph is run by this module, not by lines of the student's code
    try:
        function = function_of(Graph(data["graph"]))
        inputs: dict[str, Any] = {name: np.float32(x) for name, x in zip(data["names"], data["inputs"])}
        upstream = [np.float32(x) for x in data["inputs"][len(inputs) :] if "upstream = " in mark.inputs]
        result = lambda **named: _weighted(_first(function(*named.values())), *upstream)
        true = {name: np.float32(g) for name, g in zip(inputs, data.get("true", ())) if g is not None}
        return with_wrong(viz.backward(result, **inputs), true).to_html()
    except (ValueError, TypeError, RuntimeError, ArithmeticError):
        return ""
    finally:
        remember_lines()


def _weighted(result: Tensor, upstream: Any = None) -> Tensor:
    """Return the result times `upstream`, so that the answer's rule receives the upstream gradient of the failure."""
    return result if upstream is None else result * upstream


def _first(result: Tensor | tuple[Tensor, ...]) -> Tensor:
    return result[0] if isinstance(result, tuple) else result
