"""Repair nan data that is masked too late: a loss at a nan target has a nan gradient even if it is masked afterwards.

A repair replaces the nan by a number before the computation. If the program looks for the nan later, as `nanmean` does,
the repair puts the nan back after the computation. It is offered only if no result depends on the number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ..core.op import as_leaf
from ..core.tensor import Tensor
from ..tracing.replay import NotReplayable, graph_of, is_input, replay
from .domains import finite, gradients_of, op_of, value_of
from .edit_spelling import Dialect
from .edits import Edit, Fill, Replaced, operands_of
from .other_points import Bench, close, sources_of
from .patterns import Rewrite, options_of
from .repair_proof import OWN, Offer
from .user_expressions import Span, source_of, span_in, span_of

#: Ops that only inspect or select data, so a nan does no harm in them.
SAFE = {"where", "isnan", "isfinite", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "matmul": "@", "power": "**"}
#: Serial of a result -> the mask that selected its elements, if known; `A_CONSTANT` for a constant mask.
CHOSEN_BY: WeakValueDictionary[int, Tensor] = WeakValueDictionary()
A_CONSTANT = as_leaf(np.True_)
#: The names that may occur in the code of a nan constant, such as np.nan.
NUMBERS = {"nan", "float", "math", "np", "numpy", "torch", "jnp", "tf", "mg"}
FILL = "where(isnan(d), 0.0, d)"
INDEPENDENT = "value and gradient are the same with 0, 1, a larger and a lower number instead of each nan"
TOO_LATE = "the result does not depend on these elements, and is nan all the same"


def filled(y: Tensor, bench: Bench, also: Callable[..., bool] | None) -> Offer | None:
    """Return an offer to replace each nan in the data by a number before its use.

    Return None if a result depends on the choice of the number, or if the value and all gradients are finite already.
    """
    if finite(y.value, *gradients_of(y, bench.inputs)):
        return None
    most = 2 * max(float(np.max(np.abs(s.value[np.isfinite(s.value)]), initial=5)) for s in sources_of(y))
    numbers, has_value = (0.0, 1.0, most, -most), bool(np.isfinite(y.value).all())
    grade, checks = "limit" if has_value else "convention", (INDEPENDENT, *([OWN] if has_value else []))

    def offer(new: Tensor, rewrites: list[Rewrite]) -> Offer | None:
        return Offer(rewrites, new, grade, checks) if also is None or also(new, bench.inputs) else None

    first, *others = [_with(y, fill, bench) for fill in numbers]
    if first is not None and all(other is not None and _same(other, first) for other in others):
        simple = _rewritten(y, _filled_in) if close(first[0], y.value, 1e-5) or not has_value else None
        results = [] if simple is None else [simple[0].value, *gradients_of(simple[0], bench.inputs)]
        alike = simple is not None and not _is_chosen_by_a_result(y) and _same(results, first)
        if simple is not None and alike and (has_value or _multiplied_by_0(y)):
            return offer(*simple)
    marked = [_rewritten(y, partial(_put_back, fill)) for fill in numbers] if has_value else []
    candidates = [one for one in marked if one is not None]
    each = [[new.value, *gradients_of(new, bench.inputs)] for new, _ in candidates]
    if len(candidates) < len(numbers) or not close(each[0][0], y.value, 1e-5):
        return None
    return offer(*candidates[0]) if all(_same(other, each[0]) for other in each) else None


def _rewritten(y: Tensor, write: Callable[..., str]) -> tuple[Tensor, list[Rewrite]] | None:
    """Rewrite every op in the graph of `y` that computes with nan data.

    Return the new result and the rewrites, or None if no op needs a rewrite or if one cannot be rewritten.

    write : returns the template of an op's replacement: `_filled_in` or `_put_back`.
    """
    now, rewrites = y, list[Rewrite]()
    for _ in range(8):
        rewrite = next((r for r in _fills(now, write) if all(r.at is not done.made for done in rewrites)), None)
        if rewrite is None:
            break
        try:
            now = rewrite.apply()
        except (NotReplayable, TypeError, ValueError):
            return None
        rewrites.append(rewrite)
    return (now, rewrites) if rewrites else None


def _with(y: Tensor, fill: float, bench: Bench) -> list[Any] | None:
    """Return the value and the gradients with `fill` for each nan in the data, or None if they are not finite."""
    number = partial(_filled, fill)
    try:
        now = replay(y, _point(y, number), number=number)
    except NotReplayable:
        return None
    inputs = [now.get(s.serial, s) for s in bench.inputs]  # inputs that are only compared are not replayed
    results = [now[y.serial].value, *gradients_of(now[y.serial], inputs)]
    return results if finite(*results) else None


def _filled(fill: float, a: Any) -> Any:
    return np.where(np.isnan(a), np.asarray(fill, np.asarray(a).dtype), a)[()] if np.isnan(a).any() else a


def _point(y: Tensor, number: Callable[[Any], Any]) -> dict[int, Any]:
    """Return the values to fix in a replay without nan data, by serial.

    These are the inputs that contain nan, with `number` applied, and the computed values that are not floats, such as
    `isnan(t)`, which would change otherwise.
    """
    inputs = {s.serial: number(s.value) for s in sources_of(y) if not is_nan_free(s.value)}
    return inputs | {n.serial: n.value for n in graph_of(y) if not is_input(n) and not is_float(n)}


def _multiplied_by_0(y: Tensor) -> bool:
    """Return whether the gradient at each nan is exactly 0 once the nan is replaced by a number.

    If the program standardises the data, only the sum of these gradients is 0, which is not enough.
    """
    nans = [s for s in sources_of(y) if not is_nan_free(s.value)]
    now = replay(y, _point(y, partial(_filled, 0.5)))
    slopes = gradients_of(now[y.serial], [now.get(s.serial, s) for s in nans])
    return bool(nans) and not any(g[np.isnan(s.value)].any() for s, g in zip(nans, slopes))


def _is_chosen_by_a_result(y: Tensor) -> bool:
    """Return whether elements are selected by a mask computed from a nan result, such as isfinite(loss).

    If the nan data were replaced, such a mask would select all elements.
    """
    lost = [n for n in graph_of(y) if is_lost_result(n)]
    alike = lambda n, key: n.shape == key.shape and bool((np.isnan(n.value) == ~key).all())
    for node in graph_of(y):
        mask, key = CHOSEN_BY.get(node.serial), node.args[1] if op_of(node) == "getitem" else None
        if mask is not None and any(map(is_lost_result, graph_of(mask))):
            return True
        if mask is None and isinstance(key, np.ndarray) and key.dtype == bool and any(alike(n, key) for n in lost):
            return True
    return False


def is_lost_result(node: Tensor) -> bool:
    """Return whether a computed result contains a nan."""
    computed = not is_input(node) and not isinstance(node.value, tuple) and op_of(node) not in SAFE
    return computed and not is_nan_free(node.value)


def is_float(node: Tensor) -> bool:
    return isinstance(node.value, tuple) or node.dtype.kind == "f"


def _same(a: list[Any], b: list[Any]) -> bool:
    return finite(*a, *b) and all(close(x, y, 1e-5) for x, y in zip(a, b))


def _holds_nan(a: Any) -> bool:
    data = not isinstance(a, Tensor) or is_input(a)
    return data and isinstance(a, (Tensor, np.ndarray, np.generic, float)) and not is_nan_free(value_of(a))


def _writes_nan(node: Tensor) -> bool:
    """Return whether a nan operand is written as a constant in the user's code, such as np.nan, and not as a name."""
    written: list[Any] = operands_of(node) or [None] * len(node.args)
    single = [i for i, a in enumerate(node.args[:2]) if not isinstance(a, Tensor) and not np.ndim(a) and _holds_nan(a)]
    named = lambda e: e is not None and any(isinstance(n, ast.Name) and n.id not in NUMBERS for n in ast.walk(e))
    return not all(i < len(written) and named(written[i]) for i in single)


