"""Pictures of backward passes as they are in a notebook, made when the site is built, with the code that makes each."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

import numpy as np

import minigrad
import viz

from .text import Pages, directive, fenced, toctree


class Shown(NamedTuple):
    """One picture: a title, what to look at, and the code, whose last line is the picture. label : on its button."""

    path: str
    label: str
    title: str
    look: str
    source: str


PICTURES = [
    Shown(
        "backward",
        "A pass",
        "A backward pass, step by step",
        "Step through the messages with the buttons or the arrow keys. Drag a number: the pass is computed again.",
        "viz.backward(lambda x, w: mg.exp(x * w) + mg.sin(x), x=2.0, w=0.5)",
    ),
    Shown(
        "softplus",
        "A rule",
        "Derived and custom, side by side",
        "The derived pass of log(1 + exp(x)) at 100 multiplies 0 by inf and ends in nan; the rule below it returns 1. "
        "Change x or the rule: click the number, or type.",
        "@mg.custom_gradient\ndef log1pexp(x):\n"
        "    return mg.log(1 + mg.exp(x)), lambda upstream: upstream * mg.sigmoid(x)\n\n\n"
        "viz.compare(log1pexp, 100.0)",
    ),
    Shown(
        "nan",
        "A nan",
        "Where the first nan appears",
        "The report says which two numbers met, and offers a repair that was run before it is offered.",
        "viz.trace_nan(lambda x, w: mg.log(1 + mg.exp(x * w)), x=50.0, w=2.0)",
    ),
    Shown(
        "loop",
        "A loop",
        "Loops and calls as frames",
        "Ten steps of a recurrence are one frame until it is opened.",
        "def layer(h, w):\n    return mg.tanh(w * h)\n\n\ndef chain(x, w):\n    h = x\n    for _ in range(10):\n"
        "        h = layer(h, w)\n    return h\n\n\nviz.backward(chain, x=0.5, w=1.2)",
    ),
    Shown(
        "nudge",
        "A nudge",
        "A nudge, and the slope that predicts it",
        "Move the nudge. The line is the slope at the point; the curve is the function.",
        "viz.nudge(lambda x: mg.log(1 + mg.exp(x)), x=0.0, by=2.0)",
    ),
    Shown(
        "arrays",
        "Arrays",
        "Broadcasting: copied forward, added back",
        "A bias of two entries is used in four rows; its gradient is the sum over the rows.",
        "viz.backward(lambda x, b: mg.sum((x + b) ** 2), x=np.arange(8.0).reshape(4, 2), b=np.array([1.0, -1.0]))",
    ),
    Shown(
        "predict",
        "Predict",
        "Predict each message",
        "Before a message is shown, type what it carries.",
        "viz.backward(lambda x, w: x * w + x, predict='messages', x=3.0, w=2.0)",
    ),
    Shown(
        "source",
        "As NumPy",
        "The pass as a NumPy program",
        "A line that is selected marks its box, and a box its line.",
        "viz.source(lambda x, w: mg.exp(x * w) + mg.sin(x), x=1.0, w=0.5)",
    ),
]


def pages() -> Pages:
    """Return a page for each picture, and an index."""
    found: Pages = {f"gallery/{p.path}.md": page(p) for p in PICTURES}
    pictures = {p.path: picture(p.source) for p in PICTURES}
    found |= {f"gallery/{path}.html": html for path, html in pictures.items()}
    found["gallery/stage.html"] = stage(pictures)
    lines = [f"- [{p.title}]({p.path}.md)" for p in PICTURES]
    about = (
        "Each picture runs on its page, without Python and without a network. In a notebook the code below it makes it."
    )
    tree = toctree(p.path for p in PICTURES)
    found["gallery/index.md"] = "\n\n".join(["# Gallery", about, "\n".join(lines), tree])
    return found


def stage(pictures: dict[str, str]) -> str:
    """Return the pictures as one element with a button for each; `_static/site.js` shows the one that is chosen."""
    first = "softplus"
    names = [p for p in PICTURES if p.path == first] + [p for p in PICTURES if p.path != first]
    buttons = [f'<button type="button" aria-pressed="{str(p.path == first).lower()}">{p.label}</button>' for p in names]
    opened = f"<div><p>{names[0].look}</p>{pictures[first]}</div>"
    waiting = [f"<template><div><p>{p.look}</p>{pictures[p.path]}</div></template>" for p in names[1:]]
    return "\n".join(['<div class="stage"><div class="stage-choice">', *buttons, "</div>", opened, *waiting, "</div>"])


def page(shown: Shown) -> str:
    imports = "import minigrad as mg\nimport viz" + "\nimport numpy as np" * ("np." in shown.source)
    player = directive("raw", "html", "", file=f"{shown.path}.html")
    return "\n\n".join([f"# {shown.title}", shown.look, player, fenced(f"{imports}\n\n{shown.source}")])


def picture(source: str) -> str:
    """Return the HTML of the picture that the last line of `source` makes."""
    scope: dict[str, Any] = {"mg": minigrad, "viz": viz, "np": np}
    *before, last = ast.parse(source).body
    exec(compile(ast.Module(before, []), "<gallery>", "exec"), scope)
    assert isinstance(last, ast.Expr)
    view = eval(compile(ast.Expression(last.value), "<gallery>", "eval"), scope)
    return (
        view._repr_mimebundle_(include=["text/html"])["text/html"]
        if hasattr(view, "_repr_mimebundle_")
        else view._repr_html_()
    )
