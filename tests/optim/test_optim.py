"""Optimisers: the published formulas, any structure, and no memory that grows."""

import gc
import pickle
import tracemalloc

import numpy as np
import pytest

import minigrad as mg
from minigrad.optim import SGD, Adam


def test_sgd_follows_its_formula():
    x = np.array([1.0, 2.0])
    opt = SGD(0.1)
    np.testing.assert_allclose(opt.step(x, np.array([1.0, -1.0])), [0.9, 2.1])
    opt = SGD(0.1, momentum=0.5)
    x = opt.step(np.float64(1.0), np.float64(1.0))
    assert x == pytest.approx(0.9)
    assert opt.step(x, np.float64(1.0)) == pytest.approx(0.9 - 0.1 * 1.5)
    opt = SGD(0.1, momentum=0.5, nesterov=True)
    assert opt.step(np.float64(1.0), np.float64(1.0)) == pytest.approx(1 - 0.1 * 1.5)


def test_adam_follows_algorithm_1():
    opt, x = Adam(0.1), np.float64(1.0)
    m = v = 0.0
    want = 1.0
    for n in range(1, 6):
        g = np.float64(2.0 * want)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        want -= 0.1 * (m / (1 - 0.9**n)) / (np.sqrt(v / (1 - 0.999**n)) + 1e-8)
        x = opt.step(x, g)
        assert x == pytest.approx(want, rel=1e-12)


def test_every_kind_of_leaf_keeps_its_kind_and_dtype():
    w = mg.Variable([1.0, 2.0])
    params = {"a": np.ones(2, np.float32), "t": mg.constant(1.0), "w": w, "n": np.float64(1.0), "x": 1.0}
    grads = {"a": np.ones(2), "t": mg.constant(1.0), "w": mg.constant([1.0, 1.0]), "n": 1.0, "x": 1.0}
    new = SGD(0.5).step(params, grads)
    assert new["a"].dtype == np.float32
    assert isinstance(new["t"], mg.Tensor) and new["t"].op is None
    assert new["w"] is w and w.value.tolist() == [0.5, 1.5]
    assert isinstance(new["n"], np.float64)
    assert type(new["x"]) is float and new["x"] == 0.5


def test_apply_gradients_as_in_keras():
    w = mg.Variable(2.0)
    opt = SGD(0.25)
    opt.apply_gradients(zip(mg.gradients(w * w, [w]), [w]))
    assert float(w) == 1.0
    opt.apply_gradients([(None, w)])
    assert float(w) == 1.0


def test_steps_do_not_grow():
    params = {"w": np.ones(100), "b": np.zeros(100)}
    opt = Adam(0.001)
    step = mg.value_and_grad(lambda p: mg.sum((p["w"] * 2.0 + p["b"]) ** 2))
    seen = []
    tracemalloc.start()
    for i in range(1_000):
        params = opt.step(params, step(params)[1])
        if i in (249, 999):
            gc.collect()
            seen.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert seen[1] - seen[0] < 750 * 16, "less than the smallest object for each step"


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: SGD(0), ValueError, "learning_rate"), (lambda: SGD(0.1, momentum=1.0), ValueError, "momentum"),
    (lambda: Adam(0.1, beta_1=1.0), ValueError, "beta_1"),
    (lambda: SGD(0.1).step({"w": np.ones(2)}, {"v": np.ones(2)}), ValueError, r"\['w'\]"),
    (lambda: SGD(0.1).step({"w": np.ones(2)}, {"w": np.ones(3)}), ValueError, r"params\['w'\].*\(2,\).*\(3,\)"),
    (lambda: SGD(0.1).step([np.arange(2)], [np.ones(2)]), TypeError, r"params\[0\].*int"),
])  # fmt: skip
def test_bad_calls_are_explained(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_another_set_of_parameters_needs_another_optimiser():
    opt = SGD(0.1, momentum=0.9)
    opt.step([np.ones(2)], [np.ones(2)])
    with pytest.raises(ValueError, match="one optimizer for each"):
        opt.step([np.ones(2), np.ones(2)], [np.ones(2), np.ones(2)])


@pytest.mark.parametrize("name", ["Adam", "SGD"])
@pytest.mark.parametrize("where", [mg.optim, mg.optimizers, mg.keras.optimizers])
def test_an_optimiser_calls_itself_by_its_public_name(where, name):
    make = getattr(where, name)
    assert make.__name__ == name and pickle.loads(pickle.dumps(make)) is make
    with pytest.raises(TypeError, match=rf"^{name}\.__init__\(\) got an unexpected keyword argument 'lr'"):
        make(lr=0.1)
