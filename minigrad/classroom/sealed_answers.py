"""The sealed file that students receive with the checks: questions, hints and solutions, as JSON.

`NN_checks.py` is shipped unchanged. `NN_hidden.py` is not shipped: it contains the answers, the hints, the reasons why
the solutions are right, and wrong answers to try before release. `NN_sealed.json` is made from it and shipped.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import takewhile
from pathlib import Path
from typing import Any

from .exercises import Exercise
from .notebook import BEGIN, END, beyond_the_core, locked_texts
from .questions import Question
from .sealed import Solution, seal

#: Methods of `c` whose calls in a file of checks contain an answer.
ASKS = ("choice", "number", "numbers", "edge", "edges", "box", "order")
TELLS = (*ASKS, "hint", "solution", "wrong", "accept", "tells", "harmless")


def hidden_file(checks: Path) -> Path:
    """Return the file next to `checks` that students never get: `06_hidden.py`, or `hidden.py` next to `checks.py`."""
    return checks.with_name(checks.name.replace("checks", "hidden"))


def sealed_file(checks: Path) -> Path:
    """Return the file next to `checks` with the sealed answers: `06_sealed.json`, or `sealed.json`."""
    return checks.with_name(checks.name.replace("checks.py", "sealed.json"))


def merge(shown: Mapping[str, Exercise], hidden: Mapping[str, Exercise]) -> dict[str, Exercise]:
    """Return the exercises of both files; the hidden file adds questions, hints, solutions and wrong answers.

    The order is taken from the hidden file if it names all exercises, as in a lesson, otherwise from the other file.
    Hidden checks and their wrong answers are left out, because they are only for grading.
    """
    added = {name: e for name, e in hidden.items() if name in shown or e.question is not None}
    merged = added if set(shown) <= set(added) else {**shown, **added}
    for name, exercise in shown.items():
        extra = hidden.get(name)
        if extra is not None:
            exercise.question = exercise.question or extra.question
            exercise.wrongs += [] if extra.checks else extra.wrongs
            exercise.accepted.update(extra.accepted)
            exercise.wrong_marks.update({} if extra.checks else extra.wrong_marks)
            exercise.by_hand, exercise.free = exercise.by_hand or extra.by_hand, exercise.free or extra.free
            exercise.hints = extra.hints or exercise.hints
            exercise.why = exercise.why or extra.why
            exercise.tells, exercise.harmless = extra.tells, extra.harmless
        merged[name] = exercise
    return merged


def to_text(exercises: Mapping[str, Exercise], cells: Sequence[Any], handed_out: Sequence[Any] = ()) -> str:
    """Return the sealed parts of the exercises as JSON.

    cells : the cells of the notebook with its solutions.
    handed_out : the cells of the students' notebook. The cells of the exercises are stored. For each exercise that a
        person reads, the text below its cell is stored too, because the student did not write it.
    """
    codes, texts, more = solutions(cells), locked_texts(cells), beyond_the_core(cells)
    sealed = {name: _sealed(e, codes.get(name, "")) for name, e in exercises.items()}
    places = {cell.metadata.get("exercise"): i for i, cell in enumerate(handed_out)}
    for name, data in sealed.items():
        if name in texts:
            data["texts"] = [seal(text, name, f"text {n}") for n, text in enumerate(texts[name])]
        if name in more:
            data["more"] = True
        if name in places:
            data["cell"] = handed_out[places[name]].source
            if exercises[name].by_hand is not None:
                below = takewhile(lambda cell: cell.cell_type != "code", handed_out[places[name] + 1 :])
                data["below"] = [cell.source for cell in below]
    return json.dumps(sealed, indent=1, ensure_ascii=False) + "\n"


def _sealed(e: Exercise, code: str) -> dict[str, Any]:
    data: dict[str, Any] = {"points": e.points}
    if e.question is not None:
        data["question"] = e.question.to_data()
    if e.hints:
        data["hints"] = e.hints
    if code or e.why:
        last = e.hint(len(e.hints) - 1) if e.hints else ""
        data["solution"] = asdict(Solution.of(code, e.why, e.name, last))
    units = {check.says: check.units for check in e.checks if check.dtypes}
    return {**data, "units": units} if units else data


def attach(exercises: Mapping[str, Exercise], text: str) -> dict[str, Exercise]:
    """Return the exercises with the parts that `to_text` sealed.

    An exercise that is only a question is made entirely from these parts.
    """
    attached = {}
    for name, data in json.loads(text).items():
        e = exercises.get(name) or Exercise(name, data["points"], None, ())
        if e.question is None and "question" in data:
            e.question = Question.of_data(data["question"])
        e.hints = e.hints or list(data.get("hints", []))
        e.solution = Solution(**data["solution"]) if "solution" in data else None
        e.texts, e.more = list(data.get("texts", [])), data.get("more", False)
        for check in e.checks:
            check.units = data.get("units", {}).get(check.says, check.units)
        attached[name] = e
    return {**attached, **{name: e for name, e in exercises.items() if name not in attached}}


def solutions(cells: Iterable[Any]) -> dict[str, str]:
    """Return the solution of each exercise: the lines between the markers in the cell with its name."""
    codes = {}
    for cell in cells:
        name = cell.metadata.get("exercise")
        if name:
            lines = _between(cell.source.splitlines(), BEGIN, END)
            codes[name] = "\n".join(lines)
    return codes


def _between(lines: Iterable[str], begin: str, end: str) -> Iterator[str]:
    inside = False
    for line in lines:
        if line.strip() in (begin, end):
            inside = line.strip() == begin
        elif inside:
            yield line


def answers_in_clear(checks: Path) -> list[str]:
    """Return a sentence for each call in a students' file of checks that belongs in the hidden file."""
    tree = ast.parse(checks.read_text(encoding="utf-8"))
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    methods = [
        f for f in called if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id == "c"
    ]
    telling = sorted((f.lineno, f.attr) for f in methods if f.attr in TELLS)
    advice = f"holds an answer; write it in {hidden_file(checks).name}"
    return [f"{checks.name}, line {line}: c.{method} {advice}" for line, method in telling]
