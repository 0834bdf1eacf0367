"""The page computes what the engine computes: ops at their samples, ufuncs at edge cases, random programs."""

import json
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
import viz
from minigrad.core.backward import backward, start
from minigrad.core.tensor import next_serial
from minigrad.tracing.recorder import backward_trace
from tests.helpers.node import RUN_TAPES, TAPE, numbers, run_js, words
from tests.helpers.op_samples import SAMPLES, floats, function, tensors
from tests.helpers.random_programs import programs
from viz.drag.followed_page import draggable
from viz.drag.lowering import CHOICES, UFUNCS
from viz.drag.page_tape import NotFollowed
from viz.drag.replayed import CalledWith
from viz.hosts.html import INSTRUCTIONS, parts_of

#: Ops that the page cannot compute at some of their samples: linear algebra, the gamma function, and a quotient that
#: no gradient reaches.
BEYOND = {
    "inv", "matrix_power", "condition_number", "solve", "triangular_solve", "det", "cofactor", "inverse_or_inf",
    "slogdet", "logdet", "cholesky", "eigh", "eigvalsh", "svd", "svdvals", "norm", "lstsq", "qr", "gammaln",
    "polygamma", "pinv", "divmod",
}  # fmt: skip
#: Where the function is not called again, its indices stay as recorded.
INDEXED = {"interp"}
#: Clipped at the ends of its range, so that the last digit of a sum decides.
BY_A_DIGIT = {"corrcoef"}
CLOSE = {"float64": 1e-11, "float32": 3e-4, "float16": 3e-2}


def told(y, trace, xs):
    """The value of y and every adjoint, by number of the node, as the engine computes them."""
    ids = trace.node_of
    with np.errstate(all="ignore"):
        steps = []
        backward(start([y], [np.ones(y.shape, y.dtype)[()]], xs), lambda *step: steps.append(step))
    adjoints = {ids[n.serial]: g for n, g, _ in steps if n.serial in ids and not isinstance(g, dict)}
    return np.ravel(y.value), adjoints


class Job:
    """One program, the settings of its inputs, and what the engine gives for each."""

    def __init__(self, f, values, others, call=False, name=""):
        self.name = name
        xs = [mg.constant(v) for v in values]
        since = next_serial()
        y = f(*xs).read_value()
        trace = backward_trace(y)
        names = {f"x{i}": x for i, x in enumerate(xs)}
        again = CalledWith(lambda **given: f(*given.values()), names, since) if call else None
        self.data = draggable(y, trace, again)
        json.dumps(self.data, allow_nan=False)
        ids = trace.node_of
        place = {ids[x.serial]: i for i, x in enumerate(xs) if x.serial in ids}
        self.settings, self.expected = [], []
        adjoints = {node: cell for node, ghost, cell, _ in self.data["steps"] if not ghost}
        for now in (values, *others):
            inputs = [(place[node], cell) for node, cell in self.data["inputs"] if node in place]
            self.settings.append({cell: words(now[i]) for i, cell in inputs})  # a number made by an op stays
            xs = [mg.constant(v) for v in now]
            y = f(*xs).read_value()
            self.expected.append(told(y, backward_trace(y), xs))
        self.wanted = [self.data["nodes"][trace.steps[0].node], *(adjoints[n] for n in self.expected[0][1])]

    @property
    def request(self):
        return {"code": self.data["code"], "settings": self.settings, "wanted": self.wanted}


def check(jobs, close):
    for job, answer in zip(jobs, run_js(TAPE, RUN_TAPES, [job.request for job in jobs])):
        for cells, (y, adjoints) in zip(answer, job.expected):
            pairs = [(numbers(cell), np.ravel(x).astype(float)) for cell, x in zip(cells, [y, *adjoints.values()])]
            finite = [np.abs(x[np.isfinite(x)]).max(initial=0) for _, x in pairs]
            for got, want in pairs:
                assert got.shape == want.shape
                np.testing.assert_allclose(got, want, rtol=close, atol=close * max(1, *finite), err_msg=job.name)


def moved(values, rng):
    """The values, each changed by up to three percent."""
    return [(v * (1 + 0.03 * rng.uniform(-1, 1, np.shape(v)))).astype(v.dtype) for v in values]


@pytest.mark.cases(1)
@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_the_page_computes_each_op_at_its_samples_and_nearby_or_says_why_not(dtype, called):
    rng, jobs, beyond = np.random.default_rng(0), [], defaultdict(list)
    for op, sample in SAMPLES:
        f, values = function(op, sample), [x.value for x in tensors(sample, dtype)]
        if op.name in BEYOND and dtype == "float16":
            continue  # NumPy has no linear algebra there
        for k in range(len(floats(f(*map(mg.constant, values))))):
            try:
                job = Job(lambda *xs, f=f, k=k: floats(f(*xs))[k], values, [moved(values, rng)], called, op.name)
            except NotFollowed as reason:
                beyond[op.name].append(str(reason))
            else:
                jobs += [job] if op.name not in BY_A_DIGIT | (set() if called else INDEXED) else []
    check(jobs, CLOSE[dtype])
    assert set(beyond) == (BEYOND if dtype != "float16" else set())
    assert all(len(reason) > 20 for reasons in beyond.values() for reason in reasons)


