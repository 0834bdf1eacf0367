"""Lesson 14: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake

FROZEN = "stopped one step after the answer"


@exercise("warm_start")
def warm_start(c):
    c.choice(
        "c",
        because={
            "a": "That is the slope of the answer. The loop made no step, so nothing was recorded.",
            "b": "0 would say that a makes no difference. There is no path from a to y at all.",
            "c": "Yes: no step was made, so y is the start itself, which is not made from a.",
        },
    )


@exercise("messages_not_0")
def messages_not_0(c):
    c.number(
        5,
        because={
            5: "Yes: those of the last step. From there on everything is 0.",
            202: "Look where the two messages of the last step meet: 0.5 and -0.5.",
            200: "Look where the two messages of the last step meet: 0.5 and -0.5.",
            1: "The last step alone has three ops, with five arrows.",
        },
        otherwise="The last step sends 0.5 and -0.5 to the step before. What goes on from there?",
    )


@exercise("newton_sqrt", points=2, function="newton_sqrt(a)")
def newton_sqrt(c):
    c.hint(
        "y · y = a holds at the answer. Nudge a by da: by how much must y move?",
        "2 y dy = da.",
        "return upstream / (___)",
    )
    c.solution("y · y = a gives 2 y dy = da, whatever was done to find y.")
    head = "@mg.custom_gradient\ndef newton_sqrt(a):\n    y = halve(a)\n    return y, lambda upstream: "
    c.wrong(head + "upstream / y", "the 2 is missing")
    c.wrong(head + "upstream * mg.gradients(y, a)[0]")
    c.wrong(head + "1 / (2 * y)", mistake.no_upstream)
    c.wrong(head + "upstream / (2 * a)", "divided by a instead of its root")
    c.wrong(head + "mg.stop_gradient(upstream) / (2 * y)", mistake.upstream_lost)
    c.wrong(head + "upstream * 2 * y")
    c.wrong(head + "-upstream / (2 * y)", mistake.sign)
    c.wrong(head + "upstream", mistake.no_local)
    c.wrong(head + "upstream / (4 * y)", mistake.half)
    c.wrong(head + "upstream * y")
    c.wrong(head + "upstream / (2 * mg.stop_gradient(y))")
    c.wrong(head + "upstream / (2 * float(y))", mistake.taken_out)
    c.wrong(head + "None", mistake.rule_none)
    c.wrong("def newton_sqrt(a): return halve(a)", mistake.no_rule)
    c.wrong(
        "@mg.custom_gradient\ndef newton_sqrt(a):\n    return mg.sqrt(a), lambda upstream: upstream / (2 * mg.sqrt(a))",
        mistake.library_answer,
    )
    c.wrong(
        "@mg.custom_gradient\ndef newton_sqrt(a):\n    y = a\n    for _ in range(4):\n        y = (y + a / y) / 2\n"
        "    return y, lambda upstream: upstream / (2 * y)"
    )
    c.wrong(head + "mg.sum(upstream / (2 * y))", mistake.summed)


@exercise("one_step")
def one_step(c):
    c.number(
        1.0,
        because={
            1.0: "Yes: E = M + e sin(E) moves by 1 when M does. One step has not seen that this E is put back in.",
            3.198: "The value stands at the answer, but the gradient only goes through one step.",
            3.1979: "The value stands at the answer, but the gradient only goes through one step.",
        },
        otherwise=(
            "In one step E = M + e sin(E), with the old E as a constant. How much does it move when M moves by 1?"
        ),
    )


@exercise("two_steps")
def two_steps(c):
    c.number(
        1.6873,
        within=0.001,
        because={
            1.6873: "Yes: 1 for the new step, and 0.6873 for what the first one did.",
            2.0: "The second step shrinks what the first one did, by e cos E = 0.6873.",
            0.6873: "That is what is left of the first step. The second adds a 1 of its own.",
        },
        otherwise="The first step moves E by 1. The second shrinks that by 0.6873, and adds its own 1.",
    )


@exercise("kepler", points=3, function="kepler(M, e)")
def kepler(c):
    c.hint(
        "dE = dM + de · sin E + e · cos E · dE. Which terms have dE in them?",
        "Bring them to one side: (1 - e cos E) dE = dM + sin E · de.",
        "v = upstream / (1 - ___); return v, v * ___",
    )
    c.solution("One step more changes nothing: dE = dM + sin E · de + e cos E · dE, solved for dE.")
    head = (
        "@mg.custom_gradient\ndef kepler(M, e):\n    E = orbit(M, e)\n    d = 1 - e * mg.cos(E)\n"
        "    return E, lambda upstream: "
    )
    c.wrong(head + "(upstream, upstream * mg.sin(E))", FROZEN)
    c.wrong(head + "tuple(upstream * g for g in mg.gradients(E, [M, e]))")
    c.wrong(head + "(upstream * mg.sin(E) / d, upstream / d)", "the gradients are in the wrong order")
    c.wrong(head + "(upstream / d, upstream / d)", "the same gradient for M and e")
    c.wrong(head + "(upstream / (2 - d), upstream * mg.sin(E) / (2 - d))", "the sign of the step's slope")
    c.wrong(head + "(1 / d, mg.sin(E) / d)", mistake.no_upstream)
    c.wrong(head + "(-upstream / d, -upstream * mg.sin(E) / d)", mistake.sign)
    c.wrong(head + "(upstream * d, upstream * mg.sin(E) * d)")
    c.wrong(head + "(upstream / d, upstream * mg.sin(mg.stop_gradient(E)) / d)", mistake.second_lost)
    c.wrong(head + "(upstream / (1 - e * mg.sin(E)), upstream * mg.sin(E) / (1 - e * mg.sin(E)))")
    c.wrong(head + "(upstream / (1 - e * mg.cos(M)), upstream * mg.sin(M) / (1 - e * mg.cos(M)))")
    c.wrong(head + "upstream / d")
    c.wrong(head + "(upstream / d, None)")
    c.wrong(head + "(upstream / d, upstream * E / d)")
    c.wrong(head + "(upstream / (1 - mg.cos(E)), upstream * mg.sin(E) / (1 - mg.cos(E)))")
    c.wrong("def kepler(M, e): return orbit(M, e)", mistake.no_rule)
    c.wrong(
        "@mg.custom_gradient\ndef kepler(M, e):\n    E = M\n    for _ in range(5):\n        E = M + e * mg.sin(E)\n"
        "    v = lambda u: u / (1 - e * mg.cos(E))\n"
        "    return E, lambda upstream: (v(upstream), v(upstream) * mg.sin(E))"
    )


@exercise("say_of_40")
def say_of_40(c):
    c.choice(
        "c",
        because={
            "a": "That is its say in the mean.",
            "b": "That is about its weight in the sum. When the point moves away, its weight shrinks as well.",
            "c": "Yes: far away, a point pulls with the same force wherever it is.",
        },
    )


@exercise("robust_middle", points=3, function="robust_middle(x)")
def robust_middle(c):
    c.hint(
        "At the middle the slopes add up to 0. Nudge one x: how does its slope change?",
        "By its bend, (1 + ((x - y) / 3) ** 2) ** -1.5. When y moves, each slope changes by the bend of its x.",
        "return upstream * bend / ___",
    )
    c.solution("bend_i dx_i - sum(bend) dy = 0, so dy / dx_i = bend_i / sum(bend).")
    c.accept("x - y -> y - x", "the distance is squared")
    head = (
        "@mg.custom_gradient\ndef robust_middle(x):\n    y = middle(x)\n    q = 1 + ((x - y) / 3) ** 2\n"
        "    b = q ** -1.5\n    return y, lambda upstream: "
    )
    c.wrong(head + "upstream * mg.ones_like(x) / len(x)", "every point has the same say")
    c.wrong(head + "upstream * q ** -0.5 / mg.sum(q ** -0.5)", "the weights were taken as fixed")
    c.wrong(head + "upstream * b", "the says are not divided by their sum")
    c.wrong(head + "b / mg.sum(b)", mistake.no_upstream)
    c.wrong(head + "-upstream * b / mg.sum(b)", mistake.sign)
    c.wrong(head + "upstream * b / mg.mean(b)")
    c.wrong(head + "upstream * b / mg.max(b)")
    c.wrong(head + "upstream * b / mg.stop_gradient(mg.sum(b))", mistake.second_lost)
    c.wrong(head + "upstream * q ** -1.0 / mg.sum(q ** -1.0)")
    c.wrong(head + "upstream * (x - y) * b / mg.sum(b)")
    c.wrong(head + "upstream")
    c.wrong(head + "upstream * q ** 1.5 / mg.sum(q ** 1.5)")
    c.wrong(head + "mg.gradients(mg.sum(q ** -0.5 * x) / mg.sum(q ** -0.5), x, grad_ys=upstream)[0]")
    c.wrong("def robust_middle(x): return middle(x)", mistake.no_rule)
    c.wrong(
        "@mg.custom_gradient\ndef robust_middle(x):\n    y = mg.mean(x)\n    b = (1 + ((x - y) / 3) ** 2) ** -1.5\n"
        "    return y, lambda upstream: upstream * b / mg.sum(b)"
    )
    c.wrong(
        "@mg.custom_gradient\ndef robust_middle(x):\n    y = mg.median(x)\n    b = (1 + ((x - y) / 3) ** 2) ** -1.5\n"
        "    return y, lambda upstream: upstream * b / mg.sum(b)"
    )


@exercise("after_two_steps")
def after_two_steps(c):
    c.choice(
        "b",
        because={
            "a": "0.25089 through the loop, 0.24992 by the rule: the slope is a step behind the value.",
            "b": "Yes: the rule uses the value, which is ahead of the slope.",
        },
    )


@exercise("never_at_rest")
def never_at_rest(c):
    c.choice(
        "c",
        because={
            "a": "One step more says 0.281. Which of the two would it be?",
            "b": "It is the slope of the fixed point 0.6875. The loop never comes to rest there.",
            "c": "Yes: there is no answer to have a slope. The loop jumps between two numbers.",
        },
    )


@exercise("make_ridge", points=3, function="make_ridge(X, y, strength, upstream)")
def make_ridge(c):
    c.hint(
        "A w = X.T y. Nudge y, then the strength: what does the equation say about dw?",
        "Solve once with the upstream gradient: v = A^-1 upstream. A is its own transpose.",
        "v = mg.solve(A, ___); return X @ v, -mg.sum(v * ___)",
    )
    c.solution("A dw = X.T dy - w dstrength. One solve with the upstream gradient serves both.")
    body = """\
