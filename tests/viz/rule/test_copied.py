"""The program that "Copy as Python" copies is the function with the gradient of the rule, or says what is missing."""

import functools
import sys

import numpy as np
import pytest

import minigrad as mg
import viz


def again(x):
    x = mg.exp(x)
    return mg.log(1 + x)


def in_a_loop(x):
    for _ in range(2):
        x = mg.sin(x)
    return x * 2


def in_place(x):
    x *= 2
    return mg.exp(x)


def in_a_pair(x):
    x, y = mg.exp(x), 3.0
    return x * y


def in_a_scope(x):
    with mg.scope("layer"):
        x = mg.sin(x)
    return mg.exp(x)


def by_a_walrus(x):
    return (x := mg.exp(x)) * x


def by_match(x):
    match mg.exp(x):
        case x:
            pass
    return x * x


def result_twice(x):
    y = mg.exp(x)
    y = mg.log(1 + y)
    return y


def result_in_a_loop(x):
    y = x
    for _ in range(2):
        y = y * x
    return y


def result_added(x):
    y = mg.exp(x)
    y += x * x
    return y


def result_by_a_helper(x):
    def g(t):
        return mg.sin(t) * t

    s = mg.exp(x)
    s = g(s)
    return s


def result_before_the_end(x):
    y = mg.exp(x)
    assert y * 2 is not y
    return y


def local_of_the_first_result(x):
    y = mg.exp(x)
    a = y * 2
    y = mg.log(1 + a)
    return y


BIAS = mg.constant(2.0)


def with_a_default(x, scale=3.0, bias=BIAS):
    return mg.exp(x) * scale + bias


def several(x):
    s = mg.exp(x)
    s = s * x
    t = s + 1
    return s, t * x


def several_again(x):
    x = mg.exp(x)
    return x, x * x


def wave(c):
    def inner(x):
        return mg.cos(c * x)

    return inner


class Net:
    def __init__(self):
        self.w = mg.constant(3.0)

    def __call__(self, x):
        return mg.exp(x) * self.w

    def method(self, x):
        return mg.exp(x) * self.w


def scaled(x, k=1.0):
    return mg.exp(x) * k


slow, of_a_tensor, net, triple = wave(0.5), wave(mg.constant(0.5)), Net(), functools.partial(scaled, k=3.0)
method = net.method
f = lambda x: (x := mg.exp(x)) + 1
FUNCTIONS = [
    again, in_a_loop, in_place, in_a_pair, in_a_scope, by_a_walrus, by_match, result_twice, result_in_a_loop,
    result_added, result_by_a_helper, result_before_the_end, local_of_the_first_result, with_a_default, several,
    several_again, slow, of_a_tensor, net, triple, method, f,
]  # fmt: skip


def program_of(view):
    """The program that a field's button copies, for its initial rules."""
    rules = view.tried().rules({name: text for name, text in view.rule["inputs"] if text})
    before, after = view.rule["copy"]
    return before + ", ".join(rule.python() for rule in rules.values()) + after


def run(program, space):
    """The custom gradient that a program defines in a notebook with the names of `space`."""
    names = dict(space)
    exec(program, names)
    return next(one for key, one in names.items() if one is not space.get(key) and hasattr(one, "conventions"))


def total(y):
    return sum(y) if isinstance(y, (tuple, list)) else y


@pytest.mark.parametrize("f", FUNCTIONS)
def test_a_copied_program_is_the_function_with_the_gradient_of_its_rule(f, monkeypatch):
    for name in ("net", "triple", "method"):  # as in a notebook, whose names are those of __main__
        monkeypatch.setitem(vars(sys.modules["__main__"]), name, globals()[name])
    view = viz.backward(f, 0.7, mode="rule")
    copied, x, h = run(program_of(view), globals()), mg.constant(0.7), 1e-5
    assert float(total(copied(x))) == pytest.approx(float(total(f(x))), rel=1e-6)
    up, down = (float(total(f(mg.constant(0.7 + step, dtype="float64")))) for step in (h, -h))
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = total(copied(x))
    assert float(tape.gradient(y, x)) == pytest.approx((up - down) / (2 * h), rel=1e-5)
    assert "Right" in view.try_rule(**{name: text for name, text in view.rule["inputs"] if text})


@pytest.mark.parametrize("f", [functools.partial(scaled, k=5.0), wave(mg.constant(2.0)), Net(), Net().method])
def test_a_function_without_a_name_is_not_called_by_the_name_of_another(f):
    program = program_of(viz.backward(f, 0.7, mode="rule"))
    assert "y = ...  # write the function here: no name of it is known" in program
    with pytest.raises((TypeError, ValueError)):
        run(program, globals())(mg.constant(0.7))


def test_a_result_has_a_name_that_the_copy_defines():
    def own(y):
        y = mg.exp(y)
        return y

    view = viz.backward(own, 0.7, mode="rule")
    ((name, upstream),) = view.rule["results"]
    rule = view.tried().rules({"y": f"{upstream} * {name}"})[0].python()
    before, after = view.rule["copy"]
    copied = run(before + rule + after, {"own": own})
    assert float(copied(mg.constant(0.7))) == pytest.approx(np.exp(0.7))
    with mg.GradientTape() as tape:
        x = mg.Variable(0.7)
        z = copied(x)
    assert float(tape.gradient(z, x)) == pytest.approx(np.exp(0.7))


@mg.custom_gradient
def own_again(x):
    x = mg.exp(x)
    return mg.log(1 + x), lambda upstream: upstream * x / (1 + x)


@mg.custom_gradient
def own_by_def(x):
    x = 1 + mg.exp(x)

    def rule(upstream):
        return upstream * (x - 1) / x

    return mg.log(x), rule


@mg.custom_gradient
def own_local(x):
    e = mg.exp(x)
    e = 1 + e
    return mg.log(e), lambda upstream: upstream * (e - 1) / e


@mg.custom_gradient
def own_local_of_another(x):
    x = mg.exp(x)
    a = 1 + x
    return mg.log(a), lambda upstream: upstream * (a - 1) / a


@mg.custom_gradient
def own_local_of_the_first_result(x):
    y = 1 + mg.exp(x)
    a = y * 1
    y = mg.log(y)
    return y, lambda upstream: upstream * (a - 1) / a


OWN = [own_again, own_by_def, own_local, own_local_of_another, own_local_of_the_first_result]


@pytest.mark.parametrize("f", OWN)
def test_an_own_rule_about_names_assigned_again_is_read_as_it_was_recorded(f):
    view = viz.compare(f, 1.0)
    assert "as it was recorded" in view.rule["note"]
    said = view.try_rule(**dict(view.rule["inputs"]))
    assert "right at x = 1: 0.7311" in said.lower() and "wrong" not in said.lower(), said
    copied = run(program_of(view), globals())
    with mg.GradientTape() as tape:
        x = mg.Variable(1.0)
        y = copied(x)
    assert float(tape.gradient(y, x)) == pytest.approx(1 / (1 + np.exp(-1.0)), rel=1e-6)
