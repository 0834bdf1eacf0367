"""What Windows and macOS do otherwise and can be tried anywhere: consoles, line ends, encodings, paths.

Processes without fork are in tests/grading/test_process.py, locks in test_start.py, names of files in exports in
tests/grading/test_exports.py.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad as mg
import viz
from minigrad.classroom.loading import load_to_grade
from minigrad.lab.handout import hand_out, lessons_folder

CP1252 = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}


@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))


def printed():
    """What people print, by name."""
    x, w = mg.constant([[100.0, 2.0]]), mg.constant([[1.0], [1.0]])
    y = mg.log(1 + mg.exp(x))
    yield "find_nan", mg.find_nan(y)
    yield "explain_none", mg.explain_none(mg.constant(1.0), x)
    yield "check_gradients", mg.check_gradients(mg.exp, [1.0])
    yield "messages", mg.messages(y)
    yield "source", mg.source(mg.value_and_grad(lambda x: mg.sum(x * x)), w.numpy())
    yield "backward", viz.backward(mg.sum(mg.tanh(x @ w)))
    yield "trace_nan", viz.trace_nan(y)
    yield "compare", viz.compare(log1pexp, 100.0)
    yield "forward", viz.forward(y)
    yield "nudge", viz.nudge(lambda x: mg.exp(x) * x, x=1.0)
    if pytest.importorskip("matplotlib"):
        yield "curves", viz.curves(log1pexp, x=(-5, 5))
        yield "jacobian", viz.jacobian(mg.softmax, [1.0, 2.0])
        yield "steps", viz.steps(mg.exp, x=1.0)


def test_what_is_printed_can_be_written_to_a_file_on_windows():
    """`python my.py > out.txt` encodes in cp1252 there, up to Python 3.14, and raises at a character that it lacks."""
    for name, what in printed():
        lacking = {c for c in str(what) if not c.encode("cp1252", "ignore")}
        assert (name, lacking) == (name, set())


def command(*words, folder, **options):
    return subprocess.run(
        [sys.executable, "-m", "minigrad", *words], cwd=folder, env=CP1252, capture_output=True, **options
    )


def test_an_assignment_in_a_folder_with_a_strange_name_and_line_ends_of_windows(tmp_path):
    folder = tmp_path / "Übung ☃"
    folder.mkdir()
    refused = command("assign", "new", "Blatt Ω", folder=folder)
    assert (refused.returncode, rb"Blatt \u03a9" in refused.stderr) == (1, True), "cp1252 has no omega"
    assert command("assign", "new", "hw1", folder=folder).returncode == 0
    checks = folder / "hw1" / "checks.py"
    declared = load_to_grade(checks)
    for file in (folder / "hw1").iterdir():
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    again = load_to_grade(checks)
    assert [*again] == [*declared] != []
    assert [e.wrongs for e in again.values()] == [e.wrongs for e in declared.values()]
    missing = command("submit", "☃.ipynb", folder=folder)
    assert missing.returncode == 1
    assert rb"\u2603.ipynb" in missing.stderr
    assert b"Traceback" not in missing.stderr


def test_an_untouched_lesson_with_line_ends_of_windows_is_no_work_of_the_student(tmp_path):
    """A clone or a ZIP may be written with \\r\\n; what was handed out from it follows the next edition."""
    original, windows, mine = lessons_folder(), tmp_path / "lessons", tmp_path / "mine"
    windows.mkdir()
    for name in ("00_start_here.ipynb", "07_write_the_rule_yourself.ipynb"):
        (windows / name).write_bytes((original / name).read_bytes().replace(b"\n", b"\r\n"))
    assert len(hand_out(windows, mine).new) == 2
    for name in os.listdir(windows):
        (windows / name).write_bytes((original / name).read_bytes())
    done = hand_out(windows, mine)
    assert (done.new, done.beside) == ([], [])


# Opens, reads and draws with every file named in UTF-8: a default encoding would be cp1252 on Windows.
EVERYTHING = """
import os, sys
import minigrad as mg, viz
from pathlib import Path
from minigrad.lab.handout import hand_out, lessons_folder
from minigrad.classroom.loading import load
folder = Path(sys.argv[1])
hand_out(lessons_folder(), folder)
load(lessons_folder() / "source" / "07_checks.py")
viz.backward(lambda x: x * x, x=3.0).to_html(folder / "a.html")
mg.find_nan(mg.log(mg.constant(0.0)))
"""


def test_no_file_is_opened_in_the_encoding_of_the_system(tmp_path):
    strict = [sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning"]
    ran = subprocess.run([*strict, "-c", EVERYTHING, str(tmp_path / "mine")], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_git_gives_every_system_the_same_bytes():
    root = Path(__file__).parents[2]
    assert "* text=auto eol=lf" in (root / ".gitattributes").read_text(encoding="utf-8").splitlines()
