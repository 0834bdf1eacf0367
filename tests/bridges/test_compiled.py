"""Code of torch.compile, recorded and watched: it runs as it is written, and a warning says so."""

import pytest

import minigrad as mg
import viz

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore:Using `torch.compile")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def uncompiled(how):
    return pytest.warns(UserWarning, match=f"code of torch.compile runs uncompiled while it is {how}: ")


@pytest.fixture
def compiled():
    """A backend that counts its graphs, and hands them back."""
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
