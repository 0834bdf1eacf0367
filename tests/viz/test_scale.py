"""Large graphs: folded, drawn in linear time, and never stuck."""

import json
import re

import pytest

import minigrad as mg
import viz
from tests.helpers.random_programs import transformer
from tests.helpers.work import assert_linear


def rnn(steps):
    """An unrolled recurrent net of 4 ops per step, its weights shared by all steps."""
    x, w, u = mg.constant(0.5), mg.constant(0.9), mg.constant(0.1)
    h = x
    for _ in range(steps):
        h = mg.tanh(h * w + x * u)
    return h


def model(blocks):
    with mg.scope("model"):
        h = transformer(mg.constant(0.5), blocks)
    return mg.sum(h)


@pytest.mark.slow
@pytest.mark.parametrize("flow", ["right", "down"])
@pytest.mark.parametrize(("fold", "steps"), [("auto", 240), ("none", 320)])
def test_the_work_of_drawing_grows_as_the_graph_does(flow, fold, steps):
    def drawing(n):
        y = rnn(n)
        return lambda: viz.backward(y, flow=flow, fold=fold)._repr_mimebundle_()

    assert_linear(drawing, steps)


def test_a_folded_thousand_ops_stay_small():
    bundle = viz.backward(rnn(250))._repr_mimebundle_()
    assert sum(len(json.dumps(form)) for form in bundle.values()) < 72_000


def test_many_ops_are_in_frames():
    html = viz.backward(rnn(2000)).to_html()
    assert len(html) < 97_500
    assert "2000 × turn: 8000 ops; gradient 1 at its end, 2.803e-45 at its start" in html


def exploding(ops):
    h = mg.exp(mg.constant([100.0] * 3))
    for _ in range(ops):
        h = h * 1.0
    return mg.sum(mg.log(1 + h))


def test_a_nan_in_a_large_graph_is_found():
    found = viz.trace_nan(exploding(1000))
    assert found.op == "exp" or found.word == "nan"
    assert found.to_html()


@pytest.mark.slow
def test_the_work_of_finding_a_nan_grows_as_the_graph_does():
    def finding(n):
        y = exploding(n)
        return lambda: viz.trace_nan(y).to_html()

    assert_linear(finding, 150)


def test_a_line_that_stands_for_many_messages_counts_them():
    xs = [mg.constant(float(k)) for k in range(50)]
    stacked, forward = viz.backward(mg.sum(mg.stack(xs))), viz.forward(mg.sum(mg.stack(xs)))
    for wide in (390, 850):
        for view, word in ((stacked, "messages"), (forward, "values")):
            lane = view._lanes[0]
            svg, _ = lane.drawn(len(lane.moments) - 1, wide, 440)
            assert f">50 {word}<" in svg and len(re.findall("<path class='e ", svg)) == 2


def frames(view):
    """The names of the frames of a picture, those that are open with "open " before them."""
    lane = view._lanes[0]
    lane.drawn(len(lane.moments) - 1)
    found = [lane.graph["frames"][key] for key in lane.scene.boxes if key[0] == "/"]
    return ["open " * (frame["as"] in lane.scene.opened) + frame["name"] for frame in found]


def test_frames_open_as_far_as_there_is_room():
    assert frames(viz.backward(model(15))) == ["open model", "open 15 × block", "open attention", "mlp"]
    some = ["open model", "open block 0", "open attention", "mlp", "block 1", "block 2"]
    assert frames(viz.backward(model(3))) == some


def test_fold_and_unfold_return_new_views():
    view = viz.backward(model(3))
    closed = view.fold("block 1")
    assert frames(closed) == ["block 1"] and len(frames(view)) == 6
    assert frames(view.fold("attention")) == ["attention"] * 3
    assert frames(closed.fold("model")) == ["model"]
    assert frames(closed.unfold("block 1")) == [] == frames(closed.unfold())
    said = "Frames:\nblock 1: 8 ops; gradient 0.6626 at its end, 0.249 at its start"
    assert closed.to_text().endswith(said)


def test_unfold_everything_of_a_folded_graph():
    view = viz.backward(rnn(100))
    assert frames(view) == ["open 100 × turn"]
    assert frames(view.unfold())[:2] == ["multiply#3 … multiply#52", "add#53 … tanh#102"]
    assert frames(view.unfold("100 × turn")) == [f"turns {k + 1} to {k + 10}" for k in range(0, 100, 10)]


@pytest.mark.parametrize(
    "wrong, words",
    [
        (
            lambda view: view.fold("nonsense"),
            r"no scope or function 'nonsense' to fold.*has model, transformer, block 0, att",
        ),
        (lambda view: viz.backward(rnn(3), fold="nonsense"), r"no scope or function 'nonsense' to fold"),
        (lambda view: view.unfold().unfold("nonsense"), r"no frame 'nonsense' to unfold: nothing is folded"),
        (lambda view: view.fold("mlp").unfold("nonsense"), "the frames are mlp"),
    ],
)
def test_names_that_do_not_exist_are_answered_in_a_sentence(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong(viz.backward(model(2)))


def test_two_lanes_are_not_folded_by_hand():
    with pytest.raises(ValueError, match="this one shows 2"):
        viz.compare(mg.sin, mg.tanh, 1.0).unfold()
