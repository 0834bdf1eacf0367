"""A teacher's new assignment, from `minigrad assign new` to what students receive."""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from minigrad import __main__ as cli
from minigrad.classroom import assignment, lesson
from minigrad.classroom.authoring import Refused, _copy_folder, new, release
from minigrad.classroom.loading import AuthoringError, load
from minigrad.classroom.release import execute, verdicts


@pytest.fixture
def hw1(tmp_path, monkeypatch):
    """A new assignment in an empty folder, which is the present one."""
    monkeypatch.chdir(tmp_path)
    return new(tmp_path / "hw1")


def change(path, old, by):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, by), encoding="utf-8")


@pytest.mark.slow
def test_a_new_assignment_is_proven_and_released(hw1, tmp_path, capsys):
    (hw1 / "data").mkdir()
    (hw1 / "data" / "numbers.csv").write_text("1,2")
    change(hw1 / "hw1.py", "import math\n", "import math\n\nprint(open('data/numbers.csv').read())\n")
    assert cli.main(["assign", "release", "hw1"]) == 0
    said = capsys.readouterr().out
    assert "with the solutions: 2 of 2 right, 1 of 1 in the hidden checks" in said
    assert "without them: 2 of 2 not answered yet" in said
    assert "known wrong answers: 6 of 6 fail, 5 of them as the mistake named" in said
    released = hw1 / "release"
    files = {path.relative_to(released).as_posix() for path in released.rglob("*")}
    assert files == {"hw1.ipynb", "hw1_checks.py", "hw1_sealed.json", "data", "data/numbers.csv"}
    text = (released / "hw1.ipynb").read_text(encoding="utf-8")
    assert "SOLUTION\\n" not in text and "math.tanh" not in text and "hidden" not in text

    import nbformat

    notebook = nbformat.reads(text, as_version=4)
    assert {v["status"] for v in verdicts(notebook).values()} == {"unanswered"}
    sealed = json.loads((released / "hw1_sealed.json").read_text(encoding="utf-8"))
    cells = {cell.metadata["exercise"]: cell.source for cell in notebook.cells if "exercise" in cell.metadata}
    assert {name: sealed[name]["cell"] for name in sealed} == cells, "which a student can bring back"
    for cell in notebook.cells:
        if cell.source.startswith("slope_at_3"):
            cell.source = 'slope_at_3 = 9\ncheck("slope_at_3")'
    beside = {name: released / name for name in ("hw1_checks.py", "hw1_sealed.json", "data")}
    assert verdicts(execute(notebook, beside))["slope_at_3"]["status"] == "wrong", "anywhere on the disk"


def test_what_is_not_proven_is_not_written(hw1, capsys):
    (hw1 / "release").mkdir()
    (hw1 / "release" / "hw1.ipynb").write_text("an earlier one")
    change(hw1 / "hw1.py", "return upstream * (1", "return upstream * (2")
    assert cli.main(["assign", "release", "hw1"]) == 1
    said = capsys.readouterr().err
    assert "with its solutions, tanh_backward is wrong, not right:" in said
    assert "your gradient" in said, "and the verdict says at which input"
    assert [path.name for path in (hw1 / "release").iterdir()] == ["hw1.ipynb"]
    assert (hw1 / "release" / "hw1.ipynb").read_text() == "an earlier one"


def test_two_releases_at_once_leave_one_whole_folder(tmp_path):
    source, target = tmp_path / "data", tmp_path / "release" / "data"
    target.parent.mkdir()
    for name in ("a", "b", "c"):
        (source / name).mkdir(parents=True)
        (source / name / "x.csv").write_text(name)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: _copy_folder(source, target), range(40)))
    assert sorted(path.name for path in target.iterdir()) == ["a", "b", "c"]
    assert [path.name for path in target.parent.iterdir()] == ["data"]


