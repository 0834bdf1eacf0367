"""Every op that NumPy has as well is called by NumPy's own function, and has its value."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.node import OPS
from minigrad.op import BY_NUMPY
from tests.ops.samples import arrays, is_array, outputs

#: Of these NumPy's own arguments stand in another order, or mean something else, past the first two.
OWN_ORDER = {"sum", "mean", "prod", "max", "min", "var", "std", "median"}

#: NumPy asks only the first argument whether it is a Tensor.
FIRST_ONLY = {"full_like"}


def spelled():
    of_call = {id(op.call): op for op in OPS.values()}
    for function, call in BY_NUMPY.items():
        op = of_call.get(id(call))
        for sample in op.samples if op and op.name not in FIRST_ONLY else ():
            if not (op.name in OWN_ORDER and len(sample) > 2) and not isinstance(sample[-1], dict):
                yield function, op, sample


CASES = list(spelled())


def fill(args, values):
    for a in args:
        if is_array(a):
            yield next(values)
        elif isinstance(a, tuple) and any(map(is_array, a)):
            yield tuple(fill(a, values))
        else:
            yield a


@pytest.mark.parametrize(
    ("function", "op", "sample"), CASES, ids=[f"{f.__name__}-{i}" for i, (f, _, _) in enumerate(CASES)]
)
def test_numpys_function_on_tensors_is_the_op_and_has_numpys_value(function, op, sample):
    raw = arrays(sample)
    expected = function(*fill(sample, iter(raw)))
    got = function(*fill(sample, iter([mg.constant(a) for a in raw])))
    for g, e in zip(outputs(got), outputs(expected)):
        assert isinstance(g, mg.Tensor)
        np.testing.assert_allclose(g.value, e, rtol=1e-12, atol=1e-12)
        assert g.dtype == e.dtype


def test_most_ops_have_a_numpy_spelling():
    assert len({op.name for _, op, _ in CASES}) > 80
