"""The judge's side of a student's process: start it, send it requests, and end it when no reply comes in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from .budgets import busy
from .channel import Channel, Ended, Late
from .codec import BadMessage
from .servers import Starter
from .timeout import OutOfTime, uninterrupted

SHORTEST = 0.3  # the shortest time limit in seconds for a statement; each endless statement halves the limit
STARTING = 10.0  # additional seconds for a process to start
NOT_REQUESTED = "the process sent messages without a request"
FORGED = f"The process was ended: {NOT_REQUESTED}."
LEFT = "Processes that it had started were ended."
SERVER_ENDED = "the process that starts students' processes ended"


class CodeCell(Protocol):
    """A notebook cell with code: its source, and its number."""

    @property
    def source(self) -> str: ...
    @property
    def number(self) -> int: ...


class Stopped(Exception):
    """Raised if the student's process sent no reply.

    how : "late" (the time limit of the request), "ended" (the process died), "refused" (an invalid message), "spent"
        (the time of the whole submission), or "lost" (the server died).
    """

    def __init__(self, how: str, words: str) -> None:
        super().__init__(words)
        self.how = how


@dataclass
class Statements:
    """How far the statements of a submission got in all processes so far. A statement is a pair (cell, index).

    lost : the statements to leave out, because they do not end or because they end the process.
    late : the number of statements that do not end.
    finished : the statements that have ended.
    """

    lost: list[tuple[int, int]] = field(default_factory=list)
    late: int = 0
    finished: set[tuple[int, int]] = field(default_factory=set)


class Process:
    """A separate process that runs one submission; it is restarted when it ends.

    notes : sentences about irregularities.
    renew : a function that returns a running server, called if the first one has ended.
    statements : how far the statements got in earlier processes.
    asked : whether any of the student's code was called after the cells had run.
    """

    def __init__(
        self,
        server: Starter,
        cells: Sequence[CodeCell],
        renew: Callable[[], Starter] | None = None,
        statements: Statements | None = None,
    ) -> None:
        self.server, self.cells, self.limits = server, cells, server.limits
        self.renew, self.renewed = renew, 0
        self.notes: list[str] = []
        self.statements = statements or Statements()
        self.left = server.limits.submission
        self.asked = False
        self.generation = 0
        self._channel: Channel | None = None
        self._number = 0
        self._forged = False
        self._at: tuple[int, int] | None = None

    def begin(self) -> None:
        """Run the cells; if a statement does not end, start again without it. Raises Stopped if this fails."""
        if self._forged:
            raise Stopped("refused", NOT_REQUESTED)
        while True:
            with uninterrupted():
                self.end()
                self._spawn()
            cells = [[cell.number, cell.source] for cell in self.cells]
            self._at = None
            try:
                question = {"do": "run", "cells": cells, "skip": self.statements.lost}
                answer = self._exchange(question, self._statement_limit, self._begins)
                if not isinstance(answer.get("notes"), list):
                    self._forged = True
                    self._note(FORGED)
                    self.end()
                    raise Stopped("refused", NOT_REQUESTED)
                for note in answer["notes"][:50]:
                    self._note(str(note)[:300])
                return
            except Stopped as stopped:
                lost = self.statements.lost
                if stopped.how in ("refused", "spent") or self._at is None or len(lost) >= self.limits.restarts:
                    raise
                number, index = self._at
                if self._at in lost:
                    raise
                lost.append((number, index))
                self.statements.late += stopped.how == "late"
                what = "did not end" if stopped.how == "late" else "ended the process"
                self.notes.append(f"Statement {index + 1} of cell {number} {what} and was left out.")

    def _spawn(self) -> None:
        try:
            self._channel = self.server.spawn()
        except OSError:
            self.server.close()
            if self.renew is None or self.renewed == self.limits.restarts:
                raise Stopped("lost", SERVER_ENDED) from None
            self.renewed += 1
            self.server = self.renew()
            self._channel = self.server.spawn()
        self.generation += 1

    def _begins(self, message: dict[str, Any]) -> None:
        if self._at is not None:
            self.statements.finished.add(self._at)
        self._at = (int(message["at"][0]), int(message["at"][1]))

    def _statement_limit(self) -> float:
        """Return the time limit for the running statement in seconds; each earlier endless statement halves it."""
        if self._at is None:  # the process is starting, and its cells are being compiled
            return self.limits.statement + STARTING
        if self._at in self.statements.finished:
            return self.limits.statement
        return max(self.limits.statement / 2**self.statements.late, min(SHORTEST, self.limits.statement))

    def reply_to(self, question: dict[str, Any], seconds: float, call_back: Callable[..., Any]) -> dict[str, Any]:
        """Return the reply to one request. Raises Stopped if the process ended; the next request starts it again."""
        if self._channel is None:
            self.begin()
        self.asked |= question["do"] != "has"
        return self._exchange(question, lambda: seconds, call_back)

    @property
    def ended(self) -> bool:
        """Whether the process is not running."""
        return self._channel is None

    @uninterrupted()
    def end(self) -> None:
        """End the process."""
        if self._channel is not None:
            self._channel.connection.close()
            self._channel = None
            try:
                remaining = self.server.end()
            except (OSError, ValueError):  # the server has ended as well; the next process gets a new server
                self.server.close()
                remaining = 0
            if remaining:
                self._note(LEFT)

    def _exchange(
        self, question: dict[str, Any], seconds: Callable[[], float], call_back: Callable[[Any], Any]
    ) -> dict[str, Any]:
        """Return the reply to one request.

        seconds : a function that returns the time limit for the next message, in seconds.
        """
        channel = self._channel
        assert channel is not None
        number = self._number = self._number + 1  # distinguishes replies, because a callback may send further requests
        slower = busy()
        try:
            if channel.pending():
                raise BadMessage(NOT_REQUESTED)
            channel.send({**question, "id": number})
            while True:
                began = time.monotonic()
                if self.left <= 0:
                    raise self._spent()
                try:
                    message = channel.receive(min(seconds(), self.left) * slower)
                finally:
                    self.left -= (time.monotonic() - began) / slower
                if not isinstance(message, dict) or message.get("id") != number:
                    raise BadMessage(NOT_REQUESTED)
                if "at" not in message and "callback" not in message:
                    return message
                reply = call_back(message)
                if self.ended:
                    raise Ended
                if "callback" in message:
                    channel.send(reply)
        except (Late, OutOfTime):  # the time limit of this request, or of a caller, was exceeded
            self.end()
            if self.left <= 0:  # the time of the whole process has run out
                raise self._spent() from None
            raise Stopped("late", f"it did not end within {seconds():g} seconds") from None
        except Ended:
            self.end()
            if not self.server.alive:
                raise Stopped("lost", SERVER_ENDED) from None
            raise Stopped("ended", "a crash: it ended the process") from None
        except (BadMessage, KeyError, TypeError, IndexError, ValueError) as why:
            self.end()
            self._forged = True
            self._note(f"The process was ended: {why}.")
            raise Stopped("refused", str(why)) from None
        except Stopped:
            self.end()
            raise

    def _spent(self) -> Stopped:
        return Stopped("spent", f"the submission used up its {self.limits.submission:g} seconds")

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


class Processes:
    """The processes of one submission, one after another.

    notes : the notes that a student may read. If a process was sent hidden inputs, its notes are left out, except notes
        about forged replies and leftover processes.
    """

    def __init__(self, cells: Sequence[CodeCell], server: Callable[[bool], Starter]) -> None:
        self.cells, self.server = cells, server
        self.notes: list[str] = []
        self._known = Statements()
        self._process: Process | None = None
        self._kind = True, 0

    def new(self, engine: bool, hidden: int) -> Process:
        """End the last process and return a new one; if the last one is of the same kind and unused, return it again.

        engine : whether the process can import minigrad.
        hidden : `Check.hidden` of the checks that use the process.
        """
        if self._process is None or self._process.asked or self._kind != (engine, hidden):
            self.close()
            renew = partial(self.server, engine)
            self._process, self._kind = Process(renew(), self.cells, renew, self._known), (engine, hidden)
        return self._process

    def close(self) -> None:
        """End the last process."""
        if self._process is not None:
            self._process.end()
            notes = self._process.notes
            reported = [note for note in notes if note in (FORGED, LEFT)] if self._kind[1] else notes
            self.notes += [note for note in reported if note not in self.notes]
            self._process = None
