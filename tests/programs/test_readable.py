"""The program of a computation: what it says, that it runs by itself, and that it gives the engine's bytes."""

import ast
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

import minigrad as mg
from minigrad import source
from minigrad.core.op import OPS
from minigrad.programs.expressions import spell_constant
from minigrad.tracing.names import identifier
from tests.helpers.random_shapes import shaped_arrays, shaped_programs
from tests.programs.contract import bits


def assert_same_as_engine(y, xs):
    value, gradients = source(y, xs).run()
    assert bits(value, y.value)
    for x, ours, theirs in zip(xs, gradients, mg.gradients(y, xs)):
        assert bits(ours, theirs if theirs is None else theirs.value), (source(y, xs).text, x)


# What it gives.


@settings(max_examples=150)
@given(shaped_programs(), shaped_arrays())
def test_the_source_of_any_program_gives_the_gradients_of_the_engine_bit_for_bit(f, arrays):
    xs = [mg.constant(a) for a in arrays]
    assert_same_as_engine(f(*xs), xs)


@settings(max_examples=60)
@given(shaped_programs(most=5), shaped_arrays())
def test_and_so_does_the_source_of_a_gradient(f, arrays):
    xs = [mg.constant(a) for a in arrays]
    first = mg.gradients(f(*xs), xs, unconnected_gradients="zero")[0]
    assert_same_as_engine(mg.sum(first * first), xs)


def run_text(program, *args, **kwargs):
    """The result of the printed text for these arguments, run as a reader would run it."""
    space = {}
    exec(program.text, space)
    name = program.text.split("\ndef ")[-1].partition("(")[0]
    with np.errstate(all="ignore"):
        return space[name](*args, **kwargs, **program.inputs)


@pytest.mark.filterwarnings("ignore:the gradient of:UserWarning")
@settings(max_examples=60)
@given(shaped_programs(), shaped_arrays())
def test_what_is_printed_is_what_runs_bit_for_bit(f, arrays):
    step = mg.value_and_grad(f, (0, 1))
    program = source(step, *arrays)
    value, gradients = run_text(program, *arrays)
    for ours, text, engine in zip([*program(*arrays)[1]], gradients, step(*arrays)[1]):
        assert bits(ours, engine) and bits(text, engine), program.text
    assert bits(value, step(*arrays)[0])


def test_what_is_added_to_a_sum_is_added_up_first():
    @mg.custom_gradient
    def sum_and_gap(x, b):
        return (x + b, x - b), lambda d, e: (d + e, mg.sum(d - e))

    def loss(x):
        t, u = sum_and_gap(x, mg.sum(x) * 0.25)
        return mg.sum(mg.sum(x) * 0.25 * (t * u))

    step, x = mg.grad(loss), np.float32([1.09375])
    program = source(step, x)
    assert "= d_x + (d_t + d_u)" in program.text
    assert bits(run_text(program, x), step(x))


@pytest.mark.filterwarnings("ignore:the gradient of:UserWarning")  # some results do not depend on an input
@settings(max_examples=25)
@given(shaped_programs(most=4), shaped_arrays())
def test_so_it_is_with_second_derivatives(f, arrays):
    step = mg.grad(lambda *xs: mg.sum(mg.square(mg.grad(f)(*xs))), (0, 1))
    program = source(step, *arrays)
    for ours, text, engine in zip(program(*arrays), run_text(program, *arrays), step(*arrays)):
        assert bits(ours, engine) and bits(text, engine), program.text


def test_sums_run_over_memory_in_the_order_of_the_engine():
    """What is spread back from a reduction is a copy in C order, beside which a transposed array loses its order."""
    x = mg.constant(np.array([[0, 0, 0], [0, 1, 0.5]], np.float32))
    a = mg.transpose(mg.reshape(x, (3, 2)))
    first = mg.gradients(mg.sum(mg.logsumexp(a, keepdims=True) * a), [x])[0]
    assert_same_as_engine(mg.sum(first * first), [x])


def differentiable(a):
    return isinstance(a, float) or (isinstance(a, list) and np.asarray(a).dtype.kind == "f")


