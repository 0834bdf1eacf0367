"""Write repairs in another framework's code, with the names that the user's file imports."""

from __future__ import annotations

import ast
import functools
import importlib
import linecache
import math
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.tensor import Tensor
from ..diagnostics.domains import op_of
from ..diagnostics.edit_spelling import Dialect
from ..diagnostics.edits import Edit, edited
from ..diagnostics.patterns import BINARY, NAMES, options_of
from ..diagnostics.user_expressions import Span, source_of, span_of
from .rebuilt_program import Differs

LAYER: list[int | str | None] = ["layer"]
#: A framework's name for an op -> minigrad's name for it.
ALIASES = {
    "neg": "negative", "sub": "subtract", "mul": "multiply", "div": "divide", "real_div": "divide", "pow": "power",
    "true_divide": "divide", "abs": "absolute", "logistic": "sigmoid", "expit": "sigmoid", "asin": "arcsin",
    "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "atan2": "arctan2",
    "lgamma": "gammaln", "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal", "is_finite": "isfinite", "is_nan": "isnan", "is_inf": "isinf", "and": "logical_and",
    "or": "logical_or", "not": "logical_not", "add_v2": "add", "bias_add": "add", "select": "where",
    "select_v2": "where", "clip_by_value": "clip", "amax": "max", "amin": "min",
}  # fmt: skip


def elementwise(name: str) -> Any:
    """Return the function of an elementwise op, given one of its names, or None for any other name."""
    op = OPS.get(ALIASES.get(name, name))
    return op.call if op is not None and op.elementwise else None


#: Ops that change shapes, as functions of a framework's array module `m`. No repair contains them.
SHAPES: dict[str, Callable[..., Any]] = {
    "getitem": lambda m, x, k: x[k], "identity": lambda m, x: x, "copy": lambda m, x: x, "output": lambda m, x, i: x[i],
    "reshape": lambda m, x, s: m.reshape(x, s), "broadcast_to": lambda m, x, s: m.broadcast_to(x, s),
    "squeeze": lambda m, x, axis=None: m.squeeze(x, axis), "expand_dims": lambda m, x, a: m.expand_dims(x, a),
    "transpose": lambda m, x, axes=None: m.transpose(x, axes), "swapaxes": lambda m, x, a, b: m.swapaxes(x, a, b),
    "concatenate": lambda m, *xs, axis=0: m.concat(xs, axis), "stack": lambda m, *xs, axis=0: m.stack(xs, axis),
    "einsum": lambda m, *xs, subscripts: m.einsum(subscripts, *xs), "astype": lambda m, x, dtype: x.astype(dtype),
}  # fmt: skip
#: Ops whose options have different names in the frameworks and are therefore written by position.
POSITIONAL = {"transpose", "broadcast_to", "swapaxes", "einsum"}
#: Ops that each framework writes in its own way. A repair shows `...` instead of such an op.
UNWRITTEN = {"astype", "flip", "roll"}
SIGNS = {name: sign for sign, name in BINARY.items()} | {"matmul": ast.MatMult}


