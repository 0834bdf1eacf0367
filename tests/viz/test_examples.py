"""The examples in the docstrings of the pictures are true."""

import doctest
import importlib
import pkgutil

import pytest

import viz

PLOTS = [f"viz.views.{name}" for name in ("curves", "jacobian", "matrices", "steps")]
NEEDS = {**dict.fromkeys(PLOTS, "matplotlib"), "viz.views.play": "anywidget"}
MODULES = [module.name for module in pkgutil.walk_packages(viz.__path__, "viz.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0
