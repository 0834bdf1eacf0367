"""The kinds of check, each with answers that must be wrong, and the words about them."""

import math
import re

import numpy as np
import pytest

import minigrad as mg
import minigrad.runner.timeout
from minigrad.classroom import arrays, exercise, floats, mistake, samples, variable
from minigrad.classroom.check import Lesson
from minigrad.classroom.examination import examine


@exercise("root", function="root(x)", seconds=20)
def root(c):
    positive = floats(0, 100, also=(4.0, 1.0, 0.0))
    c.value(np.sqrt, vary=(positive,), says="the value")
    c.derivative("the gradient", vary=(positive,), slope=lambda x: 0.5 / np.sqrt(x) if x else 0.0, word="{} asked for")
    c.custom(vary=(positive,))
    c.without("power", vary=(positive,))
    c.linear(vary=(positive,))
    c.hint("first", "second", "third")


def ruled(rule, value=mg.sqrt):
    """A function with the value sqrt(x), or another one, and a rule of (x, y, upstream)."""

    @mg.custom_gradient
    def root(x):
        y = value(x)
        return y, lambda upstream: rule(x, y, upstream)

    return root


def right_rule(x, y, upstream):
    return mg.where(x > 0, upstream / (2 * y), 0.0)


def with_if(x):
    return ruled(lambda x, y, g: g / (2 * y))(x) if x > 0 else x * 0


def looked_up(x):
    table = {0.0: 0.0, 1.0: 0.5, 4.0: 0.25}
    slope = table.get(float(x.value), 0.5 / max(float(x.value), 1e-9) ** 0.5) if not x.shape else 0.5 / np.sqrt(x.value)
    return ruled(lambda x, y, g: g * slope)(x)


