"""Programs to be drawn: those that a picture must show well, the views of the gallery, and random ones."""

from __future__ import annotations

import functools
import random

import numpy as np

import minigrad as mg
import viz
from tests.browser import gallery
from tests.helpers.random_programs import MOVES
from viz.render.lane import Lane


def mlp():
    """A network of three layers in ten ops."""
    rng = np.random.default_rng(0)
    w, b = mg.Variable(rng.normal(size=(4, 6)), name="W1"), mg.Variable(np.zeros(6), name="b1")
    v, c = mg.Variable(rng.normal(size=(6, 6)), name="W2"), mg.Variable(np.zeros(6), name="b2")
    u = mg.Variable(rng.normal(size=(6, 1)), name="W3")

    def loss(x, t):
        return mg.mean((mg.relu(mg.relu(x @ w + b) @ v + c) @ u - t) ** 2)

    return viz.backward(loss, x=rng.normal(size=(8, 4)), t=rng.normal(size=(8, 1)))


def exchanged(weights):
    """A function of two weights, with a rule that exchanges the gradients of both."""

    @mg.custom_gradient
    def linear_poly(x):
        def grad(dy, variables=None):
            return dy * weights[1], [mg.stack([mg.sum(dy * x), mg.sum(dy)])]

        return weights[1] * x + weights[0], grad

    return linear_poly


def attention():
    rng = np.random.default_rng(0)
    query, key, value, out = (mg.Variable(rng.normal(size=(3, 3)), name=n) for n in ("Wq", "Wk", "Wv", "Wo"))

    def loss(s):
        scores = (s @ query) @ mg.transpose(s @ key) / 1.7
        weights = mg.softmax(mg.where(np.tril(np.ones((4, 4))) > 0, scores, -1e9))
        sent = (weights @ (s @ value)) @ out + s
        return mg.mean(sent * sent)

    return viz.backward(loss, s=rng.normal(size=(4, 3)))


def convolution():
    """A net like LeNet: windows of an image times shared kernels, twice, and a linear layer."""
    rng = np.random.default_rng(0)
    first, second = mg.Variable(rng.normal(size=(4, 2)), name="W1"), mg.Variable(rng.normal(size=(8, 3)), name="W2")
    b, v = mg.Variable(np.zeros(2), name="b"), mg.Variable(rng.normal(size=(12, 5)), name="V")

    def loss(image):
        rows = [mg.reshape(image[i : i + 2, j : j + 2], (1, 4)) for i in (0, 2) for j in (0, 2)]
        h = mg.tanh(mg.concatenate(rows) @ first + b)
        h = mg.relu(mg.reshape(h, (1, 8)) @ second)
        scores = mg.concatenate([h, h, h, h], axis=1) @ v
        return mg.logsumexp(scores) - scores[0, 2]

    return viz.backward(loss, image=rng.normal(size=(4, 4)))


def windows():
    """Four windows of a signal, each times the same kernel."""
    kernel = mg.Variable(np.array([0.5, -1.0, 0.25]), name="kernel")

    def loss(x):
        found = [mg.sum(x[i : i + 3] * kernel) for i in range(4)]
        return mg.tanh(found[0]) + mg.tanh(found[1]) + mg.tanh(found[2]) + mg.tanh(found[3])

    return viz.backward(loss, x=np.linspace(-1, 1, 6))


def newton():
    def root(a):
        x = a
        for _ in range(5):
            x = x - (x * x - a) / (2 * x)
        return x

    return viz.backward(root, a=2.0)


def second_derivative():
    """The slope of a rule, differentiated again."""
    x = mg.constant(1.5)
    (slope,) = mg.gradients(gallery.log1pexp(x * x), x)
    return viz.backward(slope, names={"x": x})


def shared():
    w = mg.Variable(0.8, name="w")
    return viz.backward(lambda x: mg.tanh(mg.tanh(mg.tanh(mg.tanh(x * w) * w) * w) * w), x=0.5)


