"""Ten ways to break each exercise's solution: which do its checks notice? ``python -m tests.lessons.breaks``.

A break changes what the solution of an exercise returns, what it sends back, or the upstream gradient that its rule
gets, such as the first row in place of all. Arguments are the numbers of lessons and the names of assignments; all by
default. A break that passes is a hole in the checks, unless what is returned then is as right.
"""

import functools
import inspect
import sys
import types
from collections import Counter
from dataclasses import replace

import numpy as np

import minigrad as mg
from minigrad.classroom import lesson
from minigrad.classroom.examination import examine
from minigrad.classroom.loading import load
from minigrad.classroom.notebook import read
from minigrad.classroom.proof import cells_up_to, namespace
from minigrad.classroom.release import sources
from minigrad.core.custom import CustomGradient
from minigrad.core.tensor import Tensor
from minigrad.core.variable import Variable
from minigrad.lab.handout import lessons_folder
from minigrad.tracing.user_lines import remember_lines


def onto_all(x):
    """The first row instead of every row."""
    return x[:1] + 0 * x if x.ndim else x


def transposed(x):
    """The axes in the other order, read in the old shape."""
    return (mg if isinstance(x, Tensor) else np).reshape(x.T, x.shape) if x.ndim > 1 else x


def first_only(x):
    return x * (np.arange(_size(x)) == 0).reshape(x.shape).astype(x.dtype) if x.ndim else x


def in_order(x):
    """Sorted along the last axis, which a rule does with the positions alone."""
    if not x.ndim:
        return x
    values = x.numpy() if isinstance(x, Tensor) else x
    return x.reshape(-1)[np.argsort(values, axis=None)].reshape(x.shape)


def moved_by_one(x):
    """The next entry instead of each, and a number that is larger by 1."""
    return x.reshape(-1)[(np.arange(_size(x)) + 1) % _size(x)].reshape(x.shape) if _size(x) > 1 else x + 1


def in_float32(x):
    if isinstance(x, Tensor):
        return mg.cast(mg.cast(x, "float32"), x.dtype)
    return x.astype(np.float32).astype(x.dtype) if x.dtype.kind == "f" else x


def _size(x):
    return int(np.prod(x.shape))


def _is_function(x):
    return isinstance(x, (types.FunctionType, CustomGradient))


class OneSize:
    """Right at the first size that it meets, and twice too large at others."""

    __name__ = "one_size"

    def __init__(self):
        self.size = None

    def __call__(self, x):
        self.size = self.size or _size(x)
        return x if _size(x) == self.size else 2 * x


#: Each break, as a function of the passing value; created again for each trial.
BREAKS = {
    "one row for all": lambda: onto_all,
    "upstream dropped": lambda: lambda x: x * 0 + 1,
    "sign": lambda: lambda x: -x,
    "mean for sum": lambda: lambda x: x / max(_size(x), 1),
    "transposed": lambda: transposed,
    "first element only": lambda: first_only,
    "sorted": lambda: in_order,
    "off by one": lambda: moved_by_one,
    "float32 only": lambda: in_float32,
    "this size only": OneSize,
}
#: Breaks that change single numbers too.
OF_NUMBERS = {"upstream dropped", "sign", "off by one", "float32 only"}
PLACES = ("value", "gradient", "upstream")
#: What a class of numbers is broken in: these fields of what these operators return.
FIELDS = {"value": ("value",), "gradient": ("slopes", "tangent")}
OPERATORS = ("__add__", "__mul__", "__truediv__")


