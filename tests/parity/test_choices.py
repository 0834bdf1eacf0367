"""The table of lesson 10: what PyTorch, JAX and TensorFlow choose at kinks, ties and 0 · inf."""

import math
import re

import numpy as np
import pytest

from minigrad.classroom.notebook import read
from minigrad.classroom.release import sources
from minigrad.data.stored_slopes import STORED

pytestmark = pytest.mark.parity


def rows():
    """The stored numbers of each row, and where they were measured."""
    source = next(path for path in sources() if path.name.startswith("10_"))
    (cell,) = [c.source for c in read(source).cells if re.search(r"^POINTS = ", c.source, re.MULTILINE)]
    space = {"STORED": STORED}
    exec(f"import numpy as np\nimport minigrad as mg\n{cell}", space)
    assert space["POINTS"].keys() == STORED.keys()
    return {
        name: (at, dict(zip(("torch", "jax", "tensorflow"), STORED[name]))) for name, (f, at) in space["POINTS"].items()
    }


def by_torch(name, at):
    torch = pytest.importorskip("torch")
    f = {
        "abs at 0": torch.abs,
        "relu at 0": torch.relu,
        "maximum(x, 0) at 0": lambda x: torch.maximum(x, torch.zeros_like(x)),
        "max of [2 2], along an axis": lambda x: torch.max(x, dim=0).values,
        "clip(x, 0, 1) at 1": lambda x: torch.clamp(x, 0.0, 1.0),
        "x ** 0.0 at 0": lambda x: x**0.0,
        "norm at [0 0]": torch.linalg.norm,
        "std of [1 1]": torch.std,
        "std of [1 2]": torch.std,
        "median of [2 1 3 4]": torch.median,
        "where(x > 0, sqrt(x), 0) at 0": lambda x: torch.where(x > 0, torch.sqrt(x), 0.0),
        "log(1 + exp(x)) at 100": lambda x: torch.log(1 + torch.exp(x)),
        "sqrt at 0": torch.sqrt,
        "cumprod of [0 2 3], summed": lambda x: torch.cumprod(x, dim=0).sum(),
    }[name]
    x = torch.tensor(at, requires_grad=True)
    f(x).backward()
    return x.grad.numpy()


def by_jax(name, at):
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    f = {
        "abs at 0": jnp.abs,
        "relu at 0": jax.nn.relu,
        "maximum(x, 0) at 0": lambda x: jnp.maximum(x, 0.0),
        "max of [2 2], along an axis": lambda x: jnp.max(x, axis=0),
        "clip(x, 0, 1) at 1": lambda x: jnp.clip(x, 0.0, 1.0),
        "x ** 0.0 at 0": lambda x: x ** jnp.float32(0.0),
        "norm at [0 0]": jnp.linalg.norm,
        "std of [1 1]": jnp.std,
        "std of [1 2]": jnp.std,
        "median of [2 1 3 4]": jnp.median,
        "where(x > 0, sqrt(x), 0) at 0": lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0),
        "log(1 + exp(x)) at 100": lambda x: jnp.log(1 + jnp.exp(x)),
        "sqrt at 0": jnp.sqrt,
        "cumprod of [0 2 3], summed": lambda x: jnp.cumprod(x).sum(),
    }[name]
    return np.asarray(jax.grad(f)(jnp.array(at, jnp.float32)))


def by_tensorflow(name, at):
    tf = pytest.importorskip("tensorflow")
    f = {
        "abs at 0": tf.abs,
        "relu at 0": tf.nn.relu,
        "maximum(x, 0) at 0": lambda x: tf.maximum(x, 0.0),
        "max of [2 2], along an axis": lambda x: tf.reduce_max(x, axis=0),
        "clip(x, 0, 1) at 1": lambda x: tf.clip_by_value(x, 0.0, 1.0),
        "x ** 0.0 at 0": lambda x: x**0.0,
        "norm at [0 0]": tf.norm,
        "std of [1 1]": tf.math.reduce_std,
        "std of [1 2]": tf.math.reduce_std,
        "where(x > 0, sqrt(x), 0) at 0": lambda x: tf.where(x > 0, tf.sqrt(x), 0.0),
        "log(1 + exp(x)) at 100": lambda x: tf.math.log(1 + tf.exp(x)),
        "sqrt at 0": tf.sqrt,
        "cumprod of [0 2 3], summed": lambda x: tf.reduce_sum(tf.math.cumprod(x)),
    }[name]
    x = tf.constant(at)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


#: Numbers that changed, and from which version on.
SINCE = {("torch", "clip(x, 0, 1) at 1"): ([2, 14], 0.0)}


@pytest.mark.parametrize("measure", [by_torch, by_jax, by_tensorflow])
def test_the_stored_numbers_are_measured_again(measure, subtests):
    library = measure.__name__.removeprefix("by_")
    version = [int(n) for n in pytest.importorskip(library).__version__.split(".")[:2]]
    for name, (at, stored) in rows().items():
        number = stored[library]
        since, newer = SINCE.get((library, name), ([math.inf], None))
        if version >= since:
            number = newer
        if number is not None:
            with subtests.test(name):
                found = float(np.ravel(measure(name, at))[0])
                assert np.isclose(found, number, rtol=1e-6, equal_nan=True), (found, number)
