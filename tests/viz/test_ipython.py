"""%load_ext viz: the magic and the look of Tensors, in a real IPython shell."""

import base64
import io
import re
import subprocess
import sys

import numpy as np
import pytest

import minigrad as mg
import viz
from viz.render.matplotlib_figure import palette
from viz.render.tensor_table import tensor_html


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
    assert "shape (2, 2), float32, made by multiply" in data["text/html"] and ">8</td>" in data["text/html"]
    assert data["text/plain"] == repr(x * 2)
    shell.run_cell("%unload_ext viz")
    assert "text/html" not in shell.display_formatter.format(x)[0]
    shell.run_cell("%load_ext viz")


def test_large_arrays_are_cut_and_nan_stands_out():
    html = tensor_html(mg.constant(np.full((100, 50), np.nan)))
    assert html.count("<tr>") == 9 and "92 more rows" in html and "<b>nan</b>" in html
    assert "<pre>" in tensor_html(mg.constant(np.zeros((3, 3, 3))))
    assert "the variable" in tensor_html(mg.Variable(1.0))


def tints(html):
    return [int(percent) for percent in re.findall(r"#\w+ (\d+)%", html)]


def test_a_number_of_a_matrix_is_tinted_by_its_part_of_the_largest():
    html = tensor_html(mg.constant([[4.0, -2.0], [0.0, np.nan]]))
    assert tints(html) == [55, 28, 55], "0 has no tint"
    assert re.findall(r"(#\w+) \d+%", html) == [palette("light")[name] for name in ("grad", "now", "bad")]
    assert tints(tensor_html(mg.constant([[True, False]]))) == []
    assert tints(tensor_html(mg.constant([[1e-300, -1e-300]], dtype="float64"))) == [55, 55]


@pytest.mark.parametrize(("shape", "first"), [((2000, 3), 55), ((1000,), 55), ((20, 20), 28)])
def test_a_tint_compares_numbers_that_can_be_seen(shape, first):
    table = np.zeros(shape)
    table[(0,) * len(shape)], table[(-1,) * len(shape)] = 1.0, 2.0
    html = tensor_html(mg.constant(table))
    assert tints(html) == [first], "the last number is hidden, but for a picture of the matrix"
    assert ("<img" in html) == (first == 28)


def test_all_numbers_of_a_larger_matrix_are_pixels_of_a_picture():
    from matplotlib.image import imread

    table = np.arange(-100.0, 100.0).reshape(10, 20)
    table[3, 4], table[5, 6] = np.nan, np.inf
    html = tensor_html(mg.constant(table))
    assert 'alt="all 10 by 20 numbers: 98 positive, 99 negative, 1 zero, 2 not finite"' in html
    data = base64.b64decode(re.search('base64,([^"]+)', html)[1])
    pixels = imread(io.BytesIO(data), format="png")
    assert pixels.shape == (10, 20, 4)
    alpha = np.where(np.isfinite(table), np.abs(table) / 100, 1)
    np.testing.assert_allclose(pixels[..., 3], alpha, atol=0.01)
    assert "<img" not in tensor_html(mg.constant(np.zeros((2000, 2)))), "a pixel would stand for several numbers"


@pytest.mark.parametrize("ending", ["x", "mg.Variable([1.0, -1.0])"])
def test_a_notebook_shows_tables_before_and_after_viz_is_imported(ending):
    """In a separate process, because an import happens once."""
    lines = [
        "import minigrad as mg", "import sys; print('viz' in sys.modules)", "x = mg.constant([1.0, -1.0])",
        f"print(sorted(form({ending})), '<td' in form({ending})['text/html'])", "import viz",
    ]  # fmt: skip
    program = "\n".join([
        "from IPython.core.interactiveshell import InteractiveShell",
        "shell = InteractiveShell.instance()",
        "form = lambda x: shell.display_formatter.format(x)[0]",
        *lines, lines[3], "shell.run_cell('%load_ext viz\\n%unload_ext viz')", f"print(sorted(form({ending})))",
    ])  # fmt: skip
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    tables = "['text/html', 'text/plain'] True"
    assert out.splitlines() == ["False", tables, tables, "['text/plain']"]
