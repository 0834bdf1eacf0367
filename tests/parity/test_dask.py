"""Grading on the workers of a Dask scheduler, where Dask is installed: the same gradebook, also when one is killed."""

import json
import os
import signal
from functools import partial

import pytest

from minigrad.classroom.authoring import new
from minigrad.grading import scaling
from minigrad.grading.allowance import Limits
from minigrad.grading.arrivals import arrivals
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.judge import Judge
from minigrad.grading.running import Task, grade_class, judged
from minigrad.lab.errors import CommandError

distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

RULE = "import math\ndef tanh_backward(x, upstream):\n    return upstream / math.cosh(x) ** 2 if abs(x) < 300 else 0.0"


def test_a_worker_that_is_killed_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(scaling, "PARCEL", 3)
    new(tmp_path / "hw1")
    (tmp_path / "all").mkdir()
    for number in range(12):
        source = f"slope_at_3 = {6.0 if number % 3 else 5.0}\n{RULE}"
        cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        (tmp_path / "all" / f"s{number:02}.ipynb").write_text(json.dumps({"nbformat": 4, "cells": [cell]}))
    arrived = arrivals(tmp_path / "all", "hw1")
    with Judge(tmp_path / "hw1") as judge:
        task = Task("hw1", judge.assignment.spec)
    found = []
    with Gradebook(tmp_path / "local.db") as book:
        grade_class(book, task, arrived, partial(judged, partial(Judge, tmp_path / "hw1"), task, 1))
        found.append([(g.student, g.status, g.marks) for g in book.grades("hw1")])
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        reports = partial(scaling.judged_by_dask, address, tmp_path / "hw1", task, "auto", Limits(), False)
        with Gradebook(tmp_path / "dask.db") as book:
            grade_class(book, task, arrived, reports, progress=partial(_kill_after_the_first, address))
            found.append([(g.student, g.status, g.marks) for g in book.grades("hw1")])
            assert sum(1 for _ in book.attempts("hw1")) == 12
    assert found[0] == found[1] and {status for _, status, _ in found[0]} == {"graded"}


def _kill_after_the_first(address, reports, count):
    """The reports; when the first is there, a worker is killed while it judges."""
    for number, report in enumerate(reports):
        if number == 0:
            with distributed.Client(address) as client:
                process = next(iter(client.run(os.getpid).values()))
            os.kill(process, signal.SIGKILL)
        yield report


def test_where_no_scheduler_answers_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(scaling, "CONNECTING", 1)
    with pytest.raises(CommandError, match="no Dask scheduler answers at tcp:"):
        next(scaling.judged_by_dask("tcp://127.0.0.1:9", tmp_path, Task("hw1", ""), "auto", Limits(), False, []))
