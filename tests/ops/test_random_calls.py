"""Random calls compared with NumPy, and their gradients with central differences; thousands of them at night.

Run it as a program for any number of cases: `python -m tests.ops.test_random_calls 10000 SEED`.
"""

import inspect
import sys
import warnings

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.op_samples import floats, outputs
from tests.helpers.random_calls import CALLS, function_of, given, reference_of

REFUSED = (ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError)
#: Calls that are refused on purpose, though NumPy computes them, by the words of the error.
ON_PURPOSE = (
    "would change the dtype", "takes as many", "no gradient", "where= may be left without", "cross takes vectors",
    "quantile takes numbers", "takes rows with elements", "cannot cut an axis", "is defined where",
    "holds no fractions", "numpy boolean",
)  # fmt: skip
TOLERANCE = {"float16": 2e-2, "float32": 2e-5, "float64": 1e-9}


def computed(f, *args, **kwargs):
    """The outputs of a call, or the error that it raises."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return outputs(f(*args, **kwargs))
    except Exception as error:
        return error


def arguments(rng, call, operands):
    """The arguments of the op: each option by position or by keyword, in a random form."""
    f = function_of(call)
    forms = {name: given(rng, value) for name, value in call.options.items()}
    args = [operands] if call.many else [*operands]
    parameters = [*inspect.signature(f).parameters.values()] if call.options else []
    for p in parameters[len(args) :]:
        if p.kind is not p.POSITIONAL_OR_KEYWORD or p.name not in forms or rng.random() < 0.5:
            break
        args.append(forms.pop(p.name))
    return args, forms


def wrong(call, seed):
    """The fault of a call, as a sentence; "" if it agrees with NumPy and with finite differences."""
    with np.errstate(all="ignore"):
        expected = computed(reference_of(call), *([call.operands] if call.many else call.operands), **call.options)
    rng = np.random.default_rng(seed)
    xs = [mg.constant(x) for x in call.operands]
    args, kwargs = arguments(rng, call, xs)
    got = computed(function_of(call), *args, **kwargs)
    if isinstance(got, Exception):
        if not isinstance(got, REFUSED) or not str(got):
            return f"raises {got!r}"
        return "" if isinstance(expected, Exception) or any(w in str(got) for w in ON_PURPOSE) else f"raises {got!r}"
    if isinstance(expected, Exception):
        number = call.operands and not np.ndim(call.operands[0])  # np.sum takes axis=-1 for a number, np.mean does not
        return (
            f"NumPy raises {expected!r}, got {got!r}"
            if isinstance(expected, np.exceptions.AxisError) and not number
            else ""
        )
    if len(got) != len(expected):
        return f"{len(got)} outputs for {len(expected)}"
    narrow = min(
        (str(x.dtype) for x in xs if x.dtype.kind == "f"), key=lambda d: np.dtype(d).itemsize, default="float64"
    )
    if not all(isinstance(y, mg.Tensor) for y in got):
        return f"no Tensors: {got!r:.200}"
    for y, e in zip(got, expected):
        value, e = np.asarray(y.value), np.asarray(e)
        if value.shape != e.shape:
            return f"shape {value.shape} for {e.shape}"
        tolerance = TOLERANCE[narrow]
        scale = np.max(np.abs(e[np.isfinite(e)]), initial=1.0) if e.dtype.kind == "f" else 1.0
        if not np.allclose(value, e, tolerance, tolerance * scale, equal_nan=True):
            return f"value {value.tolist()!r:.200} for {e.tolist()!r:.200}"
    return gradients_wrong(call, xs, got, args, kwargs, rng)


def gradients_wrong(call, xs, ys, args, kwargs, rng):
    sources = [x for x in xs if x.dtype.kind == "f"]
    targets = floats(ys)
    if not sources or not targets:
        return ""
    seeds = [mg.constant(rng.uniform(0.5, 1.5, y.shape), y.dtype) for y in targets]
    try:
        found = mg.gradients(targets, sources, seeds)
    except Exception as error:
        if isinstance(error, REFUSED) and any(w in str(error) for w in ON_PURPOSE):
            return ""
        return f"the gradient raises {error!r}"
    for x, g in zip(sources, found):
        if g is not None and (g.shape, g.dtype) != (x.shape, x.dtype):
            return f"a gradient of shape {g.shape} and {g.dtype} for {x.shape} and {x.dtype}"
    if call.hard or any(x.dtype != np.float64 for x in xs) or not all(np.isfinite(y.value).all() for y in targets):
        return ""
    steps = [rng.uniform(-1, 1, x.shape) for x in sources]

    def number(t):
        values = iter([x.value + t * step for x, step in zip(sources, steps)])
        moved = {id(x): mg.constant(next(values)) for x in sources}
        put = lambda a: moved.get(id(a), a)
        new = [[put(a) for a in args[0]], *args[1:]] if call.many else [put(a) for a in args]
        with np.errstate(all="ignore"):
            return sum(
                float(np.sum(y.value * s.value))
                for y, s in zip(floats(outputs(function_of(call)(*new, **kwargs))), seeds)
            )

    slope = sum(float(np.sum(g.value * step)) for g, step in zip(found, steps) if g is not None)
    by_steps = [(number(h) - number(-h)) / (2 * h) for h in (1e-5, 1e-6)]
    close = min(abs(slope - s) for s in by_steps)
    if not close <= 1e-5 * max(1.0, abs(slope)) and abs(by_steps[0] - by_steps[1]) < 1e-4 * max(1.0, abs(by_steps[0])):
        return f"the slope along a line is {slope}, by finite differences {by_steps[1]}"
    return ""


def run(count, seed):
    """Yield what is wrong with `count` random calls, with the calls."""
    names = list(CALLS)
    for i in range(count):
        rng = np.random.default_rng([seed, i])
        name = names[i % len(names)]
        call = CALLS[name](rng, name)
        if sentence := wrong(call, [seed, i, 1]):
            yield f"case {i} of seed {seed}: {call}: {sentence}"


def test_random_calls_agree_with_numpy_and_their_gradients_with_finite_differences(request):
    count = 400 if request.config.getoption("quick") else 6000
    assert not [*run(count, seed=36)]


@pytest.mark.parametrize("change", [1.001, -1.0])
def test_a_wrong_gradient_would_be_found(change, monkeypatch):
    from minigrad.core.op import OPS

    rule = OPS["tanh"].vjps[0]
    monkeypatch.setattr(OPS["tanh"], "vjps", (lambda g, y, a: change * rule(g, y, a),))
    names = [i for i, name in enumerate(CALLS) if name == "tanh"]
    calls = [CALLS["tanh"](np.random.default_rng([7, i]), "tanh") for i in range(20)]
    assert names and any("slope" in wrong(call, [7, i]) for i, call in enumerate(calls))


if __name__ == "__main__":
    lines = list(run(int(sys.argv[1]), int(sys.argv[2])))
    print("\n".join(lines))
    print(f"{len(lines)} of {sys.argv[1]} calls are wrong")
