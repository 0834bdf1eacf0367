"""Transforms of a function into a function that computes its gradient.

The outermost transform runs its backward pass on raw arrays, which is fast. The pass of an inner transform is recorded,
because the outer transform differentiates it.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.backward import pullback
from ..core.op import as_leaf
from ..core.support.conversions import followers
from ..core.support.error_words import name_of
from ..core.support.tensor_values import Function
from ..core.tensor import Tensor
from .inputs_and_outputs import prepare_inputs
from .lost import followed
from .nesting import differentiating


def positions_of(argnums: int | Sequence[int]) -> tuple[tuple[int, ...], bool]:
    """Return `argnums` as a tuple of ints, and whether it is a single int."""
    single = isinstance(argnums, (int, np.integer))
    positions = (argnums,) if single else argnums
    try:
        if any(isinstance(position, (bool, np.bool_)) for position in positions):  # type: ignore[union-attr]
            raise TypeError
        return tuple(map(operator.index, positions)), single  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"argnums is the position of an argument, such as 0, or a tuple of positions, got {argnums!r:.60}"
        ) from None


def check_function(f: Any, transform: str) -> str:
    """Return the name of the function `f`; raise TypeError if it is not callable."""
    if not callable(f):
        advice = (
            "; for Tensors, write mg.gradients(y, x)" if isinstance(f, Tensor) and transform.endswith("grad") else ""
        )
        raise TypeError(f"{transform} takes a function, got {f!r:.60} of type {type(f).__name__}{advice}")
    return name_of(inspect.unwrap(f))


def value_and_grad(f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """Return a function that returns `(f(*args), gradient)`.

    Parameters
    ----------
    f : a function of Tensors that returns a Tensor of shape (); with has_aux=True, a pair of such a Tensor and any
        other object.
    argnums : the position of the argument to differentiate with respect to, or a tuple of positions. An argument may
        be a nested structure (lists, tuples, dicts) of floats, arrays, Tensors and Variables.
    has_aux : whether f returns a pair. Its second part is returned unchanged: `((value, aux), gradient)`.

    The gradient has the structure, shapes and dtypes of the argument; it is 0 for leaves that the value does not depend
    on. If the argument is a NumPy array, the gradient is a NumPy array too, so SciPy's optimisers accept
    `value_and_grad(f)` with jac=True. Inside another transform, the value and the gradient are Tensors.

    Raises TypeError if the argument contains anything but floats, or if f returns anything but one number.

    >>> value_and_grad(lambda p: p["w"] * 3.0 + p["b"])({"w": 2.0, "b": 1.0})
    (Tensor(7.0, dtype=float32), {'w': Tensor(3.0, dtype=float32), 'b': Tensor(1.0, dtype=float32)})
    """
    name = check_function(f, "value_and_grad")
    positions, single = positions_of(argnums)

    @functools.wraps(f, assigned=("__module__", "__name__", "__doc__"), updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with differentiating() as nested:
            opened = prepare_inputs(args, positions, name)
            with opened.run(f) as run:
                result = f(*opened.args, **kwargs)
            y, aux = result if has_aux else (result, None)
            y = _one_number(y, name)
            nested = nested or (bool(followers) and followed([y]))
            value = y if nested else y.value if opened.plain else opened.as_result(y.value)
            one = y.dtype.type(1)
            targets = [y]
            # No reference to the graph may remain here, so that the pass can free each node after its step.
            del result, y
            seed = as_leaf(one) if nested else one
            adjoints = pullback([targets.pop()], [seed], opened.sources, (), run.unreached)
            grads = opened.close(adjoints, nested)
        return ((value, aux) if has_aux else value), (grads[0] if single else grads)

    return wrapped


def grad(f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of `f`. The arguments are the same as for `value_and_grad`.

    >>> grad(grad(lambda x: x ** 3))(2.0)
    Tensor(12.0, dtype=float32)
    """
    check_function(f, "grad")
    both = value_and_grad(f, argnums, has_aux)

    @functools.wraps(f, assigned=("__module__", "__name__", "__doc__"), updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapped


def elementwise_grad(f: Function, argnums: int | Sequence[int] = 0) -> Function:
    """Return a function that computes the slope of an elementwise `f` at each element.

    The result is the gradient of the sum of f(x). If f is not elementwise, each entry is therefore a sum of slopes,
    with one slope for each output.

    >>> elementwise_grad(lambda x: x * x)(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    check_function(f, "elementwise_grad")
    return grad(functools.wraps(f)(lambda *args, **kwargs: _total(f(*args, **kwargs))), argnums)


def _total(y: Any) -> Any:
    return y.sum() if isinstance(y, (Tensor, np.ndarray)) and y.shape else y


def _one_number(y: Any, name: str) -> Tensor:
    if not isinstance(y, Tensor):
        if isinstance(y, (int, float, np.generic, np.ndarray)) and np.ndim(y) == 0:
            if np.asarray(y).dtype.kind == "b":
                raise TypeError(f"{name} returned {y!r}, a bool, which has no gradient")
            return Tensor(y)
        raise TypeError(
            f"{name} must return one number to have a gradient, but returned {y!r:.60} of type {type(y).__name__}"
        )
    if y.shape != ():
        raise TypeError(
            f"{name} must return one number to have a gradient, but returned a Tensor of shape {y.shape}; "
            f"return its sum() or mean(), or one of its elements"
        )
    if y.dtype.kind != "f":
        raise TypeError(f"{name} returned a number of dtype {y.dtype}, which has no gradient")
    return y.read_value()
