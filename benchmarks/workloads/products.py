"""Products over named axes, and indexing."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import normal, workload


def einsum_by_hand(a: Any, b: Any, c: Any) -> Any:
    flat = a.reshape(-1, 24)
    ab = (flat @ b).reshape(8, 16, 32)
    y = (ab @ c[..., None])[..., 0]
    value = (y * y).sum()
    y *= 2
    dab = y[..., None] * c[:, None]
    dc = (y[:, None] @ ab)[:, 0]
    dflat = dab.reshape(-1, 32)
    return value, [(dflat @ b.T).reshape(a.shape), flat.T @ dflat, dc]


@workload(
    "einsum", "einsum: bij,jk->bik, then bik,bk->bi", einsum_by_hand,
    arrays=lambda: normal((8, 16, 24), (24, 32), (8, 32)), wrt=3,
    limit="Calls. Everybody turns these into matrix products; eager decides again for each product which axes "
    "go where; by hand and compiled, that is settled.",
)  # fmt: skip
def einsum(xp: Any, a: Any, b: Any, c: Any) -> Any:
    y = xp.einsum("bik,bk->bi", xp.einsum("bij,jk->bik", a, b), c)
    return xp.sum(y * y)


def indexing_arrays() -> list[Any]:
    table, w = normal((200, 16), (16,))
    return [table, w, np.random.default_rng(2).integers(0, 200, 300)]


def indexing_by_hand(table: Any, w: Any, rows: Any) -> Any:
    taken = table[rows]
    step = taken[1:] - taken[:-1]
    step *= w
    value = (step * step).sum()
    step *= 2
    dw = (step * (taken[1:] - taken[:-1])).sum(0)
    step *= w
    dtaken = np.zeros_like(taken)
    dtaken[1:] += step
    dtaken[:-1] -= step
    dtable = np.zeros_like(table)
    np.add.at(dtable, rows, dtaken)
    return value, [dtable, dw]


@workload(
    "indexing", "indexing: 300 of 200 rows, their differences", indexing_by_hand, arrays=indexing_arrays, wrt=2,
    limit="np.add.at, which adds rows that occur several times one by one. minigrad passes it the indices of elements "
    "instead of rows, which takes half the time. Compilers write a loop.",
)  # fmt: skip
def indexing(xp: Any, table: Any, w: Any, rows: Any) -> Any:
    taken = xp.take_rows(table, rows)
    step = (taken[1:] - taken[:-1]) * w
    return xp.sum(step * step)
