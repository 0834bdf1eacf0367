"""TensorFlow's losses and optimizers: `tf.keras.losses` and `tf.keras.optimizers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import optim
from ...core.tensor import Tensor
from .. import keras_nn
from ..own_ops import ops
from ..tensorflow_and_keras import convert_to_tensor

Loss = Callable[[Any, Any], Any]


def mean_squared_error(y_true: Any, y_pred: Any) -> Tensor:
    """Return the mean of (y_pred - y_true)**2 along the last axis.

    >>> import minigrad as mg
    >>> mg.keras.losses.mean_squared_error([[1.0, 2.0]], [[1.0, 4.0]]).value
    array([2.], dtype=float32)
    """
    y_true, y_pred = _pair(y_true, y_pred)
    return ops.mean(ops.square(y_pred - y_true), -1)


def _pair(y_true: Any, y_pred: Any) -> tuple[Tensor, Tensor]:
    y_pred = convert_to_tensor(y_pred)
    return convert_to_tensor(y_true, y_pred.dtype), y_pred


_REDUCTIONS: dict[str | None, Callable[[Any], Any]] = {
    "sum_over_batch_size": ops.mean, "mean": ops.mean, "sum": ops.sum, "none": lambda x: x, None: lambda x: x
}  # fmt: skip


def _reduced(loss: Loss, reduction: str | None) -> Loss:
    """Return a function of (y_true, y_pred) that applies `reduction` to the losses of the batch."""
    if reduction not in _REDUCTIONS:
        allowed = "'sum_over_batch_size', 'mean', 'sum' or None"
        raise ValueError(f"the reduction of a loss is {allowed}, got {reduction!r}")

    def reduced(y_true: Any, y_pred: Any) -> Tensor:
        return _REDUCTIONS[reduction](loss(y_true, y_pred))

    reduced.__name__ = reduced.__qualname__ = loss.__name__
    return reduced


def MeanSquaredError(reduction: str | None = "sum_over_batch_size") -> Loss:
    """Return the mean squared error as a function of (y_true, y_pred).

    >>> import minigrad as mg
    >>> float(mg.keras.losses.MeanSquaredError()([0.0, 0.0], [1.0, 3.0]))
    5.0
    """
    return _reduced(mean_squared_error, reduction)


def BinaryCrossentropy(
    from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1,
    reduction: str | None = "sum_over_batch_size",
) -> Loss:  # fmt: skip
    """Return the binary cross entropy as a function of (y_true, y_pred); see `ops.binary_crossentropy`.

    y_true, y_pred : labels from 0 to 1 and predictions, of equal shape. from_logits : whether predictions are logits
    instead of probabilities. label_smoothing : how far labels are moved from 0 and 1 towards 1/2, as a fraction. axis :
    the axis along which the mean is taken, which gives one loss for each row.
    reduction : "sum_over_batch_size" or "mean" for the mean over the batch, "sum", or None for one loss per row.

    Returns a function of (y_true, y_pred). Raises ValueError for any other reduction.

    >>> import minigrad as mg
    >>> loss = mg.keras.losses.BinaryCrossentropy(from_logits=True)
    >>> round(float(loss([[0.0, 1.0]], [[0.0, 0.0]])), 4)  # log(2)
    0.6931
    """

    def binary_crossentropy(y_true: Any, y_pred: Any) -> Tensor:
        y_true, y_pred = _pair(y_true, y_pred)
        smooth = y_true * (1 - label_smoothing) + label_smoothing / 2
        return ops.mean(keras_nn.binary_crossentropy(smooth, y_pred, from_logits), axis)

    return _reduced(binary_crossentropy, reduction)


def CategoricalCrossentropy(
    from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1,
    reduction: str | None = "sum_over_batch_size",
) -> Loss:  # fmt: skip
    """Return the cross entropy for labels that are probabilities: a function of (y_true, y_pred).

    See `ops.categorical_crossentropy`.

    y_true, y_pred : probabilities of the classes along `axis`, of equal shape. from_logits : whether predictions are
    logits instead of probabilities. label_smoothing : how far labels are moved towards equal probabilities, as a
    fraction.
    reduction : "sum_over_batch_size" or "mean" for the mean over the batch, "sum", or None for one loss per row.

    Returns a function of (y_true, y_pred). Raises ValueError for any other reduction.

    >>> import minigrad as mg
    >>> loss = mg.keras.losses.CategoricalCrossentropy()
    >>> round(float(loss([[0.0, 1.0, 0.0]], [[0.25, 0.5, 0.25]])), 4)  # -log(0.5)
    0.6931
    """

    def categorical_crossentropy(y_true: Any, y_pred: Any) -> Tensor:
        y_true, y_pred = _pair(y_true, y_pred)
        smooth = y_true * (1 - label_smoothing) + label_smoothing / y_true.shape[axis]
        return keras_nn.categorical_crossentropy(smooth, y_pred, from_logits, axis)

    return _reduced(categorical_crossentropy, reduction)


def SparseCategoricalCrossentropy(
    from_logits: bool = False, reduction: str | None = "sum_over_batch_size", axis: int = -1
) -> Loss:
    """Return the cross entropy for integer labels as a function of (y_true, y_pred).

    See `ops.sparse_categorical_crossentropy`.

    y_true : class numbers from 0, with the shape of `y_pred` without `axis`. y_pred : one prediction per class along
    `axis`. from_logits : whether predictions are logits instead of probabilities.
    reduction : "sum_over_batch_size" or "mean" for the mean over the batch, "sum", or None for one loss per row.

    Returns a function of (y_true, y_pred). Raises ValueError for any other reduction.

    >>> import minigrad as mg
    >>> loss = mg.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    >>> round(float(loss([1], [[0.0, 0.0]])), 4)  # log(2)
    0.6931
    """

    def sparse_categorical_crossentropy(y_true: Any, y_pred: Any) -> Tensor:
        return keras_nn.sparse_categorical_crossentropy(y_true, y_pred, from_logits, axis)

    return _reduced(sparse_categorical_crossentropy, reduction)


class KerasAdam(optim.Adam):
    """Adam as in Keras: epsilon is 1e-7 by default, and is added before the bias of the mean square is corrected.

    Formula: x = x - learning_rate * sqrt(1 - beta_2**t) / (1 - beta_1**t) * m / (sqrt(v) + epsilon).

    beta_1, beta_2 : the decay rates of the running means m of the gradient and v of its square. `name` has no effect.

    Raises ValueError if the learning rate is not positive.

    >>> import minigrad as mg
    >>> w = mg.Variable(3.0)
    >>> mg.keras.optimizers.Adam(learning_rate=0.25).apply_gradients([(2.0, w)])
    >>> round(float(w), 3)  # the first step has about the length of the learning rate
    2.75
    """

    def __init__(
        self, learning_rate: float = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
        *, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, beta_1, beta_2, epsilon)

    def change(self, g: Any, state: Any) -> tuple[Any, Any]:
        m, v, n = (0.0, 0.0, 0) if state is None else state
        m, v, n = self.beta_1 * m + (1 - self.beta_1) * g, self.beta_2 * v + (1 - self.beta_2) * g * g, n + 1
        rate = self.learning_rate * np.sqrt(1 - self.beta_2**n) / (1 - self.beta_1**n)
        return rate * m / (np.sqrt(v) + self.epsilon), (m, v, n)


class KerasSGD(optim.SGD):
    """Stochastic gradient descent as in Keras: `optim.SGD` with one more argument, `name`, which has no effect.

    Raises ValueError if the learning rate is not positive, or if `momentum` is below 0 or at least 1.

    >>> import minigrad as mg
    >>> w = mg.Variable(3.0)
    >>> mg.keras.optimizers.SGD(learning_rate=0.25).apply_gradients([(2.0, w)])
    >>> w.value
    np.float32(2.5)
    """

    def __init__(
        self, learning_rate: float = 0.01, momentum: float = 0.0, nesterov: bool = False, *, name: str | None = None
    ) -> None:
        super().__init__(learning_rate, momentum, nesterov)


for _kind, _name in ((KerasAdam, "Adam"), (KerasSGD, "SGD")):  # error messages show these names
    _kind.__name__ = _name
    vars(_kind)["__init__"].__qualname__ = f"{_name}.__init__"

NAMES: dict[str, Any] = {
    "optimizers.SGD": KerasSGD, "optimizers.Adam": KerasAdam,
    "keras.optimizers.SGD": KerasSGD, "keras.optimizers.Adam": KerasAdam,
    "keras.losses.mse": mean_squared_error, "keras.losses.mean_squared_error": mean_squared_error,
    "keras.losses.MeanSquaredError": MeanSquaredError,
    "keras.losses.BinaryCrossentropy": BinaryCrossentropy,
    "keras.losses.CategoricalCrossentropy": CategoricalCrossentropy,
    "keras.losses.SparseCategoricalCrossentropy": SparseCategoricalCrossentropy,
}  # fmt: skip
