"""viz.play without a browser: what Python sees of the sliders and the menus."""

import json
import sys

import numpy as np
import pytest

import minigrad as mg
import viz

needs_widget = pytest.mark.usefixtures("anywidget")


@pytest.fixture
def anywidget(monkeypatch):
    comm = pytest.importorskip("comm")
    monkeypatch.setattr(comm, "create_comm", comm.DummyComm)  # a loaded ipykernel has one that sends only in a kernel
    return pytest.importorskip("anywidget")


@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)
    return mg.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


def adjoint(widget, name="x"):
    return next(node.adjoint for node in widget.trace.nodes if node.name == name)


def graph(widget):
    return widget.view["lanes"][0]["graph"]


@needs_widget
def test_the_picture_follows_a_slider():
    w = viz.play(lambda x, w: x * w, x=(0.0, 4.0), w=0.5)
    assert (w.x, w.w) == (2.0, 0.5)
    w.x = 3.0
    assert adjoint(w, "w") == 3.0 and [node["value"] for node in graph(w)["nodes"]] == ["3", "0.5", "1.5"]
    json.dumps(w.view, allow_nan=False)


@needs_widget
def test_the_dtype_decides_where_the_nan_begins():
    w = viz.play(lambda x: mg.log(1 + mg.exp(x)), x=(0, 200))
    w.x = 50.0
    assert adjoint(w) == 1.0
    w.dtype = "float16"
    assert adjoint(w) == "nan" and w.trace.nodes[0].dtype == "float16"
    w.dtype = "float64"
    assert adjoint(w) == 1.0


@needs_widget
@pytest.mark.parametrize(
    "rule, slope",
    [("custom", 1.0), ("derived", "nan"), ("straight-through", 1.0), ("reversed", "nan"), ("clipped", "nan")],
)
def test_the_rules(rule, slope):
    w = viz.play(log1pexp, x=(50, 150))
    w.rule = rule
    assert adjoint(w) == slope and w.error == ""


@needs_widget
def test_clipped_and_reversed_start_from_the_derived_gradient():
    w = viz.play(lambda x: x * x * x, x=(1, 3))
    assert w.rule == "derived" and "custom" not in w.controls["rules"] and adjoint(w) == 12.0
    w.rule = "clipped"
    assert adjoint(w) == 1.0
    w.rule = "reversed"
    assert adjoint(w) == -12.0


@needs_widget
def test_a_rule_from_a_cell_joins_the_menu_and_can_be_rewritten():
    w = viz.play(lambda x, w: x * w, x=(0, 2), w=3.0)

    @w.rule_of
    def mine(dy, x, w):
        return dy * 7.0, dy * 8.0

    assert w.rule == "mine" and w.controls["rules"][-1] == "mine" and (adjoint(w), adjoint(w, "w")) == (7.0, 8.0)

    def rewritten(dy, x, w):
        return dy, dy * 9.0

    rewritten.__name__ = "mine"
    w.rule_of(rewritten)
    assert (adjoint(w), adjoint(w, "w")) == (1.0, 9.0)


@needs_widget
def test_a_rule_that_fails_is_told_in_the_widget_and_the_picture_stays():
    w = viz.play(lambda x: x * x, x=(1, 3), rules={"broken": lambda dy, x: 1 / 0})
    before = w.view
    w.rule = "broken"
    assert w.error == "ZeroDivisionError: division by zero" and w.view == before
    w.rule = "nonsense"
    assert w.error.startswith("ValueError: rule must be one of derived, straight-through")
    w.rule = "derived"
    assert w.error == ""


@needs_widget
def test_derived_ignores_a_custom_gradient_inside_too():
    w = viz.play(lambda x: log1pexp(x) * 2.0, x=(50, 150), rule="derived")
    assert adjoint(w) == "nan" and all(step.rule == "derived" for step in w.trace.steps)


