"""Grading on the workers of a Dask scheduler, where Dask is installed: the same gradebook, also when one is killed."""

import os
import signal
from functools import partial

import pytest

from minigrad.grading import dask_workers
from minigrad.grading.grade_class import Task, grade_class, judged
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.judge import Judge
from minigrad.lab.errors import CommandError
from minigrad.runner.budgets import Limits
from tests.helpers.graded_class import CLASS, class_in, contents

distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]


def test_a_worker_that_is_killed_changes_nothing_in_the_gradebook(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_workers, "PARCEL", 3)
    path, arrived = class_in(tmp_path)
    limits = Limits(call=0.5)
    with Judge(path) as judge:
        task = Task("hw1", judge.assignment.spec)
    found = []
    with Gradebook(tmp_path / "local.db") as book:
        grade_class(book, task, arrived, partial(judged, partial(Judge, path, limits=limits), task, 1))
        found.append(contents(book))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        reports = partial(dask_workers.judged_by_dask, address, path, task, "auto", limits, False)
        with Gradebook(tmp_path / "dask.db") as book:
            grade_class(book, task, arrived, reports, progress=partial(_kill_after_the_first, address))
            found.append(contents(book))
    assert found[0] == found[1] and len(found[1][1]) == len(CLASS)


def _kill_after_the_first(address, reports, count):
    """The reports; when the first is there, a worker is killed while it judges."""
    for number, report in enumerate(reports):
        if number == 0:
            with distributed.Client(address) as client:
                process = next(iter(client.run(os.getpid).values()))
            os.kill(process, signal.SIGKILL)
        yield report


def test_where_no_scheduler_answers_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_workers, "CONNECTING", 1)
    with pytest.raises(CommandError, match="no Dask scheduler answers at tcp:"):
        next(dask_workers.judged_by_dask("tcp://127.0.0.1:9", tmp_path, Task("hw1", ""), "auto", Limits(), False, []))
