"""minigrad: gradients you can see, replace and repair.

>>> import minigrad as mg
>>> x = mg.constant(3.0)
>>> mg.gradients(x * x, x)[0].value
np.float32(6.0)

Names of TensorFlow work as well with `import minigrad as tf`, and names of Keras with `from minigrad import ops`.
"""

import typing as _typing

from . import ops
from .frameworks import install as _names
from .frameworks import missing_names as _missing_names
from .frameworks import numpy_protocol as _numpy_protocol
from .frameworks import own_viz as _own_viz
from .transforms import lost as _lost

if _typing.TYPE_CHECKING:
    from .frameworks.names import *
else:  # a type checker reads names.pyi, which lists these and all the names that tables add
    from .core.custom import custom_gradient, ignore_custom_gradients
    from .core.gradients import UnconnectedGradients, gradients
    from .core.scopes import AUTO_REUSE, variable_scope
    from .core.tensor import Tensor, TensorLike, constant
    from .core.values import default_dtype, set_default_dtype
    from .core.variable import Variable
    from .frameworks.registered_gradients import RegisterGradient, gradient_override_map
    from .ops import *
    from .transforms.gradient import elementwise_grad, grad, value_and_grad

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
_MODULES = {"data", "numpy", "ops", "optim", "scipy", "viz"}


def _reason_for_zero(*args: "_typing.Any") -> str:
    from .diagnostics.missing_gradient import reason_for_zero

    return reason_for_zero(*args)


vars(ops)["custom_gradient"] = custom_gradient
_lost.reason_for_zero.append(_reason_for_zero)
_names.install(globals())
_own_viz.notice()


def _later(name: str) -> "_typing.Any":
    """A public name that is not loaded yet."""
    import importlib

    if name == "viz":
        return _own_viz.load()
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _MODULE_OF:
        raise _missing_names.no_attribute(__name__, name)
    value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


if not _typing.TYPE_CHECKING:  # a type checker finds names that do not exist
    __getattr__ = _later


def __dir__() -> list[str]:
    """The public names, those that are loaded later among them."""
    return sorted({*_names.public(globals()), *_MODULE_OF, *_MODULES})


# `from minigrad import *` leaves out the names of builtins and modules of Python, such as sum, range and math, which
# notebooks use. These are reached as mg.sum and so on.
__all__ = _names.beside_python({*__dir__()} - _MODULES - {"NotAProgram", "source"})
