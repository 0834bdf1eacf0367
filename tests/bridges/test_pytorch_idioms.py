"""Idioms of PyTorch's documentation and tutorials: the line, the reason and the repair, each beside a formula."""

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.diagnostics.edits import edited
from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from minigrad.bridges.pytorch_recorder import record  # noqa: E402 - it imports torch

F, INF, NAN = torch.nn.functional, float("inf"), float("nan")
TEXT = """import torch
import torch.nn.functional as F

T = torch.tensor([1.0, 2.0])
MASK = torch.tensor([False, False])


def squashed(u):
    return (-0.5 * u**2 - torch.log(1 - torch.tanh(u) ** 2)).sum()


def squashed_action(u):
    a = torch.tanh(u)
    return -torch.log(1 - a.pow(2)).mean()


def rmsle(x):
    return torch.sqrt(torch.mean((torch.log1p(x) - torch.log1p(T)) ** 2))


def rmsle_of_a_loss(x):
    return torch.sqrt(F.mse_loss(torch.log(x + 1), torch.log(T + 1)))


def masked_mean(x):
    seen = x > 9
    return (x * seen).sum() / seen.sum()


def mean_by_length(x):
    chosen = x[x > 9]
    return chosen.sum() / len(chosen)


def mean_by_counter(x):
    n = 0
    return (x * 0).sum() / n


def mean_of_none(x):
    return x[x > 9].mean()


def loss_of_none(x):
    return 1 + 2 * F.mse_loss(x[MASK], T[MASK])


def magnitude(x):
    s = torch.fft.rfft(x)
    return torch.sqrt(s.real**2 + s.imag**2).sum()


def degree(x):
    edges = torch.sparse_coo_tensor(torch.tensor([[0, 0], [1, 0]]), torch.ones(2), (2, 2))
    d = torch.sparse.sum(edges, 1).to_dense()
    return (torch.mv(edges, x) / d).sum()


def train(w, optimizer):
    for _ in range(3):
        optimizer.zero_grad()
        loss = torch.log(1 - torch.tanh(w) ** 2).mean()
        loss.backward()
        optimizer.step()
"""
HERE = programs.executed(TEXT)


def squashed(*u):
    """The logarithm of 1 - tanh(u)^2 in float64, as 2 (log 2 - |u| - log(1 + exp(-2 |u|))), and its slope."""
    u = np.array(u, np.float64)
    return 2 * np.log(2) - 2 * np.abs(u) - 2 * np.log1p(np.exp(-2 * np.abs(u))), -2 * np.tanh(u)


U = [[9.5, 0.5], [-10.0, 1.0], [12.0, 0.5], [40.0, -30.0]]
#: The function, its input, the words of the line to write, its value and its gradient.
LINES = [
    *(("squashed", u, "F.softplus(-2 * u)", float((-0.5 * np.square(u) - squashed(*u)[0]).sum()),
       -np.array(u) - squashed(*u)[1]) for u in U),
    *(("squashed_action", u, "F.softplus(-2 * u)", float(-squashed(*u)[0].mean()), -squashed(*u)[1] / 2) for u in U),
    ("rmsle", [1.0, 2.0], "torch.where(d2 > 0, torch.sqrt(", 0.0, [0.0, 0.0]),
    ("rmsle_of_a_loss", [1.0, 2.0], "torch.where(d2 > 0, torch.sqrt(", 0.0, [0.0, 0.0]),
    ("masked_mean", [1.0, 2.0], "(x * seen).sum() / torch.clamp(seen.sum(), min=1.0)", 0.0, [0.0, 0.0]),
    ("mean_by_length", [1.0, 2.0], "chosen.sum() / max(len(chosen), 1.0)", 0.0, [0.0, 0.0]),
    ("mean_by_counter", [1.0, 2.0], "(x * 0).sum() / max(n, 1.0)", 0.0, [0.0, 0.0]),
    ("mean_of_none", [1.0, 2.0], "x[x > 9].sum() / max(x[x > 9].numel(), 1)", 0.0, [0.0, 0.0]),
    ("loss_of_none", [1.0, 2.0], "reduction='sum') / max(x[MASK].numel(), 1)", 1.0, [0.0, 0.0]),
    ("magnitude", [0.0, 0.0, 0.0], "torch.where(inside > 0", 0.0, [0.0, 0.0, 0.0]),
    ("degree", [1.0, 2.0], "torch.clamp(d, min=1.0)", 1.5, [0.5, 0.5]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "numbers", "write", "value", "slope"), LINES)
