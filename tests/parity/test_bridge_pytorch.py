"""PyTorch's programs as graphs of minigrad: networks, names of functions, in-place changes, training loops."""

import functools
import re
import sys

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.bridges import NotRecorded, program_of
from minigrad.core.op import OPS
from minigrad.tracing.replay import graph_of
from tests.helpers.tables import over
from tests.parity import bridge_programs as programs

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
nn, F = torch.nn, torch.nn.functional
APPLY = torch.autograd.Function.__dict__["apply"]
pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def _float32():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(before)
    assert torch.autograd.Function.__dict__["apply"] is APPLY
    assert not nn.modules.module._global_forward_pre_hooks
    assert not nn.modules.module._global_forward_hooks
    assert not torch.overrides._get_current_function_mode_stack()


def record(f, *args):
    return program_of(f, args, {}, "find_nan")


def foreign(program):
    return {node.op.name for node in graph_of(program.y) if node.op is not None and node.op.kind == "foreign"}


class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-2, -1) / x.shape[-1] ** 0.5
        mask = torch.ones(x.shape[0], x.shape[0], dtype=torch.bool).triu(1)
        return torch.softmax(scores.masked_fill(mask, float("-inf")), -1) @ self.v(x)


class SafeRoot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sqrt(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 0.5 / torch.sqrt(x.clamp(min=1e-3))


def mlp():
    x = torch.linspace(-1, 1, 24).reshape(4, 6)
    return F.cross_entropy(nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3))(x), torch.tensor([0, 1, 2, 0]))


def cnn():
    net = nn.Sequential(
        nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(27, 2)
    )
    return F.cross_entropy(net(torch.randn(2, 1, 8, 8)), torch.tensor([0, 1]))


def recurrence(w):
    h = torch.zeros(3)
    for _ in range(20):
        h = torch.tanh(w @ h + 0.5)
    return h.sum()


def in_place(w):
    y = w * 2
    y += 1
    y.mul_(w)
    y.clamp_(max=5.0)
    return (y**2).sum()


def slice_assignment(w):
    y = torch.zeros(4)
    y[1:] = w
    y[0] = w[1] * w[2]
    return (y * torch.arange(4.0)).sum()


def norm_at_zero(x):
    return torch.linalg.vector_norm(x[1:] * 0.0) + x.norm()


def distributions(mu, s):
    x = torch.tensor([0.3, -1.0])
    normal = torch.distributions.Normal(mu, F.softplus(s))
    return -normal.log_prob(x).sum() + torch.distributions.kl_divergence(normal, torch.distributions.Normal(0.0, 1.0))


def detached(x):
    with torch.no_grad():
        scale = x.abs().max()
    return ((x / scale) * x.detach()).sum()


V = torch.tensor([0.5, -1.5, 2.0])
M = torch.tensor([[1.5, 0.2], [0.3, 1.0]])
FAITHFUL = [
    ("MLP", mlp, ()), ("CNN", cnn, ()),
    ("attention with a mask", lambda: Attention(4)(torch.randn(3, 4)).pow(2).mean(), ()),
    ("MultiheadAttention", lambda: nn.MultiheadAttention(4, 2)(*[torch.randn(3, 1, 4)] * 3)[0].sum(), ()),
    ("transformer layer", lambda: nn.TransformerEncoderLayer(4, 2, 8)(torch.randn(3, 2, 4)).pow(2).sum(), ()),
    ("LSTM", lambda: nn.LSTM(3, 2)(torch.randn(4, 1, 3))[0].sum(), ()),
    ("GRU cell", lambda: nn.GRUCell(3, 2)(torch.randn(1, 3), torch.randn(1, 2)).sum(), ()),
    ("embedding and LayerNorm",
     lambda: nn.LayerNorm(4)(nn.Embedding(5, 4)(torch.tensor([0, 3]))).pow(3).sum(), ()),
    ("custom Function", lambda x: SafeRoot.apply(x).sum(), (torch.tensor([0.0, 4.0]),)),
    ("recurrence", recurrence, (torch.eye(3) * 0.5,)), ("in place", in_place, (V,)),
    ("slice assignment", slice_assignment, (V,)), ("norm at 0", norm_at_zero, (V,)),
    ("where and comparison", lambda x: torch.where(x > 0, x.exp(), torch.tanh(x)).sum(), (V,)),
    ("distributions", distributions, (torch.tensor(0.2), torch.tensor(0.1))), ("detached", detached, (V,)),
    ("dropout", lambda x: (F.dropout(x * 3, 0.5) ** 2).sum(), (torch.linspace(1, 2, 20),)),
    ("BCE with logits", lambda x: F.binary_cross_entropy_with_logits(x, M[0]) + F.mse_loss(x[:2], M[1]), (V[:2],)),
    ("gather and sort", lambda x: torch.sort(x)[0].cumsum(0).gather(0, torch.tensor([2, 0])).prod(), (V,)),
    ("linear algebra",
     lambda a: torch.linalg.solve(a, a @ a).det() + torch.logdet(a) + torch.linalg.inv(a).trace(), (M,)),
]  # fmt: skip


