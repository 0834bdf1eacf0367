"""Lesson 15, train something real: what its exercises compute. Answers and hints are in 15_hidden.py."""

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, mistake, samples

rng = np.random.default_rng(1)


def hot(labels, k):
    return np.eye(k)[np.array(labels)]


#: Logits, labels and an upstream gradient. The first row tells the usual mistakes apart.
LOGITS = [
    # 3 images, 5 classes and upstream 7: no mistake that has a name equals another, or one more or less of them.
    ([[1.0, 2.0, 0.5, -1.0, 0.0], [0.0, -1.0, 3.0, 1.0, 2.0], [2.0, 0.0, 1.0, -2.0, 0.5]], [1, 0, 4], 7.0),
    ([[0.0, 0.0, 0.0]], [0], 1.0),
    ([[1.0, 2.0, 0.5, 4.0], [0.0, -1.0, 3.0, 0.0], [2.0, 2.0, 2.0, 1.0]], [3, 0, 1], -3.0),
    ([[0.0, -1000.0, 3.0]], [1], 1.0),
    ([[1000.0, 0.0, 0.0], [0.0, -1000.0, 3.0]], [1, 2], 1.0),
    ([[1000.0, -1000.0, -1000.0, -1000.0], [0.0, 0.0, 0.0, 0.0]], [0, 2], 1.0),
    ([[0.0, 0.0], [-1000.0, -1001.0]], [0, 1], 1.0),
]