def test_every_op_has_a_source_to_second_order(sampled, subtests):
    names = [op.name for op in OPS.values() if op.facts.samples and op.name != "recompute"]
    assert len(names) > 190
    for name in sampled(names, 60):
        with subtests.test(name):
            for sample in OPS[name].facts.samples:
                check_op(OPS[name], sample)


def check_op(op, sample):
    options = sample[-1] if isinstance(sample[-1], dict) else {}
    args = sample[:-1] if options else sample
    args = [mg.constant(a, "float64") if differentiable(a) else a for a in args]
    xs = [a for a in args if isinstance(a, mg.Tensor)]
    try:
        outputs = op.call(*args, **options)
    except (TypeError, ValueError, KeyError):
        return  # called in another way, which other tests do
    for y in outputs if isinstance(outputs, (tuple, list)) else [outputs]:
        if not isinstance(y, mg.Tensor) or y.dtype.kind != "f" or not xs:
            continue
        y = mg.sum(y * y)
        assert_same_as_engine(y, xs)
        first = [g for g in mg.gradients(y, xs) if g is not None]
        if first:
            assert_same_as_engine(mg.sum(first[0] * first[0]), xs)


def test_inputs_can_be_given_other_values():
    x, w = mg.constant(np.array([0.5, 1.0])), mg.constant(np.array([1.0, 2.0]))
    s = source(mg.sum(mg.tanh(x) * w), names=locals())
    value, (dx, _) = s.run(x=np.array([0.1, 0.2]), w=np.array([1.0, 1.0]))
    x = mg.constant(np.array([0.1, 0.2]))
    y = mg.sum(mg.tanh(x))
    assert bits(value, y.value) and bits(dx, mg.gradients(y, x)[0].value)


def test_an_input_of_another_shape_is_refused():
    x = mg.constant([1.0, 2.0])
    with pytest.raises(ValueError, match=r"the program was written for x of shape \(2,\), got shape \(3,\)"):
        source(mg.sum(x * x), names=locals()).run(x=np.ones(3))


def test_the_text_runs_by_itself_with_numpy_alone(tmp_path):
    s = source(mg.grad(lambda x, k: mg.sum(mg.erf(mg.conv(x, k)))), np.ones((1, 3, 3, 1)), np.ones((2, 2, 1, 1)))
    file = tmp_path / "alone.py"
    name = s.text.split("\ndef ")[-1].partition("(")[0]
    file.write_text(f"{s.text}\n\nprint({name}(np.ones((1, 3, 3, 1)), np.ones((2, 2, 1, 1))).sum())\n")
    done = subprocess.run([sys.executable, "-I", file], capture_output=True, text=True, check=True)
    assert float(done.stdout) == pytest.approx(float(np.sum(s())))
    imported = {a.name for n in ast.walk(ast.parse(s.text)) if isinstance(n, ast.Import) for a in n.names}
    assert imported <= {"numpy", "math"}


# What it says.


def body(s):
    return s.text.split("\ndef ")[-1].partition("):\n")[2]


def test_a_custom_rule():
    @mg.custom_gradient
    def log1pexp(x):
        e = mg.exp(x)

        def grad(dy):
            return dy * (1 - 1 / (1 + e))

        return mg.log(1 + e), grad

    assert (
        body(source(mg.value_and_grad(log1pexp), np.float64(100.0)))
        == """\
    e = np.exp(x)
    t1 = 1 + e
    value = np.log(t1)

    # grad of log1pexp
    d_value = 1.0
    d_x = d_value * (1 - 1 / t1)
    return value, d_x"""
    )


def test_a_network_of_two_layers():
    def loss(params, x, t):
        h = mg.tanh(x @ params["W1"] + params["b1"])
        y = h @ params["W2"] + params["b2"]
        return mg.mean((y - t) ** 2)

    rng = np.random.default_rng(0)
    params = {"W1": rng.normal(size=(3, 4)), "b1": np.zeros(4), "W2": rng.normal(size=(4, 2)), "b2": np.zeros(2)}
    s = source(mg.value_and_grad(loss), params, rng.normal(size=(8, 3)), rng.normal(size=(8, 2)))
    assert "def value_and_grad_of_loss(params, x, t):" in s.text
    assert (
        body(s)
        == """\
    t1 = x @ params['W1'] + params['b1']
    h = np.tanh(t1)
    y = h @ params['W2'] + params['b2']
    t2 = y - t
    value = np.sum(t2 * t2) / 16

    # value = np.sum(t2 * t2) / 16
    d_value = 1.0
    d_y = d_value / 16 * (2 * t2)
    # y = h @ params['W2'] + params['b2']
    d_b2 = np.sum(d_y, axis=0)
    d_h = d_y @ params['W2'].T
    d_W2 = h.T @ d_y
    # h = np.tanh(t1)
    d_t1 = d_h * np.square(1 / np.cosh(t1))
    # t1 = x @ params['W1'] + params['b1']
    d_b1 = np.sum(d_t1, axis=0)
    d_W1 = x.T @ d_t1
    return value, {'W1': d_W1, 'b1': d_b1, 'W2': d_W2, 'b2': d_b2}"""
    )


