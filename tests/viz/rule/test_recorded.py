"""Rules of several lines: the field opens with the text of the ops that they record, or says that it does not."""

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.viz.rule.test_tried import looked
from viz.rule.language import TAKES
from viz.rule.recorded import derived_rules, recorded_rules

VALUES = {"x": 0.7, "w": np.array([0.5, -1.5, 2.0])}


def ruled(rule, value=lambda x, w: x * w):
    return mg.custom_gradient(lambda x, w: (value(x, w), lambda dy: rule(dy, x, w)))


def several_lines(dy, x, w):
    e = mg.exp(-x)
    slope = e / (1 + e)
    return mg.sum(dy * slope), dy * mg.square(w) - 0.1


def no_gradient(dy, x, w):
    half = dy / 2
    return None, half * mg.maximum(x, w) * mg.reciprocal(w)


def branches(dy, x, w):
    if x > 0:
        return mg.sum(dy), dy
    return mg.sum(-dy), dy


def plain(dy, x, w):
    slope = float(x.value)
    return mg.sum(dy * slope), dy * w


def other_ops(dy, x, w):
    return mg.sum(dy), mg.cumsum(dy)


def arrays(dy, x, w):
    weights = np.array([1.0, 2.0, 3.0])
    return mg.sum(dy), dy * weights


def doubled(dy, x, w):
    for _ in range(60):
        dy = dy + dy
    return mg.sum(dy), dy


def texts_of(rule):
    return recorded_rules(ruled(rule), {name: mg.constant(value) for name, value in VALUES.items()})


def test_local_names_are_written_out_and_numbers_are_as_they_were_written():
    whole = recorded_rules(
        mg.custom_gradient(lambda x: (x * x, lambda dy: several_lines(dy, x, x)[1] + no_gradient(dy, x, 0.25 * x)[1])),
        {"x": mg.constant(0.7)},
    )
    assert whole == ["upstream * (x * x) - 0.1 + upstream / 2 * maximum(x, 0.25 * x) * (1 / (0.25 * x))"]
    assert texts_of(no_gradient) == ["0 * x", "upstream / 2 * maximum(x, w) * (1 / w)"]


@pytest.mark.parametrize(
    "rule", [several_lines, branches, plain, other_ops, arrays, doubled], ids=lambda rule: rule.__name__
)
def test_a_rule_that_is_no_text_everywhere_has_none(rule):
    assert texts_of(rule) == []


OPS = [mg.exp, mg.tanh, mg.sigmoid, mg.sin, mg.abs, mg.square, lambda a: 1 / (2 + a * a), lambda a: -a, lambda a: a**3]


@pytest.mark.parametrize("seed", range(12))
def test_the_text_sends_what_the_rule_sends(seed):
    rng = np.random.default_rng(seed)
    first, second, third = (OPS[i] for i in rng.integers(len(OPS), size=3))

    def rule(dy, x):
        a = first(x)
        b = second(a) + rng_number * a
        return dy * mg.where(b > 0.3, third(b), b * dy)

    rng_number = round(float(rng.uniform(-2, 2)), 2)
    f = mg.custom_gradient(lambda x: (mg.sin(x), lambda dy: rule(dy, x)))
    (text,) = recorded_rules(f, {"x": mg.constant(0.4)})
    names = {name: getattr(mg, name) for name in ("exp", "tanh", "sigmoid", "sin", "abs", "where")}
    for at in (-1.3, 0.2, 2.1):
        x, upstream = mg.constant(at), mg.constant(1.7)
        assert float(eval(text, names, {"x": x, "upstream": upstream})) == float(rule(upstream, x))


def test_each_result_has_an_upstream_gradient_of_its_own():
    @mg.custom_gradient
    def polar(a, b):
        r = mg.sqrt(a * a + b * b)

        def rule(dr, dt):
            square = r * r
            return dr * a / r - dt * b / square, dr * b / r + dt * a / square

        return (r, mg.math.atan2(b, a)), rule

    rule = viz.compare(polar, 3.0, 4.0).rule
    dr, dt = [upstream for _, upstream, *_ in rule["results"]]
    r = "sqrt(a * a + b * b)"
    assert rule["inputs"][0] == ["a", f"{dr} * a / {r} - {dt} * b / ({r} * {r})"]


def test_a_rule_that_branches_far_from_its_input_has_no_text():
    """At 0.3, the rule of a clipped slope is the identity; at the five inputs it is not."""
    clipped = mg.custom_gradient(lambda x: (x * 1, lambda dy: dy if abs(float(x.value)) < 2 else 0 * dy))
    for x in (0.3, np.inf, np.nan):
        assert recorded_rules(clipped, {"x": mg.constant(x)}) == []


def test_the_field_opens_with_the_rule_and_judges_it():
    @mg.custom_gradient
    def log_cosh(x):
        def rule(dy):
            up, down = mg.exp(x), mg.exp(-x)
            return dy * (up - down) / (up + down)

        return mg.abs(x) + mg.softplus(-2 * mg.abs(x)) - 0.6931472, rule

    view = viz.compare(log_cosh, 1.5)
    assert view.rule["inputs"] == [["x", "upstream * (exp(x) - exp(-x)) / (exp(x) + exp(-x))"]]
    assert view.rule["note"] == "The field opens with the rule of the function, as it was recorded at 5 inputs."
    assert view.try_rule().startswith("Right at x = 1.5")
    far = viz.compare(log_cosh, 100.0)
    assert far.try_rule().startswith("Wrong at x = 100") and "nan instead of 1" in far.try_rule()


