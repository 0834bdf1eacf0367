"""Random programs in random surroundings: the kinds of their inputs and the pattern of calls vary too."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from tests.helpers.random_programs import straight_line
from tests.helpers.random_shapes import MOVES, shaped_arrays
from tests.programs.contract import picture

#: Some random programs use no input.
pytestmark = pytest.mark.filterwarnings("ignore:the gradient of")

#: How an input reaches the function.
ARGUMENTS = ("array", "tensor", "variable as argument", "one of the same object")
CAPTURED = ("captured array", "captured tensor", "captured variable", "captured list of variables")


class Scene:
    """A function of some inputs; the others are captured."""

    def __init__(self, values, kinds):
        self.values, self.kinds, self.held = values, kinds, {}

    def hold(self, inputs):
        """Keep what is captured: Variables are assigned, and nothing else changes."""
        for i, (kind, x) in enumerate(zip(self.kinds, inputs)):
            if kind not in CAPTURED:
                continue
            if i not in self.held:
                variable = mg.Variable(x)
                self.held[i] = {"captured array": x.copy(), "captured tensor": mg.constant(x)}.get(kind, variable)
                if kind == "captured list of variables":
                    self.held[i] = [variable]
            elif "variable" in kind:
                (self.held[i][0] if isinstance(self.held[i], list) else self.held[i]).assign(x)

    def arguments(self, inputs):
        """The argument of the function: a dict of the inputs that are arguments."""
        made = {}
        for i, (kind, x) in enumerate(zip(self.kinds, inputs)):
            if kind == "one of the same object" and made:
                x = next(iter(made.values()))
            elif kind == "tensor":
                x = mg.constant(x)
            elif kind == "variable as argument":
                x = mg.Variable(x)
            if kind in ARGUMENTS:
                made[i] = x
        return made

    def function(self):
        held = self.held

        def f(p):
            xs = []
            for i in range(len(self.kinds)):
                x = held[i] if i in held else p[i]
                xs.append(x[0] if isinstance(x, list) else x)
            *_, a, b = self.values(xs)
            return mg.sum(b * a)

        return f


#: The callable made from a function and a way to compile.
CALLS = {
    "its value": lambda f, compile: compile(f),
    "a program of its value and gradient": lambda f, compile: compile(mg.value_and_grad(f)),
    "the gradient of its program": lambda f, compile: mg.grad(compile(f)),
    "a program of a gradient of a gradient": lambda f, compile: compile(mg.grad(slope(f))),
    "a gradient of a program of a gradient": lambda f, compile: mg.grad(compile(slope(f))),
    "a gradient of a gradient of a program": lambda f, compile: mg.grad(slope(compile(f))),
}


def slope(f):
    """The sum of squares of the gradient of `f`."""
    return lambda p: sum(mg.sum(mg.square(g)) for g in mg.grad(f)(p).values())


@st.composite
def scenes(draw):
    """A scene, the inputs of each call, and the callable."""
    steps, values = straight_line(draw, MOVES, 4, 5)
    kinds = [draw(st.sampled_from(ARGUMENTS[:2]))]
    kinds += [draw(st.sampled_from(ARGUMENTS + CAPTURED)) for _ in range(3)]
    first = draw(shaped_arrays(4))
    calls = [first]
    for _ in range(draw(st.integers(1, 3))):
        factors = [draw(st.sampled_from((1.0, -0.5, 0.0, 1.25))) for _ in range(4)]
        calls.append([(x * x.dtype.type(k)) for x, k in zip(first, factors)])
    order = [draw(st.integers(0, len(calls) - 1)) for _ in range(draw(st.integers(1, 3)))]
    return steps, values, kinds, [first, first, *(calls[i] for i in order)], draw(st.sampled_from(sorted(CALLS)))


def results(values, kinds, calls, way, compile):
    scene, called = Scene(values, kinds), None
    for inputs in calls:
        scene.hold(inputs)
        called = called or CALLS[way](scene.function(), compile)
        yield picture(called(scene.arguments(inputs)))


@settings(max_examples=25)
@given(scenes())
def test_random_programs_of_arguments_and_captured_values_give_the_bytes_of_the_engine(scene):
    _, values, kinds, calls, way = scene
    # A captured value that is not a Variable stays as it was first.
    for i, kind in enumerate(kinds):
        if kind in ("captured array", "captured tensor"):
            calls = [[*c[:i], calls[0][i], *c[i + 1 :]] for c in calls]
    plain = list(results(values, kinds, calls, way, lambda f: f))
    assert list(results(values, kinds, calls, way, mg.compile)) == plain
