"""Progress is kept through restarts, by several notebooks at once, and a broken file changes nothing."""

import json
import multiprocessing
import os
import re

import pytest

from minigrad.classroom import lesson, progress
from minigrad.classroom.student_progress import STAGES, after, progress_file, record, ways
from minigrad.lab.handout import lessons_folder

pytestmark = pytest.mark.usefixtures("fresh")


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A student who has solved nothing yet."""
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.jsonl"))


NAMES = ["a", "b", "c", "d"]


def part(name):
    return next(p for p in progress().parts if p.name == name)


def test_nothing_is_solved_at_first():
    assert not progress_file().exists()
    assert {p.right for p in progress().parts} == {0}
    assert [p.name for p in progress().parts][:2] == ["00", "01"]
    assert part("06").of + part("06").more_of == len(lesson("06").exercises)
    assert part("06").title == "6 · Where NaNs come from"


def test_a_check_is_counted_and_stays_counted():
    check = lesson("06")
    check("gradient_at_100", "a")
    assert part("06").right == 0
    check("gradient_at_100", "d")
    assert part("06").right == 1
    check("gradient_at_100", "a")
    check("at_88", ...)
    assert part("06").right == 1, "what was right once stays so, and no answer is no answer"
    size = progress_file().stat().st_size
    check("gradient_at_100", "d")
    assert progress_file().stat().st_size == size, "nothing is written twice"


def test_the_bars():
    record("hw1", "a", True, NAMES)
    record("hw1", "b", True, NAMES)
    shown = progress()
    of = sum(p.of for p in shown.parts)
    assert shown.to_text().splitlines()[0].startswith(f"Lessons: 2 of {of} right  ")
    assert ["██████░░░░░░", "hw1", "2", "of", "4"] in [line.split() for line in shown.to_text().splitlines()]
    html = shown._repr_mimebundle_()["text/html"]
    assert "<progress value='2' max='4' aria-label='2 of 4 right'>2 of 4</progress>" in html
    assert "<a href='06_where_nans_come_from.ipynb'>6 · Where NaNs come from</a>" in html


def _writes(n):
    for i in range(20):
        record(f"hw{n}", f"e{i}", True, [f"e{i}" for i in range(20)])


@pytest.mark.slow
def test_several_notebooks_write_at_once():
    context = multiprocessing.get_context("spawn")
    notebooks = [context.Process(target=_writes, args=(n,)) for n in range(3)]
    for notebook in notebooks:
        notebook.start()
    for notebook in notebooks:
        notebook.join()
    assert [part(f"hw{n}").right for n in range(3)] == [20, 20, 20]


@pytest.mark.parametrize(
    "broken",
    [
        b'{"part": "hw1", "exerc',
        b"\xff\xfe\x00 not text",
        b"[1, 2]\nnull\n3",
        b'{"part": "hw1", "exercise": "b", "right": true, "of": 7}',
        b'{"part": "hw1"}',
    ],
)
def test_a_broken_line_is_passed_over_and_the_next_one_counts(broken):
    record("hw1", "a", True, NAMES)
    with progress_file().open("ab") as file:
        file.write(broken)
    record("hw1", "c", True, NAMES)
    assert part("hw1").right == 2


@pytest.mark.skipif(os.name == "nt", reason="permissions are others on Windows")
def test_a_file_that_cannot_be_written_changes_no_verdict(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "a file" / "progress.jsonl"))
    (tmp_path / "a file").write_text("not a folder")
    assert lesson("06")("gradient_at_100", "d")
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path))
    assert lesson("06")("gradient_at_100", "d")
    assert part("06").right == 0


def test_when_the_core_is_right_the_next_lesson_is_named_once():
    check = lesson("03")
    names = [name for name, exercise in check.exercises.items() if not exercise.more]
    for name in names[1:]:
        record("03", name, True, list(check.exercises))
    assert after("03") is None
    first = names[0], {"smaller_and_smaller": "b"}[names[0]]
    verdict = check(*first)
    done = "The core of lesson 3" if part("03").more_of else "Lesson 3"
    assert f"{done} is complete. Next: 4 · Build your own engine" in verdict.to_text()
    assert "href='04_build_your_own_engine.ipynb'" in verdict.to_html()
    assert "complete" not in check(*first).to_text()
    for number in [part.name for part in progress().parts if part.name >= "06"]:
        names = list(lesson(number).exercises)
        for name in names:
            record(number, name, True, names)
    for number in ("07", "08", "09"):
        names = list(lesson(number).exercises)
        for name in names:
            record(number, name, True, names)
    assert after("06") is None, "there is none behind it that is not complete"


def test_the_map_has_a_link_and_a_bar_for_each_lesson_and_the_ways_through():
    names = list(lesson("01").exercises)
    for name in names:
        record("01", name, True, names)
    record("hw1", "a", True, NAMES)
    shown, html = progress(), progress().to_html()
    for part in shown.parts:
        assert html.count(f"aria-label='{part.right} of {part.of} right'") >= 1
        assert part.time in html
        assert not part.notebook or f"<a href='{part.notebook}'>" in html
    assert html.count("class='mg-done'") == 1
    assert html.index("See") < html.index("Build") < html.index("Break and replace") < html.index("Yours")
    assert html.count("▲") == 1 + 5 and html.count("●") == 1 + 4 and html.count("■") == 1 + 3
    assert re.search(r"● a workshop \(.*?\): 1, 2, 6, 7", shown.to_text())


def test_each_lesson_has_its_place_on_the_map_and_its_title_and_minutes_in_the_guide():
    parts = progress().parts
    names = [part.name for part in parts]
    assert [name for stage in STAGES for name in stage.lessons if name in names] == names
    guide = (lessons_folder() / "TEACHING.md").read_text(encoding="utf-8")
    said = re.findall(r"^## (.*?) \((\d+) minutes(?:, and (\d+) more)?\)", guide, re.M)
    assert [(title, int(core), int(more or 0)) for title, core, more in said] == [
        (part.title, *part.minutes) for part in parts
    ]
    for way in ways(parts):
        assert way[2:].split(":")[0] in guide, "the times of the ways through the course"


def test_progress_begins_anew_and_nothing_is_lost():
    assert progress(reset=True).where == "", "there is nothing yet"
    record("hw1", "a", True, NAMES)
    kept = progress_file().read_bytes()
    assert progress().where == f"Kept in {progress_file()}. To begin anew: progress(reset=True)."
    shown = progress(reset=True)
    assert "hw1" not in [p.name for p in shown.parts] and not progress_file().exists()
    (old,) = progress_file().parent.glob("progress-*.jsonl")
    assert old.read_bytes() == kept and str(old) in shown.to_text() and str(old) in shown.to_html()
    record("hw1", "b", True, NAMES)
    progress(reset=True)
    assert len(list(progress_file().parent.glob("progress-*.jsonl"))) == 2, "an older one is not replaced"


def test_an_exercise_that_is_no_longer_there_is_not_counted():
    record("06", "an old one", True, ["an old one"])
    assert part("06").right == 0
    assert part("06").of + part("06").more_of == len(lesson("06").exercises)


def test_where_it_is_kept(monkeypatch, tmp_path):
    monkeypatch.delenv("MINIGRAD_PROGRESS")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert progress_file() == tmp_path / "minigrad" / "progress.jsonl"
    record("hw1", "a", False, NAMES)
    assert json.loads(progress_file().read_text())["of"] == NAMES
