"""The parts of an exercise besides its checks: a question, hints, the reason of its solution, wrong answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .exercises import Exercise
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
        """An edge of a picture, chosen in `viz.backward(y, choose=True).widget()` or typed as ("sender", "receiver").

        `because` holds a sentence for each expected edge. An edge that stands in the picture twice counts as one.
        """
        self._made.question = Question.of_edges(self._made.name, answers, because or {}, otherwise)

    def hint(self, *hints: str) -> None:
        """The hints that `check.hint` gives one by one: from a question to the line of code."""
        for text in hints:
            self._made.hints.append(seal(text, self._made.name, f"hint {len(self._made.hints)}"))

    def solution(self, why: str) -> None:
        """Why the solution is right, in a sentence; its code is taken from the source of the notebook."""
        self._made.why = why

    def wrong(self, source: str, named: Mistake | str | None = None) -> None:
        """A wrong answer that must fail, and be recognised as `named`; it is tried when the lesson is released."""
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
