"""Marks that one check cannot give: parts, a text that a person reads, several exercises about one function."""

import dataclasses

import pytest

from minigrad.classroom.loading import AuthoringError, load, load_to_grade
from minigrad.classroom.proof import proofs
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.judge import Judge
from minigrad.grading.pages import class_page, student_page
from minigrad.grading.submitted_notebook import Cell, Submission
from minigrad.grading.summary import lines_of_student, summary
from minigrad.runner.budgets import Limits

CHECKS = """
import numpy as np
from minigrad.classroom import exercise, floats
import minigrad as mg

@exercise("scaled", points=5, function="scaled(x)")
def scaled(c):
    c.answer(lambda x: 0.0, at=[(0.0,)], vary=(), says="0 at 0")
    c.answer(lambda x: 2 * x, vary=(floats(0.5, 4),), says="above 0", marks=2)
    c.answer(lambda x: 4 * x, vary=(floats(-4, -0.5),), says="below 0", marks=3)
    c.wrong("def scaled(x): return 2 * x", marks=2)
    c.accept("x > 0 -> x >= 0", "0 is 0")

@exercise("why", points=4)
def why(c):
    c.by_hand(words=(3, 8), scale={4: "Names the reason.", 2: "Names a part.", 0: "Neither."})

@exercise("square", points=1, function="square(x)")
def square(c):
    c.value(lambda x: x * x, vary=(floats(-2, 2),), says="the square")

@exercise("own", points=1, of="square")
def own(c):
    c.plain(vary=(floats(-2, 2),))

@exercise("fit", points=1, function="fit()")
def fit(c):
    c.trained(lambda w: 1 - abs(w - 3), least=0.99, seconds=3)
    c.free("any way of training will do")
"""
SCALED = "def scaled(x):\n    return 2 * x if x > 0 else 4 * x"
SQUARE = "import minigrad as mg\ndef square(x):\n    return x * x"
FIT = "def fit():\n    w = 0.0\n    for _ in range(100): w -= 0.1 * 2 * (w - 3)\n    return w"
TEXT = "why = 'because the slope is infinite'"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    (folder / "checks.py").write_text(CHECKS)
    return folder


@pytest.fixture(scope="module")
def judge(course):
    with Judge(course, limits=Limits(call=1.0)) as judge:
        yield judge


def judged(judge, scaled=SCALED, why=TEXT, square=SQUARE, fit=FIT):
    sources = {"scaled": scaled, "why": why, "square": square, "fit": fit}
    cells = tuple(Cell(source, n, name) for n, (name, source) in enumerate(sources.items(), 1))
    report = judge.judge(Submission("ada", "ada.ipynb", "00", cells))
    return {mark.exercise: mark for mark in report.results}, report


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    ("answer", "marks", "rights"),
    [
        (SCALED, 5, [True, True, True]),
        ("def scaled(x): return 2 * x", 2, [True, True, False]),
        ("def scaled(x): return 4 * x", 3, [True, False, True]),
        ("def scaled(x):\n    if x > 0: raise ValueError\n    return 4 * x", 3, [True, False, True]),
        ("def scaled(x): return 1 + 2 * x", 0, [False, False, False]),
        ("def scaled(x): return 2 * x or 1", 0, [False, True, False]),
        ("seen = []\ndef scaled(x):\n    seen.append(x)\n    return 2 * x if seen.count(x) < 2 else 7", 0, None),
    ],
    ids=["right", "above", "below", "below, raises above", "neither", "not the condition", "wrong when called again"],
)
def test_a_part_of_a_mark_is_a_mark_unless_a_condition_fails(judge, answer, marks, rights):
    mark = judged(judge, scaled=answer)[0]["scaled"]
    assert (mark.marks, mark.out_of) == (marks, 5)
    if rights is not None:
        assert [line.right for line in mark.lines] == rights
        assert [line.out_of for line in mark.lines] == [0, 2, 3]


@pytest.mark.parametrize(("answer", "state", "words"), [("...", "unanswered", ""), ("3", "wrong", "but it is 3.")])
def test_an_answer_in_parts_that_is_no_function_is_judged(judge, answer, state, words):
    cells = (Cell(f"scaled = {answer}", 1, "scaled"),)
    (mark,) = judge.judge(Submission("ada", "ada.ipynb", "00", cells), only=["scaled"]).results
    assert (mark.state, mark.marks) == (state, 0.0)
    assert words in mark.words


@pytest.mark.parametrize(
    ("why", "state", "marks", "words"),
    [
        (TEXT, "to read", None, "5 words; from 3 to 8 are expected."),
        ("why = '  '", "unanswered", 0, ""),
        ("why = ...", "unanswered", 0, ""),
        ("pass", "unanswered", 0, ""),
        ("why = 7", "wrong", 0, "why should be a text, in quotation marks, but it is 7."),
    ],
)
def test_a_text_waits_for_a_person_and_no_text_is_a_zero(judge, why, state, marks, words):
    mark = judged(judge, why=why)[0]["why"]
    assert (mark.state, mark.marks, mark.words) == (state, marks, words)
    if state == "to read":
        assert mark.code == "because the slope is infinite"
        assert mark.scale == [(4, "Names the reason."), (2, "Names a part."), (0, "Neither.")]


