"""Wrong answers have the same digest if they do the same, however they are written, and otherwise different ones."""

import pytest

from minigrad.grading.desk.wrong import behaviour_of
from minigrad.grading.judge import Judge
from minigrad.grading.submitted_notebook import Cell, Submission
from tests.hostile.assignment import CHECKS, HIDDEN, SETUP, SOURCE


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    for name, text in (("checks.py", CHECKS), ("hidden.py", HIDDEN), ("hw1.py", SOURCE)):
        (folder / name).write_text(text, encoding="utf-8")
    with Judge(folder) as judge:
        yield judge


def does(judge, name, source, student="ada"):
    """The digest for one answer."""
    cells = (Cell(SETUP, 1), Cell(source, 2, name))
    (mark,) = judge.judge(Submission(student, "hw1.ipynb", "00", cells), only=[name]).results
    return behaviour_of(mark) if mark.state == "wrong" else mark.state


SLOPE = "@mg.custom_gradient\ndef safe_sqrt(x):\n    return mg.sqrt(x), lambda g: {}"
SAME = {
    "plain numbers": ("q1", [
        "def tanh_backward(x, upstream):\n    return 1 - math.tanh(x) ** 2",
        "def tanh_backward(a, g):\n    t = math.tanh(a)\n    return 1 - t * t",
        "tanh_backward = lambda x, upstream: 1 / math.cosh(x) ** 2",
    ]),
    "an error": ("q2", [
        "def mean_square(numbers):\n    return [][0]",
        "def mean_square(values):\n\n    total = 0\n    return list()[total]",
    ]),
    "tensors": ("q3", [
        SLOPE.format("g / mg.sqrt(x)"),
        "@mg.custom_gradient\ndef safe_sqrt(number):\n    def back(up):\n        return up / mg.sqrt(number)\n"
        "    return mg.sqrt(number), back",
    ]),
    "no function": ("q1", ["tanh_backward = 3", "tanh_backward = 2 + 1"]),
}  # fmt: skip
OTHERS = [
    ("q1", "def tanh_backward(x, upstream):\n    return upstream * math.tanh(x)"),
    ("q1", "def tanh_backward(x, upstream):\n    return upstream * (1 - math.tanh(x))"),
    ("q1", "tanh_backward = 4"),
    ("q2", "def mean_square(numbers):\n    return {}[0]"),
    ("q2", "def mean_square(numbers):\n    return sum(numbers)"),
    ("q3", SLOPE.format("g")),
    ("q3", SLOPE.format("g / (2 * mg.sqrt(x))")),
]


@pytest.mark.parametrize("kind", SAME)
def test_answers_that_do_the_same_are_one_group_for_every_student(kind, judge):
    name, sources = SAME[kind]
    digests = {does(judge, name, source, student) for source in sources for student in ("ada", "ben")}
    assert len(digests) == 1 and len(digests.pop()) == 24


def test_answers_that_differ_are_different_groups(judge):
    every = [(name, sources[0]) for name, sources in SAME.values()] + OTHERS
    digests = [does(judge, name, source) for name, source in every]
    assert len(set(digests)) == len(every) and all(len(each) == 24 for each in digests), digests


def test_answers_that_are_right_or_missing_are_in_no_group(judge):
    right = "def mean_square(numbers):\n    return sum(n * n for n in numbers) / len(numbers)"
    assert does(judge, "q2", right) == "right" and does(judge, "q2", "pass") == "unanswered"


@pytest.mark.parametrize("body", ["while True: pass", "import os; os._exit(0)", "raise SystemExit", "return print"])
def test_an_answer_that_ends_nothing_or_everything_is_graded_as_without_a_group(body, judge):
    cells = (Cell(SETUP, 1), Cell(f"def mean_square(numbers):\n    {body}", 2, "q2"))
    (mark,) = judge.judge(Submission("ada", "hw1.ipynb", "00", cells), only=["q2"]).results
    assert (mark.state, mark.marks) == ("wrong", 0.0)


def test_where_nothing_was_computed_only_the_verdicts_are_compared(judge):
    cells = (Cell(SETUP, 1), Cell("tanh_backward = 3", 2, "q1"))
    (mark,) = judge.judge(Submission("ada", "hw1.ipynb", "00", cells), only=["q1"]).results
    assert mark.behaviour == "" and "should be a function" in mark.words
