"""The judge gives full marks to the solutions, and says about wrong answers what the notebook says."""

from functools import cache

import pytest

from minigrad.classroom.authoring import new
from minigrad.classroom.examination import examine
from minigrad.classroom.loading import load
from minigrad.classroom.proof import namespace
from minigrad.grading.judge import Judge
from minigrad.grading.submitted_notebook import Cell, Submission
from minigrad.runner.budgets import Limits
from tests.helpers.submissions import checks, solved, submitted

JUDGES = {}


def judge(lesson):
    if lesson not in JUDGES:
        JUDGES[lesson] = Judge(checks(lesson))
    return JUDGES[lesson]


@pytest.fixture(scope="module", autouse=True)
def all_judges_end():
    yield
    while JUDGES:
        JUDGES.popitem()[1].close()


@pytest.mark.cases(1)
@pytest.mark.parametrize("lesson", [f"{n:02}" for n in range(19)])
def test_a_solved_lesson_has_full_marks(lesson):
    report = judge(lesson).judge(submitted(solved(lesson)))
    assert [m for m in report.results if m.state != "right"] == []
    assert (report.status, report.marks) == ("graded", report.out_of)
    assert report.notes == [] or lesson == "02"  # whose first cell draws with the classroom's module of walks


def test_a_picture_in_which_no_edge_was_chosen_is_unanswered():
    report = judge("06").judge(submitted(solved("06"), which_arrow="check('which_arrow')"))
    assert [(m.exercise, m.state) for m in report.results if m.state != "right"] == [("which_arrow", "unanswered")]


def test_two_pictures_take_two_answers():
    """Pictures are not drawn while an answer is judged; what a cell writes into each is read."""
    lesson = "from minigrad.classroom import lesson\ncheck = lesson('06')\n"
    both = lesson + "other = check.picture('zero_times_inf', 1)\nwhich_arrow = check.picture('which_arrow', 2)\n"
    answers = "which_arrow.answer = 'exp', 'x'\nother.answer = 'add', 'exp'"
    cells = (Cell(both + answers, 1, "which_arrow"),)
    (mark,) = judge("06").judge(Submission("ada", "ada.ipynb", "00", cells), only=["which_arrow"]).results
    assert mark.state == "right", mark


@cache
def known_wrong(lesson):
    return [(name, source, named) for name, e in load(checks(lesson)).items() for source, named in e.wrongs]


def spoken(lesson):
    return [pytest.param(lesson, *wrong, id=f"{lesson}-{wrong[0]}-{i}") for i, wrong in enumerate(known_wrong(lesson))]


@pytest.mark.cases(2)
@pytest.mark.parametrize("lesson, name, source, named", [*spoken("06"), *spoken("07")])
def test_a_wrong_answer_is_told_as_in_the_notebook(lesson, name, source, named):
    exercise = load(checks(lesson))[name]
    alone = [c for c in solved(lesson) if c.exercise in (None, name)]
    report = judge(lesson).judge(submitted(alone, **{name: source}))
    (mark,) = [m for m in report.results if m.exercise == name]
    space = namespace([*[c.source for c in solved(lesson) if c.exercise != name], source])
    there = examine(exercise, space.get(exercise.function))
    assert (mark.state, mark.marks) == ("wrong", 0.0)
    assert mark.mistake == (there.mistake.name, there.mistake.says) if there.mistake else mark.mistake is None
    if named:
        assert mark.mistake[0] == named
    if named == "a Python if on a number":  # an array with several entries, any of which makes it stop
        assert "[" in mark.inputs and "[" in there.at
    else:
        assert mark.inputs == there.at
    assert [line.right for line in mark.lines] == [line.right for line in there.lines]
    if there.sides:
        assert (mark.yours, mark.true) == (there.sides[0].value, there.sides[1].value)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    with Judge(new(tmp_path_factory.mktemp("course") / "hw1"), limits=Limits(call=0.5, statement=1.0)) as judge:
        yield judge


RIGHT = "import math\ndef tanh_backward(x, upstream):\n    return upstream * (1 - math.tanh(x) ** 2)"