@over(FAITHFUL)
def test_every_adjoint_of_a_network_is_equal_and_it_is_drawn(what, f, args):
    program = record(f, *args)
    assert program.caveat() == "", what
    assert len(program.tracked) >= 1
    assert viz.backward(f, *args).to_svg().startswith("<svg")


def test_what_has_no_op_is_foreign_and_the_rest_is_not():
    assert foreign(record(mlp)) == set()
    assert foreign(record(cnn)) == {"conv2d", "batch_norm", "max_pool2d"}
    assert foreign(record(FAITHFUL[4][1])) == {"dropout", "layer_norm", "scaled_dot_product_attention"}


def words(text):
    return set(text.split())


#: Arguments after the first, by the name of a function; and other first ones.
MORE = {
    "leaky_relu": (0.1,), "elu": (0.7,), "clamp": (0.2, 0.6), "clip": (0.2, 0.6), "pow": (1.7,), "softmax": (-1,),
    "log_softmax": (-1,), "logsumexp": (-1,), "cumsum": (-1,), "cumprod": (-1,), "unsqueeze": (0,), "amax": (0,),
    "clamp_min": (0.4,), "clamp_max": (0.4,), "transpose": (0, 0), "swapaxes": (0, 0), "reshape": ((3, 1),),
    "view": ((3, 1),), "permute": ((0,),), "expand": ((2, 3),), "broadcast_to": ((2, 3),), "float_power": (1.3,),
    "roll": (1,), "masked_fill": (torch.tensor([True, False, False]), 0.3), "gather": (0, torch.tensor([2, 0])),
    "take_along_dim": (torch.tensor([2, 0]), 0),
    "masked_select": (torch.tensor([True, False, True]),), "vander": (), "matrix_power": (2,), "unflatten": (0, (3, 1)),
}  # fmt: skip
TWO = words("""
add sub subtract mul multiply div divide true_divide atan2 arctan2 hypot maximum minimum fmax fmin logaddexp
logaddexp2 xlogy special_xlogy special_xlog1py xlog1py dot inner vdot outer kron mse_loss l1_loss rsub expand_as
power remainder mod fmod cross binary_cross_entropy_with_logits
""")
MATRIX = words("""
det inv cholesky slogdet logdet trace matrix_power diagonal tril triu t inverse linalg_det linalg_inv
linalg_slogdet linalg_cholesky T mT mm bmm matmul solve linalg_solve diag
""")
#: Not called on floats alone, tested above, or without a function of this name that PyTorch has.
ELSEWHERE = words("""
where linear addmm cat stack concat cross_entropy nll_loss einsum all any argmax argmin data __getitem__
cosine_similarity max min std var logcumsumexp vecdot mv detach dropout softmin equal not_equal less less_equal
greater greater_equal logical_and logical_or logical_not logical_xor bitwise_not bitwise_and bitwise_or
zeros_like ones_like isnan isinf isfinite eq ne lt le gt ge floor_divide solve polygamma
binary_cross_entropy_with_logits float squeeze norm linalg_norm linalg_vector_norm sinc_ bmm
""")


def function_of(name):
    for home in (torch, F, torch.linalg, torch.special, torch.Tensor):
        for known in (name, name.replace("linalg_", ""), name.replace("special_", "")):
            f = getattr(home, known, None)
            if callable(f) and not isinstance(f, type):
                return f
    return None


