"""A function with a custom gradient can be pickled like any function."""

import copy
import pickle
import subprocess
import sys

import pytest

import minigrad as mg


@mg.custom_gradient
def tripled(x):
    return mg.exp(x), lambda upstream: 3.0 * upstream


class Layer:
    def __init__(self, scale):
        self.scale = scale

    @mg.custom_gradient
    def call(self, x):
        return x * 1.0, lambda upstream: self.scale * upstream


@pytest.mark.parametrize("again", [lambda f: pickle.loads(pickle.dumps(f)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("f", [tripled, Layer.call], ids=["function", "method"])
def test_a_function_of_a_module_is_the_same_one_again(f, again):
    assert again(f) is f


def test_a_bound_method_goes_with_its_object():
    again = pickle.loads(pickle.dumps(Layer(5.0).call))
    assert mg.grad(again)(2.0) == 5.0


def test_what_a_notebook_defines_goes_by_value_in_cloudpickle():
    """The function is defined in the `__main__` of one process, and read by another, which does not have it."""
    written = """
import sys, cloudpickle, minigrad as mg
@mg.custom_gradient
def f(x):
    return mg.exp(x), lambda upstream: 3.0 * upstream
sys.stdout.buffer.write(cloudpickle.dumps(f))
"""
    read = "import sys, pickle, minigrad as mg; print(float(mg.grad(pickle.load(sys.stdin.buffer))(2.0)))"
    data = subprocess.run([sys.executable, "-c", written], capture_output=True, check=True).stdout
    out = subprocess.run([sys.executable, "-c", read], input=data, capture_output=True, check=True).stdout
    assert out.split() == [b"3.0"]


def test_a_function_inside_of_another_is_refused_as_python_refuses_it():
    @mg.custom_gradient
    def local(x):
        return x, lambda upstream: upstream

    with pytest.raises((pickle.PicklingError, AttributeError), match="local"):
        pickle.dumps(local)
