"""Lesson 13, memory for time: what its exercises compute. Answers and hints are in 13_hidden.py."""

import gc
import math
import weakref

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, mistake
from minigrad.core.graph import ancestors


def text(v):
    return np.array2string(np.asarray(v, float), precision=5, separator=", ", threshold=8).replace("\n", "")


RUNS = [(0.5, 1.0), (0.5, -3.0), ([2.0, 1.0, -1.0], [10.0, 1.0, 100.0])]


def recomputed(recompute, x, upstream):
    calls, made = [0], []

    def f(x):
        calls[0] += 1
        inside = mg.exp(x)
        if isinstance(inside, mg.Tensor):
            made.append(weakref.ref(inside))
        return mg.sin(inside)

    x = mg.constant(np.array(x))
    u = np.array(upstream)
    where = f"f = sin(exp(x)), x = {text(x.value)}, upstream {text(u)}"
    wrapped = recompute(f)
    if not callable(wrapped):
        return f"recompute(f) is {wrapped!r:.60}. It should be a function of x."
    y = wrapped(x)
    if isinstance(y, tuple) and len(y) == 2 and callable(y[1]):
        return mistake.no_decorator
    if not isinstance(y, mg.Tensor):
        return f"{where}: the result is of type {type(y).__name__}, not a Tensor."
    if not np.allclose(y.value, np.sin(np.exp(x.value))):
        return mistake(
            "the value is changed",
            f"{where}: the value is {text(y.value)}. It should be {text(np.sin(np.exp(x.value)))}.",
        )
    forward = calls[0]
    gc.collect()
    if any(ref() is not None for ref in made):
        remembered = {id(node) for node in ancestors([y])} & {id(ref()) for ref in made}
        why = (
            "The value that is returned remembers it: mg.constant(f(x).value) does not."
            if remembered
            else "The rule, or something outside of it, holds what the first run made: let the rule run f itself."
        )
        return mistake("what f made is kept", f"{where}: exp(x) is still in memory after the forward pass. {why}")
    g = mg.gradients(y, x, grad_ys=mg.constant(u))[0]
    true, plain = u * np.cos(np.exp(x.value)) * np.exp(x.value), np.cos(np.exp(x.value)) * np.exp(x.value)
    if g is None:
        return mistake("no gradient", f"{where}: the gradient is None.")
    if g.shape != x.shape or not np.allclose(g.value, true):
        words = f"{where}: the gradient is {text(g.value)}. It should be {text(true)}."
        named = {
            "forgot the upstream gradient": plain,
            "passed the upstream gradient on unchanged": u,
            "the value instead of the gradient": np.sin(np.exp(x.value)),
            "one number for a whole array": np.sum(true),
            "multiplied by the upstream gradient twice": u * u * plain,
            "the sign is flipped": -true,
        }
        return next(
            (mistake(n, words) for n, w in named.items() if np.shape(w) == g.shape and np.allclose(g.value, w)), words
        )
    if calls[0] - forward != 1 or forward != 1:
        often = forward > 1 or calls[0] - forward > 1
        return mistake(
            "f is run too often" if often else "f is not run again",
            f"{where}: f ran {forward} times forward and {calls[0] - forward} times backward. Once each is enough.",
        )
    bend = mg.gradients(g, x)[0]
    e = np.exp(x.value)
    second = u * (np.cos(e) * e - np.sin(e) * e * e)
    if bend is None or not np.allclose(bend.value, second):
        return mistake(
            "the second derivative is lost",
            f"{where}: the second derivative is {None if bend is None else text(bend.value)}. It should be "
            f"{text(second)}. Let the rule compute with x and with the upstream gradient themselves, not with their "
            "values.",
        )
    if x.shape == ():
        return True
    x, u = mg.constant(np.array([1.0, 2.0])), np.array([1.0, 10.0])
    got = mg.gradients(recompute(lambda t: t * mg.sum(t))(x), x, grad_ys=mg.constant(u))[0]
    if got is None or not np.allclose(got.value, [24.0, 51.0]):
        return mistake(
            "the upstream gradient comes too late",
            "f = x * sum(x), x = [1, 2], upstream [1, 10]: the gradient is "
            f"{None if got is None else text(got.value)}. It should be [24, 51]. Begin the pass with grad_ys.",
        )
    verdict = squared(recompute)
    return between(recompute) if verdict is True else verdict


def between(recompute):
    """Whether the gradient of one call is right where the function was called again before the backward pass."""
    wrapped = recompute(lambda t: t * mg.exp(t))
    x, other = mg.constant(0.5, dtype="float64"), mg.constant(1.0, dtype="float64")
    y = wrapped(x)
    wrapped(other)
    g = mg.gradients(y, x)[0]
    true = 1.5 * np.exp(0.5)
    if g is not None and np.allclose(g.value, true):
        return True
    got = None if g is None else text(g.value)
    return mistake(
        "the input of another call",
        f"f = x * exp(x), called at x = 0.5 and then at x = 1: the gradient for x = 0.5 is {got}. It should be "
        f"{text(true)}. Nothing may be kept outside of `wrapped`.",
    )


