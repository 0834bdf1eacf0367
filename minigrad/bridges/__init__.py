"""Record PyTorch, JAX and TensorFlow programs as graphs, to draw them, explain a nan and test repairs.

program : a recorded program, foreign ops, the comparison of every adjoint, and repairs run in the framework.
given : finds the framework that a function uses. spelling : how a framework writes minigrad's ops.
explain : the report on a recorded program.
pytorch, pytorch_ops, pytorch_call_sites : PyTorch. jax, jax_equations, jax_loops, jax_ops : JAX.
tensorflow, tensorflow_ops : TensorFlow.
watch, pytorch_watch, jax_watch, divergence : stop a training loop at its first nan.
pytorch_trial : takes training steps with a repair. pytorch_compiled : code compiled by torch.compile.
disagreements : a table of points where the frameworks differ.

A framework is used only if the user's program has already imported it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.support.error_words import argument_names
from ..core.tensor import Tensor
from ..diagnostics import nan
from ..diagnostics.missing_gradient import Explanation
from ..diagnostics.nan import NanReport, listed
from ..diagnostics.zero_gradient import explain_zero as explain_zero_of
from ..diagnostics.zero_gradient import zero_explanation
from ..tracing.names import named_in
from .explain import explained
from .given import check_version, framework_of, framework_of_value, is_array
from .rebuilt_program import ForeignProgram, NotRecorded

MODULES = {"PyTorch": "pytorch_recorder", "JAX": "jax", "TensorFlow": "tensorflow"}


def program_of(y: Any, args: Iterable[Any], kwargs: Mapping[str, Any], who: str) -> ForeignProgram | None:
    """Return the recorded program of `y(*args, **kwargs)` if `y` belongs to another framework, else None.

    Raises NotRecorded, a TypeError, if `y` is a result that is already computed, or if the program cannot be recorded.
    """
    if is_array(y):
        raise NotRecorded(finished(framework_of_value(y), who))
    args = tuple(args)
    framework = framework_of(y, args, kwargs)
    if not framework:
        return None
    check_version(framework)
    module = importlib.import_module(f".{MODULES[framework]}", __name__)
    program: ForeignProgram = module.record(y, args, kwargs)
    return program


def explain_zero(y: Any, /, *args: Any, **kwargs: Any) -> Explanation:
    """Explain why a gradient is 0: which op sends 0, at which line, and why.

    y : a Tensor, followed by the Tensor `x` whose gradient is 0; or a PyTorch, JAX or TensorFlow function, or a PyTorch
        module, followed by its arguments. For a function or module, each input whose gradient is 0 is explained.

    The result is false if no gradient is 0. Its `reason`, for the op nearest to the result, is "slope 0", "masked",
    "factor 0", "saturated" (an exact slope that is not 0 was rounded to 0), "rounding" (a product too small for its
    dtype), "cancels", "cut" or "rule"; its sentence describes the end of each path.

    Raises TypeError if the arguments are of any other type.

    >>> import minigrad as mg
    >>> x = mg.constant(-3.0)
    >>> print(mg.explain_zero(mg.relu(x) * 2.0, x))
    the gradient of x is 0: the slope of relu at -3 is 0
    """
    program = None if isinstance(y, Tensor) else program_of(y, args, kwargs, "mg.explain_zero")
    if program is None:
        return explain_zero_of(y, *args, **kwargs)
    if program.wrong:
        return Explanation("not zero", program.caveat().replace("no repair is looked for", "nothing is explained"))
    keys = {node.serial: key for node, key in program.tracked}
    named: dict[str, list[str]] = {}
    first = Explanation("not zero", "no gradient is 0")
    for name, node in program.names.items():
        gradient = program.adjoints([keys[node.serial]])[0] if node.serial in program.leaves else 1.0
        if gradient is None or np.any(gradient) or not np.size(gradient):
            continue
        one = zero_explanation(program.y, node, name)
        first = first or one
        named.setdefault(one.sentence.partition(" is 0: ")[2] or one.sentence, []).append(name)
    if not first:
        return first
    heads = {text: f"the gradient{'s' * (len(names) > 1)} of {listed(names)}" for text, names in named.items()}
    sentences = [f"{head} {'are' if len(named[text]) > 1 else 'is'} 0: {text}" for text, head in heads.items()]
    return replace(first, sentence="; ".join(sentences))


def finished(framework: str, who: str) -> str:
    """Return the error message for a user who passed a computed result instead of the function that computes it."""
    write = {
        "PyTorch": f'{who}(lambda: loss_of(x, t)), or compute it inside "with viz.watch(model):"',
        "JAX": f"{who}(f, *args) with the function and its arguments",
        "TensorFlow": f"{who}(f, *args) with the function and its arguments",
    }
    return (
        f"a {framework} result that is already computed does not hold the intermediate values; write "
        + (write[framework])
    )


def find_nan(
    y: Any,
    /,
    *args: Any,
    xs: Iterable[Tensor] | None = None,
    names: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> NanReport:
    """Find where a nan first appears in `y` or its gradients; without a nan, find where an inf first appears.

    y : the result, a Tensor; or a function, which is called with the arguments that follow. A PyTorch, JAX or
        TensorFlow function, or a PyTorch module, is given that framework's arrays; a minigrad function gets Tensors
        instead of floats and NumPy arrays of floats.
    xs : the Tensors whose gradients matter; by default all float inputs.
    names : the user's names of the Tensors, as from `locals()`; by default the parameters of the function, or the
        variables in the scope that calls `find_nan`.

    A repair is run before it is offered: it must be finite at this point, and equal to the program in value and
    gradient at other points. If no repair is known, the report may name a usual convention, such as sqrt(var + 1e-05)
    in a batch norm, and how it changes the function; `report.repair` is then false. After `remember_lines`, repairs and
    conventions are edits of the line. Functions with a custom gradient are never rerun, and a repair that can be
    checked only by rerunning one is not offered. For a program of another framework, every repair is also run in that
    framework, in its dtype and spelling.

    The values are examined first, in the order they were computed, then the messages of one backward pass.

    Raises TypeError if y is neither a Tensor nor a function, or is a result of another framework.

    >>> import minigrad as mg
    >>> report = find_nan(lambda x: mg.log(1 + mg.exp(x)), mg.constant(100.0))
    >>> report.kind, report.op, report.repair.rewrites
    ('0 * inf', 'exp', (('log(1 + exp(...))', 'softplus(...)'),))
    """
    if isinstance(y, Tensor):
        return nan.find_nan(y, xs if not args else args[0], names or named_in(sys._getframe(1)))
    program = program_of(y, args, kwargs, "mg.find_nan")
    if program is not None:
        return explained(program)
    if not callable(y):
        return nan.find_nan(y, xs, names)
    args, kwargs = tuple(map(_recorded, args)), {name: _recorded(value) for name, value in kwargs.items()}
    parameters = zip(argument_names(y, len(args)), args)
    return nan.find_nan(y(*args, **kwargs), xs, {**dict(parameters), **kwargs, **(names or {})})


def _recorded(value: Any) -> Any:
    """Return a float or an array of floats as a Tensor, so that computations with it are recorded."""
    is_float = isinstance(value, (float, np.floating)) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
    return Tensor(value) if is_float else value
