"""lessons/AUTHORING.md has every method of `c`, and each example says what is right and what is not."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.classroom import arrays, exercise, floats, mistake, variable
from minigrad.classroom.collector import Collector
from minigrad.classroom.examination import examine
from minigrad.classroom.exercises import Exercise
from minigrad.lab.handout import lessons_folder

PAGE = (lessons_folder() / "AUTHORING.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
NAMES = {"math": math, "np": np, "mg": mg, "arrays": arrays, "exercise": exercise, "floats": floats}
NAMES |= {"mistake": mistake, "variable": variable}


def statuses(description, answer):
    """The verdicts on an answer to each exercise that a text describes."""
    space = dict(NAMES)
    exec(description, space)
    found = {e.name: e for e in space.values() if isinstance(e, Exercise)}
    for each in found.values():
        each.function = each.function or (each.of and found[each.of].function) or None
    exec(answer, space)
    return [examine(each, space[each.function or each.name]).status for each in found.values()]


@pytest.mark.parametrize("example", EXAMPLES, ids=[re.search(r'exercise\("(\w+)"', text)[1] for text in EXAMPLES])
def test_the_right_answer_is_right_and_the_wrong_one_is_not(example):
    description, answers = example.split("# right\n")
    right, wrong = answers.split("# wrong\n")
    assert set(statuses(description, right)) <= {"right", "to read"}
    assert "wrong" in statuses(description, wrong)


def test_every_method_stands_on_the_page_and_every_name_exists():
    methods = {name for name in dir(Collector) if not name.startswith("_")}
    assert {name for name in methods if f"c.{name}(" not in PAGE} == set()
    assert {name for name in re.findall(r"\bc\.(\w+)\(", PAGE) if name not in methods} == set()


def test_the_files_that_it_names_are_there():
    root = Path(mg.__file__).parent
    names = re.findall(r"`((?:minigrad/)?[\w/]+\.py)`", PAGE.partition("## The life of one question")[2])
    files = {path.name for path in root.rglob("*.py")}
    assert names and {Path(name).name for name in names} <= files
    assert all((root.parent / name).is_file() for name in names if name.startswith("minigrad/"))
