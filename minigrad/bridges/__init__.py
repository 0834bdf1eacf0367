"""Programs of PyTorch, JAX and TensorFlow as recorded graphs: pictures, the reason of a nan, and repairs that were run.

program : a recorded program, foreign ops, the comparison of every adjoint, and repairs run in the framework.
given : which framework a function belongs to. spelling : how a framework writes minigrad's ops.
pytorch, pytorch_ops : PyTorch. jax, jax_equations, jax_loops, jax_ops : JAX. tensorflow, tensorflow_ops : TensorFlow.
watch : a training loop that stops at its first nan. disagreements : where the frameworks differ.

A framework is used only where the user's program has imported it already.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..diagnostics import nan
from ..diagnostics.nan import NanReport, nan_report, placed, with_lost_digits, with_repair
from ..diagnostics.report import NOTHING, Repair
from ..tracing.recorder import backward_trace
from ..tracing.replay import graph_of, is_input
from .given import check_version, framework_of, framework_of_value, is_array
from .program import LARGEST, ForeignProgram, NotRecorded, close

MODULES = {"PyTorch": "pytorch_recorder", "JAX": "jax", "TensorFlow": "tensorflow"}


def program_of(y: Any, args: Iterable[Any], kwargs: Mapping[str, Any], who: str) -> ForeignProgram | None:
    """The recorded program of `y(*args, **kwargs)`, if it is one of another framework; else None.

    Raises NotRecorded, a TypeError, for a result that is computed already, and for what cannot be recorded.
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


def finished(framework: str, who: str) -> str:
    """A sentence about a result that is computed already."""
    write = {
        "PyTorch": f'{who}(lambda: loss_of(x, t)), or compute it inside of "with viz.watch(model):"',
        "JAX": f"{who}(f, *args) with the function and its arguments",
        "TensorFlow": f"{who}(f, *args) with the function and its arguments",
    }
    return (
        f"a result of {framework} that is computed already does not hold the values on the way to it; write "
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
    """Find the origin of the first nan of `y` or of its gradients, or of the first inf if there is no nan.

    y : the result, a Tensor; or a function, which is called with the further arguments. A function of PyTorch, JAX or
    TensorFlow, or a module of PyTorch, is given that framework's arrays.
    xs : the Tensors whose gradients matter; by default every float that went in.
    names : what the user calls the Tensors, as `locals()` gives it.

    A repair is run before it is offered: it is finite here, and equals the program in value and gradient at other
    points. Where none is known, the report may name a usual convention, such as sqrt(var + 1e-05) in a batch norm, and
    how it changes the function; `report.repair` is false then. After `remember_lines` both are edits of the line.
    Functions with a custom gradient are not run again: there is no repair where a check would have to.
    For a program of another framework every repair is also run there, in its dtype and spelling.

    The values are examined first, in the order in which they were computed, then the messages of one backward pass.
    Raises TypeError when y is no Tensor and no function, and for a result of another framework.

    >>> import minigrad as mg
    >>> report = find_nan(lambda x: mg.log(1 + mg.exp(x)), mg.constant(100.0))
    >>> report.kind, report.op, report.repair.rewrites
    ('0 * inf', 'exp', (('log(1 + exp(...))', 'softplus(...)'),))
    """
    if isinstance(y, Tensor):
        return nan.find_nan(y, xs if not args else args[0], names)
    program = program_of(y, args, kwargs, "mg.find_nan")
    if program is not None:
        return explained(program)
    return nan.find_nan(y(*args, **kwargs) if callable(y) else y, xs, names)


def explained(program: ForeignProgram) -> NanReport:
    """The report on a recorded program. A repair was run in the framework, and is spelled in its names."""
    y, inputs = program.y, program.inputs
    report = nan_report(backward_trace(y, inputs, program.names))
    if not report:
        return _unseen(report, program) if program.wrong else _with_lost_digits(report, program)
    report = placed(report, y, program.within)
    if program.wrong:
        return replace(report, repair=Repair(report.op, report.kind, words=program.caveat()))
    if program.size() > LARGEST:
        words = (
            f"the program holds more than {LARGEST:,} numbers: no repair was searched for; run it on a smaller batch"
        )
        return replace(report, repair=Repair(report.op, report.kind, words=words))
    report = _repaired(report, program)
    settled = report.repair.words == NOTHING or report.repair.grade not in ("", "convention")
    if not settled and program.plain is not None:
        # By values alone, a call that is derived differently may be rewritten; the result is run all the same.
        plain = program.plain
        blamed = [n for n in graph_of(plain.y) if plain.calls.get(n.serial) in program.strange and not is_input(n)]
        other = replace(_repaired(report, plain, blamed).repair, before=report.repair.before)
        better = other.rewrites and (other.grade != "convention" or not report.repair.rewrites)
        report = replace(report, repair=other) if better else report
    return report


def _unseen(report: NanReport, program: ForeignProgram) -> NanReport:
    """The report where a gradient of the framework alone is not finite, such as one that passes a compiled function."""
    keys = {node.serial: key for node, key in program.tracked}
    named = {name: keys[node.serial] for name, node in program.names.items() if node.serial in keys}
    found = dict(zip(named, program.adjoints([*named.values()])))
    lost = {name: g for name, g in found.items() if g is not None and not np.isfinite(g).all()}
    if not lost:
        return report
    word = "nan" if any(np.isnan(g).any() for g in lost.values()) else "inf"
    sentence = f"the gradient that {program.framework} computes passes what was not recorded"
    sentence += "".join(f", {name}" for name in program.names if name.startswith("a result of "))
    caveat = Repair("", "not recorded", words=program.caveat())
    return replace(report, phase="backward", word=word, kind="not recorded", reaches=(*lost,), sentence=sentence,
                   repair=caveat)  # fmt: skip


def _with_lost_digits(report: NanReport, program: ForeignProgram) -> NanReport:
    """A report that all is finite, with the gradient that lost digits, where the framework's float64 has them too."""
    whole = program.whole() if program.whole is not None else program
    xs = [whole.names[name] for name, node in program.names.items() if node.serial in program.leaves]
    right = lambda gradient: any(close(gradient, other, 1e-3) for other in program.wider_results())
    return with_lost_digits(report, whole.y, xs, whole.names, dtypes=whole.dtypes(), confirm=right)


def _repaired(report: NanReport, program: ForeignProgram, blamed: Sequence[Tensor] = ()) -> NanReport:
    names, dialect = program.names, program.dialect
    for name, node in names.items():
        if name in program.weights and not np.isfinite(node.value).all():
            count = int((~np.isfinite(node.value)).sum())
            words = f"the weights {name} hold {count} numbers that are not finite before this computation begins"
            return replace(report, repair=Repair("input", "weights", words=words))
    report = with_repair(report, program.y, names, also=program.holds, dialect=dialect, xs=program.inputs,
                         twice=program.twice, blamed=blamed)  # fmt: skip
    if report.repair.grade == "wider" and program.framework == "JAX":
        words = f"{report.repair.words}; in JAX with jax.config.update('jax_enable_x64', True)"
        return replace(report, repair=replace(report.repair, words=words))
    if program.random and any(dialect.calls_again(report.repair.edits)):
        # A network with dropout that is called once more drops others: only the expression is told.
        return replace(report, repair=replace(report.repair, edits=(), lines=()))
    return report
