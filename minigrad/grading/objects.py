"""The judge's side of the exchange: encode values that are not plain data, and decode the student's values."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.core.support.structure import flatten
from minigrad.core.tensor import Tensor, constant
from minigrad.core.variable import Variable
from minigrad.graphs import write
from minigrad.runner.codec import BadMessage, decode, encode
from minigrad.runner.student_objects import LIBRARIES, written_generator, written_slice


class JudgeObjects:
    """The judge's objects by number, for one student's process.

    far : a function that takes the description of a student's object and returns a proxy for it.
    """

    def __init__(self, far: Callable[[dict[str, Any]], Any]) -> None:
        self.far = far
        self._objects: dict[int, tuple[int, Any]] = {}
        self._by_number: dict[int, Any] = {}
        self._named: dict[str, type] = {}
        self._unsent: list[int] = []
        self._unsent_named: dict[str, Any] = {}
        self.params: list[Tensor] | None = None

    def write(self, x: Any) -> Any:
        """Encode one of the judge's values as data. `news()` must be sent before it, to describe new objects."""
        return encode(x, self._write)

    def news(self) -> dict[str, Any]:
        """Return data about the objects and named tuples whose attributes or classes have not been sent yet."""
        records: dict[tuple[str, ...], list[tuple[int, dict[str, Any]]]] = {}
        while self._unsent:  # attributes may contain further objects
            number = self._unsent.pop()
            x = self._by_number[number]
            attributes = {k: self.write(v) for k, v in vars(x).items() if isinstance(v, type) or not callable(v)}
            records.setdefault((type(x).__name__, *attributes), []).append((number, attributes))
        named, self._unsent_named = self._unsent_named, {}
        groups = [_group(alike, records_alike) for alike, records_alike in records.items()]
        return {name: unsent for name, unsent in (("records", groups), ("named", named)) if unsent}

    def _write(self, x: Any) -> Any:
        described = getattr(x, "_described", None)
        if described is not None:
            return described()
        if isinstance(x, Tensor):
            return self._tensor(x)
        if isinstance(x, (slice, np.random.Generator)):
            return written_slice(x, self.write) if isinstance(x, slice) else written_generator(x, self.write)
        if isinstance(x, np.ndarray) and x.dtype.kind in "fiub":
            return encode(np.asarray(x), self._write)
        if isinstance(x, tuple) and hasattr(x, "_fields"):
            key = type(x).__name__
            if self._named.setdefault(key, type(x)) is type(x) and key not in self._sent_named:
                self._unsent_named[key] = [type(x).__name__, list(x._fields)]
                self._sent_named.add(key)
            return {"named": key, "values": [self.write(item) for item in x]}
        if callable(x):
            return _library(x) or {"callback": self._number(x)}
        if hasattr(x, "__dict__"):
            return {"given": self._number(x, record=True)}
        raise TypeError(f"a check passes on {x!r:.60}, of type {type(x).__name__}, which cannot be written as data")

    @property
    def _sent_named(self) -> set[str]:
        return self.__dict__.setdefault("_names_sent", set())

    def _tensor(self, x: Tensor) -> Any:
        if self.params is not None:
            number = next((i for i, p in enumerate(self.params) if p is x), len(self.params))
            if number == len(self.params):
                self.params.append(x)
            return {"param": number}
        return tensor_data(x, x.value)

    def _number(self, x: Any, record: bool = False) -> int:
        number, _ = self._objects.setdefault(id(x), (len(self._objects), x))
        if number not in self._by_number:
            self._by_number[number] = x
            if record:
                self._unsent.append(number)
        return number

    def call(self, message: dict[str, Any]) -> dict[str, Any]:
        """Run one of the judge's functions for the student's code, and return the message to send back.

        The result of a function of Tensors is sent as its graph at these Tensors. The student's process runs the graph
        itself, so gradients pass through it.
        """
        function = self._by_number[message["callback"]]
        args = [self.read(a) for a in message["args"]]
        tensors = [leaf for leaf in flatten(args) if isinstance(leaf, Tensor)]
        try:
            result = function(*args)
            if tensors and isinstance(result, Tensor):
                return {"result": {"graph": json.dumps(write(tensors, [result]))}}
            return {"result": self.write(result)}
        except Exception as error:
            of_theirs = getattr(error, "failure", None)  # set if a call to a student's object failed
            kind = getattr(of_theirs, "kind", type(error).__name__)
            return {"error": str(error)[:200], "kind": kind}

    def read(self, data: Any, outputs: Any = ()) -> Any:
        """Decode a value that the student's process sent; `outputs` has the Tensors of a recorded graph."""

        def other(data: dict[str, Any]) -> Any:
            match data:
                case {"object": int()}:
                    return self.far(data)
                case {"given": int(number)} if number in self._by_number:
                    return self._by_number[number]
                case {"named": str(key), "values": list(values)} if key in self._named:
                    return self._named[key](*[self.read(v) for v in values])
                case {"output": int(number)} if 0 <= number < len(outputs):
                    return outputs[number]
                case {"tensor": array}:
                    value = self.read(array)
                    return constant(value if isinstance(value, np.generic) else np.asarray(value))
                case {"ellipsis": True}:
                    return ...
                case {"slice": list(parts)}:
                    return slice(*[self.read(part) for part in parts])
            raise BadMessage(f"{data!s:.60} is not a value")

        return decode(data, other)


def _group(alike: tuple[str, ...], records: list[tuple[int, dict[str, Any]]]) -> dict[str, Any]:
    """Return data about several objects of one class with the same attributes.

    alike : the name of the class, and the names of the attributes. records : each object's number, and its values.
    """
    name, *attributes = alike
    numbers, values = [number for number, _ in records], [list(each.values()) for _, each in records]
    return {"class": name, "attributes": attributes, "numbers": numbers, "values": values}


def tensor_data(x: Tensor, value: Any) -> dict[str, Any]:
    """Return a Tensor or a Variable with its value as data."""
    more = {"variable": x.name, "trainable": bool(x.trainable)} if isinstance(x, Variable) else {}
    return {"tensor": encode(np.asarray(value), _no), **more}


def _no(x: Any) -> Any:
    raise TypeError(f"{type(x).__name__} cannot be written as data")


def _library(x: Any) -> dict[str, Any] | None:
    """Return, as data, the library and the name of a library function that both sides have, or None."""
    name = str(getattr(x, "__name__", ""))
    for library in LIBRARIES:
        if getattr(sys.modules.get(library), name, None) is x:
            return {"library": library, "name": name}
    return None
