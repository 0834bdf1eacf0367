"""What students of hw7 do not receive: answers, hints, wrong answers that must fail, and further checks."""

import numpy as np

from minigrad.classroom import exercise, floats, mistake

far = (floats(-1000, 1000, also=(1000.0, -1000.0, 100.0)), floats(-1000, 1000, also=(0.0, -999.0, 800.0)))


@exercise("entropy_at_0")
def entropy_at_0(c):
    c.choice(
        "c",
        because={
            "a": "0 is the limit, and what is meant. The product is computed from 0 and -inf.",
            "b": "log(0) is -inf. It is then multiplied by 0.",
            "c": "Yes: log(0) is -inf, and 0 times -inf is not a number.",
        },
    )


@exercise("sum_of_slopes")
def sum_of_slopes(c):
    c.number(
        1.0,
        because={
            1.0: "Yes: if both inputs grow by the same number, the result grows by it, too.",
            0.0: "Both slopes are positive: the result grows with each input.",
            2.0: "Each slope is between 0 and 1, and both are near 1 nowhere.",
            0.5: "Each of them is 0.5 where a = b.",
        },
    )


@exercise("xlogx", points=3, function="xlogx(x)")
def xlogx(c):
    c.derivative(
        "the second derivative is 1 / x for positive x",
        vary=(floats(0.1, 50, also=(2.0, 1.0)),),
        slope=lambda x: 1 / x,
        order=2,
        reveal="message",
    )
    c.derivative(
        "the gradient next to 0",
        vary=(floats(0, 1e-6, also=(1e-9, 1e-15)),),
        slope=lambda x: np.log(x) + 1 if x > 0 else 0.0,
        reveal="message",
    )
    c.hint(
        "Which x is harmless for the logarithm?",
        "Replace x by 1 where it is 0, before the logarithm: mg.where(x > 0, x, 1.0).",
        "logarithm = mg.log(___), and in the rule mg.where(x > 0, upstream * (___ + 1), 0.0)",
    )
    c.solution("The choice comes before the logarithm, so no -inf is made, and once more in the rule.")
    head = (
        "@mg.custom_gradient\ndef xlogx(x):\n    l = mg.log(mg.where(x > 0, x, 1.0))\n"
        "    return x * l, lambda upstream: "
    )
    c.wrong("def xlogx(x): return x * mg.log(x)", "not finite at 0")
    plain = "x * mg.log(mg.where(x > 0, x, 1.0))"
    c.wrong(f"def xlogx(x): return {plain}", mistake.no_rule)
    same = "@mg.custom_gradient\ndef same(y): return y * 1.0, lambda upstream: upstream + 0.0\n"
    c.wrong(same + f"def xlogx(x): return same({plain})", mistake.no_rule)
    c.wrong(head + "mg.where(x > 0, l + 1, 0.0)", mistake.no_upstream)
    c.wrong(head + "mg.where(x > 0, upstream * l, 0.0)")
    c.wrong(head + "mg.where(x > 0, -upstream * (l + 1), 0.0)", mistake.sign)
    c.wrong(head + "upstream * (l + 1)")
    c.wrong(head + "mg.where(x > 0, upstream * (l - 1), 0.0)")
    c.accept("1.0 -> 2.0", "where x is 0, its logarithm is multiplied by 0 in the value and is not chosen in the rule")
    c.wrong(head + "mg.sum(mg.where(x > 0, upstream * (l + 1), 0.0))", mistake.summed)
    c.wrong(head + "mg.where(x > 0, upstream * (l + 1), 0.0) if x > 0 else 0.0", mistake.python_if)
    c.wrong(head + "None", mistake.rule_none)
    c.wrong(
        (head + "mg.where(x > 0, upstream * (l + 1), 0.0)").replace("mg.where(x > 0, x, 1.0)", "mg.maximum(x, 1e-12)")
    )
    c.wrong(head + "mg.where(x > 0, upstream * mg.stop_gradient(l + 1), 0.0)")


@exercise("log_of_sum", points=4, function="log_of_sum(a, b)")
def log_of_sum(c):
    c.value(np.logaddexp, vary=far, says="the value where exp is too large", reveal="message")
    c.derivative(
        "the gradients where exp is too large",
        vary=far,
        slope=lambda a, b: (0.5 * (1 + np.tanh(0.5 * (a - b))), 0.5 * (1 + np.tanh(0.5 * (b - a)))),
        reveal="message",
    )
    c.hint(
        "Which of exp(a - b) and exp(b - a) is never too large? The one whose argument is not above 0.",
        "The value is max(a, b) + log(1 + exp(-|a - b|)), and both slopes are sigmoids.",
        "The value: mg.maximum(a, b) + mg.log1p(mg.exp(___)). The rule: upstream * mg.sigmoid(___), and the other.",
    )
    c.solution("The largest number is taken out of the sum, so exp gets numbers up to 0 only.")
    head = (
        "@mg.custom_gradient\ndef log_of_sum(a, b):\n"
        "    y = mg.maximum(a, b) + mg.log1p(mg.exp(-abs(a - b)))\n    return y, lambda upstream: "
    )
    p, q = "mg.sigmoid(a - b)", "mg.sigmoid(b - a)"
    naive = (
        "@mg.custom_gradient\ndef log_of_sum(a, b):\n    s = mg.exp(a) + mg.exp(b)\n"
        "    return mg.log(s), lambda upstream: "
    )
    c.accept("a - b -> b - a", "in the value, where the difference has no sign")
    c.wrong("def log_of_sum(a, b): return mg.log(mg.exp(a) + mg.exp(b))")
    c.wrong(naive + "(upstream * mg.exp(a) / s, upstream * mg.exp(b) / s)")
    c.wrong(naive + f"(upstream * {p}, upstream * {q})")
    c.wrong(head + f"({p}, {q})", mistake.no_upstream)
    c.wrong(head + f"(upstream * {q}, upstream * {p})", "the gradients are in the wrong order")
    c.wrong(head + f"(upstream * {p}, upstream * {p})", "the same gradient for both inputs")
    c.wrong(head + f"(-upstream * {p}, -upstream * {q})", mistake.sign)
    c.wrong(head + f"upstream * {p}")
    c.wrong(head + f"(mg.sum(upstream * {p}), mg.sum(upstream * {q}))", mistake.summed)
    c.wrong(head + "(upstream, upstream)", mistake.no_local)
    c.wrong("def log_of_sum(a, b): return mg.logaddexp(a, b)")