def rnn(params, xs):
    h = np.zeros(4)
    for x in xs:
        h = mg.tanh(x @ params["U"] + h @ params["W"])
    return mg.sum(h * h)


def test_a_network_on_one_example_has_outer_products_and_adjoints_with_the_users_names():
    def network(W1, b1, W2, b2, x, y):
        z1 = x @ W1 + b1
        h1 = mg.tanh(z1)
        z2 = h1 @ W2 + b2
        loss = mg.sum((z2 - y) ** 2)
        return loss

    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape) for shape in ((3, 4), 4, (4, 2), 2, 3, 2)]
    s = source(mg.value_and_grad(network, (0, 1, 2, 3)), *arrays)
    assert (
        body(s)
        == """\
    z1 = x @ W1 + b1
    h1 = np.tanh(z1)
    z2 = h1 @ W2 + b2
    t1 = z2 - y
    loss = np.sum(t1 * t1)

    # loss = np.sum(t1 * t1)
    d_loss = 1.0
    d_z2 = d_loss * (2 * t1)
    # z2 = h1 @ W2 + b2
    d_h1 = W2 @ d_z2
    d_W2 = np.outer(h1, d_z2)
    # h1 = np.tanh(z1)
    d_z1 = d_h1 * np.square(1 / np.cosh(z1))
    # z1 = x @ W1 + b1
    d_W1 = np.outer(x, d_z1)
    return loss, (d_W1, d_z1, d_W2, d_z2)"""
    )


def test_turns_of_a_loop_are_numbered_and_products_of_vectors_are_outer_products():
    rng = np.random.default_rng(0)
    params, xs = {"U": rng.normal(size=(3, 4)), "W": rng.normal(size=(4, 4))}, list(rng.normal(size=(3, 3)))
    text = body(source(mg.value_and_grad(rnn), params, xs))
    assert "    t3 = xs[2] @ params['U'] + h_1 @ params['W']\n    h_2 = np.tanh(t3)\n" in text
    assert "    d_U = np.outer(xs[2], d_t3)\n" in text and "    d_U += np.outer(xs[1], d_t2)\n" in text


