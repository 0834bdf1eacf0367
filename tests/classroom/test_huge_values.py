"""Answers that cannot be written as text get a mark or a sentence, not a Python error."""

import math
from fractions import Fraction

import numpy as np
import pytest

from minigrad.classroom import exercise, floats
from minigrad.classroom.compared_values import agree, same, show, shown_apart, wrong_kind
from minigrad.classroom.examination import examine

HUGE = 10**4900  # more digits than Python prints


class Unwritten:
    def __repr__(self):
        raise RuntimeError("no text")


def nested(depth):
    found = []
    for _ in range(depth):
        found = [found]
    return found


VALUES = {
    "huge": HUGE, "below 0": -HUGE, "in a list": [HUGE], "in a tuple": (1.0, HUGE), "in a dict": {1: HUGE},
    "as a key": {HUGE: 1}, "in a set": {HUGE}, "in an array": np.array([HUGE], object), "a fraction": Fraction(HUGE, 7),
    "unwritten": Unwritten(), "unwritten in a list": [Unwritten()], "unwritten key": {Unwritten(): 1},
    "text": "x" * 10**6, "bytes": b"x" * 10**6, "nested": nested(900), "nan": math.nan, "minus 0": -0.0,
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_every_value_is_shown_and_compared(name):
    value = VALUES[name]
    assert len(show(value)) < 3000
    assert all(shown_apart(value, 1.0))
    if name not in ("nan", "minus 0"):
        assert agree(value, 1.0) is False
        assert "; a number is expected" in wrong_kind(value, 1.0)
    if name != "nested":
        assert same(value, value)
        assert not same(value, 1)


def test_huge_integers_are_told_apart():
    assert show(HUGE) == "about 1e4900"
    assert agree(HUGE, HUGE) and not agree(HUGE + 1, HUGE) and not agree(1.0, HUGE)
    assert same(HUGE, 10**4900) and not same(HUGE, HUGE + 1)
    assert wrong_kind(HUGE, HUGE) is None


@exercise("number", function="number(x)", seconds=20)
def number(c):
    c.value(lambda x: x, vary=(floats(0, 1),), says="the number")


@pytest.mark.parametrize(
    "answer", [lambda x: 10**4900, lambda x: -(10**4900), lambda x: {10**4900: x}, lambda x: [x, 10**4900]]
)
def test_a_huge_answer_is_wrong_by_a_sentence(answer):
    verdict = examine(number, answer)
    assert verdict.status == "wrong"
    for text in (verdict.to_text(), verdict.to_html()):
        assert "1e4900" in text
        assert "ValueError" not in text and "set_int_max_str_digits" not in text
