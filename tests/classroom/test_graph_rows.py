"""An answer that is a graph: compared box by box, and drawn next to the true one with the first difference marked."""

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad.classroom import exercise
from minigrad.classroom.examination import examine
from minigrad.classroom.graph_rows import Rows, difference, rows_of
from minigrad.classroom.picture import graphs, of_graphs

TRUE = [("a", []), ("b", []), ("add", [0, 1]), (1.0, []), ("add", [1, 3]), ("multiply", [2, 4])]


@exercise("formula", function="formula(a, b)")
def formula(c):
    c.graph(lambda a, b: (a + b) * (b + 1.0), says="the graph of (a + b) * (b + 1)")


@exercise("by_hand", function="by_hand()")
def by_hand(c):
    c.graph(TRUE)


@exercise("y")
def value(c):
    c.graph([("3", []), ("multiply", [0, 0]), ("add", [1, 1])])


def test_the_rows_of_a_recorded_graph():
    assert rows_of(lambda a, b: (a + b) * (b + 1.0), ["a", "b"], [2.0, 3.0]) == rows_of(
        [("a", []), ("b", []), ("add", [0, 1]), ("1", []), ("add", [1, 3]), ("multiply", [2, 4])]
    )
    w = mg.Variable(2.0, name="w")
    assert str(rows_of(mg.exp(w))) == "0: w, 1: exp(0)"
    summed = rows_of(lambda x: mg.sum(x, axis=1), ["x"], [[[1.0, 2.0]]])
    assert str(summed) == "0: x, 1: sum axis=1(0)"
    assert str(rows_of(lambda x: x, ["x"], [2.0])) == "0: x"
    assert str(rows_of(lambda a, b: a, ["a", "b"], [1.0, 2.0])) == "0: a, 1: b, 2: a"


@mg.custom_gradient
def twice(x):
    return 2 * x, lambda upstream: 2 * upstream


def test_a_function_with_its_own_rule_is_one_box():
    assert str(rows_of(lambda x: twice(x), ["x"], [3.0])) == "0: x, 1: twice(0)"


@pytest.mark.parametrize(
    "answer",
    [
        lambda a, b: (a + b) * (b + 1.0),
        lambda a, b: (1.0 + b) * (b + a),
        lambda a, b: mg.multiply(mg.add(b, mg.constant(1.0)), a + b),
        lambda a, b: [(a - a, b, (a + b) * (b + 1.0))][0][2],
    ],
)
def test_the_same_graph_in_other_words_is_right(answer):
    assert examine(formula, answer)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda a, b: (a * b) * (b + 1.0), "yours has multiply where add is expected."),
        (lambda a, b: (a + b) * (b + 1.0) + 0.0, "yours has add where multiply is expected."),
        (lambda a, b: (a + b) * (b + 2.0), "yours has 2 where 1 is expected."),
        (lambda a, b: (a + b) * (a + 1.0), "yours has a where b is expected."),
        (lambda a, b: (a + b) * mg.exp(b), "yours has exp where add is expected."),
    ],
)
def test_the_first_difference_is_said_and_drawn(answer, words):
    verdict = examine(formula, answer)
    assert verdict.status == "wrong" and verdict.at == ""
    assert verdict.words == f"The first difference, starting from the result: {words}"
    address, alt = verdict.picture.address, verdict.picture.alt
    assert base64.b64decode(address.removeprefix("data:image/png;base64,")).startswith(b"\x89PNG")
    assert "The true graph: 0: a, 1: b, 2: add(0, 1), 3: 1, 4: add(1, 3), 5: multiply(2, 4)." in alt
    assert "Marked is the first difference: in yours, box" in alt


def test_a_tensor_is_an_answer_and_a_box_that_is_used_twice_is_one_box():
    x = mg.constant(3.0)
    s = x * x
    assert examine(value, s + s)
    again = examine(value, x * x + x * x)
    assert again.words.endswith("yours computes multiply again, where one is used twice.")
    assert "in yours, box 2 and in the true one, box 1" in again.picture.alt
    assert examine(value, ...).status == "unanswered"


