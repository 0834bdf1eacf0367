"""The form in which a lane is saved, and the way back."""

import json

import minigrad as mg
import viz
from tests.helpers.saved_outputs import loose
from viz.hosts.packing import slim


def test_a_lane_is_the_same_after_the_way_there_and_back():
    def f(x, w, y):
        h = mg.tanh(x @ w)
        return mg.sum(mg.where(h > 0, h * h, h)) + mg.sum(h) * y

    view = viz.backward(f, x=[[1.0, -2.0]], w=[[0.5, 1.0], [2.0, 0.1]], y=3.0)
    (lane,) = json.loads(json.dumps(view.data()[0]["lanes"]))
    wide = max(map(len, lane["stops"]))
    stops = [row + [0] * (wide - len(row)) for row in lane["stops"]]
    numbered = {**lane, "cards": {int(n): card for n, card in lane["cards"].items()}}
    numbered["drag"] = {
        **lane["drag"],
        **{k: {int(n): c for n, c in lane["drag"][k].items()} for k in ("nodes", "local")},
    }
    small = slim(numbered)
    assert loose(small) == {**lane, "stops": stops}
    assert len(json.dumps(small)) < 0.95 * len(json.dumps(lane))