WRONG = {
    "a Python if": (with_if, mistake.python_if, ""),
    "a Python if in the rule": (ruled(lambda x, y, g: g / (2 * y) if x > 0 else 0.0), mistake.python_if, ""),
    "numbers taken out": (looked_up, mistake.taken_out, "the recorded graph changes from call to call"),
    "mg.sum in the rule": (ruled(lambda *a: mg.sum(right_rule(*a))), mistake.summed, "the rule returned one number"),
    "a small number added": (ruled(right_rule, lambda x: mg.sqrt(x) + 1e-12), mistake.shifted, "in float64"),
    "None": (ruled(lambda x, y, g: None), mistake.rule_none, "Is there a return in it?"),
    "no decorator": (lambda x: (mg.sqrt(x), lambda g: g), mistake.no_decorator, "A pair came back"),
    "no rule": (lambda x: mg.sqrt(mg.where(x > 0, x, 1.0)) * mg.where(x > 0, 1.0, 0.0), mistake.no_rule, ""),
    "another op": (ruled(lambda x, y, g: mg.where(x > 0, g * x**0.5 / (2 * x), 0.0)), mistake.library_answer, "power"),
    "log10": (lambda x: mg.log10(x), None, ""),
    "not linear": (ruled(lambda *a: right_rule(*a[:2], mg.clip(a[2], -9.0, 9.0))), mistake.not_linear, ""),
    "upstream only": (ruled(lambda x, y, g: g), mistake.no_local, ""),
    "upstream divided": (ruled(lambda x, y, g: mg.where(x > 0, 1 / (g * 2 * y), 0.0)), mistake.upstream_divided, ""),
    "float32": (lambda x: mg.sqrt(x.astype("float32")), None, "is of dtype float32, which has fewer digits"),
    "a rule in float32": (ruled(lambda *a: right_rule(*a).astype("float32")), None, "in float64"),
    "differences": (
        ruled(lambda x, y, g: mg.where(x > 0, g * (mg.sqrt(x + 1e-4) - mg.sqrt(abs(x - 1e-4))) / 2e-4, 0.0)),
        None,
        "",
    ),
    "the first element only": (ruled(lambda x, y, g: right_rule(x, y, mg.ones_like(g) * mg.max(g))), None, ""),
    "twice only from 50 on": (ruled(lambda x, y, g: right_rule(x, y, g) * mg.where(x > 50, 2.0, 1.0)), None, "x = "),
    "a narrow hole": (ruled(lambda x, y, g: right_rule(x, y, g) * mg.where(abs(x - 33) < 2, 0.0, 1.0)), None, "x = 3"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name):
    answer, named, words = WRONG[name]
    verdict = examine(root, answer)
    assert verdict.status == "wrong"
    assert verdict.mistake == named or (named is mistake.library_answer and verdict.mistake.name == named.name)
    assert words in verdict.to_text()


def other_words():
    """Right answers, written in other ways."""
    safe = lambda x: mg.where(x > 0, x, 1.0)
    yield ruled(right_rule)
    yield ruled(lambda x, y, g: mg.where(x > 0, 0.5 * g / mg.sqrt(safe(x)), 0.0))
    yield ruled(lambda x, y, g: mg.where(x == 0, 0.0, g / (y + y)))
    yield ruled(lambda x, y, g: mg.nan_to_num(right_rule(x, y, g)))
    yield ruled(lambda x, y, g: [mg.multiply(g, mg.where(x > 0, mg.rsqrt(safe(x)) / 2, mg.zeros_like(x)))])
    yield lambda x: ruled(right_rule)(mg.identity(x))
    yield mg.custom_gradient(lambda x: (mg.sqrt(x), lambda *xs, upstream: right_rule(xs[0], mg.sqrt(xs[0]), upstream)))


@pytest.mark.parametrize("answer", list(other_words()))
def test_right_in_other_words(answer):
    assert examine(root, answer).to_text().startswith("root: right")


def test_the_word_before_what_is_expected():
    verdict = examine(root, ruled(lambda x, y, g: right_rule(x, y, g) * mg.where(x == 0, 1.0, 3.0)))
    assert [side.whose for side in verdict.sides] == ["your gradient", "gradient asked for"]


def test_a_mistake_is_claimed_for_the_failure_that_is_shown_only():
    """The value has an unnamed mistake; the rule, which is not shown, has the sign flipped."""
    verdict = examine(root, ruled(lambda *a: -right_rule(*a), lambda x: mg.sqrt(x) + 0.1 * x))
    assert [line.right for line in verdict.lines[:2]] == [False, False]
    assert verdict.sides[0].whose == "your value"
    assert verdict.mistake is None


def test_numbers_near_0_have_no_flipped_sign():
    @exercise("tiny", function="tiny(x)")
    def tiny(c):
        c.value(lambda x: np.exp(-x * x), vary=(floats(0, 40, also=(8.0,)),), says="the value")

    verdict = examine(tiny, lambda x: mg.where(x > 7.0, 7.6e-28, mg.exp(-x * x)) + mg.where(x < 0.5, 1.0, 0.0))
    assert verdict.status == "wrong" and verdict.mistake is None


def test_arrays_fail_where_numbers_pass():
    summed = ruled(lambda x, y, g: mg.broadcast_to(mg.sum(right_rule(x, y, g)), x.shape))
    verdict = examine(root, summed)
    assert verdict.at.startswith("x = [")
    assert verdict.sides[0].value.startswith("[")


def test_an_error_in_a_rule_is_shown_with_its_line():
    def rule(x, y, upstream):
        wanted = upstream[7]
        return wanted

    verdict = examine(root, ruled(rule))
    assert verdict.words.startswith("It stopped with IndexError")
    assert verdict.code.endswith("wanted = upstream[7]")


@pytest.mark.parametrize("condition", [lambda x: x > 0, lambda x: mg.all(x > 0)])
def test_an_if_is_shown_at_an_array_on_which_it_fails(condition):
    """At each number alone the gradient is right."""
    verdict = examine(root, ruled(lambda x, y, g: g / (2 * y) if condition(x) else 0.0 * g))
    assert verdict.mistake == mistake.python_if
    assert verdict.at.startswith("x = [")


def test_what_is_told_by_the_graph_names_no_input():
    verdict = examine(root, lambda x: mg.where(x > 0, mg.sqrt(mg.where(x > 0, x, 1.0)), 0.0))
    assert verdict.mistake == mistake.no_rule and verdict.at == ""


def test_too_slow_and_too_deep_have_names():
    def deep(x):
        return deep(x)

    def slow(x):
        while True:
            pass

    @exercise("quick", function="quick(x)", seconds=0.5)
    def quick(c):
        c.value(np.sqrt, vary=(floats(0, 1),), says="the value")

    assert examine(quick, deep).mistake == mistake.too_deep
    assert examine(quick, slow).mistake == mistake.too_slow
    assert "It did not end within 0.5 seconds and was stopped." in examine(quick, slow).to_text()


@exercise("bounds", function="bounds(values)")
def bounds(c):
    least = mistake("the smallest only", "The largest is wanted too.")
    c.answer(
        lambda values: (min(values), max(values)),
        vary=(samples([3, 1, 2], [5], [-1, -1], [0.5, 2.0, 1.0]),),
        says="smallest and largest",
        looks_like={least: lambda values: (min(values),) * 2},
    )


def test_plain_functions_of_lists():
    assert examine(bounds, lambda values: (sorted(values)[0], sorted(values)[-1]))
    verdict = examine(bounds, lambda values: (min(values), min(values)))
    assert (verdict.at, verdict.mistake.name) == ("values = [3, 1, 2]", "the smallest only")
    assert "; a tuple of 2 is expected" in examine(bounds, min).words
    assert examine(bounds, lambda values: values.sort() or (values[0], values[-1])).words.startswith("Your function ch")


def test_plain_functions_of_arrays():
    @exercise("jacobian", function="jacobian(x)")
    def jacobian(c):
        c.answer(lambda x: np.tril(np.ones((len(x),) * 2)), vary=(arrays((2,), (3,)),), says="the Jacobian of cumsum")

    assert examine(jacobian, lambda x: np.array([[float(j <= i) for j in range(len(x))] for i in range(len(x))]))
    assert examine(jacobian, lambda x: np.triu(np.ones((len(x),) * 2))).mistake == mistake.transposed
    assert "has shape (2,); shape (2, 2) is expected" in examine(jacobian, np.ones_like).words


def test_structures_are_compared():
    @exercise("keys", function="keys(tree)")
    def keys(c):
        c.answer(lambda tree: {k: [v] for k, v in tree.items()}, vary=(samples({"a": 1}, {"b": 2, "a": 3}),), says="k")

    assert examine(keys, lambda tree: {k: [v] for k, v in tree.items()})
    assert "; a list of 1 is expected" in examine(keys, dict).words
    assert "; a dict with the keys 'a' is expected" in examine(keys, list).words


def test_inputs_are_shown_as_a_student_writes_them():
    @exercise("paths", function="ways(graph)")
    def ways(c):
        c.answer(len, vary=(samples({"b + b*b": [1, 2, 3], "b": [1]}),), says="how many")

    assert examine(ways, len)
    assert examine(ways, lambda graph: 3).at == "graph = b"


def test_each_element_has_an_upstream_of_its_own():
    @exercise("flip", function="flip(x)")
    def flip(c):
        c.derivative("the gradient", vary=(arrays((3,), (2,)),), forward=lambda x: x[::-1] * 2)

    two = mg.custom_gradient
    assert examine(flip, two(lambda x: (x[::-1] * 2, lambda g: g[::-1] * 2)))
    verdict = examine(flip, two(lambda x: (x[::-1] * 2, lambda g: g * 2)))
    assert verdict.status == "wrong"
    assert "upstream = [ 1.,  2., -1.]" in verdict.at


def test_derivatives_of_variables():
    @exercise("scaled", function="scaled(weights, x)")
    def scaled(c):
        c.derivative(
            "the gradients of weights and x",
            vary=(variable(arrays((2,)), "weights"), arrays((2,))),
            forward=lambda w, x: w * x,
        )

    def through_rule(factor):
        def scaled(weights, x):
            @mg.custom_gradient
            def times(x):
                def grad(upstream, variables=None):
                    return upstream * weights, [factor * upstream * x]

                return x * weights, grad

            return times(x)

        return scaled

    assert examine(scaled, lambda weights, x: weights * x)
    assert examine(scaled, through_rule(1.0))
    assert examine(scaled, through_rule(2.0)).status == "wrong"
    assert examine(scaled, lambda weights, x: mg.stop_gradient(weights) * x).words.startswith("No gradient arrives")


def test_a_property_may_fail_with_a_named_mistake():
    recursive = mistake("it calls itself", "Use a loop.")

    @exercise("walk", function="walk(n)")
    def walk(c):
        c.property("a loop", lambda f, n: recursive if f(n) < 0 else f(n) == n or f"got {f(n)}", vary=(samples(3, 5),))

    assert examine(walk, lambda n: n)
    assert examine(walk, lambda n: -n).mistake == recursive
    assert examine(walk, lambda n: n + 1).words == "got 4"


def test_an_exercise_may_use_a_second_name_of_the_notebook():
    @exercise("backward", function="backward(y)", also=("Scalar",))
    def backward(c):
        c.property("y", lambda f, n, Scalar: f(Scalar(n)) == 2 * n or "no", vary=(samples(1, 2),))

    class Scalar:
        def __init__(self, value):
            self.value = value

    check = Lesson("00", {"backward": backward})
    notebook = {"check": check, "backward": lambda y: 2 * y.value}
    exec("first = check('backward')", notebook)
    assert (
        notebook["first"].words
        == "It is used together with Scalar, which is not defined yet. Run the cell that defines it."
    )
    assert notebook["first"].status == "unanswered"
    notebook["Scalar"] = Scalar
    exec("second = check('backward')", notebook)
    assert notebook["second"]


@exercise("adjoints")
def adjoints(c):
    c.numbers([2, 5, 2], because={(2, 5, 2): "Yes.", (2, 3, 2): "The last message was kept."}, otherwise="Count again.")


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        ([2, 5, 2], "right", "Yes."),
        (np.array([2.0, 5.0, 2.0]), "right", "Yes."),
        ((2, 3, 2), "wrong", "The last message was kept."),
        ([1], "wrong", "Count again."),
        (3, "wrong", "Type a list of numbers"),
        (["a"], "wrong", "Type a list of numbers"),
    ],
)
def test_lists_of_numbers(answer, status, words):
    verdict = examine(adjoints, answer)
    assert (verdict.status, words in verdict.words) == (status, True)


