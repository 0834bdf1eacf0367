"""Conventions: each textbook program gets the usual repair, and its stated effect is true."""

import re

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.edits import edited
from minigrad.diagnostics.patterns import compute_template
from minigrad.diagnostics.repair_conventions import CONVENTIONS, in_dtype
from tests.diagnostics.nan_programs import executed, read, reported, source_of, value_and_gradients
from tests.diagnostics.test_nan_programs import (
    a_repair_is_offered_where_one_is_known_and_none_otherwise,
    elsewhere_the_edited_source_is_the_same_function,
    in_float64,
    report_on,
    the_op_and_the_reason_are_right,
    the_repair_gives_the_promised_numbers_and_the_true_value,
)

PROGRAMS = read("textbooks")
GROUPS = 5


@pytest.mark.parametrize("group", range(GROUPS))
def test_a_program_of_a_textbook_is_told_what_textbooks_write(group, subtests):
    for program in list(PROGRAMS.values())[group::GROUPS]:
        with subtests.test(program.name):
            report, _ = report_on(program)
            repair, said = report.repair, str(report)
            the_op_and_the_reason_are_right(program, report)
            assert (repair.grade or "none") in program.repair.split("|")
            for words in program.want.split(" & "):
                assert words.lower() in said.lower()
            assert bool(repair) == (repair.grade in ("same", "limit", "wider"))
            if not repair.grade:
                a_repair_is_offered_where_one_is_known_and_none_otherwise(program, repair, said)
                continue
            assert ("\n  write" if repair else "\n  usual") in said or repair.grade == "wider"
            assert repair.changes or repair
            source = edited(source_of(program), repair.edits)
            if repair.edits or repair.grade == "wider":
                the_repair_gives_the_promised_numbers_and_the_true_value(program, repair, source)
            if repair.edits and repair:
                elsewhere_the_edited_source_is_the_same_function(program, source)
            if repair.edits and program.value and not repair:
                found = value_and_gradients(executed(source), program.inputs, program.dtype)[0]
                exact = eval(program.value, {"np": np, **in_float64(program)})
                np.testing.assert_allclose(np.sum(found), np.sum(exact), rtol=1e-4, atol=1e-4)


#: Where a guard changes nothing, and the operands of an op there.
INSIDE = {"divide": (2.0, 9.0), "sqrt": (1.1, 9.0), "log": (1e-3, 1.0), "arctan": (0.1, 9.0), "rsqrt": (1.1, 9.0)}
INSIDE["multiply"] = INSIDE["power"] = (0.1, 9.0)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_what_a_convention_changes_is_as_it_says(dtype, subtests):
    """In the same numbers of float64, so that the bound itself is seen and not the rounding."""
    rng = np.random.default_rng(0)
    for row in CONVENTIONS:
        with subtests.test(row.write):
            write, holds, guard = in_dtype(row, np.dtype(dtype))
            low, high = (1.1, 9.0) if "the ratio is above 1" in holds else INSIDE.get(row.op, (-0.99, 0.99))
            low = 1.1 if "the count is at least 1" in holds else low
            a, b = (mg.constant(rng.uniform(low, high, 50)) for _ in "ab")
            if row.op == "std":
                a = 3 * a
            if "the mask is 1" in holds:
                a, b = mg.constant(np.ones(50)), -np.inf
            pair = row.op in ("divide", "multiply", "power")
            old = mg.arctan(a / b) if row.op == "arctan" else getattr(mg, row.op)(a, b) if pair else None
            old = getattr(mg, row.op)(a) if old is None else old
            new = compute_template(write, {"a": a, "b": b, "y": a, "x": b, "k": {}})
            if bound := re.search("by less than (.*?) of its value", holds):
                scale = np.abs(new.value - old.value) / np.abs(old.value)
                assert 0 < scale.max() < float(bound[1])
            elif bound := re.search("by less than (.*?) where", holds):
                assert 0 < np.abs(new.value - old.value).max() < float(bound[1])
            else:
                assert guard or "the mask is 1" in holds
                np.testing.assert_allclose(new.value, old.value, rtol=1e-15)


def test_the_angle_of_a_point_differs_by_pi_at_the_left():
    row = next(row for row in CONVENTIONS if row.op == "arctan")
    y, x = mg.constant(np.array([2.0, -3.0])), mg.constant(np.array([-1.0, -0.5]))
    apart = compute_template(row.write, {"y": y, "x": x}).value - np.arctan(y.value / x.value)
    assert "differs from yours by pi where the divisor is below 0" in row.holds
    np.testing.assert_allclose(np.abs(apart), np.pi)


