"""Predictions: a letter, numbers, or boxes and arrows of a graph, stored only as salted hashes.

Letters are typed. All other answers may be typed, or given in a picture, as its `answer`; see `Lesson.picture`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .sealed import digest, seal, unseal

FINE = 8  # the allowed distance of a number is divided into this many steps
EDGES = (
    "edge",
    "edges",
    "order",
)  #: the kinds of questions about arrows: one arrow, several in any order, or all in a valid order of sending


@dataclass(frozen=True)
class Known:
    """An expected answer as a hash, whether it is right, and its sentence, which only the answer can unseal."""

    digest: str
    right: bool
    says: str


@dataclass(frozen=True)
class Question:
    """A prediction to type, or to make in a picture.

    kind : "choice", "number", "numbers", "box" or one of `EDGES`. letters : the letters of a choice. step : the size of
        the steps in which numbers are recognised, 0 if they must be exact. otherwise : the sentence for an unexpected
        answer.
    arrows : for an order, all edges of the graph; an order is right if each box sends only after all messages to it.

    >>> question = Question.of_numbers("sum", "number", {3.0: "Yes.", 4.0: "One too many."}, [3.0], within=0.1)
    >>> question.verdict(3.05), question.verdict(4), question.verdict(7)
    ((True, 'Yes.'), (False, 'One too many.'), (False, ''))
    """

    salt: str
    kind: str
    known: tuple[Known, ...]
    letters: tuple[str, ...] = ()
    step: float = 0.0
    otherwise: str = ""
    arrows: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_letters(cls, salt: str, answer: str, because: Mapping[str, str]) -> Question:
        """Return a choice between the letters in `because`, which has a sentence for each."""
        letters = tuple(map(letter, because))
        expected = (Known(digest(salt, k), k == answer, seal(v, salt, k)) for k, v in zip(letters, because.values()))
        return cls(salt, "choice", tuple(expected), letters)

    @classmethod
    def of_numbers(
        cls,
        salt: str,
        kind: str,
        because: Mapping[Any, str],
        answers: Iterable[Any],
        within: float,
        otherwise: str = "",
    ) -> Question:
        """Return a question for a number or a list of numbers.

        An answer is right if each of its numbers differs by at most `within` from the corresponding number of one of
        the `answers`.
        """
        step = within / FINE
        right = {key(a, step) for a in answers}
        sentences = {key(number, step): says for number, says in because.items()}
        expected = [Known(digest(salt, k), k in right, seal(says, salt, k)) for k, says in sentences.items()]
        expected += [Known(digest(salt, k), True, seal("", salt, k)) for k in sorted(right - set(sentences))]
        return cls(salt, kind, tuple(expected), (), step, otherwise)

    @classmethod
    def of_names(
        cls, salt: str, kind: str, answers: Iterable[Any], because: Mapping[Any, str], otherwise: str = ""
    ) -> Question:
        """Return a question for a box, an edge or several edges.

        A box is given by its name, and an edge by the names of the sending and the receiving box.

        >>> question = Question.of_names("q", "edge", [("exp", "x")], {("add", "exp"): "Further on."}, "Follow the 0.")
        >>> question.verdict(("exp", "x")), question.verdict(["add", "exp"]), question.verdict(("a", "b"))
        ((True, ''), (False, 'Further on.'), (False, 'Follow the 0.'))
        """
        right = {named(kind, answer) for answer in answers}
        sentences = dict.fromkeys(sorted(right), "") | {named(kind, answer): says for answer, says in because.items()}
        expected = (Known(digest(salt, k), k in right, seal(says, salt, k)) for k, says in sentences.items())
        return cls(salt, kind, tuple(expected), otherwise=otherwise)

    @classmethod
    def of_order(cls, salt: str, arrows: Iterable[Sequence[str]], right: str = "") -> Question:
        """Return a question for the edges of a graph, in an order that lets each of them send.

        right : the sentence for such an order.

        >>> question = Question.of_order("q", [("y", "s"), ("y", "x"), ("s", "x")], "Yes.")
        >>> question.verdict([("y", "x"), ("y", "s"), ("s", "x")])
        (True, 'Yes.')
        >>> question.verdict([("s", "x"), ("y", "x"), ("y", "s")])
        (False, 's sends to x before it has the message from y.')
        """
        expected = (Known("", True, seal(right, salt, "in order")),)
        return cls(salt, "order", expected, arrows=tuple((a.strip(), b.strip()) for a, b in arrows))

    def to_data(self) -> dict[str, Any]:
        """Return the question as plain data; "arrows" is included only if there are any."""
        return {key: part for key, part in asdict(self).items() if key != "arrows" or part}

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Question:
        """Return the question that `to_data` converted to `data`."""
        expected = tuple(Known(**each) for each in data["known"])
        arrows = tuple(map(tuple, data.get("arrows", ())))
        return cls(**{**data, "known": expected, "letters": tuple(data["letters"]), "arrows": arrows})

    def answer_in(self, got: Any) -> Any:
        """Return the answer in `got`: a Tensor's value, a picture's answer, or `got` itself; ... if there is none."""
        if getattr(got, "answer", None) is not None:
            return got.answer
        if self.kind == "edge" and hasattr(got, "edge"):
            return ... if got.edge is None else got.edge
        if self.kind in ("number", "numbers") and hasattr(got, "numbers"):
            typed = got.numbers or [...]
            return typed[-1] if self.kind == "number" or typed == [...] else typed
        return ... if hasattr(got, "answer") else getattr(got, "value", got)

    def for_page(self, boxes: Sequence[str], words: str) -> dict[str, Any]:
        """Return the question as plain data for `View.ask`.

        boxes : the boxes to type numbers into.
        """
        if self.kind == "choice":
            raise ValueError("letters are typed, not chosen in a picture; ask for a box, an arrow or a number")
        if self.kind in ("number", "numbers") and not boxes:
            raise ValueError('a number is typed into a box: name it, as in check.picture(name, view, "x")')
        expected = [[each.digest, each.right, each.says] for each in self.known]
        return {
            "kind": self.kind, "boxes": list(boxes), "words": words, "salt": self.salt, "known": expected,
            "step": self.step, "otherwise": self.otherwise,
        }  # fmt: skip

    @property
    def missing(self) -> str:
        """The sentence that a student reads if the picture has no answer yet."""
        what = "typed into the picture: type a number into each field and press Check"
        if self.kind not in ("number", "numbers"):
            what = "chosen in the picture: click it, or take it from the list"
        return f"Nothing is {what}. A restarted kernel has no earlier answer."

    @property
    def expects(self) -> str:
        if self.kind == "choice":
            return f"Type one of {', '.join(map(repr, self.letters))}."
        if self.kind == "edge":
            return 'Type the names of its two ends, the sender first, as in ("add", "x").'
        if self.kind in EDGES:
            return 'Type a list of arrows, each by its two ends, the sender first, as in [("add", "x"), ("add", "y")].'
        if self.kind == "box":
            return 'Type the name of the box, as in "exp".'
        return "Type a number." if self.kind == "number" else "Type a list of numbers, such as [1, 2, 3]."

    def understood(self, got: Any) -> bool:
        """Return whether an answer is of the expected kind."""
        if self.kind == "choice":
            return letter(got) in self.letters
        if self.kind == "edge":
            return _is_edge(got)
        if self.kind in EDGES:
            return isinstance(got, (list, tuple)) and bool(got) and all(map(_is_edge, got))
        if self.kind == "box":
            return isinstance(got, str)
        return _is_number(got) if self.kind == "number" else _numbers(got) is not None

    def verdict(self, got: Any) -> tuple[bool, str]:
        """Return whether an answer is right, and the sentence about it."""
        if self.kind == "order":
            early = too_early(got, self.arrows)
            return not early, early or unseal(self.known[0].says, self.salt, "in order")
        by_digest = {k.digest: k for k in self.known}
        for candidate in self._keys(got):
            match = by_digest.get(digest(self.salt, candidate))
            if match is not None:
                return match.right, unseal(match.says, self.salt, candidate)
        return False, self.otherwise

    def _keys(self, got: Any) -> list[str]:
        """Yield each text whose hash may identify an expected answer that matches `got`, the nearest first."""
        if self.kind == "choice":
            return [letter(got)]
        if self.kind in ("box", *EDGES):
            return [named(self.kind, got)]
        if self.kind == "numbers" or not self.step or not math.isfinite(float(got)):
            number = float(got) if self.kind == "number" else _numbers(got)
            return [key(number, self.step), key(without_rounding(number), self.step)]
        middle = round(float(got) / self.step)
        return [f"#{middle + shift}" for shift in sorted(range(-FINE, FINE + 1), key=abs)]


def key(number: Any, step: float) -> str:
    """Return the text that is hashed for a number or a list of numbers.

    >>> key(3, 0.0), key(3.1, 0.5), key([1, 2.0], 0.0)
    ('3.0', '#6', '1.0 2.0')
    """
    if isinstance(number, (list, tuple, np.ndarray)) and np.ndim(number):
        return " ".join(key(item, step) for item in number)
    number = float(number) + 0.0  # no -0.0
    return f"#{round(number / step)}" if step and math.isfinite(number) else repr(number)


def without_rounding(number: Any) -> Any:
    """Round a number, or each number of a list, to six digits if that changes it no more than float32 rounding does.

    >>> without_rounding([0.99999994, 0.1 + 0.2, 16777217.0, 0.333333333])
    [1.0, 0.3, 16777217.0, 0.333333333]
    """
    if isinstance(number, list):
        return [without_rounding(item) for item in number]
    short = float(f"{number:.6g}")
    return short if abs(short - number) <= 5e-7 * abs(number) else number


def named(kind: str, answer: Any) -> str:
    """Return the text that is hashed for a box, an edge or several edges.

    >>> named("edge", ("exp", "x")), named("edges", [("exp", "x"), ("add", "exp")])
    ('exp -> x', 'add -> exp, exp -> x')
    """
    if kind == "box":
        return str(answer).strip()
    if kind == "edge":
        return " -> ".join(end.strip() for end in answer)
    return ", ".join(sorted({named("edge", edge) for edge in answer}))


def too_early(order: Sequence[Sequence[str]], arrows: Sequence[Sequence[str]]) -> str:
    """Describe the first message of an order that cannot be sent at its position; return "" if all can be sent."""
    waiting = [tuple(arrow) for arrow in arrows]
    for number, (sender, receiver) in enumerate(((a.strip(), b.strip()) for a, b in order), start=1):
        if (sender, receiver) not in waiting:
            return f"Number {number} is {sender} to {receiver}: there is no such arrow, or it has sent already."
        late = [one for one, other in waiting if other == sender]
        if late:
            return f"{sender} sends to {receiver} before it has the message from {late[0]}."
        waiting.remove((sender, receiver))
    return f"{waiting[0][0]} has not sent to {waiting[0][1]}: put every message in order." if waiting else ""


def _is_edge(got: Any) -> bool:
    return isinstance(got, (tuple, list)) and len(got) == 2 and all(isinstance(end, str) for end in got)


def letter(got: Any) -> str:
    """Return a typed letter without quotes, spaces and brackets."""
    return got.strip().strip(".()").lower() if isinstance(got, str) else ""


def _numbers(got: Any) -> Sequence[float] | None:
    if isinstance(got, np.ndarray):
        got = got.tolist()
    if isinstance(got, (list, tuple)) and got and all(map(_is_number, got)):
        return [float(item) for item in got]
    return None


def _is_number(got: Any) -> bool:
    if isinstance(got, (bool, str, bytes)) or np.ndim(getattr(got, "value", got)) != 0:
        return False
    try:
        float(got)
    except (TypeError, ValueError, OverflowError):
        return False
    return True
