"""Names from users: no report contains a character that controls a terminal or breaks a page."""

import re

import numpy as np
import pytest

import minigrad as mg
from tests.diagnostics.nan_programs import lines_remembered, reported

STRINGS = {"a terminal's colour": "red\x1b[31m", "NUL": "a\0b", "half a character": "half\ud800", "a mark": "a\u202eb"}
#: Everything but letters, signs and line ends.
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def function(text):
    def f(x):
        return mg.log(x), lambda dy: dy / x

    f.__name__ = text
    return mg.custom_gradient(f)


def names_of_inputs(text):
    x, z = mg.constant(100.0), mg.constant(0.0)
    yield mg.find_nan(mg.log(1 + mg.exp(x)), names={text: x})
    yield mg.find_nan(z / z, names={text: z})
    yield mg.find_nan(mg.sum(mg.constant([1.0, np.nan])) + x, names={text: x})


def names_of_variables(text):
    w = mg.Variable(np.float32(1.0), name=text)
    yield mg.find_nan(mg.log(w - 1.0))
    with lines_remembered():
        for _ in range(9):
            w.assign(w.value * np.float32(1e4))
        yield mg.find_nan(w * 2.0)
    frozen = mg.Variable(1.0, name=text, trainable=False)
    yield mg.explain_none(mg.constant(1.0) * 2.0, frozen)
    yield mg.check_gradients(lambda x: x * w, 1.0, raises=False)


def names_of_functions(text):
    x = mg.constant(0.0)
    f = function(text)
    yield mg.find_nan(f(x))
    yield mg.find_nan(mg.sqrt(f(x + 1)))
    yield mg.explain_none(f(mg.stop_gradient(x) + 1), x)
    yield mg.check_gradients(f, 2.0, raises=False)


def keys(text):
    yield mg.check_gradients(lambda p: p[text] * 2.0, {text: 1.0}, raises=False)


def lines(text):
    if "\ud800" not in text and "\0" not in text:  # no source file holds these
        source = f"import minigrad as mg\n\n\ndef program(x):\n    return mg.log(1 + mg.exp(x))  # {text}\n"
        yield reported(source, [mg.constant(100.0)])[0]


def scopes(text):
    x = mg.constant(100.0)
    with mg.scope(text):
        y = mg.log(1 + mg.exp(x))
    yield mg.find_nan(y)


@pytest.mark.parametrize("source", [names_of_inputs, names_of_variables, names_of_functions, keys, lines, scopes])
@pytest.mark.parametrize("text", STRINGS.values(), ids=list(STRINGS))
def test_no_character_steers(source, text):
    reports = list(source(text))
    assert reports or source is lines
    for report in reports:
        html = report._repr_html_() if hasattr(report, "_repr_html_") else ""
        for form in (str(report), repr(report), html, str(getattr(report, "repair", ""))):
            assert not STEERS.search(form), form


def called(text, f):
    f.__name__ = f.__qualname__ = text
    return f


ERRORS = {
    "a check": lambda text, x: mg.check_gradients(called(text, lambda x: 1.0), 1.0),
    "no pair": lambda text, x: mg.custom_gradient(called(text, lambda x: 1.0))(x),
    "no gradient": lambda text, x: mg.gradients(mg.custom_gradient(lambda x: (x, called(text, lambda dy: "s")))(x), x),
    "no program": lambda text, x: mg.compile(called(text, lambda x: x if x > 0 else -x))(x),
    "a variable": lambda text, x: mg.get_variable(text),
    "an option": lambda text, x: mg.pad(mg.constant([1.0]), 1, mode=text),
    "a name": lambda text, x: getattr(mg, text),
}


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("text", STRINGS.values(), ids=list(STRINGS))
def test_no_error_steers(text, error):
    with pytest.raises((TypeError, ValueError, AttributeError)) as raised:
        ERRORS[error](text, mg.constant(1.0))
    assert not STEERS.search(str(raised.value))
