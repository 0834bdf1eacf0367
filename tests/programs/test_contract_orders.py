"""Programs of derivatives and derivatives of programs, at orders 1 and 2."""

import functools

import numpy as np

import minigrad as mg
from tests.programs.contract import Attempts, X, Y, Z, over

W = np.linspace(-1, 1, 12).reshape(3, 4)

orders = Attempts()
orders.functions(
    "same",
    {
        "a product": lambda x: x * x * x,
        "a quotient": lambda x: mg.sin(x) / (x * x + 1.0),
        "powers": lambda x: (x * x + 1.0) ** 1.5 + x**3,
        "a chain": lambda x: mg.tanh(mg.sin(mg.exp(x * 0.3)) * x),
        "a product of matrices": lambda x: mg.tanh(mg.matmul(x, W)) * 0.5,
        "an outer product": lambda x: mg.outer(x, mg.sin(x)),
        "sums along axes": lambda x: mg.sum(mg.outer(x, x * x), axis=0),
        "a softmax": lambda x: mg.softmax(x) * x,
        "logsumexp": lambda x: mg.logsumexp(x) * x,
        "a mean and a variance": lambda x: (x - mg.mean(x)) / mg.sqrt(mg.var(x) + 1.0),
        "slices that overlap": lambda x: x[1:] * x[:-1],
        "an element read twice": lambda x: x[0] * x[0] + x[1] * x[0],
        "an index used twice": lambda x: x[[0, 0, 2]] * x[[0, 0, 2]],
        "joined": lambda x: mg.concatenate([x, x[::-1] * x]),
        "stacked": lambda x: mg.stack([x, mg.sin(x)]) * x,
        "transposed": lambda x: mg.transpose(mg.outer(x, x * 2.0)) @ x,
        "reshaped": lambda x: mg.reshape(mg.outer(x, x), (9,)) * 2.0,
        "maximum and where": lambda x: mg.where(x > 0, mg.maximum(x * x, x), x * 0.1),
        "relu": lambda x: mg.relu(x * x - 1.0),
        "a sort": lambda x: mg.sort(x) * x,
        "a cumulative sum": lambda x: mg.cumsum(x * x) * x,
        "a cumulative product": lambda x: mg.cumprod(x * 0.5 + 2.0),
        "a norm": lambda x: mg.norm(x) * x,
        "einsum": lambda x: mg.einsum("i,j,j->i", x, x, x),
        "a solution of equations": lambda x: mg.solve(mg.outer(x, x) + np.eye(3) * 9.0, x),
        "a determinant": lambda x: mg.det(mg.outer(x, x) + np.eye(3) * 2.0) * x,
        "both outputs of a decomposition": lambda x: decomposed(x),
        "a recurrence": lambda x: functools.reduce(lambda h, i: mg.tanh(h * 0.5 + x * i), range(8), x),
        "a constant": lambda x: x * 0.0 + 3.0,
        "a value used in many places": lambda x: sum((mg.sin(x) * k for k in range(6)), mg.exp(mg.sin(x))),
    },
    X * 0.7, Y * 0.2, Z, mg.constant(X * 0.7),
    orders=2,
)  # fmt: skip


def decomposed(x):
    values, vectors = mg.eigh(mg.outer(x, x) + mg.diag(np.array([1.0, 2.0, 4.0])))
    return mg.square(vectors) @ (values * values)


@orders.same
def a_network_of_two_layers(compile):
    def loss(p, x, t):
        h = mg.tanh(x @ p["W1"] + p["b1"])
        return mg.mean(mg.square(h @ p["W2"] + p["b2"] - t))

    rng = np.random.default_rng(0)
    f, g = compile(mg.value_and_grad(loss)), mg.value_and_grad(compile(loss))
    for rows in (4, 4, 1, 7, 1):
        p = {"W1": rng.normal(size=(3, 5)), "b1": rng.normal(size=5), "W2": rng.normal(size=(5, 2)), "b2": np.zeros(2)}
        x, t = rng.normal(size=(rows, 3)), rng.normal(size=(rows, 2))
        yield f(p, x, t)
        yield g(p, x, t)


@orders.same
def several_arguments_and_argnums(compile):
    def f(a, b, c):
        return mg.sum(a * mg.sin(b * c) * b)

    for argnums in (0, 1, (0, 2), (2, 0), -1):
        yield from over(compile(mg.value_and_grad(f, argnums)), (X, Y, Z), (Z, Y, X))
        yield from over(mg.grad(compile(f), argnums), (X, Y, Z), (Z, Y, X))


