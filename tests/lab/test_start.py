"""start.py sets up what is missing, keeps what is complete, and explains why it cannot continue."""

import ast
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from minigrad.classroom.student_progress import progress_file
from tests.helpers.permissions import humble, read_only

START = Path(__file__).parents[2] / "start.py"
TOO_OLD = ("2.7", "3.6", "3.7", "3.8", "3.9")
PATIENCE = 120  # seconds for a process that a busy computer may be slow to start


class Commands:
    """Stands in for the programs start.py would run: notes the commands and answers as a test asks."""

    def __init__(self, start):
        self.start = start
        self.run: list[list[str]] = []
        self.said = ""
        self.fail = ""  # the part of a command that makes it fail
        self.lacks = "nothing"  # a module that the interpreters do not have
        self.handed_over = None

    def install_or_make(self, command, stdout=None, **options):
        """A stand-in for subprocess.run and subprocess.Popen."""
        command = [str(part) for part in command]
        if "-c" in command:  # start.py tries whether an interpreter works
            return SimpleNamespace(returncode=0 if Path(command[0]).exists() and self.lacks not in command[-1] else 1)
        self.run.append(command)
        if "venv" in command:
            Path(self.start.venv_python()).parent.mkdir(parents=True)
            Path(self.start.venv_python()).touch()
        code = 1 if self.fail and self.fail in " ".join(command) else 0
        if hasattr(stdout, "write"):
            stdout.write(self.said.encode())
        return SimpleNamespace(returncode=code, stdout=self.said.encode())

    def hand_over(self, command):
        self.handed_over = [str(part) for part in command]
        return 0

    @property
    def installed(self):
        return [command[-1] for command in self.run if "install" in command]


@pytest.fixture
def start(tmp_path, monkeypatch):
    """start.py in a fresh clone whose path has a space in it."""
    spec = importlib.util.spec_from_file_location("start", START)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    root = tmp_path / "my clone"
    root.mkdir()
    (root / "pyproject.toml").write_text("[project]")
    monkeypatch.setattr(module, "ROOT", str(root))
    monkeypatch.setattr(module, "VENV", str(root / ".venv"))
    monkeypatch.setattr(module, "LOCK", str(root / ".venv.lock"))
    monkeypatch.chdir(tmp_path)
    return module


@pytest.fixture
def commands(start, monkeypatch):
    commands = Commands(start)
    monkeypatch.setattr(
        start,
        "subprocess",
        SimpleNamespace(
            run=commands.install_or_make,
            Popen=commands.install_or_make,
            PIPE=subprocess.PIPE,
            STDOUT=subprocess.STDOUT,
            DEVNULL=subprocess.DEVNULL,
        ),
    )
    monkeypatch.setattr(start, "hand_over", commands.hand_over)
    monkeypatch.setattr(start.shutil, "which", lambda name: None)
    return commands


def test_a_fresh_clone_is_set_up_and_the_lessons_open(start, commands, capsys):
    assert start.main(["7", "--no-browser", "--port", "9000"]) == 0
    assert [command[1:3] for command in commands.run] == [["-m", "venv"], ["-m", "pip"]]
    assert commands.installed == [".[lab]"]
    assert commands.handed_over == [
        *(start.venv_python(), "-m", "minigrad", "lab", "7", "--no-browser", "--port", "9000")
    ]
    assert "takes one to three minutes" in capsys.readouterr().out


def test_the_second_start_installs_nothing_and_says_nothing(start, commands, capsys):
    start.main([])
    commands.run.clear()
    capsys.readouterr()
    assert start.main([]) == 0
    assert commands.run == []
    assert capsys.readouterr().out == ""


def test_changed_requirements_are_installed_into_the_same_environment(start, commands):
    start.main([])
    commands.run.clear()
    Path(start.ROOT, "pyproject.toml").write_text("[project] # changed")
    assert start.main([]) == 0
    assert [command[2:4] for command in commands.run] == [["pip", "install"]]


def test_the_tests_need_more_than_the_lessons_and_the_lessons_no_more_than_the_tests(start, commands):
    start.main([])
    assert start.main(["test", "-k", "moons"]) == 0
    assert commands.installed == [".[lab]", ".[lab,test]"]
    assert commands.handed_over[:3] == [start.venv_python(), "-m", "pytest"]
    assert commands.handed_over[-3:] == ["--quick", "-k", "moons"]
    assert Path.cwd() == Path(start.ROOT)
    start.main([])
    assert len(commands.installed) == 2


