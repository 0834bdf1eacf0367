"""Programs of public reports: the offered line is put in, run in its framework, and has the known gradient."""

import re

import numpy as np
import pytest

import viz
from minigrad.diagnostics.edits import edited
from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")
NAN = float("nan")

HEAD = """import torch
import torch.nn.functional as F

NAN, INF = float("nan"), float("inf")
W, A = torch.tensor(NAN), torch.tensor([1.0, 2.0, NAN])
N = torch.tensor([0.0, 2.0])
ROWS, Y = torch.ones(3, 2), torch.tensor([NAN, 0.0])
ROWS[2] = NAN
SEEN = torch.tensor([[1.0, 1.0], [0.0, 0.0]])
EDGES = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])  # the third node has no neighbour
SOURCE, TARGET = torch.tensor([0, 1]), torch.tensor([1, 0])


def f(x):
"""
JAX_HEAD = """import jax
import jax.numpy as jnp

T = jnp.array([float("nan"), 1.0])
WHERE = jnp.array([True, True, False])
COLUMNS = jnp.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]])
EDGES = jnp.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


def f(x):
"""
#: By thread: the body of the function, its input, the gradient that the thread expects, and words of the report.
REPORTS = {
    "pytorch/pytorch#94700": ("return (x * W).nan_to_num(0).sum()", [1.0], [0.0], "write"),
    "pytorch/pytorch#67180": ("return torch.nansum(A * x)", 1.0, 3.0, "write"),
    "pytorch/pytorch#67180, mean": ("return torch.nanmean(A * x)", 1.0, 1.5, "write"),
    "chosen by the result": (
        "e = (x - A) ** 2\nreturn e[torch.isfinite(e)].mean()", [2.0, 4.0, 5.0], [1.0, 2.0, 0.0], "torch.isnan(A), A",
    ),
    "chosen by the data": (
        "known = ~torch.isnan(A)\nreturn ((x - A) ** 2)[known].mean()", [2.0, 4.0, 5.0], [1.0, 2.0, 0.0],
        "return ((x - torch.where(torch.isnan(A), 0.0, A)) ** 2)[known].mean()",
    ),
    "a graph convolution": (
        "d = EDGES.sum(1)\nd = d ** -0.5\nreturn (d[:, None] * EDGES * d @ x).sum()", [1.0, 2.0, 3.0],
        [1.0, 1.0, 0.0], "torch.pow(torch.clamp(d, min=1.0), -0.5)",
    ),
    "pyg-team/pytorch_geometric#500": (
        "logvar = 40 * x\nreturn -0.5 * (1 + logvar - torch.exp(logvar)).sum()", [3.0, 0.0], [0.0, 0.0],
        "torch.clamp(40 * x, -30.0, 20.0)",
    ),
    "with a diagonal matrix": (
        "d = torch.diag(EDGES.sum(1).pow(-0.5))\nreturn (d @ EDGES @ d @ x).sum()", [1.0, 2.0, 3.0],
        [1.0, 1.0, 0.0], "torch.clamp(EDGES.sum(1), min=1.0)",
    ),
    "with indices": (
        "d = torch.zeros(3).scatter_add(0, TARGET, torch.ones(2)).pow(-0.5)\n"
        "h = (d[SOURCE] * d[TARGET]) * x[SOURCE]\nreturn (torch.zeros(3).index_add(0, TARGET, h) * d).sum()",
        [1.0, 2.0, 3.0], [1.0, 1.0, 0.0], "min=1.0",
    ),
    "the other classes than a chosen one": (
        "p = torch.softmax(x, -1)[:, 1]\nreturn -torch.log(1 - p).sum()", [[0.0, 300.0, 1.0], [0.0, 0.0, -300.0]],
        [[0.0, 0.0, 0.0], [-0.5, 0.5, 0.0]], "torch.log(torch.clamp(1 - p, min=1e-07))",
    ),
    "by a quotient": (
        "d = EDGES.sum(1)\nreturn (EDGES / torch.sqrt(d[:, None] * d) @ x).sum()", [1.0, 2.0, 3.0], [1.0, 1.0, 0.0],
        "EDGES / torch.clamp(torch.sqrt(d[:, None] * d), min=1.0)",
    ),
    "with weights": (
        "d = (EDGES / 4).sum(1)\nd = d ** -0.5\nreturn (d[:, None] * EDGES / 4 * d @ x).sum()", [1.0, 2.0, 3.0],
        [1.0, 1.0, 0.0], "torch.where(d > 0, torch.pow(torch.where(d > 0, d, 1.0), -0.5), 0.0)",
    ),
    "pytorch/pytorch#16317": (
        "y = x / N\nreturn torch.where(N == 0, torch.zeros_like(y), y).sum()", [0.0, 1.0], [0.0, 0.5],
        "y = x / torch.where(N == 0.0, 1.0, N)",
    ),
    "pytorch/pytorch#4132": (
        "y = x / N\ny[N == 0] = 0\nreturn y.sum()", [1.0, 1.0], [0.0, 0.5], "y = x / torch.where(N == 0, 1.0, N)",
    ),
    "pytorch/pytorch#4132, selected": (
        "y = x / N\nreturn y[N != 0].sum()", [1.0, 1.0], [0.0, 0.5], "y = x / torch.where(N == 0, 1.0, N)",
    ),
    "pytorch/pytorch#23156": (
        "h = ROWS @ x\nreturn h.masked_fill(torch.isnan(h), 0.0).sum()", [[1.0], [1.0]], [[2.0], [2.0]],
        "torch.where(torch.isnan(ROWS), 0.0, ROWS) @ x",
    ),
    "pytorch/pytorch#64305": (
        'return F.smooth_l1_loss(x, Y, reduction="none")[~torch.isnan(Y)].mean()', [1.0, 2.0], [0.0, 1.0],
        "F.smooth_l1_loss(x, torch.where(torch.isnan(Y), 0.0, Y), reduction='none')",
    ),
    "pytorch/pytorch#64305, squares": (
        'return F.mse_loss(x, Y, reduction="none")[~torch.isnan(Y)].mean()', [1.0, 2.0], [0.0, 4.0],
        "F.mse_loss(x, torch.where(torch.isnan(Y), 0.0, Y), reduction='none')",
    ),
    "pytorch/pytorch#64305, nanmean": (
        'return torch.nanmean(F.mse_loss(x, Y, reduction="none"))', [1.0, 2.0], [0.0, 4.0],
        "torch.where(torch.isnan(Y), Y, F.mse_loss(x, torch.where(torch.isnan(Y), 0.0, Y), reduction='none'))",
    ),
    "speechbrain/speechbrain#181": (
        "return (x.pow(2).sum(-1).pow(0.5) - 1.0).abs().mean()", [[0.0, 0.0], [3.0, 4.0]], [[0.0, 0.0], [0.3, 0.4]],
        "torch.linalg.vector_norm(x, dim=-1)",
    ),
    "NousResearch/atropos#236": (
        "return ((x * SEEN).sum(-1) / SEEN.sum(-1)).mean()", [[-1.0, -2.0], [-3.0, -4.0]], [[0.25, 0.25], [0.0, 0.0]],
        "usual  : return ((x * SEEN).sum(-1) / torch.clamp(SEEN.sum(-1), min=1.0)).mean()",
    ),
    "a root mean square without eps": (
        "return (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True))).sum()", [[0.0, 0.0]], [[1000.0, 1000.0]],
        "root mean square normalization",
    ),
    "the square root of a difference with itself": (
        "return torch.sqrt(((x - x) ** 2).sum())", [1.0, 2.0], [0.0, 0.0], "torch.linalg.vector_norm(x - x)",
    ),
    "two equal rows of an embedding": (
        "e = F.embedding(torch.tensor([0, 1]), x)\nreturn torch.sqrt((e[0] - e[1]).pow(2).sum())",
        [[1.0, 2.0], [1.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]], "torch.linalg.vector_norm(e[0] - e[1])",
    ),
    "generalized-mean pooling": (
        "return F.avg_pool2d(x.pow(3), 2).pow(1 / 3).sum()", [[[[-1.0, -2.0], [1.0, 0.0]]]],
        [[[[0.0, 0.0], [0.62996, 0.0]]]], "torch.pow(torch.clamp(x, min=1e-06), 3)",
    ),
    "the weight of a class without examples": (
        "n = torch.bincount(torch.tensor([1, 1, 1]), minlength=2)\nw = 3 / (2 * n)\nw = w / w.sum()\n"
        "return F.cross_entropy(x, torch.tensor([1]), weight=w)", [[0.0, 0.0]], [[0.5, -0.5]],
        "w = 3 / torch.clamp(2 * n, min=1.0)",
    ),
    "a mixture density": (
        "p = torch.softmax(x[0], 0) * torch.exp(-0.5 * (99.0 / x[1]) ** 2) / (2.5 * x[1])\nreturn -torch.log(p.sum())",
        [[0.0, 0.0], [1.0, 2.0]], [[0.5, -0.5], [0.0, -1224.625]], "torch.logsumexp(-0.5 * (99.0 / x[1]) ** 2",
    ),
    "mihaidusmanu/d2-net#78": (
        "return (x / x.max(dim=1)[0].unsqueeze(1)).sum()", [[0.0, 0.0], [1.0, 2.0]], [[1.0, 1.0], [0.5, -0.25]],
        "torch.where(divisor == 0, 1.0, divisor)",
    ),
    "a mask multiplied by inf": (
        "return F.cross_entropy(x - torch.eye(3)[:1] * INF, torch.tensor([1]))", [[1.0, 2.0, 2.0]], [[0.0, -0.5, 0.5]],
        "torch.where(inner == 0, inner, INF)",
    ),
}  # fmt: skip
JAX_REPORTS = {
    "jax-ml/jax#21723": ("return jnp.linalg.norm(x) ** 2", [0.0, 0.0], [0.0, 0.0], "return jnp.sum(x ** 2)"),
    "jax-ml/jax#19490": (
        "return jnp.sum(jnp.exp(x), where=WHERE)", [1.0, 2.0, 10000.0], [np.e, np.e**2, 0.0],
        "jnp.exp(jnp.where(WHERE, x, 0.0))",
    ),
    "a graph convolution in JAX": (
        "d = EDGES.sum(1) ** -0.5\nreturn (d[:, None] * EDGES * d[None] @ x).sum()", [1.0, 2.0, 3.0], [1.0, 1.0, 0.0],
        "jnp.maximum(EDGES.sum(1), 1.0)",
    ),
    "a constant column in JAX": (
        "z = (COLUMNS - COLUMNS.mean(0)) / COLUMNS.std(0)\nreturn jnp.sum((z @ x) ** 2)", [1.0, 1.0], [6.0, 0.0],
        "jnp.sqrt(jnp.var(COLUMNS, axis=0) + 1e-05)",
    ),
    "nanmean in JAX": ("return jnp.nanmean((x - T) ** 2)", [1.0, 2.0], [0.0, 2.0], "jnp.where(jnp.isnan(T), T, x - "),
}  # fmt: skip


