"""Read traces from JSON: check each field against its annotation, and then the references between numbered objects.

The classes are in `trace_schema`, which imports this file.
"""

from __future__ import annotations

import functools
import json
import math
import types
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

SAMPLE = 64  #: the number of elements that a trace keeps of an array
WORDS = ("nan", "inf", "-inf")  #: the strings for numbers that JSON cannot represent
KINDS = ("leaf", "const", "op", "custom", "output")
EVENTS = ("first", "accumulate", "nan-born", "inf-born", "carries", "stops")
DTYPES = frozenset(np.dtype(kind).name for kind in np.typecodes["All"] if kind not in "OSUVMm")
_TYPES = {int: "a whole number", str: "a text", bool: "true or false", float: "a number", type(None): "null"}


def read_trace(kind: type[Any], text: str) -> Any:
    """Read a trace of class `kind` from the text that `to_json` wrote.

    Raises ValueError for text that is not JSON, for a different schema, and for a wrong field. The message for a field
    contains its path in the document, the expected value and the actual value.
    """
    if not isinstance(text, (str, bytes, bytearray)):
        raise TypeError(f"a trace is read from the text that to_json wrote, got {type(text).__name__}")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"expected a trace as JSON, but this is not JSON: {error}") from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != kind.schema:
        raise ValueError(f"expected a trace of schema {kind.schema}, got {_shown(data if schema is None else schema)}")
    try:
        trace = _build(kind, data, "")
    except RecursionError:
        raise ValueError("the trace is nested too deeply") from None
    _check_references(trace)
    return trace


def _wrong(path: str, expected: str, data: Any) -> ValueError:
    return ValueError(f"{path or 'the trace'} of a trace must be {expected}, got {_shown(data)}")


def _shown(data: Any) -> str:
    text = json.dumps(data) if not is_dataclass(data) else "an object"
    return text if len(text) <= 60 else f"{text[:57]}..."


# Types.


def _build(kind: Any, data: Any, path: str) -> Any:
    """Check `data` from JSON, and return it as an object of the type `kind`. path : its place, for error messages."""
    if is_dataclass(kind):
        return _object(kind, data, path)
    if get_origin(kind) is tuple:
        if not isinstance(data, list):
            raise _wrong(path, "a list", data)
        return tuple([_build(get_args(kind)[0], item, f"{path}[{i}]") for i, item in enumerate(data)])
    if get_origin(kind) in (Union, types.UnionType):
        return _one_of(get_args(kind), data, path)
    if type(data) is kind or (kind is float and type(data) is int):
        return float(data) if kind is float and abs(data) < 2**1023 else data
    raise _wrong(path, _TYPES[kind], data)


def _one_of(kinds: tuple[Any, ...], data: Any, path: str) -> Any:
    """Check data that may have one of several types. A number may be one of WORDS, an array's summary, or null."""
    if data is None and type(None) in kinds:
        return None
    inner = next((kind for kind in kinds if is_dataclass(kind)), None)
    if isinstance(data, dict) and inner is not None:
        return _object(inner, data, path)
    if float in kinds:
        finite = type(data) in (int, float, bool) and abs(data) < 2**1023 and math.isfinite(data)
        if finite or data in WORDS:
            return float(data) if type(data) is int else data
        array = " or the summary of an array" if inner else ""
        null = ", or null" if type(None) in kinds else ""
        raise _wrong(path, f'a number, "nan", "inf" or "-inf"{array}{null}', data)
    (kind,) = (kind for kind in kinds if kind is not type(None))
    try:
        return _build(kind, data, path)
    except ValueError as error:
        if inner is None or not isinstance(data, dict):
            raise ValueError(str(error).replace(", got ", " or null, got ", 1)) from None
        raise


@functools.cache
def _fields(cls: Any) -> tuple[tuple[str, Any, bool], ...]:
    """Return (name, type, whether it is required) for each field of a class that is written to JSON."""
    hints, in_json = get_type_hints(cls), [field for field in fields(cls) if field.name != "node_of"]
    needed = [field.default is MISSING and field.default_factory is MISSING for field in in_json]
    return tuple((field.name, hints[field.name], must) for field, must in zip(in_json, needed))


def _object(cls: Any, data: Any, path: str) -> Any:
    if not isinstance(data, dict):
        raise _wrong(path, "an object", data)
    arguments = {}
    for name, kind, needed in _fields(cls):
        at = f"{path}.{name}" if path else name
        if name in data:
            arguments[name] = _build(kind, data[name], at)
        elif needed:
            raise ValueError(f"{at} of a trace is missing")
    built = cls(**arguments)
    if "sample" in arguments:
        _check_summary(built, path)
    return built


# References between numbered objects, and fields with a fixed set of words.


def _check_references(trace: Any) -> None:
    for i, node in enumerate(trace.nodes):
        _check_node(node, i, trace, f"nodes[{i}]")
    for i, edge in enumerate(trace.edges):
        _check_edge(edge, i, trace, f"edges[{i}]")
    _check_order(trace)
    for i, step in enumerate(trace.steps):
        _check_step(step, i, trace, f"steps[{i}]")
    for i, ghost in enumerate(trace.ghosts):
        _check_ghost(ghost, trace, f"ghosts[{i}]")


