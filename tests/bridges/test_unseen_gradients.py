"""Gradients that PyTorch computes differently from the visible functions: hooks, views, unrecorded values."""

import numpy as np
import pytest

import viz
from minigrad.bridges import program_of
from minigrad.bridges.rebuilt_program import ForeignProgram

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F, NAN, INF = torch.nn.functional, float("nan"), float("inf")


def report_of(f, *args):
    return viz.trace_nan(f, *args).report


def floats(*shape):
    return torch.linspace(-1.0, 1.0, int(np.prod(shape))).reshape(shape).requires_grad_()


def test_a_hook_that_returns_nan_is_the_cause_and_no_wider_dtype_helps():
    def loss(x):
        h = x * 2
        h.register_hook(lambda g: g * INF)
        return (h * 0).sum()

    report = report_of(loss, floats(3))
    assert (report.kind, report.op) == ("custom rule", "register_hook")
    assert not report.repair and "float64" not in str(report)


def test_hooks_of_weights_are_part_of_the_program():
    net, x = torch.nn.Linear(3, 1), floats(2, 3)
    net.weight.register_hook(lambda g: g.clamp(-0.1, 0.1))
    assert report_of(lambda: net(x).sum()).sentence == "every value and every gradient is finite"
    net.weight.register_hook(lambda g: g / 0)
    net(x).sum().backward()
    assert not net.weight.grad.isfinite().any()
    report = report_of(lambda: net(x).sum())
    assert (report.op, report.reaches) == ("register_hook", ("weight",))


def test_a_gradient_of_an_input_that_the_function_makes_counts():
    net = torch.nn.Linear(3, 1)
    net.register_full_backward_hook(lambda module, into, out: (into[0] * NAN,))
    report = report_of(lambda: net(floats(2, 3)).sum())
    assert report.kind == "custom rule" and "BackwardHookFunction" in report.sentence
    assert "the slope" not in report.sentence


def test_what_torch_func_computes_is_not_called_an_input():
    report = report_of(lambda w: torch.func.jacrev(lambda w: torch.sqrt(w * 0))(w).sum(), floats(3))
    assert report.kind == "not recorded" and "from the start" not in str(report) and "fill it in" not in str(report)


def test_tensors_without_numbers_end_in_no_traceback():
    def along(w):
        value, slope = torch.func.jvp(lambda w: w.exp(), (w,), (torch.ones(3),))
        return (value + slope).sum()

    def inference(w):
        with torch.inference_mode():
            c = torch.ones(3)
        return (w * c.clone()).log().sum()

    padded = lambda w: torch.nested.to_padded_tensor(torch.nested.as_nested_tensor([w, w[:2]]), 0.0).exp().sum()
    lazy = lambda w: torch.nn.LazyLinear(2)(w[None]).sum()
    for f in (along, padded, lazy):
        assert not report_of(f, floats(3)), f
    assert report_of(inference, floats(3)).op == "log"


def test_a_checkpoint_that_cannot_be_derived_is_refused_in_words():
    from torch.utils.checkpoint import checkpoint

    loss = lambda w: checkpoint(lambda h: torch.sqrt(h * 0).sum(), w, use_reentrant=True)
    with pytest.raises(TypeError, match=r"PyTorch cannot differentiate this program: .*use_reentrant=False"):
        report_of(loss, floats(3))


def test_a_part_that_is_masked_in_place_has_the_gradient_of_its_time():
    """As Longformer and LED mask the corners of their windows."""

    def loss(w):
        scores = (w @ w.T).clone()
        corner = scores[:2, :2]
        scores[:2, :2] = torch.full_like(corner, -INF).where(torch.eye(2).bool(), corner)
        return torch.sqrt(scores.softmax(-1).sum() * 0)

    report = report_of(loss, floats(3, 3))
    assert "differently" not in str(report) and "sqrt" in (report.op, report.repair.op)


def test_an_argument_that_is_returned_under_no_grad_keeps_its_gradient():
    def loss(w):
        h = w * 2
        with torch.no_grad():
            h.contiguous()
        return torch.sqrt((h * 0).sum())

    report = report_of(loss, floats(3))
    assert "differently" not in str(report) and report.reaches == ("w",)


@pytest.mark.parametrize(("upstream", "same"), [(1e-12, True), (0.5, False)])
def test_the_sign_of_an_infinite_slope_times_a_rounding_error_is_no_difference(upstream, same):
    program = program_of(lambda x: (torch.sqrt(x * 0) * torch.tensor([1.0, upstream])).sum(), (floats(2),), {}, "")
    assert not program.differing()
    own = program.adjoints
    program.adjoints = lambda keys: [g if np.isfinite(g).all() else g * [1, -1] for g in own(keys)]
    assert bool(program.differing()) is not same


