"""Values that a compiled function stores while it is written as a program: numbers and arrays, never stand-ins."""

import collections
import copy
import functools
import math
import operator
import pickle
import statistics
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import minigrad as mg
from minigrad.programs.listing import StandIn, here
from minigrad.programs.refusals import NotAProgram

x = np.array([1.0, 2.0])


class Slots:
    __slots__ = ("kept",)


class Plain:
    pass


class Shared:
    kept = None


stored = None


def in_global(v):
    global stored
    stored = v


def holders():
    """By name: a function that stores something, and one that returns all that is stored."""
    some, nested, table, late, slots, plain = [], [], {}, collections.defaultdict(list), Slots(), Plain()
    queue, cell = collections.deque(), None

    def in_cell(v):
        nonlocal cell
        cell = v

    @functools.cache
    def unbounded(key):
        return now[0]

    @functools.lru_cache(maxsize=4)
    def bounded(key):
        return now[0]

    now = [None]

    def cached(function):
        def keep(v):
            now[0] = v
            function("a key")
            now[0] = None

        return keep, lambda: [function("a key")]

    return {
        "list": (some.append, lambda: some),
        "tuple in a list": (lambda v: nested.append((1, (v, 2))), lambda: [row[1][0] for row in nested]),
        "dict": (functools.partial(operator.setitem, table, "a"), lambda: table.values()),
        "defaultdict": (lambda v: late["a"].append(v), lambda: late["a"]),
        "deque": (queue.append, lambda: queue),
        "slots": (lambda v: setattr(slots, "kept", v), lambda: [slots.kept]),
        "attribute": (lambda v: setattr(plain, "kept", v), lambda: [plain.kept]),
        "class": (lambda v: setattr(Shared, "kept", v), lambda: [Shared.kept]),
        "cell": (in_cell, lambda: [cell]),
        "global": (in_global, lambda: [stored]),
        "cache": cached(unbounded),
        "lru_cache": cached(bounded),
    }


def is_plain(v):
    value = v.value if isinstance(v, mg.Tensor) else v
    return value is None or type(value) in (int, float, np.ndarray) or issubclass(type(value), np.generic)


@pytest.mark.parametrize("name", holders())
@pytest.mark.parametrize("what", ["number", "computed number", "array", "computed array", "Tensor"])
@pytest.mark.parametrize("ending", ["returns", "raises", "is refused", "is interrupted"])
def test_what_is_stored_is_plain(name, what, ending):
    keep, kept = holders()[name]

    def f(v, n):
        t = mg.constant(v) * n
        keep({"number": n, "computed number": n * 2, "array": v, "computed array": v * n + 1, "Tensor": t}[what])
        if ending == "raises":
            raise LookupError
        if ending == "is interrupted":
            raise KeyboardInterrupt
        if ending == "is refused" and here.listing is not None:
            float(v[0])
        return v * n

    errors = {"raises": LookupError, "is interrupted": KeyboardInterrupt, "is refused": NotAProgram}
    if ending == "returns":
        np.testing.assert_array_equal(mg.compile(f)(x, 3), [3, 6])
    else:
        with pytest.raises(errors[ending]):
            mg.compile(f)(x, 3)
    assert here.listing is None
    found = [*kept()]
    assert found
    assert all(map(is_plain, found)), [type(v) for v in found]
    for v in found:
        if isinstance(v, mg.Tensor):
            (gradient,) = mg.gradients(mg.sum(v), [v])
            assert gradient.numpy().tolist() == [1, 1]
        elif v is not None:
            assert np.isfinite(v + v).all()


def test_a_cached_helper_of_a_number_keeps_its_own_results():
    calls = []

    @functools.lru_cache
    def helper(n):
        calls.append(n)
        return n * 2

    f = mg.compile(lambda x, n: x * helper(n))
    for n in (3, 2.5, 3, 4):
        np.testing.assert_array_equal(f(x, n), x * n * 2)
        assert type(helper(n)) is type(n)
        assert helper(n) == n * 2
    assert not any(issubclass(type(n), StandIn) for n in calls)


def test_a_cached_helper_of_a_numpy_number_is_refused_by_a_sentence():
    helper = functools.lru_cache(lambda n: n * 2)
    with pytest.raises(NotAProgram, match="a key of a dict, a set or a cache"):
        mg.compile(lambda x, n: x * helper(n))(x, np.float64(3.0))
    assert type(helper(np.float64(3.0))) is np.float64


def test_a_stand_in_that_nothing_can_replace_is_refused_when_it_is_used():
    kept = set()

    class Hidden:
        """Its attribute is behind a property, which cannot be set."""

        def __init__(self, v):
            self.__dict__["it"] = iter([v])

        def __hash__(self):
            return 1

    mg.compile(lambda v: (kept.add(Hidden(v * 2)), v + 1)[1])(x)
    found = [next(hidden.it) for hidden in kept]
    stand_ins = [v for v in found if issubclass(type(v), StandIn)]
    for v in stand_ins:
        with pytest.raises(NotAProgram, match="stored it somewhere; return it from the function"):
            v + 1