def told(small, answer=RIGHT, slope="slope_at_3 = 6.0", seed=0):
    cells = (Cell("import math", 1), Cell(slope, 2, "slope_at_3"), Cell(answer, 3, "tanh_backward"))
    report = small.judge(Submission("ada", "ada.ipynb", "00", cells), seed)
    return {mark.exercise: mark for mark in report.results}, report


def test_a_new_assignment(small):
    marks, report = told(small)
    assert (report.marks, report.out_of, report.assignment) == (4.0, 4.0, "hw1")
    assert [line.reveal for line in marks["tanh_backward"].lines] == ["always", "message"]
    assert marks["tanh_backward"].code == RIGHT


FLOAT = "class Number:\n    def __float__(self): {}\nslope_at_3 = Number()"


@pytest.mark.parametrize(
    "slope, state",
    [
        ("from fractions import Fraction\nslope_at_3 = Fraction(12, 2)", "right"),
        ("from fractions import Fraction\nslope_at_3 = Fraction(9)", "wrong"),
        ("from decimal import Decimal\nslope_at_3 = Decimal('6.0')", "right"),
        (FLOAT.format("return 6.0"), "right"),
        (FLOAT.format("return 9.0"), "wrong"),
        (FLOAT.format("raise ValueError"), "wrong"),
        (FLOAT.format("return '6'"), "wrong"),
        (FLOAT.format("\n        while True: pass"), "wrong"),
        ("slope_at_3 = float", "wrong"),
        ("slope_at_3 = lambda: 6.0", "wrong"),
        ("slope_at_3 = '6'", "wrong"),
    ],
)
def test_a_number_of_any_type_is_judged_by_its_float(small, slope, state):
    marks, _ = told(small, slope=slope)
    assert (marks["slope_at_3"].state, marks["tanh_backward"].state) == (state, "right")


PORTABLE = """
@ops.custom_gradient
def portable(x):
    y = x + mg.log1p(mg.exp(-x)) if {} else mg.log1p(mg.exp(x))
    return y, lambda *args, upstream=None: (args[0] if upstream is None else upstream) * mg.sigmoid(x)
"""


def test_where_an_if_on_a_tensor_is_refused_the_words_say_why_and_what_to_write():
    report = judge("09").judge(submitted(solved("09"), portable=PORTABLE.format("x > 1.9")))
    (mark,) = [mark for mark in report.results if mark.exercise == "portable"]
    name, says = mark.mistake
    assert (mark.state, name) == ("wrong", "a Python if on a number")
    assert "only that branch is recorded" in says and "mg.where(condition, a, b)" in says


LETTERS_AND_LISTS = """
from minigrad.classroom import exercise
@exercise("letter")
def letter(c):
    c.choice("b", because={"a": "No.", "b": "Yes."})
@exercise("several")
def several(c):
    c.numbers([0.5, 2.0], because={(0.5, 2.0): "Yes."})
"""


def test_letters_and_lists_of_numbers_of_other_types(tmp_path):
    (tmp_path / "checks.py").write_text(LETTERS_AND_LISTS)
    lines = ("import numpy as np", "from fractions import Fraction", "letter = np.str_('b')")
    cells = [Cell("\n".join([*lines, "several = [Fraction(1, 2), Fraction(2)]"]), 1)]
    with Judge(tmp_path) as judge:
        report = judge.judge(Submission("ada", "ada.ipynb", "00", tuple(cells)))
    assert [mark.state for mark in report.results] == ["right", "right"]


def test_a_hidden_check_fails_where_the_shown_one_passes(small):
    answer = "import math\ndef tanh_backward(x, upstream):\n    return upstream / math.cosh(x) ** 2"
    marks, _ = told(small, answer)
    assert [line.right for line in marks["tanh_backward"].lines] == [True, False]
    assert "OverflowError" in marks["tanh_backward"].words


def test_the_same_seed_gives_the_same_report_and_another_the_same_marks(small):
    first, again, other = (told(small, seed=seed)[1] for seed in (0, 0, 5))
    assert first.results == again.results
    assert [m.marks for m in other.results] == [m.marks for m in first.results]


def test_an_unreadable_submission_has_no_marks_and_no_zero(small):
    report = small.judge(Submission("ada", "ada.ipynb", "00", unreadable="line 1: not JSON"))
    assert (report.status, report.marks, report.out_of) == ("unreadable", None, 4.0)
    assert {m.state for m in report.results} == {"ungraded"}


