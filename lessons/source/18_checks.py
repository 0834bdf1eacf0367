"""Lesson 18, half the digits: what its exercises compute. Answers and hints are in 18_hidden.py."""

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, mistake


def text(v):
    return np.array2string(np.asarray(v, float), separator=", ", formatter={"float": lambda n: f"{n:.6g}"})


def result_of(f, where, x, *more):
    """The student's result at an input: a Tensor, or what is wrong with it."""
    y = f(x, *more)
    if isinstance(y, tuple) and len(y) == 2 and callable(y[1]):
        return mistake.no_decorator
    if not isinstance(y, mg.Tensor):
        what = "None" if y is None else "a function" if callable(y) else f"of type {type(y).__name__}"
        return f"{where}: the result is {what}. It should be a Tensor."
    if y.shape != x.shape:
        return f"{where}: the result has shape {y.shape}. It should be {x.shape}, as x has."
    return y


def sent_back(y, where, x, u, true, slope, named):
    """True, or what is wrong with the gradient of x for the upstream gradient u.

    true : that gradient, and slope its slope with respect to u. named : gradients that usual
    mistakes give, by the mistake, with a reason.
    """
    try:
        (g,) = mg.gradients(y, x, grad_ys=u)
    except ValueError as error:
        if "returned None" in str(error):
            return mistake.rule_none
        raise
    if g is None:
        return mistake("nothing is sent", f"{where}: the gradient of x is None. Nothing is sent back.")
    numbers = g.numpy().astype(np.float64)
    if not np.array_equal(numbers, true, equal_nan=True):
        words = f"{where}: the gradient is {text(numbers)}. It should be {text(true)}."
        for name, (other, reason) in named.items():
            if np.array_equal(numbers, other, equal_nan=True) and not np.array_equal(other, true):
                return mistake(name, f"{words} {reason}")
        if text(numbers) == text(true):
            return mistake("rounded on the way", f"{words} They differ in the last digits: one product rounds nothing.")
        return words
    (back,) = mg.gradients(g, u)
    if back is None or not np.allclose(back.numpy().astype(np.float64), slope):
        lost = mistake.upstream_lost
        return mistake(lost.name, f"{where}: the gradient is right. {lost.says}")
    return True


# The value rounded, the upstream as it came.

ROUNDED = [
    ([1.0001, 0.1, -3.14159], [2.0, -4.0, 0.3]),
    ([0.00012, 1e-9, 2049.0], [1e-9, 1.0, 1e6]),
    ([70000.0], [1.0]),
    (0.1, -0.7),
    ([[0.3, -1.7, 5.3], [1000.2, 1e-7, -0.9]], [[0.1, -0.7, 3e-8], [5.1, 0.2, -9.3]]),
]


def in_half(x):
    return np.asarray(x, np.float32).astype(np.float16).astype(np.float32)


def halves(as_half, x, upstream):
    numbers, u = np.array(x, np.float32), np.array(upstream, np.float32)
    with np.errstate(over="ignore"):
        value, u_in_half = in_half(numbers), in_half(u)
    where = f"x = {text(numbers)}, upstream {text(u)}"
    y = result_of(as_half, where, at := mg.constant(numbers))
    if not isinstance(y, mg.Tensor):
        return y
    if y.dtype == np.float16:
        return mistake("the result is in float16", f"{where}: the result is in float16. Turn it back into float32.")
    if y.dtype != np.float32:
        return f"{where}: the result is in {y.dtype}. It should be in float32."
    if not np.array_equal(y.value, value):
        words = f"{where}: the value is {text(y.value)}. It should be {text(value)}."
        others = {
            "not rounded": (numbers, "Those are all the digits of float32."),
            "clipped": (np.clip(value, -65504, 65504), "What is too large for float16 becomes inf."),
            "a number of decimals": (np.round(numbers, 3), "Digits count from the first one that is not 0."),
            "the upstream in the value": (value * u, "The value is x, rounded. The upstream belongs to the rule."),
        }
        return next(
            (
                mistake(name, f"{words} {why}")
                for name, (other, why) in others.items()
                if np.array_equal(y.value, other)
            ),
            words,
        )
    named = {
        "the way back is rounded": (u_in_half, "It was rounded to float16 on the way back."),
        "the slope of rounding": (0 * u, "Rounding is flat, and 0 teaches nothing. Send what came."),
        "forgot the upstream gradient": (np.ones_like(u), "The rule is called with upstream. Send that."),
        "the sign is flipped": (-u, "Send upstream as it came."),
        "multiplied by x": (u * value, "The slope that is claimed is 1."),
        "added up": (np.full_like(u, u.sum()), "Each entry has its own upstream."),
    }
    return sent_back(y, where, at, mg.constant(u), u.astype(np.float64), 1.0, named)


