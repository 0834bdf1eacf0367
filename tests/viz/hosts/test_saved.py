"""The form in which a lane is saved, and the way back."""

import json
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
import viz
from tests.helpers.random_programs import transformer
from tests.helpers.saved_outputs import restored
from viz.hosts.saved import LONG, SKIPPED, TURNS, columns, compact, thinned


def arrays(x, w, y):
    h = mg.tanh(x @ w)
    padded = mg.pad(h, ((0, 0), (1, 0)), constant_values=-2)
    return mg.sum(mg.where(h > 0, h * h, h)) + mg.sum(h) * y + mg.sum(padded * y)


@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))


def spring(x, v):
    for _ in range(3):
        v = v - 0.137 * x * mg.abs(v)
        x = x + v * 0.0173
    return x * v - v


def recurrent(turns):
    def f(h, W, U):
        for t in range(turns):
            h = mg.tanh(h @ W + U * (0.1 * t))
        return mg.sum(h)

    return viz.backward(f, h=[0.5, -1.0], W=[[0.3, 0.1], [-0.2, 0.4]], U=[1.0, 2.0])


def blocks(count):
    with mg.scope("model"):
        h = transformer(mg.constant(0.5), count)
    return mg.sum(h)


PROGRAMS = {
    "arrays": lambda: viz.backward(arrays, x=[[1.0, -2.0]], w=[[0.5, 1.0], [2.0, 0.1]], y=3.0),
    "rule": lambda: viz.backward(log1pexp, x=88.0),
    "spring": lambda: viz.backward(spring, x=1.5, v=-0.5),
    "nan": lambda: viz.backward(lambda x: mg.where(x > 0, mg.sqrt(x), 0.0), x=0.0),
    "one letter": lambda: viz.backward(lambda x: mg.exp(x) * x, x=0.5),
    "forward": lambda: viz.forward(mg.sin(mg.constant(2.0)) * 3.0),
    "rules beside each other": lambda: viz.compare(log1pexp, 88.0),
    "frames": lambda: viz.backward(blocks(3), fold="attention"),
    "frames in a loop": lambda: viz.backward(blocks(9)),
    "loop": lambda: recurrent(40),
    "unused": lambda: viz.backward(lambda x, unused: x * x, x=2.0, unused=1.0),
    "signs": lambda: viz.backward(mg.exp(mg.constant(2.0)), names={"$& <a>": mg.constant(1.0)}),
}


def back(lanes):
    """The lanes after the way to the page."""
    return restored([json.loads(json.dumps(compact(lane))) for lane in lanes])


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_lane_is_the_same_after_the_way_there_and_back(program):
    lanes = PROGRAMS[program]().data()[0]["lanes"]
    assert back(lanes) == json.loads(json.dumps(lanes))


@given(
    st.recursive(
        st.integers(-9, 99)
        | st.floats(0.25, 1)
        | st.sampled_from(["", "a0", "a1", "b17", "007", "\ue000"])
        | st.none(),
        lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.sampled_from("abc"), inner),
    )
)
@settings(max_examples=30)
def test_any_data_is_the_same_after_the_way_there_and_back(some):
    frame = {"key": "", "as": "", "items": [], "carry": [], "word": "", "dtype": ""}
    data = [[some] * 6, [*range(40)], [[k, k % 3] for k in range(40)], [f"x{k % 4}" for k in range(40)]]
    lane = {"data": columns(data), "cards": columns([]), "graph": {"nodes": columns([]), "frames": columns([frame])}}
    assert restored([json.loads(json.dumps(lane))])[0]["data"] == data


def test_the_saved_form_takes_less_than_half_the_room():
    (lane,) = recurrent(40).data(drag=False)[0]["lanes"]
    small, large = (zlib.compress(json.dumps(form).encode(), 9) for form in (compact(lane), lane))
    assert len(small) < len(large) / 2


def test_a_pass_of_few_messages_is_saved_whole():
    lanes = recurrent(40).data(drag=False)[0]["lanes"]
    assert len(lanes[0]["stops"]) < LONG and thinned(lanes, 7) == (lanes, 7)


def test_of_a_long_pass_every_number_stays_and_some_messages_are_told():
    (whole,) = recurrent(200).data(drag=False)[0]["lanes"]
    opened = 333
    (lane,), stop = thinned([whole], opened)
    told = [row for row in lane["stops"] if not row[7] & SKIPPED]
    assert 200 < len(told) < 450 < LONG < len(whole["stops"]) == len(lane["stops"])
    assert [row[:6] for row in lane["stops"]] == [row[:6] for row in whole["stops"]]
    for k, row in ((stop, whole["stops"][opened]), (0, whole["stops"][0]), (-1, whole["stops"][-1])):
        assert told[k][:9] == row[:9]
    assert {row[8] == "" for row in lane["stops"] if row[7] & SKIPPED} == {True}
    frames = lane["graph"]["frames"]
    with_arrays = [
        any(lane["graph"]["nodes"][n]["cells"] for n in frames[turn]["nodes"]) for turn in frames["/0"]["turns"]
    ]
    assert sum(with_arrays) == TURNS and with_arrays[0] and with_arrays[-1]
    assert back([lane])[0]["graph"] == json.loads(json.dumps(lane["graph"]))


def test_where_a_long_pass_turns_nan_is_told():
    y = mg.log(mg.constant(0.0) * 1.0)
    for _ in range(700):
        y = y * 1.0
    (whole,) = viz.backward(mg.sum(y) * 0.0).data(drag=False)[0]["lanes"]
    (lane,), _ = thinned([whole], 0)
    born = [k for k, row in enumerate(whole["stops"]) if row[7] & 8]
    assert born and all(lane["stops"][k] == whole["stops"][k] for k in born)


def test_what_can_follow_other_inputs_is_saved_whole():
    lane = {"stops": [[0] * 9] * 2000, "drag": {}}
    assert thinned([lane], 5) == ([lane], 5)


def test_the_sign_of_zero_stays():
    assert json.dumps(columns([[0.0] * 6, [-0.0] * 6])).count("-0.0") == 6
    assert json.dumps(columns([0.0, -0.0] * 4)).count("-0.0") == 4
