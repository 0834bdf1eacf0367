"""`%load_ext viz`: the cell magic `%%backward`, and the display of Tensors with shape, dtype and op."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from minigrad.core.tensor import Tensor
from minigrad.core.variable import Variable
from minigrad.tracing.lines import line_of

from .render.markup import Html, joined, markup

FEW = 8  #: rows and columns of a matrix that are shown


def load(shell: Any) -> None:
    """Register the magic and the formatters: `%load_ext viz`."""
    shell.register_magic_function(lambda line, cell: magic(shell, line, cell), "cell", "backward")
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
    """Run the cell and show the backward pass of its last expression, in the names of the notebook.

    `line` holds options of `viz.backward`, as in `%%backward flow="down"`.
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
    file = shell.compile.cache(source)  # so that errors and pictures find the lines of the cell
    exec(compile(tree, file, "exec"), shell.user_ns)
    y = eval(compile(ast.fix_missing_locations(ast.Expression(wanted)), file, "eval"), shell.user_ns)
    if not isinstance(y, Tensor):
        print(f"%%backward needs a Tensor in its last line, got {y!r:.60} of type {type(y).__name__}.")
        return None
    return backward(y, names=local_names(shell.user_ns), **options)


def tensor_html(x: Tensor) -> str:
    """A Tensor as a small table: its numbers, and below them shape, dtype, the op that made it, and where.

    >>> tensor_html(Tensor(2.0))
    '<div><b>2</b><br><small>float32, an input</small></div>'
    """
    value = np.asarray(x.value if not isinstance(x.value, tuple) else x.value[0])
    facts = [f"shape {value.shape}"] if value.shape else []
    facts += [str(value.dtype), f"made by {x.op.name}" if x.op is not None else _origin(x)]
    if (line := line_of(x)) is not None:
        facts.append(f"at {line.file}:{line.no}")
    end, said = Html("<br>" * (value.ndim == 0)), ", ".join(facts)
    return str(markup("<div>{value}{end}<small>{facts}</small></div>", value=_numbers(value), end=end, facts=said))


def _origin(x: Tensor) -> str:
    return f"the variable {x.name}" if isinstance(x, Variable) else "an input"


def _numbers(value: np.ndarray) -> Html:
    if value.ndim == 0:
        return markup("<b>{number}</b>", number=_number(value[()]))
    if value.ndim > 2 or value.size == 0:
        return markup("<pre>{text}</pre>", text=np.array2string(value, threshold=64, edgeitems=2, precision=4))
    table = np.atleast_2d(value)
    rows = [[*map(_number, row[:FEW]), *["…"] * (len(row) > FEW)] for row in table[:FEW]]
    rows += [[f"… {len(table) - FEW} more rows"]] * (len(table) > FEW)
    cells = [joined(markup("<td>{x}</td>", x=x) for x in row) for row in rows]
    body = joined(markup("<tr>{cells}</tr>", cells=row) for row in cells)
    return markup('<table style="margin: 0"><tbody>{body}</tbody></table>', body=body)


def _number(v: Any) -> str:
    text = f"{v:.6g}" if v.dtype.kind == "f" else str(v)
    return text if v.dtype.kind != "f" or np.isfinite(v) else markup("<b>{text}</b>", text=text)


def _plain(x: Tensor, printer: Any, cycle: bool) -> None:
    printer.text(repr(x))