def test_the_line_that_is_offered_runs_and_is_right(name, numbers, write, value, slope):
    x = torch.tensor(numbers, requires_grad=True)
    report = mg.find_nan(HERE[name], x)
    assert report and any(write in new for *_, new in report.repair.lines), report
    mended, own = programs.executed(edited(TEXT, report.repair.edits)), torch.tensor(numbers, requires_grad=True)
    y = mended[name](own)
    y.backward()
    np.testing.assert_allclose(y.item(), value, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(own.grad, slope, rtol=1e-5, atol=1e-6)


def kept(x, keep=0.0):
    return (x * (torch.rand(2) < keep)).sum() / keep


def test_a_share_of_0_is_not_a_count():
    x = torch.ones(2, requires_grad=True)
    for f in (kept, lambda x, p=1.0: (x * 0).sum() / (1 - p)):
        assert not mg.find_nan(f, x).repair.rewrites, "a divisor of at least 1 would change each other share"


def hidden(x):
    y = 1 / x
    return torch.einsum("i,i->", y, torch.tensor([0.0, 1.0]))


def test_a_cause_in_another_line_has_its_place():
    report = mg.find_nan(hidden, torch.tensor([0.0, 1.0], requires_grad=True))
    first = hidden.__code__.co_firstlineno
    assert f"test_pytorch_idioms.py:{first + 2}" in report.line.where
    assert f"The cause is divide by 0, in test_pytorch_idioms.py:{first + 1}: " in str(report)


LOGITS = torch.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]])
NO_VARIANCE = torch.nn.BatchNorm1d(3, eps=0.0).eval()
NO_VARIANCE.running_var.zero_()
NEGATIVE = torch.nn.BatchNorm1d(3).eval()
NEGATIVE.running_var[1] = -1.0
ZEROS = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
with torch.no_grad():
    ZEROS.parametrizations.weight.original1[0] = 0.0
#: A program, its input, the kind and the words of the reason.
REASONS = [
    (lambda z: F.cross_entropy(z.masked_fill(z > 2, -INF), torch.tensor([0, 1]), label_smoothing=0.1), LOGITS,
     "domain", "cross_entropy returns inf: 1 of 6 scores are -inf, and label_smoothing=0.1 gives each class a share"),
    (lambda x: F.soft_margin_loss(x, torch.tensor([1.0, -1.0])), torch.tensor([-1000.0, 1.0]),
     "overflow", "it computes exp of -target · input, up to 1000, and exp is inf above 88.72"),
    (lambda x: NEGATIVE(x).sum(), LOGITS, "domain", "running_var + eps is below 0 in 1 of 3 channels"),
    (lambda x: NO_VARIANCE(x).sum(), LOGITS, "0 / 0", "running_var + eps is 0 in 3 of 3 channels"),
    (lambda x: ZEROS(x).sum(), LOGITS, "0 / 0", "the length of 1 of the 2 vectors that it divides by"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "x", "kind", "words"), REASONS)
def test_a_call_that_pytorch_computes_whole_has_its_reason(f, x, kind, words):
    report = mg.find_nan(f, x)
    assert report.kind == kind and words in str(report), report


def test_softplus_is_the_margin_loss_as_the_report_says():
    y, x = torch.tensor([1.0, -1.0, 1.0]), torch.tensor([-80.0, 0.3, 2.0])
    torch.testing.assert_close(F.soft_margin_loss(x, y), F.softplus(-y * x).mean())
    assert torch.isfinite(F.softplus(-y * x * 100).mean())


def test_a_smoothed_loss_without_a_hidden_class_has_another_reason():
    z = torch.tensor([[INF, 0.0]], requires_grad=True)
    report = mg.find_nan(lambda z: F.cross_entropy(z, torch.tensor([0]), label_smoothing=0.1), z)
    assert report and "gives each class a share" not in str(report)


RMS, ORTHOGONAL = torch.nn.RMSNorm(2), torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(3, 3))
EDGES = torch.eye(3).to_sparse()
HEALTHY = [
    (lambda x: RMS(x[:2] * 1e-4).sum(), "an eps of float32 that float64 would not add"),
    (lambda x: ORTHOGONAL(x[None, :3]).square().sum(), "a buffer that is put back"),
    (lambda x: torch.fft.rfft(x).abs().sum(), "complex numbers"),
    (lambda x: torch.fft.irfft(torch.fft.rfft(x) * torch.fft.rfft(x.detach()), n=4).square().sum(), "a convolution"),
    (lambda x: torch.view_as_real(torch.view_as_complex(x.reshape(2, 2)) * (1 + 2j)).square().sum(), "rotations"),
    (lambda x: torch.linalg.eigvals(x.reshape(2, 2) + 3 * torch.eye(2)).abs().sum(), "complex eigenvalues"),
    (lambda x: torch.sparse.mm(EDGES, x[:3, None]).square().sum() + (EDGES @ x[:3]).sum(), "sparse constants"),
]


