"""Lesson 5, copied forward and added back: what its exercises compute. Answers and hints are in 05_hidden.py."""

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, mine, mistake
from minigrad.classroom.answer_graph import Misused


def table(*rows):
    return np.array(rows, dtype=float)


the_value = mistake(
    "the value in the table", "The table holds slopes: how much the mean moves when an input moves by 1."
)
no_n = mistake(
    "1 / n is missing", "Your table says that the mean moves by 1. When one of n inputs does, it moves by 1 / n."
)
x_over_n = mistake("x / n in the table", "The slope does not depend on x: it is 1 / n for each input.")
column = mistake("a column instead of a row", "The mean is one output. The table has a row for each output: one row.")
n_rows = mistake("a row for each input", "The mean is one output, so the table has one row.")
diagonal = mistake("only the diagonal", "The mean is one output, and it uses all inputs: one row, without a 0.")
always_4 = mistake("n is fixed", "n is the number of inputs, x.size.")
less_one = mistake("1 / (n - 1)", "The mean divides by n.")


@exercise("jac_mean", function="jac_mean(x)")
def jac_mean(c):
    looks_like = {
        the_value: lambda x: np.full((1, x.size), x.mean()),
        no_n: lambda x: np.ones((1, x.size)),
        x_over_n: lambda x: x[None] / x.size,
        column: lambda x: np.full((x.size, 1), 1 / x.size),
        diagonal: lambda x: np.eye(x.size) / x.size,
        n_rows: lambda x: np.full((x.size, x.size), 1 / x.size),
        always_4: lambda x: np.full((1, x.size), 0.25),
        less_one: lambda x: np.full((1, x.size), 1 / max(1, x.size - 1)),
    }
    for x in ([2.0, 7.0], [1.0, 2.0, 3.0, 4.0], [5.0], [0.0, 0.0, 3.0]):
        x = np.array(x)
        c.example(
            (x,),
            np.full((1, x.size), 1 / x.size),
            says="one row, a column for each input",
            looks_like=looks_like,
            rtol=1e-12,
        )


exchanged = mistake("rows and columns are swapped", "A row for each output, a column for each input.")
identity = mistake("only the diagonal", "Output i is the sum of the inputs 0 to i, not input i alone.")
everywhere = mistake("ones everywhere", "Look at output 0: which inputs does it move with?")
strictly = mistake("the diagonal is missing", "Output i has x[i] in it: there is a 1 on the diagonal, too.")
values = mistake("values in the table", "The table holds slopes. A sum has slope 1 for each of its parts.")
running_mean = mistake("a running mean", "cumsum does not divide.")
inverse = mistake("differences instead of sums", "That undoes cumsum. Output i adds up the inputs 0 to i.")


@exercise("jac_cumsum", function="jac_cumsum(x)")
def jac_cumsum(c):
    def lower(x):
        return np.tril(np.ones((x.size, x.size)))

    looks_like = {
        exchanged: lambda x: lower(x).T,
        identity: lambda x: np.eye(x.size),
        everywhere: lambda x: np.ones((x.size, x.size)),
        strictly: lambda x: lower(x) - np.eye(x.size),
        values: lambda x: lower(x) * x,
        running_mean: lambda x: lower(x) / np.arange(1, x.size + 1)[:, None],
        inverse: lambda x: np.eye(x.size) - np.eye(x.size, k=-1),
    }
    for x in ([2.0, 7.0], [1.0, 2.0, 3.0], [5.0], [0.0, -1.0, 3.0, 9.0]):
        c.example(
            (np.array(x),),
            lower(np.array(x)),
            says="a 1 wherever output i uses input j",
            looks_like=looks_like,
        )


