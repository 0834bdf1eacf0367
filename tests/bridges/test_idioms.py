"""Programs as documentation writes them, whose reports were false or a traceback."""

import pytest

import minigrad as mg
from minigrad.bridges.rebuilt_program import NotRecorded

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from minigrad.bridges.pytorch_recorder import record  # noqa: E402 - it imports torch

INF = float("inf")


def point(*numbers):
    return torch.tensor(numbers, requires_grad=True)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
def test_an_integer_count_is_a_divisor_as_a_float_is(dtype):
    lengths = torch.tensor([2, 0], dtype=dtype)
    report = mg.find_nan(lambda x: ((x * torch.tensor([[1, 1], [0, 0]])).sum(1) / lengths).sum(), torch.ones(2, 2))
    assert report.kind == "0 / 0" and "divide(0, 0) is nan" in str(report)
    assert report.repair.grade == "convention" and "min=1.0" in str(report.repair.rewrites), "a count of at least 1"
    inf = mg.find_nan(lambda x: (x / lengths).sum(), point(1.0, 2.0))
    assert "divide(2, 0) is inf" in str(inf) and "3.4e38" not in str(inf)


def test_a_constant_of_integers_and_inf_keeps_its_dtype_and_is_named():
    steps = torch.arange(3)
    report = mg.find_nan(lambda x: torch.softmax(x + (steps[None] - steps[:, None]) * INF, -1).sum(), point(1.0, 2, 3))
    assert report.kind == "input" and "outside the domain of add" not in str(report)


@pytest.mark.parametrize("name", ["relu", "elu", "abs", "maximum", "amax"])
@pytest.mark.parametrize("deep", [1, 6])
def test_a_nan_passes_backwards_where_it_does_in_pytorch(name, deep):
    call = {"maximum": lambda x: torch.maximum(x, torch.zeros(2)), "elu": torch.nn.functional.elu}
    f = call.get(name) or getattr(torch, name)

    def chain(x):
        y = torch.log(x)
        for _ in range(deep):
            y = f(y) * torch.tensor([1.0, 2.0])
        return y.sum()

    program = record(chain, (point(-1.0, 2.0),), {})
    assert program.wrong == [] and program.strange == ()
    assert mg.find_nan(chain, point(-1.0, 2.0)).repair.op == "log"


def test_rounding_of_float16_is_no_difference():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)).half()
    x = torch.randn(4, 8).half()
    loss = lambda: torch.softmax(net(x).float() * 3, -1).to(torch.float16).pow(2).sum().float().log()
    assert record(loss, (), {}).wrong == []


def test_an_infinity_without_another_cause_is_said_once():
    hidden = torch.tensor([0.0, -INF])
    report = mg.find_nan(lambda x: torch.logcumsumexp(torch.cat([hidden[1:], x]), 0)[0], point(1.0, 2.0))
    assert "The cause: no repair is known" not in str(report) and "No repair is known." in str(report)


def test_a_number_that_left_float32_is_no_question_of_a_path():
    x = point(1e20, 2e20)
    report = mg.find_nan(lambda x: torch.sin((x * x).sum()), x)
    assert "depends on the path" not in str(report) and "4e+40, which is above" in str(report)


def test_a_foreign_op_that_is_infinite_is_not_said_to_be_too_large():
    report = mg.find_nan(lambda x: torch.linalg.cond(x), torch.zeros(2, 2, requires_grad=True) + torch.eye(2)[:1])
    assert "too large" not in str(report) and "largest" not in str(report)
    inf = mg.find_nan(lambda x: torch.polygamma(1, x).sum(), point(0.0, 1.0))
    assert "polygamma(0) is inf" in str(inf) and "largest" not in str(inf)


def test_a_complex_input_is_refused_with_a_sentence():
    z = torch.zeros(2, dtype=torch.complex64, requires_grad=True)
    with pytest.raises(NotRecorded, match="a complex input is not recorded: pass its parts"):
        mg.find_nan(lambda z: z.abs().sum(), z)


@pytest.mark.parametrize("axes", [[1], [1, 2], (1, 2), [-1]])
def test_axes_in_a_list_are_axes(axes):
    x, mask = torch.ones(2, 2, 2, requires_grad=True), torch.tensor([[[1.0, 1.0]] * 2, [[0.0, 0.0]] * 2])
    report = mg.find_nan(lambda x: ((x * mask).sum(axes) / mask.sum(axes)).mean(), x)
    assert report.repair.grade == "convention" and "min=1.0" in str(report.repair.rewrites)
    assert mg.find_nan(lambda x: torch.log(x.mean(dim=axes) - 1).sum(), x).op == "log"


