"""The run that answers each question at the end of a lesson: a line of minigrad, NumPy or Python, by lesson and
number."""

import sys
from functools import partial
from itertools import count, product

import numpy as np

import minigrad as mg
from minigrad.core.graph import ancestors
from minigrad.core.support.observers import observing


def slope(f, *at, of=0):
    xs = [mg.constant(np.float64(x)) for x in at]
    found = mg.gradients(f(*xs), xs)[of]
    return None if found is None else found.numpy()


def graph(f, *at):
    return list(ancestors([f(*[mg.constant(np.float64(x)) for x in at])]))


def arrows(nodes):
    return sum(isinstance(arg, mg.Tensor) for node in nodes for arg in node.args or ())


def paths(y, x):
    return 1 if y is x else sum(paths(arg, x) for arg in y.args or () if isinstance(arg, mg.Tensor))


def rule(f, grad):
    return mg.custom_gradient(lambda *xs: (f(*xs), partial(grad, *xs)))


def twice_doubled():
    x = mg.constant(3.0)
    s = x + x
    return paths(s * s, x)


def replaced():
    x = mg.constant(3.0)
    y = x * x
    x = mg.constant(5.0)
    return y.item()


def times(order, f):
    """The derivative of an order."""
    return f if order == 0 else mg.grad(times(order - 1, f))


def second_of(f, at):
    x = mg.constant(np.float64(at))
    return {None: "None"}[mg.gradients(mg.gradients(f(x), x)[0], x)[0]]


def runs_of(wrap):
    seen = []
    x = mg.constant(1.0)
    mg.gradients(wrap(lambda x: seen.append(x) or mg.exp(x))(x), x)
    return len(seen)


def same_mask():
    x = mg.constant(np.ones(40))
    y = mg.recompute_grad(lambda x: x * (np.random.random(40) < 0.5))(x)
    return bool(np.array_equal(y.value, mg.gradients(y, x)[0].value))


def transposed_solve():
    a, b, u = np.array([[2.0, 1.0], [0.0, 3.0]]), np.array([1.0, 1.0]), np.array([1.0, 10.0])
    x = mg.constant(b)
    return np.allclose(mg.gradients(mg.solve(a, x), x, u)[0].value, np.linalg.solve(a.T, u))


def three_rows_of_a_code():
    codes = mg.constant([5.0, 1.0])
    return mg.gradients(mg.sum(mg.stack([codes[1], codes[0], codes[1], codes[1]])), codes)[0].value[1]


@mg.custom_gradient
def rounded(z):
    return mg.round(z), lambda upstream: upstream


def second_of_a_rounded_square():
    z = mg.constant(1.7)
    (g,) = mg.gradients(rounded(z) * rounded(z), z)
    return mg.gradients(g, z)[0].item()


def last_message_of_a_square():
    """Whether the two messages to A in A @ A differ, so that storing keeps one and loses the other."""
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    left, right = mg.constant(a), mg.constant(a)
    first, second = mg.gradients(left @ right, [left, right])
    (both,) = mg.gradients(left @ left, left)
    return not np.allclose(first, second) and np.allclose(first.value + second.value, both)


def independent_columns():
    """How many columns of a tall table are not sums of multiples of the others: that many directions are needed."""
    f = lambda x: mg.sin(x[0] * np.arange(50.0)) + x[1] * np.arange(50.0) ** 2 + mg.exp(-x[2] * np.arange(50.0))
    return np.linalg.matrix_rank(mg.jacobian(f)(np.ones(3)))


def along(f, at, tangents):
    return mg.jvp(f, tuple(map(np.float64, at)), tuple(map(np.float64, tangents)))[1]


def walks_back_for_a_gradient():
    passes = []
    with observing(follow=lambda begun: passes.append(begun)):
        mg.grad(lambda w: mg.sum(w * w))(np.ones(1000))
    return len(passes)


def either_side_may_be_wrong():
    """Whether one function has the slope of the tangent, 3, and another that of the walk back, 10."""
    return slope(lambda x: 3 * x, 1) == 3, slope(lambda x: 10 * x, 1) == 10


def beside_eight():
    """Which end of float16 stops a weight of 8."""
    w, step = np.float16(8), np.float16(0.001)
    return "c" if w - step == w and step > 0 and np.isfinite(w) else "?"


def first_normal(x):
    return next(k for k in count() if np.float16(x * 2.0**k) >= np.finfo(np.float16).tiny)


def slopes_of_an_infinite_loss():
    x = mg.constant(np.array([200.0, 3.0], np.float16))
    y = mg.sum(x * x) * np.float16(2.0)
    (slopes,) = mg.gradients(y, x)
    return np.isinf(y.item()), slopes.value.tolist() == [800.0, 12.0]