@exercise("as_half", points=2, function="as_half(x, upstream)")
def as_half(c):
    c.property("the value is rounded, the upstream gradient is not", halves, vary=(), points=ROUNDED)


# The value as it is, the upstream times a factor.

SCALED = [
    ("float32", [1.0, 0.0, -3.0], [1.0, 3.0, -5.0], 8.0),
    ("float16", [0.5, 0.25], [2.0, -4.0], 1024.0),
    ("float16", [4.0], [2.0**-20], 4096.0),
    ("float32", [4.0, -0.5], [3e-8, 0.7], 2.0**15),
    ("float32", [70000.0], [30000.0], 1024.0),
    ("float64", 2.3, 0.1, 0.25),
    ("float32", [1.0, -3.0], [1.0, 0.5], -2.0),
    ("float64", [[0.1, -2.0, 0.7], [3.0, 0.3, -0.9]], [[0.3, 5.0, -0.1], [0.7, -2.0, 0.9]], 2.0),
]


def scales(scale_gradient, dtype, x, upstream, factor):
    numbers, u = np.array(x, dtype), np.array(upstream, dtype)
    where = f"{dtype}, x = {text(numbers)}, upstream {text(u)}, factor {factor:g}"
    y = result_of(scale_gradient, where, at := mg.constant(numbers), factor)
    if not isinstance(y, mg.Tensor):
        return y
    if y.dtype != numbers.dtype or not np.array_equal(y.value, numbers):
        words = f"{where}: the value is {text(y.value)} in {y.dtype}. It should stay {text(numbers)} in {dtype}."
        with np.errstate(over="ignore"):
            scaled = numbers * numbers.dtype.type(factor)
        if np.array_equal(y.value, scaled):
            return mistake("the value is multiplied", f"{words} A loss of 2.3 times 2^15 is inf in float16.")
        return words
    u64, x64 = u.astype(np.float64), numbers.astype(np.float64)
    named = {
        "the factor is not used": (u64, "That is upstream as it came."),
        "forgot the upstream gradient": (0 * u64 + factor, "That is the factor. Multiply upstream by it."),
        "divided by the factor": (u64 / factor, "That makes small gradients smaller."),
        "the factor twice": (u64 * factor * factor, "The factor is in it twice."),
        "multiplied by x": (u64 * factor * x64, "The slope that is claimed is the factor; x is not in it."),
        "added up": (0 * u64 + u64.sum() * factor, "Each entry has its own upstream."),
        "the factor is added": (u64 + factor, "Multiply upstream by the factor."),
        "the sign is flipped": (-u64 * factor, "Multiply by the factor with its sign."),
        "a slope of 0": (0 * u64, "Nothing arrives."),
        "clipped on the way": (np.clip(u64 * factor, -65504, 65504), "Send all of it: in float32 it is not inf."),
    }
    return sent_back(y, where, at, mg.constant(u), u64 * factor, factor, named)


@exercise("scale_gradient", points=2, function="scale_gradient(dtype, x, upstream, factor)")
def scale_gradient(c):
    c.property("the value stays, the gradient is multiplied", scales, vary=(), points=SCALED)


# A step with slopes that are scaled.

STEPS = [
    ([1.0, 0.5], [8.0, -16.0], 4, 0.1),
    ([1.0], [1024.0], 10, 1e-4),
    ([1.0, 1.0], [np.inf, 2.0], 12, 0.1),
    ([1.0, 2.0], [np.nan, 1.0], 9, 0.1),
    ([3.0, 2.0], [1.0, -np.inf], 1, 0.5),
    ([1e-6], [0.25], 24, 1.0),
    ([0.0], [4.0], -3, 0.5),
    ([[0.3, -1.7, 5.3], [0.2, 1.1, -0.9]], [[60000.0, -3.0, 0.5], [50000.0, -2.0, 9.0]], 14, 0.3),
    ([[0.3, -1.7], [0.2, 1.1]], [[6.0, -np.inf], [np.inf, 2.0]], -1, 0.3),
]


