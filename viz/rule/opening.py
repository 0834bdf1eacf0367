"""The initial content of a rule's field: the names of a function, its own rule or the derived one, and its copy."""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minigrad.core.custom import CustomGradient
from minigrad.core.graph import ancestors
from minigrad.core.support.structure import is_structure
from minigrad.core.tensor import Tensor
from minigrad.core.variable import Variable

from ..drag.draggable import MOST
from .grammar import TAKES, Rule
from .variables import variables_of

SHORT = 70  #: characters of a derived rule that a field opens with
INSTEAD = "Write it in Python instead: a function with mg.custom_gradient, and viz.compare(f, ...) of it."
#: Slopes for the argument `a` of a call, as a factor of what arrives, and of the results of operators.
SLOPES = {
    "exp": "{g} * exp({a})", "log": "{g} / ({a})", "sqrt": "{g} / (2 * sqrt({a}))", "sin": "{g} * cos({a})",
    "tanh": "{g} * (1 - tanh({a}) ** 2)", "cos": "{g} * -sin({a})", "abs": "{g} * sign({a})",
    "sigmoid": "{g} * sigmoid({a}) * (1 - sigmoid({a}))", "softplus": "{g} * sigmoid({a})",
    "log1p": "{g} / (1 + {a})", "expm1": "{g} * exp({a})", "square": "{g} * 2 * ({a})",
}  # fmt: skip


class Parts:
    """The source of a function: `locals` by name as text, the text of its `value`, the name of its `output`, the
    `body` of lines before its result, and if it has a rule, the texts of that; None for one beyond the language.
    """

    def __init__(self, f: Callable[..., Any], params: list[str], variables: Sequence[str] = ()) -> None:
        self.params, self.variables, self.output = params, variables, ""
        self.locals: dict[str, str] = {}
        self.rules: list[str] | None = None
        custom = isinstance(f, CustomGradient)
        node = _node(f.f if isinstance(f, CustomGradient) else f)
        body = [ast.Return(node.body)] if isinstance(node, ast.Lambda) else [*node.body]
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]
        if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
            raise Unread("it does not end with a return")
        result: Any = body[-1].value
        inner = {s.name: s for s in body if isinstance(s, ast.FunctionDef)}
        rule: Any = None
        if custom:
            if not isinstance(result, ast.Tuple) or len(result.elts) != 2:
                raise Unread("it does not return a value and a rule side by side")
            result, rule = result.elts
            if isinstance(rule, ast.Name):
                rule = inner.get(rule.id)
                inner = {name: s for name, s in inner.items() if s is not rule}
        body = [s for s in body[:-1] if s is not rule]
        if any(isinstance(n, ast.Return) for s in body for n in ast.walk(s) if s not in inner.values()):
            raise Unread("it returns at several places")
        self.body, self.result = [ast.unparse(s) for s in body], result
        changed = [n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        for s in body:
            if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
                name, text = s.targets[0].id, ast.unparse(s.value)
                fresh = changed.count(name) == 1 and name not in params and name not in (*TAKES, "mg", "upstream")
                if fresh and self.readable(text):
                    self.locals[name] = text
        taken = {*params, *changed, *inner}
        self.output = result.id if isinstance(result, ast.Name) and result.id not in params else ""
        self.output = self.output or next(n for n in ("y", "result", "value", "result_") if n not in taken)
        self.value = self.locals.pop(self.output, "") or ast.unparse(result)
        if custom:
            self.rules = self.own_rules(rule)

    def readable(self, text: str) -> bool:
        names = {name: {"cell": 0, "type": "f", "shape": []} for name in [*self.params, "upstream", self.output]}
        return not Rule(text, {**names, **{k: {"text": v} for k, v in self.locals.items()}}, 0).error

    def own_rules(self, rule: Any) -> list[str] | None:
        """The texts of the rule that the author wrote, one for each input; None if they are beyond the language."""
        if isinstance(rule, ast.FunctionDef) and len(rule.body) == 1 and isinstance(rule.body[0], ast.Return):
            expression = rule.body[0].value
        elif isinstance(rule, ast.Lambda):
            expression = rule.body
        else:
            return None
        taken = [argument.arg for argument in [*rule.args.args, *rule.args.kwonlyargs]]
        if taken[1:] not in ([], ["variables"]) or expression is None:
            return None
        expression = copy.deepcopy(expression)
        for n in ast.walk(expression):
            if isinstance(n, ast.Name) and n.id == taken[0]:
                n.id = "upstream"
        each = self.gradients(expression)
        texts = [ast.unparse(one) for one in each]
        return texts if len(texts) == len(self.params) and all(map(self.readable, texts)) else None

    def gradients(self, expression: Any) -> list[Any]:
        """The expressions of a rule's result, a Variable last; the order of several Variables is not known."""
        each = expression.elts if isinstance(expression, ast.Tuple) else [expression]
        if not self.variables:
            return list(each)
        if len(each) != 2 or len(self.variables) > 1:
            return []
        inputs, own = (e.elts if isinstance(e, (ast.Tuple, ast.List)) else [e] for e in each)
        return [*inputs, *own]

    def derived(self, name: str) -> str:
        """The derived rule for an input as a text; "" if there is none, or only a long one."""
        text = derived_of(ast.parse(self.value, mode="eval").body, name, self.locals)
        return text if len(text) <= SHORT and self.readable(text) else ""


class Unread(Exception):
    """Raised if a source goes beyond the language."""


def _node(f: Callable[..., Any]) -> Any:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(f)))
    except (OSError, TypeError, SyntaxError) as error:
        raise Unread("its source is not known") from error
    code = getattr(f, "__code__", None)
    if code is None:
        raise Unread("its source is not known")
    names = [*code.co_varnames[: code.co_argcount]]
    kind = ast.Lambda if code.co_name == "<lambda>" else ast.FunctionDef
    some = [n for n in ast.walk(tree) if isinstance(n, kind) and [a.arg for a in n.args.args] == names]
    if len(some) != 1:
        raise Unread("its source is not clear")
    return some[0]


