"""What a type checker says of code that uses minigrad."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import minigrad as mg
from minigrad.core.op import OPS
from minigrad.frameworks.missing_names import MissingAttribute

ROOT = Path(__file__).resolve().parents[2]
MISUSE = ROOT / "tests" / "helpers" / "misuse.py"


def test_misuse_of_the_public_names_is_rejected_line_by_line():
    """Each line marked as wrong is an error, and nothing else is."""
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", str(MISUSE)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    rejected = {int(n) for n in re.findall(r"misuse\.py:(\d+): error", done.stdout)}
    lines = MISUSE.read_text(encoding="utf-8").splitlines()
    assert rejected == {n for n, line in enumerate(lines, 1) if "# wrong" in line}, done.stdout + done.stderr


def methods():
    """Name -> parameters without their annotations, as core/methods.pyi declares them."""
    tree = ast.parse((ROOT / "minigrad" / "core" / "methods.pyi").read_text(encoding="utf-8"))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef))
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def own():
    tree = ast.parse((ROOT / "minigrad" / "core" / "tensor.py").read_text(encoding="utf-8"))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Tensor")
    return {node.name for node in body if isinstance(node, ast.FunctionDef)}


def attached():
    """What the ops add to Tensor when they are declared."""
    skipped = {*own(), "__array_ufunc__", "__array_function__", "__dir__"}
    return {
        name: value
        for name, value in vars(mg.Tensor).items()
        if name not in skipped
        and not isinstance(value, MissingAttribute)
        and (callable(value) or isinstance(value, property))
    }


def test_the_methods_that_a_type_checker_sees_are_those_that_the_ops_attach():
    assert methods().keys() == attached().keys()
    assert len(OPS) > 100


def test_their_parameters_are_those_of_the_ops():
    for name, declared in methods().items():
        call = attached()[name]
        if isinstance(call, property) or name.startswith("__"):
            continue
        _, *parameters = inspect.signature(call).parameters.values()
        arguments = declared.args
        stars = [f"*{a.arg}" for a in [arguments.vararg] if a] + [f"**{a.arg}" for a in [arguments.kwarg] if a]
        named = [a.arg for a in (*arguments.args[1:], *arguments.kwonlyargs)]
        real = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
        assert named == [p.name for p in real], name
        assert stars == [marks[p.kind] + p.name for p in parameters if p.kind in marks], name
        defaults = [ast.unparse(d) for d in (*arguments.defaults, *filter(None, arguments.kw_defaults))]
        assert defaults == [repr(p.default) for p in real if p.default is not p.empty], name