def squared(recompute):
    """Whether the square of a piece, whose upstream gradient depends on x, has its slope and its second derivative."""
    at = 0.5
    x = mg.constant(at, dtype="float64")
    y = recompute(mg.exp)(x)
    (slope,) = mg.gradients(y * y, x)
    (second,) = mg.gradients(slope, x) if slope is not None else (None,)
    where = "The square of recompute(mg.exp), at x = 0.5"
    for what, got, true in (("gradient", slope, 2 * np.exp(1.0)), ("second derivative", second, 4 * np.exp(1.0))):
        if got is None or not np.allclose(got.value, true):
            return mistake(
                "the upstream gradient loses its arrow",
                f"{where}: the {what} is {None if got is None else text(got.value)}. It should be {text(true)}. "
                "Hand the upstream gradient over as it is: grad_ys=upstream.",
            )
    return True


@exercise("recompute", points=3, function="recompute(x, upstream)", graded=False)
def recompute(c):
    c.property("value and gradient of f, and nothing of its inside is kept", recomputed, vary=(), points=RUNS)
    c.unaided("recompute_grad")


def scaled(k, calls, made):
    def layer(x):
        calls[k] += 1
        inside = mg.sin(x)
        made.append(weakref.ref(inside))
        return inside * (k + 1.0)

    return layer


def run(layers, x):
    for layer in layers:
        x = layer(x)
    return x


PIECES = [(4, 2), (5, 2), (3, 1), (3, 3), (2, 5), (9, 3)]


def pieces(in_pieces, n, size):
    calls, made = [0] * n, []
    layers = [scaled(k, calls, made) for k in range(n)]
    given = list(layers)
    where = f"{n} layers, size {size}"
    count = 2 + n % 2
    numbers, upstream = np.array([0.5, -1.0, 0.1][:count]), mg.constant(np.array([1.0, 10.0, -3.0][:count]))
    x, true_x = mg.constant(numbers), mg.constant(numbers.copy())
    values = [true_x]
    for layer in layers:
        values.append(layer(values[-1]))
    true = values[-1]
    slope = mg.gradients(true, true_x, grad_ys=upstream)[0].value
    calls[:], made[:] = [0] * n, []
    model = in_pieces(layers, size)
    if not callable(model):
        return f"{where}: the result is of type {type(model).__name__}. It should be a function of x."
    y = model(x)
    if layers != given:
        return mistake("the list of layers is changed", f"{where}: {len(layers)} of {n} layers are left in it.")
    if not isinstance(y, mg.Tensor):
        return f"{where}: the function of x returned {'None' if y is None else type(y).__name__}, not a Tensor."
    if not np.allclose(y.value, true.value):
        words = f"{where}: the value is {text(y.value)}. It should be {text(true.value)}; the layers ran {calls} times."
        if 0 in calls:
            return mistake("a layer is left out", words)
        if max(calls) > 1:
            return mistake("a layer runs twice", words)
        parts = [given[k : k + size] for k in range(0, n, size)]
        orders = {
            "the layers are in another order": [given[::-1], sum(parts[::-1], []), sum((p[::-1] for p in parts), [])],
            "each piece gets x": [parts[-1]],
        }
        for name, found in orders.items():
            if any(np.allclose(y.value, run(order, x).value) for order in found):
                return mistake(name, words)
        return words
    nodes = [t for t in ancestors([y]) if t is not x and t.op is not None]
    want = math.ceil(n / size)
    forward = list(calls)
    gc.collect()
    kept_inside = sum(ref() is not None for ref in made)
    again = model(x)
    if not isinstance(again, mg.Tensor) or not np.allclose(again.value, true.value):
        return mistake(
            "it works only once", f"{where}: called again with the same x, the function of x gives something else."
        )
    calls[:] = forward
    try:
        g = mg.gradients(y, x, grad_ys=upstream)[0]
    except ValueError as error:
        if "run again by recompute_grad" not in str(error):
            raise
        return mistake(
            "a piece runs other layers the second time", f"{where}: the second run of a piece gave other values."
        )
    back = [c - f for c, f in zip(calls, forward)]
    if g is None or not np.allclose(g.value, slope):
        words = (
            f"{where}: the gradient is {None if g is None else text(g.value)}. It should be {text(slope)}. In "
            f"the backward pass the layers ran {back} times."
        )
        return mistake("a piece runs other layers the second time", words) if 0 in back else words
    if len(nodes) > 1.5 * n and max(back) == 0:
        return mistake(
            "nothing is recomputed", f"{where}: the graph keeps {len(nodes)} values, and no layer runs again."
        )
    if len(nodes) == 1 < want and max(back) > 1:
        return mistake("the whole is wrapped as well", f"{where}: in the backward pass the layers ran {back} times.")
    if len(nodes) != want:
        values_are = "value is" if len(nodes) == 1 else "values are"
        words = f"{where}: {len(nodes)} {values_are} kept. {want} pieces keep {want}."
        names = {1: "one piece", n: "a piece for each layer", size: "the number of pieces for their size"}
        return mistake(names[len(nodes)], words) if len(nodes) in names else words
    ends = [*range(size, n, size), n]
    if not all(any(np.allclose(t.value, values[k].value) for t in nodes) for k in ends):
        return mistake(
            "pieces of other sizes", f"{where}: the pieces should end behind the layers {', '.join(map(str, ends))}."
        )
    if kept_inside:
        return mistake(
            "the inside of a piece is kept",
            f"{where}: after the forward pass {kept_inside} results from the inside of layers are in memory, and the "
            "layers run again all the same. mg.recompute_grad keeps none of them.",
        )
    if back != [1] * n:
        return mistake(
            "a layer runs too often", f"{where}: in the backward pass the layers ran {back} times. Once each is enough."
        )
    return True