def test_all_tests_are_those_of_the_quick_mode_and_all_others(start, commands):
    start.main(["test", "-k", "moons"])
    quick = commands.handed_over
    start.main(["test", "all", "-k", "moons"])
    assert commands.handed_over == [word for word in quick if word != "--quick"]


def test_uv_is_used_when_it_is_there(start, commands, monkeypatch, capsys):
    monkeypatch.setattr(start.shutil, "which", lambda name: "/opt/uv" if name == "uv" else None)
    start.main([])
    assert [command[:2] for command in commands.run] == [["/opt/uv", "venv"], ["/opt/uv", "pip"]]
    assert "--seed" in commands.run[0], "CONTRIBUTING.md installs more with the environment's own pip"
    assert "takes half a minute" in capsys.readouterr().out


def test_a_half_made_environment_is_made_again(start, commands):
    half = Path(start.VENV, "lib")
    half.mkdir(parents=True)
    assert start.main([]) == 0
    assert not half.exists()
    assert len(commands.run) == 2


def test_an_interrupted_installation_is_taken_up_again(start, commands):
    commands.fail = "pip install"
    assert start.main([]) == 1
    commands.fail = ""
    commands.run.clear()
    assert start.main([]) == 0
    assert commands.installed == [".[lab]"]


def test_an_old_python_is_told_what_to_install(start, commands, capsys, monkeypatch):
    monkeypatch.setattr(start.sys, "version_info", (3, 8, 10, "final", 0))
    assert start.main([]) == 1
    assert commands.run == []
    said = capsys.readouterr().err
    assert "needs Python 3.10 or newer, and this is Python 3.8" in said
    assert "https://www.python.org/downloads/" in said


