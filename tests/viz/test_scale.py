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


@pytest.mark.parametrize("layout", ["builtin", DOT])
@pytest.mark.parametrize(("fold", "steps"), [("auto", 250), ("none", 60)])
def test_the_work_of_drawing_grows_as_the_graph_does(layout, fold, steps):
    def drawing(n):
        y = rnn(n)
        return lambda: viz.backward(y, layout=layout, fold=fold)._repr_mimebundle_()

    assert_linear(drawing, steps)


def test_a_folded_thousand_ops_stay_small():
    bundle = viz.backward(rnn(250))._repr_mimebundle_()
    assert sum(len(json.dumps(form)) for form in bundle.values()) < 60_000


def test_many_ops_are_folded():
    html = viz.backward(rnn(5000)).to_html()
    assert len(html) < 60_000
    assert "of 20003 nodes are folded" in html


def exploding(ops):
    h = mg.exp(mg.constant([100.0] * 3))
    for _ in range(ops):
        h = h * 1.0
    return mg.sum(mg.log(1 + h))


def test_a_nan_in_a_large_graph_is_found_in_linear_time():
    found = viz.trace_nan(exploding(3000))
    assert found.op == "exp" or found.word == "nan"
    assert found.to_html()

    def finding(n):
        y = exploding(n)
        return lambda: viz.trace_nan(y).to_html()

    assert_linear(finding, 400)


def test_a_line_that_stands_for_many_messages_counts_them():
    svg = viz.backward(rnn(250)).to_svg()
    counted = [int(n) for n in re.findall(r"data-c='(\d+)'", svg)]
    assert counted and f"{max(counted)} messages" in svg


def test_scopes_fold_as_finely_as_the_budget_allows():
    view = viz.backward(model(40))
    labels = [box.label for box in view._lanes[0].drawing.boxes if box.folded]
    assert len(labels) == 80 and set(labels) == {"attention", "mlp"}


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
    assert "folded into 1 box (the scope block 1)" in closed.to_text()


def test_unfold_everything_of_a_folded_graph():
    view = viz.backward(rnn(100))
    (label,) = boxes(view)
    assert boxes(view.unfold(label)) == [] == boxes(view.unfold("tanh"))


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda view: view.fold("nonsense"), r"no scope 'nonsense' to fold.*this one has model, block 0, attention"),
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
