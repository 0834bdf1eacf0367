"""Random programs of functions with right rules of many kinds, each with its twin, the same program without a rule.

A rule computes its gradient as people write it: with intermediate results, `gradients`, `grad`, `vjp`, a tape, another
custom gradient. All functions are smooth, in float64, from vectors of `SIZE` elements to vectors of that size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import minigrad as mg

SIZE = 3


class Pair(NamedTuple):
    """A function with a user's rules, and its twin without one."""

    with_rule: Callable
    plain: Callable


# Functions without a rule.


def elementwise(rng):
    a = float(rng.uniform(0.3, 0.9))
    choices = [
        lambda x: mg.sin(a * x), lambda x: mg.cos(x + a), lambda x: a * mg.tanh(x), lambda x: mg.exp(a * mg.tanh(x)),
        lambda x: 0.3 * x * x, lambda x: mg.sqrt(1.0 + x * x), lambda x: mg.log(2.0 + x * x),
        lambda x: mg.sigmoid(x) * x, lambda x: x / (2.0 + x * x),
    ]  # fmt: skip
    return choices[rng.integers(len(choices))]


def mixing(rng):
    m = mg.constant(0.4 * rng.normal(size=(SIZE, SIZE)))
    choices = [
        lambda x: mg.matmul(m, x), lambda x: 0.3 * x * mg.sum(x), lambda x: mg.softmax(x), lambda x: x - mg.mean(x),
        lambda x: mg.stack([x[0] * x[1], x[2], x[1]]), lambda x: mg.concatenate([x[1:], 0.5 * x[:1]]),
        lambda x: x[np.array([0, 0, 2])] * mg.constant(m.value[0]),
    ]  # fmt: skip
    return choices[rng.integers(len(choices))]


def chain(rng, most=2):
    steps = [(elementwise if rng.random() < 0.6 else mixing)(rng) for _ in range(rng.integers(1, most + 1))]

    def run(x):
        for step in steps:
            x = step(x)
        return x

    return run


# Functions with a rule: each takes a random generator.


def keeps_an_intermediate_result(rng):
    a = float(rng.uniform(0.3, 0.9))

    @mg.custom_gradient
    def f(x):
        y = mg.exp(a * mg.tanh(x))
        return y, lambda u: u * y * a * (1.0 - mg.square(mg.tanh(x)))

    return Pair(f, lambda x: mg.exp(a * mg.tanh(x)))


def gradients_with_grad_ys(rng):
    k = chain(rng)

    @mg.custom_gradient
    def f(x):
        y = k(x)
        return y, lambda u: mg.gradients(y, x, grad_ys=u)[0]

    return Pair(f, k)


def gradients_run_again(rng):
    """The recipe of recomputing: the function is run again in the rule."""
    k = chain(rng)
    return Pair(mg.custom_gradient(lambda x: (k(x), lambda u: mg.gradients(k(x), x, grad_ys=u)[0])), k)


def gradients_of_a_product(rng):
    k = chain(rng)
    return Pair(mg.custom_gradient(lambda x: (k(x), lambda u: mg.gradients(k(x) * u, x)[0])), k)


def gradients_of_an_op_of_the_upstream(rng):
    """The upstream gradient reaches the pass through ops."""
    k = chain(rng)
    return Pair(mg.custom_gradient(lambda x: (k(x), lambda u: mg.gradients(k(x) * mg.exp(0.0 * u) * u, x)[0])), k)


def grad_inside(rng):
    k = chain(rng)
    return Pair(mg.custom_gradient(lambda x: (k(x), lambda u: mg.grad(lambda t: mg.sum(k(t) * u))(x))), k)


def tape_inside(rng):
    k = chain(rng)

    @mg.custom_gradient
    def f(x):
        def rule(u):
            with mg.GradientTape() as tape:
                tape.watch(x)
                y = mg.sum(k(x) * u)
            return tape.gradient(y, x)

        return k(x), rule

    return Pair(f, k)


def tape_with_output_gradients(rng):
    k = chain(rng)

    @mg.custom_gradient
    def f(x):
        def rule(u):
            with mg.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = k(x)
            return tape.gradient(y, x, output_gradients=u)

        return k(x), rule

    return Pair(f, k)


