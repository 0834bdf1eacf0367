"""Where a nan is: the module of PyTorch that computed it, the iteration of a loop of JAX, and the first overflow."""

import inspect
import re

import numpy as np
import pytest

import viz

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
LENGTH = 4


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    torch.manual_seed(0)
    return torch


@pytest.fixture
def jax():
    return pytest.importorskip("jax", reason="JAX is not installed")


def network(torch, scale):
    class Feed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.wide, self.narrow = torch.nn.Linear(4, 8), torch.nn.Linear(8, 4)

        def forward(self, x):
            h = self.narrow(torch.relu(self.wide(x)))
            return x + h * (h < 1).to(h.dtype)

    net = torch.nn.Sequential(Feed(), Feed(), torch.nn.LayerNorm(4))
    with torch.no_grad():
        net[1].narrow.weight.fill_(scale)
    return net.half()


def test_a_nan_has_its_module_and_the_first_number_above_the_largest_float16_has_its_own(torch):
    net, x = network(torch, 4000.0), torch.full((3, 4), 30.0).half()
    report = viz.trace_nan(lambda: net(x).sum()).report
    h = net[0](x)
    number = (torch.relu(net[1].wide(h)).double() * 4000.0).sum(1).max().item()
    assert report.within == "1 (Feed)" and "It is in 1 (Feed).\n" in str(report)
    assert f"matmul computes {number:,.6g}, which is above 65,504, the largest float16" in report.first
    assert report.first.endswith(", in 1.narrow (Linear).")


def test_the_line_of_the_user_is_told_where_an_installed_package_computed_it(torch, tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    code = "import torch\nclass Root(torch.nn.Module):\n    def forward(self, x):\n        return torch.sqrt(x)\n"
    (folder / "rooted.py").write_text(code)
    monkeypatch.syspath_prepend(str(folder))
    import rooted

    net = torch.nn.Sequential(rooted.Root())
    x = torch.tensor([-1.0], requires_grad=True)
    report = viz.trace_nan(lambda: net(x).sum()).report
    line = test_the_line_of_the_user_is_told_where_an_installed_package_computed_it.__code__.co_firstlineno
    assert report.line.where == "rooted.py:4" or report.line.where.endswith("rooted.py:4")
    assert report.within.startswith("0 (Root), called from ")
    assert line < int(report.within.rpartition(":")[2]) < line + 15 and "test_places.py" in report.within


def test_no_module_and_no_iteration_is_told_where_there_is_none(torch):
    assert viz.trace_nan(lambda x: torch.sqrt(x).sum(), torch.tensor([-1.0], requires_grad=True)).report.within == ""


def test_five_names_are_told_and_the_others_are_counted(torch):
    net = torch.nn.Sequential(*[torch.nn.Linear(2, 2) for _ in range(4)])
    report = viz.trace_nan(lambda: torch.sqrt(-net(torch.ones(1, 2)).abs() - 1).sum()).report
    assert str(report).startswith(
        "nan in the value and the gradients of 0.weight, 0.bias, 1.weight, 1.bias, 2.weight and 3 more.\n"
    )
    assert len(report.reaches) == 8


@pytest.mark.parametrize("bad", range(LENGTH))
@pytest.mark.parametrize("loop", ["scan", "reverse", "fori", "while", "map"])
def test_the_iteration_is_the_one_in_which_the_number_is_outside_of_the_domain(jax, loop, bad):
    jnp, rows = jax.numpy, np.full(LENGTH, 2.0, np.float32)
    rows[LENGTH - 1 - bad if loop == "reverse" else bad] = -1
    step = lambda c, row: (c, jnp.log(row) * c)

    def f(rows):
        x = jnp.float32(1.0)
        if loop in ("scan", "reverse"):
            return jax.lax.scan(step, x, rows, reverse=loop == "reverse")[1].sum()
        if loop == "map":
            return jax.lax.map(jnp.log, rows).sum()
        if loop == "fori":
            return jax.lax.fori_loop(0, LENGTH, lambda i, c: c + step(x, rows[i])[1], x)
        body = lambda c: (c[0] + 1, c[1] + step(x, rows[c[0]])[1])
        return jax.lax.while_loop(lambda c: c[0] < LENGTH, body, (0, x))[1]

    if loop == "while":  # JAX derives no while_loop
        with pytest.raises((TypeError, ValueError)):
            jax.grad(f)(jnp.asarray(rows))
    report = viz.trace_nan(f, jnp.asarray(rows)).report
    of = "" if loop == "while" else f" of {LENGTH}"
    assert (report.op, report.within) == ("log", f"iteration {bad + 1}{of} of the loop")


def test_a_loop_in_a_loop_and_a_jitted_function_have_both_iterations(jax):
    jnp = jax.numpy
    inside = jax.jit(lambda c: jnp.log(c))
    inner = lambda c, _: (c - 1.0, inside(c))
    outer = lambda c, _: jax.lax.scan(inner, c, None, length=3)
    report = viz.trace_nan(lambda x: jax.lax.scan(outer, x, None, length=2)[1].sum(), jnp.float32(4.5)).report
    assert report.within == "iteration 2 of 2 of the loop, iteration 3 of 3 of the loop in it"


def test_a_nan_of_an_inner_gradient_names_the_line_of_the_op_whose_derivative_it_is(torch):
    class Field(torch.nn.Module):
        def forward(self, x):
            return torch.sqrt(x**2)

    def equation(x):
        u = Field()(x)
        (slope,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        return (slope**2).sum()

    report = viz.trace_nan(equation, torch.tensor([0.0, 1.0], requires_grad=True)).report
    lines, start = inspect.getsourcelines(Field)
    no = start + next(i for i, line in enumerate(lines) if "sqrt" in line)
    assert re.search(rf"It is in the derivative of \w+, test_places\.py:{no}\b", str(report)), report
