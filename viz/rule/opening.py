"""The initial content of a rule's field: a function's names, its own or derived rule, and a copy as Python code."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from minigrad.core.custom import CustomCall, CustomGradient
from minigrad.core.graph import ancestors
from minigrad.core.support.structure import is_structure
from minigrad.core.tensor import Tensor
from minigrad.core.variable import READ, Variable

from ..drag.followed_page import MOST
from .language import TAKES
from .parts import Parts, Unread, names_of, upstreams_of
from .recorded import PLACES, Unwritten, derived_rules, recorded_rules
from .variables import variables_of

CALLED = re.compile(r"\b(?=\w+\()")  #: matches the position before each function call in an expression
IN_PYTHON = "view.try_rule tries one in Python."
INSTEAD = "Write it in Python instead: a function with mg.custom_gradient, and viz.compare(f, ...) of it."
RECORDED = f"The field opens with the rule of the function, as it was recorded at {len(PLACES)} inputs."
SUMMED = "The pass begins at the sum of all results."


def opening(
    f: Callable[..., Any],
    name: str,
    arguments: Mapping[str, Any],
    y: Any,
    derived: Any,
    variables: Sequence[str] = (),
    results: Mapping[str, Any] | None = None,
    most: int = MOST,
) -> dict[str, Any]:
    """Return the data that a page needs for the rule of `f`: names, the text for each input, and a copy as Python.

    name : the name of the function. y : the result, with the function's rule if it has one. derived : the result
        without a rule.
    variables : the names of the last arguments, which are Variables of the function.
    results : the results of a function that returns several, by the code that selects each from "y"; `y` is then their
        sum.
    most : the largest number of elements of an input.

    The keys of the result are:

    cannot : the reason why no rule can be tried on the page; if present, it is the only key.
    inputs : rows [name, text]; the text is None for an input without a gradient.
    results : rows [name, name of the upstream gradient].
    locals : the text of each local name.
    note : a sentence about the initial text of the field.
    copy : the Python code before and after the text of the rules.
    own : present if the field does not open with the function's own rule; the code of the function, or "".
    replaced : present if the function calls another function with a custom rule.
    nodes : added by `ruled`; the boxes of Variables, by their names in the function.
    """
    params, results = [*arguments], results or {"y": y}
    tensors = {k: x for k, x in arguments.items() if isinstance(x, Tensor) and x.dtype.kind == "f"}
    behind = {t.serial: t.op for t in ancestors([derived])} if isinstance(derived, Tensor) else {}
    floats = [key for key, x in tensors.items() if x.serial in behind]
    replaced = any(isinstance(op, CustomCall) for op in behind.values())
    # 0 means one result that is not in a tuple.
    count = 0 if [*results] == ["y"] else len(results)
    custom = isinstance(f, CustomGradient)
    try:
        parts, why = Parts(f, params, variables, count), ""
    except Unread as unread:
        parts, why = None, str(unread)
    names = parts.names if parts else names_of([None] * max(1, count), params, params, count)
    upstreams = parts.upstreams if parts else upstreams_of(names, count)
    if reason := _refused(f, arguments, y, results, floats, upstreams, variables, most):
        return {"cannot": f"A rule cannot be tried here for {reason}. {INSTEAD}"}
    note, texts, steps = "", dict[str, str](), dict[str, str]()
    if parts and parts.rules:
        texts, note = dict(zip(params, parts.rules)), "The field opens with the rule that the function has."
    # The rule has no readable source, but it is made of ops: a run of it has them.
    elif isinstance(f, CustomGradient) and (recorded := _recorded(f, arguments, upstreams, variables)):
        texts, note = dict(zip(params, recorded)), RECORDED
    else:
        if custom:
            note = f"The rule of the function is not one expression of this language{'' if parts else ': ' + why}: "
            note += "its code is below, with what it sends, and view.try_rule() judges it in Python. "
        arrives = dict(zip(upstreams, results.values() if count else [derived]))
        taken = (*params, *names, *upstreams, *(parts.locals if parts else ()), *TAKES)
        texts, steps, why_not = _derived(parts, arrives, {key: arguments[key] for key in floats}, taken)
        opens = f"an example: the derived rule is not a text here, for {why_not}" if why_not else "the derived rule"
        opens += f", which has {len(steps)} steps: they are below, as Python" if steps else ""
        note += f"The field opens with {opens}." if custom or why_not or steps else ""
    around = _around(f, name, [key for key in params if key not in variables], parts, names, [*results])
    return {
        "inputs": [[key, texts[key] if key in floats else None] for key in params],
        "results": [[*pair] for pair in zip(names, upstreams)],
        "locals": {**(parts.locals if parts else {}), **steps},
        "note": " ".join(filter(None, [SUMMED * bool(count), note])),
        "copy": _with_rule(around, upstreams, variables, steps),
        "variables": [*variables],
        **({"own": _code_of(f)} if custom and not (parts and parts.rules) and note != RECORDED else {}),
        **({"replaced": True} if replaced else {}),
    }


def _recorded(
    f: CustomGradient, arguments: Mapping[str, Any], upstreams: Sequence[str], variables: Sequence[str]
) -> list[str]:
    """Return the text of the function's rule for each argument, as `recorded_rules` does. variables : the last ones."""
    read = {name: v for name, v in variables_of(f).items() if name in variables}
    return recorded_rules(f, {k: x for k, x in arguments.items() if k not in variables}, upstreams, read)