@functools.cache
def aliases():
    from minigrad.bridges.pytorch_ops import TABLE

    known = [
        name for name in sorted(TABLE) if name not in ELSEWHERE and not re.match("__|bitwise|left_shift|right", name)
    ]
    return [name for name in known if function_of(name) is not None]


def test_every_alias_gives_the_value_and_the_slope_at_three_points():
    seen, wrong = 0, {}
    for name in aliases():
        f, more = function_of(name), MORE.get(name, ())
        f = getattr(torch.linalg, name.removeprefix("linalg_")) if name in ("linalg_solve", "linalg_cholesky") else f
        for k in range(3):
            x = torch.tensor([[0.3, 0.55, 0.8], [0.71, 0.12, 0.35], [0.9, 0.44, 0.23]][k])
            x = x + 1 if name in ("acosh", "arccosh") else x
            args = [x, *more]
            if name in TWO:
                args = [x, torch.tensor([0.6, 0.25, 0.9])]
            elif name in MATRIX:
                a = torch.diag(x) + 0.1 * torch.ones(3, 3)
                args = [a, a @ a] if name in ("mm", "matmul", "linalg_solve") else [a, *more]
            total = lambda *xs, f=f: (y if isinstance(y := f(*xs), torch.Tensor) else y[1]) * 1.0
            try:
                program = record(total, *args)
            except NotRecorded:  # no float comes out, or no gradient goes in: floor, sign
                continue
            except (TypeError, RuntimeError) as error:
                if "is now removed" in str(error):  # such as torch.cholesky, in PyTorch 2.14
                    continue
                wrong[name] = f"cannot be called so: {error!s:.80}"
                continue
            seen += 1
            if program.wrong or program.strange or (foreign(program) and name != "cumprod_"):
                wrong[name] = program.caveat() or program.strange or foreign(program)
    assert wrong == {}
    assert seen > 300


def test_random_numbers_are_the_same_when_a_call_is_made_again():
    program = record(lambda x: F.dropout(x, 0.5).sum(), torch.ones(50))
    (node,) = [n for n in graph_of(program.y) if n.op is not None and n.op.name == "dropout"]
    before = torch.get_rng_state()
    assert np.array_equal(node.op.fn(np.ones(50)), node.value)
    assert torch.equal(torch.get_rng_state(), before)


def test_parameters_have_their_names_and_modules_are_frames():
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    view = viz.backward(net, torch.ones(1, 2))
    names = {node.name for node in view.trace.nodes}
    assert {"0.weight", "0.bias", "2.weight", "2.bias", "input"} <= names
    assert {node.scope for node in view.trace.nodes if node.op == "tanh"} == {("1",)}


def test_a_custom_function_is_a_custom_gradient_with_its_body_as_the_ghost():
    view = viz.backward(lambda x: SafeRoot.apply(x).sum(), torch.tensor([0.0, 4.0]))
    (call,) = [node for node in view.trace.nodes if node.kind == "custom"]
    assert (call.op, call.custom) == ("SafeRoot", "SafeRoot.backward")
    assert [node.op for node in view.trace.nodes if node.ghost and node.op == "sqrt"] == ["sqrt"]


def test_the_adjoint_of_a_dead_branch_is_told_with_the_users_line():
    f = programs.executed("import torch\nf = lambda x: torch.where(x > 0, torch.sqrt(x), 0.0).sum()")["f"]
    report = mg.find_nan(f, torch.tensor([-1.0, 4.0]))
    assert "masked branch" in (report.kind, report.repair.reason)
    assert report.repair.edits[0].text == "torch.sqrt(torch.where(x > 0, x, 1.0))"


def test_data_without_requires_grad_has_no_gradient_that_could_be_nan():
    w, x = torch.ones(2, requires_grad=True), torch.zeros(2)
    assert not mg.find_nan(lambda: (w * torch.sqrt(x)).sum())
    assert mg.find_nan(lambda x: (torch.sqrt(x)).sum(), x)


def test_an_exception_inside_passes_and_nothing_stays(monkeypatch):
    def f(x):
        SafeRoot.apply(x)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        viz.backward(f, V)


def test_records_nest():
    def f(x):
        assert mg.find_nan(lambda u: torch.log(u).sum(), torch.zeros(2)).repair.op == "log"
        return SafeRoot.apply(x * x).sum()

    assert record(f, V).caveat() == ""


