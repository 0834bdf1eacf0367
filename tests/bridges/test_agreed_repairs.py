"""Repairs that public threads agree on, written in PyTorch's names: each is run here, beside a formula of its own."""

from types import SimpleNamespace

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")

TEXT = """import torch
import torch.nn.functional as F

T = torch.tensor([1.0, 0.0, 1.0])
KEEP = torch.tensor([1.0, 0.0, 1.0])
HIDDEN = torch.tensor([[False, True], [True, True]])
IGNORED = torch.tensor([-100, -100, -100])
LONG = torch.tensor([[1, 1, 1], [1, 2, 3]])
STEPS, LENGTHS = torch.tensor([4, 4]), torch.tensor([3, 3])


def hidden_row(z):
    p = torch.softmax(z.masked_fill(HIDDEN, float("-inf")), -1)
    return (p * z).sum()


def multiplied_mask(z):
    m = (1 - KEEP) * float("-inf")
    return torch.softmax(z + m, -1)[0]


def focal(z):
    p = torch.sigmoid(z)
    pt = torch.where(T == 1, p, 1 - p)
    return -((1 - pt) ** 0.5 * torch.log(pt)).mean()


def certain(z):
    p = torch.softmax(z, -1)
    return -(torch.log(1 - p) * T).sum()


def distortion(s):
    r = torch.zeros(4)
    a = (s * r).sum() / (r**2).sum()
    e = a * r - s
    return -10 * torch.log10(((a * r) ** 2).sum() / (e**2).sum())


def ignored(z):
    return 3 + F.cross_entropy(z, IGNORED)


def ignored_by_keyword(z):
    return 3 + 2 * F.nll_loss(z, target=IGNORED + 107, ignore_index=7, reduction="mean")


def halves(z):
    p = torch.sigmoid(z)
    return -(T * torch.log(p) + (1 - T) * torch.log(1 - p)).mean()


def halves_in_turn(z):
    p = torch.sigmoid(z)
    return (-T * torch.log(p) - (1 - T) * torch.log(1 - p)).sum()


def far_apart(z):
    w = (z[:, None] - z[None]).pow(2).sum(-1).sqrt()
    return w.mean()


def too_long(z):
    return F.ctc_loss(torch.log_softmax(z, -1), LONG, STEPS, LENGTHS, reduction="sum")

"""


@pytest.fixture(scope="module")
def functions():
    return programs.executed(TEXT)


def at(*numbers):
    return torch.tensor([*numbers], requires_grad=True)


def edited(report):
    """The functions of the text, edited with the offered lines."""
    return programs.executed("\n".join(offered(report)))


def offered(report):
    lines = TEXT.split("\n")
    for _, no, old, new in report.repair.lines:
        assert lines[no - 1].strip() == old
        indent = lines[no - 1][: len(lines[no - 1]) - len(lines[no - 1].lstrip())]
        lines[no - 1] = "\n".join(indent + line for line in new.split("\n"))
    return lines


def results(f, x):
    x = x.detach().clone().requires_grad_()
    y = f(x)
    y.backward()
    return float(y.detach()), x.grad.numpy()


def softplus(z):
    return np.logaddexp(0, z)


CASES = {
    "hidden_row": (at([1.0, 2.0], [3.0, 4.0]), "softmax", "is the same in each row that has a score above -1e+09",
                   (1 + 3.5, [[1.0, 0.0], [0.5, 0.5]])),
    "multiplied_mask": (at(1.0, 2.0, 3.0), "multiply", "is the same where the mask is 1",
                        (1 / (1 + np.exp(2)), np.exp(2) / (1 + np.exp(2)) ** 2 * np.array([1, 0, -1]))),
    "focal": (at(-200.0, -1.0, 2.0), "log", "", None),
    "certain": (at(200.0, 0.0, 0.0), "log", "is the same where the argument of log is above 1e-07",
                (-np.log(np.float32(1e-7)), np.zeros(3))),
    "distortion": (at(1.0, 2.0, 3.0, 4.0), "divide", "signal-to-distortion ratios", (80.0, np.zeros(4))),
}  # fmt: skip


@pytest.mark.parametrize(("name", "counts"), [("ignored", 2), ("ignored_by_keyword", -102)])
def test_targets_that_are_all_ignored_count_0_and_others_as_before(name, counts, functions):
    x = torch.randn(3, 8, requires_grad=True)
    report = mg.find_nan(functions[name], x)
    assert report.repair.grade == "convention" and report.repair.after.value == 3
    value, gradient = results(edited(report)[name], x)
    assert value == 3 and not gradient.any()
    own, new = (text.replace("[-100, -100,", f"[-100, {counts},") for text in (TEXT, "\n".join(offered(report))))
    (v, g), (w, h) = (results(programs.executed(text)[name], x) for text in (own, new))
    assert np.isfinite(v) and np.isclose(v, w) and np.allclose(g, h) and g.any()


def test_a_target_that_does_not_fit_its_input_counts_0(functions):
    x = torch.randn(4, 2, 5, requires_grad=True)
    report = mg.find_nan(functions["too_long"], x)
    assert "zero_infinity=True" in report.repair.lines[0][3] and "needs 5 steps" in report.sentence
    value, gradient = results(edited(report)["too_long"], x)
    y = torch.log_softmax(x.detach()[:, 1:], -1)
    alone = torch.nn.functional.ctc_loss(y, torch.tensor([[1, 2, 3]]), (4,), (3,), reduction="sum")
    assert np.isclose(value, float(alone)) and not gradient[:, 0].any() and gradient[:, 1].any()