def result_names(f: Callable[..., Any], params: list[str], variables: Sequence[str], count: int) -> list[str]:
    """Return names for a function's results: the names in its source, if its source is known."""
    try:
        return Parts(f, params, variables, count).names
    except Unread:
        return names_of([None] * max(1, count), params, params, count)


def _refused(
    f: Any, arguments: Mapping[str, Any], y: Any, results: Mapping[str, Any], floats: Sequence[str],
    upstreams: Sequence[str], variables: Sequence[str], most: int,
) -> str:  # fmt: skip
    """Return the reason why no rule can be tried, or ""."""
    graph = ancestors([y]) if isinstance(y, Tensor) else ()
    read = {id(x.args[0]) for x in arguments.values() if isinstance(x, Tensor) and x.op is READ}
    others = any(
        (isinstance(t, Variable) and t.trainable and id(t) not in read) or getattr(t.op, "variables", None)
        for t in graph
    )
    tensors = {key: x for key, x in arguments.items() if isinstance(x, Tensor) and x.dtype.kind == "f"}
    large = [f"{key} has {x.size}" for key, x in tensors.items() if x.size > most]
    plain = [path for path, one in results.items() if not isinstance(one, Tensor) or one.dtype.kind != "f"]
    if plain:
        return f"the result {plain[0]}, which is not a float Tensor"
    if any(is_structure(x) for x in arguments.values()):
        return "the arrays inside a dict or a tuple"
    if others and not variables:
        named = ", ".join(variables_of(f))
        if named:
            advice = f"viz.backward(f, ..., mode='rule') has fields for {named}"
            return f"Variables, as two passes are compared; {advice}"
    if others:
        return "a Variable that the function does not call by a name of its own"
    if large:
        return f"more than {most} entries: {large[0]}"
    if not all(map(str.isidentifier, arguments)):
        return "an input whose name is not a name in Python"
    if any(key in (*TAKES, *upstreams, "mg") for key in arguments):
        return "an input that is called like a part of the language"
    return "" if floats else "inputs that no gradient reaches"


