"""Exercises as data: their checks or their question, hints, and known wrong answers, but no solutions.

A file of checks fills in each exercise with the methods of `c`. `Described`, below, has the methods for questions,
hints and wrong answers; `collector` adds the methods that check a function.

@exercise("tanh_backward", points=3, function="tanh_backward(x, upstream)")
def tanh_backward(c):
    c.example((0.0, 1.0), 1.0)
    c.gradient(forward="tanh", vary=(floats(-4, 4),), upstream=True)
    c.wrong("def tanh_backward(x, upstream): return 1 - math.tanh(x)**2", mistake.no_upstream)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .mistakes import Mistake
from .questions import Question, letter
from .sealed import Solution, seal, unseal

#: What students see of a check after grading, for each value of `reveal`. "always": everything. "message": its
#: description, and whether it passed. "counterexample": the failing input as well. "after": everything, but only after
#: the deadline. "never": nothing. The numbers are values of `Check.hidden`.
REVEALS = {"always": 0, "message": 2, "counterexample": 0, "after": 1, "never": 2}


@dataclass
class Check:
    """A check, which becomes one line of the verdict: it compares `run(answer, *inputs)` with `true(*inputs)`.

    points : inputs that are tried first, in this order, before values drawn from `vary`.
    names : names of the inputs.
    what : the name of the compared result.
    word : the name of the expected result, such as "true {}" or "{} asked for".
    looks_like : named mistakes, each with the answer that it would give.
    dtypes : the float dtypes in which each point is tried; none for functions of plain numbers.
    order : order of the derivative; for orders 1 and 2 `run` gets the answer replayed from its recorded graph.
    units : the allowed distance from the truth, in multiples of the dtype's machine epsilon.
    rtol, atol : additional tolerances.
    usual : a function without arguments that returns the usual size of the compared numbers, at most 1.
    reveal : the part that students see after grading: see REVEALS.
    drawn : whether a failure is drawn next to the truth.
    given_value : whether the value may come from NumPy. If so, the value is stored at each input, and only the rule is
        run.
    branches : how many different graphs an answer may have because of a Python `if` on a value.
    marks : the part of the exercise's marks that the check is worth; None for a condition: if it fails, no marks count.
    objects : whether the check computes with objects of a class that the answer returns; otherwise each object is
        replaced by its number.
    """

    says: str
    run: Callable[..., Any]
    true: Callable[..., Any]
    points: list[tuple[Any, ...]] = field(default_factory=list)
    vary: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()
    what: str = "value"
    word: str = "true {}"
    looks_like: list[tuple[Mistake, Callable[..., Any]]] = field(default_factory=list)
    dtypes: tuple[str, ...] = ()
    order: int | None = None
    units: float = 32.0
    rtol: float = 0.0
    atol: float = 0.0
    usual: Callable[[], float] = lambda: 0.0
    reveal: str = "always"
    drawn: bool = True
    marks: float | None = None
    given_value: bool = False
    branches: int = 1
    objects: bool = False

    @property
    def by_graph(self) -> bool:
        """Whether the check runs the answer's recorded graph, and not the function itself."""
        return self.order is not None or bool(self.dtypes)

    @property
    def hidden(self) -> int:
        """0 if students see the failing input, 1 if they see it only after the deadline, 2 if they never see it."""
        return REVEALS[self.reveal]


@dataclass(frozen=True)
class ByHand:
    """An answer that a person reads.

    words : the smallest and the largest expected number of words.
    scale : possible mark -> its meaning.
    """

    words: tuple[float, float]
    scale: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Walks:
    """The graph through which an answer walks back, for the picture of a wrong walk.

    graph : returns a Tensor, or an object with value, parents and slopes, for the inputs of a check; None if no picture
        is drawn.
    rows : whether the answer walks the rows of lesson 2 instead of nodes.
    """

    graph: Callable[..., Any]
    rows: bool = False


