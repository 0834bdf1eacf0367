"""The first line of `minigrad submit` is true: for notebooks of random pieces, it is compared with the marks of
`grade`, and with the functions that Python has when all cells have run.
"""

import json
import random
import re

import pytest

from minigrad.grading.assignment import HandedOut
from minigrad.grading.foreseen import as_run
from minigrad.grading.handed_modules import imported_beside, with_modules
from minigrad.grading.judge import Judge
from minigrad.grading.submissions import submissions_in
from minigrad.grading.submitted_notebook import read

NAMES = [f"times_{n}" for n in range(2, 7)]
CHECKS = "from minigrad.classroom import exercise, floats\n\n" + "\n\n".join(
    f"@exercise('{name}', points=1, function='{name}(x)')\ndef {name}(c):\n    c.example((1.5,), 1.5 * {name[6:]})"
    for name in NAMES
)
CHECKS += "\n\n@exercise('why', points=1)\ndef why(c):\n    c.by_hand(scale={1: 'A reason.', 0: 'None.'})\n"
STUB = "def NAME(x):\n    raise NotImplementedError('your code goes here')\n\n\ncheck('NAME')"
RIGHT = "def NAME(x):\n    return N * x"
RELEASED = {**{name: STUB.replace("NAME", name) for name in NAMES}, "why": "why = ...\ncheck('why')"}

#: An answer: the type of its cell, its source, and whether it is right, wrong, or None: not there.
ANSWERS = {
    "right": ("code", RIGHT, True),
    "wrong": ("code", "def NAME(x):\n    return -N * x", False),
    "blank": ("code", STUB, None),
    "a comment": ("code", "# def NAME(x): return N * x", None),
    "markdown": ("markdown", RIGHT, None),
    "a file": ("code", f"%%writefile NAME_file.py\n{RIGHT}", None),
    "another name": ("code", RIGHT.replace("NAME", "NAMED"), None),
    "a syntax error": ("code", f"{RIGHT})", None),
    "an error above": ("code", f"1 / 0\n{RIGHT}", True),
    "an error on the way": ("code", "NAME = 1 / 0", None),
    "made by a string": ("code", 'exec("""def NAME(x): return N * x""")', True),
    "from a module": ("code", "from beside_NAME import NAME", True),
}
#: What stands below: its cell, whether it is of the exercise, and what it does to an answer.
BELOW = {
    "nothing": ("", False, lambda before: before),
    "a blank copy": (STUB, True, lambda before: before),
    "an older copy": ("def NAME(x):\n    return x + N", True, lambda before: False),
    "a loop": ("for NAME in range(3): pass", False, lambda before: False),
    "del": ("if 'NAME' in globals(): del NAME", False, lambda before: None),
    "the import of the file": ("from NAME_file import NAME", False, lambda before: before),
}
WHY = {
    "text": ("code", "why = 'So it is.'"),
    "a comment": ("code", "# So it is, I think."),
    "blank": ("code", "why = ..."),
}
WHY["markdown"] = ("markdown", "So it is.")
WHY["below"] = ("code", "why = ...")
NEXT = "What comes next."  # text that was handed out below the exercise


@pytest.fixture(scope="module")
def judges(tmp_path_factory):
    """The judge of the student's files, and the grader's."""
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    (folder / "checks.py").write_text(CHECKS)
    cells = [f'# %% exercise="{name}"\n{source}' for name, source in RELEASED.items()]
    source = "\n\n".join([*cells, f"# %% [markdown]\n# {NEXT}"])
    solved = source.replace("why = ...", "### BEGIN SOLUTION\nwhy = 'x'\n### END SOLUTION")
    (folder / "hw1.py").write_text(solved)
    (folder / "hw1_checks.py").write_text(CHECKS)
    with Judge(folder / "hw1_checks.py", "none", consent=True) as students, Judge(folder) as graders:
        yield students, graders


