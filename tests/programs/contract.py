"""The contract of `mg.compile` and `mg.source`, as one judgement of an attempt to break it.

An attempt is a generator function. It receives `compile`, uses it as a user would, and yields the results. The files in
contracts/ hold attempts, each under a line of what is expected and its name:

    then | a number in a closure
        scale = 2.0
        f = compile(lambda x: mg.sum(x * scale)); yield f(X)
        scale = 7.0; yield f(X)

It runs once plainly, where `compile` returns the function itself, and once compiled. What is expected is one of

same : both give the same bytes, dtypes, shapes and structures at each yield.
refused : NotAProgram is raised, in a sentence with a line, and all that was yielded before it is the same.
either : one of these; the contract leaves it to the writer of programs.
then : a later yield gives what the function did then.

With `compile(f, check=True)` every attempt gives the same or is refused.

If the function is all that differs, one line is for a table of functions, each called with the same arguments:

    same to order 1 | for x in X, Y, Z:
        a power: x**2
        its middle: x[len(x) // 2]
"""

import dataclasses
import functools
import re
import sys
import types
import warnings
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

import minigrad as mg

X = np.array([1.0, 2.0, -3.7])
Y = np.array([-0.5, 0.25, 8.0])
Z = np.array([3.0, -1.0, 0.5])
M = np.array([[1.0, 2.0, -3.7], [0.5, -0.25, 4.0]])

#: Arrays and Tensors, the usual arguments of a function.
BOTH = X, Y, Z, mg.constant(X), mg.constant(Y), mg.constant(Z)

#: How a message names a line of the function, in a file of attempts or here, and not the line that calls it.
LINE = re.compile(r"(?<!over )\((\w+\.txt|\w*contract\.py):\d+|cell line \d+")


def variable(value=X):
    return mg.Variable(value, dtype="float64")


@mg.custom_gradient
def twice(x):
    """x with the gradient of 2 x."""
    return mg.identity(x), lambda dy: dy * 2.0


@mg.custom_gradient
def cubed(x):
    """x**3 with a rule made from what the function computed."""
    y = x * x
    return y * x, lambda dy: dy * 3.0 * y


def over(f, *calls):
    """What `f` gives at the first of the calls twice, then at the others; a call is a tuple, or the one argument."""
    for args in (calls[0], *calls):
        yield f(*args) if type(args) is tuple else f(args)


def outcome(f, *args, **kwargs):
    """The result of `f`, or the class of the error that it raises; a refusal is not an outcome."""
    try:
        return f(*args, **kwargs)
    except Exception as error:
        if is_refusal(error):
            raise
        return f"raised {type(error).__name__}"


def is_refusal(error):
    return type(error).__name__ == "NotAProgram"


#: The outcomes that an attempt with this expectation may have.
EXPECTED = {"same": {"same"}, "refused": {"refused"}, "either": {"same", "refused"}, "then": {"differs"}}
HEADER = re.compile(r"(same|refused|either|then)(?: to order (\d))? \| (.+)")
TABLE = re.compile(r"for (.+?) (in|by) (.+):")


class Attempt(NamedTuple):
    """An attempt of a user, with its name and its place in a file."""

    name: str
    place: str
    run: Callable
    expected: set


