"""Why PyTorch's built-in functions return nan: the reason is given only if the nan has that origin."""

import numpy as np
import pytest

import viz
from minigrad.bridges import program_of
from minigrad.diagnostics.nan import nan_report
from minigrad.tracing.recorder import backward_trace

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F = torch.nn.functional
NAN, INF = float("nan"), float("inf")


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def floats(*shape, fill=None):
    return (torch.randn(*shape) if fill is None else torch.full(shape, fill)).requires_grad_()


def report_of(f, *args):
    return viz.trace_nan(f, *args).report


CLASSES = torch.tensor([0, 1, 2, 1])
REASONS = {
    "counts too large": (
        lambda z: F.poisson_nll_loss(z * 1000, torch.ones(4)),
        floats(4, fill=1.0),
        ("overflow", "it computes exp of its input, up to 1000, and exp is inf above 88.72", "the expected count"),
    ),
    "ignored": (
        lambda z: F.cross_entropy(z, torch.full((4,), -100)),
        floats(4, 3),
        ("0 / 0", "all 4 targets are -100, which is ignored", "!= -100).sum().clamp(min=1))"),
    ),
    "ignored by another number": (
        lambda z: F.nll_loss(F.log_softmax(z, 1), torch.full((4,), 2), ignore_index=2),
        floats(4, 3),
        ("0 / 0", "all 4 targets are 2, which is ignored", "!= 2).sum().clamp(min=1))"),
    ),
    "weights of 0": (
        lambda z: F.cross_entropy(z, torch.zeros(4, dtype=torch.long), weight=torch.tensor([0.0, 1.0, 1.0])),
        floats(4, 3),
        ("0 / 0", "the weights of the classes of all 4 targets that count are 0", "Give these classes a weight"),
    ),
    "layer norm of constant rows": (
        lambda x: F.layer_norm(x, (4,), eps=0.0).sum(),
        floats(3, 4, fill=2.0),
        ("0 / 0", "3 of 3 rows are constant, so their variance is 0, and eps is 0", "Give a positive eps"),
    ),
    "group norm of constant rows": (
        lambda x: F.group_norm(x, 2, eps=0.0).sum(),
        floats(3, 4, fill=2.0),
        ("0 / 0", "6 of 6 rows are constant", "Give a positive eps"),
    ),
    "the square of a large element": (
        lambda x: F.layer_norm(x * torch.tensor([3e24, 0.0, 0.0, 0.0]), (4,)).pow(2).sum(),
        floats(1, 4, fill=1.0),
        ("overflow", "an element is 2.25e+24 away from the mean of its row", ""),
    ),
    "a target of kl_div below 0": (
        lambda x: F.kl_div(F.log_softmax(x, -1), torch.tensor([-0.25, 1.25]), reduction="sum"),
        floats(2),
        ("domain", "its target is below 0 at 1 of 2 elements", "Give it probabilities"),
    ),
    "a probability of 0 in kl_div": (
        lambda x: F.kl_div(torch.log(x), torch.tensor([[0.0, 1.0]]), reduction="batchmean"),
        torch.tensor([[0.0, 1.0]], requires_grad=True),
        ("0 * inf", "the target is 0 and the input inf or -inf at 1 of 2 elements", "Give it log_softmax of scores"),
    ),
    "a dropout of all": (
        lambda x: 1 / F.dropout(x, 1.0).mean(),
        floats(2, fill=3.0),
        ("0 * inf", "its p is 1, so that it drops all elements", "Give a p below 1"),
    ),
    "normalize without eps": (
        lambda x: F.normalize(x, dim=1, eps=0.0).sum(),
        torch.tensor([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]], requires_grad=True),
        ("0 / 0", "2 of its vectors have the length 0, and eps is 0", "Leave out eps=0"),
    ),
    "a cosine without eps": (
        lambda x: F.cosine_similarity(x, torch.ones(2, 2), eps=0.0).sum(),
        torch.tensor([[0.0, 0.0], [1.0, 2.0]], requires_grad=True),
        ("0 / 0", "1 of its vectors has the length 0, and eps is 0", "Leave out eps=0"),
    ),
    "soft labels with nan": (
        lambda x: F.cross_entropy(x, torch.tensor([[NAN, 1.0, 0.0], [0.0, 0.5, 0.5]])),
        floats(2, 3),
        ("data", "1 of 6 elements of an argument is nan", "Leave these elements out"),
    ),
    "a target that is too long": (
        lambda z: F.ctc_loss(F.log_softmax(z, -1), torch.tensor([[1, 1, 2]]), torch.tensor([3]), torch.tensor([3])),
        floats(3, 1, 4),
        ("domain", "target 0 needs 4 steps, 3 and one between each of 1 pairs of equal", "zero_infinity=True"),
    ),
    "the deviation of one": (
        lambda x: x.std(),
        floats(1),
        ("0 / 0", "it has only 1 element and divides by 1 - 1 = 0", "Give it at least 2 elements; with correction=0"),
    ),
    "the deviation of a batch of one": (
        lambda x: x.std(0).sum(),
        floats(1, 3),
        ("0 / 0", "it has only 1 element and divides by 1 - 1 = 0", "Give it at least 2 elements; with correction=0"),
    ),
    "targets in one row": (
        lambda z: F.ctc_loss(F.log_softmax(z, -1), torch.tensor([1, 1, 2]), torch.tensor([3]), torch.tensor([3])),
        floats(3, 1, 4),
        ("domain", "target 0 needs 4 steps", "zero_infinity=True"),
    ),
    "dropout of inf": (
        lambda x: F.dropout(x * 1e38 * 10, 0.5).sum(),
        floats(50, fill=1.0),
        ("0 * inf", "it multiplies an element that is inf by 0", ""),
    ),
}


