"""Errors inside functions, raised and caught."""

import contextlib
import warnings

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, outcome, over

errors = Attempts()


@errors.honest
def an_error_by_a_value(compile):
    def f(x):
        if mg.sum(x) > 5:
            raise ValueError("too large")
        return x * 2.0

    f = compile(f)
    for x in (X, X, Y, Z):
        yield outcome(f, x)


@errors.honest
def an_error_at_each_call(compile):
    def f(x):
        raise KeyError("never")

    f = compile(f)
    for x in (X, X, Y):
        yield outcome(f, x)


@errors.same
def an_error_by_a_shape(compile):
    def f(x):
        if len(x) > 2:
            raise ValueError("too long")
        return x * 2.0

    f = compile(f)
    for x in (X[:2], X, Y[:2], Y, X[:2]):
        yield outcome(f, x)


@errors.honest
def an_error_that_is_caught(compile):
    def f(x):
        try:
            return mg.matmul(x, np.ones((4, 4)))
        except ValueError:
            return x * 2.0

    yield from over(compile(f), X, Y, np.ones(4))


@errors.honest
def an_error_by_a_value_that_is_caught(compile):
    def f(x):
        try:
            return x * (1.0 / (0.0 if x[0] > 0 else 1.0))
        except ZeroDivisionError:
            return x * 2.0

    yield from over(compile(f), X, Y, Z)


@errors.honest
def any_error_is_caught(compile):
    def f(x):
        try:
            return x * float(x[0])
        except Exception:
            return x * 2.0

    yield from over(compile(f), X, Y, Z)


@errors.honest
def any_error_of_a_branch_is_caught(compile):
    def f(x):
        try:
            if x[0] > 0:
                return x * 3.0
        except TypeError:
            pass
        return x * 2.0

    yield from over(compile(f), X, Y, Z)


@errors.honest
def an_error_is_suppressed(compile):
    def f(x):
        y = x * 2.0
        with contextlib.suppress(Exception):
            y = x * x.numpy()
        return y

    yield from over(compile(f), *map(mg.constant, (X, Y, Z)))


@errors.honest
def finally_returns(compile):
    def f(x):
        y = x
        try:
            y = x * float(x[0])
        finally:
            return y  # noqa: B012

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from over(compile(f), X, Y, Z)


@errors.honest
def a_singular_matrix(compile):
    f = compile(mg.solve)
    for m in (np.eye(2), np.eye(2), np.zeros((2, 2)), np.eye(2) * 2):
        yield outcome(f, m, np.ones(2))


@errors.honest
def a_singular_matrix_that_is_caught(compile):
    def f(m):
        try:
            return mg.inv(m)
        except np.linalg.LinAlgError:
            return m * 0.0

    yield from over(compile(f), np.eye(2), np.zeros((2, 2)), np.eye(2) * 2)


@errors.same
def an_error_before_the_first_result(compile):
    ready = {}

    def f(x):
        return x * ready["scale"]

    f = compile(f)
    yield outcome(f, X)
    ready["scale"] = 2.0
    yield outcome(f, X)
    yield outcome(f, Y)


@errors.honest
def interrupted(compile):
    class Stop(BaseException):
        pass

    first = [True]

    def f(x):
        y = x * 2.0
        if first[0]:
            first[0] = False
            raise Stop
        return y

    f = compile(f)
    try:
        f(X)
    except Stop:
        yield "stopped"
    yield from over(f, X, Y)


@errors.same
def a_transform_after_a_refusal(compile):
    def refused():
        with contextlib.suppress(TypeError):
            compile(lambda x: x * float(x[0]))(X)

    for x in (X, Y):
        refused()
        yield mg.grad(lambda x: mg.sum(x * x))(x)
        yield mg.sin(x), mg.sin(mg.constant(x)) * float(x[0])


test_errors = errors.test()
