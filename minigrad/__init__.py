"""minigrad: gradients you can see, replace and repair.

>>> import minigrad as mg
>>> x = mg.constant(3.0)
>>> mg.gradients(x * x, x)[0].value
np.float32(6.0)

Names of TensorFlow work as well with `import minigrad as tf`, and names of Keras with `from minigrad import ops`.
"""

import typing as _typing

from . import ops
from .core.custom import custom_gradient, ignore_custom_gradients
from .core.gradients import UnconnectedGradients, gradients
from .core.scopes import AUTO_REUSE, variable_scope
from .core.tensor import Tensor, constant
from .core.values import default_dtype, set_default_dtype
from .core.variable import Variable
from .frameworks import install as _names
from .frameworks import missing_names as _missing_names
from .frameworks import numpy_protocol as _numpy_protocol
from .frameworks.registered_gradients import RegisterGradient, gradient_override_map
from .ops import *
from .transforms import lost as _lost
from .transforms.gradient import elementwise_grad, grad, value_and_grad

if _typing.TYPE_CHECKING:
    from .bridges import find_nan
    from .diagnostics.check import GradientCheck, GradientError, check_gradients
    from .diagnostics.finite_differences import numeric_gradient
    from .diagnostics.missing_gradient import Explanation, explain_none
    from .diagnostics.nan import NanReport
    from .frameworks.variable_store import get_variable, reset_default_graph
    from .ops.declare import defop
    from .programs import NotAProgram, compile, source
    from .tracing.lines import remember_lines
    from .tracing.memory import saved
    from .tracing.message_table import Message, Messages, messages
    from .tracing.model import BackwardTrace
    from .tracing.parts import scope
    from .tracing.recorder import backward_trace
    from .transforms.jacobians import hessian, hvp, jacobian, jvp, vjp
    from .transforms.recompute import grad_pass_through, recompute_grad
    from .transforms.tape import GradientTape

__version__ = "0.1.0"

#: Names that are imported when they are first used: most programs do without them, and they take 20 ms.
_LATER = {
    "bridges": "find_nan",
    "tracing.lines": "remember_lines",
    "frameworks.variable_store": "get_variable reset_default_graph",
    "diagnostics.check": "GradientCheck GradientError check_gradients",
    "diagnostics.finite_differences": "numeric_gradient",
    "diagnostics.missing_gradient": "Explanation explain_none",
    "diagnostics.nan": "NanReport",
    "ops.declare": "defop",
    "programs": "NotAProgram compile source",
    "tracing.memory": "saved",
    "tracing.message_table": "Message Messages messages",
    "tracing.model": "BackwardTrace",
    "tracing.recorder": "backward_trace",
    "tracing.parts": "scope",
    "transforms.jacobians": "hessian hvp jacobian jvp vjp",
    "transforms.recompute": "grad_pass_through recompute_grad",
    "transforms.tape": "GradientTape",
}
_MODULE_OF = {name: module for module, names in _LATER.items() for name in names.split()}

#: The modules that programs reach as `mg.ops`; those that are not loaded yet are imported when they are first used.
_MODULES = {"data", "numpy", "ops", "optim", "scipy"}


def _reason_for_zero(*args: "_typing.Any") -> str:
    from .diagnostics.missing_gradient import reason_for_zero

    return reason_for_zero(*args)


ops.custom_gradient = custom_gradient
_lost.reason_for_zero.append(_reason_for_zero)
_names.install(globals())


def __getattr__(name: str) -> "_typing.Any":
    import importlib

    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _MODULE_OF:
        raise _missing_names.no_attribute(__name__, name)
    value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, those that are loaded later among them."""
    return sorted({*_names.public(globals()), *_MODULE_OF, *_MODULES})


# `from minigrad import *` leaves out the names of builtins and modules of Python, such as sum, range and math, which
# notebooks use. These are reached as mg.sum and so on.
__all__ = _names.beside_python({*__dir__()} - _MODULES - {"NotAProgram", "source"})
