"""How edits are spelled for PyTorch: its names and options, as the user's file imports them. Nothing is imported."""

import ast
import linecache
import types

import numpy as np
import pytest

import minigrad as mg
from minigrad.bridges.pytorch_ops import TorchSpelling, plain_name, translated
from minigrad.bridges.spelling import constant
from minigrad.core.op import record
from tests.helpers.tables import over


def written(name, *args, modules="", **options):
    e = TorchSpelling().call(name, [ast.parse(a, mode="eval").body for a in args], options, modules)
    return ast.unparse(ast.fix_missing_locations(e))


CALLS = [
    ("softplus(x)", written("softplus", "x"), "torch.nn.functional.softplus(x)"),
    ("options", written("softmax", "x", axis=1), "torch.softmax(x, dim=1)"),
    ("default axis", written("log_softmax", "x"), "torch.log_softmax(x, dim=-1)"),
    ("a kept axis", written("norm", "x", axis=0, keepdims=True), "torch.linalg.vector_norm(x, dim=0, keepdim=True)"),
    ("an axis not kept", written("mean", "x", axis=None, keepdims=False), "torch.mean(x)"),
    ("n in place of n - 1", written("std", "x"), "torch.std(x, correction=0)"),
    ("maximum of a number", written("maximum", "x", "1e-07"), "torch.clamp(x, min=1e-07)"),
    ("minimum of a number", written("minimum", "x", "-1"), "torch.clamp(x, max=-1)"),
    ("maximum of two", written("maximum", "x", "y"), "torch.maximum(x, y)"),
    ("no gradient", written("stop_gradient", "x"), "x.detach()"),
    ("a constant", written("log", "3"), "1.098612289"),
    ("abs", written("abs", "x"), "torch.abs(x)"),
    ("an alias", written("softplus", "x", modules={"torch": "th"}), "th.nn.functional.softplus(x)"),
    ("a shorter one", written("softplus", "x", modules={"torch": "th", "torch.nn.functional": "F"}), "F.softplus(x)"),
    ("the function itself", written("sqrt", "x", modules={"torch.sqrt": "root"}), "root(x)"),
]


@over(CALLS)
def test_calls_are_spelled_in_its_names(what, got, expected):
    assert got == expected, what


def names_in(text):
    linecache.cache["/given.py"] = (len(text), None, text.splitlines(keepends=True), "/given.py")
    return TorchSpelling().imported("/given.py")


@over(
    [
        ("import torch", {"torch": "torch"}),
        ("import torch as th", {"torch": "th"}),
        ("import torch.nn.functional as F", {"torch.nn.functional": "F"}),
        ("from torch.nn import functional as F", {"torch.nn.functional": "F"}),
        ("from torch import log, nn", {"torch.log": "log", "torch.nn": "nn"}),
        ("import torch\ndef f(torch):\n    pass", {}),
        ("import numpy as np", {}),
    ]
)
def test_the_names_of_a_file(text, expected):
    assert names_in(text) == expected


def test_a_function_that_the_file_cannot_name_is_not_written():
    spelling, template = TorchSpelling(), ast.parse("softplus(x)", mode="eval").body
    for text, known in [("from torch import log", False), ("import torch.nn.functional as F", True)]:
        linecache.cache["/other.py"] = (len(text), None, [text], "/other.py")
        assert (spelling.modules("/other.py", template) is not None) is known
    assert spelling.modules("/other.py", ast.parse("cbrt(x)", mode="eval").body) is None


def test_in_a_notebook_the_names_come_from_other_cells():
    spelling, torch = TorchSpelling(), types.ModuleType("torch")
    spelling.globals["/cell.py"] = {"t": torch}
    assert spelling.imported("/cell.py") == {"torch": "t"}
    assert spelling.is_module(ast.parse("t.nn", mode="eval").body, "/cell.py")
    assert not spelling.is_module(ast.parse("x", mode="eval").body, "/cell.py")


def test_operands_are_those_of_the_call_in_the_order_of_the_op(monkeypatch):
    x, m = mg.constant([1.0]), mg.constant([True])
    node = mg.where(m, 0.0, x)
    spelling, at = TorchSpelling(), (("/f.py", 1, 0, 1, 21), "where")
    monkeypatch.setattr("minigrad.bridges.spelling.span_of", lambda node: at[0])
    e = ast.parse("x.masked_fill(m, 0.0)", mode="eval").body
    assert spelling.operands(e, node) is None  # not a recorded call
    spelling.order[at] = [1, 2, 0]
    assert [ast.unparse(o) for o in spelling.operands(e, node)] == ["m", "0.0", "x"]
    spelling.order[at] = [1, 2, None]
    assert spelling.operands(e, node) is None


def test_parts_of_one_call_get_expressions_of_their_own():
    x = mg.constant([1.0, 2.0])
    var = mg.var(x, axis=0, ddof=1)
    std = mg.sqrt(var)
    spelling = TorchSpelling()
    spelling.synthesize([var, std], {x.serial: ast.Name("h")})
    assert ast.unparse(spelling.expressions[std.serial]) == "torch.sqrt(torch.var(h, dim=0, correction=1))"
    assert spelling.hidden == {var.serial}
    spelling.synthesize([record(var.op, var.value, (x, np.ones(3)))], {x.serial: ast.Name("h")})
    assert len(spelling.expressions) == 2


def test_constants_are_plain_numbers():
    assert ast.unparse(constant(np.float64(0.5))) == "0.5"


@pytest.mark.parametrize(
    "name, plain",
    [("add_", "add"), ("__add__", "add"), ("__iadd__", "add"), ("__rsub__", "__rsub__"), ("__truediv__", "div"),
     ("__getitem__", "__getitem__"), ("softmax", "softmax")],
)  # fmt: skip
def test_one_name_for_a_function_its_operator_and_its_in_place_form(name, plain):
    assert plain_name(types.SimpleNamespace(__name__=name)) == plain


def test_its_options_are_read():
    x = mg.constant([[1.0, 2.0], [3.0, 5.0]])
    read = lambda name, *args, **kwargs: translated(name, args, kwargs).value.tolist()
    assert read("sum", x, dim=1, keepdim=True) == [[3.0], [8.0]]
    assert read("std", x) == pytest.approx(np.std(x.value, ddof=1))
    assert read("sub", x, 1.0, alpha=2) == [[-1.0, 0.0], [1.0, 3.0]]
    assert read("clamp", x, max=2.0) == [[1.0, 2.0], [2.0, 2.0]]
    assert read("mul", input=x, other=2.0) == [[2.0, 4.0], [6.0, 10.0]]
