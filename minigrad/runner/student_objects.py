"""The student's side of the exchange: encode and decode objects and Tensors, which are not plain data.

{"object": n, "kind": ..., "name": ..., "class": m,   an object that stays with the student; the judge has its number,
 "bases": [...]}                                       and the numbers of its class and of the student's base classes
{"given": n}                                          an object of the judge's; its proxy here has its attributes
{"named": k, "values": [...]}                         a named tuple of a class that the judge sent
{"callback": n}                                       a function of the judge's, which runs in the judge
{"library": "numpy", "name": "sin"}                   a function that both sides have
{"tensor": array, "variable": name, "trainable": ...} a Tensor, or a Variable, by value
{"slice": [start, stop, step]}                        a slice
{"generator": "PCG64", "state": {...}}                a NumPy Generator at its state
{"param": n}                                          a Tensor of a call whose graph is recorded
"""

from __future__ import annotations

import importlib
import types
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .codec import BadMessage, decode, encode

LIBRARIES = ("numpy", "math", "minigrad")
GENERATORS = ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937")


class Objects:
    """The student's objects by number, and proxies for the judge's objects.

    call_back : runs one of the judge's functions, by number.
    engine : whether this process has minigrad.
    """

    def __init__(self, call_back: Callable[..., Any], engine: bool) -> None:
        self.call_back, self.engine = call_back, engine
        self.exported: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self._given: dict[int, Any] = {}
        self._given_numbers: dict[int, int] = {}
        self._classes: dict[str, type] = {}
        self._named: dict[str, Any] = {}
        self._named_keys: dict[type, str] = {}
        self.params: Sequence[Any] = ()

    def learn(self, records: Sequence[dict[str, Any]], named: dict[str, Any]) -> None:
        """Create the proxies for the judge's objects, and its named tuples, that occur in the next request.

        records : a description of each class: its name, attributes, objects' numbers and their values. named : key of
        a named tuple's class -> its name and fields.
        """
        for key, (name, fields) in named.items():
            self._named[key] = namedtuple(name, fields)
            self._named_keys[self._named[key]] = key
        for record in records:
            cls = self._class(record["class"])
            for number in record["numbers"]:
                self._given[number] = proxy_class = cls()
                self._given_numbers[id(proxy_class)] = number
        for record in records:
            for number, values in zip(record["numbers"], record["values"]):
                vars(self._given[number]).update(zip(record["attributes"], map(self.read, values)))

    def _class(self, name: str) -> type:
        if name not in self._classes:
            self._classes[name] = type(name, (), {"__repr__": lambda self: f"<{type(self).__name__}>"})
        return self._classes[name]

    def read(self, data: Any) -> Any:
        """Decode a value from the judge."""
        return decode(data, self._read)

    def _read(self, data: dict[str, Any]) -> Any:
        match data:
            case {"object": int(number)}:
                return self.exported[number]
            case {"given": int(number)}:
                return self._given[number]
            case {"named": str(key), "values": list(values)}:
                return self._named[key](*map(self.read, values))
            case {"callback": int(number)}:
                return lambda *args: self.call_back(number, *args)
            case {"library": str(library), "name": str(name)} if library in LIBRARIES:
                return getattr(importlib.import_module(library), name)
            case {"slice": list(parts)}:
                return slice(*map(self.read, parts))
            case {"generator": str(name), "state": state} if name in GENERATORS:
                generator = np.random.Generator(getattr(np.random, name)())
                generator.bit_generator.state = self.read(state)
                return generator
            case {"param": int(number)}:
                return self.params[number]
            case {"tensor": array}:
                return tensor(self.read(array), data.get("variable"), bool(data.get("trainable")))
        raise BadMessage(f"{data!s:.40} is not a value")

    def write(self, x: Any) -> Any:
        """Return a student's value as data."""
        return encode(x, self._write)

    def _write(self, x: Any) -> Any:
        kind = type(x)
        if x is Ellipsis:
            return {"ellipsis": True}
        if kind is slice:
            return written_slice(x, self.write)
        if kind in self._named_keys:
            return {"named": self._named_keys[kind], "values": [self.write(item) for item in tuple.__iter__(x)]}
        if id(x) in self._given_numbers:
            return {"given": self._given_numbers[id(x)]}
        if self.engine and is_tensor(x):
            return {"tensor": self.write(x.value)}
        return self.keep(x)

    def keep(self, x: Any) -> dict[str, Any]:
        """Give an object a number, and return its description as data, for an object that is not sent by value."""
        cls = type(x)
        number = self._numbers.setdefault(id(x), len(self.exported))
        self.exported[number] = x  # this keeps x alive, so no other object gets the same id
        if issubclass(cls, type):
            kind = "class"
        elif cls in (types.FunctionType, types.BuiltinFunctionType, types.MethodType):
            kind = "function"
        else:
            kind = "instance"
        data = {"object": number, "kind": kind, "name": str(getattr(x, "__name__", cls.__name__))[:60]}
        if kind == "instance":
            data["name"] = cls.__name__[:60]
            data["callable"] = callable(x)
            if cls.__module__ == "__main__":
                data["class"] = self.keep(cls)["object"]
        mro = x.__mro__ if kind == "class" else cls.__mro__
        if bases := [base for base in mro[1:] if base.__module__ == "__main__"]:
            data["bases"] = [self.keep(base)["object"] for base in bases]
        return data


def written_slice(x: slice, write: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a slice as data."""
    return {"slice": [write(part) for part in (x.start, x.stop, x.step)]}


def written_generator(x: np.random.Generator, write: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a Generator as data, so that the other side draws the same numbers.

    Raises BadMessage for an unknown kind of Generator.
    """
    state = x.bit_generator.state
    if state["bit_generator"] not in GENERATORS:
        raise BadMessage(
            f"a Generator with {state['bit_generator']} cannot be sent to another process; use {', '.join(GENERATORS)}"
        )
    return {"generator": state["bit_generator"], "state": write(state)}


def is_tensor(x: Any) -> bool:
    from minigrad.core.tensor import Tensor

    return isinstance(x, Tensor)


def tensor(value: Any, variable: str | None = None, trainable: bool = True) -> Any:
    """Return a Tensor with this value, or a Variable with this name and value."""
    from minigrad.core.tensor import constant
    from minigrad.core.variable import Variable

    return constant(value) if variable is None else Variable(value, trainable, variable)
