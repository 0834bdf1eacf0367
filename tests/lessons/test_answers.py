"""Answers of students, right in unusual form and wrong in usual ways: the verdict on each is the expected one.

A file of `answers/` has the answers to a lesson, under the names of its exercises. An answer is one line with its label
behind it, or what follows a line with a label; indented code takes the place of the solution in the cell, its parts
divided by a line of three dashes.
"""

import pickle
import re
import textwrap
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from minigrad.classroom import lesson
from minigrad.classroom.examination import examine
from minigrad.classroom.notebook import BEGIN, END, read
from minigrad.classroom.proof import cells_up_to, namespace
from minigrad.classroom.release import sources
from minigrad.tracing.user_lines import remember_lines

LABEL = re.compile(r"# (right|wrong): (.*)")


class Answer(NamedTuple):
    """An answer to an exercise, whether it is right, and why."""

    exercise: str
    right: bool
    why: str
    code: str


def answers(text):
    """The answers in the text of a file."""
    found, exercise, told, code = [], "", None, []

    def keep():
        if told:
            found.append(Answer(exercise, told[1] == "right", told[2], "\n".join(code)))

    for line in text.splitlines():
        label = LABEL.search(line)
        if not (label or line.startswith("# %% ")):
            code.append(line)
            continue
        keep()
        told, code = label, [line[: label.start()].rstrip()] if label else []
        if not label:
            exercise = line.removeprefix("# %% ")
    keep()
    return found


def written(cell, code):
    """The cell as a student wrote it: the code itself, or the cell with its solution replaced."""
    if not code.lstrip("\n").startswith(" "):
        return code
    parts, lines, hidden = re.split(r"^ *---$", textwrap.dedent(code.strip("\n")), flags=re.M), [], False
    for line in cell.splitlines():
        if line.strip() == BEGIN:
            lines.append(textwrap.indent(parts.pop(0), line[: line.index("#")]))
        hidden = (hidden or line.strip() == BEGIN) and line.strip() != END
        if not hidden and line.strip() != END:
            lines.append(line)
    return "\n".join(lines)


notebook = cache(read)


def examined(source, answer, thorough=True):
    """The verdict on an answer; if not `thorough`, without a search for a simpler failure, or for a first one."""
    exercise = lesson(source.name[:2]).exercises[answer.exercise]
    *before, cell = cells_up_to(notebook(source), answer.exercise)
    space = namespace([*before, written(cell, answer.code)])
    also = {name: space[name] for name in exercise.also if name in space}
    return examine(exercise, space.get(exercise.function or exercise.name), also, thorough)


def answers_to(source):
    return answers((Path(__file__).parent / "answers" / f"{source.name[:2]}.txt").read_text(encoding="utf-8"))


SOURCES = {source.name[:2]: source for source in sources()}


@pytest.mark.numbers
@pytest.mark.parametrize("number", [pytest.param(n, marks=getattr(pytest.mark, f"lesson{n}")) for n in SOURCES])
def test_each_answer_is_told_what_it_is(number, subtests, sampled):
    remember_lines(False)  # no word of the verdict that is compared has them
    rows = answers_to(SOURCES[number])
    assert {row.exercise for row in rows} == set(lesson(number).exercises)
    for row in sampled(rows, 20):
        with subtests.test(f"{row.exercise}: {row.why}"):
            verdict = examined(SOURCES[number], row, thorough=row.right)
            if verdict.status == "right" and not row.right:  # what is wrong at the first inputs is wrong
                verdict = examined(SOURCES[number], row)
            assert (verdict.status == "right") == row.right, f"{row.code}\n\n{verdict.to_text()}"
            assert len(verdict.to_text().splitlines()) <= 15, verdict.to_text()
            pickle.dumps(replace(verdict, picture=None))  # it comes from another process


