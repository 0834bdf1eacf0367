"""viz.backward: from the user's own code to a picture, with the user's own names."""

import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.tracing.trace_schema import BackwardTrace

outside = mg.constant(4.0)


def names(view):
    return {node.name for node in view.trace.nodes if node.kind == "leaf"}


def test_a_function_and_its_inputs_by_name():
    view = viz.backward(lambda x, w: mg.exp(x * w), x=2.0, w=0.5)
    assert names(view) == {"x", "w"}
    x = next(node for node in view.find("x") if node.name == "x")
    assert x.adjoint == pytest.approx(0.5 * np.exp(1.0), rel=1e-6)


def test_names_come_from_where_backward_is_called():
    weight, bias = mg.constant(2.0), mg.constant(1.0)
    z = weight * outside + bias
    view = viz.backward(z)
    assert names(view) == {"weight", "bias", "outside"}
    assert view.title == "Backward pass of z"


def test_names_can_be_given():
    hidden = [mg.constant(2.0)]
    assert names(viz.backward(hidden[0] * 3.0, names={"theta": hidden[0]})) == {"theta"}


def test_what_a_structure_holds_is_called_as_in_messages():
    p = {"w": mg.constant(2.0), "b": [mg.constant(5.0), mg.constant(1.0)]}
    p["again"] = p  # a cycle must not cause an endless search
    view = viz.backward(p["w"] * p["b"][0] + p["b"][1])
    assert names(view) == {"p['w']", "p['b'][0]", "p['b'][1]"}
    view = viz.backward(lambda p: p["w"] * p["b"], p={"w": 2.0, "b": 5.0})
    assert names(view) == {"p['w']", "p['b']"}
    assert list(view._lanes[0].findings.message_formulas.values()) == ["ḡ · p['b']", "ḡ · p['w']"]


def test_a_plain_name_comes_before_that_in_a_structure():
    w = mg.constant(2.0)
    everything = [w]
    view = viz.backward(everything[0] * 3.0)
    assert names(view) == {"w"}


def test_a_variable_with_a_name_is_called_that():
    w, u = mg.Variable(2.0, name="weights"), mg.Variable(1.0)
    view = viz.backward(w * u)
    assert names(view) == {"weights", "u"}
    assert names(viz.backward(w * u, names={"theta": w, "phi": u})) == {"theta", "phi"}


def test_an_unused_argument_is_drawn_without_lines():
    view = viz.backward(lambda x, w: x * x, x=3.0, w=0.5)
    w = next(node for node in view.trace.nodes if node.name == "w")
    assert view.point.endswith(
        "; w is not used. x is used 2 times, so its gradient is a sum: 3 + 3 = 6."
    ) and "w" not in str(view).removeprefix(view.point)
    for lane in (view._lanes[0], viz.forward(lambda x, w: x * x, x=3.0, w=0.5)._lanes[0]):
        svg, _ = lane.drawn(len(lane.moments) - 1)
        (box,) = re.findall(rf"<g class='n leaf[^']*' data-n='{w.id}'>.*?</g>", svg)
        assert ">w<" in box and "= 0.5" in box and "ḡ" not in box and len(re.findall("<path class='e", svg)) == 2
    assert view.data()[0]["lanes"][0]["cards"][w.id]["used"] == "no"
    assert BackwardTrace.from_json(view.to_json()) == view.trace
    compared = viz.compare(lambda x, w: x * x, lambda x, w: x * x * 2.0, 3.0, 0.5)
    assert compared.to_svg().count(">w<") == 2


def test_a_function_remembers_the_lines_of_its_code():
    def f(x):
        return mg.log(x)

    (log,) = viz.backward(f, x=2.0).find("log")
    assert log.line.text == "return mg.log(x)"


def test_importing_viz_remembers_the_lines_of_what_is_made_later():
    look = "print(viz.backward(y).trace.nodes[-1].line.no)"
    code = ("import minigrad as mg, viz", "x = mg.constant(1.0)", "y = mg.exp(x)", look)
    done = subprocess.run([sys.executable, "-c", "\n".join(code)], capture_output=True, text=True, check=True)
    assert done.stdout == "3\n"


