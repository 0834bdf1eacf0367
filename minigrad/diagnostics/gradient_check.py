"""Check gradients against finite differences.

>>> import minigrad as mg
>>> check_gradients(lambda x, y: x * mg.exp(y), 2.0, [0.5, 1.0]).ok
True
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ..core.custom import CustomCall, ignore_rules_of
from ..core.graph import ancestors
from ..core.support.error_words import location_of, name_of, visible
from ..core.tensor import Tensor
from ..core.variable import Variable, restored_variables
from ..transforms.gradient import check_function
from ..transforms.linear_rules import node_nonlinearity
from .check_report import GradientCheck, GradientError
from .derivative_check import WEIGHTED, DerivativeCheck
from .finite_differences import Inputs, NamedFunction, prepare


def custom_calls(outputs: list[tuple[str, Tensor]]) -> list[Any]:
    """Return the calls to functions with custom gradients among the ancestors of the outputs."""
    return [node for node in ancestors([y for _, y in outputs]) if isinstance(node.op, CustomCall)]


def rule_name(call: CustomCall) -> str:
    """Return a phrase with the name and location of a call's custom rule."""
    return f"the custom rule {location_of(call.grad_fn)} of {call.name}"


def lint(check: GradientCheck, calls: list[Any]) -> None:
    """Report rules that are not linear in the upstream gradient, and rules that are finite where the value is not."""
    for node in calls:
        problem = node_nonlinearity(node)
        if problem:
            check.findings.append(f"{rule_name(node.op)} is not linear in the upstream: {problem}")
        elif _half_repaired(node.op):
            check.remarks.append(
                f"{rule_name(node.op)} gives a finite gradient where the value of {node.op.name} is inf or nan"
            )


def _gradients(call: Any, upstreams: list[Any]) -> list[Any]:
    with np.errstate(all="ignore"):
        return [None if g is None else g.value for g in call.call_grad_fn([Tensor(u) for u in upstreams])]


def _half_repaired(call: Any) -> bool:
    values = [y.value for y in call.body_outputs]
    grads = [g for g in _gradients(call, [np.ones_like(y) for y in values]) if g is not None]
    bad = not all(np.isfinite(y).all() for y in values)
    return bad and bool(grads) and all(np.isfinite(g).all() for g in grads)


def check_gradients(
    f: Callable[..., Any],
    *args: Any,
    order: int = 2,
    rtol: float = 1e-5,
    atol: float = 0.0,
    step: float = 1e-4,
    seed: int = 0,
    raises: bool = True,
    surrogate: Callable[..., Any] | None = None,
) -> GradientCheck:
    """Compare the derivatives of `f` at `args` with finite differences.

    Parameters
    ----------
    f : a function that returns a Tensor or a nested structure of Tensors.
    args : numbers, arrays, Tensors, and nested structures of these. Floats are differentiated, as float64 copies;
        integers, strings and everything else are passed to `f` unchanged.
    order : the highest order to check: 1 checks the gradient, 2 also the gradient of the gradient, and so on. For
        orders above 1, several outputs are added up with random weights c.
    rtol, atol : the relative and the absolute difference allowed, in addition to the uncertainty of a measured slope.
    step : the first distance from the arguments to try; for an argument larger than 1, it is relative to the argument's
        size. Larger distances are tried if rounding hides a slope, and smaller ones if the function is curved.
    raises : whether to raise GradientError, rather than return the report, if something is wrong or nothing could be
        compared.
    surrogate : a function of the same arguments with the intended derivatives, for a gradient that is wrong on purpose.
        For a straight-through `round`, give `lambda x: x`. The gradient is then compared with the finite differences of
        the surrogate.

    Raises TypeError if there is no float input or no float output.

    Trainable Variables that `f` uses are varied like the arguments and reported by name. Afterwards, all Variables get
    their old values back, even those that `f` assigns.

    Only slopes measured to 0.25 % or better (10 % in a float32 result) are compared, whatever the size of the slopes
    and of the values. Points near a kink, a jump or a nonfinite value are reported and left out. So are slopes that
    rounding hides, slopes whose finite differences disagree, and the higher derivatives of all these.

    Custom rules are also called separately, with upstream gradients from 1e-9 to 1e9 in size, to test whether they are
    linear in the upstream gradient. A rule that is wrong only for larger or smaller upstream gradients is not detected.
    If derivatives differ, the check is repeated without some of the custom rules, to find out which are the cause.

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
    Wrong: the cause is the custom rule <lambda> (...) of square: the derivative of its ops agrees
    """
    check_function(f, "check_gradients")
    check = GradientCheck(visible(name_of(f)), visible(name_of(surrogate)) if surrogate else "")
    names, values, call = prepare(f, args)
    meant = prepare(surrogate, args)[2] if surrogate else None
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
    rough = any(y.dtype != np.float64 for y in outputs)
    if rough:
        check.remarks.append("the result is not float64, so the differences are rough: tolerances are widened")
        rtol, step = max(rtol, 5e-2), max(step, 1e-2)
    eps = max(float(np.finfo(y.dtype).eps) for y in outputs)
    comparison = DerivativeCheck(check, inputs, rtol, atol, step, seed, eps)
    with restored_variables():
        calls = custom_calls(call(inputs.at(inputs.values)))
        if meant is None:  # with a surrogate, the rule is wrong on purpose, and may be nonlinear
            lint(check, calls)
        wrong = comparison.first_wrong(call, order, meant)
        if wrong and meant is None:
            _blame(comparison, call, wrong)
    if any(WEIGHTED in row.name for row in check.rows):
        check.remarks.append("several outputs are added up for a higher order: c stands for their weights, 0.5 to 1.5")
    if raises and not check.ok:
        raise GradientError(str(check))
    return check


def _blame(comparison: DerivativeCheck, call: NamedFunction, order: int) -> None:
    """Repeat a failed comparison without some of the custom rules; report the rules that can be the cause."""
    rules: dict[str, None] = {}
    _repeated(comparison, call, order, lambda op: rules.setdefault(rule_name(op)) is not None)
    differs = {row.name for row in comparison.check.rows if row.wrong}

    def agrees_with(kept: Collection[str]) -> bool:
        second = _repeated(comparison, call, order, lambda op: rule_name(op) not in kept)
        return second.ok and differs <= {row.name for row in second.rows}

    if not rules or not agrees_with(()):
        return
    wrong = [rule for rule in rules if not agrees_with([rule])]
    if len(wrong) == 1 and agrees_with(rules.keys() - wrong):
        comparison.check.findings.append(f"the cause is {wrong[0]}: the derivative of its ops agrees")
    else:
        among = ", ".join(wrong if len(wrong) > 1 else rules)
        comparison.check.findings.append(f"a cause is among {among}: the derivatives of their ops agree")


def _repeated(
    comparison: DerivativeCheck, call: NamedFunction, order: int, ignored: Callable[[CustomCall], bool]
) -> GradientCheck:
    """Return the report of the same comparison with the derived gradients of the calls that `ignored` selects."""
    second = copy.copy(comparison)
    second.check, second.rng = GradientCheck(comparison.check.name), np.random.default_rng(0)
    with ignore_rules_of(ignored):
        second.first_wrong(call, order)
    return second.check
