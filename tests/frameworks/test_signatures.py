"""Functions with the signatures of TensorFlow and Keras: every keyword is taken, or refused with a sentence."""

import inspect
import re
from collections import Counter
from enum import EnumMeta

import numpy as np
import pytest

import minigrad as tf
from minigrad import ops
from minigrad.frameworks.signatures import SIGNATURES, WITHOUT_EFFECT, BoundSignature, called_as, parameters
from tests.frameworks.read_signatures import FILE, get
from tests.helpers.tables import over

ROOTS = {"tensorflow": tf, "keras": ops}
ROWS = [(framework, name) for framework in SIGNATURES for name in SIGNATURES[framework]]

#: Classes of ours that take less than theirs, which raise Python's TypeError for it.
CLASSES = {"Variable", "UnconnectedGradients", "random.Generator", "get_variable"}


def fate(framework, name, parameter):
    """The fate of a keyword: "taken", "without effect", "refused" with a sentence, or "unknown"."""
    call = get(ROOTS[framework], name)
    signature = getattr(call, "__signature__", None)
    if isinstance(signature, BoundSignature):
        if parameter.name in signature.binding.targets:
            return "taken"
        return "without effect" if parameter.name in WITHOUT_EFFECT else "refused"
    code = getattr(call, "__code__", None)
    if isinstance(call, EnumMeta):  # Python's own signature differs from version to version
        names = {"value"}
    elif code is None or code.co_flags & inspect.CO_VARARGS:
        names = {*inspect.signature(call).parameters}
    else:  # the functions of ops have `name`, which their signature does not show
        names = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]}
    if parameter.name not in names:
        return "unknown"
    return "without effect" if parameter.name == "name" and parameter.default else "taken"


def by_keyword(signature):
    """The arguments that can be given by keyword: those in front of `*inputs` cannot."""
    return [] if re.search(r"(^|, )\*\w", signature) else parameters(signature)


def counted(framework):
    """The number of required and of optional keywords with each fate."""
    found = {"required": Counter(), "optional": Counter()}
    for name, signature in SIGNATURES[framework].items():
        for p in by_keyword(signature):
            found["optional" if p.default else "required"][fate(framework, name, p)] += 1
    return found


@pytest.mark.parametrize("framework", SIGNATURES)
def test_all_required_keywords_are_taken(framework):
    found = counted(framework)["required"]
    assert set(found) == {"taken"} and found["taken"] > 250


@pytest.mark.parametrize("framework", SIGNATURES)
def test_optional_keywords_are_taken_or_refused_by_a_sentence(framework):
    missing = [
        f"{name}({p.name}=)"
        for name, signature in SIGNATURES[framework].items()
        for p in by_keyword(signature)
        if name not in CLASSES and "optimizers" not in name and fate(framework, name, p) == "unknown"
    ]
    assert not missing


@over(ROWS)
def test_a_signature_is_shown_as_it_is_there(framework, name):
    """`help` has their names in their order, and further options by keyword only."""
    call = get(ROOTS[framework], name)
    if not isinstance(getattr(call, "__signature__", None), BoundSignature):
        return
    shown = list(inspect.signature(call).parameters.values())
    wanted = parameters(SIGNATURES[framework][name])
    assert [p.name for p in shown[: len(wanted)]] == [p.name for p in wanted]
    assert all(p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in shown[len(wanted) :])


def test_the_file_names_the_versions():
    heads = re.findall(r"^\[(\w+) ([\d.]+)\]$", FILE.read_text(encoding="utf-8"), re.M)
    assert [framework for framework, _ in heads] == ["tensorflow", "keras"]


@pytest.mark.parity
@pytest.mark.parametrize("framework", SIGNATURES)
def test_the_file_has_every_name_that_both_have(framework):
    library = pytest.importorskip(framework)
    from tests.frameworks import read_signatures

    written = re.search(rf"^\[{framework} ([\d.]+)\]", FILE.read_text(encoding="utf-8"), re.M)[1]
    names = {name for name, _ in getattr(read_signatures, framework)()}
    if library.__version__ == written:
        assert names == set(SIGNATURES[framework])
    else:  # another version may have more names or fewer, but not many
        assert len(names ^ set(SIGNATURES[framework])) < 30


# The two- and three-argument functions that the keywords of several libraries could confuse.

X, Y = np.float64(0.3), np.float64(1.7)