def find_python(version):
    """An interpreter of this version on this computer, or None: on the path, or among pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for found in [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))]:
        says = "import sys; print('%d.%d' % sys.version_info[:2])"
        if found and subprocess.run([found, "-c", says], capture_output=True, text=True).stdout.strip() == version:
            return str(found)
    return None


@pytest.mark.parametrize("version", TOO_OLD)
def test_a_real_old_python_is_told_what_to_install(version, tmp_path):
    python = find_python(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this computer; the next test reads the file as 2.7 would")
    clone = shutil.copy(START, tmp_path)
    ran = subprocess.run([python, clone], capture_output=True, text=True)
    assert ran.returncode == 1
    assert f"needs Python 3.10 or newer, and this is Python {version} " in ran.stderr
    assert "Traceback" not in ran.stderr
    assert os.listdir(tmp_path) == ["start.py"]


NEWER_THAN_2_7 = "JoinedStr AnnAssign Nonlocal AsyncFunctionDef Await NamedExpr Starred YieldFrom MatMult Match TryStar"
MODULES_OF_2_7 = "__future__ contextlib errno hashlib json os shutil subprocess sys tempfile time"


def test_python_2_7_can_read_the_file():
    source = START.read_bytes().decode("ascii")  # 2.7 takes a file for ASCII
    tree = ast.parse(source)
    last = [node.args[-1] for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]  # f(a, *b) is old
    newer = [n for n in ast.walk(tree) if type(n).__name__ in NEWER_THAN_2_7.split() and n not in last]
    for node in ast.walk(tree):
        if isinstance(node, ast.arguments):
            newer += [*node.posonlyargs, *node.kwonlyargs]
        elif isinstance(node, ast.arg | ast.FunctionDef):
            newer += [note for note in [getattr(node, "annotation", None), getattr(node, "returns", None)] if note]
        elif isinstance(node, ast.Raise):
            newer += [node.cause] if node.cause else []
        elif isinstance(node, ast.Call):  # f(a, **b, c=d) and f(**a, **b)
            newer += [word for word in node.keywords[:-1] if word.arg is None]
        elif isinstance(node, ast.ClassDef):
            newer += node.keywords
        elif isinstance(node, ast.Dict):
            newer += [value for key, value in zip(node.keys, node.values) if key is None]
    assert [ast.unparse(node) for node in newer] == []
    assert not re.search(r"\b\d+_\d", source), "an underscore in a number"
    first = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert ast.unparse(first[0]) == "from __future__ import print_function"
    names = {name.name for node in first[1:] for name in node.names}
    assert names <= set(MODULES_OF_2_7.split()), "2.7 imports these before the version is looked at"


def test_without_venv_it_says_what_to_install(start, commands, capsys):
    commands.lacks = "ensurepip"
    assert start.main([]) == 1
    assert "sudo apt install python3-venv" in capsys.readouterr().err
    assert not Path(start.VENV).exists()


@pytest.mark.parametrize("said", [
    "Failed to establish a new connection: Temporary failure in name resolution",
    "ERROR: Could not find a version that satisfies the requirement hatchling>=1.26 (from versions: none)\n"
    "ERROR: No matching distribution found for hatchling>=1.26",
])  # fmt: skip
def test_offline_and_not_installed_explains_itself(said, start, commands, capsys):
    commands.fail, commands.said = "pip install", said
    assert start.main([]) == 1
    said = capsys.readouterr().err
    assert "seems to be offline" in said
    assert "Connect to the internet" in said
    assert commands.handed_over is None


@pytest.mark.parametrize("said", [
    "WARNING: Retrying ... after connection broken by 'ProxyError('Cannot connect to proxy.', OSError('Tunnel ...'))",
    "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed')",
    "error: Failed to fetch: invalid peer certificate: UnknownIssuer",
])  # fmt: skip
def test_a_network_that_refuses_the_installer_is_no_missing_package(said, start, commands, capsys):
    commands.fail, commands.said = "pip install", f"{said}\nERROR: No matching distribution found for hatchling>=1.26"
    assert start.main([]) == 1
    said = capsys.readouterr().err
    assert "this network requires a proxy or its own certificates" in said and "with a Python from" not in said


@pytest.mark.parametrize("kind", ["a file", "a link to a folder", "a link to nothing"])
def test_what_is_no_folder_where_the_environment_goes_is_removed(kind, start, commands, tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "kept.txt").touch()
    if kind == "a file":
        Path(start.VENV).write_text("envs/one")
    else:
        Path(start.VENV).symlink_to(tmp_path / ("theirs" if kind == "a link to a folder" else "nowhere"))
    assert start.main([]) == 0
    assert not Path(start.VENV).is_symlink() and Path(start.venv_python()).exists()
    assert (tmp_path / "theirs" / "kept.txt").exists()


def test_offline_after_the_requirements_changed_opens_what_is_there(start, commands, capsys):
    start.main([])
    Path(start.ROOT, "pyproject.toml").write_text("[project] # changed")
    commands.fail = "pip install"
    commands.said = "Temporary failure in name resolution"
    commands.handed_over = None
    assert start.main([]) == 0
    assert commands.handed_over is not None
    assert "Going on with what was installed before" in capsys.readouterr().out
    assert start.main(["test"]) == 1


def test_a_failed_installation_shows_the_last_words_of_the_installer(start, commands, capsys):
    commands.fail = "pip install"
    commands.said = "\n".join(f"line {number}" for number in range(100))
    assert start.main([]) == 1
    said = capsys.readouterr().err
    assert "line 99" in said
    assert "line 50" not in said
    assert "install.log" in said


# The word of pip and of uv where a package has no build for this Python.
@pytest.mark.parametrize(
    "words",
    [
        "ERROR: No matching distribution found for resvg-py>=0.5",
        "ERROR: Failed building wheel for numpy",
        "because numpy==2.5.5 has no wheels with a matching Python ABI tag (e.g., `cp316`)",
    ],
)
def test_a_python_without_ready_made_packages_is_told_which_one_to_take(words, start, commands, capsys, monkeypatch):
    monkeypatch.setattr(start.sys, "version_info", (3, 16, 0, "alpha", 1))
    monkeypatch.setattr(start.shutil, "which", lambda name: "/usr/bin/python3.12" if name == "python3.12" else None)
    commands.fail, commands.said = "pip install", words
    assert start.main([]) == 1
    said = capsys.readouterr()
    assert "Python 3.16, which is newer than those that minigrad was tested with" in said.out
    assert words in said.err
    assert "with a Python from 3.10 to 3.15, 64 bit, for example:  " in said.err
    assert ("py -3." if os.name == "nt" else "python3.12 start.py") in said.err


@pytest.mark.parametrize("asked", [["--folder", "FILE"], ["7", "--folder=FILE"], ["--fold", "FILE"], []])
def test_a_lessons_folder_that_cannot_be_written_is_said_before_anything_is_installed(
    asked, start, commands, capsys, monkeypatch, tmp_path
):
    file = tmp_path / "a file"
    file.touch()  # no folder can be made in it, not even by root
    monkeypatch.setattr(start, "FOLDER", str(file / "minigrad-lessons"))
    assert start.main([word.replace("FILE", str(file / "mine")) for word in asked]) == 1
    said = capsys.readouterr().err
    assert f"The lessons could not be written to {file}" in said
    assert "start.py --folder DIR" in said
    assert commands.run == []
    assert start.main(["test"]) == 0, "the tests need no such folder"


def test_the_default_folder_is_that_of_the_command(start):
    from minigrad.__main__ import _parser

    assert str(_parser().parse_args(["lab"]).folder) == start.FOLDER


def test_while_it_installs_the_package_at_hand_is_shown(start, monkeypatch, tmp_path, capsys):
    log = tmp_path / "install.log"
    log.write_bytes(b"")
    assert start.last_line(str(log)) == ""
    log.write_bytes(b"x" * 5000 + b"\nCollecting numpy>=2\n  Downloading numpy-2.5.5.whl (16 MB)\n\n")
    assert start.last_line(str(log)) == "Downloading numpy-2.5.5.whl (16 MB)"
    monkeypatch.setattr(start.shutil, "get_terminal_size", lambda *args, **options: os.terminal_size((21, 24)))
    start.show("3 s  " + start.last_line(str(log)))
    assert capsys.readouterr().out == "\r  3 s  Downloading n\r", "as wide as the terminal, and written over next time"


def test_a_console_that_lacks_a_character_of_the_path_stops_nothing(tmp_path):
    folder = tmp_path / "☃ mine"
    folder.mkdir()
    shutil.copy(START, folder)
    (folder / "pyproject.toml").write_text("[project]")
    (folder / ".venv.lock").mkdir()  # it cannot be opened: a sentence with the path in it
    ran = subprocess.run(
        [sys.executable, str(folder / "start.py")],
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        capture_output=True,
    )
    assert (ran.returncode, b"Traceback" in ran.stderr) == (1, False)
    assert b"\\u2603 mine" in ran.stderr


@pytest.mark.parametrize("asked", ["--help", "-h"])
def test_help_sets_nothing_up(asked, start, commands, capsys):
    assert start.main([asked]) == 0
    assert "python start.py test" in capsys.readouterr().out
    assert commands.run == []


def test_help_from_another_folder(tmp_path):
    said = subprocess.run(
        [sys.executable, str(START), "--help"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith("Set up minigrad")


def test_help_whose_reader_has_stopped_ends_quietly():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        said = subprocess.run([sys.executable, str(START), "--help"], stdout=writer, stderr=subprocess.PIPE, check=True)
    finally:
        os.close(writer)
    assert said.stderr == b""


def test_help_names_the_file_of_the_progress(start, monkeypatch):
    for name in ("MINIGRAD_PROGRESS", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert progress_file().relative_to(Path.home()).as_posix() in start.__doc__


def test_it_needs_the_standard_library_only():
    tree = ast.parse(START.read_text(encoding="utf-8"))
    names = [
        name.name.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    ]
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert modules == ["__future__"]
    assert set(names) <= sys.stdlib_module_names


@pytest.mark.skipif(os.name == "nt", reason="on Windows the command is a child of start.py")
def test_the_exit_code_of_the_command_is_passed_on(tmp_path):
    code = f"import sys; sys.path.insert(0, {str(START.parent)!r}); import start; "
    code += "start.hand_over([sys.executable, '-c', 'import sys; sys.exit(7)'])"
    assert subprocess.run([sys.executable, "-B", "-c", code], cwd=tmp_path).returncode == 7


# A clone in which the environment is made by touching a file, once a file "go" is there.
SLOW = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where tests run in the background
sys.path.insert(0, sys.argv[1])
import start
start.works = lambda python, code="pass": os.path.exists(python)
start.hand_over = lambda command: print("handed over") or 0
start.install = lambda uv, extras, log: print("installed", flush=True)

def make_venv(uv):
    print("making", flush=True)
    while not os.path.exists("go"):
        time.sleep(0.01)
    os.makedirs(os.path.dirname(start.venv_python()))
    open(start.venv_python(), "w").close()

start.make_venv = make_venv
sys.exit(start.main([]))
"""


