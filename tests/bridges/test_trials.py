"""The line offered for a watched loop is tried, and a loop with that line does what the report says."""

import re

import numpy as np
import pytest

import viz
from minigrad.diagnostics.edits import edited
from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

LOSS = """import torch


def loss_of(net, x, t):
    p = torch.sigmoid(net(x))
    return -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()
"""
GROWS = """import torch


def loss_of(net, x, t):
    h = net(x)
    return torch.log(1 + torch.exp(h * h)).mean()
"""


def begun(torch, optimizer):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1), torch.nn.Flatten(0))
    return net, getattr(torch.optim, optimizer[0])(net.parameters(), **optimizer[1])


def stopped(torch, text, optimizer, steps=200):
    """The error of a watched loop, its network and optimizer, and the batch of its last step."""
    net, optimizer = begun(torch, optimizer)
    loss_of = programs.executed(text)["loss_of"]
    with pytest.raises(viz.NanFound) as caught, viz.watch(net):
        for _ in range(steps):
            x = torch.randn(16, 2)
            t = (x[:, 0] > 0).float()
            loss = loss_of(net, x, t)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return caught.value, net, optimizer, (x, t)


OPTIMIZERS = [("SGD", {"lr": 30.0}), ("SGD", {"lr": 4.0, "momentum": 0.9}), ("Adam", {"lr": 3.0})]


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=str)
def test_the_offered_line_is_tried_for_50_steps_and_the_losses_are_those_of_the_edited_program(optimizer):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    error, net, used, batch = stopped(torch, LOSS, optimizer)
    repair = error.report.repair
    name, step = optimizer[0], error.step
    said = f"50 more steps of {name} with it, on the batch of step {step}: all is finite, and the loss goes from "
    assert repair.tried.startswith(said) and repair.tried in str(error)
    loss_of = programs.executed(edited(LOSS, repair.edits))["loss_of"]
    losses = []
    for _ in range(51):
        loss = loss_of(net, *batch)
        losses.append(float(loss.detach()))
        used.zero_grad()
        loss.backward()
        used.step()
    told = [float(number) for number in re.findall(r"from (\S+) to (\S+)$", repair.tried)[0]]
    np.testing.assert_allclose(told, [losses[0], losses[-1]], rtol=0.06)


def test_a_line_with_which_the_loop_is_not_finite_for_long_is_told_so():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    error, net, used, batch = stopped(torch, GROWS, ("SGD", {"lr": 50.0}))
    many = int(re.match(r"(\d+) more steps? of SGD", error.report.repair.tried)[1])
    assert "after the next one the loss or a weight is not" in error.report.repair.tried and many < 50
    loss_of = programs.executed(edited(GROWS, error.report.repair.edits))["loss_of"]
    finite = []
    for _ in range(many + 2):
        loss = loss_of(net, *batch)
        used.zero_grad()
        loss.backward()
        used.step()
        finite.append(bool(loss.isfinite()) and all(bool(p.isfinite().all()) for p in net.parameters()))
    assert sum(finite) in (many, many + 1)


def test_the_weights_the_optimizer_and_the_generator_stay_as_they_are():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    net, optimizer = begun(torch, ("Adam", {"lr": 3.0}))
    loss_of, before = programs.executed(LOSS)["loss_of"], None
    with pytest.raises(viz.NanFound) as caught, viz.watch(net):
        for _ in range(200):
            x = torch.randn(16, 2)
            loss = loss_of(net, x, (x[:, 0] > 0).float())
            optimizer.zero_grad()
            weights = [p.detach().clone() for p in net.parameters()]
            count = [int(s["step"]) for s in optimizer.state.values()]
            before, drawn = (weights, count), torch.get_rng_state()
            loss.backward()
            optimizer.step()
    assert caught.value.report.repair.tried
    assert all(torch.equal(a, b) for a, b in zip(before[0], net.parameters()))
    assert [int(s["step"]) for s in optimizer.state.values()] == before[1]
    assert torch.equal(drawn, torch.get_rng_state())


@pytest.mark.parametrize("how", ["by hand", "two optimizers"])
def test_nothing_is_said_where_the_step_of_the_loop_is_not_known(how):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    net, _ = begun(torch, ("SGD", {"lr": 1.0}))
    loss_of = programs.executed(LOSS)["loss_of"]
    several = [torch.optim.SGD(net[i].parameters(), lr=30.0) for i in (0, 2)] if how != "by hand" else []
    with pytest.raises(viz.NanFound) as caught, viz.watch(net):
        for _ in range(200):
            x = torch.randn(16, 2)
            net.zero_grad()
            loss_of(net, x, (x[:, 0] > 0).float()).backward()
            for one in several:
                one.step()
            if not several:
                with torch.no_grad():
                    for p in net.parameters():
                        p -= 30.0 * p.grad
    assert caught.value.report.repair and not caught.value.report.repair.tried