#: Words that a verdict has, and words that it must not have, by the lesson and the answer.
SAID = [
    ("00", "slope_by_nudging", "a step of its own", "You took a step of your own.", "brackets are missing"),
    ("00", "slope_by_nudging", "both sides, and a single step below", "are two steps", "a step to the left"),
    ("01", "draw_by_hand", "(a + b) * (a + 1)", "No row computes b + 1.", "true graph"),
    ("01", "draw_by_hand", "the constant among the row numbers", "a row of its own, (1.0, [])", "earlier rows"),
    ("01", "draw_by_hand", "a box too many", "the ops are", "true graph"),
    ("02", "backprop", "a dict that has only the result", "before the dict has one", "stopped"),
    ("03", "check_direction", "/ 2 * h, again", "divides by 2 and multiplies by h", "the direction"),
    ("02", "backprop_by_hand", "b has one message", "Wrong: b. Right: a, s, t, e.", "5"),
    ("02", "backprop_by_hand", "s and t exchanged", "Wrong: a, s, t. Right: b, e.", "true"),
    ("03", "has_kink", "compares the differences without dividing", "Of abs at 0 both gaps are 2", "Compare the gap"),
    ("04", "Number", "Numbers as slopes", "It looks like: a slope is a Number.", "stopped"),
    ("04", "Number", "floats as parents", "It looks like: a plain number among the parents.", "stopped"),
    ("04", "Number", "parents and slopes in each other's places", "parents and slopes are swapped", "stopped"),
    ("04", "order_nodes", "serials", "is not a node", "stopped"),
    ("04", "backward", "a KeyError at the first message", "x * x: x with the value 3 is not in the dict", "Node(3)"),
    ("04", "backward", "keeps the dict from call to call", "gives 12, the first gave 6", "nodes"),
    ("04", "backward", "a default dict that is kept", "Both walks returned the same dict", "nodes"),
    ("04", "backward", "gradients in the nodes, which are not set to 0", "The nodes have kept gradient.", "same dict"),
    ("04", "Number", "no op", 'op is "", and that is for an input', "stopped"),
    ("04", "exp", "the slope is a Number", "It looks like: a slope is a Number.", "format"),
    ("05", "unbroadcast", "minigrad's name for it", "Here minigrad does the sum", "true answer"),
    ("05", "step", "minigrad's walk", "Write slopes = mine.gradients(loss, tensors)", "stopped"),
    ("05", "step", "calls mine and moves by minigrad", "Write slopes = mine.gradients(loss, tensors)", "stopped"),
    ("05", "step", "mine.step, which is to be written", "Write its four lines yourself", "stopped"),
    ("05", "step", "the weights stay arrays", "tensors = [mg.constant(w) for w in weights]", "read_value"),
    ("05", "jac_conv1d", "the transpose", "A row for each output", "smallest"),
    ("06", "safe_log1pexp", "an if, and x may be an array", "It fails at x = [", "x = 0,"),
    ("06", "safe_log1pexp", "the name it has, which the lesson gives away", "mg.softplus", "It fails at"),
    ("07", "safe_sqrt", "an if, and x may be an array", "It fails at x = [", "x = 0,"),
    ("07", "safe_sqrt", "an if on all of an array", "It fails at x = [", "x = 0,"),
    ("07", "length", "an if, and a and b may be arrays", "It fails at a = [", "a = 0,"),
    ("07", "length", "an if on all of an array", "your gradient", "a = 0,"),
    ("07", "log1pexp_stable", "no rule at all", "no rule of its own", "It fails at"),
    ("08", "dense_with_rule", "compares the numbers", "`v is W`", "mg.where"),
    ("10", "length_everywhere", "an if", "– made without mg.hypot", "✗ made without"),
    ("11", "times_exp", "the slope by logarithms, which divides by x", "– the rule is linear", "✗ the rule is linear"),
    ("12", "dqn_loss", "the larger of the two, which is the half square everywhere", "half the square", "its square"),
    ("12", "clip_gradient", "the arrow of the upstream gradient is lost, by NumPy", "the gradient is right", "stopped"),
    ("12", "reverse_gradient", "the rule has no return", "the rule returned None", "returned 1 gradient"),
    ("12", "straight_through", "round only", "an op on the way sends none (mg.round", "through recorded ops"),
    ("12", "straight_through", "whole numbers of an integer dtype", "the dtype int32", "recorded ops"),
    ("13", "recompute", "the runs are kept in a dict", "The rule, or something outside", "mg.constant(f(x).value)"),
    ("13", "in_pieces", "each piece gets x", "It looks like: each piece gets x", "another order"),
    ("13", "dropout", "nan for what is dropped", "It should be by 0 and 2", "scaled by the rate"),
    ("14", "newton_sqrt", "a constant, whose rule has no past", "gradient of the gradient is None", "too large"),
    ("14", "kepler", "a constant, and M in place of E", "the gradients for M and e", "No gradient"),
    ("14", "kepler", "no return", "kepler returned None", "returned 1 gradient"),
    ("14", "make_ridge", "shape (1,)", "If strength is broadcast", "strength was broadcast"),
    ("09", "flatten", "dicts as they are written", "in the order of writing", "✗ made without mg.nest"),
    ("09", "flatten", "a list that stays from call to call", "something is kept from call to call", "stopped"),
    ("09", "split", "an upstream that is cut at k", "has shape (2,)", "not joined"),
    ("09", "split", "the two halves exchanged in the value, too", "'start' is [2., 3.]", "grad_ys"),
    ("09", "portable", "the wrong way round", "called as grad(upstream)", "only grad(x"),
    ("09", "portable", "the decorator is missing", "the decorator is missing", "stopped"),
    ("09", "portable", "a float is returned", "It should be a Tensor.", "stopped"),
    ("08", "freeze_by_rule", "the decorator is missing", "the decorator is missing", "stopped"),
    ("08", "freeze_by_rule", "the function is not returned", "None is returned", "stopped"),
    ("15", "train", "one_hot of the notebook", "Yours has learned the digits themselves", "images ="),
    ("15", "train", "the new parameters are thrown away", "the first W is the one of the start", "reaches"),
    ("15", "train", "no return", "train returned None", "stopped"),
    ("15", "start_weights", "He's start, for relu", "a factor of the root of 2", "outputs"),
    ("15", "start_weights", "nothing returned", "is None; an array is expected", "shape"),
    ("15", "cross_entropy", "no decorator", "the decorator is missing", "one loss for each image"),
    ("15", "cross_entropy", "the function is returned, not its value", "it is a function", "one loss for each image"),
    ("15", "cross_entropy", "log of softmax", "log of 0", "exp of a large number"),
    ("15", "cross_entropy", "log of softmax plus a little", "2.02763743. It should be 2.02763744", "the sum"),
    ("15", "cross_entropy", "softmax of the shifted logits, twice", "the gradient is", "cannot be differentiated"),
    ("15", "cross_entropy", "upstream twice", "multiplied by the upstream gradient twice", "number of images"),
    ("15", "cross_entropy", "divided by classes - 1", "the gradient is", "It looks like"),
    ("15", "cross_entropy", "divided by an image less", "the gradient is", "It looks like"),
    ("15", "cross_entropy", "divided by an image more", "the gradient is", "It looks like"),
    ("15", "smoothed_loss", "no decorator", "the decorator is missing", "stopped"),
    ("10", "to_pair", "keeps rule(1.0), and multiplies", "it need not be linear", "stopped"),
    ("10", "to_pair", "differentiates a number", "ys must be a Tensor", "bwd takes two"),
    ("10", "to_pair", "the derived gradient, where there is none", "the gradient is None", "stopped"),
    ("10", "to_pair", "the value is forgotten", "the value is None", "stopped"),
    ("11", "hvp", "the student's own hessian", "builds the whole table", "ready"),
    ("13", "recompute", "the name itself", "minigrad has this function already", "stopped"),
    ("16", "make_loss", "float(width) in the rule", "Compute with the Variable", "stopped"),
    ("18", "as_half", "the upstream is rounded by the same words", "rounded to float16 on the way back", "stopped"),
    ("18", "scale_gradient", "value and gradient", "the value is multiplied", "stopped"),
    ("18", "careful_step", "the sum is asked, which overflows in float16 by itself", "not their sum", "Nothing moves"),
    ("18", "careful_step", "divided in float16", "Divided in float16 the slope is 0 again", "Nothing moves"),
    ("18", "careful_step", "nan is forgotten", "nan is not finite either", "overflows, too"),
    ("18", "careful_step", "only the bad entries are left out", "Skip the whole step", "stays in the weights"),
    ("17", "forward", "the seed of the result", "has the tangent 1 for every seed", "Begin with the oldest"),
    ("17", "forward", "all inputs move", "begins with 1, whatever `seed` says", "as if each parent moved"),
    ("17", "forward", "inputs without a seed move", "An input that is not in `seed` begins with 1", "whatever `seed`"),
    ("17", "forward", "seed[node]", "an input is not in seed", "before it is in the dict"),
    ("17", "forward", "newest first, without a default", "before it is in the dict", "an input is not in seed"),
    ("17", "Dual", "plain numbers leave the tangent as it is", "scales the tangent, too", "stands still"),
    ("17", "Dual", "a plain number moves by 1", "stands still", "scales the tangent"),
    ("17", "Dual", "a square", "the tangent of a * a, whatever b is", "The first one moves"),
    ("17", "hvp", "differences of gradients", "is off by", "It should be"),
    ("17", "hvp", "exchanged", "H at v, times x", "is off by"),
    ("17", "hvp", "one direction for each input", "the diagonal of H", "is off by"),
]


def test_what_is_said_is_so(subtests, sampled):
    for number, exercise, why, said, not_said in sampled(SAID):
        with subtests.test(f"{exercise}: {why}"):
            (row,) = (row for row in answers_to(SOURCES[number]) if (row.exercise, row.why) == (exercise, why))
            text = examined(SOURCES[number], row).to_text()
            assert said in text and not_said not in text