@pytest.mark.parametrize(("root", "name", "first", "second", "f"), [
    (tf, "math.atan2", "y", "x", np.arctan2), (ops, "arctan2", "x1", "x2", np.arctan2),
    (tf, "pow", "x", "y", np.power), (ops, "power", "x1", "x2", np.power),
    (tf, "subtract", "x", "y", np.subtract), (ops, "subtract", "x1", "x2", np.subtract),
    (tf, "divide", "x", "y", np.divide), (ops, "divide", "x1", "x2", np.divide),
    (tf, "math.floormod", "x", "y", np.mod), (ops, "mod", "x1", "x2", np.mod),
    (tf, "math.xlogy", "x", "y", lambda x, y: x * np.log(y)),
    (tf, "math.xlog1py", "x", "y", lambda x, y: x * np.log1p(y)),
    (tf, "math.squared_difference", "x", "y", lambda x, y: (x - y) ** 2),
])  # fmt: skip
def test_two_arguments_by_keyword_in_both_orders(root, name, first, second, f):
    call = get(root, name)
    for a, b in ((X, Y), (Y, X)):
        for pairs in (((first, a), (second, b)), ((second, b), (first, a))):
            xs = {key: tf.constant(value) for key, value in pairs}
            y = call(**xs)
            np.testing.assert_allclose(y.value, f(a, b), rtol=1e-14)
            slopes = [g.value for g in tf.gradients(y, [xs[first], xs[second]])]
            h = 1e-6
            expected = (f(a + h, b) - f(a - h, b)) / (2 * h), (f(a, b + h) - f(a, b - h)) / (2 * h)
            np.testing.assert_allclose(slopes, expected, rtol=1e-6, atol=1e-9)


@over([
    (lambda: tf.nn.relu(features=[-1.0, 2.0], name="r"), [0.0, 2.0]),
    (lambda: tf.identity(input=[1.0]), [1.0]), (lambda: tf.stop_gradient(input=[1.0], name="s"), [1.0]),
    (lambda: tf.linalg.solve(matrix=[[2.0]], rhs=[[1.0]]), [[0.5]]),
    (lambda: tf.linalg.solve(rhs=[[1.0], [0.0]], matrix=[[0.0, 2.0], [4.0, 0.0]], adjoint=True), [[0.0], [0.25]]),
    (lambda: tf.nn.embedding_lookup(params=[[1.0], [2.0]], ids=[1, 0]), [[2.0], [1.0]]),
    (lambda: tf.nn.conv1d(input=[[[1.0], [2.0]]], filters=[[[3.0]]], stride=2, padding="VALID"), [[[3.0]]]),
    (lambda: tf.constant([1, 2, 3, 4, 5, 6], shape=(2, 3)), [[1, 2, 3], [4, 5, 6]]),
    (lambda: tf.constant(7.0, shape=[2]), [7.0, 7.0]), (lambda: tf.constant([[7.0]], shape=()), 7.0),
    (lambda: tf.linalg.lstsq(matrix=[[1.0], [1.0]], rhs=[[1.0], [3.0]]), [[2.0]]),
    (lambda: tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]], l2_regularizer=2.0), [[1.0]]),
    (lambda: ops.lstsq([[1.0], [1.0]], [1.0, 3.0]), [2.0]),
    (lambda: ops.identity(2), [[1.0, 0.0], [0.0, 1.0]]), (lambda: ops.identity(n=1, dtype="int32"), [[1]]),
    (lambda: ops.gelu([1.0]), [0.8411919906082768]), (lambda: ops.gelu([1.0], approximate=False), [0.8413447460685429]),
    (lambda: tf.nn.gelu([1.0]), [0.8413447460685429]),
    (lambda: ops.solve_triangular(a=[[2.0, 1.0], [5.0, 4.0]], b=[4.0, 4.0]), [1.5, 1.0]),
    (lambda: ops.solve_triangular([[2.0, 1.0], [5.0, 4.0]], [4.0, 4.0], lower=True), [2.0, -1.5]),
    (lambda: ops.solve_triangular([[[2.0]], [[4.0]]], [[6.0], [8.0]]), [[3.0], [2.0]]),
    (lambda: ops.solve_triangular([[2.0]], [[6.0, 8.0]]), [[3.0, 4.0]]),
    (lambda: ops.pad([1.0], 1, constant_values=None), [0.0, 1.0, 0.0]),
    (lambda: ops.pad([1.0], 1, constant_values=2.0), [2.0, 1.0, 2.0]),
    (lambda: ops.layer_normalization([0.0, 2.0], epsilon=3.0), [-0.5, 0.5]),
    (lambda: ops.layer_normalization([[0.0], [4.0]], gamma=[2.0, 4.0], axis=0, epsilon=0.0), [[-2.0], [4.0]]),
    (lambda: ops.take_along_axis([[1.0, 2.0], [3.0, 4.0]], [3, 0]), [4.0, 1.0]),
    (lambda: ops.linspace(0.0, 1.0, 3, retstep=True)[1], 0.5),
    (lambda: tf.linspace(start=0.0, stop=1.0, num=3, name="x"), [0.0, 0.5, 1.0]),
    (lambda: tf.einsum("i->", [1.0, 2.0], name="e"), 3.0), (lambda: tf.meshgrid([1.0], [2.0], name="m")[1], [[2.0]]),
    (lambda: tf.round(2.5, name="r"), 2.0), (lambda: tf.round(0.125, 2), 0.12),
    (lambda: tf.linspace(0.0, 1.0, 2, False), [0.0, 0.5]),
    (lambda: ops.fold([[[1.0, 2.0], [3.0, 4.0]]], output_size=(1, 3), kernel_size=(1, 2)), [[[[1.0, 5.0, 4.0]]]]),
])  # fmt: skip
def test_a_keyword_means_what_it_means_there(call, expected):
    np.testing.assert_allclose(call().value, expected, rtol=1e-6)