class Spelling(Dialect):
    """A description of how minigrad's ops are written in a framework.

    hidden : serials of nodes without an expression in the user's code, because they are parts of one call.
    order : (span of a call, name of the op that it created) -> for each argument of the op, its position or keyword in
        the call; LAYER for a layer of one argument, as in `self.act(h)`.
    globals : file -> the global names that were defined when the file's lines ran.
    """

    has_options = True
    #: framework : the framework's key in `op.facts.names`. paths : names of ops that differ from `op.facts.names`.
    #: options : names of options that differ from minigrad's.
    framework = ""
    paths: Mapping[str, str] = {}
    options: Mapping[str, str] = {}
    #: lowered : functions that are lowered to other ops. unlike : functions that differ from the op of the same name.
    lowered: Mapping[str, tuple[str, ...]] = {}
    unlike: Mapping[str, str] = {}
    #: Functions that have no slope in the framework where their value is 0.
    without_slope_at_0: frozenset[str] = frozenset()
    #: Ops that change shapes, for a framework whose functions differ from those in SHAPES.
    shapes: Mapping[str, Callable[..., Any]] = {}
    #: Full name of a module -> its usual alias, which is used if the user's file is not known.
    roots: Mapping[str, str] = {}

    def __init__(self) -> None:
        self.expressions: dict[int, ast.expr] = {}
        self.hidden: set[int] = set()
        self.order: dict[tuple[Span | None, str], list[int | str | None]] = {}
        self.globals: dict[str, Mapping[str, Any]] = {}

    def path(self, name: str) -> str:
        """Return the full name of the function for an op, or "" if the framework has none."""
        name_there = self.paths.get(name) or (OPS[name].facts.names.get(self.framework, "") if name in OPS else "")
        return self.full(name_there) if name_there.replace(".", "").isidentifier() else ""

    def full(self, name: str) -> str:
        """Return a name from an op's declaration, preceded by its module."""
        return f"{next(iter(self.roots))}.{name}"

    @functools.cached_property
    def named(self) -> Mapping[str, str]:
        """Last part of the name of a framework's function -> minigrad's name for the op."""
        declared = {op.facts.names[self.framework].rpartition(".")[2]: op.name for op in reversed(OPS.values())
                 if self.framework in op.facts.names}  # fmt: skip
        same = {name: name for name in ("logsumexp", "std", "var", "norm")}
        return declared | {**ALIASES, **same, **self.unlike}

    def spelled(self, name: str, args: list[ast.expr], options: dict[str, Any], at: Any) -> ast.expr | None:
        """Return the expression of an op that needs a special form, or None if it is a call to `path(name)`.

        at : a function that takes a full name, as from `path`, and returns the user's name for it.
        """
        return None

    # Read the user's code.

    def span_of(self, node: Tensor) -> Span | None:
        return None if node.serial in self.hidden else span_of(node)

    def operands(self, e: ast.Call, node: Tensor) -> list[ast.expr] | None:
        if not hasattr(e, "lineno"):  # the expression was created by an edit
            return [e.func.value] if isinstance(e.func, ast.Attribute) else e.args
        span = span_of(node)
        order = self.order.get((span, node.op.name))
        if order is None or span is None:
            return None
        if order == LAYER:
            return e.args
        arguments = self.arguments(e, span)
        expressions = [arguments.get(i) if i is not None else None for i in order]
        plain = [ast.Constant(a) if isinstance(a, (bool, int, float)) else None for a in node.args]
        expressions = [e or constant for e, constant in zip(expressions, plain)]
        return None if any(e is None and isinstance(a, Tensor) for e, a in zip(expressions, node.args)) else expressions  # type: ignore

    def arguments(self, e: ast.Call, span: Span | None) -> dict[int | str, ast.expr]:
        """Return the arguments of a call by position or keyword; for a method call, the object comes first."""
        method = isinstance(e.func, ast.Attribute) and not (span and self.is_module(e.func.value, span[0]))
        args = [e.func.value, *e.args] if method and isinstance(e.func, ast.Attribute) else e.args
        return dict(enumerate(args)) | {w.arg: w.value for w in e.keywords if w.arg}

    def name_of(self, e: ast.Call, file: str) -> str:
        """Return the framework's name of a called function, which the user may have imported under another name."""
        name = called_by(e)
        full = {alias: path for path, alias in self.imported(file).items()}
        return full.get(name, name).rpartition(".")[2] if isinstance(e.func, ast.Name) else name

    def is_module(self, e: ast.expr, file: str) -> bool:
        """Return whether an expression before a dot is a module, such as `torch.nn.functional`, and not an array."""
        names, variables = self.imported(file), self.globals.get(file, {})
        while isinstance(e, ast.Attribute):
            e = e.value
        if not isinstance(e, ast.Name):
            return False
        return e.id in names.values() or isinstance(variables.get(e.id), (types.ModuleType, type))

    def imported(self, file: str) -> dict[str, str]:
        """Map the full names of the framework's modules and functions to their names in a file."""
        modules = (m for m in self.globals.get(file, {}).items() if isinstance(m[1], types.ModuleType))
        written, bound = _names_in(source_of(file).tree)
        aliases = {module.__name__: alias for alias, module in modules} | written
        ours = tuple(root.partition(".")[0] for root in self.roots)
        return {name: alias for name, alias in aliases.items() if name.partition(".")[0] in ours and alias not in bound}

    def calls_again(self, edits: Sequence[Edit]) -> Iterator[bool]:
        """Yield, for each edited file, whether the edits add calls to the user's functions or layers."""
        for file in {edit.file for edit in edits}:
            text, ours = "".join(linecache.getlines(file)), set(self.imported(file).values())

            def own(text: str, ours: set[str] = ours) -> int:
                calls = [e.func for e in ast.walk(ast.parse(text)) if isinstance(e, ast.Call)]
                names = [f.id for f in calls if isinstance(f, ast.Name)]
                layers = [f for f in calls if isinstance(f, ast.Attribute) and ast.unparse(f.value).startswith("self")]
                return sum(name not in ours for name in names) + len(layers)

            yield own(edited(text, [edit for edit in edits if edit.file == file])) > own(text)

    # Write the replacement.

    def modules(self, file: str, template: ast.expr) -> Any:
        names = self.imported(file)
        for node in ast.walk(template):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name = NAMES.get(node.func.id, node.func.id)
                if all(isinstance(a, ast.Constant) for a in node.args):
                    continue
                path = self.path(name)
                if not path or not _called(path, names):
                    return None
        return names

    def call(self, name: str, args: Sequence[ast.expr], options: Mapping[str, Any], modules: Any = "") -> ast.expr:
        name, args = NAMES.get(name, name), list(args)
        at = lambda path: ast.Name(_called(path, modules or self.roots) or path)
        if not options and all(isinstance(a, ast.Constant) for a in args) and name in OPS:
            return constant(round(float(OPS[name].fn(*[np.float64(a.value) for a in args])), 9))  # type: ignore
        options = {self.options.get(k, k): v for k, v in options.items() if v is not None and v is not False}
        made = self.spelled(name, args, options, at)
        if made is None:
            keywords = [ast.keyword(k, constant(v)) for k, v in options.items()]
            made = ast.Call(at(self.path(name) or name), args, keywords)
        return made

    def expression(self, node: Tensor, args: Sequence[ast.expr]) -> ast.expr | None:
        """Return the expression of a node's op with the operands `args`, or None if it cannot be written."""
        name, operands = op_of(node), len(node.op.vjps or node.args)
        if name in SIGNS and len(args) == 2:
            return ast.BinOp(args[0], SIGNS[name](), args[1])
        if name == "negative":
            return ast.UnaryOp(ast.USub(), args[0])
        options = options_of(node, operands)
        if any(not _is_plain(v) for v in options.values()) or not self.path(name) or name in UNWRITTEN:
            return None
        args = args[:operands]
        if name == "getitem":
            return ast.Subscript(args[0], constant(options["key"]))
        if name == "concatenate":
            args = [ast.List([*args])]
        elif name in POSITIONAL:
            positional = [constant(options.pop(k)) for k in [*options] if options[k] is not None]
            args = [*positional, *args] if name == "einsum" else [*args, *positional]
        return self.call(name, args, options)

    def in_line(self, node: Tensor, args: Sequence[ast.expr]) -> ast.expr | None:
        """Return the expression of a node in the user's line, or None if it cannot be written there."""
        return self.expression(node, args)

    def run(self, node: Tensor, args: Sequence[Any]) -> Any:
        """Compute a minigrad op in the framework, by the expression that a repair would contain.

        args : arrays of the framework, or constants.
        """
        modules = {alias: importlib.import_module(path) for path, alias in self.roots.items()}
        shape = self.shapes.get(node.op.name) or SHAPES.get(node.op.name)
        if shape is not None:
            return shape(next(iter(modules.values())), *args, **(node.kwargs or {}))
        names = {f"a{i}": a for i, a in enumerate(args)}
        plain = (bool, int, float, tuple, str, type(None))
        whole = [constant(a) if isinstance(a, plain) else ast.Name(name) for name, a in names.items()]
        e = self.expression(node, whole)
        if e is None:
            raise Differs(f"{node.op.name} is not written in it")
        text = ast.unparse(e)
        return eval(text, {**modules, "inf": math.inf, "nan": math.nan}, names)  # a tuple may contain inf or nan

    def synthesize(self, nodes: Iterable[Tensor], inputs: Mapping[int, ast.expr], mask: ast.expr | None = None) -> None:
        """Give an expression to each node that one call created; the last node is the call's result.

        inputs : serial of an input of the call -> its expression.
        mask : the expression of the mask, if the call has one.
        """
        made, new = dict(inputs), dict[int, ast.expr]()

        def written(node: Tensor, a: Any) -> ast.expr | None:
            if isinstance(a, np.ndarray) and a.ndim:  # the repr of an array may omit its dtype and some of its numbers
                alone = node.op.elementwise and a.size > 0 and bool((a == a.flat[0]).all())
                return mask if a.dtype == bool else constant(a.flat[0]) if alone else None
            return made.get(a.serial) if isinstance(a, Tensor) else constant(a)

        for node in (nodes := list(nodes)):
            args = [written(node, a) for a in node.args]
            e = None if None in args else self.in_line(node, args)  # type: ignore[arg-type]
            if e is None:
                return
            made[node.serial] = new[node.serial] = e
        self.expressions |= new
        self.hidden |= {node.serial for node in nodes[:-1]}


