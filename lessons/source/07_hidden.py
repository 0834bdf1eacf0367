"""Lesson 7: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

import math

from minigrad.classroom import exercise, mistake

STILL_INFINITE, ONLY_THE_RULE = "the slope at 0 is still infinite", "the rule is repaired, the value is not"
KINK = "a kink at 0"
ONE_FOR_ALL, SWAPPED = "the same gradient for every input", "the gradients are in the wrong order"


@exercise("slope_with_rule")
def slope_with_rule(c):
    c.tells(r"rule (repairs|gives 1)")
    c.number(
        1.0,
        because={
            1.0: "Yes: 1 - 1 / (1 + inf) is 1 - 0, and no 0 meets an inf.",
            0.0: "1 / (1 + inf) is 0. The rule subtracts that from 1.",
            math.nan: "That is what the derived pass gives. The rule computes 1 - 1 / (1 + inf).",
            math.inf: "1 is divided by the inf here: 1 / (1 + inf) is 0.",
        },
        otherwise="Put e = inf into the rule: upstream * (1 - 1 / (1 + e)), with upstream 1.",
    )


@exercise("value_with_rule")
def value_with_rule(c):
    c.tells(r"inf,? in both|value is (still )?inf")
    c.choice(
        "b",
        because={
            "a": "That is the true value. But it is still computed as log(1 + exp(100)): the rule is for the gradient.",
            "b": "Yes: the rule replaces what is sent back. The value is computed as before.",
            "c": "log(1 + inf) is inf. On the way forward there is no nan.",
        },
    )


@exercise("upstream_number")
def upstream_number(c):
    c.tells(r"(gets|called with) 3")
    c.number(
        3.0,
        because={
            3.0: "Yes: when f grows by 1, L grows by 3. That is the upstream gradient of f.",
            1.0: "1 is the gradient of L itself. Between f and L there is a multiplication by 3.",
            0.5: "0.5 is the slope of f at 0, which grad itself computes.",
            1.5: "1.5 is what grad returns. What does it get?",
        },
        otherwise="When the value of f grows by 1, by how much does L grow?",
    )


@exercise("safe_sqrt", points=3, function="safe_sqrt(x)")
def safe_sqrt(c):
    c.hint(
        "What is 1 / (2 * y) at x = 0, where y is 0?",
        "In the rule, choose between two gradients: mg.where(condition, one, other).",
        "return mg.where(x > 0, ___, 0.0)",
    )
    c.solution("mg.where chooses between two finished gradients, so the inf is left out.")
    rule = "@mg.custom_gradient\ndef safe_sqrt(x):\n    y = mg.sqrt(x)\n    return y, lambda upstream: "
    c.wrong("def safe_sqrt(x): return mg.sqrt(x)", STILL_INFINITE)
    c.wrong(rule + "upstream / (2 * y)", STILL_INFINITE)
    c.wrong(rule + "mg.where(x > 0, 1 / (2 * y), 0.0)", mistake.no_upstream)
    c.wrong(rule + "mg.where(x > 0, -upstream / (2 * y), 0.0)", mistake.sign)
    c.wrong(rule + "mg.where(x > 0, upstream / y, 0.0)", mistake.twice)
    c.wrong(rule + "mg.where(x > 0, upstream / (2 * x), 0.0)")
    c.wrong(rule + "mg.where(x > 0, upstream * y, 0.0)", mistake.value_for_slope)
    c.wrong(rule + "mg.where(x > 0, upstream / (4 * y), 0.0)", mistake.half)
    c.wrong(rule + "mg.where(x > 0, upstream * upstream / (2 * y), 0.0)", mistake.upstream_twice)
    c.wrong(rule + "mg.sum(mg.where(x > 0, upstream / (2 * y), 0.0))", mistake.summed)
    c.wrong(rule + "mg.where(x > 0, upstream / (2 * y), 0.0) if x > 0 else 0.0", mistake.python_if)
    c.wrong(rule + "None", mistake.rule_none)
    right = "mg.where(x > 0, upstream / (2 * y), 0.0)"
    c.wrong(rule.replace("return y,", "return y + 1e-12,") + right, mistake.shifted)
    c.wrong(rule.replace("@mg.custom_gradient\n", "") + right, mistake.no_decorator)
    c.wrong("def safe_sqrt(x): return mg.where(x > 0, mg.sqrt(mg.where(x > 0, x, 1.0)), 0.0)", mistake.no_rule)
    c.wrong(rule + "mg.where(x > 0.01, upstream / (2 * y), 0.0)")
    c.wrong(rule + "mg.where(x > 1e-6, upstream / (2 * y), 0.0)")
    c.wrong(rule + "float(upstream) / (2 * float(y)) if float(x) > 0 else 0.0", mistake.taken_out)
    c.wrong(rule + "mg.where(x > 0, mg.clip(upstream, -2.0, 2.0) / (2 * y), 0.0)")


@exercise("how_many")
def how_many(c):
    c.tells(r"(one|a) gradient for each|two gradients")
    c.choice(
        "c",
        because={
            "a": "a and b have a slope each. Their sum belongs to neither.",
            "b": "One gradient for each output comes in. One for each input goes out.",
            "c": "Yes: one gradient for each input, in the order of the inputs.",
        },
    )


@exercise("length", points=3, function="length(a, b)")
def length(c):
    c.hint(
        "The rule returns two gradients: upstream times a / length, and upstream times b / length.",
        "At the origin the length is 0. Divide by something else there: mg.where(y > 0, y, 1.0).",
        "return upstream * a / divisor, ___",
    )
    c.solution("At the origin a and b are 0, and 0 divided by 1 is 0.")
    rule = (
        "@mg.custom_gradient\ndef length(a, b):\n    y = mg.sqrt(a * a + b * b)\n    d = mg.where(y > 0, y, 1.0)\n"
        "    return y, lambda upstream: "
    )
    c.wrong("def length(a, b): return mg.sqrt(a * a + b * b)", mistake.not_finite)
    c.wrong(rule + "(a / d, b / d)", mistake.no_upstream)
    c.wrong(rule + "(upstream * b / d, upstream * a / d)", SWAPPED)
    c.wrong(rule + "(upstream * a / d, upstream * a / d)", ONE_FOR_ALL)
    c.wrong(rule + "upstream * a / d")
    c.wrong(rule + "(-upstream * a / d, -upstream * b / d)", mistake.sign)
    c.wrong(rule + "(upstream * a / y, upstream * b / y)", mistake.not_finite)
    c.wrong(rule + "(upstream * 2 * a / d, upstream * 2 * b / d)", mistake.twice)
    c.wrong(rule + "(mg.sum(upstream * a / d), mg.sum(upstream * b / d))", mistake.summed)
    c.wrong(rule + "(None, None)", mistake.rule_none)
    c.wrong(rule + "(upstream * a / d, None)")
    c.accept("1.0 -> 2.0", "where the length is 0, a and b are 0, whatever they are divided by")
    c.wrong(rule.replace("mg.sqrt(a * a + b * b)", "abs(a) + abs(b)") + "(upstream * a / d, upstream * b / d)")


@exercise("second_at_100")
def second_at_100(c):
    c.tells(r"(is|becomes) nan")
    c.choice(
        "d",
        because={
            "a": "0.0 would be close: the true value is 3.7e-44. The rule does not get there, because e is inf in it.",
            "b": "1 is the slope. The second derivative is how fast the slope changes.",
            "c": "There is an inf, the value of e. Then it meets something.",
            "d": "Yes: the rule 1 - 1 / (1 + e) is differentiated like any function, and e = exp(100) is inf in it.",
        },
    )


@exercise("log1pexp_stable", points=4, function="log1pexp_stable(x)")
def log1pexp_stable(c):
    c.hint(
        "Which exp never overflows: exp(x), or exp(-|x|)?",
        "The value is max(x, 0) + log(1 + exp(-|x|)), and the slope is sigmoid(x). Both have functions in mg.",
        "The value: mg.maximum(x, 0.0) + mg.log1p(___). The rule: upstream * mg.sigmoid(___).",
    )
    c.solution("exp gets only numbers up to 0, and sigmoid is an op whose own rule stays finite.")
    stable = "    y = mg.maximum(x, 0.0) + mg.log1p(mg.exp(-abs(x)))\n"
    head = "@mg.custom_gradient\ndef log1pexp_stable(x):\n    e = mg.exp(x)\n"
    c.wrong(head + "    return mg.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))", ONLY_THE_RULE)
    c.wrong(head + stable + "    return y, lambda upstream: upstream * (1 - 1 / (1 + e))", mistake.not_finite)
    c.wrong(head + stable + "    return y, lambda upstream: mg.sigmoid(x)", mistake.no_upstream)
    c.wrong(head + stable + "    return y, lambda upstream: upstream", mistake.no_local)
    c.wrong(head + stable + "    return y, lambda upstream: -upstream * mg.sigmoid(x)", mistake.sign)
    c.wrong(head + stable + "    return y, lambda upstream: upstream + mg.sigmoid(x)", mistake.upstream_added)
    c.wrong(head + stable + "    return y, lambda upstream: mg.sum(upstream * mg.sigmoid(x))", mistake.summed)
    c.wrong(head + stable + "    return y, lambda upstream: upstream * mg.stop_gradient(mg.sigmoid(x))")
    c.wrong("def log1pexp_stable(x): return mg.softplus(x)", mistake.no_rule)
    small = "    s = mg.exp(-abs(x))\n    return y, lambda upstream: upstream * mg.where(x >= 0, 1.0, s) / (1 + s)"
    c.wrong(head + stable + small, KINK)
    c.wrong(
        "@mg.custom_gradient\ndef log1pexp_stable(x):\n    return mg.softplus(x), lambda upstream: upstream * "
        "mg.sigmoid(x)",
        mistake.library_answer,
    )
    c.wrong(head + stable + "    return y + 1e-12, lambda upstream: upstream * mg.sigmoid(x)", mistake.shifted)
