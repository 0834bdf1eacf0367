"""The amount of work in a call, the same on every computer: the lines of Python that it runs."""

import sys


def lines_run(f):
    """The number of lines of Python that `f()` runs, including those in functions that it calls."""
    count, before = 0, sys.gettrace()

    def note(frame, event, _):
        nonlocal count
        count += event == "line"
        return note

    sys.settrace(note)
    try:
        f()
    finally:
        sys.settrace(before)
    return count


def assert_linear(work, n):
    """Assert that twice the input runs at most about twice as many lines. work : from n to a function to run."""
    work(n)()  # what is imported or read once for all runs
    once, twice = lines_run(work(n)), lines_run(work(2 * n))
    assert twice <= 2.3 * once, f"{once} lines for {n}, {twice} for {2 * n}"
