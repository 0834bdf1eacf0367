"""Call a student's function with a time limit that interrupts endless loops, and return its errors and output."""

from __future__ import annotations

import builtins
import contextlib
import gc
import io
import linecache
import os
import signal
import sys
import sysconfig
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any, NoReturn, Protocol

from ..core.support.scopes import tapes_closed
from .budgets import own_time
from .silence import PrintedText, quiet

AGAIN = 0.05  # seconds between interruptions: they are repeated, because a loop may swallow the first one
OURS = (__name__, "contextlib")  # modules whose frames begin and end a limit
MOST_COLLECTING = 5.0  # the most garbage-collection time that does not count, as a multiple of the limit
MOST_IGNORED = 100  # the maximum number of errors of finalizers that are kept until a limit ends
PRINTED = 2000  # the maximum number of characters of printed text that are kept
GRACE = 0.5  # seconds: a library is interrupted only after this time, because it may be restoring its state


class OutOfTime(BaseException):
    """Raised to interrupt a loop that does not end; not an Exception, so `except Exception` does not catch it."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call: a value or a failure (neither if time ran out), and the printed text."""

    value: Any = None
    failure: Failure | None = None
    late: bool = False
    unanswered: bool = False
    printed: str = ""


class Observer(Protocol):
    """An object that is notified before and after each call. If `begins` returns an outcome, the call is not made."""

    def begins(self, seconds: float) -> Outcome | None: ...
    def ends(self) -> None: ...


observer: Observer | None = None
_kept = 0  # the number of open `uninterrupted` blocks


def call(function: Callable[[], Any], seconds: float = 2.0) -> Outcome:
    """Run `function()` and return its outcome. Ctrl-C still interrupts the call.

    >>> call(lambda: 1 / 0).failure.words
    'ZeroDivisionError: division by zero'
    """
    if observer is None:
        return _call(function, seconds)
    try:
        return observer.begins(seconds) or _call(function, seconds)
    finally:
        observer.ends()


def _call(function: Callable[[], Any], seconds: float) -> Outcome:
    printed = PrintedText(PRINTED)
    try:
        with _silence(printed), time_limit(seconds):  # the time limit ends before the clean-up of `_silence` begins
            return Outcome(next(_apart(function)), printed=printed.getvalue())
    except OutOfTime:
        return Outcome(late=True, printed=printed.getvalue())
    except KeyboardInterrupt as error:
        if observer is None:  # the user pressed the notebook's stop button; a helper process has an observer
            raise
        return Outcome(failure=failure(error), printed=printed.getvalue())
    except BaseException as error:  # catch SystemExit too, because a student's exit() must not end the notebook
        return Outcome(
            None, failure(error), unanswered=isinstance(error, NotImplementedError), printed=printed.getvalue()
        )


class _EndedEarly(Exception):
    """Raised by `_apart` instead of a StopIteration from a student's function, which no generator can raise."""

    def __init__(self, error: StopIteration) -> None:
        self.failure = failure(error)


def _apart(function: Callable[[], Any]) -> Iterator[Any]:
    """Yield the value of `function()`, called inside a generator.

    A generator has its own record of the exception that is being handled. If a second interruption comes during the
    clean-up after the first, the record remains. Outside a generator, it would become the context of all later errors
    in the process.
    """
    try:
        yield function()
    except StopIteration as error:
        raise _EndedEarly(error) from None


@contextlib.contextmanager
def _silence(printed: PrintedText) -> Iterator[None]:
    replaced = _replaced([*NOT_HERE, *_notebook()])
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), quiet(), tapes_closed(), replaced:
        yield


def _no_input(*args: Any, **kwargs: Any) -> NoReturn:
    raise RuntimeError("input() cannot be used in an answer; take the value as an argument instead")


def _no_end(*args: Any, **kwargs: Any) -> NoReturn:
    raise SystemExit


#: Functions and objects that a student's code must not use in the notebook, and their replacements.
NOT_HERE = [
    (builtins, "input", _no_input),
    (sys, "stdin", io.StringIO()),
    (os, "_exit", _no_end),
    (os, "abort", _no_end),
]


def _notebook() -> list[tuple[Any, str, Any]]:
    """Return a row for `NOT_HERE` that replaces IPython's `exit`, or no row if IPython is not running."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return [(shell, "ask_exit", _no_end)] if shell is not None else []


@contextlib.contextmanager
def _replaced(changes: list[tuple[Any, str, Any]]) -> Iterator[None]:
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    try:
        for owner, name, value in changes:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTime inside the block if it takes longer than `seconds`.

    The operating system's timer is used if possible, because it interrupts any running Python code. On Windows, or in
    another thread, each line is traced instead, which is slower and interrupts only once: a loop whose `except:`
    swallows the interruption continues.
    """
    main, collecting = threading.current_thread() is threading.main_thread(), gc.isenabled()
    clock = Clock(seconds)
    gc.callbacks.append(clock.collecting)
    # If endless recursion has used up the stack, callbacks and finalizers fail during a garbage collection.
    before, ignored = sys.unraisablehook, deque[Any](maxlen=MOST_IGNORED)
    sys.unraisablehook = hook = ignored.append  # a hook written in Python would fail as well
    try:
        with _alarm(clock) if main and hasattr(signal, "setitimer") else _watch(clock):
            yield
    finally:
        gc.callbacks.remove(clock.collecting)
        if sys.unraisablehook is hook:
            sys.unraisablehook = before
        for each in ignored:
            if not issubclass(each.exc_type, RecursionError):
                before(each)
        if collecting:  # an interrupted backward pass may have left the garbage collector disabled
            gc.enable()


