"""The dicts, lists and tuples that contain inputs, as trees with the key, shape and dtype of each input."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Union

from minigrad.tracing.numbers import shape_text

from ..model.findings import Findings
from .markup import Html, joined, markup

Tree = dict[str, Union["Tree", str]]  #: key as text -> a subtree, or the shape and dtype of an input

KEYS = re.compile(r"\[('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\]]*)\]")


def structures(findings: Findings) -> Tree:
    """Return the structures by argument name, or {} if each input is a separate argument."""
    trees: Tree = {}
    for node in findings.trace.nodes:
        name, bracket, _ = node.name.partition("[")
        if node.kind != "leaf" or not bracket:
            continue
        here, (*outer, last) = trees, [name, *KEYS.findall(node.name)]
        for key in outer:
            below = here.setdefault(key, {})
            here = below if isinstance(below, dict) else {}
        here[last] = f"{shape_text(node.shape) or 'number'}, {node.dtype}"
    return trees


def tree_text(trees: Tree) -> str:
    """Return the structures as text with indented keys, one input per line."""
    return "\n".join(["Structures of inputs:", *_lines(trees)])


def _lines(tree: Tree, indent: str = "") -> Iterator[str]:
    for key, below in tree.items():
        yield f"{indent}{key}" + (f": {below}" if isinstance(below, str) else "")
        if not isinstance(below, str):
            yield from _lines(below, f"{indent}  ")


def tree_html(trees: Tree) -> Html:
    """Return each structure as nested HTML lists that open on a click."""
    details = '<details class="mg-tree"><summary>{name} as a tree</summary>{below}</details>'
    return joined(
        markup(details, name=name, below=_list(below)) for name, below in trees.items() if not isinstance(below, str)
    )


def _list(tree: Tree) -> Html:
    items = (
        markup("<li><b>{key}</b>{below}</li>", key=key, below=f": {below}" if isinstance(below, str) else _list(below))
        for key, below in tree.items()
    )
    return markup("<ul>{items}</ul>", items=joined(items))