NOT_USUAL = {
    "a pole": (lambda x: mg.sum(1 / x), {"x": [0.0]}),
    "a spread over a mean of 0": (lambda x: mg.std(x) / mg.mean(x), {"x": [-1.0, 1.0]}),
    "a quotient of two variables": (lambda x, y: x * y / (x**2 + y**2), {"x": 0.0, "y": 0.0}),
    "half an angle": (lambda x, y: mg.arctan(y / (mg.hypot(x, y) + x)), {"x": -1.0, "y": 0.0}),
    "the angle of a reciprocal": (lambda x: mg.arctan(1 / x), {"x": 0.0}),
    "a share of what is rounded to 0": (
        lambda x, y: mg.exp(x) / (mg.exp(x) * y[0] + mg.exp(x) * y[1]), {"x": -2000.0, "y": [0.5, 0.5]}
    ),
    "a likelihood that grows": (lambda x: mg.sum(mg.log(x)), {"x": [0.0, 1.0]}),
    "a logarithm of what is no probability": (lambda x: -mg.sum(mg.log(x)), {"x": [0.0, 2.0]}),
    "a cosine far above 1": (lambda x: mg.arccos(x), {"x": 1.1}),
    "a 0 that is written there": (lambda x: x / 0, {"x": 0.0}),
    "a relative error": (lambda x, y: mg.abs(x - y) / mg.abs(y), {"x": 0.0, "y": 0.0}),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_USUAL)
def test_what_no_textbook_writes_is_not_called_usual(name):
    f, values = NOT_USUAL[name]
    inputs = {letter: mg.constant(np.asarray(value, np.float64)) for letter, value in values.items()}
    repair = mg.find_nan(f(**inputs), names=inputs).repair
    assert not repair and not repair.grade and not repair.rewrites


def test_a_wider_dtype_comes_before_a_convention():
    """In float64 there is nothing to fix: the variance is 1e-26, not 0."""
    x = mg.constant(np.float32([1e-23, -1e-23]))
    repair = mg.find_nan(mg.sum((x / mg.sqrt(mg.mean(x * x))) ** 3 * np.float32([1, 2]))).repair
    assert repair.grade == "wider"


# A separate line.

OWN_LINE = """    d2 = n - 2 * x @ x.T + n.T
    return mg.sum(mg.where(d2 > 0, mg.sqrt(mg.where(d2 > 0, d2, 1.0)), 0.0))
"""


def distances(head, line):
    x = mg.constant(np.array([[1.0, 2.0], [3.0, 4.0]]))
    source = f"import minigrad as mg\n\n\n{head}{line}\n"
    return reported(source, [x])[0].repair, source


def test_a_long_expression_that_is_needed_three_times_gets_a_line():
    head = "def program(x):\n    n = mg.sum(x * x, axis=1, keepdims=True)\n"
    repair, source = distances(head, "    return mg.sum(mg.sqrt(n - 2 * x @ x.T + n.T))")
    assert edited(source, repair.edits).endswith(OWN_LINE)
    assert dict(repair.rows())["write"] == "\n".join(line[4:] for line in OWN_LINE.splitlines())


def test_its_name_is_not_one_that_is_taken():
    head = "def program(x):\n    d2 = mg.sum(x * x, axis=1, keepdims=True)\n"
    repair, source = distances(head, "    return mg.sum(mg.sqrt(d2 - 2 * x @ x.T + d2.T))")
    assert "    d2_ = d2 - 2 * x @ x.T + d2.T\n" in edited(source, repair.edits)


NET = "def net(x):\n    return 3 * x\n\n\n"
WRITTEN = [
    ("mg.sin(x) ** 2 / x ** 2", 0.0, "safe = mg.where(x == 0, 1, x)",
     "mg.where(x == 0, 1, mg.sin(safe) ** 2 / safe ** 2)"),
    ("mg.log(1 - mg.tanh(net(x)) ** 2)", 200.0, "inner = net(x)",
     "2 * (0.6931471805599453 - inner - mg.softplus(-2 * inner))"),
    ("x / mg.sum(x, axis=1, keepdims=True)", [[0.0, 0.0]], "divisor = mg.sum(x, axis=1, keepdims=True)",
     "x / mg.where(divisor == 0, 1.0, divisor)"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "x", "above", "written"), WRITTEN)
def test_what_is_needed_several_times_is_computed_once_and_gets_a_name(line, x, above, written):
    source = f"import minigrad as mg\n\n\n{NET}def program(x):\n    return {line}\n"
    repair = reported(source, [mg.constant(np.float32(x))])[0].repair
    assert edited(source, repair.edits).endswith(f"def program(x):\n    {above}\n    return {written}\n")