# A Python number, used in every way that Python has: the result of the function, or its own error.

USES = {
    "a < b": lambda a, b: 1 if a < b else 2,
    "chain": lambda a, b: 0 < a <= b,
    "max": lambda a, b: max(a, b) - min(b, a),
    "sorted": lambda a, b: sorted([a, b])[0],
    "any": lambda a, b: any([a > b, a == b]) + all([a, b]),
    "sum": lambda a, b: sum([a, b]),
    "divmod": lambda a, b: sum(divmod(a, b)) + sum(divmod(7, b)) + sum(divmod(a, 2)),
    "shift": lambda a, b: (a << b) + (64 >> a) + (b << 1),
    "bits": lambda a, b: (a & b) + (a | b) + (a ^ b) + ~a + (5 & a),
    "pow": lambda a, b: a**b + a**2 + 2**a + pow(a, b, 5),
    "round": lambda a, b: round(a) + round(a, 1) + round(2.55, int(b)),
    "math": lambda a, b: math.sqrt(a) + math.floor(a) + math.ceil(b) + math.trunc(a),
    "gcd": lambda a, b: math.gcd(a, b) + math.comb(a, b),
    "int": lambda a, b: int(a) + float(b) + complex(a).real + bool(a),
    "index": lambda a, b: [5, 6, 7, 8][a] + len(range(a)) + len("ab" * b) + len([0] * a) + operator.index(a),
    "slice": lambda a, b: len([1, 2, 3, 4][:a]) + len([1, 2, 3, 4][-a::b]),
    "format": lambda a, b: len(f"{a:.3f}{b!r}") + len("%d" % a) + len(str(a)),  # noqa: UP031
    "dict": lambda a, b: {3: 5, 2: 7, 3.5: 1, 2.5: 2, 0: 3, 1: 4}[a],
    "set": lambda a, b: len({a, b, a}) + (a in {1, 2}) + (a in (1, 2)),
    "hash": lambda a, b: hash(a) % 7,
    "pickle": lambda a, b: pickle.loads(pickle.dumps(a)) + copy.copy(a) + copy.deepcopy([b])[0],
    "type": lambda a, b: (type(a) is int) + 2 * isinstance(b, float) + 4 * (type(a) is type(b)),
    "exact": lambda a, b: float(Decimal(a) + Decimal(b)) + float(Fraction(a)),
    "mean": lambda a, b: statistics.mean([a, b]),
    "methods": lambda a, b: a.real + a.imag + a.as_integer_ratio()[0] + a.bit_length(),
    "float methods": lambda a, b: a.is_integer() + len(a.hex()),
    "numpy": lambda a, b: np.maximum(a, b) + np.float32(a) + np.array([a, b]).sum() + np.where(np.less(a, b), 1, 2),
    "seed": lambda a, b: np.random.default_rng(a).random(),
    "shape": lambda a, b: np.ones((a, b)).sum() + mg.reshape(mg.zeros(a * b), (b, a)).shape[0],
    "axis": lambda a, b: mg.sum(mg.ones((2,) * (a + 1)), axis=a).shape[0] if a else 0,
    "matched": lambda a, b: _matched(a),
    "match of several": lambda a, b: _matched((a, b)),
    "reduce": lambda a, b: functools.reduce(operator.mul, [a, b]),
    "caught": lambda a, b: _caught(a, b),
}


def _matched(v):
    match v:
        case 3 | 2.5:
            return 1
        case (2, n) | (3, n):
            return n
        case _:
            return 2


def _caught(a, b):
    try:
        return {a: 1}[a] + b
    except Exception:
        return -1


def outcome(f, *args):
    try:
        return np.asarray(f(*args)).tolist()
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", USES)
def test_a_python_number_can_be_used_as_python_uses_it(name):
    use = USES[name]
    f = lambda x, a, b: x * use(a, b)
    compiled = mg.compile(f)
    for a, b in [(3, 2), (2, 3), (3.5, 2.5), (2.5, 3.5), (3, 2.5), (0, 1), (3, 2)]:
        expected = outcome(f, x, a, b)
        assert outcome(compiled, x, a, b) == expected, (a, b)
        assert outcome(compiled, x, a, b) == expected, (a, b)
        assert outcome(f, x, a, b) == expected, (a, b)


def test_numbers_that_decide_nothing_share_one_program():
    f = mg.compile(lambda x, a, b: x * a + b - a / 2)
    for a, b in [(1.0, 2.0), (2.5, 3.0), (4.0, 0.5)]:
        np.testing.assert_array_equal(f(x, a, b), x * a + b - a / 2)
    assert len(f.programs) == 1