@pytest.mark.parametrize("name", REASONS)
def test_the_reason_is_told_with_its_numbers_and_what_to_write(name):
    f, x, (kind, text, write) = REASONS[name]
    report = report_of(f, x)
    assert (report.kind, text in report.sentence, write in str(report)) == (kind, True, True)


OTHERS = {
    "scores that are nan": (lambda z: F.cross_entropy(z * NAN, CLASSES), floats(4, 3)),
    "a score that is inf": (lambda z: F.cross_entropy(z + torch.tensor([INF, 0.0, 0.0]), CLASSES), floats(4, 3)),
    "a sum that counts none": (lambda z: F.cross_entropy(z * NAN, CLASSES, reduction="sum"), floats(4, 3)),
    "a row that is nan": (lambda x: F.layer_norm(x * NAN, (4,), eps=0.0).sum(), floats(3, 4, fill=2.0)),
    "an eps that is not 0": (lambda x: torch.sqrt(F.layer_norm(x, (4,)) - 9).sum(), floats(3, 4, fill=2.0)),
    "a deviation of nan": (lambda x: (x * NAN).std(), floats(4)),
    "the deviation of several": (lambda x: (x.std(1) * NAN).sum(), floats(1, 3)),
    "a target that fits": (
        lambda z: NAN * F.ctc_loss(F.log_softmax(z, -1), torch.tensor([[1, 2]]), torch.tensor([3]), torch.tensor([2])),
        floats(3, 1, 4),
    ),
    "normalize without eps of other rows": (lambda x: F.normalize(x, dim=1, eps=0.0).sum() * NAN, floats(3, 4)),
    "dropout that is off": (lambda x: (F.dropout(x, 1.0, training=False) * NAN).sum(), floats(3)),
    "kl_div of nan": (lambda x: F.kl_div(x * NAN, torch.tensor([-1.0, 0.0]), reduction="sum"), floats(2)),
    "scores without a key, then dropout that is off": (
        lambda x: F.dropout(torch.softmax(x - INF, 1), 0.5, training=False).sum(),
        floats(2, 3),
    ),
    "dropout of nan": (lambda x: F.dropout(x * NAN, 0.5).sum(), floats(50)),
}


