"""What a watched loop reports first when it diverges; and digits that a program of PyTorch or JAX loses."""

import pickle

import numpy as np
import pytest

import viz
from minigrad.bridges.divergence import LastSteps

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def trained(net, loss_of, rate, steps=300):
    """The error of a watched loop, and the norms of the weights and the losses, recorded independently."""
    norms, losses, optimizer = [], [], torch.optim.SGD(net.parameters(), lr=rate)
    with pytest.raises(viz.NanFound) as caught, viz.watch(net):
        for _ in range(steps):
            loss = loss_of()
            norms.append(sum(float(p.detach().double().pow(2).sum()) for p in net.parameters()) ** 0.5)
            losses.append(float(loss.detach()))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return caught.value, norms, losses


def listed(numbers):
    return ", ".join(f"{number:.3g}" for number in numbers)


def test_a_rate_that_is_too_high_is_told_first_with_the_numbers_of_the_last_steps():
    net, x, t = torch.nn.Linear(4, 1), torch.randn(32, 4) * 3, torch.randn(32, 1)
    error, norms, losses = trained(net, lambda: ((net(x) - t) ** 2).mean(), 1.0)
    last = error.step
    assert len(norms) == last + 1 > 6
    assert str(error).startswith(f"step {last}: the training diverges: ")
    assert f"before steps {last - 5} to {last} is {listed(norms[-6:])}, and grows" in error.growth
    assert f"the loss is {listed(losses[-6:])}; lower the learning rate" in error.growth
    ratio = max(b / a for a, b in zip(norms[-6:], norms[-5:]))
    assert f"grows by a factor of {ratio:.3g} in step " in error.growth


def test_weights_that_grow_from_near_0_while_the_loss_falls_are_no_divergence():
    net, x = torch.nn.Linear(3, 1), torch.randn(64, 3)
    t = x @ torch.tensor([[1.0], [2.0], [-1.0]])
    with torch.no_grad():
        for p in net.parameters():
            p.mul_(1e-3)
    steps = iter(range(99))
    loss = lambda: ((net(x) - t) ** 2).mean() + (0.0 if next(steps) < 4 else torch.sqrt(net.bias * 0 - 1).sum())
    error, norms, losses = trained(net, loss, 0.1)
    assert norms[-1] > 10 * min(norms) and losses[3] < losses[0], "as the test means it"
    assert error.growth == "" and "diverges" not in str(error)


@pytest.mark.parametrize("seed", range(30))
def test_random_steps_are_told_only_where_weights_and_loss_grew(seed):
    rng = np.random.default_rng(seed)
    norms, losses = np.exp(3 * rng.normal(size=6)), [*np.exp(rng.normal(size=5)), np.nan]
    last = LastSteps()
    for norm, loss in zip(norms, losses):
        last.add([norm], [loss])
    rose = losses[4] > losses[0] or max(losses[:5]) >= 10 * losses[0]
    assert bool(last.growth(9)) == (norms[-1] >= 10 * norms.min() and rose)


def test_a_loss_that_jumps_and_then_saturates_is_a_divergence():
    """After one step at a large rate, a softmax of equal scores has the loss log(classes), lower than before."""
    last = LastSteps()
    for norm, loss in [(12.9, 24.8), (3.12e4, 4.08e8), (6.25e9, 3.69)]:
        last.add([norm], [loss])
    assert "before steps 0 to 2 is 12.9, 3.12e+04, 6.25e+09" in last.growth(2)


def test_a_line_that_mends_the_program_comes_first_and_no_divergence_is_told():
    net, x = torch.nn.Linear(2, 1), torch.randn(16, 2)
    t = (x[:, :1] > 0).float()

    def loss():
        p = torch.sigmoid(net(x))
        return -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()

    error, norms, _ = trained(net, loss, 1000.0)
    assert norms[-1] > 10 * min(norms) and error.report.repair
    assert error.growth == "" and "diverges" not in str(error)


