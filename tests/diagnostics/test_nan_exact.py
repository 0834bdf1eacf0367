"""246 programs by a stranger, half of them traps, whose truth was computed with 2,400 digits: what is offered is true.

Each has the ops that may be blamed, whether a value and gradients exist ("yes", "value only", "no", "float64 only"),
and these numbers: the sum of the value, and the gradients of the inputs, null where there is none.

Beside them stand the programs of public issue threads of autodiff libraries (`thread` says which), written anew for
minigrad, formulas of textbooks, and programs whose digits rounding takes.
"""

import functools
import json
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.nan_source import edited
from tests.diagnostics.test_nan_programs import executed

EXACT, THREADS = (
    json.loads(Path(__file__).with_name(f"nan_programs_{name}.json").read_text(encoding="utf-8"))
    for name in ("exact", "threads")
)
PROGRAMS = {**EXACT, **{f"thread {name}": case for name, case in THREADS.items()}}
#: An op that is named next to the label: the one whose slope is lost, not the division after it.
OTHERWISE = {"direction_tiny", "cosine_of_tiny", "sharpe_constant", "circumradius_flat", "black_scholes_expiry"}
#: Sides that differ by 1e-10, less than the checks see.
UNSEEN = {"tiny_step"}


def arrays(numbers, dtype):
    found = {name: np.asarray(value) for name, value in numbers.items()}
    return {name: a if a.dtype == bool else a.astype(dtype) for name, a in found.items()}


def run(source, case):
    """The inputs as Tensors, and the result."""
    inputs = {name: mg.constant(a) for name, a in arrays(case["inputs"], case["dtype"]).items()}
    return inputs, executed(source)(**inputs, **arrays(case.get("data", {}), case["dtype"]))


def source_of(case):
    return "\n".join(["import minigrad as mg", "import minigrad.numpy as np", *case["source"], "program = f", ""])


@functools.cache
def reported(name):
    mg.remember_lines()
    try:
        inputs, y = run(source_of(PROGRAMS[name]), PROGRAMS[name])
        return mg.find_nan(y, names=inputs)
    finally:
        mg.remember_lines(False)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_op_is_right_and_what_is_offered_is_true(name):
    case, report = PROGRAMS[name], reported(name)
    repair = report.repair
    assert ({report.op, repair.op} & set(case["ops"])) or name in OTHERWISE
    if not repair or name in UNSEEN:
        return
    found = [repair.after.value, *repair.after.gradients]
    if repair.edits:
        inputs, y = run(edited(source_of(case), repair.edits), case)
        again = [y.value, *(g.value for g in mg.gradients(mg.sum(y), [*inputs.values()], unconnected_gradients="zero"))]
        for a, b in zip(again, found, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-12)
    close = 3e-5 if case["dtype"] == "float32" and repair.grade != "wider" else 1e-7
    assert case["value"] is not None
    np.testing.assert_allclose(float(np.sum(found[0])), case["value"], rtol=close, atol=close)
    for mine, true in zip(found[1:], case["gradients"].values(), strict=True):
        true = np.broadcast_to(np.array(true, float), np.shape(mine))  # null becomes nan
        known = ~np.isnan(true)
        np.testing.assert_allclose(np.asarray(mine, float)[known], true[known], rtol=20 * close, atol=20 * close)


def test_most_of_what_can_be_repaired_is():
    offered = {name for name in PROGRAMS if reported(name).repair}
    assert len(offered & set(EXACT)) >= 115
    assert len(offered - set(EXACT)) >= 85
    assert not {name for name in offered - UNSEEN if PROGRAMS[name]["exists"] == "no"}


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name.startswith("thread digits")])
def test_digits_that_rounding_takes_are_written_back(name):
    assert reported(name).repair.grade == "same"


@pytest.mark.parametrize("name", ["thread lost_bernoulli", "thread lost_x_by_log", "thread lost_x_by_root"])
def test_a_slope_that_is_the_difference_of_two_large_numbers_is_no_repair(name):
    assert not reported(name).repair  # x / log1p(x) has the value 1 at 1e-20, but the slope 1e20 - 1e20


@pytest.mark.parametrize("name", ["younger_log", "younger_divide", "axis_to_quaternion", "select_sqrt"])
def test_a_condition_that_is_computed_later_is_compared_where_it_is_needed(name):
    repair = reported(f"thread {name}").repair
    assert repair.reason == "masked branch"
    assert "mg.where(" in edited(source_of(PROGRAMS[f"thread {name}"]), repair.edits)