@dataclass
class Exercise:
    """A named exercise: either `checks` of a function, or one `question` about a value.

    also : names of other notebook variables that the checks use.
    accepted : mutants of the reference that pass, each with the reason why it is right.
    wrongs : wrong answers, each with the name of its mistake.
    hints : the hints in order, each sealed with its number.
    why : the sentence about the solution.
    engine : whether an answer may use minigrad in grading; a rule of plain numbers may not, because minigrad would give
        the answer.
    more : whether the exercise is beyond the core of its lesson.
    texts : the texts that students read after the exercise, each sealed with its number.
    tells : patterns of words that give the answer away.
    harmless : words that seem to give the answer away, each with the reason why they do not.
    by_hand : the expected length and the scale of marks, if a person reads the answer; otherwise None.
    of : another exercise about the same function.
    free : why no mutants of its solution are tried.
    trained : whether the function trains a model, so each call takes long, even with a mutant.
    wrong_marks : source of a wrong answer -> the marks that it must get.
    told_seconds : the time limit that a verdict mentions, if calls get more time on a busy computer; 0 to mention
        `seconds`.
    graded : False if the checks inspect the memory of the process: a judge, which uses another process, leaves the
        exercise out.
    """

    name: str
    points: float
    function: str | None
    arguments: tuple[str, ...]
    checks: list[Check] = field(default_factory=list)
    question: Question | None = None
    wrongs: list[tuple[str, str | None]] = field(default_factory=list)
    accepted: dict[str, str] = field(default_factory=dict)
    hints: list[str] = field(default_factory=list)
    why: str = ""
    solution: Solution | None = None
    also: tuple[str, ...] = ()
    seconds: float = 1.0
    engine: bool = True
    walks: Walks | None = None
    more: bool = False
    texts: list[str] = field(default_factory=list)
    tells: list[str] = field(default_factory=list)
    harmless: dict[str, str] = field(default_factory=dict)
    by_hand: ByHand | None = None
    of: str = ""
    free: str = ""
    trained: bool = False
    wrong_marks: dict[str, float] = field(default_factory=dict)
    told_seconds: float = 0.0
    graded: bool = True

    @property
    def in_parts(self) -> bool:
        """Whether the checks have separate marks."""
        return any(check.marks is not None for check in self.checks)

    def earned(self, rights: Sequence[bool | None]) -> float:
        """Return the marks for checks that passed, failed or were not tried, or 0 if a condition failed.

        >>> checks = [Check("a", print, print), Check("b", print, print, marks=2), Check("c", print, print, marks=1)]
        >>> exercise = Exercise("q", 3, "f", (), checks)
        >>> exercise.earned([True, True, False]), exercise.earned([False, True, True])
        (2, 0.0)
        """
        pairs = [*zip(self.checks, rights)]
        if not self.in_parts:
            return self.points if pairs and all(right for _, right in pairs) else 0.0
        if not all(right for check, right in pairs if check.marks is None):
            return 0.0
        return sum(check.marks for check, right in pairs if check.marks is not None and right)

    @property
    def marks_problem(self) -> str:
        """The reason why the marks of the checks cannot be used, or "" if they can be used."""
        total = sum(check.marks or 0.0 for check in self.checks)
        if self.in_parts and abs(total - self.points) > 1e-9:
            return f"the checks of {self.name} add up to {total:g} marks, but the exercise has {self.points:g}"
        return ""

    @property
    def of_graphs(self) -> bool:
        """Whether no check calls the function itself with drawn numbers: each uses the graph, or is a property."""
        return all(check.by_graph or check.what in ("property", "graph") for check in self.checks)

    def hint(self, number: int) -> str:
        """Return hint `number`, counted from 0."""
        return unseal(self.hints[number], self.name, f"hint {number}")

    def text(self, number: int) -> str:
        """Return text `number`, counted from 0, of the texts locked behind the exercise."""
        return unseal(self.texts[number], self.name, f"text {number}")


