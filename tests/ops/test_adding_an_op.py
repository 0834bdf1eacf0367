"""An op is added by one declaration: everything else finds it. Tried on a copy of the package."""

import ast
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
    latex=r"1 - \\cos a", says="The versed sine of each element.", slope="sin(a)", edge_cases="flat at multiples of pi",
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
assert mg.versine.__doc__.startswith("The versed sine of each element.\\n")
assert ">>> mg.versine([0.3, -2.0])\\nTensor(" in mg.versine.__doc__
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


#: Run the tests that go through the declarations, at the rows of the new one.
LAWS = """
import importlib, sys
from minigrad.core.op import OPS

found = []
for module in sys.argv[1:]:
    for name, test in vars(importlib.import_module(f"tests.ops.{module}")).items():
        for row in [row for row in getattr(test, "rows", {}).values() if row[0] is OPS["versine"]]:
            try:
                test.check(*row)
                found.append("passed")
            except AssertionError:
                found.append(f"failed {name}")
print(found)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    for name in ("minigrad", "viz", "tests/helpers", "tests/ops"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "_lessons"))
    file = folder / "minigrad" / "ops" / "trigonometry.py"
    with file.open("a", encoding="utf-8") as declarations:
        declarations.write(DECLARATION)
    return folder


def run(folder, *command):
    # Nothing compiled is kept: a file that is changed twice within a second would be taken for the one of before.
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_found_by_its_names_in_pictures_in_programs_and_in_the_handbook(copy):
    run(copy, "-c", USES)
    handbook = run(copy, "-m", "minigrad.ops")
    assert "versine" in handbook and "flat at multiples of pi" in handbook


def test_the_laws_of_ops_are_tested_for_it(copy):
    found = ast.literal_eval(run(copy, "-c", LAWS, "test_rules", "test_slopes", "test_forward"))
    assert set(found) == {"passed"} and len(found) >= 8, found


def test_a_wrong_rule_is_found_by_the_laws(copy):
    file = copy / "minigrad" / "ops" / "trigonometry.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('g * sin(a),\n    latex=r"1 - ', 'g * cos(a),\n    latex=r"1 - '), encoding="utf-8")
    found = ast.literal_eval(run(copy, "-c", LAWS, "test_rules"))
    file.write_text(text, encoding="utf-8")
    assert "failed test_the_first_and_second_derivatives_agree_with_finite_differences" in found
