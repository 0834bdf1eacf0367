"""`python -m minigrad.bridges.disagreements`: values and slopes at awkward points, in each installed framework.

The table is measured on each run: this file contains no numbers, and the output names the versions. A row is marked if
the frameworks differ.
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..tracing.table import text_table

FRAMEWORKS = {"minigrad": "minigrad", "PyTorch": "torch", "JAX": "jax", "TensorFlow": "tensorflow"}


class AtPoint(NamedTuple):
    """An awkward point: its description, x, and the code of a function of x in each of FRAMEWORKS.

    The code is "-" if a framework has no such function.
    """

    what: str
    x: Any
    code: tuple[str, str, str, str]


#: Each row has a point's description, x, and the function of x in each of FRAMEWORKS, or "-" if a framework has none.
#: A line with more indentation continues the line above.
TABLE = """
    abs at 0; 0.0; mg.abs(x); torch.abs(x); jnp.abs(x); tf.abs(x)
    relu at 0; 0.0; mg.relu(x); torch.relu(x); jax.nn.relu(x); tf.nn.relu(x)
    sqrt at 0; 0.0; mg.sqrt(x); torch.sqrt(x); jnp.sqrt(x); tf.sqrt(x)
    x ** 0 at 0; 0.0; x ** 0.0; x ** 0.0; x ** 0.0; x ** 0.0
    norm at 0; [0.0, 0.0]; mg.norm(x); torch.linalg.vector_norm(x); jnp.linalg.norm(x); tf.norm(x)
    hypot at 0; 0.0; mg.hypot(x, x); torch.hypot(x, x); jnp.hypot(x, x); -
    atan2 at 0; 0.0; mg.arctan2(x, x); torch.atan2(x, x); jnp.arctan2(x, x); tf.math.atan2(x, x)
    maximum of equals; 1.0; mg.maximum(x, 1.0); torch.maximum(x, torch.tensor(1.0)); jnp.maximum(x, 1.0);
        tf.maximum(x, 1.0)
    clip at its end; 1.0; mg.clip(x, -1.0, 1.0); torch.clamp(x, -1.0, 1.0); jnp.clip(x, -1.0, 1.0);
        tf.clip_by_value(x, -1.0, 1.0)
    max of equals; [2.0, 2.0]; mg.max(x); torch.amax(x); jnp.max(x); tf.reduce_max(x)
    max of equals, as a method; [2.0, 2.0]; mg.max(x); torch.max(x); x.max(); tf.reduce_max(x)
    std of equals; [3.0, 3.0]; mg.std(x); torch.std(x, correction=0); jnp.std(x); tf.math.reduce_std(x)
    product with one 0; [0.0, 2.0]; mg.prod(x); torch.prod(x); jnp.prod(x); tf.reduce_prod(x)
    product with two 0; [0.0, 0.0]; mg.prod(x); torch.prod(x); jnp.prod(x); tf.reduce_prod(x)
    x log y at 0, 0; 0.0; mg.xlogy(x, x); torch.xlogy(x, x); jax.scipy.special.xlogy(x, x); tf.math.xlogy(x, x)
    sinc at 0; 0.0; mg.sinc(x); torch.sinc(x); jnp.sinc(x); -
    arccos at 1; 1.0; mg.arccos(x); torch.acos(x); jnp.arccos(x); tf.acos(x)
    log at 0; 0.0; mg.log(x); torch.log(x); jnp.log(x); tf.math.log(x)
    where with a root of -1; -1.0; mg.where(x > 0, mg.sqrt(x), 0.0); torch.where(x > 0, torch.sqrt(x), 0.0);
        jnp.where(x > 0, jnp.sqrt(x), 0.0); tf.where(x > 0, tf.sqrt(x), 0.0)
    0 * sqrt at 0; 0.0; 0.0 * mg.sqrt(x); 0.0 * torch.sqrt(x); 0.0 * jnp.sqrt(x); 0.0 * tf.sqrt(x)
    logaddexp of -inf, -inf; -inf; mg.logaddexp(x, x); torch.logaddexp(x, x); jnp.logaddexp(x, x); -
    round at 0.5; 0.5; mg.round(x); torch.round(x); jnp.round(x); tf.round(x)
    determinant of zeros; [[0.0, 0.0], [0.0, 0.0]]; mg.det(x); torch.linalg.det(x); jnp.linalg.det(x);
        tf.linalg.det(x)