def test_a_nan_of_the_data_is_no_divergence():
    net, batches = torch.nn.Linear(3, 1), iter(range(100))

    def loss():
        x = torch.randn(5, 3)
        return (net(x) * (float("nan") if next(batches) == 9 else 1.0)).pow(2).mean()

    error, _, _ = trained(net, loss, 0.01)
    assert error.step == 9 and error.growth == ""


@pytest.mark.parametrize(
    "norms", [[1, 2, 4, 8], [0, 0, 5], [5], [1, float("nan")], [1, float("inf")], [10, 1, 9], [100, 50, 20]]
)
def test_no_growth_is_told_of_weights_that_did_not_grow_tenfold_or_have_no_number(norms):
    steps = LastSteps()
    for norm in norms:
        steps.add([norm], [1.0])
    assert steps.growth(len(norms) - 1) == ""


def test_bfloat16_softmax_scores_lose_digits_and_the_number_is_the_one_of_float64():
    def f(z, t):
        p = torch.softmax(t, 0)
        return (p * (torch.log(p) - torch.log_softmax(z, 0))).sum()

    t = torch.randn(1000, dtype=torch.bfloat16) * 3
    z = (t + 0.05 * torch.randn(1000, dtype=torch.bfloat16)).requires_grad_()
    f(z, t).backward()
    wide = z.detach().double().requires_grad_()
    f(wide, t.double()).backward()
    part = float((z.grad.double() - wide.grad).norm() / wide.grad.norm())
    report = viz.trace_nan(f, z.detach().requires_grad_(), t).report
    assert not report and report.lost.dtype == "bfloat16"
    assert f"the gradient of z in bfloat16 differs from that in float64 by {100 * part:.2g} %" in str(report)


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_digits_that_a_difference_loses_are_told_with_the_op_and_its_line(framework):
    if framework == "jax":
        jnp = pytest.importorskip("jax", reason="JAX is not installed").numpy
        f, x = (lambda x: (1 - jnp.cos(x)) / x**2), np.float32(1e-4)
    else:
        f, x = (lambda x: (1 - torch.cos(x)) / x**2), torch.tensor(1e-4, requires_grad=True)
    lost = viz.trace_nan(f, x).report.lost
    assert lost.op == "cos" and lost.line.where.split(":")[0].endswith("test_divergence.py")
    at = float(np.float32(1e-4))
    assert float(lost.exact) == pytest.approx(np.sin(at) / at**2 - 2 * (1 - np.cos(at)) / at**3, rel=1e-3)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_an_ordinary_network_has_its_digits(dtype):
    class Loss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.wide, self.norm, self.end = torch.nn.Linear(8, 32), torch.nn.LayerNorm(32), torch.nn.Linear(32, 4)

        def forward(self, x, t):
            h = self.norm(torch.nn.functional.gelu(self.wide(x)))
            return torch.nn.functional.cross_entropy(self.end(h), t)

    dtype = getattr(torch, dtype)
    report = viz.trace_nan(Loss().to(dtype), torch.randn(16, 8).to(dtype), torch.randint(4, (16,))).report
    assert report.sentence == "every value and every gradient is finite"


def test_the_error_can_be_sent_to_another_process():
    error = pickle.loads(pickle.dumps(viz.NanFound(3, None, "the loss is nan", "it grows")))
    assert (error.step, error.growth, str(error)) == (3, "it grows", "step 3: it grows.\nthe loss is nan")


