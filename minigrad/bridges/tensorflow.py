"""TensorFlow: turn each op of an eager run into a minigrad node; a `tf.function` runs eagerly while it is recorded."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.autograph.core import ag_ctx
from tensorflow.python.framework import op_callbacks, op_def_registry

from ..core.op import OPS, as_leaf
from ..core.support.observers import unannounced
from ..core.support.user_frames import OWN
from ..core.tensor import Tensor, next_serial
from ..tracing.replay import graph_of, is_input
from ..tracing.user_lines import call_in
from .calls import collapse
from .given import arrays_by_name, bound_arguments, call_by_name, called, checked, converted, referred, replaced
from .matrix_reasons import matrix_reason
from .rebuilt_program import Differs, ForeignProgram, NotRecorded, agreed, settled
from .tensorflow_custom import recording_rules
from .tensorflow_ops import HANDED_ON, TensorFlowSpelling, translated

_SITE = os.path.dirname(os.path.dirname(tf.__file__))
#: Code in these folders is not the user's.
NOT_USERS = (*(os.path.join(_SITE, name) + os.sep for name in ("tensorflow", "keras", "optree", "tree")), *OWN)


def array(t: Any) -> Any:
    """Return the numbers of a tensor; bfloat16 becomes float32."""
    value = np.asarray(t.numpy())
    return (value.astype(np.float32) if value.dtype.name == "bfloat16" else value)[()]


#: TensorFlow's name of an op on matrices -> its plain name.
MATRIX_OPS = {
    "Cholesky": "cholesky", "MatrixInverse": "inv", "MatrixDeterminant": "det", "LogMatrixDeterminant": "slogdet",
    "SelfAdjointEigV2": "eigh", "Svd": "svd", "Qr": "qr", "MatrixSolve": "solve",
}  # fmt: skip
#: Ops that run Python code whose ops are not recorded -> the function that the user called.
OPAQUE = {name: "tf.py_function" for name in ("EagerPyFunc", "PyFunc", "PyFuncStateless")}


class TensorFlowProgram(ForeignProgram):
    """An eager run of TensorFlow's ops, recorded as minigrad nodes.

    of : id of a tensor -> its node or constant.
    kept : all tensors seen, so that no new tensor gets the id of an old one.
    read : id of a variable -> the node of its value.
    gradients : id of a tracked tensor -> its gradient; tf.py_function can be differentiated only once.
    """

    framework = "TensorFlow"
    hidden = "tf.vectorized_map, tf.py_function or a Jacobian"

    def __init__(self, strange: Collection[Any], tape: Any) -> None:
        super().__init__(strange)
        self.dialect, self.tape, self.busy = TensorFlowSpelling(), tape, False
        # The serials of nodes to which a path without a stop_gradient leads from an input.
        self.connected: set[int] = set()
        self.of: dict[int, Any] = {}
        self.kept: list[Any] = []
        self.read: dict[int, Any] = {}
        self.result: Any = None
        self.gradients: dict[int, Any] | None = None

    def keep(self, t: Any, node: Any) -> None:
        self.of[id(t)] = node
        self.kept.append(t)

    def leaf(self, t: Any, source: Any = None) -> Any:
        """Return a new input for a float tensor; with `source`, for a variable that has this value."""
        node = as_leaf(array(t))
        self.keep(t, node)
        self.leaves[node.serial] = t
        self.connected.add(node.serial)
        self.tracked.append((node, t if source is None else source))
        return node

    def node(self, t: Any) -> Any:
        """Return a tensor's node: a new input for a variable's value, or an array if no input affects the tensor."""
        if id(t) not in self.of:
            value = array(t)
            variable = next((v for v in self.variables() if np.array_equal(array(v), value)), None)
            if variable is None:
                self.keep(t, value)
            elif id(variable) in self.read and np.array_equal(self.read[id(variable)].value, value):
                self.keep(t, self.read[id(variable)])
            else:  # the variable's gradient belongs to its first value
                node = self.leaf(t, None if id(variable) in self.read else variable)
                self.names[variable.name.partition(":")[0]] = self.read[id(variable)] = node
        return self.of[id(t)]

    def variables(self) -> list[Any]:
        return list(self.tape.watched_variables())

    def callback(
        self, op_type: str, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> Any:
        """Record an op that TensorFlow has run."""
        if self.busy or graph is not None:
            return
        self.busy = True
        try:
            name = op_type.decode() if isinstance(op_type, bytes) else op_type
            self.note(name, list(inputs), dict(zip(attrs[::2], attrs[1::2])), list(outputs))
        finally:
            self.busy = False

    def note(self, name: str, inputs: list[Any], attributes: dict[str, Any], outputs: list[Any]) -> None:
        if any(t.dtype in (tf.resource, tf.variant, tf.string) for t in (*inputs, *outputs)):
            return
        operands, start = [self.node(t) for t in inputs], next_serial()
        self.at += 1
        if not any(isinstance(a, Tensor) for a in operands):
            for t in outputs:
                self.keep(t, array(t))
            return
        made = self.translated(name, attributes, operands, outputs[0]) if len(outputs) == 1 else None
        for i, t in enumerate(outputs):
            node = made if made is not None else self.foreign(name, inputs, attributes, operands, t, i)
            if isinstance(node, Tensor):
                self.place(node, start)
                reason = matrix_reason(MATRIX_OPS.get(name, ""), operands[0])
                self.reasons |= {} if reason is None else {node.serial: reason}
                passes = name != "StopGradient" and any(
                    isinstance(a, Tensor) and a.serial in self.connected for a in operands
                )
                if passes and t.dtype.is_floating and all(node is not a for a in operands):
                    self.connected.add(node.serial)
                    self.tracked.append((node, t))
            self.keep(t, node)

    def translated(self, name: str, attributes: dict[str, Any], operands: list[Any], out: Any) -> Any:
        """Compute an op with minigrad's ops, and return the node if its value is TensorFlow's, else None.

        operands, out : the recorded operands, and TensorFlow's result.
        """
        value = array(out)
        if name in HANDED_ON or (name == "Cast" and getattr(operands[0], "dtype", None) == value.dtype):
            return operands[0]
        scalars = [a.item() if isinstance(a, np.generic) and a.dtype.kind == "f" else a for a in operands]

        def make() -> Any:
            if name == "Cast":
                return OPS["astype"].call(operands[0], value.dtype)
            if self.at in self.strange:
                raise Differs(f"{name} is derived differently")
            return translated(name, attributes, scalars)

        (node,) = agreed(make, [value], operands)
        return node if isinstance(node, Tensor) else None

    def place(self, node: Tensor, start: int) -> None:
        """Record the user's line that is running as the line of all nodes newer than the serial `start`."""
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename.startswith(NOT_USERS):
            frame = frame.f_back
        self.dialect.globals.setdefault(frame.f_code.co_filename, frame.f_globals)
        for n in graph_of(node):
            if n.serial > start and not is_input(n):
                n.location, n.call = (frame.f_code, frame.f_lasti), call_in(frame, NOT_USERS)
                self.calls[n.serial] = self.at

    def foreign(self, name: str, inputs: Any, attributes: dict[str, Any], operands: list[Any], out: Any, i: int) -> Any:
        """Record an op's i-th result as a foreign op, whose value and derivative TensorFlow computes."""
        moving = [k for k, (t, a) in enumerate(zip(inputs, operands)) if isinstance(a, Tensor) and t.dtype.is_floating]
        if not moving or not out.dtype.is_floating:
            return array(out)
        if not hasattr(tf.raw_ops, name) or name in OPAQUE:
            leaf, what = self.leaf(out), OPAQUE.get(name, "a graph")
            self.unseen[leaf.serial] = what
            self.names.setdefault(f"a result of {what}", leaf)
            return leaf
        return self.left(name, OpAgain(name, inputs, attributes, moving, i), [operands[k] for k in moving], array(out))

    def adjoints(self, keys: Sequence[Any]) -> list[Any]:
        if self.gradients is None:
            tensors = [t for _, t in self.tracked]
            try:
                grads = self.tape.gradient(self.result, tensors)
            except (
                tf.errors.OpError,
                LookupError,
            ) as error:  # an op without a gradient, or a matrix without an inverse
                why = (
                    str(getattr(error, "message", error))
                    .rpartition("}} ")[2]
                    .partition("\n")[0]
                    .removesuffix(" name: ")
                )
                raise NotRecorded(f"TensorFlow cannot compute the gradient of this program: {why}") from error
            self.gradients = {id(t): g for t, g in zip(tensors, grads)}
        grads = [self.gradients.get(id(t)) for t in keys]
        return [None if g is None else array(tf.convert_to_tensor(g)) for g in grads]

    def run(self, new: Tensor, inputs: Sequence[Tensor]) -> tuple[Any, list[Any]]:
        now = {node.serial: tf.constant(node.value) for node in inputs}
        leaves = list(now.values())
        with tf.GradientTape() as tape:
            tape.watch(leaves)
            y = self.evaluated(new, now, tf.constant)
        grads = tape.gradient(y, leaves)
        return array(y), [np.zeros(n.shape) if g is None else array(g) for n, g in zip(inputs, grads)]

    def twice(self, new: Tensor, inputs: Sequence[Tensor], ways: Sequence[Any]) -> float:
        now = {node.serial: tf.constant(node.value) for node in inputs}
        leaves = list(now.values())
        along = [tf.constant(way, x.dtype) for way, x in zip(ways, leaves)]
        total = lambda grads: sum(tf.reduce_sum(g * way) for g, way in zip(grads, along) if g is not None)
        with tf.GradientTape() as outer:
            outer.watch(leaves)
            with tf.GradientTape() as inner:
                inner.watch(leaves)
                y = self.evaluated(new, now, tf.constant)
            slope = total(inner.gradient(y, leaves))
        return float(total(outer.gradient(slope, leaves)))


