"""minigrad lab hands the lessons out, keeps the student's work, and opens JupyterLab on the right lesson."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

from minigrad import __main__ as cli
from minigrad import __version__
from minigrad.lab import handout, launch
from minigrad.lab.handout import LOCK, RECORD, hand_out, lessons_folder
from tests.helpers.permissions import humble, read_only

PATIENCE = 120  # seconds for a process that a busy computer may be slow to start
NAMES = ["01_graph.ipynb", "02_chain_rule.ipynb", "07_custom_gradient.ipynb"]


def notebook(*sources, output="", **metadata):
    """The text of a notebook with one code cell per source."""
    cells = [
        {
            "cell_type": "code",
            "source": source,
            "metadata": metadata,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": output}],
            "execution_count": None,
        }
        for source in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


@pytest.fixture
def lessons(tmp_path, monkeypatch):
    """A folder of three lessons with data, as the package holds it."""
    folder = tmp_path / "package" / "lessons"
    for name in [*NAMES, "data/points.csv", "source/01_graph.py", ".hidden"]:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(notebook(f"edition = 1  # {name}"))
    monkeypatch.setattr(launch, "lessons_folder", lambda: folder)
    return folder


@pytest.fixture
def mine(tmp_path):
    """The student's folder, not there yet, with a space in its path."""
    return tmp_path / "my lessons"


@pytest.fixture
def served(monkeypatch):
    """What would have been served: JupyterLab is not started."""
    calls = []
    monkeypatch.setattr(launch, "_serve", lambda *arguments: calls.append(arguments))
    return calls


def names(folder):
    paths = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in paths if path not in (LOCK, RECORD))


def test_a_lesson_is_handed_out_with_the_metadata_of_the_kernel(lessons, mine):
    """JupyterLab writes it into a notebook that it opens, and calls the notebook unsaved where that changes it."""
    kernel = {"kernelspec": {"name": "python3"}, "language_info": {"version": "3.12.1"}}
    hand_out(lessons, mine, kernel)
    assert json.loads((mine / NAMES[0]).read_text())["metadata"] == kernel
    assert not hand_out(lessons, mine, kernel).updated
    (mine / NAMES[1]).write_text(notebook("my answer"))
    newer = {**kernel, "language_info": {"version": "3.13.0"}}
    done = hand_out(lessons, mine, newer)
    assert done.updated == [NAMES[0], NAMES[2]] and not done.beside
    assert json.loads((mine / NAMES[0]).read_text())["metadata"] == newer
    assert (mine / NAMES[1]).read_text() == notebook("my answer")


def test_the_metadata_of_the_kernel_is_what_ipykernel_says():
    kernel = pytest.importorskip("ipykernel.ipkernel").IPythonKernel
    assert launch.kernel_metadata()["language_info"] == kernel.language_info


def test_a_fresh_folder_gets_the_lessons_and_their_data(lessons, mine):
    done = hand_out(lessons, mine)
    assert names(mine) == [*NAMES, "data/points.csv"]
    assert sorted(done.new) == names(mine)
    assert not done.updated
    assert not done.beside


def test_handing_out_twice_changes_nothing(lessons, mine):
    hand_out(lessons, mine)
    before = {name: (mine / name).stat().st_mtime_ns for name in names(mine)}
    done = hand_out(lessons, mine)
    assert (done.new, done.updated, done.beside) == ([], [], [])
    assert {name: (mine / name).stat().st_mtime_ns for name in names(mine)} == before


def test_an_untouched_lesson_follows_the_new_edition(lessons, mine):
    hand_out(lessons, mine)
    (lessons / NAMES[0]).write_text(notebook("edition = 2"))
    done = hand_out(lessons, mine)
    assert done.updated == [NAMES[0]]
    assert (mine / NAMES[0]).read_text() == notebook("edition = 2")


def test_a_changed_lesson_is_kept_and_the_new_edition_put_beside_it_once(lessons, mine):
    hand_out(lessons, mine)
    (mine / NAMES[0]).write_text(notebook("my answer"))
    assert not hand_out(lessons, mine).beside
    (lessons / NAMES[0]).write_text(notebook("edition = 2"))
    beside = "01_graph (newer).ipynb"
    assert hand_out(lessons, mine).beside == [(NAMES[0], beside)]
    assert (mine / NAMES[0]).read_text() == notebook("my answer")
    assert (mine / beside).read_text() == notebook("edition = 2")
    (mine / beside).unlink()
    assert not hand_out(lessons, mine).beside
    assert not (mine / beside).exists()


