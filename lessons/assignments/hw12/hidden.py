"""What students of hw12 do not receive."""

import importlib.util
from pathlib import Path

from minigrad.classroom import exercise, floats, mistake

_spec = importlib.util.spec_from_file_location("hw12_shown", Path(__file__).with_name("checks.py"))
shown = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(shown)
chosen, shortened = shown.chosen, shown.shortened


@exercise("slope_at_3")
def slope_at_3(c):
    c.number(
        0.0,
        because={
            0.0: "Yes: beyond 1 the clipped number does not move, so the loss is flat.",
            6.0: "That is the slope of the square. clip comes first, and its slope is 0 there.",
            2.0: "2 is the slope of the square at the clipped number, 1. Multiply it by the slope of clip.",
            1.0: "1 is what Huber's loss would give: the error, clipped.",
        },
    )


@exercise("what_the_check_says")
def what_the_check_says(c):
    c.choice(
        "b",
        because={
            "a": "The values move in steps: between the steps the measured slope is 0, and the rule says 1.",
            "b": "Yes: the rule is not the slope of the function, and says so on purpose.",
            "c": "It leaves out points beside a jump. 0.3 is not beside one.",
            "d": "No rule raises here; the numbers differ.",
        },
    )


@exercise("quantize", points=3, function="quantize(x)")
def quantize(c):
    far = floats(-50, 50, also=(40.0, -40.0))
    c.derivative("nothing passes far outside", vary=(far,), slope=lambda x: 1.0 * (abs(x) <= 1), reveal="message")
    c.hint(
        "Two parts: the value is rounded and limited, the rule says where upstream passes.",
        "round(2 * x) / 2 has steps of one half; mg.clip limits it.",
        "return mg.clip(mg.round(2 * x) / 2, -1.0, 1.0), grad, and in grad mg.where(abs(x) <= 1, ___, 0.0)",
    )
    c.solution("The value moves in steps, and the rule gives the slope of the line that the steps follow.")
    h = "@mg.custom_gradient\ndef quantize(x): return mg.clip(mg.round(2 * x) / 2, -1.0, 1.0), lambda u: "
    g = "mg.where(abs(x) <= 1, u, 0.0)"
    c.wrong(h + "u", "also outside of -1 .. 1")
    c.wrong(h + "mg.where(abs(x) < 1, u, 0.0)")
    c.wrong(h + "mg.where(abs(x) <= 1, 1.0, 0.0)", mistake.no_upstream)
    c.wrong(h + "2 * " + g, mistake.twice)
    c.wrong(h + "-" + g, mistake.sign)
    c.wrong(h + "mg.sum(" + g + ")", mistake.summed)
    c.wrong(h + "u if abs(x) <= 1 else 0.0", mistake.python_if)
    c.wrong(h + "mg.where(abs(u) <= 1, u, 0.0)")
    c.wrong(h + "mg.where(x <= 1, u, 0.0)")
    c.wrong(h.replace("mg.round(2 * x) / 2", "mg.round(x)") + g, "whole numbers only")
    c.wrong("@mg.custom_gradient\ndef quantize(x): return mg.round(2 * x) / 2, lambda u: " + g, "not limited")
    c.wrong("def quantize(x): return mg.clip(mg.round(2 * x) / 2, -1.0, 1.0)")
    c.wrong(h + "None", mistake.rule_none)
    c.accept(
        "return mg.where(abs(x) <= 1, upstream, 0.0) -> return (mg.where(abs(x) <= 1, upstream, 0.0) * "
        "1).astype('float32')",
        "the gradient is cast back",
    )


@exercise("clip_by_norm", points=4, function="clip_by_norm(x, upstream, limit)")
def clip_by_norm(c):
    c.property(
        "an upstream gradient of 0, and arrays of two axes",
        shortened,
        vary=(),
        reveal="message",
        points=[
            ([1.0, 2.0], [0.0, 0.0], 5.0),
            ([[1.0, 2.0], [3.0, 4.0]], [[0.5, -1.0], [2.0, 1.5]], 1.0),
            ([1.0, 2.0], [4.0, 3.0], 5.0),
        ],
    )
    c.hint(
        "How long is upstream? Multiply it by limit / length where it is longer than the limit.",
        "Where it is not longer, the factor is 1: divide by the larger of length and limit.",
        "return upstream * limit / mg.maximum(norm, ___), None",
    )
    c.solution("limit / max(norm, limit) is 1 for short gradients, and never divides by 0.")
    h = "@mg.custom_gradient\ndef clip_by_norm(x, limit): return x + 0.0, lambda u: "
    n = "mg.sqrt(mg.sum(u * u))"
    c.wrong(h + "(mg.clip(u, -limit, limit), None)", "each entry is clipped by itself")
    c.wrong(h + f"(u * limit / {n}, None)", "always as long as the limit")
    c.wrong(h + "(u, None)", "nothing is clipped")
    c.wrong(h + "(u * limit / mg.maximum(mg.sum(u * u), limit * limit), None)")
    c.wrong(h + "(u * limit / mg.maximum(mg.max(abs(u)), limit), None)", "the largest entry for the length")
    c.wrong(h + "(u * limit / mg.maximum(mg.sum(abs(u)), limit), None)", "the sum for the length")
    c.wrong(h + f"(u / mg.maximum({n}, 1.0), None)", "the limit is not used")
    c.wrong(h + f"(u * mg.maximum({n}, limit) / limit, None)", "longer instead of shorter")
    c.wrong(h + f"(mg.where({n} <= limit, u, 0.0), None)", "dropped")
    c.wrong(h + f"(u * mg.minimum(1.0, limit / ({n} + 1e-3)), None)")
    c.wrong(h + "(mg.stop_gradient(u) * 0.5, None)")
    c.wrong(h + "mg.clip(u, -limit, limit)")
    c.wrong(
        "def clip_by_norm(x, limit): return x * limit / mg.maximum(mg.sqrt(mg.sum(x * x)), limit)",
        "the value is changed",
    )
    c.wrong(h + "(u * limit / mg.maximum(mg.sqrt(mg.sum(u * u, axis=-1)), limit), None)")