def soft(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def second_of(p, n):
    """The second derivative along v of the loss of n images, from the softmax p."""
    return lambda v: (p * v - p * (p * v).sum(1, keepdims=True)) / n


def text(v):
    return np.array2string(np.asarray(v, float), separator=", ", precision=5).replace("\n", "")


def apart(a, b):
    """Two different numbers as texts, with as many digits as show the difference."""
    return next(pair for n in (6, 9, 12, 17) if len(set(pair := (f"{a:.{n}g}", f"{b:.{n}g}"))) == 2 or n == 17)


def has_rule(y):
    """Whether a call of a function with a rule is on the way to y."""
    todo = [y]
    while todo:
        node = todo.pop()
        if isinstance(node, (list, tuple)):
            todo += node
        elif isinstance(node, mg.Tensor) and node.op is not None:
            if type(node.op).__name__ == "CustomCall":
                return True
            todo += node.args
    return False


def of_the_value(where, y, got, z, T, value, values):
    """What a verdict says about a wrong value: `values` are those of named mistakes, with a sentence."""
    yours, true = apart(got, value)
    words = f"{where}: the loss is {yours}. It should be {true}."
    if np.isposinf(got) and z.max() > 100:
        return mistake("exp of a large number", words + " Subtract the largest entry of each row first.")
    if not np.isfinite(got):
        return mistake(
            "log of 0",
            words + " exp of a number far below 0 is 0, and the log of that is -inf. With m the largest entry of the "
            "same row, log(exp(z - m) / total) is z - m - log(total).",
        )
    if y.dtype != "float64" and np.isclose(got, value, rtol=1e-5):
        return (
            f"{words} It has the dtype {y.dtype}, and z has float64: float(...) of a Tensor loses digits, for example."
        )
    for name, (other, sentence) in values.items():
        if np.isclose(got, other) and not np.isclose(other, value):
            return mistake(name, words + sentence)
    return words


def told(where, loss, z, T, value, slope, second, usual, upstream, values):
    x, before = mg.constant(z, dtype="float64"), T.copy()
    y = loss(x)
    if isinstance(y, tuple):
        return mistake.no_decorator
    if not isinstance(y, mg.Tensor):
        return f"{where}: the loss should be a Tensor, and it is {'a function' if callable(y) else repr(y)}."
    if y.shape != ():
        return mistake(
            "one loss for each image" if y.shape == (len(T),) else "the shape",
            f"{where}: the loss is one number, the mean over the images; yours has the shape {y.shape}.",
        )
    got = float(y.numpy())
    if not np.isclose(got, value, rtol=1e-9, atol=1e-12):
        return of_the_value(where, y, got, z, T, value, values)
    if not has_rule(y):
        return mistake(mistake.no_rule.name, f"{where}: the loss does not come from a rule of your own.")
    arrived = mg.constant(upstream, dtype="float64")
    (g,) = mg.gradients(y, [x], grad_ys=[arrived])
    if not np.array_equal(T, before):
        return mistake("T is changed", "Your function writes into T. Make a copy, or compute a new array instead.")
    if g is None:
        rule = type(y.op).__name__ == "CustomCall"
        return mistake.rule_none if rule else f"{where}: no gradient arrives at z."
    g1 = g.numpy()
    true = upstream * slope
    if g1.shape != true.shape or not np.allclose(g1, true, rtol=1e-9, atol=1e-12):
        words = f"{where}, upstream {upstream:g}: the gradient is {text(g1)}. It should be {text(true)}."
        if not np.isfinite(g1).all():
            return mistake("exp of a large number", words + " Subtract the largest entry of each row in the rule, too.")
        name = next((n for n, o in usual.items() if np.shape(o) == g1.shape and np.allclose(g1, o)), None)
        return mistake(name, words) if name else words
    probe = np.linspace(-1, 2, z.size).reshape(z.shape)
    (h,) = mg.gradients(mg.sum(g * probe), [x])
    true = upstream * second(probe)
    if h is None:
        return mistake(
            "the rule cannot be differentiated",
            f"{where}: the second derivative is None. It should be {text(true)} along {text(probe)}. Compute the "
            "rule by ops of mg, from z.",
        )
    if not np.allclose(h.numpy(), true, rtol=1e-9, atol=1e-12):
        return (
            f"{where}: the value and the gradient are right. The second derivative along {text(probe)} is "
            f"{text(h.numpy())}. It should be {text(true)}."
        )
    (back,) = mg.gradients(mg.sum(g * probe), [arrived])
    if back is None or not np.isclose(back.numpy(), np.sum(slope * probe), rtol=1e-9, atol=1e-12):
        lost = mistake.upstream_lost
        return mistake(lost.name, f"{where}: the value and the gradient are right. {lost.says}")
    return True


def usual_of(slope, p, T, upstream, z):
    """The gradients of mistakes that are made with either rule."""
    n, k = T.shape
    over_images = upstream * (slope + (soft(z.T).T - p) / n)
    return {
        "forgot the upstream gradient": slope,
        "multiplied by the upstream gradient twice": upstream**2 * slope,
        "added the upstream gradient": upstream + slope,
        "the sign is flipped": -upstream * slope,
        "not divided by the number of images": upstream * slope * n,
        "divided by the number of entries": upstream * slope / k,
        "divided by the number of classes": upstream * slope * n / k,
        "softmax alone: the labels are missing": upstream * p / n,
        "softmax over the images": over_images,
    }


def entropy_is_right(cross_entropy, z, labels, upstream):
    z = np.array(z)
    T = hot(labels, z.shape[1])
    n = len(T)
    p = soft(z)
    m = z.max(1)
    value = np.mean(np.log(np.exp(z - m[:, None]).sum(1)) + m - (z * T).sum(1))
    slope = (p - T) / n
    second = second_of(p, n)
    usual = {**usual_of(slope, p, T, upstream, z), "the label's row alone": -upstream * T / n}
    values = {
        "the sum instead of the mean": (value * n, ""),
        "the sign is flipped": (-value, ""),
        "the largest entry is not added again": (value - np.mean(m), " log(sum(exp(z))) is m + log(sum(exp(z - m)))."),
    }
    where = f"z = {text(z)}, labels {labels}"
    return told(where, lambda x: cross_entropy(x, T), z, T, value, slope, second, usual, upstream, values)


@exercise("cross_entropy", points=4, function="cross_entropy(z, labels, upstream)")
def cross_entropy(c):
    c.property(
        "value, gradient and second derivative, also for large numbers", entropy_is_right, vary=(), points=LOGITS
    )


SMOOTH = [
    (*LOGITS[0][:2], 0.1, 7.0),
    (*LOGITS[2][:2], 0.3, 2.0),
    (*LOGITS[4][:2], 0.2, -1.0),
    (*LOGITS[0][:2], 0.0, 1.0),
]


def smoothing_is_right(smoothed_loss, z, labels, epsilon, upstream):
    z = np.array(z)
    T = hot(labels, z.shape[1])
    n, k = T.shape
    p = soft(z)
    m = z.max(1)
    plain = np.mean(np.log(np.exp(z - m[:, None]).sum(1)) + m - (z * T).sum(1))
    S = (1 - epsilon) * T + epsilon / k
    slope = (p - S) / n
    smooth = np.mean(np.log(np.exp(z - m[:, None]).sum(1)) + m - (z * S).sum(1))
    other = lambda S: upstream * (p - S) / n
    usual = {
        **usual_of(slope, p, T, upstream, z),
        "the labels are not smoothed": other(T),
        "epsilon is added, not taken from the label": other(T + epsilon / k),
        "epsilon is not shared out": other((1 - epsilon) * T + epsilon),
        "epsilon is divided by the number of images": other((1 - epsilon) * T + epsilon / n),
        "epsilon and 1 - epsilon are exchanged": other(epsilon * T + (1 - epsilon) / k),
        "the label got 1 - epsilon in all": other(np.where(T > 0, 1 - epsilon, epsilon / (k - 1))),
        "the rest is left out": other((1 - epsilon) * T),
        "10 classes, whatever T has": other((1 - epsilon) * T + epsilon / 10),
        "the slope of the true labels, times 1 - epsilon": (1 - epsilon) * other(T),
    }
    values = {
        "the value is changed": (
            smooth,
            " Yours is the loss of smoothed labels. The value stays that of the labels as they are.",
        ),
        "the sum instead of the mean": (plain * n, ""),
    }
    where = f"z = {text(z)}, labels {labels}, epsilon {epsilon:g}"
    second = second_of(p, n)
    return told(where, lambda x: smoothed_loss(x, T, epsilon), z, T, plain, slope, second, usual, upstream, values)


@exercise("smoothed_loss", points=3, function="smoothed_loss(z, labels, epsilon, upstream)")
def smoothed_loss(c):
    c.property("the value of the labels, the gradient of smoothed ones", smoothing_is_right, vary=(), points=SMOOTH)


SHAPES = [(64, 32), (400, 20), (30, 300)]


def size_of(W):
    """The size of the outputs for inputs of size 1."""
    return (np.random.default_rng(7).normal(size=(400, len(W))) @ W).std()


#: The sizes of the outputs for usual mistakes. One is named where it explains the sizes for all shapes.
SIZES = {
    "not divided at all": lambda inputs, outputs: inputs**0.5,
    "multiplied by the root": lambda inputs, outputs: inputs,
    "divided by inputs, without the root": lambda inputs, outputs: inputs**-0.5,
    "divided by the root of outputs": lambda inputs, outputs: (inputs / outputs) ** 0.5,
    "divided by the root of inputs * outputs": lambda inputs, outputs: outputs**-0.5,
    "divided by the root of inputs + outputs": lambda inputs, outputs: (inputs / (inputs + outputs)) ** 0.5,
    "the root of 2 / (inputs + outputs)": lambda inputs, outputs: (2 * inputs / (inputs + outputs)) ** 0.5,
    "a factor of the root of 2": lambda inputs, outputs: 2**0.5,
    "uniform numbers from -1 to 1 have the size 0.58": lambda inputs, outputs: 3**-0.5,
}


def starts_well(start_weights, inputs, outputs, seed):
    call = f"start_weights({inputs}, {outputs}, {seed})"
    made = start_weights(inputs, outputs, seed)
    if made is None:
        return f"{call} is None; an array is expected. A function that ends without return gives None."
    try:
        W = np.asarray(made, float)
    except (TypeError, ValueError):
        return f"{call} should be an array of shape {(inputs, outputs)}. It is of type {type(made).__name__}."
    if W.shape != (inputs, outputs):
        return mistake(
            "rows and columns are exchanged" if W.shape == (outputs, inputs) else "the shape",
            f"{call} has the shape {W.shape}. It should be {(inputs, outputs)}.",
        )
    if not np.isfinite(W).all():
        return f"{call} holds numbers that are not finite."
    if np.allclose(W, W[:, :1]):
        return mistake(
            "all units are the same",
            "Every column has the same numbers: all units compute the same thing, get the same gradient, and stay "
            "the same.",
        )
    if np.allclose(W, W[:1]):
        return mistake("every row is the same", "So the outputs depend on the sum of the inputs alone.")
    if abs(W.mean()) > 4 * W.std() / np.sqrt(W.size) + 1e-12:
        return mistake("not around 0", f"The mean is {W.mean():.3g}, and the spread {W.std():.3g}.")
    size = size_of(W)
    if not 0.8 < size < 1.25:
        words = f"{call}: inputs of size 1 come out with size {size:.3g}. They should keep it, about 1."
        sizes = [size_of(np.asarray(start_weights(*shape, seed), float)) for shape in SHAPES]
        same = lambda f: np.allclose(sizes, [f(*shape) for shape in SHAPES], rtol=0.06)
        name = next((name for name, f in SIZES.items() if same(f)), None)
        if name is None and np.ptp(np.array(sizes) / [i**0.5 for i, _ in SHAPES]) < 0.06 * size / inputs**0.5:
            name = "the same spread for every shape"
        return mistake(name, words) if name else words
    if not np.array_equal(W, np.asarray(start_weights(inputs, outputs, seed), float)):
        return mistake(
            "its own random numbers",
            "Called again with the same seed it gives other numbers. Draw from rng, so that a training can be "
            "repeated.",
        )
    if np.array_equal(W, np.asarray(start_weights(inputs, outputs, seed + 1), float)):
        return mistake("the seed is not used", f"The seeds {seed} and {seed + 1} give the same numbers.")
    return True


@exercise("start_weights", points=2, function="start_weights(inputs, outputs, seed)")
def start_weights(c):
    c.property("signals keep their size", starts_well, vary=(), points=[(*shape, i) for i, shape in enumerate(SHAPES)])


units = samples(
    np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]),
    np.array([[0.0, 1.0], [2.0, 0.0]]),
    np.zeros((3, 4)),
    np.array([[2.0, 0.0, 1.0], [2.0, 0.0, 0.0]]),
    np.array([[-1.0, 0.0], [1.0, 0.0]]),
    np.array([[-1.0, 0.0], [0.0, 0.0]]),
    np.array([[0.0003, 0.0], [0.0, 0.0]]),
    np.array([[1e-9, 0.0, 1e-30], [0.0, 0.0, 0.0]]),
    np.array([[0, 0, 0, 3.0, 0], [0, 2, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 1, 0, 0]], float),
)