def test_a_box_that_is_used_where_two_are_expected():
    one = rows_of([("x", []), ("exp", [0]), ("add", [1, 1])])
    two = rows_of([("x", []), ("exp", [0]), ("exp", [0]), ("add", [1, 2])])
    words = "The first difference, starting from the result: yours uses one exp twice, where two are expected."
    assert difference(one, two).words == words


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (3.0, "The answer is 3; a graph is expected: a Tensor that was computed with ops."),
        ([], "The list of rows is empty. It has a row for each box of the graph."),
        (["a"], "Row 0 is 'a'. A row is a pair of a label and a list, such as (\"multiply\", [0, 0])."),
        ([("a", []), ("exp", [1])], "Row 1, ('exp', [1]), may only use the numbers of rows above it, counted from 0."),
        (
            [("a", []), ("exp", ["a"])],
            "Row 1, ('exp', ['a']), may only use the numbers of rows above it, counted from 0.",
        ),
    ],
)
def test_what_is_no_graph_is_said_in_words(rows, words):
    verdict = examine(by_hand, lambda: rows)
    assert verdict.words == words and verdict.picture is None


def test_a_large_answer_is_compared_and_not_drawn():
    chain = [("x", []), *[("exp", [i]) for i in range(300)]]
    verdict = examine(by_hand, lambda: chain)
    assert verdict.words == "Your graph has 301 boxes, 6 are expected." and verdict.picture is None
    balanced = [("x", [])] * 32
    while len(balanced) < 63:
        balanced.append(("add", [2 * (len(balanced) - 32), 2 * (len(balanced) - 32) + 1]))
    assert difference(rows_of(balanced), rows_of(balanced)) is None


@st.composite
def row_lists(draw):
    count = draw(st.integers(1, 3))
    rows = [(name, []) for name in "abc"[:count]]
    for _ in range(draw(st.integers(1, 6))):
        op, arity = draw(st.sampled_from([("add", 2), ("multiply", 2), ("divide", 2), ("exp", 1)]))
        rows.append((op, [draw(st.integers(0, len(rows) - 1)) for _ in range(arity)]))
    return rows


@st.composite
def rewritten(draw, rows):
    """The same graph with its rows, and the arguments of add and multiply, in another order."""
    left, order = set(range(len(rows) - 1)), []
    while left:
        ready = sorted(i for i in left if set(rows[i][1]) <= set(order))
        order.append(draw(st.sampled_from(ready)))
        left.remove(order[-1])
    order.append(len(rows) - 1)
    place = {row: number for number, row in enumerate(order)}
    swap = lambda op, used: used[::-1] if op in ("add", "multiply") and draw(st.booleans()) else used
    return [(rows[i][0], swap(rows[i][0], [place[j] for j in rows[i][1]])) for i in order]


@given(st.data())
def test_the_order_of_rows_and_of_what_is_added_does_not_count(data):
    rows = data.draw(row_lists())
    assert difference(rows_of(data.draw(rewritten(rows))), rows_of(rows)) is None


def behind(rows):
    """The rows from which the last one is computed."""
    found = {len(rows) - 1}
    for i in reversed(range(len(rows))):
        found |= set(rows[i][1]) if i in found else set()
    return sorted(found)


@given(st.data())
def test_another_op_is_another_graph(data):
    rows = data.draw(row_lists())
    changed = data.draw(st.sampled_from(behind(rows)))
    other = [(("sqrt", *row[1:]) if i == changed else row) for i, row in enumerate(rows)]
    mine, true = rows_of(data.draw(rewritten(other))), rows_of(rows)
    found = difference(mine, true)
    assert found is not None and found.words.startswith("The first difference")


@settings(max_examples=20)
@given(st.data())
def test_the_picture_has_each_box_and_each_arrow(data):
    from matplotlib.figure import Figure

    rows = data.draw(row_lists())
    mine = rows_of(rows)
    changed = Rows((*mine.rows[:-1], ("sqrt", mine.rows[-1][1])))
    drawn, words = of_graphs(changed, mine, difference(changed, mine))
    for axes, graph in zip(graphs(Figure, drawn).axes, (changed, mine)):
        texts = [text.get_text() for text in axes.texts]
        assert sorted(filter(None, texts)) == sorted(label for label, _ in graph.rows)
        assert texts.count("") == sum(len(used) for _, used in graph.rows)
    assert f"in yours, box {len(rows) - 1} and in the true one, box {len(rows) - 1}" in words
