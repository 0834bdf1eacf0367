"""The sample assignments are proven like lessons, and graded as in a class, by the commands of lessons/GRADING.md."""

import copy
import io
import re
import shlex
import shutil
from contextlib import redirect_stdout
from functools import cache

import nbformat
import pytest

from minigrad.__main__ import main
from minigrad.classroom.loading import load
from minigrad.classroom.notebook import blank, read
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.judge import Judge
from minigrad.grading.submitted_notebook import Cell, Submission
from minigrad.lab.handout import hand_out, lessons_folder

SAMPLES = sorted(path for path in (lessons_folder() / "assignments").iterdir() if path.is_dir())
EACH = [pytest.param(path, id=path.name, marks=pytest.mark.xdist_group(f"sample {path.name}")) for path in SAMPLES]
IMPORTS = "import math\nimport numpy as np\n"
WRONG = {
    "hw4": ("tanh", "def tanh(x):\n    y = math.tanh(x.value)\n    return Value(y, (x,), (1 - x.value * x.value,))"),
    "hw7": (
        "xlogx",
        "@mg.custom_gradient\ndef xlogx(x):\n    l = mg.log(mg.where(x > 0, x, 1.0))\n"
        "    return x * l, lambda upstream: mg.where(x > 0, l + 1, 0.0)",
    ),
    "hw12": (
        "quantize",
        "@mg.custom_gradient\ndef quantize(x):\n"
        "    return mg.clip(mg.round(2 * x) / 2, -1.0, 1.0), lambda upstream: upstream",
    ),
    "hw16": ("capstone", "def capstone(labels):\n    return lambda z: mg.mean(mg.logsumexp(z, axis=1))"),
    "hw8": ("make_line", "def make_line(w, b, factor):\n    return lambda x: w * x + b"),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder of the teacher's, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A function that releases a sample, once, and returns its folder and what the command says."""

    @cache
    def release(name):
        folder = shutil.copytree(lessons_folder() / "assignments" / name, tmp_path_factory.mktemp("teacher") / name)
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as said:
            patch.chdir(folder.parent)
            assert main(["assign", "release", name]) == 0
        return folder, said.getvalue()

    return release


def answered(notebook, source, **changed):
    """The released notebook with the solutions of its source, some of them changed."""
    notebook = copy.deepcopy(notebook)
    solutions = {c.metadata.exercise: c.source for c in read(source).cells if c.metadata.get("exercise")}
    for cell in notebook.cells:
        name = cell.metadata.get("exercise")
        if name:
            cell.source = changed.get(name, solutions[name])
    return notebook


def test_a_student_finds_the_assignments_without_their_solutions(tmp_path):
    hand_out(lessons_folder(), tmp_path)
    names = {sample.name for sample in SAMPLES}
    assert {path.name for path in (tmp_path / "assignments").iterdir()} == {
        name + end for name in names for end in (".ipynb", "_checks.py", "_sealed.json")
    }
    for sample in SAMPLES:
        found = tmp_path / "assignments" / sample.name
        cells = nbformat.read(found.with_suffix(".ipynb"), as_version=4).cells
        assert [cell.source for cell in cells] == [c.source for c in blank(read(sample / f"{sample.name}.py")).cells]
        for kind in ("checks.py", "sealed.json"):
            assert found.with_name(f"{sample.name}_{kind}").read_bytes() == (sample / kind).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("sample", EACH)
def test_a_sample_is_proven_released_graded_and_given_back(sample, place, released, capsys):
    name = sample.name
    folder, said = released(name)
    shutil.copytree(folder, place / name)
    files = {file.name for file in (place / name / "release").iterdir()}
    assert files == {f"{name}_checks.py", f"{name}_sealed.json", f"{name}.ipynb"}
    counts = re.findall(r"(\d+) of (\d+) (?:right|not answered yet|fail\b)", said)
    assert len(counts) == 3 and all(right == of for right, of in counts)
    released = nbformat.read(place / name / "release" / f"{name}.ipynb", 4)
    source, (exercise, wrong) = place / name / f"{name}.py", WRONG[name]
    for student, notebook in {
        "ada": answered(released, source),
        "bob": answered(released, source, **{exercise: wrong}),
        "eve": released,
    }.items():
        (place / "submissions" / student).mkdir(parents=True)
        nbformat.write(notebook, place / "submissions" / student / f"{name}.ipynb")
    (place / "roster.csv").write_text("student,name\nada,Ada\nbob,Bob\neve,Eve\nzoe,Zoe\n", "utf-8")
    assert main(["grade", name, "submissions", "--roster", "roster.csv", "-j", "1"]) == 0
    if name == "hw16":  # its paragraphs are read by a person
        for student, marks in (("ada", "2"), ("bob", "1")):
            told = ["--exercise", "why", "--who", "Grace", "--why", "Names the reason."]
            assert main(["gradebook", "course.db", "adjust", name, student, marks, *told]) == 0
    with Gradebook(place / "course.db") as book:
        ada, bob, eve, zoe = book.grades(name)
    assert ada.marks == ada.out_of > 0
    assert bob.by_exercise[exercise] == 0 and bob.marks is not None and 0 < bob.marks < ada.marks
    assert (eve.marks, zoe.status) == (0, "missing")
    assert main(["gradebook", "course.db", "feedback", name, "feedback"]) == 0
    page = (place / "feedback" / "students" / "bob.html").read_text("utf-8")
    assert f"{exercise}: not right" in page
    assert name != "hw7" or "The backward pass of xlogx, step by step" in page
    capsys.readouterr()


def with_answer(sample, exercise, answer):
    """The submission of a student who solved the exercises before this one, and answered it so."""
    cells = []
    for number, cell in enumerate((c for c in read(sample / f"{sample.name}.py").cells if c.cell_type == "code"), 1):
        name = cell.metadata.get("exercise")
        cells.append(Cell(answer if name == exercise else cell.source, number, name))
        if name == exercise:
            return Submission("ada", "ada.ipynb", "00", tuple(cells))
    raise LookupError(exercise)


@pytest.mark.cases(1)
@pytest.mark.parametrize("sample", EACH)
def test_each_known_wrong_answer_fails_when_it_is_graded_as_the_mistake_named(sample, sampled):
    exercises = load(sample / "hidden.py").values()
    known = [(exercise.name, source, name) for exercise in exercises for source, name in exercise.wrongs]
    least = 3 if sample.name == "hw16" else 20  # its others are in test_capstones
    assert len({source for _, source, _ in known}) >= least
    missed = []
    with Judge(sample) as judge:
        for exercise, source, name in sampled(known):
            report = judge.judge(with_answer(sample, exercise, IMPORTS + source))
            (mark,) = [mark for mark in report.results if mark.exercise == exercise]
            found = mark.mistake[0] if mark.mistake and name else name
            if (mark.state, found) != ("wrong", name):
                missed.append((source, mark.state, found, mark.words))
    assert missed == []


def test_at_least_25_mistakes_have_names():
    hidden = {sample.name: load(sample / "hidden.py") for sample in SAMPLES}
    named = {(n, e.name, name) for n, es in hidden.items() for e in es.values() for _, name in e.wrongs if name}
    assert len(named) >= 25


@pytest.mark.slow
@pytest.mark.xdist_group("sample hw7")
def test_the_commands_of_the_guide_work_in_its_order(tmp_path, released, monkeypatch, capsys):
    guide = (lessons_folder() / "GRADING.md").read_text(encoding="utf-8")
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    blocks = [block for language, block in fenced if not language]
    (short,) = [block for language, block in fenced if language == "sh"]
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("minigrad ")]
    (roster,) = [block for block in blocks if block.startswith("student,")]
    release, *later = [line.partition("#")[0].strip() for line in short.splitlines() if line.startswith("minigrad ")]
    commands.insert(0, release)
    whole = [*commands, "minigrad gradebook course.db open"]  # which waits for a browser
    assert all(any(one.startswith(each) for one in whole) for each in later)
    student = tmp_path / "a student"
    (tmp_path / "submissions" / "ada").mkdir(parents=True)
    (tmp_path / "roster.csv").write_text(roster, encoding="utf-8")
    done = []
    for command in commands:
        name, *arguments = shlex.split(command)[1:]
        monkeypatch.chdir(student if name == "submit" else tmp_path)
        if name == "assign":  # this command ran before, for all tests
            assert arguments == ["release", "hw7"]
            shutil.copytree(released("hw7")[0], "hw7")
            shutil.copytree("hw7/release", student)
        else:
            assert main([name, *arguments]) == 0, capsys.readouterr()
        done.append(name)
        if name == "submit":
            shutil.copy("hw7-submission.ipynb", tmp_path / "submissions" / "ada")
            shutil.copy("hw7.ipynb", tmp_path / "submissions" / "ben.ipynb")
    assert done == ["assign", "submit", "doctor", "grade", "gradebook", "gradebook", "gradebook"]
    assert (tmp_path / "feedback" / "class.html").is_file() and (
        tmp_path / "feedback" / "students" / "ben.html"
    ).is_file()
    assert "2 students" in capsys.readouterr().out
    (by_hand,) = re.findall(r"`(adjust hw7 ben 3 [^`]*)`", guide)
    assert main(["gradebook", "course.db", *shlex.split(by_hand)]) == 0
    with Gradebook("course.db") as book:
        assert {g.student: (g.name, g.marks) for g in book.grades("hw7")} == {
            "ada": ("Ada Adams", 0.0),
            "ben": ("Ben Brown", 3.0),
        }
