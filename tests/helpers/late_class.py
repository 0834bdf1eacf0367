"""A class in which work is late, changed by hand, broken or missing, and the marks that follow."""

from minigrad.grading.late import DAY, LateRule
from minigrad.grading.report import Mark, Report
from minigrad.grading.submitted_notebook import Submission

RULE = LateRule(due=DAY, percent=10, grace=30, cap=50, days=7)
#: By student: when it was handed in, the marks of q1 and q2 (each of 4), and what follows from RULE and BY_HAND.
CLASS = {
    "ada": (DAY - 60, (4.0, 3.0), 7.0),
    "ben": (DAY + 29 * 60, (4.0, 3.0), 7.0),  # within the grace
    "cem": (DAY + 3600, (4.0, 0.0), 3.6),
    "dee": (2.5 * DAY, (2.0, 2.0), 4.8),  # q2 by hand 4, so 6, and two days begun
    "eli": (7 * DAY, (4.0, 4.0), 5.0),  # 2 more by hand, so 10, at most 50 %
    "fay": (9 * DAY, (4.0, 4.0), 0.0),  # too late
    "gus": (DAY, (4.0, None), None),
    "hal": (DAY, None, None),  # unreadable
    "ida": (DAY, None, 3.0),  # unreadable, and q1 by hand 3
    "jan": (None, None, None),  # missing
    "kim": (None, None, 2.0),  # missing, and 2 by hand
    "leo": (DAY, (1.0, 0.0), 0.5),  # half a mark less by hand
}
BY_HAND = [("dee", 4.0, "q2"), ("eli", 2.0, None), ("ida", 3.0, "q1"), ("kim", 2.0, None), ("leo", -0.5, None)]
EXPECTED = {student: marks for student, (_, _, marks) in CLASS.items()}


def fill(book):
    """Enter the class into a gradebook, and return its grades."""
    book.enroll({student: {"student": student, "name": f"{student.capitalize()} Lee"} for student in CLASS})
    for student, (received, marks, _) in CLASS.items():
        if received is None:
            continue
        unreadable = "" if marks else "the file is empty: 0 bytes"
        book.receive("hw1", Submission(student, f"{student}.ipynb", student, (), received, (), unreadable))
        states = {None: "ungraded", 4.0: "right"}
        results = [
            Mark(f"q{n}", states.get(got, "wrong"), got, 4.0, why="a check raised" * (got is None))
            for n, got in enumerate(marks or (), start=1)
        ]
        status = "graded" if marks else "unreadable"
        book.record("hw1", Report(student, "hw1", student, "11", 0, status, results))
    book.set_rule("hw1", RULE)
    for student, marks, exercise in BY_HAND:
        book.adjust(student, "hw1", marks, "a reason", exercise, who="prof")
    return book.grades("hw1")
