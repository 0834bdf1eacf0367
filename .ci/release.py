#!/usr/bin/env python3
"""Prepare a release, and stop at the first doubt: `python .ci/release.py` in a clean clone, with Python 3.10 or newer.

It looks at the clone, the version and the changelog; builds the wheel and the source distribution into dist/; checks
both; installs the wheel in an environment of its own and uses it there; runs `.ci/run`; and makes the tag. It sends
nothing anywhere: the last lines say what is left to do by hand. docs/maintaining.md has the steps before and after.

    python .ci/release.py --check     everything that takes seconds: the clone, the version and the changelog
"""

import datetime
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINES_FOR_USERS = 12  # at most so many items before the details of a release
USE = """
import importlib.metadata, minigrad as mg, viz
assert mg.__version__ == importlib.metadata.version("minigrad-kit") == {version!r}, mg.__version__
x = mg.constant(100.0)
assert "nan" in str(mg.find_nan(mg.log(1 + mg.exp(x))))
assert "<svg" in viz.backward(lambda x: x * x, x=3.0).to_svg()
"""


class Doubt(Exception):
    """A reason not to release; its text says what to do."""


def main(arguments):
    """Run the steps in their order, the quick ones first; return the exit code."""
    try:
        clean(ROOT)
        version = version_of(ROOT)
        new(ROOT, version)
        notes = changelog(ROOT, version, datetime.date.today())
        print(f"{version}: the clone is clean, the version is new, the changelog is cut")
        if arguments == ["--check"]:
            return 0
        built = build(ROOT)
        install(built[0], version)
        run("the tests", "bash", ".ci/run")
        clean(ROOT)  # the tests may not have written into the clone
        run("the tag", "git", "tag", "--annotate", f"v{version}", "--message", f"minigrad {version}\n\n{notes}")
    except Doubt as doubt:
        print(f"\nNot released: {doubt}", file=sys.stderr)
        return 1
    print(f"\nv{version} is tagged here. Left to do by hand, after a look at dist/:")
    print(f"  git push origin v{version}")
    print(f"  {sys.executable} -m twine upload {' '.join(str(file.relative_to(ROOT)) for file in built)}")
    return 0


def run(what, *command, folder=None):
    """Run a command, with its output as it comes; a Doubt if it fails."""
    print(f"\n== {what}", flush=True)
    if subprocess.run(command, cwd=folder or ROOT, stdin=subprocess.DEVNULL).returncode:
        raise Doubt(f"{what}: `{' '.join(map(str, command))}` failed")


def git(root, *command):
    """What a git command prints."""
    done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        raise Doubt(f"git {' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def clean(root):
    """The clone is on main, and holds what is committed and nothing else."""
    branch = git(root, "rev-parse", "--abbrev-ref", "HEAD")
    if branch != "main":
        raise Doubt(f"this is the branch {branch}; releases are made from main")
    changed = git(root, "status", "--porcelain")
    if changed:
        raise Doubt(f"there is work that is not committed:\n{changed}")


def version_of(root):
    """The version, which is written in one file; CITATION.cff repeats it."""
    found = re.findall(r'^__version__ = "(.*)"$', (root / "minigrad" / "__init__.py").read_text("utf-8"), re.MULTILINE)
    if len(found) != 1 or not re.fullmatch(r"\d+\.\d+\.\d+", found[0]):
        raise Doubt(f"minigrad/__init__.py should have one __version__ of three numbers, and has {found}")
    citation = root / "CITATION.cff"
    if citation.exists():
        cited = re.findall(r'^version: "?([^"\n]*)"?$', citation.read_text("utf-8"), re.MULTILINE)
        if cited not in ([], found):
            raise Doubt(f"CITATION.cff says version {cited[0]}, and minigrad/__init__.py {found[0]}")
        project, cites = root / "pyproject.toml", citation.read_text("utf-8")
        for address in re.findall(r'^Repository = "(.*)"$', project.read_text("utf-8"), re.MULTILINE):
            if f"repository-code: {address}\n" not in cites:
                raise Doubt(f"CITATION.cff should have the line repository-code: {address}, as pyproject.toml has it")
    return found[0]


def new(root, version):
    """The version is larger than that of every tag."""
    numbers = lambda text: tuple(map(int, text.lstrip("v").split(".")))
    tags = [tag for tag in git(root, "tag", "--list", "v*").split() if re.fullmatch(r"v\d+\.\d+\.\d+", tag)]
    last = max(tags, key=numbers, default=None)
    if last and numbers(last) >= numbers(version):
        raise Doubt(f"{last} is tagged already: raise __version__ in minigrad/__init__.py above it")


def changelog(root, version, today):
    """The lines for users on this version; what comes after the next heading are the details."""
    text = (root / "CHANGELOG.md").read_text("utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    titles = [section.partition("\n")[0].strip() for section in sections]
    if not titles or titles[0] != "[Unreleased]":
        raise Doubt("CHANGELOG.md should begin with the section [Unreleased]")
    if sections[0].partition("\n")[2].strip():
        raise Doubt(f"CHANGELOG.md has lines under [Unreleased]: move them under ## [{version}] - {today}")
    if len(titles) < 2 or not titles[1].startswith(f"[{version}] - "):
        raise Doubt(f"CHANGELOG.md should go on with ## [{version}] - {today}")
    if titles[1] != f"[{version}] - {today}":
        raise Doubt(f"CHANGELOG.md dates {titles[1]}, and today is {today}")
    notes = re.split(r"^### ", sections[1].partition("\n")[2], flags=re.MULTILINE)[0].strip()
    items = len(re.findall(r"^(?:- |\d+\. )", notes, re.MULTILINE))
    if not 1 <= items <= LINES_FOR_USERS:
        raise Doubt(f"[{version}] should begin with 1 to {LINES_FOR_USERS} lines for users, and has {items}")
    return notes


def build(root):
    """The wheel and the source distribution, checked: their paths in dist/."""
    dist = root / "dist"
    if dist.exists():
        raise Doubt(f"{dist} is there from an earlier build: look at it, and remove it")
    run("the wheel and the source distribution", sys.executable, "-m", "build", "--outdir", dist, root)
    built = [*dist.glob("*.whl"), *dist.glob("*.tar.gz")]
    if [file.suffix for file in built] != [".whl", ".gz"]:
        raise Doubt(f"dist/ should have a wheel and a source distribution, and has {[file.name for file in built]}")
    run("what an index will say of them", sys.executable, "-m", "twine", "check", "--strict", *built)
    return built


def install(wheel, version):
    """The wheel, installed with NumPy alone and outside of the clone, imports, finds a nan and draws."""
    folder = Path(tempfile.mkdtemp(prefix="release-"))
    try:
        venv.create(folder / "environment", with_pip=True)
        (python,) = [*(folder / "environment").glob("bin/python"), *(folder / "environment").glob("Scripts/python.exe")]
        run("an installation of the wheel", python, "-m", "pip", "install", "--quiet", f"{wheel}", folder=folder)
        run("its use", python, "-c", USE.format(version=version), folder=folder)
        run("its command", python, "-m", "minigrad", "--version", folder=folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
