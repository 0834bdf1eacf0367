"""The report on a nan in another framework's recorded program, and the error that stops its training loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from ..core.graph import ancestors
from ..core.tensor import Tensor
from ..diagnostics.cause import lost_data, lost_weights
from ..diagnostics.nan import NanReport, nan_report, placed, with_lost_digits, with_repair
from ..diagnostics.repair_report import Repair, saved_page, without_none_known
from ..tracing.recorder import backward_trace
from ..tracing.replay import graph_of, is_input
from ..tracing.user_lines import line_of
from .rebuilt_program import LARGEST, ForeignProgram, close

FINITE = "every value and every gradient is finite"


class NanFound(FloatingPointError):
    """The first step whose loss or gradients are not finite.

    step : the number of backward passes before that step.
    report : a NanReport with the reason and a repair; None if the step could not be recorded.
    growth : a sentence about weights that grew tenfold within the last steps; "" if they did not.

    >>> error = NanFound(7, None, "the loss is nan")
    >>> error.step, str(error)
    (7, 'step 7: the loss is nan')
    """

    def __init__(self, step: int, report: Any, why: str = "", growth: str = "") -> None:
        # The program would diverge in a wider dtype too.
        if growth and report is not None and report.repair.grade == "wider":
            report = replace(report, repair=Repair(report.repair.op, report.repair.reason, at=report.repair.at))
        repaired = report is not None and report.repair.grade in ("same", "limit")
        if growth and report is not None and not repaired:  # the growth is the repair: a smaller step
            report = replace(_quiet(report), others=(*map(_quiet, report.others),))
        self.step, self.report, self.why, self.growth = step, report, why, "" if repaired else growth
        first = f"{self.growth}.\n" if self.growth else ""
        super().__init__(f"step {step}: {first}{report if report is not None else why}")

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the step, its report and the growth as a page for any browser, and write it to `path` unless None."""
        title, sentence = f"Step {self.step}", self.growth or ("" if self.report is not None else self.why)
        head = f"<h1>{title}</h1>" + f"<p>{escape(sentence)}.</p>" * bool(sentence)
        body = "" if self.report is None else self.report._repr_html_()
        return saved_page(head + body, f"{title} of the training", path)

    def __reduce__(self) -> Any:
        return type(self), (self.step, self.report, self.why, self.growth)


def _quiet(report: NanReport) -> NanReport:
    """Return a report without the statement that no repair is known."""
    return replace(report, repair=replace(report.repair, words=without_none_known(report.repair.words)))


def explained(program: ForeignProgram) -> NanReport:
    """Return the report on a recorded program.

    A repair in it was tested by running it in the framework, and is spelled with the framework's names.
    """
    y, inputs = program.y, program.inputs
    report = nan_report(backward_trace(y, inputs, program.names))
    if not report:
        return _unseen(report, program) if program.wrong else _of_this_run(_with_lost_digits(report, program), program)
    report = _agreed(report, program) if program.wrong else report
    report = replace(_of_constant(report, program), others=tuple(_of_constant(one, program) for one in report.others))
    report = placed(_behind_a_mask(report, program), y, program.within, program.reasons)
    serial = next((s for s, id in report.trace.node_of.items() if id == report.node and s in program.unseen), None)
    if serial is not None and report.kind == "input":
        return _before_the_record(report, program, serial)
    if program.wrong and np.isfinite(y.value).all() and not _not_finite(program):
        finite = f"the value and every gradient that {program.framework} computes are finite"
        return NanReport("", "", "", "", (), (), finite, None, report.origins, report.trace)
    if program.wrong:
        lost = _before_it(report, program)
        repair = Repair(report.op, report.kind, words=program.caveat()) if lost is None else lost
        return _advised(replace(report, repair=repair), program)
    if program.size() > LARGEST:
        lost = _before_it(report, program)
        repair = Repair(report.op, report.kind, words=_too_large(program)) if lost is None else lost
        return _advised(replace(report, repair=repair), program)
    report = _repaired(report, program)
    settled = report.harmless or report.repair.grade in ("same", "limit")
    if not settled and program.plain is not None:
        # `plain` compares only values, so a call whose derivative differs from minigrad's may be rewritten too. The
        # rewritten program is tested in the framework anyway.
        plain = program.plain
        blamed = [n for n in graph_of(plain.y) if plain.calls.get(n.serial) in program.strange and not is_input(n)]
        other = replace(_repaired(report, plain, blamed).repair, before=report.repair.before)
        better = other.rewrites and (other.grade != "convention" or not report.repair.grade)
        report = replace(report, repair=other) if better else report
    report = _advised(report if report.repair.grade else program.with_other_call(report), program)
    return NanReport("", "", "", "", (), (), FINITE, None, report.origins, report.trace) if _unused(report) else report