class OpAgain:
    """A TensorFlow op that can be repeated with some tensors replaced."""

    def __init__(self, name: str, inputs: list[Any], attributes: dict[str, Any], moving: list[int], index: int) -> None:
        self.inputs, self.moving, self.index = inputs, moving, index
        definition = op_def_registry.get(name)
        self.f, self.arguments = getattr(tf.raw_ops, name), definition.input_arg
        own = {a.name for a in (*definition.input_arg, *definition.attr)}
        renamed = (p for p in inspect.signature(self.f).parameters if p not in own and p != "name")
        parameters = {*inspect.signature(self.f).parameters}
        self.called = {a.name: a.name if a.name in parameters else next(renamed) for a in definition.input_arg}
        kinds = {a.name: a.type for a in definition.attr}
        counts = {a.number_attr for a in definition.input_arg}
        plain = lambda k: "type" not in kinds.get(k, "type") and k not in counts
        self.attributes = {k: v for k, v in attributes.items() if plain(k)}

    def __call__(self, *tensors: Any) -> Any:
        values = list(self.inputs)
        for i, t in zip(self.moving, tensors):
            values[i] = t
        dtype = tensors[0].dtype
        values = [tf.cast(t, dtype) if t.dtype.is_floating and t.dtype != dtype else t for t in values]
        by_name, at = {}, 0
        for argument in self.arguments:
            many = len(values) - len(self.arguments) + 1 if argument.number_attr else 1
            by_name[self.called[argument.name]] = values[at : at + many] if argument.number_attr else values[at]
            at += many
        out = self.f(**by_name, **self.attributes)
        return out[self.index] if isinstance(out, (list, tuple)) else out

    def value(self, *values: Any) -> Any:
        return array(self(*[tf.constant(np.asarray(v)) for v in values]))

    def gradients(self, values: Sequence[Any], g: Any, recorded: bool = False) -> list[Any]:
        leaves = [tf.constant(np.asarray(v)) for v in values]
        with tf.GradientTape() as tape:
            tape.watch(leaves)
            y = self(*leaves)
        grads = tape.gradient(y, leaves, tf.constant(np.asarray(g, y.dtype.as_numpy_dtype)))
        return [None if m is None else array(tf.convert_to_tensor(m)) for m in grads]