def notebook(seed, folder):
    """Write a notebook of pieces drawn at random; return what Python makes of each exercise, and the piece of each."""
    draw, cells, lower, truth, pieces = random.Random(seed), [], [], {}, {}
    for name in NAMES:
        put = lambda source, name=name: (
            source.replace("NAME", name).replace("N *", f"{name[6:]} *").replace("+ N", "+ 0")
        )
        answer, below = draw.choice([*ANSWERS]), draw.choice([*BELOW, "nothing", "nothing"])
        if answer == "a file":
            below = draw.choice(["nothing", "the import of the file"])
        elif below == "the import of the file" or (answer == "made by a string" and below == "a blank copy"):
            below = "nothing"
        kind, source, right = ANSWERS[answer]
        cells.append({"cell_type": kind, "source": put(source), "metadata": {"exercise": name}})
        if BELOW[below][0]:
            of = {"exercise": name} if BELOW[below][1] else {}
            lower.append({"cell_type": "code", "source": put(BELOW[below][0]), "metadata": of})
        if answer == "from a module":
            (folder / f"beside_{name}.py").write_text(put(RIGHT))
        imported = answer == "a file" and below == "the import of the file"
        truth[name], pieces[name] = True if imported else BELOW[below][2](right), (answer, below)
    why = draw.choice([*WHY])
    cells.append({"cell_type": WHY[why][0], "source": WHY[why][1], "metadata": {"exercise": "why"}})
    below = [NEXT] + ["So it is."] * (why == "below")
    cells += [{"cell_type": "markdown", "source": text, "metadata": {}} for text in below]
    truth["why"], pieces["why"] = True if why != "blank" else None, (why, "nothing")
    cells.insert(0, {"cell_type": "code", "source": "check = print", "metadata": {}})
    (folder / "hw1.ipynb").write_text(json.dumps({"nbformat": 4, "cells": [*cells, *lower]}))
    return truth, pieces


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_submit_says_what_grade_gives(seed, judges, tmp_path):
    students, graders = judges
    (tmp_path / "ada").mkdir()
    truth, pieces = notebook(seed, tmp_path / "ada")
    mine = read(tmp_path / "ada" / "hw1.ipynb")
    mine = with_modules(mine, imported_beside(mine, tmp_path / "ada"))
    received = HandedOut("hw1", students.assignment.exercises, RELEASED, students.assignment.path, {"why": [NEXT]})
    seen = as_run(mine, received, students)
    (ada,) = submissions_in(tmp_path, "hw1").submissions
    report = graders.judge(ada)
    told = {
        m.exercise: {"right": True, "to read": True, "wrong": False, "unanswered": None}[m.state]
        for m in report.results
    }
    assert told == truth, (pieces, report.notes)
    assert {name: (name in seen.right) if name in seen.answered else None for name in truth} == truth, pieces

    untouched = {name for name, (answer, below) in pieces.items() if answer == "blank" and below == "nothing"}
    copied = {name for name, (answer, below) in pieces.items() if below == "a blank copy" and answer not in ("blank",)}
    missed = {name for name, (answer, below) in pieces.items() if "blank" not in (answer, below[2:7])}
    missed = {name for name in missed if not truth[name]}
    assert missed <= seen.notes.keys() and not seen.notes.keys() & untouched, pieces
    changed = {name for name, (answer, below) in pieces.items() if below != "nothing"}
    assert seen.notes.keys() <= missed | copied | changed, (pieces, seen.notes)
    counts = re.fullmatch(
        r"(\d+) of 6 exercises are answered(?:; not yet: .*?)?; (\d+) needs? a look(?:: .*)?", seen.headline
    )
    assert [*map(int, counts.groups())] == [sum(right is not None for right in truth.values()), len(seen.notes)]
    for name, (answer, _) in pieces.items():  # one reason, whoever says it
        if answer == "a file" and truth[name] is None:
            assert seen.notes[name][0] in report.notes