def test_the_third_edition_replaces_an_untouched_second_one_only(lessons, mine):
    hand_out(lessons, mine)
    (mine / NAMES[0]).write_text(notebook("my answer"))
    for edition in ("2", "3"):
        (lessons / NAMES[0]).write_text(notebook(f"edition = {edition}"))
        hand_out(lessons, mine)
    beside = mine / "01_graph (newer).ipynb"
    assert beside.read_text() == notebook("edition = 3")
    beside.write_text(notebook("my second answer"))
    (lessons / NAMES[0]).write_text(notebook("edition = 4"))
    hand_out(lessons, mine)
    assert beside.read_text() == notebook("my second answer")
    assert (mine / "01_graph (newer 2).ipynb").read_text() == notebook("edition = 4")


def test_a_lesson_that_was_renamed_leaves_its_old_name_only_where_the_student_has_worked(lessons, mine):
    hand_out(lessons, mine)
    (mine / NAMES[1]).write_text(notebook("my answer"))
    for name in NAMES[:2]:
        (lessons / name).rename(lessons / name.replace(".", "_again."))
    done = hand_out(lessons, mine)
    assert done.new == [name.replace(".", "_again.") for name in NAMES[:2]]
    assert NAMES[0] not in names(mine) and (mine / NAMES[1]).read_text() == notebook("my answer")
    assert names(mine) == sorted([*done.new, *NAMES[1:], "data/points.csv"])


def test_a_lesson_that_only_ran_again_is_no_new_edition(lessons, mine):
    hand_out(lessons, mine)
    (mine / NAMES[0]).write_text(notebook("my answer"))
    (lessons / NAMES[0]).write_text(notebook(f"edition = 1  # {NAMES[0]}", output="other"))
    assert not hand_out(lessons, mine).beside


def test_new_checks_in_a_cells_metadata_are_a_new_edition(lessons, mine):
    hand_out(lessons, mine)
    (mine / NAMES[0]).write_text(notebook("my answer"))
    (lessons / NAMES[0]).write_text(notebook(f"edition = 1  # {NAMES[0]}", exercise="q1"))
    assert hand_out(lessons, mine).beside


def test_a_lesson_the_student_only_ran_is_not_overwritten(lessons, mine):
    hand_out(lessons, mine)
    ran = notebook(f"edition = 1  # {NAMES[0]}", output="42")
    (mine / NAMES[0]).write_text(ran)
    hand_out(lessons, mine)
    (lessons / NAMES[0]).write_text(notebook("edition = 2"))
    hand_out(lessons, mine)
    assert (mine / NAMES[0]).read_text() == ran


@pytest.mark.parametrize("record", [None, "not json", "[1]", '{"01_graph.ipynb": 3}'])
def test_without_a_readable_record_every_file_counts_as_the_students(record, lessons, mine):
    mine.mkdir()
    (mine / NAMES[0]).write_text("my own file")
    if record is not None:
        (mine / RECORD).write_text(record)
    hand_out(lessons, mine)
    assert (mine / NAMES[0]).read_text() == "my own file"
    assert (mine / "01_graph (newer).ipynb").exists()


def test_a_lost_lesson_is_handed_out_again(lessons, mine):
    hand_out(lessons, mine)
    (mine / NAMES[1]).unlink()
    assert hand_out(lessons, mine).new == [NAMES[1]]


def test_of_two_starts_at_once_the_second_finds_the_lessons_as_the_first_left_them(lessons, mine, monkeypatch):
    read, second_reads, done = handout._read_record, threading.Event(), []

    def reading(folder):
        if threads[0] is not threading.current_thread():
            second_reads.set()
            return read(folder)
        threads[1].start()
        assert not second_reads.wait(0.3), "the second reads what the first is about to change"
        return read(folder)

    monkeypatch.setattr(handout, "_read_record", reading)
    threads = [threading.Thread(target=lambda: done.append(hand_out(lessons, mine))) for _ in range(2)]
    threads[0].start()
    threads[0].join()
    threads[1].join()
    first, second = done
    assert first.new
    assert second == handout.Handout([], [], [])