def test_of_a_long_loop_two_turns_and_the_last_are_printed():
    rng = np.random.default_rng(0)
    params, xs = {"U": rng.normal(size=(3, 4)), "W": rng.normal(size=(4, 4))}, list(rng.normal(size=(60, 3)))
    s = source(mg.value_and_grad(rnn), params, xs)
    assert (
        str(s).partition("):\n")[2]
        == """\
    t1 = xs[0] @ params['U'] + np.zeros(4) @ params['W']
    h_0 = np.tanh(t1)
    t2 = xs[1] @ params['U'] + h_0 @ params['W']
    h_1 = np.tanh(t2)
    t3 = xs[2] @ params['U'] + h_1 @ params['W']
    # ... iterations 3 to 58 of 59, 112 lines, are left out here
    h_58 = np.tanh(t59)
    t60 = xs[59] @ params['U'] + h_58 @ params['W']
    h_59 = np.tanh(t60)
    value = np.sum(h_59 * h_59)

    # value = np.sum(h_59 * h_59)
    d_value = 1.0
    t61 = d_value * h_59
    d_h_59 = t61 + t61
    # h_59 = np.tanh(t60)
    d_t60 = d_h_59 * np.square(1 / np.cosh(t60))
    # t60 = xs[59] @ params['U'] + h_58 @ params['W']
    d_h_58 = params['W'] @ d_t60
    d_W = np.outer(h_58, d_t60)
    d_U = np.outer(xs[59], d_t60)
    # h_58 = np.tanh(t59)
    d_t59 = d_h_58 * np.square(1 / np.cosh(t59))
    # t59 = xs[58] @ params['U'] + h_57 @ params['W']
    d_h_57 = params['W'] @ d_t59
    d_W += np.outer(h_57, d_t59)
    d_U += np.outer(xs[58], d_t59)
    # h_57 = np.tanh(t58)
    d_t58 = d_h_57 * np.square(1 / np.cosh(t58))
    # t58 = xs[57] @ params['U'] + h_56 @ params['W']
    d_h_56 = params['W'] @ d_t58
    d_W += np.outer(h_56, d_t58)
    d_U += np.outer(xs[57], d_t58)
    # ... iterations 3 to 57 of 58, 330 lines, are left out here
    # h_1 = np.tanh(t2)
    d_t2 = d_h_1 * np.square(1 / np.cosh(t2))
    # t2 = xs[1] @ params['U'] + h_0 @ params['W']
    d_h_0 = params['W'] @ d_t2
    d_W += np.outer(h_0, d_t2)
    d_U += np.outer(xs[1], d_t2)
    # h_0 = np.tanh(t1)
    d_t1 = d_h_0 * np.square(1 / np.cosh(t1))
    # t1 = xs[0] @ params['U'] + np.zeros(4) @ params['W']
    d_W += np.outer(np.zeros(4), d_t1)
    d_U += np.outer(xs[0], d_t1)
    return value, {'U': d_U, 'W': d_W}"""
    )
    assert "h_30 = " in s.text and "h_30 = " not in str(s) and "h_59 = " in str(s)


def test_the_second_derivative_of_sin():
    assert (
        body(source(mg.grad(mg.grad(mg.sin)), np.float64(0.5)))
        == """\
    value = np.sin(x)

    # value = np.sin(x)
    d_value = 1.0
    d_x = -(d_value * d_value) * value
    return d_x"""
    )


def test_reading_elements_adds_to_one_adjoint():
    text = body(source(mg.grad(lambda x: x[0] * x[1] + mg.sin(x[2])), np.ones(3)))
    assert text.count("np.zeros(3)") == 1 and "    d_x[1] += " in text


def test_the_users_names_are_used():
    def layer(x, w, b):
        z = x @ w + b
        h = mg.exp(z)
        return mg.sum(h)

    text = body(source(mg.grad(layer, (0, 1, 2)), np.ones((2, 3)), np.ones((3, 4)), np.ones(4)))
    assert "    h = np.exp(z)\n" in text and "    d_z = " in text


def test_names_of_tensors_come_from_locals():
    speed = mg.constant([1.0, 2.0])
    energy = mg.sum(speed * speed)
    text = source(energy, speed, names=locals()).text
    assert "def value_and_gradients(speed):" in text and "energy = np.sum(" in text


def test_arrays_among_the_locals_are_parameters_too():
    speed, mass = mg.constant(np.array([1.0, 2.0])), np.array([3.0, 4.0])
    s = source(mg.sum(speed * mass), speed, names=locals())
    assert "def value_and_gradients(speed, mass):" in s.text and s.run(mass=np.ones(2))[1][0].tolist() == [1.0, 1.0]


def test_each_step_says_above_it_which_line_it_belongs_to():
    text = body(source(mg.grad(lambda x: mg.sum(mg.exp(x) * x)), np.ones(3)))
    assert "    # value = np.sum(t1 * x)\n    d_value = 1.0\n" in text or "    # t1 = np.exp(x)\n" in text


def test_unbroadcasting_is_written_out():
    text = body(source(mg.grad(lambda x, b: mg.sum(mg.sin(x + b)), 1), np.ones((2, 3)), np.ones(3)))
    assert "axis=0)" in text


def test_dead_code_is_left_out_and_common_subexpressions_are_shared():
    def f(x):
        unused = mg.exp(x)  # noqa: F841
        return mg.sum(mg.sin(x) * mg.sin(x))

    text = body(source(f, np.ones(3)))
    assert "np.exp" not in text and len(re.findall(r"np\.sin\(x\)", text)) == 1


