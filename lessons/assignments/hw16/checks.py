"""The checks of hw16, which students receive: nine criteria, for each of four rules."""

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, mistake

# What the rules are compared with: functions without a rule, differentiated by the engine


def loss_of(labels):
    labels = np.array(labels)
    counted = (labels >= 0) * 1.0

    def loss(z):
        T = np.eye(z.shape[1])[labels] * counted[:, None]
        each = mg.logsumexp(z, axis=1) - mg.sum(z * T, axis=1)
        return mg.sum(each * counted) / max(counted.sum(), 1.0)

    return loss


def quantizer(codes):
    def quantize(z):
        distances = ((z.numpy()[:, None] - codes.numpy()) ** 2).sum(2)
        chosen = np.eye(len(codes.numpy()))[distances.argmin(1)]
        return chosen @ codes + (z - mg.stop_gradient(z))

    return quantize


def equilibrium(W, b):
    def layer(x):
        y = mg.zeros_like(x)
        for _ in range(40):
            y = mg.tanh(x + y @ W + b)
        return y

    return layer


REFERENCE = {"a": loss_of, "b": quantizer, "c": equilibrium}

# For each case and each rule: what the rule is made with, and its input

Z = [[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]]
CODES = [[0.0, 0.0], [1.0, 1.0], [-1.0, 2.0]]
NEAR = [[0.9, 0.8], [-0.2, 0.1], [0.4, 0.3]]
SMALL, WIDE = [[0.3, -0.4], [0.2, 0.1]], [[0.2, 0.1, -0.3], [0.0, 0.3, 0.1], [-0.2, 0.2, 0.1]]
TALL = [[1.0, 0.0, -1.0], [0.3, 0.2, 0.1], [0.0, 0.0, 0.0], [2.0, 1.0, 0.5]]

CASES = {
    "plain numbers": {
        "a": (([1, 0],), Z),
        "b": ((CODES,), NEAR),
        "c": ((SMALL, [0.1, -0.2]), [[1.0, -1.0], [0.5, 2.0]]),
    },
    "other numbers": {
        "a": (([2, 1, 0],), [[-1.0, 0.5, 2.0], [3.0, 3.0, -2.0], [0.1, 0.2, 0.3]]),
        "b": (([[2.0, -1.0], [0.5, 0.5]],), [[1.9, -0.7], [0.4, 0.9], [0.6, 0.1], [2.5, -2.0]]),
        "c": (([[0.1, 0.5], [-0.3, 0.2]], [0.0, 0.3]), [[0.2, 0.4], [-1.0, 0.1], [0.7, -0.6]]),
    },
    "what else gets a gradient": {
        "a": (([1, -1, 0],), [[1.0, 2.0, 0.5], [4.0, 5.0, 6.0], [0.0, -1.0, 3.0]]),
        "b": ((CODES,), [[0.9, 0.8], [1.2, 1.1], [0.1, 0.1], [-0.9, 1.7], [0.5, 0.5]]),
        "c": ((SMALL, [0.1, -0.2]), [[1.0, -1.0], [0.5, 2.0], [0.0, 0.1]]),
    },
    "one row": {
        "a": (([3],), [[0.1, 0.2, 0.3, 0.4, -1.0]]),
        "b": (([[0.5, 1.0, 2.0]],), [[1.0, 1.0, 1.0]]),
        "c": ((WIDE, [0.1, 0.2, 0.3]), [[1.0, 0.0, -1.0]]),
    },
    "many rows": {
        "a": (([0, 1, 0, 1, 1],), [[0.1, 0.4], [2.0, 1.0], [0.0, 0.0], [-1.0, 1.0], [3.0, 0.2]]),
        "b": (([[0.5], [1.5], [4.0]],), [[0.1], [1.1], [5.0], [3.0]]),
        "c": ((WIDE, [0.1, 0.2, 0.3]), TALL),
    },
    "large numbers": {
        "a": (([1, 0],), [[1000.0, -1000.0, 0.0], [0.0, 1000.0, 3.0]]),
        "b": ((CODES,), [[1000.0, -1000.0], [0.0, 0.0]]),
        "c": ((SMALL, [0.1, -0.2]), [[1000.0, -1000.0], [0.0, 500.0]]),
    },
    "nothing to do": {
        "a": (([-1, -1],), Z),
        "b": ((CODES,), CODES),
        "c": (([[0.0, 0.0], [0.0, 0.0]], [0.0, 0.0]), [[0.0, 0.0]]),
    },
}
NAMES = (("w1", "w2"), ("kernel", "bias"), ("w9", "w10"))  # a rule may not rely on the names of its Variables


