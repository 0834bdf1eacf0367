"""Formulas as MathML, made when the site is built: they need no script, no font and no network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

#: A prime as latex2mathml writes it, raised twice: the sign itself is high already.
_PRIME = re.compile(r"<msup>(<mi>\w</mi>)<mi>(&#x0203[2-4];)</mi></msup>")


def mathml(latex: str, display: str = "inline") -> str:
    """Return a LaTeX formula as MathML."""
    return _PRIME.sub(r"<mrow>\1<mo>\2</mo></mrow>", convert(latex, display=display))


def inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{mathml(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
