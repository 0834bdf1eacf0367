"""The reference that comes with the program: every public name explains itself, and what it returns."""

import inspect
import pydoc
import re
import textwrap
import types

import pytest

import minigrad as mg
import minigrad.scipy.special
from tests.helpers.tables import over

#: These return what the user's function returns.
OF_THE_USERS = {"map", "cond", "custom_gradient", "foldl", "foldr", "map_fn", "scan", "vectorized_map", "while_loop"}


def public(module):
    """The public functions and classes of a module, except NumPy's."""
    for name in dir(module):
        value = getattr(module, name)
        module_of = str(getattr(value, "__module__", ""))
        if callable(value) and not name.startswith("_") and module_of.startswith(("minigrad", "viz")):
            yield name, value


def modules(module, found=()):
    """A module and those that it has as public names, such as mg.nn and mg.ops.linalg."""
    if module in found or module.__name__.partition(".")[0] not in ("minigrad", "viz"):
        return found
    found = (*found, module)
    for _, inner in inspect.getmembers(module, inspect.ismodule):
        found = modules(inner, found)
    return found


CALLABLES = [(module.__name__, *found) for module in modules(mg) for found in public(module)]


def test_the_modules_in_minigrad_are_looked_through():
    found = {module.__name__.removeprefix("minigrad.") for module in modules(mg)}
    assert {"viz", "ops", "numpy", "numpy.linalg", "scipy.special", "optim", "data", "nn", "ops.nn", "nest"} <= found


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


def test_help_ends_with_that_page():
    shown = re.sub(r"(?m) +$", "", pydoc.plain(pydoc.render_doc(mg)))  # older Pythons indent empty lines too
    after = shown.partition(textwrap.indent(mg.__doc__.partition("\n\n")[2].rstrip(), "    "))[2]
    assert re.findall(r"(?m)^[A-Z ]+$", after) == ["PACKAGE CONTENTS", "SUBMODULES", "VERSION", "FILE"]
    assert len(after.splitlines()) < 50


def test_a_slip_of_the_pen_is_answered_with_the_name():
    with pytest.raises(AttributeError, match=r"minigrad has no 'sinn'; did you mean sin\?"):
        mg.sinn  # noqa: B018
