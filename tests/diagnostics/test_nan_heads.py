"""The first sentences of reports on random programs, checked with the numbers that NumPy computes op by op."""

import random

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.graph import ancestors

ONE = {name: getattr(np, name) for name in ("exp", "log", "sqrt", "tanh", "abs")}
TWO = {"multiply": np.multiply, "divide": np.divide, "subtract": np.subtract, "add": np.add, "maximum": np.maximum}
NUMBERS = [0.0, 0.0, 1.0, -1.0, 2.0, 100.0, -100.0, 1e30]
#: For each kind of nan, whether two arguments make one in that way.
KINDS = {
    "0 / 0": lambda a, b: (a == 0) & (b == 0),
    "0 * inf": lambda a, b: ((a == 0) & np.isinf(b)) | (np.isinf(a) & (b == 0)),
    "inf - inf": lambda a, b: np.isinf(a) & np.isinf(b),
    "inf / inf": lambda a, b: np.isinf(a) & np.isinf(b),
}


def program(seed):
    """Steps (op, places of its arguments), and two arrays of three numbers, that may lose their value."""
    rng = random.Random(seed)
    inputs = [[rng.choice(NUMBERS) for _ in range(3)] for _ in "ab"]
    steps = []
    for place in range(2, 2 + rng.randint(2, 6)):
        op = rng.choice([*ONE, *TWO, *TWO])
        steps.append((op, [rng.randrange(place) for _ in range(1 if op in ONE else 2)]))
    return steps, inputs


def computed(steps, values, ops):
    """All values of a program, the inputs first."""
    values = [*values]
    for op, places in steps:
        values.append(ops[op](*(values[k] for k in places)))
    return values


@pytest.mark.parametrize("block", range(10))
def test_the_head_names_an_op_that_made_the_nan_and_a_cause_behind_it(block, sampled):
    ops = {name: getattr(mg, name) for name in ONE | TWO}
    reported = 0
    for seed in sampled(range(100 * block, 100 * block + 100), number=12):
        steps, inputs = program(seed)
        with np.errstate(all="ignore"):
            numbers = computed(steps, [np.array(x, np.float32) for x in inputs], ONE | TWO)
        if not np.isnan(numbers[-1]).any():
            continue
        tensors = computed(steps, [mg.constant(x) for x in inputs], ops)
        report = mg.find_nan(tensors[-1], names=dict(zip("ab", tensors)))
        reported += 1
        assert report.phase == "forward", (seed, str(report))
        for one in (report, *report.others):
            node = next(t for t in tensors if report.trace.node_of.get(t.serial) == one.node)
            behind = {t.op.name for t in ancestors([node]) if t.op is not None}
            assert one.repair.op in ("", "input", *behind), (seed, str(report))
            if one.word == "nan" and one.phase == "forward":
                is_told_as_it_happened(one, [t is node for t in tensors].index(True), steps, numbers)
    assert reported


def is_told_as_it_happened(report, place, steps, numbers):
    """The op of a report made a nan from arguments without one, and in the way that the report says."""
    op, places = steps[place - 2]
    arguments = [numbers[k] for k in places]
    assert report.op == op, str(report)
    assert np.isnan(numbers[place]).any() and not any(np.isnan(a).any() for a in arguments), str(report)
    assert report.kind not in KINDS or KINDS[report.kind](*arguments).any(), str(report)
