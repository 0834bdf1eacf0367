"""Locate an equation of a jaxpr in the user's code, read its content, and recompute it."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as jex

from ..core.support.user_frames import OWN
from .jax_ops import plain

#: Equations whose bodies are recorded as if they were inlined.
INLINE = {"pjit", "jit", "closed_call", "core_call", "remat", "checkpoint", "remat2", "custom_lin"}
#: Primitives whose derivative JAX would compile again at each call.
COMPILED_AGAIN = {"random_gamma"}
#: Code in these folders is not the user's.
# the folders of jax and jaxlib
LIBRARIES = tuple(os.path.dirname(jax.__file__) + end for end in (os.sep, "lib" + os.sep))
NOT_USERS = (*LIBRARIES, *OWN, "<frozen", os.path.dirname(os.__file__) + os.sep + "contextlib")


def floating(x: Any) -> bool:
    return bool(jnp.issubdtype(jnp.result_type(x), jnp.floating))


def location_of(eqn: Any) -> Any:
    """Return the user's code and instruction that created an equation, or None if JAX does not report them."""
    traceback = eqn.source_info.traceback
    codes, at = traceback.raw_frames() if hasattr(traceback, "raw_frames") else ((), ())
    return next(((c, i) for c, i in zip(codes, at) if not c.co_filename.startswith(NOT_USERS)), None)


#: Errors of JAX for a program that needs the numbers of a traced array.
NEEDS_NUMBERS = (
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)
NUMBERS_NEEDED = (
    "{} converts an array that depends on its float arguments to a Python number, a bool or a NumPy array "
    "(an `if` does this): write jnp.where or jax.lax.cond, or fix the choice, so that the program can be recorded"
)


def rows_of(eqn: Any) -> int:
    """Return how often `jax.vmap` maps an equation, not counting a `vmap` around the call that contains it."""
    parts = getattr(eqn.source_info.name_stack, "stack", ())
    return sum(getattr(part, "name", "") == "vmap" for part in parts)


def wide(on: bool) -> Any:
    """Return a context manager that makes JAX compute in float64 if `on` is true."""
    if not on:
        return nullcontext()
    switch: Any = getattr(jax, "enable_x64", None)  # in jax.experimental before JAX 0.8
    old: Any = jax.experimental
    return old.enable_x64() if switch is None else switch(True)


def literal(v: Any) -> Any:
    """Return a literal of an equation as a number; a Python float becomes a NumPy number of the literal's dtype."""
    return np.asarray(v.val, v.aval.dtype)[()] if isinstance(v.val, float) else v.val


def body_of(eqn: Any) -> tuple[Any, Sequence[Any]]:
    """Return the jaxpr inside an equation, and that jaxpr's constants."""
    inner = eqn.params["jaxpr"]
    return (inner.jaxpr, inner.consts) if isinstance(inner, jex.ClosedJaxpr) else (inner, ())


def bind(eqn: Any, values: Sequence[Any]) -> list[Any]:
    params = eqn.primitive.get_bind_params(eqn.params)
    functions, params = params if isinstance(params, tuple) else ((), params)  # `params` was a pair before JAX 0.10
    values = [jnp.asarray(v) if isinstance(v, np.ndarray) else v for v in values]  # a custom_vjp may index them
    out = eqn.primitive.bind(*functions, *values, **params)
    return list(out) if eqn.primitive.multiple_results else [out]


def rule_name(eqn: Any) -> str:
    """Return the name of the function that a custom_jvp or custom_vjp equation calls, or "" for other equations."""
    if not eqn.primitive.name.startswith("custom_"):
        return ""
    inner = eqn.params.get("call_jaxpr") or eqn.params.get("fun_jaxpr")
    info = getattr(getattr(inner, "jaxpr", inner), "debug_info", None)
    name = eqn.params.get("name") or getattr(info, "func_name", "") or getattr(info, "func_src_info", "")
    return str(name).split(" ")[0] or eqn.primitive.name.removeprefix("custom_")  # linear_solve


def is_users(eqn: Any) -> bool:
    """Return whether a function with a `custom_jvp` comes from a user's file; JAX itself has many such functions."""
    info = eqn.params["call_jaxpr"].jaxpr.debug_info
    file = str(getattr(info, "func_filename", "") or getattr(info, "func_src_info", ""))
    return bool(file) and not any(part in file for part in NOT_USERS)


class EquationAgain:
    """A function that computes a result of an equation again, with new arrays for some operands.

    fixed : the original operands. moving : the positions of the operands to replace.
    index : which of the equation's results to return.
    """

    def __init__(self, eqn: Any, fixed: list[Any], moving: list[int], index: int) -> None:
        self.eqn, self.fixed, self.moving, self.index = eqn, fixed, moving, index

    def __call__(self, *xs: Any) -> Any:
        dtype = jnp.result_type(*xs)
        # If the replaced arrays are float64, the other operands must be float64 too.
        fixed = [jnp.asarray(v, dtype) if floating(v) else v for v in self.fixed]
        now = {**dict(enumerate(fixed)), **dict(zip(self.moving, xs))}
        return bind(self.eqn, list(now.values()))[self.index]

    def cast(self, values: Sequence[Any]) -> list[Any]:
        return [jnp.asarray(v, self.fixed[i].dtype) for v, i in zip(values, self.moving)]

    def value(self, *values: Any) -> Any:
        return plain(self(*self.cast(values)))

    def gradients(self, values: Sequence[Any], g: Any, recorded: bool = False) -> list[Any]:
        f = self.compiled if self.eqn.primitive.name in COMPILED_AGAIN else self
        y, vjp = jax.vjp(f, *self.cast(values))
        return [plain(m) for m in vjp(jnp.asarray(g, y.dtype))]

    @functools.cached_property
    def compiled(self) -> Any:
        return jax.jit(self.__call__)
