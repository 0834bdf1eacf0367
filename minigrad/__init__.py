"""minigrad: gradients you can see, replace and repair.

>>> import minigrad as mg
>>> x = mg.constant(3.0)
>>> mg.gradients(x * x, x)[0].value
np.float32(6.0)

The same package reads as TensorFlow (`import minigrad as tf`), and `from minigrad import ops` as Keras.
"""

import builtins
import importlib
import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from . import interop, names, ops
from ._version import __version__
from .backward import UnconnectedGradients, gradients
from .call import ignore_custom_gradients
from .custom import custom_gradient
from .jacobians import hessian, hvp, jacobian, jvp, vjp
from .ops import *
from .recompute import grad_pass_through, recompute_grad
from .registry import RegisterGradient, gradient_override_map
from .scope import scope
from .tape import GradientTape
from .tensor import Tensor, constant, default_dtype, set_default_dtype
from .transforms import elementwise_grad, grad, value_and_grad
from .variable import AUTO_REUSE, Variable, get_variable, variable_scope

if TYPE_CHECKING:
    from .check import check_gradients
    from .differences import numeric_gradient
    from .explain import Explanation, explain_none
    from .nan import NanReport, find_nan
    from .programs import NotCompiled, compile, source
    from .report import GradientCheck, GradientError
    from .traces import BackwardTrace
    from .tracing import backward_trace

#: What is imported when it is first asked for, because most programs do without; with it the import takes 20 ms more.
_LATER = {
    "BackwardTrace": "traces", "Explanation": "explain", "GradientCheck": "report", "GradientError": "report",
    "NanReport": "nan", "NotCompiled": "programs", "backward_trace": "tracing", "check_gradients": "check",
    "compile": "programs", "explain_none": "explain", "find_nan": "nan", "numeric_gradient": "differences",
    "source": "programs",
}  # fmt: skip

ops.custom_gradient = custom_gradient  # type: ignore[attr-defined]
names.install(globals())
compat = SimpleNamespace(v1=sys.modules[__name__], v2=sys.modules[__name__])


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What an editor offers behind `mg.`: all of it."""
    return sorted({*globals(), *_LATER})


# After `from minigrad import *`, what Python calls sum, range or math is still Python's: a notebook loops and counts
# with them. Those ops are reached as mg.sum and so on; all others come without a prefix.
_LEFT_OUT = {"Any", "ModuleType", "SimpleNamespace", "TYPE_CHECKING", "NotCompiled", "source"}
__all__ = sorted(
    name
    for name in {*globals(), *_LATER} - _LEFT_OUT
    if not (name.startswith("_") or isinstance(globals().get(name), ModuleType))
    and not (hasattr(builtins, name) or name in sys.stdlib_module_names)
)
