"""The source of a computation: what it says, that it runs by itself, and that it gives the engine's gradients."""

import ast
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

import minigrad as mg
from minigrad import source
from minigrad.backward import backward
from minigrad.node import OPS
from minigrad.programs.passed import made_from
from minigrad.programs.spelling import identifier, spell_constant
from tests.linebyline import states
from tests.shaped import cubed, shaped_arrays, shaped_programs


def bits(a, b):
    """Whether two gradients are the same to the last bit, None included."""
    if a is None or b is None:
        return a is b
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def assert_same_as_engine(y, xs):
    value, gradients = source(y, xs).run()
    assert bits(value, y.value)
    for x, ours, theirs in zip(xs, gradients, mg.gradients(y, xs)):
        assert bits(ours, theirs if theirs is None else theirs.value), (source(y, xs).text, x)


# What it gives.


@settings(max_examples=150, deadline=None)
@given(shaped_programs(), shaped_arrays())
def test_the_source_of_any_program_gives_the_gradients_of_the_engine_bit_for_bit(f, arrays):
    xs = [mg.constant(a) for a in arrays]
    assert_same_as_engine(f(*xs), xs)


@settings(max_examples=60, deadline=None)
@given(shaped_programs(most=5), shaped_arrays())
def test_and_so_does_the_source_of_a_gradient(f, arrays):
    xs = [mg.constant(a) for a in arrays]
    first = mg.gradients(f(*xs), xs, unconnected_gradients="zero")[0]
    assert_same_as_engine(mg.sum(first * first), xs)


@settings(max_examples=40, deadline=None)
@given(shaped_programs(), shaped_arrays())
def test_a_function_and_its_arguments_have_the_source_of_its_value(f, arrays):
    xs = [mg.constant(a) for a in arrays]
    y = f(*xs)
    value, gradients = source(f, *arrays).run()
    assert bits(value, y.value)
    assert all(bits(g, t if t is None else t.value) for g, t in zip(gradients, mg.gradients(y, xs)))


def differentiable(a):
    return isinstance(a, float) or (isinstance(a, list) and np.asarray(a).dtype.kind == "f")


@pytest.mark.parametrize("name", [op.name for op in OPS.values() if op.samples and op.name != "recompute"])
def test_every_op_has_a_source_to_second_order(name):
    for sample in OPS[name].samples:
        options = sample[-1] if isinstance(sample[-1], dict) else {}
        args = sample[:-1] if options else sample
        args = [mg.constant(a, "float64") if differentiable(a) else a for a in args]
        xs = [a for a in args if isinstance(a, mg.Tensor)]
        try:
            outputs = OPS[name].call(*args, **options)
        except (TypeError, ValueError, KeyError):
            continue  # called in another way, which other tests do
        for y in outputs if isinstance(outputs, (tuple, list)) else [outputs]:
            if not isinstance(y, mg.Tensor) or y.dtype.kind != "f" or not xs:
                continue
            y = mg.sum(y * y)
            assert_same_as_engine(y, xs)
            first = [g for g in mg.gradients(y, xs) if g is not None]
            if first:
                assert_same_as_engine(mg.sum(first[0] * first[0]), xs)


def test_inputs_can_be_given_other_values():
    s = source(lambda x, w: mg.sum(mg.tanh(x) * w), np.array([0.5, 1.0]), np.array([1.0, 2.0]))
    x = mg.constant(np.array([0.1, 0.2]))
    value, (dx, _) = s.run(x=np.array([0.1, 0.2]), w=np.array([1.0, 1.0]))
    y = mg.sum(mg.tanh(x))
    assert bits(value, y.value) and bits(dx, mg.gradients(y, x)[0].value)


def test_the_text_runs_by_itself_with_numpy_alone(tmp_path):
    s = source(lambda x, k: mg.sum(mg.erf(mg.conv(x, k))), np.ones((1, 3, 3, 1)), np.ones((2, 2, 1, 1)))
    file = tmp_path / "alone.py"
    file.write_text(
        s.text + "\n\nprint(value_and_gradients(np.ones((1, 3, 3, 1)), np.ones((2, 2, 1, 1)))[1][0].sum())\n"
    )
    done = subprocess.run([sys.executable, "-I", file], capture_output=True, text=True, check=True)
    assert float(done.stdout) == pytest.approx(float(np.sum(s.run()[1][0])))
    imported = {a.name for n in ast.walk(ast.parse(s.text)) if isinstance(n, ast.Import) for a in n.names}
    assert imported == {"numpy", "math"}


# What its lines have to do with the graph.


def partial_sums(y, xs):
    """What each message of the engine brings an adjoint to: {(node, argument number): its value afterwards}."""
    sums, arrived = {}, {}
    with np.errstate(all="ignore"):
        for node, _, sends in backward([y], [np.ones_like(y.value)], xs):
            for i, argument, message in sends:
                before = arrived.get(argument.birth)
                arrived[argument.birth] = sums[node.birth, i] = message if before is None else before + message
    return sums


def assert_lines_are_what_they_say(y, xs):
    values = {t.birth: t.value for t in made_from([y])}
    sums = partial_sums(y, xs)
    s = source(y, xs)
    for link, value in states(s):
        assert all(bits(value, values[birth]) for birth in link.nodes), (s.text, link)
        if link.adjoint is not None:
            assert bits(value, sums[link.sends[-1]]), (s.text, link)
    return s


