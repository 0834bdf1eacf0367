"""A class whose answers a person reads: a text beside checked exercises, with hostile names and answers among them."""

import json

import minigrad as mg
from minigrad.classroom.answer_graph import Replayed
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.late import DAY, LateRule
from minigrad.grading.report import Criterion, Mark, Report
from minigrad.grading.submitted_notebook import Submission

SCALE = [
    (4, "Names the reason, and one thing that the rule does not change."),
    (2, "Names the reason."),
    (0, "Neither."),
]
HIT = '<script>top.HIT = 1</script><img src=x onerror=\'top.HIT = 2\'>"><svg onload="top.HIT = 3">{{ 7 * 7 }}'
#: Names that would run, end a path, or turn the text around.
HOSTILE = {
    "..": "a",
    "<b>eve</b>": HIT,
    "javascript:top.HIT=4": "'\" onfocus=top.HIT=5 autofocus",
    "\u202eflip": "b" * 240,
}
NAMES = ["Ada Adams", "Bob Brown", "Cem Can", "Dee Dahl", "Eli Ek", "Fay Fox", "Gus Gray", "Hal Hill"]
MISTAKES = {
    1: ("no upstream", "The upstream gradient is missing."),
    2: ("a flipped sign", "Its sign is the other one."),
}


def wrong_graph():
    """The recorded graph of an answer whose gradient at 4 is wrong, as a report keeps it."""

    @mg.custom_gradient
    def safe_sqrt(x):
        return mg.sqrt(x), lambda upstream: upstream * 1.0

    replayed = Replayed(safe_sqrt)
    graph = replayed.record([mg.constant(2.0)])
    return json.dumps({"graph": graph, "inputs": [4.0], "names": ["x"], "true": [0.25]})


def fill(path, count=12, hostile=True):
    """Write a gradebook of `count` students into the file `path`."""
    names = {f"s{n:03}": f"{NAMES[n % len(NAMES)]}{n // len(NAMES) or ''}" for n in range(count)}
    graph = wrong_graph()
    with Gradebook(path) as book:
        book.set_rule("hw1", LateRule(10 * DAY, 10))
        strange = HOSTILE if hostile else {}
        book.enroll({student: {"student": student, "name": name} for student, name in {**names, **strange}.items()})
        book.enroll({"zoe": {"student": "zoe", "name": "Zoe Zen"}})
        for n, (student, name) in enumerate({**names, **strange}.items()):
            code = name if student in strange else f"Reason {n}: " + "the slope is infinite at zero, and " * (n % 3 + 1)
            kind = n % 4
            lines = [
                Criterion("the value", True),
                Criterion("the gradient", kind not in MISTAKES, reveal="message" if kind == 2 else "always"),
            ]
            right = kind not in MISTAKES
            sqrt = Mark(
                "safe_sqrt", "right" if right else "wrong", 3.0 if right else 0.0, 3.0, lines,
                code=f"def safe_sqrt(x):\n    return mg.sqrt(x)  # {student}", mistake=MISTAKES.get(kind),
                **({} if right else {"graph": graph, "inputs": "x = 4", "yours": "1", "true": "0.25"}),
            )  # fmt: skip
            words = f"{len(code.split())} words; from 5 to 40 are expected."
            why = Mark("why", "to read", None, 4.0, code=code, words=words, scale=SCALE)
            book.receive("hw1", Submission(student, f"{student}.ipynb", f"{n:064}", (), (9.5 + n / 8) * DAY))
            book.record("hw1", Report(student, "hw1", f"{n:064}", "spec", 0, "graded", [sqrt, why], started=float(n)))
    return path
