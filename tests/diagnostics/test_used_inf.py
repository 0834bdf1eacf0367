"""Finite results of programs with an inf: `find_nan` reports whether they depend on it."""

import math

import numpy as np
import pytest

import minigrad as mg

#: Terms of a number x and an infinity i: the code, and its value and slope in x by formula.
TERMS = {
    "mg.minimum(x, i)": lambda x, i: (min(x, i), 1.0),
    "mg.maximum(x, -i)": lambda x, i: (max(x, -i), 1.0),
    "mg.where(x > 0, x, i)": lambda x, i: (x, 1.0),
    "x * mg.tanh(i)": lambda x, i: (x * math.tanh(i), math.tanh(i)),
    "x + mg.exp(-i)": lambda x, i: (x + math.exp(-i), 1.0),
    "x * mg.arctan(i)": lambda x, i: (x * math.atan(i), math.atan(i)),
    "x / i": lambda x, i: (x / i, 1 / i),
    "x + x / i": lambda x, i: (x + x / i, 1 + 1 / i),
}


@pytest.mark.parametrize("seed", range(40))
def test_finite_numbers_depend_on_an_inf_only_if_a_large_number_in_its_place_changes_them(seed):
    rng = np.random.default_rng(seed)
    codes, x = rng.choice([*TERMS], int(rng.integers(1, 4))), float(rng.uniform(0.5, 3))
    product = bool(rng.integers(0, 2))

    def by_formula(i):
        values, slopes = zip(*(TERMS[code](x, i) for code in codes))
        if not product:
            return sum(values), sum(slopes)
        return math.prod(values), sum(s * math.prod(values[:k] + values[k + 1 :]) for k, s in enumerate(slopes))

    changes = [
        any(abs(a - b) > 1e-3 * (1 + abs(b)) for a, b in zip(by_formula(math.inf), by_formula(large)))
        for large in (20.0, 1e4)  # the report tries a number between these
    ]
    program = eval(f"lambda x, i: {(' * ' if product else ' + ').join(f'({code})' for code in codes)}", {"mg": mg})
    words = str(
        mg.find_nan(lambda x: program(x, mg.stop_gradient(1 / mg.constant(np.float64(0)))), mg.constant(np.float64(x)))
    )
    assert ("depend on an inf" in words) != ("nothing needs fixing" in words)
    assert not all(changes) or "depend on an inf" in words, (codes, words)
    assert any(changes) or "nothing needs fixing" in words, (codes, words)
