"""A rule for a function that reads Variables: each has a field, and the copied rule returns a list for them."""

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.viz.rule.test_tried import looked, skeleton

w, b, M = mg.Variable(3.0, name="w"), mg.Variable(-0.5), mg.Variable(np.float32([[1, 2], [3, 4]]))
frozen = mg.Variable(2.0, trainable=False)


def line(x):
    return mg.tanh(x * w + b)


def twice(x):
    return x * w * w


def scaled(x):
    return mg.sum(x * M)


def partly(x):
    return mg.sum(x * M * frozen)


@mg.custom_gradient
def product(x):
    y = x * w
    return y, lambda dy, variables=None: (dy * w, [dy * x])


@mg.custom_gradient
def named(x):
    def rule(up, *, variables):
        return up * w, [up * x * 2]

    return x * w, rule


def closed():
    v = mg.Variable(1.5)
    return lambda x: mg.exp(x * v) * v


CASES = [(line, 0.2), (twice, 2.0), (scaled, np.float32([[0.5, -1], [2, 0.3]])), (product, 2.0), (closed(), 0.3)]


@pytest.mark.parametrize("f, x", CASES, ids=["two", "used twice", "a matrix", "with a rule", "of a closure"])
def test_each_variable_has_a_field_and_the_page_says_what_python_says(f, x):
    view = viz.backward(f, x, mode="rule")
    texts = {name: text for name, text in view.rule["inputs"]}
    assert set(texts) == {"x", *view.rule["variables"]} and view.rule["variables"]
    (page,) = looked(view, [texts])
    assert skeleton(page["words"]) == skeleton(view.try_rule())
    assert page["kind"] in ("right", "rounded"), page["words"]
    last = view.rule["variables"][-1]
    wrong = {**texts, last: f"{texts[last]} + {last} + 1"}
    (page,) = looked(view, [wrong])
    assert page["kind"] == "others" and skeleton(page["words"]) == skeleton(view.try_rule(**wrong))
    assert page["words"].startswith(f"Wrong for {last}")


@pytest.mark.parametrize("f, x", CASES[:4], ids=["two", "used twice", "a matrix", "with a rule"])
def test_the_copied_program_gives_what_was_typed_to_each_variable(f, x):
    view = viz.backward(f, x, mode="rule")
    texts = {name: f"upstream * {k + 2} + 0 * {name}" for k, (name, _) in enumerate(view.rule["inputs"])}
    (page,) = looked(view, [texts])
    space = dict(globals())
    exec(page["python"], space)
    copied = space[f.__name__]
    x = mg.constant(x)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = copied(x)
    variables = [globals()[name] for name in view.rule["variables"]]
    found = tape.gradient(y, [x, *variables])
    assert np.array_equal(y.value, (f.f(x)[0] if isinstance(f, type(product)) else f(x)).value)
    assert [float(np.ravel(g.value)[0]) for g in found] == [k + 2 for k in range(len(found))]


def test_the_rule_of_a_function_with_one_variable_is_in_its_fields():
    texts = dict(viz.backward(named, 2.0, mode="rule").rule["inputs"])
    assert texts == {"x": "upstream * w", "w": "upstream * x * 2"}
    words = viz.backward(named, 2.0, mode="rule").try_rule()
    assert words.startswith("Wrong for w: 4 instead of 2")


def test_variables_keep_their_values_and_one_that_is_not_trainable_is_no_argument():
    view = viz.backward(partly, np.ones((2, 2), np.float32), mode="rule")
    assert "frozen" not in dict(view.rule["inputs"])
    assert (w.value, b.value) == (3.0, -0.5)
    assert view.trace.nodes[-1].op == "sum"


class Model:
    def __init__(self):
        self.scale = mg.Variable(2.0)


model = Model()


def by_attribute(x):
    return x * model.scale


def test_a_variable_without_a_name_in_the_function_is_told():
    view = viz.backward(by_attribute, 1.0, mode="rule")
    assert view.rule["cannot"].startswith(
        "A rule cannot be tried here for a Variable that the function does not call by"
    )


def test_two_rules_side_by_side_say_where_the_fields_of_variables_are():
    cannot = viz.compare(product, 2.0).rule["cannot"]
    assert "Variables, as two passes are compared" in cannot and "has fields for w" in cannot
    view = viz.backward(product, 2.0, mode="rule")
    assert "This is the pass that the rule of product replaces." in view.note
    assert "Drawn" not in viz.backward(line, 0.2, mode="rule").note


weights = mg.Variable(np.float32([0.5, -2.0]), name="called otherwise")


def weighed(x):
    return mg.sum(mg.sin(x) * weights)


PLAIN = [*CASES[:3], CASES[4], (weighed, np.float32([0.3, 1.0]))]


@pytest.mark.parametrize("f, x", PLAIN, ids=["two", "used twice", "a matrix", "of a closure", "named otherwise"])
def test_a_picture_of_the_pass_has_a_field_for_each_variable_too(f, x):
    view, ruled = viz.backward(f, x), viz.backward(f, x, mode="rule")
    assert view.rule["inputs"] == ruled.rule["inputs"] and view.rule["copy"] == ruled.rule["copy"]
    texts = {name: text for name, text in view.rule["inputs"]}
    last = view.rule["variables"][-1]
    for one in (texts, {**texts, last: f"{texts[last]} + {last} + 1"}, {**texts, "x": f"0 * x + {last} * 0 + 7"}):
        pages = [looked(picture, [one])[0] for picture in (view, ruled)]
        if "refused" not in pages[0]:
            assert pages[0]["words"] == pages[1]["words"]
            assert skeleton(pages[0]["words"]) == skeleton(view.try_rule(**one))
    assert [n.kind for n in view.trace.nodes].count("leaf") == len(texts)


def test_the_picture_of_a_rule_with_variables_says_where_its_field_is():
    note = viz.backward(product, 2.0).note
    assert note.endswith('viz.backward(f, ..., mode="rule") has a field for a rule of each input and Variable.')
