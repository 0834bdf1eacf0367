"""The teacher's guide: each lesson has all entries, and what they name is in the lesson."""

import re

import pytest

from minigrad.classroom import lesson
from minigrad.classroom.notebook import beyond_the_core, read
from minigrad.classroom.release import sources
from minigrad.lab.handout import lessons_folder

GUIDE = (lessons_folder() / "TEACHING.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^(?=## \d+ · )", GUIDE, flags=re.M)[1:]
ENTRIES = ["Purpose", "Expect", "Show", "Ask aloud", "Skip"]


def number(of):
    return (of if isinstance(of, str) else of.name)[:2]


each = pytest.mark.parametrize("source, section", [*zip(sources(), SECTIONS, strict=True)], ids=number)


def entries(section):
    found = re.split(r"^\*\*([A-Z][a-z ]+)\.\*\* ", section, flags=re.M)[1:]
    return dict(zip(found[::2], found[1::2]))


@each
def test_a_lesson_has_all_entries_and_what_they_name_is_in_it(source, section):
    said = entries(section)
    assert [*said][:-1] == ENTRIES and [*said][-1] in ("Weight", "Weights")
    text = source.read_text(encoding="utf-8")
    for called in re.findall(r"`((?:viz|mg)\.\w+)", said["Show"]):
        assert called in text, called
    for code in re.findall(r"`(viz\.\w+\(.*?\)(?:\.start\(\))?)`", said["Show"]):
        assert code in text, code
    named = re.findall(r"`([a-z_]+)`", said["Skip"] + said["Expect"])
    assert {name for name in named if name not in text} <= {"if", "while"}


@each
def test_the_weights_are_the_points_of_the_functions(source, section):
    exercises = lesson(source.name[:2]).exercises
    beyond = beyond_the_core(read(source).cells)
    functions = {name: e.points for name, e in exercises.items() if e.question is None}
    weights = entries(section).popitem()[1].split("hw16")[0]
    core, _, more = weights.partition("more: ")
    for part, inside in ((core, lambda name: name not in beyond), (more, lambda name: name in beyond)):
        told = {name: int(points) for name, points in re.findall(r"(\w+) (\d)(?=[,.;])", part)}
        assert told in ({}, {name: points for name, points in functions.items() if inside(name)})


def test_the_time_of_lessons_10_to_18_is_the_sum_of_theirs():
    core, more = (
        sum(int(found or 0) for found in column)
        for column in zip(*re.findall(r"^## 1[0-8] .*\((\d+) minutes(?:, and (\d+) more)?\)", GUIDE, flags=re.M))
    )
    assert f"| 10 to 18 ({core // 60} h {core % 60} min, and {more} min more) |" in GUIDE