def test_a_run_that_diverges_is_not_sent_to_a_wider_dtype():
    """float64 only holds larger numbers: the same run leaves it a few steps later."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    x = jax.numpy.arange(12.0).reshape(3, 4) * 20
    step = viz.watch(jax.value_and_grad(lambda w: ((x @ w - 1.0) ** 2).mean()))
    w = jax.numpy.ones(4)
    with pytest.raises(viz.NanFound) as caught:
        for _ in range(40):
            w = w - 0.1 * step(w)[1]
    said = str(caught.value)
    assert "lower the learning rate" in said and "float64" not in said


def test_weights_that_explode_in_one_step_diverge_though_the_loss_fell():
    steps = LastSteps()
    steps.add([13.0], [25.7])
    steps.add([3.5e7], [3.7])
    assert "grows by a factor of 2.69e+06 in step 0" in steps.growth(1)
    learning = LastSteps()
    learning.add([1e-3], [25.7])
    learning.add([2.0], [3.7])
    assert not learning.growth(1)


def variational(optimizer_of, steps=600):
    """The error of a watched variational autoencoder, whose log variance has no bounds."""
    encoder, decoder = torch.nn.Linear(4, 4), torch.nn.Linear(2, 4)
    optimizer, x = optimizer_of([*encoder.parameters(), *decoder.parameters()]), torch.randn(16, 4) * 4
    with pytest.raises(viz.NanFound) as caught, viz.watch(encoder, decoder):
        for _ in range(steps):
            mean, logvar = encoder(x).chunk(2, 1)
            z = mean + torch.exp(0.5 * logvar) * torch.randn_like(mean)
            divergence = -0.5 * (1 + logvar - mean**2 - torch.exp(logvar)).sum(1).mean()
            loss = ((decoder(z) - x) ** 2).sum(1).mean() + divergence
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return caught.value


@pytest.mark.parametrize("rate", [0.5, 1.0, 2.0])
def test_a_log_variance_that_explodes_is_one_report_with_a_clamp_and_a_smaller_step(rate):
    error = variational(lambda ps: torch.optim.SGD(ps, lr=rate))
    text, repair = str(error), error.report.repair
    assert not error.report.others and text.count("first appears") == 1
    assert repair.grade == "convention" and repair.rewrites[0] == ("logvar", "torch.clamp(logvar, -30.0, 20.0)")
    assert np.isfinite(repair.after.value) and all(np.isfinite(g).all() for g in repair.after.gradients)
    assert "repair is known" not in text
    if error.growth:
        assert text.partition("\n")[0].endswith("lower the learning rate, or clip the gradients.")


def test_a_loss_that_explodes_with_the_small_steps_of_adam_is_told_with_its_numbers():
    net = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Linear(16, 16), torch.nn.Linear(16, 1))
    optimizer, x, losses = torch.optim.Adam(net.parameters(), lr=0.3), torch.randn(32, 3), []
    with pytest.raises(viz.NanFound) as caught, viz.watch(net):
        for _ in range(300):
            loss = torch.exp(net(x) ** 2).mean()
            losses.append(float(loss.detach()))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    first = max(0, len(losses) - 6)
    assert str(caught.value).startswith(f"step {len(losses) - 1}: the training diverges: the loss of steps {first} to ")
    assert f" is {listed(losses[-6:])}; the norm of all weights" in str(caught.value)


@pytest.mark.parametrize(
    ("losses", "diverges"),
    [
        ([3.0, 36.0, np.inf], True), ([1.0, 2.0, 20.0, np.nan], True), ([3.0, 4.0, np.inf], False), ([np.inf], False),
        ([30.0, 3.0, 36.0, np.inf], False), ([3.0, 36.0, 400.0], False), ([-3.0, 36.0, np.inf], False),
    ],
)  # fmt: skip
def test_a_loss_that_rises_tenfold_and_is_lost_is_a_divergence(losses, diverges):
    steps = LastSteps()
    for i, loss in enumerate(losses):
        steps.add([1.0 + 0.1 * i], [loss])
    words = steps.growth(len(losses) + 4)
    norms = listed([1.0 + 0.1 * i for i in range(len(losses))])
    assert words == diverges * (
        f"the training diverges: the loss of steps 5 to {len(losses) + 4} is {listed(losses)}; the norm of all weights "
        f"before these steps is {norms}; lower the learning rate, or clip the gradients"
    )
