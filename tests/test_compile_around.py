"""Compiled functions among tapes, transforms, other compiled functions, threads, and settings that are switched."""

import asyncio
import copy
import threading
import traceback
import warnings

import numpy as np
import pytest

import minigrad as mg
import minigrad.lines
from minigrad.node import hooks
from tests.test_compile import assert_compiles, close

X = np.array([1.0, 2.0, -3.7])


def work(a):
    return mg.sum(mg.tanh(a) * a)


def in_threads(job, count=5):
    """Run job(i) in threads; what it raises is raised here."""
    raised = []

    def run(i):
        try:
            job(i)
        except BaseException:
            raised.append(traceback.format_exc())

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not raised, raised[0]


# Tapes and transforms.


def test_every_transform_of_a_compiled_function():
    compiled = mg.compile(work)
    for i in range(6):
        x, v = X + i, X * 0.5
        for transform in (
            lambda h, x=x: h(x),
            lambda h, x=x: mg.value_and_grad(h)(x),
            lambda h, x=x: mg.hessian(h)(x),
            lambda h, x=x, v=v: mg.hvp(h)(x, v),
            lambda h, x=x, v=v: mg.jvp(h, (x,), (v,)),
            lambda h, x=x: mg.vjp(h, x)[1](np.float64(2.0)),
            lambda h, x=x: mg.grad(lambda a: mg.sum(mg.grad(h)(a) ** 2))(x),
            lambda h, x=x: mg.gradients(h(t := mg.constant(x)), t)[0],
        ):
            assert close(transform(compiled), transform(work))
    assert not compiled.reason


def test_tapes_around_and_inside():
    def inside(x):
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = mg.sum(mg.exp(x))
        return tape.gradient(y, x)

    assert_compiles(inside, *[(mg.constant(X + i),) for i in range(4)])
    w = mg.Variable(X)
    compiled = mg.compile(lambda x: mg.sum(x * w))
    for i in range(5):
        w.assign(X + i)
        x = mg.constant(X * 2)
        with mg.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = compiled(x)
        assert close(tape.gradient(y, [x, w]), [mg.constant(X + i), mg.constant(X * 2)])
        assert [v is w for v in tape.watched_variables()] == [True]


def test_several_outputs_of_which_some_are_used():
    f = lambda a, b: {"p": a * b, "s": a + b, "i": mg.argmax(a), "n": mg.sum(a)}
    compiled = mg.compile(f)
    for i in range(5):
        for key in "psn":
            part = lambda h, key=key: lambda a, b: mg.sum(h(a, b)[key])
            assert close(mg.grad(part(compiled), (0, 1))(X, X + i), mg.grad(part(f), (0, 1))(X, X + i))
    assert not compiled.reason


def test_one_tensor_or_variable_given_twice():
    f = lambda a, b: mg.sum(a * b * b)
    for x in (mg.constant(X), mg.Variable(X)):
        compiled = mg.compile(f)
        for _ in range(5):
            assert close(mg.gradients(compiled(x, x), [x])[0].value, 3 * X**2)
    compiled = mg.compile(lambda a, b: a * b * b)
    for i in range(5):
        assert close(mg.grad(lambda a: mg.sum(compiled(a, a)))(X + i), 3 * (X + i) ** 2)


def test_captured_tensors_that_depend_on_each_other():
    first = mg.constant(X)
    second = first * 2.0
    f = lambda a: mg.sum(a * first * second)
    compiled, a = mg.compile(f), mg.constant(X + 1)
    for _ in range(5):
        ours, theirs = (mg.gradients(h(a), [a, first, second]) for h in (compiled, f))
        assert close([g.value for g in ours], [g.value for g in theirs])


def test_inputs_in_a_dict_have_gradients_of_their_own():
    f = lambda p, x: mg.sum(mg.tanh(p["b"] * x) * p["a"][0] * p["a"][1])
    compiled = mg.compile(f)
    for i in range(5):
        b, a, x = mg.constant(X + i), mg.constant(X * 2), mg.constant(X)
        p, given = {"b": b, "a": [a, a]}, [b, a, x]
        ours, theirs = mg.gradients(compiled(p, x), given), mg.gradients(f(p, x), given)
        assert close([g.value for g in ours], [g.value for g in theirs])
        ours, theirs = (mg.gradients([mg.sum(g * g * g) for g in found], given) for found in (ours, theirs))
        assert close([g.value for g in ours], [g.value for g in theirs])
    assert not compiled.reason


