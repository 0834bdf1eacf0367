"""Programs of other frameworks that lose a value or a gradient, how they are read, and how an edit of one is run."""

import itertools
import linecache
import re
import textwrap
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minigrad.bridges import explained, program_of
from minigrad.diagnostics.edits import edited

FILES = Path(__file__).with_name("programs")
HEADERS = {
    "pytorch": "import torch\nimport torch.nn.functional as F\nfrom math import inf, nan\nT = torch.tensor\n",
    "jax": "import jax\nimport jax.numpy as jnp\nfrom math import inf, nan\nT = jnp.array\n",
    "tensorflow": "import tensorflow as tf\nfrom math import inf, nan\nT = tf.constant\n",
}
numbers = itertools.count()


class Row(NamedTuple):
    """A program and what is expected of its report. truth : the value without rounding; None if there is none."""

    framework: str
    name: str
    ops: set[str]
    reasons: set[str]
    inputs: str
    truth: float | None
    body: str


def read(framework):
    """The programs of a framework."""
    text = (FILES / f"{framework}.txt").read_text(encoding="utf-8")
    rows = []
    for block in re.split(r"\n+(?=\S)", re.sub("^#.*\n+", "", text, flags=re.MULTILINE).strip()):
        head, _, body = block.partition("\n")
        name, ops, reasons, inputs, truth = head.split("; ")
        split = lambda words: set(words.split(" | "))
        true = None if truth == "none" else float(truth)
        rows.append(Row(framework, name, split(ops), split(reasons), inputs, true, textwrap.dedent(body) + "\n"))
    return rows


def executed(text):
    """The names of a program's file, whose lines can be read like those of any file."""
    file = f"/programs/{next(numbers)}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": "program"}
    exec(compile(text, file, "exec"), names)
    return names


class Run(NamedTuple):
    """The outcome of a row: the recorded program, its report, and the names of its file."""

    row: Row
    text: str
    program: object
    report: object
    names: dict


def run(row):
    text = HEADERS[row.framework] + "\n" + row.body
    names = executed(text)
    args = [*eval(f"dict({row.inputs})", names).values()]
    program = program_of(names["f"], args, {}, "find_nan")
    return Run(row, text, program, explained(program), names)


def says_the_op(done):
    return bool({done.report.op, done.report.repair.op} & done.row.ops)


def says_the_reason(done):
    return bool({done.report.kind, done.report.repair.reason} & done.row.reasons)


def near(a, b, tolerance=2e-3):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    scale = max(1.0, float(np.max(np.abs(b), initial=0, where=np.isfinite(b))))
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= tolerance * scale))


def wrong_edit(done, slopes):
    """The fault of an edit that a report offers, "" if there is none.

    slopes : a function of f and its arguments, and a dtype, that returns the value and the gradients in the framework.
    """
    repair = done.report.repair
    new = executed(edited(done.text, repair.edits))["f"]
    inputs = eval(f"dict({done.row.inputs})", done.names)
    args = [*inputs.values()]
    value, gradients = slopes(new, args, None)
    if not all(np.isfinite(v).all() for v in (value, *gradients)):
        return f"not finite: {value}, {gradients}"
    stated, had = dict(zip(repair.before.names, repair.before.gradients)), slopes(done.names["f"], args, None)
    for name, gradient in zip(inputs, had[1]):
        if name in stated and not np.allclose(gradient, stated[name], 2e-3, 2e-3, equal_nan=True):
            return f"the gradient of {name} was {gradient} before, and {stated[name]} was told"
    promised = dict(zip(repair.after.names, repair.after.gradients))
    if not near(value, repair.after.value):
        return f"the value is {value}, and {repair.after.value} was promised"
    for name, gradient in zip(inputs, gradients):
        if name in promised and not near(gradient, promised[name]):
            return f"the gradient of {name} is {gradient}, and {promised[name]} was promised"
    proven = repair.grade in ("same", "limit")
    if done.row.truth is not None and not near(value, done.row.truth):
        return f"the value is {value}, and {done.row.truth} is true"
    old, rng, seen = done.names["f"], np.random.default_rng(1), 0
    for i in range(12 * proven):
        moved = [point(np.asarray(a, np.float64), rng, i) for a in args]
        (v, g), (w, h) = slopes(old, moved, np.float64), slopes(new, moved, np.float64)
        if not all(np.isfinite(x).all() for x in (v, *g)) or max(np.max(np.abs(x), initial=0) for x in (v, *g)) > 1e4:
            continue
        seen += 1
        tolerance = 1e-5 if np.asarray(v).dtype == np.float64 else 1e-3
        if not (near(w, v, tolerance) and all(near(a, b, tolerance) for a, b in zip(h, g))):
            return f"at {moved} it is {w}, {h}, and the program {v}, {g}"
    return ""


def point(v, rng, i):
    """Another value for an input: in (0, 1), in (-1, 1), or near it."""
    if v.dtype.kind != "f":
        return v
    n = rng.uniform(0.1, 0.9, v.shape)
    return (n, 2 * n - 1, np.nan_to_num(v) * 0.01 + n)[i % 3]
