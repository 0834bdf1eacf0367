"""The page picks the elements of a sort, a quantile or an index again; and functions composed of its instructions."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
import viz
from minigrad.core.tensor import next_serial
from minigrad.tracing.recorder import backward_trace
from tests.helpers.node import RUN_TAPES, TAPE, numbers, run_js, words
from viz.drag.composed import OUTSIDE, UNSORTED
from viz.drag.followed_page import draggable
from viz.drag.page_tape import NotFollowed
from viz.drag.replayed import CalledWith

W = np.array([1.0, -2.0, 0.5, 3.0])
POINTS, HEIGHTS = np.array([-1.0, 0.0, 1.5, 4.0]), np.array([2.0, -1.0, 0.5, 7.0])

#: Functions of four numbers.
FUNCTIONS = {
    "sort": lambda x: mg.sum(mg.sort(x) * W),
    "sort rows": lambda x: mg.sum(mg.sort(mg.reshape(x, (2, 2)), 0) * np.array([[1.0, 2.0], [3.0, 4.0]])),
    "argsort": lambda x: mg.sum(x * mg.argsort(x)) + mg.sum(mg.argsort(mg.reshape(x, (2, 2)), None) * W),
    "order": lambda x: mg.sum((x * x)[mg.argsort(-x)] * W),
    "top_k": lambda x: mg.sum(mg.top_k(x, 2)[0] * np.array([1.0, 3.0])),
    "median": lambda x: mg.median(x) * x[0],
    "median of rows": lambda x: mg.sum(mg.median(mg.reshape(x, (2, 2)), 1) * np.array([1.0, 3.0])),
    "nanmedian": lambda x: mg.nanmedian(x) * 2.0,
    "quantile": lambda x: mg.quantile(x, 0.3) + mg.percentile(x, 80, method="higher"),
    "quantiles": lambda x: mg.sum(mg.quantile(x, [0.1, 0.6]) * np.array([1.0, 3.0])),
    "nanquantile": lambda x: mg.nanquantile(x, 0.6),
    "argmax": lambda x: x[mg.argmax(x)] * mg.argmin(x),
    "argmax of rows": lambda x: mg.sum(np.argmax(mg.reshape(x, (2, 2)), 1, keepdims=True) * x[:2]),
    "one hot": lambda x: mg.sum(mg.one_hot(mg.argmax(x), 4, dtype=x.dtype) * x * W),
    "running maxima": lambda x: mg.sum(mg.cummax(x * x) * W),
    "without nan": lambda x: mg.nanmax(x) * 2.0 - mg.nanmin(x),
    "the larger": lambda x: mg.sum(mg.fmax(x[:2], x[2:]) * 2.0 - mg.fmin(x[:2], 0.5)),
    "remainders": lambda x: mg.sum(mg.fmod(x[:2], x[2:]) * W[:2]),
    "powers of two": lambda x: mg.logaddexp2(x[0], x[1]) * x[2],
    "rounded": lambda x: mg.sum(mg.round(x) * x * W) + round(x[0], 1) * mg.sum(np.round(x, -1)),
    "rounded to whole numbers": lambda x: mg.sum(x) * mg.round(mg.argmax(x), 1),
    "between points": lambda x: mg.sum(mg.interp(x, POINTS, HEIGHTS) * W),
    "places among points": lambda x: mg.sum(x * mg.searchsorted(POINTS, x) - mg.searchsorted(POINTS, x, "right")),
    "an index that is a number": lambda x: (x * x)[mg.argmax(x) - 4] * x[1],
    "rows of a table": lambda x: mg.sum(mg.take(mg.stack([x[:2], x[2:], x[:2] * 2, x[1:3]]), mg.argsort(x), 0) * W[:2]),
    "whole numbers that are picked": lambda x: mg.sum(x * mg.argsort(x)[mg.argsort(-x)]),
    "a table with another axis": lambda x: mg.sum(mg.reshape(x, (1, 2, 2))[:, mg.argmax(x[:2]), None] * W[:2]),
    "a checked fraction": lambda x: mg.quantile(x, mg.sigmoid(x[0])),
}  # fmt: skip


def recorded(f, x):
    """The page's data for `f` at x, the requests of its value and gradient, and its guards."""
    leaf = mg.constant(x)
    since = next_serial()
    y = f(leaf).read_value()
    trace = backward_trace(y)
    data = draggable(y, trace, CalledWith(f, {"x": leaf}, since))
    json.dumps(data, allow_nan=False)
    me = trace.node_of[leaf.serial]
    (at,) = [cell for node, cell in data["inputs"] if node == me]
    slope = [row[2] for row in data["steps"] if row[0] == me and not row[1]]
    wanted = [data["nodes"][trace.node_of[y.serial]], *slope, *(cell for cell, *_ in data.get("guards", []))]
    return data, at, wanted


