"""Wrong calls to the views: the sentence names the argument given and what to write instead."""

import math

import pytest

import minigrad as mg
import viz


def line(x, w):
    return x * w


def product(*xs):
    return xs[0] * xs[1]


@mg.custom_gradient
def cube(x):
    return x**3, lambda dy: dy * 3 * x**2


@pytest.mark.parametrize("view", [viz.backward, viz.forward, viz.trace_nan, viz.source, viz.play])
def test_a_missing_input_is_named_with_a_call_that_works(view):
    name = view.__name__
    words = rf"^{name} cannot call line with these arguments: .*'w'; write viz\.{name}\(line, x=1\.0, w=1\.0\)$"
    with pytest.raises(TypeError, match=words):
        view(line, x=1.0)
    view(line, x=1.0, w=1.0)


@pytest.mark.parametrize("view", [viz.backward, viz.compare, viz.source])
def test_inputs_that_a_function_collects_have_their_names(view):
    def collects(x, **rest):
        return x * mg.exp(rest["w"])

    modes = [{}, {"mode": "rule"}] if view is viz.backward else [{}]
    for mode in modes:
        shown = view(collects, 2.0, w=0.5, **mode)
        assert [node.name for node in shown.trace.nodes if node.kind == "leaf"] == ["x", "w"]
    assert viz.nudge(collects, 2.0, w=0.5).to_text() == viz.nudge(lambda x, w: x * mg.exp(w), 2.0, w=0.5).to_text()
    with pytest.raises(TypeError, match=r"\*xs gives none; write lambda xs0, xs1: product\(xs0, xs1\)$"):
        view(product, 2.0, 3.0)


@pytest.mark.parametrize(
    "wrong, words",
    [
        (
            lambda: viz.backward(line, x=1.0, v=1.0),
            r"'w'; write viz\.backward\(line, x=1\.0, w=1\.0\)$",
        ),
        (lambda: viz.backward(lambda x: x, y=1.0), r"backward cannot call f .*; write viz\.backward\(f, x=1\.0\)$"),
        (lambda: viz.curves(cube, y=(1, 2)), r"curves cannot call cube .*; write viz\.curves\(cube, x=1\.0\)$"),
        (lambda: viz.curves(math.exp, x=(1, 2)), r"write lambda x: exp\(x\) instead of exp$"),
        (lambda: viz.compare(cube), r"compare cannot call cube .*; write viz\.compare\(cube, x=1\.0\)$"),
        (lambda: viz.compare(line, line), r"write viz\.compare\(line, line, x=1\.0, w=1\.0\)$"),
        (lambda: viz.compare(1.0, cube), r"as in compare\(f, 100\.0\).*; got 1\.0$"),
        (lambda: viz.backward(cube, x="2"), "^the input x cannot be converted to a Tensor: .* got the string '2'; "),
        (lambda: viz.curves(cube, x=(1, 2), dtype="flaot32"), "^curves takes dtype float16, .* got 'flaot32'$"),
        (lambda: viz.steps(cube, x=1.0, dtypes=("int32",)), "^steps takes dtypes float16, .* got 'int32'$"),
        (lambda: viz.compare(line, 1.0), "missing a required argument: 'w'; write viz.compare"),
        (lambda: viz.compare(1.0), "two functions, as in compare.*; got 1.0$"),
        (lambda: viz.backward(lambda x: (x, x * 2), x=1.0), "must return a Tensor, got a tuple of 2. Pick one"),
        (
            lambda: viz.backward(mg.constant(1.0), names=["x"]),
            r"names must be a dict of Tensors by name, .*got \['x'\]$",
        ),
        (lambda: viz.play(cube, x=1.0, rules=[cube]), r'^rules is a dict of functions by name, as in rules=\{"half"'),
        (lambda: viz.matrices(yours=None, true=1), "^matrices takes yours as an array of numbers, got None$"),
    ],
)
def test_a_wrong_call_says_what_to_write(wrong, words):
    with pytest.raises(TypeError, match=words):
        wrong()


VIEWS = {
    "backward": viz.backward,
    "forward": viz.forward,
    "trace_nan": viz.trace_nan,
    "source": viz.source,
    "play": viz.play,
    "compare": lambda f, **given: viz.compare(f, f, **given),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("former", ["layout", "rankdir"])
def test_an_option_that_became_flow_is_answered_with_flow(view, former):
    with pytest.raises(TypeError, match=f'^{view} has no {former}: .* write flow="down" or flow="right"'):
        VIEWS[view](line, x=1.0, w=1.0, **{former: "TB"})
    with pytest.raises(ValueError, match=r'^flow must be "auto", "right" .* or "down", got .TB.$'):
        VIEWS[view](line, x=1.0, w=1.0, flow="TB")


def test_an_input_may_be_called_as_an_option_was():
    assert viz.backward(lambda layout: mg.exp(layout), layout=1.0).trace.nodes[0].name == "layout"
    with pytest.raises(TypeError, match="backward has no layout"):
        viz.backward(mg.constant(1.0), layout="dot")


def test_ints_alone_have_no_gradient_and_the_view_says_so():
    view = viz.backward(lambda x: mg.exp(x), x=2)
    assert view.note == (
        "No gradient reaches x: x has dtype int32; only floats have gradients, so write astype(x, 'float32')."
    )
    assert view.note in view.to_text() and view.note in view.to_html().replace("&#x27;", "'")
    assert viz.backward(lambda x, k: mg.exp(x) * k, x=2.0, k=3).note == ""


def test_one_dtype_of_steps_needs_no_tuple():
    assert set(viz.steps(math.exp, x=1.0, dtypes="float32").errors) == {("float32", "forward"), ("float32", "central")}


def test_curves_call_the_argument_by_its_name():
    figure = viz.curves(lambda t: mg.exp(t), t=(0, 100))
    assert "value is inf from t = 88.72 to 100" in figure.summary
    assert figure.to_text().splitlines()[1].split()[0] == "t"