def is_nan_free(a: Any) -> bool:
    return a.dtype.kind != "f" or not np.isnan(a).any()


def _filled_in(call: Callable[[list[str]], str], letters: str, bad: Sequence[str]) -> str:
    """Return an op's template with 0 instead of each nan in its data, as in "log(where(isnan(a), 0.0, a))".

    call : writes the call, given its operands. bad : the letters of the operands that contain nan.
    """
    return call([f"where(isnan({c}), 0.0, {c})" if c in bad else c for c in letters])


def _put_back(fill: float, call: Callable[[list[str]], str], letters: str, bad: Sequence[str]) -> str:
    """Return an op's template with `fill` instead of each nan in its data, and the nan put back into the result."""
    text = call([f"where(isnan({c}), {fill}, {c})" if c in bad else c for c in letters])
    for c in bad:
        text = f"where(isnan({c}), {c}, {text})"
    return text


def _called(parts: Sequence[str]) -> str:
    return f"call({', '.join(parts)})"


def _called_with_options(name: str, parts: Sequence[str]) -> str:
    return f"{name}({parts[0]}, **k)"


def _fills(y: Tensor, write: Callable[..., str]) -> Iterator[Rewrite]:
    """Yield, for each op that computes with nan data, a rewrite that replaces the nan."""
    for node in graph_of(y):
        name, foreign = op_of(node), node.op is not None and node.op.kind == "foreign"
        if is_input(node) or not (name or foreign) or name in SAFE or isinstance(node.value, tuple):
            continue
        letters = "abcdefgh"[: len(node.args)] if foreign else "ab" if name in SIGNS else "a"
        bad = [c for c, a in zip(letters, node.args) if _holds_nan(a)]
        if not bad or any(map(_holds_nan, node.args[len(letters) : 2])) or _writes_nan(node):
            continue
        bound = dict(zip(letters, node.args)) | {"k": {} if len(letters) > 1 else options_of(node, 1)}
        if foreign:
            call: Callable[..., str] = _called
            bound |= {"call": node.op.call}
        elif name in SIGNS:
            call = f" {SIGNS[name]} ".join
        else:
            call = partial(_called_with_options, name)
        holds = "it is the same where no data are nan"
        yield Rewrite(y, node, write(call, letters, bad), bound, "filled", (), call([*letters]), holds=holds)