transposed = mistake(
    "rows and columns are swapped", "Row 0 is the smallest number. Its 1 is in the column of that input."
)
not_moved = mistake("nothing is moved", "Row 0 belongs to the smallest number. At which index of x is it?")
largest = mistake("the largest first", "sort starts with the smallest.")
unstable = mistake("equal numbers in another order", "Of equal numbers the first in x comes first: kind='stable'.")
a_jump = mistake("no slope at all", "When an input moves a little, the output at its place moves as much: slope 1.")
sorted_values = mistake("values in the table", "The table holds slopes: 1 where an input became this output.")


@exercise("jac_sort", points=2, function="jac_sort(x)")
def jac_sort(c):
    def rows(x):
        table = np.zeros((x.size, x.size))
        table[np.arange(x.size), np.argsort(x, kind="stable")] = 1
        return table

    looks_like = {
        transposed: lambda x: rows(x).T,
        not_moved: lambda x: np.eye(x.size),
        largest: lambda x: rows(x)[::-1],
        a_jump: lambda x: np.zeros((x.size, x.size)),
        sorted_values: lambda x: rows(x) * x,
        unstable: lambda x: np.eye(x.size)[np.argsort(x)],
        everywhere: lambda x: np.ones((x.size, x.size)),
    }
    for x in (
        [3.0, 1.0, 2.0],
        [1.0, 2.0, 3.0],
        [2.0, 1.0],
        [4.0, 1.0, 3.0, 2.0],
        [1.0, 1.0, 0.0],
        [-3.0, 1.0, -2.0, 0.5],
        [5.0],
        [float(i * i % 3) for i in range(40)],
    ):
        c.example(
            (np.array(x),),
            rows(np.array(x)),
            says="in row i a 1 where output i comes from",
            looks_like=looks_like,
        )


flipped = mistake("the weights are flipped", "y[0] is w[0] * x[0] + w[1] * x[1] + ...: w[0] comes first.")
padded = mistake("a row for each input", "There are n - k + 1 outputs: the window stays inside of x.")
one_few = mistake("one row is missing", "There are n - k + 1 outputs. The last one ends with the last input.")
still = mistake("the window does not move", "Row i starts in column i.")
jumps = mistake("the window jumps by its width", "Row i starts in column i: one place to the right each time.")
of_weights = mistake("the slopes for the weights", "These are slopes with respect to w. The columns belong to x.")
ones = mistake("ones instead of the weights", "The slope of w[0] * x[0] with respect to x[0] is w[0].")


def band(x, w, rows=None, step=1):
    table = np.zeros((x.size - w.size + 1 if rows is None else rows, x.size))
    for i in range(len(table)):
        for k in range(w.size):
            if i * step + k < x.size:
                table[i, i * step + k] = w[k]
    return table


@exercise("jac_conv1d", points=2, function="jac_conv1d(x, w)")
def jac_conv1d(c):
    looks_like = {
        flipped: lambda x, w: band(x, w[::-1]),
        exchanged: lambda x, w: band(x, w).T,
        padded: lambda x, w: band(x, w, rows=x.size),
        one_few: lambda x, w: band(x, w)[:-1],
        still: lambda x, w: band(x, w, step=0),
        jumps: lambda x, w: band(x, w, step=w.size),
        of_weights: lambda x, w: np.lib.stride_tricks.sliding_window_view(x, w.size),
        values: lambda x, w: band(x, w) * x,
        ones: lambda x, w: band(x, np.ones(w.size)),
    }
    for x, w in (
        ([1.0, 2.0, 3.0, 4.0], [1.0, 10.0]),
        ([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 10.0, 100.0]),
        ([1.0, 2.0], [3.0, 4.0]),
        ([2.0, 5.0, 7.0], [6.0]),
        ([1.0, 2.0, 3.0], [0.1, 0.7]),
        ([0.0, 0.0, 0.0], [1.0, -1.0, 2.0]),
    ):
        x, w = np.array(x), np.array(w)
        c.example(
            (x, w),
            band(x, w),
            says="a row for each output: the weights, one place to the right each time",
            looks_like=looks_like,
            rtol=1e-12,
        )


