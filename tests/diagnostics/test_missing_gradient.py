"""Why a gradient is None: the reason, the place, and never a wrong one."""

import warnings

import numpy as np
import pytest

import minigrad as mg
from minigrad.tracing.user_lines import remember_lines


@pytest.fixture(autouse=True)
def lines():
    remember_lines()
    yield
    remember_lines(False)


def reason(y, x):
    e = mg.explain_none(y, x)
    with warnings.catch_warnings():
        if e.reason == "rule returned None":
            warnings.simplefilter("ignore")  # `gradients` says so as well
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
    with pytest.warns(UserWarning, match="xs has dtype int32"):
        assert reason(mg.constant(3) * x, mg.constant(3)) == "integer dtype"
    with pytest.warns(UserWarning, match="ys has dtype bool"):
        assert reason(x > 1.0, x) == "cut"
    with pytest.warns(UserWarning, match="ys has dtype int64"):
        assert reason(mg.argmax(mg.stack([x, x])) * 2 + 1, x) == "cut"
    whole = mg.astype(x, "int32") * 2
    assert str(mg.explain_none(whole + 1, x)).startswith("the connection ends at astype, which returns int32")
    assert mg.explain_none(mg.where(x > 1.0, 3.0, 4.0), x).op == "greater"
    with pytest.warns(UserWarning, match="ys has dtype int32"):
        assert reason(mg.constant(3) * 2, x) == "no path"
    assert reason(mg.constant(1.0) * 2.0, mg.constant(5.0)) == "made later"
    z = mg.constant(5.0)
    assert reason(mg.constant(1.0) * 2.0, z) == "no path"
    assert reason(mg.constant(5.0) * 2.0, z) == "copy"


@pytest.mark.parametrize("x", [0.5, np.zeros(1), np.zeros((2, 3))])
def test_arrays_of_bools_and_integers_on_the_path_are_named_first(x):
    for f in (lambda x: mg.sum(x < 1.0) + 0.0, lambda x: mg.sum(mg.logical_not(x > 1.0)) * 2.0):
        with pytest.warns(UserWarning, match="the connection ends at (less|greater), which has no gradient"):
            slope = mg.grad(f)(x)
        assert not np.any(slope) and np.shape(slope) == np.shape(x)


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
    assert "no_slope (test_missing_gradient.py:" in str(mg.explain_none(y, x))


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


def test_the_sentence_calls_both_as_the_code_does():
    price, loss = mg.constant(2.0), mg.constant(5.0)
    assert str(mg.explain_none(price * price, price)) == "the gradient is not None: y depends on price"
    loss = mg.constant(7.0) * 1.0
    said = "loss was not made from price: no recorded op leads from one to the other"
    assert str(mg.explain_none(loss, price)) == said
    late = mg.constant(1.5)
    assert str(mg.explain_none(loss, late)) == "late was made after loss, which therefore cannot depend on it"
    with mg.GradientTape() as tape:
        cost = price * price
    said = str(mg.explain_none(cost, price, tape))
    assert said.startswith("the tape does not watch price; write tape.watch(price) before it is used (gradients(cost, ")
    count = mg.constant(3)
    assert str(mg.explain_none(loss, count)).startswith("count has dtype int32;")
    assert "astype(count, 'float32')" in str(mg.explain_none(loss, count))
    assert str(mg.explain_none(mg.constant(7.0) * 1.0, [price][0])).startswith("y was not made from price:")
    assert str(mg.explain_none(mg.constant(7.0) * 1.0, mg.constant(2.5))).startswith("x was made after y,")


def test_what_is_not_a_tensor_is_named():
    with pytest.raises(TypeError, match="x must be a Tensor, got 3"):
        mg.explain_none(mg.constant(1.0), 3)


def test_variables_are_called_by_their_names():
    x = mg.constant(2.0)
    w, frozen = mg.Variable(3.0, name="scale"), mg.Variable(5.0, name="offset", trainable=False)

    @mg.custom_gradient
    def f(x):
        def rule(dy, variables=None):
            return dy * w

        return x * frozen, rule

    y = f(x)
    assert reason(y, frozen) == "untrainable"
    assert str(mg.explain_none(y, frozen)).startswith(
        f"the variable {frozen.name} is captured by f (test_missing_gradient.py:"
    )
    assert "it is not trainable: make it so, or pass it as an argument" in str(mg.explain_none(y, frozen))
    assert reason(y, w) == "only in the rule"
    said = str(mg.explain_none(y, w))
    assert said.startswith(f"the variable {w.name} is used only by the rule rule (test_missing_gradient.py:")
    assert "the value of f (test_missing_gradient.py:" in said
    assert mg.explain_none(x * 1.0, w).sentence.startswith(f"y was not made from the variable {w.name}")
    assert f"the variable {w.name}" in str(mg.explain_none(mg.stop_gradient(w) * mg.stop_gradient(w), w)) + "".join(
        str(mg.explain_none(mg.constant(w.numpy() * 1.5), w))
    )


def test_parts_of_a_dict_are_called_as_in_the_code():
    a, b = mg.constant(1.0), mg.constant(2.0)

    @mg.custom_gradient
    def f(p):
        return p["a"] * p["b"], lambda dy: {"p": {"a": dy, "b": None}}

    y = f({"a": a, "b": b * 1.0})
    assert reason(y, b) == "rule returned None"
    assert "returned None for p['b'], which leads to b" in str(mg.explain_none(y, b))


def test_a_number_that_left_elsewhere_is_not_blamed():
    x = mg.constant(2.0)
    y = mg.constant(3.0) * 1.0
    x.item()
    assert reason(y, x) == "no path"
    assert reason(mg.astype(mg.astype(x, "int32"), "float32"), x) == "cut"
    assert "returns int32" in str(mg.explain_none(mg.astype(mg.astype(x, "int32"), "float32"), x))