def followed(f, x, others):
    """The value and the gradient on the page for each of other inputs, or the words of the guard that stops it."""
    data, at, wanted = recorded(f, x)
    guards = data.get("guards", [])
    request = {"code": data["code"], "settings": [{at: words(other)} for other in others], "wanted": wanted}
    for cells in run_js(TAPE, RUN_TAPES, [request])[0]:
        n = len(wanted) - len(guards)
        stopped = [where for (_, value, where), [now] in zip(guards, cells[n:] if cells else []) if float(now) != value]
        yield "too large" if cells is None else stopped[0] if stopped else [numbers(cell) for cell in cells[:n]]


def by_engine(f, x):
    leaf = mg.constant(x)
    y = f(leaf)
    return [np.ravel(y.value), np.ravel(mg.gradients(y, leaf)[0].value)]


element = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1.5, 2.5, -2.5, 7.0]) | st.floats(-9, 9, width=16)
special = st.sampled_from([np.nan, np.inf, -np.inf])


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=8)
@given(others=st.lists(st.lists(element, min_size=4, max_size=4), min_size=6, max_size=6), dtype=st.sampled_from("fd"))
def test_the_page_finds_what_is_picked_at_other_numbers(name, others, dtype):
    f, arrays = FUNCTIONS[name], [np.array(x, dtype) for x in others]
    for x, found in zip(arrays, followed(f, np.array([0.3, -1.2, 2.0, 0.9], dtype), arrays)):
        for got, want in zip(found, by_engine(f, x), strict=True):
            np.testing.assert_allclose(
                got, want, rtol=1e-12 if dtype == "d" else 2e-6, atol=1e-6, err_msg=f"{name} at {x}"
            )


@settings(max_examples=8)
@given(others=st.lists(st.lists(element | special, min_size=4, max_size=4), min_size=6, max_size=6))
def test_nan_and_inf_are_sorted_as_in_python(others):
    arrays = [np.array(x) for x in others]
    for name in ("sort", "argsort", "top_k", "nanmedian", "argmax", "without nan", "the larger", "running maxima"):
        with np.errstate(all="ignore"):
            for x, found in zip(arrays, followed(FUNCTIONS[name], np.array([0.3, -1.2, 2.0, 0.9]), arrays)):
                if name == "nanmedian" and np.isinf(x).any():  # whether one is beside the middle is a decision
                    assert isinstance(found, list) or found.startswith("line ")
                    continue
                for got, want in zip(found, by_engine(FUNCTIONS[name], x), strict=True):
                    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12, err_msg=f"{name} at {x}")


def test_a_nan_in_a_median_is_a_decision_and_an_index_out_of_range_stops_the_picture():
    at = np.array([0.3, -1.2, 2.0, 0.9])
    median = lambda x: mg.median(x) * x[0]
    where = f"line {median.__code__.co_firstlineno}"
    assert [*followed(median, at, [[1.0, np.nan, 2.0, 0.0]])] == [where]
    nested = lambda x: x[mg.astype(x[0], int)] * x[1]
    (right, negative, *beyond) = followed(
        nested, at, [[3.5, 2, 1, 7], [-2, 3, 5, 1], [4, 0, 0, 0], [-5, 0, 0, 0], [np.nan, 0, 0, 0]]
    )
    assert right[0] == 14 and negative[0] == 15
    assert beyond == [OUTSIDE, OUTSIDE, "too large"]
    places = lambda x: x[0] * mg.searchsorted(mg.sort(x), 1.0) + mg.searchsorted(x * x, 1.0) * x[1]
    assert [*followed(places, np.array([0.1, 0.5, 2.0, 3.0]), [[3.0, 0.5, 2.0, 0.1]])] == [UNSORTED]


def test_what_is_picked_from_many_elements_is_refused_by_their_number():
    data, *_ = recorded(lambda x: mg.median(mg.sort(x)), np.arange(64.0))
    assert max(len(part) for row in data["code"] for part in row if isinstance(part, list)) == 4096
    with pytest.raises(NotFollowed, match="an array has 4225 elements, more than 4096"):
        recorded(lambda x: mg.median(mg.concatenate([x, x[:1]])), np.arange(64.0))


def test_quantiles_are_made_as_before_once_a_page_is_written():
    view = viz.backward(lambda x: mg.median(x), x=np.array([1.0, 3.0, 2.0]))
    assert "drag" in view.data()[0]["lanes"][0] and view.followed[0].why == ""
    for values, wheres in (([1.0, 2.0], 1), ([1.0, np.nan], 2)):
        trace = backward_trace(mg.median(mg.constant(values)))
        assert [node.op for node in trace.nodes].count("where") == wheres
