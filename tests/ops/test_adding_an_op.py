"""An op is added by one declaration: everything else finds it. Tried on a copy of the package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

DECLARATION = """
versine = defop(
    "versine", lambda x: 1 - np.cos(x), elementwise=True, method="versine",
    vjp=lambda g, y, a: g * sin(a),
    latex=r"1 - \\cos a", slope="sin(a)", edge_cases="flat at multiples of pi",
    names=dict(tf="math.versine", keras="versine"), samples=(([0.3, -2.0],),),
)
"""

USES = """
import numpy as np
import minigrad as mg, viz
from minigrad import ops

x = np.array([0.5, 2.0])
assert mg.versine is ops.versine is mg.math.versine and mg.constant(x).versine().op.name == "versine"
assert "versine" in dir(mg) and "versine" in mg.__all__ and "versine" in ops.__all__
for sentence in ("1 - \\\\cos a", "sin(a)", "flat at multiples of pi", "tf: math.versine"):
    assert sentence in mg.versine.__doc__, sentence
np.testing.assert_allclose(mg.grad(lambda x: mg.sum(mg.versine(x)))(x), np.sin(x), rtol=1e-15)
np.testing.assert_allclose(mg.hessian(mg.versine)(np.float64(0.5)), np.cos(0.5), rtol=1e-15)
assert mg.check_gradients(mg.versine, x)
x = mg.constant(0.5)
picture = viz.backward(mg.versine(x))
assert "versine" in picture.to_text() and "versine" in picture.to_svg() and "sin(a)" in picture.to_json()
program = mg.source(mg.grad(mg.versine), np.float64(0.5))
assert "np.sin(x)" in program.text, program.text
assert mg.compile(mg.versine)(np.float64(0.5)) == 1 - np.cos(0.5)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    for name in ("minigrad", "viz", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "_lessons"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    file = folder / "minigrad" / "ops" / "trigonometry.py"
    with file.open("a", encoding="utf-8") as declarations:
        declarations.write(DECLARATION)
    return folder


def run(folder, *command):
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run([sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True)


def test_it_is_found_by_its_names_in_pictures_and_in_programs(copy):
    done = run(copy, "-c", USES)
    assert done.returncode == 0, done.stderr


def test_it_is_in_the_handbook(copy):
    done = run(copy, "-m", "minigrad.ops")
    assert "versine" in done.stdout and "flat at multiples of pi" in done.stdout, done.stderr


def test_the_laws_of_ops_are_tested_for_it(copy):
    laws = [f"tests/ops/{name}.py" for name in ("test_rules", "test_slopes", "test_forward", "test_bits")]
    done = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "versine", *laws)
    assert done.returncode == 0, done.stdout
    assert int(done.stdout.split(" passed")[0].split()[-1]) >= 8, done.stdout


def test_a_wrong_rule_is_found_by_the_laws(copy):
    file = copy / "minigrad" / "ops" / "trigonometry.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('g * sin(a),\n    latex=r"1 - ', 'g * cos(a),\n    latex=r"1 - '), encoding="utf-8")
    done = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "versine", "tests/ops/test_rules.py")
    file.write_text(text, encoding="utf-8")
    assert done.returncode == 1 and "failed" in done.stdout, done.stdout
