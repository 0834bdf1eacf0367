"""The samples with which PyTorch tests its own functions: value, gradient and second gradient, compared with PyTorch's.

The second gradient is that of the sum of the squares of the first. Samples that differ on purpose are left out.
"""

import contextlib

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")
database = pytest.importorskip("torch.testing._internal.common_methods_invocations")

from tests.parity.differences import DIFFERENCES  # noqa: E402
from tests.parity.op_db_calls import NoEqual, call_of  # noqa: E402

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

#: Functions of PyTorch whose results have signs that nothing determines: both are compared without them.
SIGNLESS = {"linalg.svd", "linalg.eigh", "linalg.qr", "qr"}

#: Functions whose second gradient differs on purpose, by the row of docs/differences.md.
FIRST_ORDER = {"linalg.norm subgradients_at_zero": "second slope of the norm at 0"}

FUNCTIONS = [op for op in database.op_db if call_of(op.name)]


def flat(y):
    return [z for x in y for z in flat(x)] if isinstance(y, (list, tuple)) else [y]


def converted(a, pairs):
    """An argument of PyTorch as one of minigrad; tensors that have a gradient are added to `pairs`."""
    if isinstance(a, torch.Tensor):
        value = a.detach().numpy().copy()
        if value.dtype.kind != "f":
            return value
        x = mg.constant(value, dtype=value.dtype)
        if a.requires_grad:
            pairs.append((a, x))
        return x
    if isinstance(a, (list, tuple)):
        parts = [converted(x, pairs) for x in a]
        return parts if isinstance(a, list) else tuple(parts)
    return a


def numbers(x, like):
    if x is None:
        return np.zeros(like.shape)
    return x.detach().numpy(force=True) if isinstance(x, torch.Tensor) else np.asarray(getattr(x, "value", x))


def agree(what, mine, theirs, like, tolerance=2e-6):
    a, b = numbers(mine, like), numbers(theirs, like)
    assert a.shape == b.shape, f"{what}: shape {a.shape}, PyTorch {b.shape}"
    scale = 1 + (np.abs(b[np.isfinite(b)]).max(initial=0) if b.dtype.kind == "f" else 0)
    assert np.allclose(a, b, rtol=tolerance, atol=1e-9 * scale, equal_nan=True), f"{what}: {a}, PyTorch {b}"


def name_of(op):
    return f"{op.name} {op.variant_test_name}".strip()


def compare(op, sample, call):
    pairs = []
    args = [converted(a, pairs) for a in (sample.input, *sample.args)]
    options = {name: converted(a, pairs) for name, a in sample.kwargs.items()}
    mine = flat(call(*args, **options))
    theirs = [t for t in flat(op.op(sample.input, *sample.args, **sample.kwargs)) if isinstance(t, torch.Tensor)]
    if op.name in SIGNLESS:
        if op.name == "linalg.svd":
            k = theirs[1].shape[-1]
            theirs = [theirs[0][..., :k], theirs[1], theirs[2][..., :k, :]]
        mine, theirs = [mg.absolute(y) for y in mine], [t.abs() for t in theirs]
    theirs = theirs[: len(mine)]
    for y, t in zip(mine, theirs, strict=True):
        agree("value", y, t, t)
    smooth = [(y, t) for y, t in zip(mine, theirs) if t.requires_grad and t.dtype == torch.float64]
    if not smooth or not pairs:
        return
    weights = [np.cos(1.0 + np.arange(t.numel())).reshape(t.shape) for _, t in smooth]
    ours, sources = [x for _, x in pairs], [a for a, _ in pairs]
    total = sum((mg.sum(y * w) for (y, _), w in zip(smooth, weights)), start=mg.constant(0.0, "float64"))
    their_total = sum((t * torch.tensor(w)).sum() for (_, t), w in zip(smooth, weights))
    first = mg.gradients(total, ours)
    their_first = torch.autograd.grad(their_total, sources, create_graph=True, allow_unused=True)
    for x, g, h in zip(sources, first, their_first):
        agree("gradient", g, h, x)
    their_squares = [(h**2).sum() for h in their_first if h is not None and h.requires_grad]
    if not their_squares or (FIRST_ORDER.get(name_of(op)), "torch") in DIFFERENCES:
        return
    try:
        their_second = torch.autograd.grad(sum(their_squares), sources, allow_unused=True)
    except (RuntimeError, NotImplementedError):
        return  # PyTorch has no second derivative here
    squares = [mg.sum(g * g) for g in first if g is not None]
    for x, g, h in zip(sources, mg.gradients(sum(squares[1:], start=squares[0]), ours), their_second):
        agree("second gradient", g, h, x, 2e-5)


@pytest.mark.cases(40)
@pytest.mark.parametrize("op", FUNCTIONS, ids=name_of)
def test_samples(op, subtests):
    torch.manual_seed(0)
    call = call_of(op.name)
    for sample in op.sample_inputs("cpu", torch.float64, requires_grad=op.supports_autograd):
        with subtests.test(sample.summary()[:200]), contextlib.suppress(NoEqual):
            compare(op, sample, call)


def test_most_functions_are_compared():
    """Not all samples have a counterpart here, but at least one of nearly every function has."""
    assert len(FUNCTIONS) > 250
