"""246 programs by a stranger, half of them traps, with the truth computed to 2,400 digits: every offer is correct.

Each has the ops that may be blamed, whether a value and gradients exist ("yes", "value only", "no", "float64 only"),
and these numbers: the sum of the value, and the gradients of the inputs; null if there is none. "missed" says that
no repair is known all the same, so a change to the checks that suppresses repairs is noticed.

In addition, there are programs from public issue threads of autodiff libraries (`thread` says which), rewritten for
minigrad, formulas from textbooks, and programs that lose their digits to rounding.
"""

import json

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.edits import edited
from tests.diagnostics.nan_programs import FILES, executed, lines_remembered

EXACT, THREADS = (json.loads((FILES / f"{name}.json").read_text(encoding="utf-8")) for name in ("exact", "threads"))
PROGRAMS = {**EXACT, **{f"thread {name}": case for name, case in THREADS.items()}}
GROUPS = 16
#: An op that is named next to the label: the one whose slope is lost, not the division after it.
OTHERWISE = {"direction_tiny", "cosine_of_tiny", "sharpe_constant", "circumradius_flat", "black_scholes_expiry"}
#: Sides that differ by 1e-10, less than the checks see.
UNSEEN = {"tiny_step"}
#: Slopes that are the difference of two large numbers: x / log1p(x) is 1 at 1e-20, but its slope 1e20 - 1e20.
DIFFERENCES = {"thread lost_bernoulli", "thread lost_x_by_log", "thread lost_x_by_root"}
#: Losses with a log variance, whose usual line clips it.
CLIPPED = {"thread elbo": "convention"}
#: Conditions that are computed later, which have to be compared where they are needed.
LATER = {"thread younger_log", "thread younger_divide", "thread axis_to_quaternion", "thread select_sqrt"}


def arrays(numbers, dtype):
    found = {name: np.asarray(value) for name, value in numbers.items()}
    return {name: a if a.dtype == bool else a.astype(dtype) for name, a in found.items()}


def run(source, case):
    """The inputs as Tensors, and the result."""
    inputs = {name: mg.constant(a) for name, a in arrays(case["inputs"], case["dtype"]).items()}
    return inputs, executed(source)(**inputs, **arrays(case.get("data", {}), case["dtype"]))


def source_of(case):
    return "\n".join(["import minigrad as mg", "import minigrad.numpy as np", *case["source"], "program = f", ""])


@pytest.mark.cases(2)
@pytest.mark.parametrize("group", range(GROUPS))
def test_the_op_is_right_and_what_is_offered_is_true(group, subtests):
    for name in list(PROGRAMS)[group::GROUPS]:
        with subtests.test(name):
            case = PROGRAMS[name]
            with lines_remembered():
                inputs, y = run(source_of(case), case)
                report = mg.find_nan(y, names=inputs)
            repair = report.repair
            assert ({report.op, repair.op} & set(case["ops"])) or name in OTHERWISE
            assert repair or case["exists"] == "no" or "missed" in case or repair.grade == CLIPPED.get(name)
            assert not (repair and (case["exists"] == "no" or name in DIFFERENCES)) or name in UNSEEN
            if name.startswith("thread digits"):  # which rounding takes, are written back
                assert repair.grade == "same"
            if name in LATER:
                assert repair.reason == "masked branch" and "mg.where(" in edited(source_of(case), repair.edits)
            if repair.grade == "convention":
                it_gives_the_promised_numbers(case, repair)
            if repair and name not in UNSEEN:
                the_repair_is_true(case, repair)


def it_gives_the_promised_numbers(case, repair):
    found = [repair.after.value, *repair.after.gradients]
    assert all(np.isfinite(number).all() for number in found)
    if repair.edits:
        inputs, y = run(edited(source_of(case), repair.edits), case)
        again = [y.value, *(g.value for g in mg.gradients(mg.sum(y), [*inputs.values()], unconnected_gradients="zero"))]
        for a, b in zip(again, found, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-12)


def the_repair_is_true(case, repair):
    it_gives_the_promised_numbers(case, repair)
    found = [repair.after.value, *repair.after.gradients]
    close = 3e-5 if case["dtype"] == "float32" and repair.grade != "wider" else 1e-7
    assert case["value"] is not None
    np.testing.assert_allclose(float(np.sum(found[0])), case["value"], rtol=close, atol=close)
    for mine, true in zip(found[1:], case["gradients"].values(), strict=True):
        true = np.broadcast_to(np.array(true, float), np.shape(mine))  # null becomes nan
        known = ~np.isnan(true)
        np.testing.assert_allclose(np.asarray(mine, float)[known], true[known], rtol=20 * close, atol=20 * close)


def test_the_programs_that_are_named_here_are_there():
    assert PROGRAMS.keys() >= OTHERWISE | UNSEEN | DIFFERENCES | LATER
    assert sum(name.startswith("thread digits") for name in PROGRAMS) >= 8
