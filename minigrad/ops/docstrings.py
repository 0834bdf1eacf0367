"""The docstring and the signature of an op, built from its declaration.

A docstring is written when it is first read, because computing the example and the numbers at the edge cases of all
ops would take longer than the whole import.

>>> import minigrad as mg
>>> mg.log.__doc__.splitlines()[0]
'Natural logarithm of each element.'
>>> inspect.signature(mg.log)
<Signature (x: TensorLike) -> Tensor>
"""

from __future__ import annotations

import functools
import inspect
import itertools
import re
import sys
from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np

from ..core.op import Op
from ..core.support.tensor_values import Function
from ..core.tensor import Tensor

_ROOT = __name__.partition(".")[0]


class Docstring(str):
    """The docstring of an op, written when it is first read; until then it contains only the op's sentence.

    `help`, `inspect.getdoc`, IPython, Sphinx and doctest read a docstring through its methods.
    """

    ops: tuple[Op, ...]

    def __new__(cls, sentence: str, *ops: Op) -> Docstring:
        self = super().__new__(cls, sentence)
        self.ops = ops
        return self

    @functools.cached_property
    def text(self) -> str:
        """The whole docstring."""
        cleaned = inspect.cleandoc(str.__str__(self))
        parts = [cleaned, *itertools.chain(*map(facts, self.ops))]
        return "\n\n".join([*parts, *([] if ">>>" in cleaned else example(self.ops[0]))])

    def __bool__(self) -> bool:
        return True

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (self.text,)


def _reading(name: str) -> Function:
    """Return a method of `Docstring` that calls the method `name` of str on the whole docstring."""
    method = getattr(str, name)

    def call(self: Docstring, *args: Any, **kwargs: Any) -> Any:
        return method(self.text, *(a.text if isinstance(a, Docstring) else a for a in args), **kwargs)

    return call


for _name, _method in vars(str).items():
    if callable(_method) and _name not in ("__new__", "__getattribute__", "maketrans"):
        setattr(Docstring, _name, _reading(_name))


def document(call: Function, op: Op, fn: Function, doc: str) -> None:
    """Give an op's function its name, signature and docstring.

    fn : the function that determines the signature.
    doc : a sentence and further facts. By default, this is the docstring of `fn` if `fn` is defined in minigrad.
    """
    call.__name__ = call.__qualname__ = op.name
    call.__module__ = _ROOT
    is_ours = str(getattr(fn, "__module__", "")).startswith(_ROOT)
    doc = doc or (fn.__doc__ or "" if is_ours else "")
    op.facts.says = _sentence(doc)
    call.__doc__ = Docstring(doc, op)
    call.__signature__ = Signature(op, fn)  # type: ignore[attr-defined]
    if not isinstance(fn, np.ufunc):
        call.__wrapped__ = fn  # type: ignore[attr-defined]


def complete(call: Function, op: Op) -> None:
    """Add the facts in the declaration of `op` to the docstring of `call`, a function written around the op."""
    written = call.__doc__
    if isinstance(written, Docstring):
        call.__doc__ = Docstring(str.__str__(written), *dict.fromkeys([*written.ops, op]))
        return
    doc = written or op.facts.says
    call.__doc__ = Docstring(doc, op)
    if call is op.call:
        op.facts.says, call.__signature__ = _sentence(doc), Signature(op, inspect.signature(call))  # type: ignore[attr-defined]


def _sentence(doc: str) -> str:
    """Return the first paragraph of a docstring, in one line."""
    return " ".join(doc.partition("\n\n")[0].split())


# Facts.

#: A regular expression for a letter in a formula that is not part of a word.
_LETTER = r"(?<![A-Za-z\\])[abcgyABC](?![A-Za-z])"


