"""Programs that lose a value or a gradient, read from the files in programs/, and how they are run and reported.

The first line of a file, below its comment, names its fields. A program is a line with these fields, followed by its
dtype if that is not float32, the word "slopes" if the derivatives of the true value are the true gradients, and
a right repair after "  # ". Below it are the body and, after " = ", the true value and gradients, if known.
"""

import itertools
import linecache
import re
import textwrap
from contextlib import contextmanager
from math import inf, nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg

FILES = Path(__file__).with_name("programs")

numbers = itertools.count()


class Program(NamedTuple):
    """A program and what is expected of the report.

    op, reason : names that are right, separated by spaces and by "|". repair : the grade of the repair, or which of
    value and gradients exist, "none" if no repair is known. body : a function f, or the body of a function of the
    inputs, or what it returns. value : the true one as an expression of NumPy in float64, "" if there is none.
    gradients : the true ones of all inputs, flat; None if there are none.
    """

    name: str
    repair: str
    inputs: dict[str, Any]
    body: str
    value: str
    gradients: tuple[float, ...] | None
    op: str = ""
    reason: str = ""
    dtype: str = "float32"
    slopes: bool = False
    want: str = ""


def read(*files):
    """The programs of some files, by their names."""
    found = {}
    for file in files:
        text = (FILES / f"{file}.txt").read_text(encoding="utf-8")
        fields, *blocks = re.split(r"\n+(?=\S)", re.sub("^#.*\n+", "", text, flags=re.MULTILINE).rstrip())
        assert blocks
        for block in blocks:
            row = program(block, fields.split("; "))
            assert row.name not in found, f"{row.name} stands twice"
            found[row.name] = row
    return found


def program(block, fields):
    """One program of a file."""
    head, _, body = block.partition("\n")
    head, _, want = head.partition("  # ")
    row = head.split("; ")
    known, flags = dict(zip(fields, row)), row[len(fields) :]
    inputs = eval(f"dict({known.pop('inputs')})", {"inf": inf, "nan": nan})
    body, _, truth = body.partition("  = ")
    value, _, slopes = truth.partition("; ")
    return Program(
        **known,
        inputs=inputs,
        body=textwrap.dedent(body).strip(),
        value="" if value == "none" else value,
        gradients=tuple(map(float, slopes.split(", "))) if slopes else None,
        dtype=next((flag for flag in flags if "float" in flag), "float32"),
        slopes="slopes" in flags,
        want=want,
    )


def source_of(program, numpy="numpy"):
    """The source text of a program, in which np is `numpy`."""
    imports, body = f"import minigrad as mg\nimport {numpy} as np\n\n\n", program.body
    if re.search("^(def f[(]|f = lambda )", body, re.MULTILINE):
        return f"{imports}{body}\n\nprogram = f\n"
    body = body if "return " in body else f"return {body}"
    return f"{imports}def program({', '.join(program.inputs)}):\n{textwrap.indent(body, '    ')}\n"


def executed(source, name="", space=None):
    """The function `program` of a source text, which the line finder can read like a file of this name.

    space : the names that exist already, as in a notebook.
    """
    name = name or f"program_{next(numbers)}.py"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    space = dict(space or {})
    exec(compile(source, name, "exec"), space)
    return space["program"]


@contextmanager
def lines_remembered():
    """The line of each op is remembered meanwhile."""
    mg.remember_lines()
    try:
        yield
    finally:
        mg.remember_lines(False)


def reported(source, inputs, names=None):
    """The report on a program with its lines remembered, and its value; `inputs` are its Tensors in their order."""
    with lines_remembered():
        y = executed(source)(*inputs)
        return mg.find_nan(y, names=names), y


def tensors(inputs, dtype):
    return {name: mg.constant(np.asarray(value, dtype)) for name, value in inputs.items()}


def value_and_gradients(function, inputs, dtype):
    inputs = tensors(inputs, dtype)
    y = function(**inputs)
    found = mg.gradients(y, list(inputs.values()), unconnected_gradients="zero")
    return [y.value, *(g.value for g in found)]
