"""Recorded graphs that are run again: new nodes, and nothing is written into old ones."""

from threading import Thread

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.op import OPS
from minigrad.tracing.overlay import Overlay
from minigrad.tracing.recorded_function import RecordedFunction
from minigrad.tracing.replay import NotReplayable, made_from, replay
from viz.drag.followed_page import draggable


def read_elsewhere(x):
    """The value of a Tensor as another thread reads it."""
    found = []
    thread = Thread(target=lambda: found.append(x.value.item()))
    thread.start()
    thread.join()
    return found[0]


@mg.custom_gradient
def cubed(x):
    y = x * x
    return y * x, lambda dy: dy * 3.0 * y


def looked_at(x, look):
    """x squared; its rule calls `look`."""

    def rule(dy):
        look()
        return dy * 2.0 * x

    return mg.custom_gradient(lambda a: (a * a, rule))(x)


@pytest.mark.parametrize("run", [
    lambda y, x: RecordedFunction(y, [x], {x.serial: "x"})({"x": np.float32(5.0)}),
    lambda y, x: mg.source(y, [x]).run(x=5.0),
    lambda y, x: draggable(y, mg.backward_trace(y)),
])  # fmt: skip
def test_another_thread_reads_what_a_tensor_holds_while_its_graph_is_run_again(run):
    x, seen = mg.constant(3.0), []
    y = looked_at(x, lambda: seen.append(read_elsewhere(x))) * 1.0
    run(y, x)
    assert seen and set(seen) == {3.0} and x.value == 3.0 and y.value == 9.0


def test_a_rule_reads_the_new_values_wherever_it_holds_the_old_tensors():
    class Layer:
        @mg.custom_gradient
        def __call__(self, a):
            self.kept = {"square": [a * a]}
            return self.kept["square"][0] * a, self.rule

        def rule(self, dy):
            return dy * 3.0 * self.kept["square"][0] + 0.0 * float(weight.value)

    x, weight = mg.constant(3.0), mg.constant(2.0)
    y = Layer()(x) * weight
    value, (slope,) = RecordedFunction(y, [x], {x.serial: "x"})({"x": np.float32(5.0)})
    assert (value, slope) == (250.0, 150.0)


def test_all_nodes_are_new_inside_and_old_ones_stay():
    x = mg.constant(3.0)
    y = cubed(x) + mg.exp(mg.constant(0.0))
    now = replay(y, {x.serial: np.float32(2.0)}, inside=True)
    assert now[y.serial].value == 9.0 and y.value == 28.0
    for node in made_from([y]):
        assert (now[node.serial] is node) is (node.op is None and node is not x)


def test_a_custom_gradient_is_not_called_again_from_outside():
    x = mg.constant(3.0)
    with pytest.raises(NotReplayable, match="cubed has its own rule"):
        replay(cubed(x), {x.serial: np.float32(2.0)})
    assert replay(cubed(x) * 2.0)


def test_a_number_reaches_floats_and_float_dtypes_and_leaves_integers():
    x = mg.constant(1e-9)
    y = mg.astype(mg.astype(x + 1.0, "float64"), "float32") * mg.astype(mg.constant(2.7), "int32")
    new = replay(y, number=lambda a: np.asarray(a, np.float64)[()])[y.serial]
    assert new.dtype == np.float64 and new.value == (1.0 + np.float64(np.float32(1e-9))) * 2


def test_stop_gradient_is_computed_again():
    x = mg.constant(3.0)
    y = mg.stop_gradient(x) * x
    new = replay(y, {x.serial: np.float32(2.0)})
    assert new[y.serial].value == 4.0
    assert any(node.op is OPS["stop_gradient"] for node in new.values())


def test_a_recomputed_function_and_its_rule_read_the_new_values_of_what_they_use():
    x, scale = mg.constant(3.0), mg.constant(2.0)
    y = mg.recompute_grad(lambda z: z * z * scale)(x) * 1.0
    value, slopes = RecordedFunction(y, [x, scale], {x.serial: "x", scale.serial: "s"})(
        {"x": np.float32(5.0), "s": np.float32(4.0)}
    )
    assert (value, [float(g) for g in slopes]) == (100.0, [40.0, 25.0])
    assert mg.source(y, [x, scale]).run(x=5.0)[0] == 50.0


def test_an_op_with_another_rule_keeps_it():
    mg.RegisterGradient("Doubled")(lambda op, grad: 2.0 * grad)
    x = mg.constant(3.0)
    with mg.gradient_override_map({"Exp": "Doubled"}):
        y = mg.exp(x)
    assert RecordedFunction(y, [x], {x.serial: "x"})({"x": np.float32(0.0)}) == (1.0, [2.0])


def test_ops_with_several_outputs():
    x = mg.constant(np.eye(2) * 3.0)
    u, s, vt = mg.svd(x)
    new = replay(mg.sum(s) + u[0, 0] * vt[0, 0], {x.serial: np.eye(2)})
    assert [node.value for node in new.values()][-1] == 3.0


def test_an_overlay_ends_with_its_block_and_holds_for_one_thread():
    x = mg.constant(3.0)
    with pytest.raises(KeyError), Overlay({x.serial: mg.constant(5.0)}):
        assert float(x) == 5.0 and (x * 2.0).value == 10.0 and read_elsewhere(x) == 3.0
        with Overlay({}):
            assert x.value == 3.0
        raise KeyError
    assert x.value == 3.0
