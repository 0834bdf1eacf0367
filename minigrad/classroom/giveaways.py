"""Find text that gives a prediction away: text, titles and outputs near it that show the answer before it is made.

The search words are derived from the answer: a number, as digits or as a word, or the words that only the right option
has. A single word counts only near a word of the question, in a title, or in a very short line. `c.tells` adds words
that cannot be derived. The search covers the title of the section, the outputs between it and the prediction, and
everything from the prediction to the title of the next section, or to the next exercise if that is further away.
Folded, held-back and locked parts are not searched. A sentence that contains the words but gives nothing away is
cleared by `c.harmless`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from minigrad.lab.handout import AFTER_PREDICTION

from .exercises import Exercise
from .notebook import BEGIN, END

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
COMMON = frozenset(
    re.findall(r"\w+", "a an the of and in is it to as at by for be no not or with that than this its are one")
)
ASKING = frozenset(re.findall(r"\w+", "predict what which does many much about have then when with from"))
OPTION = re.compile(r"^- ([a-z])\) ((?:.|\n(?!- |\n))*)", re.MULTILINE)
LABEL = re.compile(r"^<details><summary>(.*?)</summary>.*", re.DOTALL)  # the label of folded text
TITLE = re.compile(r"^##? .*", re.MULTILINE)
SENTENCE = re.compile(r"(?<=[.?])\s|\n\n|\n- |\n#|\|")


def given_away(notebook: Any, student: Any, exercises: Mapping[str, Exercise]) -> Iterator[str]:
    """Return a sentence for each place that gives a prediction away.

    notebook : the notebook with its solutions, which contain the answers.
    student : the students' notebook, with outputs.
    """
    for i, cell in enumerate(notebook.cells):
        exercise = exercises.get(cell.metadata.get("exercise", ""))
        if exercise is None or exercise.question is None:
            continue
        patterns = [*_derived(notebook.cells, i, exercise), *([re.compile(words)] for words in exercise.tells)]
        harmless = set()
        for sentence, where in _seen(student.cells, i):
            if not any(all(p.search(sentence) for p in together) for together in patterns):
                continue
            cleared = next((words for words in exercise.harmless if _plain(words) in sentence), None)
            harmless.add(cleared)
            if cleared is None:
                yield (
                    f"{where} gives {exercise.name} away: {sentence[:160]!r}. Lock it behind the prediction (the tag "
                    f"{AFTER_PREDICTION}), move it, or, if it gives nothing away, write "
                    f"c.harmless({sentence[:40]!r}, reason)"
                )
        for words in set(exercise.harmless) - harmless:
            yield f"c.harmless({words!r}, ...) of {exercise.name} clears nothing; delete it"


def _derived(cells: Sequence[Any], i: int, exercise: Exercise) -> list[list[re.Pattern[str]]]:
    """Return the search patterns that follow from the answer to the prediction in cell `i`: a list of lists.

    A sentence that matches all patterns in one of the lists gives the answer away.
    """
    answer = _answer(cells[i].source)
    asked = next((c.source for c in reversed(cells[:i]) if "**Predict.**" in c.source), "")
    asked = asked[asked.rfind("**Predict.**") :]
    assert exercise.question is not None
    if exercise.question.kind == "choice":
        options = dict(OPTION.findall(asked))
        others = {word for letter, text in options.items() if letter != answer for word in _words(text)}
        own = [word for word in _words(options.get(str(answer), "")) if word not in others | COMMON]
        alone = re.compile(rf"^#+ |^look: |^\S+( \S+)?$|{_things(OPTION.sub('', asked))}")
        return [[*(_whole(re.escape(word)) for word in own), *[alone] * (len(own) == 1)]] * bool(own)
    if exercise.question.kind == "number" and isinstance(answer, (int, float)):
        digits = f"{answer:g}"
        if digits in _words(asked):
            return []
        if digits.isdigit() and int(digits) <= 10:
            return [[_whole(rf"({digits}|{NUMBERS[int(digits)]}) (\w{{3,}} )?({_things(asked)})")]]
        return [[_whole(re.escape(digits))]]
    if exercise.question.kind == "edge" and isinstance(answer, tuple):
        return [[_whole(rf"{re.escape(answer[0])} (to|→|->|and) {re.escape(answer[1])}")]]
    return []


def _things(asked: str) -> str:
    """Return the source of a pattern that matches any of the longer words in the question `asked`."""
    words = dict.fromkeys(word for word in _words(asked) if len(word) > 3 and word.isalpha() and word not in ASKING)
    return "|".join(words) or "$^"


def _answer(source: str) -> Any:
    """Return the value that the solution of a prediction assigns, or None if it is not a literal."""
    solution = source.partition(BEGIN)[2].partition(END)[0]
    try:
        (statement,) = ast.parse(solution.strip()).body
        return ast.literal_eval(statement.value) if isinstance(statement, ast.Assign) else None
    except ValueError:
        return None


def _seen(cells: Sequence[Any], i: int) -> Iterator[tuple[str, str]]:
    """Return the sentences that a reader sees around the prediction in cell `i`, each with its source."""
    begin = next((j for j in range(i, -1, -1) if cells[j].cell_type == "markdown" and TITLE.search(cells[j].source)), 0)
    yield from ((_plain(title), "the title") for title in TITLE.findall(cells[begin].source)[-1:])
    for cell in cells[begin:i]:
        yield from ((s, "an earlier output") for s in _sentences(_outputs(cell)) if "exercise" not in cell.metadata)
    passed = not any("exercise" in cell.metadata for cell in cells[i + 1 :])
    for cell in cells[i + 1 :]:
        passed |= "exercise" in cell.metadata
        if cell.cell_type == "markdown":
            text = LABEL.sub(r"\1", cell.source)
            title = TITLE.search(text) if passed else None
            yield from ((s, "the text below") for s in _sentences(text[: title.end()] if title else text))
            if title:
                return
        elif "exercise" not in cell.metadata and AFTER_PREDICTION not in cell.metadata.get("tags", ()):
            yield from ((s, "code below") for s in _sentences(cell.source))
            yield from ((s, "an output below") for s in _sentences(_outputs(cell)))


def _outputs(cell: Any) -> str:
    """Return the text that a cell's outputs show: the printed text, and the results."""
    if cell.cell_type != "code" or AFTER_PREDICTION in cell.metadata.get("tags", ()):
        return ""
    outputs = cell.get("outputs", [])
    return "\n\n".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs)


def _sentences(text: str) -> Iterator[str]:
    """Return the sentences of Markdown text, as plain text, without the options of a choice."""
    return (p for part in SENTENCE.split(OPTION.sub("", text)) if part and (p := _plain(part)))


def _plain(text: str) -> str:
    """Return text in lower case, without markup."""
    return re.sub(r"\s+", " ", re.sub(r"[*`$\\]", "", text.replace("−", "-"))).strip().lower()


def _words(text: str) -> list[str]:
    words = (word.strip(".,;:()\"'?") for word in _plain(text).split())
    return [word for word in words if word]


def _whole(pattern: str) -> re.Pattern[str]:
    """Compile a pattern so that it matches only whole words and numbers."""
    return re.compile(rf"(?<![\w.]){pattern}(?!\w|\.\d)")
