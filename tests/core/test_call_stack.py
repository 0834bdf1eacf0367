"""Each node records the function call in which it was made, whatever the frames of calls are reused for."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as mg
from minigrad.tracing.user_lines import calls_of, line_of


@pytest.fixture(autouse=True)
def _lines():
    mg.remember_lines()
    yield
    mg.remember_lines(False)


def one(x):
    return mg.sin(x)


def turns(x, count):
    for _ in range(count):
        x = mg.sin(x)
    return x


def inner(*nodes):
    """The call of each node; the test itself is the one around them."""
    return [calls_of(node)[-1] for node in nodes]


def test_two_calls_from_one_line_are_two_and_the_ops_of_a_loop_in_one_call_are_one():
    x = mg.constant(1.0)
    a, b = [one(x) for _ in range(2)]
    assert inner(a)[0] is not inner(b)[0] and inner(a)[0].name == "one"
    ends = [turns(x, 3) for _ in range(2)]
    for end in ends:
        assert len({*inner(end, end.args[0], end.args[0].args[0])}) == 1
    assert len({*inner(*ends)}) == 2


@given(st.recursive(st.just([]), lambda calls: st.lists(calls, min_size=1, max_size=3), max_leaves=12))
def test_a_tree_of_calls_is_the_tree_that_ran(tree):
    made = []

    def run(calls, place):
        made.append((mg.sin(1.0 * mg.constant(1.0)), place))
        for i, call in enumerate(calls):
            run(call, (*place, i))
            made.append((mg.sin(1.0 * mg.constant(1.0)), place))

    run(tree, ())
    calls = {}
    for node, place in made:
        mine = [call for call in calls_of(node) if call.code is run.__code__]
        assert len(mine) == len(place) + 1
        for depth, call in enumerate(mine):
            assert calls.setdefault(place[:depth], call) is call
    assert len({*calls.values()}) == len(calls)


def test_methods_have_the_name_of_their_class_and_comprehensions_belong_to_their_function():
    class Layer:
        def __call__(self, x):
            return mg.sin(x)

        def forward(self, x):
            return next(iter([(lambda y: mg.cos(y))(x) for _ in range(1)]))

    a, b = Layer()(mg.constant(1.0)), Layer().forward(mg.constant(1.0))
    names = [call.name for call in inner(a, b)]
    assert names == (["Layer", "Layer.forward"] if sys.version_info >= (3, 11) else ["__call__", "forward"])


def test_a_generator_is_one_call_however_often_it_goes_on():
    def values(x):
        for _ in range(3):
            yield (x := mg.sin(x))

    assert len({*inner(*values(mg.constant(1.0)))}) == 1


def test_a_debugger_is_left_alone():
    seen = []

    def watch(frame, event, argument):
        seen.append(event)
        return watch

    sys.settrace(watch)
    try:
        y = one(mg.constant(1.0))
    finally:
        sys.settrace(None)
    assert calls_of(y) == [] and "line" in seen


def test_a_debugger_may_start_where_a_call_is_known():
    lines = []

    def watch(frame, event, argument):
        return lambda *event: lines.append(event)

    def f(x):
        y = mg.sin(x)
        sys.settrace(watch)
        z = mg.cos(y)
        sys.settrace(None)
        return y, z

    y, z = f(mg.constant(1.0))
    assert inner(y)[0].name == "f" and float(z) == pytest.approx(0.6664, abs=1e-4)


def test_without_lines_nothing_is_noted():
    mg.remember_lines(False)
    assert calls_of(one(mg.constant(1.0))) == []


def test_equal_code_of_two_files_has_a_line_in_each():
    """Code objects compare equal whatever their file, and in Python 3.10 wherever their lines are."""
    nodes = []
    for name, above in (("one.py", ""), ("two.py", "# a comment\n")):
        space = {"x": mg.constant(1.0)}
        exec(compile(f"{above}y = x + x", name, "exec"), space)
        nodes.append(line_of(space["y"]))
    assert [line.where for line in nodes] == ["one.py:1", "two.py:2"]
    for name in ("three.py", "four.py"):
        space = {"x": mg.constant(1.0)}
        exec(compile("y = x + x", name, "exec"), space)
        assert line_of(space["y"]).where == f"{name}:1"
