"""Programs that lose a value or a gradient: the cause, and a repair that is executed as an edit of the source."""

import itertools
import linecache
import re
import textwrap

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.nan_source import edited
from tests.diagnostics.nan_programs import MATRICES
from tests.diagnostics.nan_programs import PROGRAMS as KNOWN
from tests.diagnostics.nan_programs_attack import ATTACK

PROGRAMS = KNOWN | ATTACK

numbers = itertools.count()


def source_of(program):
    body = textwrap.indent(textwrap.dedent(program.body).strip(), "    ")
    return f"import numpy as np\n\nimport minigrad as mg\n\n\ndef program({', '.join(program.inputs)}):\n{body}\n"


def executed(source):
    """The function of a source text, which the line finder can read like a file."""
    name = f"program_{next(numbers)}.py"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    space = {}
    exec(compile(source, name, "exec"), space)
    return space["program"]


def run(function, inputs, dtype):
    """The Tensors that go in, and the result."""
    tensors = {name: mg.constant(np.asarray(value, dtype)) for name, value in inputs.items()}
    return tensors, function(**tensors)


def value_and_gradients(function, inputs, dtype):
    tensors, y = run(function, inputs, dtype)
    found = mg.gradients(y, list(tensors.values()), unconnected_gradients="zero")
    return [y.value, *(g.value for g in found)]


def reported(program):
    """The report on a program with its lines remembered."""
    mg.remember_lines()
    try:
        tensors, y = run(executed(source_of(program)), program.inputs, program.dtype)
        return mg.find_nan(y, names=tensors), y
    finally:
        mg.remember_lines(False)


def true(program, inputs):
    return float(np.sum(eval(program.truth, {"np": np, **inputs})))


def slopes_of(program, inputs, name):
    """The slopes of the true value along the elements of an input, by finite differences."""
    found = np.zeros(inputs[name].shape)
    for i in np.ndindex(found.shape):
        step = np.zeros(found.shape)
        step[i] = 1e-6 * max(1.0, abs(inputs[name][i]))
        up, down = (true(program, inputs | {name: inputs[name] + s}) for s in (step, -step))
        found[i] = (up - down) / (2 * step[i])
    return found


@pytest.fixture(scope="module")
def reports():
    return {}


@pytest.fixture
def case(request, reports):
    name = request.param
    if name not in reports:
        reports[name] = reported(PROGRAMS[name])
    return PROGRAMS[name], *reports[name]


each_program = pytest.mark.parametrize("case", PROGRAMS, indirect=True)


@each_program
def test_the_op_and_the_reason_are_right(case):
    program, report, _ = case
    assert report
    assert {report.op, report.repair.op} & set(program.op.split())
    assert {report.kind, report.repair.reason} & set(program.reason.split("|"))


@each_program
def test_a_repair_is_offered_where_one_is_known_and_none_otherwise(case):
    program, report, _ = case
    assert report.repair.grade in program.grade.split("|")
    if not report.repair:
        assert re.search("[nN]o repair is known|nothing is to be mended|the same loss falls", str(report))


@each_program
def test_the_edited_source_gives_the_promised_numbers_and_the_true_value(case):
    program, report, _ = case
    repair = report.repair
    if repair.grade == "wider":
        inputs = {name: np.asarray(value, program.dtype) for name, value in program.inputs.items()}
        found = value_and_gradients(executed(source_of(program)), inputs, repair.after.value.dtype)
    elif not repair.grade:
        assert not repair.edits and repair.after is None
        return
    else:
        assert bool(repair.edits) == ("for _ in" not in program.body)
        if not repair.edits:
            return
        found = value_and_gradients(executed(edited(source_of(program), repair.edits)), program.inputs, program.dtype)
    for mine, promised in zip(found, [repair.after.value, *repair.after.gradients], strict=True):
        np.testing.assert_allclose(mine, promised, rtol=1e-6)  # an expression that stands twice is computed twice
        assert np.isfinite(mine).all()
    inputs = {name: np.asarray(np.asarray(v, program.dtype), np.float64) for name, v in program.inputs.items()}
    if program.truth:
        np.testing.assert_allclose(np.sum(found[0].astype(float)), true(program, inputs), rtol=2e-3, atol=2e-3)
    if program.slopes:
        for name, gradient in zip(inputs, found[1:], strict=True):
            np.testing.assert_allclose(gradient, slopes_of(program, inputs, name), rtol=2e-2, atol=2e-3)


@each_program
def test_elsewhere_the_edited_source_is_the_same_function(case):
    program, report, _ = case
    if not report.repair.edits:
        return
    old, new = executed(source_of(program)), executed(edited(source_of(program), report.repair.edits))
    rng, compared = np.random.default_rng(11), 0
    for low, high in [(0.2, 0.8), (1.2, 3.0), (-0.8, 0.8)] * 4:
        inputs = {name: rng.uniform(low, high, np.shape(value)) for name, value in program.inputs.items()}
        before, after = (value_and_gradients(function, inputs, "float64") for function in (old, new))
        if np.isfinite(before[0]).all():
            compared += 1
            for his, mine in zip(before, after, strict=True):
                if np.isfinite(his).all():
                    np.testing.assert_allclose(mine, his, rtol=1e-6, atol=1e-9)
    assert compared


@pytest.mark.parametrize("name", MATRICES)
def test_a_refused_matrix_is_named_with_a_ridge_that_was_tried(name):
    program = MATRICES[name]
    with pytest.raises(np.linalg.LinAlgError) as error:
        reported(program)
    assert str(error.value).split()[0] == program.op
    assert any(reason in str(error.value) for reason in program.reason.split("|"))
    assert re.search(r"\+ \S+ \* eye\(\d\).* is finite, and so is its gradient", str(error.value))
