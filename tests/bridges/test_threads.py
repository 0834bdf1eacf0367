"""Programs of public threads and common losses: the op that is named, and the numbers of the offered line when run."""

from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.edits import edited
from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")
TEXT = Path(__file__).with_name("thread_programs.py").read_text(encoding="utf-8")

#: By function: its input, the ops that may be blamed, and the grade of the repair.
PROGRAMS = {
    "triangle": ([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]], "sqrt", "same"),
    "arcface": ([0.5, 0.95], "sqrt", ""),
    "grad_norm": ([[0.0] * 3] * 2, "sqrt", "same"),
    "percep": ([0.5, 0.0, 0.0], "sqrt", ""),
    "gem": ([[[-1.0, -2.0, -1.0, 0.5]]], "power", "convention"),
    "color": ([0.5, 0.5, 0.5], "power", "limit"),
    "rmse": ([0.3, 0.4], "sqrt", ""),
    "pow_pow": ([1.0, 0.5], "", ""),
    "se3": ([0.0, 0.0, 0.0], "sqrt divide", ""),
    "quat": ([1.0, 0.0, 0.0, 0.0], "sqrt divide", "same"),
    "pmsqe": ([[0.0, 0.0], [1.0, 2.0]], "power", "same"),
    "acos_eig": ([1.0, 0.0], "arccos", "limit"),
    "geodesic": ([[1.0001, 0, 0], [0, 1.0001, 0], [0, 0, 1.0001]], "arccos", ""),
    "sac": ([0.2, 2.0], "log", ""),
    "atanh_action": ([0.5, 20.0], "arctanh", "same"),
    "atanh_by_log1p": ([0.5, 20.0], "log1p", ""),
    "mdn": ([0.1, 0.2, 5.0], "log", ""),
    "log_tanh": ([-0.5, 0.5], "log", ""),
    "exp_ce": ([[-50.0, 50.0]], "exp", "wider"),
    "eos": ([30.0, 0.0, 1.0], "log", "convention"),
    "margin_sign": ([0.0, 1.0], "divide", ""),
    "sisdr": ([0.1, 0.2, 0.3, 0.4], "divide", "convention"),
    "std0": ([[1.0, 1.0]] * 4, "", ""),
    "entropy_logits": ([0.1, 0.2], "multiply", "convention"),
    "entropy_nan_to_num": ([0.1, 0.2], "multiply", "convention"),
    "lae": (2.0, "logaddexp", ""),
    "mdn_exp": ([0.1, -95.0], "divide", "convention"),
    "vgae": ([0.1, 60.0], "power", "convention"),
    "multi": ([-100.0, -100.0], "exp", "convention"),
    "logistic_prior": ([100.0, 1.0], "exp", "same"),
    "cosine0": ([0.0, 0.0], "divide", "convention"),
    "focal": ([-200.0, 1.0], "log", "same"),
    "dice": ([-1.0, -2.0, -3.0], "divide", "convention"),
    "batch_hard": ([[1.0, 2.0], [3.0, 1.0]], "sqrt", "limit"),
    "gumbel": ([0.1, 0.2, 0.3], "", ""),
    "poincare": ([0.1, 0.2], "arccosh", "limit"),
    "advantage": ([0.5], "std", ""),
    "attention": ([[0.1, 0.2]], "softmax", "convention"),
    "logit_p": ([0.0, 0.5], "logit", ""),
    "nerf": ([0.0, 0.0, 0.0], "divide", "convention"),
    "nerf_disp": ([0.0, 0.0], "divide", "convention"),
    "iou": ([1.0, 1.0, 1.0, 1.0], "divide", ""),
    "normal0": ([0.0], "divide log", ""),
    "f1": (0.0, "divide", "same"),
    "contrast": ([0.5, 0.5], "sqrt", ""),
}
#: Slopes that are known from the formula.
TRUE = {
    "logistic_prior": [1.0, np.tanh(0.5)],
    "atanh_action": [-0.5, -20.0],
    "quat": [0.0, 2.0, 2.0, 2.0],
    "f1": -2 / 3,
    "pmsqe": [[0.0, 0.0], [0.5 / 5**0.5, 1 / 5**0.5]],
}
FUNCTIONS = programs.executed(TEXT)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_op_is_right_and_the_offered_line_has_the_promised_numbers(name):
    value, ops, grade = PROGRAMS[name]
    x = torch.tensor(value, requires_grad=True)
    y = FUNCTIONS[name](x)
    (gradient,) = torch.autograd.grad(y, x)
    report = mg.find_nan(FUNCTIONS[name], x)
    assert bool(report) == bool(ops) == (not (y.isfinite() and gradient.isfinite().all())), report
    repair = report.repair
    assert not ops or {report.op, repair.op} & set(ops.split()), report
    assert repair.grade == grade, report
    assert not report.others and str(report).count("first appears") == bool(ops)
    assert "repair is known" not in str(report) or not repair.grade
    if repair.edits:
        y = programs.executed(edited(TEXT, repair.edits))[name](x)
        (gradient,) = torch.autograd.grad(y, x)
        np.testing.assert_allclose(y.detach().numpy(), repair.after.value, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(gradient.numpy(), repair.after.gradients[0], rtol=1e-4, atol=1e-6)
    if name in TRUE:
        np.testing.assert_allclose(repair.after.gradients[0], TRUE[name], rtol=1e-4)


def test_a_slope_that_is_nan_is_not_said_to_be_inf():
    report = mg.find_nan(FUNCTIONS["lae"], torch.tensor(2.0, requires_grad=True))
    assert "is not finite there" in report.sentence and "slope is inf" not in report.sentence


CALLS = {
    "linear": (lambda a, b: torch.nn.functional.linear(a, b), lambda a, b: (a, b), (12, 40), (9, 40)),
    "bmm": (lambda a, b: torch.bmm(a[None], b[None]), lambda a, b: (a, b.T), (12, 40), (40, 9)),
    "conv1d": (
        lambda a, b: torch.nn.functional.conv1d(a[None], b[:, None, :].expand(-1, 12, -1)),
        None, (12, 30), (5, 3),
    ),
}  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", CALLS)
def test_the_kind_of_a_nan_in_a_sum_of_products_is_the_one_of_a_count(name, seed):
    f, rows, *shapes = CALLS[name]
    rng = np.random.default_rng(seed)
    a, b = (rng.normal(size=shape) for shape in shapes)
    for array in (a, b):
        for _ in range(int(rng.integers(1, 4))):
            array[tuple(rng.integers(0, n) for n in array.shape)] = rng.choice([0.0, np.inf, -np.inf])
    ta, tb = (torch.tensor(v, requires_grad=True) for v in (a, b))
    report = mg.find_nan(lambda a, b: torch.tanh(f(a, b)).sum(), ta, tb)
    with np.errstate(all="ignore"):
        if rows is not None:
            left, right = rows(a, b)
            products = left[:, None, :] * right[None]
        else:
            windows = np.lib.stride_tricks.sliding_window_view(a, 3, axis=1)  # (12, 28, 3)
            products = (windows[None] * b[:, None, None]).transpose(0, 2, 1, 3).reshape(5, 28, 36)
        lost = np.isnan(products.sum(-1))
    assert lost.any() == ((report.phase, report.word) == ("forward", "nan")), report
    if lost.any():
        first = products[tuple(np.argwhere(lost)[0])]
        assert report.kind == ("0 * inf" if np.isnan(first).any() else "inf - inf"), report


def test_an_infinity_that_the_program_makes_is_a_constant_and_not_an_input():
    """A soft-DTW table begins with inf."""

    def table(d):
        r = torch.full((4, 4), float("inf"))
        r[0, 0] = 0.0
        for i in range(1, 3):
            for j in range(1, 3):
                low = torch.stack([r[i - 1, j - 1], r[i - 1, j], r[i, j - 1]])
                r[i, j] = d[i - 1, j - 1] - 0.01 * torch.logsumexp(-low / 0.01, 0)
        return r[2, 2]

    report = mg.find_nan(table, torch.rand(2, 2, requires_grad=True))
    assert "the input" not in str(report), report
