"""minigrad: gradients you can see, replace and repair.

>>> import minigrad as mg
>>> x = mg.constant(3.0)
>>> mg.gradients(x * x, x)[0].value
np.float32(6.0)

The same package reads as TensorFlow (`import minigrad as tf`), and `from minigrad import ops` as Keras.
"""

import typing as _typing

from . import elsewhere, interop, names, ops
from ._version import __version__
from .backward import UnconnectedGradients, gradients
from .call import ignore_custom_gradients
from .custom import custom_gradient
from .jacobians import hessian, hvp, jacobian, jvp, vjp
from .ops import *
from .recompute import grad_pass_through, recompute_grad
from .registry import RegisterGradient, gradient_override_map
from .scopes import scope
from .tape import GradientTape
from .tensor import Tensor, constant, default_dtype, set_default_dtype
from .transforms import elementwise_grad, grad, value_and_grad
from .variable import AUTO_REUSE, Variable, get_variable, reset_default_graph, variable_scope

if _typing.TYPE_CHECKING:
    from .check import check_gradients
    from .differences import numeric_gradient
    from .explain import Explanation, explain_none
    from .message_table import Message, Messages, messages
    from .nan_finder import NanReport, find_nan
    from .programs import NotAProgram, compile, source
    from .report import GradientCheck, GradientError
    from .traces import BackwardTrace
    from .tracing import backward_trace

#: What is imported when it is first asked for, because most programs do without; with it the import takes 20 ms more.
_LATER = {
    "BackwardTrace": "traces", "Explanation": "explain", "GradientCheck": "report", "GradientError": "report",
    "Message": "message_table", "Messages": "message_table", "messages": "message_table",
    "NanReport": "nan_finder", "NotAProgram": "programs", "backward_trace": "tracing", "check_gradients": "check",
    "compile": "programs", "explain_none": "explain", "find_nan": "nan_finder", "numeric_gradient": "differences",
    "source": "programs",
}  # fmt: skip

#: The modules that programs reach as `mg.ops`; those that are not loaded yet are imported when they are first used.
_MODULES = {"data", "lines", "numpy", "ops", "optim", "scipy"}

ops.custom_gradient = custom_gradient  # type: ignore[attr-defined]
names.install(globals())
_names, _no_attribute = names, elsewhere.no_attribute


def __getattr__(name: str) -> "_typing.Any":
    import importlib

    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _LATER:
        raise _no_attribute(__name__, name)
    value = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, those that are loaded later among them."""
    return sorted({*_names.public(globals()), *_LATER, *_MODULES})


# What Python calls sum, range or math is still Python's after `from minigrad import *`: a notebook loops and counts
# with them. Those ops are reached as mg.sum and so on; all others come without a prefix.
__all__ = _names.beside_python({*__dir__()} - _MODULES - {"NotAProgram", "source"})

# A file of the engine is imported by its path: `from minigrad.tensor import Tensor`. It is no attribute, as mg.tensor
# would be taken for the function of that name in another library.
for _name in _names.files(globals()) - _MODULES:
    del globals()[_name]
