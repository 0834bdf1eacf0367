"""A judge for tests of the code around it: the marks of a submission are the numbers in its code."""

import re
import time

from minigrad.grading.report import Mark, Report

OUT_OF = 10.0


class StandIn:
    """q1 gets the first number in the code; "slow" takes time, "odd" cannot be graded, "boom" raises."""

    made = 0

    def __init__(self, bonus=0.0, spec="spec", delay=0.0):
        self.bonus, self.spec, self.delay, self.closed = bonus, spec, delay, False
        StandIn.made += 1

    def judge(self, submission, seed=0):
        code = "".join(cell.source for cell in submission.cells)
        status, marks = "graded", 0.0
        if submission.unreadable:
            status, marks = "unreadable", None
        elif "boom" in code:
            raise RuntimeError("boom")
        elif "odd" in code:
            marks = None
        elif number := re.search(r"[\d.]+", code):
            marks = min(OUT_OF, float(number.group()) + self.bonus)
        time.sleep(self.delay)
        state = "ungraded" if marks is None else "right" if marks == OUT_OF else "wrong"
        mark = Mark(
            "q1",
            state,
            marks,
            OUT_OF,
            why="the check raised" * (marks is None),
            words=f"bonus {self.bonus:g}",
            code=code,
        )
        return Report(submission.student, "hw1", submission.digest, self.spec, seed, status, [mark])

    def stop(self):
        self.stopped = True

    def close(self):
        self.closed = True