@exercise("nearest", points=4, function="nearest(x, upstream, codes)")
def nearest(c):
    c.property(
        "arrays of two axes, and a code that is hit exactly",
        chosen,
        vary=(),
        reveal="message",
        points=[
            ([[0.2, 2.6], [9.0, -5.0]], [[1.0, 10.0], [100.0, 1000.0]], [0.0, 3.0]),
            ([3.0, 0.0], [2.0, 4.0], [0.0, 3.0]),
            ([[0.0, 1.0], [4.0, -1.0]], [[1.0, 2.0], [3.0, 4.0]], [-1.0, 1.0, 5.0, 3.0]),
        ],
    )
    c.hint(
        "For each x the distances to all codes: one axis more.",
        "mg.argmin along the last axis is the place of the nearest code, and mg.one_hot makes a mask of it.",
        "return mg.sum(hit * codes, axis=___), lambda upstream: (upstream, None)",
    )
    c.solution("The choice has no slope, so the rule passes upstream to x, as if the code were x itself.")
    h = (
        "@mg.custom_gradient\ndef nearest(x, codes):\n    d = abs(mg.expand_dims(x, -1) - codes)\n"
        "    y = mg.sum(mg.one_hot(mg.argmin(d, axis=-1), len(codes)) * codes, axis=-1)\n"
        "    return y, lambda u: "
    )
    c.accept("mg.expand_dims(x, -1) - codes -> codes - mg.expand_dims(x, -1)", "a distance has no sign")
    c.accept("-1 -> 1", "where x has one axis, axis 1 of the distances is the last one")
    c.wrong(
        "@mg.custom_gradient\ndef nearest(x, codes):\n    d = abs(mg.expand_dims(x, -1) - codes)\n"
        "    hit = mg.where(d <= mg.min(d, axis=-1, keepdims=True), 1.0, 0.0)\n"
        "    return mg.sum(hit * codes, axis=-1), lambda u: (u, None)",
        "both of two that are equally near",
    )
    c.wrong(h + "(u, u)")
    c.wrong(h + "u")
    c.wrong(h + "(1.0 + 0 * u, None)", "forgot the upstream gradient")
    c.wrong(h + "(0 * u, None)", "the true slope")
    c.wrong(h + "(-u, None)", "the sign is flipped")
    c.wrong(h + "(u * y, None)", "multiplied by the code")
    c.wrong(h + "(None, None)", "no gradient for x")
    c.wrong(h + "(None, mg.sum(u))")
    c.wrong(h + "(x, None)", "the input instead of its gradient")
    c.wrong(h.replace("argmin", "argmax") + "(u, None)", "the farthest")
    c.wrong(
        h.replace("abs(mg.expand_dims(x, -1) - codes)", "mg.expand_dims(x, -1) - codes") + "(u, None)",
        "the nearest without its sign",
    )
    c.wrong(
        h.replace("mg.sum(mg.one_hot(mg.argmin(d, axis=-1), len(codes)) * codes, axis=-1)", "mg.min(d, axis=-1)")
        + "(u, None)",
        "the distance",
    )
    c.wrong(
        "def nearest(x, codes):\n    d = abs(mg.expand_dims(x, -1) - codes)\n"
        "    return mg.sum(mg.one_hot(mg.argmin(d, axis=-1), len(codes)) * codes, axis=-1)"
    )
    c.wrong(
        "def nearest(x, codes):\n    d = abs(mg.expand_dims(x, -1) - codes)\n"
        "    q = mg.sum(mg.one_hot(mg.argmin(d, axis=-1), len(codes)) * codes, axis=-1)\n"
        "    return x + (q - mg.stop_gradient(x))",
        "a gradient for the codes",
    )
    c.wrong("def nearest(x, codes): return x", "x itself")
