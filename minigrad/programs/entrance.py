"""The quick way into a program: one function that sees whether it fits, runs it, and puts the result together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.custom_call import state as rules
from ..core.op import as_leaf
from ..core.tensor import Tensor, default_dtype, defaults
from ..core.variable import Variable
from ..frameworks.registered_gradients import state as registered
from ..transforms.gradient import depth, nest
from . import arguments
from .listing import here

MISS = object()  # what stands for: it does not fit


def entrance(program: Any, args: Any) -> Callable[..., Any] | None:
    """A function of the arguments that returns the result, or `MISS` where `program` does not fit or fails.

    None for a program whose results are connected with what goes in, or that follows other rules than usual.
    """
    returned = any(type(kind) is int for kind in program.kinds)  # an argument itself is among the results
    if program.slots or returned or registered.overrides or rules.__dict__.get("ignoring"):
        return None
    way = _Way(program)
    tests = [test for i, a in enumerate(args) for test in way.tests(f"x{i}", a)]
    tests += ["count.count[0] > 0" if nest(0) else "count.count[0] == 0", "default['float'] is dtype"]
    tests += ["not registered.overrides", "here.__dict__.get('listing') is None"]
    tests += ["not rules.__dict__.get('ignoring')"]
    tests += [f"v{i}.trainable is {v.trainable}" for i, v in enumerate(program.variables)]
    inputs = ", ".join([*way.inputs, *(f"v{i}.value" for i in range(len(program.variables)))])
    names = "".join(f"x{i}=MISS, " for i in range(len(args)))
    text = (
        f"def enter({names}*more):\n"
        f"    try:\n"
        f"        if more or not ({' and '.join(tests)}): return MISS\n"
        f"        y = run({inputs})\n"
        f"    except Exception: return MISS\n"  # the long way says what is wrong
        f"    return {way.result()}\n"
    )
    exec(compile(text, "<a program of minigrad>", "exec"), way.space)
    return way.space["enter"]


class _Way:
    """Text that tests arguments and finds the inputs in them, over the globals `space`."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.inputs: list[str] = []
        self._leaf = 0
        self.space: dict[str, Any] = {
            "run": program.compute, "as_leaf": as_leaf, "count": depth, "rules": rules, "registered": registered,
            "default": defaults, "dtype": default_dtype(), "here": here, "MISS": MISS,
            **{f"v{i}": v for i, v in enumerate(program.variables)},
        }  # fmt: skip

    def known(self, value: Any) -> str:
        name = f"k{len(self.space)}"
        self.space[name] = value
        return name

    def tests(self, text: str, a: Any) -> list[str]:
        """Conditions under which `text` stands for an argument of the kind of `a`."""
        kind = type(a)
        if kind is Variable:
            return [f"{text} is {self.known(a)}"]
        if kind is np.ndarray or kind is Tensor or isinstance(a, np.generic) or kind in (int, float):
            return self._input(text, a, kind)
        found = [f"type({text}) is {self.known(kind)}"]
        inner = arguments.children(a)
        if inner is None:
            return [*found, f"{text} == {self.known(a)}"]
        if isinstance(a, (list, tuple)):
            parts = [(f"{text}[{i}]", child) for i, (_, child) in enumerate(inner)]
            found.append(f"len({text}) == {len(a)}")
        elif isinstance(a, dict):
            parts = [(f"{text}[{self.known(key)}]", a[key]) for key in a]
            found.append(f"list({text}) == {self.known(list(a))}")
            if any(type(key) is not str for key in a):  # 1 and 1.0 are equal
                found.append(f"list(map(type, {text})) == {self.known(list(map(type, a)))}")
        else:
            parts = [(text + at, child) for at, child in inner]
        return found + [test for at, child in parts for test in self.tests(at, child)]

    def _input(self, text: str, a: Any, kind: Any) -> list[str]:
        found = [f"type({text}) is {self.known(kind)}"]
        decided = self._leaf in self.program.decided
        self._leaf += 1
        if decided:
            return [*found, f"{text} == {a!r}"]
        if kind is Tensor:
            text, a = f"{text}.value", a.value
            found.append(f"type({text}) is {self.known(type(a))}")
        self.inputs.append(text)
        if isinstance(a, np.ndarray):
            layout = [f"{text}.shape == {a.shape!r}", f"{text}.dtype is {self.known(a.dtype)}"]
            found += [*layout, f"{text}.strides == {a.strides!r}"]
        elif kind is Tensor:
            found.append(f"{text}.dtype is {self.known(a.dtype)}")
        return found

    def result(self) -> str:
        """The text that puts the outputs `y` together."""
        kinds, statics, numbers = self.program.kinds, self.program.statics, iter(range(len(self.program.kinds)))
        leaves = []
        for i, kind in enumerate(kinds):
            text = self.known(statics[i]) if i in statics else f"y[{next(numbers)}]"
            leaves.append(f"as_leaf({text})" if kind in ("tensor", "node") else text)
        return self._built(self.program.like, iter(leaves))

    def _built(self, like: Any, leaves: Iterator[str]) -> str:
        inner = arguments.children(like)
        if inner is None:
            return next(leaves)
        parts = [self._built(child, leaves) for _, child in inner]
        if type(like) is list:
            return f"[{', '.join(parts)}]"
        if type(like) is tuple:
            return f"({''.join(part + ', ' for part in parts)})"
        if type(like) is dict:
            return "{" + ", ".join(f"{self.known(key)}: {part}" for key, part in zip(like, parts)) + "}"
        self.space |= {"rebuild": arguments.rebuild_from}
        return f"rebuild({self.known(like)}, ({''.join(part + ', ' for part in parts)}))"
