"""Matrices that an op refuses: the reason, and the multiple of the identity that makes the op work, as the error
says."""

import re

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.tables import over

SINGULAR = {
    "inv": lambda a: mg.inv(a),
    "solve": lambda a: mg.solve(a, mg.constant(np.ones(a.shape[-1], a.dtype))),
    "cholesky": lambda a: mg.cholesky(a),
}


@over(SINGULAR, [[[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]], np.ones((3, 3)) * 100], ["float32", "float64"])
def test_the_ridge_of_the_error_makes_value_and_gradient_finite(name, matrix, dtype):
    a = mg.constant(np.asarray(matrix, dtype))
    with pytest.raises(np.linalg.LinAlgError, match=f"^{name} cannot work on .*singular") as error:
        SINGULAR[name](a)
    ridge = float(re.search(r"A \+ (\S+) \* eye\(\d\)", str(error.value))[1])
    assert ridge <= 1e5 * np.finfo(dtype).eps * max(1.0, np.max(matrix))
    y = SINGULAR[name](a + np.asarray(ridge * np.eye(a.shape[-1]), dtype))
    (g,) = mg.gradients(y, a)
    assert np.isfinite(y.value).all() and np.isfinite(g.value).all()


def test_an_indefinite_matrix_has_no_ridge():
    with pytest.raises(np.linalg.LinAlgError, match="eigenvalue is -2, so the matrix is indefinite; no repair is"):
        mg.cholesky(mg.constant([[1.0, 3.0], [3.0, 1.0]]))


def test_a_matrix_that_is_not_square_keeps_the_sentence_of_numpy():
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        mg.inv(mg.constant(np.zeros((2, 3))))
