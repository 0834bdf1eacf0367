"""The page that one student gets back: marks, and for each exercise what failed, at which input, and why."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from minigrad.classroom.picture import Picture
from minigrad.classroom.verdict import seen

from ..grades import Grade
from ..late import moment
from ..report import Criterion, Mark
from ..visible import NOT_SHOWN, visible_part
from .page import SIGNS, capital, marks, page, paragraph

WORDS = {"right": "right", "wrong": "not right", "unanswered": "not answered", "ungraded": "could not be graded"}


def student_page(
    grade: Grade,
    assignment: str,
    *,
    due_over: bool = False,
    play: Callable[[Mark], str] | None = None,
    rule: str = "",
) -> str:
    """The page as HTML, in one file.

    due_over : whether checks that are revealed "after" the deadline are shown. play : makes a page with a picture that
    can be played, of the graph that an answer recorded; its text is shown in a frame. rule : for late work, in words.
    """
    report = grade.report
    head = [f"<h1>{escape(assignment)}</h1>", paragraph(grade.who, "soft")]
    if grade.status != "missing" or grade.marks is not None:
        head.append(f"<p class='big'><b>{escape(marks(grade.marks, grade.out_of))}</b></p>")
    below = {f"{m.exercise}: {s}" for m in report.results for s in grade.by_hand.get(m.exercise, ())} if report else ()
    head += [paragraph(sentence) for sentence in grade.words if sentence not in below]
    head.append(paragraph(" ".join(filter(None, [_handed_in(grade), capital(rule)])), "soft"))
    if report is None:
        return page(f"{assignment}: {grade.who}", "".join([*head, paragraph(_absent(grade))]))
    head += [paragraph(note, "soft") for note in report.notes]
    body = [_exercise(mark, grade, due_over, play) for mark in report.results]
    foot = [
        f"graded with {', '.join(f'{name} {version}' for name, version in report.versions.items())}",
        f"protected by {', '.join(report.sandbox)}" if report.sandbox else "not in a sandbox",
        f"file {report.digest[:12]}, checks {report.spec[:12]}, seed {report.seed}",
    ]
    return page(f"{assignment}: {grade.who}", "".join([*head, *body, paragraph("; ".join(foot), "soft")]))


def _handed_in(grade: Grade) -> str:
    received = grade.submission.received if grade.submission else None
    return f"Handed in {moment(received)}." if received is not None else ""


def _absent(grade: Grade) -> str:
    return "Nothing was handed in." if grade.status == "missing" else f"Status: {grade.status}."


def _exercise(mark: Mark, grade: Grade, due_over: bool, play: Callable[[Mark], str] | None) -> str:
    mark = visible_part(mark, due_over)
    now = grade.by_exercise.get(mark.exercise, mark.marks)
    parts = [f"<h2>{escape(mark.exercise)}: {WORDS[mark.state]}, {escape(marks(now, mark.out_of))}</h2>"]
    parts += [paragraph(f"Marks by hand: {sentence}") for sentence in grade.by_hand.get(mark.exercise, ())]
    parts += [paragraph(mark.why), _lines(mark.lines)]
    if mark.state == "wrong":
        failed = next((line for line in mark.lines if line.right is False), None)
        parts += [paragraph(failed.message)] if failed and failed.message else []
        parts += _failure(mark, play)
    if mark.printed:
        parts += [paragraph("It printed:", "soft"), f"<pre>{escape(mark.printed)}</pre>"]
    if mark.code:
        parts.append(f"<details><summary>Your code</summary><pre>{escape(mark.code)}</pre></details>")
    return f"<section class='{mark.state}'>{''.join(parts)}</section>"


def _lines(lines: list[Criterion]) -> str:
    shown = [line for line in lines if line.says != NOT_SHOWN]
    items = [f"<li><span class='sign'>{SIGNS[line.right]}</span> {escape(line.says)}</li>" for line in shown]
    hidden = [line.right for line in lines if line.says == NOT_SHOWN]
    if hidden:
        sign = True if all(hidden) else False if False in hidden else None
        count = NOT_SHOWN if len(hidden) == 1 else f"{len(hidden)} checks that are not shown"
        items.append(f"<li><span class='sign'>{SIGNS[sign]}</span> {count}</li>")
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _failure(mark: Mark, play: Callable[[Mark], str] | None) -> list[str]:
    parts = []
    if mark.inputs:
        parts.append(f"<p>It fails at <code>{escape(mark.inputs)}</code>, the simplest input found.</p>")
    parts.append(paragraph(mark.words))
    if mark.yours or mark.true:
        parts.append(
            "<table><thead><tr><th scope='col'>yours</th><th scope='col'>expected</th></tr></thead><tbody><tr>"
            f"<td class='v'>{escape(mark.yours)}</td><td class='v'>{escape(mark.true)}</td></tr></tbody></table>"
        )
    if mark.mistake:
        name, says = mark.mistake
        parts.append(f"<p>It looks like: <b>{escape(name)}</b>. {escape(says)}</p>")
    if mark.picture:
        text, alt = mark.picture
        parts.append(seen(text if text.startswith("data:") else Picture.from_json(text, alt).address, alt))
    played = play(mark) if play else ""
    if played:
        where = f" (at {mark.inputs})" if mark.inputs else ""
        title = f"The backward pass of {mark.exercise}, step by step{where}"
        parts.append(
            f"<details class='play'><summary>{escape(title)}</summary><iframe sandbox='allow-scripts' loading='lazy' "
            f"title='{escape(title)}' srcdoc='{escape(played)}'></iframe></details>"
        )
    return parts