@pytest.fixture
def clone(tmp_path):
    """A folder with start.py in it, and a function that starts it there as a separate process."""
    shutil.copy(START, tmp_path)
    (tmp_path / "pyproject.toml").write_text("[project]")
    processes = []

    def begin():
        command = [sys.executable, "-c", SLOW, str(tmp_path)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        processes.append(subprocess.Popen(command, cwd=tmp_path, **pipes))
        return processes[-1]

    yield SimpleNamespace(folder=tmp_path, begin=begin)
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()


def until(process, words):
    """Read what the process prints up to a line with these words; return that line."""
    return next((line for line in process.stdout if words in line), "")


def test_of_two_starts_at_once_the_second_waits_for_the_first(clone):
    first = clone.begin()
    assert until(first, "making")
    second = clone.begin()
    assert "Another start is setting up this folder" in second.stdout.readline()
    assert second.poll() is None
    (clone.folder / "go").touch()
    assert second.communicate(timeout=PATIENCE)[0].split("\n") == ["handed over", ""], "nothing is set up twice"
    assert first.communicate(timeout=PATIENCE)[0].split("\n") == ["installed", "handed over", ""]
    assert first.returncode == second.returncode == 0


def test_a_start_that_was_killed_blocks_nobody(clone):
    first = clone.begin()
    assert until(first, "making")
    second = clone.begin()
    assert "Another start" in second.stdout.readline()
    first.kill()
    assert until(second, "making")
    (clone.folder / "go").touch()
    assert "handed over" in second.communicate(timeout=PATIENCE)[0]
    third = clone.begin()
    assert third.communicate(timeout=PATIENCE)[0] == "handed over\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to a console, not to a process")
