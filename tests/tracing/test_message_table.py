"""mg.messages: the messages of a backward pass as rows, and as a table in text and in a notebook."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from tests.helpers.random_programs import programs


def log1pexp(x):
    return mg.log(1 + mg.exp(x))


def test_the_pass_of_the_documentation_in_rows():
    rows = mg.messages(log1pexp(mg.constant(100.0)))
    assert [tuple(row)[:4] for row in rows] == [
        ("log", "add", 1.0, 0.0),
        ("add", "exp", 0.0, 1.0),
        ("exp", "x", 0.0, math.inf),
    ]
    assert [row.message for row in rows[:2]] == [0.0, 0.0] and math.isnan(rows[2].message)


def test_names_of_the_user_and_several_uses_of_one_argument():
    x, w = mg.constant(2.0), mg.Variable(5.0, name="w")
    rows = mg.messages(x * w * x, names={"x": x})
    assert [row[:2] for row in rows] == [
        ("multiply#3", "multiply#2"), ("multiply#3", "x"), ("multiply#2", "x"), ("multiply#2", "w"),
    ]  # fmt: skip
    assert [row.message for row in rows] == [2.0, 10.0, 10.0, 4.0]


def test_only_the_way_to_the_given_sources():
    x, w = mg.constant(2.0), mg.constant(5.0)
    (row,) = mg.messages(x * w, [w], names={"w": w})
    assert row == mg.Message("multiply", "w", 1.0, 2.0, 2.0)
    assert mg.messages(x, [w]) == () == mg.messages(x)


def test_arrays_are_summaries_and_a_rule_that_is_not_elementwise_has_no_local_derivative():
    w = mg.constant([[1.0, 2.0], [3.0, 4.0]])
    first, last = mg.messages(mg.sum(mg.square(w)))
    assert (first.node, first.local, first.upstream) == ("sum", None, 1.0)
    assert last.local.sample == (2.0, 4.0, 6.0, 8.0) and last.message.shape == (2, 2)


def test_a_custom_rule_gives_the_message_it_gives():
    @mg.custom_gradient
    def tripled(x):
        return x * 1.0, lambda upstream: upstream * 3.0

    (row,) = mg.messages(tripled(mg.constant(1.0)))
    assert row == mg.Message("tripled", "x", 1.0, None, 3.0)


numbers = st.floats(-2, 2).map(lambda x: mg.constant(x, "float64"))


@settings(max_examples=50)
@given(programs(), numbers, numbers)
def test_messages_are_products_and_those_to_a_leaf_add_up_to_its_gradient(f, a, b):
    y = f(a, b)
    rows = mg.messages(y, names={"a": a, "b": b})
    for row in rows:
        assert row.local is None or row.message == pytest.approx(row.upstream * row.local, rel=1e-12, abs=1e-300)
    for name, gradient in zip("ab", mg.gradients(y, [a, b])):
        assert sum(row.message for row in rows if row.argument == name) == pytest.approx(float(gradient), rel=1e-9)


def test_the_table_as_text():
    x = mg.constant(2.0)
    assert repr(mg.messages(mg.log(x) * x, names={"x": x})).splitlines() == [
        "from      argument  upstream  slope   message",
        "multiply  log       1         2       2",
        "multiply  x         1         0.6931  0.6931",
        "log       x         2         0.5     1",
    ]


def test_the_table_in_a_notebook_marks_what_is_not_finite():
    x = mg.constant(100.0)
    page = mg.messages(log1pexp(x), names={"<x>": x})._repr_html_()
    assert "<table " in page and page.count("<tr>") == 4
    assert "<td>exp</td><td>&lt;x&gt;</td><td>0</td><td><b>inf</b></td><td><b>nan</b></td></tr>" in page


def test_what_is_not_a_tensor_is_refused():
    with pytest.raises(TypeError, match=r"y must be a Tensor, got 3\.0 of type float"):
        mg.messages(3.0)