def test_opening_the_lessons_where_they_are_written_copies_nothing(lessons):
    before = names(lessons)
    hand_out(lessons, lessons)
    assert names(lessons) == before


def test_a_write_that_fails_leaves_the_old_lesson_and_no_half_of_a_new_one(lessons, mine, monkeypatch):
    def fail(source, target):
        raise OSError("the disk is full")

    hand_out(lessons, mine)
    (lessons / NAMES[0]).write_text(notebook("edition = 2"))
    before = names(mine)
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="the disk is full"):
        hand_out(lessons, mine)
    assert names(mine) == before
    assert (mine / NAMES[0]).read_text() == notebook(f"edition = 1  # {NAMES[0]}")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (None, NAMES[0]),
        ("2", NAMES[1]),
        ("07", NAMES[2]),
        ("custom", NAMES[2]),
        ("Chain_Rule", NAMES[1]),
        ("01_graph", NAMES[0]),
        ("lessons/01_graph.ipynb", NAMES[0]),
    ],
)
def test_a_lesson_is_found_by_number_name_or_part_of_it(asked, found):
    assert launch.find_lesson(asked, NAMES) == found


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("chian", "there is no lesson 'chian'; did you mean 02_chain_rule?"),
        ("9", "there is no lesson '9'; the lessons are: 01_graph, 02_chain_rule, 07_custom_gradient"),
        ("gra", "several lessons match 'gra'; name one of: 01_graph, 07_custom_gradient"),
    ],
)
def test_an_unknown_lesson_is_answered_with_the_nearest_names(asked, said, lessons, mine, served, capsys):
    assert cli.main(["lab", asked, "--folder", str(mine)]) == 1
    assert capsys.readouterr().err.strip() == f"minigrad: {said}"
    assert not mine.exists()
    assert not served


def test_lab_says_where_the_lessons_are_and_opens_the_first(lessons, mine, served, capsys):
    pytest.importorskip("jupyterlab")
    assert cli.main(["lab", "--folder", str(mine)]) == 0
    assert served == [(mine, NAMES[0], None, True)]
    assert f"Your lessons are in {mine}\n  new: 4 files\n" in capsys.readouterr().out


def test_lab_says_which_newer_lessons_it_put_beside(lessons, mine, served, capsys):
    pytest.importorskip("jupyterlab")
    hand_out(lessons, mine, launch.kernel_metadata())
    (mine / NAMES[0]).write_text("mine")
    (lessons / NAMES[0]).write_text(notebook("edition = 2"))
    (lessons / NAMES[1]).write_text(notebook("edition = 2"))
    assert cli.main(["lab", "2", "--no-browser", "--folder", str(mine)]) == 0
    assert served == [(mine, NAMES[1], None, False)]
    said = capsys.readouterr().out
    assert "brought up to date: 1 file" in said
    assert "yours is kept, the newer one is '01_graph (newer).ipynb'" in said


def test_missing_jupyterlab_is_one_sentence(lessons, mine, served, monkeypatch, capsys):
    monkeypatch.setattr(launch.importlib.util, "find_spec", lambda name: None)
    assert cli.main(["lab", "--folder", str(mine)]) == 1
    assert 'python -m pip install "minigrad-kit[lab]"' in capsys.readouterr().err
    assert not served


def test_a_folder_that_cannot_be_written_is_one_sentence(lessons, tmp_path, served, capsys):
    pytest.importorskip("jupyterlab")
    (tmp_path / "a file").write_text("")
    assert cli.main(["lab", "--folder", str(tmp_path / "a file" / "lessons")]) == 1
    said = capsys.readouterr().err
    assert "could not be written" in said
    assert "--folder" in said


def test_a_taken_port_is_one_sentence(lessons, mine, served, capsys):
    pytest.importorskip("jupyterlab")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli.main(["lab", "--port", str(port), "--folder", str(mine)]) == 1
    assert f"port {port} cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["0", "70000", "many", "-1"])
def test_an_impossible_port_is_not_understood(port, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["lab", f"--port={port}"])
    assert stopped.value.code == 2
    assert "1 to 65535" in capsys.readouterr().err


