"""viz.compare: two lanes in the same places, and a judge."""

import json
import re

import numpy as np
import pytest

import minigrad as mg
import viz
from viz.model.verdicts import told_apart


@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + e))

    return mg.log(1 + e), grad


@mg.custom_gradient
def wrong(x, w):
    return x * w, lambda dy: (dy * 100.0, dy * x)


def plain(x):
    return mg.log(1 + mg.exp(x))


def stable(x):
    return mg.maximum(x, 0.0) + mg.log1p(mg.exp(-mg.abs(x)))


def test_derived_custom_and_finite_difference():
    (row,) = viz.compare(log1pexp, 100.0).rows
    assert (row.argument, row.first, row.second) == ("x", "nan", 1.0)
    assert row.difference == pytest.approx(1.0, abs=1e-6)
    assert row.verdict == "the custom rule repairs nan"


def test_each_argument_has_its_row():
    x, w = viz.compare(wrong, 2.0, w=3.0).rows
    assert x.verdict == "the custom rule gives another slope than the function has: 100 instead of 3"
    assert w.verdict == "both are right here"


def test_where_float64_ends_there_is_no_judge():
    (row,) = viz.compare(log1pexp, 1000.0).rows
    assert row.verdict.startswith("no reference: the function is not finite in float64 here")


def places(lane):
    """The middles of the boxes of a lane, by op or name."""
    lane.drawn(len(lane.moments) - 1, 900, 220)
    boxes = {node.id: lane.scene.boxes.get(f"n{node.id}") for node in lane.trace.nodes}
    return {
        node.name or node.op: (x + w / 2, y + h / 2)
        for node in lane.trace.nodes
        if boxes[node.id]
        for x, y, w, h in [boxes[node.id]]
    }


@pytest.mark.parametrize(("flow", "along"), [("right", 0), ("down", 1)])
def test_shared_nodes_stand_in_the_same_column(flow, along):
    derived, custom = map(places, viz.compare(log1pexp, 100.0, flow=flow)._lanes)
    assert {"x", "exp", "add", "log"} == derived.keys() < custom.keys()
    for name, place in derived.items():
        assert place[along] == pytest.approx(custom[name][along], abs=1)


def test_in_each_lane_a_chain_is_straight():
    derived, custom = map(places, viz.compare(log1pexp, 100.0)._lanes)
    assert len({round(y) for _, y in derived.values()}) == 1
    assert len({round(custom[name][1]) for name in ("exp", "add", "log")}) == 1


def test_a_lane_with_fewer_columns_leaves_the_room_of_the_others_free():
    def short(x):
        return mg.sin(x)

    def long(x):
        return mg.cos(mg.tanh(mg.sin(x)))

    first, second = map(places, viz.compare(short, long, 0.5)._lanes)
    assert first["x"][0] == second["x"][0] and first["sin"][0] == second["sin"][0] < second["tanh"][0]


def test_two_functions_side_by_side():
    view = viz.compare(plain, stable, 100.0)
    assert view.labels == ("plain", "stable")
    assert view.rows[0].verdict == "stable is right, not nan"
    assert [lane.name for lane in view._lanes] == ["plain", "stable"]


def test_the_table_is_html_with_scopes_and_text():
    view = viz.compare(log1pexp, 100.0)
    html = view.to_html()
    assert html.count('<th scope="col">') == 5 and '<th scope="row">x</th>' in html
    assert re.search(r"argument +derived +custom +finite difference +verdict\nx +nan +1 +1 ", view.to_text())
    assert view.step(1).rows == view.rows


def test_arrays_are_differenced_element_by_element():
    (row,) = viz.compare(log1pexp, np.array([-1.0, 0.0, 100.0], np.float32)).rows
    assert row.difference.sample == pytest.approx([0.26894142, 0.5, 1.0], abs=1e-5)
    assert row.verdict.startswith("the custom rule repairs")


def test_large_arrays_are_not_differenced():
    (row,) = viz.compare(log1pexp, np.ones(300, np.float32)).rows
    assert row.difference is None and row.verdict.startswith("not checked")


