"""What a type checker says about code that uses minigrad."""

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad as mg
from minigrad.core.op import OPS
from minigrad.frameworks.missing_names import MissingAttribute
from minigrad.frameworks.stub import FOLDERS, stub

ROOT = Path(__file__).resolve().parents[2]
MISUSE = ROOT / "tests" / "helpers" / "misuse.py"
pytestmark = pytest.mark.xdist_group("mypy")  # two at once would write one cache


def test_misuse_of_the_public_names_is_rejected_line_by_line():
    """Each line marked as wrong is an error, and nothing else is."""
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", str(MISUSE)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    rejected = {int(n) for n in re.findall(r"misuse\.py:(\d+): error", done.stdout)}
    lines = MISUSE.read_text(encoding="utf-8").splitlines()
    assert rejected == {n for n, line in enumerate(lines, 1) if "# wrong" in line}, done.stdout + done.stderr


def test_a_program_of_a_users_passes():
    program = ROOT / "tests" / "helpers" / "user_program.py"
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(program)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        subprocess.run([sys.executable, str(program)], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}).returncode
        == 0
    )


def test_the_written_stubs_are_what_the_functions_say():
    for module in (mg, mg.ops):
        file = ROOT / "minigrad" / FOLDERS[module.__name__] / "names.pyi"
        assert file.read_text(encoding="utf-8") == stub(module), "run python -m minigrad.frameworks.stub"


@pytest.mark.parametrize(("text", "names"), [
    ("import minigrad as mg\nx = mg.constant([1.0])\ny = mg.exp(x)\ny.", {"sum", "value", "dtype", "reshape"}),
    ("import minigrad as mg\nmg.exp([1.0]).", {"sum", "value", "dtype", "reshape"}),
    ("import minigrad as mg\nmg.reduce_sum([1.0]).", {"sum", "value"}),
    ("import minigrad as mg\nmg.log", {"log", "log1p", "log_softmax"}),
    ("from minigrad import ops\nops.softmax([1.0]).", {"sum", "value"}),
    ("from minigrad import *\nex", {"exp", "explain_none"}),
], ids=["assigned", "called", "tensorflow", "names", "keras", "star"])  # fmt: skip
def test_an_editor_completes(text, names, tmp_path, monkeypatch):
    jedi = pytest.importorskip("jedi")
    monkeypatch.setattr(jedi.settings, "cache_directory", str(tmp_path))  # others write the usual one meanwhile
    project = jedi.Project(ROOT)
    found = {c.name for c in jedi.Script(text, project=project).complete(*_end(text))}
    assert names <= found, sorted(found)[:20]


def _end(text):
    """The line, from 1, and the column at which a text ends."""
    lines = text.split("\n")
    return len(lines), len(lines[-1])


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
