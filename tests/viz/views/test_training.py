"""images, history, layers, units: what is drawn and said about a training run; retrain: it runs after each change."""

import numpy as np
import pytest

import minigrad as mg
import viz


def test_images_are_squares_or_of_the_given_shape_on_one_scale():
    view = viz.images([[0.0, 4.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]], titles=["a", "b"], columns=1)
    drawn = [axes.images[0] for axes in view.figure.axes]
    assert [image.get_array().shape for image in drawn] == [(2, 2)] * 2
    assert {image.get_clim() for image in drawn} == {(0.0, 4.0)}
    assert viz.images(mg.constant([[-1.0, 3.0, 0.0]]), shape=(1, 3)).figure.axes[0].images[0].get_clim() == (-3.0, 3.0)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: viz.images(np.ones((2, 7))), ValueError, "write shape=(height, width)"),
        (lambda: viz.images(np.ones((2, 4)), titles=["a"]), ValueError, "2 images and 1 titles"),
        (lambda: viz.images(np.ones((401, 4))), ValueError, "up to 400 images, got 401"),
        (lambda: viz.images("abc"), TypeError, "takes rows as an array of numbers"),
        (lambda: viz.history([1.0, 2.0]), TypeError, 'viz.history({"loss": losses})'),
        (lambda: viz.history({"loss": []}), ValueError, "no numbers for 'loss'"),
        (lambda: viz.history({"loss": [1.0]}, smooth=0), ValueError, "1 or more, got 0"),
        (lambda: viz.history({"a": [1.0, 2.0]}, along=("k", [0])), ValueError, "2 numbers for 'a' and 1 for 'k'"),
        (lambda: viz.layers({}), ValueError, "as mg.grad returns it"),
        (lambda: viz.layers([np.ones(2)], what="mean"), ValueError, "one of rms, max, norm, got 'mean'"),
        (lambda: viz.units(np.ones(3)), ValueError, "shape (examples, units), got (3,)"),
        (lambda: viz.retrain(lambda rate: "", rate=1.0), TypeError, "rate=(0.01, 1.0)"),
        (lambda: viz.retrain(lambda k: "", k=[1, 2], show=[{"depth": 1}]), ValueError, "which is not a setting"),
        (
            lambda: viz.retrain(lambda rate: "", rate=(1.0, 0.1)),
            ValueError,
            "the range of rate must go from low to high",
        ),
    ],
)
def test_other_arguments_are_refused_with_what_to_write(call, error, words):
    with pytest.raises(error) as raised:
        call()
    assert words in str(raised.value)


def test_a_history_says_where_it_begins_and_ends_and_where_it_breaks():
    view = viz.history({"loss": [4.0, 2.0, 3.0]}, smooth=2)
    assert view.smoothed["loss"].tolist() == [4.0, 3.0, 2.5]
    assert "from 4 to 2.5 in 3 steps" in view.summary
    assert viz.history({"loss": [1.0, np.nan, 2.0]}).summary == "loss: nan at step 1."


def test_numbers_that_belong_to_others_than_steps_are_drawn_and_told_there():
    view = viz.history({"reads": [0.1, 0.9, 0.5]}, along=("k", [-24, 0, 19]))
    assert view.summary == "reads: 0.1 at k -24, 0.5 at k 19, least 0.1 at k -24."
    (axes,) = view.figure.axes
    assert axes.lines[0].get_xdata().tolist() == [-24, 0, 19] and axes.get_xlabel() == "k"
    assert [line.split() for line in str(view).splitlines()[1:]][1] == ["-24", "0.1"]
    broken = viz.history({"reads": [0.1, np.inf]}, along=("k", [-24, 19]))
    assert broken.summary == "reads: inf at k 19."


@pytest.mark.parametrize(("what", "size"), [("rms", 2.5**0.5), ("max", 2.0), ("norm", 5**0.5)])
def test_the_size_of_a_gradient(what, size):
    view = viz.layers({"w": np.array([1.0, -2.0]), "b": None, "c": np.zeros(2)}, what=what)
    assert view.sizes["['w']"] == pytest.approx(size)
    assert view.sizes["['b']"] is None and view.sizes["['c']"] == 0.0
    assert "There is none at ['b'], ['c']." in view.summary


def test_silent_units_come_last():
    view = viz.units([[0.0, -1.0, 5.0, 2.0**-30], [0.0, 1.0, 0.0, 0.0]], silent=1e-6)
    assert view.silent == [0, 3]
    assert view.figure.axes[0].images[0].get_array()[0].tolist() == [5.0, -1.0, 2.0**-30, 0.0]


