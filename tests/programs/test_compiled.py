"""mg.compile: one program for each kind of arguments, with the engine's bytes; a function that cannot be a program is
refused."""

import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from tests.helpers.random_shapes import shaped_arrays, shaped_programs
from tests.programs.contract import X, Y, bits

# The bytes of the engine.


@st.composite
def calls(draw):
    """The arguments of a few calls: arrays or Tensors of one kind or another, and a number that is read again."""
    found = []
    for _ in range(draw(st.integers(2, 4))):
        arrays = draw(shaped_arrays())
        found.append((draw(st.booleans()), arrays, draw(st.floats(-2, 2, width=16)), draw(st.floats(-2, 2, width=16))))
    return [found[i] for i in draw(st.lists(st.integers(0, len(found) - 1), min_size=3, max_size=6))]


def random_step(program, order):
    """A function with a captured array and a Variable, and its derivatives of an order."""
    captured, w = np.array([[0.3], [-1.1]]), mg.Variable(0.5, dtype="float64")

    def loss(a, b, scale):
        return program(a, b) * scale + mg.sum(a * w) * 0.25 + mg.sum(mg.square(b * captured))

    if order == 0:
        return loss, w
    step = mg.value_and_grad(loss, (0, 1))
    if order == 1:
        return step, w
    return mg.grad(lambda *args: mg.sum(mg.square(step(*args)[1][0])) + step(*args)[0], (0, 1)), w


@pytest.mark.filterwarnings("ignore:the gradient of:UserWarning")
@pytest.mark.cases(1)
@pytest.mark.parametrize("order", [0, 1, 2])
@settings(max_examples=25)
@given(program=shaped_programs(most=5), pattern=calls())
def test_random_programs_and_patterns_of_calls_give_the_bytes_of_the_engine(order, program, pattern):
    step, w = random_step(program, order)
    compiled = mg.compile(step)
    for as_tensors, arrays, scale, value in pattern:
        args = [*(mg.constant(a) for a in arrays)] if as_tensors else arrays
        w.assign(value)
        assert bits(compiled(*args, scale), step(*args, scale)), compiled.programs[-1]


@pytest.mark.filterwarnings("ignore:the gradient of:UserWarning")
@settings(max_examples=10)
@given(shaped_programs(most=4), shaped_arrays())
def test_the_derivatives_of_a_compiled_function_are_those_of_the_function(f, arrays):
    compiled = mg.compile(f)
    assert bits(mg.grad(compiled, (0, 1))(*arrays), mg.grad(f, (0, 1))(*arrays))
    twice = [mg.grad(lambda *xs, g=g: mg.sum(mg.square(mg.grad(g)(*xs))), (0, 1)) for g in (compiled, f)]
    assert bits(twice[0](*arrays), twice[1](*arrays))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(280_000,), (16_384 * 20,), (300_001,), (700, 400), (70, 50, 80)])
def test_work_in_blocks_changes_no_bit(shape, dtype):
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)

    def f(x):
        t = mg.tanh(x * 1.5 + 0.1)
        return mg.sum(t * x / (x * x + 1)), mg.sum(mg.maximum(t, 0.0)), mg.sum(t * t, axis=0)

    step = mg.value_and_grad(lambda x: f(x)[0] * f(x)[1] + mg.sum(f(x)[2]))
    compiled = mg.compile(step)
    for scale in (1.0, -2.0):
        assert bits(compiled(x * dtype(scale)), step(x * dtype(scale)))
    assert "for i in range(" in compiled.programs[0].code


def test_all_rows_of_a_jacobian_at_once_have_the_bits_of_each():
    w = np.random.default_rng(0).standard_normal((5, 4))
    f = mg.jacobian(lambda x: mg.sum(mg.tanh(x @ w + 1) @ w.T, axis=0) * x[0, :5])
    x = np.random.default_rng(1).standard_normal((3, 5))
    compiled = mg.compile(f)
    assert bits(compiled(x), f(x)) and bits(compiled(x * 3), f(x * 3))


# Kinds of arguments.


def test_one_program_for_each_kind_of_arguments():
    f = mg.compile(lambda x, n: x * n)
    for args in ((X, 2.0), (Y, 3.0), (X, 2.0), (X[:2], 2.0), (X.astype("f4"), 2.0), (mg.constant(X), 2.0)):
        f(*args)
    assert len(f.programs) == 4


