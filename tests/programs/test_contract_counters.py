"""What changes from call to call, or outside Python, has no program or is listed."""

import datetime
import itertools
import os
import tempfile
import time
import uuid

import numpy as np

from tests.programs.contract import Attempts, X, Y, Z

counters = Attempts()


def counts(start=0):
    return itertools.count(start)


@counters.refused
def a_counter_of_itertools(compile):
    n = counts()
    f = compile(lambda x: x * next(n))
    for _ in range(4):
        yield f(X)


@counters.refused
def a_nonlocal_counter(compile):
    n = 0

    def f(x):
        nonlocal n
        n += 1
        return x * n

    f = compile(f)
    for _ in range(4):
        yield f(X)


@counters.refused
def an_attribute_that_counts(compile):
    class Model:
        n = 0.0

        def __call__(self, x):
            self.n += 1.0
            return x * self.n

    f = compile(Model())
    for _ in range(4):
        yield f(X)


@counters.refused
def a_learning_rate_schedule(compile):
    class Schedule:
        step = 0

        def __call__(self):
            self.step += 1
            return 0.1 * 0.5**self.step

    rate = Schedule()
    f = compile(lambda x: x - rate() * x)
    for _ in range(4):
        yield f(X)


@counters.honest
def a_schedule_that_changes_late(compile):
    steps = []

    def f(x):
        steps.append(1)
        return x * (0.1 if len(steps) < 6 else 0.01)

    f = compile(f)
    for _ in range(10):
        yield f(X)


@counters.honest
def a_warm_up_over_the_first_call(compile):
    first = [True]

    def f(x):
        scale = 0.5 if first[0] else 1.0
        first[0] = False
        return x * scale

    f = compile(f)
    for _ in range(4):
        yield f(X)


@counters.honest
def a_switch_that_turns_at_every_third_call(compile):
    n = [0]

    def f(x):
        n[0] += 1
        return x * 2.0 if n[0] % 3 == 0 else x

    f = compile(f)
    for _ in range(9):
        yield f(X)


@counters.fixed("n")
def a_counter_of_an_attribute_that_changes_late(compile):
    class Model:
        n = 0

        def __call__(self, x):
            self.n += 1
            return x if self.n < 5 else x * 2.0

    f = compile(Model())
    for _ in range(8):
        yield f(X)


@counters.fixed("epoch")
def an_epoch_kept_outside(compile):
    epoch = 0
    f = compile(lambda x: x * 0.5**epoch)
    for i in range(4):
        epoch = i
        yield f(X)


@counters.refused
def a_generator_of_values(compile):
    values = iter([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    f = compile(lambda x: x * next(values))
    for _ in range(4):
        yield f(X)


@counters.fixed("values")
def an_iterator_that_repeats_itself_once(compile):
    values = itertools.cycle([1.0, 1.0, 1.0, 2.0])
    f = compile(lambda x: x * next(values))
    for _ in range(8):
        yield f(X)


@counters.honest
def a_queue_that_is_emptied(compile):
    queue = [X, X, X, Y, Z, Y, Z, X]
    f = compile(lambda x: x * queue.pop(0))
    for _ in range(5):
        yield f(X)


@counters.refused
def a_sum_over_all_calls(compile):
    total = [np.zeros(3)]

    def f(x):
        total[0] = total[0] + np.ones(3)
        return x * total[0]

    f = compile(f)
    for _ in range(4):
        yield f(X)


test_counters = counters.test()


outside = Attempts()
outside.functions(
    "refused",
    {
        "time.time": lambda x: x * time.time(),
        "time.perf_counter": lambda x: x * time.perf_counter(),
        "time.monotonic in nanoseconds": lambda x: x * (time.monotonic_ns() % 10**9),
        "datetime.now": lambda x: x * datetime.datetime.now().timestamp(),
        "an identity": lambda x: x * (id(object.__new__(type("T", (), {}))) + next(COUNT)),
    },
)
COUNT = counts()


@outside.fixed("environ", "os", "MINIGRAD_CONTRACT", "getenv")
def an_environment_variable(compile):
    f = compile(lambda x: x * float(os.environ.get("MINIGRAD_CONTRACT", "1")))
    try:
        yield f(X)
        os.environ["MINIGRAD_CONTRACT"] = "2"
        yield f(X)
    finally:
        os.environ.pop("MINIGRAD_CONTRACT", None)


@outside.fixed("path", "open")
def a_file(compile):
    path = f"{tempfile.gettempdir()}/minigrad-{uuid.uuid4().hex}"

    def write(text):
        with open(path, "w") as file:
            file.write(text)

    def f(x):
        with open(path) as file:
            return x * float(file.read())

    f = compile(f)
    try:
        write("2.0")
        yield f(X)
        write("3.0")
        yield f(X)
    finally:
        os.remove(path)


@outside.fixed("path")
def an_array_file(compile):
    path = f"{tempfile.gettempdir()}/minigrad-{uuid.uuid4().hex}.npy"
    f = compile(lambda x: x * np.load(path))
    try:
        np.save(path, X)
        yield f(X)
        np.save(path, Y)
        yield f(X)
    finally:
        os.remove(path)


@outside.honest
def a_file_that_is_written(compile):
    path = f"{tempfile.gettempdir()}/minigrad-{uuid.uuid4().hex}"

    def f(x):
        with open(path, "a") as file:
            file.write("called\n")
        with open(path) as file:
            return x * len(file.readlines())

    f = compile(f)
    try:
        for _ in range(3):
            yield f(X)
    finally:
        os.remove(path)


@outside.refused
def the_age_of_a_file(compile):
    path = f"{tempfile.gettempdir()}/minigrad-{uuid.uuid4().hex}"

    def f(x):
        with open(path, "w") as file:
            file.write("x")
        return x * os.stat(path).st_mtime_ns * time.perf_counter()

    f = compile(f)
    try:
        for _ in range(3):
            yield f(X)
    finally:
        os.remove(path)


test_outside = outside.test()
