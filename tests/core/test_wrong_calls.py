"""Calls that newcomers get wrong: the error names the function, what it expects, and what to write instead."""

import numpy as np
import pytest

import minigrad as mg
import viz

x, table = mg.constant(2.0), mg.constant(np.ones((2, 3), np.float32))


@mg.custom_gradient
def without_rule(x):
    return x * x


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: table.sum(dim=0), TypeError, r"^sum\(x, axis=None, .*'dim'; write axis=$"),
        (lambda: table.mean(axes=0), TypeError, r"'axes'; write axis=$"),
        (lambda: table.sum(keepdim=True), TypeError, r"^sum\(x, .*write keepdims=$"),
        (lambda: table @ table, ValueError, r"lengths are 3 and 2; write x @ y\.mT for the transpose"),
        (lambda: table @ mg.ones((4, 5)), ValueError, r"lengths are 3 and 4$"),
        (lambda: table @ mg.ones(2), ValueError, r"lengths are 3 and 2$"),
        (
            lambda: mg.grad(x * x)(x),
            TypeError,
            r"^grad takes a function, .*; for Tensors, write mg\.gradients\(y, x\)$",
        ),
        (
            lambda: mg.grad(lambda a: a, argnums=1)(x),
            TypeError,
            r"argument 1, counted from 0, .* called with 1 argument$",
        ),
        (lambda: mg.find_nan(np.ones(2)), TypeError, r"^y must be a Tensor, .*; compute it from Tensors"),
        (lambda: mg.check_gradients(x), TypeError, r"^check_gradients takes a function, got Tensor"),
        (lambda: mg.concat(table, table), TypeError, r"takes the arrays as one list: write concatenate\(\[x, y\]\)$"),
        (lambda: mg.optim.SGD([x], 0.1), TypeError, r"learning rate; the parameters go into step\(params, grads\)$"),
        (lambda: viz.compare(without_rule, 1.0), TypeError, r"^without_rule .* must return \(value, grad_fn\)"),
        (lambda: viz.compare(without_rule, [1.0, 2.0]), TypeError, r"^without_rule .* must return \(value, grad_fn\)"),
    ],
)
def test_the_error_says_what_to_write(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_the_transpose_that_an_error_offers_can_be_multiplied():
    assert (table @ table.mT).shape == (2, 2)


def test_a_shape_of_random_numbers_may_be_one_number():
    assert mg.random.normal(3).shape == mg.random.uniform(3).shape == (3,)