def test_a_number_is_right_within_its_distance_only():
    @exercise("limit")
    def limit(c):
        c.number(88.72, within=0.02, because={88.72: "Yes.", 89: "A little lower."})

    assert [bool(examine(limit, x)) for x in (88.70, 88.72, 88.7228, 88.74, 88.69, 88.75, 89)] == [True] * 4 + [
        False
    ] * 3
    assert examine(limit, 89).words == "Your answer: 89. A little lower."
    assert not re.search("88.72|little", repr(limit.question))


def test_a_number_that_was_computed_in_float32_is_right():
    @exercise("q")
    def q(c):
        c.number(0.3, because={0.3: "Yes.", 0.4: "Too much."})

    @exercise("several")
    def several(c):
        c.numbers([1, 0.3])

    in_float32 = float(np.float32(0.1) + np.float32(0.2))
    assert in_float32 != 0.3 and examine(q, in_float32).words.endswith("Yes.")
    answers = (in_float32, np.float32(0.3), mg.constant(0.1) * 3, 0.1 + 0.2, 0.3001, 0.30001, float("nan"), 0.0)
    assert [bool(examine(q, x)) for x in answers] == [True] * 4 + [False] * 4
    assert examine(q, np.float32(0.4)).words.endswith("Too much.")
    lists = ([mg.sigmoid(2.0).item() + mg.sigmoid(-2.0).item(), in_float32], [1, 0.31])
    assert [bool(examine(several, x)) for x in lists] == [True, False]