def test_a_float_is_read_anew_and_keeps_the_dtype_rules_of_a_python_number():
    f = mg.compile(lambda x, lr: x - (1 - lr) ** 2 * lr * x)
    for lr in (0.1, 0.2, -3.0):
        for x in (X, X.astype("f4"), X.astype("f2")):
            assert bits(f(x, lr), x - (1 - lr) ** 2 * lr * x)
    assert len(f.programs) == 3


def test_an_int_that_decides_is_part_of_the_kind_and_one_that_does_not_is_read_anew():
    power = mg.compile(lambda x, n: mg.sum(x * n))
    turns = mg.compile(lambda x, n: sum(x[i] * i for i in range(n)))
    for n in (1, 2, 3):
        assert float(power(X, n)) == float(np.sum(X * n)) and turns(X, n) == sum(X[i] * i for i in range(n))
    assert (len(power.programs), len(turns.programs)) == (1, 3)


def test_keywords_and_defaults():
    def f(x, scale=2.0, *, shift=1.0):
        return x * scale + shift

    g = mg.compile(f)
    assert bits(g(X), f(X)) and bits(g(X, shift=3.0), f(X, shift=3.0)) and bits(g(x=X, scale=4.0), f(X, 4.0))


def test_layouts_are_kinds():
    f, m = mg.compile(lambda m: mg.sum(m * m, axis=0) * 3.0), np.random.default_rng(0).standard_normal((40, 30))
    for x in (m, np.asfortranarray(m), m[::-1], m[:, ::2]):
        assert bits(f(x), mg.sum(mg.constant(x) * x, axis=0) * 3.0) or bits(f(x), mg.sum(x * x, axis=0) * 3.0)


def test_results_share_memory_with_nothing():
    f, fixed = mg.compile(lambda x: (x, x[1:], x * 2.0, x * 2.0, fixed)), np.ones(3)
    found = [*f(X), *f(X)]
    everything = [*found, X, fixed]
    for i, a in enumerate(found):
        assert not any(np.shares_memory(a, b) for j, b in enumerate(everything) if i != j)


def test_threads_write_and_run_programs_side_by_side():
    f = mg.value_and_grad(lambda x: mg.sum(mg.tanh(x) * x))
    compiled, wrong = mg.compile(f), []

    def work(seed):
        for n in range(1, 30):
            x = np.random.default_rng(seed).standard_normal(n)
            if not bits(compiled(x), f(x)):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


# The cost of writing one.


def test_writing_takes_no_more_memory_than_the_engine():
    def f(x):
        t = x * x + 1
        t = t * 0.5 - x
        return mg.sum(((t * t + x) * 0.1 - 1) * x)

    step, x = mg.value_and_grad(f), np.linspace(-1, 1, 500_000)
    compiled = mg.compile(step)
    compiled(np.ones(3))
    peaks = []
    for g in (step, compiled):
        tracemalloc.start()
        g(x)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]  # 1.08, and 1.23 before Python 3.11, where a caller keeps its arguments


@pytest.mark.parametrize("wrap", [lambda f: f, mg.value_and_grad])
def test_programs_of_any_length(wrap):
    def f(x):
        for i in range(1500):
            x = mg.sin(x) * 1.01 if i % 2 else x * 0.5 + 0.1
        return mg.sum(x)

    program = mg.source(wrap(f), X)
    assert bits(program(X), wrap(f)(X)) and program.text.count("\n") > 500


# What is fixed.


def test_which_variable_is_fixed_and_its_value_is_read_anew():
    w = mg.Variable(2.0, dtype="float64")
    f = mg.compile(lambda x: x * w)
    assert bits(f(X), mg.constant(X * 2.0))
    w.assign(5.0)
    assert bits(f(X), mg.constant(X * 5.0)) and len(f.programs) == 1


# What is refused.


@pytest.mark.parametrize(
    ("f", "sentence"),
    [
        (lambda x: x if x[0] > 0 else -x, "a value decides which code runs"),
        (lambda x: x * float(x[0]), r"float\(\) takes numbers out of an array"),
        (lambda x: x * mg.sum(mg.constant(x)).item(), r"\.item\(\) or similar takes numbers out"),
        (lambda x: x * mg.exp(mg.constant(x)).numpy(), r"\.numpy\(\).* takes numbers out of an array"),
        pytest.param(
            lambda x: x * (type(mg.exp(mg.constant(x)).value) is np.ndarray),
            "takes numbers out of an array",
            marks=pytest.mark.always,
        ),
        (lambda x: x * np.asarray(x), "a conversion to a plain array"),
        (lambda x: (f"{x[0]}", x)[1], "a number is printed or formatted"),
        (lambda x: [1.0, 2.0][int(x[0] > 0)] * x, r"int\(\) takes numbers out of an array"),
        (lambda x: x[x > 0], "its length depends on numbers"),
        (lambda x: np.unique(x) * 2.0, "np.unique returns a result whose length depends on the numbers"),
        (lambda x: x.sort() or x, r"\.sort\(\) changes an array in place"),
    ],
)
def test_a_value_that_leaves_or_decides_is_refused_with_its_line(f, sentence):
    with pytest.raises(mg.NotAProgram, match=sentence) as error:
        mg.compile(f)(X)
    assert "test_compiled.py:" in str(error.value) and "; " in str(error.value)


