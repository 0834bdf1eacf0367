"""Code of torch.compile, recorded and watched: it runs as it is written, and a warning says so."""

import pytest

import minigrad as mg
import viz

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore:Using `torch.compile")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def uncompiled(how):
    return pytest.warns(UserWarning, match=f"code compiled by torch.compile runs uncompiled while it is {how}: ")


@pytest.fixture
def compiled():
    """A backend that counts its graphs, and returns them unchanged."""
    graphs = []
    torch._dynamo.reset()

    def count(graph, inputs):
        graphs.append(graph)
        return graph

    yield lambda f: torch.compile(f, backend=count), graphs
    torch._dynamo.reset()


def loss_of(x):
    return torch.sqrt((x**2).sum())


def test_a_compiled_function_is_recorded_as_it_is_written(compiled):
    compile_, graphs = compiled
    f, zero = compile_(loss_of), torch.zeros(2, requires_grad=True)
    with uncompiled("recorded"):
        report = mg.find_nan(f, zero)
    assert report.repair.op == "sqrt" and "vector_norm" in str(report) and report.reaches == ("x",)
    with uncompiled("recorded"):
        assert mg.find_nan(lambda x: f(x), zero).repair.op == "sqrt"
    assert not graphs, "nothing was compiled"
    f(torch.ones(2))
    assert len(graphs) == 1, "and it is compiled again afterwards"


@pytest.mark.parametrize("way", ["module", "in place", "part"])
def test_a_compiled_module_in_a_watched_loop_is_explained_with_its_own_names(way, compiled):
    compile_, graphs = compiled
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
    if way == "module":
        net = compile_(net)
    elif way == "in place":
        net.compile(backend=lambda graph, inputs: graphs.append(graph) or graph)
    else:
        net = torch.nn.Sequential(compile_(net), torch.nn.Linear(3, 1))
    with uncompiled("watched"), pytest.raises(viz.NanFound) as caught, viz.watch(net):
        for i in range(3):
            torch.log(net(torch.ones(1, 2)).sum() * 0 + 1 - i).backward()
    report = caught.value.report
    assert caught.value.step == 1 and report.repair.op == "log" and not graphs
    assert all("_orig_mod" not in name for name in report.reaches) or way == "part"
    net(torch.ones(1, 2))
    assert graphs or way == "in place", "it is compiled again afterwards"


def test_without_compiled_code_there_is_no_warning(recwarn, compiled):
    mg.find_nan(loss_of, torch.zeros(2, requires_grad=True))
    with viz.watch(torch.nn.Linear(2, 1)):
        pass
    assert not [w for w in recwarn if "torch.compile" in str(w.message)]


@pytest.mark.parametrize("at, taken", [(0.0, "sqrt"), (-1.0, "log")])
def test_the_branch_that_torch_cond_takes_is_recorded(at, taken):
    x = torch.tensor(at, requires_grad=True)
    f = lambda x: torch.cond(x > -1, lambda x: x.sqrt(), lambda x: (x + 1).log(), (x,))
    report = mg.find_nan(f, x)
    theirs = torch.autograd.grad(torch.cond(x > -1, lambda x: x.sqrt(), lambda x: (x + 1).log(), (x,)), x)[0]
    assert report.repair.op == taken and report.reaches == ("x",) and not torch.isfinite(theirs)


def test_loops_of_torch_are_recorded_step_by_step():
    from torch._higher_order_ops import while_loop

    def f(x):
        return while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, torch.sqrt(h - i)), (torch.tensor(0), x))[1]

    report = mg.find_nan(f, torch.tensor(1.0, requires_grad=True))  # 1, 0, and -1 has no root
    assert report.op == "sqrt" and "-2 is outside" in str(report)


def test_a_branch_in_a_watched_loop_is_explained():
    net = torch.nn.Linear(2, 2)
    with pytest.raises(viz.NanFound) as caught, viz.watch(net):
        for i in range(3):
            h = net(torch.ones(2)) * 0
            torch.cond(torch.tensor(i > 0), lambda h: h.sqrt(), lambda h: h.exp(), (h,)).sum().backward()
    assert caught.value.step == 1 and caught.value.report.repair.op == "sqrt"
    assert set(caught.value.report.reaches) == {"weight", "bias"}


def test_code_that_is_compiled_inside_is_run_as_it_is_written(compiled):
    compile_, graphs = compiled
    before = torch.compile
    with uncompiled("recorded"):
        report = mg.find_nan(lambda x: compile_(loss_of)(x), torch.zeros(2, requires_grad=True))
    assert report.repair.op == "sqrt" and not graphs and torch.compile is before
    net = torch.nn.Linear(2, 1)
    with uncompiled("watched"), pytest.raises(viz.NanFound) as caught, viz.watch(net):
        fast = compile_(net)
        torch.sqrt(fast(torch.ones(2)) * 0).sum().backward()
    assert caught.value.report.repair.op == "sqrt" and not graphs
    fast(torch.ones(2))
    assert graphs, "and it is compiled after the block"
