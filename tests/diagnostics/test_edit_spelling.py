"""Repairs of a program of another framework: a further check of each offer, its spelling, and ops that are its own."""

import ast
import sys
import types

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.op import Op, record
from minigrad.diagnostics.edit_spelling import Dialect
from minigrad.diagnostics.nan import find_nan, nan_report, with_repair
from minigrad.tracing.recorder import backward_trace
from tests.diagnostics.nan_programs import executed, lines_remembered

SOURCE = "import minigrad as th\n\ndef program(x):\n    return {}\n"
ROOT = "th.sqrt(th.sum(x ** 2, axis=0))"


def report(expression, x, **hooks):
    with lines_remembered():
        y = executed(SOURCE.format(expression))(x)
    return with_repair(nan_report(backward_trace(y, None, {"x": x})), y, {"x": x}, **hooks)


def test_an_offer_that_does_not_pass_the_further_check_is_not_made_and_the_search_goes_on():
    x, seen = mg.constant([0.0, 0.0]), []

    def also(new, inputs):
        assert inputs[0] is x
        seen.append(new.op.name)
        return new.op.name != "euclidean_norm"

    assert report(ROOT, x).repair.rewrites[0][1] == "norm(x)"
    repair = report(ROOT, x, also=also).repair
    assert seen[0] == "euclidean_norm"
    assert repair and "where" in repair.rewrites[0][1]


def test_the_further_check_sees_the_wider_dtype_too_with_its_inputs():
    x, seen = mg.constant(np.float32([3e20, 1.0])), []
    also = lambda new, inputs: seen.append((new.dtype, inputs[0].dtype))
    assert report("th.mean(x ** 2)", x).repair.grade == "wider"
    assert report("th.mean(x ** 2)", x, also=also).repair.grade == ""
    assert seen[-1] == (np.float64, np.float64)


class Other(Dialect):
    """The names of another framework: `length` for `norm`, and `dim` for `axis`."""

    def modules(self, file, template):
        return "th"

    def call(self, name, args, options, modules=""):
        options = {{"axis": "dim"}.get(k, k): v for k, v in options.items()}
        return super().call({"norm": "length", "log": "ln"}.get(name, name), args, options, modules or "torch")


class Nowhere(Dialect):
    """Expressions of nodes that the user did not write."""

    def span_of(self, node):
        return None


def test_an_edit_and_its_text_are_spelled_in_the_dialect():
    x = mg.constant([0.0, 0.0])
    repair = report(ROOT, x, dialect=Other()).repair
    assert repair.edits[0].text == "th.length(x, dim=0)"
    assert repair.rewrites == (("torch.sqrt(torch.sum(x ** 2))", "torch.length(x)"),)
    assert report(ROOT, x, dialect=Nowhere()).repair.edits == ()


def test_a_part_of_a_call_has_the_expression_that_the_dialect_gives_it():
    """The user wrote `log(more(x))`, of which 1 + exp(x) is recorded, without lines."""
    x = mg.constant(1000.0)
    e = mg.exp(x)
    z = 1 + e
    with lines_remembered():
        y = executed(SOURCE.format("th.log(x)"))(z)
    trace, dialect = backward_trace(y, None, {"x": x}), Dialect()
    assert with_repair(nan_report(trace), y, {"x": x}).repair.edits == ()
    parts = {e.serial: "th.exp(x)", z.serial: "1 + th.exp(x)"}
    dialect.expressions = {serial: ast.parse(text, mode="eval").body for serial, text in parts.items()}
    (edit,) = with_repair(nan_report(trace), y, {"x": x}, dialect=dialect).repair.edits
    assert edit.text == "th.softplus(x)"


def cubes():
    fn = lambda x: np.asarray(x) ** 3
    return Op("cube", fn, vjp_all=lambda g, y, x: (g * 3 * x**2,), kind="foreign")


def test_a_foreign_op_is_computed_again_and_is_no_op_of_this_library():
    x, op = mg.constant(np.float32(10.0)), cubes()
    y = mg.log(1 + mg.exp(record(op, op.fn(x.value), (x,))))
    repair = find_nan(y, names={"x": x}).repair
    assert (repair.grade, repair.rewrites[0][1]) == ("same", "softplus(cube(x))")
    op.name = "exp"  # which is not this library's
    assert find_nan(mg.log(1 + record(op, np.float32(np.inf), (x,)))).repair.rewrites == ()


def edits_of(source, name="", space=None):
    with lines_remembered():
        y = executed(source, name, space)(mg.constant(1000.0))
    return [edit.text for edit in find_nan(y).repair.edits]


IMPORTS = {
    "import minigrad as tf": ("tf.log(1 + tf.exp(x))", ["tf.softplus(x)"]),
    "from minigrad import log, exp, softplus": ("log(1 + exp(x))", ["softplus(x)"]),
    "from minigrad import log, exp": ("log(1 + exp(x))", []),
    "import numpy as np": ("np.log(1 + np.exp(x))", []),
    "import minigrad.numpy as np": ("np.log(1 + np.exp(x))", []),
}


@pytest.mark.parametrize("head", IMPORTS)
def test_an_edit_names_only_what_its_file_imports(head):
    line, written = IMPORTS[head]
    assert edits_of(f"{head}\n\n\ndef program(x):\n    return {line}\n") == written


def test_in_a_cell_of_a_notebook_the_import_is_that_of_another_cell(monkeypatch):
    body = "def program(x):\n    return tf.log(1 + tf.exp(x))\n"
    notebook = types.ModuleType("__main__")  # a new one: other tests run cells, whose names stay in theirs
    monkeypatch.setitem(sys.modules, "__main__", notebook)
    assert edits_of(body, "<cell 1>", {"tf": mg}) == []
    monkeypatch.setattr(notebook, "tf", mg, raising=False)
    assert edits_of(body, "<cell 2>", {"tf": mg}) == ["tf.softplus(x)"]
    assert edits_of(body, "program_of_tf.py", {"tf": mg}) == []