def derived_of(value: ast.expr, name: str, local: Mapping[str, str] | None = None) -> str:
    """The message back to a name, as a text; "" if there is none or the expression is beyond the language.

    local : other names in the expression, by their texts.
    """
    terms: list[str] = []
    try:
        _backwards(value, "upstream", name, local or {}, terms)
    except Unread:
        return ""
    return " + ".join(terms)


def _backwards(node: Any, g: str, name: str, local: Mapping[str, str], terms: list[str]) -> None:
    """Add what arrives at `name` if `g` arrives at an expression, as texts."""
    go = lambda part, text: _backwards(part, text, name, local, terms)
    if len(g) > 2 * SHORT:
        raise Unread("the rule is long")
    match node:
        case ast.Name(id):
            if id == name:
                terms.append(g)
            elif id in local:
                go(ast.parse(local[id], mode="eval").body, g)
        case ast.Constant():
            pass
        case ast.UnaryOp(ast.USub(), a):
            go(a, f"-{g}")
        case ast.BinOp(a, ast.Add(), b):
            go(a, g)
            go(b, g)
        case ast.BinOp(a, ast.Sub(), b):
            go(a, g)
            go(b, f"-{g}")
        case ast.BinOp(a, ast.Mult(), b) if ast.dump(a) == ast.dump(b):
            go(a, f"{g} * 2 * {_inside(a)}")
        case ast.BinOp(a, ast.Mult(), b):
            go(a, f"{g} * {_inside(b)}")
            go(b, f"{g} * {_inside(a)}")
        case ast.BinOp(a, ast.Div(), b):
            go(a, f"{g} / {_inside(b)}")
            go(b, f"-{g} * {_inside(a)} / {_inside(b)} ** 2")
        case ast.BinOp(a, ast.Pow(), ast.Constant(value=int() | float() as n)):
            go(a, f"{g} * {n} * {_inside(a)} ** {n - 1}" if n != 2 else f"{g} * 2 * {_inside(a)}")
        case ast.Call(f, [condition, a, b]) if _word(f) == "where":
            test = ast.unparse(condition).replace("mg.", "")
            go(a, f"where({test}, {g}, 0)")
            go(b, f"where({test}, 0, {g})")
        case ast.Call(f, [a]):
            word = _word(f)
            slope = "{g}" if word in ("sum", "reduce_sum") else SLOPES.get(word)
            if slope is None:
                raise Unread(f"{word} is beyond the language")
            text = ast.unparse(node)
            known_exp = next((key for key, text_of in local.items() if text_of == text), "") if word == "exp" else ""
            go(a, f"{g} * {known_exp}" if known_exp else slope.format(g=g, a=ast.unparse(a).replace("mg.", "")))
        case _:
            raise Unread("it is beyond the language")


def _word(f: ast.expr) -> str:
    """The name of a called function, without `mg.`."""
    return f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "")


def _inside(node: ast.expr) -> str:
    text = ast.unparse(node).replace("mg.", "")
    return text if isinstance(node, (ast.Name, ast.Constant, ast.Call)) else f"({text})"


