"""The release script stops at each doubt, and says what to do."""

import datetime
import importlib.util
import subprocess
from pathlib import Path

import pytest

import minigrad

ROOT = Path(__file__).resolve().parents[1]
TODAY = datetime.date(2027, 1, 31)
CHANGELOG = """# Changelog

## [Unreleased]

## [0.2.0] - 2027-01-31

- A line for users.

### Details

- One.

## [0.1.0] - 2026-11-24

- First.
"""


def load():
    spec = importlib.util.spec_from_file_location("release", ROOT / ".ci" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = load()


def git(root, *command):
    who = ["-c", "user.name=A Person", "-c", "user.email=person@example.org"]
    subprocess.run(["git", *who, *command], cwd=root, check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path):
    """A clone that is ready for the release of 0.2.0."""
    (tmp_path / "minigrad").mkdir()
    (tmp_path / "minigrad" / "__init__.py").write_text('__version__ = "0.2.0"\n')
    (tmp_path / "CITATION.cff").write_text("title: minigrad\nversion: 0.2.0\n")
    (tmp_path / "pyproject.toml").write_text("[project.urls]\n")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    git(tmp_path, "init", "--initial-branch", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--message", "All of it")
    git(tmp_path, "tag", "v0.1.9")
    git(tmp_path, "tag", "v0.1.10")
    return tmp_path


def look(root):
    """The quick steps, as `main` takes them."""
    release.clean(root)
    version = release.version_of(root)
    release.new(root, version)
    return version, release.changelog(root, version, TODAY)


def test_without_a_doubt_the_lines_for_users_become_the_text_of_the_tag(clone):
    assert look(clone) == ("0.2.0", "- A line for users.")


def edit(name, old, new):
    def apply(root):
        text = (root / name).read_text()
        assert old in text
        (root / name).write_text(text.replace(old, new, 1))
        git(root, "commit", "--all", "--message", "An edit")

    return apply


MANY = "- A line for users.\n" * 13
DOUBTS = {
    "a branch": (lambda root: git(root, "switch", "--create", "work"), "the branch work"),
    "a new file": (lambda root: (root / "notes.txt").touch(), "not committed:\n?? notes.txt"),
    "a changed file": (lambda root: (root / "CHANGELOG.md").write_text(""), "not committed"),
    "no version": (edit("minigrad/__init__.py", "__version__", "version"), "one __version__ of three numbers"),
    "a version for developers": (edit("minigrad/__init__.py", "0.2.0", "0.2.0.dev1"), "0.2.0.dev1"),
    "another version to cite": (edit("CITATION.cff", "0.2.0", "0.1.0"), "CITATION.cff says version 0.1.0"),
    "an address to cite": (
        edit("pyproject.toml", "urls]\n", 'urls]\nRepository = "https://example.org/minigrad"\n'),
        "CITATION.cff should have the line repository-code: https://example.org/minigrad",
    ),
    "the tag is there": (lambda root: git(root, "tag", "v0.2.0"), "v0.2.0 is tagged already"),
    "a larger tag": (lambda root: git(root, "tag", "v0.10.0"), "v0.10.0 is tagged already"),
    "lines above": (edit("CHANGELOG.md", "[Unreleased]\n", "[Unreleased]\n\n- New.\n"), "lines under [Unreleased]"),
    "no such section": (edit("CHANGELOG.md", "[0.2.0]", "[0.3.0]"), "should go on with ## [0.2.0] - 2027-01-31"),
    "an old date": (edit("CHANGELOG.md", "2027-01-31", "2027-01-30"), "today is 2027-01-31"),
    "no line for users": (edit("CHANGELOG.md", "- A line for users.\n", ""), "and has 0"),
    "too many of them": (edit("CHANGELOG.md", "- A line for users.\n", MANY), "and has 13"),
}


@pytest.mark.parametrize("doubt", DOUBTS)
def test_it_stops_at_a_doubt(doubt, clone):
    cause, said = DOUBTS[doubt]
    cause(clone)
    with pytest.raises(release.Doubt) as stopped:
        look(clone)
    assert said in str(stopped.value)


def test_a_step_that_fails_is_the_last_one_and_nothing_is_tagged(clone, monkeypatch, capsys):
    monkeypatch.setattr(release, "ROOT", clone)
    text = (clone / "CHANGELOG.md").read_text()
    (clone / "CHANGELOG.md").write_text(text.replace("2027-01-31", str(datetime.date.today())))
    git(clone, "commit", "--all", "--message", "Today")
    steps = []
    monkeypatch.setattr(release, "build", lambda root: steps.append("built") or [root / "a.whl"])
    monkeypatch.setattr(release, "install", lambda wheel, version: steps.append("installed"))
    assert release.main([]) == 1, "this clone has no .ci/run"
    assert steps == ["built", "installed"]
    assert "Not released: the tests: `bash .ci/run` failed" in capsys.readouterr().err
    assert release.git(clone, "tag", "--list", "v0.2.0") == ""
    (clone / ".ci").mkdir()
    (clone / ".ci" / "run").write_text("true\n")
    git(clone, "add", ".")
    git(clone, "commit", "--message", "Tests that pass")
    git(clone, "config", "user.name", "A Person")
    git(clone, "config", "user.email", "person@example.org")
    assert release.main([]) == 0
    assert "A line for users." in release.git(clone, "tag", "--list", "--format", "%(contents)", "v0.2.0")
    assert "Left to do by hand" in capsys.readouterr().out


def test_the_version_of_this_clone_is_in_one_place():
    assert release.version_of(ROOT) == minigrad.__version__