@contextmanager
def recording(program: TensorFlowProgram) -> Iterator[None]:
    """Return a context manager that records the ops in its block; its changes to TensorFlow are undone at the end."""
    eager = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(True)
    op_callbacks.add_op_callback(program.callback)
    try:
        # AutoGraph would run a copy of the user's code, whose lines are in a temporary file.
        with unannounced(), ag_ctx.ControlStatusCtx(ag_ctx.Status.DISABLED), recording_rules(program):
            yield
    finally:
        op_callbacks.remove_op_callback(program.callback)
        tf.config.run_functions_eagerly(eager)


def record(f: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> ForeignProgram:
    """Record `f(*args, **kwargs)` as a program, and compare all its adjoints with TensorFlow's."""
    values = converted(bound_arguments(getattr(f, "python_function", f), args, kwargs), tf.constant)
    inside = {k: v for k, v in arrays_by_name(dict(referred(f))).items() if isinstance(v, tf.Tensor)}
    seen = {id(v) for v in inside.values()}

    def apart(x: Any) -> Any:
        """Return a copy of a tensor that was given twice, so that each argument has its own gradient."""
        again = id(x) in seen
        seen.add(id(x))
        return tf.identity(x) if again and isinstance(x, tf.Tensor) else x

    values = replaced(values, apart)

    def wider(dtype: Any) -> list[Any]:
        cast = lambda x: tf.cast(x, dtype) if isinstance(x, tf.Tensor) and x.dtype.is_floating else x
        widened = replaced(values, cast)
        xs = [t for t in arrays_by_name(widened).values() if isinstance(t, tf.Tensor) and t.dtype.is_floating]
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = call_by_name(f, widened)
        gradients = tape.gradient(y, xs, unconnected_gradients="zero")
        return [array(tf.convert_to_tensor(v)) for v in (y, *gradients)]

    def make(strange: Collection[Any]) -> TensorFlowProgram:
        with tf.GradientTape(persistent=True) as tape:
            program = TensorFlowProgram(strange, tape)
            for name, t in {**inside, **arrays_by_name(values)}.items():
                if isinstance(t, tf.Tensor) and t.dtype.is_floating:
                    tape.watch(t)
                    program.names[name] = program.leaf(t)
            with recording(program):
                y = call_by_name(f, values)
        checked(f, y, lambda y: isinstance(y, tf.Tensor) and y.dtype.is_floating)
        node = program.of.get(id(y))
        if not isinstance(node, Tensor):
            raise NotRecorded(f"the result of {called(f)} does not depend on a tensor or variable of floats through "
                              "ops that are recorded, and ops on complex numbers are not")  # fmt: skip
        program.result, program.y, program.wider = y, node, wider
        with unannounced():
            collapse(program)
        return program

    return settled(make)
