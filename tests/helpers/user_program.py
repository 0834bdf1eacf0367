"""A program as a user writes it: a type checker accepts it, and knows what the ops return."""

import numpy as np

import minigrad as mg
import viz
from minigrad import Tensor, TensorLike, ops


def layer(x: TensorLike, w: Tensor, b: Tensor) -> Tensor:
    return mg.tanh(mg.matmul(x, w) + b)


@mg.custom_gradient
def log1pexp(x: Tensor) -> tuple[Tensor, object]:
    e = mg.exp(x)

    def grad(dy: Tensor) -> Tensor:
        return dy * (1 - 1 / (1 + e))

    return mg.log(1 + e), grad


rng = np.random.default_rng(0)
x = mg.constant(rng.normal(size=(8, 3)))
w = mg.Variable(rng.normal(size=(3, 2)), name="w")
b = mg.Variable(np.zeros(2), name="b")
h: Tensor = layer(x, w, b).reshape(-1)
total: Tensor = mg.sum(mg.square(h), axis=0) + mg.reduce_mean(ops.exp(h))
d_w, d_b = mg.gradients(total, [w, b])
assert d_w is not None and d_b is not None
w.assign(w - 0.1 * d_w)
shape: tuple[int, ...] = mg.exp(d_b).shape
values: Tensor = mg.eigh([[2.0, 1.0], [1.0, 2.0]]).eigenvalues
first, second = mg.divmod(7.0, 2.0)
loss: float = float(mg.maximum(first, second).item())
program: str = str(mg.source(mg.grad(mg.sum), x))
report: str = str(mg.find_nan(log1pexp, 100.0))
view = viz.backward(total)
page: str = view.to_html()
dtype: mg.Tensor = mg.cast(x, mg.float32)