def text(value):
    return np.array2string(np.asarray(value, float), separator=", ", precision=5).replace("\n", "")


def shown(g):
    return "None" if g is None else text(g.numpy())


def made(capstone, chosen, case, names=NAMES[0]):
    """The student's function and the reference, the input, and the Variables with their names."""
    parts, x = CASES[case][chosen]
    if chosen == "a":
        given = variables = [np.array(parts[0])]
    else:
        given = variables = [mg.Variable(np.array(p, float), name=n) for p, n in zip(parts, names)]
    x = mg.constant(np.array(x, float), dtype="float64")
    return capstone(*given), REFERENCE[chosen](*given), x, dict(zip(names, variables)) if chosen != "a" else {}


def uneven(y):
    """An upstream gradient that differs from entry to entry; a negative one for a number."""
    if not y.shape:
        return mg.constant(-2.5, dtype="float64")
    return mg.constant(np.linspace(2.5, -0.5, y.numpy().size).reshape(y.shape), dtype="float64")


def same(got, true):
    """Whether two gradients are equal; none is the same as 0 everywhere."""
    if got is None or true is None:
        return not any(np.any(g.numpy()) for g in (got, true) if g is not None)
    got, true = got.numpy(), true.numpy()
    return got.shape == true.shape and np.allclose(got, true, rtol=1e-7, atol=1e-9) and bool(np.isfinite(got).all())


def ruled(y, case):
    """True if y comes from a rule of the student's own."""
    if not isinstance(y, mg.Tensor):
        return f"{case}: the result should be a Tensor, not {type(y).__name__}."
    if type(y.op).__name__ == "CustomCall":
        return True
    return mistake(mistake.no_rule.name, f"{case}: the result does not come from a rule of your own.")


def value(capstone, case, chosen):
    f, true, x, _ = made(capstone, chosen, case)
    got, want = f(x), true(x)
    if not isinstance(got, mg.Tensor):
        return f"{case}: the result should be a Tensor, not {type(got).__name__}."
    return same(got, want) or f"{case}: the value is {shown(got)}. It should be {shown(want)}."


def gradients(capstone, case, chosen, names=NAMES[0], variables_too=False):
    f, true, x, variables = made(capstone, chosen, case, names)
    got, want = f(x), true(x)
    if (rule := ruled(got, case)) is not True:
        return rule
    if got.shape != want.shape:
        return f"{case}: the value has the shape {got.shape}. It should have {want.shape}."
    inputs = {"the input": x, **(variables if variables_too else {})}
    found = mg.gradients(got, list(inputs.values()), grad_ys=[uneven(got)])
    right = mg.gradients(want, list(inputs.values()), grad_ys=[uneven(want)])
    plain = mg.gradients(want, list(inputs.values()))
    for name, g, t, p in zip(inputs, found, right, plain):
        if not same(g, t):
            words = f"{case}: the gradient of {name} is {shown(g)}. It should be {shown(t)}."
            if g is not None and t is not None and g.shape == t.shape:
                if same(g, p):
                    return mistake(mistake.no_upstream.name, words)
                if same(g, -t):
                    return mistake(mistake.sign.name, words)
            return words
    return True


def second(capstone, case, chosen):
    f, true, x, _ = made(capstone, chosen, case)
    if (rule := ruled(f(x), case)) is not True:
        return rule
    direction = mg.constant(np.linspace(-1.0, 2.0, x.numpy().size).reshape(x.shape), dtype="float64")

    def along(f):
        y = f(x)
        (g,) = mg.gradients(mg.sum(uneven(y) * y * y), [x])
        return None if g is None else mg.gradients(mg.sum(g * direction), [x])[0]

    got, want = along(f), along(true)
    return same(got, want) or f"{case}: the second derivative is {shown(got)}. It should be {shown(want)}."