def test_one_function_has_marks_for_several_things(judge):
    custom = "@mg.custom_gradient\ndef square(x):\n    return x * x, lambda g: 2 * x * g"
    found, _ = judged(judge, square=f"import minigrad as mg\n{custom}")
    assert [(name, found[name].state, found[name].group) for name in ("square", "own")] == [
        ("square", "right", "square"),
        ("own", "wrong", "square"),
    ]
    assert found["own"].code == found["square"].code and found["own"].mistake[0] == "a rule of your own"


def test_training_is_judged_by_its_score(judge):
    assert judged(judge)[0]["fit"].state == "right"
    found = judged(judge, fit="def fit(): return 2.5")[0]["fit"]
    assert (found.state, found.words) == ("wrong", "It reaches 0.5; at least 0.99 is expected.")


def test_what_is_to_read_is_no_zero_in_table_and_pages_and_a_mark_by_hand_ends_it(judge, tmp_path):
    _, report = judged(judge)
    with Gradebook(tmp_path / "course.db") as book:
        book.receive("hw1", Submission("ada", "ada.ipynb", "00"))
        book.record("hw1", report)
        (ada,) = book.grades("hw1")
        assert (ada.status, ada.marks, ada.so_far, ada.to_read) == ("to read", None, 8.0, ["why"])
        assert "1 to read: minigrad gradebook FILE open" in summary("hw1", [ada])
        page = student_page(ada, "hw1")
        assert "a person reads this" in page and "because the slope is infinite" in page
        assert "5 words; from 3 to 8 are expected." in page and "8 of 12 so far" in page
        assert "to read" in class_page([ada], "hw1")
        assert any(line.startswith("  why: to read, no marks yet of 4") for line in lines_of_student("hw1", ada))
        book.adjust("ada", "hw1", 2, "Names a part.", "why", who="prof")
        (ada,) = book.grades("hw1")
        assert (ada.status, ada.marks, ada.to_read) == ("graded", 10.0, [])
        assert "why: read, 2 of 4" in student_page(ada, "hw1")
        assert any(line.startswith("  why: read, 2 of 4") for line in lines_of_student("hw1", ada))
        assert "to read" not in " ".join(summary("hw1", [ada]))


def test_the_students_page_shows_the_parts(judge, tmp_path):
    _, report = judged(judge, scaled="def scaled(x): return 2 * x")
    with Gradebook(tmp_path / "course.db") as book:
        book.receive("hw1", Submission("ada", "ada.ipynb", "00"))
        book.record("hw1", report)
        page = student_page(book.grades("hw1")[0], "hw1")
    assert "scaled: partly right, 2 of 5" in page
    assert "above 0 (2 of 2)" in page and "below 0 (0 of 3)" in page
    assert "The code is that of square." in page and page.count("def square") == 1


class Notebook:
    """A notebook with the solutions."""

    def __init__(self, **sources):
        make = dataclasses.make_dataclass("NotebookCell", ["source", "metadata", "cell_type"])
        self.cells = [make(source, {"exercise": name}, "code") for name, source in sources.items()]


def test_the_proof_lists_the_parts_and_mutants_die_in_the_group(course):
    solved = Notebook(scaled=SCALED, square="def square(x):\n    return x * x", fit=FIT)
    found = {proof.name: proof for proof in proofs(solved, load_to_grade(course / "checks.py"))}
    assert [proof.problems for proof in found.values()] == [[], [], [], []]
    assert "they get 2 of 5" in str(found["scaled"])
    assert found["square"].killed and not found["own"].killed and not found["fit"].killed


def test_marks_of_a_known_wrong_answer_are_held(course):
    exercises = load_to_grade(course / "checks.py")
    exercises["scaled"].wrong_marks = {source: 3 for source, _ in exercises["scaled"].wrongs}
    (proof, *_) = proofs(Notebook(scaled=SCALED), exercises)
    assert proof.problems[0].startswith("a wrong answer to scaled gets 2 of 5 marks, not 3")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("    c.answer(lambda x: x, vary=(floats(0, 1),), says='a', marks=2)", "add up to 2 marks, but .* has 3"),
        ("    c.by_hand(scale={2: 'a', 0: 'b'})", "must go from 0 to its 3 marks"),
        (
            "    c.answer(lambda x: x, vary=(floats(0, 1),), says='a')\n    c.by_hand()",
            "a person reads 'q'",
        ),
    ],
)
def test_marks_that_cannot_be_given_are_a_sentence(text, words, tmp_path):
    head = "from minigrad.classroom import exercise, floats\n@exercise('q', points=3, function='q(x)')\ndef q(c):\n"
    (tmp_path / "checks.py").write_text(head + text)
    with pytest.raises(AuthoringError, match=words):
        load_to_grade(tmp_path / "checks.py")


def test_an_exercise_of_an_unknown_one_is_a_sentence(tmp_path):
    text = CHECKS.replace('of="square"', 'of="squares"')
    (tmp_path / "checks.py").write_text(text)
    with pytest.raises(AuthoringError, match="own is of='squares', and there is no such exercise"):
        load(tmp_path / "checks.py")
