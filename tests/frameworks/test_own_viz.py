"""`mg.viz` is ours even if another package is called viz, and the import says so."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad as mg
import viz

ROOT = Path(__file__).resolve().parents[2]
DRAW = "x = mg.constant(3.0); print('multiply' in mg.viz.backward(x * x).to_svg())"


def test_it_is_the_module_itself_where_nothing_clashes():
    assert mg.viz is viz and "viz" in dir(mg)
    assert viz.__version__ == mg.__version__


@pytest.fixture(params=["written over", "elsewhere, found first"])
def path(request, tmp_path):
    """An import path on which `import viz` finds another package: pip wrote its file over ours, or it comes first."""
    for name in ("minigrad", "viz"):
        shutil.copytree(
            ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "_lessons", "gallery")
        )
    folder = tmp_path / "viz" if request.param == "written over" else tmp_path / "first" / "viz"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "__init__.py").write_text('"""Charts in a terminal."""\n\nbars = len\n', encoding="utf-8")
    return os.pathsep.join(map(str, dict.fromkeys([folder.parent, tmp_path])))


@pytest.mark.parametrize("first", ["", "import viz; "])
def test_another_package_is_noticed_and_our_pictures_are_drawn(path, first, tmp_path_factory):
    program = f"{first}import minigrad as mg; import viz; print(viz.bars([1])); {DRAW}; print(mg.viz is mg.viz)"
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path_factory.mktemp("away"),
    )
    assert done.stdout.split() == ["1", "True", "True"], done.stderr
    assert "`import viz` finds another package of that name" in done.stderr and "write mg.viz" in done.stderr