def test_a_call_in_a_module_or_of_a_weighted_class_is_told_in_words_only():
    x, target = torch.randn(3, 4, requires_grad=True), torch.tensor([-100, -100, -100])
    for loss in (torch.nn.CrossEntropyLoss(), torch.nn.CrossEntropyLoss(weight=torch.tensor([1.0, 0.0, 1.0, 1.0]))):
        report = mg.find_nan(lambda x, loss=loss: loss(x, target), x)
        assert report.kind == "0 / 0" and not report.repair.rewrites and "kip this batch" in str(report)


@pytest.mark.parametrize("name", CASES)
def test_the_line_gives_what_the_formula_gives(name, functions):
    x, op, words, expected = CASES[name]
    report = mg.find_nan(functions[name], x)
    assert report.repair.op == op and words in report.repair.changes and report.repair.lines, str(report)
    value, gradient = results(edited(report)[name], x)
    if name == "focal":  # log(pt) is -softplus(-+x)
        z = np.array([-200.0, 1.0, 2.0])
        p = 1 / (1 + np.exp(-z))
        expected = np.mean((1 - p) ** 0.5 * softplus(-z)), None
        assert report.repair.grade == "same"
    assert np.isclose(value, expected[0], rtol=1e-5) and np.isfinite(gradient).all()
    assert expected[1] is None or np.allclose(gradient, expected[1], atol=1e-6)


def test_a_row_that_overflowed_is_not_hidden_by_a_mask():
    z = torch.full((2, 3), -300.0).half().requires_grad_()
    report = mg.find_nan(lambda z: torch.softmax(z * 300, -1)[0, 0], z)
    assert not report.repair.rewrites and "In float32 everything is finite" in str(report)


def test_a_bound_that_is_infinite_is_no_fault():
    x = at(2.0, 3.0)
    for f in (
        lambda x: torch.clamp(x, 0, float("inf")).sum(),
        lambda x: torch.minimum(x, torch.tensor(torch.inf)).sum(),
    ):
        assert not mg.find_nan(f, x)
    assert mg.find_nan(lambda x: (x * torch.tensor(torch.inf)).sum(), x)


def test_a_number_that_only_pytorch_computes_is_named_where_it_leaves_float16():
    weight = torch.full((1, 1, 1, 1), 300.0).half()
    x = torch.full((1, 1, 2, 2), 300.0).half().requires_grad_()
    report = mg.find_nan(lambda x: (torch.nn.functional.conv2d(x, weight) * 0).sum(), x)
    assert "conv2d computes 90,000, which is above 65,504, the largest float16" in report.first
    assert "Run this layer in bfloat16 or float32" in str(report)


@pytest.mark.parametrize("training", [True, False])
def test_buffers_are_put_back_unseen_by_autograd(training):
    net = torch.nn.BatchNorm1d(3).train(training)
    net.register_buffer("ids", torch.arange(2))
    table = torch.nn.Embedding(2, 3)
    before = net.running_mean.clone()

    def loss(x):
        y = net(table(net.ids) + x)
        return torch.special.entr(torch.sigmoid(y)).sum() + torch.linalg.cond(torch.eye(2) * y[:1, :2].abs().sum())

    assert not mg.find_nan(loss, torch.randn(2, 3))
    assert training or torch.equal(net.running_mean, before)


@pytest.mark.parametrize("name, written", [("halves", ""), ("halves_in_turn", ', reduction="sum"')])
def test_both_halves_of_a_cross_entropy_are_one_call(functions, name, written):
    for x in (at(-200.0, 0.5, 3.0), at(1.0, 200.0, -0.5)):
        repair = viz.trace_nan(functions[name], x).report.repair
        assert repair.grade == "same" and "F.binary_cross_entropy_with_logits(z, T" in repair.lines[0][3]
        value, gradient = results(edited(SimpleNamespace(repair=repair))[name], x)
        z, t = x.detach().double().numpy(), np.array([1.0, 0.0, 1.0])
        many = 1 if written else 3
        np.testing.assert_allclose(value, (np.logaddexp(0, z) - t * z).sum() / many, rtol=1e-6)
        np.testing.assert_allclose(gradient, (1 / (1 + np.exp(-z)) - t) / many, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("t", [torch.tensor([[1.0], [0.0], [1.0]]), torch.tensor([1, 0, 1])], ids=["shape", "dtype"])
def test_labels_that_the_one_call_rejects_keep_the_sum(t):
    """PyTorch's function takes labels of the shape and the dtype of the logits alone."""
    text = TEXT.replace("T = torch.tensor([1.0, 0.0, 1.0])", f"T = torch.{t!r}")
    repair = viz.trace_nan(programs.executed(text)["halves"], at(-200.0, 0.5, 200.0)).report.repair
    assert repair and "with_logits" not in str(repair)


def test_the_distances_of_the_rows_of_a_layer_keep_their_repair_where_the_gradients_of_its_bias_cancel(functions):
    """The gradient of the bias is 0 except for rounding, which differs from framework to framework."""
    torch.manual_seed(0)
    layer, x = torch.nn.Linear(10, 8), torch.randn(6, 10)
    repair = viz.trace_nan(lambda: functions["far_apart"](layer(x))).report.repair
    assert repair and repair.lines[0][3] == "w = torch.linalg.vector_norm(z[:, None] - z[None], dim=-1)"
    bias = repair.after.gradients[1]
    assert np.abs(bias).max() < 1e-6, "it cancels"