def test_gradients_are_those_of_the_time_of_the_call():
    w, scale = mg.Variable(X), [2.0]
    f = lambda a: mg.sum(a * a * w * w * scale[0])
    compiled = mg.compile(f)
    for i in range(5):
        a = mg.constant(X + i)
        ours, theirs = compiled(a), f(a)
        w.assign(w.value + 1)
        scale[0] += 1
        slope, plain = mg.gradients(ours, [a, w]), mg.gradients(theirs, [a, w])
        assert close([g.value for g in slope], [g.value for g in plain])
        if i > 1:
            with pytest.raises(RuntimeError, match="what <lambda> reads has changed since it was called"):
                mg.gradients(slope[0], a)
        scale[0] -= 1


def test_another_branch_under_a_transform():
    f = lambda a: mg.sum(a * a) if mg.sum(a) > 0 else mg.sum(a)
    compiled = mg.compile(f)
    for sign in (1, 1, -1, -1, 1, -1, 1):
        assert close(mg.value_and_grad(compiled)(X * sign), mg.value_and_grad(f)(X * sign))
    assert not compiled.reason


def test_nan_takes_its_own_branch():
    def f(x):
        if x[0] > 0:
            return mg.sum(x)
        return -mg.sum(x) if x[0] <= 0 else mg.sum(x * 0 + 7)

    nan = np.array([np.nan, 1.0, 2.0])
    assert_compiles(mg.value_and_grad(f), *[(a,) for a in (X, X, X, -X, -X, nan, nan, nan, X, -X, nan)], programs=3)


# Compiled functions inside of others.


def test_compile_of_compile():
    assert_compiles(mg.compile(mg.compile(work)), *[(X + i,) for i in range(5)])


def test_a_compiled_function_calls_another():
    inner = mg.compile(lambda x: mg.tanh(x) * x)
    f = mg.value_and_grad(lambda x: mg.sum(inner(x) * inner(x)))
    assert_compiles(f, *[(X + i,) for i in range(6)])


def test_a_compiled_function_calls_itself():
    def f(x, n):
        return mg.sum(x * x) if n == 0 else compiled(x * 0.5, n - 1) + mg.sum(x)

    def plain(x, n):
        return mg.sum(x * x) if n == 0 else plain(x * 0.5, n - 1) + mg.sum(x)

    compiled = mg.compile(f)
    for _ in range(5):
        assert close(compiled(X, 3), plain(X, 3))
    assert not compiled.reason


def test_recompute_grad_inside_and_around():
    w = mg.Variable(np.ones(3))
    for inner in (
        mg.recompute_grad(lambda x: mg.tanh(x) * mg.exp(x)),
        mg.recompute_grad(mg.compile(lambda x: mg.tanh(x) * mg.exp(x))),
        mg.recompute_grad(lambda x: mg.tanh(x * w)),
    ):
        assert_compiles(mg.value_and_grad(lambda x, h=inner: mg.sum(h(x))), *[(X + i,) for i in range(5)])


# Settings.


def test_ignore_custom_gradients():
    @mg.custom_gradient
    def triple(x):
        return 3.0 * x, lambda dy: dy * 100.0

    f = mg.grad(lambda x: mg.sum(triple(x)))
    compiled = mg.compile(f)
    for _ in range(3):
        for _ in range(4):
            assert compiled(X).tolist() == [100.0] * 3
        with mg.ignore_custom_gradients():
            assert compiled(X).tolist() == [3.0] * 3
    assert not compiled.reason
    whole, x = mg.compile(triple), mg.constant(X)
    for _ in range(4):
        y = whole(x)
        with mg.ignore_custom_gradients():
            assert mg.gradients(y, x)[0].value.tolist() == [3.0] * 3
            pull = mg.vjp(whole, X)[1]
            assert pull(np.ones(3))[0].tolist() == [3.0] * 3
        assert mg.gradients(y, x)[0].value.tolist() == [100.0] * 3


def test_gradient_override_map():
    mg.RegisterGradient("SevenForCompile")(lambda op, dy: dy * 7.0)
    compiled = mg.compile(mg.grad(lambda x: mg.sum(mg.exp(x))))
    for _ in range(3):
        for _ in range(4):
            assert close(compiled(X), np.exp(X))
        with mg.gradient_override_map({"Exp": "SevenForCompile"}):
            assert compiled(X).tolist() == [7.0] * 3


