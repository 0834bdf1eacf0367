"""The links between the lines of a program and the graph: each line gives the value or the adjoint that its link
names."""

import numpy as np
from hypothesis import given, settings

import minigrad as mg
from minigrad.core.backward import backward, start
from minigrad.tracing.replay import made_from
from tests.helpers.line_by_line import states
from tests.helpers.random_shapes import cubed, shaped_arrays, shaped_programs
from viz.render.code_rows import links_of


def bits(a, b):
    """Whether two arrays are the same to the last bit."""
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def close(a, b):
    """Whether two arrays are the same except for the order of a sum: a program may keep another layout."""
    a, b = np.asarray(a), np.asarray(b)
    eps = np.finfo(a.dtype).eps if a.dtype.kind == "f" else 0
    size = np.max(np.abs(b), initial=1.0, where=np.isfinite(b))
    return a.shape == b.shape and a.dtype == b.dtype and np.allclose(a, b, rtol=0, atol=64 * eps * size, equal_nan=True)


def assert_lines_are_what_they_say(y, xs):
    values = {t.serial: t.value for t in made_from([y])}
    with np.errstate(all="ignore"):
        adjoints = {}
        backward(start([y], [np.ones_like(y.value)], xs), lambda node, g, _: adjoints.update({node.serial: g}))
    s = mg.source(y, xs)
    for link, value in states(s):
        assert all(bits(value, values[serial]) for serial in link.nodes if serial in values), (s.text, link)
        assert all(close(value, adjoints[serial]) for serial in link.adjoints if serial in adjoints), (s.text, link)
    return s


@settings(max_examples=40)
@given(shaped_programs(), shaped_arrays())
def test_each_line_gives_the_value_or_the_adjoint_that_its_link_names(f, arrays):
    xs = [mg.constant(a) for a in arrays]
    assert_lines_are_what_they_say(f(*xs), xs)


def test_links_reach_into_custom_gradients():
    x = mg.constant(np.array([1.0, 2.0]))
    y = cubed(x * x)
    s = assert_lines_are_what_they_say(mg.sum(y), [x])
    (rule,) = (link for link in links_of(s) if link.of == y.serial)
    assert rule.backward and (y.serial, 0) in rule.sends
