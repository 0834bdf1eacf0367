"""Write the pages of a class, each atomically: `class.html`, and the students' pages in the folder `students`."""

from __future__ import annotations

from pathlib import Path

from minigrad.lab.files import write_whole

from ..gradebook import Gradebook
from ..similar_code import similar_pairs
from .backward_page import backward_page
from .of_class import class_page
from .of_student import student_page
from .page_parts import page_files

STUDENTS = "students"  #: the folder of the students' pages, which contains nothing else


def write_pages(
    book: Gradebook,
    assignment: str,
    folder: Path,
    *,
    due_over: bool = False,
    handed_out: str = "",
) -> list[Path]:
    """Write the pages of an assignment into `folder`, and return their paths, the class page first.

    due_over : whether to show checks that are revealed after the deadline. handed_out : the released code, which is
        ignored when answers are compared. Raises OSError if a file cannot be written; existing files are then
        unchanged.
    """
    grades = book.grades(assignment)
    folder.mkdir(parents=True, exist_ok=True)
    codes = {g.student: "\n".join(mark.code for mark in g.report.results) for g in grades if g.report}
    rule = book.rule(assignment).sentence
    likeness = similar_pairs(codes, handed_out)
    times, left_out = book.times(assignment), book.left_out(assignment)
    whole = class_page(grades, assignment, attempts=times, likeness=likeness, rule=rule, left_out=left_out)
    pages = {"class.html": whole}
    files = page_files([grade.student for grade in grades])
    for grade in grades:
        pages[f"{STUDENTS}/{files[grade.student]}"] = student_page(
            grade, assignment, due_over=due_over, play=backward_page, rule=rule
        )
    for name, text in pages.items():
        write_whole(folder / name, text.encode())
    return [folder / name for name in pages]
