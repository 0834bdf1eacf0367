"""minigrad: gradients you can see, replace and repair.

>>> import minigrad as mg
>>> x = mg.constant(3.0)
>>> mg.gradients(x * x, x)[0].value
np.float32(6.0)

The same package reads as TensorFlow (`import minigrad as tf`), and `from minigrad import ops` as Keras.
"""

import builtins
import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from . import interop, names, ops
from ._version import __version__
from .backward import UnconnectedGradients, gradients
from .call import ignore_custom_gradients
from .check import check_gradients
from .custom import custom_gradient
from .differences import numeric_gradient
from .explain import Explanation, explain_none
from .jacobians import hessian, hvp, jacobian, jvp, vjp
from .nan import NanReport, find_nan
from .ops import *
from .recompute import grad_pass_through, recompute_grad
from .registry import RegisterGradient, gradient_override_map
from .report import GradientCheck, GradientError
from .scope import scope
from .tape import GradientTape
from .tensor import Tensor, constant, default_dtype, set_default_dtype
from .trace import BackwardTrace
from .tracing import backward_trace
from .transforms import elementwise_grad, grad, value_and_grad
from .variable import AUTO_REUSE, Variable, get_variable, variable_scope

if TYPE_CHECKING:
    from .programs import NotCompiled, compile, source

ops.custom_gradient = custom_gradient  # type: ignore[attr-defined]
names.install(globals())
compat = SimpleNamespace(v1=sys.modules[__name__], v2=sys.modules[__name__])


def __getattr__(name: str) -> Any:
    """What is imported when it is first asked for, because most programs do without."""
    if name in ("NotCompiled", "compile", "source"):
        from . import programs

        return getattr(programs, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# After `from minigrad import *`, what Python calls sum, range or math is still Python's: a notebook loops and counts
# with them. Those ops are reached as mg.sum and so on; all others come without a prefix.
__all__ = sorted(
    name
    for name, value in globals().items()
    if not (name.startswith("_") or isinstance(value, ModuleType) or name in ("Any", "ModuleType", "SimpleNamespace"))
    and not (hasattr(builtins, name) or name in sys.stdlib_module_names or name == "TYPE_CHECKING")
)
