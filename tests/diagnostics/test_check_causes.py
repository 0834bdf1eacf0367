"""The custom rules that check_gradients names as the cause, beside programs in which some of the rules are mended."""

from itertools import combinations

import numpy as np
import pytest

import minigrad as mg

#: Rules of a function with the slope d, for an upstream gradient dy: two right ones, and wrong ones.
RULES = {
    "right": lambda dy, d: dy * d,
    "rounded": lambda dy, d: dy * d * (1 + 1e-13),
    "factor": lambda dy, d: 1.01 * dy * d,
    "sign": lambda dy, d: -dy * d,
    "constant": lambda dy, d: dy * d.numpy(),
    "without the upstream": lambda dy, d: d + 0.0 * dy,
    "clipped": lambda dy, d: mg.clip(dy, -1.2, 1.2) * d,
    "mean of the upstream": lambda dy, d: (mg.mean(dy) + 0.0 * dy) * d,
}
FUNCTIONS = [(lambda x: x**3, lambda x: 3 * x**2), (mg.sin, mg.cos)]


def program(kind, scale, rules):
    """A function of one argument that calls functions named rule0, rule1 and so on, which have these rules."""

    def named(i):
        value, slope = FUNCTIONS[i % 2]
        f = lambda x: (value(x), lambda dy: RULES[rules[i]](dy, slope(x)))
        f.__name__ = f"rule{i}"
        return mg.custom_gradient(f)

    fs = [named(i) for i in range(len(rules))]
    # A right rule that uses the value of another function with a custom gradient.
    around = mg.custom_gradient(lambda x: (y := mg.exp(fs[0](x)), lambda dy: dy * y * 3 * x**2))

    def f(x):
        if kind == "one without effect":
            return sum((f(x * scale) for f in fs[1:]), start=0.0 * fs[0](x) + 0.1 * fs[-1](x))
        y = around(x) if kind == "one inside another" else x
        for f in fs:
            y = f(y * scale)
        return y + fs[-1](x * x)

    return f


def first_wrong(f, x):
    """The lowest order whose derivatives are wrong, or 0."""
    checks = (mg.check_gradients(f, x, order=order, raises=False) for order in (1, 2))
    return next((n for n, check in enumerate(checks, 1) if any(row.wrong for row in check.rows)), 0)


@pytest.mark.parametrize("seed", range(10))
def test_the_cause_is_the_rule_that_must_be_mended(seed):
    rng = np.random.default_rng(seed)
    kind = ("one after another", "one without effect", "one inside another")[seed % 3]
    rules = [*rng.choice([*RULES], rng.integers(1, 4))]
    x, scale = rng.uniform(0.4, 1.1, 2), rng.uniform(1.0, 1.5)
    if not (order := first_wrong(program(kind, scale, rules), x)):
        return
    numbers, mends = range(len(rules)), []
    for mend in (set(mend) for count in range(1, len(rules) + 1) for mend in combinations(numbers, count)):
        mended = ["right" if i in mend else rule for i, rule in enumerate(rules)]
        if not any(other < mend for other in mends) and not 0 < first_wrong(program(kind, scale, mended), x) <= order:
            mends.append(mend)
    report = mg.check_gradients(program(kind, scale, rules), x, raises=False)
    (text,) = (text for text in report.findings if text.startswith(("the cause is", "a cause is")))
    named = {i for i in numbers if f"of rule{i}" in text}
    if text.startswith("the cause is"):
        assert mends == [named], text
    else:
        assert [*map(len, mends)] != [1] and any(mend & named for mend in mends), text
