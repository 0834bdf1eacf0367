"""Derivatives of functions with many outputs: products with the Jacobian (vjp, jvp), Jacobians and Hessians.

All of them use the backward pass, which computes u J. This is linear in the upstream gradient u, so the derivative of
u J v with respect to u is J v. Two backward passes therefore give one product of forward mode, and every rule, even a
custom one, works for both modes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.backward import Observe, Pass, Sends, backward, pullback, start
from ..core.graph import between
from ..core.op import COPY, OPS
from ..core.support import observers
from ..core.support.error_words import plural
from ..core.support.observers import follow, observing
from ..core.support.scattered import Scattered
from ..core.support.structure import check_same, flatten, rebuild
from ..core.support.tensor_values import Function
from ..core.tensor import Tensor
from ..ops.join import stack
from ..ops.reduce import sum as total
from ..ops.shapes import reshape
from .gradient import check_function, grad, positions_of
from .inputs_and_outputs import PreparedInputs, as_given, check_positions, outputs_of, prepare_inputs, tensors_like
from .linear_rules import by_user, require_linear
from .lost import Run, begin, followed
from .nesting import differentiating


def vjp(f: Function, *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Return `(f(*primals), pull_back)`, where `pull_back(upstream)` is upstream @ J.

    `pull_back` returns one gradient for each primal.

    The primals and the value of f may be nested structures; the upstream must be nested like the value. Integers among
    the primals, such as indices, are passed to `f` unchanged, and their gradient is None.

    >>> y, pull_back = vjp(lambda x: x * x, np.array([1.0, 2.0]))
    >>> pull_back(np.array([1.0, 10.0]))
    (array([ 2., 40.]),)
    """
    name = check_function(f, "vjp")
    with differentiating() as nested:
        opened = prepare_inputs(primals, range(len(primals)), name, integers=True)
        with opened.run(f) as run:
            value = f(*opened.args)
    outputs = outputs_of(value, name)
    nested = nested or followed(outputs)

    def pull_back(upstream: Any) -> tuple[Any, ...]:
        upstreams = tensors_like(upstream, value, outputs, "upstream")
        with differentiating() as inside:
            recorded = nested or inside  # an outer transform may differentiate pull_back without f
            seeds = upstreams if recorded else [u.value for u in upstreams]
            protected = [u.value for u in upstreams]
            adjoints = pullback(outputs, seeds, opened.sources, (), run.unreached)
            return opened.close(adjoints, recorded, protected)

    return value, pull_back


def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """Return `(f(*primals), J @ tangents)`: the value, and its derivative along the tangents.

    primals, tangents : sequences of equal length and nesting; the tangent of an integer is None or 0. If f uses a
    custom gradient, jvp uses the custom rule, not the derived rule. The rule must be linear in its upstream gradient.

    Raises TypeError for a nonlinear rule, such as one that clips its upstream gradient. To test linearity, each custom
    rule is called three more times, with upstream gradients of both signs and of sizes 1e-9 and 1e9 (in float16, 0.004
    and 256). A rule that clips, or is otherwise nonlinear, only beyond these sizes is not detected.

    >>> from minigrad import sin
    >>> y, dy = jvp(sin, (0.0,), (2.0,))
    >>> float(dy)
    2.0
    """
    name = check_function(f, "jvp")
    if not isinstance(primals, (list, tuple)) or not isinstance(tangents, (list, tuple)):
        raise TypeError("jvp takes primals and tangents as tuples, one entry for each argument: jvp(f, (x,), (v,))")
    with differentiating() as nested:
        opened = prepare_inputs(primals, range(len(primals)), name, integers=True)
        with opened.run(f) as run:
            value = f(*opened.args)
        outputs = outputs_of(value, name)
        nested = nested or followed(outputs)
        args = list(tangents), list(primals)
        directions = tensors_like(*args, opened.sources, "tangents", opened.whole)
        upstreams = [Tensor(np.ones_like(y.value)) for y in outputs]
        slopes = _linear_pull(outputs, upstreams, opened.sources, run)
        met = [total(g * v) for g, v in zip(slopes, directions) if g is not None]
        seeds: list[Any] = [np.ones_like(m.value) for m in met]
        derivatives = pullback(met, [Tensor(s) for s in seeds] if nested else seeds, upstreams)
        moved = [as_given(d, y, opened, nested) for d, y in zip(derivatives, outputs)]
    if nested:
        return value, rebuild(value, moved)
    values = [as_given(y.value, y, opened, nested) for y in outputs]
    if opened.plain:  # copy, so that no two arrays share memory
        values, moved = ([x.copy("K") for x in arrays] for arrays in (values, moved))
    return rebuild(value, values), rebuild(value, moved)


