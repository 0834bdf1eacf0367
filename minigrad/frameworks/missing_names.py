"""AttributeErrors for names of other libraries, with what to write instead.

The names are not defined: `hasattr` is False for each.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy

from ..core.tensor import Tensor
from ..ops.declare import BY_NUMPY

#: A name that `import minigrad as mg` does not have, or a name in one of its groups, and what to write.
MODULE = {
    # NumPy
    "array": "mg.constant(values)",
    "asarray": "mg.convert_to_tensor(values)",
    "empty": "mg.zeros(shape)",
    "ndarray": "mg.Tensor",
    "nan": "float('nan'), or numpy.nan",
    "inf": "float('inf'), or numpy.inf",
    "allclose": "numpy.allclose(x, y)",
    "isclose": "numpy.isclose(x, y)",
    "pi": "math.pi of Python, or numpy.pi",
    "e": "math.e of Python, or numpy.e",
    # PyTorch
    "tensor": "mg.constant(values)",
    "from_numpy": "mg.constant(values)",
    "as_tensor": "mg.convert_to_tensor(values)",
    "Parameter": "mg.Variable(initial_value)",
    "autograd": "mg.gradients(y, x), or mg.grad(f) for a function",
    "backward": "mg.gradients(y, x) for the gradients, viz.backward(y) for the picture",
    "no_grad": "mg.stop_gradient(y): gradients are computed only where mg.gradients is called",
    "enable_grad": "mg.gradients(y, x): all that is computed is recorded",
    "inference_mode": "mg.stop_gradient(y): gradients are computed only where mg.gradients is called",
    "detach": "mg.stop_gradient(x)",
    "Function": "mg.custom_gradient, around a function that returns (value, grad_fn)",
    "gradcheck": "mg.check_gradients(f, x)",
    "cat": "mg.concatenate(tensors, axis)",
    "clamp": "mg.clip(x, low, high)",
    "mm": "mg.matmul(a, b)",
    "bmm": "mg.matmul(a, b)",
    "permute": "mg.transpose(x, axes)",
    "view": "mg.reshape(x, shape)",
    "flatten": "mg.ravel(x)",
    "unsqueeze": "mg.expand_dims(x, axis)",
    "topk": "mg.top_k(x, k)",
    "index_select": "mg.take(x, indices, axis)",
    "scatter_add": "mg.index_add(x, key, values)",
    "masked_fill": "mg.where(mask, value, x)",
    "manual_seed": "mg.random.set_seed(seed)",
    "randn": "mg.random.normal(shape)",
    "rand": "mg.random.uniform(shape)",
    "float": "mg.float32",
    "double": "mg.float64",
    "half": "mg.float16",
    "long": "mg.int64",
    "int": "mg.int32",
    "nn.functional": "mg.nn.relu and so on: the functions are in mg.nn itself",
    "nn.Parameter": "mg.Variable(initial_value)",
    "nn.Linear": "x @ w + b, with w and b made by mg.Variable",
    "nn.Embedding": "mg.embedding(table, indices)",
    "nn.MSELoss": "mg.keras.losses.MeanSquaredError()",
    "nn.CrossEntropyLoss": "mg.keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
    "nn.cross_entropy": "mg.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)",
    "nn.one_hot": "mg.one_hot(indices, depth)",
    "nn.logsumexp": "mg.logsumexp(x)",
    "nn.ReLU": "mg.nn.relu(x)",
    "nn.BCELoss": "mg.keras.losses.BinaryCrossentropy()",
    "mse_loss": "mg.keras.losses.mse(y_true, y_pred)",
    "nn.mse_loss": "mg.keras.losses.mse(y_true, y_pred)",
    "cross_entropy": "mg.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)",
    # JAX
    "jit": "mg.compile(f)",
    "vmap": "mg.vectorized_map(f, rows)",
    "jacrev": "mg.jacobian(f)",
    "jacfwd": "mg.jacobian(f)",
    "custom_vjp": "mg.custom_gradient, around a function that returns (value, grad_fn)",
    "custom_jvp": "mg.custom_gradient, around a function that returns (value, grad_fn)",
    "checkpoint": "mg.recompute_grad(f)",
    "remat": "mg.recompute_grad(f)",
    "make_jaxpr": "mg.source(f, *arguments)",
    "linearize": "mg.jvp(f, x, v)",
    "tree_map": "mg.nest.map_structure(f, structure)",
    "tree": "mg.nest",
    "tree_util": "mg.nest",
    "device_put": "mg.constant(values)",
    "PRNGKey": "mg.random.Generator.from_seed(seed)",
    "random.PRNGKey": "mg.random.Generator.from_seed(seed)",
    "random.key": "mg.random.Generator.from_seed(seed)",
    "random.default_rng": "mg.random.Generator.from_seed(seed)",
    "random.seed": "mg.random.set_seed(seed)",
    "random.randn": "mg.random.normal(shape)",
    "random.rand": "mg.random.uniform(shape)",
    # TensorFlow and Keras
    "placeholder": "mg.constant(values): every op computes its value at once",
    "Session": "y.numpy(): every op computes its value at once",
    "Graph": "viz.backward(y) to see the recorded graph",
    "graph": "viz.backward(y) to see the recorded graph",
    "train": "mg.optimizers.SGD(learning_rate)",
    "losses": "mg.keras.losses",
}

#: An attribute that a Tensor does not have, and what to write.
TENSOR = {
    # PyTorch
    "grad": "mg.gradients(y, x): it returns the gradients, and no Tensor stores one",
    "backward": "mg.gradients(y, x): it returns the gradients, and no Tensor stores one",
    "requires_grad": "mg.gradients(y, x): it needs no flag, and takes each Tensor of floats as x",
    "requires_grad_": "mg.gradients(y, x): it needs no flag, and takes each Tensor of floats as x",
    "retain_grad": "mg.gradients(y, x): x may be an intermediate result",
    "zero_grad": "mg.gradients(y, x) at each step: no Tensor stores a gradient that would be added to",
    "detach": "mg.stop_gradient(x)",
    "grad_fn": "x.op",
    "is_leaf": "x.op is None",
    "data": "x.value",
    "register_hook": "mg.custom_gradient around an identity whose grad_fn has the hook in it",
    "cpu": "x: all is computed by NumPy",
    "cuda": "x: all is computed by NumPy",
    "to": "x.astype(dtype)",
    "float": "x.astype('float32')",
    "double": "x.astype('float64')",
    "long": "x.astype('int64')",
    "int": "x.astype('int32')",
    "dim": "x.ndim",
    "numel": "x.size",
    "view": "x.reshape(shape)",
    "permute": "x.transpose(axes)",
    "unsqueeze": "mg.expand_dims(x, axis)",
    "clamp": "x.clip(low, high)",
    "t": "x.T",
    "mm": "x @ y",
    "add_": "x + y: a Tensor cannot be changed in place",
    "mul_": "x * y: a Tensor cannot be changed in place",
    "fill_": "mg.full_like(x, value): a Tensor cannot be changed in place",
    "abs": "mg.abs(x)",
    "sqrt": "mg.sqrt(x)",
    "square": "mg.square(x)",
    "sin": "mg.sin(x)",
    "cos": "mg.cos(x)",
    "norm": "mg.norm(x)",
    "softmax": "mg.softmax(x)",
    "log_softmax": "mg.log_softmax(x)",
    "pow": "x ** n",
    "add": "x + y",
    "sub": "x - y",
    "mul": "x * y",
    "div": "x / y",
    "matmul": "x @ y",
    "clone": "x.copy()",
    "contiguous": "x: how the numbers lie in memory does not matter",
    "device": "x: all is computed by NumPy",
    "zero_": "mg.zeros_like(x): a Tensor cannot be changed in place",
    # JAX and TensorFlow
    "at": "mg.index_set(x, key, value), or mg.index_add(x, key, value)",
    "block_until_ready": "x: every op computes its value at once",
    "eval": "x.numpy()",
    "get_shape": "x.shape",
    "set_shape": "mg.reshape(x, shape)",
    "assign": "mg.Variable(initial_value), which can be assigned",
    "assign_add": "mg.Variable(initial_value), which can be assigned",
    "assign_sub": "mg.Variable(initial_value), which can be assigned",
}


def no_attribute(module: str, name: str) -> AttributeError:
    """The error for a name that `module`, minigrad or a group in it, does not have.

    >>> print(no_attribute("minigrad", "jit"))
    minigrad has no 'jit'; write mg.compile(f)
    """
    instead = MODULE.get(f"{module}.{name}".partition(".")[2]) or _found_in(module, name)
    instead = f"write {instead}" if instead else _nearest(module, name)
    sentence = f"{module} has no {name!r}" + (f"; {instead}" if instead else "")
    return AttributeError(sentence, name=name, obj=sys.modules[module])


class MissingAttribute:
    """An attribute that a Tensor does not have: reading or setting it raises an AttributeError with what to write.

    A descriptor, as a `__getattr__` would also be called for every protocol that NumPy looks up on a Tensor.
    """

    def __init__(self, name: str, instead: str) -> None:
        self.name, self.instead = name, instead
        self.__doc__ = f"Not here; write {instead}."

    def __get__(self, tensor: Any, owner: type) -> Any:
        sentence = f"a {owner.__name__} has no {self.name!r}; write {self.instead}"
        raise AttributeError(sentence, name=self.name, obj=tensor)

    def __set__(self, tensor: Any, value: Any) -> None:
        self.__get__(tensor, type(tensor))


def _attributes(tensor: Tensor) -> list[str]:
    return sorted(name for name in object.__dir__(tensor) if name not in TENSOR or hasattr(type(tensor), name))


for _name, _instead in TENSOR.items():
    if _name not in vars(Tensor):
        setattr(Tensor, _name, MissingAttribute(_name, _instead))
Tensor.__dir__ = _attributes  # type: ignore[method-assign, assignment]


def _found_in(module: str, name: str) -> str:
    """The expression for a name that is in another group of minigrad or in `minigrad.numpy`; else ""."""
    root = sys.modules["minigrad"]
    groups = {"mg": root, "mg.ops": root.ops, "mg.nn": root.nn, "mg.math": root.math, "mg.linalg": root.linalg}
    for group, holder in groups.items():
        if name in dir(holder):
            return f"{group}.{name}"
    function = getattr(numpy, name, None)
    if callable(function) and not isinstance(function, type) and function in BY_NUMPY:
        return f"np.{name}, after import minigrad.numpy as np"
    return ""


def _nearest(module: str, name: str) -> str:
    """A question about the public name that `name` may be a slip of the pen for."""
    if name.startswith("_"):
        return ""
    import difflib

    names = [known for known in dir(sys.modules[module]) if not known.startswith("_")]
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.8)
    return f"did you mean {close[0]}?" if close else ""