def _letters(op: Op) -> list[str]:
    """Return [a sentence that explains the letters in an op's formula and derivatives], or [] if there are none."""
    used = {letter.lower() for letter in re.findall(_LETTER, " ".join([op.facts.latex, *op.facts.slope]))}
    arguments = ", ".join(sorted(used - {"g", "y"}))
    parts = [f"{arguments} for the argument{'s' * (len(arguments) > 1)}"] if arguments else []
    parts += ["y for the result"] * ("y" in used) + ["g for the upstream gradient"] * ("g" in used)
    return [f"Letters: {', '.join(parts)}"] if parts else []


def facts(op: Op) -> list[str]:
    """Return the facts in a declaration, as paragraphs of a docstring."""
    record = op.facts
    paragraphs = [f"Formula: {record.latex}"] if record.latex else []
    paragraphs += [f"Local derivative: {'; '.join(slope or 'none' for slope in record.slope)}"] if record.slope else []
    paragraphs += _letters(op)
    paragraphs += [f"Edge cases: {record.edge_cases}"] if record.edge_cases else []
    numbers = [f"    at {point}: value {value}, {slopes}" for point, value, slopes in edges(op)]
    paragraphs += ["\n".join([*([] if record.edge_cases else ["Edge cases:"]), *numbers])] if numbers else []
    names = ", ".join(f"{k}: {v}" for k, v in record.names.items())
    return [*paragraphs, f"Also known as: {names}"] if names else paragraphs


def edges(op: Op) -> Iterator[tuple[str, str, str]]:
    """Yield each point where an elementwise op has an unusual value or slope, with its value and slopes, as text.

    The points tried have the coordinates -1, 0 and 1. If all values and slopes there are finite, inf and -inf are tried
    too. A point is unusual if its value or a slope is not finite, or if the edge cases in the declaration name the
    point, such as 0 for the slope of relu. At inf and -inf, only nan is unusual.

    >>> from minigrad.core.op import OPS
    >>> [*edges(OPS["divide"])][:1]
    [('a = -1, b = 0', '-inf', 'slopes inf and inf')]
    """
    arity = len(op.facts.slope)
    required = [p for p in inspect.signature(op.call).parameters.values() if p.default is p.empty]
    if not (op.elementwise and all(op.facts.slope) and arity == len(required) <= 2):
        return
    named = {float(number) for number in re.findall(r"\bat (-?[01])\b", op.facts.edge_cases)}
    near = [(point, _at(op, point)) for point in itertools.product((-1.0, 0.0, 1.0), repeat=arity)]
    far = [(point, _at(op, point)) for point in [(*(0.0,) * (arity - 1), end) for end in (inf, -inf)]]
    rows = [(point, values) for point, values in near if not np.isfinite(values).all() or _named(op, point, named)]
    if all(np.isfinite(values).all() for _, values in near):
        rows += [(point, values) for point, values in far if np.isnan(values).any()]
    for point, (y, *slopes) in rows:
        place = ", ".join(f"{letter} = {number:g}" for letter, number in zip("ab", point))
        yield place, f"{y:g}", f"slope{'s' * (arity > 1)} " + " and ".join(f"{slope:g}" for slope in slopes)


def _named(op: Op, point: tuple[float, ...], numbers: set[float]) -> bool:
    """Return whether the op's declaration mentions `point` as an edge case.

    numbers : the numbers in the declared edge cases; a single coordinate must be one of them. For an op of two
    arguments with declared edge cases, only the point (0, 0) counts.
    """
    return point[0] in numbers if len(point) == 1 else bool(op.facts.edge_cases) and not any(point)


def _at(op: Op, point: tuple[float, ...]) -> list[float]:
    """Return the value and slopes of an op at a point, which has one number for each argument."""
    from ..core.gradients import gradients

    inputs = [Tensor(number) for number in point]
    y = op.call(*inputs)
    # Adding 0 turns -0 into 0.
    return [float(y.value) + 0, *(0 if g is None else float(g.value) + 0 for g in gradients(y, inputs))]


# The example.


def example(op: Op) -> list[str]:
    """Return an example of an op at its declared arguments, with the result, or [] if the op declares no example."""
    if not op.facts.example:
        return []
    call = _written(op.facts.example, getattr(sys.modules[_ROOT], op.name, None) is not None, op)
    return [f">>> import {_ROOT} as mg\n>>> {call}\n{eval(call, {'mg': sys.modules[_ROOT]})!r}"]