def _of_constant(report: NanReport, program: ForeignProgram) -> NanReport:
    """Return a report on an input that the user does not pass, and that the trace names, as on a constant."""
    users = {node.serial for node in (*program.names.values(), *program.inputs)}
    serial = next((s for s, id in report.trace.node_of.items() if id == report.node), None)
    if report.kind != "input" or serial in users or not report.sentence.startswith("the input "):
        return report
    rest = report.sentence.removeprefix(f"the input {report.trace.nodes[report.node].name} ")
    return replace(report, sentence=f"a constant of the program {rest}")


def _unused(report: NanReport) -> bool:
    """Return whether a report is about a constant inside a function of the framework that changes no result."""
    return report.harmless and report.node >= 0 and report.trace.nodes[report.node].kind == "const"


def _agreed(report: NanReport, program: ForeignProgram) -> NanReport:
    """Return the report without the gradients that are not finite in minigrad, if the framework's are finite."""
    if report.phase == "forward" or _not_finite(program) or np.isfinite(program.y.value).all():
        return report
    bare = tuple(replace(node, adjoint=None) for node in report.trace.nodes)
    return nan_report(replace(report.trace, steps=(), nodes=bare))


def _behind_a_mask(report: NanReport, program: ForeignProgram) -> NanReport:
    """Return the report on the call that made a loss of a mask of -inf, if its reason is known."""
    if (report.kind, report.word) != ("input", "inf"):
        return report
    lost = lambda n: not isinstance(n.value, tuple) and not (np.isfinite(n.value) | (n.value == -np.inf)).all()
    first = next(filter(lost, graph_of(program.y)), None)
    if first is None or is_input(first) or first.serial not in program.reasons:
        return report
    sentence = f"{first.op.name} returns inf"
    return replace(report, kind="domain", op=first.op.name, sentence=sentence, line=line_of(first), factors=(),
                   node=report.trace.node_of[first.serial])  # fmt: skip


def _advised(report: NanReport, program: ForeignProgram) -> NanReport:
    """Add advice on what to write instead, if such advice is known for the call at fault."""
    node_of, first = report.trace.node_of, report.first
    reasons = (r for s, r in program.reasons.items() if node_of.get(s) == report.node or (first and r.text in first))
    reason = next(reasons, None)
    write = "" if reason is None else reason.write
    if report.outgrown == "float16" and not (write and report.kind == "overflow"):  # the call's own advice is better
        write = "run this layer in bfloat16 or float32, which hold numbers up to 3.4e38"
    if not write or report.repair.grade or report.repair.reason in ("input", "weights"):
        return report
    caveat = program.caveat() if report.phase == "backward" else ""  # values are always the framework's own numbers
    words = "; ".join(filter(None, [write, caveat or _too_large(program)]))
    return replace(report, repair=replace(report.repair, words=words))


def _too_large(program: ForeignProgram) -> str:
    """Return a sentence if the program is too large to search for a repair, else ""."""
    words = f"the program holds more than {LARGEST:,} numbers: no repair was looked for; run it on a smaller batch"
    return words if program.size() > LARGEST else ""


def _before_the_record(report: NanReport, program: ForeignProgram, serial: int) -> NanReport:
    """Return the report on a nan that first appears in a value computed without a record, such as inside vmap."""
    uses = (n for n in graph_of(program.y) for a in n.args if isinstance(a, Tensor) and a.serial == serial)
    line = next(filter(None, map(line_of, uses)), None)
    sentence = f"a result of {program.unseen[serial]} is {report.word}, and how it was computed is not recorded"
    sentence += f"; it is used in {line.where}" if line else ""
    words = f"write it without {program.hidden} to find the op inside where it begins"
    repair = Repair("", "not recorded", words=words)
    return replace(report, kind="not recorded", sentence=sentence, repair=repair)


def _unseen(report: NanReport, program: ForeignProgram) -> NanReport:
    """Report a nonfinite gradient that only the framework computes, because part of the program was not recorded.

    If the framework's gradients are finite, the report is returned unchanged.
    """
    lost = _not_finite(program)
    if not lost:
        return report
    word = "nan" if any(np.isnan(g).any() for g in lost.values()) else "inf"
    sentence = f"the gradient that {program.framework} computes passes through a part that was not recorded"
    sentence += "".join(f", {name}" for name in program.names if name.startswith("a result of "))
    caveat = Repair("", "not recorded", words=program.caveat())
    return replace(report, phase="backward", word=word, kind="not recorded", reaches=(*lost,), sentence=sentence,
                   repair=caveat)  # fmt: skip


