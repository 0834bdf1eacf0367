"""The calls in `peer_calls.txt`, and the arrays that the letters in it stand for."""

from pathlib import Path

import numpy as np


def table():
    """(framework, function, arguments) for each line."""
    framework = ""
    for line in Path(__file__).with_name("peer_calls.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            framework = line.strip("[]")
        elif line and not line.startswith("#"):
            name, _, call = line[:-1].partition("(")
            yield framework, name, call


CALLS = list(table())


def arrays(rng, dtype):
    """The arrays that the letters stand for."""
    normal = lambda *shape: rng.normal(size=shape)
    square, several, deep, exam = normal(3, 3), normal(2, 3, 3), normal(3, 3), normal(3, 4)
    exps, columns, output = np.exp(exam), np.exp(normal(3, 4)), np.exp(normal(3, 4))
    floats = dict(
        M=normal(3, 4), M2=normal(3, 4), V=normal(4), V2=normal(4), R=normal(3), W=normal(2), A=normal(), B=normal(),
        T=normal(2, 3, 2), P=rng.uniform(0.5, 2.5, (3, 4)), U=rng.uniform(-0.9, 0.9, (3, 4)), C=normal(2, 3),
        C2=normal(2, 3), S=square + 3 * np.eye(3), BS=several + 3 * np.eye(3), BR=normal(2, 3, 2),
        SPD=deep @ deep.T + np.diag([1.0, 2.0, 3.0]), TALL=normal(4, 2), WIDE=normal(3, 4), RHS=normal(4, 2),
        RHS3=normal(3, 2), IMAGE=normal(2, 5, 4, 2), CIMAGE=normal(2, 2, 5, 4), LINE=normal(2, 6, 2),
        BOX=normal(1, 3, 4, 3, 2), KERNEL=normal(2, 2, 2, 3), KERNEL1=normal(2, 2, 3), KERNEL3=normal(2, 2, 2, 2, 1),
        BACK=normal(2, 3, 3, 2), BACK1=normal(2, 3, 2), ONES=normal(1, 3, 1), L=rng.uniform(0, 1, (3, 4)),
        Q=output / output.sum(-1, keepdims=True), PROBS=exps / exps.sum(-1, keepdims=True),
        PROBS0=columns / columns.sum(0), HALVES=np.arange(-5.0, 6.0) / 2,
        HOLED=np.where(np.arange(12).reshape(3, 4) % 5 == 1, np.nan, normal(3, 4)),
        HOLES=np.array([1.0, np.nan, np.inf, -np.inf, -2.0]),
    )  # fmt: skip
    found = {name: np.asarray(value, dtype) for name, value in floats.items()}
    mask = rng.random((3, 4)) < 0.5
    return found | dict(
        K=rng.integers(0, 6, (3, 4)).astype("int32"), MASK=mask, NASK=rng.random((3, 4)) < 0.5, INF=np.inf
    )
