"""The inputs and outputs of a function that a transform runs.

The function gets fresh nodes instead of its arguments. The gradients are nested like the arguments, and the outputs are
nested like the result of the function.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.gradients import mark_unrecorded
from ..core.op import as_leaf
from ..core.support.array_memory import unshared
from ..core.support.calling import RAW
from ..core.support.error_words import plural
from ..core.support.operands import keep, saved_copy
from ..core.support.structure import check_same, flatten, is_flat, leaves, rebuild
from ..core.support.tensor_values import Function, as_value, plain_values, shown
from ..core.tensor import Tensor
from ..ops.identities import connected_copy
from .lost import Run, begin


class PreparedInputs:
    """The arguments of a function, after replacing each leaf that is differentiated with a fresh node.

    args : the arguments to call the function with. sources : the fresh nodes. originals : the leaves that they
    replace. like : the user's arguments that are differentiated. positions : the positions of these arguments in
    `args`. whole : the indices of the leaves of `like` that are integers, and so have no gradient.
    """

    __slots__ = ("args", "like", "originals", "positions", "sources", "whole")

    def __init__(
        self, args: list[Any], sources: list[Tensor], originals: list[Any], like: list[Any], positions: Sequence[int],
        whole: Sequence[int] = (),
    ) -> None:  # fmt: skip
        self.args, self.sources, self.originals = args, sources, originals
        self.like, self.positions, self.whole = like, positions, whole

    def run(self, f: Function) -> Run:
        """Return a context to call `f` in; converting a Tensor that depends on the sources raises an error there."""
        return Run(f, self.args, self.positions, self.sources)

    def close(self, adjoints: Sequence[Any], nested: bool, protected: Sequence[Any] = ()) -> tuple[Any, ...]:
        """Return one gradient for each differentiated argument, with the argument's nesting and leaf types.

        An integer leaf has the gradient None.

        protected : values that belong to the caller; no gradient shares memory with them.
        """
        if nested:
            adjoints = unshared(adjoints, protected)
        returned = set(map(id, protected))
        results = []
        for adjoint, node, leaf in zip(adjoints, self.sources, self.originals):
            # If the value does not depend on this leaf, the gradient is 0.
            if adjoint is None:
                adjoint = np.zeros_like(node.value)
                if nested:
                    adjoint = as_leaf(adjoint)
                    # An outer transform must not warn that this derivative, of a linear function, is constant.
                    begin([adjoint])
            if type(adjoint) is np.ndarray and (id(adjoint) in returned or adjoint.base is not None):
                adjoint = adjoint.copy()  # the caller may change the result
            returned.add(id(adjoint))
            plain = isinstance(leaf, _PLAIN) and not nested
            results.append(adjoint if plain or isinstance(adjoint, Tensor) else self.as_result(adjoint))
        for position in self.whole:
            results.insert(position, None)
        return tuple(results if self.originals is self.like else rebuild(self.like, results))

    def as_result(self, value: Any) -> Tensor:
        """Return the result of an outermost transform as a Tensor that knows its sources, but has no record."""
        others = flatten([x for i, x in enumerate(self.args) if i not in self.positions])
        origins = [x for x in (*self.originals, *others) if isinstance(x, Tensor)]
        return mark_unrecorded(as_leaf(value), origins)

    @property
    def plain(self) -> bool:
        """Whether all leaves are NumPy values."""
        return RAW.issuperset(map(type, self.originals)) or all([isinstance(leaf, _PLAIN) for leaf in self.originals])


_PLAIN = (np.ndarray, np.generic)


def prepare_inputs(args: Sequence[Any], positions: Sequence[int], name: str, integers: bool = False) -> PreparedInputs:
    """Replace each leaf of the differentiated arguments with a fresh node.

    A Tensor is replaced too: it may be used elsewhere, and differentiating with respect to the Tensor itself would mix
    up the variables of nested derivatives (perturbation confusion).

    integers : whether integers and bools are allowed next to floats; they are not differentiated.
    """
    check_positions(positions, len(args), name)
    like = [args[position] for position in positions]
    originals = like if is_flat(like) else flatten(like)
    sources: list[Tensor] = []
    whole: list[int] = []
    for number, leaf in enumerate(originals):
        if type(leaf) is np.ndarray and leaf.ndim and leaf.dtype.kind == "f":  # the most common case
            sources.append(as_leaf(saved_copy(leaf)))
            continue
        node = connected_copy(leaf) if isinstance(leaf, Tensor) else as_leaf(keep(as_value(leaf)))
        if node.value.dtype.kind != "f":
            whole.append(number)
            if integers and len(whole) < len(originals):
                continue
            named = [(args[p], f"argument {p} of {name}") for p in positions]
            paths = [leaf for argument, path in named for leaf in leaves(argument, path)]
            raise TypeError(_no_floats(*paths[whole[0]]))
        sources.append(node)
    inputs: list[Any] = list(sources)
    for number in whole:
        inputs.insert(number, originals[number])
    fresh = list(args)
    nested = inputs if originals is like else rebuild(like, inputs)
    for position, argument in zip(positions, nested):
        fresh[position] = argument
    if whole:
        originals = without(originals, whole)
    return PreparedInputs(fresh, sources, originals, like, positions, whole)


def without(leaves: Sequence[Any], numbers: Sequence[int]) -> list[Any]:
    """Return all leaves except those at the indices `numbers`."""
    return [leaf for number, leaf in enumerate(leaves) if number not in numbers]


@functools.lru_cache(maxsize=256)
def check_positions(positions: Sequence[int], count: int, name: str) -> None:
    """Raise TypeError for a position outside the `count` arguments, and ValueError for a repeated position."""
    for position in positions:
        if not -count <= position < count:
            raise TypeError(
                f"argnums names argument {position}, counted from 0, but {name} was called with "
                f"{plural(count, 'argument')}"
            )
    if len({position % count for position in positions}) < len(positions):
        raise ValueError(f"argnums={tuple(positions)} names an argument of {name} twice; name each once")


def _no_floats(path: str, leaf: Any) -> str:
    value = np.asarray(as_value(leaf))
    example = float(value.flat[0]) if value.size else 1.0
    return f"{path} is {leaf!r:.60} of dtype {value.dtype}, which has no gradient; write a float, for example {example}"


# Outputs.


def outputs_of(value: Any, name: str) -> list[Tensor]:
    """Return the leaves of `value`, the result of `name`. Raises TypeError unless all of them are float Tensors."""
    outputs = []
    for leaf in flatten(value):
        y = leaf.read_value() if isinstance(leaf, Tensor) else _constant(leaf)
        outputs.append(y)
        if not isinstance(y, Tensor):
            raise TypeError(
                f"{name} must return Tensors to be differentiated, but returned {shown(y)} of type {type(y).__name__}"
            )
        if y.dtype.kind != "f":
            raise TypeError(f"{name} returned a Tensor of dtype {y.dtype}, which has no gradient")
    return outputs


def _constant(leaf: Any) -> Any:
    """Return a float or a float array as a constant Tensor; return anything else unchanged."""
    kind = leaf.dtype.kind if isinstance(leaf, (np.ndarray, np.generic)) else ""
    return Tensor(leaf) if kind == "f" or isinstance(leaf, float) else leaf


def tensors_like(
    entries: Any, structure: Any, tensors: list[Tensor], name: str, whole: Sequence[int] = ()
) -> list[Tensor]:
    """Return the leaves of `entries` as Tensors. Raises ValueError unless they match `structure` and `tensors`.

    whole : the indices of the leaves without a gradient, which are None or 0 in `entries`.
    """
    check_same(structure, entries, name)
    parts, converted = flatten(entries), []
    for number in whole:
        if parts[number] is not None and np.any(np.asarray(plain_values(parts[number]))):
            path, leaf = list(leaves(entries, name))[number]
            raise ValueError(f"{path} is {leaf!r:.60}, but the argument there is an integer; write None or 0")
    for leaf, tensor in zip(without(parts, whole) if whole else parts, tensors):
        leaf = leaf if isinstance(leaf, Tensor) else Tensor(leaf, tensor.dtype)
        if leaf.shape != tensor.shape:
            raise ValueError(f"{name} has a part of shape {leaf.shape} where shape {tensor.shape} is expected")
        converted.append(leaf)
    return converted


def as_given(x: Any, y: Tensor, opened: PreparedInputs, nested: bool) -> Any:
    """Return the value `x` in the form that the user gets: NumPy if all inputs were, otherwise a Tensor.

    x : a Tensor or an array; None stands for zeros like `y`. nested : whether the transform runs inside another one;
        the result is then a Tensor.
    """
    x = np.zeros_like(y.value) if x is None else x
    if nested and not isinstance(x, Tensor):
        x = Tensor(x)
        begin([x])
    if nested or not opened.plain:
        return x if isinstance(x, Tensor) else opened.as_result(x.copy("K"))
    return x.value if isinstance(x, Tensor) else x