def sine(rule):
    return mg.custom_gradient(lambda x: (mg.sin(x), lambda dy: rule(dy, x)))


ONLY_ONE = "the custom rule is right only where the upstream gradient is 1: for "
ANOTHER = "the custom rule gives another slope than the function has: "


@pytest.mark.parametrize(
    "rule, x, verdict",
    [
        (lambda dy, x: dy * mg.cos(x), 1.0, "both are right here"),
        (lambda dy, x: mg.cos(x), 0.0, ONLY_ONE + "2 it gives 1 instead of 2"),
        (lambda dy, x: mg.flip(dy), np.zeros(2), ONLY_ONE + "[2 2.5] it gives 2.5 instead of 2 at x[0]"),
        (lambda dy, x: dy, 0.0, "the custom rule is right here, but at x = 0.5 it gives 1 instead of 0.8776"),
        (lambda dy, x: dy * np.array([1.0, 5.0, 6.0]), np.zeros(3), ANOTHER + "5 instead of 1 at x[1]"),
        (lambda dy, x: dy * (1e5 + 1000), 0.0, ANOTHER + "1.01e5 instead of 1"),
        (lambda dy, x: dy * mg.cos(x) * 1.003, 0.1, ANOTHER + "0.998 instead of 0.995"),
    ],
)
def test_a_rule_is_tried_with_other_upstreams_and_nearby_and_the_first_wrong_element_is_named(rule, x, verdict):
    assert viz.compare(sine(rule), x).rows[0].verdict == verdict


@pytest.mark.parametrize("got, texts", [(1.0021, ("1.002", "1")), (1.00004, ("1.00004", "1")), (1.0, ("1", "1"))])
def test_numbers_that_would_print_alike_get_more_digits(got, texts):
    assert told_apart(np.array(got), np.array(1.0), ()) == texts


def test_captured_variables_are_varied_and_hold_what_they_held():
    weights = mg.Variable([1.0, 1.0], name="weights")

    @mg.custom_gradient
    def linear_poly(x):
        def grad_fn(dpoly, variables):
            return dpoly * weights[1], [mg.reduce_sum(dpoly * mg.stack([x**1, x**0]), axis=1)]

        return weights[1] * x + weights[0], grad_fn

    view = viz.compare(linear_poly, [1.0, 2.0, 3.0])
    assert "mg-view" in view._repr_mimebundle_()["text/html"], "a Variable that was read before its rule ran is drawn"
    x, w = view.rows
    assert (x.argument, x.verdict) == ("x", "both are right here")
    assert (w.argument, w.verdict) == ("weights", ANOTHER + "6 instead of 3 at weights[0]")
    assert weights.value.tolist() == [1.0, 1.0] and weights.dtype == np.float32


def test_arguments_and_results_may_be_structures():
    @mg.custom_gradient
    def both(p):
        return (p["a"] * p["b"], p["a"] + p["b"]), lambda s, t: {"a": s * p["b"] + t, "b": s * p["a"]}

    a, b = viz.compare(both, {"a": 2.0, "b": 3.0}).rows
    assert (a.argument, a.second, a.verdict) == ("p['a']", 4.0, "both are right here")
    assert (b.argument, b.verdict) == ("p['b']", ANOTHER + "2 instead of 3")


