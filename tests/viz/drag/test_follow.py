"""Functions as people write them, followed to other inputs: a page shows the right number, or says why it cannot."""

import functools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.tensor import next_serial
from minigrad.tracing.recorder import backward_trace
from minigrad.transforms.nesting import call_recorded
from tests.helpers.node import RUN_TAPES, TAPE, numbers, run_js, words
from viz.drag.followed_page import draggable
from viz.drag.page_tape import NotFollowed
from viz.drag.replayed import CalledWith

POINTS = [-3.0, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.3, 100.0, np.nan, np.inf]
v = mg.Variable([1.0, 2.0, 3.0], name="v")


def newton(x):
    y = x
    for _ in range(30):
        if not mg.abs(y * y - 2) > 1e-3:
            break
        y = (y + 2 / y) / 2
    return y


def loops(x):
    for _ in range(3):
        x = x * 0.5 if mg.sum(x) > 2 else x + 1
    return mg.sum(x * x)


@mg.custom_gradient
def deciding_rule(x):
    class Held:
        e = mg.exp(x)

    several = [Held.e, Held.e * 2]

    def grad(dy):
        return dy * Held.e + several[1] if dy > 0 else dy

    return mg.log(1 + Held.e), grad


first, second = mg.Variable(2.0, name="first"), mg.Variable(3.0, name="second")


@mg.custom_gradient
def ignoring(x, w):
    return x * x, lambda dy: (dy, dy)