def others(capstone, case, chosen):
    for names in NAMES:
        if (right := gradients(capstone, case, chosen, names, variables_too=True)) is not True:
            return right
    return True


def whole(capstone, case, chosen):
    right = value(capstone, case, chosen)
    return gradients(capstone, case, chosen, variables_too=True) if right is True else right


# The broken engine

PROGRAMS = {
    "value": {
        "a + b": lambda join, a, b, row, column: a + b,
        "a * b": lambda join, a, b, row, column: a * b,
        "a @ b": lambda join, a, b, row, column: a @ b,
        "a[0]": lambda join, a, b, row, column: a[0],
        "concatenate(a, b)": lambda join, a, b, row, column: join(a, b),
    },
    "first": {
        "a[0]": lambda join, a, b, row, column: a[0],
        "(a * b)[1]": lambda join, a, b, row, column: (a * b)[1],
        "a[1][0]": lambda join, a, b, row, column: a[1][0],
    },
    "second": {
        "a @ a": lambda join, a, b, row, column: a @ a,
        "a * a": lambda join, a, b, row, column: a * a,
        "a @ b + a": lambda join, a, b, row, column: a @ b + a,
        "row @ a": lambda join, a, b, row, column: row @ a,
    },
    "others": {
        "concatenate(a, b)": lambda join, a, b, row, column: join(a, b),
        "concatenate(a @ b, column @ row)": lambda join, a, b, row, column: join(a @ b, column @ row),
        "concatenate(a, row)": lambda join, a, b, row, column: join(a, row),
        "concatenate(row, b)": lambda join, a, b, row, column: join(row, b),
    },
    "shapes": {
        "a + row": lambda join, a, b, row, column: a + row,
        "column * a": lambda join, a, b, row, column: column * a,
        "row * a": lambda join, a, b, row, column: row * a,
        "a * row": lambda join, a, b, row, column: a * row,
        "a * column": lambda join, a, b, row, column: a * column,
        "a * 3 + b": lambda join, a, b, row, column: a * 3 + b,
        "column + row": lambda join, a, b, row, column: column + row,
        "row + 1": lambda join, a, b, row, column: row + 1,
    },
}
INPUTS = {"a": [[1.0, 2.0], [3.0, 4.0]], "b": [[0.5, -1.0], [2.0, 3.0]], "row": [[5.0, 7.0]], "column": [[-1.0], [2.0]]}


def engine(capstone):
    given = capstone()
    if not isinstance(given, (tuple, list)) or len(given) != 3:
        raise TypeError("capstone() returns Array, concatenate, gradients")
    return given


def program(capstone, kind, words):
    Array, concatenate, gradients = engine(capstone)
    build = PROGRAMS[kind][words]
    mine = [Array(np.array(v)) for v in INPUTS.values()]
    true = [mg.constant(np.array(v), dtype="float64") for v in INPUTS.values()]
    got, want = build(concatenate, *mine), build(lambda p, q: mg.concatenate([p, q]), *true)
    if not np.array_equal(np.asarray(got.value, float), want.numpy()):
        return f"{words}: the value is {text(got.value)}. It should be {text(want.numpy())}."
    if kind == "value":
        return True
    weights = np.linspace(2.5, -0.7, want.numpy().size).reshape(want.shape)  # no two rows have one upstream gradient
    found = gradients(got * Array(weights), mine)
    for name, g, x, t in zip(INPUTS, found, true, mg.gradients(want * weights, true)):
        t = np.zeros(x.shape) if t is None else t.numpy()
        if np.shape(g) != t.shape or not np.allclose(np.asarray(g, float), t, rtol=1e-9):
            times = f"({words}) * {text(weights)}"
            return f"{times}: the gradient of {name} is {text(g)}. It should be {text(t)}."
    return True