"""
ROWS = [row.split("; ") for row in TABLE.strip().replace("\n        ", " ").split("\n")]
POINTS = [AtPoint(what.strip(), eval(x, {"inf": np.inf}), tuple(code)) for what, x, *code in ROWS]  # type: ignore


def installed() -> dict[str, Callable[[str, Any], tuple[Any, Any]]]:
    """Return the installed frameworks by name, each with a function that takes code and x and returns value, slope."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    measures: dict[str, Callable[[str, Any], tuple[Any, Any]]] = {}
    for name, package in FRAMEWORKS.items():
        try:
            importlib.import_module(package)
        except ImportError:
            continue
        measures[name] = MEASURE[name]
    return measures


def _minigrad(code: str, x: Any) -> tuple[Any, Any]:
    mg: Any = importlib.import_module("minigrad")
    x = mg.constant(np.float32(x))
    y = eval(code, {"mg": mg}, {"x": x})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (slope,) = mg.gradients(y, x)
    return y.value, None if slope is None else slope.value


def _pytorch(code: str, x: Any) -> tuple[Any, Any]:
    torch: Any = importlib.import_module("torch")
    x = torch.tensor(x, dtype=torch.float32, requires_grad=True)
    y = eval(code, {"torch": torch}, {"x": x})
    (slope,) = torch.autograd.grad(y.sum(), [x], allow_unused=True)
    return y.detach().numpy(), None if slope is None else slope.numpy()


def _jax(code: str, x: Any) -> tuple[Any, Any]:
    jax, jnp = importlib.import_module("jax"), importlib.import_module("jax.numpy")
    importlib.import_module("jax.scipy.special")
    f = lambda x: jnp.sum(eval(code, {"jax": jax, "jnp": jnp}, {"x": x}))
    value, slope = jax.value_and_grad(f)(jnp.asarray(x, jnp.float32))
    return np.asarray(value), np.asarray(slope)


def _tensorflow(code: str, x: Any) -> tuple[Any, Any]:
    tf: Any = importlib.import_module("tensorflow")
    x = tf.constant(x, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = eval(code, {"tf": tf}, {"x": x})
    slope = tape.gradient(y, x)
    return y.numpy(), None if slope is None else slope.numpy()


MEASURE = {"minigrad": _minigrad, "PyTorch": _pytorch, "JAX": _jax, "TensorFlow": _tensorflow}


def measured(points: Iterable[AtPoint] = POINTS) -> list[tuple[str, dict[str, str]]]:
    """Measure the value and slope at each point in each framework; return each point's name with the results as text.

    >>> measured([AtPoint("abs at 0", 0.0, ("mg.abs(x)", "-", "-", "-"))])
    [('abs at 0', {'minigrad': '0, slope 0'})]
    """
    rows, measures = list[tuple[str, dict[str, str]]](), installed()
    for point in points:
        row = {}
        for name, code in zip(FRAMEWORKS, point.code):
            if code != "-" and name in measures:
                row[name] = _entry(measures[name], code, point.x)
        rows.append((point.what, row))
    return rows


def _entry(measure: Callable[[str, Any], tuple[Any, Any]], code: str, x: Any) -> str:
    try:
        value, slope = measure(code, x)
    except Exception as error:  # the framework may be unable to differentiate the function
        return f"raises {type(error).__name__}"
    return f"{_text(value)}, slope {'none' if slope is None else _text(slope)}"


def _text(v: Any) -> str:
    words = [f"{n:.4g}".replace("-0", "0") if n == 0 else f"{n:.4g}" for n in np.ravel(v)]
    return words[0] if not np.ndim(v) else f"[{' '.join(words)}]"


def table(rows: Sequence[tuple[str, dict[str, str]]]) -> str:
    """Format the rows in columns, with a * before each row in which the frameworks differ."""
    names = [name for name in FRAMEWORKS if any(name in row for _, row in rows)]
    differ = [len(set(row.values())) > 1 for _, row in rows]
    lines = [["*" * d, what, *(row.get(n, "-") for n in names)] for d, (what, row) in zip(differ, rows)]
    text = text_table(["", "", *map(_with_version, names)], lines, words=range(2 + len(names)))
    notes = [f"The frameworks differ at {sum(differ)} of {len(rows)} points."] * (len(names) > 1)
    missing = [name for name in FRAMEWORKS if name not in names]
    notes += [f"Not installed, so not measured: {', '.join(missing)}."] * bool(missing)
    return f"{text}\n\n{' '.join(notes)}"


def _with_version(name: str) -> str:
    version = getattr(sys.modules.get(FRAMEWORKS[name]), "__version__", "")
    return f"{name} {version}".strip()


if __name__ == "__main__":
    print(table(measured()))
