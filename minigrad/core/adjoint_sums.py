"""The adjoints of a backward pass: sums of contributions, each in the shape and dtype of its node.

This module sums contributions over broadcast axes and casts them to the argument's dtype, so the rules of ops do not
have to do it. (A grad_fn must return gradients of its inputs' shapes; `custom_checks` raises if it does not.) The first
contribution to a node becomes the node's adjoint, unchanged. The second creates a new sum, and later contributions are
added to that sum in place. In a recorded pass each addition is a new node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from .op import OPS, PICK
from .support.scattered import Collected, Scattered
from .tensor import Tensor

#: A function that adds a contribution from `node` to the adjoint of its argument number `i`, and returns the
#: contribution in the shape and dtype in which it was added.
Send: TypeAlias = Callable[[Tensor, int, Tensor, Any], Any]

#: NumPy's scalar types: two values of the same type have the same shape and dtype.
_NUMBERS = frozenset({np.float16, np.float32, np.float64})


class Adjoints:
    """The sums of the contributions that have arrived at each node so far.

    sums : the sum for each node, by serial; for a node with several outputs, a dict keyed by output index.
    recorded : whether the pass is recorded, and therefore computes with Tensors.
    owned : the serials of sums that were created here, and may therefore be added to in place.
    from_zeros : the serials of sums that began as an array of zeros, and therefore contain no -0.0. Part of an array
        can be added to such a sum directly, because adding the zeros around that part would change nothing.
    """

    __slots__ = ("from_zeros", "owned", "recorded", "sums")

    def __init__(self, targets: Sequence[Tensor], upstreams: Sequence[Any]) -> None:
        self.sums: dict[int, Any] = {}
        self.owned: set[int] = set()
        self.from_zeros: set[int] = set()
        self.recorded = any([isinstance(upstream, Tensor) for upstream in upstreams])
        for target, upstream in zip(targets, upstreams):
            total = self.sums.get(target.serial)
            self.sums[target.serial] = upstream if total is None else total + upstream

    def adder(self) -> Send:
        """Return the function that adds a contribution to a node's sum.

        A pass calls it at every edge, so it is created once and keeps what it needs in local variables.
        """
        sums, owned, recorded = self.sums, self.owned, self.recorded

        def add(node: Tensor, i: int, argument: Tensor, g: Any) -> Any:
            value = argument.value
            plain = g.value if recorded and type(g) is not Scattered else g
            # The types differ if a single number was broadcast or has another dtype, if the argument's value is a
            # tuple, or if g is part of an array. If both are arrays, their shapes and dtypes are compared below.
            if type(plain) is not type(value):
                g = fit(g, argument, node, i)
                if node.op is PICK or type(g) is Scattered:
                    self._add_part(node, argument, g)
                    return g
            elif type(plain) not in _NUMBERS and (plain.shape != value.shape or plain.dtype is not value.dtype):
                g = fit(g, argument, node, i)
            serial = argument.serial
            if serial not in sums:
                sums[serial] = g
            elif serial in owned:
                sums[serial] += g
            else:
                sums[serial] = sums.pop(serial) + g  # popped: without our reference NumPy may reuse the sum's memory
                owned.add(serial)
            return g

        return add

    def _add_part(self, node: Tensor, argument: Tensor, g: Any) -> None:
        """Add a contribution to one output of a node with several outputs, or to some elements of an array.

        Elements are added in place to an array that starts as zeros; a recorded pass collects them instead, and adds
        them later. An output may be picked more than once, so its contributions are added up too.
        """
        serial = argument.serial
        if node.op is PICK:
            picked, index = self.sums.setdefault(serial, {}), node.args[1]
            picked[index] = picked[index] + g if index in picked else g
            return
        before = self.sums.get(serial)
        if self.recorded:
            if type(before) is Collected:
                before.append(g)
            else:
                self.sums[serial] = Collected(g, before)
        elif serial in self.from_zeros:
            self.sums[serial] = g.add_to(before)
        else:
            self.owned.add(serial)
            self.from_zeros.add(serial)
            if before is None:
                self.sums[serial] = g.dense()
            else:
                total = np.zeros(g.shape, g.dtype) + before  # turns -0.0 into 0.0, as a sum over all elements would
                self.sums[serial] = g.add_to(total)


def fit(contribution: Any, argument: Tensor, node: Tensor, i: int) -> Any:
    """Return a contribution in the shape and dtype of its argument, summed over the axes that were broadcast.

    The result is 0 if the argument holds integers or bools, because these have no gradient.

    Raises ValueError if the rule of `node` for argument `i` returned a shape that broadcasting cannot explain.
    """
    if type(contribution) is Scattered or node.op is PICK:
        return contribution
    shape, dtype = argument.value.shape, argument.value.dtype
    if dtype.kind != "f" and contribution.dtype.kind == "f":
        zeros = np.zeros_like(argument.value)
        return Tensor(zeros) if isinstance(contribution, Tensor) else zeros
    if contribution.shape != shape:
        lead = len(contribution.shape) - len(shape)
        rest = contribution.shape[lead:]
        if lead < 0 or (rest != shape and not all(n in (1, m) for n, m in zip(shape, rest))):
            raise ValueError(
                f"the rule of {node.op} for argument {i} gave a gradient of shape {contribution.shape}, "
                f"but the argument has shape {shape}"
            )
        sum_to = OPS["sum_to"]  # from (3, 4) to (4,): sum over axis 0; from (3, 4) to (3, 1): sum over axis 1
        summed = sum_to.call if isinstance(contribution, Tensor) else sum_to.fn
        contribution = summed(contribution, shape)
    # Convert a value of shape () to a NumPy number, because `add` compares types before it compares shapes.
    if type(contribution) is np.ndarray and not shape:
        contribution = contribution[()]
    return contribution if contribution.dtype == dtype else contribution.astype(dtype)
