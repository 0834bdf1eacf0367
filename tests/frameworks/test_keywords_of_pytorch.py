"""PyTorch's keywords, such as `dim=`: each public function that has the same argument says what to write instead."""

import inspect

import numpy as np
import pytest

import minigrad as mg
from minigrad.scipy import special

NAMESPACES = {"mg": mg, "ops": mg.ops, "nn": mg.nn, "linalg": mg.linalg, "special": special}
TABLE = mg.constant(np.ones((2, 3)))


def functions():
    """Each public function once for each namespace, with its signature."""
    for prefix, namespace in NAMESPACES.items():
        for name in dir(namespace):
            call = getattr(namespace, name)
            if callable(call) and not isinstance(call, type) and not name.startswith("_"):
                yield f"{prefix}.{name}", call, inspect.signature(call).parameters


def required(parameters):
    return [p.name for p in parameters.values() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]


def message(call, *args, **kwargs):
    with pytest.raises(TypeError) as raised:
        call(*args, **kwargs)
    return str(raised.value)


@pytest.mark.parametrize(("theirs", "ours", "least"), [("dim", "axis", 150), ("keepdim", "keepdims", 60)])
def test_each_function_with_the_option_says_its_name_here(theirs, ours, least):
    having = [(name, call, ps) for name, call, ps in functions() if ours in ps and theirs not in ps]
    arguments = [[TABLE, 1, 1][: len(required(ps))] for _, _, ps in having]
    said = {name: message(call, *args, **{theirs: 0}) for (name, call, _), args in zip(having, arguments)}
    assert {name: text for name, text in said.items() if not text.endswith(f"; write {ours}=")} == {}
    assert len(said) > least


@pytest.mark.parametrize("name", ["sum", "softmax", "nansum", "std", "cumsum", "squeeze", "median", "normalize"])
def test_the_first_argument_is_input_in_pytorch(name):
    call = getattr(mg.ops, name)
    assert message(call, input=TABLE).endswith(f"; write {required(inspect.signature(call).parameters)[0]}=")


def test_the_second_operand_is_other_and_a_list_is_tensors():
    assert message(mg.matmul, TABLE, other=TABLE).endswith("; write b=")
    assert message(mg.concatenate, tensors=[TABLE], dim=0).endswith("; write arrays=")
    assert "write" not in message(mg.sum, TABLE, other=TABLE)


def test_an_error_inside_a_function_stays_as_it_is():
    assert message(mg.concatenate, TABLE, TABLE).startswith("concatenate takes the arrays as one list")
    assert message(mg.nanmean, TABLE, dtype=int).startswith("dtype=int64 holds no fractions")
