"""What a report says of a matrix: random matrices of whole numbers, whose rank and determinant are computed exactly."""

import re
from fractions import Fraction

import numpy as np
import pytest

from minigrad.bridges.matrix_reasons import RULES, matrix_reason


def eliminated(m):
    """The rank of a matrix of whole numbers, and its determinant if it is square, in exact arithmetic."""
    rows, rank, determinant = [[Fraction(int(x)) for x in row] for row in m], 0, Fraction(1)
    for column in range(len(rows[0])):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        determinant *= rows[pivot][column] * (1 if pivot == rank else -1)
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for i in range(rank + 1, len(rows)):
            factor = rows[i][column] / rows[rank][column]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[rank])]
        rank += 1
    return rank, determinant if rank == len(rows) else Fraction(0)


def random_matrix(rng, wide=False):
    """A matrix of small whole numbers, in half of the cases without full rank."""
    n = int(rng.integers(1, 6))
    m = n + int(rng.integers(0, 3)) if wide else n
    if rng.random() < 0.5:
        return rng.integers(-3, 4, (m, n))
    inner = int(rng.integers(0, n)) or 1
    return rng.integers(-2, 3, (m, inner)) @ rng.integers(-2, 3, (inner, n))


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["inv", "linalg_solve", "slogdet", "_det_lu", "linalg_qr", "logdet"])
def test_the_rank_and_the_sign_are_the_exact_ones(name, dtype):
    rng = np.random.default_rng(len(name))
    for _ in range(150):
        m = random_matrix(rng, wide="qr" in name)
        rank, determinant = eliminated(m)
        reason = matrix_reason(name, m.astype(dtype))
        if rank < m.shape[1]:
            assert reason.text == f"the matrix is singular up to rounding, of rank {rank} of {m.shape[1]}", m
        elif name == "logdet" and determinant < 0:
            (value,) = re.fullmatch(r"its determinant is below 0, at (\S+)", reason.text).groups()
            assert float(value) == pytest.approx(float(determinant), rel=1e-3)
        else:
            assert reason is None, (m, reason)


@pytest.mark.numbers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_eigenvalues_are_called_equal_only_if_they_are(dtype):
    rng = np.random.default_rng(1)
    for _ in range(150):
        n = int(rng.integers(1, 6))
        wanted = rng.integers(-3, 4, n) * 1.0
        q = np.linalg.qr(rng.standard_normal((n, n)))[0]
        m = q @ np.diag(wanted) @ q.T
        m = ((m + m.T) / 2).astype(dtype)
        reason, least = matrix_reason("linalg_eigh", m), wanted.min()
        assert (reason is not None) == (len(set(wanted)) < n), wanted
        if reason is not None:
            value = float(re.search(r"equal up to rounding, (\S+), and", reason.text)[1])
            assert np.sum(np.abs(wanted - value) < 1e-3) > 1
        reason = matrix_reason("cholesky", m)
        assert (reason is not None) == (least <= 0), wanted
        if reason is not None:
            said = reason.text.removeprefix("the matrix is not positive definite: its smallest eigenvalue is ")
            assert (said == "0 up to rounding") if least == 0 else float(said) == pytest.approx(least, rel=1e-3)


@pytest.mark.parametrize("name", [*RULES])
def test_matrices_without_a_fault_have_no_reason(name):
    rng = np.random.default_rng(2)
    m = np.diag([1.0, 2.0, 4.0]) + 0.01 * np.ones((3, 3))
    assert matrix_reason(name, m) is None
    assert matrix_reason(name, np.full((2, 2), np.nan)) is None and matrix_reason(name, np.ones(3)) is None
    if name in ("eigh", "cholesky"):
        assert matrix_reason(name, rng.standard_normal((3, 3))) is None, "it is not symmetric"
