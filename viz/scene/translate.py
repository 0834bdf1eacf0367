"""Translate the files of this folder, of viz/rule and of viz/sentences to JavaScript: `python -m viz.scene.translate`.

This writes seven files to viz/static: scene.js, rates.js, stretch.js and wiggle.js come from this folder; measured.js
and rule.js (the language and the verdict of rules) come from viz/rule, and compared.js from viz/sentences.

Each kind of statement and expression in those files has a line or two here; any other kind raises an error. With
pscript, which covers all of Python, each saved cell would contain 19 kB of compressed code, about twice as
much as with this file.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

HERE = Path(__file__).parent
STATIC = HERE.parent / "static"
#: The files of each piece of JavaScript, in the order in which the pieces are loaded.
FILES = {
    "scene": (
        "order",
        "rows",
        "reading",
        "fit",
        "words",
        "ink",
        "sheet",
        "boxes",
        "lines",
        "drawn_frames",
        "scene",
    ),
    "rates": ("rates",),
    "wiggle": ("wiggle",),
    "stretch": ("stretch",),
    "measured": ("../rule/measured",),
    "compared": ("../sentences/compared",),
    "rule": (
        "../rule/language",
        "../rule/constant_folding",
        "../rule/tokens",
        "../rule/grammar",
        "../rule/explained",
        "../model/tolerance",
        "../rule/rule_verdict",
    ),
}
#: Piece -> the names that it exports. A piece with its own namespace exports `ruling.NAME`, or only its single name.
OFFERED = {
    "measured": ("measured",),
    "compared": ("compared",),
    "rule": (
        "Rule",
        "NARROWED",
        "ROOM",
        "SAMPLES",
        "doubt",
        "functions",
        "judged",
        "misfit",
        "moved",
        "narrowed",
        "outside",
        "placed",
        "reason",
        "right_slopes",
        "span",
        "word_of",
    ),
}
FIRST = "// Made from viz/scene/*.py by `python -m viz.scene.translate`: change those.\n"
MATH = "const { abs, floor, log10, max, min, trunc } = Math;\n"  #: first line of the first piece and each namespace

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.Pow: "**", ast.USub: "-",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "===", ast.NotEq: "!==",
    ast.And: "&&", ast.Or: "||", ast.Not: "!",
}  # fmt: skip
NAMES = {"True": "true", "False": "false", "self": "this", "inf": "Infinity", "nan": "NaN"}
CALLS = {
    "len": "{}.length", "int": "trunc({})", "float": "Number({})", "str": "String({})",
    "sum": "{}.reduce((a, b) => a + b, 0)", "ord": "{}.codePointAt(0)", "reversed": "{}.slice().reverse()",
    "list": "Object.keys({})",
}  # fmt: skip
METHODS = {
    "append": "{0}.push({1})", "pop": "{0}.pop()", "insert": "{0}.splice({1}, 0, {2})", "get": "({0}[{1}] ?? {2})",
    "join": "{1}.join({0})", "replace": "{0}.replaceAll({1}, {2})", "split": "{0}.split({1})",
    "endswith": "{0}.endsWith({1})", "rfind": "{0}.lastIndexOf({1})", "sort": "{0}.sort((a, b) => {1}(a) - {1}(b))",
    "find": "{0}.indexOf({1})", "index": "{0}.indexOf({1})", "upper": "{0}.toUpperCase()",
}  # fmt: skip


class Translator:
    """Translates the statements and expressions of one module into JavaScript."""

    def __init__(self, classes: set[str]) -> None:
        self.classes = classes

    def statement(self, node: ast.stmt) -> str:
        name = type(node).__name__.lower()
        made = getattr(self, name, None) or getattr(self, f"{name}_", None)
        if made is None:
            raise NotImplementedError(f"line {node.lineno}: {ast.unparse(node)}")
        text: str = made(node)
        return text

    def block(self, body: list[ast.stmt]) -> str:
        return "{\n" + "".join(self.statement(node) for node in body) + "}\n"

    def importfrom(self, node: ast.ImportFrom) -> str:
        return ""

    def classdef(self, node: ast.ClassDef) -> str:
        methods = "".join(self.function(f) for f in node.body if isinstance(f, ast.FunctionDef))
        return f"class {node.name} {{\n{methods}}}\n"

    def functiondef(self, node: ast.FunctionDef) -> str:
        return "function " + self.function(node)

    def function(self, node: ast.FunctionDef) -> str:
        arguments = [argument.arg for argument in node.args.args if argument.arg != "self"]
        arguments += [f"...{node.args.vararg.arg}"] if node.args.vararg else []
        targets = [t for n in ast.walk(node) if isinstance(n, ast.Assign) for t in n.targets]
        targets += [n.target for n in ast.walk(node) if isinstance(n, (ast.AnnAssign, ast.AugAssign))]
        stored = {
            n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        names = sorted(stored - {*arguments})
        first = f"let {', '.join(names)};\n" if names else ""
        name = "constructor" if node.name == "__init__" else node.name
        return f"{name}({', '.join(arguments)}) {{\n{first}{''.join(map(self.statement, node.body))}}}\n"

    def expr(self, node: ast.Expr) -> str:
        return "" if isinstance(node.value, ast.Constant) else f"{self(node.value)};\n"

    def assign(self, node: ast.Assign) -> str:
        target, value = node.targets[0], node.value
        if node.col_offset:
            return f"{self(target)} = {self(value)};\n"
        pairs = zip(target.elts, value.elts) if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) else ()
        return "".join(f"const {self(a)} = {self(b)};\n" for a, b in (pairs or [(target, value)]))

    def annassign(self, node: ast.AnnAssign) -> str:
        return f"{self(node.target)} = {self(node.value)};\n" if node.value else ""

    def augassign(self, node: ast.AugAssign) -> str:
        return f"{self(node.target)} {OPERATORS[type(node.op)]}= {self(node.value)};\n"

    def return_(self, node: ast.Return) -> str:
        return f"return {self(node.value)};\n" if node.value else "return;\n"

    def if_(self, node: ast.If) -> str:
        otherwise = f"else {self.block(node.orelse)}" if node.orelse else ""
        return f"if ({self(node.test)}) {self.block(node.body)}{otherwise}"

    def while_(self, node: ast.While) -> str:
        return f"while ({self(node.test)}) {self.block(node.body)}"

    def for_(self, node: ast.For) -> str:
        target, over = self(node.target), node.iter
        if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "range":
            start, end, *step = [self(a) for a in over.args] if len(over.args) > 1 else ["0", self(over.args[0])]
            if step:
                raise NotImplementedError(f"line {node.lineno}: a range with a step")
            return f"for (let {target} = {start}; {target} < {end}; {target}++) {self.block(node.body)}"
        return f"for (const {target} of {self.iterated(over)}) {self.block(node.body)}"

    def continue_(self, node: ast.Continue) -> str:
        return "continue;\n"

    def break_(self, node: ast.Break) -> str:
        return "break;\n"

    def iterated(self, node: ast.expr) -> str:
        """Translate the iterable of a loop to an array."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "range":
                return f"[...Array({self(node.args[0])}).keys()]"
            if node.func.id == "enumerate":
                return f"[...{self(node.args[0])}.entries()]"
        return self(node)

    def __call__(self, node: ast.expr) -> str:
        """Translate an expression, with parentheses if needed."""
        match node:
            case ast.Name(id):
                return NAMES.get(id, id)
            case ast.Constant(value):
                return (
                    "null"
                    if value is None
                    else str(value).lower()
                    if isinstance(value, bool)
                    else json.dumps(value, ensure_ascii=False)
                )
            case ast.Attribute(value, attr):
                return f"{self(value)}.{attr}"
            case ast.Subscript(value, ast.Slice(lower, upper)):
                return (
                    f"{self(value)}.slice({', '.join(self(end) for end in (lower or ast.Constant(0), upper) if end)})"
                )
            case ast.Subscript(value, ast.Constant(str(key))) if key.isidentifier():
                return f"{self(value)}.{key}"
            case ast.Subscript(value, key):
                return f"{self(value)}[{self(key)}]"
            case ast.Starred(value):
                return f"...{self(value)}"
            case ast.List(elts) | ast.Tuple(elts):
                return f"[{', '.join(map(self, elts))}]"
            case ast.Dict(keys, values):
                return (
                    "{"
                    + ", ".join(f"{self(k)}: {self(v)}" if k else f"...{self(v)}" for k, v in zip(keys, values))
                    + "}"
                )
            case ast.Starred(value):
                return f"...{self(value)}"
            case ast.Lambda(arguments, body):
                return f"(({', '.join(a.arg for a in arguments.args)}) => {self(body)})"
            case ast.BinOp(left, ast.FloorDiv(), right):
                return f"floor({self(left)} / {self(right)})"
            case ast.BinOp(ast.Constant(str()) as left, ast.Add(), ast.Call(ast.Name("str"), [right])):
                return f"({self(left)} + {self(right)})"
            case ast.BinOp(left, op, right):
                return f"({self(left)} {OPERATORS[type(op)]} {self(right)})"
            case ast.UnaryOp(op, operand):
                return f"{OPERATORS[type(op)]}{self(operand)}"
            case ast.BoolOp(op, values):
                return f"({f' {OPERATORS[type(op)]} '.join(map(self, values))})"
            case ast.Compare(left, [ast.In() | ast.NotIn() as op], [right]):
                return f"{'!' * isinstance(op, ast.NotIn)}{self(right)}.includes({self(left)})"
            case ast.Compare(left, [ast.Is() | ast.IsNot() as op], [ast.Constant(None)]):
                return f"({self(left)} {'==' if isinstance(op, ast.Is) else '!='} null)"
            case ast.Compare(left, [op], [right]):
                return f"({self(left)} {OPERATORS[type(op)]} {self(right)})"
            case ast.IfExp(test, body, orelse):
                return f"({self(test)} ? {self(body)} : {self(orelse)})"
            case ast.JoinedStr(values):
                return "`" + "".join(self.piece(value) for value in values) + "`"
            case ast.ListComp(elt, [ast.comprehension(target, over, tests)]):
                name, some = self(target), self.iterated(over)
                kept = "".join(f".filter(({name}) => {self(test)})" for test in tests)
                return f"{some}{kept}" if self(elt) == name else f"{some}{kept}.map(({name}) => {self(elt)})"
            case ast.DictComp(key, value, [ast.comprehension(target, over, [])]):
                return (
                    f"Object.fromEntries({self.iterated(over)}.map(({self(target)}) => [{self(key)}, {self(value)}]))"
                )
            case ast.Call():
                return self.call(node)
        raise NotImplementedError(f"line {node.lineno}: {ast.unparse(node)}")

    def piece(self, node: ast.expr) -> str:
        """Translate a part of a formatted string."""
        if isinstance(node, ast.FormattedValue):
            return "${" + self(node.value) + "}"
        return str(node.value) if isinstance(node, ast.Constant) else ""

    def call(self, node: ast.Call) -> str:
        arguments = [self(argument) for argument in [*node.args, *(k.value for k in node.keywords)]]
        if isinstance(node.func, ast.Name):
            name = node.func.id
            if name in ("min", "max"):
                return f"{name}({', '.join(arguments) if len(arguments) > 1 else '...' + arguments[0]})"
            if name in CALLS:
                return CALLS[name].format(*arguments)
            return f"{'new ' if name in self.classes else ''}{name}({', '.join(arguments)})"
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            arguments += ["null"] * (node.func.attr == "get" and len(arguments) == 1)
            return METHODS[node.func.attr].format(self(node.func.value), *arguments)
        return f"{self(node.func)}({', '.join(arguments)})"


def translated(name: str = "scene") -> str:
    """Return the files of one piece as JavaScript."""
    trees = [ast.parse((HERE / f"{file}.py").read_text(encoding="utf-8")) for file in FILES[name]]
    translate = Translator({node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)})
    code = "".join(translate.statement(node) for tree in trees for node in tree.body)
    if name in OFFERED:
        # Keys are looked up by words that readers type, such as "constructor", so objects must not inherit any.
        code = re.sub(r"(?m)^(const \w+ = {)", r"\1__proto__: null, ", code)
        one = OFFERED[name] == (name,)
        offered = name if one else f"{{ {', '.join(OFFERED[name])} }}"
        code = f"const {name if one else 'ruling'} = (() => {{\n{MATH}{code}return {offered};\n}})();\n"
    return FIRST + MATH * (name == "scene") + re.sub(r"\n}\nelse", "\n} else", code)


if __name__ == "__main__":
    for name in FILES:
        (STATIC / f"{name}.js").write_text(translated(name), encoding="utf-8")