def make_ridge(X):
    @mg.custom_gradient
    def ridge(y, strength):
        A = mg.transpose(X) @ X + strength * mg.eye(X.shape[1], dtype=X.dtype)
        w = mg.solve(A, mg.transpose(X) @ y)
        def grad(upstream):
            v = mg.solve(A, upstream)
            return {rule}
        return w, grad
    return ridge"""
    for name, rule in (
        ("the system was left out", "X @ upstream, -mg.sum(upstream * w)"),
        ("the system was left out", "X @ v, -mg.sum(upstream * w)"),
        ("not solved: multiplied by the matrix", "X @ (A @ upstream), -mg.sum(v * w)"),
        ("the sign is flipped", "X @ v, mg.sum(v * w)"),
        ("the sign is flipped", "-(X @ v), -mg.sum(v * w)"),
        (None, "X @ v, -v * w"),
        (None, "v, -mg.sum(v * w)"),
        ("forgot the upstream gradient", "X @ mg.solve(A, mg.ones_like(upstream)), -mg.sum(v * w)"),
        (None, "X @ v, None"),
        (None, "X @ v"),
        (None, "-mg.sum(v * w), X @ v"),
        (None, "X @ v, -mg.sum(v * v)"),
        ("the second derivative is lost", "X @ v, -float(mg.sum(v * w))"),
        ("the second derivative is lost", "X @ mg.solve(A.value, upstream), -mg.sum(v * w)"),
    ):
        c.wrong(body.format(rule=rule), name)
    c.wrong(
        "def make_ridge(X):\n"
        "    return lambda y, strength: mg.solve(mg.transpose(X) @ X + strength * mg.eye(X.shape[1], "
        "dtype=X.dtype), mg.transpose(X) @ y)",
        mistake.no_rule,
    )
