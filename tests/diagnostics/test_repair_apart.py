"""A loss of two terms, of which one cannot be repaired: the other one is, and its gradient is then right."""

import itertools

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.edits import edited
from tests.diagnostics.nan_programs import executed, lines_remembered

#: The lines of a term in x, the point, and the gradient there from the formula on paper.
REPAIRED = {
    "length": ("a = mg.sqrt(mg.sum(x ** 2))", [0.0, 0.0], [0.0, 0.0]),
    "softplus": ("a = mg.sum(mg.log(1 + mg.exp(x)))", [800.0, 0.0], [1.0, 0.5]),
    "log of softmax": ("a = mg.sum(mg.log(mg.softmax(x)))", [-800.0, 0.0], [1.0, -1.0]),
    "hole": ("a = mg.sum(mg.sin(x) / x)", [0.0, 1.0], [0.0, np.cos(1) - np.sin(1)]),
}
#: The lines of a term in z, and a point where it has no value.
LOST = {
    "root": ("b = mg.sum(mg.sqrt(z - 1))", [0.5, 2.0]),
    "path": ("b = mg.sum(z / mg.sum(z))", [0.0, 0.0]),
    "data": ("b = mg.sum(z * 2)", [np.nan, 1.0]),
    "log": ("b = mg.sum(mg.log(z))", [-1.0, 1.0]),
}
JOINED = ["return a + b", "return 3 * a - b", "return mg.sum(mg.stack([a, b]))"]


@pytest.mark.parametrize(("term", "lost", "joined"), [*itertools.product(REPAIRED, LOST, JOINED)])
def test_the_repair_of_one_term_is_offered(term, lost, joined):
    (line, x, true), (other, z) = REPAIRED[term], LOST[lost]
    source = "\n".join(["import minigrad as mg", "def f(x, z):", *(f"    {s}" for s in (line, other, joined))])
    source += "\nprogram = f\n"
    inputs = {"x": mg.constant(np.array(x)), "z": mg.constant(np.array(z))}
    with lines_remembered(), np.errstate(all="ignore"):
        report = mg.find_nan(executed(source)(**inputs), names=inputs)
    repairs = [one.repair for one in (report, *report.others) if one.repair]
    assert repairs, report
    new = edited(source, repairs[0].edits)
    assert other in new  # the other term is not changed
    with np.errstate(all="ignore"):
        y = executed(new)(**inputs)
        (g,) = mg.gradients(y, [inputs["x"]])
    factor = 3 if "3 *" in joined else 1
    np.testing.assert_allclose(g.value, factor * np.array(true), atol=1e-6)
    assert repairs[0].checks[0].startswith("in the part of the program up to ")