def test_a_function_that_calls_backward_itself_keeps_its_graph():
    def f(x):
        loss = (x**2).sum()
        loss.backward()
        return loss

    assert record(f, V.clone().requires_grad_()).caveat() == ""


SENTENCES = [
    (lambda x: x.tolist(), "got .* of type list"), (lambda x: None, "lack a return"),
    (lambda x: (x, x), r"of type tuple.*\[0\]"), (lambda x: (x > 0).sum(), "one of torch.int64"),
    (lambda x: torch.sparse.mm(x[:, None].to_sparse(), torch.ones(1, 2)).sum(), "to_dense"),
    (lambda x: x.detach().sum(), "no backward pass"), (lambda x: x.sum().item(), "take a number out of the graph"),
]  # fmt: skip


@over(SENTENCES)
def test_what_cannot_be_recorded_is_told(f, words):
    with pytest.raises(NotRecorded, match=words):
        viz.trace_nan(f, V)


def test_what_is_not_seen_has_a_name_that_says_so():
    scripted = torch.jit.trace(lambda x: torch.log(x), torch.ones(2))
    assert "a result of LogBackward0 is inf" in mg.find_nan(lambda x: scripted(x).sum(), torch.zeros(2)).sentence


def test_plain_numbers_become_tensors():
    assert viz.trace_nan(lambda x: torch.log(x), 0.0).op == "log"


# Training loops.

LOOP = """
import torch
import viz

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1), torch.nn.Flatten(0))
steps = torch.optim.SGD(net.parameters(), 30.0)


def loop(count, **options):
    with viz.watch(net, **options):
        for _ in range(count):
            x = torch.randn(16, 2)
            y = (x[:, 0] > 0).float()
            steps.zero_grad()
            p = torch.sigmoid(net(x))
            loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
            loss.backward()
            steps.step()
"""
LINE = "loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()"


def test_a_watched_loop_stops_at_a_nan_and_runs_on_with_the_one_line_that_is_offered():
    names = programs.executed(LOOP)
    with pytest.raises(viz.NanFound) as found:
        names["loop"](300)
    assert all(p.isfinite().all() for p in names["net"].parameters())
    repair = found.value.report.repair
    assert (found.value.step, repair.grade) == (3, "same")
    text = programs.edited(LOOP, repair.edits)
    assert "loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x), y)\n" in text
    programs.executed(text)["loop"](300)


def test_watching_keeps_the_log_of_one_step_and_leaves_the_generator_alone():
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    ends = []
    for watched in (False, True):
        torch.manual_seed(1)
        watch = viz.watch(net)
        with watch if watched else torch.no_grad():
            for _ in range(3 * watched):
                net(torch.ones(2, 3)).sum().backward()
                assert watch.log == []
            for _ in range(3 * (not watched)):
                net(torch.ones(2, 3)).sum()
        ends.append(torch.get_rng_state())
    assert torch.equal(*ends)


def test_every_tenth_step_explains_a_step_of_its_kind():
    names = programs.executed(LOOP)
    with pytest.raises(viz.NanFound) as found:
        names["loop"](300, every=10)
    assert found.value.step == 3
    assert "every=1" in str(found.value) or found.value.report


def test_a_custom_function_in_a_watched_loop_is_explained():
    w = nn.Linear(1, 1)
    with torch.no_grad():
        w.weight.zero_(), w.bias.zero_()
    with pytest.raises(viz.NanFound, match=r"log\(0\) is -inf"), viz.watch(w):
        torch.log(SafeRoot.apply(w(torch.ones(1, 1)) ** 2)).sum().backward()


def test_a_gradient_penalty_is_a_part_of_its_step():
    """`create_graph=True` asks for a loss, not for the end of a step."""
    critic = nn.Linear(3, 1)

    def step():
        real = torch.ones(4, 3, requires_grad=True)
        (g,) = torch.autograd.grad(critic(real).sum(), real, create_graph=True)
        ((torch.sqrt((g**2).sum(dim=1)) - 1) ** 2).mean().backward()

    with pytest.raises(viz.NanFound, match="sqrt of 0") as found, viz.watch(critic):
        step()
        with torch.no_grad():
            critic.weight.zero_()
        step()
    assert found.value.step == 1
    assert re.search(r"vector_norm\(.*, dim=1\)", str(found.value))


