"""Tables that a single test goes through: thousands of short checks, without a test for each."""

import inspect
import itertools

import pytest


def over(*tables, quick=None):
    """Make one test of the check of a row: it goes through the whole table, and each row that fails is reported.

    tables : name -> row, or a list of rows; of several lists every combination is a row. A row is what the check is
    called with. quick : the number of rows in the quick mode, if not all. The test keeps its `check` and its `rows`.
    """
    table = tables[0] if len(tables) == 1 else list(itertools.product(*tables))

    def decorate(check):
        alone = len(inspect.signature(check).parameters) == 1
        named = table if isinstance(table, dict) else {f"{i} {called(row)}": row for i, row in enumerate(table)}
        rows = {name: (row,) if alone else row for name, row in named.items()}
        assert rows, "a table without rows checks nothing"

        def test(subtests, sampled):
            for name in sampled(rows, quick) if quick else rows:
                try:
                    check(*rows[name])
                except (Exception, pytest.fail.Exception):  # a subtest of each row would cost more than most checks
                    with subtests.test(name):
                        raise

        test.__name__, test.__doc__, test.__module__ = check.__name__, check.__doc__, check.__module__
        test.pytestmark = getattr(check, "pytestmark", [])
        test.check, test.rows = check, rows
        return test

    return decorate


def called(row):
    """The name of a row: the names or the values of its parts."""
    parts = row if isinstance(row, tuple) else (row,)
    return " ".join(str(getattr(part, "name", None) or getattr(part, "__name__", part)) for part in parts)[:80]
