"""The docstring of an op is made from its declaration, and its numbers are computed."""

import inspect
import pickle
import pydoc
import re
import subprocess
import sys

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.op import OPS
from minigrad.ops.declare import defop
from minigrad.ops.docstrings import edges
from tests.helpers.tables import over

EXP = """\
Exponential of each element.

Formula: e^a

Local derivative: y

Letters: a for the argument, y for the result

Edge cases: overflows to inf above 88.73 in float32, 709.79 in float64, 11.1 in float16

Also known as: tf: exp, keras: exp, torch: exp, jax: exp

>>> import minigrad as mg
>>> mg.exp([0.0, 1.0])
Tensor([1.       , 2.7182817], shape=(2,), dtype=float32, op=exp)"""


@over(OPS)
def test_every_op_has_a_sentence_a_signature_and_an_example(op):
    doc = op.call.__doc__
    assert op.facts.says[-1] == "." and " ".join(inspect.getdoc(op.call).split()).startswith(op.facts.says)
    assert ">>> " in doc and not re.search(r"\n\n\n|\bobject at 0x", doc)
    shown = str(inspect.signature(op.call))
    assert re.search(r"TensorLike", shown) and re.search(r"-> .*(Tensor|Result)", shown), shown


@over(OPS)
def test_the_signature_says_what_an_op_returns(op):
    *args, last = op.facts.example
    args, options = (args, last) if isinstance(last, dict) else (op.facts.example, {})
    result = op.call(*args, **options)
    shown = str(inspect.signature(op.call)).rpartition("-> ")[2]
    if isinstance(result, mg.Tensor):
        assert shown == "Tensor"
    else:
        assert shown == type(result).__name__ or shown.startswith(type(result).__name__ + "[Tensor"), shown


def test_the_docstring_of_exp_in_full():
    written = mg.exp.__doc__.replace("[0.5, -2.0]", "[0.0, 1.0]")
    assert written.partition("Tensor(")[0] == EXP.partition("Tensor(")[0]
    assert str(inspect.signature(mg.exp)) == "(x: TensorLike) -> Tensor"


@pytest.mark.parametrize(("name", "rows"), [
    ("log", ["at a = -1: value nan, slope -1", "at a = 0: value -inf, slope inf"]),
    ("sqrt", ["at a = -1: value nan, slope nan", "at a = 0: value 0, slope inf"]),
    ("absolute", ["at a = 0: value 0, slope 0"]), ("relu", ["at a = 0: value 0, slope 0"]),
    ("maximum", ["at a = 0, b = 0: value 0, slopes 0.5 and 0.5"]),
    ("hypot", ["at a = 0, b = 0: value 0, slopes 0 and 0", "at a = 0, b = inf: value inf, slopes 0 and nan",
               "at a = 0, b = -inf: value inf, slopes 0 and nan"]),
    ("divide", ["at a = -1, b = 0: value -inf, slopes inf and inf", "at a = 0, b = 0: value nan, slopes inf and nan",
                "at a = 1, b = 0: value inf, slopes inf and -inf"]),
    ("sin", ["at a = inf: value nan, slope nan", "at a = -inf: value nan, slope nan"]), ("square", []), ("matmul", []),
])  # fmt: skip
def test_the_numbers_at_edge_cases(name, rows):
    assert [f"at {point}: value {value}, {slopes}" for point, value, slopes in edges(OPS[name])] == rows
    assert all(f"    {row}\n" in OPS[name].call.__doc__ for row in rows)


def test_help_shows_the_whole_docstring():
    shown = pydoc.plain(pydoc.render_doc(mg.exp))
    assert "exp(x: TensorLike) -> Tensor" in shown
    for line in filter(None, mg.exp.__doc__.splitlines()):
        assert line in shown


def test_a_docstring_is_a_str_in_every_use():
    doc = mg.exp.__doc__
    text = str(doc)
    assert isinstance(doc, str) and text.endswith(")")
    assert doc == text and text == f"{doc}" == doc + "" == pickle.loads(pickle.dumps(doc))
    assert len(doc) == len(text) and doc[-1] == ")" and "Formula" in doc and {doc: 1}[text] == 1


def test_an_op_of_a_user_is_documented_too():
    cube = defop("cube_of_a_user", lambda x: x * x * x, vjp=lambda g, y, a: g * 3 * a * a, elementwise=True,
                 says="The cube.", latex="a^3", slope="3 * a * a", example=([2.0],))  # fmt: skip
    try:
        mg.cube_of_a_user = cube
        assert cube.__doc__.splitlines()[0] == "The cube." and "Formula: a^3" in cube.__doc__
        assert cube.__doc__.splitlines()[-1].startswith("Tensor([8.], shape=(1,)")
        assert cube(np.float64(2.0)) == 8.0
    finally:
        del OPS["cube_of_a_user"], mg.cube_of_a_user


def test_no_docstring_is_written_by_the_import():
    code = "import minigrad as m; print(any('text' in vars(op.call.__doc__) for op in m.core.op.OPS.values()))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