@pytest.mark.parametrize("vary", [5, [5], (np.sqrt,)])
def test_a_wrong_range_is_a_sentence(vary):
    with pytest.raises(TypeError, match="vary"):

        @exercise("a", function="a(x)")
        def a(c):
            c.value(np.sqrt, vary=vary, says="the value")


def test_the_true_slope_is_exact_in_float64():
    @exercise("hyper", function="hyper(x)")
    def hyper(c):
        c.derivative("the gradient", vary=(floats(-3, 3),), forward=np.sinh)

    assert examine(hyper, mg.sinh)
    nearly = mg.custom_gradient(lambda x: (mg.sinh(x), lambda g: g * mg.cosh(x) * (1 + 1e-11)))
    assert examine(hyper, nearly).at.endswith("in float64")
    assert math.isclose(float(examine(hyper, nearly).sides[1].value), math.cosh(1.0))


def by_powers(x):
    y = x * 0.0
    for n in range(40):
        y = y * x + (-1.0) ** n / math.factorial(n)
    return y


def by_table(x):
    return mg.sum(mg.where(mg.reshape(x, (*x.shape, 1)) > np.linspace(-3, 3, 4096), 1.0, 0.0), axis=-1)


@pytest.mark.parametrize(
    ("answer", "counts"), [(by_powers, "82 nodes and 41 constants"), (by_table, "6 nodes and 4100 constants")]
)
def test_a_polynomial_of_many_terms_and_a_table_of_constants_are_too_large(answer, counts):
    @exercise("wave", function="wave(x)")
    def wave(c):
        c.small(nodes=12, constants=4, vary=(floats(-3, 3),))

    assert examine(wave, lambda x: mg.sin(x) * 2 + 1)
    assert examine(wave, answer).mistake == ("the graph is too large", f"It has {counts}; 12 and 4 are enough.")


