"""The object that describes an exercise: one method for each kind of check."""

from __future__ import annotations

import copy
import difflib
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from minigrad.core.op import OPS
from minigrad.runner.used_names import used_names

from .answer_graph import bends_like, is_linear, is_small, uses_no_rule, uses_rule, uses_without
from .compared_values import called, largest, plain, same, unwrapped
from .exercises import REVEALS, Check, Described, Exercise
from .graph_rows import rows_of
from .inputs import array_points, floats, grid, numbers_only, ranges, with_upstream
from .mistakes import Mistake, ready_made, usual_mistakes, value_mistakes
from .truth import differentiate, each, elementwise, slopes, values_at

#: Upstream gradients that reveal a rule that ignores the upstream gradient, doubles it or flips its sign.
UPSTREAM = floats(-4, 4, also=(1.0, 2.0, 3.0))
OPTIONS = ("at", "points", "looks_like", "rtol", "atol", "word", "dtypes", "units", "reveal", "marks")
BOTH = ("float32", "float64")
# How many simple points are tried: FEW if an array of many numbers is tried too, else MANY.
FEW, MANY = 40, 100


def exercise(
    name: str,
    *,
    points: float = 1,
    function: str | None = None,
    also: Sequence[str] = (),
    seconds: float = 1.0,
    of: str = "",
    graded: bool = True,
) -> Callable[..., Exercise]:
    """Decorate the function that fills in the checks of the exercise called `name`.

    function : the function that the student writes, as `"name"` or `"name(x, upstream)"`. Without it, the answer is the
        value of the variable `name`.
    also : names of other notebook variables, which `answer` and `property` checks get as keyword arguments.
    seconds : how long one call may take.
    of : another exercise about the same function, so that one function can earn marks for several things.
    graded : False if the checks inspect the memory of the process, such as the arrays that a result keeps alive. The
        exercise is then checked only in the notebook, and grading skips it.

    The methods of `c`: example, answer, gradient for functions of plain numbers; value, derivative, custom, plain,
    without, small, linear, bends, graph, walk for functions of Tensors; property, unaided, trained; choice, number,
    numbers, edge, edges, box, order for values; by_hand for answers that a person reads; hint, solution, wrong, accept,
    free, tells, harmless.

    >>> from minigrad.classroom import floats
    >>> @exercise("double", function="double(x)")
    ... def double(c):
    ...     c.value(lambda x: 2 * x, vary=(floats(-1, 1),), says="twice x")
    >>> double.checks[0].says
    'twice x'
    """
    called, _, rest = (function or "").partition("(")
    arguments = tuple(re.findall(r"\w+", rest))
    made = Exercise(name, points, called or None, arguments, also=tuple(also), seconds=seconds, of=of, graded=graded)

    def fill(build: Callable[[Collector], Any]) -> Exercise:
        build(Collector(made))
        if not (made.checks or made.question or made.by_hand or made.hints or made.wrongs or made.why):
            raise ValueError(f"the exercise {name!r} has no checks")
        if made.by_hand and (made.checks or made.question):
            raise ValueError(f"a person reads {name!r}: put its checks into another exercise, with of={name!r}")
        return made

    return fill


