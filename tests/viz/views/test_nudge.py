"""`viz.nudge`: the nudge of an input stretches on its way to the result, by slopes that are those of the rules."""

import re
from xml.etree import ElementTree

import pytest

import minigrad as mg
import viz
from tests.helpers.node import run_js
from viz.scene.stretch import Stretched


def square_plus(x):
    s = x * x
    return s + x


@mg.custom_gradient
def rounded(x):
    return mg.sin(x), lambda upstream: 2.0 * upstream


@pytest.fixture(scope="module")
def views():
    return {
        "shared": viz.nudge(square_plus, x=3.0),
        "chain": viz.nudge(lambda x: mg.exp(mg.sin(2.0 * x)), x=0.4, by=0.4),
        "rule": viz.nudge(lambda x: rounded(x) * x, x=1.0),
        "inf": viz.nudge(lambda x: mg.log(1 + mg.exp(x)), 100.0),
    }


def test_the_text_has_the_nudge_at_each_number_and_the_gradients(views):
    assert str(views["shared"]) == (
        "x moves by +0.3, add by +2.19: 7.3 times as far. For a small nudge it is 7 times by the slopes: "
        "the gradient of x.\n\n"
        "name  value  moves by  by the slopes            gradient\n"
        "x     3      +0.3      0.3                      7\n"
        "s     9      +1.89     3 · 0.3 + 3 · 0.3 = 1.8  1\n"
        "add   12     +2.19     1 · 1.8 + 1 · 0.3 = 2.1  1\n\n"
        "Read backwards: add starts from 1, and each slope stretches the message: x gets 3 + 3 + 1 = 7."
    )


def test_another_argument_can_be_nudged():
    view = viz.nudge(lambda x, w: x * w, x=2.0, w=5.0, of="w", by=1.0)
    assert view.nudged.gradients == (2.0, 1.0) and str(view).startswith("w moves by +0.6, multiply by +1.2: 2 times")


@pytest.mark.parametrize("name", ["shared", "chain"])
def test_the_gradients_are_those_of_the_engine_and_a_small_nudge_comes_near(views, name):
    found = views[name].nudged
    x = mg.constant(found.values[0][found.middle])
    build = {"shared": square_plus, "chain": lambda x: mg.exp(mg.sin(2.0 * x))}[name]
    assert found.gradients[0] == pytest.approx(float(mg.gradients(build(x), x)[0].value), rel=1e-6)
    small = found.moves(len(found.nodes) - 1)[found.middle + 1] / found.nudges[found.middle + 1]
    assert small == pytest.approx(found.gradients[0], rel=0.05)


def test_a_tangent_touches_its_curve_and_that_of_a_wrong_rule_does_not(views):
    def apart(plot):
        (x0, y0), (x1, y1) = plot["tangent"]
        near = [(x, y) for x, y in plot["curve"] if abs(x - plot["at"][0]) < 0.1]
        return max(abs(y - (y0 + (y1 - y0) * (x - x0) / (x1 - x0))) for x, y in near)

    plots = {name: [p for card in view._data["cards"] for p in card["plots"]] for name, view in views.items()}
    assert max(map(apart, plots["shared"])) < 0.01
    assert apart(plots["rule"][0]) > 0.03
    assert [plot["bad"] for plot in plots["inf"]] == ["the value is inf"] * 3


def test_the_page_draws_what_python_draws(views):
    """Every nudge, forwards and backwards, across and down."""
    body = (
        "return data.cases.map(([at, back, room]) => { const s = new Stretched(data.data, at, back, room); "
        "return [s.wide, s.high, s.svg()]; })"
    )
    cases = [(at, back, room) for at in (0, 20, 33) for back in (False, True) for room in (0.0, 256.0, 340.0)]
    for view in views.values():
        made = [Stretched(view._data, *case) for case in cases]
        drawn = run_js(["scene", "stretch"], body, {"data": view._data, "cases": cases})
        assert drawn == [[s.wide, s.high, s.svg()] for s in made]


def test_no_label_of_a_slope_covers_another():
    """Of the arrows between two rows of boxes, at every nudge, each has one."""
    wide = [
        viz.nudge(lambda x, w: (x * w + mg.sin(x)) * (mg.exp(x) - x * 0.123456) / (1 + x * x), x=0.4321, w=-2.7182),
        viz.nudge(lambda x: mg.tanh(x * x * x - x) + mg.cos(x) * x + x / 3, x=1.2345),
    ]
    for view in wide:
        for at in range(34):
            for back in (False, True):
                drawn = Stretched(view._data, at, back, 256.0 + at)
                drawn.svg()
                assert len(drawn.labels) == len(view._data["arrows"])
                for k, (start, line, end) in enumerate(drawn.labels):
                    assert 0 <= start < end <= drawn.wide
                    for left, y, right in drawn.labels[:k]:
                        assert end <= left or right <= start or abs(y - line) >= 11


def test_the_picture_is_an_image_with_words_and_a_small_cell(views):
    for view in views.values():
        svg = ElementTree.fromstring(view.to_svg())
        assert svg.get("aria-label") == str(view).partition("\n")[0]
        assert len(view._repr_mimebundle_()["text/html"]) < 60_000
    thickness = [len(re.findall("class='rib", view.to_svg())) for view in views.values()]
    assert thickness == [4, 3, 3, 3]


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: viz.nudge(mg.constant(3.0)), TypeError, "nudge takes a function and its arguments"),
        (lambda: viz.nudge(square_plus, x=3.0, by=0), ValueError, "by as a number above 0, got 0"),
        (lambda: viz.nudge(square_plus, x=3.0, of="w"), ValueError, "the name of an argument, x, got 'w'"),
        (lambda: viz.nudge(square_plus, w=3.0), TypeError, "nudge cannot call square_plus"),
        (lambda: viz.nudge(mg.exp, [1.0, 2.0]), ValueError, "drawn for numbers; exp is an array|the input is an array"),
        (lambda: viz.nudge(lambda x, w: w * w, 1.0, 2.0), ValueError, "does not depend on the input"),
        (lambda: viz.nudge(lambda x: x * x * x * x * x * x * x * x * x * x * x * x * x * x, 1.0), ValueError, "12 ops"),
    ],
)
def test_what_cannot_be_nudged(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


def test_ops_are_called_what_the_picture_of_the_backward_pass_calls_them():
    def f(x, w):
        return mg.exp(x * w * 3.0) * (x + 2.0) * w

    names = viz.backward(f, 1.0, 2.0)._lanes[0].findings.names.values()
    assert {*viz.nudge(f, 1.0, 2.0).nudged.titles} < {*names}
