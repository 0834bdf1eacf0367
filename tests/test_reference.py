"""The reference that a program carries with it: every public name explains itself, and says what it returns."""

import inspect
import re
import types

import pytest

import minigrad as mg
import minigrad.numpy as mnp
import viz
from tests.helpers.tables import over

#: They return what the function of the user's returns.
OF_THE_USERS = {"map", "cond", "custom_gradient", "foldl", "foldr", "map_fn", "scan", "vectorized_map", "while_loop"}


def public(module):
    """The public functions and classes of a module, those of NumPy left out."""
    for name in dir(module):
        value = getattr(module, name)
        module_of = str(getattr(value, "__module__", ""))
        if callable(value) and not name.startswith("_") and module_of.startswith(("minigrad", "viz")):
            yield name, value


CALLABLES = [(module.__name__, *found) for module in (mg, mg.ops, mnp, viz) for found in public(module)]


@over(CALLABLES)
def test_every_public_name_is_explained_with_an_example(module, name, value):
    doc = inspect.getdoc(value)
    assert doc and ">>> " in doc, f"{module}.{name} has no example"


@over([row for row in CALLABLES if row[0] in ("minigrad", "minigrad.ops")])
def test_every_public_function_says_what_it_returns(module, name, value):
    if isinstance(value, types.FunctionType) and name not in OF_THE_USERS:
        returns = str(inspect.signature(value).return_annotation).strip("'")
        assert returns not in ("Any", str(inspect.Signature.empty)), f"{module}.{name}"


def test_the_page_of_minigrad_has_each_public_name_in_one_of_nine_groups():
    groups = re.findall(r"(?<=\n\n)([A-Z].*)\n((?:    .+\n)+)", mg.__doc__)
    assert len(groups) == 9
    found = [
        name
        for _, text in groups[:7]
        for names in re.findall(r"^    (\S.*?)  ", text, re.M)
        for name in names.split(", ")
    ]
    found += [name for _, text in groups[7:] for name in re.split(r",\s+", text.strip())]
    assert sorted(found) == sorted({*found}) == dir(mg)
    assert len(mg.__doc__.splitlines()) < 120 and max(map(len, mg.__doc__.splitlines())) <= 120


def test_a_slip_of_the_pen_is_answered_with_the_name():
    with pytest.raises(AttributeError, match=r"minigrad has no 'sinn'; did you mean sin\?"):
        mg.sinn  # noqa: B018
