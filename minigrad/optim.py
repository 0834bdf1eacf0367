"""Optimizers for structures of arrays, Tensors and Variables: gradient descent, with or without momentum, and Adam.

A step takes and returns values outside the graph. If the update were recorded, each step would depend on all earlier
steps, and memory would grow with every step.

>>> import numpy as np
>>> from minigrad import value_and_grad
>>> loss = lambda p: (p["x"] - 3.0) ** 2
>>> p, opt = {"x": np.float64(0.0)}, SGD(0.1, momentum=0.5)
>>> for _ in range(50):
...     value, g = value_and_grad(loss)(p)
...     p = opt.step(p, g)
>>> round(float(p["x"]), 3)
3.0
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .core.support.operands import adopt_all
from .core.support.structure import check_same, flatten, leaves, rebuild
from .core.support.tensor_values import as_value
from .core.tensor import Tensor
from .core.variable import Variable

__all__ = ["Adam", "Optimizer", "SGD"]


def __dir__() -> list[str]:
    return __all__


class Optimizer:
    """The base class of SGD and Adam: it updates the leaves of a structure and keeps a state for each.

    A Variable is assigned its new value. For a NumPy array, a number or a Tensor, a new value of the same type is
    returned.

    >>> class Sign(Optimizer):  # an optimizer of your own: `change` returns what is subtracted, and the next state
    ...     def change(self, g, state):
    ...         return self.learning_rate * np.sign(g), None
    >>> Sign(0.5).step({"w": 3.0}, {"w": 20.0})
    {'w': 2.5}
    """

    def __init__(self, learning_rate: float) -> None:
        if isinstance(learning_rate, (list, tuple, dict)):
            raise TypeError("the first argument is the learning rate; the parameters go into step(params, grads)")
        if not learning_rate > 0:
            raise ValueError(f"learning_rate must be a positive number, got {learning_rate!r}")
        self.learning_rate = learning_rate
        self.steps = 0
        self._state: list[Any] = []

    def step(self, params: Any, grads: Any) -> Any:
        """Take one step against the gradients, and return the new parameters, nested like `params`.

        grads : gradients nested like `params`, as `grad` and `value_and_grad` return them; None leaves a parameter
            unchanged.

        Raises ValueError if `grads` differs from `params` in nesting or in a shape, or if the number of parameters has
        changed since the last step.

        >>> SGD(0.5).step([3.0, 1.0], [2.0, None])
        [2.0, 1.0]
        """
        check_same(params, grads, "params")
        named, slopes = list(leaves(params, "params")), flatten(grads)
        if not self._state:
            self._state = [None] * len(named)
        if len(self._state) != len(named):
            raise ValueError(
                f"this {type(self).__name__} updated {len(self._state)} parameters in the last step, and now got "
                f"{len(named)}; use one optimizer for each set of parameters"
            )
        self.steps += 1
        return rebuild(params, [self._move(i, *pair, slopes[i]) for i, pair in enumerate(named)])

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Variable]]) -> None:
        """Update each Variable in the pairs (gradient, variable), as in TensorFlow and Keras.

        >>> w = Variable(3.0)
        >>> SGD(0.5).apply_gradients([(2.0, w)])
        >>> w.value
        np.float32(2.0)
        """
        pairs = list(grads_and_vars)
        self.step([v for _, v in pairs], [g for g, _ in pairs])

    def _move(self, i: int, path: str, parameter: Any, gradient: Any) -> Any:
        if gradient is None:
            return parameter
        value, g = (np.asarray(as_value(x)) for x in adopt_all([parameter, gradient]))
        if value.shape != g.shape:
            raise ValueError(f"{path} has shape {value.shape}, but its gradient has shape {g.shape}")
        if value.dtype.kind != "f":
            raise TypeError(f"{path} must have a float dtype to be a parameter, got {value.dtype}")
        change, self._state[i] = self.change(g, self._state[i])
        moved = (value - change).astype(value.dtype)[()]
        if isinstance(parameter, Variable):
            return parameter.assign(moved)
        if isinstance(parameter, Tensor):
            return Tensor(moved)
        return float(moved) if type(parameter) is float else moved

    def change(self, g: Any, state: Any) -> tuple[Any, Any]:
        """Return the step to subtract for the gradient `g`, and the new state. On the first step, `state` is None."""
        raise NotImplementedError


class SGD(Optimizer):
    """Stochastic gradient descent.

    learning_rate : the size of a step, relative to the gradient. momentum : the fraction of the last step that is
    added to the next step, at least 0 and below 1. nesterov : whether to look ahead along the momentum (Sutskever et
    al. 2013).

    Formula: v = momentum * v + g, and x = x - learning_rate * v.

    >>> import minigrad as mg
    >>> w = mg.Variable(3.0)
    >>> SGD(learning_rate=0.25).apply_gradients([(mg.gradients(w * w, w)[0], w)])
    >>> w.value
    np.float32(1.5)
    """

    def __init__(self, learning_rate: float = 0.01, momentum: float = 0.0, nesterov: bool = False) -> None:
        super().__init__(learning_rate)
        if not 0 <= momentum < 1:
            raise ValueError(f"momentum must be at least 0 and below 1, got {momentum!r}")
        self.momentum, self.nesterov = momentum, nesterov

    def change(self, g: Any, state: Any) -> tuple[Any, Any]:
        if not self.momentum:
            return self.learning_rate * g, None
        velocity = g if state is None else self.momentum * state + g
        return self.learning_rate * (g + self.momentum * velocity if self.nesterov else velocity), velocity


class Adam(Optimizer):
    """Adam: each step is about as large as the learning rate, for gradients of any size (Kingma and Ba 2015).

    beta_1, beta_2 : the decay rates of the running means of the gradient and of its square. epsilon : a small number
        that keeps the division finite if the gradient has always been 0.

    >>> import minigrad as mg
    >>> w = mg.Variable(3.0)
    >>> Adam(learning_rate=0.25).apply_gradients([(mg.gradients(w * w, w)[0], w)])
    >>> round(float(w), 3)  # the first step has the length of the learning rate
    2.75
    """

    def __init__(
        self, learning_rate: float = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-8
    ) -> None:
        super().__init__(learning_rate)
        if not (0 <= beta_1 < 1 and 0 <= beta_2 < 1):
            raise ValueError(f"beta_1 and beta_2 must be at least 0 and below 1, got {beta_1!r} and {beta_2!r}")
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def change(self, g: Any, state: Any) -> tuple[Any, Any]:
        m, v, n = (0.0, 0.0, 0) if state is None else state
        m = self.beta_1 * m + (1 - self.beta_1) * g
        v = self.beta_2 * v + (1 - self.beta_2) * g * g
        n += 1
        mean, square = m / (1 - self.beta_1**n), v / (1 - self.beta_2**n)
        return self.learning_rate * mean / (np.sqrt(square) + self.epsilon), (m, v, n)
