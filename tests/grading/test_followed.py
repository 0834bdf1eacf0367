"""What the judge follows: functions that a check passes, slices, Generators; a different grading is reported."""

import pytest

from minigrad import __main__ as cli
from minigrad.classroom.authoring import new
from minigrad.classroom.examination import examine
from minigrad.classroom.loading import load
from minigrad.classroom.proof import namespace
from minigrad.grading.author_answers import disagreements
from minigrad.grading.judge import Judge
from minigrad.grading.submitted_notebook import Cell, Submission

CHECKS = """
import numpy as np
import minigrad as mg
from minigrad.classroom import exercise, floats

CUBE = lambda x: mg.sum(x * x * x)

def right_hvp(hvp, n):
    x, v = mg.constant([float(n), 2.0]), mg.constant([1.0, -1.0])
    got = np.asarray(hvp(CUBE, x, v).value)
    return bool(np.allclose(got, 6 * np.asarray(x.value) * np.asarray(v.value))) or f"It gives {got}."

@exercise("hvp", function="hvp(f, x, v)")
def hvp(c):
    c.property("the Hessian times v, for a function of yours", right_hvp, at=[(1,), (3,)], vary=())

@exercise("taken", function="taken(x, part)")
def taken(c):
    c.property("a part", lambda f, n: list(f([1, 2, 3, 4], slice(n, None, 2))) == [1, 2, 3, 4][n::2], at=[(0,), (1,)],
               vary=())

@exercise("drawn", function="drawn(rng, n)")
def drawn(c):
    c.property("numbers of the generator", lambda f, seed: bool(np.array_equal(
        f(np.random.default_rng(seed), 3), np.random.default_rng(seed).normal(size=3))), at=[(0,), (7,)], vary=())

@exercise("slope", function="slope(f, x)")
def slope(c):
    c.answer(lambda x: 2 * x, vary=(floats(-2, 2),), says="the slope of a square at a number")
"""
HVP = """
import minigrad as mg
def hvp(f, x, v):
    (slope,) = mg.gradients(f(x), [x])
    return mg.gradients(mg.sum(slope * v), [x])[0]
"""
ANSWERS = {
    "hvp": HVP,
    "taken": "def taken(x, part): return x[part]",
    "drawn": "def drawn(rng, n): return rng.normal(size=n)",
}
WRONG = {
    "hvp": HVP.replace("return mg.gradients(mg.sum(slope * v), [x])[0]", "return v"),
    "taken": "def taken(x, part): return x[::2]",
    "drawn": "import numpy as np\ndef drawn(rng, n): return np.random.default_rng(0).normal(size=n)",
}


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    (folder / "checks.py").write_text(CHECKS)
    with Judge(folder) as judge:
        yield judge


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize(("answers", "state"), [(ANSWERS, "right"), (WRONG, "wrong")], ids=["right", "wrong"])
def test_what_a_check_hands_over_arrives(judge, name, answers, state):
    cells = (Cell(answers[name], 1, name),)
    (mark,) = judge.judge(Submission("ada", "ada.ipynb", "00", cells), only=[name]).results
    assert mark.state == state, mark
    if (name, state) == ("hvp", "wrong"):
        assert mark.words == "It gives [ 1. -1.]."


LIES = """
class Lie:
    def __float__(self): return 2.0
    __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: True
    __sub__ = __rsub__ = __mul__ = __abs__ = lambda self, *other: 0.0
class Number(float):
    __sub__ = __rsub__ = __abs__ = lambda self, *other: 0.0
changing = [3.0, 2.0]
class Changing(Lie):
    def __float__(self): return changing.pop()
"""


@pytest.mark.parametrize("number", ["Lie()", "Number(2.0)", "Changing()"])
def test_an_object_is_the_number_that_it_stands_for_and_computes_nothing(tmp_path, number):
    (tmp_path / "checks.py").write_text(
        "from minigrad.classroom import exercise\n@exercise('fit', function='fit(xs)')\ndef fit(c):\n"
        "    c.trained(lambda w: 1 - abs(w - 3), least=0.99, seconds=1, args=([1.0],))\n"
        "    c.property('at least 3', lambda f, x: bool(f([x]) >= 3.0), at=[(1.0,)], vary=())\n"
    )
    with Judge(tmp_path) as judge:
        wrong, right = [
            judge.judge(Submission("ada", "ada.ipynb", "00", (Cell(f"{LIES}def fit(xs): return {answer}", 1),)))
            for answer in (number, "Number(3.0)")
        ]
    assert [mark.state for mark in (*wrong.results, *right.results)] == ["wrong", "right"]


