"""Check gradients against finite differences.

>>> import minigrad as mg
>>> check_gradients(lambda x, y: x * mg.exp(y), 2.0, [0.5, 1.0]).ok
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.custom_call import ignore_custom_gradients
from ..core.graph import ancestors
from ..core.messages import name_of
from ..core.pullback import pullback
from ..core.tensor import Tensor
from ..core.variable import Variable, restored_variables
from .check_inputs import Inputs, NamedFunction, prepare
from .check_report import GradientCheck, GradientError, Row
from .check_rules import custom_calls, lint, rule_name
from .finite_differences import slope

#: Above this many entries of a Jacobian, a few random directions are checked instead of every entry.
LARGE = 2500


def check_gradients(
    f: Callable[..., Any],
    *args: Any,
    order: int = 2,
    rtol: float = 1e-5,
    atol: float = 1e-6,
    step: float = 1e-4,
    seed: int = 0,
    raises: bool = True,
) -> GradientCheck:
    """Compare the derivatives of `f` at `args` with finite differences.

    Parameters
    ----------
    f : a function that returns a Tensor or a nested structure of Tensors.
    args : numbers, arrays, Tensors and nested structures of them. Floats are differentiated, as float64 copies;
        integers, strings and everything else are passed to `f` unchanged.
    order : 1 checks the gradient, 2 also the gradient of the gradient, and so on.
    rtol, atol : the allowed differences, relative to a number itself and to the scale of the results.
    step : the distance from the arguments at which the function is evaluated.
    raises : whether to raise GradientError, rather than return the report, if something is wrong or nothing could be
        compared.

    Raises TypeError if there is nothing to differentiate: no float goes in, or no Tensor of floats comes out.

    Trainable Variables that `f` uses are varied like the arguments and reported by name. Afterwards all Variables have
    their old values again, including those that `f` assigns.

    Points near a kink, a jump or a value that is not finite are reported and left out. Rules of custom gradients are
    also checked on their own: whether they are linear in the upstream gradient, and whether they are what differs.

    >>> import minigrad as mg
    >>> @mg.custom_gradient
    ... def square(x):
    ...     return x * x, lambda dy: dy * x
    >>> print(check_gradients(square, 3.0, order=1, raises=False))  # doctest: +ELLIPSIS
    The gradient of square is wrong (1 number compared).
    <BLANKLINE>
      entry   |      analytic |       numeric |    difference
      dy / dx |             3 |             6 |            -3
    <BLANKLINE>
    Wrong: order 1: 1 of 1 numbers differs
    Wrong: the custom rule <lambda> (...) of square is what differs: the derivative of what square computes agrees
    """
    check = GradientCheck(name_of(f))
    names, values, call = prepare(f, args)
    with restored_variables():
        outputs = [y for _, y in call([Tensor(x) for x in values])]
    variables = [v for v in ancestors(outputs) if isinstance(v, Variable) and v.trainable and v.dtype.kind == "f"]
    if not values and not variables:
        raise TypeError(
            f"check_gradients needs a float among the arguments of {check.name}, or a Variable that it uses; "
            f"got {args!r:.80}"
        )
    if not outputs:
        raise TypeError(
            f"check_gradients needs a Tensor of floats in the result of {check.name}, but it returned "
            f"{f(*args)!r:.80}; a value that leaves the graph, through float() or .numpy(), has no gradient"
        )
    inputs = Inputs(names + [v.name for v in variables], values, variables)
    with restored_variables():
        _check(check, call, inputs, order, (rtol, atol, step), np.random.default_rng(seed))
    if raises and not check.ok:
        raise GradientError(str(check))
    return check


def _check(
    check: GradientCheck, call: NamedFunction, inputs: Inputs, order: int, tolerances: tuple[float, float, float],
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Fill in the report."""
    rtol, atol, step = tolerances
    outputs = call(inputs.at(inputs.values))
    if any(y.dtype != np.float64 for _, y in outputs):
        check.remarks.append("the result is not float64, so the differences are rough: tolerances are widened")
        rtol, atol, step = max(rtol, 5e-2), max(atol, 5e-2), max(step, 1e-2)
    lint(check, outputs, rng)
    wrong = _first_wrong(check, call, inputs, order, (rtol, atol, step), rng)
    if wrong:
        _blame(check, call, inputs, wrong, (rtol, atol, step), outputs)


def _first_wrong(
    check: GradientCheck, function: NamedFunction, inputs: Inputs, order: int,
    tolerances: tuple[float, float, float], rng: np.random.Generator,
) -> int:  # fmt: skip
    """Compare the derivatives up to an order; return the first order that is wrong, 0 if none is."""
    for n in range(1, order + 1):
        if _compare(check, function, inputs, n, tolerances, rng):
            return n
        function = _derivative(function, inputs.names, rng)
    return 0


def _derivative(function: NamedFunction, names: list[str], rng: np.random.Generator) -> NamedFunction:
    """The gradient of a fixed random combination of the function's outputs, as a function of the same form."""
    weights: list[Any] = []

    def derivative(tensors: list[Tensor]) -> list[tuple[str, Tensor]]:
        outputs = function(tensors)
        if not weights:
            weights.extend(np.asarray(rng.uniform(0.5, 1.5, y.shape), y.dtype)[()] for _, y in outputs)
        found = pullback([y for _, y in outputs], [Tensor(w) for w in weights], tensors)
        return [
            (f"(d{outputs[0][0]} / d{name})", Tensor(np.zeros_like(x.value)) if g is None else g)
            for name, x, g in zip(names, tensors, found)
        ]

    return derivative


