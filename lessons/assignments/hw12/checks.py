"""The checks of hw12, which students receive."""

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, floats, mistake

near = floats(-3.2, 3.2, also=(0.3, -0.8, 2.0, 1.0, -1.0))  # none of the inputs tried first is halfway


def level(x):
    return float(np.clip(np.round(2 * x) / 2, -1, 1))


@exercise("quantize", points=3, function="quantize(x)")
def quantize(c):
    c.value(
        level,
        vary=(near,),
        says="the nearest of -1, -0.5, 0, 0.5, 1",
        looks_like={
            mistake("whole numbers only", "The levels are half a unit apart: round(2 * x) / 2."): lambda x: float(
                np.clip(np.round(x), -1, 1)
            ),
            mistake("not limited", "Beyond 1 the value stays 1."): lambda x: float(np.round(2 * x) / 2),
        },
    )
    c.derivative(
        "upstream from -1 to 1, and 0 beyond",
        vary=(near,),
        slope=lambda x: 1.0 * (abs(x) <= 1),
        word="{} asked for",
        looks_like={
            mistake(
                "also outside of -1 .. 1",
                "There the value is stuck at 1, and a weight out there would drift away for ever.",
            ): lambda x, u: u
        },
    )
    c.custom(vary=(near,))
    c.small(nodes=60, constants=24, vary=(near,), says="made of a few ops, without a table of numbers")
    c.linear(vary=(near,))


def text(v):
    return np.array2string(np.asarray(v, float), precision=5, separator=", ").replace("\n", "")


#: Rounding of float64, so that a rule in float32 is not enough.
NEAR = {"rtol": 1e-12, "atol": 1e-15}


def pulled(f, arguments, upstream):
    x, *more = arguments
    x = mg.constant(np.array(x, dtype=float))
    y = f(x, *more)
    return (
        x.value,
        y,
        mg.gradients(y, x, grad_ys=mg.constant(np.broadcast_to(np.array(upstream, dtype=float), y.shape)))[0],
    )


def told(where, g, true, wrong):
    if g is None:
        return mistake("no gradient for x", f"{where}: the gradient of x is None.")
    g = g.numpy()
    if g.shape == true.shape and np.allclose(g, true, **NEAR):
        return True
    words = f"{where}: the gradient is {text(g)}. {text(true)} asked for."
    return next(
        (mistake(n, words) for n, w in wrong.items() if np.shape(w) == g.shape and np.allclose(g, w, equal_nan=True)),
        words,
    )


def shortened(clip_by_norm, x, upstream, limit):
    where = f"x = {text(x)}, upstream {text(upstream)}, limit {limit:g}"
    value, y, g = pulled(clip_by_norm, (x, limit), upstream)
    if y.shape != value.shape or not np.allclose(y.value, value, **NEAR):
        return mistake("the value is changed", f"{where}: the value is {text(y.value)}. It should stay {text(x)}.")
    u = np.broadcast_to(np.array(upstream, dtype=float), value.shape)
    norm = np.sqrt(np.sum(u * u))
    with np.errstate(all="ignore"):
        wrong = {
            "each entry is clipped by itself": np.clip(u, -limit, limit),
            "always as long as the limit": u * limit / norm,
            "nothing is clipped": u,
            "the square of the length": u * min(1.0, limit / (norm * norm)),
            "the largest entry for the length": u * limit / max(abs(u).max(), limit),
            "the sum for the length": u * limit / max(abs(u).sum(), limit),
            "the limit is not used": u / max(norm, 1.0),
            "longer instead of shorter": u * max(norm, limit) / limit,
            "dropped": u * (norm <= limit),
        }
    return told(where, g, u * min(1.0, limit / norm if norm else 1.0), wrong)


@exercise("clip_by_norm", points=4, function="clip_by_norm(x, upstream, limit)")
def clip_by_norm(c):
    c.property(
        "the gradient keeps its direction, and is not longer than the limit",
        shortened,
        vary=(),
        points=[
            ([8.0, 6.0], [8.0, -6.0], 5.0),
            ([1.0, 0.2], [0.4, 0.3], 5.0),
            (7.0, -3.0, 2.0),
            ([0.1, 2.0, 0.7], [0.4, -0.2, 0.3], 5.0),
        ],
    )


def chosen(nearest, x, upstream, codes):
    where = f"x = {text(x)}, codes {text(codes)}, upstream {text(upstream)}"
    held = mg.constant(np.array(codes, dtype=float))
    value, y, g = pulled(nearest, (x, held), upstream)
    c = np.array(codes, dtype=float)
    distances = abs(value[..., None] - c)
    true = c[np.argmin(distances, axis=-1)]
    nearest_of_all = y.shape == true.shape and np.allclose(distances.min(-1), abs(value - y.value), **NEAR)
    if nearest_of_all and np.isin(y.value, c).all():
        true = np.asarray(y.value)  # of two codes that are equally near, the other one
    if y.shape != true.shape or not np.allclose(y.value, true, **NEAR):
        words = f"{where}: the value is {text(y.value)}. It should be {text(true)}."
        names = {
            "both of two that are equally near": np.sum((distances == distances.min(-1, keepdims=True)) * c, -1),
            "the farthest": c[np.argmax(abs(value[..., None] - c), axis=-1)],
            "the place, not the code": np.argmin(abs(value[..., None] - c), axis=-1) * 1.0,
            "the distance": np.min(abs(value[..., None] - c), axis=-1),
            "the nearest without its sign": c[np.argmin(value[..., None] - c, axis=-1)],
            "x itself": value,
        }
        return next(
            (mistake(n, words) for n, w in names.items() if np.shape(w) == y.shape and np.allclose(y.value, w)), words
        )
    of_codes = mg.gradients(y, held, grad_ys=mg.constant(np.broadcast_to(np.array(upstream, float), y.shape)))[0]
    if of_codes is not None:
        return mistake(
            "a gradient for the codes",
            f"{where}: the gradient of codes is {text(of_codes.numpy())}. None is asked for.",
        )
    u = np.broadcast_to(np.array(upstream, dtype=float), y.shape)
    return told(
        where,
        g,
        u + 0.0,
        {
            "forgot the upstream gradient": np.ones_like(u),
            "the true slope": 0 * u,
            "the sign is flipped": -u,
            "multiplied by the code": u * true,
            "the input instead of its gradient": value,
            "only where x is near": u * (abs(value - true) < 0.5),
        },
    )


@exercise("nearest", points=4, function="nearest(x, upstream, codes)")
def nearest(c):
    c.property(
        "the nearest code, and the gradient goes straight through",
        chosen,
        vary=(),
        points=[
            ([0.2, 2.6, 9.0], [1.0, 10.0, 100.0], [0.0, 3.0]),
            ([1.2, -2.0], [3.0, -1.0], [-1.0, 1.0, 4.0]),
            ([1.5, 0.2], [2.0, 5.0], [1.0, 2.0]),
            ([0.8, -0.6, 0.2], [0.3, -0.7, 0.1], [-0.7, 0.1, 0.9]),
        ],
    )
