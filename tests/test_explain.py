"""Why a gradient is None: the reason, the place, and never a wrong one."""

import numpy as np
import pytest

import minigrad as mg
import minigrad.lines


@pytest.fixture(autouse=True)
def lines():
    mg.lines.remember_lines()
    yield
    mg.lines.remember_lines(False)


def reason(y, x):
    e = mg.explain_none(y, x)
    assert bool(e) == (mg.gradients(y, x) == [None])
    return e.reason


def test_each_reason_has_its_place():
    x = mg.constant(2.0)
    assert reason(x * x, x) == "connected"
    cut = mg.stop_gradient(x * 3.0)
    assert reason(cut * 2.0, x) == "cut"
    said = mg.explain_none(cut * 2.0, x)
    assert (said.op, said.line.text) == ("stop_gradient", "cut = mg.stop_gradient(x * 3.0)")
    assert "stop_gradient" in str(said)
    assert mg.explain_none(mg.round(x) * 1.0, x).op == "round"
    assert reason(mg.constant(3) * x, mg.constant(3)) == "integer dtype"
    assert reason(x > 1.0, x) == "integer dtype"
    assert reason(mg.constant(1.0) * 2.0, mg.constant(5.0)) == "made later"
    z = mg.constant(5.0)
    assert reason(mg.constant(1.0) * 2.0, z) == "no path"
    assert reason(mg.constant(5.0) * 2.0, z) == "copy"


def test_a_value_that_left_the_graph_is_found_with_its_line():
    x = mg.constant(2.0)
    h = x * x
    y = mg.constant(h.numpy() + 1.0) * 2.0  # here
    said = mg.explain_none(y, x)
    assert said.reason == "left the graph"
    assert said.line.text == "y = mg.constant(h.numpy() + 1.0) * 2.0  # here"
    assert "multiply" in str(said)
    assert mg.explain_none(mg.constant(np.sin(float(x))), x).reason == "left the graph"


def test_a_captured_tensor_and_a_rule_that_answers_none():
    k, x = mg.constant(3.0), mg.constant(2.0)

    @mg.custom_gradient
    def scaled(x):
        return k * x, lambda dy: dy * k

    assert reason(scaled(x), k) == "captured"
    assert "scaled" in str(mg.explain_none(scaled(x), k))

    @mg.custom_gradient
    def silent(x):
        def no_slope(dy):
            return None

        return x * 2.0, no_slope

    y = silent(x * 1.0)
    assert reason(y, x) == "rule returned None"
    assert "no_slope (test_explain.py:" in str(mg.explain_none(y, x))


def test_a_gradient_that_is_constant_has_a_second_derivative_of_none():
    @mg.custom_gradient
    def five(x):
        return x * 1.0, lambda dy: dy * 5.0

    x = mg.constant(1.0)
    (d,) = mg.gradients(five(x), x)
    assert reason(d, x) in ("no path", "made later", "copy")


def test_reasons_that_lie_in_a_tape():
    x, z = mg.constant(2.0), mg.constant(3.0)
    w, frozen = mg.Variable(1.0), mg.Variable(1.0, name="frozen", trainable=False)
    early = z * 2.0
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(z)
        y = x * z * w * frozen
        with tape.stop_recording():
            paused = z * 5.0

    def why(target, source):
        said = mg.explain_none(target, source, tape)
        assert bool(said) == (tape.gradient(target, source) is None)
        return said.reason

    assert why(y, z) == why(y, w) == "connected"
    assert why(y, x) == "unwatched constant"
    assert "tape.watch(x)" in str(mg.explain_none(y, x, tape))
    assert why(y, frozen) == "untrainable"
    assert "frozen" in str(mg.explain_none(y, frozen, tape))
    assert why(paused, z) == why(early, z) == "not recorded"


def test_what_is_not_a_tensor_is_named():
    with pytest.raises(TypeError, match="x must be a Tensor, got 3"):
        mg.explain_none(mg.constant(1.0), 3)