def changed_by_scaling(factor):
    slopes = np.random.default_rng(0).normal(size=1000).astype(np.float16)
    scaled = (slopes * np.float16(factor)).astype(np.float64) / factor
    return np.mean(scaled != slopes.astype(np.float64))


def range_of_eight_bits():
    """Whether the ends of float32 stay what they are, where its last 16 bits are left out."""
    x = np.array([1e38, 1e-37], np.float32)
    short = (x.view(np.uint32) & 0xFFFF0000).view(np.float32)
    return bool(np.all(np.abs(short / x - 1) < 2.0**-7))


def softmax_loss(z, label):
    z = mg.constant(z) if isinstance(z, np.ndarray) else z
    return mg.logsumexp(z) - z[label]


def equal_units():
    """The number of different columns after ten steps, for 32 equal ones."""
    w, v = np.full((3, 32), 0.1), np.full((32, 1), 0.2)
    loss = lambda p: mg.mean((mg.tanh(np.eye(3) @ p[0]) @ p[1] - np.array([[1.0], [2.0], [3.0]])) ** 2)
    for _ in range(10):
        w, v = (p - 0.1 * np.asarray(g) for p, g in zip((w, v), mg.grad(loss)((w, v))))
    return len(np.unique(w.round(12), axis=1).T)


def is_that_of_the_sum():
    x = mg.constant([1.0, 2.0])
    return np.array_equal(mg.gradients(x * x, x)[0].value, mg.gradients(mg.sum(x * x), x)[0].value)


def calls(f, grad, use):
    """How often the rule of a function of two outputs is called, and with what."""
    seen = []

    @mg.custom_gradient
    def both(x):
        return f(x), lambda *gs: (seen.append(gs), grad(*gs))[1]

    x = mg.constant(2.0)
    mg.gradients(use(both(x)), x)
    return seen


def in_a_table(variable_names):
    """The names of the Variables in the order in which a rule gets them."""
    variables = [mg.Variable(1.0, name=name) for name in variable_names]
    found = []

    @mg.custom_gradient
    def f(x):
        def grad(upstream, variables=None):
            found.extend(v.name.partition(":")[0] for v in variables)
            return upstream, [upstream for _ in variables]

        return sum(variables[1:], variables[0]) * x + variables[0], grad

    x = mg.constant(2.0)
    mg.gradients(f(x), [x, *variables])
    return found


def rule_of_parts(parts, captured):
    """A function of two arguments that captures Variables, and whose rule returns `parts`."""
    return mg.custom_gradient(lambda x, y: (x * y + sum(captured), lambda upstream, variables=None: parts))


def gradients_of_a_rule():
    """How many gradients the rule of a function of two arguments that captures three Variables has to return."""
    x, y = mg.constant(2.0), mg.constant(3.0)
    captured = [mg.Variable(1.0) for _ in range(3)]
    accepted = []
    for returned in product(range(1, 6), repeat=2):
        parts = [[mg.constant(1.0)] * part for part in returned]
        f = rule_of_parts(parts, captured)
        try:
            mg.gradients(f(x, y), [x, y, *captured])
        except (TypeError, ValueError):
            continue
        accepted.append(sum(returned))
    (total,) = accepted
    return total


def captured_constant():
    c = mg.constant(2.0)
    f = rule(lambda x: x * c, lambda x, upstream: upstream * 2.0)
    return mg.gradients(f(mg.constant(3.0)), c)[0]


def nothing_to_b():
    a, b = mg.constant(1.0), mg.constant(2.0)
    f = rule(lambda a, b: a * b, lambda a, b, upstream: (upstream * b, None))
    return mg.gradients(f(a, b) + 7 * b, b)[0].item()


def value_under_the_rule():
    f = rule(lambda x: mg.log(1 + mg.exp(x)), lambda x, upstream: upstream * mg.sigmoid(x))
    return {np.inf: "b", 100.0: "a"}[f(mg.constant(100.0)).item()]


def biased():
    X, W, b = (mg.constant(np.ones(shape)) for shape in ((8, 3), (3, 2), (2,)))
    return [g.numpy() for g in mg.gradients(mg.sum(X @ W + b), [W, b])]


def letter(number):
    return {"0.0": "a", "inf": "b", "nan": "c"}[str(float(number))]


