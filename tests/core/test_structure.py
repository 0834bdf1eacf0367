"""Nested structures: one order of flattening, rebuilding, and errors that name the place."""

from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as mg
from minigrad.core.support.structure import check_same, flatten, is_structure, leaves, map_structure, rebuild

Point = namedtuple("Point", "x y")


@dataclass(frozen=True)
class Layer:
    w: object
    b: object = 0
    kind: ClassVar = "dense"


nested = st.recursive(
    st.integers() | st.none() | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.tuples(inner, inner).map(lambda xy: Point(*xy))
        | st.tuples(inner, inner).map(lambda wb: Layer(*wb))
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(("x", "flat"), [
    (3, [3]), ([], []), ((1, [2, (3,)]), [1, 2, 3]), ({"w": 1, "b": [2, 3]}, [2, 3, 1]),
    (Point(1, {"a": 2}), [1, 2]), (Layer([1], 2), [1, 2]), (OrderedDict(b=1, a=2), [2, 1]),
    ("text", ["text"]), (None, [None]),
])  # fmt: skip
def test_the_order_is_by_position_and_by_sorted_key(x, flat):
    assert flatten(x) == flat


@given(nested)
def test_rebuilding_from_the_leaves_gives_the_structure_back(x):
    assert rebuild(x, flatten(x)) == x
    assert rebuild(x, flatten(x)).__class__ in (x.__class__, dict)


@given(nested)
def test_paths_reach_their_leaves(x):
    for path, leaf in leaves(x, "x"):
        assert eval(path, {"x": x}) == leaf


@given(nested)
def test_mapping_the_identity_changes_nothing(x):
    assert map_structure(lambda a: a, x) == x
    assert map_structure(lambda a, b: a, x, x) == x
    check_same(x, x)


def test_a_dict_keeps_its_own_order_when_it_is_rebuilt():
    assert list(rebuild({"w": 1, "b": 2}, "xy").items()) == [("w", "y"), ("b", "x")]


def test_an_ordered_dict_and_a_dataclass_stay_of_their_class():
    made = rebuild([OrderedDict(b=1, a=2), Layer(3)], "wxyz")
    assert made == [OrderedDict(b="x", a="w"), Layer("y", "z")] and type(made[0]) is OrderedDict


def test_a_field_that_no_constructor_takes_and_an_attribute_that_is_no_field():
    @dataclass
    class Model:
        w: object
        steps: object = field(default=0, init=False)

    model = Model(1)
    model.note = "kept"
    made = rebuild(model, [5, 6])
    assert (made.w, made.steps, made.note, model.w) == (5, 6, "kept", 1)


def test_the_gradient_of_a_dataclass_is_nested_like_it():
    found = mg.grad(lambda layer, x: mg.sum(x * layer.w + layer.b))(Layer(np.ones(2), 2.0), np.arange(2.0))
    assert type(found) is Layer and found.w.tolist() == [0.0, 1.0] and float(found.b) == 2.0


def test_a_custom_gradient_gets_copies_of_the_arrays_of_an_object_and_an_object_without_arrays_itself():
    w, seen = mg.constant(2.0), []

    @mg.custom_gradient
    def f(layer, kind):
        seen.extend([layer, kind])
        return layer.w * 3.0, lambda dy: (Layer(dy * 5.0, None), None)

    setting = Layer("relu", "relu")
    assert mg.gradients(f(Layer(w), setting), w)[0].value == 5.0
    assert seen[0].w is not w and seen[1] is setting


def test_strings_and_arrays_are_leaves():
    assert not is_structure("ab")
    assert not is_structure(range(2))


def test_keys_that_cannot_be_sorted():
    with pytest.raises(TypeError, match=r"keys of a dict of tensors must be sortable, .* got \[1, 'a'\]"):
        flatten({1: 0, "a": 0})


@pytest.mark.parametrize(("a", "b", "message"), [
    ({"w": [1]}, {"w": (1,)}, r"structure\['w'\] is of type list in one structure and tuple in the other"),
    ({"w": 1}, {"v": 1}, r"structure has the entries \['w'\] in one structure and \['v'\] in the other"),
    ([1, [2]], [1, 2], r"structure\[1\] is of type list in one structure and int in the other"),
    (Point(1, 2), Point(1, [2]), r"structure\.y is of type int in one structure and list in the other"),
    (Layer(1), Layer([1]), r"structure\.w is of type int in one structure and list in the other"),
    ([1], [1, 2], r"structure has the entries \[0\] in one structure and \[0, 1\] in the other"),
])  # fmt: skip
def test_structures_that_differ_name_the_place(a, b, message):
    with pytest.raises(ValueError, match=message):
        map_structure(lambda x, y: x, a, b)
