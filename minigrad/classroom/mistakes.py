"""Named mistakes, each with a sentence that helps the student; common mistakes also have the numbers that they give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minigrad.core.op import Op

Answer = Callable[..., Any]


class Mistake(NamedTuple):
    """A known mistake: its name, and the sentence that the student reads."""

    name: str
    says: str


class _Mistakes:
    """The common mistakes by name; `mistake("name", "sentence")` makes your own.

    >>> mistake.sign.name
    'the sign is flipped'
    """

    # Mistakes in numbers, recognised if the student's numbers equal those of the mistake.
    no_upstream = Mistake(
        "forgot the upstream gradient",
        "Your result is the same whatever the upstream gradient is. Multiply the slope by it.",
    )
    no_local = Mistake(
        "passed the upstream gradient on unchanged",
        "Your result is the upstream gradient itself. Multiply it by the slope.",
    )
    upstream_twice = Mistake(
        "multiplied by the upstream gradient twice", "Multiply by the upstream gradient once, not twice."
    )
    upstream_added = Mistake(
        "added the upstream gradient", "You added. The chain rule multiplies: upstream times the slope."
    )
    upstream_divided = Mistake(
        "divided by the upstream gradient", "You divided. The chain rule multiplies: upstream times the slope."
    )
    sign = Mistake("the sign is flipped", "Each of your numbers is the right one times -1.")
    twice = Mistake("counted twice", "Each of your numbers is twice the right one.")
    half = Mistake("counted half", "Each of your numbers is half the right one.")
    shifted = Mistake("a small number is added", "Each of your numbers is off by the same small amount.")
    log10 = Mistake("the logarithm to base 10", "Each of your numbers is the right one divided by log(10) = 2.3026.")
    reciprocal = Mistake("one divided by it", "Each of your numbers is 1 divided by the right one.")
    squared = Mistake("squared", "Each of your numbers is the right one times itself.")
    transposed = Mistake("rows and columns are swapped", "The transpose of your result is right.")
    value_for_slope = Mistake(
        "returned the value instead of the slope", "This is what the function computes, not its slope."
    )
    input_for_output = Mistake(
        "used the input where the output belongs", "The rule is written with the result y, and here it got x."
    )
    output_for_input = Mistake(
        "used the output where the input belongs", "The rule is written with the input x, and here it got the result y."
    )
    not_finite = Mistake(
        "a number on the way is not finite",
        "Somewhere a number became inf or nan, and everything computed from it went wrong.",
    )
    # Mistakes in the kind of result, or in the way it is computed.
    no_decorator = Mistake(
        "the decorator is missing",
        "A pair came back, the value and the rule. @mg.custom_gradient above the function makes one function of them.",
    )
    rule_none = Mistake("the rule returned None", "A rule must return its gradient. Is there a return in it?")
    summed = Mistake(
        "one number for a whole array",
        "The input is an array, and the rule returned one number. Each element has its own gradient.",
    )
    python_if = Mistake(
        "a Python if on a number",
        "The input may be an array: an if (or Python's max or min) decides once for all its elements, and only that "
        "branch is recorded. mg.where(condition, a, b) records both, and chooses for each element.",
    )
    taken_out = Mistake(
        "a number was taken out of a Tensor",
        "A number in the recorded graph changes from call to call, and no gradient passes through it. "
        "It comes from .value, from float(...) or from mg.grad, whose result has no graph, unlike that of "
        "mg.gradients; or it is drawn at random.",
    )
    no_rule = Mistake(
        "no rule of its own",
        "The gradient still comes from the ops inside. Return the value and a rule, under @mg.custom_gradient.",
    )
    library_answer = Mistake(
        "used what is to be built", "minigrad has this function already. Build it from other ops here."
    )
    not_linear = Mistake(
        "the rule is not linear in upstream",
        "Twice the upstream gradient must give twice the result, and an upstream gradient of 0 must give 0.",
    )
    upstream_lost = Mistake(
        "the arrow to the upstream gradient is lost",
        "Your rule takes the upstream gradient for a plain number, so a second derivative that leads through it is "
        "wrong. Compute with the Tensor itself.",
    )
    second_lost = Mistake(
        "the second derivative is lost",
        "The gradient is right, and its own gradient is not: part of the rule does not depend on the inputs through "
        "recorded ops. Where it uses the answer, call the function itself, or keep the loop that found the answer; do "
        "not stop gradients or take numbers out.",
    )
    kept = Mistake(
        "something is kept from call to call",
        "Called again with this input, it gives a different result. Is something stored in a default argument, or "
        "outside the function?",
    )
    too_slow = Mistake(
        "it does not end in time", "Is there a loop that never ends, or work that is done many times over?"
    )
    too_deep = Mistake(
        "too deep",
        "Each call waits for the next one, and Python allows about 1000 of them. "
        "Either these calls never end, or a loop is needed instead.",
    )

    def __call__(self, name: str, says: str) -> Mistake:
        return Mistake(name, says)


mistake = _Mistakes()


def ready_made(name: str) -> Mistake:
    """Return the mistake that an answer uses minigrad's function `name`, which is what the exercise builds."""
    return Mistake(mistake.library_answer.name, f"mg.{name}: {mistake.library_answer.says}")