def test_the_kind_of_a_meeting_is_not_the_reason_of_another_op():
    """Infinite slopes of a root meet at a product of matrices: the root is at 0, and no inf - inf is in it."""
    rows = torch.tensor([[1.0, 2.0], [1.0, 2.0], [3.0, 1.0]], dtype=torch.bfloat16, requires_grad=True)

    def distances(x):
        gram = x @ x.T
        squares = gram.diagonal()
        return torch.sqrt(squares[:, None] + squares[None] - 2 * gram).float().sum()

    report = mg.find_nan(distances, rows)
    assert report.kind == "inf - inf" and report.repair.op == "sqrt" and report.repair.reason == "slope"


def test_operands_that_depend_on_each_other_are_differentiated_apart():
    rows = torch.tensor([[3.0, 1.0], [3.0, 2.0]], requires_grad=True)  # a tie, which PyTorch gives to the first
    program = record(lambda x: (x * torch.max(x, dim=0)[0]).sum(), (rows,), {})
    assert program.strange and program.wrong == []


def test_a_layer_inside_a_sequential_is_not_what_the_line_calls():
    judge = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Sigmoid())
    x = torch.full((1, 2), 1e4)
    report = mg.find_nan(lambda: torch.log(1 - judge(x).abs().round()).mean())
    assert not report.repair.lines
    report = mg.find_nan(lambda: torch.log(1 - judge(x)).sum())
    assert report.repair.op == "log" and not report.repair.lines and "logsigmoid(-x" not in str(report)


@pytest.mark.parametrize(
    "f, x, words",
    [
        (
            lambda a: torch.linalg.slogdet(a)[1],
            [[1.0, 2.0], [2.0, 4.0]],
            "the matrix is singular up to rounding, of rank 1 of 2",
        ),
        (torch.logdet, [[1.0, 0.0], [0.0, -2.0]], "its determinant is below 0, at -2"),
        (
            lambda a: torch.linalg.eigh(a)[1].sum(),
            [[3.0, 0.0], [0.0, 3.0]],
            "two of its eigenvalues are equal up to rounding, 3,",
        ),
        (
            lambda a: torch.linalg.svd(a)[0].sum(),
            [[2.0, 0.0], [0.0, 2.0]],
            "singular values are equal up to rounding, 2,",
        ),
    ],
)
def test_the_reason_of_a_decomposition_is_its_matrix(f, x, words):
    assert words in str(mg.find_nan(f, torch.tensor(x, requires_grad=True)))


def test_a_singular_matrix_is_named_in_jax():
    jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed")
    said = str(mg.find_nan(lambda a: jnp.linalg.inv(a).sum(), jnp.array([[1.0, 2.0], [2.0, 4.0]])))
    assert "linear_solve returns inf: the matrix is singular up to rounding, of rank 1 of 2" in said
    assert "pinv" in said and "differently" not in said
    said = str(mg.find_nan(lambda a: jnp.linalg.slogdet(a)[1], jnp.array([[1.0, 2.0], [2.0, 4.0]])))
    assert "slogdet of an array of shape (2, 2) is -inf: the matrix is singular" in said


def test_inf_times_0_in_jax_min_is_no_difference_of_infinities():
    jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed")
    report = mg.find_nan(lambda y: jnp.arccos(jnp.clip(y, -1, 1)).sum(), jnp.array([1.5, 0.5]))
    assert report.kind == "0 * inf" and "inf and -inf" not in str(report)


@pytest.mark.parametrize("used", [False, True])
def test_an_inf_that_the_result_depends_on_is_not_called_harmless(used):
    counts, labels = torch.tensor([3.0, 0.0]), torch.tensor([0, 0])

    def loss(z):
        w = 1 / counts
        w = w / w.sum() if used else w  # 0 for all classes that have examples
        return (w[labels] * torch.nn.functional.cross_entropy(z, labels, reduction="none")).mean()

    said = str(mg.find_nan(loss, torch.zeros(2, 2, requires_grad=True)))
    assert ("depend on an inf" in said) is used and ("nothing needs fixing" in said) is not used


def test_numbers_that_are_not_finite_are_counted_where_they_are_not_shown():
    rows = torch.ones(4, 2)
    rows[3] = 0
    report = mg.find_nan(lambda x: x.pow(2).sum(1).sqrt().sum(), rows.requires_grad_())
    assert "...; 2 of 8 not finite]" in str(report.repair.before) and "not finite" not in str(report.repair.after)
