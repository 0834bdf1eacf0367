"""Print what each lesson holds: `python -m tests.helpers.lesson_table`, for all or with the numbers of some.

Words are counted in prose and code; minutes are words / 150, plus 4 for each exercise and 1 for each prediction.
"""

import re
import sys

from minigrad.classroom import lesson
from minigrad.classroom.notebook import read
from minigrad.classroom.proof import proofs
from minigrad.classroom.release import sources

HEAD = ("lesson", "words", "predictions", "exercises", "wrong answers caught", "named", "mutants", "killed", "minutes")


def row(source):
    """The numbers of a lesson, in the order of HEAD."""
    notebook = read(source)
    exercises = lesson(source.name[:2]).exercises
    predictions = sum(e.question is not None for e in exercises.values())
    built = len(exercises) - predictions
    words = sum(len(re.findall(r"[A-Za-z]\w*", cell.source)) for cell in notebook.cells)
    proven = list(proofs(notebook, exercises))
    wrong, named = sum(p.wrongs for p in proven), sum(p.named for p in proven)
    killed = sum(p.killed for p in proven)
    mutants = killed + sum(len(p.accepted) + len(p.survivors) for p in proven)
    minutes = round(words / 150 + 4 * built + predictions)
    return source.name[:2], words, predictions, built, wrong, named, mutants, killed, minutes


if __name__ == "__main__":
    print(*HEAD, sep=" | ")
    for source in sources(sys.argv[1:]):
        print(*row(source), sep=" | ", flush=True)
