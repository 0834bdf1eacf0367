"""A walk over the rows of lesson 2 is drawn message by message."""

import minigrad as mg
import viz
from minigrad.classroom.walks import boxes_of, over_rows, rows_of


def newest_first(rows, tell=lambda *message: None):
    gradients = [0.0] * len(rows)
    gradients[-1] = 1.0
    for row in reversed(range(len(rows))):
        for i, (argument, slope) in enumerate(rows[row]):
            gradients[argument] += gradients[row] * slope
            tell(row, i, gradients[row] * slope, gradients[argument])
    return gradients


def test_the_rows_of_a_graph_and_a_walk_over_them():
    x = mg.constant(3.0)
    b = 2 * x
    assert newest_first(rows_of(b + b * b))[0] == newest_first(rows_of(b * b + b))[0] == 26
    view = viz.backward(boxes_of(b + b * b, x=x, b=b), by=over_rows(newest_first))
    messages = [message for *_, message in (edge.split(" = ") for edge in view.to_text().splitlines() if " = " in edge)]
    assert "26" in view.to_text() and messages