def test_an_example_is_said_to_be_one():
    branching = mg.custom_gradient(lambda x: (mg.cumsum(x), lambda dy: dy if float(mg.sum(x)) > 0 else -dy))
    note = viz.compare(branching, np.array([1.0, 2.0])).rule["note"]
    assert note.endswith("for it has flip, which is beyond the language.")


@pytest.mark.parametrize("b", [2.0, 3.0])
def test_a_pass_of_a_function_has_a_field_and_the_strip_of_the_derived_slope(b):
    def distance(a, b):
        d = a - b
        return mg.sqrt(d * d)

    view = viz.backward(distance, 2.0, b)
    data, _ = view.data()
    assert data["mode"] == "gradient" and data["modes"][-1] == "rule"
    assert [name for name, text in data["rule"]["inputs"] if text] == ["a", "b"]
    assert [*view.strip().points] == ["a", "true", "derived"]
    assert "Your rule" not in view.to_text()
    assert view.try_rule(a="2 * upstream * sign(a - b)", b="upstream * sign(b - a)")[:12] == "Wrong at a ="
    for other in (viz.backward(distance, 2.0, b, predict=True), viz.backward(distance, 2.0, b, drag=False)):
        assert "rule" not in other.data()[0]


@pytest.mark.parametrize("name", ["a b", "x\u202ey", "2x"])
def test_an_input_that_cannot_be_written_in_a_rule_has_no_field(name):
    def loss(**inputs):
        return mg.log(inputs[name] * 0) * 0

    assert "rule" not in viz.backward(loss, **{name: 1.0}).data()[0]


def twice(x):
    for _ in range(2):
        x = mg.tanh(x) * x + 1
    return x


DERIVED = [
    (twice, {"x": 0.7}),
    (lambda x, y: mg.sqrt(x * x + y * y) / y, {"x": 3.0, "y": 4.0}),
    (lambda x: mg.where(x > 1, mg.sigmoid(x), x**3), {"x": 1.5}),
    (lambda x: mg.mean(mg.maximum(x, 0.5) * x), {"x": [0.2, 1.5, 3.0]}),
    (lambda x: mg.reduce_sum(x - mg.abs(x) / 3), {"x": [-2.0, 1.5]}),
]


@pytest.mark.parametrize("f, inputs", DERIVED)
def test_the_derived_rule_is_read_off_the_recorded_ops(f, inputs):
    names = {name: getattr(mg, name) for name in TAKES}
    xs = {name: mg.constant(np.float64(x)) for name, x in inputs.items()}
    texts, steps = derived_rules({"upstream": f(**xs)}, xs)
    assert not steps
    for shift in (0.0, 0.01):  # the text is that of a rule, not of numbers
        moved = {name: mg.constant(x.value + shift) for name, x in xs.items()}
        wanted = mg.gradients(f(**moved), [*moved.values()])
        for text, want, x in zip(texts, wanted, moved.values(), strict=True):
            got = eval(text, {**names, **moved, "upstream": mg.constant(np.float64(1))})
            assert got.shape == x.shape and np.allclose(got.value, want.value, rtol=1e-12)


@pytest.mark.parametrize(
    "f, x, why",
    [
        (lambda x: mg.sum(mg.matmul(x, x)), np.eye(2), "it has swapaxes, which is beyond the language"),
        (lambda x: mg.sum(x * np.array([1.0, 2.0])), [1.0, 2.0], "it has an array that is not an input"),
        (lambda x: mg.sin(sum([x * k for k in range(60)])), 1.0, "the function has more than 100 ops"),
    ],
)
def test_a_field_that_opens_with_an_example_says_why(f, x, why):
    rule = viz.backward(f, x=x, mode="rule").rule
    assert rule["note"] == f"The field opens with an example: the derived rule is not a text here, for {why}."
    assert rule["inputs"][0][1].startswith("upstream")


def gates(x, w):
    h = x
    for _ in range(5):
        h = mg.tanh(h * w + x) * mg.maximum(h, 0.1) + mg.where(h > w, h, 0.5 * x)
    return h + mg.exp(-h)


@pytest.mark.parametrize("f", [gates, lambda x, w: twice(twice(x * w)) / w], ids=["gates", "twice"])
def test_a_long_rule_is_written_in_steps_which_the_page_and_python_compute(f):
    view = viz.backward(f, x=0.5, w=0.9, mode="rule")
    steps = view.rule["locals"]
    assert len(steps) > 3 and f"which has {len(steps)} steps" in view.rule["note"]
    texts = dict(view.rule["inputs"])
    (page,) = looked(view, [texts])
    assert page["words"].startswith("Right at x = 0.5") and view.try_rule().startswith("Right at x = 0.5")
    if f is gates:
        namespace = {"gates": gates}
        exec(page["python"], namespace)
        for at in ((0.5, 0.9), (-0.3, 1.1), (0.2, -0.7)):
            xs = [mg.constant(np.float64(v)) for v in at]
            got, want = (mg.gradients(g(*xs), xs) for g in (namespace["gates"], gates))
            assert np.allclose([g.value for g in got], [g.value for g in want], rtol=1e-12)
    (wrong,) = looked(view, [{**texts, "x": texts["x"] + " * 2"}])
    assert "rong" in wrong["words"]
    (forgets,) = looked(view, [{"x": "t1 + w", "w": texts["w"]}])
    assert "forgets" in forgets["words"] or "rong" in forgets["words"]
