"""The comparison of every adjoint, and running a repair, on graphs made by hand: the framework is NumPy here."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.bridges import explained
from minigrad.bridges.rebuilt_program import Differs, ForeignProgram, close, foreign, settled
from minigrad.bridges.spelling import Spelling
from minigrad.core.backward import pullback
from minigrad.core.tensor import Tensor
from minigrad.tracing.replay import graph_of


class Names(Spelling):
    framework, roots = "numpy", {"numpy": "np"}

    def path(self, name):
        return f"numpy.{name}"


class Made(ForeignProgram):
    """A program whose framework derives cube with a slope that is `factor` times the true one."""

    framework = "NumPy"

    def __init__(self, strange=(), factor=1.0, results=None):
        super().__init__(strange)
        self.dialect, self.results = Names(), results
        x = mg.constant([1.0, 2.0])
        slope = lambda by: lambda g, y, x: [g * by * 3 * x**2]
        by = factor if 7 in strange else 1.0
        cube = foreign("cube", lambda x: x**3, slope(by), [x], x.value**3)
        self.calls[cube.serial] = 7
        self.y = mg.sum(cube)
        self.names, self.leaves, self.tracked = {"x": x}, {x.serial: x}, [(x, "x"), (cube, "cube")]
        self.true = {"x": factor * 3 * x.value**2, "cube": np.ones(2)}

    def adjoints(self, keys):
        return [self.true[key] for key in keys]

    def run(self, new, inputs):
        if self.results is None:
            raise Differs("cannot be run")
        return self.results


def test_equal_adjoints_are_equal_and_nothing_is_recorded_again():
    program = settled(Made)
    assert (program.wrong, program.caveat(), program.plain) == ([], "", None)


def test_a_rule_that_lies_by_a_thousandth_is_found_and_its_call_is_left_to_the_framework():
    first = Made(factor=1.001)
    assert first.suspects() == {7}
    assert [node.op for node in first.wrong] == [None]
    program = settled(lambda strange: Made(strange, factor=1.001))
    assert program.strange == {7}
    assert program.wrong == []
    assert program.plain is not None


def test_what_cannot_be_told_equal_is_said():
    program = settled(lambda strange: Made((), factor=1.001))
    assert "differently from NumPy at an input; no repair" in program.caveat()


@pytest.mark.parametrize(
    "results, why",
    [
        (None, "Differs: cannot be run"),
        ((np.float32(9.0), [np.float32([3.0, 12.0])]), ""),
        ((np.float32(9.1), [np.float32([3.0, 12.0])]), "its value in NumPy is 9.1"),
        ((np.float32(9.0), [np.float32([3.0, 12.1])]), "its value in NumPy is 9.0"),
        ((np.float32(9.0), [np.float32([3.0, np.nan])]), "it is not finite there"),
    ],
)
def test_a_repair_holds_only_if_the_framework_computes_the_same(results, why):
    program = Made(results=results)
    assert program.holds(program.y, program.inputs) is (why == "")
    assert program.refused == ([why] if why else [])


class Logs(ForeignProgram):
    """log(1 + exp(x)) at 1000, in a framework that computes a repair with `run`."""

    framework = "NumPy"

    def __init__(self, run):
        super().__init__()
        x = mg.constant(np.float32(1000.0))
        self.dialect, self.y, self.names, self.leaves = Names(), mg.log(1 + mg.exp(x)), {"x": x}, {x.serial: x}
        self.run = run


def true_run(new, inputs):
    return new.value, pullback([new], [np.ones_like(new.value)], inputs)


def test_an_offer_that_is_not_true_in_the_framework_is_not_made():
    assert explained(Logs(true_run)).repair.rewrites == (("np.log(1 + np.exp(x))", "np.softplus(x)"),)
    lies = lambda new, inputs: (true_run(new, inputs)[0] * 1.01, true_run(new, inputs)[1])
    refused = explained(Logs(lies))
    assert refused.op == "exp"
    assert not refused.repair
    assert refused.repair.rewrites == ()


def test_of_a_large_program_no_repair_is_searched_for(monkeypatch):
    monkeypatch.setattr("minigrad.bridges.explain.LARGEST", 3)
    report = explained(Logs(true_run))
    assert "holds more than 3 numbers" in report.repair.sentence
    assert report.op == "exp"


def test_closeness():
    nan, inf = np.nan, np.inf
    assert close([nan, inf, 1.0], [nan, inf, 1.0001])
    assert not close([nan], [0.0])
    assert not close([1.0], [1.01])
    assert not close([1.0], [[1.0]])
    assert close([1e-9, 1.0], [0.0, 1.0])
    assert not close(np.array([3]), np.array([4]))


def test_a_foreign_op_is_drawn_computed_again_and_derived_by_its_rule():
    x = mg.constant([2.0])
    y = foreign("cube", lambda x: x**3, lambda g, y, x: [g * 3 * x**2], [x], x.value**3)
    assert [n.op.name for n in graph_of(y) if isinstance(n, Tensor) and n.op] == ["cube"]
    assert mg.gradients(mg.sum(y), x)[0].value.tolist() == [12.0]
    assert y.op.call(mg.constant([3.0])).value.tolist() == [27.0]
