"""The judge's proxies for a student's objects: functions, classes and instances in the student's process.

The checks of the notebook run here unchanged: they call proxies, read attributes, and compute with operators. If a call
has a Tensor among its arguments, `decoys` handles it: the student's process records the graph for other numbers, and
the result is computed here. The session of a proxy is a `student_requests.Session`.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.core.tensor import Tensor
from minigrad.runner.timeout import Failure, OutOfTime

ARITHMETIC = ("add", "sub", "mul", "truediv", "pow", "matmul", "mod", "floordiv")
COMPARISONS, SIGNS = ("lt", "le", "gt", "ge"), ("neg", "pos", "abs")


class _Described:
    """A descriptor for `_described()`, which returns an object's description for a proxy and for a class of proxies."""

    def __get__(self, proxy: Proxy | None, of: ProxyClass) -> Callable[[], dict[str, Any]]:
        return lambda: {"object": (of._of if proxy is None else proxy._data)["object"]}


class ProxyClass(type):
    """A proxy for a student's class; calling it creates an instance in the student's process."""

    _session: Any
    _of: dict[str, Any]
    _described: Callable[[], dict[str, Any]]

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return _call(cls._session, cls._of, args, kwargs)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls._session.evaluate({"of": cls._described(), "attribute": name})

    def __instancecheck__(cls, x: Any) -> bool:
        return super().__instancecheck__(x) or cls in derived_from(type(x))


def derived_from(cls: type) -> list[ProxyClass]:
    """Return the base classes of a student's class that are also the student's."""
    return list(vars(cls)["_bases"]) if isinstance(cls, ProxyClass) and "_bases" in vars(cls) else []


