"""The inputs of hidden checks stay hidden: no later process has them, and no page shows them."""

from dataclasses import replace

import pytest

from minigrad.grading.judge import Judge
from minigrad.grading.report import visible_part
from minigrad.grading.submitted_notebook import Cell, Submission

SECRET = "715.625"  # the input of every hidden check
CHECKS = """
from minigrad.classroom import exercise, floats

@exercise("first", points=1, function="first(x)")
def first(c):
    c.answer(lambda x: x + 1, points=[(715.625,)], vary=(), says="far away", reveal="{reveal}")
    c.answer(lambda x: x + 1, points=[(1.0,), (2.0,)], vary=(), says="one more")

@exercise("second", points=1, function="second(x)")
def second(c):
    c.answer(lambda x: 2 * x, points=[(1.0,), (3.0,)], vary=(), says="twice")
"""
BOTH = "def first(x):\n    {seen}\n    return x + 1\ndef second(x):\n    {told}\n    return 0.0"
#: Code that keeps the input of one call, and code that reveals it in a later one.
WAYS = {
    "a global list": ("kept.append(x)", "raise ValueError(kept)", "kept = []"),
    "printed": ("kept.append(x)", "print(kept)", "kept = []"),
    "printed by the first": ("print(x)", "print('second')", ""),
    "an attribute": ("first.kept = x", "raise ValueError(getattr(first, 'kept', None))", ""),
    "a default": ("kept(x)", "raise ValueError(kept.__defaults__)", "def kept(x, all=[]):\n    all.append(x)"),
    "the name of a function": ("first.__name__ = second.__name__ = f'f{x}'", "raise ValueError(second.__name__)", ""),
    "the name of an error": ("kept[0] = type(f'E{x}', (Exception,), {})", "raise kept[0]", "kept = [ValueError]"),
    "an error kept": (
        "try: raise ValueError(x)\n    except ValueError as e: kept.append(e)",
        "raise kept[-1]",
        "kept = [ValueError('none')]",
    ),
    "a builtin": (
        "import builtins; builtins.kept = x",
        "import builtins; raise ValueError(getattr(builtins, 'kept', None))",
        "",
    ),
    "a module": ("import math; math.kept = x", "import math; raise ValueError(getattr(math, 'kept', None))", ""),
    "the environment": (
        "import os; os.environ['KEPT'] = str(x)",
        "import os; raise ValueError(os.environ.get('KEPT'))",
        "",
    ),
    "a file": (
        "try: open('/tmp/minigrad-kept', 'w').write(str(x))\n    except OSError: pass",
        "import os; raise ValueError(os.path.exists('/tmp/minigrad-kept') and open('/tmp/minigrad-kept').read())",
        "",
    ),
    "the frames": (
        "pass",
        "import sys; f = sys._getframe(); found = []\n    while f: found.append(str(f.f_locals)); f = f.f_back\n"
        "    raise ValueError(found)",
        "",
    ),
    "the garbage": (
        "kept.append({'kept': x})",
        "import gc; raise ValueError([o for o in gc.get_objects() if type(o) is dict and 'kept' in o and len(o) == 1])",
        "kept = []",
    ),
    "a weak reference": (
        "kept.add(K(x))",
        "raise ValueError([k.x for k in kept])",
        "import weakref\nclass K:\n    def __init__(self, x): self.x = x; all.append(self)\n"
        "all, kept = [], weakref.WeakSet()",
    ),
    "settrace": (
        "pass",
        "raise ValueError(kept)",
        "import sys\nkept = []\ndef tracer(f, e, a):\n    kept.append(f.f_locals.get('x'))\nsys.settrace(tracer)",
    ),
    "a thread": (
        "kept.append(x)",
        "import time; time.sleep(0.02); raise ValueError(told)",
        "import threading, time\nkept, told = [], []\ndef run():\n    while True: told[:] = kept; time.sleep(0.01)\n"
        "threading.Thread(target=run, daemon=True).start()",
    ),
    "a result": ("kept.append(x)", "return tuple(kept)", "kept = []"),
    "a message of its own": (
        "kept.append(x)\n    if x > 700:\n        for f in range(3, 70):\n            try: os.write(f, b'715.625')\n"
        "            except OSError: pass",
        "raise ValueError(kept)",
        "import os\nkept = []",
    ),
    "an error in the hidden call": ("if x > 700: raise ValueError(x)", "raise ValueError(0)", ""),
    "printed when right": ("print(x if x > 700 else '')", "print(0)", ""),
    "a note": ("import warnings; warnings.warn(str(x)); kept.append(x)", "raise ValueError(kept)", "kept = []"),
    "the cache of lines": (
        "import linecache; linecache.cache['kept'] = (1, None, [str(x)], 'kept')",
        "import linecache; raise ValueError(linecache.getline('kept', 1))",
        "",
    ),
    "the state of a random generator": (
        "import random; random.seed(x)",
        "import random; raise ValueError(random.getstate()[1][5] == random.Random(5725 / 8).getstate()[1][5]"
        " and 5725 / 8)",
        "",
    ),
}


@pytest.fixture(scope="module", params=["never", "message", "after"])
def judge(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    folder.joinpath("checks.py").write_text(CHECKS.replace("{reveal}", request.param))
    with Judge(folder) as judge:
        yield judge


def report_on(judge, source):
    return judge.judge(Submission("ada", "ada.ipynb", "00", (Cell(source, 1),)))


def shown(report):
    """All that a student reads of a report, except for the student's own code."""
    marks = [replace(visible_part(mark), code="") for mark in report.results]
    return f"{marks} {report.notes}"


@pytest.mark.cases(2)
@pytest.mark.parametrize("way", WAYS)
def test_hidden_inputs_are_not_shown(judge, way):
    seen, told, before = WAYS[way]
    report = report_on(judge, f"{before}\n{BOTH.format(seen=seen, told=told)}")
    first, second = report.results
    assert [line.says for line in first.lines] == ["one more", "far away"], "what students see comes first"
    assert second.state == "wrong"
    assert SECRET not in shown(report)


def test_the_judge_does_call_with_the_hidden_input(judge):
    report = report_on(judge, "def first(x): return x + 1 if x < 700 else 0\ndef second(x): return 2 * x")
    assert [mark.state for mark in report.results] == ["wrong", "right"]
    assert [line.right for line in report.results[0].lines] == [True, False]
    assert report.results[0].true == "716.625", "which the teacher sees"
    assert not any(number in shown(report) for number in (SECRET, "716.625"))


def test_each_exercise_has_a_process_of_its_own(judge):
    report = report_on(
        judge,
        "calls = []\ndef first(x):\n    calls.append(x)\n    return x + 1\n"
        "def second(x):\n    if calls: raise ValueError(calls)\n    return 2 * x",
    )
    assert [mark.state for mark in report.results] == ["right", "right"]