def test_a_page_has_the_files_of_its_instructions():
    body = "return [...Object.keys(ONE), ...Object.keys(TWO), ...MORE.flatMap((more) => Object.keys(more({})))]"
    common, *more = ({*run_js(files, body, 0)} for files in (["tape"], ["tape", "arrays"], ["tape", "rare"]))
    assert [names - common for names in more] == [INSTRUCTIONS["arrays"], INSTRUCTIONS["rare"]]
    matrix = viz.backward(lambda x, w: mg.sum(x @ w), x=[[1.0]], w=[[2.0]]).data()[0]
    single, rare = (viz.backward(f, x=1.5).data()[0] for f in (mg.tanh, lambda x: mg.erf(x) % 2.0))
    assert [[file for file in TAPE if file in parts_of(view, ())] for view in (single, matrix, rare)] == [
        ["tape"], ["tape", "arrays"], ["tape", "rare"]
    ]  # fmt: skip


AWKWARD = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 1.5, 3.0, 88.72, 88.73, -104.0, 709.78]
AWKWARD += [709.79, 65504.0, 1e-45, -1e-8, 1e-320, 1e30, 0.1, 7.3, -3.7]


@pytest.mark.parametrize(("dtype", "type"), [("float32", "f"), ("float64", "d"), ("float16", "e")])
def test_each_ufunc_is_numpys_at_edge_cases(dtype, type):
    with np.errstate(all="ignore"):
        one = np.array(AWKWARD, dtype)
        a, b = (np.ravel(m) for m in np.meshgrid(one, one))
        jobs, wanted = [], []
        for ufunc, name in UFUNCS.items():
            if ufunc.__name__.startswith(("bitwise", "invert")):
                continue
            args = (one,) if ufunc.nin == 1 else (a, b)
            code = [["in", type, words(x)] for x in args]
            code.append([CHOICES.get((ufunc, one.dtype.char), name), *range(len(args))])
            jobs.append({"code": code, "settings": [{}], "wanted": [len(args)]})
            wanted.append((name, args, ufunc(*args)))
    worst = {"float32": 4 * 2**-23, "float64": 4 * 2**-52, "float16": 2**-10}[dtype]
    for ((cell,),), (name, args, want) in zip(run_js(TAPE, RUN_TAPES, jobs), wanted):
        got, want = numbers(cell), want.astype(float)
        tiny = float(np.finfo(dtype).smallest_subnormal) * 4
        same = np.isclose(got, want, rtol=worst, atol=tiny, equal_nan=True)
        assert same.all(), (name, [x[~same][:3] for x in args], got[~same][:3], want[~same][:3])
        zeros = (got == 0) & (want == 0) & (np.signbit(got) != np.signbit(want))
        assert name == "lae" or not zeros.any(), (name, [x[zeros][:3] for x in args])


#: Functions that reveal the sign of a 0, with inputs of three elements or one.
SIGNED = {
    "sum": lambda x, w: mg.sum(-x), "mean": lambda x, w: mg.mean(-x), "rows": lambda x, w: mg.sum(-mg.stack([x, x]), 0),
    "product": lambda x, w: mg.prod(-x), "running sum": lambda x, w: mg.cumsum(mg.ravel(-x)),
    "maximum": lambda x, w: mg.maximum(x, -x), "minimum": lambda x, w: mg.minimum(-x, x),
    "other maximum": lambda x, w: mg.maximum(-x, w), "minimum with 0": lambda x, w: mg.minimum(0.0, x),
    "largest": lambda x, w: mg.max(mg.stack([x, -x, w])), "smallest": lambda x, w: mg.min(mg.stack([-w, x])),
    "largest of rows": lambda x, w: mg.max(mg.stack([x, -x]), 0), "clip": lambda x, w: mg.clip(-x, 0.0, 1.0),
    "clip below": lambda x, w: mg.clip(x, 0.0, None), "clip above": lambda x, w: mg.clip(x, None, -0.0),
    "bounds of the shape of x": lambda x, w: mg.clip(x, -w, w), "relu": lambda x, w: mg.relu(x),
    "products": lambda x, w: mg.einsum("...,...->...", x, w),
    "a sum of products": lambda x, w: mg.ravel(x) @ mg.ravel(w),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_each_zero_has_the_sign_that_numpy_gives_it(dtype):
    jobs = []
    for name, f in SIGNED.items():
        for shape in ((), (3,)) if name not in ("largest", "smallest") else ((),):
            signs = [
                [np.full(shape, v, dtype)[()] for v in pair]
                for pair in ((0.0, 0.0), (0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0))
            ]
            ones = [np.ones(shape, dtype)[()]] * 2
            jobs.append(Job(lambda x, w, f=f: mg.sum(1 / f(x, w)), ones, signs, name=f"{name} {shape}"))
    check(jobs, 1e-6)


@settings(max_examples=12, deadline=None)
@given(programs(most=10), st.integers(0, 2**32 - 1), st.sampled_from(["float32", "float64", "float16"]), st.booleans())
def test_random_programs_are_followed_to_other_inputs(f, seed, dtype, called):
    rng = np.random.default_rng(seed)
    points = [[rng.normal(size=3).astype(dtype) * scale for _ in range(2)] for scale in (1, 1, 3)]
    check([Job(f, points[0], points[1:], call=called)], CLOSE[dtype])


def test_layers_products_and_windows_are_followed():
    rng = np.random.default_rng(0)
    x, w, b = rng.normal(size=(4, 3)), rng.normal(size=(3, 2)), rng.normal(size=2)
    programs = [
        lambda x, w, b: mg.mean(mg.tanh(x @ w + b) ** 2),
        lambda x, w, b: mg.sum(mg.softmax(x @ w + b, axis=1)[:, 0]),
        lambda x, w, b: mg.sum(mg.concatenate([x @ w, mg.stack([b, b * b])], 0) ** 3),
        lambda x, w, b: mg.sum(mg.einsum("ij,jk->ki", x, w)[:, ::2] * b[:, None]),
        lambda x, w, b: sum(mg.sum(mg.exp(row)) for row in mg.split(x @ w, 2, 0)) + mg.max(b),
    ]
    values = [x, w, b]
    others = [moved(values, rng), [rng.normal(size=v.shape) for v in values]]
    check([Job(f, values, others, call=called) for f in programs for called in (False, True)], 1e-11)


@mg.custom_gradient
def log1pexp(x):
    e = mg.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + e))

    return mg.log(1 + e), grad


