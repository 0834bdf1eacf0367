"""Slopes of written functions, and values of written rules, to fifty digits: the reference for a verdict."""

import re

import mpmath
import numpy as np

mp = mpmath.mp.clone()
mp.dps = 60
STEP = mp.mpf(10) ** -25


def real(v):
    """A number, and nan for a complex one."""
    return mp.mpf("nan") if isinstance(v, mp.mpc) else v


def over(f, count):
    """A function of numbers that takes arrays too; what it cannot compute is nan."""

    def one(*xs):
        try:
            return real(f(*xs))
        except (ValueError, ZeroDivisionError, OverflowError):
            return mp.mpf("nan")

    return np.vectorize(one, otypes=[object]) if count else one


class Exact:
    """minigrad's names, in mpmath."""

    exp, log, sqrt = (staticmethod(over(getattr(mp, name), 1)) for name in ("exp", "log", "sqrt"))
    tanh, sin, cos = (staticmethod(over(getattr(mp, name), 1)) for name in ("tanh", "sin", "cos"))
    sign, abs = staticmethod(over(mp.sign, 1)), staticmethod(over(abs, 1))
    sigmoid = staticmethod(over(lambda x: 1 / (1 + mp.exp(-x)), 1))
    maximum = staticmethod(over(lambda a, b: a if a != a or a >= b else b, 2))
    minimum = staticmethod(over(lambda a, b: a if a != a or a <= b else b, 2))
    where = staticmethod(over(lambda c, a, b: a if c else b, 3))
    sum = staticmethod(np.sum)


def lifted(v):
    return np.vectorize(mp.mpf, otypes=[object])(np.asarray(v, float))


def evaluated(code, space):
    """The numbers that an expression gives; None if one of them is not a number."""
    try:
        found = [real(v) for v in np.ravel(eval(code, space))]
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        return None
    return None if any(v != v or abs(v) == mp.inf for v in found) else found


def result(source, values, names):
    """The value of a source's function, nan if that is not a number."""
    space = {"mg": Exact}
    exec(source.replace("@mg.custom_gradient\n", ""), space)
    try:
        y = space["f"](*(values[name] for name in names))
    except (ValueError, ZeroDivisionError, OverflowError):
        return mp.mpf("nan")
    return y[0] if isinstance(y, tuple) and callable(y[1]) else y


def function(source):
    """The function of a source as `Written` makes it, in mpmath, without its rule."""
    source = source.replace("@mg.custom_gradient\n", "")
    source = re.sub(r", lambda dy.*$", "", source, flags=re.M)
    space = {"mg": Exact}
    exec(source, space)
    f = space["f"]

    def value(**arguments):
        try:
            found = f(**arguments)
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        total = sum(real(v) for one in (found if isinstance(found, tuple) else [found]) for v in np.ravel(one))
        return None if total != total or abs(total) == mp.inf else total

    return value


def sides(value, arguments, name, k, x):
    """The slopes to the left and to the right of an entry; None if there are none."""

    def at(t):
        moved = {key: lifted(v) for key, v in arguments.items()}
        moved[name] = moved[name].copy()
        moved[name].reshape(-1)[k] = mp.mpf(x) + t
        return value(**{key: v[()] if v.ndim else v.item() for key, v in moved.items()})

    left, here, right = at(-STEP), at(0), at(STEP)
    if None in (left, here, right):
        return None
    found = (here - left) / STEP, (right - here) / STEP
    return None if max(map(abs, found)) > mp.mpf(10) ** 15 else found
