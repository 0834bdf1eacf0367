"""What students of hw16 do not receive."""

import importlib.util
from pathlib import Path

from minigrad.classroom import exercise

_spec = importlib.util.spec_from_file_location("hw16_shown", Path(__file__).with_name("checks.py"))
shown = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(shown)

shown.CASES["rows far apart"] = {
    "a": (([2, 0, 1],), [[1000.0, 999.0, 998.0], [-1000.0, -1001.0, -999.0], [5.0, 5.0, 5.0]]),
    "b": (([[1e3, 0.0], [0.0, 1e-3], [7.0, 7.0]],), [[900.0, 1.0], [0.1, 0.0], [0.0, 0.0]]),
    "c": (([[0.6]], [0.05]), [[0.0], [0.3], [-2.0]]),
}


shown.CASES["numbers elsewhere"] = {
    "a": (([2, 0],), [[0.5, -2.0, 1.5], [3.0, 0.25, -1.0]]),
    "b": (([[3.0, 0.0], [0.0, 5.0], [7.0, 7.0]],), [[2.0, 1.0], [0.5, 4.0], [6.0, 8.0]]),
    "c": (([[0.6]], [0.05]), [[0.0], [0.3], [-2.0]]),
}
shown.PROGRAMS["second, elsewhere"] = {"(a @ a) * a": lambda join, a, b, row, column: (a @ a) * a}
shown.PROGRAMS["finite, elsewhere"] = {
    "concatenate(a * row, a @ a)[3]": lambda join, a, b, row, column: join(a * row, a @ a)[3],
}


def elsewhere(name):
    """The criterion at numbers that differ in size; for the engine, programs in which several repairs meet."""

    def holds(capstone, case, chosen=""):
        if chosen == "d":
            return shown.repaired(capstone, f"{name}, elsewhere")
        return shown.criterion(name)(capstone, case, chosen)

    return holds


@exercise("capstone", function="capstone(criterion, case)", also=("chosen",), seconds=10.0)
def capstone(c):
    c.hint(
        "Make the value right first. Which lesson has a function of this form?",
        "Then the rule for upstream 1, then times upstream; check() names the entry that is wrong.",
        "a: softmax minus label. b: upstream, and what was sent to each code. c: v = upstream + (v * s) @ Wᵀ. "
        "d: each criterion has a fault of its own.",
    )
    c.solution("One of four: here softmax minus label, for the rows that count.")
    c.accept("0 -> -1", "there is one part, which is the last one as well")


@exercise("second", points=3, of="capstone", function="capstone(case)", also=("chosen",), seconds=10.0)
def second(c):
    c.property(
        "the second derivative elsewhere",
        elsewhere("second"),
        vary=(),
        points=[("numbers elsewhere",)],
        objects=True,
        reveal="message",
    )


@exercise("finite", points=2, of="capstone", function="capstone(case)", also=("chosen",), seconds=10.0)
def finite(c):
    c.property(
        "numbers far apart", elsewhere("finite"), vary=(), points=[("rows far apart",)], objects=True, reveal="message"
    )


@exercise("picture", function="draw()", also=("chosen",), seconds=10.0)
def picture(c):
    c.hint(
        "Which call of your function fits into a small picture?",
        "mg.backward_trace(y) is the trace of the pass back from y.",
        "return mg.backward_trace(mg.sum(capstone(*parts)(___))).to_json()",
    )
    c.solution("A trace is a text, which travels to whoever grades it.")
    c.wrong("def draw(): return 'a picture'")
    c.wrong("def draw(): return mg.backward_trace(mg.sum(mg.tanh(x))).to_json()", "no rule in the picture")
    c.wrong("def draw(): return 1.0")