def test_a_refusal_that_the_function_catches_counts():
    def f(x):
        try:
            return x * float(x[0])
        except TypeError:
            return x

    with pytest.raises(mg.NotAProgram, match="takes numbers out"):
        mg.compile(f)(X)


def test_a_variable_may_not_be_assigned():
    w = mg.Variable(1.0, name="w_of_test")

    def f(x):
        w.assign_add(1.0)
        return x * w

    with pytest.raises(mg.NotAProgram, match="assigns the Variable w_of_test; return the new value"):
        mg.compile(f)(X)
    assert float(w) == 1.0


def test_what_changes_from_run_to_run_is_refused():
    rng = np.random.default_rng(0)
    words = r"it differs from its program at np.multiply \(test_compiled.py:\d+\): its argument 1 is"
    with pytest.raises(mg.NotAProgram, match=words):
        mg.compile(lambda x: x * rng.normal())(X)


def test_the_error_of_a_function_is_shown_before_a_refusal_and_its_assignments_are_undone():
    w = mg.Variable(1.0)

    def f(x):
        w.assign_add(1.0)
        if float(x[0]) > 0:
            raise KeyError("of the function")
        return x

    with pytest.raises(KeyError, match="of the function"):
        mg.compile(f)(X)
    assert float(w) == 1.0


def test_objects_are_refused_by_name():
    class Model:
        w = 2.0

    with pytest.raises(mg.NotAProgram, match="model cannot be an argument of a program: it is an object of type Model"):
        mg.compile(lambda x, model: x * model.w)(X, model=Model())


def test_a_function_that_returns_tensors_is_run_itself_and_can_be_differentiated():
    scale = 2.0
    f = mg.compile(lambda x: mg.sum(x * x * scale))
    x = mg.constant(X)
    f(x)
    scale = 3.0
    y = f(x)
    assert bits(y, mg.sum(x * x * 3.0)) and bits(mg.gradients(y, x)[0], mg.constant(2.0 * (X * 3.0)))


def test_errors_of_the_function_are_its_own():
    f = mg.compile(lambda a, b: a * b)
    with pytest.raises(ValueError, match="broadcast"):
        f(X, X[:2])


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="compile takes a function, got 3 of type int"):
        mg.compile(3)


def test_a_nan_of_another_sign_is_no_other_result():
    """NumPy's scalars and arrays differ in the sign of nan * nan."""
    f = lambda x: mg.sin(x * np.inf) * mg.log(-x)
    with np.errstate(all="ignore"):
        for g in (f, mg.grad(f), mg.value_and_grad(f)):
            assert np.all(np.isnan(mg.compile(g)(np.float64(1.0))))


@pytest.mark.parametrize("x", [2.0, [2.0, 1.5], [[0.0, 1.0], [3.0, 9.0]]])
@pytest.mark.parametrize("period", [None, 4.0])
def test_a_constant_table_is_read_at_computed_places(x, period):
    f = lambda x: mg.interp(x, [1.0, 3.0], [0.0, 5.0], period=period)
    total = lambda x: mg.sum(f(x) ** 2)
    x = mg.constant(x, "float64")
    compiled, slope = mg.compile(f), mg.compile(mg.grad(total))
    for at in (x, x + 0.25, x - 1.5):
        np.testing.assert_array_equal(compiled(at).value, f(at).value)
        np.testing.assert_array_equal(slope(at).value, mg.grad(total)(at).value)


@pytest.mark.parametrize("i", [1, [1, 1, 0], [[2], [0]]])
def test_a_constant_table_is_read_at_given_places(i):
    table = mg.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    for read in (lambda i: mg.take(table, i, 0), lambda i: table[i], lambda i: table[i, 1], lambda i: table[:, i % 2]):
        compiled = mg.compile(read)
        for k in (0, 1):
            at = mg.constant((np.asarray(i) + k) % 3, "int32")
            np.testing.assert_array_equal(compiled(at).value, read(at).value)
