"""Lesson 15, train something real: what its exercises compute. Answers and hints are in 15_hidden.py."""

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, mistake, samples

rng = np.random.default_rng(1)


def hot(labels, k):
    return np.eye(k)[np.array(labels)]


LOGITS = [
    ([[0.0, 0.0, 0.0]], [0], 1.0),
    ([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]], [1, 0], 2.0),
    ([[1.0, 2.0, 0.5, 4.0], [0.0, -1.0, 3.0, 0.0], [2.0, 2.0, 2.0, 1.0]], [3, 0, 1], -3.0),
    ([[1000.0, 0.0, 0.0], [0.0, -1000.0, 3.0]], [1, 2], 1.0),
    ([[0.0, 0.0], [-1000.0, -1001.0]], [0, 1], 1.0),
]


def soft(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def text(v):
    return np.array2string(np.asarray(v, float), separator=", ", precision=5).replace("\n", "")


def told(where, loss, z, T, value, slope, second, usual, upstream):
    x = mg.constant(z, dtype="float64")
    y = loss(x)
    if not isinstance(y, mg.Tensor) or y.shape != ():
        return mistake(
            "one loss for each image",
            f"{where}: the loss is one number, the mean over the images; yours has the shape "
            f"{getattr(y, 'shape', '?')}.",
        )
    got = float(y.numpy())
    if not np.isclose(got, value, rtol=1e-9, atol=1e-12):
        words = f"{where}: the loss is {got:.6g}. It should be {value:.6g}."
        if not np.isfinite(got):
            return mistake("exp of a large number", words + " Subtract the largest entry of each row first.")
        if np.isclose(got, value * len(T)):
            return mistake("the sum instead of the mean", words)
        return words
    (g,) = mg.gradients(y, [x], grad_ys=[mg.constant(upstream, dtype="float64")])
    if g is None:
        return f"{where}: no gradient arrives."
    if type(y.op).__name__ != "CustomCall":
        return mistake(mistake.no_rule.name, f"{where}: the loss does not come from a rule of your own.")
    g1 = g.numpy()
    true = upstream * slope
    if g1.shape != true.shape or not np.allclose(g1, true, rtol=1e-9, atol=1e-12):
        words = f"{where}, upstream {upstream:g}: the gradient is {text(g1)}. It should be {text(true)}."
        name = next((n for n, o in usual.items() if np.shape(o) == g1.shape and np.allclose(g1, o)), None)
        return mistake(name, words) if name else words
    if second is not None:
        probe = np.linspace(-1, 2, z.size).reshape(z.shape)
        (h,) = mg.gradients(mg.sum(g * probe), [x])
        true = upstream * second(probe)
        if h is None or not np.allclose(h.numpy(), true, rtol=1e-9, atol=1e-12):
            return mistake(
                "the rule cannot be differentiated",
                f"{where}: the second derivative along {text(probe)} is {h if h is None else text(h.numpy())}. It "
                f"should be {text(true)}.",
            )
    return True


def entropy_is_right(cross_entropy, z, labels, upstream):
    z = np.array(z)
    T = hot(labels, z.shape[1])
    n = len(T)
    p = soft(z)
    m = z.max(1)
    value = np.mean(np.log(np.exp(z - m[:, None]).sum(1)) + m - (z * T).sum(1))
    slope = (p - T) / n
    second = lambda v: (p * v - p * (p * v).sum(1, keepdims=True)) / n
    usual = {
        "forgot the upstream gradient": slope,
        "the sign is flipped": -upstream * slope,
        "not divided by the number of images": upstream * slope * n,
        "softmax alone: the labels are missing": upstream * p / n,
        "divided by the number of entries": upstream * slope * n / z.size,
        "the label's row alone": -upstream * T / n,
        "softmax over the images": upstream * (soft(z.T).T - T) / n,
    }
    return told(
        f"z = {text(z)}, labels {labels}", lambda x: cross_entropy(x, T), z, T, value, slope, second, usual, upstream
    )


@exercise("cross_entropy", points=4, function="cross_entropy(z, labels, upstream)")
def cross_entropy(c):
    c.property(
        "value, gradient and second derivative, also for large numbers", entropy_is_right, vary=(), points=LOGITS
    )


SMOOTH = [
    (*LOGITS[1][:2], 0.1, 1.0),
    (*LOGITS[2][:2], 0.3, 2.0),
    (*LOGITS[3][:2], 0.2, -1.0),
    (*LOGITS[1][:2], 0.0, 1.0),
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
    x = mg.constant(z, dtype="float64")
    y = smoothed_loss(x, T, epsilon)
    where = f"z = {text(z)}, labels {labels}, epsilon {epsilon:g}"
    if y.shape == () and epsilon and np.isclose(float(y.numpy()), smooth) and not np.isclose(smooth, plain):
        return mistake(
            "the value is changed",
            f"{where}: the loss is {float(y.numpy()):.6g}, that of smoothed labels. The value stays that of the "
            f"labels as they are, {plain:.6g}.",
        )
    usual = {
        "forgot the upstream gradient": slope,
        "the sign is flipped": -upstream * slope,
        "not divided by the number of images": upstream * slope * n,
        "the labels are not smoothed": upstream * (p - T) / n,
        "epsilon is added, not taken from the label": upstream * (p - T - epsilon / k) / n,
        "epsilon is not shared out": upstream * (p - (1 - epsilon) * T - epsilon) / n,
        "the label got 1 - epsilon in all": upstream * (p - np.where(T > 0, 1 - epsilon, epsilon / (k - 1))) / n,
        "the rest is left out": upstream * (p - (1 - epsilon) * T) / n,
    }
    return told(where, lambda x: smoothed_loss(x, T, epsilon), z, T, plain, slope, None, usual, upstream)


@exercise("smoothed_loss", points=3, function="smoothed_loss(z, labels, epsilon, upstream)")
def smoothed_loss(c):
    c.property("the value of the labels, the gradient of smoothed ones", smoothing_is_right, vary=(), points=SMOOTH)


def starts_well(start_weights, inputs, outputs, seed):
    W = np.asarray(start_weights(inputs, outputs, seed), float)
    if W.shape != (inputs, outputs):
        return mistake(
            "rows and columns are exchanged" if W.shape == (outputs, inputs) else "the shape",
            f"start_weights({inputs}, {outputs}, seed) has the shape {W.shape}. It should be {(inputs, outputs)}.",
        )
    if abs(W.mean()) > 4 * W.std() / np.sqrt(W.size) + 1e-12:
        return mistake("not around 0", f"the mean is {W.mean():.3g}, and the spread {W.std():.3g}.")
    if np.allclose(W, W[:, :1]):
        return mistake(
            "all units are the same",
            "Every column has the same numbers: all units compute the same thing, get the same gradient, and stay "
            "the same.",
        )
    out = np.random.default_rng(7).normal(size=(400, inputs)) @ W
    size = out.std()
    if not 0.8 < size < 1.25:
        words = (
            f"start_weights({inputs}, {outputs}, seed): inputs of size 1 come out with size {size:.3g}. They "
            f"should keep it, about 1."
        )
        for name, f in {
            "not divided at all": 1.0,
            "divided by inputs, without the root": inputs,
            "divided by the root of outputs": outputs**0.5,
            "a fixed number": None,
        }.items():
            if f and np.isclose(size, inputs**0.5 / f, rtol=0.15):
                return mistake(name, words)
        return words
    again = np.asarray(start_weights(inputs, outputs, seed), float)
    if not np.array_equal(W, again):
        return mistake(
            "its own random numbers",
            "Called again with the same seed it gives other numbers. Draw from rng, so that a training can be "
            "repeated.",
        )
    return True


@exercise("start_weights", points=2, function="start_weights(inputs, outputs, seed)")
def start_weights(c):
    c.property("signals keep their size", starts_well, vary=(), points=[(64, 32, 0), (400, 20, 1), (30, 300, 2)])


dead = samples(
    {
        "two silent of three": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]),
        "none": np.array([[0.0, 1.0], [2.0, 0.0]]),
        "all": np.zeros((3, 4)),
        "negative ones": np.array([[-1.0, 0.0], [1.0, 0.0]]),
        "four images": np.array([[0, 0, 0, 3.0, 0], [0, 2, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 1, 0, 0]], float),
    }
)


@exercise("silent_units", points=1, function="silent_units(h)")
def silent_units(c):
    true = lambda h: int(np.sum(np.all(h == 0, axis=0)))
    c.answer(
        true,
        vary=(dead,),
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
        },
    )


DIGITS = mg.data.digits(3)


def share_read(params):
    """Of 500 digits of another split, how many the parameters read."""
    x = DIGITS.test_images
    for layer in params[:-1]:
        x = np.tanh(x @ np.asarray(layer["W"]) + np.asarray(layer["b"]))
    z = x @ np.asarray(params[-1]["W"]) + np.asarray(params[-1]["b"])
    return np.mean(np.argmax(z, axis=1) == DIGITS.test_labels)


@exercise("train", points=3, function="train(images, labels)")
def train(c):
    data = DIGITS.train_images, DIGITS.train_labels
    c.trained(share_read, least=0.95, seconds=20.0, args=data, says="it reads 95 % of digits that it has not seen")
