"""mg.saved and MemoryWatch: which arrays a result keeps, and how many bytes are kept after each op and step back."""

import gc
import sys
import weakref

import numpy as np
import pytest

import minigrad as mg
from minigrad.tracing.memory_use import MemoryWatch, bytes_text

N = 100
X = np.linspace(0.1, 1.0, N)  # float64: 800 bytes


def rows(y, names):
    return [(row.name, row.op, row.bytes) for row in mg.saved(y, names)]


def in_piece(returned):
    """exp(x) in a function with a rule, which returns what `returned` makes of it."""

    @mg.custom_gradient
    def piece(x):
        e = mg.exp(x)
        return returned(e), lambda upstream: upstream * np.ones(N)

    return piece


def holds_an_array(x):
    @mg.custom_gradient
    def f(x):
        mask = np.ones(N)
        return mg.constant(2 * x.value), lambda upstream: upstream * mask

    return f(x)


INPUT, INSIDE = ("x", "input", 800), ("", "exp in piece", 800)
KEPT = {
    "a chain": (lambda x: mg.sin(mg.exp(x)), [INPUT, ("", "exp", 800), ("y", "sin", 800)]),
    "the same array twice": (lambda x: mg.reshape(x, (10, 10)) + 1.0, [INPUT, ("y", "add", 800)]),
    "a constant": (lambda x: x * np.ones(N), [INPUT, ("", "constant", 800), ("y", "multiply", 800)]),
    "a number": (lambda x: mg.sum(x), [INPUT, ("y", "sum", 8)]),
    "inside a rule": (in_piece(lambda e: e), [INPUT, INSIDE]),
    "a value without its past": (in_piece(lambda e: mg.constant(e.value)), [INPUT, ("", "constant in piece", 800)]),
    "recomputed": (mg.recompute_grad(lambda x: mg.sin(mg.exp(x))), [INPUT, ("y", "<lambda>", 800)]),
    "captured by a rule": (holds_an_array, [INPUT, ("", "constant in f", 800), ("mask", "captured by <lambda>", 800)]),
}


@pytest.mark.parametrize("kind", KEPT)
def test_what_a_result_keeps(kind):
    f, expected = KEPT[kind]
    x = mg.constant(X)
    y = f(x)
    found = rows(y, {"x": x, "y": y})
    assert found == expected
    assert mg.saved(y).bytes == sum(row[-1] for row in found)


def test_every_array_of_the_list_lives_as_long_as_the_result_and_no_longer():
    made = []

    def wave(x):
        made.append(mg.exp(x))
        return mg.sin(made[-1])

    for f, listed in ((wave, True), (in_piece(lambda e: made.append(e) or mg.constant(2 * e.value)), False)):
        y = f(mg.constant(X))
        inner = weakref.ref(made[-1].value)
        is_listed = any(row.op.startswith("exp") for row in mg.saved(y))
        made.clear()
        gc.collect()
        assert (is_listed, inner() is not None) == (listed, listed)
        del y
        gc.collect()
        assert inner() is None


def test_variables_and_the_names_of_the_cell():
    cell = """
w = mg.Variable(X, name="weights")
x = mg.constant(X)
y = mg.sum(w * x)
found = mg.saved(y)
"""
    exec(cell, space := {"mg": mg, "X": X, "__name__": "__main__"})
    named = [("w", "variable"), ("x", "input"), ("", "multiply"), ("y", "sum")]
    assert [(row.name, row.op) for row in space["found"]] == named
    y = space["y"]
    assert [row.name for row in mg.saved(y)] == ["weights", "", "", ""]
    assert "<td>variable</td>" in mg.saved(y)._repr_html_()
    with pytest.raises(TypeError, match="saved takes a Tensor, got 3"):
        mg.saved(3.0)


def test_a_pass_frees_what_it_has_used_and_a_recomputed_piece_is_not_kept_between_its_runs():
    chain = lambda x: mg.sum(mg.sin(mg.exp(mg.sin(mg.exp(x)))))
    kept = {}
    for name, f in (("plain", chain), ("recomputed", mg.recompute_grad(chain))):
        with MemoryWatch() as watch:
            mg.grad(f)(X)
        kept[name] = np.array(watch.kept) / X.nbytes
    freed = [2, 3, 4, 5, 5, 5, 6, 6, 5, 4, 2]
    if sys.version_info < (3, 11):  # the arguments of a call, here the end of the graph, are kept until it returns
        assert (kept["plain"] >= freed).all() and max(kept["plain"]) == 7 and kept["plain"][-1] > 2
    else:
        assert kept["plain"].tolist() == freed
    assert kept["recomputed"][5:7].tolist() == [5, 2]  # the call ends; then x alone, and the first op of the second run
    assert watch.calls == [5, 17]  # the call ends, and its step back


def test_nothing_is_counted_outside_of_the_block_and_a_gradient_of_a_gradient_inside_is():
    with MemoryWatch() as watch:
        slope = mg.grad(lambda x: mg.sum(mg.grad(lambda v: mg.sum(v * v * v))(x)))(X)
    steps = len(watch.kept)
    mg.grad(lambda x: mg.sum(x * x))(X)
    assert len(watch.kept) == steps > 0
    np.testing.assert_allclose(slope, 6 * X)
    with pytest.raises(ZeroDivisionError), MemoryWatch() as watch:
        mg.exp(mg.constant(X))
        1 / 0  # noqa: B018
    mg.exp(mg.constant(X))
    assert len(watch.kept) == 1


@pytest.mark.parametrize(("count", "text"), [(0, "0 bytes"), (999, "999 bytes"), (999_600, "1 MB"), (2e15, "2e+03 TB")])
def test_bytes_are_written_in_the_unit_that_fits(count, text):
    assert bytes_text(count) == text