def source_of(head, body):
    return head + "".join(f"    {line}\n" for line in body.split("\n"))


def offered(head, body, x):
    """The report on a program, and the function with the offered line."""
    text = source_of(head, body)
    report = viz.trace_nan(programs.executed(text)["f"], x).report
    assert report.repair.edits, report
    return report, programs.executed(edited(text, report.repair.edits))["f"]


@pytest.mark.parametrize("thread", REPORTS)
def test_the_offered_line_has_the_gradient_that_the_thread_expects(thread):
    body, value, expected, words = REPORTS[thread]
    x = torch.tensor(value, requires_grad=True)
    before = programs.executed(source_of(HEAD, body))["f"](x)
    (gradient,) = torch.autograd.grad(before, x)
    assert not (before.isfinite() and gradient.isfinite().all())
    report, repaired = offered(HEAD, body, x)
    y = repaired(x)
    (gradient,) = torch.autograd.grad(y, x)
    np.testing.assert_allclose(gradient.numpy(), expected, rtol=1e-4, atol=1e-6)
    assert words in str(report)
    if before.isfinite() and report.repair:
        assert float(y.detach()) == pytest.approx(float(before.detach()), rel=1e-5)


@pytest.mark.parametrize("thread", JAX_REPORTS)
def test_the_offered_line_of_jax_has_the_gradient_that_the_thread_expects(thread):
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    body, value, expected, words = JAX_REPORTS[thread]
    x = jax.numpy.array(value)
    report, repaired = offered(JAX_HEAD, body, x)
    np.testing.assert_allclose(jax.grad(repaired)(x), expected, rtol=1e-4, atol=1e-6)
    assert words in str(report)


