"""The form in which a lane is saved, and the way back."""

import json

import pytest

import minigrad as mg
import viz
from tests.helpers.node import run_js
from tests.helpers.saved_outputs import loose
from viz.hosts.packing import slim
from viz.render.document import static


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


@pytest.mark.parametrize(
    "f, inputs",
    [
        (arrays, {"x": [[1.0, -2.0]], "w": [[0.5, 1.0], [2.0, 0.1]], "y": 3.0}),
        (log1pexp, {"x": 88.0}),
        (spring, {"x": 1.5, "v": -0.5}),
        (lambda x: mg.where(x > 0, mg.sqrt(x), 0.0), {"x": 0.0}),
    ],
)
def test_a_lane_is_the_same_after_the_way_there_and_back(f, inputs):
    view = viz.backward(f, **inputs)
    lane = view.data()[0]["lanes"][0]
    small = json.dumps(slim(lane))
    lane = json.loads(json.dumps(lane))
    assert "drag" in lane and len(small) < len(json.dumps(lane))
    wide = max(map(len, lane["stops"]))
    lane["stops"] = [row + [0] * (wide - len(row)) for row in lane["stops"]]
    code = "".join(line for line in static("loose.js").splitlines(True) if not line.startswith("//"))
    (in_page,) = run_js([], f"({code})(data); return data", [json.loads(small)])
    del in_page["drag"]["values"]
    for back in (loose(json.loads(small)), in_page):
        assert whole(back) == whole(lane)


def whole(lane):
    """A lane with the texts of products, which come back without the sign for the message."""
    stops = [[*row[:6], row[6].replace("\ue000", row[4]), *row[7:]] for row in lane["stops"]]
    return {**lane, "stops": stops}