def test_a_large_program_has_its_cause_and_its_advice():
    rows = torch.zeros(1001, 1001)
    net = torch.nn.Linear(1, 1, bias=False)
    loss = lambda: (net.weight * rows.softmax(0)).sum()
    rows[:, 3] = -INF
    assert "all scores are -inf in 1 of 1001 rows" in str(report_of(loss))
    assert "leave each row a score" in str(report_of(loss)).lower()
    assert "more than 1,000,000 numbers" in str(report_of(loss))
    rows[:, 3] = 0
    with torch.no_grad():
        net.weight.fill_(NAN)
    assert "the weights weight hold 1 number" in str(report_of(loss))


def test_a_slope_that_only_pytorch_knows_is_not_called_nan(monkeypatch):
    """The slope of sqrt at 0 is inf, even if the call is left to PyTorch."""
    monkeypatch.setattr(ForeignProgram, "suspects", lambda self: {1})
    report = report_of(lambda x: (torch.sqrt(x * 1) * torch.tensor([0.0, 1.0])).sum(), torch.tensor([0.0, 4.0]))
    assert report.kind == "0 * inf" and "the slope is nan" not in str(report)


def test_rows_of_0_are_the_reason_of_a_root_mean_square_norm():
    x = torch.tensor([[0.0, 0.0], [1.0, 2.0]], requires_grad=True)
    report = report_of(lambda x: F.rms_norm(x, (2,), eps=0.0).sum(), x)
    assert report.kind == "0 / 0" and "1 of 2 rows are 0" in report.sentence
    assert not report_of(lambda x: F.rms_norm(x, (2,), eps=1e-6).sum(), x)


@pytest.mark.parametrize("multiply", [F.linear, lambda x, w: x @ w.T, lambda x, w: torch.bmm(x[None], w.T[None])])
def test_sums_of_products_that_leave_the_range_are_told_as_overflow(multiply):
    w = torch.tensor([[3e38, 3e38, -3e38, -3e38]] * 4)
    x = torch.full((2, 4), 3.0, requires_grad=True)
    assert torch.isfinite(multiply(x.double(), w.double())).all() and multiply(x, w).isnan().any()
    report = report_of(lambda x: multiply(x, w).sum(), x)
    most = float((x.double().abs() @ w.double().abs().T).max())
    assert report.kind == "overflow" and f"add up to {most:.4g}" in report.sentence


def test_a_matrix_equation_of_jax_has_a_name():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    from minigrad.bridges.jax_equations import rule_name

    one = jax.make_jaxpr(lambda a: jax.scipy.sparse.linalg.cg(lambda x: x * a, a)[0])(np.ones(3, np.float32))
    names = {rule_name(eqn) for eqn in _equations(one.jaxpr)} - {""}
    assert "linear_solve" in names


def _equations(jaxpr):
    for eqn in jaxpr.eqns:
        yield eqn
        for inner in eqn.params.values():
            if hasattr(getattr(inner, "jaxpr", None), "eqns"):
                yield from _equations(inner.jaxpr)


@pytest.mark.parametrize("draw", [torch.randn_like, lambda x: torch.randn(3), torch.nn.functional.dropout])
def test_a_finite_run_of_a_program_that_draws_random_numbers_says_how_to_see_the_run_that_failed(draw):
    x = floats(3)
    said = report_of(lambda x: (x * draw(x)).sum(), x).sentence
    assert said.startswith("every value and every gradient is finite in this run. The program draws random numbers")
    assert "viz.watch(net)" in said and "torch.manual_seed(0)" in said

    def seeded(x):
        torch.manual_seed(0)
        return (x * draw(x)).sum()

    torch.manual_seed(0)
    torch.rand(1)  # the generator is not where the function puts it
    assert report_of(seeded, x).sentence == "every value and every gradient is finite"


def test_noise_in_the_shape_of_a_layer_does_not_depend_on_it_and_a_repair_is_found():
    mean, deviation = (torch.nn.Linear(3, 2) for _ in range(2))
    x, target = torch.tensor([[60.0, -60.0, 9.0], [-60.0, 0.0, 3.0]]), torch.tensor([[0.0, 1.0], [1.0, 0.0]])

    def loss():
        torch.manual_seed(7)
        mu, scale = mean(x), deviation(x)
        p = torch.sigmoid(mu + torch.randn_like(mu) * torch.exp(0.1 * scale))
        return -(target * torch.log(p) + (1 - target) * torch.log(1 - p)).sum()

    with torch.no_grad():
        for layer in (mean, deviation):
            torch.nn.init.constant_(layer.weight, 0.5)
            torch.nn.init.zeros_(layer.bias)
        mean.weight[0] = torch.tensor([1.0, 0.0, 0.0])
    report = report_of(loss)
    assert not np.isfinite(loss().item())
    assert "binary_cross_entropy_with_logits" in str(report.repair), report
    assert "randn_like" not in {node.op for node in report.trace.nodes}
