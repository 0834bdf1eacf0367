"""Lesson 12: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake


@exercise("slope_beyond")
def slope_beyond(c):
    c.number(
        0.0,
        because={
            0.0: "Yes: clip comes first, and beyond 1 it is flat. It sends 0.",
            6.0: "That is the slope of the square alone. clip comes before it, and at 3 it is flat.",
            2.0: "2 · 1 is what arrives at clip. What does clip send on at 3?",
            1.0: "1 is what a loss with a clipped slope would send. Here the number is clipped.",
        },
        otherwise="Two ops: square sends 2 · 1 to clip. What is the slope of clip at 3?",
    )


@exercise("dqn_loss", points=2, function="dqn_loss(delta)")
def dqn_loss(c):
    c.hint(
        "Which loss has the slope clip(delta, -1, 1)?",
        "Half of delta · delta up to 1. Beyond, a line with slope 1 that joins it at 1.",
        "return mg.where(size < 1, ___, size - 0.5)",
    )
    c.solution("At 1 both parts are 0.5 and have the slope 1, so the loss has no corner there. It is Huber's loss.")
    c.accept("size < 1 -> size <= 1", "at 1 both parts are 0.5, with slope 1")
    h = "def dqn_loss(delta): return "
    c.wrong(h + "mg.square(mg.clip(delta, -1.0, 1.0))", "no slope beyond 1")
    c.wrong(h + "0.5 * mg.square(mg.clip(delta, -1.0, 1.0))", "no slope beyond 1, halved")
    c.wrong(h + "0.5 * delta * delta", "half the square everywhere")
    c.wrong(h + "mg.where(abs(delta) < 1, delta * delta, abs(delta) - 0.5)", "without the half")
    c.wrong(h + "mg.where(abs(delta) < 1, 0.5 * delta * delta, abs(delta))", "the parts do not meet")
    c.wrong(h + "mg.where(delta < 1, 0.5 * delta * delta, delta - 0.5)")
    c.wrong(h + "mg.clip(0.5 * delta * delta, 0.0, 1.0)")
    c.wrong(h + "0.5 * delta * delta if abs(delta) < 1 else abs(delta) - 0.5", mistake.python_if)
    c.wrong(h + "abs(delta)")
    c.wrong(h + "mg.sum(mg.where(abs(delta) < 1, 0.5 * delta * delta, abs(delta) - 0.5))")
    c.wrong(
        "@mg.custom_gradient\ndef dqn_loss(delta): return 0.5 * delta * delta, lambda u: u * mg.clip(delta, -1.0, 1.0)",
        "half the square everywhere",
    )
    c.wrong(
        "@mg.custom_gradient\ndef dqn_loss(delta):\n"
        "    y = mg.where(abs(delta) < 1, 0.5 * delta * delta, abs(delta) - 0.5)\n"
        "    return y, lambda u: mg.clip(u, -1.0, 1.0) * delta"
    )


@exercise("clipped_message")
def clipped_message(c):
    c.number(
        1.0,
        because={
            1.0: "Yes: the message is 5 and is shortened to 1.",
            5.0: "Then nothing was clipped: the limit is 1.",
            0.0: "0 is what clip of the number would send. Here the message is clipped: 5 becomes 1.",
        },
        otherwise="The rule returns the upstream gradient, clipped to at most 1.",
    )


@exercise("clipped_value")
def clipped_value(c):
    c.number(
        3.0,
        because={
            3.0: "Yes: the value is x. Only the message is clipped.",
            1.0: "The value stays x. Only the message is clipped.",
        },
        otherwise="The function returns its input as it is; the rule changes only what is sent back.",
    )


@exercise("clip_gradient", points=2, function="clip_gradient(x, upstream, limit)")
def clip_gradient(c):
    c.hint(
        "The value is x itself. What is it that has to be clipped?",
        "The upstream gradient: mg.clip(upstream, ...). And limit gets None.",
        "return mg.clip(___, -limit, limit), None",
    )
    c.solution("The rule has one entry for each input: the clipped message for x, and None for limit.")
    h = "@mg.custom_gradient\ndef clip_gradient(x, limit): return x + 0.0, lambda u: "
    c.wrong("def clip_gradient(x, limit): return mg.clip(x, -limit, limit)", "the value is changed")
    c.wrong(
        "@mg.custom_gradient\ndef clip_gradient(x, limit):\n"
        "    return mg.clip(x, -limit, limit), lambda u: (mg.clip(u, -limit, limit), None)",
        "the value is changed",
    )
    c.wrong(h + "mg.clip(u, -limit, limit)", "nothing is returned for the second input")
    c.wrong(h + "(mg.clip(u, -1.0, 1.0), None)", "the limit is not used")
    c.wrong(h + "(u, None)", "nothing is clipped")
    c.wrong(h + "(mg.minimum(u, limit), None)", "only from above")
    c.wrong(h + "(mg.maximum(u, -limit), None)", "only from below")
    c.wrong(h + "(mg.where(abs(u) <= limit, u, 0.0), None)", "large gradients are dropped")
    c.wrong(h + "(limit * mg.sign(u), None)", "only the sign is left")
    c.wrong(h + "(mg.clip(x, -limit, limit), None)", "the input is clipped")
    c.wrong(h + "(u * mg.minimum(1.0, limit / mg.sqrt(mg.sum(u * u))), None)", "clipped by its length")
    c.wrong(h + "(mg.where(abs(x) <= limit, u, 0.0), None)", "the value is clipped, not the gradient")
    c.wrong(h + "(None, None)", "no gradient for x")
    c.wrong(h + "(-mg.clip(u, -limit, limit), None)", "the sign is flipped")
    c.wrong(h + "(mg.constant(np.clip(u.value, -limit, limit)), None)", mistake.upstream_lost)
    c.wrong(h + "None", mistake.rule_none)
    c.wrong("def clip_gradient(x, limit): return x, lambda u: (mg.clip(u, -limit, limit), None)", mistake.no_decorator)


@exercise("gradient_of_round")
def gradient_of_round(c):
    c.choice(
        "b",
        because={
            "a": "PyTorch and JAX say 0. Here round has no rule at all, so nothing is sent: None. Neither teaches.",
            "b": "Yes: round has no rule, so no message is sent. PyTorch and JAX send 0, which teaches as little.",
            "c": "1 is the lie that comes next. The true slope of a step is 0, and here no message is sent.",
        },
    )


@exercise("straight_through", points=2, function="straight_through(x)")
def straight_through(c):
    c.hint(
        "The value is round(x), the slope is 1. Which sum has both?",
        "mg.stop_gradient(a) has the value of a and no slope. Add to x what is missing, without a slope.",
        "return x + mg.stop_gradient(___ - x)",
    )
    c.solution("The value is x + round(x) - x. The gradient passes through the first x alone.")
    h = "def straight_through(x): return "
    c.wrong(h + "mg.round(x)")
    c.wrong(h + "x", "the value is not rounded")
    c.wrong(h + "mg.stop_gradient(x + mg.round(x) - x)")
    c.wrong(h + "x + mg.round(x) - x")
    c.wrong(h + "mg.round(x) + mg.stop_gradient(x - mg.round(x))", "the value is not rounded")
    c.wrong(h + "mg.stop_gradient(mg.round(x)) * x")
    c.wrong(h + "mg.floor(x) + x - mg.stop_gradient(x)", "rounded down")
    c.wrong(
        "@mg.custom_gradient\ndef straight_through(x): return mg.round(x), lambda u: 1.0 + 0.0 * u", mistake.no_upstream
    )
    c.wrong("@mg.custom_gradient\ndef straight_through(x): return mg.round(x), lambda u: u * mg.round(x)")
    c.wrong("@mg.custom_gradient\ndef straight_through(x): return mg.round(x), lambda u: None", mistake.rule_none)
    c.wrong("@mg.custom_gradient\ndef straight_through(x): return mg.round(x), lambda u: -u", mistake.sign)
    c.wrong("@mg.custom_gradient\ndef straight_through(x): return mg.round(x), lambda u: mg.round(u)")
    c.wrong(
        "@mg.custom_gradient\ndef straight_through(x): return mg.round(x), lambda u: mg.stop_gradient(u)",
        mistake.upstream_lost,
    )
    c.wrong("@mg.custom_gradient\ndef straight_through(x): return mg.round(x), lambda u: 0.0 * u", "the true slope")
    c.wrong("def straight_through(x): return mg.round(x), lambda u: u", mistake.no_decorator)


@exercise("binarize", points=2, function="binarize(x)")
def binarize(c):
    c.hint(
        "sign(0) is 0. Which of the two values is asked for there?",
        "In the rule, weights beyond 1 get 0: mg.where(condition, upstream, 0.0).",
        "return mg.where(abs(x) <= 1, ___, 0.0)",
    )
    c.solution("The rule is the slope of clip(x, -1, 1): 1 inside, 0 outside.")
    rule = "mg.where(abs(x) <= 1, upstream, 0.0)"
    c.accept(f"return {rule} -> return ({rule} * 1).astype('float32')", "1 and -1 are exact in every float dtype")
    h = "@mg.custom_gradient\ndef binarize(x): return mg.where(x >= 0, mg.ones_like(x), -mg.ones_like(x)), lambda u: "
    r = "mg.where(abs(x) <= 1, u, 0.0)"
    c.wrong(h + "u", "also outside of -1 .. 1")
    c.wrong(h + "mg.where(abs(x) < 1, u, 0.0)", "the ends are left out")
    c.wrong(h + "mg.where(x <= 1, u, 0.0)", "only from above")
    c.wrong(h + "mg.where(abs(x) > 1, u, 0.0)", "inside out")
    c.wrong(h + "u * (1 - mg.tanh(x) ** 2)", "the slope of tanh")
    c.wrong(h + "mg.where(abs(x) <= 1, 1.0, 0.0)", mistake.no_upstream)
    c.wrong(h + "mg.where(abs(u) <= 1, u, 0.0)")
    c.wrong(h + "mg.clip(u, -1.0, 1.0)")
    c.wrong(h + "u if abs(x) <= 1 else 0.0", mistake.python_if)
    c.wrong(h + "mg.sum(" + r + ")", mistake.summed)
    c.wrong("@mg.custom_gradient\ndef binarize(x): return mg.sign(x), lambda u: " + r, "0 at 0")
    c.wrong(
        "@mg.custom_gradient\ndef binarize(x): return mg.where(x >= 0, mg.ones_like(x), mg.zeros_like(x)), lambda u: "
        + r,
        "0 and 1",
    )
    c.wrong("def binarize(x): return mg.where(x >= 0, mg.ones_like(x), -mg.ones_like(x))")
    c.wrong("def binarize(x): return mg.clip(x, -1.0, 1.0)")
    c.wrong(
        "def binarize(x):\n    y = mg.clip(x, -1.0, 1.0)\n"
        "    return y + mg.stop_gradient(mg.where(x >= 0, mg.ones_like(x), -mg.ones_like(x)) - y)",
        mistake.no_rule,
    )


@exercise("check_of_a_lie")
def check_of_a_lie(c):
    c.choice(
        "b",
        because={
            "a": "Between two steps the measured slope is 0. The rule says 1.",
            "b": "Yes: the measured slope is 0, the rule says 1. The test must fail, and does.",
            "c": "It would be so at 0.5, next to a jump. At 0.3 the measured slope is 0.",
        },
    )


@exercise("blind_check")
def blind_check(c):
    c.choice(
        "b",
        because={
            "a": "The slopes do: a message of at most 1 passes unchanged. "
            "But the rule is also called with larger messages.",
            "b": "Yes: the slopes agree, but called with large messages, the rule is found not to be linear.",
        },
    )


@exercise("reverse_gradient", points=2, function="reverse_gradient(x, upstream, strength)")
def reverse_gradient(c):
    c.hint(
        "As clip_gradient: the value is mg.identity(x), and the rule returns a pair.",
        "The message is the upstream gradient, times -strength.",
        "return mg.identity(x), lambda upstream: (___, None)",
    )
    c.solution("The value is not touched. What is below climbs where it would have descended.")
    h = "@mg.custom_gradient\ndef reverse_gradient(x, strength): return x + 0.0, lambda u: "
    c.wrong("def reverse_gradient(x, strength): return -strength * x", "the value is changed")
    c.wrong(h + "-strength * u", "nothing is returned for the second input")
    c.wrong(h + "(strength * u, None)", "not reversed")
    c.wrong(h + "(-u, None)", "the strength is not used")
    c.wrong(h + "(u, None)", "passed on unchanged")
    c.wrong(h + "(-strength + 0 * u, None)", "forgot the upstream gradient")
    c.wrong(h + "(u - strength, None)", "added instead of multiplied")
    c.wrong(h + "(-strength * x, None)", "the input is reversed")
    c.wrong(h + "(-u / strength, None)", "divided by the strength")
    c.wrong(h + "(-strength * u * x, None)", "multiplied by the input")
    c.wrong(h + "(None, None)", "no gradient for x")
    c.wrong(h + "(-strength * mg.stop_gradient(u), None)", mistake.upstream_lost)
    c.wrong(h + "((1 - strength) * u, None)")
    c.wrong("def reverse_gradient(x, strength): return x, lambda u: (-strength * u, None)", mistake.no_decorator)
    c.wrong("def reverse_gradient(x, strength): return x - strength * mg.stop_gradient(x)", "the value is changed")


@exercise("two_reversals")
def two_reversals(c):
    c.number(
        1.0,
        because={
            1.0: "Yes: minus times minus. The two undo each other.",
            -1.0: "Each one multiplies by -1. Two of them?",
            -2.0: "The strengths multiply, as all factors on a way do.",
            2.0: "The strengths multiply, as all factors on a way do.",
        },
        otherwise="Each reversal multiplies the message by -1.",
    )
