"""The handbook of the ops: a page for each file of `minigrad/ops`, written from the declarations."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.core.op import Op
from minigrad.core.tensor import Tensor
from minigrad.ops.__main__ import groups

from . import declared, drawing
from .text import Pages, code, docstring, escape, fenced, html_table, toctree

#: Where the numbers at edge cases are computed: for one argument, for two, and for the elements of a reduction.
POINTS = [(-np.inf,), (-100.0,), (-1.0,), (0.0,), (1.0,), (100.0,), (np.inf,), (np.nan,)]
PAIRS = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.5), (0.0, np.inf), (np.inf, np.inf), (np.nan, 1.0)]
ROWS = [([2.0, 2.0],), ([0.0, 0.0],), ([1.0, np.inf],), ([-np.inf, -np.inf],), ([1.0, np.nan],)]
NAMES = {"tf": "TensorFlow", "keras": "Keras", "torch": "PyTorch", "jax": "JAX"}
_AT = re.compile(r" *at \w+ = ")
_FACT = re.compile(r"(Formula|Local derivative|Slopes?|Letters|Edge cases|Also known as|Example)s?:")


def pages() -> Pages:
    """Return a page for each file of ops, and an index with every op."""
    found: Pages = {}
    lines = []
    for file, ops in groups().items():
        about = inspect.getdoc(importlib.import_module(f"minigrad.ops.{file}")) or ""
        title = "NaN" if file == "nans" else page_of(file).replace("_", " ").capitalize()
        parts = [f"# {title}", docstring(about), *(entry(file, op) for op in ops)]
        page = page_of(file)
        found[f"ops/{page}.md"] = "\n\n".join(parts)
        links = ", ".join(f"[{op.name}]({page}.md#{op.name.replace('_', '-')})" for op in ops)
        lines.append(f"**[{title}]({page}.md)**: {links}")
    count = sum(map(len, groups().values()))
    letters = (
        "In formulas and slopes `a`, `b`, `c` are the arguments, `y` is the result and `g` the upstream gradient. "
        "Each slope is written once, in the declaration of the op, and tested against finite differences. "
        "The numbers and pictures of these pages are computed when the pages are made."
    )
    head = ["# Ops", f"All {count} ops, by the file that declares them.", letters]
    found["ops/index.md"] = "\n\n".join([*head, *lines, toctree(map(page_of, groups()))])
    return found


def page_of(file: str) -> str:
    """Return the name of the page of a file of ops."""
    return "indexing" if file == "index" else file


def entry(file: str, op: Op) -> str:
    """Return the text about one op."""
    numbers = edges(op)
    said = [p for p in re.split(r"\n\s*\n", inspect.getdoc(op.call) or "") if not _FACT.match(p)]
    if numbers:  # then the table repeats what the docstring says about single points
        said = [p for p in said if not _AT.match(p)]
    said = [re.sub("(?m)^ *at ", "- at ", p) if _AT.match(p) else p for p in said]
    row = drawn(op) + numbers
    slopes = [f"by {letter}: {code(slope)}" for letter, slope in zip("abc", op.facts.slope) if slope]
    facts = {
        "Slope": code(op.facts.slope[0]) if len(op.facts.slope) == 1 and op.facts.slope[0] else "; ".join(slopes),
        "Gradient": "none: the graph ends here" * (op.kind == "constant"),
        "Edge cases": escape(op.facts.edge_cases),
        "Elsewhere": ", ".join(f"{NAMES.get(k, k)} {code(v)}" for k, v in op.facts.names.items()),
    }
    shown = example(op) if not any(">>>" in p for p in said) else ""
    source = declared.source(file, op.name)
    where = f"minigrad/ops/{file}.py, line {declared.line(file, op.name)}"
    parts = [
        f"## {op.name}",
        docstring("\n\n".join(said)),
        f"$$y = {op.facts.latex}$$" if op.facts.latex else "",
        f'<div class="op-row">{row}</div>' if row else "",
        "\n".join(f"- {what}: {words}" for what, words in facts.items() if words),
        fenced(shown, "pycon") if shown else "",
        f"<details><summary>{where}</summary>\n\n{fenced(source)}\n\n</details>" if source else "",
    ]
    return "\n\n".join(filter(None, parts))


def is_public(op: Op) -> bool:
    return callable(getattr(mg.ops, op.name, None))


def example(op: Op) -> str:
    """Return a call with the declaration's first sample and its result, as Python shows it; "" if it has no literal."""
    for sample in op.facts.samples[:1]:
        args, kwargs = (sample[:-1], sample[-1]) if isinstance(sample[-1], dict) else (sample, {})
        if not all(map(_typed, [*args, *kwargs.values()])) or not is_public(op):
            return ""
        room = "mg" if getattr(mg, op.name, None) is op.call else "ops"
        call = ", ".join([*map(repr, args), *(f"{k}={v!r}" for k, v in kwargs.items())])
        try:
            with np.printoptions(precision=4, suppress=True):
                return f">>> {room}.{op.name}({call})\n{op.call(*args, **kwargs)!r}"
        except (TypeError, ValueError):  # the arrays of this sample are not typed as lists
            return ""
    return ""


def _typed(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_typed, value))
    return value is None or type(value) in (int, float, bool, str)