def test_gradients_by_autograd_grad_are_watched_too():
    w = nn.Linear(1, 1)
    with pytest.raises(viz.NanFound), viz.watch(w):
        torch.autograd.grad(torch.sqrt(w(torch.ones(1, 1)) * 0).sum(), [*w.parameters()])


def fails(net):
    torch.log(net(torch.ones(1, 1)))
    raise KeyError("mine")


def records_inside(net):
    assert mg.find_nan(lambda u: torch.log(u).sum(), torch.zeros(2)).op == "log"
    torch.sqrt(net(torch.ones(1, 1)) * 0).sum().backward()


def watches_inside(net):
    with viz.watch(net):
        torch.sqrt(net(torch.ones(1, 1)) * 0).sum().backward()


def in_place_after_dropout(net):
    h = F.dropout(net(torch.ones(1, 1)), 0.5)
    h.mul_(0)
    torch.sqrt(h).sum().backward()


def twice(net):
    loss = torch.sqrt(net(torch.ones(1, 1)) * 0).sum()
    loss.backward()


def with_old_gradients(net):
    net(torch.ones(1, 1)).sum().backward()
    twice(net)


def huge_but_finite(net):
    (net(torch.ones(1, 1)) * 1e30).sum().backward()
    raise KeyError("mine")


def by_a_closure(net):
    """The forward pass runs inside the optimizer's step."""

    def closure():
        loss = torch.sqrt(net(torch.ones(1, 1)) * 0).sum()
        loss.backward()
        return loss

    torch.optim.LBFGS(net.parameters()).step(closure)


def with_sparse_gradients(net):
    rows = nn.Embedding(3, 1, sparse=True)
    with viz.watch(rows):
        (torch.sqrt(rows(torch.tensor([1])) * 0) * 1.0).sum().backward()


def after_an_optimizer_failed(net):
    """Its step ends early; the next one is watched."""
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    optimizer.register_step_pre_hook(lambda *_: {}["mine"])
    for failed in (optimizer.step, optimizer.step):
        with pytest.raises(KeyError):
            failed()
    optimizer.zero_grad()
    twice(net)


