"""From a wrong rule to the page that the student gets: the edges whose messages are wrong are marked there."""

import json
import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from minigrad.__main__ import main
from tests.helpers.submissions import ROOT

EXCHANGED = """
import minigrad as mg
@mg.custom_gradient
def log_of_sum(a, b):
    y = mg.maximum(a, b) + mg.log1p(mg.exp(-abs(a - b)))
    return y, lambda upstream: (upstream * mg.sigmoid(b - a), upstream * mg.sigmoid(a - b))
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "lessons" / "assignments" / "hw7", folder / "hw7")
    (folder / "all").mkdir()
    cell = {"cell_type": "code", "source": EXCHANGED, "metadata": {}, "outputs": []}
    (folder / "all" / "ada.ipynb").write_text(json.dumps({"nbformat": 4, "cells": [cell]}))
    book = str(folder / "course.db")
    assert main(["grade", str(folder / "hw7"), str(folder / "all"), "-j", "1", "--gradebook", book]) == 0
    assert main(["gradebook", book, "feedback", "hw7", str(folder / "back")]) == 0
    return unescape(Path(folder, "back", "students", "ada.html").read_text("utf-8"))


def test_each_mark_stands_at_the_edge_of_its_input(page):
    """At (1, 0), sigmoid(a - b) is 0.7311, and the rule sends it to b instead of a."""
    leaf = r"<g class='n leaf[^>]*><rect class='b' x='(\S+)' y='(\S+)' width='(\S+)'.*?<text class='nm'[^>]*>(\w)<"
    corners = re.findall(leaf, page)
    starts = re.findall(r"<path class='e bad' d='M(\S+) (\S+?)C\S+ \S+ \S+ \S+ \S+ (\S+?)L", page)
    marks = re.findall(r"<text class='lv badt r' x='\S+' y='(\S+)'>([^<]+)<", page)
    found = {}
    for x, y, width, name in corners:
        for right, start, level in starts:
            if float(right) == float(x) + float(width) and float(y) < float(start) < float(y) + 64:
                found[name] = [mark for top, mark in marks if float(top) == float(level) - 6]
    assert found == {"a": ["≠ 0.7311"], "b": ["≠ 0.2689"]}


def test_the_marks_stand_there_in_words_too(page):
    sentences = "log_of_sum sends a 0.2689; true: 0.7311\nlog_of_sum sends b 0.7311; true: 0.2689"
    assert f"Wrong messages:\n{sentences}" in page
    assert "The first wrong message:</b> log_of_sum sends a 0.2689; true: 0.7311</p>" in page