class Proxy(metaclass=ProxyClass):
    """A proxy for a function, or for an instance of a class, in the student's process."""

    _session: Any
    _data: dict[str, Any]
    _described = _Described()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _call(self._session, self._data, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "__globals__":
            return Names(self._session)
        if name == "__name__":
            return self._data["name"]
        if name == "used_names":
            return self._session.evaluate(_operation("function", name, self))
        if name == "by_value":
            return ByValue(self)
        if name == "__wrapped__":
            return Expression(self._session, self._described(), ("attribute", name))
        if name.startswith("__"):
            raise AttributeError(name)
        value = self._session.evaluate({"of": self._described(), "attribute": name})
        if isinstance(value, Proxy):
            vars(value)["_is_attribute"] = True
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        self._session.evaluate(_operation("function", "setattr", self, name, value))

    def __bool__(self) -> bool:
        return self._data.get("kind") == "function" or _computed(self, "bool", bool)

    def __eq__(self, other: object) -> bool:
        """Return whether `other` is this object, or a number that equals this object's number."""
        if self is other or not isinstance(other, (int, float, np.number)):
            return self is other
        try:
            return _number(self) == other
        except Exception:  # the object is not a number
            return False

    __hash__ = object.__hash__

    def __format__(self, form: str) -> str:
        return format(float(self), form) if form else str(self)


class ByValue:
    """A student's function of Tensors whose values come from the student's process, without a graph."""

    def __init__(self, f: Proxy) -> None:
        self.f = f

    def __call__(self, *args: Any) -> Any:
        session = self.f._session
        return session.evaluate({"call": self.f._described(), "args": [*map(session.codec.write, args)]})


class Names:
    """A mapping of a submission's global names that asks the student's process for each value."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def __getitem__(self, name: str) -> Any:
        return self._session.root(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a global name of the submission."""
        try:
            return self._session.root(name)
        except KeyError:
            return default


def _call(session: Any, of: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if session.recorded is not None and (session.graphs or any(map(_has_tensor, (args, tuple(kwargs.values()))))):
        return Expression(session, {"object": of["object"]})(*args, **kwargs)
    tree = tree_of(session, of, args, kwargs)
    return session.evaluate(tree, [a for a in args if type(a) in (list, dict, np.ndarray)])


def tree_of(session: Any, of: dict[str, Any], args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return a call to a student's object as data, with the arguments encoded.

    of : the object's description.
    """
    write = session.codec.write
    tree = {"call": {"object": of["object"]}, "args": [*map(write, args)]}
    return {**tree, "kwargs": {k: write(v) for k, v in kwargs.items()}} if kwargs else tree


def _has_tensor(x: Any) -> bool:
    if isinstance(x, (tuple, list)):
        return any(map(_has_tensor, x))
    return any(map(_has_tensor, x.values())) if isinstance(x, dict) else isinstance(x, Tensor)


def _operation(kind: str, name: str, proxy: Proxy, *args: Any) -> dict[str, Any]:
    return {kind: name, "args": [*map(proxy._session.codec.write, (proxy, *args))]}


def _computed(proxy: Proxy, name: str, kind: Callable[[Any], Any]) -> Any:
    """Call the builtin `name`, such as len, on a student's object; return the result, converted to the type `kind`."""
    return kind(proxy._session.evaluate(_operation("function", name, proxy)))


def _number(proxy: Proxy) -> float | None:
    """Return the number that a check gets instead of a student's object, or None if it gets the object itself.

    The number is the same at each use. A check computes only with objects of a class that the exercise is about. Any
    other object, and any object read from an attribute, as in `abs(y.value - true)`, is replaced by a number, so that
    its methods never see the true value.
    """
    if proxy._session.computes_with(type(proxy)) and "_is_attribute" not in vars(proxy):
        return None
    if "_as_number" not in vars(proxy):
        vars(proxy)["_as_number"] = float(proxy)
    return float(vars(proxy)["_as_number"])


def _binary(name: str, reflected: bool = False) -> Callable[[Proxy, Any], Any]:
    def compute(self: Proxy, other: Any) -> Any:
        if (number := _number(self)) is not None:
            return COMPUTE[name](other, number) if reflected else COMPUTE[name](number, other)
        write = self._session.codec.write
        pair = [write(other), write(self)] if reflected else [write(self), write(other)]
        return self._session.evaluate({"operator": name, "args": pair})

    return compute


def _unary(name: str) -> Callable[[Proxy], Any]:
    def compute(self: Proxy) -> Any:
        if (number := _number(self)) is not None:
            return COMPUTE[name](number)
        return self._session.evaluate(_operation("operator", name, self))

    return compute


def _of_items(name: str) -> Callable[[Proxy, Any], Any]:
    return lambda self, key: self._session.evaluate(_operation("operator", name, self, key))


COMPUTE = {name: getattr(operator, name) for name in (*ARITHMETIC, *COMPARISONS, *SIGNS)}
for _name in ARITHMETIC:
    setattr(Proxy, f"__{_name}__", _binary(_name))
    setattr(Proxy, f"__r{_name}__", _binary(_name, reflected=True))
for _name in COMPARISONS:
    setattr(Proxy, f"__{_name}__", _binary(_name))
for _name in ("getitem", "contains"):
    setattr(Proxy, f"__{_name}__", _of_items(_name))
for _name, _kind in {"repr": str, "len": int, "float": float, "iter": iter}.items():
    setattr(Proxy, f"__{_name}__", lambda self, name=_name, kind=_kind: _computed(self, name, kind))
for _name in SIGNS:
    setattr(Proxy, f"__{_name}__", _unary(_name))


class Expression:
    """A value that is computed again in each recording: a student's object, and the steps applied to it.

    steps : ("call", args, kwargs), ("attribute", name) or ("item", key).
    """

    def __init__(self, session: Any, of: dict[str, Any], *steps: tuple[Any, ...]) -> None:
        self.session, self.of, self.steps = session, of, steps

    def then(self, *step: Any) -> Expression:
        """Return the expression with one more step."""
        return Expression(self.session, self.of, *self.steps, step)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        assert self.session.recorded is not None
        return self.session.recorded(self.then("call", args, kwargs))

    def tree(self) -> dict[str, Any]:
        """Return the expression as data."""
        tree, write = self.of, self.session.codec.write
        for step, what, *more in self.steps:
            if step == "call":
                kwargs = {k: write(v) for k, v in more[0].items()}
                tree = {"call": tree, "args": [*map(write, what)], "kwargs": kwargs}
            else:
                tree = {step: what, "of": tree}
        return tree


CRASH = "Crash"


class StudentError(Exception):
    """An error in the student's process; `failure` has its message, and the line that raised it."""

    failure: Failure


#: The types of errors that a check may catch. Other types are left out, because Python ends loops with some of them.
CAUGHT: tuple[type[Exception], ...] = (
    *(TypeError, ValueError, AttributeError, LookupError, KeyError, IndexError, ArithmeticError, ZeroDivisionError),
    *(OverflowError, RuntimeError, RecursionError, NotImplementedError),
)
KINDS = {kind.__name__: type(f"Student{kind.__name__}", (StudentError, kind), {}) for kind in CAUGHT}


def student_error(kind: str, words: str, line: Any = None, code: str = "") -> StudentError:
    """Return an error of the student's process, which `timeout.failure` shows as if it had been raised here.

    Every error becomes a `StudentError`, because a StopIteration would end a loop in a check as if the loop were
    complete.
    """
    error = KINDS.get(kind, StudentError)(words)
    full = words if kind in (CRASH, "BadMessage", "Ended") else f"{kind}: {words}" if words else kind
    error.failure = Failure(kind, full, line, code)
    return error


def described(data: Any) -> StudentError:
    """Return a StudentError from the description of an error that a student's process sent."""
    if not isinstance(data, dict):
        return student_error(CRASH, "an error that cannot be read")
    line = data.get("line")
    text = lambda key, most: str(data.get(key, ""))[:most]
    return student_error(text("kind", 60), text("words", 600), line if type(line) is int else None, text("code", 200))


class ObjectAnswer:
    """An answer that is an object rather than a number or a letter."""

    def __init__(self, name: str) -> None:
        self.name = str(name)[:60]

    def __repr__(self) -> str:
        return f"an object of type {self.name}"


def plain(session: Any, answer: Any, kind: str) -> Any:
    """Convert a student's answer to a prediction to plain data; a number such as a Fraction becomes a float.

    kind : the kind of the question, such as "number" or "edge".

    A picture that takes answers is replaced by the answer that a cell wrote into it, or by None if there is none. Any
    other object becomes an ObjectAnswer.
    """
    if kind == "numbers" and type(answer) in (list, tuple):
        return [plain(session, item, "number") for item in answer]
    if not isinstance(answer, (Proxy, ProxyClass)):
        return answer
    attempt = _attempted(session, answer, kind) if isinstance(answer, Proxy) else None
    if attempt is None or isinstance(attempt, (Proxy, ProxyClass)):
        return ObjectAnswer(answer._data["name"] if isinstance(answer, Proxy) else answer.__name__)
    return None if attempt is ... else attempt


def _attempted(session: Any, answer: Proxy, kind: str) -> Any:
    """Return the answer in a student's object: the attribute `answer`, or the attribute named `kind`, of a picture.

    For the kind "number", an object that converts to a float gives that float. Returns `...` for a picture without an
    answer, and None for any other object.
    """
    empty = False
    for name in ("answer", kind):
        try:
            value = session.evaluate({"of": answer._described(), "attribute": name})
        except (OutOfTime, Exception):  # attributes may raise an error or never end
            continue
        if value is not None and not isinstance(value, (Proxy, ProxyClass)):
            return value
        empty = True
    if kind == "number":
        with contextlib.suppress(OutOfTime, Exception):
            return float(answer)
    return ... if empty else None