def test_a_custom_rule_and_its_ghost_are_drawn():
    @mg.custom_gradient
    def log1pexp(x):
        e = mg.exp(x)
        return mg.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    view = viz.backward(log1pexp, x=100.0)
    assert view.trace.nodes[0].adjoint == 1.0
    assert "Replaced by the custom rule" in view.to_text()
    assert [serial.ghost for serial in view.origins] == [True]


def test_arrays_have_shapes():
    view = viz.backward(lambda a, b: (a @ b).sum(), a=np.ones((2, 3)), b=np.ones((3, 4)))
    assert "2×3" in view.to_svg() and "2×4" in view.to_svg()
    (b,) = view.find("b")
    assert "shape (3, 4)" in view.data()[0]["lanes"][0]["cards"][b.id]["value"], "a pill has no room for its shape"


@pytest.mark.parametrize(("flow", "along"), [("right", 0), ("down", 1)])
def test_the_result_stands_where_flow_says(flow, along):
    lane = viz.backward(lambda x: mg.exp(mg.tanh(x)), x=1.0, flow=flow)._lanes[0]
    lane.drawn(0)
    (x, exp), aside = (lane.scene.boxes[key] for key in ("n0", "n2")), 1 - along
    assert exp[along] > x[along] + x[along + 2]
    assert abs(exp[aside] + exp[aside + 2] / 2 - x[aside] - x[aside + 2] / 2) < 1


@pytest.mark.parametrize(
    "wrong, error, words",
    [
        (
            lambda: viz.backward(3.0),
            TypeError,
            r"backward takes a Tensor.*got 3\.0 of type float.*viz\.backward\(f, x=1\.0\)",
        ),
        (lambda: viz.backward(None), TypeError, "got None of type NoneType"),
        (lambda: viz.backward(lambda x: None, x=1.0), TypeError, "must return a Tensor, got None.*lack a return"),
        (lambda: viz.backward(lambda x: (x, x), x=1.0), TypeError, r"Pick one of its 2 results, as in .*f\(x\)\[0\]"),
        (lambda: viz.backward(lambda x: {"a": x}, x=1.0), TypeError, r"Pick one of its 1 results, .*f\(x\)\['a'\]"),
        (lambda: viz.backward(mg.constant(1.0), x=1.0), TypeError, r"viz\.backward\(f, x=\.\.\.\)"),
        (lambda: viz.backward(mg.constant(1.0), flow="up"), ValueError, 'flow must be "auto", "right".*, got \'up\''),
        (lambda: viz.backward(mg.constant(1.0), fold=3), TypeError, "fold must be"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()


def test_an_input_alone_is_a_picture_too():
    x = mg.constant(1.0)
    view = viz.backward(x)
    assert view.to_text() and view.to_svg() and view.to_html()


def test_an_output_without_a_path_to_an_input_says_so():
    view = viz.backward(mg.constant(3))
    assert view.trace.steps == () and "= 3" in view.to_svg()
    assert view.data()[0]["lanes"][0]["stops"][0][8].startswith("No backward pass")


def test_names_with_control_characters_are_drawn():
    x = mg.constant(1.0)
    view = viz.backward(mg.exp(x), names={"a\x01\x1fb": x})
    ElementTree.fromstring(view.to_svg())
    assert r">a\x01\x1fb<" in view.to_svg()


def test_the_sentence_of_a_picture_names_the_input():
    price, loss = mg.constant(2.0), mg.constant(5.0)
    view = viz.backward(mg.stop_gradient(price) * loss)
    assert "No gradient reaches price: the connection ends at stop_gradient" in view.note


def test_an_input_may_be_called_y():
    assert names(viz.backward(lambda y: mg.exp(y), y=1.0)) == {"y"}


def test_without_its_report_the_picture_still_opens_where_the_nan_is_born():
    x = mg.constant(100.0)
    y = mg.log(1 + mg.exp(x))
    full, bare = viz.backward(y), viz.backward(y, report=False)
    for said in ("softplus", "It was computed in"):
        assert said in full.to_html() and said not in bare.to_html() + bare.to_text()
    assert bare.data()[1] == full.data()[1] and bare.report.op == "exp"