def slopes_at(op: Op, point: tuple[Any, ...]) -> tuple[Any, list[Any]] | None:
    """Return the value and the slopes of an op at a point, in float32; None if it takes other arguments."""
    xs = [mg.constant(np.float32(p)) for p in point]
    try:
        with np.errstate(all="ignore"):
            y = op.call(*xs)
            if not isinstance(y, Tensor) or y.shape != ():
                return None
            return y.value, [g and g.value for g in mg.gradients(y, xs)] if y.dtype.kind == "f" else []
    except (TypeError, ValueError, IndexError):
        return None


def edges(op: Op) -> str:
    """Return a table with the value and the slopes of an op at unusual points; "" for ops that take other arguments."""
    points: list[tuple[Any, ...]] = [*(POINTS if op.elementwise else ROWS)]
    if op.elementwise and slopes_at(op, (1.0,)) is None:
        points = [*PAIRS]
    first = slopes_at(op, points[0])
    if first is None:
        return ""
    letters = "abc"[: len(points[0])]
    rows = []
    for point in points:
        value, slopes = slopes_at(op, point) or (None, [])
        if value is not None:
            rows.append([_number(v) for v in (*point, value, *slopes)])
    heads = [f"slope by {letter}" for letter in letters] if len(letters) > 1 else ["slope"]
    return html_table([*letters, "value", *heads[: len(first[1])]], rows)


def _number(value: Any) -> str:
    if value is None:
        return "none"
    if np.ndim(value):
        return f"[{', '.join(map(_number, np.asarray(value)))}]"
    return f"{float(value):.6g}"


def drawn(op: Op) -> str:
    """Return the picture of an op: curves where it works element by element, otherwise the arrays of a sample."""
    if op.elementwise:
        pictures = [_curve(op, *fixed) for fixed in ((), ("b", 2.0), ("a", 2.0))]
        if pictures[0]:
            return pictures[0]
        if any(pictures[1:]):
            return "".join(pictures[1:])
    return next(filter(None, (_sampled(op, sample) for sample in op.facts.samples)), "")


def _curve(op: Op, fixed: str = "", at: float = 0.0) -> str:
    def f(x: Any) -> tuple[Any, Any]:
        t = mg.constant(x)
        args = {"": (t,), "a": (at, t), "b": (t, at)}[fixed]
        y = op.call(*args)
        if not isinstance(y, Tensor) or y.shape != x.shape:
            raise TypeError
        slope = mg.gradients(y, t)[0] if y.dtype.kind == "f" else None
        return y.numpy(), None if slope is None else slope.numpy()

    label = f"{op.name}: solid its value, dashed its slope"
    try:
        with np.errstate(all="ignore"):
            picture = drawing.slices(f, label)
    except (TypeError, ValueError, IndexError):
        return ""
    legend = f"{'b' if fixed == 'a' else 'a'} from −3 to 3" + f", {fixed} = {at:g}" * bool(fixed)
    legend += ". Solid: the value. Dashed: its slope." if 'class="slope"' in picture else ""
    return f"<figure>{picture}<figcaption>{legend}</figcaption></figure>" if picture else ""


def _sampled(op: Op, sample: tuple[Any, ...]) -> str:
    """Return the arrays of a sample, shaded by the slopes of the middle entry of the result."""
    args, kwargs = (sample[:-1], sample[-1]) if isinstance(sample[-1], dict) else (sample, {})
    xs: list[tuple[str, Tensor]] = []
    try:
        with np.errstate(all="ignore"):
            y = op.call(*(_given(a, letter, xs) for a, letter in zip(args, "abcdefgh")), **kwargs)
            results = [r for r in (y if isinstance(y, (tuple, list)) else [y]) if isinstance(r, Tensor)]
            first = results[0]
            mark = first.size // 2 if first.size else 0
            flat = mg.ops.reshape(first, (-1,))[mark] if first.dtype.kind == "f" else None
            slopes = mg.gradients(flat, [x for _, x in xs]) if flat is not None else [None] * len(xs)
    except (TypeError, ValueError, IndexError, NotImplementedError):
        return ""
    if not xs or not all(drawing.fits(t.value) for t in [*dict(xs).values(), *results]):
        return ""
    arguments = [(letter, x.value, None if s is None else s.numpy()) for (letter, x), s in zip(xs, slopes)]
    label = f"{op.name}: its arguments, shaded by the slope of the marked entry of the result"
    picture = drawing.grids(arguments, [r.value for r in results], mark, label)
    words = "Shaded: the slope of the framed entry of y with respect to each number, blue above 0, red below."
    shaded = any(s is not None and np.any(s) for *_, s in arguments)
    return f"<figure>{picture}<figcaption>{words if shaded else ''}</figcaption></figure>"


def _given(value: Any, letter: str, xs: list[tuple[str, Tensor]]) -> Any:
    """Return an argument of a sample as the op is called with it; the Tensors among them are added to `xs`."""
    if isinstance(value, tuple) and value and all(isinstance(v, list) for v in value):
        return tuple(_given(v, letter, xs) for v in value)
    if not _array(value):
        return value
    xs.append((letter, mg.constant(np.asarray(value, np.float64))))
    return xs[-1][1]


def _array(value: Any) -> bool:
    """Return whether an argument of a sample is differentiated: a float, or a list of floats."""
    if isinstance(value, list):
        return bool(value) and all(map(_array, value))
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
