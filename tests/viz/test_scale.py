"""Large graphs: folded, drawn in linear time, and never stuck."""

import json
import re
import shutil

import pytest

import minigrad as mg
import viz
from tests.helpers.random_programs import transformer
from tests.helpers.work import assert_linear

DOT = pytest.param("auto", marks=pytest.mark.skipif(not shutil.which("dot"), reason="needs dot"))


def rnn(steps):
    """An unrolled recurrent net of 4 ops a step, its weights shared by all steps."""
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
@pytest.mark.parametrize("layout", ["builtin", DOT])
@pytest.mark.parametrize(("fold", "steps"), [("auto", 120), ("none", 40)])
def test_the_work_of_drawing_grows_as_the_graph_does(layout, fold, steps):
    def drawing(n):
        y = rnn(n)
        return lambda: viz.backward(y, layout=layout, fold=fold)._repr_mimebundle_()

    assert_linear(drawing, steps)


def test_a_folded_thousand_ops_stay_small():
    bundle = viz.backward(rnn(250))._repr_mimebundle_()
    assert sum(len(json.dumps(form)) for form in bundle.values()) < 70_000


def test_many_ops_are_in_frames():
    html = viz.backward(rnn(2000)).to_html()
    assert len(html) < 70_000
    assert "8000 of 8000 ops are in 10 frames" in html


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
    svg = viz.backward(mg.sum(mg.stack(xs))).to_svg()
    assert re.findall(r"data-c='(\d+)'", svg) == ["50"] and "50 messages" in svg


def test_scopes_are_taken_apart_as_far_as_there_is_room():
    view = viz.backward(model(15))
    assert boxes(view) == [f"block {k}" for k in range(15)]
    inner = {box.label for box in view._lanes[0].drawing.frames} - set(boxes(view))
    assert inner == {"attention", "mlp"}


def boxes(view):
    return [box.label for box in view._lanes[0].drawing.boxes if box.folded]


def test_fold_and_unfold_return_new_views():
    view = viz.backward(model(3))
    assert boxes(view) == []
    closed = view.fold("block 1")
    assert boxes(closed) == ["block 1"] and boxes(view) == []
    assert boxes(view.fold("attention")) == ["attention"] * 3
    assert boxes(closed.fold("model")) == ["model"]
    assert boxes(closed.unfold("block 1")) == [] == boxes(closed.unfold())
    assert "ops are in 1 frame. A click or Enter opens and closes" in closed.to_text()


def test_unfold_everything_of_a_folded_graph():
    view = viz.backward(rnn(100))
    assert boxes(view) == [f"turns {k + 1} to {k + 10}" for k in range(0, 100, 10)]
    assert boxes(view.unfold()) == []
    assert boxes(view.unfold("turns 41 to 50"))[3:6] == ["turns 31 to 40", "turn 41", "turn 42"]
    assert "turn 45" not in boxes(view.unfold("turn 45")) and "turn 44" in boxes(view.unfold("turn 45"))


@pytest.mark.parametrize(
    "wrong, words",
    [
        (
            lambda view: view.fold("nonsense"),
            r"no scope or function 'nonsense' to fold.*has model, transformer, block 0, att",
        ),
        (lambda view: viz.backward(rnn(3), fold="nonsense"), r"no scope or function 'nonsense' to fold"),
        (lambda view: view.unfold("nonsense"), r"no box 'nonsense' to unfold: nothing is folded"),
        (lambda view: view.fold("mlp").unfold("nonsense"), "the boxes are mlp"),
    ],
)
def test_names_that_do_not_exist_are_answered_in_a_sentence(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong(viz.backward(model(2)))


def test_two_lanes_are_not_folded_by_hand():
    with pytest.raises(ValueError, match="this one shows 2"):
        viz.compare(mg.sin, mg.tanh, 1.0).unfold()
