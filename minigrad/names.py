"""The names of TensorFlow for the ops, made from the declarations: `tf.math.log`, `tf.reduce_sum`, `tf.nn.relu`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .op import OPS


def install(namespace: dict[str, Any]) -> None:
    """Add every op's TensorFlow name to `namespace`; `math.log` makes an attribute of a namespace `math`.

    >>> import minigrad as tf
    >>> tf.math.log is tf.log
    True
    """
    for group in ("math", "nn", "linalg", "image"):
        namespace[group] = SimpleNamespace()
    for op in list(OPS.values()):
        spelled = op.names.get("tf")
        if not spelled:
            continue
        call = namespace.get(op.name, op.call)
        group, _, name = spelled.rpartition(".")
        if group:
            setattr(namespace[group], name, call)
        else:
            namespace.setdefault(name, call)
            setattr(namespace["math"], name, call)  # tf.math has most of them as well
