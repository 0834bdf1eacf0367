"""A time limit does not count the time that other programs take."""

import contextlib
import gc
import sys
import threading
import time

import pytest

from minigrad.runner import budgets, timeout

LONG = 0.6  # seconds of work, twelve times the limit


def busy():
    end = time.thread_time() + LONG
    while time.thread_time() < end:
        pass
    return "done"


def in_a_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.parametrize("run", [lambda f: f(), in_a_thread], ids=["timer", "traced"])
def test_the_time_of_others_does_not_count(run, monkeypatch):
    assert run(lambda: timeout.call(busy, LONG / 12)).late
    began = time.monotonic()
    monkeypatch.setattr(budgets, "waited", lambda process="self": 0.999 * (time.monotonic() - began))
    assert run(lambda: timeout.call(busy, LONG / 12)).value == "done"


def test_a_system_that_does_not_tell_counts_all(monkeypatch):
    def no_file(*args):
        raise FileNotFoundError

    monkeypatch.setattr(budgets, "open", no_file, raising=False)
    assert budgets.waited() == 0.0
    before = time.monotonic()
    assert before <= budgets.own_time() <= time.monotonic()


def test_the_file_of_linux(tmp_path, monkeypatch):
    file = tmp_path / "schedstat"
    monkeypatch.setattr(budgets, "open", lambda *args: file.open("rb"), raising=False)
    file.write_text("134461 3332212000 2\n")
    assert budgets.waited() == 3.332212
    file.write_text("broken")
    assert budgets.waited() == 0.0


class Cleaned:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass  # interrupted, too: the handler of the first interruption does not end


def in_two_cleanups():
    with Cleaned(), Cleaned():
        while True:
            pass


def in_a_cleanup_that_goes_on():
    while True:
        try:
            with contextlib.suppress(ValueError):
                while True:
                    pass
        finally:
            time.monotonic()


@pytest.mark.parametrize("run", [lambda f: f(), in_a_thread], ids=["timer", "traced"])
@pytest.mark.parametrize("function", [in_two_cleanups, in_a_cleanup_that_goes_on])
def test_an_interruption_is_no_context_of_later_errors(function, run):
    def later():
        late = timeout.call(function, 0.05).late
        with pytest.raises(ZeroDivisionError) as raised:
            1 / 0  # noqa: B018
        return late, raised.value.__context__, sys.exc_info()[0]

    assert run(later) == (True, None, None)


def test_an_answer_may_raise_stop_iteration():
    failure = timeout.call(lambda: next(iter([]))).failure
    assert (failure.kind, failure.words) == ("StopIteration", "StopIteration")


@pytest.fixture
def crowded():
    """Two million objects, which every full garbage collection looks at."""
    objects = [[[i]] for i in range(1_000_000)]
    yield
    objects.clear()


@pytest.mark.parametrize("run", [lambda f: f(), in_a_thread], ids=["timer", "traced"])
def test_collecting_garbage_does_not_count(run, crowded):
    began = time.monotonic()
    gc.collect()
    limit = (time.monotonic() - began) / 2

    def collected_once():
        gc.collect()
        return "done"

    assert run(lambda: timeout.call(collected_once, limit)).value == "done"
    assert not [f for f in gc.callbacks if isinstance(getattr(f, "__self__", None), timeout.Clock)]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # it may meet a callback of Hypothesis
@pytest.mark.parametrize("run", [lambda f: f(), in_a_thread], ids=["timer", "traced"])
def test_collecting_garbage_without_end_is_stopped(run):
    def collected_forever():
        while True:
            gc.collect()

    assert run(lambda: timeout.call(collected_forever, 0.05)).late


def at_the_last_frame():
    """Collect garbage at each depth near the recursion limit, and once more where a call exceeded it."""
    try:
        return at_the_last_frame()
    except RecursionError:
        gc.collect(0)
        raise


class Fails:
    """A part of a cycle whose finalizer fails."""

    def __init__(self):
        self.me = self

    def __del__(self):
        raise LookupError("in a finalizer")


def test_a_collection_at_the_end_of_the_stack_fails_nowhere(monkeypatch):
    unraisable = []
    hook = unraisable.append
    monkeypatch.setattr(sys, "unraisablehook", hook)
    outcome = timeout.call(at_the_last_frame, seconds=5.0)
    assert outcome.failure.words.startswith("RecursionError")
    assert unraisable == [] and sys.unraisablehook is hook


def test_another_error_of_a_finalizer_is_reported_once_the_limit_ends(monkeypatch):
    unraisable = []
    monkeypatch.setattr(sys, "unraisablehook", lambda each: unraisable.append(each.exc_type))

    def forget():
        Fails()
        gc.collect()
        return len(unraisable)

    assert timeout.call(forget, seconds=5.0).value == 0 and unraisable == [LookupError]
