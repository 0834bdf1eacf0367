"""A program repeats its function: what is drawn anew has no program."""

import os
import random
import uuid

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, over

randomness = Attempts()
SEEDED = np.random.default_rng(0)
randomness.functions(
    "refused",
    {
        "of NumPy's global generator": lambda x: x * np.random.normal(size=3),
        "of a captured generator": lambda x: x * SEEDED.normal(size=3),
        "of the standard library": lambda x: x * random.random(),
        "a dropout with a drawn seed": lambda x: mg.dropout(x, 0.5, seed=random.randrange(10**9)),
        "a mask drawn by hand": lambda x: mg.where(SEEDED.random(3) < 0.5, x, 0.0),
        "a permutation": lambda x: x[SEEDED.permutation(3)],
        "a choice of a branch": lambda x: x * 2.0 if SEEDED.random() < 0.5 else x + SEEDED.random(),
        "a uuid": lambda x: x * (uuid.uuid4().int % 10**6),
        "os.urandom": lambda x: x * int.from_bytes(os.urandom(4), "big"),
        "a value drawn and forgotten": lambda x: (np.random.random(), x * np.random.random())[1],
    },
)


@randomness.refused
def from_minigrad_random(compile):
    f = compile(lambda x: x * mg.random.normal((3,)))
    for _ in range(3):
        yield f(X)


@randomness.refused
def in_a_rule(compile):
    rng = np.random.default_rng(0)

    @mg.custom_gradient
    def noisy(x):
        return mg.identity(x), lambda dy: dy * rng.normal(size=3)

    f = compile(mg.grad(lambda x: mg.sum(noisy(x))))
    for _ in range(3):
        yield f(X)


@randomness.same
def in_the_backward_pass_of_a_compiled_function(compile):
    rng = np.random.default_rng(0)

    @mg.custom_gradient
    def noisy(x):
        return mg.identity(x), lambda dy: dy * rng.normal(size=3)

    f = compile(lambda x: mg.sum(noisy(x)))
    for _ in range(3):
        yield mg.grad(f)(X)


@randomness.honest
def seeded_inside(compile):
    f = compile(lambda x: x * np.random.default_rng(0).normal(size=3))
    yield from over(f, X, Y, Z)


@randomness.honest
def the_global_generator_seeded_inside(compile):
    def f(x):
        np.random.seed(0)
        return x * np.random.random(3)

    before = np.random.get_state()
    yield from over(compile(f), X, Y, Z)
    np.random.set_state(before)


@randomness.honest
def seeded_by_an_argument(compile):
    f = compile(lambda x, seed: x * np.random.default_rng(seed).normal(size=3))
    yield from over(f, (X, 0), (X, 1), (Y, 1), (Y, 2))


@randomness.fixed("rng")
def rare_of_a_captured_generator(compile):
    rng = np.random.default_rng(0)
    f = compile(lambda x: x * 2.0 if rng.random() < 0.05 else x)
    for _ in range(60):
        yield f(X)


@randomness.honest
def rare_of_the_global_generator(compile):
    before = np.random.get_state()
    np.random.seed(0)
    f = compile(lambda x: x * 2.0 if np.random.random() < 0.05 else x)
    for _ in range(60):
        yield f(X)
    np.random.set_state(before)


@randomness.honest
def rare_of_the_standard_library(compile):
    random.seed(0)
    f = compile(lambda x: x * 2.0 if random.random() < 0.05 else x)
    for _ in range(60):
        yield f(X)


@randomness.fixed("rng")
def a_generator_in_a_list_rarely_used(compile):
    rng = np.random.default_rng(1)
    f = compile(lambda x: x + (1.0 if rng.integers(20) == 0 else 0.0))
    for _ in range(60):
        yield f(X)


@randomness.honest
def a_dropout_with_a_seed(compile):
    f = compile(mg.value_and_grad(lambda x: mg.sum(mg.dropout(x * x, 0.5, seed=3))))
    yield from over(f, X, Y, Z)


@randomness.honest
def a_dropout_of_rate_zero(compile):
    f = compile(lambda x: mg.dropout(x, 0.0, seed=1))
    yield from over(f, X, Y, Z)


test_randomness = randomness.test()
