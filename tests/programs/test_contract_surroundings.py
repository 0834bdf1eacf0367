"""Printing, warnings, scopes and threads around and inside programs."""

import builtins
import contextlib
import gc
import io
import logging
import sys
import threading
import uuid
import warnings
import weakref

import numpy as np
import pytest

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, outcome, over

said = Attempts()


@said.honest
def printed(compile):
    def f(x):
        print("called")
        return x * 2.0

    f = compile(f)
    with contextlib.redirect_stdout(io.StringIO()):
        results = list(over(f, X, Y, Z))
    yield from results


@said.honest
def a_value_printed(compile):
    def f(x):
        print(x)
        return x * 2.0

    f = compile(f)
    with contextlib.redirect_stdout(io.StringIO()):
        results = list(over(f, X, Y, Z))
    yield from results


@said.honest
def what_print_wrote_is_used(compile):
    def f(x):
        out = io.StringIO()
        print(mg.sum(x), file=out)
        return x * len(out.getvalue())

    yield from over(compile(f), X, Y, Z)


@said.honest
def logged(compile):
    def f(x):
        logging.getLogger("contract").debug("sum %s", mg.sum(x))
        return x * 2.0

    yield from over(compile(f), X, Y, Z)


@said.honest
def warned(compile):
    def f(x):
        warnings.warn("called", stacklevel=1)
        return x * 2.0

    f = compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from over(f, X, Y, Z)


@said.honest
def warnings_are_errors(compile):
    f = compile(lambda x: mg.log(x))
    for x in (X, X, Y, Z):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = outcome(f, x)
        yield result


@said.honest
def a_file_written(compile):
    out = io.StringIO()

    def f(x):
        out.write("x")
        return x * len(out.getvalue())

    f = compile(f)
    for _ in range(4):
        yield f(X)


@said.same
def in_a_scope(compile):
    def f(x):
        with mg.scope("layer"):
            return mg.sum(mg.sin(x) * x)

    f = compile(mg.value_and_grad(f))
    yield from over(f, X, Y)
    with mg.scope("outer"):
        yield from over(f, Z, Y)


@said.honest
def the_number_of_a_scope(compile):
    name = uuid.uuid4().hex

    def f(x):
        with mg.variable_scope(None, name) as scope:
            return x * len(scope.name)

    f = compile(f)
    for _ in range(12):
        yield f(X)


test_said = said.test()


places = Attempts()


def in_threads(function, arguments):
    """The results of one call for each argument, all at once."""
    found = [None] * len(arguments)

    def run(i):
        found[i] = function(arguments[i])

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(arguments))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@places.same
def a_first_call_in_eight_threads(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(mg.sin(x) * x)))
    yield in_threads(f, [X * k for k in range(1, 9)])


@places.same
def later_calls_in_eight_threads(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(mg.sin(x) * x)))
    yield f(X)
    for _ in range(5):
        yield in_threads(f, [np.linspace(0, k, 500) for k in range(1, 9)])


@places.same
def other_shapes_in_each_thread(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(mg.sin(x) * x)))
    for _ in range(3):
        yield in_threads(f, [np.linspace(0, 1, n) for n in range(1, 9)])


@places.same
def written_in_one_thread_and_used_in_another(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(mg.sin(x) * x)))
    yield in_threads(f, [X])
    yield f(Y)
    yield in_threads(f, [Z])


@places.same
def while_another_thread_runs_the_function_itself(compile):
    def f(x):
        return mg.sum(mg.sin(x) * x)

    g = compile(mg.grad(f))
    yield in_threads(lambda x: (g(x), mg.grad(f)(x), float(f(x))), [X, Y, Z, X * 2])


@places.same
def a_variable_of_each_thread(compile):
    f = compile(lambda w: mg.sum(w * w))
    yield in_threads(lambda x: f(mg.Variable(x)), [X, Y, Z, X * 2])


@places.same
def the_collector_is_as_it_was(compile):
    gc.disable()
    try:
        yield from over(compile(lambda x: x * 2.0), X, Y)
        yield gc.isenabled()
    finally:
        gc.enable()
    yield from over(compile(lambda x: x * 2.0), X, Y)
    yield gc.isenabled()


@places.same
def builtins_and_numpy_are_as_they_were(compile):
    before = builtins.print, builtins.float, np.asarray, np.array, mg.sin, np.ndarray.__getitem__, sys.gettrace()
    yield from over(compile(mg.value_and_grad(lambda x: mg.sum(mg.sin(x)))), X, Y)
    after = builtins.print, builtins.float, np.asarray, np.array, mg.sin, np.ndarray.__getitem__, sys.gettrace()
    yield [a is b for a, b in zip(before, after)]


@places.same
def arguments_are_not_kept_alive(compile):
    f = compile(lambda x: mg.sum(x * 2.0))
    x = X.copy()
    yield from over(f, x, x)
    kept = weakref.ref(x)
    del x
    gc.collect()
    yield kept() is None


@places.same
def the_error_state_of_numpy_is_as_it_was(compile):
    f = compile(lambda x: mg.log(x) / x)
    with np.errstate(all="ignore", divide="warn"):
        yield from over(f, X, Y, X * 0)
        yield dict(np.geterr())


test_places = places.test()


def test_a_function_that_catches_floating_point_errors_is_refused():
    @mg.compile
    def f(x):
        with np.errstate(all="raise"):
            try:
                return mg.exp(x)
            except FloatingPointError:
                return x

    with pytest.raises(mg.NotAProgram, match="acts on floating point errors"):
        f(mg.constant(2.0))


def test_of_an_object_only_the_attribute_that_is_read_is_fixed():
    class Model:
        def __init__(self):
            self.scale, self.batches = 2.0, iter([X])

    model = Model()
    program = mg.source(lambda x: x * model.scale, X)
    assert [(name, value) for name, value, _ in program.fixed] == [("model.scale", 2.0)]
