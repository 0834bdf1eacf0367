"""The notebook support of viz: tables for Tensors, and the cell magic `%%backward`, which `%load_ext viz` adds."""

from __future__ import annotations

import ast
from typing import Any

from minigrad.core.tensor import Tensor
from minigrad.core.variable import Variable

from .render.tensor_table import tensor_html


def load(shell: Any) -> None:
    """Register the magic and the formatters: `%load_ext viz`."""
    shell.register_magic_function(lambda line, cell: magic(shell, line, cell), "cell", "backward")
    show_tensors(shell)


def show_tensors(shell: Any) -> None:
    """Show Tensors as tables in a shell's notebook; in a terminal, they are still shown as text."""
    for form, shower in (("text/html", tensor_html), ("text/plain", _plain)):
        for kind in (Tensor, Variable):
            shell.display_formatter.formatters[form].for_type(kind, shower)


def unload(shell: Any) -> None:
    """Remove the magic and the formatters: `%unload_ext viz`."""
    shell.magics_manager.magics["cell"].pop("backward", None)
    for form in ("text/html", "text/plain"):
        for kind in (Tensor, Variable):
            shell.display_formatter.formatters[form].pop(kind, None)


def magic(shell: Any, line: str, cell: str) -> Any:
    """Run the cell and show the backward pass of its last expression, with the names of the notebook's variables.

    `line` contains options of `viz.backward`, as in `%%backward flow="down"`.
    """
    from .views.backward import backward, local_names

    source = shell.transform_cell(cell)
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body else None
    if isinstance(last, ast.Expr):
        wanted: ast.expr = last.value
    elif isinstance(last, ast.Assign):
        tree.body.append(last)
        wanted = ast.parse(ast.unparse(last.targets[0]), mode="eval").body
    else:
        print("%%backward shows the last expression of a cell, so the cell must end with one, such as the name y.")
        return None
    options = eval(f"dict({line})", shell.user_ns)
    file = shell.compile.cache(source)  # errors and pictures can then show the lines of the cell
    exec(compile(tree, file, "exec"), shell.user_ns)
    y = eval(compile(ast.fix_missing_locations(ast.Expression(wanted)), file, "eval"), shell.user_ns)
    if not isinstance(y, Tensor):
        print(f"%%backward needs a Tensor in its last line, got {y!r:.60} of type {type(y).__name__}.")
        return None
    return backward(y, names=local_names(shell.user_ns), **options)


def _plain(x: Tensor, printer: Any, cycle: bool) -> None:
    printer.text(repr(x))
