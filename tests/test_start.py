"""start.py sets up what is needed, leaves alone what is done, and explains itself when it cannot go on."""

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

START = Path(__file__).parents[1] / "start.py"


class Commands:
    """Stands in for the programs start.py would run: notes the commands and answers as a test asks."""

    def __init__(self, start):
        self.start = start
        self.run: list[list[str]] = []
        self.said = ""
        self.fail = ""  # the part of a command that makes it fail
        self.handed_over = None

    def install_or_make(self, command, stdout=None, **options):
        """In place of subprocess.run and subprocess.Popen."""
        command = [str(part) for part in command]
        if "-c" in command:  # start.py asks whether an interpreter works
            return SimpleNamespace(returncode=0 if Path(command[0]).exists() else 1)
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
    """start.py as if it stood in a fresh clone whose path has a space in it."""
    spec = importlib.util.spec_from_file_location("start", START)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    root = tmp_path / "my clone"
    root.mkdir()
    (root / "pyproject.toml").write_text("[project]")
    monkeypatch.setattr(module, "ROOT", str(root))
    monkeypatch.setattr(module, "VENV", str(root / ".venv"))
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
    assert commands.installed == [".[lab,classroom]"]
    assert commands.handed_over == [
        *(start.venv_python(), "-m", "minigrad", "lab", "7", "--no-browser", "--port", "9000")
    ]
    assert "half a minute" in capsys.readouterr().out


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
    assert commands.installed == [".[lab,classroom]", ".[lab,classroom,test]"]
    assert commands.handed_over == [start.venv_python(), "-m", "pytest", "-k", "moons"]
    assert Path.cwd() == Path(start.ROOT)
    start.main([])
    assert len(commands.installed) == 2


def test_uv_is_used_when_it_is_there(start, commands, monkeypatch):
    monkeypatch.setattr(start.shutil, "which", lambda name: "/opt/uv" if name == "uv" else None)
    start.main([])
    assert [command[:2] for command in commands.run] == [["/opt/uv", "venv"], ["/opt/uv", "pip"]]


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
    assert commands.installed == [".[lab,classroom]"]


def test_an_old_python_is_told_what_to_install(start, commands, capsys, monkeypatch):
    monkeypatch.setattr(start.sys, "version_info", (3, 8, 10, "final", 0))
    assert start.main([]) == 1
    assert commands.run == []
    said = capsys.readouterr().err
    assert "needs Python 3.10 or newer, and this is Python 3.8" in said
    assert "https://www.python.org/downloads/" in said


def test_old_pythons_can_read_the_file():
    ast.parse(START.read_text(encoding="utf-8"), feature_version=(3, 7))


def test_without_venv_it_says_what_to_install(start, commands, capsys, monkeypatch):
    monkeypatch.setattr(start.importlib.util, "find_spec", lambda name: None if name == "ensurepip" else object())
    assert start.main([]) == 1
    assert "sudo apt install python3-venv" in capsys.readouterr().err
    assert not Path(start.VENV).exists()


def test_offline_and_not_installed_explains_itself(start, commands, capsys):
    commands.fail = "pip install"
    commands.said = "Failed to establish a new connection: Temporary failure in name resolution"
    assert start.main([]) == 1
    said = capsys.readouterr().err
    assert "seems to be offline" in said
    assert "Connect to the internet" in said
    assert commands.handed_over is None


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


def test_it_needs_the_standard_library_only():
    tree = ast.parse(START.read_text(encoding="utf-8"))
    names = [
        name.name.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    ]
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert set(names) <= sys.stdlib_module_names


@pytest.mark.skipif(os.name == "nt", reason="on Windows the command is a child of start.py")
def test_the_exit_code_of_the_command_is_passed_on(tmp_path):
    code = f"import sys; sys.path.insert(0, {str(START.parent)!r}); import start; "
    code += "start.hand_over([sys.executable, '-c', 'import sys; sys.exit(7)'])"
    assert subprocess.run([sys.executable, "-B", "-c", code], cwd=tmp_path).returncode == 7
