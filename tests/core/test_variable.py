"""Variable, get_variable and variable_scope."""

import threading

import numpy as np
import pytest

import minigrad as mg


@pytest.fixture
def scope():
    """A separate scope for each test."""
    with mg.variable_scope(None, default_name="test") as scope:
        yield scope


# Variable.


@pytest.mark.parametrize("args", [(), (None,)])
def test_an_initial_value_is_needed(args):
    with pytest.raises(ValueError, match="Variable needs an initial value, for example"):
        mg.Variable(*args)


def test_a_function_may_give_the_initial_value():
    assert mg.Variable(lambda: [1.0, 2.0]).value.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(("value", "given", "dtype"), [
    (1.0, None, "float32"), (1, None, "int32"), (np.float64(1), None, "float64"), (1.0, "float16", "float16"),
    (mg.constant(1.0, "float64"), None, "float64"),
])  # fmt: skip
def test_dtypes(value, given, dtype):
    assert mg.Variable(value, dtype=given).dtype == dtype


def test_a_name_is_what_was_given_inside_the_scope(scope):
    """A notebook cell that is run again makes a Variable with the same name; TensorFlow 2 says "w:0" each time."""
    ws = [mg.Variable(0.0, name="w") for _ in range(3)]
    assert [w.name for w in ws] == [f"{scope.name}/w"] * 3
    assert mg.Variable(0.0).name == f"{scope.name}/Variable"


def test_a_variable_outside_of_scopes_keeps_its_name_while_another_of_it_lives():
    first = mg.Variable(1.0, name="w")
    second = mg.Variable(1.0, name="w")
    assert (first.name, second.name) == ("w", "w") and repr(second) == "Variable('w', 1.0, dtype=float32)"
    leaves = [node.name for node in mg.backward_trace(first * second).nodes if node.kind == "leaf"]
    assert leaves == ["w", "w"]


def test_assign_returns_the_variable_and_leaves_earlier_results_alone():
    v = mg.Variable(3.0)
    before, square = v.read_value(), v * v
    assert v.assign(5.0) is v
    assert (float(v), float(before), float(square)) == (5.0, 3.0, 9.0)
    assert v.assign_add(2.0) is v and float(v) == 7.0
    assert v.assign_sub(mg.constant(1.0)) is v and float(v) == 6.0
    assert float(mg.gradients(square, v)[0]) == 6.0


def test_reads_before_and_after_an_assignment_both_lead_to_the_variable():
    v = mg.Variable(3.0)
    y = v * 4.0
    v.assign(5.0)
    assert float(mg.gradients(y + v * 10.0, v)[0]) == 14.0


def test_assign_broadcasts_nothing():
    v = mg.Variable([1.0, 2.0], name="v")
    for value in (1.0, [1.0], [1.0, 2.0, 3.0]):
        with pytest.raises(ValueError, match=rf"the variable {v.name} has shape \(2,\), cannot assign shape"):
            v.assign(value)
    assert v.value.tolist() == [1.0, 2.0]


def test_assign_keeps_the_dtype():
    v = mg.Variable(1.0)
    assert v.assign(np.float64(2.5)).dtype == np.float32
    assert v.assign(2).dtype == np.float32
    n = mg.Variable(1, name="n")
    with pytest.raises(TypeError, match=rf"the variable {n.name} has dtype int32, cannot assign float32"):
        n.assign(2.5)


def test_assign_copies():
    source = np.array([1.0, 2.0])
    v = mg.Variable(source)
    v.assign(source)
    source[0] = 9.0
    assert v.value.tolist() == [1.0, 2.0]


def test_arithmetic_gives_a_tensor():
    v = mg.Variable(1.0)
    assert type(v + 1) is mg.Tensor
    assert isinstance(v, mg.Tensor)


def test_the_gradient_with_respect_to_a_variable_itself():
    v = mg.Variable(2.0)
    assert float(mg.gradients(v, v)[0]) == 1.0


def test_items_cannot_be_assigned_and_vectors_have_no_truth_value():
    v = mg.Variable([1.0, 2.0])
    with pytest.raises(TypeError):
        v[0] = 3.0
    with pytest.raises(ValueError, match="ambiguous"):
        bool(v)


def test_repr():
    assert repr(mg.Variable(1.5, name="shown")) == "Variable('shown', 1.5, dtype=float32)"
    frozen = mg.Variable([1, 2], trainable=False, name="frozen")
    assert repr(frozen) == "Variable('frozen', [1, 2], shape=(2,), dtype=int32, trainable=False)"


# get_variable.


def test_getting_a_name_twice_needs_reuse(scope):
    mg.get_variable("w", shape=(2,))
    with pytest.raises(
        ValueError, match=rf"the variable {scope.name}/w already exists; .*reuse=True.*reuse=AUTO_REUSE"
    ):
        mg.get_variable("w", shape=(2,))


def test_reuse_finds_the_same_object(scope):
    w = mg.get_variable("w", shape=(2,))
    with mg.variable_scope(scope, reuse=True) as same:
        assert same.name == scope.name
        assert mg.get_variable("w") is w
        assert mg.get_variable("w", shape=[2], dtype="float32") is w
        with pytest.raises(ValueError, match=rf"{scope.name}/w has shape \(2,\), but shape \(3,\) is requested"):
            mg.get_variable("w", shape=(3,))
        with pytest.raises(ValueError, match=rf"{scope.name}/w has dtype float32, but float64 is requested"):
            mg.get_variable("w", dtype="float64")
        with pytest.raises(ValueError, match=rf"{scope.name}/v does not exist, and reuse=True creates none"):
            mg.get_variable("v", shape=(2,))