def usual_mistakes(
    true: Answer, forward: Answer | None, op: Op | None, arity: int, upstream: bool
) -> list[tuple[Mistake, Answer]]:
    """Return the mistakes that can be made in any rule, each with the function that the mistake computes.

    true, forward : the true gradient, and the differentiated function.
    """

    def change(how: Callable[[Any, Any], Any], local: bool = False) -> Answer:
        def predicted(*args: Any) -> Any:
            t = true(*args, g=1.0) if local else true(*args)
            return tuple(how(s, args[-1]) for s in t) if isinstance(t, tuple) else how(t, args[-1])

        return predicted

    pairs = []
    if upstream:
        pairs += [
            (mistake.no_upstream, change(lambda t, g: t, local=True)),
            (mistake.no_local, change(lambda t, g: g + 0 * t, local=True)),
            (mistake.upstream_twice, change(lambda t, g: g * g * t, local=True)),
            (mistake.upstream_added, change(lambda t, g: g + t, local=True)),
            (mistake.upstream_divided, change(lambda t, g: t / g, local=True)),
        ]
    pairs += value_mistakes(true)[:3]
    if forward is not None and arity == 1:
        pairs.append((mistake.value_for_slope, lambda x, g=1.0: g * forward(x)))
    if op is not None and op.vjps and arity == 1 and upstream:
        rule, fn = _rule_as_taught(op), op.fn
        pairs.append((mistake.input_for_output, lambda x, g: rule(np.float64(g), np.float64(x), np.float64(x))))
        pairs.append((mistake.output_for_input, lambda x, g: rule(np.float64(g), fn(x), fn(x))))
    return pairs


#: Slopes as functions of the result, as they are taught; the ops compute them differently, to preserve more digits.
_BY_RESULT: dict[str, Callable[[Any], Any]] = {"tanh": lambda y: 1 - y * y, "sigmoid": lambda y: y * (1 - y)}


def _rule_as_taught(op: Op) -> Callable[[Any, Any, Any], Any]:
    """Return the rule of an op of one argument in its usual form: a function of upstream, result and argument."""
    slope = _BY_RESULT.get(op.name)
    if slope is not None:
        return lambda g, y, a: g * slope(y)
    assert op.vjps is not None
    return op.vjps[0]


def value_mistakes(true: Answer) -> list[tuple[Mistake, Answer]]:
    """Return the mistakes that can be made in any number, each with the function that the mistake computes."""

    def change(how: Callable[[Any], Any]) -> Answer:
        def predicted(*args: Any) -> Any:
            t = true(*args)
            return tuple(map(how, t)) if isinstance(t, tuple) else how(np.asarray(t, float)[()])

        return predicted

    return [
        (mistake.sign, change(lambda t: -t)),
        (mistake.twice, change(lambda t: 2 * t)),
        (mistake.half, change(lambda t: t / 2)),
        (mistake.log10, change(lambda t: t / np.log(10))),
        (mistake.squared, change(lambda t: t * t)),
        (mistake.reciprocal, change(lambda t: 1 / t)),
    ]