def test_random_integers_are_from_the_lowest_up_to_but_not_the_highest():
    drawn = tf.random.uniform(shape=(50,), minval=3, maxval=5, dtype=tf.int32, seed=1, name="u")
    assert drawn.dtype == "int32" and set(drawn.value.tolist()) == {3, 4}
    with pytest.raises(ValueError, match="integers needs its maxval"):
        tf.random.uniform((2,), dtype="int32")


@pytest.mark.parametrize(("call", "message"), [
    (lambda: tf.nn.dropout(x=[1.0], rate=0.5, noise_shape=[1], seed=1), r"nn\.dropout.*noise_shape=\[1\] is not avail"),
    (lambda: tf.linalg.qr([[1.0]], full_matrices=True), r"full_matrices=True is not available here; leave it at False"),
    (lambda: tf.reduce_sum(tensor=[1.0]), r"reduce_sum\(input_tensor, axis=None, .*\) has no argument 'tensor'"),
    (lambda: tf.nn.relu(name="r"), r"nn\.relu\(features, name=None\) needs 'features'"),
    (lambda: tf.nn.relu([1.0], features=[1.0]), r"got 'features' twice"),
    (lambda: tf.nn.relu(x=[1.0], features=[1.0]), r"got 'features' twice: 'x' is its name here"),
    (lambda: ops.one_hot([1], 2, sparse=True), r"one_hot.*sparse=True is not available here; leave it at False"),
    (lambda: ops.identity(tf.constant([1.0])), r"for a copy of a Tensor write mg\.identity\(x\)"),
])  # fmt: skip
def test_a_wrong_call_is_a_sentence(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_a_constant_takes_one_value_or_one_for_each_element():
    with pytest.raises(ValueError, match=r"takes one value, or one for each element: 6; got 2 in shape \(2,\)"):
        tf.constant([1.0, 2.0], shape=(3, 2))


def test_watched_variables_come_in_the_order_in_which_they_were_made():
    a, b, c = (tf.Variable(1.0, trainable=i != 1) for i in range(3))
    with tf.GradientTape() as tape:
        tape.watch(b)
        y = c * a
    assert [*map(id, tape.watched_variables())] == [*map(id, (a, b, c))] and y.value == 1


def test_jacobians_take_the_options_of_tensorflow():
    x = tf.Variable([[1.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    options = dict(parallel_iterations=3, experimental_use_pfor=False)
    np.testing.assert_array_equal(tape.jacobian(y, x, **options).value[0, :, 0], [[2, 0], [0, 4]])
    np.testing.assert_array_equal(tape.batch_jacobian(y, x, **options).value, [[[2, 0], [0, 4]]])


def test_adam_of_keras_takes_the_steps_of_keras():
    """Two steps, by the formula of Keras with its epsilon, where the gradient is as small as epsilon."""
    w, adam = tf.Variable(np.float64(1.0)), tf.keras.optimizers.Adam(learning_rate=0.1, name="adam")
    m = v = 0.0
    expected = 1.0
    for t, g in enumerate((1e-7, 3e-7), 1):
        adam.apply_gradients([(np.float64(g), w)])
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        expected -= 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-7)
    np.testing.assert_allclose(w.value, expected, rtol=1e-12)


def test_a_function_of_the_same_signature_is_left_as_it_is():
    assert ops.exp is tf.exp and ops.sum is tf.sum
    assert called_as(tf.exp, "tensorflow", "exp") is tf.exp
    assert called_as(tf.exp, "tensorflow", "nn.relu") is not tf.exp