def with_adam_and_a_scheduler(net):
    optimizer = torch.optim.Adam(net.parameters(), 0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for _ in range(2):
        optimizer.zero_grad()
        net(torch.ones(1, 1)).sum().backward()
        optimizer.step(), scheduler.step()
    twice(net)


@over([
    (by_a_closure, viz.NanFound, 0), (with_sparse_gradients, viz.NanFound, 0),
    (after_an_optimizer_failed, viz.NanFound, 0), (with_adam_and_a_scheduler, viz.NanFound, 2),
    (fails, KeyError, None), (huge_but_finite, KeyError, None), (records_inside, viz.NanFound, 0),
    (watches_inside, viz.NanFound, 0), (in_place_after_dropout, viz.NanFound, 0), (twice, viz.NanFound, 0),
    (with_old_gradients, viz.NanFound, 1),
])  # fmt: skip
def test_what_happens_inside_of_a_watched_step(step, error, at):
    net, hooks = nn.Linear(1, 1), dict(nn.modules.module._global_forward_hooks)
    zero_grad = torch.optim.Optimizer.zero_grad
    net(torch.ones(1, 1)).sum().backward()
    with pytest.raises(error) as found, viz.watch(net):
        step(net)
    assert getattr(found.value, "step", None) == at
    assert at is None or found.value.report.op in ("sqrt", "multiply"), str(found.value)
    assert hooks == nn.modules.module._global_forward_hooks
    assert zero_grad is torch.optim.Optimizer.zero_grad
    assert not sys.modules["torch.optim.optimizer"]._global_optimizer_pre_hooks
    assert not net._forward_hooks
    assert not torch.overrides._get_current_function_mode_stack()


def test_a_way_to_an_input_that_was_not_seen_is_told(monkeypatch):
    """PyTorch 2.3 hides `x[1:]` like this: the gradient of x is not 0 there, and would be here."""
    monkeypatch.setattr("minigrad.bridges.pytorch.NO_NODE", {"__getitem__"})
    assert "at an input" in record(lambda x: (x[1:] * 1.0).sum(), V).caveat()


@over([((), {}), ((3,), {}), ((nn.Linear(1, 1),), {"every": 0}), ((lambda x: x,), {})])
def test_what_cannot_be_watched_is_told(models, options):
    with pytest.raises((TypeError, ValueError), match=r"every must be|watch takes the PyTorch modules"):
        viz.watch(*models, **options)


@over([
    lambda x: torch.vmap(lambda u: torch.sqrt((u * u).sum()))(x.reshape(2, 1)).sum(),
    lambda x: torch.sqrt((torch.func.grad(lambda u: (u**3).sum())(x) ** 2).sum()),
])  # fmt: skip
def test_a_nan_that_passes_what_is_not_recorded_is_told(f):
    """Like torch.vmap and torch.func: their tensors hold no numbers."""
    view = viz.trace_nan(f, torch.zeros(2, requires_grad=True))
    report = view.report
    assert report.word == "nan"
    assert view.to_svg().startswith("<svg")
    assert re.search(r"a result of (Sqrt|Mul|Pow|\w*)Backward", str(report))
    assert "Minigrad differentiates this program differently from PyTorch" in str(report)
    assert not report.repair


class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x / x

    @staticmethod
    def backward(ctx, g, h):
        return g * 2 + h * 0


def penalty(net, **options):
    def f(x):
        (g,) = torch.autograd.grad(net(x), x, create_graph=True, **options)
        return torch.sqrt((g**2).sum())

    return f


@over([
    (lambda x: sum(t.sum() for t in Pair.apply(x)), "Pair", "would have to be called again"),
    (penalty(lambda x: x**2, grad_outputs=torch.ones(2)), "power", "vector_norm"),
    (penalty(lambda x: nn.functional.batch_norm(x[:, None], None, None, training=True).sum() + (x**2).sum()),
     "power", "Minigrad differentiates this program differently"),
])  # fmt: skip
def test_a_rule_of_several_results_and_gradients_of_gradients_are_explained_or_told(f, op, said):
    report = mg.find_nan(f, torch.zeros(2, requires_grad=True))
    assert report.op == op
    assert said in str(report)


def test_an_expression_that_is_told_has_its_options_and_can_be_run():
    """If the pattern spans two functions, no line can be edited."""
    x, weight = torch.ones(2, 3), torch.zeros(4, 3)
    rows = lambda h: torch.sqrt((h**2).sum(dim=1))
    report = mg.find_nan(lambda x, weight: rows(F.linear(x.expand(2, 3), weight)).sum(), x, weight)
    after = report.repair.rewrites[0][1]
    assert after == "torch.linalg.vector_norm(torch.broadcast_to(x, (2, 3)) @ weight.T, dim=1)"
    assert eval(after).tolist() == [0.0, 0.0]


def test_repeated_calls_of_random_layers_are_not_written():
    """Calling `net(x)` again would drop other units: only the expression is reported."""
    text = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Dropout(0.5))

def f(x):
    p = torch.sigmoid(net(x) - 200)
    return torch.log(p).sum()
