"""Grades in the formats of other systems: CSV, Moodle, Canvas, Gradescope, GitHub Classroom, nbgrader."""