@pytest.mark.parametrize("name", OTHERS)
def test_no_reason_is_told_of_a_nan_that_has_another_origin(name):
    told = str(report_of(*OTHERS[name]))
    for text in (
        "targets are",
        "rows are constant",
        "it has only 1 element",
        "by 0",
        "steps",
        "weights of the classes",
        "of its vectors",
        "its p is 1",
        "its target is below 0",
        "elements of an argument",
    ):
        assert text not in told


def test_what_the_report_says_to_write_is_finite_and_the_mean_of_those_that_count():
    z, some, none = floats(4, 3), torch.tensor([0, -100, 2, 1]), torch.full((4,), -100)
    write = lambda t: F.cross_entropy(z, t, reduction="sum") / (t != -100).sum().clamp(min=1)
    assert torch.allclose(write(some), F.cross_entropy(z, some)) and float(write(none)) == 0.0
    (slope,) = torch.autograd.grad(write(none), z)
    assert not slope.any()


def test_a_masked_row_of_attention_that_pytorch_computes_as_0_is_no_nan():
    mask = torch.zeros(3, 3)
    mask[1] = -INF
    q = floats(1, 3, 4)
    f = lambda q: F.scaled_dot_product_attention(q, q, q, attn_mask=mask[None]).sum()
    (slope,) = torch.autograd.grad(f(q), q)
    assert np.isfinite(slope.numpy()).all() and not report_of(f, q)


def test_a_weight_that_float16_does_not_hold_under_autocast():
    layer = torch.nn.Linear(2, 2)
    with torch.no_grad():
        layer.weight[:] = torch.tensor([[1e6, -1e6], [1.0, 1.0]])

    def loss():
        with torch.autocast("cpu", torch.float16):
            return layer(torch.ones(1, 2)).float().sum()

    said = str(viz.trace_nan(loss).report)
    assert "autocast computes it in float16, where 2 of 4 elements of an argument are inf: up to 1e+06" in said
    with torch.no_grad():
        layer.weight[:] = 6e4  # float16 can hold these, but not their sum
    assert "of an argument" not in str(viz.trace_nan(loss).report)


@pytest.mark.parametrize("hidden", [0, 1, 2])
def test_the_rows_of_scores_that_are_all_hidden_are_counted(hidden):
    x, mask = torch.ones(3, 2, requires_grad=True), torch.zeros(3, 2)
    mask[:hidden] = -torch.inf
    report = viz.trace_nan(lambda: torch.softmax(x + mask, dim=-1).square().sum()).report
    assert bool(report) == (hidden > 0) and ("all scores are -inf" in str(report)) == (hidden > 0)
    assert not hidden or f"all scores are -inf in {hidden} of 3 rows" in report.sentence


def test_a_row_that_holds_inf_is_told_where_it_is_standardised():
    x = torch.ones(3, 2, requires_grad=True)
    scale = torch.tensor([[1.0], [3e38], [1.0]])
    report = viz.trace_nan(lambda: torch.nn.functional.layer_norm(x * scale * 10, (2,)).sum()).report
    assert report.kind == "inf - inf" and "1 of 3 rows hold inf or -inf" in report.sentence


def test_a_norm_whose_result_is_finite_and_whose_slope_is_not():
    """The variance overflows, so the result is 0, and the gradient is 0 · inf."""
    x = torch.tensor([[1e30, -1e30]], requires_grad=True)
    report = viz.trace_nan(lambda: torch.nn.functional.layer_norm(x, (2,)).square().sum()).report
    assert not report or "the square of that is above 3.4e+38" in report.sentence


def test_a_finite_slope_is_not_called_nan():
    x, w = floats(2, 4), floats(6, 4)
    program = program_of(lambda: (F.linear(x * 1e20, w, torch.zeros(6)) ** 2).sum(), (), {}, "viz.trace_nan")
    report = nan_report(backward_trace(program.y, program.inputs))
    assert report.kind == "overflow" and "slope" not in report.sentence
    assert "some products are too large for float32" in report.sentence
