"""Loops as people really write them, watched: scaled losses, several optimizers, parts, workers, names."""

import pickle

import pytest

import viz

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def scaled(loss_of, scale, steps=60):
    """A watched loop with a GradScaler: the block, the scaler, and how many steps it left out, counted separately."""
    net = torch.nn.Linear(2, 1)
    optimizer, scaler = torch.optim.SGD(net.parameters(), lr=0.01), torch.amp.GradScaler("cpu", init_scale=scale)
    left_out = 0
    with viz.watch(net) as loop:
        for _ in range(steps):
            optimizer.zero_grad()
            loss = loss_of(net)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            before = scaler.get_scale()
            scaler.update()
            left_out += scaler.get_scale() < before
    return loop, scaler, left_out


def in_half(net):
    with torch.autocast("cpu", dtype=torch.float16):
        return ((net(torch.ones(8, 2)).float() - 1) ** 2).mean()


def test_steps_that_a_scaler_leaves_out_are_no_fault_and_are_counted():
    loop, scaler, left_out = scaled(in_half, 2.0**40)
    assert loop.skipped == left_out > 5 and loop.step == 60 and scaler.get_scale() < 2.0**40


def test_without_a_scaler_the_same_infinite_gradient_is_one():
    net = torch.nn.Linear(2, 1)
    with pytest.raises(viz.NanFound), viz.watch(net):
        (in_half(net) * 2.0**40).backward()


def test_a_loss_that_is_nan_is_a_fault_at_any_scale():
    with pytest.raises(viz.NanFound) as caught:
        scaled(lambda net: torch.sqrt(net(torch.ones(1, 2)).sum() * 0 - 1), 2.0**40)
    assert caught.value.step == 0


def test_a_gradient_that_is_nan_at_every_scale_is_told_when_the_scale_is_1():
    with pytest.raises(viz.NanFound) as caught:
        scaled(lambda net: torch.sqrt(((net(torch.ones(1, 2)) * 0) ** 2).sum()), 2.0**6)
    assert caught.value.step == 6, "2**6 is halved six times"
    assert caught.value.report.repair and "vector_norm" in str(caught.value)


def cross(p, t):
    return -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()


def test_a_loss_in_parts_whose_gradients_are_added_up():
    net = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=30.0)
    with pytest.raises(viz.NanFound) as caught, viz.watch(net) as loop:
        for i in range(400):
            x = torch.randn(4, 2)
            (cross(torch.sigmoid(net(x)), (x[:, :1] > 0).float()) / 4).backward()
            if i % 4 == 3:
                optimizer.step()
                optimizer.zero_grad()
    assert loop.step == caught.value.step and caught.value.report.repair.op == "log"


def test_two_networks_that_train_against_each_other():
    maker = torch.nn.Linear(2, 2)
    judge = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    first, second = (torch.optim.Adam(net.parameters(), lr=1.0) for net in (maker, judge))
    with pytest.raises(viz.NanFound) as caught, viz.watch(maker, judge):
        for _ in range(400):
            real, z = torch.randn(16, 2) + 30, torch.randn(16, 2)
            second.zero_grad()
            p, q = torch.sigmoid(judge(real)), torch.sigmoid(judge(maker(z).detach()))
            (-(torch.log(p) + torch.log(1 - q)).mean()).backward()
            second.step()
            first.zero_grad()
            (-torch.log(torch.sigmoid(judge(maker(z)))).mean()).backward()
            first.step()
    report = caught.value.report
    assert report.repair.op == "log" and report.repair.rewrites and not report.repair.tried
    assert any(name.startswith("1.") for name in report.reaches), "the second network"


def test_a_generator_that_ran_before_the_last_backward_pass():
    """The order of PyTorch's tutorial on GANs: one batch of fakes for both losses."""
    maker, judge = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
    with pytest.raises(viz.NanFound) as caught, viz.watch(maker, judge):
        fake = maker(torch.ones(4, 2))
        torch.nn.functional.softplus(judge(fake.detach())).mean().backward()
        torch.log(1 - torch.sigmoid(judge(fake) * 0 + 200)).mean().backward()
    report = caught.value.report
    assert report.repair.op == "log" and {"0.weight", "1.weight"} <= {*report.repair.before.names}


def test_a_graph_that_is_kept_for_a_second_backward_pass():
    trunk, w = torch.nn.Linear(2, 2), torch.zeros(2, requires_grad=True)
    with pytest.raises(viz.NanFound) as caught, viz.watch(trunk, names={"w": w}):
        h = trunk(torch.ones(1, 2)) * w
        h.sum().backward(retain_graph=True)
        h.pow(2).sum().sqrt().backward()
    assert caught.value.report.repair.grade == "same"


