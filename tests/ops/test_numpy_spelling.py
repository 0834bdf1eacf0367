"""Every op that NumPy has as well is called by NumPy's own function, and has its value."""

import numpy as np

import minigrad as mg
from minigrad.core.op import OPS
from minigrad.ops.declare import BY_NUMPY
from tests.helpers.op_samples import arrays, is_array, outputs
from tests.helpers.tables import over

#: Functions whose NumPy arguments have another order after the first two; see numpy_order.py.
OWN_ORDER = {op.name for op in OPS.values() if hasattr(BY_NUMPY.get(getattr(np, op.name, None)), "__signature__")}

#: Keywords that NumPy does not have.
OWN_KEYWORDS = {"negative_slope"}

#: NumPy looks for a Tensor in the first argument only, or takes lists and no tuples.
LEFT_OUT = {"full_like", "block"}


def names_as():
    of_call = {id(op.call): op for op in OPS.values()}
    for function, call in BY_NUMPY.items():
        if function is np.linalg.cross:  # it has no axisa
            continue
        op = of_call.get(id(call)) or of_call.get(id(getattr(call, "__wrapped__", None)))
        for sample in op.facts.samples if op and op.name not in LEFT_OUT else ():
            options = sample[-1] if isinstance(sample[-1], dict) else {}
            positional = sample[: -1 if options else None]
            if not (op.name in OWN_ORDER and len(positional) > 2) and not options.keys() & OWN_KEYWORDS:
                yield function, op, positional, options


CASES = list(names_as())


def fill(args, values):
    for a in args:
        if is_array(a):
            yield next(values)
        elif isinstance(a, tuple) and any(map(is_array, a)):
            yield tuple(fill(a, values))
        else:
            yield a


@over(CASES)
def test_numpys_function_on_tensors_is_the_op_and_has_numpys_value(function, op, sample, options):
    raw = arrays(sample)
    expected = function(*fill(sample, iter(raw)), **options)
    got = function(*fill(sample, iter([mg.constant(a) for a in raw])), **options)
    for g, e in zip(outputs(got), outputs(expected)):
        assert isinstance(g, mg.Tensor)
        np.testing.assert_allclose(g.value, e, rtol=1e-12, atol=1e-12)
        assert g.dtype == e.dtype


def test_most_ops_have_a_numpy_spelling():
    assert len({op.name for _, op, *_ in CASES}) > 120