as_it_came = mistake("returned as it came", "The gradient must have the shape of the argument: add up what was copied.")
mean = mistake("the mean instead of the sum", "Each use of a number sends a message, and messages are added up.")
first_row = mistake("the first row only", "Each row sends a message: add them up.")
size_1 = mistake(
    "axes of size 1 are forgotten", "Along an axis of size 1 the number was copied: sum, with keepdims=True."
)
new_axes = mistake("new axes are forgotten", "The axes that the argument lacks are on the left: sum over axis 0.")
lost_axes = mistake(
    "an axis of size 1 is lost", "The argument has an axis of size 1 there: keep it, g.sum(axis=axis, keepdims=True)."
)
spread = mistake("everything is added up", "Add up only what was copied. Different entries keep their own sums.")
one_axis = mistake(
    "one new axis only", "There may be several new axes: sum over axis 0 until there are as many as in shape."
)
counts = mistake("counts instead of sums", "You counted the copies. Add up the upstream gradients that arrive.")


def right(g, shape):
    new = g.ndim - len(shape)
    copied = [new + axis for axis, size in enumerate(shape) if size == 1]
    return g.sum(axis=(*range(new), *copied)).reshape(shape)


by_minigrad = mistake(
    "minigrad adds it up", "Here minigrad does the sum. Your walk needs one of its own: NumPy's g.sum(axis=..., ...)."
)


def by_hand(unbroadcast, g, shape):
    """The result of an answer that does without minigrad."""
    names = getattr(getattr(unbroadcast, "__code__", None), "co_names", ())
    if {"mg", "minigrad", "mine"}.intersection(names):
        raise Misused(by_minigrad)
    return unbroadcast(g, shape)


@exercise("unbroadcast", points=3, function="unbroadcast(g, shape)")
def unbroadcast(c):
    looks_like = {
        as_it_came: lambda g, shape: g,
        mean: lambda g, shape: right(g, shape) * (np.prod(shape, dtype=int) / g.size),
        first_row: lambda g, shape: np.resize(g, shape),
        counts: lambda g, shape: right(np.ones_like(g), shape),
        spread: lambda g, shape: np.full(shape, g.sum()),
        lost_axes: lambda g, shape: right(g, shape).reshape([size for size in shape if size != 1]),
        new_axes: lambda g, shape: g if g.ndim > len(shape) else right(g, shape),
        size_1: lambda g, shape: right(g, tuple(size if size != 1 else 0 for size in shape)),
        one_axis: lambda g, shape: right(g.sum(axis=0), shape) if g.ndim == len(shape) + 1 else right(g, shape),
    }
    for given, shape in (
        ((4, 2), (2,)),
        ((2, 3), (2, 1)),
        ((2, 3), (2, 3)),
        ((2, 3), ()),
        ((3, 3), (3,)),
        ((2, 3), (1, 3)),
        ((2, 3, 2), (3, 1)),
        ((2, 3), (1, 1)),
        ((2, 1), (2, 1)),
        ((4, 1, 3), (1, 3)),
    ):
        g = (np.arange(5.0, 5 * np.prod(given) + 1, 5) % 13 / 10).reshape(given)  # 0.5, 1, 0.2, 0.7: in no order
        c.example(
            (g, shape),
            right(g, shape),
            says="the shape of the argument, and sums over what was copied",
            run=by_hand,
            looks_like=looks_like,
            rtol=1e-12,
        )
    c.unaided("sum_to")


class Loss:
    """A loss of a list of weights, with a text for the verdict and weights to begin with."""

    def __init__(self, text, f, weights):
        self.text, self.f, self.weights = text, f, [np.array(w, "float32") for w in weights]

    def __repr__(self):
        return self.text


def cross_entropy(z, T):
    return mg.mean(mg.log(mg.sum(mg.exp(z), axis=1)) - mg.sum(z * T, axis=1))


