"""Exercises with immediate feedback: their descriptions, their checks, and the verdicts that students see.

In a notebook: `from minigrad.classroom import lesson; check = lesson("06")`, then `check("name")`; in one of your own
`check = assignment("hw1")`.
In a file of checks: `from minigrad.classroom import exercise, floats, arrays, mistake`.
"""

from .check import Lesson
from .collector import exercise
from .inputs import arrays, floats, samples, variable
from .mistakes import mistake
from .opening import assignment, lesson
from .own_engine import mine
from .questionnaire import three_a_day
from .student_progress import progress
from .verdict import Verdict

__all__ = [
    "Lesson",
    "Verdict",
    "arrays",
    "assignment",
    "exercise",
    "floats",
    "lesson",
    "mine",
    "mistake",
    "progress",
    "samples",
    "three_a_day",
    "variable",
]
