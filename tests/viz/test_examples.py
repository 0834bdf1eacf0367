"""The examples in the docstrings of the pictures are true."""

import doctest
import importlib
import pkgutil

import pytest

import viz

NEEDS = {"viz.curves": "matplotlib", "viz.matrix": "matplotlib", "viz.play": "anywidget"}


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(viz.__path__, "viz.")])
def test_examples_in_docstrings_are_true(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0
