"""A list of Tensors is an array of them for each function of one array: the same value, and each gets its gradient."""

import inspect

import numpy as np

import minigrad as mg

NUMBERS = (0.3, 0.5, 0.7, 0.2)


def slopes(f, x, parts):
    """The gradients of the sum of `f(x)`; None if `f` is not a function of such an array."""
    try:
        y = f(x)
        return mg.gradients(mg.sum(y), parts) if isinstance(y, mg.Tensor) and y.dtype.kind == "f" else None
    except Exception:
        return None


def test_each_tensor_of_a_list_gets_its_gradient():
    tried = 0
    for name in sorted(n for n in dir(mg) if not n.startswith("_")):
        f = getattr(mg, name)
        if not callable(f) or inspect.isclass(f):
            continue
        array, parts = mg.constant(NUMBERS), [mg.constant(number) for number in NUMBERS]
        whole, single = slopes(f, array, [array]), slopes(f, parts, parts)
        if whole is None or whole[0] is None or single is None:
            continue
        tried += 1
        assert None not in single, name
        assert np.allclose([one.item() for one in single], whole[0].numpy(), equal_nan=True), name
    assert tried > 100


def test_and_with_an_initial_value_or_a_mask():
    a, b = mg.constant(1.0), mg.constant(2.0)
    for y, owed in ((mg.max([a, b], initial=0.0), [0, 1]), (mg.min([a, b], where=[False, True], initial=9.0), [0, 1])):
        assert [one.item() for one in mg.gradients(y, [a, b])] == owed