@pytest.mark.parametrize("line", [
    "program = lambda x: mg.sum(mg.sqrt(mg.sum((x - x[0]) ** 3 + 0 * x, axis=1)))",
    "def program(x): return mg.sum(mg.sqrt(mg.sum((x - x[0]) ** 3 + 0 * x, axis=1)))",
    "def program(x):\n    return (lambda z: mg.sum(mg.sqrt(mg.sum(z - z[0], axis=1))))(x)",
    "def program(x):\n    return mg.sum(mg.sqrt(mg.sum(x - x[0], axis=1))) if x.ndim else x",
])  # fmt: skip
def test_what_is_not_computed_once_before_its_statement_stays_in_it(line):
    repair, source = distances("", line)
    assert repair.grade == "limit"
    assert "d2" not in edited(source, repair.edits) and repair.edits


# Counts, entropies, and a divisor that only rounding keeps from 0.


def test_the_mean_of_an_empty_class_is_0():
    x, one_hot = mg.constant(np.arange(6.0).reshape(3, 2)), np.array([[1, 0], [1, 0], [1, 0]], np.float32)
    line = "return mg.sum((one_hot.T @ x) / one_hot.sum(0)[:, None])"
    source = f"import minigrad as mg\n\n\ndef program(x, one_hot):\n    {line}\n"
    report, _ = reported(source, [x, one_hot])
    assert "mg.maximum(one_hot.sum(0)[:, None], 1.0)" in str(report)
    x = mg.constant(np.arange(6.0).reshape(3, 2))
    g = mg.gradients(executed(edited(source, report.repair.edits))(x, one_hot), [x])[0].value
    np.testing.assert_allclose(g, np.full((3, 2), 1 / 3), rtol=1e-6)


@pytest.mark.parametrize("divisor", [np.array([0.5, 0.0]), np.array([-1.0, 0.0])])
def test_what_is_no_whole_number_is_not_a_count(divisor):
    x = mg.constant(np.array([1.0, 0.0]))
    assert "maximum" not in str(mg.find_nan(mg.sum(x / divisor)))


@pytest.mark.parametrize("weighted", [False, True])
def test_targets_are_not_counts(weighted):
    y, p = np.array([0.0, 3.0, 5.0, 2.0]), mg.constant(np.zeros(4))
    difference = (y - p) * 2 if weighted else y - p
    assert "maximum" not in str(mg.find_nan(mg.sum(mg.abs(difference / y))))


def test_a_masked_mean_of_errors_is_a_count_although_a_label_is_0_too():
    line = "return mg.sum(mask * (0.0 - p)) / mask.sum()"
    source = f"import minigrad as mg\n\n\ndef program(p, mask):\n    {line}\n"
    report, _ = reported(source, [mg.constant(np.ones(3)), np.zeros(3)])
    assert "mg.maximum(mask.sum(), 1.0)" in str(report)


def entropies(rng):
    """A masked entropy in logits, with its gradient by the formula -p * (log p + H)."""
    z = rng.standard_normal(5)
    hidden = rng.permutation(5) < 2
    p = np.where(hidden, 0, np.exp(z))
    p = p / p.sum()
    log_p = np.log(p, where=p > 0, out=np.zeros(5))
    h = -np.sum(p * log_p)
    return z, hidden, h, np.where(hidden, 0, -p * (log_p + h))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("line", ["-mg.sum(mg.exp(lp) * lp)", "-mg.sum(lp * mg.softmax(z))"])
def test_a_masked_entropy_has_0_log_0(seed, line):
    z, hidden, h, slope = entropies(np.random.default_rng(seed))
    source = (
        "import numpy as np\nimport minigrad as mg\n\n\ndef program(x, hidden):\n"
        f"    z = mg.where(hidden, -np.inf, x)\n    lp = mg.log_softmax(z)\n    return {line}\n"
    )
    report, _ = reported(source, [mg.constant(z), hidden])
    assert report.kind == "0 * inf" and report.repair.grade == "convention"
    x = mg.constant(z)
    y = executed(edited(source, report.repair.edits))(x, hidden)
    np.testing.assert_allclose(y.value, h, rtol=1e-9)
    np.testing.assert_allclose(mg.gradients(y, [x])[0].value, slope, atol=1e-9)


def test_0_times_an_infinity_that_is_no_logarithm_is_not_usual():
    x = mg.constant(np.array([0.0, 1.0]))
    report = mg.find_nan(mg.sum(x * np.array([np.inf, 1.0])))
    assert report.kind == "0 * inf" and not report.repair.rewrites


def test_a_wider_dtype_is_not_offered_where_it_divides_what_a_rounded_constant_leaves():
    """0 / 0 in float32; in float64 the divisor is how far 0.1 in float32 is from 0.1, squared."""
    x = mg.constant(np.float32(0.1))
    v = (mg.sin(x) - np.sin(np.float32(0.1))) ** 2
    report = mg.find_nan(v / (v + (x - np.float32(0.1)) ** 2))
    assert report.kind == "0 / 0" and report.repair.grade != "wider"