class Clock:
    """A clock that measures by how many seconds a call exceeds its limit; the number is negative before the limit.

    The time that other programs use does not count. Garbage collection does not count either, up to `MOST_COLLECTING`
    times the limit, because in a notebook with millions of objects a single collection takes a third of a second.
    """

    def __init__(self, limit: float) -> None:
        self.limit, self.began, self.collected = limit, own_time(), 0.0
        self.collects_since: float | None = None

    def collecting(self, phase: str, info: dict[str, int]) -> None:
        """Measure a collection; the collector calls this method at the start and at the end of each."""
        now = own_time()
        if phase == "start":
            self.collects_since = now
        elif self.collects_since is not None:
            self.collected += now - self.collects_since
            self.collects_since = None

    def over(self) -> float:
        now = own_time() if self.collects_since is None else self.collects_since
        return now - self.began - min(self.collected, MOST_COLLECTING * self.limit) - self.limit


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Return a context for a short block; a time limit does not interrupt the block before it ends."""
    global _kept
    _kept += 1
    try:
        yield
    finally:
        _kept -= 1


@contextlib.contextmanager
def _alarm(clock: Clock) -> Iterator[None]:
    tracing = sys.gettrace()

    def ring(number: int, frame: FrameType | None) -> None:
        over = clock.over()
        # The time may have gone to other processes, or the code must not be interrupted now: wait for the next signal.
        if over < 0 or _kept:
            return
        if clock.collects_since is not None and frame is not None:
            frame = frame.f_back  # go to the caller of the clock's own method, because an error in it would be lost
        inner = frame if clock.collects_since is None else None
        sys.settrace(_stop)  # if a bare `except:` swallows the interruption, the next line is interrupted too
        while frame is not None and frame.f_globals.get("__name__") != __name__:
            if not _library(frame):
                frame.f_trace = _stop
            frame = frame.f_back
        ours = inner is None or inner.f_globals.get("__name__") in OURS
        if inner is not None and not ours and (not _library(inner) or over > GRACE):
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, clock.limit, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before if callable(before) else _late)  # the default would end the process
        sys.settrace(tracing)


def _late(number: int, frame: FrameType | None) -> None:
    """Ignore a signal: on a busy computer, a timer may ring after it was stopped."""


@contextlib.contextmanager
def _watch(clock: Clock) -> Iterator[None]:
    end = time.monotonic() + clock.limit
    tracing = sys.gettrace()

    def watch(frame: FrameType, event: str, argument: Any) -> Any:
        if time.monotonic() > end and clock.over() > 0:
            return _stop(frame, event, argument)
        return watch

    sys.settrace(watch)
    try:
        yield
    finally:
        sys.settrace(tracing)


def _stop(frame: FrameType, event: str, argument: Any) -> Any:
    if _library(frame):
        return None
    if event == "line" and not _kept:  # not at "call" events, because closing a generator may cause one
        raise OutOfTime
    return _stop  # other events, such as the "exception" of the interruption itself, only continue the tracing


def _library(frame: FrameType) -> bool:
    """Return whether a frame belongs to a library; a library is not interrupted, so that it can restore its state."""
    return frame.f_code.co_filename.startswith(LIBRARIES)


PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = (PACKAGE, *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")))
LIBRARIES = ("<frozen ", *(folder + os.sep for folder in FOLDERS))  # an interrupted import cannot be repaired
CHECKS = "minigrad_checks_"  # the prefix of module names for check files


@dataclass(frozen=True)
class Failure:
    """An exception in a student's code: its message, and the student's line that raised it."""

    kind: str
    words: str
    line: int | None = None
    code: str = ""


def failure(error: BaseException) -> Failure:
    """Return `error.failure` if it exists, or else the error in words with the innermost of the student's lines."""
    if isinstance(failure := getattr(error, "failure", None), Failure):
        return failure
    kind = type(error).__name__
    try:
        message = str(error)
    except Exception as other:  # `__str__` of the student's own exception class raised this
        message = f"its __str__ raises {type(other).__name__}"
    words = f"{kind}: {message[:600]}" if message else kind
    if kind in ("NotConnected", "Misused", "RuleError"):  # minigrad's errors have a sentence as their message
        words = message
    if isinstance(error, RecursionError):
        words = "RecursionError: the function calls itself again and again"
    return Failure(kind, words, *_own_line(error.__traceback__))


def method_that_raised(error: BaseException) -> str:
    """Return the name of the student's function that raised the error, such as `__repr__`, or "" if other code did."""
    name, traceback = "", error.__traceback__
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if _is_students(traceback):
            name = traceback.tb_frame.f_code.co_name
        elif filename.startswith(PACKAGE + os.sep):
            name = ""
        traceback = traceback.tb_next
    return name


def _is_students(traceback: TracebackType) -> bool:
    frame = traceback.tb_frame
    checks = str(frame.f_globals.get("__name__", "")).startswith(CHECKS)
    return not checks and not frame.f_code.co_filename.startswith(LIBRARIES)


def _own_line(traceback: TracebackType | None) -> tuple[int | None, str]:
    line, code = None, ""
    while traceback is not None:
        if _is_students(traceback):
            line, filename = traceback.tb_lineno, traceback.tb_frame.f_code.co_filename
            code = linecache.getline(filename, line).strip()
        traceback = traceback.tb_next
    return line, code
