"""Text that a student writes for a person is shown, wherever it is in the exercise or right below it."""

import dataclasses
import json

import pytest

from minigrad.grading.dask_workers import from_json, to_json
from minigrad.grading.judge import Judge
from minigrad.grading.submitting import submit
from tests.helpers.submissions import of_cells

CHECKS = """
from minigrad.classroom import exercise

@exercise("why", points=4)
def why(c):
    c.by_hand(words=(3, 20), scale={4: "Names the reason.", 0: "Neither."})
"""
NOTEBOOK = """# %% [markdown]
# Say why.

# %% exercise="why"
# A sentence or two.
### BEGIN SOLUTION
why = "0 * inf is nan"
### END SOLUTION
check("why")

# %% [markdown]
# ## The next question
"""
TEXT = "Both sides are computed, so 0 times inf is nan."
BLANK = '# A sentence or two.\nwhy = ...\ncheck("why")'


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    (folder / "checks.py").write_text(CHECKS)
    (folder / "hw1.py").write_text(NOTEBOOK)
    with Judge(folder) as judge:
        yield judge


def judged(judge, *cells):
    (mark,) = judge.judge(from_json(to_json(of_cells(*cells)))).results
    return mark


@pytest.mark.always
@pytest.mark.parametrize(
    "source",
    [
        f"# {TEXT}\n{BLANK}",
        f'"""{TEXT}"""\ncheck("why")',
        f'print("{TEXT}")',
        f'why = ["{TEXT}", "And the gradient is nan."]',
        'why = "Both sides are computed, so 0 times\ninf is nan."\ncheck("why")',
        "why = 'It's so: Both sides are computed, so 0 times inf is nan.'\ncheck(\"why\")",
        TEXT,
    ],
)
def test_text_in_the_cell_is_to_read(judge, source):
    mark = judged(judge, ("code", source, "why"))
    assert (mark.state, mark.marks, mark.scale[0][0]) == ("to read", None, 4)
    assert "Both sides are computed, so 0 times" in mark.code and "The text is in cell 1." in mark.words
    assert "A sentence or two." not in mark.code, "that was handed out"


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_a_text_cell_is_to_read(judge, kind):
    mark = judged(judge, (kind, TEXT, "why"))
    assert (mark.state, mark.code) == ("to read", TEXT)
    assert "The text is in cell 1, a text cell." in mark.words
    mark = judged(judge, ("code", BLANK, "why"), (kind, TEXT, None))
    assert (mark.state, mark.code) == ("to read", TEXT)
    assert "10 words; from 3 to 20 are expected. The text is in cell 2, below the exercise." in mark.words


def test_what_was_handed_out_is_no_answer(judge):
    below = ("markdown", "## The next question", None)
    assert judged(judge, ("markdown", "Say why.", None), ("code", BLANK, "why"), below).state == "unanswered"
    assert (
        judged(judge, ("code", BLANK, "why"), ("code", "x = 1", None), ("markdown", TEXT, None)).state == "unanswered"
    )
    mark = judged(judge, ("code", "why = 3", "why"), below)
    assert (mark.state, mark.marks) == ("wrong", 0.0)


def test_a_text_in_the_variable_is_the_answer(judge):
    mark = judged(judge, ("code", f'# a draft of it\nwhy = "{TEXT}"', "why"))
    assert (mark.state, mark.code, mark.words) == ("to read", TEXT, "10 words; from 3 to 20 are expected.")


def test_without_the_notebook_neither_comments_nor_text_below_are_taken(judge, monkeypatch):
    """They may be the author's."""
    monkeypatch.setattr(judge, "assignment", Bare(judge.assignment.exercises))
    for source in (BLANK, "why = ..."):
        assert judged(judge, ("code", source, "why"), ("markdown", TEXT, None)).state == "unanswered"
    assert judged(judge, ("code", f'"""{TEXT}"""', "why")).code == TEXT


@dataclasses.dataclass
class Bare:
    exercises: dict
    name: str = "hw1"
    spec: str = ""
    path: str = ""
    received: None = None


def test_submit_counts_the_text_and_says_where_it_is(tmp_path):
    (tmp_path / "hw1_checks.py").write_text(CHECKS)
    path = tmp_path / "hw1.ipynb"
    for source, counted in ((f'print("{TEXT}")', True), ("why = ...", False)):
        cell = {"cell_type": "code", "source": source, "metadata": {"exercise": "why"}}
        path.write_text(json.dumps({"nbformat": 4, "cells": [cell]}))
        lines = submit(path)
        assert (
            lines[0] == f"{+counted} of 1 exercises are answered" + "; not yet: why" * (not counted) + "; 0 need a look"
        )
        assert ("note: why: a person reads the text in cell 1" in lines) == counted


def test_text_beside_an_answer_is_kept_for_the_reader(judge):
    """What the author wrote there is not."""
    task = "Say why."
    answer = ("code", f'why = "{TEXT}"', "why")
    mark = judged(
        judge, ("markdown", task, None), ("markdown", "First thoughts.", None), answer, ("markdown", "P.S.", None)
    )
    assert (mark.code, mark.around) == (TEXT, "First thoughts.\n\nP.S.")
    mark = judged(judge, ("markdown", "Far away.", None), ("code", "x = 1", None), answer, ("code", "y = 1", None))
    assert mark.around == ""
    mark = judged(judge, ("code", BLANK, "why"), ("markdown", TEXT, None))
    assert (mark.code, mark.around) == (TEXT, ""), "shown once"
