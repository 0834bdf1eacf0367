"""Lesson 11: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake


@exercise("second_of_careless")
def second_of_careless(c):
    c.number(
        1.0,
        because={
            1.0: "Yes: in upstream * (n + x * n) only x is still a Tensor, and its slope is n, which is e.",
            3.0: "3 is the true one: through e twice, and through x. But n is a plain number, and x alone remains.",
            2.0: "The slope itself is 2 e. Its own slope goes through x alone, as n is a plain number.",
            0.0: "x is still a Tensor in the rule. n is not.",
        },
        otherwise="Read the rule: upstream * (n + x * n), where n is a plain number. What is its slope for x?",
    )


@exercise("boxes_of_tanh")
def boxes_of_tanh(c):
    c.choice(
        "b",
        because={
            "a": "It does not grow by a fixed number: every slope of tanh is made of x, and is differentiated again.",
            "b": "Yes: about twice as many at each order.",
            "c": "Twice as many would be 20. One more: count them in the next cell.",
        },
    )


@exercise("fourth_of_cube")
def fourth_of_cube(c):
    c.choice(
        "c",
        because={
            "a": "0 would be a message. The third derivative is made of no x, so no message is sent at all.",
            "b": "6 is the third derivative.",
            "c": "Yes: the third derivative is 6, a number that is made of no x. No arrow leads back to x.",
            "d": "None is an answer that a program can go on with; unconnected='zero' makes 0 of it.",
        },
    )


@exercise("times_exp", points=3, function="times_exp(x)")
def times_exp(c):
    c.hint(
        "Which of e and x has the careless rule turned into a plain number?",
        "A rule may use what its function computed: e itself, a Tensor.",
        "return upstream * (___ + x * ___)",
    )
    c.solution("e is a Tensor with an arrow to x, so the gradient of the rule passes through it.")
    h = "@mg.custom_gradient\ndef times_exp(x):\n    e = mg.exp(x)\n"
    c.wrong(h + "    n = float(e)\n    return x * e, lambda u: u * (n + x * n)")
    c.wrong(h + "    n = e.value\n    return x * e, lambda u: u * (n + x * n)", mistake.taken_out)
    c.wrong(
        h + "    k = mg.stop_gradient(e)\n    return x * e, lambda u: u * (k + x * k)", "the edge through e is missing"
    )
    c.wrong(
        h + "    k = mg.stop_gradient(x)\n    return x * e, lambda u: u * (e + k * e)", "the edge through x is missing"
    )
    c.wrong(h + "    return x * e, lambda u: e + x * e", mistake.no_upstream)
    c.wrong(h + "    return x * e, lambda u: u * e")
    c.wrong(h + "    return x * e, lambda u: u * x * e")
    c.wrong(h + "    return x * e, lambda u: u * (2 * e + x * e)")
    c.wrong(h + "    return x * e, lambda u: -u * (e + x * e)", mistake.sign)
    c.wrong(h + "    return x * e, lambda u: mg.stop_gradient(u * (e + x * e))")
    c.wrong(h + "    return x * e, lambda u: u * e.value * (1 + x.value)", mistake.taken_out)
    c.wrong(h + "    return x * e, lambda u: mg.constant(u.value * (e.value + x.value * e.value))", mistake.taken_out)
    c.wrong("def times_exp(x): return x * mg.exp(x)", mistake.no_rule)
    c.wrong(h + "    return x * e, lambda u: u + e + x * e", mistake.upstream_added)


@exercise("gradient_of_e")
def gradient_of_e(c):
    c.number(
        2.0,
        within=0.001,
        because={
            2.0: "Yes: 1 from each of the two products, e · 1 and e · x.",
            1.0: "That is one of the two messages. Both are added.",
            2.718: "That is the value of e. What arrives at it?",
        },
        otherwise="Each of the two products sends 1 times the other factor, and both are 1.",
    )


@exercise("hessian", points=2, function="hessian(f, x)")
def hessian(c):
    c.hint(
        "Row i is the gradient of slope i. How do you get the slopes?",
        "slopes = mg.gradients(f(x), x)[0], for x = mg.constant(x). Then a loop over slopes[i], and mg.stack.",
        "return mg.stack([mg.gradients(slopes[___], x)[0] for i in range(len(x))])",
    )
    c.solution("mg.gradients of a whole array would add the rows up: so one slope at a time.")
    rows = "mg.stack([mg.gradients(slopes[i], x)[0] for i in range(len(x))])"
    c.accept(f"return {rows} -> return ({rows} * 1).astype('float32')", "float32 is enough here")
    c.accept("0 -> -1", "the list has one entry")
    h = "def hessian(f, x):\n    x = mg.constant(x)\n    g = mg.gradients(f(x), x)[0]\n    return "
    c.wrong(h + "g", "the gradient")
    c.wrong(h + "mg.gradients(g, x)[0]", "the sum of each row")
    c.wrong(h + "mg.gradients(g[0], x)[0]", "row 0 only")
    c.wrong(h + "[mg.gradients(g[i], x)[0] for i in range(1)]", "a list of one")
    c.wrong(h + "mg.stack([mg.gradients(g[i], x)[0][i] for i in range(len(x))])", "the diagonal")
    c.wrong(h + "mg.reshape(g, (-1, 1)) * g", "the products of slopes")
    c.wrong(h + "mg.stack([mg.gradients(mg.sum(g), x)[0]] * len(x))")
    c.wrong(
        "def hessian(f, x):\n    x = mg.constant(x)\n    for i in range(len(x)):\n"
        "        row = mg.gradients(mg.gradients(f(x), x)[0][i], x)[0]\n    return row",
        "the last row only",
    )
    c.wrong("def hessian(f, x): return mg.hessian(f)(x)", mistake.library_answer)
    c.wrong(
        "def hessian(f, x):\n    x = mg.constant(x)\n    g = mg.gradients(f(x), x)[0].value\n"
        "    return mg.stack([mg.gradients(mg.constant(g[i]), x)[0] for i in range(len(x))])"
    )


@exercise("passes_for_hessian")
def passes_for_hessian(c):
    c.number(
        1000,
        because={
            1000: "Yes: one for each row.",
            1: "One pass gives one row. The table has 1000.",
            1000000: "One pass gives a whole row, not one entry.",
            1001: "That counts the first one, which gave the slopes, too.",
        },
        otherwise="One pass gives the gradient of one slope, which is one row.",
    )


@exercise("passes_for_product")
def passes_for_product(c):
    c.number(
        1,
        because={
            1: "Yes: the gradient of one number is one pass, however many inputs there are.",
            1000: "slopes · v is a single number. The gradient of one number is one pass.",
            2: "The other one gave the slopes, and is not counted here.",
        },
        otherwise="slopes · v is a single number.",
    )


@exercise("hvp", points=3, function="hvp(f, x, v)")
def hvp(c):
    c.hint(
        "Which single number has H v as its gradient?",
        "slopes · v, added up: mg.sum(slopes * v).",
        "return mg.gradients(mg.sum(slopes * ___), x)[0]",
    )
    c.solution("The gradient of slopes · v is, for each x, the sum over i of v[i] times the slope of slope i.")
    product = "mg.gradients(mg.sum(slopes * v), x)[0]"
    c.accept(f"return {product} -> return ({product} * 1).astype('float32')", "float32 is enough here")
    c.accept("0 -> -1", "the list has one entry")
    h = "def hvp(f, x, v):\n    x = mg.constant(x)\n    g = mg.gradients(f(x), x)[0]\n    return "
    c.wrong(h + "g", "the gradient")
    c.wrong(h + "mg.sum(g * v)", "the gradient along v")
    c.wrong(h + "g * v", "the gradient times v")
    c.wrong(h + "mg.gradients(g, x)[0]", "v is not used")
    c.wrong(h + "mg.gradients(g, x)[0] * v")
    c.wrong(h + "mg.gradients(mg.sum(g * v), x)", "a list of one")
    c.wrong(h + "mg.sum(mg.gradients(mg.sum(g * v), x)[0])", "the sum of all")
    c.wrong(h + "mg.gradients(mg.sum(g * v), x)[0] * v")
    c.wrong(h + "mg.gradients(mg.sum(mg.stop_gradient(g) * v), x)[0]", "no gradient")
    c.wrong(h + "mg.stack([mg.gradients(g[i], x)[0] for i in range(len(x))])", "the whole matrix")
    c.wrong(h + "mg.stack([mg.gradients(g[i], x)[0] for i in range(len(x))]) @ v")
    c.wrong(h + "mg.gradients(mg.sum(g * v * v), x)[0]", "v comes twice")
    c.wrong("def hvp(f, x, v): return mg.hvp(f)(x, v)", mistake.library_answer)
    c.wrong("def hvp(f, x, v):\n    g = mg.grad(f)\n    return (g(x + 1e-1 * v) - g(x - 1e-1 * v)) / 2e-1")
    c.wrong(
        "def hvp(f, x, v):\n    g = mg.grad(f)\n    return (g(x + 1e-5 * v) - g(x - 1e-5 * v)) / 2e-5",
        "finite differences",
    )


@exercise("newton_step", points=1, function="newton_step(slopes, matrix, x)")
def newton_step(c):
    c.hint(
        "matrix @ step = slopes. Which NumPy function solves that?",
        "np.linalg.solve(matrix, slopes) is the step. Then go against it.",
        "return x - ___",
    )
    c.solution("At x - step the slopes would be slopes - matrix @ step, which is 0.")
    step = "x - np.linalg.solve(matrix, slopes)"
    c.accept(f"return {step} -> return (({step}) * 1).astype('float32')", "float32 is enough for one step")
    h = "def newton_step(slopes, matrix, x): return "
    c.wrong(h + "x + np.linalg.solve(matrix, slopes)", "the wrong way")
    c.wrong(h + "x - matrix @ slopes", "multiplied by the matrix")
    c.wrong(h + "x - slopes / np.diag(matrix)")
    c.wrong(h + "np.linalg.solve(matrix, slopes)", "the step alone")
    c.wrong(h + "x - slopes", "a step of gradient descent")
    c.wrong(h + "x - slopes / matrix", "divided by each entry")
    c.accept("matrix -> matrix.T", "a matrix of second derivatives is its own transpose")
    c.wrong(h + "np.round(x - np.linalg.solve(matrix, slopes), 2)")
    c.wrong(h + "np.linalg.solve(matrix, x - slopes)")
    c.wrong(h + "x - np.linalg.solve(matrix, x)")


@exercise("newton_on_a_saddle")
def newton_on_a_saddle(c):
    c.choice(
        "c",
        because={
            "a": "There is none: -y * y falls for ever. Newton looks for slopes of 0, of whatever kind.",
            "b": "The slopes at (1, 1) are 2 and -2, so it moves.",
            "c": "Yes: all slopes are 0 there. It is a saddle, neither a minimum nor a maximum.",
            "d": "Gradient descent does that. Newton lands where the slopes are 0.",
        },
    )
    c.harmless("0 of 12 right", "the count of exercises")


@exercise("confused")
def confused(c):
    c.choice(
        "b",
        because={
            "a": "That is the truth. But the inner derivative counts the outer dx as its own.",
            "b": "Yes: the inner derivative of x + y counts the dx that x carries for the outer one: 1 + 1.",
            "c": "The inner derivative sees both dx, that of y and that of x.",
        },
    )
