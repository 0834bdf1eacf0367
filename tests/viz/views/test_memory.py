"""viz.memory: a line for each way, its peak in arrays like x, where it turns and where pieces end."""

import sys

import numpy as np
import pytest

import minigrad as mg
import viz

X = np.ones((10, 10))
MORE = sys.version_info < (3, 11)  # where the arguments of a call are kept until it returns


def chain(x):
    for _ in range(16):
        x = mg.tanh(x)
    return x


def in_pieces(x):
    for _ in range(4):
        x = mg.recompute_grad(lambda x: mg.tanh(mg.tanh(mg.tanh(mg.tanh(x)))))(x)
    return x


def test_the_peak_of_a_chain_and_of_its_pieces():
    view = viz.memory(chain, X, in_pieces)
    assert list(view.peaks) == ["chain", "in_pieces"] and view.unit == X.nbytes
    arrays = {name: peak / view.unit for name, peak in view.peaks.items()}
    assert arrays["chain"] == 18 + MORE  # x, 16 results, and one message
    assert 5 + 4 <= arrays["in_pieces"] <= 5 + 4 + 2 + MORE  # the borders, an open piece, and messages on their way
    assert {name: max(numbers) for name, numbers in view.kept.items()} == view.peaks
    axes = view.figure.axes[0]
    drawn = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert np.array_equal(drawn["chain"] * view.unit, view.kept["chain"])
    dots = [len(line.get_xdata()) for line in axes.lines if line.get_marker() == "."]
    assert dots[:2] == [0, 8]  # the four pieces, in the forward pass and on the way back
    turns = [x for line in axes.lines if line.get_marker() == "v" for x in line.get_xdata()]
    assert turns == [16, 20]  # after 16 ops and the sum; the ends of four pieces are steps as well


def test_the_text_has_the_peaks_and_how_long_each_way_is():
    text = viz.memory(chain, X, in_pieces, names=["as it is", "4 pieces"]).to_text()
    summary, head, *rows = text.splitlines()
    assert summary.startswith(f"Kept at the peak, in arrays like x (800 bytes): as it is {18 + MORE}, 4 pieces ")
    assert head.split() == ["way", "peak", "bytes", "when", "it", "turns", "steps"]
    steps = [16 + 1 + 18, 16 + 4 + 1 + 1 + 4 * (4 + 5 + 1) + 1]  # of a piece: its second run, its pass, its own step
    assert [row.split()[-1] for row in rows] == [*map(str, steps)]


def test_inputs_of_any_structure():
    params = {"w": X, "b": np.ones(10)}
    view = viz.memory(lambda p: mg.tanh(p["w"] + p["b"]), params)
    assert view.unit == X.nbytes + 80
    assert viz.memory(mg.tanh, mg.constant(X)).peaks == viz.memory(mg.tanh, X).peaks


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: viz.memory(X, chain), TypeError, "memory takes a function, x, and other functions of x"),
        (lambda: viz.memory(chain, X, 8), TypeError, "got 8 of type int"),
        (lambda: viz.memory(chain, X, in_pieces, names=["one"]), ValueError, "a different one for each of the 2 ways"),
        (lambda: viz.memory(chain, X, in_pieces, names=["a", "a"]), ValueError, "got ['a', 'a']"),
        (lambda: viz.memory(chain, 1.0), ValueError, "give it an x with axes"),
        (lambda: viz.memory(lambda x: None, X), TypeError, "does it lack a return?"),
    ],
)
def test_other_arguments_are_refused_with_what_to_write(call, error, words):
    with pytest.raises(error) as raised:
        call()
    assert words in str(raised.value)