def layers():
    """A transformer of four layers in scopes, each with its own weights."""
    rng = np.random.default_rng(0)

    def weight(name):
        return mg.Variable(rng.normal(size=(3, 3)) / 2, name=name)

    def loss(h):
        for i in range(4):
            with mg.scope(f"layer {i}"):
                with mg.scope("attention"):
                    scores = (h @ weight("Wq")) @ mg.transpose(h @ weight("Wk"))
                    h = h + (mg.softmax(scores) @ (h @ weight("Wv"))) @ weight("Wo")
                with mg.scope("mlp"):
                    h = h + mg.relu(h @ weight("W1")) @ weight("W2")
        return mg.mean(h * h)

    return viz.backward(loss, h=rng.normal(size=(4, 3)))


def recurrent(turns=200):
    w, u = mg.Variable(0.9, name="w"), mg.Variable(0.1, name="u")

    def last(x):
        h = x
        for _ in range(turns):
            h = mg.tanh(h * w + x * u)
        return h

    return viz.backward(last, x=0.5)


def nested():
    """Four turns of five turns."""

    def loops(x, w):
        for _ in range(4):
            for _ in range(5):
                x = mg.tanh(x * w)
            x = mg.sin(x) + 0.1
        return x

    return viz.backward(loops, x=0.5, w=0.9)


def blocks():
    """The hundred blocks of the README."""

    def deep(x):
        for i in range(100):
            with mg.scope(f"block {i}"):
                x = mg.tanh(x * 0.9) * 0.8 + mg.sin(x) * 0.1
        return x

    return viz.backward(deep, x=0.5)


def long_chain(ops=10_000):
    return viz.backward(lambda x, w: gallery.chain(x, w, ops // 3), x=0.5, w=1.5)


def rule_with_variables():
    scale, shift = mg.Variable(2.0, name="scale"), mg.Variable(1.0, name="shift")

    @mg.custom_gradient
    def affine_pair(x, y):
        def grad(a, b, variables):
            sent = {"scale": a * x + b * y, "shift": a + b}
            return (a * scale, b * scale), [sent[v.name] for v in variables]

        return (x * scale + shift, y * scale + shift), grad

    def loss(x, y):
        a, b = affine_pair(x, y)
        return mg.tanh(a) * b + mg.sin(b)

    return viz.backward(loss, x=3.0, y=4.0)


def behind_where():
    return viz.backward(lambda x: mg.where(x > 0, x, mg.exp(x * x) - 1) * 2.0, x=100.0)


PROGRAMS = {
    f.__name__: f
    for f in (
        mlp, attention, convolution, windows, newton, second_derivative, shared, layers, recurrent, nested, blocks,
        long_chain, rule_with_variables, behind_where,
    )
}  # fmt: skip


@functools.cache
def program(name):
    return PROGRAMS[name]()


def random_program(seed, most=24):
    """A view of straight-line code over three numbers or arrays, with what is not used added to the result."""
    dice = random.Random(seed)
    shape = dice.choice([(), (), (3,), (2, 3)])
    inputs = {f"x{i}": np.random.default_rng([seed, i]).normal(size=shape) for i in range(3)}

    def run(**xs):
        known = list(xs.values())
        unused = dict.fromkeys(range(len(known)))
        for _ in range(dice.randint(2, most)):
            arity, f = MOVES[dice.choice(sorted(MOVES))]
            picked = [dice.randrange(max(0, len(known) - 9), len(known)) for _ in range(arity)]
            with mg.scope(f"part {len(known) // 7}") if seed % 3 == 0 else mg.scope("whole"):
                known.append(f(*(known[i] for i in picked)))
            for i in picked:
                unused.pop(i, None)
            unused[len(known) - 1] = None
        total = known[-1]
        for i in list(unused)[:-1]:
            total = total + known[i]
        return mg.sum(total) if shape else total

    return viz.backward(run, **inputs)


@functools.cache
def random_view(seed):
    return random_program(seed)


def lane_of(view) -> Lane:
    return view._lanes[0]


def every_view():
    """The name and the view of each program and of the gallery."""
    return {**{name: program(name) for name in PROGRAMS}, **gallery.drawn()}