@exercise("silent_units", points=1, function="silent_units(h)")
def silent_units(c):
    true = lambda h: int(np.sum(np.all(h == 0, axis=0)))
    c.answer(
        true,
        vary=(units,),
        at=[(np.array([[0.0, 1e-100, 1.0], [0.0, 0.0, 0.0]]),)],
        says="units that are 0 for every image",
        looks_like={
            mistake("counted zeros, not units", "A unit is silent if it is 0 for every image."): lambda h: int(
                np.sum(h == 0)
            ),
            mistake(
                "silent for some image", "0 for one image is how relu works; silent is 0 for all of them."
            ): lambda h: int(np.sum(np.any(h == 0, axis=0))),
            mistake("images, not units", "Units are the columns."): lambda h: int(np.sum(np.all(h == 0, axis=1))),
            mistake("counted those that speak", "The others are asked for."): lambda h: int(
                np.sum(np.any(h != 0, axis=0))
            ),
            mistake("a sum of 0 is not silence", "1 and -1 add up to 0."): lambda h: int(
                np.sum(np.sum(h, axis=0) == 0)
            ),
            mistake("a unit below 0 is not silent", "A number below 0 is not 0."): lambda h: int(
                np.sum(np.all(h <= 0, axis=0))
            ),
            mistake("the largest number is not enough", "A unit of 0 and -1 has the largest number 0."): lambda h: int(
                np.sum(np.max(h, axis=0) == 0)
            ),
            mistake("a unit that does not change", "It is the same for every image, and need not be 0."): lambda h: int(
                np.sum(np.ptp(h, axis=0) == 0)
            ),
            mistake("small is not 0", "A unit with a small number is not silent."): lambda h: int(
                np.sum(np.all(np.abs(h) < 0.01, axis=0))
            ),
        },
    )


