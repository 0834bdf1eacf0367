"""An option means the same left out, by position or by keyword, as a number, an array, a Tensor or a Variable."""

import inspect

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.support.settings import form_of
from tests.helpers.op_samples import DIFFERENTIABLE, arrays, floats, is_array, outputs
from tests.helpers.tables import over

#: The forms in which a number is given.
FORMS = {
    "a Python value": lambda value, dtype: value,
    "an array": np.array,
    "a NumPy number": lambda value, dtype: np.array(value, dtype)[()],
    "a Tensor": mg.constant,
    "a Variable": lambda value, dtype: mg.Variable(np.array(value, dtype)),
}


def is_number(value):
    return isinstance(value, (bool, int, float)) or (isinstance(value, tuple) and all(type(n) is int for n in value))


def options():
    """For each op and sample, each option as (op, arguments by name, name, value)."""
    for op in DIFFERENTIABLE:
        signature = inspect.signature(op.call)
        for i, sample in enumerate(op.facts.samples):
            keywords = sample[-1] if isinstance(sample[-1], dict) else {}
            bound = signature.bind(*sample[: -1 if keywords else None], **keywords)
            for name, p in signature.parameters.items():
                if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or arrays((bound.arguments.get(name),)):
                    continue
                if name in bound.arguments or p.default is not p.empty:
                    value = bound.arguments.get(name, p.default)
                    yield f"{op.name}-{i}-{name}", (op, signature, dict(bound.arguments), name, value)


OPTIONS = dict(options())


def tensors(a):
    """The arrays of a sample as Tensors of float64, and lists of them."""
    if is_array(a):
        return mg.constant(a, "float64")
    return tuple(map(tensors, a)) if isinstance(a, tuple) and any(map(is_array, a)) else a


def called(op, signature, arguments, by_position):
    """The value of an op and its gradient in every Tensor of the arguments of the call."""
    args, kwargs = [], {}
    whole = True  # whether all parameters so far are in `args`
    for name, p in signature.parameters.items():
        if p.kind is p.VAR_POSITIONAL:
            args += arguments.get(name, ())
        elif p.kind is p.VAR_KEYWORD:
            kwargs |= arguments.get(name, {})
        elif name in arguments:
            if p.kind is p.KEYWORD_ONLY or not whole or (not by_position and p.default is not p.empty):
                kwargs[name], whole = arguments[name], False
            else:
                args.append(arguments[name])
        elif by_position and p.kind is not p.KEYWORD_ONLY and p.default is not p.empty:
            args.append(p.default)
        else:
            whole = False
    ys = outputs(op.call(*args, **kwargs))
    sources = [t for a in (*args, *kwargs.values()) for t in ([*a] if isinstance(a, tuple) else [a])]
    sources = [t for t in sources if type(t) is mg.Tensor and t.dtype == np.float64]
    return [y.value for y in ys], [None if g is None else g.value for g in mg.gradients(floats(ys), sources)] if floats(
        ys
    ) else []


@over(OPTIONS, quick=120)
@pytest.mark.filterwarnings("ignore:a Variable")
def test_an_option_is_the_same_in_every_form(op, signature, arguments, name, value):
    settings = form_of(op.fn).settings | {"rcond", "rtol"}  # the last two are of options
    arguments = {key: a if key in settings else tensors(a) for key, a in arguments.items()}
    expected = called(op, signature, arguments, by_position=False)
    for by_position in (False, True):
        for form, made in FORMS.items():
            if form != "a Python value" and not is_number(value):
                continue
            if type(value) is float and name in settings and form in ("a Tensor", "a Variable"):
                continue  # which is refused
            dtype = {bool: "bool", float: "float32"}.get(type(value), "int64")
            again = arguments | {name: made(value, dtype)}
            got = called(op, signature, again, by_position)
            for theirs, ours in zip(expected, got):
                assert len(ours) >= len(theirs), (form, by_position)
                for a, b in zip(theirs, ours):
                    if a is None and b is None:
                        continue
                    np.testing.assert_allclose(b, a, rtol=1e-6, err_msg=f"{form}, by position: {by_position}")
                    assert np.asarray(b).dtype == np.asarray(a).dtype
