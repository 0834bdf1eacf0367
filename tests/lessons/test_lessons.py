"""The lessons as students get them, and as they are in the repository."""

import json
import re
import sys
from itertools import pairwise
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest

from minigrad.classroom import lesson
from minigrad.classroom.examination import examine
from minigrad.classroom.hints import Help
from minigrad.classroom.loading import load
from minigrad.classroom.notebook import LOOK, beyond_the_core, blank, locked_texts, read
from minigrad.classroom.release import sources, verdicts
from minigrad.classroom.sealed_answers import answers_in_clear, sealed_file, solutions, to_text
from minigrad.lab.handout import AFTER_PREDICTION
from tests.helpers.lesson_runs import group, handed_out, proven, seen_by_a_student, solved
from tests.helpers.saved_outputs import differences


def each_lesson():
    for source in sources():
        number = source.name[:2]
        marks = [getattr(pytest.mark, f"lesson{number}"), pytest.mark.xdist_group(group(source))]
        yield pytest.param(source, id=number, marks=marks)


pytestmark = pytest.mark.parametrize("source", list(each_lesson()))


def committed(source):
    return json.loads((source.parents[1] / f"{source.stem}.ipynb").read_text(encoding="utf-8"))


@pytest.mark.numbers
@pytest.mark.cases(1)
def test_the_student_runs_it_and_sees_what_was_saved(source):
    """In a folder made by `minigrad lab`, anywhere on the disk: no error, nothing on stderr."""
    notebook = seen_by_a_student(source)
    said = verdicts(notebook)
    assert set(said) == set(lesson(source.name[:2]).exercises)
    assert {verdict["status"] for verdict in said.values()} == {"unanswered"}
    found = [each for each in differences(committed(source), notebook) if not counts(each)]
    assert found == [], "run python -m minigrad.classroom.release"


@pytest.mark.numbers
@pytest.mark.cases(1)
def test_with_its_solutions_every_check_is_right(source):
    said = verdicts(solved(source))
    assert set(said) == set(lesson(source.name[:2]).exercises)
    assert {name: v["status"] for name, v in said.items() if v["status"] != "right"} == {}


def counts(difference):
    """Whether it is the picture of kept arrays in Python 3.10, which keeps the arguments of a call until it returns."""
    return sys.version_info < (3, 11) and "1 piece 133" in difference


def checks_of(source):
    return source.with_name(f"{source.name[:2]}_checks.py")


@pytest.mark.numbers
@pytest.mark.cases(1)
def test_wrong_answers_are_recognised_and_mutants_fail(source):
    found = proven(source)
    assert found and [problem for proof in found for problem in proof.problems] == []
    assert {proof.name: proof.wrongs for proof in found if proof.wrongs < 8} == {}
    free = {name for name, e in load(source.with_name(f"{source.name[:2]}_hidden.py")).items() if e.free}
    assert {proof.name: proof.killed for proof in found if proof.killed < 2 and proof.name not in free} == {}


def test_students_receive_no_answer_in_clear(source):
    checks = checks_of(source)
    assert answers_in_clear(checks) == []
    sealed = sealed_file(checks).read_text(encoding="utf-8")
    shipped = sealed + checks.read_text(encoding="utf-8")
    for name, code in solutions(read(source).cells).items():
        assert code and code not in shipped, name
    for words in ("Yes", "right answer", "return mg."):
        assert words not in sealed


def test_check_lists_the_exercises_in_the_order_of_the_notebook(source):
    cells = committed(source)["cells"]
    named = [cell["metadata"]["exercise"] for cell in cells if "exercise" in cell["metadata"]]
    check = lesson(source.name[:2])
    assert [verdict.name for verdict in check().verdicts] == named == list(check.exercises)


def test_the_sealed_answers_are_those_of_the_source(source):
    exercises = lesson(source.name[:2]).exercises
    written = to_text(exercises, read(source).cells)
    assert sealed_file(checks_of(source)).read_text(encoding="utf-8") == written, "run the release"


def test_what_is_shipped_is_enough(source, tmp_path):
    """The checks and the sealed answers, without the hidden file: every solution is right, and hints open it."""
    for path in (checks_of(source), sealed_file(checks_of(source))):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    exercises = load(tmp_path / checks_of(source).name)
    assert list(exercises) == list(lesson(source.name[:2]).exercises)
    codes = solutions(read(source).cells)
    for name, exercise in exercises.items():
        if exercise.question is not None:
            space = {name: SimpleNamespace()}  # or the picture in which an edge is chosen
            exec(codes[name], {"np": np, "float": float}, space)
            assert examine(exercise, space[name]), name
        else:
            help = Help()
            assert help.solution(exercise).head == "try it first"
            help.note(name, "wrong")
            while help.seen.get(name, 0) < len(exercise.hints):
                assert help.solution(exercise).head == "hints first"
                assert help.hint(exercise).words
            assert help.solution(exercise).code == codes[name]
            assert help.solution(exercise).words


