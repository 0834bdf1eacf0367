"""The wheel and the source distribution, built and installed outside the clone, as other people get them."""

import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
UNREACHABLE = ("NewConnectionError", "ConnectTimeoutError", "Temporary failure in name resolution", "ProxyError")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]

#: Runs the first code cells of a lesson as a program, up to its first question.
CELLS = """
import json, minigrad, pathlib
lesson = next(pathlib.Path(minigrad.__file__).parent.glob("_lessons/01_*.ipynb"))
cells = [c for c in json.loads(lesson.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]
space = {}
for cell in cells[:2]:
    exec("".join(cell["source"]), space)
print("boxes:", space["viz"].forward(space["y"]).to_text()[:40])
"""


def run(folder, *command, **options):
    """The output of a command that must succeed, without what this process hands down to imports."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"PYTHONUTF8": "1"}
    done = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == options.get("code", 0), done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def environment(folder):
    """The Python of a new, empty environment."""
    venv.create(folder, with_pip=True)
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def install(python, *what):
    """pip install, from its cache where it can; the test is skipped where no index is reached."""
    done = subprocess.run([python, "-m", "pip", "install", "-q", *map(str, what)], capture_output=True, text=True)
    if any(word in done.stderr for word in UNREACHABLE) and done.returncode:
        pytest.skip(f"no package index can be reached to install {what[0]}")
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.fixture(scope="module")
def builder(tmp_path_factory):
    python = environment(tmp_path_factory.mktemp("builder"))
    install(python, "hatchling")
    return python


@pytest.fixture(scope="module")
def built(builder, tmp_path_factory):
    """The wheel and the source distribution of the clone."""
    out = tmp_path_factory.mktemp("built")
    run(ROOT, builder, "-m", "hatchling", "build", "-d", out)
    (wheel,), (source,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel, source


def names(wheel):
    return sorted(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_has_two_packages_and_no_solutions(built):
    found = names(built[0])
    assert {name.split("/")[0].partition("-")[0] for name in found} == {"minigrad", "viz", "minigrad_kit"}
    assert {"minigrad/py.typed", "minigrad/ops/names.pyi", "viz/static/bundle.json"} <= {*found}
    assert not [name for name in found if re.search(r"hidden\.py|/assignments/[^/]+/hw|/tests/", name)]
    assert "minigrad/_lessons/assignments/hw16/release/hw16.ipynb" in found


def description(wheel):
    """The metadata of a wheel: what an index of packages shows."""
    (file,) = [name for name in names(wheel) if name.endswith("/METADATA")]
    return zipfile.ZipFile(wheel).read(file).decode("utf-8")


ADDRESS = "https://example.org/minigrad"


def test_the_source_distribution_builds_the_same_wheel(built, builder, tmp_path):
    with tarfile.open(built[1]) as archive:
        archive.extractall(tmp_path, **({"filter": "data"} if sys.version_info >= (3, 12) else {}))
    (source,) = tmp_path.iterdir()
    found = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    if (ROOT / ".git").exists():
        assert found == {*run(ROOT, "git", "ls-files").splitlines(), "PKG-INFO"}, "all that the tests read"
    run(source, builder, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "again")
    (again,) = (tmp_path / "again").glob("*.whl")
    assert names(again) == names(built[0])
    assert description(again) == description(built[0])
    links = re.findall(r"\]\(([^)]*)\)|src(?:set)?=\"([^\"]*)", description(again))
    assert not [a + b for a, b in links if "://" not in a + b], "an index of packages has no files beside the page"
    # With the address of the repository each of them leads there.
    project = (source / "pyproject.toml").read_text(encoding="utf-8")
    (source / "pyproject.toml").write_text(f'{project}\n[project.urls]\nRepository = "{ADDRESS}"\n', encoding="utf-8")
    (source / "PKG-INFO").unlink()  # hatchling takes what it finds here
    run(source, builder, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "addressed")
    (addressed,) = (tmp_path / "addressed").glob("*.whl")
    links = re.findall(r"\]\(([^)#]*)\)|src(?:set)?=\"([^\"]*)", README)
    wanted = {a + b for a, b in links if "://" not in a + b}
    version = re.findall(r"^Version: (.*)$", description(addressed), re.MULTILINE)[0]
    address = rf"{ADDRESS}/(blob|raw)/v{version}/([^)#\"]*)"
    found = {(kind, name) for kind, name in re.findall(address, description(addressed))}
    assert found == {("raw" if name.endswith((".png", ".gif")) else "blob", name) for name in wanted}
    assert f"Project-URL: Repository, {ADDRESS}\n" in description(addressed)


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """The Python of an environment with the wheel and NumPy, and an empty folder."""
    python = environment(tmp_path_factory.mktemp("installed"))
    install(python, built[0])
    return python, tmp_path_factory.mktemp("away")


def test_the_wheel_works_with_numpy_alone(installed):
    python, away = installed
    assert "\nboxes: name  " in run(away, python, "-c", CELLS)
    where = run(
        away, python, "-c", "import minigrad as mg, viz; print(mg.__version__ == viz.__version__, viz.__file__)"
    )
    assert where.startswith("True") and str(ROOT) not in where
    assert re.match(r"minigrad \d+\.\d+", run(away, python, "-m", "minigrad", "--version"))
    assert "usage: minigrad grade" in run(away, python, "-m", "minigrad", "grade", "--help")
    run(away, python, "-m", "minigrad", "doctor")


#: A package that installs the same folder, as one of the index does.
OTHER = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "viz"
version = "0.0.5"
"""