X = np.array([[1.0, 2.0], [0.5, -1.0], [-2.0, 0.25], [3.0, 1.0], [0.0, -0.5], [-1.0, 1.5]], "float32")
T = np.eye(2, dtype="float32")[[0, 1, 1, 0, 1, 0]]
LINE = Loss(
    "the mean of (X @ W + b - T)**2",
    lambda w: mg.mean((X @ w[0] + w[1] - T) ** 2),
    [[[0.5, -1.0], [0.25, 2.0]], [0.5, -0.25]],
)
BOWL = Loss("the sum of w * w, and 3 * v", lambda w: mg.sum(w[0] * w[0]) + 3 * w[1], [[1.0, -2.0, 4.0], 5.0])
SHALLOW = Loss(
    "the cross-entropy of a network with sizes (2, 3, 2)",
    lambda w: cross_entropy(mg.tanh(X @ w[0] + w[1]) @ w[2] + w[3], T),
    [[[0.5, -1.0, 0.75], [0.25, 1.0, -0.5]], [0.1, -0.2, 0.3], [[1.0, -0.5], [0.5, 0.75], [-1.0, 0.25]], [0.2, -0.1]],
)
DEEP = Loss(
    "the cross-entropy of a network with sizes (2, 1, 2, 2)",
    lambda w: cross_entropy(mg.tanh(mg.tanh(X @ w[0] + w[1]) @ w[2] + w[3]) @ w[4] + w[5], T),
    [[[0.5], [-1.0]], [0.25], [[1.0, -0.75]], [0.5, 0.125], [[1.0, -0.5], [0.5, 0.75]], [0.0, 0.25]],
)


def shown(a):
    return np.array2string(np.asarray(a, float), separator=", ", precision=4, threshold=8).replace("\n", "")


def right_step(loss, rate):
    """The slopes, the new weights and the loss."""
    tensors = [mg.constant(w) for w in loss.weights]
    y = loss.f(tensors)
    slopes = [g.numpy() for g in mg.gradients(y, tensors)]
    return slopes, [w - rate * g for w, g in zip(loss.weights, slopes)], float(y.numpy())


of_arrays = mistake(
    "arrays for Tensors",
    "loss_of got arrays, and arrays remember nothing. Make Tensors first, tensors = [mg.constant(w) for w in weights], "
    "and write loss = loss_of(tensors).",
)
by_other_walk = mistake(
    "the walk is minigrad's",
    "The numbers are right, but minigrad found the slopes, and your walk would never train. Write "
    "slopes = mine.gradients(loss, tensors), with tensors the list of your Tensors.",
)
called_whole = mistake("mine.step is called", "mine.step is what you write here. Write its four lines yourself.")

#: What a weight is after a usual mistake, from the weight, its slope and the rate.
USUAL = {
    "uphill": ("Against the slope is down: minus.", lambda w, g, r: w + r * g),
    "the rate is missing": ("The step is rate times the slope.", lambda w, g, r: w - g),
    "divided by the rate": ("The step is rate times the slope.", lambda w, g, r: w - g / r),
    "the slope instead of the weight": ("Subtract rate times the slope from the weight.", lambda w, g, r: g),
    "the step instead of the weight": ("Subtract that from the weight.", lambda w, g, r: r * g),
    "the step instead of the weight, downhill": ("Add that to the weight.", lambda w, g, r: -r * g),
    "the weights did not move": ("The new weights are those that came in.", lambda w, g, r: w),
    "only the sign of the slope": ("A large slope is a large step.", lambda w, g, r: w - r * np.sign(g)),
    "the mean of the slopes": ("Each entry has a slope of its own.", lambda w, g, r: w - r * np.mean(g)),
    "half a step": ("It is half as long as it should be.", lambda w, g, r: w - r * g / 2),
    "a step twice as long": ("It is twice as long as it should be.", lambda w, g, r: w - 2 * r * g),
    "the biases did not move": ("Each weight moves, those with one axis too.", lambda w, g, r: (
        w - r * g if w.ndim == 2 else w
    )),
    "the weight times the rate": ("Only the slope is multiplied by the rate.", lambda w, g, r: r * (w - g)),
}  # fmt: skip


