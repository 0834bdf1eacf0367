"""Each of the ten breaks loses marks in each place of the four capstones of hw16, except those named here."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.classroom.examination import examine
from minigrad.classroom.loading import load
from minigrad.lab.handout import lessons_folder
from tests.lessons.breaks import BREAKS, PLACES
from tests.lessons.capstones import RIGHT

CRITERIA = [e for e in load(lessons_folder() / "assignments" / "hw16" / "checks.py").values() if e.of]

SUMMED = "(fit({0}, self.value.shape), fit({1}, other.value.shape))"
PLUS, TIMES = SUMMED.format("u", "u"), SUMMED.format("u * other.value", "u * self.value")
#: One message of the engine not fitted to the shape of its factor or summand: what is replaced.
NOT_FITTED = {
    "added, a": (PLUS, "(u, fit(u, other.value.shape))"),
    "added, b": (PLUS, "(fit(u, self.value.shape), u)"),
    "multiplied, a": (TIMES, "(u * other.value, fit(u * self.value, other.value.shape))"),
    "multiplied, b": (TIMES, "(fit(u * other.value, self.value.shape), u * self.value)"),
    "an axis of 1": ("if size == 1:", "if size == 1 and axis:"),
    "the other axis of 1": ("if size == 1:", "if size == 1 and not axis:"),
}
ALONG, PARTS = "(u @ other.value.T, self.value.T @ u)", "(u[:n], u[n:])"
#: Places in the engine: what is replaced there. `B` is the break.
IN_D = {
    "added, a": (PLUS, "(B(fit(u, self.value.shape)), fit(u, other.value.shape))"),
    "added, b": (PLUS, "(fit(u, self.value.shape), B(fit(u, other.value.shape)))"),
    "added, upstream": (PLUS, SUMMED.format("B(u)", "B(u)")),
    "multiplied, a": (TIMES, "(B(fit(u * other.value, self.value.shape)), fit(u * self.value, other.value.shape))"),
    "multiplied, b": (TIMES, "(fit(u * other.value, self.value.shape), B(fit(u * self.value, other.value.shape)))"),
    "multiplied, upstream": (TIMES, SUMMED.format("B(u) * other.value", "B(u) * self.value")),
    "matmul, a": (ALONG, "(B(u @ other.value.T), self.value.T @ u)"),
    "matmul, b": (ALONG, "(u @ other.value.T, B(self.value.T @ u))"),
    "matmul, upstream": (ALONG, "(B(u) @ other.value.T, self.value.T @ B(u))"),
    "picked": ("return (g,)", "return (B(g),)"),
    "picked, upstream": ("g[key] += u", "g[key] += B(u)"),
    "joined, a": (PARTS, "(B(u[:n]), u[n:])"),
    "joined, b": (PARTS, "(u[:n], B(u[n:]))"),
    "joined, upstream": (PARTS, "(B(u)[:n], B(u)[n:])"),
    "a message": ("gradient[parent] + message", "gradient[parent] + B(message)"),
    "summed to a shape": ("    return u\nclass", "    return B(u)\nclass"),
}
FLOAT32 = "a capstone may hold constants in float32, the default dtype"
ONE_NUMBER = "the loss is one number"
ONE_AXIS = "a picked row has one axis"
#: Capstone, place and break: why it may pass.
REASONS = {
    **{("a", place, "float32 only"): FLOAT32 for place in ("value", "gradient")},
    **{
        ("a", place, change): ONE_NUMBER
        for place in ("value", "upstream")
        for change in BREAKS.keys() - {"upstream dropped", "sign", "off by one", "float32 only"}
    },
    **{("b", place, "float32 only"): FLOAT32 for place in PLACES},
    **{("c", place, "float32 only"): FLOAT32 for place in ("value", "gradient")},
    ("d", "picked, upstream", "transposed"): ONE_AXIS,
}


def capstone_of(chosen, change, *replaced):
    space = {"np": np, "mg": mg, "B": lambda x: np.asarray(change(np.asarray(x, float)), float)}
    exec(RIGHT[chosen].replace(*replaced) if replaced else RIGHT[chosen], space)
    return space["capstone"]


def broken(chosen, place, change):
    """A capstone with a break: of the function that it makes, or in its engine."""
    if chosen == "d":
        return capstone_of("d", change, *IN_D[place])
    backwards = mg.custom_gradient(lambda x: (mg.identity(x), change))
    value = mg.custom_gradient(lambda y: (change(y), lambda upstream: upstream))
    make = capstone_of(chosen, change)
    around = {
        "value": lambda f: lambda x: value(f(x)),
        "gradient": lambda f: lambda x: f(backwards(x)),
        "upstream": lambda f: lambda x: backwards(f(x)),
    }[place]
    return lambda *parts: around(make(*parts))


def passes(chosen, capstone):
    return all(examine(e, capstone, {"chosen": chosen}, thorough=False).status == "right" for e in CRITERIA)


@pytest.mark.slow
@pytest.mark.parametrize("chosen", RIGHT)
def test_each_break_of_a_capstone_loses_marks(chosen):
    assert passes(chosen, capstone_of(chosen, lambda x: x))
    places = IN_D if chosen == "d" else PLACES
    found = {
        (chosen, place, name)
        for place in places
        for name, change in BREAKS.items()
        if passes(chosen, broken(chosen, place, change()))
    }
    assert found == {row for row in REASONS if row[0] == chosen}


def test_the_engine_has_each_place():
    assert all(RIGHT["d"].count(old) == 1 for old, _ in IN_D.values())


@pytest.mark.parametrize("place", NOT_FITTED)
def test_a_message_that_is_not_fitted_loses_the_marks_for_shapes(place):
    (shapes,) = [e for e in CRITERIA if e.name == "shapes"]
    engine = capstone_of("d", lambda x: x, *NOT_FITTED[place])
    assert examine(shapes, engine, {"chosen": "d"}, thorough=False).status == "wrong"


def test_no_criterion_says_that_a_flipped_sign_is_inf_or_nan():
    flipped = capstone_of("a", lambda x: x, "(e / total - T)", "(T - e / total)")
    said = [str(examine(e, flipped, {"chosen": "a"}, thorough=False)) for e in CRITERIA]
    assert not any("inf" in words.split() or "nan" in words.split() for words in said)
    assert sum("the sign is flipped" in words for words in said) == 4
