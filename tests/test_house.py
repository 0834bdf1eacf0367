"""The house rules: formatting, types, examples in docstrings, and imports that point one way."""

import ast
import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad

ROOT = Path(__file__).parent.parent
ENGINE = [m.name for m in pkgutil.walk_packages(minigrad.__path__, "minigrad.") if not m.name.endswith("__main__")]


def run(*command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_linter_has_nothing_to_say():
    run("ruff", "check", ".")


def test_the_formatter_has_nothing_to_change():
    run("ruff", "format", "--check", ".")


def test_the_types_are_consistent():
    run("mypy")


@pytest.mark.parametrize("name", ENGINE)
def test_examples_in_docstrings_are_true(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_examples_of_the_ops_are_true():
    for op in minigrad.node.OPS.values():
        if op.call.__doc__ and ">>>" in op.call.__doc__:
            test = doctest.DocTestParser().get_doctest(op.call.__doc__, {"mg": minigrad}, op.name, None, 0)
            assert doctest.DocTestRunner().run(test).failed == 0, op.name


def imports(path):
    """The top-level packages that a file imports when it is imported itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("path", sorted((ROOT / "minigrad").rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_the_engine_imports_numpy_and_the_standard_library_only(path):
    allowed = {*sys.stdlib_module_names, "numpy", "minigrad"}
    assert set(imports(path)) <= allowed, path


def test_importing_the_engine_imports_nothing_heavy():
    heavy = ("matplotlib", "ipywidgets", "jupyterlab", "viz")
    code = f"import sys, minigrad; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
