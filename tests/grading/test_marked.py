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
    return unescape(Path(folder, "back", "ada.html").read_text("utf-8"))


def test_each_mark_stands_at_the_edge_of_its_input(page):
    """At (1, 0) sigmoid(a - b) is 0.7311, and the rule sends it to b in place of a."""
    boxes = re.search(r"<g class='n leaf[^>]*><g class='b'>(.*?)</g><g class='h'>(.*?)</g>", page)
    corners = re.findall(r"<rect x='(\d+)' y='(\d+)' width='(\d+)' height='(\d+)'", boxes[1])
    names = re.findall(r">([^<]+)</text>", boxes[2])
    edges = re.search(r"<g class='e sent bad'>(.*?)<g class='m'>(.*?)</g>", page)
    starts = [tuple(map(int, start)) for start in re.findall(r"<path d='M(\d+) (\d+)", edges[1])]
    marks = re.findall(r">([^<]+)</text>", edges[2])
    found = {}
    for name, corner in zip(names, corners, strict=True):
        left, top, width, height = map(int, corner)
        found[name] = [
            m for (x, y), m in zip(starts, marks, strict=True) if x == left + width and top < y < top + height
        ]
    assert found == {"a": ["0.2689 ≠ 0.7311"], "b": ["0.7311 ≠ 0.2689"]}


def test_the_marks_stand_there_in_words_too(page):
    sentences = "log_of_sum sends a 0.2689; true: 0.7311\nlog_of_sum sends b 0.7311; true: 0.2689"
    assert f"Wrong messages:\n{sentences}" in page
    assert "The first wrong message:</b> log_of_sum sends a 0.2689; true: 0.7311</p>" in page