@functools.lru_cache(maxsize=64)
def _names_in(tree: ast.Module) -> tuple[dict[str, str], frozenset[str]]:
    """Map the full names of a file's imports to their names in the file; also return the other names it assigns."""
    imported, bound = dict[str, str](), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)):
            bound.add(node.arg if isinstance(node, ast.arg) else node.id)
        if isinstance(node, ast.Import):
            imported |= {a.name if a.asname else a.name.partition(".")[0]: a.asname or a.name.partition(".")[0]
                      for a in node.names}  # fmt: skip
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported |= {f"{node.module}.{a.name}": a.asname or a.name for a in node.names}
    return imported, frozenset(bound)


def called_by(e: ast.Call) -> str:
    """Return the last part of a called function's name."""
    return e.func.attr if isinstance(e.func, ast.Attribute) else getattr(e.func, "id", "").rpartition(".")[2]


def constant(v: Any) -> ast.expr:
    """Return the expression of a number, a bool, a string or a tuple of these."""
    v = v.item() if isinstance(v, np.generic) else v
    text = f"float('{v}')" if isinstance(v, float) and not math.isfinite(v) else repr(v)
    return ast.parse(text, mode="eval").body


def is_number(e: ast.expr) -> bool:
    """Return whether an expression is a number that `constant` wrote."""
    if isinstance(e, ast.UnaryOp):
        return is_number(e.operand)
    return isinstance(e, ast.Constant) or (isinstance(e, ast.Call) and ast.unparse(e.func) == "float")


def _called(path: str, names: Mapping[str, str]) -> str:
    """Shorten a full name to the file's name for its longest imported prefix, or return "" if no prefix is imported."""
    parts = path.split(".")
    for n in range(len(parts), 0, -1):
        alias = names.get(".".join(parts[:n]))
        if alias:
            return ".".join([alias, *parts[n:]])
    return ""


def _is_plain(v: Any) -> bool:
    return v is None or isinstance(v, (bool, int, float, str)) or (isinstance(v, tuple) and all(map(_is_plain, v)))