@pytest.mark.parametrize("inside", [False, True])
def test_a_watched_loop_names_the_module(inside):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")

    class Length(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.wide = torch.nn.Linear(3, 4)

        def forward(self, x):
            return torch.sqrt((self.wide(x) ** 2).sum(1))

    net = torch.nn.Sequential(torch.nn.Linear(3, 3), Length())
    with torch.no_grad():
        for p in net.parameters():
            p.zero_()
    with pytest.raises(viz.NanFound) as caught, viz.watch(net):
        net(torch.ones(2, 3)).sum().backward()
    assert caught.value.report.within == "1 (Length)" == viz.trace_nan(net[:], torch.ones(2, 3)).report.within


# JAX.

JAX = """import jax
import jax.numpy as jnp


def loss_of(w, x, t):
    p = jax.nn.sigmoid(x @ w)
    return -jnp.mean(t * jnp.log(p) + (1 - t) * jnp.log(1 - p))
"""


def stopped_in_jax(jax, f, rate, update=None):
    step, rng = viz.watch(jax.jit(jax.value_and_grad(f))), np.random.default_rng(0)
    w = jax.numpy.array([0.1, 0.1])
    weights, losses = [], []
    with pytest.raises(viz.NanFound) as caught:
        for i in range(200):
            x = jax.numpy.asarray(rng.normal(size=(32, 2)), "float32")
            t = (x[:, 0] > 0) * 1.0
            weights.append(w)
            losses.append(float(f(w, x, t)))
            _, g = step(w, x, t)
            w = w - rate * (g if update is None else update(i, g))
    return caught.value, weights, losses, (x, t)


def test_jax_a_step_that_is_a_multiple_of_the_gradient_is_tried():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    error, weights, _, batch = stopped_in_jax(jax, programs.executed(JAX)["loss_of"], 30.0)
    said = "50 more steps of 30 times the gradient, as the last update was, with it, on the arguments of step "
    assert error.report.repair.tried.startswith(f"{said}{error.step}: all is finite, and the loss goes from ")
    both = jax.value_and_grad(programs.executed(edited(JAX, error.report.repair.edits))["loss_of"])
    w, losses = weights[-1], []
    for _ in range(51):
        loss, g = both(w, *batch)
        losses.append(float(loss))
        w = w - 30.0 * g
    told = [float(number) for number in re.findall(r"from (\S+) to (\S+)$", error.report.repair.tried)[0]]
    np.testing.assert_allclose(told, [losses[0], losses[-1]], rtol=0.06)


def test_jax_an_update_that_is_no_multiple_of_the_gradient_is_not_tried():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    sign = lambda i, g: jax.numpy.sign(g)
    error, *_ = stopped_in_jax(jax, programs.executed(JAX)["loss_of"], 30.0, sign)
    assert error.report.repair and not error.report.repair.tried


def test_jax_divergence_is_told_first_with_its_numbers():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    error, weights, losses, _ = stopped_in_jax(jax, lambda w, x, t: ((x @ w - t) ** 2).mean(), 10.0)
    last, listed = error.step, lambda numbers: ", ".join(f"{number:.3g}" for number in numbers)
    norms = [float(np.linalg.norm(np.asarray(w, np.float64))) for w in weights]
    assert str(error).startswith(f"step {last}: the training diverges: ")
    assert f"before steps {last - 5} to {last} is {listed(norms[-6:])}, and grows" in error.growth
    assert f"the loss is {listed(losses[-6:])}; lower the learning rate" in error.growth


def test_jax_a_nan_of_the_data_is_no_divergence():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    rows = iter(range(99))
    step = viz.watch(jax.value_and_grad(lambda w, x: ((x * w) ** 2).mean()))
    w = jax.numpy.ones(3)
    with pytest.raises(viz.NanFound) as caught:
        for _ in range(20):
            _, g = step(w, jax.numpy.full((4, 3), np.nan if next(rows) == 7 else 1.0))
            w = w - 0.1 * g
    assert caught.value.step == 7 and caught.value.growth == ""