def test_a_training_runs_again_at_each_change_and_its_errors_are_shown():
    runs = []

    def train(rate, kind, steps):
        runs.append((rate, kind, steps))
        if kind == "broken":
            raise ValueError("no such <kind>")
        return [viz.history({"loss": [rate, rate / 2]}), "done"]

    widget = viz.retrain(train, rate=(0.01, 1.0), kind=["tanh", "broken"], steps=5)
    assert runs == [(pytest.approx(0.1), "tanh", 5)]
    assert "from 0.1 to 0.05" in widget.shown.value and "done" in widget.shown.value
    widget.controls["rate"].value = 1.0
    assert runs[-1] == (1.0, "tanh", 5) and "from 1 to 0.5" in widget.shown.value
    widget.controls["kind"].value = "broken"
    assert "ValueError: no such &lt;kind&gt;" in widget.shown.value
    widget.controls["kind"].value = "tanh"
    assert "from 1 to 0.5" in widget.shown.value and len(runs) == 4


def test_some_runs_are_saved_below_the_sliders_and_hidden_while_these_live(monkeypatch, tmp_path):
    shown, runs = [], []
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw: shown.append(bundle))

    def train(rate, kind):
        runs.append((rate, kind))
        if kind == "<odd>":
            raise ValueError("no such kind")
        return [viz.history({"loss": [rate, rate / 2]}), "done & over"]

    kinds = ["tanh", "<odd>"]
    widget = viz.retrain(train, rate=(0.0, 1.0), kind=kinds, show=[{"rate": 0.25}, {"kind": "<odd>"}])
    assert runs == [(0.5, "tanh")]  # the others are run when they are needed, once
    widget._ipython_display_()
    widget._ipython_display_()
    assert len(runs) == 4
    live, saved = shown[:2]
    assert "application/vnd.jupyter.widget-view+json" in live and "text/html" not in live
    html, text = saved["text/html"], saved["text/plain"]
    assert f'data-saved="{widget.mark}"' in html and f"[data-saved='{widget.mark}']" in widget.shown.value
    lines = ["rate = 0.5, kind = tanh", "rate = 0.25, kind = tanh", "rate = 0.5, kind = <odd>"]
    assert [block.splitlines()[0] for block in text.split("\n\n")] == lines
    assert "loss: from 0.25 to 0.125" in text and "ValueError: no such kind" in text
    assert html.count("<details open><summary>rate") == 1 and html.count("<img") == 2
    assert "kind = &lt;odd&gt;</summary>" in html and "done &amp; over" in html
    assert "seconds" not in html and "seconds" not in text  # a saved cell says the same on every computer
    written = widget.to_html(tmp_path / "runs.html")
    assert written.startswith("<!doctype html>") and widget.to_html() in written
    assert (tmp_path / "runs.html").read_text(encoding="utf-8") == written and "<title>Runs of train</title>" in written


@pytest.mark.parametrize(
    "sizes, ends",
    [([2.0, 0.2], (0.1, 10)), ([3e-4, 20.0], (1e-4, 100)), ([70.0, 7.0], (1, 100)), ([1.0, 0.05], (0.01, 1))],
)
def test_the_axis_of_layers_is_of_whole_powers_of_ten_and_the_least_bar_is_seen(sizes, ends):
    (axes,) = viz.layers([np.array([size]) for size in sizes]).figure.axes
    assert axes.get_xlim() == pytest.approx(ends)
    assert axes.get_xlim()[0] < min(sizes)


@pytest.mark.parametrize("sizes", [[0.5, 0.2], [1.0], [7.0, 7.0], [0.0, 0.3, 0.1]])
def test_bars_within_a_factor_of_ten_begin_at_0_so_their_lengths_compare(sizes):
    (axes,) = viz.layers([np.array([size]) for size in sizes]).figure.axes
    assert axes.get_xscale() == "linear" and axes.get_xlim()[0] == 0


def test_positive_numbers_are_blue_in_images_and_units_as_in_every_picture():
    for view in (viz.images(np.array([[1.0, -1.0, 0.0, 0.5]])), viz.units([[1.0, -1.0]])):
        image = view.figure.axes[0].images[0]
        red, _, blue, _ = image.to_rgba(np.array([[1.0, -1.0]]))[0].T
        assert blue[0] > red[0] and red[1] > blue[1]