class Broken:
    """The solution of an exercise with one break. applied : how often it made a difference; shapes : that it met."""

    def __init__(self, change, place):
        self.change, self.place, self.applied, self.shapes = change, place, 0, set()

    def of(self, answer):
        """The broken answer: a function, a class of numbers, or a value that holds functions."""
        if isinstance(answer, type):
            return self._of_class(answer)
        if not callable(answer) or isinstance(answer, Tensor):
            return answer

        @functools.wraps(answer)
        def broken(*args, **kwargs):
            return self._of_result(answer(*map(self._argument, args), **kwargs))

        if not hasattr(answer, "__wrapped__"):
            del broken.__wrapped__
        return broken

    def _of_class(self, numbers):
        """The class itself, with operators whose results are changed in place of those of the last break."""
        for name in OPERATORS:
            if name in vars(numbers):
                setattr(numbers, name, self._of_operator(inspect.unwrap(vars(numbers)[name])))
        return numbers

    def _of_operator(self, method):
        @functools.wraps(method)
        def broken(number, other):
            y = method(number, other)
            for name in FIELDS.get(self.place, ()):
                if hasattr(y, name):
                    setattr(y, name, self._changed(getattr(y, name)))
            return y

        return broken

    def _argument(self, x):
        float_leaf = isinstance(x, Tensor) and not isinstance(x, Variable) and x.dtype.kind == "f"
        return self._gate(x) if self.place == "gradient" and float_leaf else x

    def _of_result(self, y):
        if _is_function(y) and self.place != "value":
            return self.of(y)
        if type(y) in (tuple, list) and any(isinstance(item, (Tensor, np.ndarray)) for item in y):
            return type(y)(map(self._of_result, y))
        if isinstance(y, dict):
            return {key: self._of_result(item) for key, item in y.items()}
        if self.place == "upstream":
            return self._gate(y) if isinstance(y, Tensor) and y.dtype.kind == "f" else y
        return self._changed(y) if self.place == "value" else y

    def _changed(self, y):
        if _is_function(y):
            return self.of(y)
        if isinstance(y, Tensor):
            return self._note(y, self.change(y)) if y.dtype.kind == "f" else y
        try:
            array = np.asarray(y, float) if not isinstance(y, (str, bytes, bool)) and y is not None else None
        except (TypeError, ValueError):
            return y
        if array is None:
            return y
        made = self._note(array, self.change(array))
        if isinstance(y, np.ndarray):
            return made.astype(y.dtype)
        return type(y)(made.tolist()) if type(y) in (list, tuple, int, float) else made[()]

    def _gate(self, x):
        @mg.custom_gradient
        def gate(x):
            return x, lambda upstream: self._note(upstream, self.change(upstream))

        return gate(x)

    def _note(self, x, made):
        self.shapes.add(x.shape)
        before, after = (t.numpy() if isinstance(t, Tensor) else t for t in (x, made))
        self.applied += not np.array_equal(before, after, equal_nan=True)
        return made


def tried(exercise, answer, also, change, place):
    """The outcome of a break: "seen", "passes", or "no difference" to any probe."""
    broken = Broken(change, place)
    for thorough in (False, True):
        if examine(exercise, broken.of(answer), also, thorough=thorough).status != "right":
            return "seen"
    return "passes" if broken.applied else "no difference"


def without_effect(name, shapes):
    """Why a break cannot change values of these shapes, or "".

    "not tried" where nothing passes through its place, such as a rule in a function of plain numbers; "no rows" where
    only single numbers do, or only empty lists.
    """
    if not shapes:
        return "not tried"
    axes = 2 if name == "transposed" else 1
    has_rows = any(len(shape) >= axes and np.prod(shape) > 1 for shape in shapes)
    return "" if has_rows or (name in OF_NUMBERS and any(map(np.prod, shapes))) else "no rows"


def without_shape_of_the_graph(exercise):
    """The exercise without checks of how a graph is made, which see the break's own op instead of its result."""
    checks = [c for c in exercise.checks if not (c.what == "property" and c.order) and c.what != "graph"]
    return replace(exercise, checks=checks)


def trials(notebook, exercises):
    """Exercise, place, break, and what became of it."""
    remember_lines(False)  # of the answers, which no verdict needs
    for exercise in exercises.values():
        cells = cells_up_to(notebook, exercise.of or exercise.name)
        if not cells or not exercise.checks or exercise.question or exercise.of or exercise.trained:
            continue
        bare, space = without_shape_of_the_graph(exercise), namespace(cells)
        answer = space.get(exercise.function or exercise.name)
        also = {name: space[name] for name in exercise.also if name in space}
        if not inspect.isfunction(answer) and not callable(answer):
            continue
        for place in PLACES:
            unbroken = Broken(lambda x: x, place)
            if examine(bare, unbroken.of(answer), also, thorough=False).status != "right":
                yield exercise.name, place, "none", "cannot be wrapped"
                continue
            if without_effect("transposed", unbroken.shapes):  # further inputs may have rows
                examine(bare, unbroken.of(answer), also)
            for name, make in BREAKS.items():
                if (name == "upstream dropped") == (place == "upstream") or name != "upstream dropped":
                    why = without_effect(name, unbroken.shapes)
                    yield exercise.name, place, name, why or tried(bare, answer, also, make(), place)


def course():
    """The notebook with its solutions and the exercises with all their checks, by number or name."""
    for source in sources():
        yield source.name[:2], read(source), lesson(source.name[:2]).exercises
    for folder in sorted((lessons_folder() / "assignments").iterdir()):
        if folder.is_dir():
            yield folder.name, read(folder / f"{folder.name}.py"), load(folder / "checks.py")


def main(chosen):
    counts = Counter()
    for number, notebook, exercises in course():
        if chosen and number not in chosen:
            continue
        for name, place, change, result in trials(notebook, exercises):
            counts[result] += 1
            if result not in ("seen", "not tried", "no rows"):
                print(f"{number} {name}: {change}, {place}: {result}", flush=True)
    print(", ".join(f"{count} {result}" for result, count in counts.items()))


if __name__ == "__main__":
    main(sys.argv[1:])