def is_expression(name: str) -> bool:
    """Return whether a name can be written in code, unlike "a constant of shape (3,)"."""
    try:
        ast.parse(name, mode="eval")
    except SyntaxError:
        return False
    return True


def is_put_back(offer: Offer) -> bool:
    """Return whether the rewrites of an offer put the nan back into the results, as `_put_back` does."""
    return offer.rewrites[0].template.startswith("where(isnan")


def edits_of_names(offer: Offer, called: Callable[[Tensor], str], dialect: Dialect) -> tuple[Edit, ...]:
    """Return edits of an offer's lines that replace the nan in a variable, such as `Y` in `smooth_l1_loss(p, Y)`.

    Return () if a line is unknown or does not contain the name exactly once, or if the name is bound more than once in
    the file.
    """
    edits: dict[Span, Edit] = {}
    for rewrite in offer.rewrites:
        span = span_of(rewrite.at)
        names = {called(a) for a in rewrite.bound.values() if isinstance(a, Tensor) and _holds_nan(a)} - {""}
        names = {name for name in names if is_expression(name)}
        modules = None if span is None else dialect.modules(span[0], ast.parse(FILL, mode="eval").body)
        if span is None or modules is None or not names or getattr(dialect, "mapped", False):
            return ()
        source = source_of(span[0])
        e = source.expressions.get(span)
        shapes = {n.shape for n in graph_of(rewrite.y) if span_of(n) == span}
        # If the line's ops have several shapes, it may sum over elements, so no element of the result is the nan's.
        if e is None or (is_put_back(offer) and len(shapes) > 1):
            return ()
        new: ast.expr = e
        for data in [ast.parse(name, mode="eval").body for name in sorted(names)]:
            uses = [n for n in ast.walk(e) if ast.dump(n) == ast.dump(data)]
            if len(uses) != 1 or _bindings(source.tree, data) > 1:
                return ()
            new = Replaced(span_in(span[0], uses[0]), _spelled(FILL, {"d": data}, dialect, modules)).visit(new)
            if is_put_back(offer):
                new = _spelled("where(isnan(d), d, f)", {"d": data, "f": new}, dialect, modules)
        edits[span] = Edit(*span, text=ast.unparse(new))
    return tuple(edits.values())


def _spelled(template: str, letters: Mapping[str, ast.expr], dialect: Dialect, modules: Any) -> Any:
    return Fill(letters, {}, dialect, modules).visit(ast.parse(template, mode="eval").body)


def _bindings(tree: ast.AST, e: ast.expr) -> int:
    """Count the places in a file that assign the first name in an expression or declare it as a parameter."""
    first = next(n.id for n in ast.walk(e) if isinstance(n, ast.Name))
    stored = (n.arg if isinstance(n, ast.arg) else n.id for n in ast.walk(tree)
              if isinstance(n, ast.arg) or (isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)))  # fmt: skip
    return sum(name == first for name in stored)
