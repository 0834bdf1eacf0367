"""The call convention of a grad_fn, read from its signature."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any, NamedTuple

from .types import Rule


class CallConvention(NamedTuple):
    """The call convention of a grad_fn: what it accepts and requires."""

    variables: bool  # it accepts variables=
    needs_variables: bool  # and without a default
    upstream: bool  # Keras on PyTorch: grad(*inputs, upstream=u)
    least: int  # the fewest and most upstreams it takes by position
    most: float
    names: tuple[str, ...]

    @property
    def takes_one(self) -> bool:
        """Whether it can be called with one upstream and nothing else."""
        return self.least <= 1 <= self.most and not (self.upstream or self.needs_variables)


CallConventions = dict[int, tuple[Any, CallConvention]]


def convention_of(grad_fn: Rule, known: CallConventions) -> CallConvention:
    """The call convention of `grad_fn`. A `def` inside `f` makes a new function at each call, so `known` caches it by
    the id of the code object, and keeps that object, so that the id is not reused."""
    code = getattr(grad_fn, "__code__", None)
    if id(code) in known:
        return known[id(code)][1]
    convention = _convention(grad_fn)
    if type(grad_fn) is FunctionType and not hasattr(grad_fn, "__wrapped__"):  # wrappers share the code of the wrapper
        known[id(code)] = code, convention
    return convention


def _convention(grad_fn: Rule) -> CallConvention:
    try:
        parameters = inspect.signature(grad_fn).parameters.values()
    except (TypeError, ValueError):  # some builtins have none
        return CallConvention(False, False, False, 0, float("inf"), ())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    keyword = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    # A first parameter without default is the upstream gradient, even when it is called `variables`.
    named = [p for p in (*positional, *keyword) if p.name == "variables"]
    named = [p for p in named if p not in positional[:1] or p.default is not p.empty]
    dys = [p for p in positional if p not in named]
    return CallConvention(
        variables=bool(named) or any(p.kind is p.VAR_KEYWORD for p in parameters),
        needs_variables=bool(named) and named[0].default is inspect.Parameter.empty,
        upstream=any(p.name == "upstream" and p.default is p.empty for p in keyword),
        least=sum(p.default is p.empty for p in dys),
        most=float("inf") if any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(dys),
        names=tuple(p.name for p in dys),
    )