def of_central_differences(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


def errors_of_forward_differences(h):
    return abs((np.exp(1 + h) - np.exp(1.0)) / h - np.exp(1.0))


def nudges():
    """The runs of f for one direction among many inputs."""
    runs, x, direction = count(), np.zeros(1000), np.ones(1000)
    f = lambda x: (next(runs), float(np.sum(x)))[1]
    of_central_differences(lambda t: f(x + t * direction), 0.0, 1e-3)
    return next(runs)


def messages(y):
    return sum(len(node.args or ()) for node in ancestors([y]))


def doublings(n):
    y = mg.constant(1.0)
    for _ in range(n):
        y = y + y
    return y


def two_walks():
    adjoint = 0
    for _ in range(2):
        for _ in ("left", "right"):  # the messages of y = x + x
            adjoint += 1
    return adjoint


def replaced_messages(x):
    adjoint = 0.0
    for message in (x, x):  # those of x·x
        adjoint = message
    return adjoint


def one_for_each():
    """How many gradients a rule of three inputs must return."""
    xs = [mg.constant(1.0) for _ in range(3)]
    for n in (1, 2, 3, 4):
        f = rule(lambda a, b, c: a * b * c, lambda a, b, c, upstream, n=n: (upstream,) * n)
        try:
            mg.gradients(f(*xs), xs)
        except (ValueError, TypeError):
            continue
        return n


square = rule(lambda x: x * x, lambda x, upstream: upstream * 2 * x)

RUN = {
    "01.1": lambda: len(graph(lambda x: x * x * x + x, 3)),
    "01.2": lambda: arrows(graph(lambda x: x * x * x + x, 3)),
    "01.3": twice_doubled,
    "01.4": replaced,
    "01.5": lambda: sum(node.op is not None for node in graph(lambda x: x * x if x > 0 else 0.0, 3)),
    "02.1": lambda: slope(lambda x: (2 * x) * (2 * x), 1),
    "02.2": lambda: arrows(graph(lambda b: (b * b) * b, 3)) - 1,
    "02.3": lambda: slope(lambda y: y, 5),
    "02.4": lambda: slope(lambda a, b: a - b, 1, 2, of=1),
    "02.5": lambda: messages(doublings(10)),
    "03.1": lambda: of_central_differences(lambda x: x**3, 1, 0.5),
    "03.2": lambda: round(errors_of_forward_differences(1e-3) / errors_of_forward_differences(1e-4)),
    "03.3": lambda: of_central_differences(abs, 0.0, 1e-3),
    "03.4": lambda: (1 + 1e-17) - 1,
    "03.5": nudges,
    "04.1": two_walks,
    "04.2": lambda: replaced_messages(7),
    "04.3": lambda: sum({"x": 5}[parent] for parent in {"x", "x"}),  # noqa: B033
    "04.4": lambda: {True: "b"}[all(a.serial < y.serial for y in graph(lambda x: x * x + x, 2) for a in y.args or ())],
    "04.5": lambda: {1000: "b"}[min(1000, sys.getrecursionlimit())],
    "05.1": lambda: biased()[1][0],
    "05.2": lambda: {(8, 2): "a", (3, 2): "b", (2, 3): "c"}[biased()[0].shape],
    "05.3": lambda: mg.gradients(mg.mean(x := mg.constant(np.arange(5.0))), x)[0].numpy()[0],
    "05.4": lambda: mg.gradients(mg.cumsum(x := mg.constant(np.ones(3))), x, np.array([1.0, 10.0, 100.0]))[0].numpy()[
        0
    ],
    "05.5": lambda: (np.ones(3) - np.ones((3, 1))).size,
    "06.1": lambda: round(float(np.log(np.float64(np.finfo(np.float16).max))), 1),
    "06.2": lambda: letter(0 * float("inf")),
    "06.3": lambda: letter(slope(lambda x: mg.where(x > 0, mg.sqrt(x), 0.0), 0)),
    "06.4": lambda: letter(sum([1.0] * 999, np.nan)),
    "06.5": lambda: {True: "a"}[np.isinf(np.float64("inf") + np.float64("inf"))],
    "07.1": lambda: slope(lambda x: 5 * square(x), 3),
    "07.2": lambda: slope(rule(lambda x: x**3, lambda x, upstream: upstream), 2),
    "07.3": lambda: mg.grad(mg.grad(square))(np.float64(3)),
    "07.4": one_for_each,
    "07.5": value_under_the_rule,
    "08.1": lambda: {"W": "b", "b": "a"}[in_a_table(["b", "W"])[0]],
    "08.2": lambda: {"v10": "c", "v2": "a", "v9": "b"}[in_a_table(["v9", "v10", "v2"])[0]],
    "08.3": lambda: len(in_a_table(["w"])),
    "08.4": lambda: {None: "c"}[captured_constant()],
    "08.5": gradients_of_a_rule,
    "09.1": lambda: mg.nest.flatten({"b": 1, "a": [2, 3]})[-1],
    "09.2": lambda: calls(lambda x: (x, 2 * x), lambda g, h: g + h, lambda ys: 1.0 * ys[0])[0][1].item(),
    "09.3": lambda: len(calls(lambda x: (x, 2 * x), lambda g, h: g + h, lambda ys: sum([*ys] * 3))),
    "09.4": nothing_to_b,
    "09.5": lambda: calls(lambda x: {"z": x, "a": 2 * x}, lambda g, h: g + h, lambda ys: 3 * ys["z"] + 5 * ys["a"])[0][
        0
    ].item(),
    "10.1": lambda: (abs(1e-3) - abs(0)) / 1e-3,
    "10.2": lambda: slope(mg.maximum, 1, 1),
    "10.3": lambda: {True: "a"}[is_that_of_the_sum()],
    "10.4": lambda: letter(slope(mg.sqrt, 0)),
    "10.5": lambda: slope(mg.relu, 0),
    "11.1": lambda: times(3, mg.sin)(np.float64(0)),
    "11.2": lambda: times(2, lambda x: x**3)(np.float64(2)),
    "11.3": lambda: mg.hessian(lambda x: x[0] * x[1])(np.array([3.0, 5.0]))[0, 1],
    "11.4": lambda: 5 - slope(square, 5) / times(2, square)(np.float64(5)),
    "11.5": lambda: {"None": "b"}[second_of(rule(square, lambda x, upstream: upstream * mg.stop_gradient(2 * x)), 3)],
    "12.1": lambda: slope(mg.grad_pass_through(mg.round), 2.7),
    "12.2": lambda: slope(lambda x: 3 * rule(lambda x: x, lambda x, upstream: -0.5 * upstream)(x), 1),
    "12.3": lambda: slope(lambda x: mg.clip(x, -1, 1), 3),
    "12.4": lambda: {True: "a", False: "b"}[
        mg.check_gradients(mg.grad_pass_through(mg.round), 0.3, order=1, raises=False).ok
    ],
    "12.5": lambda: {None: "c"}[slope(mg.stop_gradient, 1)],
    "13.1": lambda: runs_of(lambda f: mg.recompute_grad(f)),
    "13.2": lambda: 36 // 6 + 6,
    "13.3": lambda: min(range(1, 401), key=lambda k: 400 / k + k),
    "13.4": lambda: slope(mg.recompute_grad(mg.tanh), 0.5) - slope(mg.tanh, 0.5),
    "13.5": lambda: {True: "a", False: "b"}[same_mask()],
    "14.1": lambda: slope(mg.sqrt, 16),
    "14.2": lambda: slope(lambda x: x / (1 - 0.5), 1),
    "14.3": lambda: {None: "c"}[slope(lambda x, y: y, 4, 2)],
    "14.4": lambda: round(sum(0.9**k for k in range(400)), 9),
    "14.5": lambda: {True: "b"}[transposed_solve()],
    "15.1": lambda: round(softmax_loss(np.zeros(3), 0).item(), 2),
    "15.2": lambda: np.sum(mg.grad(lambda z: softmax_loss(z, 3))(np.linspace(-2.0, 3.0, 10))).round(12),
    "15.3": equal_units,
    "15.4": lambda: round(float(mg.optim.SGD(0.1).step(np.float64(2), np.float64(3))), 9),
    "15.5": lambda: slope(mg.sigmoid, 0),
    "16.1": lambda: mg.grad(lambda z: softmax_loss(z, 0))(np.zeros(2))[0],
    "16.2": three_rows_of_a_code,
    "16.3": second_of_a_rounded_square,
    "16.4": lambda: slope(lambda x: 3 * x / (1 - 0.5), 1),
    "16.5": lambda: {True: "b"}[last_message_of_a_square()],
    "17.1": independent_columns,
    "17.2": lambda: along(lambda a, b: a * b, (2.0, 7.0), (3.0, 1.0)),
    "17.3": lambda: along(lambda a, b: a * b, (4.0, 4.0), (0.5, 0.5)),
    "17.4": lambda: {1: "a"}[walks_back_for_a_gradient()],
    "17.5": lambda: {(True, True): "c"}[either_side_may_be_wrong()],
    "18.1": beside_eight,
    "18.2": lambda: first_normal(1e-9),
    "18.3": lambda: {(True, True): "a"}[slopes_of_an_infinite_loss()],
    "18.4": lambda: {(True, False): "b"}[changed_by_scaling(1000.0) > 0.5, changed_by_scaling(1024.0) > 0],
    "18.5": lambda: {True: "a"}[range_of_eight_bits()],
}
