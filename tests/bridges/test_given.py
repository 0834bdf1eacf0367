"""Which framework a program belongs to, without any: stand-ins bear the names of its modules."""

import functools
import subprocess
import sys
import types

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.bridges import NotRecorded, program_of
from minigrad.bridges.given import arrays_by_name, framework_of, referred


def stand_in(package):
    """An array, and a module, of a framework."""
    array = type("Array", (), {"__module__": f"{package}.inner", "dtype": "float32", "shape": (2,)})()
    module = types.ModuleType(package)
    module.log = lambda x: x
    return array, module


@pytest.fixture(params=["torch", "jax", "tensorflow"])
def framework(request, monkeypatch):
    array, module = stand_in(request.param)
    monkeypatch.setitem(sys.modules, request.param, module)
    return {"torch": "PyTorch", "jax": "JAX", "tensorflow": "TensorFlow"}[request.param], array, module


def test_a_framework_is_known_by_an_argument_also_inside_of_a_structure(framework):
    name, array, _ = framework
    for args, kwargs in [((array,), {}), (({"w": [1.0, array]},), {}), ((), {"x": array})]:
        assert framework_of(lambda *a, **k: None, args, kwargs) == name


def test_a_framework_is_known_by_what_the_function_refers_to(framework):
    name, array, module = framework

    def helper(x):
        return module.log(x)

    class Trainer:
        def __init__(self):
            self.weights = array

        def loss(self):
            return self.weights

    for f in (helper, lambda x: helper(x), lambda: array, functools.partial(lambda a, b: a, array), Trainer().loss):
        assert framework_of(f, (0.0,)) == name
    assert framework_of(lambda x: x * x, (0.0,)) == ""


def test_a_function_of_this_library_stays_one_beside_a_framework(framework):
    _, _, module = framework
    assert framework_of(lambda x: mg.log(x) if module else x, (0.0,)) == ""
    assert framework_of(lambda x: x * x, (mg.constant(1.0),)) == ""


def test_without_a_framework_nothing_is_looked_at(monkeypatch):
    for package in ("torch", "jax", "tensorflow"):
        monkeypatch.delitem(sys.modules, package, raising=False)
    assert framework_of(lambda x: x, (stand_in("torch")[0],)) == ""


def test_arrays_have_the_names_of_the_user():
    array, _ = stand_in("torch")
    assert arrays_by_name({"x": array, "p": {"w": array, "n": 3}, "k": 2.0}) == {"x": array, "p['w']": array}
    assert dict(referred(lambda: (np, viz)))["np"] is np


@pytest.mark.parametrize(
    "package, words",
    [("torch", "lambda: loss_of\\(x, t\\)"), ("jax", "f, \\*args"), ("tensorflow", "f, \\*args")],
)
def test_a_finished_result_is_told_what_to_write(package, words):
    array, _ = stand_in(package)
    with pytest.raises(NotRecorded, match=f"already computed.*write mg.find_nan\\({words}"):
        mg.find_nan(array)
    for view in (viz.backward, viz.trace_nan):
        with pytest.raises(TypeError, match=f"viz.{view.__name__}\\({words}"):
            view(array)


def test_a_version_that_is_too_old_is_told_with_what_to_write(framework, monkeypatch):
    name, array, module = framework
    monkeypatch.setattr(module, "__version__", "0.4.9+cpu", raising=False)
    with pytest.raises(NotRecorded, match=rf'{name} 0.4.9\+cpu is too old.*pip install "{module.__name__}>='):
        mg.find_nan(lambda x: x, array)


def test_this_library_imports_no_framework():
    code = (
        "import sys, minigrad as mg, viz\n"
        "viz.trace_nan(lambda x: mg.log(x), x=0.0), viz.backward(mg.constant(1.0) * 2), mg.find_nan(mg.constant(1.0))\n"
        "print([name for name in ('torch', 'jax', 'tensorflow', 'keras') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_function_of_this_library_takes_arguments_in_order():
    f = lambda x, w: mg.sqrt(x) + w
    x, w = mg.constant(0.0), mg.constant(2.0)
    assert mg.find_nan(f, x, w).op == viz.trace_nan(f, 0.0, 2.0).op == "sqrt"
    assert viz.backward(f, 0.0, w=2.0).trace.nodes[0].name == "x"
    assert program_of(f, (x, w), {}, "find_nan") is None
    with pytest.raises(TypeError, match="inputs go with a function"):
        viz.backward(x * w, 2.0)
