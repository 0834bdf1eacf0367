"""Lesson 3: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise


@exercise("smaller_and_smaller")
def smaller_and_smaller(c):
    c.tells("best step", "error grows", "smallest error", "cancel")
    c.choice(
        "b",
        because={
            "a": "On paper. A computer subtracts two nearly equal values, and the digits that they share are gone.",
            "b": "Yes: at first the step is too large, and in the end the digits run out.",
            "c": "Run the next cell, and compare 0.1 with 0.0001.",
        },
    )


@exercise("central_error")
def central_error(c):
    c.tells("h squared", "error falls")
    c.choice(
        "b",
        because={
            "a": "That is the forward difference. Read the curve of the central one: it falls twice as steeply.",
            "b": "Yes: the terms with h cancel, the next ones have h squared. At 0.1 it is 4.5e-3, at 0.01 4.5e-5.",
            "c": "The terms with h cancel, and the next ones have h squared: 10 times 10.",
        },
    )


@exercise("best_step_in_float32")
def best_step_in_float32(c):
    c.choice(
        "b",
        because={
            "a": "There the step is still too large: the error is 5e-3, and it falls on.",
            "b": "Yes: near 0.003 the error is smallest. With 7 digits, the digits run out early.",
            "c": "Of these four it is the best in float64. In float32 the error is 1e-2 there.",
            "d": "A float32 near 1 does not move at all when 1e-8 is added.",
        },
    )


@exercise("runs_for_1000")
def runs_for_1000(c):
    c.tells("half an hour", "each input moves both ways")
    c.number(
        2000,
        because={
            2000: "Yes: each input is moved up and down.",
            1000: "Each input is moved both ways.",
            1001: "That would do for forward differences. The central one moves each input both ways.",
            2: "Each input has a difference of its own, so f runs twice for each.",
        },
        otherwise="How many runs does one entry take? Each of 1000 takes as many.",
    )


@exercise("which_direction")
def which_direction(c):
    c.choice(
        "c",
        because={
            "a": "With ones, the claim is the sum of the entries. It stays when two change places.",
            "b": "It looks only at the first entry, and that one is right.",
            "c": "Yes: each entry has a weight of its own, so almost every error changes the sum.",
        },
    )


@exercise("relu_at_zero")
def relu_at_zero(c):
    c.tells("mean over both sides", "a half")
    c.number(
        0.5,
        because={
            0.5: "Yes: (h - 0) / 2h, whatever h is. No side of 0 has this slope.",
            0: "That is the slope to the left. The central difference also uses a point to the right of 0.",
            1: "That is the slope to the right. The central difference also uses a point to the left of 0.",
        },
        otherwise="Compute it: relu(h) is h and relu(-h) is 0.",
    )


@exercise("lucky_points")
def lucky_points(c):
    c.tells("are equal")
    c.choice(
        "a",
        because={
            "a": "Yes: 0 * 0 is 2 * 0, and 2 * 2 is 2 * 2. Only elsewhere do the two differ.",
            "b": "Compare x * x with 2 * x at both points.",
        },
    )


@exercise("numerical_grad", points=3, function="numerical_grad(f, x, h)")
def numerical_grad(c):
    c.hint(
        "Which entries move, and which stay? One entry goes up and down, the others stay.",
        "Work on copies: up, down = x.copy(), x.copy().",
        "gradient[i] = (f(up) - f(down)) / (___)",
    )
    c.solution("Each entry gets its own central difference, and up and down are 2 * h apart.")
    body = (
        "def numerical_grad(f, x, h=1e-5):\n    gradient = np.zeros_like(x)\n    for i in range(len(x)):\n"
        "        {copies}\n        up[i] += h\n        down[i] -= h\n        gradient[i] = {quotient}\n"
        "    return {result}"
    )
    usual = {
        "copies": "up, down = x.copy(), x.copy()",
        "quotient": "(f(up) - f(down)) / (2 * h)",
        "result": "gradient",
    }
    for named, change in (
        ("a forward difference", {"quotient": "(f(up) - f(x)) / h"}),
        ("a difference to the left", {"quotient": "(f(x) - f(down)) / h"}),
        ("divided by h", {"quotient": "(f(up) - f(down)) / h"}),
        ("brackets around 2 * h are missing", {"quotient": "(f(up) - f(down)) / 2 * h"}),
        ("the sign is flipped", {"quotient": "(f(down) - f(up)) / (2 * h)"}),
        ("up and down are one array", {"copies": "up = down = x"}),
        (None, {"result": "gradient.sum()"}),
        ("multiplied by the value", {"quotient": "(f(up) - f(down)) / (2 * h) * f(x)"}),
        ("a step of its own", {"copies": "h = 1e-5; up, down = x.copy(), x.copy()"}),
        ("all entries moved at once", {"copies": "up, down = x + h, x - h; up[i] -= h; down[i] += h"}),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    c.wrong(
        "def numerical_grad(f, x, h=1e-5):\n    g, x = np.zeros_like(x), x.copy()\n    for i in range(len(x)):\n"
        "        x[i] += h; up = f(x); x[i] -= 2 * h\n        g[i] = (up - f(x)) / (2 * h)\n    return g",
        "an entry is not put back",
    )


@exercise("check_direction", points=2, function="check_direction(f, gradient, x, v, h)")
def check_direction(c):
    c.hint(
        "At which two inputs do you run f? At x + h * v and at x - h * v.",
        "What does the gradient claim? The sum of gradient times v.",
        "return abs((f(x + h * v) - f(x - h * v)) / (2 * h) - ___ @ v)",
    )
    c.solution("If the gradient is right, the sum of gradient times v is the slope along v, so the two agree.")
    head = "def check_direction(f, gradient, x, v, h=1e-5): return "
    central = "(f(x + h * v) - f(x - h * v)) / (2 * h)"
    for named, body in (
        ("v is missing in the claim", f"abs({central} - gradient.sum())"),
        ("moved every entry by h", "abs((f(x + h) - f(x - h)) / (2 * h) - gradient @ v)"),
        ("the result has a sign", f"{central} - gradient @ v"),
        ("added the two", f"abs({central} + gradient @ v)"),
        ("a forward difference", "abs((f(x + h * v) - f(x)) / h - gradient @ v)"),
        ("divided by h", "abs((f(x + h * v) - f(x - h * v)) / h - gradient @ v)"),
        ("brackets around 2 * h are missing", "abs((f(x + h * v) - f(x - h * v)) / 2 * h - gradient @ v)"),
        (
            "the direction is not used",
            "max(abs((f(x + h * e) - f(x - h * e)) / (2 * h) - g) for e, g in zip(np.eye(len(x)), gradient))",
        ),
        ("divided by the claim", f"abs({central} - gradient @ v) / abs(gradient @ v)"),
        ("always 0", "0.0"),
    ):
        c.wrong(head + body, named)
    c.accept(
        "return abs(measured - gradient @ v) -> return (abs(measured - gradient @ v) * 1).astype('float32')",
        "a distance needs few digits",
    )
    c.accept("measured - gradient @ v -> gradient @ v - measured", "the absolute value of both is the same")
    c.accept("gradient @ v -> v @ gradient", "the sum of products is the same")


@exercise("has_kink", points=3, function="has_kink(f, x, h)")
def has_kink(c):
    c.hint(
        "What do you compare? The slope to the right and the slope to the left: their distance is the gap.",
        "Where f is smooth, half the step has half the gap. At a kink the gap stays.",
        "near > 0.75 * wide and near > 1e-6, with wide, near = abs(gap(h)), abs(gap(___))",
    )
    c.solution(
        "Bending shrinks with the step and a jump does not, so two gaps tell them apart, whatever the scale of f is."
    )
    head = "def has_kink(f, x, h=1e-4):\n    gap = lambda s: (f(x + s) - f(x)) / s - (f(x) - f(x - s)) / s\n    return "
    for body in (
        "abs(gap(h)) > 0",
        "abs(gap(h)) > 1e-3",
        "abs(gap(h)) > 0.5",
        "gap(h / 2) > 0.75 * gap(h) and gap(h / 2) > 1e-6",
        "abs(gap(h / 2)) < 0.75 * abs(gap(h))",
        "abs(gap(h / 2)) > 0.75 * abs(gap(h))",
        "True",
        "False",
        "abs((f(x + h) - f(x - h)) / (2 * h) - (f(x + h / 2) - f(x - h / 2)) / h) > 1e-6",
        "abs(f(x + h) - f(x)) > 0.5",
    ):
        c.wrong(head + body)
    c.accept(
        "return abs((f(x + step) - f(x)) / step - (f(x) - f(x - step)) / step) -> "
        "return 2 * abs((f(x + step) - f(x)) / step - (f(x) - f(x - step)) / step)",
        "both gaps are twice as large",
    )
    c.accept("gap(h / 2) > 0.75 * gap(h) -> gap(h / 2) >= 0.75 * gap(h)", "no gap is just at the limit")
    c.accept("gap(h / 2) > 1e-06 -> gap(h / 2) >= 1e-06", "no gap is just at the limit")
    c.accept(
        "(f(x + step) - f(x)) / step - (f(x) - f(x - step)) / step -> "
        "(f(x) - f(x - step)) / step - (f(x + step) - f(x)) / step",
        "the absolute value of both is the same",
    )
    c.accept("h / 2 -> h * 2", "the second test only leaves out rounding, at any step")
    c.accept("h / 2 -> h", "the second test only leaves out rounding, at any step")
    c.accept("h / 2 -> 2", "the second test only leaves out rounding, at any step")
    c.accept("2 -> 3", "the second test only leaves out rounding, at any step")
    c.accept("2 -> 1", "the second test only leaves out rounding, at any step")