@settings(max_examples=100, deadline=None)
@given(shaped_programs(), shaped_arrays())
def test_each_line_gives_the_value_or_the_adjoint_that_its_link_names(f, arrays):
    xs = [mg.constant(a) for a in arrays]
    assert_lines_are_what_they_say(f(*xs), xs)


def test_links_reach_into_custom_gradients():
    x = mg.constant(np.array([1.0, 2.0]))
    y = cubed(x * x)
    s = assert_lines_are_what_they_say(mg.sum(y), [x])
    slope = next(link for link in s.links if link.name == "slope")
    assert (slope.of, slope.backward, slope.sends) == (y.birth, True, ())


def test_a_whole_adjoint_on_one_line_is_linked_with_all_its_messages():
    x = mg.constant(2.0)
    h = x * 3.0
    s = assert_lines_are_what_they_say(h * h, [x])
    assert {send for link in s.links for send in link.sends} == {(h.birth + 1, 0), (h.birth + 1, 1), (h.birth, 0)}


# What it says.


def body(s):
    return s.text.partition("):\n")[2]


def test_the_users_names_are_used():
    def layer(x, w, b):
        z = x @ w + b
        h = mg.tanh(z)
        return mg.sum(h)

    text = body(source(layer, np.ones((2, 3)), np.ones((3, 4)), np.ones(4)))
    assert "    h = np.tanh(z)\n" in text
    assert "    d_z = d_h * (1 - h * h)" in text or "    d_z = 1 - h * h" in text


def test_names_of_tensors_come_from_locals():
    speed = mg.constant([1.0, 2.0])
    energy = mg.sum(speed * speed)
    text = source(energy, speed, names=locals()).text
    assert "def value_and_gradients(speed):" in text and "energy = np.sum(" in text


def test_each_adjoint_says_which_line_it_belongs_to():
    text = body(source(lambda x: mg.sum(mg.exp(x)), np.ones(3)))
    assert "    d_x = t1  # t1 = np.exp(x)\n" in text


def test_unbroadcasting_is_written_out():
    text = body(source(lambda x, b: mg.sum(mg.sin(x + b)), np.ones((2, 3)), np.ones(3)))
    assert "np.sum(d_t1, axis=0)" in text


def test_the_ops_of_a_custom_rule_are_lines_of_their_own():
    s = source(lambda x: mg.sum(cubed(x)), np.array([1.0, 2.0]))
    assert "slope = 3.0 * y" in body(s) and "# grad of cubed" in body(s)
    assert s.run()[1][0].tolist() == [3.0, 12.0]


def test_dead_code_is_left_out_and_common_subexpressions_are_shared():
    def f(x):
        unused = mg.exp(x)  # noqa: F841
        return mg.sum(mg.sin(x) * mg.sin(x))

    text = body(source(f, np.ones(3)))
    assert "np.exp" not in text and len(re.findall(r"^    \w+ = np\.sin\(x\)", text, re.MULTILINE)) == 1


def test_constants_are_folded():
    text = body(source(lambda x: mg.sum(x * (mg.constant(2.0) * 3.0)), np.ones(3, np.float32)))
    assert "x * 6.0" in text


def test_large_constants_become_parameters():
    data = np.linspace(0, 1, 50) ** 2
    s = source(lambda x: mg.sum(x * data), np.ones(50))
    assert "def value_and_gradients(x, data):" in s.text and bits(s.run()[1][0], data)


def test_integer_arguments_are_parameters():
    s = source(lambda x, rows: mg.sum(x[rows]), np.arange(4.0), np.array([0, 0, 3]))
    assert "def value_and_gradients(x, rows):" in s.text
    assert s.run(rows=np.array([1, 1, 1]))[1][0].tolist() == [0, 3, 0, 0]


def test_variables_have_their_names():
    w = mg.Variable(np.array([1.0, 2.0]), name="weights_of_source")
    text = source(mg.sum(w * w)).text
    assert "def value_and_gradients(weights_of_source):" in text


def test_unconnected_inputs_have_no_gradient():
    s = source(lambda x, z: mg.sum(x), np.ones(2), np.ones(3))
    assert "d_x = np.ones(2, np.float64)" in s.text and "return t1, [d_x, None]" in s.text


def test_it_prints_as_itself_and_is_highlighted_in_a_notebook():
    s = source(lambda x: x * x, 3.0)
    assert str(s) == s.text and s._repr_markdown_().startswith("```python\nimport numpy as np\n")


def test_nested_arguments_are_parameters_named_by_their_path():
    s = source(lambda p: mg.sum(p["w"] * p["b"]), {"w": np.ones(2), "b": np.ones(2)})
    assert "def value_and_gradients(p_b, p_w):" in s.text


# What it refuses.


def test_what_is_neither_a_tensor_nor_a_function_is_refused():
    with pytest.raises(TypeError, match="source takes a Tensor or a function, got 3 of type int"):
        source(3)


def test_a_function_must_return_a_tensor():
    with pytest.raises(TypeError, match="pair must return a Tensor to be written as source"):
        source(pair, 1.0)


def pair(x):
    return x, x


def test_an_unknown_input_is_named():
    with pytest.raises(TypeError, match="the source has no input z; it has x"):
        source(lambda x: x * x, 3.0).run(z=1.0)


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
