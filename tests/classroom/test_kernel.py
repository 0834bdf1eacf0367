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


SHOWS = "# Runs after the prediction {}.\nprint(6 * 7)"
NUMBER, FUNCTION, EDGE = map(SHOWS.format, ("gradient_at_100", "first_nan", "which_arrow"))
PICTURE = (
    "import minigrad as mg, viz\nx = mg.constant(2.0)\nwhich_arrow = viz.backward(x * x).ask({'kind': 'edge'}).widget()"
)
STUB = "def first_nan(messages):\n    raise NotImplementedError"
LOCK = "import threading\nlock = threading.Lock()\ndef first_nan(messages): lock; exit()"
#: What a student types, which one kernel runs part after part.
PARTS = {
    "a restart": ['check("gradient_at_100")', "check.hint('a')", OPEN, "check"],
    "a number": [NUMBER, "gradient_at_100 = ...", NUMBER, 'gradient_at_100 = "x"', NUMBER]
    + ['gradient_at_100 = "a"', NUMBER, "print(1)"],
    "a function": [STUB, FUNCTION, 'check("first_nan")', FUNCTION, "first_nan = lambda messages: 1", FUNCTION],
    "hints": [
        *("def first_nan(messages): return 1", 'check("first_nan")', FUNCTION),
        *['check.hint("first_nan")'] * 3,
        FUNCTION,
    ],
    "an edge": [PICTURE, EDGE, 'which_arrow.edge = "exp", "x"; check("which_arrow")', EDGE],
    "exit": [
        *("exit()", "quit()", "def first_nan(messages): exit()", 'check("first_nan")', LOCK, 'check("first_nan")'),
        "print('still here')",
    ],
    "overwritten": [
        *('check = "d"', 'gradient_at_100 = "d"\ncheck("gradient_at_100")', "check = lesson('07')\ncheck", "del check")
    ],
}


@pytest.fixture(scope="module")
def said():
    """What each part shows, in a kernel as `minigrad lab` starts it."""
    shown = iter(run(*(cell for cells in PARTS.values() for cell in cells), PYTHONSTARTUP=startup.__file__))
    return {name: [next(shown) for _ in cells] for name, cells in PARTS.items()}


def test_a_check_that_was_overwritten_is_put_back(said):
    put_back, checked, other, _ = said["overwritten"]
    assert put_back.startswith("'check' is the function that checks answers, so it was put back.")
    assert checked.startswith("gradient_at_100: right")
    assert other.startswith("<lesson 7"), "another lesson may take the name"


def test_exit_does_not_end_the_kernel(said):
    one, two, _, checked, _, checked_here, last = said["exit"]
    assert one.startswith("exit() is left out here") and two == one
    assert "It stopped with SystemExit" in checked and "It stopped with SystemExit" in checked_here
    assert last == "still here\n"


def test_after_a_restart_the_check_says_what_to_run(said):
    check, hint, _, opened = said["a restart"]
    assert check == "Run the first cell of this notebook, and the ones between; then this one again."
    assert hint == check
    assert opened.startswith("<lesson 6")


def test_a_cell_that_gives_away_a_prediction_runs_after_it(said):
    held = "Predict first: type your answer instead of the ... in `gradient_at_100 = ...`"
    absent = "Predict first: there is no gradient_at_100 yet. Run the cell that asks for it, answer there"
    at_first, _, later, _, unread, *others = said["a number"]
    assert at_first.startswith(absent) and later.startswith(held)
    assert unread.startswith("Predict first: `gradient_at_100` is not an answer yet. Type one of 'a', 'b', 'c', 'd'.")
    assert others[1:] == ["42\n", "1\n"], "whatever the prediction was"


@pytest.mark.slow
def test_where_no_lesson_was_opened_or_all_is_predicted_nothing_is_held_back():
    """In kernels that another program starts, as in the next test."""
    assert run(NUMBER) == ["42\n"]
    assert run(OPEN, NUMBER, MINIGRAD_PREDICTED="all")[1] == "42\n"


def test_a_cell_that_gives_away_a_function_runs_when_it_is_right_or_after_the_last_hint(said):
    held = "Build first_nan first. This cell runs when first_nan is right, or when you have tried and seen every hint."
    assert said["a function"][1::2] == [f"{held}\n"] * 3
    assert said["hints"][2].startswith("Build first_nan first") and said["hints"][-1] == "42\n"


def test_a_picture_in_which_nothing_is_chosen_is_no_prediction(said):
    _, held, checked, shown = said["an edge"]
    assert held.startswith("Predict first")
    assert "which_arrow: right" in checked and shown == "42\n"
