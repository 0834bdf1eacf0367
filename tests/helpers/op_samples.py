"""The samples of a declaration as arguments: which of them are differentiated, and how to put others in their place."""

import numpy as np

import minigrad as mg
from minigrad.core.op import OPS
from tests.helpers.tables import over

DIFFERENTIABLE = [op for op in OPS.values() if op.kind != "constant"]
CONSTANT = [op for op in OPS.values() if op.kind == "constant"]
BITWISE = {"bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"}  # of integers only
NAMED = {f"{op.name}-{i}": (op, sample) for op in DIFFERENTIABLE for i, sample in enumerate(op.facts.samples)}
SAMPLES = list(NAMED.values())

#: One test of all samples of all declarations: an op added tomorrow needs no test of its own.
each_sample = over(NAMED)


def is_array(a):
    return isinstance(a, float) or (isinstance(a, list) and np.asarray(a).dtype.kind == "f")


def arrays(sample):
    """The arrays among the arguments, in order."""
    found = []
    for a in sample:
        if is_array(a):
            found.append(np.asarray(a, np.float64))
        elif isinstance(a, tuple) and any(map(is_array, a)):
            found += arrays(a)
    return found


def function(op, sample):
    """The op as a function of its arrays alone."""
    kwargs = sample[-1] if isinstance(sample[-1], dict) else {}

    def fill(args, values):
        for a in args:
            if is_array(a):
                yield next(values)
            elif isinstance(a, tuple) and any(map(is_array, a)):
                yield tuple(fill(a, values))
            else:
                yield a

    def f(*values):
        return op.call(*fill(sample[: -1 if kwargs else None], iter(values)), **kwargs)

    f.__name__ = op.name
    return f


def outputs(y):
    return list(y) if isinstance(y, (tuple, list)) else [y]


def floats(y):
    return [out for out in outputs(y) if out.dtype.kind == "f"]


def tensors(sample, dtype=np.float64):
    return [mg.constant(a, dtype) for a in arrays(sample)]