@orders.same
def auxiliary_results(compile):
    f = compile(mg.value_and_grad(lambda x: (mg.sum(x * x), {"twice": x * 2.0, "n": len(x)}), has_aux=True))
    yield from over(f, X, Y, Z)


@orders.same
def a_jacobian(compile):
    f = lambda x: mg.stack([mg.sum(x * x), mg.sin(x[0]) * x[1]])
    yield from over(compile(mg.jacobian(f)), X, Y, Z)
    yield from over(mg.jacobian(compile(f)), X, Y, Z)


@orders.same
def a_product_with_the_hessian(compile):
    f = lambda x: mg.sum(mg.sin(x) * x * x)
    yield from over(compile(lambda x, v: mg.hvp(f)(x, v)), (X, Y), (Y, Z))
    yield from over(mg.hvp(compile(f)), (X, Y), (Y, Z))


@orders.same
def jvp_and_vjp(compile):
    f = lambda x: mg.sin(x) * x
    yield from over(compile(lambda x, v: mg.jvp(f, (x,), (v,))), (X, Y), (Y, Z))
    yield from over(compile(lambda x, v: mg.vjp(f, x)[1](v)), (X, Y), (Y, Z))
    g = compile(f)
    for x, v in ((X, Y), (X, Y), (Z, X)):
        yield mg.jvp(g, (x,), (v,))
        yield mg.vjp(g, x)[1](v)


@orders.same
def an_elementwise_gradient(compile):
    f = lambda x: mg.sin(x) * x
    yield from over(compile(mg.elementwise_grad(mg.elementwise_grad(f))), X, Y, Z)
    yield from over(mg.elementwise_grad(mg.elementwise_grad(compile(f))), X, Y, Z)


@orders.same
def a_gradient_inside(compile):
    f = compile(lambda x: x - 0.1 * mg.grad(lambda x: mg.sum(mg.sin(x) * x))(x))
    yield from over(f, X, Y, Z)
    yield from over(mg.jacobian(f), X, Y)


@orders.same
def a_jacobian_inside(compile):
    f = compile(lambda x: mg.sum(mg.square(mg.jacobian(lambda x: mg.sin(x) * mg.sum(x))(x))))
    yield from over(f, X, Y, Z)
    yield from over(mg.grad(f), X, Y)


@orders.same
def third_order(compile):
    f = lambda x: mg.sin(x) * x * x
    g = functools.reduce(lambda g, _: mg.elementwise_grad(g), range(3), f)
    yield from over(compile(g), X, Y)
    yield from over(functools.reduce(lambda g, _: mg.elementwise_grad(g), range(3), compile(f)), X, Y)


@orders.same
def pullbacks_kept_and_used_later(compile):
    f = compile(lambda x: mg.sin(x) * x)
    pulls = [mg.vjp(f, x)[1] for x in (X, Y, Z)]
    for pull in pulls:
        yield pull(X)
        yield pull(Y)


@orders.same
def gradients_of_a_graph_through_three_calls(compile):
    f = compile(lambda x: mg.sin(x) * x)
    for x in (X, Y, Z):
        t = mg.constant(x)
        y = mg.sum(f(f(f(t))))
        yield mg.gradients(y, t)


@orders.same
def two_derivatives_of_one_call(compile):
    f = compile(lambda x: mg.sum(mg.sin(x) * x))
    yield from over(mg.grad(f), X, Y)
    yield from over(mg.hessian(f), X, Y)
    yield from over(mg.grad(f), Z, Y)


@orders.honest
def a_result_of_integers(compile):
    f = compile(lambda x: (mg.argmax(x), mg.sum(x * x)))
    yield from over(f, X, Y, Z)
    yield from over(mg.grad(lambda x: f(x)[1]), X, Y, Z)


@orders.honest
def a_result_that_depends_on_no_argument(compile):
    f = compile(lambda x: (x * 2.0, mg.constant(3.0) * 2.0, 7, "text", None))
    yield from over(f, X, Y)


@orders.same
def float32_through_second_order(compile):
    f = lambda x: mg.mean(mg.tanh(x * 0.1 + 0.3) / (x * x + 0.7))
    x, y = np.float32(X), np.float32(Y)
    yield from over(compile(mg.hessian(f)), x, y)
    yield from over(mg.hessian(compile(f)), x, y)
    yield from over(compile(mg.value_and_grad(f)), x, y)


test_orders = orders.test()
