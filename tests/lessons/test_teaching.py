"""The teacher's guide: each lesson has all entries, and what they name is in the lesson."""

import re

import pytest

from minigrad.classroom import lesson
from minigrad.classroom.loading import load
from minigrad.classroom.notebook import beyond_the_core, read
from minigrad.classroom.release import sources
from minigrad.classroom.student_progress import WAYS
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


def minutes_alone(cells, exercises):
    """What the guide says of somebody who works alone: reading, predictions, pictures, and functions that pass."""
    minutes = 0.0
    for cell in cells:
        if (exercise := exercises.get(cell.metadata.get("exercise"))) is None:
            minutes += len(re.findall(r"\S*\w\S*", cell.source)) / 200
            minutes += cell.cell_type == "code" and bool(re.search(r"\bviz\.|where_it_leads", cell.source))
        elif exercise.question is not None:
            minutes += 1
        else:
            solution = "".join(re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", cell.source, flags=re.DOTALL))
            minutes += 2 + sum(bool(line.strip()) for line in solution.splitlines())
    return minutes


def core_and_more(source):
    """The minutes of both parts of a lesson, as it states them and as they are computed."""
    cells, exercises = read(source).cells, lesson(source.name[:2]).exercises
    more = next((i for i, cell in enumerate(cells) if re.search("^## More: ", cell.source, flags=re.M)), len(cells))
    stated = re.search(r"^\*(\d+) minutes(?:.*more: (\d+) minutes)?", cells[0].source, flags=re.M).groups()
    return [int(n or 0) for n in stated], [minutes_alone(part, exercises) for part in (cells[:more], cells[more:])]


@pytest.mark.parametrize("source", sources(), ids=number)
def test_the_minutes_are_those_of_reading_predicting_and_building(source):
    stated, computed = core_and_more(source)
    assert all(told > found - 2.5 for told, found in zip(stated, computed))  # to the next five, or longer
    assert source.name[:2] > "05" or all(told < found + 3 for told, found in zip(stated, computed))


def test_somebody_who_starts_at_lesson_0_has_trained_a_network_within_three_hours():
    """By the shortest way, with five attempts that fail; to the end of lesson 5, where the network has also read."""
    way = WAYS["to the first network that learns"][1]
    cores = [core_and_more(source) for source in sources() if source.name[:2] in way]
    assert len(cores) == len(way) == 5
    for which in (0, 1):
        assert sum(core[which][0] for core in cores) + 5 * 3 <= 180


def test_the_table_of_samples_has_their_marks_and_what_a_person_reads():
    table = re.findall(r"^\| (hw\d+) \|.*\| (\d+) \| (.*) \|$", GUIDE, flags=re.M)
    samples = {folder.name: load(folder / "checks.py") for folder in (lessons_folder() / "assignments").glob("hw*")}
    marks = {name: sum(e.points for e in exercises.values()) for name, exercises in samples.items()}
    read = {name: {e.name for e in exercises.values() if e.by_hand} for name, exercises in samples.items()}
    assert {name: int(told) for name, told, _ in table} == marks
    assert {name: {*re.findall(r"`(\w+)`", reads)} for name, _, reads in table} == read