@needs_widget
def test_the_places_stay_while_the_numbers_change():
    w = viz.play(lambda x, w: mg.tanh(x * w), x=(0.1, 0.9), w=0.5)
    lanes = []
    for x in (0.1234, 0.8765):
        w.x = x
        (lane,) = w.shown._lanes
        lane.drawn(0)
        lanes.append(lane)
    assert lanes[0] is not lanes[1] and lanes[0].scene.boxes == lanes[1].scene.boxes


@needs_widget
def test_step_stop_and_arrays():
    w = viz.play(lambda x, a: mg.sum(a * x), x=(0, 2), a=np.ones((2, 3)))
    assert w.step == w.trace.steps[-1].i and w.stop == len(w.view["lanes"][0]["stops"]) - 1
    assert [s["name"] for s in w.controls["inputs"]] == ["x"]


@needs_widget
def test_it_is_linked_like_any_widget():
    ipywidgets = pytest.importorskip("ipywidgets")
    w = viz.play(lambda x: x * x, x=(0, 4))
    slider = ipywidgets.FloatSlider(min=0, max=4)
    ipywidgets.link((slider, "value"), (w, "x"))
    slider.value = 3.0
    assert w.x == 3.0 and adjoint(w) == 6.0
    ipywidgets.interactive(lambda x: setattr(w, "x", x), x=1.0)
    assert ipywidgets.jslink((slider, "value"), (w, "x")) is not None


@needs_widget
def test_a_notebook_saves_the_view_below_the_widget(monkeypatch):
    outputs = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: outputs.append(data))
    w = viz.play(lambda x: x * x, x=(0, 4))
    w.x = 3.0
    w._ipython_display_()
    live, saved = outputs
    assert set(live) == {"application/vnd.jupyter.widget-view+json", "text/plain"}
    assert w.saved in saved["text/html"] and "<img style=" in saved["text/html"]
    assert saved["text/plain"] == w.shown.to_text() and "= 3 (3 -> 6)" in w.shown.to_text()


