"""Gradients registered by name, and blocks that make ops use these gradients."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import Any

from ..core.op import OPS, Op
from ..core.support.error_words import describe, file_and_line, location_of
from ..core.support.observers import observing
from ..core.support.tensor_values import Rule
from ..core.tensor import Tensor
from .operation import derived_rule, registered_rule, type_of


def _ops() -> dict[str, Op]:
    return {type_of(op): op for op in OPS.values()}


# The types of minigrad's own ops. Users can replace the gradients of these ops only inside a block.
_builtin = frozenset(_ops())
_rules: dict[str, Callable[..., Any]] = {}


class RegisterGradient:
    """A decorator that registers a gradient function for an op under a name.

    Parameters
    ----------
    op_type : a new name, for use in `gradient_override_map`; or the type of an op that you declared without a gradient,
        which has the registered gradient from then on.

    The function is `g(op, *upstreams)`, with `op.inputs`, `op.outputs`, `op.type`, `op.name` and `op.get_attr(...)`. It
    returns a list with one gradient for each input (None for no gradient), or a Tensor if there is only one input.

    Raises TypeError for a name that is not a string, and KeyError for a name that is taken.

    >>> import minigrad as tf
    >>> @tf.RegisterGradient("Clipped")
    ... def _clipped(op, dy):
    ...     return tf.clip(dy, -1.0, 1.0)
    >>> x = tf.constant(3.0)
    >>> with tf.gradient_override_map({"Square": "Clipped"}):
    ...     y = tf.square(x)
    >>> tf.gradients(y * 5.0, x)[0].value
    np.float32(1.0)
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError(f"op_type must be a string, got {describe(op_type)}")
        self.op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        name = self.op_type
        if not callable(f):
            raise TypeError(f"RegisterGradient decorates a function g(op, *upstreams), got {describe(f)}")
        if name in _rules and not _is_rerun(_rules[name], f):
            raise KeyError(f"a gradient named {name!r} is registered already: {location_of(_rules[name])}")
        op = _ops().get(name)
        if op is not None and (name in _builtin or (op.differentiable and name not in _rules)):
            raise KeyError(
                f"the op {name!r} has its own gradient; register under another name and write "
                f"gradient_override_map({{{name!r}: that name}})"
            )
        _rules[name] = f
        if op is not None:  # the op was declared by the user, without a gradient
            op.vjp_all, op.differentiable, op.by_user = registered_rule(op, f), True, True
        return f


def no_gradient(op_type: str) -> None:
    """Declare that ops of a type have no gradient, so the gradient of each input is None.

    This function is also called `NotDifferentiable`.

    op_type : a name or type, as for RegisterGradient; the same errors are raised. An op that already has no gradient is
        not changed.

    >>> no_gradient("Untouched")
    >>> from minigrad import constant, gradients, square
    >>> x = constant(3.0)
    >>> with gradient_override_map({"Square": "Untouched"}):
    ...     y = square(x)
    >>> gradients(y, x)
    [None]
    """
    op = _ops().get(op_type)
    if (op is None or op.differentiable) and _rules.get(op_type) is not _none:
        RegisterGradient(op_type)(_none)


def _none(op: Any, *upstreams: Any) -> list[None]:
    return [None] * len(op.inputs)


def _is_rerun(old: Any, new: Any) -> bool:
    """Return whether `new` redefines `old` because its notebook cell was run again, perhaps after an edit."""
    codes = [getattr(f, "__code__", None) for f in (old, new)]
    cells = all(code and file_and_line(code.co_filename, 0).startswith("cell") for code in codes)
    return cells and old.__qualname__ == new.__qualname__


class _State(threading.local):  # local, so that an override affects only its own thread
    def __init__(self) -> None:
        self.overrides: dict[Op, Op] = {}


state = _State()


@contextmanager
def gradient_override_map(op_type_map: Mapping[str, str]) -> Iterator[None]:
    """Replace the gradients of ops of the given types that are called in the block.

    Parameters
    ----------
    op_type_map : a dict from op types ("Square", "Sign") to gradients. A gradient is the name of a registered gradient,
        or another op type whose rule is used ("Identity" passes the upstream gradient through).

    The replacement applies to calls in the block, even if their gradients are computed outside it. Inner blocks take
    precedence.

    Raises TypeError unless all keys and values are strings, and LookupError, with the nearest name, for an unknown type
    or gradient.

    >>> import minigrad as tf
    >>> x = tf.constant(0.3)
    >>> with tf.gradient_override_map({"Sign": "Identity"}):
    ...     y = tf.sign(x)
    >>> tf.gradients(y, x)[0].value
    np.float32(1.0)
    """
    if not isinstance(op_type_map, Mapping) or not all(isinstance(s, str) for kv in op_type_map.items() for s in kv):
        raise TypeError(f"op_type_map must be a dictionary mapping strings to strings, got {op_type_map!r:.60}")
    ops = _ops()
    overrides = {}
    for kind, name in op_type_map.items():
        if kind not in ops:
            raise LookupError(f"there is no op of type {kind!r}{_nearest(kind, ops)}")
        if ops[kind].kind == "composite":
            raise LookupError(f"{kind!r} is made of other ops and not in the graph itself: override one of those")
        if name not in _rules and name not in ops:
            raise LookupError(
                f"no gradient named {name!r} is registered{_nearest(name, [*_rules, *ops])}; "
                f"write @RegisterGradient({name!r}) above the function that computes it"
            )
        op = ops[kind]
        rule = registered_rule(op, _rules[name]) if name in _rules else derived_rule(ops[name])
        overrides[op] = _with_rule(op, rule, name in _rules)
    outer = state.overrides
    state.overrides = {**outer, **overrides}
    try:
        with observing(created=_override):
            yield
    finally:
        state.overrides = outer


def _with_rule(op: Op, rule: Rule, by_user: bool) -> Op:
    """Return a copy of an op with `rule` as its `vjp_all`; by_user : whether the rule calls a user's function."""
    other = copy(op)  # nodes outside the block keep using the op itself
    other.vjps, other.vjp_all, other.differentiable, other.by_user = None, rule, True, by_user
    return other


def _override(node: Tensor) -> None:
    if node.op in state.overrides:
        node.op = state.overrides[node.op]


def _nearest(name: str, names: Iterable[str]) -> str:
    lower = {k.lower(): k for k in names}
    import difflib  # imported here, because it is slow to import and needed only for an error

    close = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.7)
    return f"; did you mean {lower[close[0]]!r}?" if close else ""
