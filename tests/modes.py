"""The modes of a run: all tests; with --quick the short ones, at a few cases of each table; with --rest the others.

Which cases are run depends only on their names, so two runs are alike on every computer. Markers change this:

always : a case that the quick mode runs in addition to the chosen ones.
cases(n) : the quick mode runs n cases of this table.
browser, hostile, slow : the quick mode leaves these out, except those marked smoke.

--rest does not run what --quick ran completely, so the two together run everything.

A test that is named on the command line (``file.py::test``) is taken in either mode.

With --minutes, a run ends in time on a slow computer too: after that many minutes no test begins, and the summary
counts those that did not.
"""

import hashlib
import inspect
import time
from collections import Counter

import pytest

#: Cases of each table, unless a marker `cases` says otherwise.
CASES = 3
#: Tests that can be left out, in the words of the summary: those that wait or take long, and the other cases of a
#: table.
WORDS = {
    "browser": "tests in a browser",
    "hostile": "submissions hostile to the judge",
    "slow": "slow tests",
    "cases": "more cases of tables",
    "rows": "rows of tables that one test goes through",
}

left_out = pytest.StashKey[Counter]()
begun = pytest.StashKey[float]()


def pytest_addoption(parser):
    group = parser.getgroup("minigrad")
    group.addoption("--quick", action="store_true", help="run the short tests, at a few cases of each table")
    group.addoption("--rest", action="store_true", help="run what --quick leaves out, or runs at a few rows")
    group.addoption("--minutes", type=float, metavar="N", help="begin no test after N minutes")
    group.addoption("--rotate", default="", metavar="WORD", help="with --quick: other cases, chosen by this word")


def pytest_sessionstart(session):
    session.config.stash[begun] = time.monotonic()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    minutes = item.config.getoption("minutes")
    if minutes is not None and time.monotonic() - item.config.stash[begun] > 60 * minutes:
        pytest.skip("left out: the minutes that --minutes gives are over")


@pytest.fixture(scope="session")
def sampled(request):
    """A function that returns a whole table to loop over, or a few of its rows in the quick mode.

    number : the number of these rows. name : a function that names a row, which is chosen by its name.
    """

    def rows(table, number=CASES, name=str):
        table = list(table)
        if not request.config.getoption("quick") or len(table) <= number:
            return table
        request.config.stash[left_out]["rows"] += len(table) - number
        word = request.config.getoption("rotate")
        return sorted(table, key=lambda row: rank(name(row), word))[:number]

    return rows


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave out what the quick mode does not run, after -k and -m have chosen."""
    config.stash[left_out] = Counter()
    if any("::" in argument for argument in config.args):
        return
    word = config.getoption("rotate")
    if config.getoption("quick"):
        taken = set(quick(items, word, config.stash[left_out]))
        items[:] = [item for item in items if item in taken]
    elif config.getoption("rest"):
        taken = set(quick(items, word, Counter()))
        items[:] = [item for item in items if item not in taken or differs_by_mode(item)]


def quick(items, word, count):
    """Yield the items that the quick mode runs, and count the others by their kind."""
    tables = {}
    for item in items:
        kind = next((kind for kind in ("browser", "hostile", "slow") if marked(item, kind)), None)
        if kind and not marked(item, "smoke"):
            count[kind] += 1
        else:
            tables.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for table in tables.values():
        marker = table[0].get_closest_marker("cases")
        number = marker.args[0] if marker else CASES
        chosen = sorted(table, key=lambda item: rank(item.name, word))[:number]
        chosen += [item for item in table if marked(item, "always") and item not in chosen]
        count["cases"] += len(table) - len(chosen)
        yield from chosen


def differs_by_mode(item):
    """Whether a test can run fewer rows or examples in the quick mode."""
    return "sampled" in item.fixturenames or "request" in inspect.signature(item.obj).parameters


def rank(name, word):
    """Bytes that depend only on the name of a case and on the word."""
    return hashlib.blake2b(f"{word} {name}".encode(), digest_size=8).digest()


def marked(item, name):
    return item.get_closest_marker(name) is not None


def pytest_sessionfinish(session):
    """Pass on what a worker has left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash.get(left_out, {}))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Add up what was left out: all workers leave out the same cases, and each its own rows."""
    count = node.config.stash.get(left_out, Counter())
    theirs = Counter(getattr(node, "workeroutput", {}).get("left_out"))
    node.config.stash[left_out] = theirs | Counter(rows=count["rows"] + theirs["rows"])


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """Say at the very end what was left out, and how to run it."""
    count, reporter = config.stash.get(left_out, {}), config.pluginmanager.get_plugin("terminalreporter")
    parts = [f"{count[kind]:,} {words}" for kind, words in WORDS.items() if count.get(kind)]
    if parts and reporter:
        reporter.write_line(f"Quick mode: left out were {', '.join(parts)}.")
        reporter.write_line("Everything: python start.py test all")
