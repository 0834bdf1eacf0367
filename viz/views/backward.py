"""`viz.backward`: run one backward pass and look at it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from minigrad.bridges import ForeignProgram, explained, program_of
from minigrad.core.custom import CustomGradient
from minigrad.core.graph import ancestors
from minigrad.core.support.error_words import describe, name_of, visible
from minigrad.core.support.fast import gc_paused
from minigrad.core.support.structure import flatten, is_structure, leaves, rebuild
from minigrad.core.tensor import Tensor, constant, next_serial
from minigrad.core.variable import Variable
from minigrad.diagnostics.missing_gradient import explanation
from minigrad.diagnostics.nan import NanReport, find_nan, nan_report
from minigrad.tracing.nodes import nodes_of, telling
from minigrad.tracing.recorder import backward_trace
from minigrad.tracing.trace_schema import BackwardTrace
from minigrad.transforms.nesting import differentiating

from ..drag.followed_page import Followed
from ..drag.moved import measured_moves
from ..drag.replayed import CalledWith
from ..model.cut_edges import cuts_behind, seed_name, with_cuts, with_unrecorded
from ..model.findings import Findings
from ..model.unused import with_ports, with_unused
from ..render.wiggled import arrays_of, sources_of, why_still
from ..rule.field import ruled
from ..rule.opening import result_names
from ..rule.summed import Summed
from ..rule.variables import opened, variables_of
from .binding import bound, check_flow
from .learner import is_learners, learner_view
from .view import View, picture

STRUCTURES = (dict, list, tuple)
LARGEST = 500  #: maximum number of entries of a structure; a larger one is not searched for Tensors
PREDICTED = ("messages", "boxes", "order")  #: the kinds of predictions that a reader can be asked for
MODES = ("values", "wiggle", "gradient", "rule")
#: Below a picture of a rule that also has gradients for Variables.
TRIED_IN_MODE = 'viz.backward(f, ..., mode="rule") has a field for a rule of each input and Variable.'
HISTORY = ("In", "Out")  #: variables in which a notebook keeps the text and results of its cells


def backward(
    y: Any,
    /,
    *args: Any,
    flow: str = "auto",
    fold: str = "auto",
    names: Mapping[str, Any] | None = None,
    by: Callable[..., Any] | None = None,
    drag: bool = True,
    predict: bool | str = False,
    report: bool = True,
    mode: str = "gradient",
    **inputs: Any,
) -> View:
    """Show the backward pass from `y`, to step through.

    Parameters
    ----------
    y : a float Tensor of any shape; the sum of its elements is differentiated. It can also be a function that returns
        such a Tensor, which is called with `args` and `inputs` converted to Tensors; a PyTorch, JAX or TensorFlow
        function or a PyTorch module, with arrays of that framework; a `BackwardTrace`; or an object of your own engine.
    flow : the direction from the inputs to the result, "right" or "down"; "auto" chooses the direction that shows more
        in the current window.
    fold : "auto" draws the graph without frames if every box is readable. Otherwise, it draws scopes, calls and loops
        as frames, which open if there is room, or on a click. "none" draws no frames. Any other string is the name of
        a scope or function to draw as a frame.
    names : the Tensors by name, as from `locals()`. The default is the variables at the call to `backward`, or those
        inside the function.
    by : your own function backward(y, tell), for an object of your own engine or for a Tensor. For a Tensor, the
        function is called with the Tensor's graph, whose nodes have the slopes of minigrad's ops. It then need not
        call `tell`.
    drag : whether inputs of up to 64 floats can be changed in the player, without a kernel. For this, a function is
        called a second time, to find decisions that depend on numbers, as in `if x > 0`.
    predict : what the reader predicts before the player shows it; the player then shows the arithmetic, and whether
        the prediction was right. "messages" (or True) asks for each message that is a number. "boxes" asks for the
        gradient of each box when its last message arrives, if the gradient is a number. "order" asks which box sends
        next, chosen by a click or from a list; any box whose gradient is complete is a right answer. The player opens
        before the first message. Python can read the answers from the attributes `numbers` and `order` (the names of
        the boxes) of the widget `view.widget()`. For other questions, such as choosing an arrow, see `View.ask`.
    report : whether to add, below the picture, a report on where a nan or inf comes from and what to write instead.
    mode : the mode in which the picture opens; the reader can switch modes. "values" shows the value of each box,
        without gradients. "wiggle" shows how far each value moves with an input: for numbers, this is computed from
        the slopes if each op has one; for arrays, it is measured by moving the first element a step up and down.
        "gradient" shows the gradients. "rule", for a function, adds a field for its rule below the picture; after
        every keystroke, a verdict and a strip of slopes are updated. A function with a `custom_gradient` is then drawn
        without its rule, which is the initial text of the field; the dashed boxes are the ops that the rule replaces.
        If inputs can be changed, the reader can also switch to "rule" from any other mode.

    Returns a View. For an object of your own engine, the result is a ForwardView or, with `by`, a LearnerView.

    If `y` is a gradient returned by `mg.gradients`, the picture shows the pass of the next order: its forward graph is
    the backward graph of the previous order. If a rule took a plain number out of a Tensor and computed with it, the
    missing edge is drawn as cut; `viz.model.cut_edges` lists the exact conditions.

    An object of your own engine has the attributes `value` and `parents`, a tuple with one entry for each argument, and
    optionally `op`, `slopes` and `name`. Its forward graph is drawn. With `by`, the messages that `by(y, tell)` reports
    are drawn too. `by` must call `tell(node, i, message, held)` after `node` sends `message` to its i-th parent, whose
    gradient is then `held`. Contradictions are marked: a box whose gradient is not the sum of the messages that
    arrived, and an edge whose messages are not the node's gradient times the slope. For a micrograd `Value`, with
    `data`, `grad`, `_prev` and `_backward`, each `_backward` is called, newest first; then every `grad` is restored.

    Raises TypeError if there is nothing to draw, or if the function does not take an input. Raises ValueError for an
    unknown flow, mode or predict, for the wiggle of numbers without slopes, or for a `fold` that names neither a scope
    nor a function.

    >>> import minigrad as mg
    >>> view = backward(lambda x, w: mg.exp(x * w), x=2.0, w=0.5)
    >>> [round(step.g, 3) for step in view.trace.steps]
    [1.0, 2.718, 5.437, 1.359]
    """
    check_flow(flow, "backward", inputs, y)
    asked = "messages" if predict is True else str(predict or "")
    if asked not in ("", *PREDICTED):
        raise ValueError(f'predict must be True, "messages", "boxes" or "order", got {predict!r:.60}')
    if mode not in MODES:
        raise ValueError(f'mode must be "values", "wiggle", "gradient" or "rule", got {mode!r:.60}')
    if mode != "gradient" and asked:
        raise ValueError(f"predict asks about gradients and cannot be combined with mode={mode!r}")
    if mode == "rule" and not callable(y):
        raise TypeError(
            f'mode="rule" takes a function and its inputs, as in viz.backward(f, 1.0, mode="rule"), got {y!r:.60}'
        )
    if mode != "gradient" and (by is not None or is_learners(y)) and not isinstance(y, Tensor):
        raise TypeError(f"mode={mode!r} is for minigrad's own pass, not for another engine's")
    if isinstance(y, BackwardTrace):
        return in_mode(view_of(y, flow, fold), mode)
    if is_learners(y):
        return learner_view(y, by, namespace_of(sys._getframe(1)) if names is None else names, flow, fold)
    program = program_of(y, args, inputs, "viz.backward")
    if program is not None:
        return _asking(in_mode(program_view(program, flow, fold, drag), mode), asked)
    if args and callable(y):
        inputs, args = bound(y, args, inputs, "backward"), ()
    if by is not None and (isinstance(y, Tensor) or callable(y)):
        y, names, _ = tensor_of(y, inputs, names, "backward", sys._getframe(1), args)
        return learner_view([*nodes_of(y, names).values()][-1], telling(by), {}, flow, fold)
    if by is not None:
        return learner_view(y, by, {}, flow, fold)
    f, variables = y, variables_of(y) if mode == "rule" or not isinstance(y, CustomGradient) else {}
    if mode == "rule":
        inputs = bound(f, (), inputs, "backward") | {name: w.value for name, w in variables.items()}
        y = Summed(opened(f, variables) if variables or isinstance(f, CustomGradient) else f)
    y, names, call_of_f = tensor_of(y, inputs, names, "backward", sys._getframe(1), args)
    results = call_of_f.f.several() if call_of_f and isinstance(call_of_f.f, Summed) else {}
    names = {**dict(zip(result_names(f, [*inputs], [*variables], len(results)), results.values())), **names}
    names |= {"total" if "total" not in names else "sum of results": y} if results else {}
    view = pass_of(y, names, inputs, call_of_f, flow, fold, report=report, drag=drag)
    view.ruled = ruled(f, y, call_of_f, view.report, variables, results, view.trace)
    if mode == "rule" and view.ruled:
        view.rule, view.tried = view.ruled()
    elif view.ruled and drag and not asked:
        field, _ = view.ruled()  # the content of the field for a rule; with "inputs", readers can open it
        view.rule = field if "inputs" in field else {}
        if "cannot" in field and isinstance(f, CustomGradient) and variables_of(f):
            view.note = " ".join(filter(None, [view.note, TRIED_IN_MODE]))
    if mode == "rule" and isinstance(f, CustomGradient):
        without = f"This is the pass that the rule of {visible(name_of(f))} replaces."
        view.note = " ".join(filter(None, [view.note, without]))
    return _asking(in_mode(view, mode), asked)


def pass_of(
    y: Tensor,
    names: Mapping[str, Any],
    inputs: Mapping[str, Any],
    call: CalledWith | None,
    flow: str,
    fold: str,
    *,
    report: bool,
    drag: bool,
    kind: type[View] = View,
) -> View:
    """Run the backward pass from `y` and draw it.

    call : the call that computed `y`, if `y` is a function's result. kind : the class of the view.
    """
    with gc_paused():
        cuts = cuts_behind(y)
        names = {**names, **seed_name(y, names, cuts)}
        nan_found = find_nan(y, names=names) if report else nan_report(backward_trace(y, names=names))
        trace, note = with_cuts(nan_found.trace, names, cuts)
        trace, lost = with_unrecorded(y, trace)
        reasons = unreached(y, trace)
        trace = with_unused(trace, names, inputs)
        trace = with_ports(y, trace) if any(node.kind == "custom" for node in trace.nodes) else trace
        view = view_of(trace, flow, fold, report=nan_found, reasons=reasons, kind=kind)
    view.reports = report
    why = "a plain number was taken out of the graph" if cuts else "a transform was not recorded" if lost else ""
    view.behind = Followed(y, nan_found.trace, call, why)
    view.followed = (view.behind,) * drag
    view.note = " ".join(filter(None, [note, *dict.fromkeys(reasons.values()), lost]))
    return view


def in_mode(view: View, mode: str) -> View:
    """Return the view, opened in a mode. Raises ValueError for "wiggle" if the pass has no wiggle."""
    findings = view._lanes[0].findings
    if mode == "wiggle" and view.behind and arrays_of(findings) and (inputs := sources_of(findings.trace)):
        findings.moves = measured_moves(view.behind.y, view.behind.call, view.behind.trace, inputs)
    why = why_still(findings) if mode == "wiggle" else ""
    if why:
        raise ValueError(f'mode="wiggle" needs numbers with a slope at each op, or arrays; here {why}')
    view.mode = mode
    return view


def _asking(view: View, asked: str) -> View:
    """Make the view ask for predictions of the kind `asked`, if it is not "": hide the report and go to the start."""
    view.predict = asked
    if asked:
        view.report = None  # the report would give the answer away
        return view.start(play=False)
    return view


def unreached(y: Tensor, trace: BackwardTrace) -> dict[int, str]:
    """Return node -> a sentence about the reason, for each input that gets no gradient."""
    inputs = [n for n in trace.nodes if n.kind == "leaf" or (n.op == "leaf" and n.name and not trace.steps)]
    missing = {n.id: n.name for n in inputs if n.adjoint is None and not n.ghost}
    if not missing:
        return {}
    box_of = trace.node_of
    leaves = [t for t in ancestors([y.read_value()]) if box_of.get(t.serial) in missing]
    return {
        box_of[t.serial]: visible(f"No gradient reaches {name}: {explanation(y, t, 'the result', name).sentence}.")
        for t in leaves
        for name in [missing[box_of[t.serial]]]
    }


def program_view(program: ForeignProgram, flow: str, fold: str, drag: bool) -> View:
    """Return the view of another framework's program; its inputs can be changed if all of its ops are minigrad's."""
    report = explained(program)
    view = view_of(report.trace, flow, fold, report=report)
    if not program.wrong:
        view.behind = Followed(program.y, report.trace)
        view.followed = (view.behind,) * drag
    view.note = program.caveat()
    return view


def tensor_of(
    y: Any, inputs: Mapping[str, Any], names: Mapping[str, Any] | None, who: str, frame: Any, args: tuple[Any, ...] = ()
) -> tuple[Tensor, Mapping[str, Any], CalledWith | None]:
    """Return the Tensor to differentiate, a dict of named Tensors, and the function call that computed it, or None.

    y : a Tensor, or a function that is called with `args` and `inputs`. names : the user's names, or None for the
        variables of `frame` (for a function, its arguments and local variables). who : the public function's name.
    """
    if callable(y):
        inputs = bound(y, args, inputs, who) if args else inputs
        bound(y, (), inputs, who)
        made = CalledWith(y, as_tensors(inputs), next_serial())
        result, inside = _run(y, made.inputs)
        inputs_by_name = leaves_of(made.inputs)
        inner = {name: t for name, t in local_names(inside).items() if name not in inputs_by_name}
        names = {**inner, **inputs_by_name, **(names or {})}  # the last name of a Tensor is used: after `a = x` it is x
        return returned(y, result, who), names, made
    if args:
        raise TypeError(f"{who} got {args[0]!r:.40} next to a value; inputs go with a function: viz.{who}(f, ...)")
    if inputs:
        word = next(iter(inputs))
        raise TypeError(
            f"{who} got {word}={inputs[word]!r:.40} next to a value; "
            f"inputs by name go with a function: viz.{who}(f, {word}=...)"
        )
    if not (names is None or isinstance(names, Mapping)):
        raise TypeError(f"names must be a dict of Tensors by name, such as locals(), got {names!r:.60}")
    if not isinstance(y, Tensor):
        raise TypeError(
            f"{who} takes a Tensor, or a function and its inputs by name, got {y!r:.60} of type "
            f"{type(y).__name__}; write viz.{who}(y), or viz.{who}(f, x=1.0)"
        )
    return y, local_names(namespace_of(frame)) if names is None else names, None


def view_of(
    trace: BackwardTrace,
    flow: str = "auto",
    fold: str = "auto",
    report: NanReport | None = None,
    reasons: Mapping[int, str] | None = None,
    kind: type[View] = View,
) -> View:
    """Draw a finished trace; `report` and `reasons` are as in `Findings`, and `kind` is the class of the view."""
    findings = Findings(trace, report, reasons)
    view = picture(findings, flow, fold, kind=kind)
    view.report = findings.report
    return view


def _run(f: Callable[..., Any], arguments: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Call `f`; return its result, and the local variables that it had when it returned."""
    here, inside, before = sys._getframe(), dict[str, Any](), sys.getprofile()
    body = getattr(getattr(f, "body", None), "__code__", None)  # the user's code, if `f` is a wrapper around it

    def look(frame: Any, event: str, _: Any) -> None:
        if (
            event == "return"
            and (frame.f_code is body if hasattr(f, "body") else frame.f_back is here)
            and not frame.f_globals.get("__name__", "").startswith("minigrad.")
        ):
            inside.update(frame.f_locals)

    sys.setprofile(look)
    try:
        with differentiating():  # the computations of `grad` in f are recorded
            return f(**arguments), inside
    finally:
        sys.setprofile(before)


