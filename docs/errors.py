"""The errors that minigrad raises, read from its source: type, sentence, and the function that raises it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import minigrad
import viz

from .text import Pages, code, escape, fenced, toctree

ROOT = Path(minigrad.__file__).parent

#: Title of a page -> the packages whose errors are on it.
ROOMS = {
    "Values and ops": "core ops numpy scipy",
    "Gradients": "transforms graphs diagnostics optim frameworks",
    "Programs of frameworks": "bridges programs",
    "Lessons": "classroom lab data",
    "Grading": "grading runner",
    "Pictures": "viz",
}


class Raised(NamedTuple):
    """One `raise`: the sentence, with placeholders in braces, the type, and the file."""

    sentence: str
    kind: str
    where: str


#: What readers meet most: what was written, why it fails, and what to write instead. Both pieces of code are run.
MET: list[tuple[str, str, str, str]] = [
    (
        "A Tensor becomes a plain number",
        "x = mg.constant(2.0)\nmg.gradients(mg.constant(float(x)) ** 2, x)",
        "`float(x)` takes the number out and leaves the record of how it was made. No arrow leads back to `x`.",
        "x = mg.constant(2.0)\nmg.gradients(x ** 2, x)",
    ),
    (
        "Arguments of gradients in the wrong order",
        "x = mg.constant(2.0)\nmg.gradients(x, x * x)",
        "The result comes first, then what to differentiate with respect to.",
        "x = mg.constant(2.0)\nmg.gradients(x * x, x)",
    ),
    (
        "Shapes that do not fit",
        "mg.constant([1.0, 2.0]) + mg.constant([1.0, 2.0, 3.0])",
        "Shapes are compared from the right; each pair of sizes is equal, or one of them is 1.",
        "mg.constant([[1.0], [2.0]]) + mg.constant([1.0, 2.0, 3.0])",
    ),
    (
        "Integers have no gradient",
        "mg.grad(lambda n: n * n)(3)",
        "A slope is a limit, and integers cannot come as close to each other as a limit needs.",
        "mg.grad(lambda n: n * n)(3.0)",
    ),
    (
        "A gradient of something with many entries",
        "mg.grad(lambda x: x * x)(np.array([1.0, 2.0]))",
        "A gradient belongs to one number. Add the entries up, or take the Jacobian.",
        "mg.jacobian(lambda x: x * x)(np.array([1.0, 2.0]))",
    ),
    (
        "A Tensor is changed in place",
        "x = mg.constant([1.0, 2.0])\nx[0] = 5.0",
        "Results recorded before would no longer match the numbers they were computed from.",
        "x = mg.constant([1.0, 2.0])\nmg.ops.index_set(x, 0, 5.0)",
    ),
    (
        "A rule returns too few gradients",
        "@mg.custom_gradient\ndef product(a, b):\n    return a * b, lambda upstream: upstream * b\n\n"
        "a, b = mg.constant(2.0), mg.constant(3.0)\nmg.gradients(product(a, b), a)",
        "A rule returns one gradient for each input.",
        "@mg.custom_gradient\ndef product(a, b):\n    return a * b, lambda upstream: (upstream * b, upstream * a)\n\n"
        "a, b = mg.constant(2.0), mg.constant(3.0)\nmg.gradients(product(a, b), a)",
    ),
    (
        "A branch on a Tensor with several entries",
        "x = mg.constant([1.0, -1.0])\nx if x > 0 else -x",
        "`if` takes one branch for the whole array; `where` chooses for each entry.",
        "x = mg.constant([1.0, -1.0])\nmg.where(x > 0, x, -x)",
    ),
    (
        "A name of another library",
        "mg.tensor([1.0, 2.0])",
        "Names of TensorFlow, Keras and NumPy work; for those of other libraries the error says which name to use.",
        "mg.constant([1.0, 2.0])",
    ),
]


def pages() -> Pages:
    """Return a page with the errors that readers meet most, and a page for each part of the code."""
    found: Pages = {}
    every = {title: sorted(set(raised(rooms.split()))) for title, rooms in ROOMS.items()}
    for title, errors in every.items():
        lines = [f"- {escape(e.sentence)}<br>{code(e.kind)} in {code(e.where)}" for e in errors]
        head = f"{len(errors)} messages. Text in braces is filled in when the error is raised."
        found[f"errors/{_path(title)}.md"] = "\n\n".join([f"# {title}", head, "\n".join(lines)])
    links = [f"- [{title}]({_path(title)}.md): {len(errors)}" for title, errors in every.items()]
    about = (
        "A message says what happened, which argument it was, what was expected and what to write instead. "
        "The commonest errors come first, as Python prints them when this page is made, then all others."
    )
    met = [_met(*example) for example in MET]
    tree = toctree(map(_path, every))
    found["errors/index.md"] = "\n\n".join(
        ["# Errors and remedies", about, *met, "## All messages", "\n".join(links), tree]
    )
    return found


def _path(title: str) -> str:
    return title.lower().replace(" ", "-")


def _met(title: str, wrong: str, why: str, right: str) -> str:
    said = outcome(wrong)
    return "\n\n".join(
        [f"## {title}", fenced(wrong), fenced(said, "text"), why, fenced(right), fenced(outcome(right), "text")]
    )


def outcome(source: str) -> str:
    """Return what Python shows for these lines: the value of the last one, or the error, after any warnings."""
    import warnings

    import numpy as np

    scope: dict[str, Any] = {"mg": minigrad, "np": np, "viz": viz}
    *before, last = ast.parse(source).body
    exec(compile(ast.Module(before, []), "<example>", "exec"), scope)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if isinstance(last, ast.Expr):
                shown = repr(eval(compile(ast.Expression(last.value), "<example>", "eval"), scope))
            else:
                exec(compile(ast.Module([last], []), "<example>", "exec"), scope)
                shown = ""
        except Exception as error:
            shown = f"{type(error).__name__}: {error}"
    return "\n".join([*(f"{w.category.__name__}: {w.message}" for w in caught), shown])


def raised(rooms: list[str]) -> Iterator[Raised]:
    """Each error with a message in the files of some packages."""
    for room in rooms:
        top = Path(viz.__file__).parent if room == "viz" else ROOT / room
        files = sorted(top.rglob("*.py")) if top.is_dir() else [top.with_suffix(".py")]
        for file in files:
            where = file.relative_to(ROOT.parent).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for node in tree.body:
                yield from _in(node, where)


def _in(node: ast.AST, where: str) -> Iterator[Raised]:
    for inner in ast.walk(node):
        call = inner.exc if isinstance(inner, ast.Raise) else None
        if not isinstance(call, ast.Call) or not call.args:
            continue
        kind, sentence = ast.unparse(call.func).rpartition(".")[2], _sentence(call.args[0])
        if kind[0].isupper() and len(sentence.split()) > 3:
            yield Raised(sentence, kind, where)


def _sentence(value: ast.expr) -> str:
    """Return the text of a message, with placeholders in braces."""
    parts: dict[type, Callable[[Any], str]] = {
        ast.Constant: lambda n: str(n.value),
        ast.JoinedStr: lambda n: "".join(map(_sentence, n.values)),
        ast.FormattedValue: lambda n: "{" + ast.unparse(n.value) + "}",
        ast.BinOp: lambda n: _sentence(n.left) + _sentence(n.right),
        ast.IfExp: lambda n: _sentence(n.body),
    }
    return parts.get(type(value), lambda n: "{" + ast.unparse(n) + "}")(value)
