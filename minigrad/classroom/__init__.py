"""Exercises with immediate feedback: how they are described and checked, and the verdicts that students see.

In a notebook: `from minigrad.classroom import lesson; check = lesson("06")`, then `check("name")`.
In a file of checks: `from minigrad.classroom import exercise, floats, arrays, mistake`.
"""

from .check import Lesson, lesson
from .collector import exercise
from .inputs import arrays, floats
from .mistakes import mistake
from .verdict import Verdict

__all__ = ["Lesson", "Verdict", "arrays", "exercise", "floats", "lesson", "mistake"]
