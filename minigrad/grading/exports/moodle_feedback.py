"""Feedback files for Moodle: a ZIP file with a page for each student, named with Moodle's number for the student.

The number identifies a participant in one assignment. Moodle's export of submissions has the number in the name of the
student's folder, and the grading worksheet has it in the column Identifier, as in "Participant 1234".
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence

from ..grades import Grade
from ..pages import student_page
from ..pages.backward_page import backward_page

_FOLDER = re.compile(r"(?P<name>[^/]+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)(?:_|/|$)")


def feedback_files(
    assignment: str,
    grades: Sequence[Grade],
    roster: Mapping[str, Mapping[str, str]],
    rule: str = "",
    due_over: bool = False,
) -> tuple[bytes, list[str]]:
    """Return the ZIP file, and the students who are not in it because their number is unknown.

    due_over : whether to show checks that are revealed "after" the deadline. The same grades give the same bytes.
    """
    paper = io.BytesIO()
    left_out = []
    title = re.sub(r"[^A-Za-z0-9-]+", "-", assignment)  # Moodle splits the name at each "_"
    with zipfile.ZipFile(paper, "w", zipfile.ZIP_DEFLATED) as archive:
        for grade in grades:
            number = participant(grade, roster.get(grade.student, {}))
            if not number:
                left_out.append(grade.student)
                continue
            name = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*_]+', " ", grade.name or grade.student)[:60].strip() or "student"
            info = zipfile.ZipInfo(
                f"{name}_{number}_assignsubmission_file_{title}-feedback.html", (1980, 1, 1, 0, 0, 0)
            )
            info.compress_type = zipfile.ZIP_DEFLATED
            page = student_page(grade, assignment, due_over=due_over, play=backward_page, rule=rule)
            archive.writestr(info, page.encode())
    return paper.getvalue(), left_out


def participant(grade: Grade, row: Mapping[str, str]) -> str:
    """Return Moodle's number for a student in this assignment, or "" if it is unknown."""
    listed = re.search(r"(\d+)\s*$", row.get("identifier", ""))
    folder = _FOLDER.match(grade.submission.file) if grade.submission else None
    own = folder is not None and not grade.group  # for a group, the folder has the number of one member
    return listed[1] if listed else folder["number"] if folder and own else ""