def test_an_overflow_under_autocast_is_run_again_under_autocast():
    net = torch.nn.Linear(2, 1)
    with pytest.raises(viz.NanFound) as caught, viz.watch(net):
        with torch.autocast("cpu", dtype=torch.float16):
            loss = net(torch.full((1, 2), 1e6)).float().sum()
        loss.backward()
    assert "autocast computes it in float16, where" in str(caught.value)


def test_a_gradient_that_was_nan_before_the_step():
    net = torch.nn.Linear(2, 1)
    net.weight.grad = torch.full((1, 2), float("nan"))
    with pytest.raises(viz.NanFound, match="zero_grad") as caught, viz.watch(net):
        net(torch.ones(1, 2)).sum().backward()
    assert caught.value.report is None
    with viz.watch(net):
        net.zero_grad()
        net(torch.ones(1, 2)).sum().backward()


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        return torch.full((2,), float("nan") if i == 7 else float(i))


def test_workers_that_load_the_data():
    net = torch.nn.Linear(2, 1)
    loader = torch.utils.data.DataLoader(Rows(), batch_size=2, num_workers=1)
    with pytest.raises(viz.NanFound) as caught, viz.watch(net):
        for x in loader:
            net.zero_grad()
            net(x).sum().backward()
    assert caught.value.step == 3 and caught.value.report.sentence == "the input x is nan from the start"


def test_a_batch_has_the_users_name():
    net = torch.nn.Linear(2, 1)
    with pytest.raises(viz.NanFound) as caught, viz.watch(net):
        for batch in torch.utils.data.DataLoader([{"pixels": Rows()[i]} for i in range(12)], batch_size=4):
            net.zero_grad()
            net(batch["pixels"]).sum().backward()
    assert "batch['pixels'] is nan at (3, 0), 2 of 8 elements" in str(caught.value)


def test_tensors_without_a_module_are_watched_by_their_names():
    w = torch.zeros(2, requires_grad=True)
    with pytest.raises(viz.NanFound) as caught, viz.watch(names={"w": w, "rate": 0.1}):
        torch.sqrt((w**2).sum()).backward()
    assert caught.value.report.reaches == ("w",)


@pytest.mark.parametrize("every", [3, 7])
def test_with_every_each_step_is_looked_at(every):
    net = torch.nn.Linear(2, 1)
    with pytest.raises(viz.NanFound) as caught, viz.watch(net, every=every):
        for i in range(20):
            net.zero_grad()
            torch.log(net(torch.ones(1, 2)).sum() * 0 + (1.0 if i < 8 else -1.0)).backward()
    assert caught.value.step == 8


def test_an_error_with_its_report_is_pickled_and_its_report_is_a_page(tmp_path):
    w = torch.zeros(2, requires_grad=True)
    with pytest.raises(viz.NanFound) as caught, viz.watch(names={"w": w}):
        torch.sqrt((w**2).sum()).backward()
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.report.repair.lines == caught.value.report.repair.lines
    page = again.report._repr_html_()
    assert "vector_norm" in page and "of w" in page
    for one, name in ((caught.value, "error.html"), (again, "again.html"), (again.report, "report.html")):
        text = one.to_html(tmp_path / name)
        assert text == (tmp_path / name).read_text(encoding="utf-8") and page in text
        assert text.startswith("<!doctype html>") and text.endswith("</body></html>")
    assert "<h1>Step 0</h1>" in again.to_html()
    assert "<p>it grows by &lt;2&gt;.</p>" in viz.NanFound(3, None, "the loss is nan", "it grows by <2>").to_html()


@pytest.mark.parametrize("start", [1.0, 0.0])
def test_a_function_that_is_computed_again_in_the_backward_pass_is_recorded_once(start):
    from torch.utils.checkpoint import checkpoint

    x = torch.full((3,), start, requires_grad=True)
    report = viz.trace_nan(lambda x: checkpoint(torch.log, x, use_reentrant=False).sum(), x).report
    assert (bool(report), report.op) == ((False, "") if start else (True, "log"))
    with torch.enable_grad():
        y = checkpoint(torch.log, torch.ones(2, requires_grad=True), use_reentrant=False).sum()
        y.backward()


def test_a_spectral_norm_is_recorded():
    layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(4, 2))
    assert not viz.trace_nan(lambda x: layer(x).sum(), torch.randn(3, 4)).report
