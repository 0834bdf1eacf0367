"""Call a student's function with a time limit, which interrupts endless loops, and keep its errors and output."""

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

AGAIN = 0.05  # a loop may swallow the first interruption, so it is repeated
OURS = (__name__, "contextlib")  # modules whose frames begin and end a limit
MOST_COLLECTING = 5.0  # time for garbage collection that does not count, as a multiple of the limit
MOST_IGNORED = 100  # maximum number of finalizers' errors that are kept until a limit ends
PRINTED = 2000  # characters of printed text that are kept
GRACE = 0.5  # seconds: a library may be restoring its state, and is interrupted only afterwards


class OutOfTime(BaseException):
    """Raised to interrupt a loop that does not end; not an Exception, so `except Exception` does not catch it."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call: a value or a failure, or neither if time ran out, and the printed text."""

    value: Any = None
    failure: Failure | None = None
    late: bool = False
    unanswered: bool = False
    printed: str = ""


class Observer(Protocol):
    """An object that is called before and after each call; an outcome that `begins` returns replaces the call."""

    def begins(self, seconds: float) -> Outcome | None: ...
    def ends(self) -> None: ...


observer: Observer | None = None
_kept = 0  # the number of open `uninterrupted` blocks


def call(function: Callable[[], Any], seconds: float = 2.0) -> Outcome:
    """Run `function()` and return its outcome. Ctrl-C still interrupts.

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
        with _silence(printed), time_limit(seconds):  # the limit ends before the clean-up, and so does not interrupt it
            return Outcome(next(_apart(function)), printed=printed.getvalue())
    except OutOfTime:
        return Outcome(late=True, printed=printed.getvalue())
    except KeyboardInterrupt as error:
        if observer is None:  # the notebook's stop button; a helper process has none
            raise
        return Outcome(failure=failure(error), printed=printed.getvalue())
    except BaseException as error:  # SystemExit too: a student's exit() must not end the notebook
        return Outcome(
            None, failure(error), unanswered=isinstance(error, NotImplementedError), printed=printed.getvalue()
        )


class _EndedEarly(Exception):
    """A StopIteration from a student's function, which a generator cannot raise."""

    def __init__(self, error: StopIteration) -> None:
        self.failure = failure(error)


def _apart(function: Callable[[], Any]) -> Iterator[Any]:
    """Yield the value of `function()`, called inside a generator.

    A generator has its own record of the exception that is being handled. If an interruption hits the clean-up after a
    previous one, that record remains; outside a generator, it would become the context of all later errors in the
    process.
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
    """Return the row of `NOT_HERE` for IPython's `exit`, if IPython is running."""
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

    The operating system's timer is used if it exists: it interrupts any running Python code.
    Otherwise (on Windows, or in another thread) each line is traced, which is slower and interrupts only once: a loop
    whose `except:` swallows the interruption goes on.
    """
    main, collecting = threading.current_thread() is threading.main_thread(), gc.isenabled()
    clock = Clock(seconds)
    gc.callbacks.append(clock.collecting)
    # If endless recursion has used up the stack, a garbage collection has no room for callbacks and finalizers.
    before, ignored = sys.unraisablehook, deque[Any](maxlen=MOST_IGNORED)
    sys.unraisablehook = hook = ignored.append  # not a Python function, which would have no room either
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
        if collecting:  # an interrupted backward pass may have left the collector paused
            gc.enable()


class Clock:
    """A clock that measures how many seconds a call is over its limit; negative before the limit.

    The time of other programs does not count. Nor does garbage collection, up to `MOST_COLLECTING` times the limit: in
    a notebook with millions of objects, a single collection takes a third of a second.
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
    """Return a context for a short block that a time limit does not interrupt before its end."""
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
        if over < 0 or _kept:  # other processes ran, or the code must not be interrupted now; the timer will ring again
            return
        if clock.collects_since is not None and frame is not None:
            frame = frame.f_back  # leave the clock's own function, in which an error would be lost
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
    """Do nothing: on a busy computer, a timer may ring after it was stopped."""


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
    if event == "line" and not _kept:  # not at a "call" event, which may belong to a generator that is being closed
        raise OutOfTime
    return _stop  # the interruption itself is traced as an "exception"; wait for the next line


def _library(frame: FrameType) -> bool:
    """Return whether a frame belongs to a library, which is not interrupted so that it can undo its changes."""
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
    """Return the error in words, with the innermost of the student's lines; or `error.failure` if it exists."""
    if isinstance(failure := getattr(error, "failure", None), Failure):
        return failure
    kind = type(error).__name__
    try:
        message = str(error)
    except Exception as other:  # the student's own exception class raised this
        message = f"its __str__ raises {type(other).__name__}"
    words = f"{kind}: {message[:600]}" if message else kind
    if kind in ("NotConnected", "Misused", "RuleError"):  # a minigrad error, whose message is a sentence
        words = message
    if isinstance(error, RecursionError):
        words = "RecursionError: the function calls itself again and again"
    return Failure(kind, words, *_own_line(error.__traceback__))


def method_that_raised(error: BaseException) -> str:
    """Return the name of the student's function that raised the error, such as `__repr__`, or "" for other code."""
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