def test_version_and_help(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out.strip() == f"minigrad {__version__}"
    assert cli.main([]) == 0
    assert "lab" in capsys.readouterr().out


def test_a_clone_and_a_wheel_keep_the_lessons_where_they_are_looked_for():
    clone = Path(cli.__file__).resolve().parents[1]
    assert lessons_folder() == clone / "lessons"
    packaging = (clone / "pyproject.toml").read_text()
    assert '"lessons" = "minigrad/_lessons"' in packaging


HOMES = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR")


@contextlib.contextmanager
def running(lessons, mine, environment, *arguments, port=launch.FIRST_PORT):
    """A process of `minigrad lab` as a humble user, and the match of the address that it printed."""
    program = (
        "import sys, pathlib; from minigrad import __main__ as cli; from minigrad.lab import launch;"
        f"launch.lessons_folder = lambda: pathlib.Path({str(lessons)!r});"
        f"launch.FIRST_PORT = {port};"
        f"sys.exit(cli.main(['lab', *sys.argv[1:], '--no-browser', '--folder', {str(mine)!r}]))"
    )
    command = humble(sys.executable, "-c", program, *arguments)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        try:
            said, address = [], None
            for line in process.stdout:
                said.append(line)
                address = address or re.search(r"(http://127\.0\.0\.1:(\d+)/)lab/tree/(\S+)\?token=(\w+)", line)
                if line.startswith("Stop it"):
                    break
            assert address, "".join(said)
            yield process, address
        finally:
            process.kill()


def fetch(address, path, body=None):
    """The server's reply, as JSON."""
    request = urllib.request.Request(f"{address[1]}{path}", body, {"Authorization": f"token {address[4]}"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def stops(process, address, number, folder):
    """Send the signal: the server says where the lessons are, ends without an error, and answers no more."""
    process.send_signal(number)
    assert str(folder) in process.stdout.read()
    assert process.wait(PATIENCE) == 0
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address[1], timeout=PATIENCE)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise on Windows")
def test_jupyterlab_starts_on_a_free_port_and_stops_cleanly(lessons, mine, tmp_path):
    pytest.importorskip("jupyterlab")
    environment = {**os.environ, **{name: str(tmp_path / name) for name in HOMES}}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with running(lessons, mine, environment, "2", port=port) as (process, address):
            assert address[3] == NAMES[1]
            assert int(address[2]) != port
            stops(process, address, signal.SIGINT, mine)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="permission bits do not close a folder on Windows")
@pytest.mark.parametrize("home", ["read-only", "missing"])
def test_with_a_home_that_cannot_be_written_a_kernel_runs_in_the_folder(home, lessons, mine, tmp_path):
    pytest.importorskip("jupyterlab")
    place = tmp_path / "home"
    place.mkdir()
    read_only(place)
    place = place if home == "read-only" else place / "me"
    environment = {name: value for name, value in os.environ.items() if name not in HOMES and "XDG" not in name}
    with running(lessons, mine, {**environment, "HOME": str(place)}) as (process, address):
        kernel = fetch(address, "api/kernels", body=b"{}")
        assert [k["id"] for k in fetch(address, "api/kernels")] == [kernel["id"]]
        connection = mine / ".jupyter" / "jupyter_runtime_dir" / f"kernel-{kernel['id']}.json"
        assert connection.exists()
        stops(process, address, signal.SIGTERM, mine)


def test_a_home_that_can_be_written_is_left_to_jupyter(lessons, mine, served, tmp_path, monkeypatch):
    pytest.importorskip("jupyterlab")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in HOMES:
        monkeypatch.delenv(name, raising=False)
    assert cli.main(["lab", "--folder", str(mine)]) == 0
    assert not [name for name in HOMES if name in os.environ]
    assert names(tmp_path / "my lessons") == [*NAMES, "data/points.csv"]


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals on Windows")
def test_a_bar_is_shown_in_a_terminal_that_says_it_has_no_width_and_nowhere_else():
    import pty

    program = "from minigrad.lab.output import bar; print(*bar([1, 2, 3], desc='proven'))"
    ours, theirs = pty.openpty()  # 0 columns, as under `script -qc`
    piped = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=theirs, check=True)
    os.close(theirs)
    assert piped.stdout == b"1 2 3\n"
    assert b"proven: 100%" in os.read(ours, 65536)
    os.close(ours)
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stderr == b""