def as_tensors(inputs: Mapping[str, Any], plain: tuple[type, ...] = ()) -> dict[str, Any]:
    """Convert all inputs to Tensors, also inside dicts and tuples, except values of the types in `plain`."""
    tensors = {}
    for name, value in inputs.items():
        try:
            tensors[name] = _tensors(value, (Tensor, *plain))
        except TypeError as error:
            raise TypeError(f"the input {name} cannot be converted to a Tensor: {error}") from None
    return tensors


def _tensors(value: Any, keep: tuple[type, ...]) -> Any:
    if isinstance(value, (dict, tuple)):
        return rebuild(value, [x if isinstance(x, keep) else constant(x) for x in flatten(value)])
    return value if isinstance(value, keep) else constant(value)


def leaves_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return name -> value for the arguments, and for the leaves of structures under names like `p['b']`."""
    return {path: leaf for name, value in arguments.items() for path, leaf in leaves(value, name)}


def returned(f: Callable[..., Any], y: Any, who: str) -> Tensor:
    """Check that `f` returned a Tensor; raises TypeError otherwise."""
    if not isinstance(y, Tensor):
        called = visible(name_of(f))
        hint = "; does it lack a return?" if y is None else ""
        if is_structure(y) and flatten(y):
            name, key = called.replace("<lambda>", "f"), repr(next(iter(y))) if isinstance(y, Mapping) else "0"
            hint = f". Pick one of its {len(flatten(y))} results, as in lambda x: {name}(x)[{key}]"
        got = describe(y) if is_structure(y) else f"{y!r:.60} of type {type(y).__name__}"
        raise TypeError(f"{who}: {called} must return a Tensor, got {got}{hint}")
    return y


def local_names(namespace: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return the Tensors of a namespace by name; a Tensor in a list, tuple or dict has a name like `p['b']`.

    A Variable created with `name=` has that name.
    """
    named: list[tuple[str, Tensor]] = []
    for name, value in namespace.items():
        if type(value) in STRUCTURES and name[:1] != "_" and name not in HISTORY:
            named += _named_inside(value, name)
    named.sort(key=lambda item: -len(item[0]))  # of several names for one Tensor, the shortest comes last and is used
    plain = {name: value for name, value in namespace.items() if isinstance(value, Tensor) and name.isidentifier()}
    return {name: t for name, t in {**dict(named), **plain}.items() if not (isinstance(t, Variable) and _named(t))}


def _named(variable: Variable) -> bool:
    """Return whether a Variable was created with a name; in a scope, unnamed Variables are called scope/Variable."""
    return variable.name.rpartition("/")[2] != "Variable"


def _named_inside(structure: Any, path: str, deeper: int = 3) -> Iterator[tuple[str, Tensor]]:
    """Yield (name, Tensor) for the Tensors in a list, tuple or dict, with names like `p['b']`.

    path : the name of the structure. deeper : how many more levels of structures are searched. Structures with more
        than `LARGEST` entries are skipped.
    """
    if len(structure) > LARGEST:
        return
    for key, value in structure.items() if type(structure) is dict else enumerate(structure):
        if isinstance(value, Tensor):
            yield f"{path}[{key!r}]", value
        elif deeper and type(value) in STRUCTURES:
            yield from _named_inside(value, f"{path}[{key!r}]", deeper - 1)


def namespace_of(frame: Any) -> dict[str, Any]:
    """Return the variables of a frame; its locals take precedence over its globals."""
    return {**frame.f_globals, **frame.f_locals}