@pytest.mark.parametrize("first", ["viz", "minigrad"])
def test_another_viz_is_noticed_in_both_orders(built, builder, installed, first, tmp_path):
    (tmp_path / "viz").mkdir()
    (tmp_path / "viz" / "__init__.py").write_text("bars = len\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(OTHER, encoding="utf-8")
    run(tmp_path, builder, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path)
    (other,) = tmp_path.glob("*.whl")
    python, away = installed
    for wheel in (other, built[0]) if first == "viz" else (built[0], other):
        install(python, "--no-deps", "--force-reinstall", wheel)
    program = "import minigrad as mg; x = mg.constant(3.0); print(mg.viz.backward(x * x).to_svg()[:4])"
    done = subprocess.run([python, "-c", program], cwd=away, capture_output=True, text=True)
    assert done.stdout == "<svg\n", done.stderr
    assert ("`import viz` finds another package" in done.stderr) == (first == "minigrad")
    install(python, "--no-deps", "--force-reinstall", built[0])


#: Hands the lessons out as `minigrad lab 7` does and runs the lesson, as Run All does in JupyterLab.
LESSON = """
import pathlib, nbclient, nbformat
from minigrad.lab.handout import hand_out, lessons_folder
from minigrad.lab.launch import kernel_metadata
hand_out(lessons_folder(), pathlib.Path("lessons"), kernel_metadata())
(file,) = pathlib.Path("lessons").glob("07_*.ipynb")
lesson = nbformat.read(file, 4)
nbclient.NotebookClient(lesson, resources={"metadata": {"path": "lessons"}}).execute()
said = [out for cell in lesson.cells for out in cell.get("outputs", [])]
assert not [out for out in said if out.output_type == "error" or out.get("name") == "stderr"], said
shown = [out.data for out in said if "text/html" in out.get("data", {})]
print(len(shown), shown[-1]["text/plain"])
"""


@pytest.fixture(scope="module")
def course(built, tmp_path_factory):
    """The Python of an environment with the wheel and its extra `classroom`."""
    python = environment(tmp_path_factory.mktemp("classroom"))
    install(python, f"{built[0]}[classroom]")
    return python


def test_from_an_empty_home_the_wheel_runs_lesson_7(course, tmp_path, monkeypatch):
    for home in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(home, str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    pictures, verdict = run(tmp_path, course, "-c", LESSON).split(" ", 1)
    assert int(pictures) >= 5 and "0 of 8 right" in verdict


def test_the_wheel_grades_with_the_extra_classroom(course, tmp_path):
    python, away = course, tmp_path
    folder = "import minigrad, pathlib; print(next(pathlib.Path(minigrad.__file__).parent.glob('_lessons/06_*.ipynb')))"
    notebook = json.loads(Path(run(away, python, "-c", folder).strip()).read_text(encoding="utf-8"))
    (away / "work").mkdir()
    (away / "work" / "ada.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    said = run(away, python, "-m", "minigrad", "grade", "06", "work", "--i-trust-these", "-j", 1)
    assert "ada" in said and (away / "course.db").exists()