def test_nothing_answered(small):
    report = small.judge(Submission("ada", "ada.ipynb", "00"))
    assert report.marks == 0 and report.notes == ["Nothing is answered."]


BROKEN = """
from minigrad.classroom import exercise, floats

@exercise("half", points=2, function="half(x)")
def half(c):
    c.answer(lambda x: x / 2, vary=(floats(-4, 4),), says="half of it")

@exercise("inverse", points=3, function="inverse(x)")
def inverse(c):
    c.answer(lambda x: 1 / 0, vary=(floats(1, 4),), says="its inverse")
"""


def test_a_check_that_raises_is_the_teachers_fault_and_no_zero(tmp_path):
    (tmp_path / "hw1").mkdir()
    (tmp_path / "hw1" / "checks.py").write_text(BROKEN)
    cells = (Cell("def half(x): return x / 2", 1), Cell("def inverse(x): return 1 / x", 2))
    with Judge(tmp_path / "hw1") as judge:
        report = judge.judge(Submission("ada", "ada.ipynb", "00", cells))
    half, inverse = report.results
    assert (half.state, half.marks, inverse.state, inverse.marks) == ("right", 2, "ungraded", None)
    assert inverse.why == "The check could not be run: ZeroDivisionError: division by zero" and report.marks is None


TEACHERS = {
    "the value": "    c.value(lambda x: 1 / 0, vary=(floats(1, 4),), says='its value')",
    "the value, by an op": "    c.value(lambda x: mg.reshape(x, (2, 3)), vary=(floats(1, 4),), says='its value')",
    "the slope": "    c.derivative('its slope', vary=(floats(1, 4),), slope=lambda x: 1 / 0)",
    "a property": "    c.property('it holds', lambda f, x: 1 / 0, vary=(floats(1, 4),))",
    "a property of the result": "    c.property('it holds', lambda f, x: f(x) and 1 / 0, vary=(floats(1, 4),))",
}


def test_a_syntax_error_is_told_with_its_exercise(small):
    source = "def tanh_backward(x, upstream):\n    return x +"
    cells = (Cell("slope_at_3 = 6.0", 1, "slope_at_3"), Cell(source, 2, "tanh_backward"))
    slope, tanh = small.judge(Submission("ada", "ada.ipynb", "00", cells)).results
    assert slope.state == "right"
    assert (tanh.state, tanh.words) == ("unanswered", "Nothing is defined: Cell 2, line 2: SyntaxError: invalid syntax")


def test_the_answers_after_eight_cells_that_never_end_are_judged(small):
    loops = [Cell("while True: pass", n) for n in range(1, 9)]
    answers = (Cell("slope_at_3 = 6.0", 9, "slope_at_3"), Cell(RIGHT, 10, "tanh_backward"))
    report = small.judge(Submission("ada", "ada.ipynb", "00", (*loops, *answers)))
    assert [mark.state for mark in report.results] == ["right", "right"]
    assert report.notes == [f"Statement 1 of cell {n} did not end and was left out." for n in range(1, 9)]


@pytest.mark.parametrize("answer", ["x * x", "x"])
def test_a_check_of_tensors_that_raises_is_the_teachers_fault_too(answer, tmp_path, subtests):
    checks = "import minigrad as mg\nfrom minigrad.classroom import exercise, floats\n"
    slope = "    c.derivative('the slope is 2 x', vary=(floats(-4, 4),), slope=lambda x: 2 * x)\n"
    for n, line in enumerate(TEACHERS.values()):
        checks += f'@exercise("f{n}", function="f{n}(x)")\ndef f{n}(c):\n{slope}{line}\n'
    (tmp_path / "checks.py").write_text(checks)
    functions = "".join(f"def f{n}(x): return {answer}\n" for n in range(len(TEACHERS)))
    with Judge(tmp_path) as judge:
        report = judge.judge(Submission("ada", "ada.ipynb", "00", (Cell(f"import minigrad as mg\n{functions}", 1),)))
    for name, mark in zip(TEACHERS, report.results, strict=True):
        with subtests.test(name):
            assert (mark.state, mark.marks) == ("ungraded", None), mark.words
            assert "Error" in mark.why
    assert report.marks is None