def _written(arguments: tuple[Any, ...], public: bool, op: Op) -> str:
    """Return the text of a call to an op with these arguments."""
    *args, last = arguments
    keywords = last if isinstance(last, dict) else {}
    args = args if isinstance(last, dict) else [*args, last]
    texts = [*map(_literal, args), *(f"{name}={_literal(value)}" for name, value in keywords.items())]
    return f"mg.{'' if public else 'ops.'}{op.name}({', '.join(texts)})"


def _literal(value: Any) -> str:
    """Return the text of an argument; arrays are written as lists."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        texts = [*map(_literal, value)]
        inner = ", ".join(texts) + ("," if isinstance(value, tuple) and len(value) == 1 else "")
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    return 'float("nan")' if value != value else 'float("inf")' if value == np.inf else repr(value)


# The signature.


class Word:
    """An annotation that a signature shows as plain text, such as `TensorLike`."""

    def __init__(self, word: str) -> None:
        self.word = word

    def __repr__(self) -> str:
        return self.word


class Signature(inspect.Signature):
    """The signature of an op's function, computed when it is first read.

    It has the parameters of `fn`, which computes on arrays, with the types that users pass.
    """

    def __init__(self, op: Op, fn: Function | inspect.Signature) -> None:
        self.made_from = op, fn

    @functools.cached_property
    def whole(self) -> inspect.Signature:
        op, fn = self.made_from
        if isinstance(fn, np.ufunc):
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters = [inspect.Parameter(name, kind, annotation=Word("TensorLike")) for name in "xy"[: fn.nin]]
            return inspect.Signature(parameters, return_annotation=Word("Tensor"))
        signature = fn if isinstance(fn, inspect.Signature) else inspect.signature(fn)
        operands = _operands(op, len(signature.parameters))
        parameters = [
            p.replace(annotation=_annotation(p, i in operands)) for i, p in enumerate(signature.parameters.values())
        ]
        returns = "Any" if signature.return_annotation is signature.empty else signature.return_annotation
        returns = re.sub(r"\bAny\b", "Tensor", _RESULTS.get(op.name, returns))
        return signature.replace(parameters=parameters, return_annotation=Word(returns))

    @property
    def parameters(self) -> Any:
        return self.whole.parameters

    @property
    def return_annotation(self) -> Any:
        return self.whole.return_annotation

    def replace(self, **changes: Any) -> inspect.Signature:  # type: ignore[override]
        return self.whole.replace(**changes)

    def __reduce__(self) -> Any:
        return self.whole.__reduce__()


def _operands(op: Op, count: int) -> set[int]:
    """Return which of an op's `count` arguments are arrays: those that are floats, lists or arrays in its samples."""
    rows = [op.facts.example, *op.facts.samples]
    return {i for row in rows for i, a in enumerate(row[:count]) if isinstance(a, (float, list, np.ndarray))} or {0}


#: The named tuples that linear-algebra ops return, as in NumPy.
_RESULTS = dict(eigh="EighResult", qr="QRResult", slogdet="SlogdetResult", svd="SVDResult")

#: Types of arguments without annotations, by the argument's name.
_BY_NAME = {"dtype": "DTypeLike", "shape": "int | Sequence[int]"} | dict.fromkeys(
    ["where", "initial", "prepend", "append", "gamma", "beta", "left", "right", "values", "indices"], "TensorLike"
)


def _annotation(parameter: inspect.Parameter, operand: bool) -> Any:
    """Return the type of an argument as text. operand : whether the argument is an array."""
    written = "Any" if parameter.annotation is parameter.empty else str(parameter.annotation)
    fallback = "TensorLike" if operand or "[" in written else _BY_NAME.get(parameter.name, "Any")
    text = re.sub(r"\bAny\b", fallback, written)
    optional = parameter.default is None and fallback != "Any" and "None" not in text
    return Word(f"{text} | None" if optional else text)