def test_json_and_dot_hold_both_passes():
    view = viz.compare(log1pexp, 100.0)
    traces = json.loads(view.to_json())
    assert list(traces) == ["derived", "custom"]
    assert [len(trace["steps"]) for trace in traces.values()] == [len(lane.trace.steps) for lane in view._lanes]
    pytest.importorskip("graphviz")
    dot = view.to_dot()
    assert "cluster_0" in dot and "label=derived" in dot and "label=custom" in dot
    assert len(re.findall(r"^\s+\S+ \[label=", dot, re.M)) == sum(len(lane.trace.nodes) for lane in view._lanes)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: viz.compare(), "got nothing"),
        (lambda: viz.compare(plain), "compare cannot call plain with these arguments"),
        (lambda: viz.compare(3.0), r"compare\(f, 100\.0\)"),
        (lambda: viz.compare(log1pexp), "cannot call log1pexp with these arguments"),
        (lambda: viz.compare(plain, lambda x: None, 1.0), "must return a Tensor, got None"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_the_point_of_two_passes_claims_no_more_than_the_table():
    assert viz.compare(log1pexp, 100.0).point.endswith("The rule repairs the nan.")
    for x in ([100.0, 2.0], [[100.0, 2.0], [1.0, 1.0]]):
        assert "nan" in viz.compare(log1pexp, x).point
    wrong = mg.custom_gradient(lambda x: (mg.log(1 + mg.exp(x)), lambda dy: dy * 5.0))
    assert viz.compare(wrong, 100.0).point == (
        "Same value, two gradients: the derived pass sends nan, the rule 5. Both differ from the finite difference."
    )
    both = mg.custom_gradient(lambda x, w: (mg.log(1 + mg.exp(x)) + w * w, lambda dy: (dy, dy * np.inf)))
    assert viz.compare(both, 100.0, 2.0).point.endswith("The inf of w is the rule's own.")
    assert viz.compare(lambda x: x * 1.00001, lambda x: x * 1.0, 3.0).point.startswith("Nearly the same value (3)")


def headline(value, rule, x):
    view = viz.compare(mg.custom_gradient(lambda x: (value(x), lambda dy: rule(dy, x))), x)
    return view.point, view.rows[0].verdict


@pytest.mark.parametrize(
    "value, rule, x, words",
    [
        (mg.sin, lambda dy, x: mg.cos(x), 1.0, "right only where the upstream gradient is 1: for 2 it gives 0.5403"),
        (lambda x: x**3, lambda dy, x: dy * 3 * x, 1.0, "right here, but at x = 1.5 it gives 4.5 instead of 6.75"),
        (lambda x: x**3, lambda dy, x: dy * 3 * x, 2.0, "gives another slope than the function has: 6 instead of 12"),
        (mg.sin, lambda dy, x: mg.abs(dy) * mg.cos(x), 1.0, "but for -1 it gives 0.5403 instead of -0.5403"),
        (mg.sin, lambda dy, x: mg.clip(dy, -9.0, 9.0) * mg.cos(x), 1.0, "but for 64 it gives"),
        (
            mg.relu,
            lambda dy, x: dy * mg.where(x >= 0, 1.0, 0.0),
            0.0,
            "both are right: at this kink every slope from 0 to 1 is",
        ),
        (mg.relu, lambda dy, x: dy * 2.0, 0.0, "2 instead of 0 to 1"),
        (
            mg.abs,
            lambda dy, x: dy * mg.where(x >= 0, 1.0, -1.0),
            0.0,
            "both are right: at this kink every slope from -1 to 1 is",
        ),
        (mg.floor, lambda dy, x: dy, 1.0, "the function jumps here, so it has no slope"),
        (lambda x: 1e-8 * x * x, lambda dy, x: dy * 4e-8 * x, 3.0, "1.2e-7 instead of 6e-8"),
        (mg.log, lambda dy, x: dy / x, -1.0, "no reference: the function is not finite in float64 here"),
    ],
)
def test_the_headline_says_the_worst_that_the_table_says(value, rule, x, words):
    point, verdict = headline(value, rule, x)
    assert words in verdict
    assert not re.search("and they agree here: ", point)
    assert verdict[1:] in point or point.endswith("The derived pass is right here, the rule is not.")


UP_AND_DOWN = lambda x: mg.relu(x[0]) - mg.relu(x[1])
TIES = [
    (mg.reduce_max, [1, 1], [1, 1], "2 instead of 1 along x = [1 1]"),
    (mg.reduce_max, [0.5, 0.501], [1, 1], "1.001 instead of 1 along x = [1 1]"),
    (mg.reduce_max, [0.2, 0.8], [1, 1], "both are right: at this kink several gradients are"),
    (mg.reduce_min, [0.7, 0.7], [1, 1], "1.4 instead of 1 along x = [1 1]"),
    (mg.reduce_min, [1.1, -0.1], [1, 1], "1.1 instead of 0 to 1 at x[0]"),
    (lambda x: mg.abs(x[0] - x[1]), [1, 1], [2, 2], "2 instead of 0 along x = [1 1]"),
    (lambda x: mg.abs(x[0] - x[1]), [0.4, -0.4], [2, 2], "both are right: at this kink several gradients are"),
    (lambda x: mg.abs(x[0] - x[1]), [1.1, -1.1], [2, 2], "1.1 instead of -1 to 1 at x[0]"),
    (lambda x: mg.relu(mg.sum(x)), [0.5, 0.2], [1, -1], "0.3 instead of 0 along x = [1 -1]"),
    (lambda x: mg.relu(mg.sum(x)), [0.2, 0.2], [1, -1], "both are right: at this kink several gradients are"),
    (lambda x: mg.mean(mg.abs(x)), [0.5, -0.2], [0, 0], "both are right: at this kink several gradients are"),
    (lambda x: mg.mean(mg.abs(x - mg.flip(x))), [1, 1], [3, 3], "2 instead of 0 along x = [1 1]"),
    # bends up along x[0] and down along x[1]: a mean of gradients beside the kink, and one that is none
    (
        lambda x: mg.relu(x[0]) - mg.relu(x[1]),
        [0.3, -0.4],
        [0, 0],
        "both are right: at this kink several gradients are",
    ),
    (lambda x: mg.relu(x[0]) - mg.relu(x[1]), [0.3, 0.4], [0, 0], "0.4 instead of -1 to 0 at x[1]"),
]


@pytest.mark.parametrize("value, gradient, x, words", TIES)
@pytest.mark.cases(8)
def test_a_gradient_at_a_kink_is_judged_along_directions(value, gradient, x, words):
    """The rule is right away from the kink, so that only the kink decides."""
    at = np.array(x, np.float64)

    def rule(u, x):
        with mg.ignore_custom_gradients():
            beside = mg.grad(value)(x)
        return u * (np.array(gradient) if np.array_equal(x.value, at) else beside)

    (row,) = viz.compare(ruled(value, rule), at).rows
    assert words in row.verdict


@pytest.mark.parametrize(
    "vector, words",
    [
        ([1.0, 1.0], "both differ from the finite difference along x = "),
        ([0.8, 0.8], "both differ from the finite difference along x = "),
        ([0.6, 0.8], "is right here, but at x = [0.5 0.5]"),
        ([0.1, -0.9], "is right here, but at x = [0.5 0.5]"),
    ],
)
def test_at_0_every_vector_up_to_the_length_1_is_a_gradient_of_the_length(vector, words):
    _, verdict = headline(lambda x: mg.sqrt(mg.sum(x * x)), lambda dy, x: dy * np.array(vector), np.zeros(2))
    assert words in verdict


def test_arguments_that_meet_at_a_kink_are_judged_together():
    for rule, words in (
        (lambda u: (u, u), "2 instead of 1 along x = 1, y = 1"),
        (lambda u: (0.7 * u, 0.7 * u), "1.4 instead of 1 along x = 1, y = 1"),
    ):
        f = mg.custom_gradient(lambda x, y, rule=rule: (mg.maximum(x, y), rule))
        view = viz.compare(f, 1.0, 1.0)
        assert all(words in row.verdict for row in view.rows) and words in view.point


def test_upstream_gradients_that_part_equal_numbers_are_tried():
    f = ruled(mg.sort, lambda u, x: mg.ones_like(x) * u[1])
    (row,) = viz.compare(f, [1.0, 1.0]).rows
    assert row.verdict.endswith("for [2 2.5] it gives 5 instead of 4.5 along x = [1 1]")


def ruled(value, rule):
    return mg.custom_gradient(lambda x: (value(x), lambda u: rule(u, x)))


@pytest.mark.parametrize(
    "value, rule, x, words",
    [
        (
            lambda x: mg.sum(x * np.array([1e6, 1e-3])),
            lambda u, x: u * np.array([1e6, 2e-3]),
            [1.0, 1.0],
            "another slope than the function has: 0.002 instead of 0.001 at x[1]",
        ),
        (
            lambda x: mg.sum(x * np.array([1e13, 1e-3])),
            lambda u, x: u * np.array([1e13, 2e-3]),
            [1.0, 1.0],
            "no reference: the slope is too small to be measured beside the value at x[1]",
        ),
        (lambda x: x * x, lambda u, x: u * 2.001 * x, 3.0, "6.003 instead of 6"),
        (lambda x: x * x, lambda u, x: u * 2.0002 * x, 3.0, "instead of 6"),
        (lambda x: x * x, lambda u, x: u * 2 * x, 3.0, "both are right here"),
        (mg.exp, lambda u, x: u * mg.exp(x), 80.0, "both are right here"),
        (mg.exp, lambda u, x: u * 1.001 * mg.exp(x), 80.0, "another slope than the function has"),
    ],
)
def test_each_entry_is_judged_by_its_own_uncertainty(value, rule, x, words):
    view = viz.compare(ruled(value, rule), np.array(x, np.float32))
    assert words in view.rows[0].verdict
    assert not ("iffer" in view.point and "both are right" in view.point.lower())


def test_an_infinite_slope_and_a_jump_have_no_finite_difference():
    view = viz.compare(mg.cbrt, lambda x: mg.sign(x) * mg.abs(x) ** (1 / 3), 0.0)
    assert view.rows[0].verdict.startswith("no reference: the slope here could not be measured")
    assert view.rows[0].difference is None and "827" not in str(view)
    view = viz.compare(ruled(mg.floor, lambda u, x: u), 1.0)
    assert view.rows[0].difference is None and "  jump  " in str(view)


def test_a_function_without_a_rule_is_drawn_with_a_field_for_one():
    view = viz.compare(plain, 100.0)
    assert [lane.name for lane in view._lanes] == [""]
    assert view.rule["inputs"] == [["x", "upstream / (1 + exp(x)) * exp(x)"]]
    assert "Your rule, to begin with\nx: upstream / " in view.to_text()
    said = view.try_rule(x="upstream * sigmoid(x)")
    assert said.startswith("Right at x = 100: 1, where the derived rule gives nan; right at all 121 samples")
    with pytest.raises(ValueError, match=r"the rule for x cannot be read at character 2: write 2 \* x"):
        view.try_rule(x="2x")
    with pytest.raises(TypeError, match="no rule for w; the inputs are x"):
        view.try_rule(w="x")


def test_backward_has_the_field_in_its_mode():
    assert viz.backward(plain, 1.0, mode="rule").rule["inputs"][0][0] == "x"
    assert viz.compare(log1pexp, 1.0).rule["inputs"] == [["x", "upstream * (1 - 1 / (1 + e))"]]
    view = viz.backward(log1pexp, x=1.0, mode="rule")
    assert view.rule["inputs"] == [["x", "upstream * (1 - 1 / (1 + e))"]]
    assert [n.op for n in view.trace.nodes if n.kind != "const"] == ["leaf", "exp", "add", "log"], (
        "what it replaces is drawn"
    )
    assert view.try_rule().startswith("Lost to rounding at x = ")
    assert viz.backward(plain, 1.0).try_rule(x="upstream").startswith("Wrong at x = 1")
    with pytest.raises(TypeError, match="has no field for a rule"):
        viz.backward(plain(mg.constant(1.0))).try_rule(x="upstream")  # a Tensor, not a function
    with pytest.raises(ValueError, match='mode must be "values", "wiggle", "gradient" or "rule"'):
        viz.backward(plain, 1.0, mode="value")
    with pytest.raises(TypeError, match="takes a function and its inputs"):
        viz.backward(plain(mg.constant(1.0)), mode="rule")