@mg.custom_gradient
def in_steps(x):
    y = by_powers(x)
    return y, lambda upstream: -upstream * y


def test_the_rule_alone_is_counted_where_the_value_may_be_long():
    @exercise("decay", function="decay(x)")
    def decay(c):
        c.small(nodes=3, constants=0, vary=(floats(-3, 3),), part="rule")

    assert decay.checks[0].says == "the rule is small" and examine(decay, in_steps)
    long = mg.custom_gradient(lambda x: (mg.exp(-x), lambda upstream: -upstream * by_powers(x)))
    told = "The rule has 84 nodes and 41 constants; 3 and 0 are enough."
    assert examine(decay, long).mistake == ("the graph is too large", told)
    with pytest.raises(ValueError, match='part must be "graph" or "rule", got \'body\''):
        exercise("decay", function="decay(x)")(lambda c: c.small(1, 1, vary=(floats(0, 1),), part="body"))


def test_a_wrong_structure_of_lists_of_different_lengths_is_told():
    @exercise("twice", function="twice(b)")
    def twice(c):
        c.answer(lambda b: (1.0, [2 * x for x in b]), vary=(samples([], [1.0, 2.0]),), says="each twice")

    assert examine(twice, lambda b: (1.0, [2 * x for x in b]))
    told = examine(twice, lambda b: (1.0, [3 * x for x in b]))
    assert told.status == "wrong" and told.sides[0].value == "(1, [3, 6])"


def test_inputs_of_a_derivative_are_those_of_the_function():
    @exercise("square", function="square(x)")
    def square(c):
        c.derivative("the slope", vary=(floats(-3, 3),), slope=lambda x: 2 * x, at=[(0.5,), (0.25, 2.0)])

    assert square.checks[0].points[:2] == [(0.5, 1.0), (0.25, 2.0)] and examine(square, lambda x: x * x)


class Unreadable(Exception):
    pass


def unreadable(*args):
    raise Unreadable("not for you")


def answers_with(odd):
    def fails(x):
        raise odd if isinstance(odd, Exception) else TypeError(odd)

    return odd, lambda x: odd, lambda x: [odd], ruled(lambda x, y, g: odd), fails


HOSTILE = ["__getattr__", "__repr__", "__str__", "__eq__", "__iter__"]


@pytest.mark.parametrize("base", [object, str, Exception])
def test_an_answer_whose_own_methods_raise_is_told_and_raises_nothing(base, subtests):
    for method in HOSTILE:
        with subtests.test(method):
            for answer in answers_with(type("Odd", (base,), {method: unreadable})()):
                verdict = examine(root, answer)
                assert verdict.status == "wrong" and str(verdict)
                assert verdict.words or verdict.lines[0].right is False or verdict.lines[1].right is False
    told = examine(root, type("Odd", (), {"__repr__": unreadable})())
    assert "root should be a function, but it is of type Odd, whose __repr__ raises Unreadable" in str(told)


def test_an_error_of_the_checks_themselves_is_not_blamed_on_the_answer(monkeypatch):
    monkeypatch.setattr("minigrad.classroom.examination.show", minigrad.runner.timeout.failure)
    with pytest.raises(AttributeError):
        examine(root, 3.0)
