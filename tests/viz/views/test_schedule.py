"""viz.schedule: which layer runs in which row, what is run again, and how long each result is in memory."""

import sys

import numpy as np
import pytest

import minigrad as mg
import viz

X = np.ones((3, 4))
OLD = sys.version_info < (3, 11)  # where the arguments of a call are kept until it returns


def run_all(layers):
    def model(x):
        for layer in layers:
            x = layer(x)
        return x

    return model


def in_pieces(layers, size=2):
    pieces = [mg.recompute_grad(run_all(layers[k : k + size])) for k in range(0, len(layers), size)]
    return run_all(pieces)


def test_a_chain_runs_once_and_is_walked_back_from_the_last_layer():
    view = viz.schedule(run_all, [mg.sin, mg.tanh, mg.exp], X)
    assert view.rows == [("runs", 1), ("runs", 2), ("runs", 3), ("step back", 3), ("step back", 2), ("step back", 1)]
    assert [result[:2] for result in view.kept] == [(1, 0), (2, 1), (3, 2)] and view.most == 3


def test_a_piece_runs_again_when_the_pass_reaches_it_and_its_results_stay_until_its_pass_is_over():
    view = viz.schedule(in_pieces, [mg.sin] * 4, X)
    again = [("runs again", 3), ("runs again", 4), ("step back", 4), ("step back", 3)]
    assert view.rows[:4] == [("runs", i) for i in (1, 2, 3, 4)] and view.rows[4:8] == again
    assert [row.layer for row in view.rows[8:]] == [1, 2, 2, 1]
    spans = {made: (layer, gone) for layer, made, gone in view.kept}
    assert spans[0] == (1, 2), "inside the first piece: gone when the next layer has run"
    assert spans[4][0] == 3 and spans[4][1] >= 7, "open until its own step"
    assert spans[1][1] >= 8, "the end of the first piece is kept until the pass is there"
    if not OLD:
        assert view.most == 4  # two ends of pieces, and the open piece


def test_each_layer_runs_as_often_as_the_plan_of_lesson_13_says():
    """Three states and two runs before its own turn: ten layers, each of them at most three times."""

    def plan(part, states, sweeps):
        if len(part) == 1:
            return part[0]
        split = longest(states, sweeps - 1)
        rest = plan(part[split:], max(states - 1, 1), sweeps)
        first = mg.recompute_grad(plan(part[:split], states, sweeps - 1))
        return lambda x: rest(first(x))

    def longest(states, sweeps):
        if states == 1 or sweeps == 0:
            return sweeps + 1
        return longest(states - 1, sweeps) + longest(states, sweeps - 1)

    view = viz.schedule(lambda layers: plan(layers, 3, 2), [mg.tanh] * longest(3, 2), X)
    runs = [sum(row.layer == i and row.what != "step back" for row in view.rows) for i in range(1, 11)]
    assert len(runs) == 10 and max(runs) == 3 and runs[-1] == 1
    assert [row.layer for row in view.rows if row.what == "step back"] == [*range(10, 0, -1)]


def test_what_is_drawn_is_what_is_told():
    view = viz.schedule(in_pieces, [mg.sin] * 4, X)
    (axes,) = view.figure.axes
    drawn = {line.get_label(): len(line.get_xdata()) for line in axes.lines if line.get_marker() != "None"}
    assert drawn == {"runs": 4, "runs again": 4, "step back": 4}
    assert view.summary.startswith("4 layers, 4 runs again; at most ")
    head, *rows = view.to_text().splitlines()[1:]
    assert head.split() == ["layer", "runs", "kept", "in", "rows"] and [row.split()[:2] for row in rows] == [
        [str(i), "2"] for i in (1, 2, 3, 4)
    ]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: viz.schedule(X, [mg.sin], X), TypeError, "a function that makes the model"),
        (lambda: viz.schedule(run_all, [3], X), TypeError, "layers as a list of functions of a Tensor, got 3"),
        (lambda: viz.schedule(run_all, [], X), ValueError, "from 1 to 100 layers, got 0"),
        (lambda: viz.schedule(run_all, [mg.sin], 1.0), ValueError, "give it an x with axes"),
        (lambda: viz.schedule(run_all, [lambda x: None], X), TypeError, "does it lack a return?"),
    ],
)
def test_mistakes_are_told_in_a_sentence(call, error, words):
    with pytest.raises(error, match=words.replace("?", r"\?")):
        call()