def opening(
    f: Callable[..., Any],
    name: str,
    arguments: Mapping[str, Any],
    y: Any,
    derived: Any,
    variables: Sequence[str] = (),
) -> dict[str, Any]:
    """The data a page needs for the rule of `f`: the names, a text for each input, and its copy as Python.

    name : name of the function. y, derived : its result, with its rule if it has one, and without. variables : the last
        of
        the arguments, which are Variables of the function. In the result, `cannot` is a sentence if a rule cannot be
        tried on the page; otherwise `inputs` are rows [name, text], with no text for an input without a gradient;
        `output` is the name of the result, `locals` other names as texts, `note` a sentence on the initial text of the
        field, and `copy` the Python around it.
    """
    params, tensors = (
        [*arguments],
        {k: x for k, x in arguments.items() if isinstance(x, Tensor) and x.dtype.kind == "f"},
    )
    behind = {t.serial for t in ancestors([derived])} if isinstance(derived, Tensor) else set()
    floats = [key for key, x in tensors.items() if x.serial in behind]
    graph = ancestors([y]) if isinstance(y, Tensor) else ()
    others = any((isinstance(t, Variable) and t.trainable) or getattr(t.op, "variables", None) for t in graph)
    large = [f"{key} has {x.size}" for key, x in tensors.items() if x.size > MOST]
    reason = (
        "a function with several results"
        if not isinstance(y, Tensor)
        else "the arrays inside a dict or a tuple"
        if any(is_structure(x) for x in arguments.values())
        else f"the Variables of two rules side by side; viz.backward(f, ..., mode='rule') has fields for {named}"
        if others and not variables and (named := ", ".join(variables_of(f)))
        else "a Variable that the function does not call by a name of its own"
        if others
        else f"more than {MOST} entries: {large[0]}"
        if large
        else "an input that is called like a part of the language"
        if any(key in (*TAKES, "upstream", "mg") for key in params)
        else "inputs that no gradient reaches"
        if not floats
        else ""
    )
    if reason:
        return {"cannot": f"A rule cannot be tried here for {reason}. {INSTEAD}"}
    try:
        parts = Parts(f, params, variables)
    except Unread as reason:
        parts, why = None, str(reason)
    custom = isinstance(f, CustomGradient)
    note, texts = "", dict[str, str]()
    if parts and parts.rules:
        texts, note = dict(zip(params, parts.rules)), "The field opens with the rule that the function has."
    else:
        if custom:
            note = f"The rule of the function is not one expression of this language{'' if parts else ': ' + why}. "
        for key in floats:
            texts[key] = (parts.derived(key) if parts else "") or _simple(arguments[key], y, key)
        note += "The field opens with a rule to begin with." if custom else ""
        if parts and all(parts.derived(key) for key in floats):
            note = note.replace("a rule to begin with", "the derived rule")
    return {
        "inputs": [[key, texts[key] if key in floats else None] for key in params],
        "output": parts.output if parts else "y" if "y" not in params else "result_",
        "locals": parts.locals if parts else {},
        "note": note,
        "copy": _around(f, name, [key for key in params if key not in variables], parts, variables),
        "variables": [*variables],
    }


def _simple(x: Tensor, y: Tensor, name: str) -> str:
    """A rule that has the shape of a gradient of `x`, to begin with."""
    return "upstream * 1" if x.shape == y.shape else f"upstream + 0 * {name}"


def _around(f: Any, name: str, params: list[str], parts: Parts | None, variables: Sequence[str] = ()) -> list[str]:
    """The Python before and after the rules. A function whose source is not known is called by its name."""
    named = name.isidentifier()
    title = (name if parts else f"{name}_with_rule") if named else "f"
    lines = ["import minigrad as mg", "", "", "@mg.custom_gradient", f"def {title}({', '.join(params)}):"]
    for key, parameter in inspect.signature(getattr(f, "f", f)).parameters.items():
        if key not in (*params, *variables) and parameter.default is not parameter.empty:
            lines.append(f"    {key} = {parameter.default!r}")
    if parts:
        output = parts.output
        lines += [textwrap.indent(line, "    ") for line in parts.body if not line.startswith(f"{output} = ")]
        lines.append(f"    {output} = {parts.value}")
    else:
        output = "y" if "y" not in params else "result_"
        called = f"mg.{name}" if str(getattr(f, "__module__", "")).startswith("minigrad.") else name
        call = f"{called}({', '.join(params)})  # the function whose rule this replaces"
        lines.append(
            f"    {output} = " + (call if named else "...  # write the function here: its source is not known")
        )
    lines += ["", f"    def rule(upstream{', variables=None' * bool(variables)}):", "        return "]
    return ["\n".join(lines), f"\n\n    return {output}, rule\n"]