def _derived(
    parts: Parts | None, arrives: Mapping[str, Tensor], inputs: Mapping[str, Tensor], taken: Collection[str]
) -> tuple[dict[str, str], dict[str, str], str]:
    """Write the derived rule of each input as text; return (input -> text, name -> text of a step, "").

    The rules come from the source or, if that fails, from the recorded ops. If neither works, the result is example
    rules, no steps, and the reason. arrives : name of an upstream gradient -> its result. taken : names that no step
    may have.
    """
    texts = {key: parts.derived(key) if parts else "" for key in inputs}
    if all(texts.values()):
        return texts, {}, ""
    try:
        rules, steps = derived_rules(arrives, inputs, taken)
        return dict(zip(inputs, rules)), steps, ""
    except Unwritten as reason:
        return {key: _simple(x, arrives, key) for key, x in inputs.items()}, {}, str(reason)


def _simple(x: Tensor, arrives: Mapping[str, Tensor], name: str) -> str:
    """Return an example rule for the input `name`, whose value has the shape of `x`: "upstream * 1" if that fits.

    arrives : name of an upstream gradient -> its result.
    """
    alike = [upstream for upstream, y in arrives.items() if y.shape == x.shape]
    one = [upstream for upstream, y in arrives.items() if not y.shape]
    return f"{alike[0]} * 1" if alike else f"{one[0]} + 0 * {name}" if one else f"0 * {name}"


def _around(
    f: Any, name: str, params: list[str], parts: Parts | None, names: Sequence[str], paths: Sequence[str]
) -> list[str]:
    """Return the Python code of the function up to its rule, and the expression that it returns as its value.

    If the source is not known, the code calls the function. parts : the parts of the source, or None. names, paths :
        the names of several results, and the code that selects each from "y".
    """
    called = called_as(f, name)
    title = name if parts and name.isidentifier() else f"{called.rpartition('.')[2]}_with_rule" if called else "f"
    lines = ["import minigrad as mg", "", "", "@mg.custom_gradient", f"def {title}({', '.join(params)}):"]
    if parts:
        body = [*(f"{key} = {value!r}" for key, value in parts.constants.items()), *parts.body]
        return ["\n".join([*lines, *(textwrap.indent(line, "    ") for line in body)]), parts.returned]
    output = next(n for n in ("y", "result_", "result_0") if n not in params) if paths != ["y"] else names[0]
    call = f"{called}({', '.join(params)})  # the function whose rule this replaces"
    lines.append(f"    {output} = " + (call if called else "...  # write the function here: no name of it is known"))
    if paths != ["y"]:
        lines.append(f"    {', '.join(names)} = {', '.join(output + path[1:] for path in paths)}")
    return ["\n".join(lines), output]


def _code_of(f: Any) -> str:
    """Return the source code of a function with a rule, or "" if it is not known."""
    try:
        return textwrap.dedent(inspect.getsource(f.f)).rstrip()
    except (OSError, TypeError):
        return ""


def called_as(f: Any, name: str) -> str:
    """Return the name of `f` in a notebook cell, or "" if it has none there. name : the name that `f` has itself."""
    # Code that is copied into a cell can use only a name that is defined there.
    if not hasattr(f, "__name__") or not str(f.__module__).startswith("minigrad."):
        plain = f.f if isinstance(f, CustomGradient) else f
        module = getattr(plain, "__globals__", {})
        names = [key for scope in (module, vars(sys.modules["__main__"])) for key, one in scope.items() if one is f]
        names = [key for key in names if key.isidentifier() and not key.startswith("_")]
        local = inspect.isfunction(plain) and not plain.__closure__ and name.isidentifier() and name not in module
        return name if name in names or (local and not names) else names[0] if names else ""
    return f"mg.{name}"


def _with_rule(
    around: list[str], upstreams: Sequence[str], variables: Sequence[str], steps: Mapping[str, str]
) -> list[str]:
    """Return the Python code before and after the text of the rules; the steps of the rules come first."""
    before, value = around
    taken = ", ".join([*upstreams, *["variables=None"] * bool(variables)])
    first = "".join(f"        {name} = {CALLED.sub('mg.', text)}\n" for name, text in steps.items())
    return [f"{before}\n\n    def rule({taken}):\n{first}        return ", f"\n\n    return {value}, rule\n"]