def vjp_inside(rng):
    k = chain(rng)
    return Pair(mg.custom_gradient(lambda x: (k(x), lambda u: mg.vjp(k, x)[1](u)[0])), k)


def vjp_in_the_body(rng):
    k = chain(rng)

    @mg.custom_gradient
    def f(x):
        y = k(x)
        return y, lambda u: mg.vjp(k, x)[1](u)

    return Pair(f, k)


def jvp_inside(rng):
    """The slope of an elementwise function is its derivative along ones."""
    h = elementwise(rng)
    return Pair(mg.custom_gradient(lambda x: (h(x), lambda u: u * mg.jvp(h, (x,), (mg.ones_like(x),))[1])), h)


def a_derivative_with_hvp(rng):
    """A function that is itself a gradient: its Jacobian is a Hessian."""
    k = chain(rng)
    scalar = lambda t: mg.sum(k(t) * k(t))
    gradient = lambda x: mg.gradients(scalar(x), x)[0]

    @mg.custom_gradient
    def f(x):
        return gradient(x), lambda u: mg.hvp(scalar)(x, u)

    return Pair(f, gradient)


def captures_a_tensor(rng):
    h, outer = elementwise(rng), mg.constant(rng.normal(size=SIZE))
    return Pair(
        mg.custom_gradient(lambda x: (h(x) * outer, lambda u: mg.gradients(h(x), x, grad_ys=u * outer)[0])),
        lambda x: h(x) * outer,
    )


def captures_a_variable(rng):
    h, v = elementwise(rng), mg.Variable(rng.normal(size=SIZE), name="v")

    @mg.custom_gradient
    def f(x):
        y = h(x) * v

        def rule(u, variables=None):
            (v,) = variables
            return mg.gradients(h(x), x, grad_ys=u * v)[0], [mg.gradients(y, v, grad_ys=u)[0]]

        return y, rule

    return Pair(f, lambda x: h(x) * v)


def assigns_a_variable(rng):
    """The Variable is assigned between the call and the rule; the result was made from its old value."""
    h, v = elementwise(rng), mg.Variable(rng.normal(size=SIZE), name="v")

    @mg.custom_gradient
    def f(x):
        old = v.read_value()
        y = h(x) * old
        v.assign(v.value + 1.0)
        v.assign(old.value)
        return y, lambda u, variables=None: (mg.gradients(h(x), x, grad_ys=u * old)[0], [u * h(x)])

    return Pair(f, lambda x: h(x) * v)


def calls_another_rule(rng):
    inner, h = one_input(rng), elementwise(rng)
    return Pair(
        mg.custom_gradient(lambda x: (inner.with_rule(h(x)), lambda u: mg.gradients(inner.with_rule(h(x)) * u, x)[0])),
        lambda x: inner.plain(h(x)),
    )


def puts_its_upstream_through_a_rule(rng):
    a = float(rng.uniform(0.3, 0.9))
    double = mg.custom_gradient(lambda t: (2.0 * t, lambda w: mg.gradients(2.0 * t, t, grad_ys=w)[0]))

    @mg.custom_gradient
    def f(x):
        y = mg.tanh(a * x)
        return y, lambda u: double(u) * (0.5 * a) * (1.0 - y * y)

    return Pair(f, lambda x: mg.tanh(a * x))


def recomputed(rng):
    k = chain(rng)
    return Pair(mg.recompute_grad(k), k)


def recomputed_with_a_rule_inside(rng):
    inner = one_input(rng)
    return Pair(mg.recompute_grad(lambda x: inner.with_rule(x) * x), lambda x: inner.plain(x) * x)


def recomputed_with_gradients_inside(rng):
    k = chain(rng, 1)
    f = lambda x: x + mg.gradients(mg.sum(k(x) * x), x)[0]
    return Pair(mg.recompute_grad(f), f)


def called_as_in_keras(rng):
    k = chain(rng)

    @mg.custom_gradient
    def f(x):
        return k(x), lambda *args, upstream: mg.gradients(k(args[0]) * upstream, args[0])[0]

    return Pair(f, k)


def a_method(rng):
    class Layer:
        k = staticmethod(chain(rng))

        @mg.custom_gradient
        def call(self, x):
            return self.k(x), lambda u: mg.gradients(self.k(x) * u, x)[0]

    return Pair(Layer().call, Layer.k)


_registered = iter(range(10**9))


