"""jvp works for every op, through its backward rule: <u, J v> is <J^T u, v> at every sample of every declaration."""

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.op_samples import arrays, each_sample, floats, function


@each_sample
def test_forward_and_backward_are_transposes(op, sample):
    rng = np.random.default_rng(0)
    f = function(op, sample)
    outputs = lambda *values: floats(f(*values))
    xs = tuple(arrays(sample))
    directions = tuple(rng.normal(size=x.shape) for x in xs)
    ys, moved = mg.jvp(outputs, xs, directions)
    upstreams = [rng.normal(size=y.shape) for y in ys]
    _, pull_back = mg.vjp(outputs, *xs)
    down = sum(np.sum(g * v) for g, v in zip(pull_back(upstreams), directions))
    up = sum(np.sum(u * m) for u, m in zip(upstreams, moved))
    assert down == pytest.approx(up, rel=1e-9, abs=1e-9)