class Collector(Described):
    """The object `c` that a function decorated with `exercise` receives, to describe the exercise.

    Each of its methods adds one check, or a part of the description.

    Every check has these options:

    at : inputs that are tried first.
    looks_like : a dict of named mistakes, with the answer that each one gives.
    rtol, atol : tolerances allowed in addition to rounding.
    word : the name of the expected result, instead of "true {}".
    reveal : the part of the check that students see after grading, one of `exercises.REVEALS`.
    marks : the part of the exercise's marks that this check earns. If any check has marks, all checks are tried, and
        those without marks must pass for any marks to count.
    """

    def __init__(self, made: Exercise) -> None:
        super().__init__(made)
        self._tables: dict[str, list[tuple[str, Any]]] = {}

    def example(
        self,
        args: tuple[Any, ...],
        expected: Any,
        says: str = "the examples",
        run: Callable[..., Any] = called,
        **more: Any,
    ) -> None:
        """Check that the function returns `expected` for `args`; examples with the same `says` make one check.

        run : calls the function, and may raise `Misused` with a named mistake where the call fails.
        """
        if not isinstance(args, tuple):
            raise TypeError(f"the arguments of an example are a tuple: write c.example(({args!r:.40},), ...)")
        table_check = next((c for c in self._made.checks if c.says == says and not c.vary), None)
        if table_check is None:
            table: list[tuple[str, Any]] = []
            true = lambda *xs: next(expected for text, expected in table if text == repr(xs))
            more = {"rtol": 1e-6, "atol": 1e-9, **more}
            table_check = self._add(says, run, true, (), len(args), "answer", more, [])
            self._tables[says] = table
        self._tables[says].append((repr(args), expected))
        table_check.points.append(args)

    def answer(self, true: Callable[..., Any], vary: Sequence[Any], says: str, **more: Any) -> None:
        """Check that the function of plain numbers, arrays or lists returns the same as `true`."""
        more = {"rtol": 1e-9, "atol": 1e-12, **more}
        vary = ranges(says, vary)
        self._add(says, called, true, vary, len(vary), "answer", more, [])

    def value(self, true: Callable[..., Any], vary: Sequence[Any], says: str, **more: Any) -> None:
        """Check that the function of Tensors returns the same values as `true`, a function of numbers.

        Arrays are compared element by element.
        """
        vary = ranges(says, vary)
        true = partial(each, true) if numbers_only(vary) else true
        more = {"dtypes": BOTH, **more}
        self._add(says, values_at, true, vary, len(vary), "value", more, value_mistakes(true), broadcast=True)

    def derivative(
        self,
        says: str,
        vary: Sequence[Any],
        forward: Any = None,
        slope: Callable[..., Any] | None = None,
        order: int = 1,
        upstream: bool = True,
        broadcast: bool = False,
        given_value: bool = False,
        branches: int = 1,
        **more: Any,
    ) -> None:
        """Check that the gradient that minigrad finds through the student's function of Tensors is the true one.

        forward, slope : functions of numbers: give either the function to differentiate or its derivative.
        order : 2 for the derivative of the gradient.
        upstream : whether to try several upstream gradients, which for arrays differ between the elements.
        broadcast : whether to also try two inputs of different shapes that broadcast.
        given_value : whether the value of a function with a rule may come from a loop in NumPy; the rule is run with
            this value. Such a function has a second derivative only if its rule calls the function again.
        branches : how many different graphs are allowed, for a function with a Python `if` on values. If this is more
            than 1, the graph is recorded at each input.
        """
        vary, upstream = ranges(says, vary), upstream and order == 1

        def run(f: Callable[..., Any], *args: Any) -> Any:
            return differentiate(f, args[:-1] if upstream else args, args[-1] if upstream else 1.0, order)

        more = {"dtypes": BOTH, "order": order, "units": 32.0 if order == 1 else 256.0, **more}
        more |= {"given_value": given_value, "branches": branches}
        self._slopes(says, run, vary, forward, slope, order, upstream, more, broadcast)

    def gradient(
        self,
        forward: Any,
        vary: Sequence[Any],
        upstream: bool = True,
        says: str = "upstream times the slope",
        **more: Any,
    ) -> None:
        """Check that the student's function is a rule of plain numbers: f(*inputs, upstream) is the gradient.

        forward : a function, or the name of an op, whose derivative is the truth.
        """
        exact = isinstance(forward, str)  # an op has an exact rule; a function may need finite differences
        more = {"rtol": 1e-11, "atol": 1e-13, **more} if exact else {"rtol": 1e-9, "atol": 1e-9, **more}
        vary = ranges(says, vary)
        self._made.engine = False
        self._slopes(says, called, vary, forward, None, 1, upstream, more)

    def property(
        self, says: str, holds: Callable[..., Any], vary: Sequence[Any], objects: bool = False, **more: Any
    ) -> None:
        """Check that `holds(f, *inputs)` returns True; for a failure, `holds` returns a sentence or a named mistake.

        objects : True if the answer returns objects of the student's own class and `holds` computes with them, as in
            `a + b`. Otherwise each object is replaced by its number.
        """
        vary = ranges(says, vary)
        self._add(says, holds, lambda *xs: True, vary, len(vary), "property", more, []).objects = objects

    def graph(self, true: Any, says: str = "the graph of the formula", drawn: bool = True, **more: Any) -> None:
        """Check that the graph that the answer records, or describes as a list of rows, equals the graph of `true`.

        true : a function of Tensors, or a list of rows such as [("x", []), ("multiply", [0, 0])]. The answer is a
            function of the same arguments, a Tensor, or such a list; a function without arguments returns one of these.
        drawn : whether a failure draws the true graph next to the student's.
        """
        names = self._made.arguments
        rows = lambda graph, *xs: rows_of(graph, names, xs)
        points = more.pop("at", [tuple(float(2 + i) for i in range(len(names)))])
        self._add(says, rows, partial(rows, true), (), len(names), "graph", {"at": points, **more}, []).drawn = drawn

    def custom(self, vary: Sequence[Any], says: str = "the gradient comes from a rule of your own") -> None:
        """Check that the function is made with `custom_gradient`.

        This does not check that the rule is needed: a function passes even if its derived gradient was right without a
        rule. Use `value` and `derivative` to check the value and the gradient.
        """
        self._of_graph(says, uses_rule, vary)

    def plain(self, vary: Sequence[Any], says: str = "no rule of your own") -> None:
        """Check that the function is not made with `custom_gradient`: its gradient is the derived one."""
        self._of_graph(says, uses_no_rule, vary)

    def trained(
        self, score: Callable[..., Any], least: float, seconds: float, args: tuple[Any, ...] = (), says: str = "",
        **more: Any,
    ) -> None:  # fmt: skip
        """Check that the `score` of the function's result for `args`, such as an accuracy, is at least `least`.

        score : a function that returns a number, or a sentence or a named mistake about a wrong result.
        seconds : the time limit for the call, and for the same call with a mutant of the solution.
        """
        self._made.seconds, self._made.trained = max(self._made.seconds, seconds), True

        def holds(f: Callable[..., Any], *xs: Any) -> Any:
            copies = copy.deepcopy(xs)
            reached = score(f(*xs))
            if not same(copies, xs):
                return "Your function changes its input. Make a copy, or compute a new array instead."
            if isinstance(reached, (str, Mistake)):
                return reached
            reached = float(reached)
            return reached >= least or f"It reaches {reached:.4g}; at least {least:g} is expected."

        more = {"at": [args], **more}
        self._add(says or f"it reaches {least:g}", holds, lambda *xs: True, (), 0, "property", more, [])

    def without(self, *names: str, vary: Sequence[Any], says: str = "") -> None:
        """Check that the function uses none of these ops, neither in its value nor in its rule."""
        says = says or f"made without {', '.join(f'mg.{name}' for name in names)}"
        holds = lambda f, *xs: uses_without(f, names, *xs)
        self._of_graph(says, holds, vary)

    def unaided(self, *names: str, says: str = "") -> None:
        """Check that the function's code does not refer to these functions of minigrad, which solve the exercise."""

        def holds(f: Callable[..., Any], **notebook: Any) -> bool | Mistake:
            by_judge = getattr(f, "used_names", None)  # if the function is in another process
            used = [name for name in (used_names(f) if by_judge is None else by_judge) if name in names]
            return not used or ready_made(used[0])

        says = says or f"made without {', '.join(f'mg.{name}' for name in names)}"
        self._add(says, holds, lambda: True, (), 0, "property", {"points": [()]}, [])

    def small(self, nodes: int, constants: int, vary: Sequence[Any], says: str = "", part: str = "graph") -> None:
        """Check that the recorded graph has at most this many nodes and literal numbers.

        part : "graph" for the whole graph; "rule" for only the rules of functions with a custom gradient, whose values
            may then have graphs of any length, such as the graph of a loop.
        """
        if part not in ("graph", "rule"):
            raise ValueError(f'part must be "graph" or "rule", got {part!r}')
        self._of_graph(says or f"the {part} is small", lambda f, *xs: is_small(f, nodes, constants, part, *xs), vary)

    def linear(
        self, vary: Sequence[Any], says: str = "the rule is linear in the upstream gradient", order: int = 1
    ) -> None:
        """Check that the rule is linear in the upstream gradient.

        Doubling the upstream gradient must double the gradient, and the gradient for a sum must be the sum of the
        gradients.

        order : 2 if the gradient must also depend on the upstream gradient through the graph, as second derivatives
            require.
        """
        self._of_graph(says, lambda f, *xs: is_linear(f, order, *xs), vary)

    def bends(self, forward: Callable[..., Any], vary: Sequence[Any], says: str = "and the second derivative") -> None:
        """Check that the gradients of the gradients equal the ones of `forward`, a function of Tensors.

        Unlike `derivative` with order 2, it weights the entries of the gradients differently.
        """
        self._of_graph(says, lambda f, *xs: bends_like(f, forward, *xs), vary, order=2)

    def _of_graph(self, says: str, holds: Any, vary: Sequence[Any], order: int = 1) -> None:
        """Add a property of the recorded graph, which is the same at every input."""
        vary = ranges(says, vary)
        check = self._add(says, holds, lambda *xs: True, vary, len(vary), "property", {"order": order}, [])
        first = check.points[:2]
        check.points = first + (array_points(vary, broadcast=False)[:1] if numbers_only(vary) else [])

    def _slopes(
        self,
        says: str,
        run: Any,
        vary: Sequence[Any],
        forward: Any,
        slope: Any,
        order: int,
        upstream: bool,
        more: dict[str, Any],
        broadcast: bool = False,
    ) -> None:
        if isinstance(forward, str) and forward not in OPS:
            near = difflib.get_close_matches(forward, OPS)
            near.sort(key=lambda name: sorted(name) != sorted(forward))  # prefer a name with the same letters
            raise ValueError(f"there is no op {forward!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        op = OPS[forward] if isinstance(forward, str) else None
        shape = lambda *xs: np.shape(op.fn(*xs) if op is not None else forward(*xs))
        forward = op.call if op is not None else forward
        true = slopes(forward, slope, order, upstream)
        value = None if forward is None or order == 2 else lambda *xs: plain(forward(*map(np.float64, xs)))
        looks = usual_mistakes(true, value, op, len(vary), upstream)
        drawn = (*vary, UPSTREAM) if upstream else tuple(vary)
        # A point that was given without an upstream gradient gets the upstream gradient 1.
        for key in ("at", "points") if upstream else ():
            if key in more:
                more[key] = [(*at, 1.0) if len(at) == len(vary) else at for at in more[key]]
        what = "gradient" if order == 1 else "second derivative"
        check = self._add(says, run, true, drawn, len(vary), what, more, looks, broadcast)
        if upstream and check.dtypes:
            check.points = [with_upstream(point, shape if forward is not None else None) for point in check.points]

    def _add(
        self,
        says: str,
        run: Any,
        true: Any,
        vary: Sequence[Any],
        arity: int,
        what: str,
        more: dict[str, Any],
        looks: Any,
        broadcast: bool = False,
    ) -> Check:
        unknown = set(more) - {*OPTIONS, "order", "given_value", "branches"}
        if unknown:
            raise TypeError(f"unknown option {', '.join(sorted(unknown))}; a check takes {', '.join(OPTIONS)}")
        names = self._names(arity) if len(vary) <= arity else (*self._names(arity), "upstream")
        first = [*more.pop("at", []), *more.pop("points", [])]
        points = [*first, *(grid(vary, FEW if more.get("dtypes") else MANY) if vary else [])]
        if more.get("dtypes") and numbers_only(vary) and more.get("branches", 1) == 1:
            points += array_points(vary, broadcast)  # a Python `if` cannot treat their elements one by one
        if more.get("reveal", "always") not in REVEALS:
            raise ValueError(f"reveal must be one of {', '.join(REVEALS)}, got {more['reveal']!r}")
        looks = [*((m, elementwise(f, vary)) for m, f in dict(more.pop("looks_like", {})).items()), *looks]
        check = Check(says, run, true, points, tuple(vary), names, what, looks_like=looks, **more)
        check.usual = cache(lambda: _usual(check))
        self._made.checks.append(check)
        return check

    def _names(self, count: int) -> tuple[str, ...]:
        spare = ("x", "y", "z") if count <= 3 else tuple(f"x{i}" for i in range(count))
        return (self._made.arguments + spare[len(self._made.arguments) :])[:count]


def _usual(check: Check) -> float:
    """Return the usual size of the numbers that a check compares, at most 1.

    An error much smaller than this counts as rounding.
    """
    with np.errstate(all="ignore"):
        sizes = [largest(check.true(*map(unwrapped, point))) for point in check.points[:12]]
    return min(1.0, max(sizes, default=0.0))