@pytest.mark.parametrize(("f", "what"), HEALTHY)
def test_a_healthy_program_is_called_healthy_and_all_its_gradients_are_equal(f, what):
    x = torch.tensor([0.5, -1.0, 2.0, 0.1], requires_grad=True)
    assert mg.find_nan(f, x).sentence == "every value and every gradient is finite", what
    assert record(f, (x,), {}).caveat() == "", what


def test_a_nan_that_an_index_leaves_out_needs_no_line():
    y = torch.tensor([1.0, NAN])
    report = mg.find_nan(lambda x: F.mse_loss(x[~y.isnan()], y[~y.isnan()]), torch.ones(2, requires_grad=True))
    assert report.harmless and not report.repair.rewrites and "its gradient is nan" not in str(report)


def test_a_gradient_that_is_derived_again_is_recorded_where_it_is_inf():
    """As in a network of physics that has sqrt(x) at the boundary x = 0."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    x = torch.linspace(0, 1, 5)[:, None].requires_grad_(True)

    def loss():
        u = torch.sqrt(x) * net(x)
        (u_x,) = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)
        return ((u_x - 1) ** 2).mean()

    report = str(mg.find_nan(loss))
    assert "not recorded" not in report and ", 0) is " in report
    assert f"test_pytorch_idioms.py:{loss.__code__.co_firstlineno + 2}" in report


def test_a_loop_is_offered_the_line_of_the_squashed_action():
    torch.manual_seed(0)
    w = torch.nn.Parameter(torch.tensor([1.0, 0.5]))
    optimizer = torch.optim.SGD([w], lr=12.0)
    with pytest.raises(viz.NanFound) as caught, viz.watch(names={"w": w}):
        HERE["train"](w, optimizer)
    assert caught.value.step == 1
    assert "F.softplus(-2 * w)" in str(caught.value) and "50 more steps of SGD" in str(caught.value)


@pytest.mark.parametrize(("make", "eps"), [("Adam", 0.0), ("RMSprop", 0.0), ("Adagrad", 0.0), ("Adam", 1e-8)])
def test_an_optimizer_without_eps_is_named_if_it_divides_0_by_0(make, eps):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    with torch.no_grad():
        net[0].bias[0] = -100.0  # this unit is never active, so its gradients are 0
        if eps:
            net[2].weight[0, 1] = NAN
    optimizer = getattr(torch.optim, make)(net.parameters(), lr=0.01, eps=eps)
    with pytest.raises(viz.NanFound) as caught, viz.watch(net):
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(4, 3)).square().mean().backward()
            optimizer.step()
    assert (f"the eps of {make} is 0, and it divided 0 by 0" in str(caught.value)) is (not eps)


def test_a_recurrence_that_outgrows_its_dtype_names_the_number():
    """A cell that PyTorch computes whole: h grows by a factor of two million a step."""
    cell = torch.nn.RNNCell(2, 2, nonlinearity="relu")
    with torch.no_grad():
        cell.weight_hh.fill_(1e6)

    def loss(x):
        h = torch.ones(1, 2)
        for t in range(8):
            h = cell(x[t], h)
        return h.sum()

    report = mg.find_nan(loss, torch.zeros(8, 1, 2, requires_grad=True))
    w, b = cell.weight_hh.double().detach().numpy(), (cell.bias_ih + cell.bias_hh).double().detach().numpy()
    h = np.ones(2)
    while (h <= np.finfo(np.float32).max).all():
        h = np.maximum(w @ h + b, 0)
    assert f"rnn_relu_cell computes {h.max():.3g}"[:28] in str(report) and "the largest float32" in str(report)


def test_a_layer_that_is_watched_beside_another_has_its_number_as_its_path():
    first, second = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    with pytest.raises(viz.NanFound) as caught, viz.watch(first, second):
        second(first(torch.tensor([[INF]]))).sum().backward()
    assert "1. (" not in str(caught.value) and "0. (" not in str(caught.value)


def test_a_result_that_is_not_recorded_has_the_line_of_its_use():
    def slope(x):
        y = torch.func.grad(lambda z: torch.sqrt(z**2).sum())(x)
        return y.sum()

    report = str(mg.find_nan(slope, torch.tensor([0.0, 1.0], requires_grad=True)))
    assert f"is not recorded; it is used in test_pytorch_idioms.py:{slope.__code__.co_firstlineno + 2}." in report
