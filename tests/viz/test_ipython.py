"""%load_ext viz: the magic and the look of Tensors, in a real IPython shell."""

import numpy as np
import pytest

import minigrad as mg
import viz
from viz.ipython import tensor_html


@pytest.fixture
def shell():
    testing = pytest.importorskip("IPython.core.interactiveshell")
    shell = testing.InteractiveShell()
    shell.run_cell("%load_ext viz\nimport minigrad as mg")
    yield shell
    shell.run_cell("%unload_ext viz")


def result(shell, cell):
    done = shell.run_cell(cell)
    assert done.success
    return done.result


def test_the_last_expression_is_drawn_in_the_names_of_the_notebook(shell):
    shell.run_cell("price = mg.constant(3.0)\nrate = mg.constant(0.5)")
    view = result(shell, "%%backward\ncost = price * rate\ncost + price")
    assert isinstance(view, viz.View)
    assert {node.name for node in view.trace.nodes if node.name} == {"price", "rate", "cost"}
    assert shell.user_ns["cost"].value == 1.5


def test_a_cell_may_end_with_an_assignment_and_options_are_handed_on(shell):
    view = result(shell, '%%backward flow="down"\nx = mg.constant(2.0)\ny = mg.exp(\n    x\n)')
    assert view.title == "Backward pass of y" and view._lanes[0].flow == "down"


@pytest.mark.parametrize(
    "cell, words",
    [
        ("3 + 4", "needs a Tensor in its last line, got 7 of type int"),
        ("import math", "must end with one"),
        ("", "must end with one"),
    ],
)
def test_what_cannot_be_drawn_is_answered_in_a_sentence(shell, capsys, cell, words):
    shell.run_cell(f"%%backward\n{cell}\n")
    assert words in capsys.readouterr().out


def test_an_error_in_the_cell_is_the_cells_own(shell, capsys):
    shell.run_cell("%%backward\n1 / 0\nmg.constant(1.0)")
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_a_tensor_shows_value_shape_dtype_and_op(shell):
    x = mg.constant([[1.0, 2.0], [3.0, 4.0]])
    data, _ = shell.display_formatter.format(x * 2)
    assert "shape (2, 2), float32, made by multiply" in data["text/html"] and "<td>8</td>" in data["text/html"]
    assert data["text/plain"] == repr(x * 2)
    shell.run_cell("%unload_ext viz")
    assert "text/html" not in shell.display_formatter.format(x)[0]
    shell.run_cell("%load_ext viz")


def test_large_arrays_are_cut_and_nan_stands_out():
    html = tensor_html(mg.constant(np.full((100, 50), np.nan)))
    assert html.count("<tr>") == 9 and "92 more rows" in html and "<b>nan</b>" in html
    assert "<pre>" in tensor_html(mg.constant(np.zeros((3, 3, 3))))
    assert "the variable" in tensor_html(mg.Variable(1.0))