def repaired(capstone, *kinds):
    for kind in kinds:
        for words in PROGRAMS[kind]:
            if (right := program(capstone, kind, words)) is not True:
                return right
    return True


def lasting(capstone):
    Array, _, gradients = engine(capstone)
    a, b = Array(np.array(INPUTS["a"])), Array(np.array(INPUTS["b"]))
    y = a @ b
    before, after = gradients(y, [a])[0], gradients(y, [a])[0]
    if not np.allclose(before, after):
        return f"a second walk over the same graph gives {text(after)}; the first gave {text(before)}."
    end = b
    for _ in range(1200):
        end = end + 0.0
    weights = np.array([[2.0, -1.0], [0.5, 3.0]])
    got = gradients(end * Array(weights), [b])[0]
    right = np.shape(got) == (2, 2) and np.allclose(np.asarray(got, float), weights, rtol=1e-9)
    return right or f"1,200 additions of 0, times {text(weights)}: the gradient is {text(got)}."


# The rubric: what it is called, its marks, what it tries for a, b and c, and at which cases

RUBRIC = {
    "value": ("the value", 3, value, ("plain numbers", "other numbers")),
    "first": ("the gradient of the input", 4, gradients, ("plain numbers", "other numbers")),
    "second": ("the second derivative", 3, second, ("plain numbers", "other numbers")),
    "others": ("Variables, and rows that do not count", 2, others, ("what else gets a gradient",)),
    "shapes": ("other shapes", 2, whole, ("one row", "many rows")),
    "finite": ("right, also in unusual cases", 2, whole, ("plain numbers", "large numbers", "nothing to do")),
}


def criterion(name):
    """The property that tries one criterion, whichever rule was chosen."""

    def holds(capstone, case, chosen=""):
        if chosen in REFERENCE:
            return RUBRIC[name][2](capstone, case, chosen)
        if chosen != "d":
            return 'chosen should be "a", "b", "c" or "d".'
        if name in ("value", "finite"):  # each repair may break another: these count when all four are made
            right = repaired(capstone, "first", "second", "others", "shapes")
            if right is not True:
                return f"counts when all four faults are repaired. {right}"
        return lasting(capstone) if name == "finite" else repaired(capstone, name)

    return holds


def everything(capstone, name, case, chosen=""):
    return criterion(name)(capstone, case, chosen)


@exercise("capstone", function="capstone(criterion, case)", also=("chosen",), seconds=10.0)
def capstone(c):
    cases = [(name, case) for name, (_, _, _, some) in RUBRIC.items() for case in some]
    c.property("all that follows holds", everything, vary=(), points=cases, objects=True)


for _name, (_says, _marks, _, _cases) in RUBRIC.items():

    @exercise(_name, points=_marks, of="capstone", function="capstone(case)", also=("chosen",), seconds=10.0)
    def _one(c, says=_says, name=_name, cases=_cases):
        c.property(says, criterion(name), vary=(), points=[(case,) for case in cases], objects=True)

    globals()[_name + "_of_it"] = _one


def drawn(draw, chosen=""):
    got = draw()
    if not isinstance(got, str):
        return f"draw() should return the text of mg.backward_trace(y).to_json(), not {type(got).__name__}."
    try:
        trace = mg.BackwardTrace.from_json(got)
    except Exception as error:
        return f"draw() returned a text that is not a trace: {str(error)[:150]}"
    if chosen != "d" and not any(node.kind == "custom" for node in trace.nodes):
        words = "The picture has no box with a rule of its own. Draw a call of your function."
        return mistake("no rule in the picture", words)
    return bool(trace.steps) or "In the picture nothing is sent."


@exercise("picture", function="draw()", also=("chosen",), seconds=10.0)
def picture(c):
    c.property("the picture shows your rule at work", drawn, vary=(), points=[()])
    c.free("any call of the function can be drawn")


@exercise("why", points=2)
def why(c):
    c.by_hand(
        words=(40, 200),
        scale={
            2: "Names the reason, and one thing that the rule does not change.",
            1: "Says what the code does, or names the reason alone.",
            0: "Neither.",
        },
    )