#: The labels are 9 minus the digit, so that a network that learned from other labels shows it.
DIGITS = mg.data.digits()
START = np.random.default_rng(0).normal(size=(64, 32)).astype("float32") / 8  # the first W of layers_of(1.0)


def share_read(params):
    """The share of the 500 digits of the exam that the parameters read, or what is wrong with them."""
    if params is None:
        return "train returned None. A function that ends without return gives None."
    try:
        layers = [(np.asarray(layer["W"], float), np.asarray(layer["b"], float)) for layer in params]
        x = DIGITS.test_images
        for W, b in layers[:-1]:
            x = np.tanh(x @ W + b)
        (W, b) = layers[-1]
        z = x @ W + b
    except (TypeError, ValueError, KeyError, IndexError):
        what = f"a {type(params).__name__} of {len(params)}" if isinstance(params, (list, tuple, dict)) else params
        return f"train should return the parameters, a list of a dict with W and b for each layer. It returned {what}."
    answers = np.argmax(z, axis=1)
    reads = float(np.mean(answers == 9 - DIGITS.test_labels))
    words = f"It reads {100 * reads:.1f} % of the 500 digits. 95 % are asked for."
    if reads >= 0.95:
        return reads
    if not np.isfinite(z).all():
        return f"{words} Some of its results are not finite."
    if np.mean(answers == DIGITS.test_labels) > 0.8:
        return mistake(
            "the labels of the notebook",
            "The check calls train with other labels, 9 minus the digit. Yours has learned the digits themselves: use "
            "the arguments images and labels, and what is made from them.",
        )
    if layers[0][0].shape == START.shape and np.allclose(layers[0][0], START):
        return mistake("the first W is the one of the start", f"{words} optimizer.step returns the new parameters.")
    if len(set(answers)) == 1:
        return f"{words} It gives the same answer to every image."
    return words


@exercise("train", points=3, function="train(images, labels)")
def train(c):
    data = DIGITS.train_images, 9 - DIGITS.train_labels
    c.trained(share_read, least=0.95, seconds=20.0, args=data, says="it reads 95 % of digits that it has not seen")
