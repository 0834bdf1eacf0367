"""The parts of a function's source: its names, the code of its results, its own rule and its derived rule."""

from __future__ import annotations

import ast
import copy
import inspect
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minigrad.core.custom import CustomGradient

from .grammar import Rule
from .language import TAKES
from .variables import content_of

SHORT = 70  #: maximum number of characters of a derived rule in a field's initial content
#: Function -> the product of the upstream gradient `g` and the slope for the argument `a`, as text.
SLOPES = {
    "exp": "{g} * exp({a})", "log": "{g} / ({a})", "sqrt": "{g} / (2 * sqrt({a}))", "sin": "{g} * cos({a})",
    "tanh": "{g} * (1 - tanh({a}) ** 2)", "cos": "{g} * -sin({a})", "abs": "{g} * sign({a})",
    "sigmoid": "{g} * sigmoid({a}) * (1 - sigmoid({a}))", "softplus": "{g} * sigmoid({a})",
    "log1p": "{g} / (1 + {a})", "expm1": "{g} * exp({a})", "square": "{g} * 2 * ({a})",
}  # fmt: skip


class Parts:
    """The parts of a function's source code. Raises Unread if the code cannot be divided in this way.

    f : the function. params : the names of its arguments. count : the number of results, or 0 for one result without a
        tuple. The attribute `locals` maps local names to their expressions; `names`, `upstreams` and `values` describe
        the results; `body` has the lines before the return, and `returned` is the returned expression. `constants` has
        the plain values that the body needs: defaults, and names of the function around it. `rules` has the text of the
        function's own rule for each input (None if the language cannot write it), if it has a rule.
    """

    def __init__(self, f: Callable[..., Any], params: list[str], variables: Sequence[str] = (), count: int = 0) -> None:
        self.params, self.variables = params, variables
        self.locals: dict[str, str] = {}
        self.rules: list[str] | None = None
        custom = isinstance(f, CustomGradient)
        plain = f.f if isinstance(f, CustomGradient) else f
        node = _node(plain)
        self.constants = constants_of(plain, [*params, *variables])
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
        each = result.elts if count and isinstance(result, (ast.Tuple, ast.List)) else [result]
        if len(each) != (count or 1) or (count and each == [result]):
            raise Unread("its results are not written side by side")
        body = [s for s in body[:-1] if s is not rule]
        if any(isinstance(n, ast.Return) for s in body for n in ast.walk(s) if s not in inner.values()):
            raise Unread("it returns at several places")
        changed = [name for part in (*body, *each) for name in assigned(part)]
        if again := [name for name in params if name in changed]:
            raise Unread(f"it assigns {again[0]} again")
        taken = [*params, *changed, *inner]
        self.names = names_of(each, taken, params, count)
        self.upstreams = upstreams_of(self.names, count)
        self.visible = [*params, *self.upstreams, *(name for name in self.names if changed.count(name) < 2)]
        for s in body:
            if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
                name, text = s.targets[0].id, ast.unparse(s.value)
                fresh = changed.count(name) == 1 and name not in params and name not in (*TAKES, "mg", *self.upstreams)
                if fresh and self.readable(text):
                    self.locals[name] = text
        self.texts: dict[str, str | None] = {**dict.fromkeys(changed), **self.locals}
        self.values = [self.locals.pop(name, "") or ast.unparse(one) for name, one in zip(self.names, each)]
        lines = [ast.unparse(s) for s in body]
        self.body = lines + [f"{name} = {text}" for name, text in zip(self.names, self.values) if name not in taken]
        together = ", ".join(self.names) + "," * (count == 1)
        self.returned = (f"[{together}]" if isinstance(result, ast.List) else f"({together})") if count else together
        if custom:
            self.rules = self.own_rules(rule)

    def readable(self, text: str) -> bool:
        names = {name: {"cell": 0, "type": "f", "shape": []} for name in self.visible}
        return not Rule(text, {**names, **{k: {"text": v} for k, v in self.locals.items()}}, 0).error

    def own_rules(self, rule: Any) -> list[str] | None:
        """Return the text of the author's rule for each input, or None if the language cannot write the rule."""
        if isinstance(rule, ast.FunctionDef) and len(rule.body) == 1 and isinstance(rule.body[0], ast.Return):
            expression = rule.body[0].value
        elif isinstance(rule, ast.Lambda):
            expression = rule.body
        else:
            return None
        taken, count = [argument.arg for argument in [*rule.args.args, *rule.args.kwonlyargs]], len(self.upstreams)
        if len(taken) < count or taken[count:] not in ([], ["variables"]) or expression is None:
            return None
        expression, called = copy.deepcopy(expression), dict(zip(taken, self.upstreams))
        for n in ast.walk(expression):
            if isinstance(n, ast.Name):
                n.id = called.get(n.id, n.id)
        each = self.gradients(expression)
        texts = [ast.unparse(one) for one in each]
        return texts if len(texts) == len(self.params) and all(map(self.readable, texts)) else None

    def gradients(self, expression: Any) -> list[Any]:
        """Return the expressions in a rule's result; the gradient of a Variable comes last.

        Several Variables are not supported, because their order is not known.
        """
        each = expression.elts if isinstance(expression, ast.Tuple) else [expression]
        if not self.variables:
            return list(each)
        if len(each) != 2 or len(self.variables) > 1:
            return []
        inputs, own = (e.elts if isinstance(e, (ast.Tuple, ast.List)) else [e] for e in each)
        return [*inputs, *own]

    def derived(self, name: str) -> str:
        """Return the derived rule for an input as text, or "" if there is none or if the text is too long."""
        values = [ast.parse(text, mode="eval").body for text in self.values]
        text = derived_of(dict(zip(self.upstreams, values)), name, self.texts)
        return text if len(text) <= SHORT * len(values) and self.readable(text) else ""