def _need(holds: bool, path: str, expected: str, data: Any) -> None:
    if not holds:
        raise _wrong(path, expected, data)


def _check_shape(shape: tuple[int, ...], path: str) -> None:
    for i, n in enumerate(shape):
        _need(0 <= n < 2**63, f"{path}[{i}]", "the length of an axis, 0 or more", n)


def _check_dtype(dtype: str, path: str) -> None:
    _need(dtype in DTYPES, path, 'the name of a dtype such as "float32"', dtype)


def _check_summary(summary: Any, path: str) -> None:
    _check_shape(summary.shape, f"{path}.shape")
    _check_dtype(summary.dtype, f"{path}.dtype")
    size = math.prod(summary.shape)
    for name in ("zeros", "nan", "inf"):
        count = getattr(summary, name)
        _need(0 <= count <= size, f"{path}.{name}", f"a count of at most {size} elements", count)
    many = min(size, SAMPLE)
    _need(len(summary.sample) == many, f"{path}.sample", f"a list of {many} elements", [*summary.sample])


def _is_index(i: int, items: tuple[Any, ...]) -> bool:
    return 0 <= i < len(items)


def _check_node(node: Any, i: int, trace: Any, path: str) -> None:
    _need(node.id == i, f"{path}.id", f"{i}, its position", node.id)
    _need(node.kind in KINDS, f"{path}.kind", f"one of {', '.join(KINDS)}", node.kind)
    _check_shape(node.shape, f"{path}.shape")
    _check_dtype(node.dtype, f"{path}.dtype")
    truth = type(node.value) is bool
    _need(not truth or node.dtype == "bool", f"{path}.value", f"a number of {node.dtype}", node.value)
    if hasattr(node.value, "sample"):
        shape = [*node.shape]
        _need(node.value.shape == node.shape, f"{path}.value.shape", f"{shape}, the node's shape", [*node.value.shape])
    if node.ghost_of is not None:
        of = node.ghost_of
        called = _is_index(of, trace.nodes) and trace.nodes[of].kind == "custom"
        _need(called, f"{path}.ghost_of", "the id of a node of kind custom", of)
    if node.line is not None:
        _need(0 <= node.line.no < 2**31, f"{path}.line.no", "the number of a line", node.line.no)


def _check_edge(edge: Any, i: int, trace: Any, path: str) -> None:
    _need(edge.id == i, f"{path}.id", f"{i}, its position", edge.id)
    for name in ("src", "dst"):
        _need(_is_index(getattr(edge, name), trace.nodes), f"{path}.{name}", "the id of a node", getattr(edge, name))
    _need(abs(edge.arg) < 2**31, f"{path}.arg", "the number of an argument", edge.arg)


def _check_order(trace: Any) -> None:
    """Raise ValueError if the edges form a cycle."""
    leaving: dict[int, list[Any]] = {}
    missing = [0] * len(trace.nodes)
    for edge in trace.edges:
        leaving.setdefault(edge.src, []).append(edge)
        missing[edge.dst] += 1
    ready = [node.id for node in trace.nodes if not missing[node.id]]
    while ready:
        for edge in leaving.get(ready.pop(), ()):
            missing[edge.dst] -= 1
            if not missing[edge.dst]:
                ready.append(edge.dst)
    for edge in trace.edges:
        if missing[edge.src] and missing[edge.dst]:
            where = f"edges[{edge.id}].src"
            raise _wrong(where, f"a node that does not depend on node {edge.dst}, its dst", edge.src)


def _check_step(step: Any, i: int, trace: Any, path: str) -> None:
    _need(step.i == i, f"{path}.i", f"{i}, its position", step.i)
    _need(_is_index(step.node, trace.nodes), f"{path}.node", "the id of a node", step.node)
    rule = step.rule == "derived" or step.rule.startswith("custom:")
    _need(rule, f"{path}.rule", '"derived" or "custom:NAME"', step.rule)
    for k, send in enumerate(step.sends):
        _check_send(send, step, trace, f"{path}.sends[{k}]")


def _check_send(send: Any, step: Any, trace: Any, path: str) -> None:
    _need(_is_index(send.edge, trace.edges), f"{path}.edge", "the id of an edge", send.edge)
    edge = trace.edges[send.edge]
    _need(edge.dst == step.node, f"{path}.edge", f"an edge that enters node {step.node}", send.edge)
    _need(send.to == edge.src, f"{path}.to", f"{edge.src}, where edge {edge.id} comes from", send.to)
    _need(send.event in EVENTS, f"{path}.event", f"one of {', '.join(EVENTS)}", send.event)


def _check_ghost(ghost: Any, trace: Any, path: str) -> None:
    _need(_is_index(ghost.of, trace.nodes), f"{path}.of", "the id of a node", ghost.of)
    for i, step in enumerate(ghost.steps):
        _check_step(step, step.i, trace, f"{path}.steps[{i}]")
