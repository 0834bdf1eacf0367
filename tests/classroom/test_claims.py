"""Sentences about a wrong answer are true: tried with wrong answers to every exercise."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import minigrad as mg
from minigrad.classroom import exercise, floats, lesson, mistake
from minigrad.classroom.examination import examine

harmless = mistake("a mistake that does no harm here", "It gives the right number at most points.")


@exercise("largest", function="largest(values)")
def largest(c):
    c.example(([1.0, 3.0, 2.0],), 3.0, looks_like={harmless: lambda values: values[1]})
    c.example(([2.0, 5.0],), 5.0)


def test_no_mistake_is_claimed_where_it_gives_the_right_numbers():
    said = examine(largest, lambda values: values.sort() or values[-1])
    assert said.words.startswith("Your function changes its input.") and said.mistake is None


@exercise("soft", function="soft(x)")
def soft(c):
    true = lambda x: np.logaddexp(0, x)
    c.value(
        true,
        vary=(floats(-60, 60, also=(-40.0, 50.0)),),
        says="the value",
        looks_like={harmless: lambda x: math.inf if x > 45 else true(x)},
        rtol=1e-9,
    )


def test_lost_digits_are_no_other_mistake():
    said = examine(soft, lambda x: mg.maximum(x, 0.0) + mg.log1p(mg.exp(-abs(x))) * (1 + 1e-6))
    assert said.status == "wrong" and said.mistake is None


@exercise("root", function="root(x)")
def root(c):
    c.derivative("the gradient", vary=(floats(0, 9, also=(4.0,)),), slope=lambda x: 0.0 if x == 0 else 0.5 / x**0.5)


@pytest.mark.parametrize(
    "rule",
    [
        lambda x, y, u: float(u) / (2 * float(y)),
        lambda x, y, u: mg.constant(u.numpy() / (2 * np.maximum(y.numpy(), 1e-9))),
    ],
)
def test_the_numbers_of_a_rule_that_takes_numbers_out_are_not_shown(rule):
    """A graph is recorded with a random upstream gradient, which such a rule keeps as a fixed number."""

    @mg.custom_gradient
    def answer(x):
        y = mg.sqrt(x)
        return y, lambda upstream: rule(x, y, upstream)

    said = examine(root, answer)
    assert said.mistake == mistake.taken_out and said.sides == () and said.picture is None


@exercise("product", function="product(a, b)")
def product(c):
    c.derivative("the gradients", vary=(floats(1, 9), floats(1, 9)), forward=lambda a, b: a * b)


def test_a_gap_in_a_rule_is_said_by_its_input():
    @mg.custom_gradient
    def answer(a, b):
        return a * b, lambda upstream: (upstream * b, None)

    assert examine(product, answer).words == "The rule returns None for input 2: no gradient arrives there."
    unused = examine(product, lambda a, b: a * 2.0)
    assert unused.words.startswith("No gradient arrives at the input (it is None)")


class Row(NamedTuple):
    node: str
    number: float


@exercise("pick", function="pick(rows)")
def pick(c):
    c.example(([Row("exp", 2.0), Row("log", 1.0)],), Row("log", 1.0))


def test_a_row_is_shown_with_the_names_of_its_fields():
    assert examine(pick, lambda rows: 1).words == "Your answer is the number 1; a Row is expected."
    said = examine(pick, lambda rows: rows[0])
    assert [side.value for side in said.sides] == ["Row(node='exp', number=2)", "Row(node='log', number=1)"]
    assert said.at == "rows = [Row(node='exp', number=2), Row(node='log', number=1)]"


def test_numbers_that_differ_late_are_told_apart_in_the_description_too():
    said = examine(soft, lambda x: mg.maximum(x, 0.0) + mg.log1p(mg.exp(-abs(x))) + 1e-8)
    assert said.sides[0].value != said.sides[1].value
    assert all(side.value in said.picture.alt for side in said.sides)


@pytest.mark.lesson06
def test_lesson_6_a_branch_that_begins_too_early_is_found():
    early = lambda x: mg.where(x > 12, x, mg.log(1 + mg.exp(mg.where(x > 12, 0.0, x))))
    answer = lesson("06").exercises["safe_log1pexp"]
    assert examine(answer, early).at.startswith("x = 1")
    stable = lambda x: mg.maximum(x, 0.0) + mg.log1p(mg.exp(-abs(x)))
    assert examine(answer, stable)
    assert examine(answer, lambda x: mg.relu(x) + mg.log1p(mg.exp(-abs(x)))).mistake.name == "a kink at 0"