def test_auto_reuse_gets_or_creates(scope):
    with mg.variable_scope("a", reuse=mg.AUTO_REUSE):
        w = mg.get_variable("w", initializer=1.0)
        assert mg.get_variable("w") is w


def test_reuse_is_inherited_by_inner_scopes(scope):
    with mg.variable_scope("a"), mg.variable_scope("b"):
        w = mg.get_variable("w", shape=())
    with mg.variable_scope("a", reuse=True), mg.variable_scope("b"):
        assert mg.get_variable("w") is w


def test_the_initial_value(scope):
    assert mg.get_variable("zeros", shape=(2, 3)).value.tolist() == [[0.0] * 3] * 2
    assert mg.get_variable("value", initializer=[1.0, 2.0]).value.tolist() == [1.0, 2.0]
    assert mg.get_variable("call", initializer=lambda: 5.0).value == 5.0
    ones = mg.get_variable("ones", shape=(2,), initializer=np.ones)
    assert ones.value.tolist() == [1.0, 1.0] and ones.dtype == np.float32
    assert mg.get_variable("wide", shape=(2,), dtype="float64").dtype == np.float64


def test_without_shape_and_initializer_the_shape_is_missing(scope):
    with pytest.raises(
        ValueError, match=rf"{scope.name}/w did not get an initializer, so it needs its shape: .*shape="
    ):
        mg.get_variable("w")


def test_an_untrainable_variable(scope):
    assert mg.get_variable("w", shape=(), trainable=False).trainable is False


# variable_scope.


def test_scopes_nest_in_names(scope):
    with mg.variable_scope("a"), mg.variable_scope("b"):
        w = mg.get_variable("w", shape=())
    assert w.name == f"{scope.name}/a/b/w"


def test_the_same_scope_opened_again_holds_the_same_variables(scope):
    with mg.variable_scope("a"):
        w = mg.get_variable("w", shape=())
    with mg.variable_scope("a"), pytest.raises(ValueError, match="already exists"):
        mg.get_variable("w", shape=())
    with mg.variable_scope("a", reuse=True):
        assert mg.get_variable("w") is w


def test_a_default_name_is_made_unique(scope):
    names = []
    for _ in range(3):
        with mg.variable_scope(None, default_name="blk") as inner:
            names.append(inner.name)
    assert names == [f"{scope.name}/blk", f"{scope.name}/blk_1", f"{scope.name}/blk_2"]


def test_a_scope_needs_a_name():
    with pytest.raises(ValueError, match="variable_scope needs a name, or default_name="), mg.variable_scope(None):
        pass


def test_the_scope_is_left_after_an_error(scope):
    with pytest.raises(KeyError), mg.variable_scope("a"):
        raise KeyError
    assert mg.get_variable("w", shape=()).name == f"{scope.name}/w"


def test_resource_is_inherited_from_the_scope(scope):
    with mg.variable_scope("a", use_resource=False):
        assert mg.get_variable("w", shape=()).resource is False
        assert mg.get_variable("v", shape=(), use_resource=True).resource is True
    assert mg.get_variable("w", shape=()).resource is True


def test_scopes_belong_to_a_thread(scope):
    names = []
    thread = threading.Thread(target=lambda: names.append(mg.get_variable("w", shape=()).name))
    thread.start()
    thread.join()
    assert names == ["w"]


# Dtypes meet as in NumPy.


@pytest.mark.parametrize(("a", "b", "dtype"), [
    (mg.constant(1.0), mg.constant(1), "float64"), (mg.constant(1.0), mg.constant(1.0, "float64"), "float64"),
    (mg.constant(1.0), mg.constant(1.0, "float16"), "float32"), (mg.constant(1.0), 1, "float32"),
    (mg.constant(1.0, "float16"), 2.5, "float16"),
])  # fmt: skip
def test_dtypes_promote_as_in_numpy(a, b, dtype):
    assert (a * b).dtype == dtype


def test_an_integer_tensor_refuses_a_float():
    with pytest.raises(TypeError, match=r"2\.5"):
        mg.constant(1) * 2.5


def test_integers_divide_to_floats():
    assert (mg.constant(1) / mg.constant(2)).dtype == np.float64


# Starting anew.


@pytest.mark.parametrize("reset", [mg.reset_default_graph, mg.compat.v1.reset_default_graph])
def test_a_reset_forgets_the_names_of_get_variable_and_of_scopes(reset):
    reset()
    made = []
    for value in (1.0, 2.0):  # a cell that is run twice
        with mg.variable_scope(None, default_name="layer") as scope:
            made.append(mg.get_variable("w", initializer=value))
        assert scope.name == "layer"
        reset()
    first, second = made
    assert (first.name, second.name) == ("layer/w", "layer/w")
    assert (float(first), float(second)) == (1.0, 2.0)
    assert float(mg.gradients(first * second, first)[0]) == 2.0
