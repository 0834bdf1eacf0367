"""Ten public reports of a nan, as small programs: what the table of lessons/FIND_THE_NAN.md says is in the report."""

import re
from pathlib import Path

import pytest

import minigrad as mg
import viz
from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")
PAGE = (Path(__file__).parents[2] / "lessons" / "FIND_THE_NAN.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| ([\w./-]+#\d+) \| .* \| (.*) \|$", PAGE, re.MULTILINE))

TEXT = """import torch

T = torch.tensor([0.0, float("nan")])
LABELS = torch.tensor([0, 1, 1])
BATCH = torch.randn(8, 3, generator=torch.Generator().manual_seed(0))


def rows_dropped_after_the_loss(x):
    return ((x - T) ** 2)[~torch.isnan(T)].sum()


def gradient_penalty(w):
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    (g,) = torch.autograd.grad(torch.relu(x @ w).sum(), x, create_graph=True)
    return ((torch.sqrt((g**2).sum(1)) - 1) ** 2).mean()


def no_positive(z):
    other = 1 - torch.eye(3)
    m = (LABELS[:, None] == LABELS).float() * other
    s = z @ z.T / 0.5
    p = s - torch.log((torch.exp(s) * other).sum(1, keepdim=True))
    return -((m * p).sum(1) / m.sum(1)).mean()


def equal_boxes(b):
    t = torch.tensor([2.0, 3.0], dtype=b.dtype)
    v = (torch.atan(t[0] / t[1]) - torch.atan(b[0] / b[1])) ** 2
    return v / (((b - t) ** 2).sum() + v)


def masked_entropy(z):
    p = torch.log_softmax(z.masked_fill(torch.tensor([False, False, True]), float("-inf")), -1)
    return -(torch.exp(p) * p).sum()


def fractional_power(w):
    x = torch.tensor([[1.0], [2.0]], requires_grad=True)
    u = 1.1 * torch.tanh(x @ w) ** 1.2
    (ux,) = torch.autograd.grad(u.sum(), x, create_graph=True)
    return (ux**2).mean()


def soft_minimum(x):
    return -0.01 * torch.log(torch.exp(-x / 0.01).sum())


def saturated(x):
    return torch.sigmoid(20 * x).sum()

"""
FUNCTIONS = programs.executed(TEXT)


def floats(*numbers):
    return torch.tensor([*numbers], requires_grad=True)


def diverging():
    torch.manual_seed(0)
    wide, narrow = torch.nn.Linear(3, 4), torch.nn.Linear(2, 3)
    net = torch.nn.ModuleList([wide, narrow])
    optimizer = torch.optim.SGD(net.parameters(), lr=3.0)
    with viz.watch(net):
        for _ in range(50):
            mean, spread = wide(BATCH := FUNCTIONS["BATCH"]).chunk(2, 1)
            back = narrow(mean + torch.exp(spread / 2))
            loss = ((back - BATCH) ** 2).sum() - 0.5 * (1 + spread - mean**2 - torch.exp(spread)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def nan_in(name, *numbers):
    return lambda: mg.find_nan(FUNCTIONS[name], floats(*numbers))


REPORTS = {
    "pytorch/pytorch#121416": nan_in("rows_dropped_after_the_loss", 1.0, 2.0),
    "pytorch/pytorch#2534": nan_in("gradient_penalty", [-1.0], [-1.0]),
    "HobbitLong/SupContrast#141": nan_in("no_positive", [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]),
    "Megvii-BaseDetection/YOLOX#1565": nan_in("equal_boxes", 2.0, 3.0),
    "tensorflow/agents#562": nan_in("masked_entropy", 1.0, 2.0, 3.0),
    "prateekbhustali/Physics-Informed-Neural-Networks#1": nan_in("fractional_power", [-0.5]),
    "Sleepwalking/pytorch-softdtw#8": nan_in("soft_minimum", 2.0, 3.0),
    "tensorflow/tensorflow#126060": lambda: mg.explain_zero(FUNCTIONS["saturated"], floats(9.0)),
    "vanderschaarlab/synthcity#331": diverging,
    "patrick-kidger/diffrax#742": None,
}  # fmt: skip


def scanned():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    body = lambda c, _: (c * 0.5, jax.numpy.sqrt((c * c).sum()))
    return mg.find_nan(lambda x: jax.lax.scan(body, x, None, length=3)[1].sum(), jax.numpy.zeros(2))


def test_the_page_has_the_ten():
    assert set(ROWS) == set(REPORTS)


@pytest.mark.parametrize("thread", REPORTS)
def test_the_report_has_what_the_page_says(thread):
    try:
        report = str((REPORTS[thread] or scanned)())
    except viz.NanFound as error:
        report = str(error)
    phrases = re.findall(r"`([^`]+)`", ROWS.get(thread, ""))
    assert phrases and [phrase for phrase in phrases if phrase not in report] == [], report
