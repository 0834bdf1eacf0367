"""minigrad: gradients you can see, replace and repair.

>>> import minigrad as mg
>>> x = mg.constant(3.0)
>>> mg.gradients(x * x, x)[0].value
np.float32(6.0)

TensorFlow's names also work after `import minigrad as tf`, and Keras's names after `from minigrad import ops`.
For help on one name, such as grad, run `help(mg.grad)`.

Make values
    Tensor                   a NumPy value and the record of how it was made
    TensorLike               the type of what ops take: a Tensor, a number, an array, a list
    constant                 a Tensor made from a number, a list or an array
    Variable                 a Tensor that can be assigned
    default_dtype            the dtype that Python floats become
    set_default_dtype        change that dtype
    get_variable             create a Variable under a name, or return the existing one
    variable_scope           a block in which the names of all new Variables have the same prefix
    AUTO_REUSE               reuse=AUTO_REUSE returns an existing Variable, or creates it if it is missing
    reset_default_graph      forget the Variables that get_variable created

Differentiate
    gradients                the gradients of computed results with respect to values
    grad                     the function that returns the gradient of a function
    value_and_grad           the function that returns the value and the gradient
    elementwise_grad         the gradient of a function that acts on each element
    GradientTape             record a block, then ask for gradients
    vjp, jvp                 a vector times the Jacobian, and the Jacobian times a vector
    jacobian, hessian        all first derivatives, all second derivatives
    hvp                      the Hessian times a vector
    UnconnectedGradients     the gradient of an unconnected value: None or zeros

Replace a gradient
    custom_gradient          write the rule of a function yourself
    ignore_custom_gradients  a block in which the derived rules run
    grad_pass_through        the value of a function, the gradient of the identity
    recompute_grad           compute values again in the backward pass, to save memory
    RegisterGradient         give a rule a name
    gradient_override_map    a block in which ops use rules registered by name
    no_gradient              declare that an op has no gradient
    defop                    declare your own op

Look
    viz                      the pictures: viz.backward(y)
    messages                 the messages of a backward pass as a table
    Message, Messages        one message, and the table
    backward_trace           a backward pass as data
    BackwardTrace            the type of that data
    saved                    what a result keeps in memory for its gradients
    scope                    name a part of a model
    remember_lines           record the line of code that made each Tensor

Check and repair
    find_nan                 where a nan comes from, and what to write instead
    NanReport                the report that find_nan returns
    explain_none             why a gradient is None
    explain_zero             why a gradient is 0
    Explanation              the explanation that both return
    check_gradients          compare rules with finite differences
    GradientCheck            the result of check_gradients
    GradientError            the error that check_gradients raises
    numeric_gradient         a gradient by central differences

Run as NumPy
    compile                  a function as a program that is written once and run many times
    source                   the text of that program
    NotAProgram              the error if a function cannot become a program

Modules
    ops                      all ops, by their names here and in Keras
    numpy, scipy             NumPy's and SciPy's names, for Tensors too
    optim                    SGD and Adam
    data                     small data sets
"""

import sys as _sys
import typing as _typing

from . import ops
from .core import gradients as _gradients
from .frameworks import install as _names
from .frameworks import missing_names as _missing_names
from .frameworks import numpy_protocol as _numpy_protocol
from .frameworks import own_viz as _own_viz

if _typing.TYPE_CHECKING:
    from .frameworks.names import *
else:  # type checkers read names.pyi instead, which lists these names and all names that the tables add
    from .core.custom import custom_gradient, ignore_custom_gradients
    from .core.gradients import UnconnectedGradients, gradients
    from .core.support.scopes import AUTO_REUSE, variable_scope
    from .core.support.tensor_values import default_dtype, set_default_dtype
    from .core.tensor import Tensor, TensorLike, constant
    from .core.variable import Variable
    from .frameworks.registered_gradients import RegisterGradient, gradient_override_map
    from .ops import *
    from .transforms.gradient import elementwise_grad, grad, value_and_grad

__version__ = "0.1.0"

#: Names that are imported when they are first used: most programs do not need them, and importing them takes 20 ms.
_LATER = {
    "bridges": "explain_zero find_nan",
    "tracing.user_lines": "remember_lines",
    "frameworks.variable_store": "get_variable reset_default_graph",
    "diagnostics.gradient_check": "check_gradients",
    "diagnostics.check_report": "GradientCheck GradientError",
    "diagnostics.finite_differences": "numeric_gradient",
    "diagnostics.missing_gradient": "Explanation explain_none",
    "diagnostics.nan": "NanReport",
    "ops.declare": "defop",
    "programs": "NotAProgram compile source",
    "tracing.memory_use": "saved",
    "tracing.message_table": "Message Messages messages",
    "tracing.trace_schema": "BackwardTrace",
    "tracing.recorder": "backward_trace",
    "tracing.calls_and_scopes": "scope",
    "transforms.jacobians": "hessian hvp jacobian jvp vjp",
    "transforms.recompute": "grad_pass_through recompute_grad",
    "transforms.tape": "GradientTape",
}
_MODULE_OF = {name: module for module, names in _LATER.items() for name in names.split()}

#: Modules that are attributes, such as `mg.ops`; those that are not loaded yet are imported when they are first used.
_MODULES = {"data", "numpy", "ops", "optim", "scipy", "viz"}


def _reason_for_none(*args: "_typing.Any") -> str:
    from .diagnostics.missing_gradient import reason_for_none

    return reason_for_none(*args)


vars(ops)["custom_gradient"] = custom_gradient
_gradients.reason_for_none.append(_reason_for_none)
_names.install(globals())
_own_viz.notice()
_own_viz.show_tensors()
__doc__ = _names.page(__doc__ or "", globals())


def _exported() -> list[str]:
    """Return the names that `from minigrad import *` imports. Names of Python's builtins, such as sum, are left out.

    For `help(mg)` the list is empty, because the module's docstring already lists all names, and pydoc would print
    8,000 lines about them.
    """
    if _sys._getframe(2).f_code.co_name == "docmodule":
        return []
    return _names.beside_python({*__dir__()} - _MODULES - {"NotAProgram", "source"})


def _later(name: str) -> "_typing.Any":
    """Load and return a public name that is not loaded yet."""
    import importlib

    if name == "__all__":
        return _exported()
    if name == "viz":
        return _own_viz.load()
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _MODULE_OF:
        raise _missing_names.no_attribute(__name__, name)
    value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


if not _typing.TYPE_CHECKING:  # if type checkers saw this function, they would accept any name
    __getattr__ = _later


def __dir__() -> list[str]:
    """Return the public names, including those that are loaded later."""
    return sorted({*_names.public(globals()), *_MODULE_OF, *_MODULES})
