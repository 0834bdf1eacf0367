"""Grades as other systems read them: CSV, Moodle, Canvas, Gradescope, GitHub Classroom, nbgrader."""