def names_of(each: Sequence[Any], taken: Sequence[str], params: Sequence[str], count: int) -> list[str]:
    """Return a name for each result: its variable in the function if it is one, else a new name such as "y0".

    each : the expressions of the results, or None for each. taken, params : names that new names must avoid, and the
        function's arguments. count : as for `Parts`.
    """
    own_names = {*taken} - {*params, *TAKES}
    called = [one.id if isinstance(one, ast.Name) and one.id in own_names else "" for one in each]
    if not count:
        return [called[0] or next(n for n in ("y", "result", "value", "result_") if n not in taken)]
    names = list[str]()
    for k, name in enumerate(called):
        own = name and name not in names
        names.append(name if own else next(n for n in (f"y{k}", f"result{k}", f"result_{k}") if n not in taken))
    return names


def upstreams_of(names: Sequence[str], count: int) -> list[str]:
    """Return the names of the upstream gradients: "upstream_y" for a result y, or "upstream" if `count` is 0."""
    return [f"upstream_{name}" for name in names] if count else ["upstream"]


class Unread(Exception):
    """Raised if source code cannot be read as a rule; the message is the reason."""


def assigned(part: ast.AST) -> list[str]:
    """Return the names that a part of a program assigns or deletes, once for each time."""
    names = list[str]()
    for n in ast.walk(part):
        if isinstance(n, ast.Name):
            names += [n.id] * (not isinstance(n.ctx, ast.Load))
        else:  # def, class, import, except, case
            fields = [getattr(n, field, None) for field in ("asname", "name", "rest")]
            names += [name.partition(".")[0] for name in fields if isinstance(name, str)][:1]
    return names


def constants_of(f: Callable[..., Any], params: Sequence[str]) -> dict[str, Any]:
    """Return the values of a function's defaults and closure that a copy of its body needs, by name.

    params : names to leave out. Raises Unread if a value is not a plain number or a text.
    """
    if inspect.ismethod(f):
        raise Unread("it is a method")
    parameters, code = inspect.signature(f).parameters, getattr(f, "__code__", None)
    around = zip(code.co_freevars if code else (), getattr(f, "__closure__", None) or ())
    values = {key: one.default for key, one in parameters.items() if one.default is not one.empty}
    values |= {key: content_of(cell) for key, cell in around}
    values = {key: value for key, value in values.items() if key not in params}
    for key, value in values.items():
        if type(value) not in (bool, int, float, str) or value != value or value in (math.inf, -math.inf):
            raise Unread(f"code cannot repeat {key}")
    return values


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


def derived_of(values: Mapping[str, ast.expr], name: str, local: Mapping[str, str | None] | None = None) -> str:
    """Differentiate expressions: return the gradient that arrives at the variable `name`, as text.

    Returns "" if no gradient arrives or the language cannot write it.

    values : the expression of each result, by the name of its upstream gradient. local : name -> the text of its
        expression, or None if the language cannot write it.
    """
    terms: list[str] = []
    try:
        for upstream, value in values.items():
            _backwards(value, upstream, name, local or {}, terms)
    except Unread:
        return ""
    return " + ".join(terms)


def _backwards(node: Any, g: str, name: str, local: Mapping[str, str | None], terms: list[str]) -> None:
    """Send the gradient `g` (text) back through the expression `node`; append what arrives at `name` to `terms`."""
    go = lambda part, text: _backwards(part, text, name, local, terms)
    if len(g) > 2 * SHORT:
        raise Unread("the rule is long")
    match node:
        case ast.Name(id):
            text = local.get(id, "")
            if text is None:
                raise Unread(f"{id} is beyond the language")
            if id == name:
                terms.append(g)
            elif text:
                go(ast.parse(text, mode="eval").body, g)
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
    """Return the name of a called function, without `mg.`."""
    return f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "")


def _inside(node: ast.expr) -> str:
    text = ast.unparse(node).replace("mg.", "")
    return text if isinstance(node, (ast.Name, ast.Constant, ast.Call)) else f"({text})"