def steps(careful_step, w, slope, k, rate):
    w, slope = np.array(w, np.float32), np.array(slope, np.float16)
    where = f"w = {text(w)}, slope {text(slope)}, k = {k}, rate {rate:g}"
    before = w.copy()
    y = careful_step(w, slope, k, rate)
    if y is None:
        return f"{where}: careful_step returned None. Return the weights and k."
    if not isinstance(y, tuple) or len(y) != 2:
        return f"{where}: the result is {y!r:.60}. Return two things: the weights and k."
    if not np.array_equal(w, before):
        return mistake("w is changed", f"{where}: afterwards w itself is {text(w)}. Return a new array.")
    new, power = y
    if not isinstance(power, (int, float, np.number)) or isinstance(power, bool):
        return f"{where}: the second result is {power!r:.60}. It should be k, a number."
    bad = not np.all(np.isfinite(slope))
    if power != (k - 1 if bad else k):
        words = f"{where}: k becomes {power:g}. It should be {k - 1 if bad else k}."
        if bad and power == k:
            never = np.isnan(slope).any() and "nan is not finite either. np.isfinite knows both."
            kept = "With the same k the next step overflows, too."
            return mistake("nan is not seen", f"{words} {never}") if never else mistake("k stays", f"{words} {kept}")
        if bad and power in (k // 2, k / 2):
            return mistake("k is halved", f"{words} The factor is halved: 2^k / 2 is 2^(k - 1).")
        if not bad and power == k - 1:
            return mistake("a step is skipped", f"{words} Each entry is finite; ask them one by one, not their sum.")
        if power == k + 1:
            return mistake("k grows", f"{words} Where it overflows, the factor is halved; else it stays.")
        return words
    if not isinstance(new, np.ndarray) or new.shape != w.shape:
        return f"{where}: the weights are {new!r:.60}. They should be an array of shape {w.shape}."
    if new.dtype == np.float16:
        return mistake("the weights are in float16", f"{where}: the weights come back in float16. Keep the long copy.")
    with np.errstate(all="ignore"):
        short, long = slope.astype(np.float64), w.astype(np.float64)
        true = long if bad else long - rate * (short / 2.0**k)
        others = {
            "bad steps are used": (long - rate * (short / 2.0**k), "inf stays in the weights for ever. Skip the step."),
            "only bad entries are skipped": (
                long - rate * np.where(np.isfinite(short), short / 2.0**k, 0),
                "The other entries are not to be trusted either. Skip the whole step.",
            ),
            "not divided": (long - rate * short, "slope is 2^k times too large."),
            "multiplied": (long - rate * (short * 2.0**k), "slope is 2^k times too large: divide."),
            "divided by k": (long - rate * (short / (k or 1)), "slope is 2^k times too large, not k times."),
            "uphill": (long + rate * (short / 2.0**k), "Step against the slope."),
            "the rate is left out": (long - short / 2.0**k, "Multiply by the rate."),
            "divided in float16": (
                long - rate * (slope / np.float16(2.0**k)).astype(np.float64),
                "Divided in float16 the slope is 0 again. First astype, then divide.",
            ),
            "the step is rounded to float16": (
                long - (np.float16(rate) * slope / np.float16(2.0**k)).astype(np.float64),
                "The step has 11 bits. First astype, then divide and multiply.",
            ),
            "no step": (long, "Nothing moves."),
            "the weights are rounded": (in_half(true).astype(np.float64), "They are rounded to float16."),
        }
    if np.allclose(new, true, rtol=1e-6, atol=1e-10, equal_nan=False):
        return True
    words = f"{where}: the weights are {text(new)}. They should be {text(true)}."
    for name, (other, reason) in others.items():
        if np.allclose(new, other, rtol=1e-6, atol=1e-12, equal_nan=True):
            return mistake(name, f"{words} {reason}")
    return words


@exercise("careful_step", points=3, function="careful_step(w, slope, k, rate)")
def careful_step(c):
    c.property("a step, or none", steps, vary=(), points=STEPS)