FREER = """
import numpy as np
from minigrad.classroom import exercise, floats

def root_of(x):
    y = 0.0
    for _ in range(60):
        y -= (y**3 + y - x) / (3 * y**2 + 1)
    return y

@exercise("root", function="root(x)")
def root(c):
    c.derivative("the slope of the root", vary=(floats(-4, 4),), slope=lambda x: 1 / (3 * root_of(x) ** 2 + 1),
                 given_value=True, dtypes=("float64",), rtol=1e-9)
    c.custom(vary=(floats(-4, 4),))

@exercise("steps", function="steps(x)")
def steps(c):
    c.derivative("the slope of the steps", vary=(floats(0.5, 4),), slope=lambda x: 3.0 if x > 2 else 1.0,
                 branches=2, dtypes=("float64",))
"""
NEWTON = """
import numpy as np
import minigrad as mg
def solved(x):
    y = np.zeros_like(x)
    for _ in range(60):
        y = y - (y**3 + y - x) / (3 * y**2 + 1)
    return y
@mg.custom_gradient
def root(x):
    y = mg.constant(solved(x.value))
    return y, lambda upstream: RULE
"""
STEPS = "import minigrad as mg\ndef steps(x):\n    {}"
#: By exercise: an answer, whether it is right, and the mistake that it shows.
FREE_ANSWERS = {
    "right": ("root", NEWTON.replace("RULE", "upstream / (3 * y * y + 1)"), True, ""),
    "wrong": ("root", NEWTON.replace("RULE", "upstream / (3 * y + 1)"), False, ""),
    "a number": ("root", NEWTON.replace("RULE", "upstream * float(1 / (3 * y.value**2 + 1))"), False, "taken out"),
    "another constant": (
        "root",
        NEWTON.replace("    return y", "    s = mg.constant(1 / (3 * y.value**2 + 1))\n    return y").replace(
            "RULE", "upstream * s"
        ),
        False,
        "",
    ),
    "no rule": ("root", NEWTON.replace("@mg.custom_gradient\n", "").replace(", lambda upstream: RULE", ""), False, ""),
    "two branches": ("steps", STEPS.format("return 3 * x if float(x.value.max()) > 2 else x"), True, ""),
    "three branches": (
        "steps",
        STEPS.format("return 3 * x if float(x.value.max()) > 2 else x if float(x.value.max()) > 1 else 1.0 * x"),
        False,
        "",
    ),
    "a wrong branch": ("steps", STEPS.format("return 2 * x if float(x.value.max()) > 2 else x"), False, ""),
}


@pytest.fixture(scope="module")
def freer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    (folder / "checks.py").write_text(FREER)
    with Judge(folder) as judge:
        yield judge


@pytest.mark.parametrize("kind", FREE_ANSWERS)
def test_a_value_from_numpy_and_decisions_on_values_are_followed_where_the_check_says_so(freer, kind):
    name, source, right, mistake = FREE_ANSWERS[kind]
    (mark,) = freer.judge(Submission("ada", "ada.ipynb", "00", (Cell(source, 1, name),)), only=[name]).results
    space = namespace([source])
    verdict = examine(load(freer.assignment.checks)[name], space[name])
    assert (mark.state == "right", bool(verdict)) == (right, right), (mark, verdict)
    assert mistake in (mark.mistake or [""])[0] and mistake in (verdict.mistake.name if verdict.mistake else "")


NEAREST = """
from minigrad.classroom import exercise, floats
@exercise("nearest", points=2, function="nearest(x)")
def nearest(c):
    c.value(lambda x: max(x, 0.0), vary=(floats(1, 2),), says="x above 0", dtypes=())
    c.derivative("its slope", vary=(floats(1, 2),), slope=lambda x: 1.0 * (x > 0), dtypes=())
"""


def agreed(tmp_path, answer, wrong=""):
    """The differences between proof and judge for an assignment with one exercise."""
    folder = new(tmp_path / "hw1")
    (folder / "hidden.py").unlink()
    (folder / "checks.py").write_text(NEAREST + wrong)
    head = '# %% [markdown]\n# text\n# %% exercise="nearest"\n'
    (folder / "hw1.py").write_text(head + answer)
    return disagreements(folder)


def test_a_solution_that_cannot_be_followed_is_a_sentence(tmp_path):
    """A property calls the function with Tensors: in the notebook the function, in grading a graph at other numbers."""
    wrong = (
        "    import minigrad as mg\n    c.property('the largest', lambda f, a: float(f(mg.constant([a, 1.0])).value)"
    )
    wrong += " == max(a, 1.0), at=[(3.0,), (0.5,)], vary=())\n"
    answer = "import minigrad as mg\ndef nearest(x):\n    return x[int(mg.argmax(x).value)] if x.ndim else mg.abs(x)"
    said = agreed(tmp_path, answer, wrong)
    assert said[0].startswith("nearest is right in the notebook, but wrong when it is graded: 'the largest': ")
    assert said[-1].startswith("lessons/AUTHORING.md lists ")


def test_a_solution_and_wrong_answers_that_are_graded_alike_are_no_sentence(tmp_path):
    wrong = "    c.wrong('def nearest(x): return 2 * x')\n"
    assert agreed(tmp_path, "import minigrad as mg\ndef nearest(x):\n    return mg.where(x > 0, x, 0.0)", wrong) == []


def test_a_wrong_answer_that_passes_or_has_another_name_when_graded_is_a_sentence(tmp_path):
    wrong = "    c.wrong('def nearest(x): return 1.0 * x')\n    c.wrong('def nearest(x): return 2 * x', 'a name')\n"
    said = agreed(tmp_path, "import minigrad as mg\ndef nearest(x):\n    return mg.where(x > 0, x, 0.0)", wrong)
    assert [line.splitlines()[0] for line in said[:2]] == [
        "a wrong answer to nearest is right when it is graded:",
        "a wrong answer to nearest is taken for 'counted twice', not for 'a name', when it is graded:",
    ]


@pytest.mark.slow
def test_the_command_stops_a_release_that_would_be_graded_otherwise(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    new(tmp_path / "hw1")
    monkeypatch.setattr(
        "minigrad.grading.author_answers.disagreements", lambda path, progress: [f"{path.name}: not alike"]
    )
    assert cli.main(["assign", "release", "hw1"]) == 1
    assert "hw1: not alike" in capsys.readouterr().err and not (tmp_path / "hw1" / "release").exists()