def _flat(arrays: list[Any]) -> Any:
    return np.concatenate([np.ravel(a) for a in arrays]) if arrays else np.zeros(0)


def _entries(paths: list[tuple[str, tuple[int, ...]]]) -> list[str]:
    """A name for each element of arrays with names and shapes: `w[0, 1]`."""
    return [
        path + (f"[{', '.join(map(str, index))}]" if shape else "")
        for path, shape in paths
        for index in np.ndindex(*shape)
    ]


def _compare(
    check: GradientCheck, function: NamedFunction, inputs: Inputs, order: int,
    tolerances: tuple[float, float, float], rng: np.random.Generator,
) -> bool:  # fmt: skip
    """Compare along every element, or along random directions if there are many; return whether something is wrong."""
    rtol, atol, step = tolerances
    names, values = inputs.names, inputs.values
    tensors = inputs.at(values)
    outputs = function(tensors)
    ys = [y for _, y in outputs]
    across: Callable[[Any], Any] = np.asarray  # not a product with an identity: 0 * inf is nan
    of: Callable[[Any], Any] = np.asarray
    size, count = sum(x.size for x in values), sum(y.size for y in ys)
    rows = _entries([(path, y.shape) for path, y in outputs])
    columns = _entries([(name, x.shape) for name, x in zip(names, values)])
    if size * count > LARGE:
        directions, sensors = rng.normal(size=(3, size)), rng.normal(size=(3, count))
        rows, columns = ([f"{what} along direction {i}" for i in range(3)] for what in ("y", "x"))
        across, of = directions.__matmul__, sensors.__matmul__
    else:
        directions, sensors = np.eye(size), np.eye(count)
    ends = np.cumsum([0, *(y.size for y in ys)])
    analytic, connected = np.zeros((len(sensors), len(directions))), False
    for i, sensor in enumerate(sensors):
        upstreams = [sensor[a:b].reshape(y.shape).astype(y.dtype)[()] for y, a, b in zip(ys, ends, ends[1:])]
        grads = pullback(ys, upstreams, tensors)
        connected = connected or any(g is not None for g in grads)
        for g, x, name in zip(grads, values, names):
            if g is not None and (g.shape, g.dtype) != (x.shape, x.dtype):
                check.findings.append(
                    f"the gradient for {name} is {g.dtype} of shape {g.shape}; {name} is {x.dtype} of shape {x.shape}"
                )
                return True
        analytic[i] = across(_flat([np.zeros(x.shape) if g is None else g for g, x in zip(grads, values)]))
    before, wrong = len(check.rows), 0
    for j, direction in enumerate(directions):

        def along(t: float, direction: Any = direction) -> Any:
            moved, start = [], 0
            for x in values:
                moved.append(x + t * direction[start : start + x.size].reshape(x.shape))
                start += x.size
            return of(_flat([y.value for _, y in function(inputs.at(moved))]))

        measured = slope(along, step, 1e-6 if all(y.dtype == np.float64 for y in ys) else 1e-3)
        for i in range(len(sensors)):
            entry = f"d{rows[i]} / d{columns[j]}"
            if measured.kink[i] or measured.edge[i]:
                reason = "the slope jumps nearby" if measured.kink[i] else "a value nearby is inf or nan"
                check.left_out.append(f"order {order}, {entry}: {reason}")
                continue
            a, m = float(analytic[i, j]), float(measured.value[i])
            bad = not abs(a - m) <= atol * max(1.0, float(np.max(np.abs(analytic[i]), initial=0))) + rtol * abs(m)
            check.rows.append(Row(entry, a, m, bad))
            wrong += bad
    if wrong:
        verb = "differs" if wrong == 1 else "differ"
        check.findings.append(f"order {order}: {wrong} of {len(check.rows) - before} numbers {verb}")
        if order > 1 and not connected:
            check.findings.append(
                f"the derivative of order {order - 1} is right, but not connected to the arguments, so the next one "
                f"is lost: a rule computed with plain values instead of Tensors"
            )
        elif order > 1 and np.isnan(analytic).any():
            check.findings.append(f"the derivative of order {order - 1} is finite, that of order {order} is nan")
    return bool(wrong)


def _blame(
    check: GradientCheck, call: NamedFunction, inputs: Inputs, order: int,
    tolerances: tuple[float, float, float], outputs: list[tuple[str, Tensor]],
) -> None:  # fmt: skip
    """Report the custom rules as the cause if the check passes with all of them switched off."""
    calls = custom_calls(outputs)
    if not calls:
        return
    second = GradientCheck(check.name)
    with ignore_custom_gradients():
        if _first_wrong(second, call, inputs, order, tolerances, np.random.default_rng(0)) or not second.rows:
            return
    for rule, name in {rule_name(node): node.op.name for node in calls}.items():
        check.findings.append(f"{rule} is what differs: the derivative of what {name} computes agrees")