def test_a_wrong_answer_that_passes_the_hidden_checks_stops_the_release(hw1, capsys):
    change(hw1 / "hidden.py", "upstream / math.cosh(x) ** 2", "upstream * (1 - math.tanh(x) ** 2)")
    assert cli.main(["assign", "check", "hw1"]) == 1
    assert "a wrong answer to tanh_backward is right:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "old", "by", "words"),
    [
        ("hidden.py", "import exercise, mistake", "import exercise", "hidden.py, line 23: NameError"),
        ("hidden.py", "c.number(", "c.numbr(", "hidden.py, line 8: AttributeError"),
        ("checks.py", "points=3", "points=", "checks.py, line 6: SyntaxError"),
        ("hidden.py", "says=", "sayz=", "hidden.py, line 20: "),
        ("hidden.py", "upstream): return -", "upstream: return -", "cannot be run, SyntaxError"),
        ("checks.py", "c.gradient(", "c.hint('1')\n    c.gradient(", "checks.py, line 8: c.hint holds an answer"),
        ("hw1.py", "### END SOLUTION\ncheck(", "check(", "hw1.py, line 18: a solution does not end"),
        ("hw1.py", "### BEGIN SOLUTION\nslope", "slope", "hw1.py, line 19: a solution ends that has not begun"),
    ],
)
def test_a_mistake_of_the_author_is_a_sentence_with_file_and_line(hw1, file, old, by, words, capsys, monkeypatch):
    monkeypatch.setattr("minigrad.classroom.release.execute", lambda notebook, *args, **kwargs: notebook)
    change(hw1 / file, old, by)
    assert cli.main(["assign", "check", "hw1"]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a_checks.py: no exercise is declared; write @exercise"),
        (
            "from minigrad.classroom import exercise\n@exercise('a')\ndef a(c): c.number(1.0)\n"
            "@exercise('a')\ndef b(c): c.number(1.0)",
            "a_checks.py: two exercises are called 'a'",
        ),
        (
            "from minigrad.classroom import exercise\nexercise('a')(lambda c: None)",
            "a_checks.py, line 2: the exercise 'a' has no checks",
        ),
    ],
)
def test_checks_that_cannot_be_used(tmp_path, text, words):
    (tmp_path / "a_checks.py").write_text(text)
    with pytest.raises(AuthoringError) as problem:
        load(tmp_path / "a_checks.py")
    assert str(problem.value).startswith(words)


def test_new_never_overwrites_and_leaves_nothing_half_made(hw1, tmp_path, monkeypatch):
    with pytest.raises(Refused, match="hw1 exists already"):
        new(hw1)
    with pytest.raises(Refused, match="'Con' cannot name an assignment: Windows reserves that name"):
        new(tmp_path / "Con")
    with pytest.raises(Refused, match="'my hw' cannot name an assignment"):
        new(tmp_path / "my hw")
    monkeypatch.setattr(os, "rename", lambda *paths: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        new(tmp_path / "hw2")
    assert [path.name for path in tmp_path.iterdir()] == ["hw1"]


def test_what_is_missing_is_said(hw1, tmp_path, capsys):
    (hw1 / "checks.py").unlink()
    assert cli.main(["assign", "check", "hw1"]) == 1
    assert "checks.py is missing; minigrad assign new makes a folder" in capsys.readouterr().err
    assert cli.main(["assign", "check", "hw7"]) == 1
    assert "there is no folder 'hw7' here" in capsys.readouterr().err
    with pytest.raises(Refused, match="is a lesson of the package"):
        release("06")


def test_the_checks_are_found_beside_the_notebook(hw1, tmp_path, monkeypatch):
    for name in ("checks.py", "hidden.py"):
        (tmp_path / f"hw1_{name}").write_text((hw1 / name).read_text())
    names = ["slope_at_3", "tanh_backward"]
    assert list(assignment("hw1").exercises) == names
    assert list(assignment(hw1 / "checks.py").exercises) == names
    assert list(assignment(str(tmp_path / "hw1_checks.py")).exercises) == names
    assert list(lesson(tmp_path / "hw1_checks.py").exercises) == names
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match=r"'hw1' are missing: put the files .*hw1_sealed"):
        assignment("hw1")
    monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "hw1.ipynb"))
    assert repr(assignment("hw1")) == "<hw1: slope_at_3, tanh_backward>"
    assert assignment("hw1")().head == "hw1: 0 of 2 right"
    monkeypatch.chdir(hw1)
    assert repr(assignment("hw1")) == "<hw1: slope_at_3, tanh_backward>", "where it is written, too"


def test_checks_that_were_changed_are_read_again(hw1):
    assert "tanh_backward" in load(hw1 / "checks.py")
    change(hw1 / "checks.py", '"tanh_backward"', '"tanh_here"')
    assert "tanh_here" in load(hw1 / "checks.py")


def test_the_released_notebook_is_readable_json(hw1):
    """The template itself: its notebook has the cells that its text describes."""
    from minigrad.classroom.notebook import blank, read

    cells = blank(read(hw1 / "hw1.py")).cells
    assert [c.metadata.get("exercise") for c in cells if "exercise" in c.metadata] == ["slope_at_3", "tanh_backward"]
    assert "..." in json.dumps(cells)