class Described:
    """The methods of `c` that describe an exercise; `Collector` adds the methods that check a function."""

    def __init__(self, made: Exercise) -> None:
        self._made = made

    def choice(self, answer: str, because: Mapping[str, str]) -> None:
        """Expect one of the letters in `because`, a dict with the reason why each letter is right or wrong."""
        if letter(answer) not in map(letter, because):
            raise ValueError(f"{self._made.name}: the answer {answer!r} is not among {', '.join(map(repr, because))}")
        self._made.question = Question.of_letters(self._made.name, letter(answer), because)

    def number(
        self, answer: float, within: float = 0.0, because: Mapping[float, str] | None = None, otherwise: str = ""
    ) -> None:
        """Expect a number that differs from `answer` by at most `within`.

        because : a sentence for each expected answer.
        """
        made = self._made
        made.question = Question.of_numbers(made.name, "number", because or {}, [answer], within, otherwise)

    def numbers(
        self, answer: Sequence[float], because: Mapping[tuple[float, ...], str] | None = None, otherwise: str = ""
    ) -> None:
        """Expect a list of numbers; `because` has a sentence for each expected list, with a tuple as its key."""
        made = self._made
        made.question = Question.of_numbers(made.name, "numbers", because or {}, [tuple(answer)], 0.0, otherwise)

    def edge(
        self, *answers: Sequence[str], because: Mapping[tuple[str, str], str] | None = None, otherwise: str = ""
    ) -> None:
        """Expect an arrow, clicked in a picture (see `Lesson.picture`) or typed as ("sender", "receiver").

        answers : all the right answers.
        because : a sentence for each expected arrow. An arrow that is in the picture twice counts as one.
        """
        self._named("edge", answers, because, otherwise)

    def edges(
        self,
        answer: Sequence[Sequence[str]],
        because: Mapping[tuple[tuple[str, str], ...], str] | None = None,
        otherwise: str = "",
    ) -> None:
        """Expect several arrows, in any order; `because` has a sentence for each expected set, a tuple of pairs."""
        self._named("edges", [answer], because, otherwise)

    def box(self, *answers: str, because: Mapping[str, str] | None = None, otherwise: str = "") -> None:
        """Expect a box by its name in the picture, clicked or typed; `because` has a sentence for each expected box."""
        self._named("box", answers, because, otherwise)

    def order(self, arrows: Sequence[Sequence[str]], right: str = "") -> None:
        """Expect all arrows of a graph in an order where each box sends only after it has got all its messages.

        Every such order is right.

        arrows : the graph, with each arrow given by the names of the sending and the receiving box.
        right : the sentence for a right order.
        """
        self._made.question = Question.of_order(self._made.name, arrows, right)

    def _named(self, kind: str, answers: Sequence[Any], because: Mapping[Any, str] | None, otherwise: str) -> None:
        self._made.question = Question.of_names(self._made.name, kind, answers, because or {}, otherwise)

    def walk(self, graph: Callable[..., Any], rows: bool = False) -> None:
        """Expect a function that walks back through a graph; draw a wrong walk, opened at its first wrong message.

        graph : returns a Tensor, or an object with value, parents and slopes, for the inputs of a check; None to draw
            no picture.
        rows : whether the answer walks rows, as in lesson 2, instead of nodes.
        """
        self._made.walks = Walks(graph, rows)

    def hint(self, *hints: str) -> None:
        """Set the hints that `check.hint` gives one by one; the first is a question, the last nearly the code."""
        for text in hints:
            self._made.hints.append(seal(text, self._made.name, f"hint {len(self._made.hints)}"))

    def solution(self, why: str) -> None:
        """Set the sentence that explains why the solution is right; its code is taken from the notebook's source."""
        self._made.why = why

    def by_hand(self, words: tuple[float, float] = (0, math.inf), scale: Mapping[float, str] | None = None) -> None:
        """Let a person read the answer (text or a function); its status is "to read" until it has a manual mark.

        words : the expected number of words, which students see; it does not affect the mark.
        scale : the possible marks, each with its meaning; by default 0 and the full marks of the exercise.
        """
        scale = scale or {self._made.points: "as it should be", 0: "not yet"}
        if max(scale) != self._made.points or min(scale) < 0:
            raise ValueError(f"the scale of {self._made.name} must go from 0 to its {self._made.points:g} marks")
        self._made.by_hand = ByHand((words[0], words[1]), tuple(sorted(scale.items(), reverse=True)))

    def free(self, reason: str) -> None:
        """Try no mutants of the solution; `reason` gives the reason, such as that many ways of training are right."""
        self._made.free = reason

    def wrong(self, source: str, named: Mistake | str | None = None, marks: float | None = None) -> None:
        """Add a wrong answer, tried when the lesson is released: it must fail, and be recognised as `named`.

        marks : the marks that this answer must get, if the checks have separate marks.
        """
        if marks is not None:
            self._made.wrong_marks[source] = marks
        self._made.wrongs.append((source, named.name if isinstance(named, Mistake) else named))

    def accept(self, mutant: str, reason: str) -> None:
        """Accept a changed solution that is right as well: give the changed line, and why it is right."""
        self._made.accepted[mutant] = reason

    def tells(self, *patterns: str) -> None:
        """Add regular expressions, in lower case, for words that give the prediction away besides the answer itself."""
        self._made.tells += patterns

    def harmless(self, words: str, reason: str) -> None:
        """Allow words near the prediction that contain the answer without giving it away, for the given reason."""
        self._made.harmless[words] = reason
