"""Write the rule of a function as text, from the ops that are recorded when the rule is called."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from minigrad.core.custom import CustomCall, CustomGradient
from minigrad.core.gradients import gradients as gradients_of
from minigrad.core.graph import ancestors
from minigrad.core.support.structure import flatten
from minigrad.core.tensor import Tensor
from minigrad.core.variable import Variable
from minigrad.diagnostics.domains import maker_of

from .explained import misfit
from .grammar import Rule
from .language import TAKES

LONGEST, LARGEST = 300, 400  #: maximum number of characters and of syntax nodes in an expression
MOST = 100  #: maximum number of ops in a function whose derived rule is written as text
STEP = 60  #: minimum number of characters of an expression that becomes a step of a long rule
PLACES = ((1, 0), (-0.7, 0.2), (3, 0.1), (-4, -1.5), (0.03, 9))  #: points to try: (factor, shift) of the inputs
BINARY = {"add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "divide": ast.Div, "power": ast.Pow}
#: Op -> its text, for ops that appear only as slopes.
WRITTEN = {"tanh_slope": "1 - tanh({a}) ** 2", "sigmoid_slope": "sigmoid({a}) * (1 - sigmoid({a}))"}
COMPARED = {
    "less": ast.Lt, "less_equal": ast.LtE, "greater": ast.Gt, "greater_equal": ast.GtE, "equal": ast.Eq,
    "not_equal": ast.NotEq,
}  # fmt: skip


class Unwritten(Exception):
    """Raised if the language cannot write an op; the message is the reason."""


class LongRule(Unwritten):
    """Raised if a rule is too long for one expression."""


def recorded_rules(
    f: CustomGradient, arguments: Mapping[str, Any], upstreams: Sequence[str] = ("upstream",),
    variables: Mapping[str, Variable] | None = None,
) -> list[str]:  # fmt: skip
    """Return the text of a function's rule for each argument and Variable, or [] if it cannot be written as text.

    arguments : Tensors, by name. upstreams : the names of the upstream gradients, one for each result. variables : the
        Variables that the function reads, by name.

    The rule is called at the inputs and at four other points, and the recorded ops must give the same text each time.
    So a rule has no text if it takes different branches at these points, or computes with plain numbers taken from its
    inputs. Branches at other points are not noticed.

    >>> import minigrad as mg
    >>> def rule_of(x):
    ...     slope = 1 / (1 + mg.exp(-x))
    ...     return lambda upstream: upstream * slope
    >>> f = mg.custom_gradient(lambda x: (mg.log(1 + mg.exp(x)), rule_of(x)))
    >>> recorded_rules(f, {"x": mg.constant(2.0)})
    ['upstream * (1 / (1 + exp(-x)))']
    """
    variables = variables or {}
    values, texts = {name: v.value for name, v in variables.items()}, []
    try:
        for by in PLACES:
            for v, value in zip(variables.values(), values.values()):
                v.hold(_moved(Tensor(value), *by).value)
            texts.append(_texts(f, {k: _moved(x, *by) for k, x in arguments.items()}, upstreams, variables))
    except Exception:  # the user's function may raise anything at other points
        return []
    finally:
        for v, value in zip(variables.values(), values.values()):
            v.hold(value)
    names = {name: {"cell": 0, "type": "f", "shape": []} for name in (*arguments, *variables, *upstreams)}
    fits = all(len(text) <= LONGEST and not Rule(text, names, 0).error for text in texts[0])
    return texts[0] if fits and all(text == texts[0] for text in texts) else []


def _moved(x: Any, factor: float, shift: float) -> Any:
    """Return x * factor + shift as a new Tensor, with 1 for each nan or inf in `x`; other inputs are returned as is."""
    if not isinstance(x, Tensor) or x.dtype.kind != "f" or (factor, shift) == PLACES[0]:
        return x
    return Tensor((np.where(np.isfinite(x.value), x.value, 1) * factor + shift).astype(x.dtype))


def _texts(
    f: CustomGradient, arguments: Mapping[str, Any], upstreams: Sequence[str], variables: Mapping[str, Variable]
) -> list[str]:
    with np.errstate(all="ignore"):
        results = flatten(f(*arguments.values()))
        call = maker_of(results[0]).op
        by_id = {id(v): name for name, v in variables.items()}
        named = isinstance(call, CustomCall) and all(id(v) in by_id for v in call.variables)
        if not isinstance(call, CustomCall) or not named or len(results) != len(upstreams):
            raise Unwritten("it is not a call with a rule of its own")
        ones = [Tensor(np.ones_like(y.value)) for y in results]
        gradients = call.call_grad_fn(ones)
    nodes: dict[int, ast.expr] = {one.serial: ast.Name(name) for one, name in zip(ones, upstreams)}
    for name, x, inside in zip(arguments, arguments.values(), call.copies):
        nodes |= {t.serial: ast.Name(name) for t in (x, inside) if isinstance(t, Tensor)}
    nodes |= {v.serial: ast.Name(name) for name, v in variables.items()}
    every = dict(zip([*arguments, *(by_id[id(v)] for v in call.variables)], gradients))
    return _written({name: every.get(name) for name in (*arguments, *variables)}, nodes)


def derived_rules(
    results: Mapping[str, Tensor], arguments: Mapping[str, Tensor], taken: Collection[str] = ()
) -> tuple[list[str], dict[str, str]]:
    """Return the text of the derived rule for each argument, and the rule's steps, from the ops of the recorded pass.

    results : name of an upstream gradient -> its result. taken : names that no step may have.

    A rule that is too long for one expression is split into steps, a dict from names to text; a step may use the steps
    before it. Raises Unwritten, with the reason, if the language cannot write the rule.

    >>> import minigrad as mg
    >>> x = mg.constant(2.0)
    >>> derived_rules({"upstream": mg.sqrt(1 + x)}, {"x": x})
    (['upstream / (2 * sqrt(1 + x))'], {})
    """
    if len(ancestors([*results.values()])) > MOST:
        raise Unwritten(f"the function has more than {MOST} ops")
    ones = {name: Tensor(np.ones_like(y.value)) for name, y in results.items()}
    with np.errstate(all="ignore"):
        gradients = gradients_of([*results.values()], [*arguments.values()], [*ones.values()])
    named, by_name = {**ones, **arguments}, dict(zip(arguments, gradients))
    letters: Callable[[], dict[int, ast.expr]] = lambda: {t.serial: ast.Name(name) for name, t in named.items()}
    steps: dict[str, str] = {}
    try:
        texts = _written(by_name, letters())
    except LongRule:
        texts = _written(by_name, letters(), steps, {*named, *taken})
    types: dict[str, Any] = {name: {"cell": 0, "type": "f", "shape": [*t.shape]} for name, t in named.items()}
    types |= {name: {"text": text} for name, text in steps.items()}
    for i, (name, x) in enumerate(arguments.items()):
        rule = Rule(texts[i], types, 0)
        if not rule.error and rule.value["shape"] == [] and x.shape:
            texts[i] += f" + 0 * {name}"
            rule = Rule(texts[i], types, 0)
        if rule.error or misfit(rule, "", x.shape):
            raise Unwritten("it is beyond the language")
    return texts, steps


def _written(
    gradients: Mapping[str, Any], nodes: dict[int, ast.expr], steps: dict[str, str] | None = None,
    taken: Collection[str] = (),
) -> list[str]:  # fmt: skip
    """Write recorded gradients as text; return a list with one expression for each.

    nodes : serial of a Tensor -> its expression; new expressions are added. steps : a dict from names to the text of
        intermediate values, which is filled here, under names that are not `taken`. A value becomes a step if it is
        used more than once, or if its text is long. If `steps` is None, long texts raise an error.
    """
    free = (name for k in count(1) if (name := f"t{k}") not in taken)
    behind = ancestors([g for g in gradients.values() if g is not None])
    uses = Counter(a.serial for t in behind for a in t.args if isinstance(a, Tensor))
    for t in behind:
        if t.serial in nodes:
            continue
        node = nodes[t.serial] = _node(t, nodes)
        if steps is None and sum(1 for _ in ast.walk(node)) > LARGEST:  # squaring x 30 times would give 2**30 factors
            raise LongRule
        if steps is None or isinstance(node, (ast.Name, ast.Constant)):
            continue
        if uses[t.serial] > 1 or (uses[t.serial] and len(ast.unparse(node)) > STEP):
            name = next(free)
            steps[name], nodes[t.serial] = ast.unparse(node), ast.Name(name)
    texts = [f"0 * {key}" if g is None else ast.unparse(nodes[g.serial]) for key, g in gradients.items()]
    if steps is None and max(map(len, texts)) > LONGEST:
        raise LongRule
    return texts


def _node(t: Tensor, nodes: Mapping[int, ast.expr]) -> ast.expr:
    """Return the syntax tree of the op that made `t`. nodes : serial -> the syntax trees of its arguments."""
    if t.op is None:
        return _number(t.value)
    # These are copies, because unparse stores the precedence of the parent for each node.
    taken = t.args[:1] if t.op.name == "broadcast_to" else t.args  # in the language, broadcasting needs no call
    parts = [copy.deepcopy(nodes[a.serial]) if isinstance(a, Tensor) else _number(a) for a in taken]
    match t.op.name, parts:
        case "identity" | "read" | "broadcast_to", [a]:
            return a
        case name, [a] if name in WRITTEN:
            return ast.parse(WRITTEN[name].format(a=ast.unparse(a)), mode="eval").body
        case "negative", [a]:
            return ast.UnaryOp(ast.USub(), a)
        case "square", [a]:
            return ast.BinOp(a, ast.Mult(), copy.deepcopy(a))
        case "absolute", [a]:
            return ast.Call(ast.Name("abs"), [a], [])
        case "reciprocal", [a]:
            return ast.BinOp(ast.Constant(1), ast.Div(), a)
        case name, [a, b] if name in BINARY:
            return ast.BinOp(a, BINARY[name](), b)
        case name, [a, b] if name in COMPARED:
            return ast.Compare(a, [COMPARED[name]()], [b])
        case name, _ if TAKES.get(name) == len(parts) and not t.kwargs:
            return ast.Call(ast.Name(name), parts, [])
    raise Unwritten(f"it has {t.op.name}, which is beyond the language")


def _number(value: Any) -> ast.expr:
    """Return the shortest number that rounds to `value` in its dtype: 0.1 for the float32 nearest to 0.1."""
    if not np.isscalar(value) and not isinstance(value, np.ndarray):
        raise Unwritten("it has an argument that is not a number")
    array = np.asarray(value)
    if array.ndim or array.dtype.kind not in "fi":
        raise Unwritten("it has an array that is not an input")
    number = ast.literal_eval(str(array[()])) if np.isfinite(array) else None
    if number is None:
        raise Unwritten("it has a number that is not finite")
    return ast.UnaryOp(ast.USub(), ast.Constant(-number)) if number < 0 else ast.Constant(number)