def _not_finite(program: ForeignProgram) -> dict[str, Any]:
    """Return the framework's nonfinite gradients of inputs, by the names of the inputs."""
    keys = {node.serial: key for node, key in program.tracked}
    unnamed = {f"an input of shape {node.shape}": node for node in program.inputs}
    named = {node.serial: name for name, node in {**unnamed, **program.names}.items() if node.serial in keys}
    pairs = zip(named.values(), program.adjoints([keys[serial] for serial in named]))
    return {name: g for name, g in pairs if g is not None and not np.isfinite(g).all()}


def _with_lost_digits(report: NanReport, program: ForeignProgram) -> NanReport:
    """Report a finite gradient that lost digits, provided that a run of the framework in float64 confirms it."""
    whole = program.whole() if program.whole is not None else program
    keys = {node.serial: key for node, key in program.tracked if node.serial in program.leaves}
    inputs = {name: node for name, node in program.names.items() if node.serial in keys}
    xs = [whole.names[name] for name in inputs]
    adjoints = program.adjoints([keys[node.serial] for node in inputs.values()])
    theirs = [np.zeros(x.shape) if g is None else g for x, g in zip(xs, adjoints)]
    right = lambda gradient: any(close(gradient, other, 1e-3) for other in program.wider_results())
    return with_lost_digits(report, whole.y, xs, whole.names, dtypes=whole.dtypes(), confirm=right,
                            theirs=theirs)  # fmt: skip


def _before_it(report: NanReport, program: ForeignProgram) -> Repair | None:
    """Return the cause of the nan if the weights or the data already contained nan or inf, else None.

    Test the result with `is None`: a Repair that only states a cause is false.
    """
    weights = _of_weights(program)
    return _of_data(report, program) if weights is None else weights


def _of_this_run(report: NanReport, program: ForeignProgram) -> NanReport:
    """If all numbers are finite and the program is random, note in the report that another run may differ."""
    if report.lost is not None or program.repeats():
        return report
    words = "in this run. The program draws random numbers, so the run that failed may have had others: train inside "
    words += "`with viz.watch(net):`, or call torch.manual_seed(0) first in the function, and try other numbers"
    return replace(report, sentence=f"{report.sentence} {words}")


def _of_weights(program: ForeignProgram) -> Repair | None:
    """Return the first nonfinite weight as the cause, or None if all weights were finite when the program began."""
    for name, node in program.names.items():
        if name in program.weights and not np.isfinite(node.value).all():
            count = int((~np.isfinite(node.value)).sum())
            return Repair("input", "weights", words=lost_weights(name, count))
    return None


def _of_data(report: NanReport, program: ForeignProgram) -> Repair | None:
    """Return the cause if an input that is not a weight contains nan or inf, and it reached the node of the report.

    It did if all nodes on a path between the two are nonfinite.
    """
    origin = [n for n in graph_of(program.y) if report.trace.node_of.get(n.serial) == report.node]
    serials = {n.serial for n in origin}
    lost = lambda n: n.serial in serials or (not isinstance(n.value, tuple) and not np.isfinite(n.value).all())
    way = {n.serial for n in ancestors(origin, enter=lost) if lost(n)}
    for name, node in program.names.items():
        data = name not in program.weights and is_input(node) and node.serial in way
        if data and (np.isnan(node.value).any() or (node.value == np.inf).any()):
            return Repair("input", "input", words=lost_data(node, name))
    return None


def _repaired(report: NanReport, program: ForeignProgram, blamed: Sequence[Tensor] = ()) -> NanReport:
    names, dialect = program.names, program.dialect
    lost = _of_weights(program)
    if lost is not None:
        return replace(report, repair=lost)
    report = with_repair(report, program.y, names, also=program.holds, dialect=dialect, xs=program.inputs,
                         twice=program.twice, blamed=blamed)  # fmt: skip
    if report.repair.grade == "wider" and program.framework == "JAX" and program.y.dtype == np.float32:
        words = f"{report.repair.words}; in JAX with jax.config.update('jax_enable_x64', True)"
        return replace(report, repair=replace(report.repair, words=words))
    if program.random and any(dialect.calls_again(report.repair.edits)):
        # A network with dropout drops different units when it is called again, so only the expression is reported.
        return replace(report, repair=replace(report.repair, edits=(), lines=()))
    return report