def test_both_branches_of_a_where_get_a_safe_argument():
    body = """return torch.where(
    x > 1,
    torch.arctan(torch.sqrt((x - 1) / (x + 1))) / torch.sqrt(x**2 - 1),
    torch.arctanh(torch.sqrt((1 - x) / (1 + x))) / torch.sqrt(1 - x**2),
).sum()"""
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    f = programs.executed(source_of(HEAD, body))["f"]
    report = viz.trace_nan(f, x).report
    each = [x[i : i + 1].detach().double().requires_grad_() for i in range(2)]
    low = torch.arctanh(torch.sqrt((1 - each[0]) / (1 + each[0]))) / torch.sqrt(1 - each[0] ** 2)
    high = torch.arctan(torch.sqrt((each[1] - 1) / (each[1] + 1))) / torch.sqrt(each[1] ** 2 - 1)
    expected = [float(torch.autograd.grad(y.sum(), one)[0]) for y, one in zip((low, high), each)]
    np.testing.assert_allclose(np.ravel(report.repair.after.gradients[0]), expected, rtol=1e-4)
    assert report.repair.grade == "same"


@pytest.mark.parametrize(
    "body",
    [
        "return torch.nan_to_num(1 / x, posinf=0.0).sum() + (x * W).nan_to_num(2.0).sum()",
        "return torch.nansum(A * x) + torch.nanmean(A * x)",
    ],
)
def test_what_is_put_back_is_never_another_value(body):
    x = torch.tensor(1.0, requires_grad=True)
    f = programs.executed(source_of(HEAD, body))["f"]
    report = viz.trace_nan(f, x).report
    if report.repair.after is not None:
        assert float(np.asarray(report.repair.after.value)) == pytest.approx(float(f(x).detach()), rel=1e-5)


