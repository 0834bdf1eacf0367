"""Compare the derivatives of a function with finite differences, order by order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.backward import pullback
from ..core.tensor import Tensor
from .check_report import GradientCheck, Row
from .finite_differences import Inputs, NamedFunction, elements, flat, parts, random_directions
from .measured_slopes import Measured, measure

#: How the name of a weighted sum of several outputs begins, in the name of a higher derivative.
WEIGHTED = "(c * "

#: The reason for not comparing a slope that is small compared with the value.
HIDDEN = "it is too small to be seen next to the rounding of the value"

#: State of a measured slope (see `Measured`) -> the reason for not comparing it.
UNMEASURED = {
    "edge": "a value nearby is inf or nan",
    "kink": "the slope jumps nearby",
    "near": "the value or its slope jumps nearby",
    "jump": "the value jumps nearby",
    "unclear": "finite differences at several distances disagree",
}

#: If a Jacobian has more entries than this, a few random directions are checked instead of every entry.
LARGE = 2500


class DerivativeCheck:
    """A comparison of derivatives with finite differences, order by order, which fills in a report.

    eps : the relative rounding error of the values.
    undefined : the positions of outputs that are derivatives of the previous order and do not exist at this point.
    faint : the positions of outputs that are smaller than rounding errors.
    """

    def __init__(
        self, check: GradientCheck, inputs: Inputs, rtol: float, atol: float, step: float, seed: int, eps: float
    ) -> None:
        self.check, self.inputs, self.rng = check, inputs, np.random.default_rng(seed)
        self.rtol, self.atol, self.step, self.eps = rtol, atol, step, eps
        self.undefined: set[int] = set()
        self.faint: set[int] = set()

    def first_wrong(self, function: NamedFunction, order: int, meant: NamedFunction | None = None) -> int:
        """Return the lowest order, up to `order`, whose derivatives are wrong, or 0 if none are.

        meant : the function whose finite differences are used instead of `function`'s.
        """
        self.undefined, self.faint = set(), set()
        for n in range(1, order + 1):
            before = len(self.check.rows)
            if self.differs(function, meant or function, n):
                return n
            # If no derivative of this order could be compared, those of the next order cannot be compared either.
            if len(self.check.rows) == before:
                break
            weights: list[Any] = []  # both functions use the same weights
            function = self.derivative(function, weights)
            meant = meant and self.derivative(meant, weights)
        return 0

    def derivative(self, function: NamedFunction, weights: list[Any]) -> NamedFunction:
        """Return a function like `function` whose outputs are the gradients of the outputs of `function`.

        Several outputs are added up with random weights, called c in the names of the results.

        weights : a list that the first call fills with these weights; with a filled list, the same weights are used.
        """

        def derivative(tensors: list[Tensor]) -> list[tuple[str, Tensor]]:
            outputs = function(tensors)
            alone = sum(y.size for _, y in outputs) == 1
            if not weights:
                drawn = [np.ones(y.shape) if alone else self.rng.uniform(0.5, 1.5, y.shape) for _, y in outputs]
                weights.extend(np.asarray(w, y.dtype)[()] for w, (_, y) in zip(drawn, outputs))
            slopes = pullback([y for _, y in outputs], [Tensor(w) for w in weights], tensors)
            root = outputs[0][0]
            if not alone:
                root = f"{WEIGHTED}{'gradient' if root.startswith('(') else root.partition('[')[0]})"
            return [
                (f"(d{root} / d{name})", Tensor(np.zeros_like(x.value)) if g is None else g)
                for name, x, g in zip(self.inputs.names, tensors, slopes)
            ]

        return derivative

    def differs(self, function: NamedFunction, meant: NamedFunction, order: int) -> bool:
        """Compare the derivatives of `function` with finite differences of `meant`, and return whether any differ.

        All comparisons are added to the report.
        """
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
        gradients = [self.gradients(ys, sensor, tensors) for sensor in rows.directions]
        if not all(map(self.fits, gradients)):
            return True
        zeros = [[np.zeros(x.shape) if g is None else g for g, x in zip(grads, values)] for grads in gradients]
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
                error = float(measured.error[i])
                if m == 0 == error:  # if the value does not change, allow the rule's derivative to be a rounding error
                    error = 16 * self.eps / units[j]
                tiny += a != 0 and abs(a) <= error and not wrong
                allowed = self.atol + self.rtol * abs(m) + error
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
        if wrong and order > 1 and all(g is None for grads in gradients for g in grads):
            check.findings.append(
                f"the derivative of order {order - 1} is right, but not connected to the arguments, so the next one "
                f"is lost: a rule computed with plain values instead of Tensors"
            )
        elif wrong and order > 1 and np.isnan(analytic).any():
            check.findings.append(f"the derivative of order {order - 1} is finite, that of order {order} is nan")
        return bool(wrong)

    def unmeasured(self, measured: Measured, i: int, change: float) -> str:
        """Return why the i-th measured slope cannot be compared, or "" if it can.

        change : the change in the value that the rules predict for a step as large as the argument (at least 1).
        """
        state = measured.state[i]
        if state == "noise":
            rounded = abs(change) <= 64 * self.eps * measured.size[i]  # the change is 0 up to rounding
            return (
                "" if (rounded and abs(measured.value[i]) <= measured.error[i]) or not np.isfinite(change) else HIDDEN
            )
        return UNMEASURED.get(state, "")

    def gradients(self, ys: list[Tensor], sensor: Any, tensors: list[Tensor]) -> list[Any]:
        """Return the gradient of sum(sensor * ys) for each input, or None for an input without a gradient.

        sensor : a flat array with a weight for each element of the outputs `ys`.
        """
        return pullback(ys, [u.astype(y.dtype)[()] for u, y in zip(parts(sensor, ys), ys)], tensors)

    def fits(self, gradients: list[Any]) -> bool:
        """Return whether each gradient has the shape and the dtype of its input; report the first that does not."""
        for g, x, name in zip(gradients, self.inputs.values, self.inputs.names):
            if g is not None and (g.shape, g.dtype) != (x.shape, x.dtype):
                self.check.findings.append(
                    f"the gradient for {name} is {g.dtype} of shape {g.shape}; {name} is {x.dtype} of shape {x.shape}"
                )
                return False
        return True