def test_large_constants_are_parameters_with_the_names_of_the_user():
    data = np.linspace(0, 1, 50) ** 2
    s = source(mg.grad(lambda x: mg.sum(x * data)), np.ones(50))
    assert "(x, data):" in s.text and bits(s.inputs["data"], data) and bits(s(), data)


def test_a_float32_constant_in_float64_code_keeps_its_digits():
    s = source(lambda x: x * np.float32(0.1), np.ones(2))
    assert "x * 0.10000000149011612" in s.text and bits(run_text(s, np.ones(2)), np.ones(2) * np.float32(0.1))


def test_integer_arguments_are_parameters():
    s = source(mg.grad(lambda x, rows: mg.sum(x[rows])), np.arange(4.0), np.array([0, 0, 3]))
    assert "(x, rows):" in s.text and s(np.arange(4.0), np.array([1, 1, 1])).tolist() == [0, 3, 0, 0]


def test_variables_are_parameters_with_their_names():
    w = mg.Variable(np.array([1.0, 2.0]), name="weights_of_source")
    assert "def value_and_gradients(weights_of_source):" in source(mg.sum(w * w)).text
    s = source(lambda x: mg.sum(w * x), np.ones(2))
    assert "(x, weights_of_source):" in s.text
    w.assign([3.0, 4.0])
    assert float(s(np.ones(2))) == 7.0 and bits(s.inputs["weights_of_source"], w.value)


def test_unconnected_inputs_have_no_gradient():
    x, z = mg.constant(np.ones(2)), mg.constant(np.ones(3))
    s = source(mg.sum(x), [x, z], names=locals())
    assert s.text.endswith("[d_x, None]") and s.run()[1][1] is None


def test_it_prints_as_itself_and_is_highlighted_in_a_notebook():
    s = source(lambda x: x * x, 3.0)
    assert str(s) == s.text and s._repr_markdown_().startswith("```python\nimport numpy as np\n")


def test_arguments_are_reached_as_in_the_code():
    s = source(lambda p, *xs: mg.sum(p["w"] * xs[1]), {"w": np.ones(2), "b": np.ones(2)}, np.ones(2), np.ones(2))
    assert "(p, *xs):" in s.text and "p['w'] * xs[1]" in s.text


def test_arguments_are_given_by_position_or_by_name():
    def f(x, scale, shift=0.0):
        return x * scale + shift

    x = np.ones(2)
    for program in (source(f, x, 2.0), source(f, x=x, scale=2.0), source(f, x, scale=2.0)):
        assert (
            program(x, 3.0).tolist() == program(x, scale=3.0).tolist() == program(scale=3.0, x=x).tolist() == [3.0, 3.0]
        )


# What it refuses.


@pytest.mark.parametrize("other", [np.ones(3), np.ones(2, np.float32), np.ones((2, 2)).T[0], [1.0, 2.0], 1.0])
def test_arguments_of_another_kind_are_refused(other):
    program = source(lambda x: x * 2.0, np.ones(2))
    with pytest.raises(
        mg.NotAProgram, match="was written for arguments with a different structure, shape, layout or dtype"
    ):
        program(other)


def test_what_is_neither_a_tensor_nor_a_function_is_refused():
    with pytest.raises(TypeError, match="source takes a Tensor or a function, got 3 of type int"):
        source(3)


def test_an_unknown_input_is_named():
    x = mg.constant(3.0)
    with pytest.raises(TypeError, match="the program has no input z; it has x"):
        source(x * x, names=locals()).run(z=1.0)


def test_identifiers_are_free_and_legal():
    assert identifier("layer/w", {"layer_w"}) == "layer_w_1"
    assert identifier("lambda") == "x_lambda" and identifier("3rd") == "x_3rd"


@pytest.mark.parametrize(
    "value",
    [
        np.float32(0.1),
        np.float64(-0.0),
        np.int32(3),
        np.array([np.nan, np.inf, -np.inf]),
        np.array([-0.0]),
        np.zeros((2, 3)),
        np.full(4, np.float32(0.1)),
        np.eye(3, dtype=np.float32),
        np.arange(6).reshape(2, 3),
        np.array([True, False]),
    ],
)
def test_a_constant_is_spelled_so_that_python_reads_the_same_bits(value):
    assert bits(eval(spell_constant(value), {"np": np}), value)