def test_numpy_set_to_raise():
    f = lambda x: mg.sum(mg.log(x))
    compiled, zero = mg.compile(f), np.array([0.0, 1.0])
    for _ in range(4):
        assert compiled(zero) == -np.inf
    for _ in range(2):
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            compiled(zero)
        assert compiled(zero) == -np.inf


def test_warnings_as_errors_do_not_come_from_a_backward_pass():
    compiled = mg.compile(mg.grad(lambda x: mg.sum(mg.sqrt(x))))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(5):
            assert compiled(np.array([0.0, 1.0])).tolist() == [np.inf, 0.5]


def test_lines_and_scopes_that_are_remembered():
    compiled = mg.compile(work)
    try:
        mg.lines.remember_lines()
        for i in range(4):
            assert close(compiled(X + i), work(X + i))
    finally:
        mg.lines.remember_lines(False)
    with mg.scope("part"):
        assert close(compiled(X), work(X))
    assert not compiled.reason


# Exceptions, generators, copies, threads.


def test_exceptions_now_and_then():
    def f(x):
        if mg.sum(x) > 5:
            raise ValueError("too large")
        return mg.sum(x * x)

    compiled = mg.compile(f)
    for n in (1, 1, 1, 7, 1, 8, 2, 7, 1):
        x = mg.constant([1.0, float(n)])
        if n > 4:
            with pytest.raises(ValueError, match="too large"):
                compiled(x)
        else:
            assert close(compiled(x), f(x))


def test_errors_that_are_caught():
    def f(a, b):
        try:
            return mg.solve(a, b)
        except np.linalg.LinAlgError:
            return b * 0

    good, bad, b = np.eye(2) * 2, np.ones((2, 2)), np.ones(2)
    compiled = mg.compile(f)
    for a in (good, good, good, bad, good, bad, bad):
        assert close(compiled(a, b), f(a, b))
    assert not compiled.reason
    compiled = mg.compile(f)
    with pytest.warns(mg.NotCompiled, match="it catches the error of an op, which other numbers may not raise"):
        for a in (bad, bad, bad, good, bad, good):
            assert close(compiled(a, b), f(a, b))


def test_an_interrupted_recording_leaves_nothing_behind():
    interrupts = []

    def f(x):
        if interrupts:
            raise interrupts.pop()
        return mg.sum(x * x)

    compiled = mg.compile(f)
    compiled(X)
    interrupts.append(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        compiled(X)
    assert not hooks and type(mg.constant(X) * 2) is mg.Tensor
    for i in range(4):
        assert close(compiled(X + i), f(X + i))


def test_generators():
    assert_compiles(mg.value_and_grad(lambda x: sum(part * part for part in x)), *[(X + i,) for i in range(4)])
    parts = lambda x: (part for part in x)
    compiled = mg.compile(parts)
    with pytest.warns(mg.NotCompiled, match="an object that is new at each call"):
        for i in range(4):
            assert list(map(float, compiled(mg.constant(X + i)))) == list(X + i)


def test_copies():
    class Model:
        def __init__(self):
            self.f = mg.compile(work)

    model = Model()
    for _ in range(3):
        model.f(X)
    assert close(copy.deepcopy(model).f(X), work(X))


def test_decorated_methods_of_all_kinds():
    class Model:
        @staticmethod
        @mg.compile
        def square(x):
            return mg.sum(x * x)

        @classmethod
        def twice(cls, x):
            return cls.square(x) * 2

    for i in range(4):
        assert close(Model().twice(X + i), np.sum((X + i) ** 2) * 2)


def test_coroutines():
    compiled = mg.compile(work)

    async def one(i):
        return compiled(X + i)

    async def all_of_them():
        return await asyncio.gather(*map(one, range(6)))

    assert close(asyncio.run(all_of_them()), [work(X + i) for i in range(6)])


def test_threads_with_other_shapes():
    compiled = mg.compile(mg.value_and_grad(work))

    def job(i):
        for k in range(40):
            x = np.linspace(i, i + 1, 5 + k % 3)
            assert close(compiled(x), mg.value_and_grad(work)(x))

    in_threads(job)
    assert not compiled.reason


def test_threads_that_differentiate_and_threads_that_do_not():
    compiled = mg.compile(work)

    def job(i):
        for _ in range(20):
            x = mg.constant(X + i)
            assert close(compiled(X + i), work(X + i))
            assert close(mg.value_and_grad(compiled)(X + i), mg.value_and_grad(work)(X + i))
            with mg.GradientTape() as tape:
                tape.watch(x)
                y = compiled(x)
            assert close(tape.gradient(y, x).value, mg.grad(work)(X + i))

    in_threads(job)
    assert not compiled.reason


def test_threads_with_generators_of_their_own():
    compiled = mg.compile(lambda x, rng: mg.sum(x * rng.normal(size=3)))

    def job(i):
        ours, theirs = np.random.default_rng(i), np.random.default_rng(i)
        for _ in range(30):
            assert close(compiled(X, ours), np.sum(X * theirs.normal(size=3)))

    in_threads(job)
    assert not compiled.reason


def test_a_generator_given_twice():
    ours, theirs = np.random.default_rng(0), np.random.default_rng(0)
    f = lambda x, a, b: mg.sum(mg.dropout(x, 0.5, a) * b.normal(size=3))
    compiled = mg.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mg.NotCompiled)
        for _ in range(6):
            assert close(compiled(X, ours, ours), f(X, theirs, theirs))