@exercise("in_pieces", points=3, function="in_pieces(n, size)", graded=False)
def in_pieces(c):
    c.property("pieces of `size` layers, each recomputed", pieces, vary=(), points=PIECES)


@exercise("kept", points=1, function="kept(n, size)")
def kept(c):
    like = {
        mistake("pieces alone", "While a piece runs again, its own values are there too: add its size."): lambda n, s: (
            math.ceil(n / s)
        ),
        mistake("all pieces at once", "Only one piece is open at a time."): lambda n, s: math.ceil(n / s) * s,
        mistake("nothing saved", "That is the chain without pieces."): lambda n, s: n,
        mistake(
            "the last piece is forgotten", "Pieces that do not come out even need one more: round up."
        ): lambda n, s: n // s + min(s, n),
        mistake("multiplied", "The pieces and the open one are kept together: add."): lambda n, s: (
            math.ceil(n / s) * min(s, n)
        ),
        mistake("twice the root", "That is its best value, at size = the root of n."): lambda n, s: math.ceil(
            2 * math.sqrt(n)
        ),
        mistake("a piece larger than the chain", "A piece has at most n layers."): lambda n, s: math.ceil(n / s) + s,
        mistake("exchanged", "size is the length of a piece, not their number."): lambda n, s: s,
        mistake("not a whole number", "Values are counted: round up."): lambda n, s: n / s + s,
    }
    for n, s in ((64, 8), (64, 16), (10, 3), (64, 1), (64, 64), (5, 9)):
        c.example(
            (n, s),
            math.ceil(n / s) + min(s, n),
            says="states at the ends of pieces, and one open piece",
            looks_like=like,
        )


@exercise("longest", points=2, function="longest(states, sweeps)")
def longest(c):
    like = {
        mistake("multiplied", "Both parts of the chain are added."): lambda s, t: s * t,
        mistake("one sweep for all", "Each state may be set again in every sweep."): lambda s, t: s + t,
        mistake("halved each time", "The best cut is not in the middle."): lambda s, t: 2 ** min(s, t),
        mistake("a power", "Not every choice is possible: states are used up."): lambda s, t: (s + 1) ** t,
        mistake("one too few", "With no sweep left one step is still possible: the last one."): lambda s, t: (
            math.comb(s + t, s) - 1
        ),
        mistake("the start is not counted", "The start takes one of the states."): lambda s, t: math.comb(
            s + t + 1, s + 1
        ),
        mistake("one state too few", "Count the start as one of the states, once."): lambda s, t: math.comb(
            s + t - 1, max(s - 1, 0)
        ),
        mistake("one sweep too few", "The left part has one sweep fewer; the whole has all of them."): lambda s, t: (
            math.comb(s + max(t - 1, 0), s)
        ),
        mistake("factorials not divided", "Order does not count."): lambda s, t: (
            math.factorial(s + t) // math.factorial(s)
        ),
    }
    for s, t in ((1, 3), (2, 1), (2, 2), (3, 2), (3, 3), (5, 5), (10, 3), (4, 0)):
        c.example((s, t), math.comb(s + t, s), says="the longest chain", looks_like=like)