def test_without_anywidget_the_view_is_shown_and_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    for module in ("viz.hosts.widget", "viz.views.play_widget"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    view = viz.play(lambda x: x * x, x=(0, 4))
    assert isinstance(view, viz.View) and view.trace.nodes[0].value == 2.0
    for text in (view.to_text(), view.to_html()):
        assert "minigrad-kit[lab]" in text


@pytest.mark.parametrize(
    "wrong, error, words",
    [
        (lambda: viz.play(3.0), TypeError, r"play takes a function.*play\(f, x=\(-5, 5\)\)"),
        (lambda: viz.play(lambda x: None, x=1.0), TypeError, "must return a Tensor, got None"),
        (lambda: viz.play(lambda x: x, x=(2, 1)), ValueError, "from a smaller to a larger"),
        (lambda: viz.play(lambda x: x, x=np.nan), ValueError, "x is where a slider starts and must be finite, got nan"),
        (lambda: viz.play(lambda x: x, x=(2, "b")), TypeError, "pair of numbers"),
        (lambda: viz.play(lambda x: x * x, x=(1, 2), rule="custom"), ValueError, "rule must be one of derived"),
        (lambda: viz.play(lambda x: x * x, x=(1, 2), dtype="int8"), ValueError, "dtype must be one of float16"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()


@needs_widget
@pytest.mark.filterwarnings("error:::viz")
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    "f, more, rules",
    [
        (lambda x: mg.cos(mg.sqrt(x)) / x, {}, ["derived", "straight-through", "reversed", "clipped"]),
        (log1pexp, {}, ["custom", "derived"]),
        (lambda x, n: x**n + n / x, {"n": 3}, ["derived", "straight-through", "reversed", "clipped"]),
        (lambda x, m: mg.sum(mg.where(m, x, 1 / x)), {"m": np.array([True, False])}, ["reversed", "clipped"]),
    ],
)
def test_extreme_numbers_are_drawn_without_a_warning(dtype, f, more, rules):
    w = viz.play(f, x=1.0, dtype=dtype, **more)
    for rule in rules:
        w.rule = rule
        for x in (0.0, -0.0, np.inf, -np.inf, np.nan, 1e-320, 1e308, -1e308, 65504.0, 65520.0, 3.5e38, 2.0**53):
            w.x = float(x)
            with np.errstate(over="ignore"):
                drawn, want = w.trace.nodes[0].value, np.float64(x).astype(dtype)
            assert w.error == ""
            assert drawn == str(want) if not np.isfinite(want) else drawn == want
            json.dumps(w.view, allow_nan=False)


@needs_widget
@pytest.mark.filterwarnings("error:::viz")
@pytest.mark.parametrize(
    "given, low, high, start",
    [
        (1e308, -1e308, np.finfo(float).max, 1e308),
        (-1e308, -np.finfo(float).max, 1e308, -1e308),
        (5e-324, -5e-324, 1.5e-323, 5e-324),
        (-0.0, -1.0, 1.0, 0.0),
        ((-1e308, 1e308), -1e308, 1e308, 0.0),
        ((0, 5e-324), 0.0, 5e-324, 0.0),
        ((1.0, 1.0000000000000002), 1.0, 1.0000000000000002, 1.0),
    ],
)
def test_the_range_of_a_slider_may_be_as_large_and_as_small_as_floats(given, low, high, start):
    w = viz.play(lambda x: x * 2.0, x=given, dtype="float64")
    (slider,) = w.controls["inputs"]
    assert (slider["min"], slider["max"], w.x) == (low, high, start) and 0 < slider["step"] < np.inf
    assert not np.signbit(w.x) or start < 0


@needs_widget
def test_there_is_one_zero_as_a_trait_cannot_tell_two():
    w = viz.play(lambda x: 1 / x, x=(-1.0, 2.0))
    for zeros in ((0.0, -0.0), (-0.0, 0.0)):
        w.x = 1.0
        for zero in zeros:
            w.x = zero
            assert w.trace.nodes[-1].value == "inf"


@needs_widget
def test_a_name_that_the_widget_needs_is_refused():
    with pytest.raises(ValueError, match="a slider cannot be called view"):
        viz.play(lambda view: view * view, view=(0, 1))


def test_the_picture_that_is_saved_below_the_sliders_can_be_changed_without_a_kernel():
    w = viz.play(lambda x, w: mg.exp(x * w), x=(-2.0, 2.0), w=0.5)
    assert "drag" in w.shown.data()[0]["lanes"][0]


@needs_widget
def test_what_the_page_follows_is_not_drawn_again_and_still_known_in_python():
    w = viz.play(lambda x, w: mg.exp(x * w), x=(-2.0, 2.0), w=0.5)
    view = w.view
    assert "drag" in view["lanes"][0]
    w.set_state({"follows": True, "x": 1.5})
    assert w.view is view and adjoint(w) == np.float32(0.5 * np.exp(np.float32(0.75)))
    w.set_state({"w": 1.0})
    w.set_state({"follows": False})  # the page did not follow this one
    assert w.view is not view and not w.follows and graph(w)["nodes"][0]["value"] == "1.5"
    view = w.view
    w.x = 1.0
    assert w.view is not view and adjoint(w) == np.exp(np.float32(1))
    view = w.view
    w.set_state({"follows": True})  # a page shows it, and is moved by Python from now on
    sent = []
    w.send_state = lambda key=None: sent.append(key)
    w.x = 0.5
    assert w.view is view and sent == ["x"] and adjoint(w) == np.exp(np.float32(0.5))
    w.set_state({"follows": False, "x": 2.0})  # the page does not follow where somebody moved it
    assert w.view is not view and graph(w)["nodes"][0]["value"] == "2"


@needs_widget
def test_what_a_page_cannot_follow_is_drawn_by_python():
    w = viz.play(lambda x: mg.sum((y := mg.stack([x, x * x]))[y > -1]), x=(0.0, 4.0))
    assert "drag" not in w.view["lanes"][0]
    w.x = 3.0
    assert adjoint(w) == 7.0
