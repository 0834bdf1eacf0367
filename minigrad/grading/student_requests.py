"""The requests to a student's process for one exercise; the replies are converted to the judge's values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.runner.process import Process, Stopped
from minigrad.runner.timeout import OutOfTime

from .objects import JudgeObjects
from .proxy import CRASH, Expression, Proxy, ProxyClass, derived_from, described, student_error


class Session:
    """The requests to a student's process for one exercise.

    seconds : the time limit for one reply.
    recorded : a function that computes a call with Tensors from its graph; None if such calls are made by value.
        graphs : whether the answer is a graph; then every call is recorded. classes : the student's classes that the
        exercise is about; the checks compute with their objects. objects : whether the checks compute with objects of
        any class of the student.
    """

    def __init__(self, process: Process, seconds: float) -> None:
        self.process, self.seconds = process, process.limits.call or seconds
        self.generation = 0  # the generation of the process with the objects; 0 before its first reply
        self.codec = JudgeObjects(self._far)
        self._known: dict[int, Any] = {}
        self.recorded: Callable[[Expression], Any] | None = None
        self.graphs = self.objects = False
        self.classes: set[ProxyClass] = set()
        self._stopped = ""

    @property
    def stopped(self) -> str:
        """The way in which the process with the objects stopped: "late", "ended", "refused", "spent", "lost", or ""."""
        unsaid = "spent" if self.process.left <= 0 else "late"  # "late": a caller's time limit ran out first
        return self._stopped or (unsaid if self._over else "")

    @property
    def _over(self) -> bool:
        return bool(self.generation) and (self.process.ended or self.generation != self.process.generation)

    def root(self, name: str) -> Any:
        """Return the value of a global name of the submission. Raises KeyError if it is not defined."""
        value = self.codec.read(self.has([name])[name])
        self.note_class(value)
        return value

    def note_class(self, value: Any) -> None:
        """If a value is a student's class, record that the checks may compute with its objects."""
        if isinstance(value, ProxyClass):
            self.classes.add(value)

    def computes_with(self, cls: type) -> bool:
        """Return whether checks compute with the objects of a class rather than with their numbers."""
        return self.objects or not self.classes.isdisjoint([cls, *derived_from(cls)])

    def has(self, names: Sequence[str]) -> dict[str, Any]:
        """Return, as data, the values of the names in `names` that the submission defines. Raises Stopped."""
        answer = self.process.reply_to({"do": "has", "names": list(names)}, self.seconds, self._call)
        self.generation = self.process.generation
        descriptions = answer.get("ok")
        return descriptions if isinstance(descriptions, dict) else {}

    def evaluate(self, tree: dict[str, Any], changed: list[Any] | None = None) -> Any:
        """Compute an expression in the student's process.

        changed : arguments that the computation may change.
        """
        answer = self.reply_to({"do": "evaluate", "tree": tree, **self.codec.news()})
        if changed is not None and "changed" in answer:
            for x, new in zip(changed, map(self.codec.read, answer["changed"])):
                if isinstance(x, dict):
                    x.clear()
                    x.update(new)
                elif isinstance(x, list) and isinstance(new, list):
                    x[:] = new
                elif np.shape(x) == np.shape(new):
                    x[...] = new
        return self.codec.read(answer["ok"])

    def reply_to(self, question: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer; print what the student's code printed, and raise its error, if any."""
        return self.checked(self._exchange(question, self.seconds))

    def recordings(self, question: dict[str, Any], seconds: float | None = None) -> list[dict[str, Any]]:
        """Send a request that records graphs and return the answers; some may be errors, which `checked` raises."""
        recordings = self._exchange(question, seconds or self.seconds).get("answers")
        if not isinstance(recordings, list) or list(map(type, recordings)) != [dict] * len(question["points"]):
            self._stopped = "refused"
            raise student_error(CRASH, "answers that cannot be read")
        return recordings

    def checked(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Print what the student's code printed, and return the answer, or raise the student's error in it."""
        print(str(answer.get("printed", ""))[:2000], end="")
        if "raised" in answer:
            raise described(answer["raised"])
        if "opaque" in answer:
            raise student_error("BadMessage", f"It returned {str(answer['opaque'])[:300]}.")
        return answer

    def _exchange(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a request and return the raw answer. Raises OutOfTime or a student's error if the process stops."""
        if self._over:
            raise student_error("Ended", "its process had ended before")
        try:
            answer = self.process.reply_to(question, seconds, self._call)
        except Stopped as stopped:
            self._stopped = stopped.how
            if stopped.how == "late":
                raise OutOfTime from None
            raise student_error(CRASH, str(stopped)) from None
        self.generation = self.process.generation
        return answer

    def _call(self, message: dict[str, Any]) -> dict[str, Any]:
        """Run one of the judge's functions for the student's process.

        The function may compute with the student's objects, because its result goes back to that process.
        """
        before, self.objects = self.objects, True
        try:
            return self.codec.call(message)
        finally:
            self.objects = before

    def _far(self, data: dict[str, Any]) -> Any:
        number = data["object"]
        if number not in self._known:
            self._known[number] = self._make(data)
        return self._known[number]

    def _make(self, data: dict[str, Any]) -> Any:
        name = str(data.get("name", ""))[:60]
        if data.get("kind") == "class":
            bases = [self._far({"object": number, "kind": "class"}) for number in data.get("bases", [])]
            members = {"_session": self, "_of": data, "_bases": bases}
            return ProxyClass(name if name.isidentifier() else "Class", (Proxy,), members)
        cls = Proxy
        if "class" in data:
            cls = self._far({**data, "object": data["class"], "kind": "class"})
        made = object.__new__(cls)
        vars(made).update(_session=self, _data=data)
        return made
