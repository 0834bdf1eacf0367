"""TensorFlow under tf.function."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import tensorflow as tf


@tf.custom_gradient
def log1pexp(x: Any) -> Any:
    e = tf.exp(x)
    return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))


spell = SimpleNamespace(
    exp=tf.exp, log=tf.math.log, tanh=tf.tanh, sin=tf.sin, sqrt=tf.sqrt, sum=tf.reduce_sum, mean=tf.reduce_mean,
    reshape=tf.reshape, einsum=tf.einsum, relu=tf.nn.relu, log_softmax=tf.nn.log_softmax, softmax=tf.nn.softmax,
    log_sigmoid=tf.math.log_sigmoid, take_rows=tf.gather, log1pexp=log1pexp, matvec=tf.linalg.matvec,
    zeros=partial(tf.zeros, dtype=tf.float64),
    swapaxes=lambda x, i, j: tf.linalg.matrix_transpose(x),
    conv=lambda x, k: tf.nn.conv2d(x, k, 1, "VALID"),
    avg_pool=lambda x: tf.nn.avg_pool2d(x, 2, 2, "VALID"),
)  # fmt: skip


class Peer:
    def prepare(self, workload: Any, arrays: list[Any]) -> Any:
        if workload.name.startswith("scalar-"):  # unrolled, these take minutes to trace
            return None
        given = [tf.constant(a) if not isinstance(a, float) else tf.constant(a, tf.float64) for a in arrays]
        compute = partial(getattr(self, "_" + workload.task), partial(workload.f, spell), workload.wrt)
        return self.wrap(compute, given)

    def wrap(self, compute: Any, given: list[Any]) -> Any:
        return partial(tf.function(compute, autograph=False), *given)

    def _gradient(self, f: Any, wrt: int, *given: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(given[:wrt])
            y = f(*given)
        return y, [tf.convert_to_tensor(g) for g in tape.gradient(y, given[:wrt])]

    def _hvp(self, f: Any, wrt: int, x: Any, v: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            g = self._gradient(f, 1, x)[1][0]
        return tape.gradient(g, x, v)

    def _hessian(self, f: Any, wrt: int, x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            g = self._gradient(f, 1, x)[1][0]
        return tape.jacobian(g, x)

    def _fifth(self, f: Any, wrt: int, x: Any, order: int = 5) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x) if order == 1 else self._fifth(f, wrt, x, order - 1)
        return tape.gradient(y, x)
