"""Fixtures and hooks for all tests."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from minigrad.tracing import introduced
from minigrad.tracing.user_lines import remember_lines

pytest_plugins = ["tests.modes"]

TESTS = Path(__file__).parent
settings.register_profile("busy", deadline=None)  # a busy computer may take a long time for one example
settings.load_profile("busy")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """One worker for each core, and at least two, because many tests wait."""
    return max(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2)


#: The rooms of the engine, whose tests start no event loop.
ENGINE = {"core", "ops", "transforms", "tracing", "graphs", "diagnostics", "programs", "frameworks", "optim", "data"}


def _is_of_engine(path):
    """Whether a file is a test of the engine; an example in a module of the package is not."""
    return any(path.is_relative_to(TESTS / room) for room in ENGINE)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Put the tests in an order in which no worker waits: those in JupyterLab are many, and all in one worker.

    Playwright's event loop stays in the process, so only tests that start none come after them.
    """

    def place(item):
        if item.get_closest_marker("browser"):
            return 1 if "lab" in item.fixturenames else 3
        return 2 if _is_of_engine(item.path) else 0

    for item in items:
        if "lab" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group("jupyterlab"))
    items.sort(key=place)


@pytest.fixture(autouse=True, scope="session")
def _progress_of_nobody(tmp_path_factory):
    """Keep solutions in tests out of the progress of the person who runs them."""
    os.environ["MINIGRAD_PROGRESS"] = str(tmp_path_factory.mktemp("progress") / "progress.jsonl")


@pytest.fixture(autouse=True)
def _lines(request):
    """Remember lines as for users if viz was imported, whatever another test has set; no lesson was opened.

    The tests of the engine run as they do without viz.
    """
    remember_lines("viz.public" in sys.modules and not _is_of_engine(request.path))
    introduced.gradients = True
