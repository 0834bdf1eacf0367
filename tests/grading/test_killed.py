"""If a run of `minigrad grade` is killed, no process or file of it remains, and the next run finishes the rest."""

import json
import os
import random
import subprocess
import sys

import pytest

from minigrad.__main__ import main
from minigrad.classroom.authoring import new
from minigrad.grading.gradebook import Gradebook

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="processes without a parent are found as on Linux"),
    pytest.mark.slow,
]

CLASS = 8
MOMENTS = int(os.environ.get("MINIGRAD_KILLS", "5"))  # 50 in the long run
SLOPE = "import math\ndef tanh_backward(x, upstream):\n    return upstream / math.cosh(x) ** 2 if abs(x) < 300 else 0.0"

#: Kill a command after some seconds, or with "" for them as soon as there is a temporary folder. Every process that it
#: leaves becomes a child of this one, which ends when it has none.
KILLING = """
import ctypes, os, signal, subprocess, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
after, *command = sys.argv[1:]
grading = subprocess.Popen(command, stdout=subprocess.DEVNULL)
while not after and not os.listdir(os.environ["TMPDIR"]):
    time.sleep(0.001)
time.sleep(float(after or 0))
grading.send_signal(signal.SIGKILL)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    new(folder / "hw1")
    (folder / "all").mkdir()
    for number in range(CLASS):
        source = f"slope_at_3 = {5.0 + number % 2}\n{SLOPE}"
        cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        (folder / "all" / f"s{number}.ipynb").write_text(json.dumps({"nbformat": 4, "cells": [cell]}))
    return folder


@pytest.mark.parametrize("moment", [pytest.param("a folder is there", marks=pytest.mark.smoke), *range(MOMENTS)])
def test_nothing_stays_of_a_run_that_is_killed_and_nothing_is_lost(moment, course, tmp_path, capsys):
    places, book = tmp_path / "temporary", tmp_path / "course.db"
    places.mkdir()
    words = ["grade", str(course / "hw1"), str(course / "all"), "--gradebook", str(book), "-j", "2"]
    after = random.Random(moment).uniform(0, 3.0) if isinstance(moment, int) else ""
    environment = {**os.environ, "TMPDIR": str(places)}
    killing = [sys.executable, "-c", KILLING, str(after), sys.executable, "-m", "minigrad", *words]
    subprocess.run(killing, env=environment, timeout=60, check=True, stderr=subprocess.DEVNULL)
    assert list(places.iterdir()) == []
    assert main(words) == 0
    with Gradebook(book) as opened:
        assert opened.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert sum(1 for _ in opened.attempts("hw1")) == CLASS, "each was judged once"
        assert {g.status for g in opened.grades("hw1")} == {"graded"}