def jacobian(f: Function, argnums: int | Sequence[int] = 0) -> Function:
    """Return a function that computes the Jacobian of `f`, of shape (*output, *input).

    If the argument or the value is a nested structure, the result is nested like the value, and each leaf of the result
    is nested like the argument.

    Each row is the gradient of one output, computed with an upstream gradient of 1 at this output and 0 elsewhere. If
    there are far fewer inputs than outputs, and every rule is minigrad's own, the columns are computed instead, as in
    `jvp`; both methods give the same numbers, up to rounding. A custom rule that is not linear in its upstream gradient
    has no Jacobian, but its rows are returned without a warning. `check_gradients` finds such rules.

    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    name = check_function(f, "jacobian")
    positions, single = positions_of(argnums)

    @functools.wraps(f, assigned=("__module__", "__name__", "__doc__"), updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with differentiating() as nested:
            opened = prepare_inputs(args, positions, name)
            with opened.run(f) as run:
                value = f(*opened.args, **kwargs)
            outputs = outputs_of(value, name)
            blocks = _blocks(outputs, opened, nested or followed(outputs), run)
        return rebuild(value, [b[0] if single else b for b in blocks])

    return wrapped


def hessian(f: Function, argnums: int | Sequence[int] = 0) -> Function:
    """Return a function that computes the second derivatives of `f`, of shape (*output, *input, *input).

    If f returns a single number, the result is the Hessian matrix, or a number if the input is a scalar. The result is
    nested as in `jacobian`.

    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    check_function(f, "hessian")
    return jacobian(jacobian(f, argnums), argnums)


def hvp(f: Function, argnums: int = 0) -> Function:
    """Return a function `(*args, vector) -> H @ vector`, which computes the Hessian times a vector.

    It takes about as long as two gradients.

    Raises TypeError for a custom rule that is not linear in its upstream gradient, tested as in `jvp` (rules inside
    `recompute_grad` are not tested). With a rule that is linear, but not the derivative of its function, H need not be
    symmetric, and the result is vector @ H.

    >>> hvp(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    array([4., 2.])
    """
    name = check_function(f, "hvp")
    (argnums, *more), single = positions_of(argnums)
    if not single or more:
        raise TypeError("hvp takes the position of one argument as argnums; for several, nest them in one argument")
    slope = grad(f, argnums)

    @functools.wraps(f, assigned=("__module__", "__name__", "__doc__"), updated=())
    def along(*args: Any, **kwargs: Any) -> Any:
        *inputs, vector = args
        gradients = flatten(slope(*inputs, **kwargs))
        for node in between(gradients, flatten(inputs[argnums]))[0]:
            if by_user(node):
                require_linear(node, "hvp")
        pairs = zip(gradients, flatten(vector))
        return functools.reduce(lambda a, b: a + b, [total(g * v) for g, v in pairs])

    # The vector comes after the inputs, so negative positions are one further from the end.
    gradient = grad(along, argnums if argnums >= 0 else argnums - 1)

    def product(*args: Any, **kwargs: Any) -> Any:
        if len(args) < 2:
            raise TypeError(
                f"hvp takes the arguments of {name} and then a vector like argument {argnums}: "
                f"hvp(f)(x, vector); it got {plural(len(args), 'argument')}"
            )
        *inputs, vector = args
        check_positions((argnums,), len(inputs), name)
        check_same(inputs[argnums], vector, "vector")
        for leaf, part in zip(flatten(inputs[argnums]), flatten(vector)):
            if np.shape(leaf) != np.shape(part):
                raise ValueError(
                    f"vector has a part of shape {np.shape(part)} where shape {np.shape(leaf)} is expected"
                )
        return gradient(*args, **kwargs)

    return product


def _linear_pull(outputs: list[Tensor], upstreams: list[Tensor], sources: list[Tensor], run: Run) -> list[Any]:
    """Run a recorded backward pass, and return the adjoints of the sources, for a transform that differentiates it.

    run : the transform's run of the function. Raises TypeError if a rule is not linear in its upstream gradient.
    """
    # Nodes with user-written rules that were visited by inner passes: recompute_grad's rule, for one, runs a pass.
    inner: list[Tensor] = []
    outer = follow[-1] if follow else None

    def watch(started: Pass) -> Observe:
        also = outer(started) if outer else None

        def note(node: Tensor, upstream: Any, sends: Sends) -> None:
            if by_user(node):
                inner.append(node)
            if also:
                also(node, upstream, sends)

        return note

    def observe(node: Tensor, upstream: Any, sends: Sends) -> None:
        # The slope of the pullback is the derivative only if all rules are linear, so each user-written rule is tested.
        for each in [node] if by_user(node) else [*inner]:
            require_linear(each, "jvp")
        inner.clear()
        for _, _, sent in sends:
            contribution = sent.value if isinstance(sent, Scattered) else sent
            upstreams_here = list(upstream.values()) if isinstance(upstream, dict) else [upstream]
            if not between([contribution], upstreams_here)[0] and np.any(contribution.value):
                raise TypeError(
                    f"jvp cannot run the gradient rule of {node.op.name} forward: its result does not depend on "
                    f"its upstream gradient through recorded ops; a rule must be linear in dy and keep to "
                    f"minigrad's ops (no .numpy(), no float())"
                )

    begin(upstreams)
    with observing(follow=watch), np.errstate(all="ignore"):
        adjoints = backward(start(outputs, upstreams, sources, (), run.unreached), observe)
    return [adjoints.get(source.serial) for source in sources]