def registered(rng):
    """A registered gradient in a block of overrides."""
    name = f"RandomRule{next(_registered)}"
    mg.RegisterGradient(name)(
        lambda op, u: mg.gradients(mg.sinh(op.inputs[0]) / mg.cosh(op.inputs[0]) * u, op.inputs[0])
    )

    def f(x):
        with mg.gradient_override_map({"Tanh": name}):
            return mg.tanh(x)

    return Pair(f, mg.tanh)


ONE_INPUT = [
    keeps_an_intermediate_result, gradients_with_grad_ys, gradients_run_again, gradients_of_a_product,
    gradients_of_an_op_of_the_upstream, grad_inside, tape_inside, tape_with_output_gradients, vjp_inside,
    vjp_in_the_body, jvp_inside, a_derivative_with_hvp, captures_a_tensor, captures_a_variable, assigns_a_variable,
    calls_another_rule, puts_its_upstream_through_a_rule, recomputed, recomputed_with_a_rule_inside,
    recomputed_with_gradients_inside, called_as_in_keras, a_method, registered,
]  # fmt: skip


#: A rule around one of these would have to take its Variables.
WITH_VARIABLES = [captures_a_variable, assigns_a_variable]


def one_input(rng):
    """A function with a rule that uses no Variable."""
    choices = [make for make in ONE_INPUT if make not in WITH_VARIABLES]
    return choices[rng.integers(len(choices))](rng)


# Functions of two vectors, with two results.


def two_results(rng):
    h = elementwise(rng)

    @mg.custom_gradient
    def f(x, y):
        def rule(u, w):
            return mg.gradients(h(x) * u * y, x)[0] + w * mg.cos(x + y), u * h(x) + w * mg.cos(x + y)

        return (h(x) * y, mg.sin(x + y)), rule

    return Pair(f, lambda x, y: (h(x) * y, mg.sin(x + y)))


def one_pass_for_two_inputs(rng):
    k, h = chain(rng), elementwise(rng)
    plain = lambda x, y: (k(x) * h(y), k(y) + x * y)

    @mg.custom_gradient
    def f(x, y):
        results = plain(x, y)
        return results, lambda u, w: mg.gradients([*results], [x, y], grad_ys=[u, w])

    return Pair(f, plain)


def named_results(rng):
    k = chain(rng)

    def plain(x, y):
        return {"p": k(x * y), "q": x - 0.5 * y * y}

    @mg.custom_gradient
    def f(x, y):
        def rule(p, q):
            with mg.GradientTape() as tape:
                tape.watch([x, y])
                results = plain(x, y)
            return tape.gradient([results["p"], results["q"]], [x, y], output_gradients=[p, q])

        return plain(x, y), rule

    both = lambda g: lambda x, y: tuple(g(x, y).values())
    return Pair(both(f), both(plain))


TWO_INPUTS = [two_results, one_pass_for_two_inputs, named_results]


def program(seed):
    """Return a Pair of functions from two vectors to a number, and their ingredients."""
    rng = np.random.default_rng(seed)
    steps, names = [], []
    for _ in range(rng.integers(1, 5)):
        kind = rng.random()
        if kind < 0.5:
            make = ONE_INPUT[rng.integers(len(ONE_INPUT))]
            f, g = make(rng)
            pair = Pair(lambda x, z, f=f: (f(x), z), lambda x, z, g=g: (g(x), z))
        elif kind < 0.65:
            make = TWO_INPUTS[rng.integers(len(TWO_INPUTS))]
            pair = make(rng)
        elif kind < 0.8:
            make = swap
            pair = Pair(swap, swap)
        elif kind < 0.9:
            make = a_derivative_with_hvp
            _, gradient = make(rng)
            pair = Pair(*2 * [lambda x, z, gradient=gradient: (x + gradient(x), z)])
        else:
            make = chain
            k = make(rng)
            pair = Pair(*2 * [lambda x, z, k=k: (k(x), z)])
        steps.append(pair)
        names.append(make.__name__)
    end = mg.constant(rng.normal(size=SIZE))

    def run(which):
        def f(x, z):
            for step in steps:
                x, z = step[which](x, z)
            return mg.sum(x * end) + 0.2 * mg.sum(z * z)

        return f

    return Pair(run(0), run(1)), names


def swap(x, z):
    return x + 0.5 * z, x
