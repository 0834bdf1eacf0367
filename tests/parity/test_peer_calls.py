"""Each call in `peer_calls.txt` compared with TensorFlow or Keras: values and gradients are equal, for float64 and
float32.

Only the rows of docs/differences.md differ, on purpose.
"""

import functools
import zlib

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.support.structure import flatten
from minigrad.frameworks.signatures import SIGNATURES, parameters
from tests.frameworks.read_signatures import get
from tests.parity.differences import DIFFERENCES
from tests.parity.peer_calls import CALLS, arrays
from tests.parity.test_parity import framework_names

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

OURS = {"tensorflow": mg, "keras": mg.ops}


class Values:
    """The arguments of one call, with the float arrays replaced by what `make` makes of them, in order."""

    def __init__(self, call, dtype, make):
        self.sources, self.make = [], make
        given = arrays(np.random.default_rng(zlib.crc32(call.encode())), dtype)
        self.kwargs = {k: self._made(v) for k, v in eval(f"dict({call})", {"slice": slice, **given}).items()}

    def _made(self, value):
        if isinstance(value, list) and any(isinstance(v, np.ndarray) for v in value):
            return [self._made(v) for v in value]
        if isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind == "f":
            self.sources.append(self.make(np.asarray(value)))
            return self.sources[-1]
        return value


def upstreams(results):
    rng = np.random.default_rng(9)
    return [rng.normal(size=np.shape(y)).astype(np.asarray(y).dtype) for y in results]


def slopes(found, sources):
    return [np.zeros(np.shape(x)) if g is None else np.asarray(g) for g, x in zip(found, sources)]


def by_minigrad(function, call, dtype, reverse=False):
    values = Values(call, dtype, mg.constant)
    results = flatten(function(**dict(list(values.kwargs.items())[:: -1 if reverse else 1])))
    floats = [y for y in results if isinstance(y, mg.Tensor) and y.dtype.kind == "f"]
    seeds = upstreams([y.value for y in floats])
    found = mg.gradients(floats, values.sources, seeds) if floats and values.sources else []
    found = [g if g is None else g.value for g in found] or [None] * len(values.sources)
    plain = [np.asarray(y.value if isinstance(y, mg.Tensor) else y) for y in results]
    return plain, slopes(found, values.sources)


def by_tensorflow(function, call, dtype):
    tf = framework_names("tensorflow")["tf"]
    values = Values(call, dtype, tf.constant)
    with tf.GradientTape() as tape:
        tape.watch(values.sources)
        results = flatten_theirs(function(**values.kwargs))
    floats = [y for y in results if tf.is_tensor(y) and y.dtype.is_floating]
    seeds = [tf.constant(seed) for seed in upstreams([y.numpy() for y in floats])]
    known = floats and values.sources
    found = tape.gradient(floats, values.sources, seeds) if known else [None] * len(values.sources)
    found = [g if g is None else tf.convert_to_tensor(g).numpy() for g in found]
    return [np.asarray(y) for y in results], slopes(found, values.sources)


def by_keras(function, call, dtype):
    jax = framework_names("jax")["jax"]
    values = Values(call, dtype, jax.numpy.asarray)
    others = []

    def floats(*sources):
        left = iter(sources)
        results = flatten_theirs(function(**Values(call, dtype, lambda _: next(left)).kwargs))
        is_float = [isinstance(y, jax.Array) and y.dtype.kind == "f" for y in results]
        others[:] = [(flag, y) for flag, y in zip(is_float, results)]
        return [y for flag, y in zip(is_float, results) if flag]

    if not values.sources:
        return [np.asarray(y) for y in flatten_theirs(function(**values.kwargs))], []
    results, pull = jax.vjp(floats, *values.sources)
    found = pull([jax.numpy.asarray(seed) for seed in upstreams(results)])
    concrete = flatten_theirs(function(**values.kwargs))
    return [np.asarray(y) for y in concrete], slopes(found, values.sources)


def flatten_theirs(value):
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    return [leaf for v in value for leaf in flatten_theirs(v)] if isinstance(value, (list, tuple)) else [value]


BY = {"tensorflow": by_tensorflow, "keras": by_keras}


@functools.cache
def root_of(framework):
    names = framework_names(framework)
    return names["tf"] if framework == "tensorflow" else names["keras"].ops


def agree(ours, theirs, rtol):
    """Whether lists of arrays have equal shapes and equal numbers up to `rtol` of the largest."""
    if len(ours) != len(theirs) or any(np.shape(a) != np.shape(b) for a, b in zip(ours, theirs)):
        return False
    for a, b in zip(ours, theirs):
        a, b = np.asarray(a, float), np.asarray(b, float)
        size = np.max(np.abs(b[np.isfinite(b)]), initial=1.0)
        if not np.allclose(a, b, rtol=rtol, atol=rtol * size, equal_nan=True):
            return False
    return True


@pytest.mark.cases(60)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("framework", "name", "call"), CALLS, ids=lambda part: str(part)[:60])
def test_a_call_gives_what_it_gives_there(framework, name, call, dtype):
    root = root_of(framework)
    theirs = BY[framework](get(root, name), call, dtype)
    ours = by_minigrad(get(OURS[framework], name), call, dtype)
    rtol = (1e-8 if framework == "tensorflow" else 1e-6) if dtype == "float64" else 1e-3  # Keras has sums in float32
    same = [agree(mine, other, rtol) for mine, other in zip(ours, theirs)]
    if (f"`{name}({call})`", framework) in DIFFERENCES:
        assert not all(same), "a row of docs/differences.md that is none"
    else:
        assert all(same), f"values, gradients equal: {same}\n{ours}\n{theirs}"


@pytest.mark.cases(60)
@pytest.mark.parametrize(("framework", "name", "call"), CALLS, ids=lambda part: str(part)[:60])
def test_the_order_of_keywords_does_not_count_and_positions_are_the_peers(framework, name, call):
    function = get(OURS[framework], name)
    given = list(Values(call, "float64", lambda x: x).kwargs)
    forward, backward = (by_minigrad(function, call, "float64", reverse) for reverse in (False, True))
    signatures = SIGNATURES[framework]
    order = [p.name for p in parameters(signatures.get(name) or signatures[name.removeprefix("math.")])]
    lead = [key for key, wanted in zip(order, order[: len(given)]) if key in given][: _leading(order, given)]

    def placed(**kwargs):
        first = [kwargs.pop(key) for key in lead]
        return function(*first, **kwargs)

    found = [backward, by_minigrad(placed, call, "float64")]
    for values, gradients in found:
        # the first and the second pass do the same sums, but the sources are met in another order
        assert len(values) == len(forward[0]) and len(gradients) == len(forward[1])
    by_name = sorted(float(np.sum(g)) for g in forward[1])
    for values, gradients in found:
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(values, forward[0]) if a.dtype.kind != "O")
        np.testing.assert_allclose(sorted(float(np.sum(g)) for g in gradients), by_name, rtol=1e-12, atol=1e-12)


def _leading(order, given):
    """The number of leading arguments in the peer's order that are given."""
    return next((i for i, key in enumerate(order) if key not in given), len(order))