def not_by_mine(step, true, *arguments):
    """The mistake of a step that moves the weights although `mine` finds no slopes; None if it does not."""
    named = getattr(step, "__globals__", {}).get("mine")  # of the student's process
    walk = mine if named is None else named
    walk.finds_nothing = True
    try:
        moved, _ = step(*arguments)
        alike = all(np.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(moved, true, strict=True))
        return by_other_walk if alike else None
    except Exception as error:
        return called_whole if "mine.step" in str(error) else None
    finally:
        walk.finds_nothing = False


def one_step(step, loss, rate):
    slopes, true, value = right_step(loss, rate)
    where = f"The loss is {loss}, the rate {rate:g}"
    given = [w.copy() for w in loss.weights]
    recorded = []

    def loss_of(ws):
        recorded.append(all(isinstance(w, mg.Tensor) for w in ws))
        return loss.f(ws)

    try:
        got = step(loss_of, given, rate)
    except (AttributeError, TypeError) as error:
        if not recorded or recorded[0]:
            raise
        raise Misused(of_arrays).with_traceback(error.__traceback__) from None
    if got is None:
        return mistake("no return", "step returned None. Return the list of new weights, and the loss.")
    if not isinstance(got, (tuple, list)) or len(got) != 2 or not isinstance(got[0], (tuple, list)):
        return mistake(
            "not a pair", "Return two things: the list of new weights, and the loss. As in: return new_weights, loss"
        )
    new, reached = got
    if len(new) != len(true):
        return f"{where}: you return {len(new)} weights. There are {len(true)}."
    if any(isinstance(x, mg.Tensor) for x in (*new, reached)):
        return mistake(
            "a Tensor is returned",
            "A Tensor remembers how it was made, and the next step would walk through this one as well. Return arrays "
            "and a plain number: w.numpy(), loss.item().",
        )
    if not all(np.array_equal(a, b) for a, b in zip(given, loss.weights)):
        return mistake(
            "the weights that came in are changed",
            "w -= ... writes into the array of whoever called step. Make a new one: w - rate * slope.",
        )
    for i, (a, b) in enumerate(zip(new, true)):
        if np.shape(a) != b.shape:
            return f"{where}: new weight {i} has the shape {np.shape(a)}. It should have that of the weight, {b.shape}."
    if not all(np.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(new, true)):
        for name, (sentence, f) in USUAL.items():
            like = [f(w, g, rate) for w, g in zip(loss.weights, slopes)]
            if all(np.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(new, like)):
                return mistake(name, f"{where}. {sentence}")
        i = next(i for i, (a, b) in enumerate(zip(new, true)) if not np.allclose(a, b, rtol=1e-4, atol=1e-5))
        return f"{where}: weight {i} is {shown(loss.weights[i])}, its slope {shown(slopes[i])}. " + (
            f"Your new weight is {shown(new[i])}. It should be {shown(true[i])}."
        )
    if np.shape(reached) != () or not isinstance(reached, (int, float, np.number, np.ndarray)):
        return f"{where}: the second result is {reached!r:.60}. It should be the loss, a plain number."
    if not np.allclose(float(reached), value, rtol=1e-4):
        after = float(loss.f([mg.constant(w) for w in true]).numpy())
        words = f"{where}: you return the loss {float(reached):.5g}. At the weights that came in it is {value:.5g}."
        return mistake("the loss after the step", words) if np.allclose(float(reached), after, rtol=1e-4) else words
    return not_by_mine(step, true, loss.f, given, rate) or True


@exercise("step", points=3, function="step(loss_of, weights, rate)")
def step(c):
    losses = [(BOWL, 0.25), (LINE, 0.125), (SHALLOW, 0.5), (SHALLOW, 2.0), (DEEP, 0.75)]
    c.property("each weight moves against its slope, and the loss is returned", one_step, vary=(), points=losses)
