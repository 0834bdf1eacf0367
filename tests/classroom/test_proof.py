"""Wrong answers and small changes of a solution are tried before an exercise is released."""

import numpy as np
import pytest

from minigrad.classroom import exercise, floats, mistake
from minigrad.classroom.mutants import mutants_of
from minigrad.classroom.proof import Proof, allow, namespace, prove

SOLUTION = "def scaled(x):\n    return 3.0 * x - 1.0"


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("return a + b", {"return a - b", "return a", "return b", "return -(a + b)", "return 2 * (a + b)"}),
        ("return a / b", {"return a * b", "return b / a", "return a", "return b"}),
        ("return -a", {"return a"}),
        ("return x < 1", {"return x <= 1", "return x > 1", "return x < 2", "return x < 0"}),
        ("return upstream * x", {"return 1.0 * x", "return (upstream * x * 1).astype('float32')"}),
        ("return (a, b)", {"return (b, a)"}),
        ("return x.T", {"return x"}),
        ("return np.sum(x, axis=1)", {"return np.sum(x, axis=2)", "return np.sum(x, axis=0)", "return np.sum(x)"}),
        ("return mg.where(c, a, b)", {"return mg.where(c, b, a)", "return a", "return b"}),
        ("return reversed(x)", {"return x"}),
        ("x += 1", {"x = 1", "x += 2", "x += 0"}),
        ("return a and b", {"return a or b", "return a", "return b"}),
        ("return x[1:]", {"return x[2:]", "return x[0:]"}),
        ("return mg.exp(x)", {"return mg.expm1(x)"}),
        ("return x @ w", {"return w @ x", "return x * w"}),
    ],
)
def test_changes(line, changed):
    found = {m.source.splitlines()[-1].strip() for m in mutants_of(f"def f(x):\n    {line}")}
    assert changed <= found
    assert line not in found


def test_every_mutant_is_another_program():
    source = "def f(x, upstream):\n    y = x * x\n    return upstream * (1 - y) / 2"
    found = [m.source for m in mutants_of(source)]
    assert len(found) == len(set(found)) > 15
    for text in found:
        compile(text, "<mutant>", "exec")


def scaled(**more):
    @exercise("scaled", function="scaled(x)")
    def scaled(c):
        c.value(lambda x: 3 * x - 1, says="the value", **{"vary": (floats(-3, 3),), **more})
        c.wrong("def scaled(x): return -(3 * x - 1)", mistake.sign)
        c.wrong("def scaled(x): return 3 * x")

    return scaled


def test_a_good_exercise_kills_all():
    proof = prove(scaled(), [SOLUTION])
    assert (proof.wrongs, proof.named, proof.survivors, proof.problems) == (2, 1, [], [])
    assert proof.killed > 8


def test_survivors_stop_a_release_unless_accepted_by_name():
    weak = scaled(vary=(floats(0, 0),))
    proof = prove(weak, [SOLUTION])
    assert "3.0 -> 4.0" in proof.survivors
    assert any("the checks of scaled pass with '3.0 -> 4.0' in line " in problem for problem in proof.problems)
    weak.accepted = {change: "only 0 is tried" for change in proof.survivors}
    weak.wrongs = []
    again = prove(weak, [SOLUTION])
    assert again.problems == [] and len(again.accepted) == len(proof.survivors)


def test_wrong_answers_that_pass_or_have_another_name_are_problems():
    other = scaled()
    other.wrongs = [
        (SOLUTION, None),
        ("def scaled(x): return 6 * x - 2", mistake.sign.name),
        ("def scaled(x) return", None),
    ]
    said = prove(other, [SOLUTION]).problems
    assert said[0].startswith("a wrong answer to scaled is right:")
    assert said[1].startswith("a wrong answer to scaled is taken for 'counted twice', not for 'the sign is flipped'")
    assert said[2].startswith("a wrong answer to scaled cannot be run, SyntaxError")


def test_the_proof_of_a_wrong_solution_says_so_and_tries_no_mutants():
    proof = prove(scaled(), ["def scaled(x): return x"])
    assert proof.killed == 0
    assert any("with its solutions, scaled is wrong, not right:" in problem for problem in proof.problems)


def test_a_solution_has_the_time_of_its_exercise_and_not_that_of_a_mutant(monkeypatch):
    """On a busy computer, a right solution was late, no mutant was tried, and nothing said why."""
    monkeypatch.setattr("minigrad.classroom.proof.SECONDS", 0.02)
    wait = "import time\ndef wait():\n    end = time.process_time() + 0.05\n    while time.process_time() < end: pass"
    slow = SOLUTION.replace("    return", "    wait()\n    return")
    proof = prove(scaled(points=[(1.0,)], vary=(), dtypes=()), [wait, slow])
    assert not any("with its solutions" in problem for problem in proof.problems)
    assert proof.killed > 8  # the mutant that only changes the dtype fails by being late, or not at all


def test_cells_before_the_exercise_are_used_and_nothing_else_in_them_runs():
    space = namespace(
        ["%matplotlib inline\nimport math\nshift = 2\nprint(undefined)\n1 / 0", "def f(x): return x + shift"]
    )
    assert space["f"](1) == 3 and space["math"].pi > 3


def test_what_python_thinks_of_a_mutant_is_not_printed(recwarn):
    space = namespace(["def f(upstream): return 1.0 is None"])
    assert space["f"](2.0) is False
    assert list(recwarn) == []


def test_what_is_allowed_follows_from_the_authors_error():
    """log(1 + exp(x)) loses digits where exp(x) is small: an error of that size is allowed."""

    @exercise("soft", function="soft(x)")
    def soft(c):
        c.value(lambda x: np.log1p(np.exp(x)) * 1e3, vary=(floats(-30, 0),), says="the value")

    allow(soft, ["def soft(x): return mg.log(1 + mg.exp(x)) * 1000"])
    assert soft.checks[0].units > 300
    before = soft.checks[0].units
    allow(soft, ["def soft(x): return x"])
    assert soft.checks[0].units == before, "a wrong solution allows nothing"


def test_a_line_for_the_author():
    proof = Proof("root", wrongs=8, named=5, killed=10, accepted=["a"], survivors=["b"])
    assert str(proof) == "root: 8 wrong answers fail, 5 by name; 10 of 12 mutants fail, 1 accepted"