@pytest.mark.parametrize("called", [False, True])
def test_a_custom_rule_is_followed_with_what_it_captured(called):
    check(
        [Job(log1pexp, [np.float32(80.0)], [[np.float32(v)] for v in (0.0, 89.0, np.nan, -np.inf)], call=called)], 1e-6
    )


def fixed(f, *values):
    """The sentence that says why a function cannot be followed."""
    with pytest.raises(NotFollowed) as found:
        Job(f, [np.array(v) for v in values], [], call=True)
    return str(found.value)


def test_what_cannot_be_followed_is_named_with_its_line():
    leaving = lambda x: x * float(x)
    assert fixed(leaving, 2.0).endswith(f"(line {leaving.__code__.co_firstlineno})")
    assert "out of an array" in fixed(lambda x: mg.exp(x.value) * x, 2.0)
    assert "its length depends on numbers" in fixed(lambda x: mg.sum(x[x > 1]), [1.0, 2.0])
    two = lambda x: x[mg.argmax(x, 0), mg.argmin(x, 0)]
    assert "an index depends on numbers" in fixed(lambda x: mg.sum(two(x)), np.eye(2))
    assert fixed(mg.round, 2.5) == fixed(mg.stop_gradient, 2.5) == "no gradient reaches an input"
    draws = np.random.default_rng(0)
    assert "different numbers when it is called again" in fixed(lambda x: x * draws.normal(), 2.0)
    for size in (0, 65):
        assert fixed(lambda x: mg.sum(x), np.ones(size)) == "no input has 1 to 64 elements"
    assert "more than 4096" in fixed(lambda x: mg.sum(x * np.arange(5000.0)), 2.0)
    assert "svd" in fixed(lambda x: mg.sum(mg.svdvals(x)), np.eye(2))


def test_a_leak_in_a_rule_is_named():
    @mg.custom_gradient
    def leaking(x):
        return mg.exp(x), lambda dy: dy * float(mg.exp(x))

    assert "out of an array" in fixed(leaking, 1.0)


def test_a_decision_is_a_guard_with_its_line():
    def f(x):
        if x > 1:
            return x * x
        return mg.exp(x)

    data = Job(f, [np.float64(2.0)], [], call=True).data
    ((cell, value, where),) = data["guards"]
    assert data["code"][cell][0] == "gt" and value == 1
    assert where == f"line {f.__code__.co_firstlineno + 1}"
    request = {"code": data["code"], "settings": [{0: [0.5]}], "wanted": [cell]}
    assert run_js(TAPE, RUN_TAPES, [request]) == [[[[0]]]]


def test_a_variable_and_what_was_made_before_the_call_are_inputs_too():
    w, v = mg.Variable(2.0, name="w"), mg.constant(3.0)
    before = mg.exp(v)
    x = mg.constant(1.0)
    since = next_serial()

    def f(x):
        return x * w + before

    y = f(x)
    data = draggable(y, backward_trace(y), CalledWith(f, {"x": x}, since))
    assert len(data["inputs"]) == 3
    assert (y.value, v.value, w.value) == (2 + np.exp(np.float32(3)), 3, 2)  # all stand for numbers again