def test_a_setup_that_is_stopped_by_ctrl_c_goes_on_at_the_next_start(clone):
    first = clone.begin()
    assert until(first, "making")
    first.send_signal(signal.SIGINT)
    said = first.communicate(timeout=PATIENCE)[0]
    assert said.strip() == "Stopped. Run this again to go on with the setup." and first.returncode == 130
    (clone.folder / "go").touch()
    assert clone.begin().communicate(timeout=PATIENCE)[0].endswith("installed\nhanded over\n")


@pytest.mark.parametrize(("refusals", "code"), [(2, "EACCES"), (2, "EDEADLK")])
def test_on_windows_the_lock_is_of_its_c_library(refusals, code, start, commands, monkeypatch, capsys):
    tries = []

    def locking(number, mode, length):
        tries.append((mode, length))
        if len(tries) <= refusals:
            raise OSError(getattr(start.errno, code), "locked")

    monkeypatch.setattr(start, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    assert start.main([]) == 0
    assert tries == [(2, 1)] * (refusals + 1)
    assert capsys.readouterr().out.count("Another start is setting up this folder") == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows locks in another way")
def test_a_file_system_without_locks_stops_nobody(start, commands, monkeypatch):
    def flock(file, operation):
        raise OSError(start.errno.ENOLCK, "no locks available")

    monkeypatch.setattr(start.fcntl, "flock", flock)
    assert start.main([]) == 0


@pytest.mark.skipif(os.name == "nt", reason="permission bits do not close a folder on Windows")
def test_a_clone_that_cannot_be_written_says_so(tmp_path):
    shutil.copy(START, tmp_path)
    (tmp_path / "pyproject.toml").write_text("[project]")
    read_only(tmp_path)
    ran = subprocess.run(humble(sys.executable, tmp_path / "start.py"), capture_output=True, text=True)
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert ran.stderr.splitlines() == [
        "",
        "This folder cannot be written (Permission denied):",
        f"  {tmp_path}",
        "The setup makes .venv in it. Copy the folder to a place where you can write, and run start.py there.",
    ]


def test_a_clone_that_cannot_be_written_opens_what_is_installed_in_it(start, commands, monkeypatch, capsys):
    start.main([])
    Path(start.LOCK).unlink()
    Path(start.LOCK).mkdir()  # it cannot be opened
    commands.handed_over = None
    assert start.main([]) == 0, "what is complete needs no writing"
    Path(start.ROOT, "pyproject.toml").write_text("[project] # changed")
    assert start.main([]) == 0
    assert commands.handed_over is not None
    assert "This folder cannot be written" in capsys.readouterr().out
    assert start.main(["test"]) == 1


def test_an_environment_of_another_user_says_what_to_do(start, commands, capsys):
    start.main([])
    Path(start.VENV, "install.log").unlink()
    Path(start.VENV, "install.log").mkdir()  # it cannot be written
    assert start.main(["test"]) == 1
    said = capsys.readouterr().err
    assert f"The environment {start.VENV} could not be written" in said
    assert "Remove that folder" in said
