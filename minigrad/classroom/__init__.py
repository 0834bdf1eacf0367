"""Exercises with immediate feedback: their descriptions, their checks, and the verdicts that students see.

In a notebook: `from minigrad.classroom import lesson; check = lesson("06")`, then `check("name")`; in your own
assignment, `check = assignment("hw1")`. In a file of checks: `from minigrad.classroom import exercise, floats, arrays,
mistake`.

One check, from `check("name")` to the sentences that a student reads, in the order of reading:
check : finds the answer in the notebook and passes it on.
helper_process : examines the answer in another process, which may hang or die.
exercises : an exercise as data, with its checks: the run, the truth, and the inputs.
examination : goes through the checks, explains the first failure, and recognises the mistake behind it.
attempts : tries the answer at one input, and looks for the simplest input at which it is wrong.
truth : the function that a check runs, and the true results. compared_values : the result next to the true one, in
    words.
verdict : the verdict as text and HTML.

These files use:
answer_graph : an answer as its recorded graph, for derivatives and properties. graph_rows : graphs box by box.
mistakes : the named mistakes, their sentences and their numbers. picture : draws a failure. film : plays a wrong
    pass.
allowance : how far from the truth a right answer may be because of rounding.

How a file of checks becomes exercises:
loading : runs the file. collector : the methods of `c`. inputs : the ranges from which inputs are drawn.
questions : predictions. sealed : hides answers from view. sealed_answers : the file of sealed texts.

Around it, in a notebook: kernel : the changes a lesson makes to its kernel. hints : hints one by one, then the
solution. questionnaire : questions that come back.
student_progress : a student's progress on the map of the course. own_engine : the student's functions, run in later
    lessons.
function_source : the source of a function. walks : graphs as the rows of lesson 2, and walks over them.
network_preview : the last picture of lesson 0. forward_walks : graphs of lesson 17.
The data of lessons 10 and 13 are in minigrad/data instead, because a graded notebook cannot use the classroom.

From source to notebook:
notebook : reads a source. release : what students receive. run_notebook : the outputs. proof : the tests that a release
    must pass.
mutants : wrong answers made from right ones. giveaways : words that give an answer away. authoring : a teacher's
    assignments.
"""

from ..tracing.table import Table
from .check import Lesson, assignment, lesson
from .collector import exercise
from .inputs import arrays, floats, samples, variable
from .mistakes import mistake
from .network_preview import where_it_leads
from .own_engine import mine
from .questionnaire import three_a_day
from .student_progress import progress
from .verdict import Verdict

__all__ = [
    "Lesson",
    "Table",
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
