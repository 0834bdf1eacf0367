"""The parts of an exercise besides its checks: a question, hints, the reason of its solution, wrong answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .exercises import ByHand, Exercise, Walks
from .mistakes import Mistake
from .questions import Question, letter
from .sealed import seal


class Described:
    """The methods of `c` that describe an exercise; `Collector` adds those that check a function."""

    def __init__(self, made: Exercise) -> None:
        self._made = made

    def choice(self, answer: str, because: Mapping[str, str]) -> None:
        """A choice between the letters in `because`, which has for each the reason why it is right or wrong."""
        if letter(answer) not in map(letter, because):
            raise ValueError(f"{self._made.name}: the answer {answer!r} is not among {', '.join(map(repr, because))}")
        self._made.question = Question.of_letters(self._made.name, letter(answer), because)

    def number(
        self, answer: float, within: float = 0.0, because: Mapping[float, str] | None = None, otherwise: str = ""
    ) -> None:
        """A number, right when it is at most `within` away. `because` has a sentence for each expected answer."""
        made = self._made
        made.question = Question.of_numbers(made.name, "number", because or {}, [answer], within, otherwise)

    def numbers(
        self, answer: Sequence[float], because: Mapping[tuple[float, ...], str] | None = None, otherwise: str = ""
    ) -> None:
        """A list of numbers. `because` holds a sentence for each expected list, with a tuple as its key."""
        made = self._made
        made.question = Question.of_numbers(made.name, "numbers", because or {}, [tuple(answer)], 0.0, otherwise)

    def edge(
        self, *answers: Sequence[str], because: Mapping[tuple[str, str], str] | None = None, otherwise: str = ""
    ) -> None:
        """An arrow, clicked in a picture (see `Lesson.picture`) or typed as ("sender", "receiver").

        answers : each of them is right. because : a sentence for each expected arrow. An arrow that is in the picture
        twice counts as one.
        """
        self._named("edge", answers, because, otherwise)

    def edges(
        self,
        answer: Sequence[Sequence[str]],
        because: Mapping[tuple[tuple[str, str], ...], str] | None = None,
        otherwise: str = "",
    ) -> None:
        """Several arrows, in any order. because : a sentence for each expected set, a tuple of pairs."""
        self._named("edges", [answer], because, otherwise)

    def box(self, *answers: str, because: Mapping[str, str] | None = None, otherwise: str = "") -> None:
        """A box by its name in the picture, clicked or typed. because : a sentence for each expected box."""
        self._named("box", answers, because, otherwise)

    def order(self, arrows: Sequence[Sequence[str]], right: str = "") -> None:
        """All arrows of a graph in an order in which they can send; every such order is right, `right` its sentence.

        arrows : the graph, each arrow by the names of the box that sends and of the one that receives.
        """
        self._made.question = Question.of_order(self._made.name, arrows, right)

    def _named(self, kind: str, answers: Sequence[Any], because: Mapping[Any, str] | None, otherwise: str) -> None:
        self._made.question = Question.of_names(self._made.name, kind, answers, because or {}, otherwise)

    def walk(self, graph: Callable[..., Any], rows: bool = False) -> None:
        """The answer is a walk back through a graph: of a wrong one the pass is shown at its first wrong message.

        graph : of the inputs of a check, a Tensor or an object with value, parents and slopes; None for no picture.
        rows : whether the answer walks rows, as in lesson 2, and not nodes.
        """
        self._made.walks = Walks(graph, rows)

    def hint(self, *hints: str) -> None:
        """The hints that `check.hint` gives one by one: from a question to the line of code."""
        for text in hints:
            self._made.hints.append(seal(text, self._made.name, f"hint {len(self._made.hints)}"))

    def solution(self, why: str) -> None:
        """Why the solution is right, in a sentence; its code is taken from the source of the notebook."""
        self._made.why = why

    def by_hand(self, words: tuple[float, float] = (0, math.inf), scale: Mapping[float, str] | None = None) -> None:
        """A person reads the answer: a text, or a function. It is "to read" until it has a mark by hand.

        words : how many are expected, which students are told; the number changes no mark. scale : the marks that can
        be given, each with what it stands for; 0 and the marks of the exercise by default.
        """
        scale = scale or {self._made.points: "as it should be", 0: "not yet"}
        if max(scale) != self._made.points or min(scale) < 0:
            raise ValueError(f"the scale of {self._made.name} goes from 0 to its {self._made.points:g} marks")
        self._made.by_hand = ByHand((words[0], words[1]), tuple(sorted(scale.items(), reverse=True)))

    def free(self, reason: str) -> None:
        """No mutants of the solution are tried, and why: much of it may be otherwise, as in training."""
        self._made.free = reason

    def wrong(self, source: str, named: Mistake | str | None = None, marks: float | None = None) -> None:
        """A wrong answer that must fail, and be recognised as `named`; it is tried when the lesson is released.

        marks : what it gets, where checks have marks of their own.
        """
        if marks is not None:
            self._made.wrong_marks[source] = marks
        self._made.wrongs.append((source, named.name if isinstance(named, Mistake) else named))

    def accept(self, mutant: str, reason: str) -> None:
        """A change of the solution that is right as well: the line it makes, and why it is right."""
        self._made.accepted[mutant] = reason

    def tells(self, *patterns: str) -> None:
        """Regular expressions of words that give the prediction away, in small letters, beyond what its answer says."""
        self._made.tells += patterns

    def harmless(self, words: str, reason: str) -> None:
        """Words near the prediction that hold its answer and do not give it away, and why not."""
        self._made.harmless[words] = reason