"""
    repair = mg.find_nan(programs.executed(text)["f"], torch.ones(2, 1)).repair
    assert repair.edits == ()
    assert "logsigmoid" in repair.rewrites[0][1]
    without = text.replace("0.5", "0.0")
    assert (
        "logsigmoid(net(x) - 200)"
        in mg.find_nan(programs.executed(without)["f"], torch.ones(2, 1)).repair.edits[0].text
    )


def test_ops_stay_as_they_were():
    before = dict(OPS)
    record(mlp)
    assert before == OPS


def put_number(x):
    m = torch.zeros(2)
    m[1] = 1.0
    return (torch.sqrt((x**2).sum()) * m).sum()


def put_column(x):
    m = torch.ones(2, 2)
    m[:, 0] = 0
    return (torch.sqrt((x**2).sum()) * m).sum()


def put_mask(x):
    m = torch.ones(2, 2)
    m[torch.eye(2).bool()] = 0
    return (torch.sqrt((x**2).sum()) * m).sum()


def put_by_data(x):
    m = torch.ones(2, 2)
    m.data[0] = 3
    return (torch.sqrt((x**2).sum()) * m).sum()


def put_under_no_grad(x):
    m = torch.ones(2, 2)
    with torch.no_grad():
        m[0] = 3
    return (torch.sqrt((x**2).sum()) * m).sum()


def put_in_view(x):
    m = torch.zeros(2, 2)
    v = m[0]
    v[1] = x[0]
    return torch.sqrt((m**2).sum())


def read_by_view(x):
    m = torch.zeros(2, 2)
    v = m[0]
    m[0, 0] = x[0]
    return torch.sqrt((v**2).sum())


def put_row(x):
    m = torch.zeros(2, 2)
    m[0] = x * 2
    return torch.sqrt((m**2).sum())


def put_rows(x):
    m = torch.zeros(3, 2)
    m[[0, 2]] = x
    return torch.sqrt((m**2).sum())


def put_selected(x):
    m = torch.zeros(2)
    m[x >= 0] = x[x >= 0]
    return torch.sqrt((m**2).sum())


def added_to_part(x):
    m = torch.zeros(2, 3)
    m[..., 0] = x
    m[0] += 0
    m[:, 1:].add_(x[:, None])
    return torch.sqrt((m**2).sum())


def changed_under_no_grad(x):
    h = x * 1
    with torch.no_grad():
        h[0] = 0.0
    return torch.sqrt((h**2).sum())


ASSIGNMENTS = [put_number, put_column, put_mask, put_by_data, put_under_no_grad, put_in_view, read_by_view, put_row,
               put_rows, put_selected, added_to_part, changed_under_no_grad]  # fmt: skip


@pytest.mark.parametrize("f", ASSIGNMENTS)
@pytest.mark.parametrize("at", [0.0, 1.5])
def test_item_assignment_inside_of_a_loss(f, at):
    x = torch.full((2,), at, requires_grad=True)
    program = program_of(f, (x,), {}, "find_nan")
    assert program.caveat() == ""
    report = mg.find_nan(f, x)
    assert bool(report) == (at == 0)
    assert report.reaches == (("x",) if at == 0 else ()) and report.repair.op == ("sqrt" if at == 0 else "")


def penalty_of_new_points(w):
    x = torch.tensor([[1.0, 2.0], [-3.0, 1.0]], requires_grad=True)
    (g,) = torch.autograd.grad(torch.relu(x @ w).sum(), x, create_graph=True)
    norm = torch.sqrt((g**2).sum(1))
    return ((norm - 1.0) ** 2).mean()


def penalty_of_mixed_points(w):
    points = torch.tensor([[1.0, 2.0], [-3.0, 1.0]])
    x = (0.25 * points + 0.75 * points).requires_grad_(True)
    (g,) = torch.autograd.grad(torch.relu(x @ w).sum(), x, create_graph=True)
    norm = torch.sqrt((g**2).sum(1))
    return ((norm - 1.0) ** 2).mean()


@pytest.mark.parametrize("f", [penalty_of_new_points, penalty_of_mixed_points])
def test_points_that_are_made_inside_of_a_loss_are_differentiated(f):
    report = mg.find_nan(f, torch.tensor([[1.0], [0.5]], requires_grad=True))
    assert report.reaches == ("w",) and report.repair.op == "sqrt"
    assert "vector_norm" in str(report.repair.rewrites)


def test_a_watched_step_with_a_gradient_penalty_is_explained():
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    with torch.no_grad():
        net[0].bias.fill_(-9.0)

    def step():
        mask = torch.zeros(2)
        mask[0] = 1.0
        mask += 1
        x = (0.3 * torch.ones(2, 2) + 0.7 * torch.zeros(2, 2)).requires_grad_(True)
        d = net(x)
        (g,) = torch.autograd.grad(d, x, torch.ones_like(d), create_graph=True)
        norm = torch.sqrt((g.view(2, -1) ** 2).sum(1))
        return -d.mean() + 10 * ((norm - 1) ** 2 * mask).mean()

    with pytest.raises(viz.NanFound) as info, viz.watch(net):
        step().backward()
    assert info.value.report.repair.op == "sqrt" and "vector_norm" in str(info.value)


def test_float64_is_advised_only_if_the_program_is_finite_in_it():
    def share(b):
        t = torch.tensor([2.0, 3.0], dtype=b.dtype)
        v = (torch.atan(t[0] / t[1]) - torch.atan(b[0] / b[1])) ** 2
        return v / (((b - t) ** 2).sum() + v)

    assert "float64" not in str(mg.find_nan(share, torch.tensor([2.0, 3.0], requires_grad=True)))
