"""Reports are kept as JSON and come back as they were."""

from minigrad.grading.report import Criterion, Mark, Report
from minigrad.grading.summary import lines_of


def test_a_report_comes_back_whole():
    failed = Mark(
        "q2",
        "wrong",
        0.0,
        3.0,
        [Criterion("the slope", False, 0.0, 3.0, "message", "large inputs")],
        "It fails.",
        "x = 1.0",
        "0.0",
        "0.42",
        ("no upstream", "The rule ignores its upstream."),
        "printed",
        "def q2(x): ...",
        ("data:image/png;base64,", "a picture"),
    )
    report = Report(
        "Zoë", "hw1", "00", "11", 7, "graded", [failed], ["a note"], ("processes",), {"python": "3.11"}, 1.5
    )
    assert Report.from_json(report.to_json()) == report


def test_marks_are_unknown_while_an_exercise_could_not_be_graded():
    right, broken = Mark("q1", "right", 2.0, 2.0), Mark("q2", "ungraded", None, 3.0, why="the check raised")
    assert Report("a", "hw1", "", "", 0, "graded", [right]).marks == 2
    assert Report("a", "hw1", "", "", 0, "graded", [right, broken]).marks is None
    assert Report("a", "hw1", "", "", 0, "unreadable", []).marks is None


def test_a_report_as_text_says_which_check_failed_and_what_the_mistake_means():
    lines = [Criterion("the value", True), Criterion("made without mg.softplus", False)]
    mark = Mark("q1", "wrong", 0.0, 4.0, lines, inputs="a = 1", mistake=("used what is to be built", "It is ready."))
    _, line = lines_of(Report("ada", "hw7", "", "", 0, "graded", [mark]))
    assert line == (
        "  q1: wrong, 0 of 4; failed: made without mg.softplus; at a = 1; used what is to be built: It is ready."
    )
