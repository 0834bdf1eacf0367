"""Check gradients against finite differences.

>>> import minigrad as mg
>>> check_gradients(lambda x, y: x * mg.exp(y), 2.0, [0.5, 1.0]).ok
True
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.backward import pullback
from ..core.custom import CustomCall, ignore_custom_gradients
from ..core.graph import ancestors
from ..core.support.error_words import location_of, name_of, visible
from ..core.tensor import Tensor
from ..core.variable import Variable, restored_variables
from ..transforms.linear_rules import node_nonlinearity
from .finite_differences import Inputs, NamedFunction, elements, flat, parts, prepare, random_directions
from .measured import Measured, measure


class GradientError(AssertionError):
    """Raised if a gradient disagrees with finite differences; the message is the report.

    >>> import minigrad as mg
    >>> try:
    ...     mg.check_gradients(mg.custom_gradient(lambda x: (x * x, lambda dy: dy * x)), 3.0)
    ... except mg.GradientError as error:
    ...     print("wrong" in str(error))
    True
    """


@dataclass
class Row:
    """One compared number: its name, the derivative by the rules and the one by finite differences."""

    name: str
    analytic: float
    numeric: float
    wrong: bool


@dataclass
class GradientCheck:
    """The outcome of `check_gradients`. `print(check)` shows it as a table.

    ok : whether numbers were compared and all of them agree. rows : the numbers compared, of all orders.
    surrogate : the name of the function whose finite differences were taken instead, if one was given.
    left_out : entries that could not be compared, with the reason: a kink or a value that is not finite nearby.
    findings : sentences about errors. remarks : sentences about anything else.

    >>> import minigrad as mg
    >>> check = mg.check_gradients(mg.sin, 0.5)
    >>> check.ok, check.name
    (True, 'sin')
    """

    name: str
    surrogate: str = ""
    rows: list[Row] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return bool(self.rows) and not self.findings

    def __str__(self) -> str:
        head = "is wrong" if self.findings else "agrees with finite differences"
        if self.surrogate:
            head = f"{'is not' if self.findings else 'is'} that of its surrogate {self.surrogate}"
        wrong = [row for row in self.rows if row.wrong]
        shown = (wrong or self.rows)[:12]
        width = max((len(row.name) for row in shown), default=0)
        compared = "1 number" if len(self.rows) == 1 else f"{len(self.rows)} numbers"
        lines = [f"The gradient of {self.name} {head} ({compared} compared)."]
        if not self.rows and not self.findings:
            lines = [f"The gradient of {self.name} was not checked: nothing could be compared."]
        if shown:
            lines += ["", f"  {'entry':{width}} | {'analytic':>13} | {'numeric':>13} | {'difference':>13}"]
            lines += [
                f"  {r.name:{width}} | {r.analytic:13.7g} | {r.numeric:13.7g} | {r.analytic - r.numeric:13.3g}"
                for r in shown
            ]
            more = len(wrong or self.rows) - len(shown)
            lines += [f"  and {more} more"] if more else []
        for title, texts in (("Wrong", self.findings), ("Left out", self.left_out), ("Note", self.remarks)):
            lines += [""] * bool(texts) + [f"{title}: {text}" for text in texts[:6]]
        return "\n".join(map(visible, lines))

    __repr__ = __str__


def custom_calls(outputs: list[tuple[str, Tensor]]) -> list[Any]:
    """The calls with custom gradients among the ancestors of the outputs."""
    return [node for node in ancestors([y for _, y in outputs]) if isinstance(node.op, CustomCall)]


def rule_name(node: Any) -> str:
    """The custom rule of a node, by name and location."""
    return f"the custom rule {location_of(node.op.grad_fn)} of {node.op.name}"


def lint(check: GradientCheck, calls: list[Any]) -> None:
    """Report rules that are not linear in the upstream gradient, or finite at a value that is not finite."""
    for node in calls:
        problem = node_nonlinearity(node)
        if problem:
            check.findings.append(f"{rule_name(node)} is not linear in the upstream: {problem}")
        elif _half_repaired(node.op):
            check.remarks.append(
                f"{rule_name(node)} gives a finite gradient where the value of {node.op.name} is inf or nan"
            )


def _gradients(call: Any, upstreams: list[Any]) -> list[Any]:
    with np.errstate(all="ignore"):
        return [None if g is None else g.value for g in call.call_grad_fn([Tensor(u) for u in upstreams])]


def _half_repaired(call: Any) -> bool:
    values = [y.value for y in call.body_outputs]
    found = [g for g in _gradients(call, [np.ones_like(y) for y in values]) if g is not None]
    bad = not all(np.isfinite(y).all() for y in values)
    return bad and bool(found) and all(np.isfinite(g).all() for g in found)


#: How the names of derivatives of higher order show that several outputs were added up.
WEIGHTED = "(c * "

#: Why a slope that is small beside the value was not compared.
HIDDEN = "it is too small to be seen beside the rounding of the value"

#: Why another slope was not compared, by its state: see `Measured`.
UNMEASURED = {
    "edge": "a value nearby is inf or nan",
    "kink": "the slope jumps nearby",
    "near": "the value or its slope jumps nearby",
    "jump": "the value jumps nearby",
    "unclear": "finite differences at several distances disagree",
}

#: Above this many entries of a Jacobian, a few random directions are checked instead of every entry.
LARGE = 2500


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
    args : numbers, arrays, Tensors and nested structures of them. Floats are differentiated, as float64 copies;
        integers, strings and everything else are passed to `f` unchanged.
    order : 1 checks the gradient, 2 also the gradient of the gradient, and so on. Several outputs are added up for it,
        with random weights c.
    rtol, atol : the differences that are allowed besides the uncertainty of a measured slope: relative to it, and as a
        number.
    step : the distance from the arguments at which the function is evaluated first, relative to arguments beyond 1.
        Where rounding hides a slope there, or the function bends, larger and smaller ones are tried.
    raises : whether to raise GradientError, rather than return the report, if something is wrong or nothing could be
        compared.
    surrogate : a function of the same arguments whose derivatives those of `f` are meant to be, for a gradient that is
        wrong on purpose: that of a straight-through `round` is the gradient of `lambda x: x`. The finite differences
        are then taken of the surrogate.

    Raises TypeError if there is nothing to differentiate: no float goes in, or no Tensor of floats comes out.

    Trainable Variables that `f` uses are varied like the arguments and reported by name. Afterwards all Variables have
    their old values again, including those that `f` assigns.

    What is compared is a slope that was measured to 0.25 % or better (in a float32 result 10 %), whatever its size and
    that of the function. Points near a kink, a jump or a value that is not finite are reported and left out, and so are
    slopes that rounding hides or for which finite differences disagree; higher derivatives of what was left out are
    left out too. Rules of custom gradients are also called on their own, with upstream gradients from 1e-9 to 1e9 in
    size: whether they are linear in it, and whether they are what differs. A rule that is wrong only for other upstream
    gradients is not found.

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
        if meant is None:  # a rule that is wrong on purpose need not be linear
            lint(check, calls)
        wrong = comparison.first_wrong(call, order, meant)
        if wrong and meant is None:
            _blame(comparison, call, wrong, calls)
    if any(WEIGHTED in row.name for row in check.rows):
        check.remarks.append("several outputs are added up for a higher order: c stands for their weights, 0.5 to 1.5")
    if raises and not check.ok:
        raise GradientError(str(check))
    return check


class DerivativeCheck:
    """The derivatives of a function at its inputs beside finite differences, order by order; fills in a report.

    eps : the relative rounding of the values. undefined, faint : elements of the outputs, by their position, that are
        derivatives of something that has none here, and those that are smaller than rounding.
    """

    def __init__(
        self, check: GradientCheck, inputs: Inputs, rtol: float, atol: float, step: float, seed: int, eps: float
    ) -> None:
        self.check, self.inputs, self.rng = check, inputs, np.random.default_rng(seed)
        self.rtol, self.atol, self.step, self.eps = rtol, atol, step, eps
        self.undefined: set[int] = set()
        self.faint: set[int] = set()

    def first_wrong(self, function: NamedFunction, order: int, meant: NamedFunction | None = None) -> int:
        """The first order, up to `order`, whose derivatives are wrong; 0 if none is.

        meant : the function whose finite differences are taken, if it is another one.
        """
        self.undefined, self.faint = set(), set()
        for n in range(1, order + 1):
            before = len(self.check.rows)
            if self.differs(function, meant or function, n):
                return n
            if len(self.check.rows) == before:  # nor has anything a derivative of the next order
                break
            weights: list[Any] = []  # the same for both
            function = self.derivative(function, weights)
            meant = meant and self.derivative(meant, weights)
        return 0

    def derivative(self, function: NamedFunction, weights: list[Any]) -> NamedFunction:
        """The gradient of the output of a function, as a function of the same form.

        Several outputs are added up with fixed random weights, drawn at the first call, which the names of the
        results show as c.
        """

        def derivative(tensors: list[Tensor]) -> list[tuple[str, Tensor]]:
            outputs = function(tensors)
            alone = sum(y.size for _, y in outputs) == 1
            if not weights:
                drawn = [np.ones(y.shape) if alone else self.rng.uniform(0.5, 1.5, y.shape) for _, y in outputs]
                weights.extend(np.asarray(w, y.dtype)[()] for w, (_, y) in zip(drawn, outputs))
            found = pullback([y for _, y in outputs], [Tensor(w) for w in weights], tensors)
            root = outputs[0][0]
            if not alone:
                root = f"{WEIGHTED}{'gradient' if root.startswith('(') else root.partition('[')[0]})"
            return [
                (f"(d{root} / d{name})", Tensor(np.zeros_like(x.value)) if g is None else g)
                for name, x, g in zip(self.inputs.names, tensors, found)
            ]

        return derivative

    def differs(self, function: NamedFunction, meant: NamedFunction, order: int) -> bool:
        """Whether a derivative of `function` differs from the finite difference of `meant`; adds all to the report."""
        values, check = self.inputs.values, self.check
        tensors = self.inputs.at(values)
        outputs = function(tensors)
        ys = [y for _, y in outputs]
        size, count = sum(x.size for x in values), sum(y.size for y in ys)
        large = size * count > LARGE
        if large:
            units = flat([np.where(x == 0, np.max(np.abs(x), initial=0) or 1.0, np.abs(x)) for x in values])
            columns, rows = random_directions("x", units, self.rng), random_directions("y", np.ones(count), self.rng)
            units = np.ones(len(columns.names))
        else:
            rows = elements([(path, y.shape) for path, y in outputs])
            columns = elements([(name, x.shape) for name, x in zip(self.inputs.names, values)])
            units = np.maximum(1, np.abs(flat(values)))
        found = [self.gradients(ys, sensor, tensors) for sensor in rows.directions]
        if not all(map(self.fits, found)):
            return True
        zeros = [[np.zeros(x.shape) if g is None else g for g, x in zip(grads, values)] for grads in found]
        analytic = np.array([columns.product(flat(grads)) for grads in zeros]).reshape(len(rows.names), -1)
        before, wrong, tiny = len(check.rows), 0, 0
        undefined, self.undefined = self.undefined, set()
        faint, self.faint = self.faint, set()
        for j, direction in enumerate(columns.directions):

            def along(t: float, direction: Any = direction) -> Any:
                moved = [x + t * d for x, d in zip(values, parts(direction, values))]
                return rows.product(flat([y.value for _, y in meant(self.inputs.at(moved))]))

            measured = measure(along, self.step * units[j], self.eps, analytic[:, j])
            if not large and ((np.abs(analytic[:, j]) <= measured.error) & np.isfinite(measured.error)).all():
                self.faint.add(j)
            for i, row in enumerate(rows.names):
                entry, a, m = f"d{row} / d{columns.names[j]}", float(analytic[i, j]), float(measured.value[i])
                reason = "it has no value here" if i in undefined else self.unmeasured(measured, i, a * units[j])
                reason = HIDDEN if reason and i in faint and i not in undefined else reason
                if reason:
                    check.left_out.append(f"order {order}, {entry}: {reason}")
                    if not large and a != 0 and reason != HIDDEN:
                        self.undefined.add(j)
                    continue
                tiny += a != 0 and abs(a) <= measured.error[i] and not wrong
                error = float(measured.error[i])
                flat_here = m == 0 == error  # a function that does not move at all: what a rule sends may be rounding
                allowed = self.atol + self.rtol * abs(m) + error + (16 * self.eps / units[j] if flat_here else 0)
                check.rows.append(Row(entry, a, m, not abs(a - m) <= allowed))
                wrong += check.rows[-1].wrong
        if tiny:
            check.remarks.append(
                f"order {order}: {tiny} of the slopes by the rules {'is' if tiny == 1 else 'are'} "
                f"below the rounding of the value; only that was checked"
            )
        if wrong:
            verb = "differs" if wrong == 1 else "differ"
            check.findings.append(f"order {order}: {wrong} of {len(check.rows) - before} numbers {verb}")
        if wrong and order > 1 and all(g is None for grads in found for g in grads):
            check.findings.append(
                f"the derivative of order {order - 1} is right, but not connected to the arguments, so the next one "
                f"is lost: a rule computed with plain values instead of Tensors"
            )
        elif wrong and order > 1 and np.isnan(analytic).any():
            check.findings.append(f"the derivative of order {order - 1} is finite, that of order {order} is nan")
        return bool(wrong)

    def unmeasured(self, measured: Measured, i: int, change: float) -> str:
        """Why a slope cannot be compared; "" if it can.

        change : by how much the derivative of the rules changes the value, for a step of the size of the argument.
        """
        state = measured.state[i]
        if state == "noise":
            rounded = abs(change) <= 64 * self.eps * measured.size[i]  # a zero, up to rounding
            return (
                "" if (rounded and abs(measured.value[i]) <= measured.error[i]) or not np.isfinite(change) else HIDDEN
            )
        return UNMEASURED.get(state, "")

    def gradients(self, ys: list[Tensor], sensor: Any, tensors: list[Tensor]) -> list[Any]:
        """The gradients for an upstream gradient of all outputs together, None for an input without effect."""
        return pullback(ys, [u.astype(y.dtype)[()] for u, y in zip(parts(sensor, ys), ys)], tensors)

    def fits(self, gradients: list[Any]) -> bool:
        """Whether each gradient has the shape and the dtype of its input; reports the first that has not."""
        for g, x, name in zip(gradients, self.inputs.values, self.inputs.names):
            if g is not None and (g.shape, g.dtype) != (x.shape, x.dtype):
                self.check.findings.append(
                    f"the gradient for {name} is {g.dtype} of shape {g.shape}; {name} is {x.dtype} of shape {x.shape}"
                )
                return False
        return True


def _blame(comparison: DerivativeCheck, call: NamedFunction, order: int, calls: list[Any]) -> None:
    """Report the custom rules as the cause if the check passes with all of them switched off."""
    check = comparison.check
    second = copy.copy(comparison)
    second.check, second.rng = GradientCheck(check.name), np.random.default_rng(0)
    with ignore_custom_gradients():
        if not calls or second.first_wrong(call, order) or not second.check.rows:
            return
    for rule, name in {rule_name(node): node.op.name for node in calls}.items():
        check.findings.append(f"{rule} is what differs: the derivative of what {name} computes agrees")
