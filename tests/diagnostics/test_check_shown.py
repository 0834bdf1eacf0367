"""A check of gradients in a notebook: the same sentences and numbers as in its text, in a table that scrolls."""

import re
from html import unescape

import numpy as np
import pytest

import minigrad as mg
from minigrad.tracing.table import Table


@mg.custom_gradient
def halved(x):
    return x * x, lambda dy: dy * x


@pytest.mark.parametrize(
    "check",
    [
        mg.check_gradients(mg.relu, [-1.0, 0.0, 2.0], order=1),
        mg.check_gradients(halved, np.arange(1.0, 5.0), raises=False),
        mg.check_gradients(mg.sin, 0.5, surrogate=mg.cos, order=1, raises=False),
        mg.check_gradients(mg.cumsum, [1.0] * 5, order=1),
        mg.check_gradients(mg.sqrt, 0.0, order=1, raises=False),
    ],
    ids=["a kink", "a wrong rule", "a surrogate", "more than twelve rows", "nothing compared"],
)
def test_a_notebook_shows_what_the_text_says(check):
    html = check._repr_html_()
    words = lambda text: re.sub(r"[\s|]+", " ", text).strip()
    assert words(unescape(re.sub("<style>.*?</style>|<[^>]+>", " ", html))) == words(str(check))


def test_a_table_is_escaped_and_aligned():
    table = Table(["", "<a>"], [["x", 10], ["long", 1]])
    assert "<td>10</td>" in table._repr_html_() and "&lt;a&gt;" in table._repr_html_()
    assert repr(table).splitlines() == ["      <a>", "x      10", "long    1"]
