"""Plain data crosses unchanged and exactly; nothing else crosses."""

import json
import math
import socket
import struct
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad.grading.objects import JudgeObjects
from minigrad.runner.channel import Channel, Ended, Late
from minigrad.runner.codec import BadMessage, decode, encode
from minigrad.runner.student_objects import Objects


def refuse(x):
    raise BadMessage(f"no data: {type(x).__name__}")


def crossed(x):
    return decode(json.loads(json.dumps(encode(x, refuse), allow_nan=False)), refuse)


SCALARS = st.none() | st.booleans() | st.integers(-(2**200), 2**200) | st.floats() | st.text(max_size=5)
PLAIN = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(SCALARS, inner, max_size=3)
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_plain_data_crosses_unchanged(x):
    assert repr(crossed(x)) == repr(x)


@pytest.mark.parametrize("name", ["bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_arrays_cross_bit_for_bit(name, shape):
    a = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(name)
    got = crossed(a)
    assert (got.dtype, got.shape, got.tobytes()) == (a.dtype, a.shape, a.tobytes())
    one = np.dtype(name).type(1)
    assert type(crossed(one)) is type(one) and crossed(one) == one


def test_nan_infinities_and_minus_zero_cross():
    got = crossed([math.nan, math.inf, -math.inf, -0.0])
    assert math.isnan(got[0]) and got[1:3] == [math.inf, -math.inf] and math.copysign(1, got[3]) == -1


class Equal(float):
    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


class List(list):
    pass


@pytest.mark.parametrize(
    "x",
    [Equal(1.0), List([1]), object(), np.array([object()]), np.ma.array([1.0]), {1: print}],
    ids=lambda x: type(x).__name__,
)
def test_a_subclass_or_an_object_is_no_data(x):
    with pytest.raises(BadMessage):
        crossed(x)


@pytest.mark.parametrize(
    "data",
    [
        {"array": "object", "shape": [1], "bytes": "AAAAAAAAAAA="},
        {"array": "float64", "shape": [-1, 10**9], "bytes": "AAAAAAAAAAA="},
        {"array": "float64", "shape": [2], "bytes": "AAAAAAAAAAA="},
        {"array": "float64", "shape": ["2"], "bytes": "AAAAAAAAAAA="},
        {"array": "float64", "shape": [1], "bytes": "#"},
        {"scalar": "float64", "bytes": ""},
        {"float": "1e5"},
        {"int": "0x" + "f" * 5000},
        {"int": "3.5"},
        {"dict": [[1]]},
        {"dict": [[[1], 2]]},
        {"set": [[1]]},
        {"unknown": 1},
        {},
    ],
    ids=lambda data: str(data)[:40],
)
def test_forged_data_is_refused(data):
    with pytest.raises(BadMessage):
        decode(data, refuse)


def test_deep_lists_are_refused_on_both_sides():
    deep = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(BadMessage, match="deep"):
        encode(deep, refuse)
    with pytest.raises(BadMessage, match="deep"):
        decode(deep, refuse)


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    yield Channel(ours, most=1000), theirs
    ours.close(), theirs.close()


def test_a_message_comes_whole_or_not_at_all(ends):
    channel, other = ends
    text = b'{"a": 1}'
    other.sendall(struct.pack(">I", len(text)) + text[:3])
    with pytest.raises(Late):
        channel.receive(0.05)


@pytest.mark.parametrize(
    "text", [b"[" * 900, b"{", b"NaN", b'{"a": Infinity}', b"\xff\xfe"], ids=["deep", "cut", "nan", "inf", "bytes"]
)
def test_what_is_no_json_is_refused(ends, text):
    channel, other = ends
    other.sendall(struct.pack(">I", len(text)) + text)
    with pytest.raises(BadMessage):
        channel.receive(1.0)


def test_a_message_that_is_too_large_is_refused_before_it_is_read(ends):
    channel, other = ends
    other.sendall(struct.pack(">I", 2**31))
    with pytest.raises(BadMessage, match="bytes"):
        channel.receive(1.0)
    with pytest.raises(BadMessage, match="bytes"):
        channel.send("x" * 2000)


def test_the_end_of_the_other_process_is_told(ends):
    channel, other = ends
    other.close()
    with pytest.raises(Ended):
        channel.receive(1.0)


class Part:
    """An object of the judge's with attributes of several forms."""

    def __init__(self, **attributes):
        vars(self).update(attributes)


def test_objects_of_the_judge_arrive_with_their_attributes_and_as_one_where_they_are_one():
    shared = Part(value=0.5, name="x", parents=())
    other = Part(value=float("nan"), name=None, parents=(shared, shared))
    more = Part(value=2**70, name="y", parents=(other, (shared,), 3))
    ours, objects = JudgeObjects(lambda data: data), Objects(print, engine=True)
    data = ours.write([more, other])
    news = ours.news()
    objects.learn(json.loads(json.dumps(news["records"])), {})
    there, then = objects.read(data)
    assert there.parents[0] is then and then.parents[0] is then.parents[1] is there.parents[1][0]
    assert (there.value, there.name, there.parents[2]) == (2**70, "y", 3)
    assert math.isnan(then.value) and then.name is None
    assert vars(then.parents[0]) == {"value": 0.5, "name": "x", "parents": ()}


COLLIDING = [2**61 - 1, 2 * (2**61 - 1)]  # whose hashes are both 0


@pytest.mark.parametrize(
    "data",
    [
        {"dict": [[{"int": hex(n * (2**61 - 1))}, 0] for n in range(5000)]},
        {"set": [{"int": hex(n * (2**61 - 1))} for n in range(5000)]},
        {"dict": [["a", 1], ["a", 2]]},
        {"set": [1, {"tuple": []}, 1.0]},
        {"array": "float64", "shape": [-1], "bytes": ""},
        {"array": "float64", "shape": [2.0], "bytes": ""},
        {"array": "float64", "shape": [True], "bytes": "AAAAAAAA8D8="},
        {"array": "object", "shape": [], "bytes": "AAAAAAAA8D8="},
        {"int": "f" * 5000},
    ],
    ids=["keys", "items", "twice", "twice in a set", "negative", "fraction", "bool", "objects", "integer"],
)
def test_data_beyond_bounds_are_refused_at_once(data):
    began = time.monotonic()
    with pytest.raises(BadMessage):
        decode(data, dict)
    assert time.monotonic() - began < 1.0


def test_dicts_and_sets_whose_hashes_differ_are_read():
    for value in ({-1: "a", -2: "b", 1.5: "c", (1, 2): "d", None: "e"}, set(range(3000)), dict.fromkeys(COLLIDING)):
        assert decode(json.loads(json.dumps(encode(value, repr))), dict) == value


@pytest.mark.parametrize("text", [b"[" + b"1," * 1_100_000 + b"1]", b"9" * 100_000], ids=["items", "digits"])
def test_a_message_of_too_many_items_or_digits_is_refused(text):
    ours, theirs = socket.socketpair()
    sender = threading.Thread(target=theirs.sendall, args=(struct.pack(">I", len(text)) + text,))
    sender.start()
    with pytest.raises(BadMessage):
        Channel(ours).receive(20.0)
    sender.join()
    ours.close(), theirs.close()