def taped(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x**3
    return tape.gradient(y, x)


def padded(x, **options):
    return mg.sum(mg.pad(mg.stack([x, x * x, 1.0]), (4, 1), **options) * np.arange(8.0))


FOLLOWED = {
    "max of Python": lambda x: max(x, 1.0) * x,
    "a chain of comparisons": lambda x: x if 0 < x < 3 else x * x,
    "a search": newton,
    "a loop with an if": loops,
    "a rule that decides": lambda x: deciding_rule(x * 2),
    "a dict of truth values": lambda x: {True: x, False: x * x}[bool(x > 1)],
    "in": lambda x: x * x if x in (1.0, 2.0) else x,
    "sorted": lambda x: sorted([x, x * x])[0],
    "and, or": lambda x: ((x > 1) & (x < 3) and x) or x * x,
    "remainders": lambda x: x // 1 * x + x % 0.7,
    "NumPy's functions": lambda x: np.exp(x) + np.sin(x) * np.clip(x, 0, 2),
    "np.where": lambda x: np.where(x > 1, x, x * x),
    "a stopped gradient": lambda x: mg.stop_gradient(x) * x,
    "a Variable": lambda x: mg.sum(v * x),
    "a mask that is fixed": lambda x: mg.sum(v[np.array([True, False, True])] * x),
    "powers": lambda x: 2**x + x**3 + x**-2 + x**0.5,
    "a gradient inside": lambda x: mg.stop_gradient(mg.grad(lambda z: z**3)(x)) * x,
    "elements of a Variable": lambda x: functools.reduce(lambda a, b: a * b + x, list(v)),
    "mg.where": lambda x: mg.where(x > 1.5, x * x, mg.exp(x)),
    "the largest": lambda x: mg.max(mg.stack([x, x * x, 1 / x])),
    "running sums": lambda x: mg.sum(mg.cumsum(mg.stack([x, x * x, x]))),
    "a stable sum of exponentials": lambda x: mg.logsumexp(mg.stack([x, x * x])),
    "a deviation": lambda x: mg.std(mg.stack([x, x**2, x**3])),
    "signs": lambda x: mg.sign(x) * abs(x - 1),
    "sums of truth values": lambda x: x * ((x > 0) + (x > 1)),
    "products of truth values": lambda x: x * mg.sum(np.matmul(mg.stack([x > 0, x > 1]), np.array([True, True]))),
    "whole numbers": lambda x: x * (mg.astype(x * 3, int) // 2 % 3 + mg.astype(x, int) ** 2),
    "whole numbers of 32 bits": lambda x: x * mg.astype(x * 1e8, "int32"),
    "whole numbers divided by one that may be 0": lambda x: x * (7 // mg.astype(x, int)),
    "large whole numbers": lambda x: x * mg.astype(x * 1e14, int) * mg.astype(x * 1e14, int),
    "a number as a condition": lambda x: (x or 3.0) * (2.0 if not x - 1 else x),
    "special functions of one number": lambda x: mg.gelu(x) + mg.erf(x) * mg.erfc(x),
    "Variables in the order in which they are met": lambda x: x * first * second,
    "a Variable that a rule ignores": lambda x: ignoring(x, x * x) * second,
    "any, all": lambda x: x * mg.any(mg.stack([x, 1 - x]) > 1.5) + mg.all(mg.stack([x, 1 - x]) < 5),
    "a Jacobian": lambda x: mg.stop_gradient(mg.sum(mg.jacobian(lambda z: z**3)(mg.stack([x, x * x])))) * x,
    "a tape": lambda x: taped(x) * x,
    "reductions of one number": lambda x: mg.softmax(x) * x + mg.sum(x * 2),
    "an empty slice": lambda x: mg.sum(mg.concatenate([mg.stack([x, x])[:0] * 2, mg.stack([x * x, x])])),
    "rounded to float16": lambda x: mg.astype(x * 683.00000003, np.float16) * x,
    "padded": lambda x: mg.sum(mg.pad(mg.stack([x, x * x, 1.0]), 2, mode="reflect") * np.arange(7.0)),
    "padded by a mean": lambda x: padded(x, mode="mean"),
    "padded by maxima": lambda x: padded(x, mode="maximum"),
    "padded by the minimum of two": lambda x: padded(x, mode="minimum", stat_length=2),
    "padded by medians": lambda x: padded(x, mode="median"),
    "padded by a ramp": lambda x: padded(x, mode="linear_ramp", end_values=[0.5, 3.0]),
    "padded by a ramp to a number that changes": lambda x: padded(x, mode="linear_ramp", end_values=x),
    "reflected at the edge": lambda x: padded(x, mode="reflect", reflect_type="odd"),
    "reflected beside the edge": lambda x: padded(x, mode="symmetric", reflect_type="odd"),
    "padded by two constants": lambda x: padded(x, constant_values=[-1.5, 2.5]),
    "padded by a number that changes": lambda x: padded(x, constant_values=x * x),
    "constants padded by a number that changes": lambda x: mg.sum(
        mg.pad(np.array([[1.0, 2.0]]), 1, constant_values=x) * np.arange(12.0).reshape(3, 4)
    ),
    "places among the points of a list": lambda x: x * mg.searchsorted([0.5, 1.0, 2.5], mg.stack([x, 2 * x]))[1],
}


def value_and_slope(f, point):
    x = mg.constant(np.float64(point))
    y = call_recorded(f, x)
    slope = mg.gradients(y, x)[0]
    return np.ravel(y.value), None if slope is None else np.ravel(slope.value)


def test_every_number_is_right_where_the_code_decides_as_it_did():
    requests, cells = [], []
    for f in FOLLOWED.values():
        x = mg.constant(np.float64(2.0))
        since = next_serial()
        y = call_recorded(f, x)
        trace = backward_trace(y)
        data = draggable(y, trace, CalledWith(f, {"x": x}, since))
        ids = trace.node_of
        (at,) = [cell for node, cell in data["inputs"] if node == ids[x.serial]]
        slope = [row[2] for row in data["steps"] if row[0] == ids[x.serial] and not row[1]]
        guards = data.get("guards", [])
        wanted = [data["nodes"][ids[y.serial]], *slope, *(cell for cell, _, _ in guards)]
        requests.append({"code": data["code"], "settings": [{at: words(p)} for p in POINTS], "wanted": wanted})
        cells.append((1 + len(slope), [value for _, value, _ in guards]))
    kept = 0
    for (name, f), answer, (first, values) in zip(FOLLOWED.items(), run_js(TAPE, RUN_TAPES, requests), cells):
        for point, found in zip(POINTS, answer):
            if found is None or [float(cell[0]) for cell in found[first:]] != values:
                continue  # the page says that the code decides otherwise
            kept += 1
            for got, want in zip(found[:first], value_and_slope(f, point)):
                np.testing.assert_allclose(numbers(got), want, rtol=1e-9, err_msg=f"{name} at {point}")
    assert kept > 200


cache: dict = {}
count = [0]


def keeps(x):
    if "y" not in cache:
        cache["y"] = mg.exp(x) * x
    return cache["y"]


def counts(x):
    count[0] += 1
    return x * count[0]


def tries(x):
    try:
        return x * float(x)
    except Exception:
        return x


@mg.custom_gradient
def plain_in_the_rule(x):
    e = mg.exp(x).value
    return x * x, lambda dy: dy * e


def overflows(x):
    with np.errstate(all="raise"):
        try:
            return mg.exp(x)
        except FloatingPointError:
            return x


@mg.custom_gradient
def overflows_in_the_rule(x):
    return x * x, lambda dy: dy * overflows(x)


def in_a_thread(x):
    with ThreadPoolExecutor() as threads:
        return threads.submit(mg.exp, x).result()


STILL = {
    "kept": (keeps, "the function returns what it kept from its first call"),
    "counted": (counts, "the function gives different numbers when it is called again"),
    "caught": (tries, "takes numbers out of an array"),
    "formatted": (lambda x: x * len(f"{x}"), "a number is printed or formatted"),
    "a plain number in a rule": (plain_in_the_rule, "takes numbers out of an array"),
    "sorted by floats": (lambda x: sorted([x, 1.5 * x], key=lambda t: float(t))[0], "takes numbers out of an array"),
    "errors that are caught": (overflows, "np.errstate or np.seterr reacts to floating-point errors"),
    "errors that are caught in a rule": (overflows_in_the_rule, "np.errstate or np.seterr reacts to"),
    "a thread": (in_a_thread, "the function computes in another thread"),
    "whole numbers padded by a mean": (
        lambda x: x * mg.sum(mg.pad(mg.argsort(mg.stack([x, 1.0])), 1, mode="mean")),
        'pad with mode="mean"',
    ),
    "no gradient": (
        lambda x: mg.sum(mg.constant([float(x)]) ** 3),
        "the result depends on no input that can be changed",
    ),
    "an empty product": (
        lambda x: x * mg.sum(mg.stack([x, x])[:0].reshape(1, 0) @ np.ones((0, 2))),
        "an array is empty",
    ),
    "the derivative of gammaln": (lambda x: x * mg.ops.polygamma(1, x), "the page cannot compute polygamma"),
}


def test_what_would_be_wrong_is_refused(subtests):
    cache.clear()
    for case, (f, reason) in STILL.items():
        x = mg.constant(np.float64(2.0))
        since = next_serial()
        y = call_recorded(f, x)
        with subtests.test(case), pytest.raises(NotFollowed, match=reason):
            draggable(y, backward_trace(y), CalledWith(f, {"x": x}, since))
