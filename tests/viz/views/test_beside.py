"""viz.beside: pictures of several passes at one scale, so that sizes can be compared."""

import re

import pytest

import minigrad as mg
import viz

X = mg.constant(0.5)


def chain(count):
    y = X
    for _ in range(count):
        y = mg.sin(y)
    return viz.backward(y, fold="none", names={"x": X})


def test_at_one_scale_a_long_pass_is_as_much_longer_as_it_has_more_boxes():
    view = viz.beside(chain(60), chain(1), names=["60 ops", "1 op"])
    (wide, long), (_, short) = view.sizes
    assert 25 < (long - 16) / (short - 16) < 61  # it goes down, and of each op there are a box and a gap
    assert len({*view.scales}) == 1 and view.scales[0] * long < 640 and wide < 900
    drawn = view.to_svg()
    assert re.findall(r"scale\(([\d.]+)\)", drawn) == [f"{view.scales[0]:.4g}"] * 2
    assert ">60 ops<" in drawn and ">1 op<" in drawn
    assert view.summary.startswith("60 ops has 61 boxes and 60 messages") and view.summary.endswith(" at one scale.")


def test_short_passes_go_to_the_right_and_each_may_have_its_own_scale():
    wide, narrow = viz.beside(chain(6), chain(1)).sizes
    assert wide[0] > 3 * narrow[0] and wide[1] == narrow[1]
    view = viz.beside(chain(6), chain(1), scale="own")
    assert view.scales[0] < view.scales[1] == 1.0 and "at one scale" not in view.summary


def test_what_ran_inside_a_function_with_a_rule_is_left_out():
    @mg.custom_gradient
    def deep(x):
        y = x
        for _ in range(30):
            y = mg.sin(y)
        return y, lambda upstream: upstream

    both = viz.beside(viz.backward(deep(X)), chain(1), names=["the rule", "an op"])
    assert both.sizes[0] == both.sizes[1] and "the rule has 2 boxes and 1 message" in both.summary


def test_forms(tmp_path):
    view = viz.beside(chain(2), chain(1))
    assert "x += " in view.to_text() and view.to_text().count("Backward pass of sin") == 4
    assert view.to_html(tmp_path / "both.html").count("<img") == 2  # they wrap on a phone
    assert "prefers-color-scheme:dark" in view._repr_mimebundle_()["text/html"]
    assert view.to_png(tmp_path / "both.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: viz.beside(chain(1)), ValueError, "two views or more, got 1"),
        (lambda: viz.beside(chain(1), 3.0), TypeError, "got 3.0 of type float"),
        (lambda: viz.beside(chain(1), chain(2), scale="half"), ValueError, '"same" or "own", got \'half\''),
        (lambda: viz.beside(chain(1), chain(2), names=["a"]), ValueError, "each of the 2 views, got ['a']"),
        (lambda: viz.beside(chain(1), viz.backward(mg.sin(X), predict=True)), ValueError, "ask no question"),
        (lambda: viz.beside(chain(1), viz.compare(mg.sin, mg.cos, 1.0)), ValueError, "views that show one pass"),
    ],
)
def test_other_arguments_are_refused_with_what_to_write(call, error, words):
    with pytest.raises(error) as raised:
        call()
    assert words in str(raised.value)
