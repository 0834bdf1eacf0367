"""Predictions: a letter, a number, a list of numbers or an edge of a graph, of which only salted hashes are kept.

Numbers and edges may be typed, or come from a picture: a widget whose `numbers` were typed into it, and whose `edge`
was chosen in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .sealed import digest, seal, unseal

FINE = 8  # steps into which the distance that is allowed is divided


@dataclass(frozen=True)
class Known:
    """An expected answer as its hash, whether it is right, and its sentence, which the answer itself opens."""

    digest: str
    right: bool
    says: str


@dataclass(frozen=True)
class Question:
    """A prediction to type.

    kind : "choice", "number", "numbers" or "edge". letters : of a choice. step : numbers are recognised in steps of
    this size, 0 where they must be exact. otherwise : the sentence for an answer that was not expected.

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

    @classmethod
    def of_letters(cls, salt: str, answer: str, because: Mapping[str, str]) -> Question:
        """A choice between the letters in `because`, which holds a sentence for each."""
        letters = tuple(map(letter, because))
        known = (Known(digest(salt, k), k == answer, seal(v, salt, k)) for k, v in zip(letters, because.values()))
        return cls(salt, "choice", tuple(known), letters)

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
        """A number, or a list of them, right when each is at most `within` away from one of the `answers`."""
        step = within / FINE
        right = {key(a, step) for a in answers}
        sentences = {key(known, step): says for known, says in because.items()}
        known = [Known(digest(salt, k), k in right, seal(says, salt, k)) for k, says in sentences.items()]
        known += [Known(digest(salt, k), True, seal("", salt, k)) for k in sorted(right - set(sentences))]
        return cls(salt, kind, tuple(known), (), step, otherwise)

    @classmethod
    def of_edges(
        cls, salt: str, answers: Iterable[Sequence[str]], because: Mapping[Any, str], otherwise: str = ""
    ) -> Question:
        """An edge, by the names of the node that sends and of the one that receives.

        >>> question = Question.of_edges("q", [("exp", "x")], {("exp", "x"): "Yes.", ("add", "exp"): "Further on."})
        >>> question.verdict(("exp", "x")), question.verdict(["add", "exp"])
        ((True, 'Yes.'), (False, 'Further on.'))
        """
        right = set(map(ends, answers))
        sentences = dict.fromkeys(right, "") | {ends(edge): says for edge, says in because.items()}
        known = (Known(digest(salt, k), k in right, seal(says, salt, k)) for k, says in sentences.items())
        return cls(salt, "edge", tuple(known), otherwise=otherwise)

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Question:
        """The question of which `dataclasses.asdict` made `data`."""
        known = tuple(Known(**each) for each in data["known"])
        return cls(**{**data, "known": known, "letters": tuple(data["letters"])})

    def given(self, got: Any) -> Any:
        """The answer itself: the value of a Tensor, what was typed into a picture or chosen in it; ... for none yet."""
        if self.kind == "edge" and hasattr(got, "edge"):
            return ... if got.edge is None else got.edge
        if self.kind in ("number", "numbers") and hasattr(got, "numbers"):
            typed = got.numbers or [...]
            return typed[-1] if self.kind == "number" or typed == [...] else typed
        return getattr(got, "value", got)

    @property
    def missing(self) -> str:
        """The sentence about a picture without an answer."""
        what = "chosen in the picture: click an edge, or take it from the list"
        if self.kind != "edge":
            what = "typed into the picture: step forward in it, and type the number that comes next"
        return f"Nothing is {what}. A kernel that was started again has no earlier answer."

    @property
    def expects(self) -> str:
        if self.kind == "choice":
            return f"Type one of {', '.join(map(repr, self.letters))}."
        if self.kind == "edge":
            return 'Type the names of its two ends, the sender first, as in ("add", "x").'
        return "Type a number." if self.kind == "number" else "Type a list of numbers, such as [1, 2, 3]."

    def understood(self, got: Any) -> bool:
        """Whether an answer is of the expected kind."""
        if self.kind == "choice":
            return letter(got) in self.letters
        if self.kind == "edge":
            return isinstance(got, (tuple, list)) and len(got) == 2 and all(isinstance(end, str) for end in got)
        return _is_number(got) if self.kind == "number" else _numbers(got) is not None

    def verdict(self, got: Any) -> tuple[bool, str]:
        """Whether an answer is right, and the sentence about it."""
        known = {k.digest: k for k in self.known}
        for candidate in self._keys(got):
            found = known.get(digest(self.salt, candidate))
            if found is not None:
                return found.right, unseal(found.says, self.salt, candidate)
        return False, self.otherwise

    def _keys(self, got: Any) -> list[str]:
        """The keys under which an answer may be stored, the nearest first."""
        if self.kind == "choice":
            return [letter(got)]
        if self.kind == "edge":
            return [ends(got)]
        if self.kind == "numbers" or not self.step or not math.isfinite(float(got)):
            return [key(got if self.kind == "number" else _numbers(got), self.step)]
        middle = round(float(got) / self.step)
        return [f"#{middle + shift}" for shift in sorted(range(-FINE, FINE + 1), key=abs)]


def key(number: Any, step: float) -> str:
    """A number, or a list of numbers, as the text that is hashed.

    >>> key(3, 0.0), key(3.1, 0.5), key([1, 2.0], 0.0)
    ('3.0', '#6', '1.0 2.0')
    """
    if isinstance(number, (list, tuple, np.ndarray)) and np.ndim(number):
        return " ".join(key(item, step) for item in number)
    number = float(number) + 0.0  # no -0.0
    return f"#{round(number / step)}" if step and math.isfinite(number) else repr(number)


def ends(edge: Sequence[str]) -> str:
    """An edge as the text that is hashed."""
    sender, receiver = edge
    return f"{sender.strip()} -> {receiver.strip()}"


def letter(got: Any) -> str:
    """A typed letter without quotes, spaces and brackets."""
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
