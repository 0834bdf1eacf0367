"""The quick way into a program: one function that sees whether it fits, runs it, and puts the result together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..call import _state as rules
from ..call import as_leaf
from ..node import hooks
from ..tensor import Tensor, _default, default_dtype
from ..transforms import _state, nest
from ..variable import Variable
from .recorded import Recorded

MISS = object()  # what stands for: it does not fit


def entrance(entry: Any, program: Recorded, args: Sequence[Any], kwargs: Any) -> Callable[..., Any] | None:
    """A function of the arguments that returns the result, or `MISS` where `program` does not fit.

    None for calls of other forms: with keywords, random generators, or connected results.
    """
    if kwargs or program.draws or "node" in entry.kinds:
        return None
    way = _Way()
    try:
        tests = [test for i, a in enumerate(args) for test in way.tests(f"x{i}", a)]
        result = way.result(program.like, iter(entry.kinds), iter(range(len(entry.kinds))), program)
    except TypeError:
        return None
    tests += entry.owner.surroundings.conditions(way.space)
    depth = "getattr(state, 'depth', 0)"  # what nest(0) returns; to call it takes as long as an op, and so below
    tests += [f"{depth} > 0" if nest(0) else f"{depth} == 0", "default['float'] is dtype"]
    tests += ["not rules.__dict__.get('ignoring')"] * program.custom
    way.space |= {
        "run": program.run, "as_leaf": as_leaf, "state": _state, "hooks": hooks, "rules": rules, "MISS": MISS,
        "default": _default, "dtype": default_dtype(),
        **{f"o{i}": t for i, t in enumerate(program.outside)},
    }  # fmt: skip
    inputs = ", ".join([*way.inputs, *(f"o{i}.value" for i in range(len(program.outside)))])
    names = "".join(f"x{i}=MISS, " for i in range(len(args)))
    text = (
        f"def enter({names}*more):\n"
        f"    try:\n"
        f"        if more or hooks or not ({' and '.join(tests)}): return MISS\n"
        f"    except (AttributeError, KeyError, IndexError, ValueError): return MISS\n"
        f"    try: y = run({inputs})\n"
        f"    except Exception: return MISS\n"  # f will raise it with a better message; or catch it
        f"    return MISS if y is None else {result}\n"
    )
    exec(compile(text, "<compiled by minigrad>", "exec"), way.space)
    return way.space["enter"]


class _Way:
    """Text that tests arguments and finds the inputs in them, over the globals `space`."""

    def __init__(self) -> None:
        self.space: dict[str, Any] = {}
        self.inputs: list[str] = []

    def known(self, value: Any) -> str:
        name = f"k_{len(self.space)}"
        self.space[name] = value
        return name

    def tests(self, text: str, a: Any) -> list[str]:
        """Conditions under which `text` stands for an argument of the kind of `a`."""
        if type(a) in (list, tuple):
            inner = [test for i, item in enumerate(a) for test in self.tests(f"{text}[{i}]", item)]
            return [f"type({text}) is {type(a).__name__}", f"len({text}) == {len(a)}", *inner]
        if type(a) is dict:
            inner = [test for key, item in a.items() for test in self.tests(f"{text}[{self.known(key)}]", item)]
            return [f"type({text}) is dict", f"list({text}) == {self.known(list(a))}", *inner]
        if isinstance(a, Variable):
            self.inputs.append(f"{text}.value")
            return [f"{text} is {self.known(a)}"]
        if isinstance(a, Tensor):
            self.inputs.append(f"{text}.value")
            text, kind = f"{text}.value", f"type({text}) is {self.known(Tensor)}"
            return [kind, f"{text}.shape == {a.shape!r}", f"{text}.dtype is {self.known(a.dtype)}"]
        if type(a) is np.ndarray or isinstance(a, np.generic):
            if a.dtype.kind not in "fiub":
                _refuse(a)
            self.inputs.append(text)
            shape = [f"{text}.shape == {a.shape!r}", f"{text}.dtype is {self.known(a.dtype)}"]
            return [f"type({text}) is {self.known(type(a))}", *(shape if isinstance(a, np.ndarray) else ())]
        if isinstance(a, (int, str, bool, type(None))):
            return [f"type({text}) is {self.known(type(a))}", f"{text} == {self.known(a)}"]
        return [f"{text} is {self.known(a)}"] if isinstance(a, (float, type)) else _refuse(a)

    def result(self, like: Any, kinds: Any, numbers: Any, program: Recorded) -> str:
        """The text that puts the outputs `y` together like the first result. Statics do not count as outputs."""
        if type(like) is dict:
            parts = {k: self.result(like[k], kinds, numbers, program) for k in sorted(like)}
            return "{" + ", ".join(f"{self.known(k)}: {parts[k]}" for k in like) + "}"
        if type(like) in (list, tuple):
            parts_ = [self.result(item, kinds, numbers, program) for item in like]
            return f"[{', '.join(parts_)}]" if type(like) is list else f"({''.join(p + ', ' for p in parts_)})"
        if isinstance(like, (list, tuple, dict)):
            _refuse(like)
        kind, i = next(kinds), next(numbers)
        if kind == "static":
            return self.known(program.statics[i])
        before = sum(k < i for k in program.statics)
        return f"as_leaf(y[{i - before}])" if kind == "tensor" else f"y[{i - before}]"


def _refuse(x: Any) -> Any:
    raise TypeError(f"no quick way for {type(x).__name__}")
