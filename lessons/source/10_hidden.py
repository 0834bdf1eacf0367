"""Lesson 10: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

import math

from minigrad.classroom import exercise, mistake


@exercise("nan_on_which")
def nan_on_which(c):
    c.choice(
        "b",
        because={
            "a": "Where norm is spelled out, sqrt is an op of its own, and its slope at 0 is inf.",
            "b": "Yes: there norm is made of a square, a sum and a sqrt, and inf meets 0.",
            "c": "PyTorch's norm is one op with a rule, and the rule says 0.",
        },
    )


@exercise("maximum_at_a_tie")
def maximum_at_a_tie(c):
    c.choice(
        "c",
        because={
            "a": "relu has a rule of its own. At a tie maximum shares the slope, or gives it to the first.",
            "b": "TensorFlow gives all of it to x.",
            "c": "Yes: 0.5 in three of them, and 1 in TensorFlow.",
        },
    )
    c.harmless("that depends on what counts as the same", "of rounding, not of this row")
    c.harmless("the names of the rows where not all", "what is to be built")


@exercise("disagreements", points=2, function="disagreements(table)")
def disagreements(c):
    c.hint(
        "When are two of the four the same? Mind nan and rounding.",
        "np.isclose(a, b, rtol=1e-5, equal_nan=True) is True for two nans as well.",
        "if not all(np.isclose(number, row[0], ___) for number in row)",
    )
    c.solution("Each number of a row is compared with the first, nan included.")
    c.accept("0 -> 1", "any one number of the row will do")
    c.accept("0 -> -1", "any one number of the row will do")
    closer = "np.isclose({}, {}, rtol=1e-05, equal_nan=True)"
    c.accept(f"{closer.format('number', 'first')} -> {closer.format('first', 'number')}", "nearly symmetric")
    h = "def disagreements(table): return [n for n, r in table.items() if "
    c.wrong(h + "any(x != r[0] for x in r)]", "nan is unlike nan")
    c.wrong(h + "max(r) - min(r) > 1e-5]")
    c.wrong(h + "any(abs(x - r[0]) > 1e-5 for x in r)]", "a nan is not seen")
    c.wrong(h + "not np.allclose(r, r[0])]")
    c.wrong(h + "not all(x == r[0] or (x != x and r[0] != r[0]) for x in r)]", "last digits count")
    c.wrong(h + "not np.isclose(r[0], r[1], rtol=1e-5, equal_nan=True)]", "only the first two")
    c.wrong(h + "not np.isclose(r[0], r[-1], rtol=1e-5, equal_nan=True)]", "first and last only")
    c.wrong(h + "all(np.isclose(x, r[0], rtol=1e-5, equal_nan=True) for x in r)]", "the rows that agree")
    c.wrong(h + "any(x != x for x in r)]", "a row with a nan")
    c.wrong(h + "not np.allclose(r, r[0], rtol=0, atol=1e-5, equal_nan=True)]", "an absolute difference")
    c.wrong(
        h + "any(not (x != x and r[0] != r[0]) and not abs(x - r[0]) <= 1e-5 * abs(r[0]) for x in r)]", "inf minus inf"
    )
    c.wrong("def disagreements(table): return len(table)")
    c.wrong("def disagreements(table): return list(table)")
    c.wrong(
        "def disagreements(table): return {n: r for n, r in table.items() if not np.allclose(r, r[0], equal_nan=True)}"
    )


@exercise("slope_of_cumprod")
def slope_of_cumprod(c):
    c.number(
        9.0,
        because={
            9.0: "Yes: 1 + 2 + 6. Move the 0 to 0.001, and the sum becomes 0.009.",
            0.0: "That is TensorFlow's answer. Move the 0 to 0.001: the sum becomes 0.009.",
            6.0: "That is the last product only. x and 2x count, too.",
            math.nan: "That was TensorFlow's answer until it replaced 0 / 0 by 0. Here nothing is divided.",
        },
        otherwise="Add the slopes of x, 2x and 6x.",
    )


@exercise("nan_in_how_many")
def nan_in_how_many(c):
    c.number(
        4,
        because={
            4: "Yes: 0 · inf is nan in all of them. Arithmetic is not a choice.",
            0: "0 · inf is nan in every framework. Arithmetic is not a choice.",
            2: "0 · inf is nan in every framework. Arithmetic is not a choice.",
            3: "minigrad, too: lesson 6 begins with it.",
        },
        otherwise="Is 0 · inf a matter of choice?",
    )


@exercise("length_everywhere", points=3, function="length_everywhere(a, b)")
def length_everywhere(c):
    c.hint(
        "At the origin the slope of sqrt is inf. Which argument does no harm?",
        "safe = mg.where(square > 0, square, 1.0)",
        "and choose again at the end: mg.where(square > 0, ___, 0.0)",
    )
    c.solution("The inner where keeps sqrt away from 0, the outer one gives the value at the origin.")
    h = "def length_everywhere(a, b):\n    s = a * a + b * b\n    return "
    c.wrong(h + "mg.sqrt(s)")
    c.wrong(h + "mg.where(s > 0, mg.sqrt(s), 0.0)", "0 * inf at sqrt")
    c.wrong(h + "mg.sqrt(mg.where(s > 0, s, 1.0))", "the value at the origin")
    c.wrong(h + "mg.sqrt(s + 1e-8)")
    c.wrong(h + "mg.where(s > 1e-6, mg.sqrt(mg.where(s > 1e-6, s, 1.0)), 0.0)")
    c.wrong(h + "mg.sqrt(mg.maximum(s, 1e-12))")
    c.wrong(h + "abs(a) + abs(b)")
    c.wrong(h + "mg.hypot(a, b)", mistake.library_answer)
    c.wrong(h + "mg.where(s > 0, mg.sqrt(mg.where(s > 0, s, 1.0)), s) if s > 0 else 0.0 * (a + b)")
    c.wrong(h + "mg.where(s > 0, mg.where(s > 0, s, 1.0), 0.0)")
    c.wrong(h + "mg.where(a > 0, mg.sqrt(mg.where(s > 0, s, 1.0)), 0.0)")
    c.accept("1.0 -> 2.0", "any number that sqrt can take does no harm")
    c.accept("1.0 -> 0.0", "the inner where sends nothing on, whatever comes")
    c.wrong(
        "@mg.custom_gradient\ndef length_everywhere(a, b):\n    y = mg.sqrt(a*a+b*b)\n"
        "    d = mg.where(y > 0, y, 1.0)\n    return y, lambda u: (u*a/d, u*b/d)",
        "a rule of your own",
    )


@exercise("filler_of_0")
def filler_of_0(c):
    c.choice(
        "b",
        because={
            "a": "A nan appears in sqrt. The inner where chose the other branch, so it goes no further.",
            "b": "Yes: the inner where chose its other branch, and sends 0 to the one that was not taken.",
        },
    )


@exercise("abs_like_jax", points=2, function="abs_like_jax(x)")
def abs_like_jax(c):
    c.hint(
        "The value stays abs(x).",
        "The slope is 1 from 0 on, and -1 below.",
        "return abs(x), lambda upstream: upstream * mg.where(x >= 0, ___, ___)",
    )
    c.solution("At 0 the condition holds, so the slope of the right side is taken.")
    head = "@mg.custom_gradient\ndef abs_like_jax(x): return abs(x), lambda u: "
    s = "mg.where(x >= 0, 1.0, -1.0)"
    c.wrong("def abs_like_jax(x): return abs(x)")
    c.wrong(head + "u * mg.sign(x)", "0 at the kink")
    c.wrong(head + "u * mg.where(x > 0, 1.0, -1.0)", "-1 at the kink")
    c.wrong(head + s, mistake.no_upstream)
    c.wrong(head + "-u * " + s, mistake.sign)
    c.wrong(head + "u", mistake.no_local)
    c.wrong(head + "u * abs(x)")
    c.accept("upstream * mg.where(x >= 0, 1.0, -1.0) -> upstream / mg.where(x >= 0, 1.0, -1.0)", "1 / 1 and 1 / -1")
    c.wrong(head + "u * x / abs(x)")
    c.wrong(head + "u if x >= 0 else -u", mistake.python_if)
    c.wrong(head + "None", mistake.rule_none)
    c.wrong(head + "mg.sum(u * " + s + ")", mistake.summed)
    c.wrong("def abs_like_jax(x): return abs(x), lambda u: u * " + s, mistake.no_decorator)
    c.wrong("def abs_like_jax(x): return mg.maximum(x, -x)")
    c.wrong("def abs_like_jax(x): return x * mg.where(x >= 0, 1.0, -1.0)", mistake.no_rule)
    c.wrong("def abs_like_jax(x): return mg.where(x >= 0, x, -x)", mistake.no_rule)


@exercise("keep_a_function")
def keep_a_function(c):
    c.choice(
        "b",
        because={
            "a": "Only numbers and arrays pass from fwd to bwd: the two may run at different times.",
            "b": "Yes: fwd and bwd may run at different times, and only numbers and arrays travel between them.",
        },
    )


@exercise("to_pair", points=3, function="to_pair(rule, x, upstream)")
def to_pair(c):
    c.hint(
        "bwd sees nothing but what fwd has kept.",
        "Keep x, and call f again in bwd.",
        "return (f(kept)[1](___),)",
    )
    c.solution("f(kept) gives the rule again, for the x that was kept.")
    h = "def to_pair(f):\n"
    c.wrong(h + "    return f, lambda grad, u: (grad(u),)", "a function is kept")
    c.wrong(h + "    return lambda x: (f(x)[0], x), lambda x, u: f(x)[1](u)", "no tuple")
    c.wrong(h + "    return lambda x: (f(x)[0], x), lambda x, u: (f(x)[1](1.0),)", "forgot the upstream gradient")
    c.wrong(h + "    return lambda x: (f(x)[0], x), lambda u, x: (f(x)[1](u),)", "kept and upstream exchanged")
    c.wrong(h + "    return lambda x: (f(x)[0], x), lambda u: (f(u)[1](u),)", "bwd takes two")
    c.wrong(h + "    return lambda x: f(x)[0], lambda x, u: (f(x)[1](u),)", "nothing is kept")
    c.wrong(
        h + "    box = {}\n    def fwd(x):\n        y, box['g'] = f(x)\n        return y, x\n"
        "    return fwd, lambda k, u: (box['g'](u),)",
        "remembered outside",
    )
    c.wrong(
        h + "    return lambda x: (f(x)[0], x), lambda x, u: ((f(x + 1e-6)[0] - f(x - 1e-6)[0]) / 2e-6 * u,)",
        "the derived gradient",
    )
    c.wrong(h + "    return lambda x: (f(x)[0], x), lambda x, u: (f(x)[0],)", "the value instead of the gradient")
    c.wrong(h + "    return lambda x: (f(x)[1], f(x)[0]), lambda x, u: (u,)", "value and kept exchanged")
    c.wrong(h + "    return f")
    c.wrong(h + "    return lambda x: (f(x)[0], x), lambda x, u: (f(x)[1](u),) * 2", "one for each input")
    c.wrong(h + "    return lambda x: (f(x), x), lambda x, u: (f(x)[1](u),)", "the value is a pair")
    c.wrong(h + "    def fwd(x):\n        y, g = f(x)\n        return y, g(1.0)\n    return fwd, lambda s, u: (s + u,)")


@exercise("no_second_derivative")
def no_second_derivative(c):
    c.choice(
        "c",
        because={
            "a": "0.19661 there, as in JAX and minigrad.",
            "b": "0.19661 there, as in TensorFlow and minigrad.",
            "c": "Yes: what was saved has no past, and PyTorch says that the result does not require a gradient.",
            "d": "0.19661 here: e in the rule is the Tensor itself.",
        },
    )