#: Functions that may compute a Jacobian in a faster way, tried first. Each takes an output and the sources, and returns
#: the block for each source, or None.
row_makers: list[Callable[[Tensor, list[Tensor]], list[Tensor] | None]] = []


def _blocks(outputs: list[Tensor], opened: PreparedInputs, nested: bool, run: Run) -> list[tuple[Any, ...]]:
    """Return, for each output, a tuple with its derivative with respect to each argument, nested like the argument.

    opened : the prepared inputs. nested : whether the transform runs inside another one. run : the function's run.
    """
    rows_of_blocks = []
    # Each row that depends on no source adds the Tensor at which the connection ends, or a sentence, to this list.
    ends: list[Tensor | str] = []
    for y in outputs:
        candidates = (make(y, opened.sources) for make in row_makers)
        blocks: list[Any] | None = next((rows for rows in candidates if rows is not None), None)
        if blocks is None and _columns_are_cheaper(y, opened.sources):
            blocks = _column_by_column(y, opened, nested)
        if blocks is None:
            blocks = _row_by_row(y, opened, nested, ends)
        parts = iter([as_given(b, y, opened, nested) for b in blocks])
        rows_of_blocks.append(tuple(rebuild(argument, parts) for argument in opened.like))
    if ends and len(ends) == sum(y.size for y in outputs):
        run.unreached(ends[0])
    return rows_of_blocks


def _row_by_row(y: Tensor, opened: PreparedInputs, nested: bool, ends: list[Tensor | str]) -> list[Any]:
    """Return the Jacobian of `y` for each source, computed with one backward pass for each element of `y`.

    ends : a list that gets the reason for each row that depends on no source.
    """
    rows = []
    for i in range(y.size):
        basis = np.zeros(y.shape, y.dtype)
        basis.flat[i] = 1
        seed = basis[()]
        adjoints = pullback([y], [Tensor(seed) if nested else seed], opened.sources, (), ends.append)
        zeros = [np.zeros_like(source.value) for source in opened.sources]
        rows.append([zero if g is None else g for g, zero in zip(adjoints, zeros)])
    join: Any = stack if nested else np.stack
    blocks = []
    for k, source in enumerate(opened.sources):
        shape = (*y.shape, *source.shape)
        column = [row[k] for row in rows]
        blocks.append(reshape(join(column), shape) if column else np.zeros(shape, source.dtype))
    return blocks


def _columns_are_cheaper(y: Tensor, sources: list[Tensor]) -> bool:
    """Return whether computing columns takes less time than computing rows, and is sure to give the same numbers.

    A column is computed by a backward pass through a recorded pass, which takes about as long as computing two rows.
    Recording that pass takes about as long as computing two more rows.
    """
    inputs = sum(source.size for source in sources)
    if not 0 < 2 * inputs + 4 <= y.size or not isinstance(y.value, (np.ndarray, np.generic)):
        return False  # there are too few outputs, or a program is being written
    if observers.run or follow or any(source.dtype.itemsize > y.dtype.itemsize for source in sources):
        return False
    nodes = [node for node in between([y], sources)[0] if node.op]
    return bool(nodes) and all(node.op is COPY or OPS.get(node.op.name) is node.op for node in nodes)


def _column_by_column(y: Tensor, opened: PreparedInputs, nested: bool) -> list[Any] | None:
    """Return the Jacobian of `y` for each source, with one pass per input, or None if an entry is not finite.

    The gradient of the inputs, u J, is linear in the upstream gradient u. A backward pass through the computation of
    u J, with 1 at one input and 0 elsewhere, gives a column of J. If a slope is inf, 0 * inf gives nan in different
    entries than it does when rows are computed, so the rows must be computed.
    """
    upstream = Tensor(np.ones_like(y.value))
    begin([upstream])
    gradients = pullback([y], [upstream], opened.sources)
    blocks: list[Any] = []
    for source, gradient in zip(opened.sources, gradients):
        columns = []
        for i in range(source.size):
            basis = np.zeros(source.shape, source.dtype)
            basis.flat[i] = 1
            seed = Tensor(basis[()]) if nested else basis[()]
            column = None if gradient is None else pullback([gradient], [seed], [upstream])[0]
            if column is None:
                column = Tensor(np.zeros_like(y.value)) if nested else np.zeros_like(y.value)
            if not np.all(np.isfinite(column.value if nested else column)):
                return None
            columns.append(column)
        join: Any = stack if nested else np.stack
        shape = (*y.shape, *source.shape)
        block = reshape(join(columns, axis=-1), shape) if columns else np.zeros(shape, y.dtype)
        blocks.append(block if y.dtype == source.dtype else block.astype(source.dtype))
    return blocks