def read(path):
    """The attempts of a file. It is Python but for headers and rows, and each line keeps its number and its place."""
    lines, found, row = path.read_text(encoding="utf-8").splitlines(), [], None
    for n, line in enumerate(lines):
        if header := HEADER.fullmatch(line):
            kind, order, name = header.groups()
            if table := TABLE.fullmatch(name):
                arguments, way, calls = table.groups()
                row = "" if arguments == "each" else f"lambda {arguments}: "
                made = f"calling(({calls},), {order or 0}, {kind == 'either'})" if way == "in" else calls
                lines[n] = f"attempt_of = {made}"
            else:
                row, key = None, re.sub(r"\W", "_", name)
                lines[n] = f"def {key}(compile):"
                found.append((n, name, key, kind))
        elif row is not None and line.startswith("    "):
            name, _, body = line.strip().partition(": ")
            lines[n] = f"row_{n} = attempt_of({row}{body})"
            found.append((n, name, f"row_{n}", kind))
        elif not line.startswith(" "):
            row = None
    module = types.ModuleType(f"contract_{path.stem}")
    module.__file__, sys.modules[module.__name__] = str(path), module
    vars(module).update((name, value) for name, value in globals().items() if not name.startswith("_"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # Python 3.14 warns of a return in finally
        code = compile("\n".join(lines), path, "exec")
    exec(code, vars(module))
    assert len({key for _, _, key, *_ in found}) == len(found), f"{path}: two attempts of one name"
    return [Attempt(name, f"{path.name}:{n + 1}", getattr(module, key), EXPECTED[kind]) for n, name, key, kind in found]


def calling(calls, orders, caught):
    """Return a function from `f` to an attempt that calls `f`, and its derivatives of these orders.

    caught : some calls may raise, which is an outcome too.
    """
    few = calls if len(calls) < 4 else (*calls[:2], calls[-1])

    def attempt_of(f):
        def total(*args):
            return mg.sum(mg.square(f(*args)))

        def attempt(compile):
            g = compile(f)
            yield from over(functools.partial(outcome, g) if caught else g, *calls)
            if orders >= 1:
                yield from over(compile(mg.value_and_grad(total)), *few)
                yield from over(mg.grad(compile(total)), *few)
            if orders >= 2:
                yield from over(compile(mg.hessian(total)), *few)
                yield from over(mg.grad(compile(lambda *args: mg.sum(mg.square(mg.grad(total)(*args))))), *few)

        return attempt

    return attempt_of


def judge(attempt, expected):
    """Fail unless the attempt ends as expected, and is the same or refused where each call is checked."""
    plain = list(map(picture, attempt(lambda f: f)))
    found = verdict(plain, attempt, mg.compile)
    assert found[0] in expected, f"mg.compile: {found[0]}: {found[1]}"
    checked = verdict(plain, attempt, functools.partial(mg.compile, check=True))
    assert checked[0] in ("same", "refused"), f"with check=True: {checked[0]}: {checked[1]}"


def verdict(plain, attempt, door):
    """(what happened, in words) when the attempt runs behind `door`: same, refused, differs or crashed."""
    turns = attempt(door)
    for i, before in enumerate(plain):
        try:
            now = picture(next(turns))
        except StopIteration:
            return "crashed", "the attempt ended early"
        except Exception as error:
            if not is_refusal(error):
                return "crashed", f"turn {i} raised {type(error).__name__}: {error}"
            if not LINE.search(str(error)):
                return "crashed", f"the refusal names no line of the function: {error}"
            return "refused", str(error)
        if now != before:
            return ("wrong" if i == 0 else "differs"), f"turn {i} gave {now}, must be {before}"
    return "same", ""


def bits(a, b):
    """Whether two results are nested alike and the same to the last bit."""
    return picture(a) == picture(b)


def picture(x):
    """Bytes, dtype, shape and structure of a result, to be compared with ==."""
    if isinstance(x, mg.Tensor):
        return "Tensor", *picture(np.asarray(x.value))[1:]
    if isinstance(x, (np.ndarray, np.generic)):
        first = str(x.flat[:4].tolist())  # for the reader of a message
        return "array", x.dtype.str, x.shape, x.tolist() if x.dtype.kind == "O" else x.tobytes(), first
    if isinstance(x, Mapping):
        return type(x).__name__, [(key, picture(value)) for key, value in x.items()]
    if isinstance(x, (list, tuple)):
        return type(x).__name__, list(map(picture, x))
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return type(x).__name__, [(f.name, picture(getattr(x, f.name))) for f in dataclasses.fields(x)]
    return type(x).__name__, repr(x)