def test_the_head_names_what_is_not_finite_and_what_is():
    f = programs.executed(source_of(HEAD, "return torch.sqrt(x).sum() * 0.0"))["f"]
    report = viz.trace_nan(f, torch.tensor([0.0], requires_grad=True)).report
    assert str(report).startswith("nan in the gradient of x; the value is finite.\n")
    f = programs.executed(source_of(HEAD, "return (1 / F.embedding(torch.tensor([0]), x).norm(dim=-1)).sum()"))["f"]
    report = viz.trace_nan(f, torch.tensor([[0.0, 0.0]], requires_grad=True)).report
    assert str(report).startswith("nan in the gradient of x; the value is inf.\n")


def test_a_path_along_a_constant_is_not_a_path_of_the_program():
    body = "t = torch.tensor([2.0, 3.0])\nreturn (x[0] - t[0]) / ((x - t) ** 2).sum()"
    f = programs.executed(source_of(HEAD, body))["f"]
    said = str(viz.trace_nan(f, torch.tensor([2.0, 3.0], requires_grad=True)).report)
    for path in re.findall(r"for (\S+) [<>]", said):
        assert path.startswith("x["), said


def test_the_gradient_that_lost_its_digits_is_that_of_the_framework():
    f = programs.executed(source_of(HEAD, "return torch.log1p(-torch.tanh(x))"))["f"]
    x = torch.tensor(9.0, requires_grad=True)
    (gradient,) = torch.autograd.grad(f(x), x)
    assert float(gradient) == pytest.approx(-2.0, rel=1e-6)  # 1 - y**2 and 1 - y are rounded alike
    assert str(viz.trace_nan(f, x).report) == "every value and every gradient is finite"


@pytest.mark.parametrize("body", ["return (x - jnp.median(T)).sum()", "return jnp.median(x * T)",
                                  "return jnp.sum(x * jnp.quantile(T, 0.5))"])  # fmt: skip
def test_the_nan_of_a_median_is_that_of_the_data(body):
    jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed")
    report = viz.trace_nan(programs.executed(source_of(JAX_HEAD, body))["f"], jnp.array([1.0, 2.0])).report
    assert report.sentence == "the input T is nan from the start", report
    assert "T is nan at (0,), 1 of 2 elements" in report.repair.words


def test_a_nan_that_is_written_as_a_number_is_not_asked_whether_it_is_nan():
    body = "out = x * float('nan')\nreturn torch.where(x > 5, out, x).sum()"
    f = programs.executed(source_of(HEAD, body))["f"]
    report = viz.trace_nan(f, torch.tensor([1.0, 2.0], requires_grad=True)).report
    assert report and "isnan" not in str(report)


def test_memory_that_is_written_later_is_no_origin():
    def f(x):
        room = x.new_empty(3)
        room.fill_(NAN)  # what memory may hold
        room = torch.empty_like(x).copy_(x * 1)
        return torch.log(room * 0).sum() * 0

    assert viz.trace_nan(f, torch.ones(3, requires_grad=True)).report.op in ("multiply", "log")