@pytest.mark.parametrize("draw", ["triangular", "weibull", "vonmises", "standard_cauchy", "random", "permutation"])
def test_every_kind_of_random_number_is_drawn_anew(draw):
    options = {"triangular": (-1.0, 0.0, 1.0), "weibull": (2.0,), "vonmises": (0.0, 1.0)}.get(draw, ())
    size = {} if draw == "permutation" else {"size": 3}
    f = lambda x, rng: mg.sum(x * getattr(rng, draw)(*(options or ((3,) if not size else ())), **size))
    compiled = mg.compile(f)
    for seed in (0, 0, 0, 1, 2):  # a generator of the same state each time, then others
        assert close(compiled(X, np.random.default_rng(seed)), f(X, np.random.default_rng(seed)))
    assert not compiled.reason


@pytest.mark.parametrize(
    ("f", "match"),
    [
        (lambda x, rng: (rng.shuffle(y := np.arange(3.0)), mg.sum(x * y))[1], "it calls shuffle of a random generator"),
        (lambda x, rng: x[rng.integers(3)], "asks for numbers that change from run to run"),
        (lambda x, rng: mg.sum(x) if rng.random() < 0.5 else mg.sum(x * x), "asks for numbers that change"),
    ],
)
def test_random_numbers_that_python_decides_by(f, match):
    ours, theirs = np.random.default_rng(0), np.random.default_rng(0)
    compiled = mg.compile(f)
    with pytest.warns(mg.NotCompiled, match=match):
        for _ in range(6):
            assert close(compiled(mg.constant(X), ours), f(mg.constant(X), theirs))


def test_a_new_way_and_random_numbers():
    def f(x, rng):
        y = x * rng.normal(size=3)
        return mg.sum(y) if x[0] > 0 else -mg.sum(y * y)

    ours, theirs = np.random.default_rng(0), np.random.default_rng(0)
    compiled, plain = mg.compile(mg.value_and_grad(f)), mg.value_and_grad(f)
    for sign in (1, 1, 1, -1, -1, 1, -1):
        assert close(compiled(X * sign, ours), plain(X * sign, theirs))
    assert ours.random() == theirs.random() and not compiled.reason


# Side effects in one branch only.


def test_a_list_that_grows_in_one_branch():
    log = []

    def f(x):
        if x[0] > 3:
            log.append(1)
        return mg.sum(x)

    compiled = mg.compile(f)
    with pytest.warns(mg.NotCompiled, match="changes log, which it captures"):
        for value in (1, 1, 1, 4, 4, 1, 4, 4):
            assert compiled(np.array([value, 1.0])) == value + 1
    assert len(log) == 4


def test_a_variable_that_is_assigned_in_one_branch():
    w = mg.Variable(0.0)

    def f(x):
        if x[0] > 3:
            w.assign_add(1.0)
        return mg.sum(x) * w

    compiled = mg.compile(f)
    with pytest.warns(mg.NotCompiled, match="assigns a Variable"):
        for value in (1, 1, 1, 4, 4, 1, 4, 4):
            compiled(np.array([value, 1.0]))
    assert w.value == 4.0


def test_a_result_kept_on_an_object():
    class Model:
        last = None

        def __call__(self, x):
            self.last = mg.sum(x)
            return x * 2

    model = Model()
    compiled = mg.compile(model)
    with pytest.warns(mg.NotCompiled, match="changes self, which it captures"):
        for i in range(5):
            compiled(X + i)
            assert float(model.last) == float(np.sum(X + i))