def test_the_notebook_is_made_from_its_source(source):
    expected = blank(read(source)).cells
    cells = committed(source)["cells"]
    text = lambda cell: "".join(cell["source"])
    assert [(c["cell_type"], c["id"], text(c), c["metadata"]) for c in cells] == [
        (c["cell_type"], c["id"], text(c), c["metadata"]) for c in expected
    ], "run python -m minigrad.classroom.release"


def test_the_committed_notebook_shows_every_output(source):
    """So that a reader on the web sees the pictures; a cell of one definition or assignment shows nothing."""
    for cell in committed(source)["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code" and re.search(r"^(viz\.|print\(|check\()", text, re.M):
            assert cell["outputs"], text
        for output in cell.get("outputs", []):
            assert output["output_type"] in ("stream", "execute_result", "display_data")
            assert output.get("name") != "stderr"


def test_what_is_handed_out_tells_no_answer(source):
    notebook = handed_out(source)
    assert "SOLUTION" not in json.dumps(notebook)
    held_back = [cell for cell in notebook["cells"] if AFTER_PREDICTION in cell["metadata"].get("tags", [])]
    assert held_back
    assert all(cell.get("outputs", []) == [] for cell in held_back)


def test_what_is_handed_out_is_a_notebook_in_which_nothing_was_run(source):
    notebook = handed_out(source)
    nbformat.validate(notebook)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    assert {part.get("execution_count") for part in (*code, *outputs)} == {None}


def test_what_is_asked_for_stands_in_clear_above_the_cell(source):
    seen, asked = "", []
    for cell in handed_out(source)["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            seen += text
        elif name := re.search(r"^check\(\"(\w+)\"\)", text, re.MULTILINE):
            asked.append((name[1], "**Build.**" if "your code goes here" in text else "**Predict.**", seen))
            seen = ""
    assert asked and [name for name, word, text in asked if word not in text] == []


def test_its_form(source):
    """See, predict, run, build, keep: and each picture is followed by a question about it and the answer."""
    cells = read(source).cells
    locked = [text for texts in locked_texts(cells).values() for text in texts]
    prose = "\n\n".join([*(c.source for c in cells if c.cell_type == "markdown"), *locked])
    exercises = lesson(source.name[:2]).exercises
    questions = [e for e in exercises.values() if e.question]
    beyond = beyond_the_core(cells)
    assert 3 <= len([e for e in questions if e.name not in beyond]) <= 8
    assert len(exercises) > len(questions), "at least one thing to build"
    assert prose.count("**Predict.**") == len(questions)
    assert prose.count("**Build.**") == len(exercises) - len(questions)
    assert "!" not in re.sub(r"\$[^$]*\$", "", prose)
    paragraphs = [text.splitlines() for text in prose.split("\n\n") if not text.startswith("- ")]
    assert [line for lines in paragraphs for line in lines if re.match(r"([-+*]|\d+[.)]) ", line)] == [], "a bullet"
    code = [line for c in blank(read(source)).cells if c.cell_type == "code" for line in c.source.splitlines()]
    assert [line for line in code if len(line) > 100] == [], "a projector of 1024 pixels has room for 100 characters"
    for cell, after in pairwise(cells):
        if cell.cell_type == "code" and re.search(r"^viz\.", cell.source, re.MULTILINE):
            assert (
                LOOK.match(after.source)
                or after.source.startswith("<details><summary>Look: ")
                or "check.read(" in after.source
            ), cell.source


def test_the_core_says_its_time_and_ends_with_one_sentence_and_questions(source):
    cells, check = read(source).cells, lesson(source.name[:2])
    builds, beyond = {name for name, e in check.exercises.items() if e.question is None}, beyond_the_core(cells)
    more = builds & beyond
    line = re.match(r"# .*\n\n\*(\d+) minutes, (.*?)(?: · more: (\d+) minutes(?:, (.*?))?)?\*\n", cells[0].source)
    functions = lambda n: f"{n} function{'s' * (n != 1)}"
    assert (line[2], line[4]) == (functions(len(builds) - len(more)), functions(len(more)) if more else None)
    texts = [cell.source for cell in cells]
    keep = next(i for i, text in enumerate(texts) if "## One sentence to keep" in text)
    assert re.search(r"^> \*\*.*\*\*$", texts[keep], re.MULTILINE | re.DOTALL)
    assert texts[keep + 1] == "check.questions()" or source.name[:2] == "00"
    last_of_core = max(
        i for i, c in enumerate(cells) if "exercise" in c.metadata and c.metadata["exercise"] not in beyond
    )
    first_of_more = next((i for i, text in enumerate(texts) if re.search("^## More: ", text, re.MULTILINE)), len(texts))
    assert last_of_core < keep < first_of_more
    assert bool(line[3]) == (first_of_more < len(texts))
    assert texts[-1] == "check()"
    for word in ("What to look at", "in place of", "adjoint of", "It takes about"):
        assert not any(word in text for text in texts), word
