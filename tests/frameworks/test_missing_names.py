"""The names of other libraries: nothing is found under them, and the error says what to write here."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.frameworks import missing_names as elsewhere
from tests.helpers.tables import over

#: First calls of people who come from other libraries, and a part of what the error says.
FIRST_CALLS = {
    "NumPy": """
        array -> mg.constant  asarray -> mg.convert_to_tensor  empty -> mg.zeros  nan -> float('nan')
        hstack -> mg.ops.hstack  vstack -> mg.ops.vstack  average -> mg.ops.average  vsplit -> np.vsplit
        ndarray -> mg.Tensor
    """,
    "PyTorch": """
        tensor -> mg.constant  from_numpy -> mg.constant  no_grad -> mg.stop_gradient  autograd -> mg.gradients
        backward -> mg.gradients  cat -> mg.concatenate  clamp -> mg.clip  mm -> mg.matmul  permute -> mg.transpose
        unsqueeze -> mg.expand_dims  topk -> mg.top_k  manual_seed -> mg.random.set_seed  randn -> mg.random.normal
        nn.Linear -> mg.Variable  nn.functional -> mg.nn.relu  nn.Parameter -> mg.Variable  nn.MSELoss -> MeanSquared
        gradcheck -> mg.check_gradients  nn.sin -> mg.sin
    """,
    "JAX": """
        jit -> mg.compile  vmap -> mg.vectorized_map  jacrev -> mg.jacobian  custom_vjp -> mg.custom_gradient
        checkpoint -> mg.recompute_grad  tree_map -> mg.nest.map_structure  random.PRNGKey -> from_seed
        make_jaxpr -> mg.source
    """,
    "TensorFlow": """
        placeholder -> mg.constant  Session -> y.numpy()  graph -> viz.backward  squared_difference -> mg.math.squared
        relu6 -> mg.ops.relu6  lgamma -> mg.math.lgamma
    """,
}
ROWS = [tuple(row) for calls in FIRST_CALLS.values() for row in re.findall(r"(\S+) -> (\S+)", calls)]


@over(ROWS)
def test_a_name_of_another_library_says_what_to_write(path, instead):
    *group, name = path.split(".")
    holder = getattr(mg, group[0]) if group else mg
    assert not hasattr(holder, name) and name not in dir(holder)
    with pytest.raises(AttributeError, match=re.escape(instead)) as caught:
        getattr(holder, name)
    assert str(caught.value).startswith(f"{holder.__name__} has no {name!r}; write ")
    assert (caught.value.name, caught.value.obj) == (name, holder)


@pytest.mark.parametrize(("use", "instead"), [
    (lambda x: x.backward(), "mg.gradients(y, x)"), (lambda x: x.grad, "mg.gradients(y, x)"),
    (lambda x: x.requires_grad, "mg.gradients(y, x)"),
    (lambda x: setattr(x, "requires_grad", True), "mg.gradients(y, x)"),
    (lambda x: x.requires_grad_(), "mg.gradients(y, x)"), (lambda x: x.detach(), "mg.stop_gradient(x)"),
    (lambda x: x.data, "x.value"), (lambda x: x.view(-1), "x.reshape(shape)"),
    (lambda x: x.at[0].set(1.0), "mg.index_set"),
])  # fmt: skip
def test_an_attribute_of_a_torch_tensor_says_what_to_write(use, instead):
    for x in (mg.constant([1.0, 2.0]), mg.Variable([1.0, 2.0])):
        with pytest.raises(AttributeError, match=re.escape(instead)) as caught:
            use(x)
        assert str(caught.value).startswith(f"a {type(x).__name__} has no ")


def test_hasattr_and_dir_of_a_tensor_are_honest():
    x, w = mg.constant(1.0), mg.Variable(1.0)
    for name in elsewhere.TENSOR:
        assert not hasattr(x, name) and name not in dir(x), name
    assert {*elsewhere.TENSOR} & {*dir(w)} == {"assign", "assign_add", "assign_sub"}
    assert "sum" in dir(x) and getattr(x, "grad", None) is None
    hidden = {"detached_at", "detached_serial", "unrecorded", "call", "location", "scope", "ref", "growth", "hold"}
    assert hidden.isdisjoint(dir(x)) and hidden.isdisjoint(dir(w))  # notes of the engine


def test_ipython_completes_only_what_a_tensor_has():
    from IPython.core.completer import IPCompleter

    elsewhere._complete_in_ipython()  # as an import of minigrad in IPython does
    for x in (mg.constant(1.0), mg.Variable(1.0)):
        completer = IPCompleter(namespace={"x": x}, use_jedi=False)
        offered = {match.removeprefix("x.") for match in completer.attr_matches("x.")}
        assert {"sqrt", "exp", "sum", "value"} <= offered <= {*dir(x)}
        assert {"cuda", "add_", "ref", "unrecorded"}.isdisjoint(offered)


def test_an_unknown_name_is_only_named():
    with pytest.raises(AttributeError, match=r"^minigrad has no 'no_such_name'$"):
        mg.no_such_name  # noqa: B018
    with pytest.raises(AttributeError, match=r"^minigrad.nn has no 'no_such_name'$"):
        mg.nn.no_such_name  # noqa: B018
    with pytest.raises(AttributeError, match=r"^'Tensor' object has no attribute 'no_such_name'$"):
        mg.constant(1.0).no_such_name  # noqa: B018


@over([*elsewhere.MODULE.values(), *elsewhere.TENSOR.values()])
def test_what_the_tables_say_to_write_exists(instead):
    for root, path in re.findall(r"\b(mg|viz|x)\.([A-Za-z_][\w.]*\w)", instead):
        found = {"mg": mg, "viz": viz, "x": mg.constant([1.0])}[root]
        for name in path.split("."):
            found = getattr(found, name)


@over(list(elsewhere.MODULE))
def test_no_row_of_the_table_hides_a_name(path):
    *group, name = path.split(".")
    assert name not in dir(getattr(mg, group[0]) if group else mg)


@over(list(elsewhere.TENSOR))
def test_no_row_of_the_table_stands_for_a_method_that_exists(name):
    assert isinstance(vars(mg.Tensor)[name], elsewhere.MissingAttribute)


@pytest.mark.parametrize(("use", "sentence"), [
    (lambda x: mg.sinn, "minigrad has no 'sinn'; did you mean sin?"),
    (lambda x: mg.nn.sofmax, "minigrad.nn has no 'sofmax'; did you mean softmax?"),
    (lambda x: np.emath.sqrt(x), "np.emath.sqrt gives complex numbers, .*write np.sqrt"),
    (lambda x: np.fft.fft(x), "np.fft.fft gives complex numbers, which have no gradient here; x.numpy"),
    (lambda x: np.full_like(np.zeros(2), x[0]), "write mg.full_like"),
    (lambda x: "a" * mg.constant(3), "got the string 'a'; next to text, write y.item"),
    (lambda x: mg.norm(x, "nuc"), "norm of a vector takes a number as ord, such as 2 or inf, got 'nuc'"),
])  # fmt: skip
def test_a_slip_gets_a_sentence_that_helps(use, sentence):
    with pytest.raises((AttributeError, TypeError, ValueError), match=sentence):
        use(mg.constant([1.0, 2.0]))


def test_the_nuclear_norm_is_the_sum_of_the_singular_values():
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_allclose(mg.norm(mg.constant(a), "nuc").value, np.linalg.svd(a, compute_uv=False).sum())


def test_a_count_fills_an_array():
    assert np.full_like(mg.constant([1.0, 2.0]), mg.sum(mg.constant([True, True]))).value.tolist() == [2.0, 2.0]


def test_the_slopes_at_the_corners_are_those_of_keras():
    x = mg.constant([-3.0, 0.0, 3.0, 6.0, float("nan")])
    slopes = [mg.gradients(f(x), x)[0].value[:4].tolist() for f in (mg.ops.relu6, mg.ops.hard_sigmoid)]
    assert slopes[0] == [0.0, 0.0, 1.0, 0.0]
    np.testing.assert_allclose(slopes[1], [0.0, 1 / 6, 0.0, 0.0], rtol=1e-6)
    assert np.isnan(mg.ops.relu6(x).value[4]) and np.isnan(mg.ops.hard_sigmoid(x).value[4])
    np.testing.assert_allclose(mg.ops.hard_sigmoid([-4.0, 1.5, 4.0]).value, [0.0, 0.75, 1.0])
