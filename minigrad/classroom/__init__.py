"""Exercises with immediate feedback: their descriptions, their checks, and the verdicts that students see.

In a notebook: `from minigrad.classroom import lesson; check = lesson("06")`, then `check("name")`; in one of your own
`check = assignment("hw1")`.
In a file of checks: `from minigrad.classroom import exercise, floats, arrays, mistake`.

An exercise, in the order of reading:
exercises : as data. collector, description : the methods of `c`, by which a file of checks fills it in. loading : that
file, run. inputs : where an answer is tried. truth : what is right there. attempts : a try at one input. compare : a
result beside the true one. counterexample : the simplest input at which it is wrong. answer_graph, graph_rows,
graph_properties : an answer as its recorded graph. mistakes, recognise_mistake : the named mistake behind its numbers.
check : all of it.

Around it:
verdict, picture, figures, film, and the templates in pages : what a student sees. hints, questions, sealed : what is
kept from view. questionnaire, review_days : what comes back. student_progress, course : how far one is. own_engine,
walks, function_source : what a student wrote, run again in later lessons. opening, kernel : the first cell.
preview : the last picture of lesson 0.
other_process, helper_process : where an answer runs. notebook, release, run_notebook, sealed_answers : from source
to notebook. proof, mutants, giveaways : what a release proves. authoring, new_assignment : assignments of a teacher's
own.
"""

from .check import Lesson
from .collector import exercise
from .inputs import arrays, floats, samples, variable
from .mistakes import mistake
from .opening import assignment, lesson
from .own_engine import mine
from .preview import where_it_leads
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
    "where_it_leads",
]