def masks(dropout, rate, seed, size):
    where = f"{size} numbers, rate {rate:g}, seed {seed}"
    numbers = np.resize([3.0, 5.0, 2.0, 7.0, 0.1], size)
    x = mg.constant(numbers.copy())
    first = dropout(x, rate, seed)
    if not isinstance(first, mg.Tensor):
        return f"{where}: the result is {'None' if first is None else 'of type ' + type(first).__name__}, not a Tensor."
    if first.shape != x.shape:
        return f"{where}: the result has the shape {first.shape}. It should have that of x, {x.shape}."
    if (x.value != numbers).any():
        return mistake("the input is changed", f"{where}: x was {text(numbers)}, and is {text(x.value)} afterwards.")
    before = np.random.get_state(legacy=False)["state"]  # the numbers and the place among them
    y = mg.recompute_grad(lambda x: dropout(x, rate, seed))(x)
    again = dropout(x, rate, seed)
    other = dropout(x, rate, seed + 1)
    after = np.random.get_state(legacy=False)["state"]
    if after["pos"] != before["pos"] or (after["key"] != before["key"]).any():
        return mistake(
            "the generator of everybody is used",
            f"{where}: the state of np.random changed. Others draw from it as well; make a generator of your own.",
        )
    v = y.value
    if not np.array_equal(v, again.value, equal_nan=True):
        return mistake(
            "another mask each time",
            f"{where}: two calls with the same seed differ: {text(v)} and {text(again.value)}.",
        )
    factors = v / numbers
    if size > 20 and np.allclose(factors, factors[0]):
        return mistake(
            "one number for all",
            f"{where}: all entries of x are multiplied by {factors[0]:g}. Each entry has a random number of its own.",
        )
    if size > 20 and np.array_equal(v, other.value):
        return mistake("the seed is not used", f"{where}: seed {seed + 1} gives the same mask.")
    scale = 1 / (1 - rate)
    right = np.isclose(factors, 0) | np.isclose(factors, scale)
    if not right.all():
        kinds = np.unique(factors.round(4)).tolist()[:8]
        words = f"{where}: the entries of x are multiplied by {kinds}. It should be by 0 and {scale:g}."
        names = {
            1.0: "not scaled",
            1 / rate if rate else 0.0: "scaled by the rate",
            1 / scale: "multiplied, not divided",
        }
        if np.isclose(v[~right], scale).all():
            return mistake("x is left out", f"{where}: x is {text(numbers)}, and the values are {text(v)}.")
        return next((mistake(n, words) for k, n in names.items() if np.isclose(k, factors[~right]).all()), words)
    dropped = float(np.mean(v == 0))
    if size > 1000 and abs(dropped - rate) > 0.05:
        words = f"{where}: {dropped:.2f} of the entries are 0. It should be about {rate:g}."
        return mistake("the rate is kept, not dropped" if abs(dropped - (1 - rate)) < 0.05 else "another rate", words)
    if size > 20 and 0 < dropped < 1 and len(set(np.diff(np.flatnonzero(v == 0)))) < 2:
        return mistake("a pattern, not chance", f"{where}: the zeros follow a pattern.")
    upstream = np.resize([1.0, -2.0, 10.0, 0.5], size)
    g = mg.gradients(y, x, grad_ys=mg.constant(upstream))[0]
    if g is None or not np.allclose(g.value, upstream * factors):
        same = g is not None and np.array_equal(g.value != 0, v != 0)
        got = None if g is None else text(g.value)
        words = f"{where}, upstream {text(upstream)}: value {text(v)}, gradient {got}."
        return words if same else mistake("the gradient has another mask", words)
    rows = np.reshape(np.arange(1.0, 601.0), (20, 30))
    table = dropout(mg.constant(rows), 0.5, seed).value / rows
    if table.shape != rows.shape or not (np.isclose(table, 0) | np.isclose(table, 2)).all():
        return f"x of shape (20, 30), rate 0.5, seed {seed}: each entry should be 0 or twice that of x."
    if len(set(table.ravel().tolist())) == 1:
        return mistake(
            "one number for all",
            f"x of shape (20, 30), rate 0.5, seed {seed}: all entries of x are multiplied by {table[0, 0]:g}. "
            "Each entry has a random number of its own.",
        )
    if (table == table[0]).all() or (table == table[:, :1]).all():
        return mistake(
            "one mask for all rows",
            f"x of shape (20, 30), rate 0.5, seed {seed}: all rows or all columns are equal. Draw x.shape numbers.",
        )
    counts = {int((dropout(x, rate, s).value == 0).sum()) for s in range(8)}
    if size > 20 and len(counts) == 1:
        return mistake(
            "always as many",
            f"{where}: with each of the seeds 0 to 7 exactly {counts.pop()} entries are 0. Each entry has a random "
            "number of its own, so that count varies.",
        )
    return True


@exercise("dropout", points=2, function="dropout(rate, seed, size)", seconds=5.0)
def dropout(c):
    c.property(
        "the same seed gives the same mask, also when it is recomputed",
        masks,
        vary=(),
        points=[(0.5, 0, 8), (0.25, 7, 40), (0.25, 1, 4000), (0.0, 3, 5)],
    )
    c.unaided("dropout")
