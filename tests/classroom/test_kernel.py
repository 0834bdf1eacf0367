"""A lesson in a notebook's kernel: its names come back, exit() ends nothing, and a restart is a sentence."""

import os

import pytest

from minigrad.lab import startup

OPEN = "from minigrad.classroom import lesson\ncheck = lesson('06')"


def run(*cells, **environment):
    """What each cell shows, in a fresh kernel."""
    nbformat = pytest.importorskip("nbformat")
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(notebook, timeout=240, allow_errors=True, extra_arguments=["--log-level=40"])
    client.execute(env={**os.environ, "PYTHONSTARTUP": "", **environment})
    return [
        "".join(o.get("text") or o.get("data", {}).get("text/plain") or o["ename"] for o in cell.outputs)
        for cell in notebook.cells
    ]


def test_a_check_that_was_overwritten_is_put_back():
    said = run(
        OPEN,
        'check = "d"',
        'gradient_at_100 = "d"\ncheck("gradient_at_100")',
        "check = lesson('07')\ncheck",
        "del check",
    )
    assert said[1].startswith("'check' is the name with which answers are checked, so it was put back.")
    assert said[2].startswith("gradient_at_100: right")
    assert said[3].startswith("<lesson 07"), "another lesson may take the name"


def test_exit_does_not_end_the_kernel():
    said = run(
        OPEN,
        "exit()",
        "quit()",
        "def first_nan(messages): exit()",
        'check("first_nan")',
        "import threading\nlock = threading.Lock()\ndef first_nan(messages): lock; exit()",
        'check("first_nan")',
        "print('still here')",
    )
    assert said[1].startswith("exit() is left out here") and said[2] == said[1]
    assert "It stopped with SystemExit" in said[4] and "It stopped with SystemExit" in said[6]
    assert said[7] == "still here\n"


def test_after_a_restart_the_check_says_what_to_run():
    said = run('check("gradient_at_100")', "check.hint('a')", OPEN, "check", PYTHONSTARTUP=startup.__file__)
    assert said[0] == "Run the first cell of this notebook, and the ones between; then this one again."
    assert said[1] == said[0]
    assert said[3].startswith("<lesson 06")


def test_a_cell_that_gives_away_a_prediction_runs_after_it():
    shows = "# Runs after the prediction gradient_at_100.\nprint(6 * 7)"
    held = "Predict first: type your answer in place of the ... in `gradient_at_100 = ...`"
    said = run(OPEN, shows, "gradient_at_100 = ...", shows, 'gradient_at_100 = "a"', shows, "print(1)")
    assert said[1].startswith(held) and said[3].startswith(held)
    assert said[5:] == ["42\n", "1\n"], "whatever the prediction was"
    assert run(shows) == ["42\n"], "and where no lesson was opened"
    assert run(OPEN, shows, MINIGRAD_PREDICTED="all")[1] == "42\n"


def test_a_cell_that_gives_away_a_function_runs_after_an_answer_was_checked():
    shows = "# Runs after the prediction first_nan.\nprint(6 * 7)"
    stub = "def first_nan(messages):\n    raise NotImplementedError"
    said = run(OPEN, stub, shows, 'check("first_nan")', shows, "first_nan = lambda messages: 1", shows)
    assert [said[n] for n in (2, 4, 6)] == [
        "Build first_nan first: write it, and run its cell. Then run this one.\n"
    ] * 3
    assert run(OPEN, "def first_nan(messages): return 1", 'check("first_nan")', shows)[3] == "42\n"


def test_a_picture_in_which_nothing_is_chosen_is_no_prediction():
    shows = "# Runs after the prediction nan_edge.\nprint(6 * 7)"
    picture = "import minigrad as mg, viz\nx = mg.constant(2.0)\n"
    picture += "nan_edge = viz.backward(x * x, choose=True).widget()"
    said = run(OPEN, picture, shows, 'nan_edge.edge = "exp", "x"; check("nan_edge")', shows)
    assert said[2].startswith("Predict first")
    assert "nan_edge: right" in said[3] and said[4] == "42\n"
