"""JAX: turn the equations of a jaxpr into minigrad nodes, each with the user's line that created it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import tree_util
from jax.extend import core as jex

from ..core.custom import custom_gradient
from ..core.op import OPS, as_leaf
from ..core.support.observers import unannounced
from ..core.tensor import Tensor
from ..tracing.replay import graph_of, is_input
from .calls import collapse
from .given import arrays_by_name, bound_arguments, call_by_name, called, checked, referred
from .jax_equations import (
    INLINE,
    NEEDS_NUMBERS,
    NOT_USERS,
    NUMBERS_NEEDED,
    EquationAgain,
    bind,
    body_of,
    floating,
    is_users,
    literal,
    location_of,
    rows_of,
    rule_name,
    wide,
)
from .jax_loops import iteration_of, opened
from .jax_ops import RULES, JaxSpelling, is_elementwise, is_key, keeping_axes, numpy_lacks, plain, translated
from .matrix_reasons import matrix_op, matrix_reason
from .rebuilt_program import Differs, ForeignProgram, NotRecorded, agreed, settled

ARRAYS = (jax.Array, np.ndarray)
COMPLEX = "ops on complex numbers are not recorded"


class JaxProgram(ForeignProgram):
    """A jaxpr, JAX's list of equations, recorded as minigrad nodes.

    at : the index of the equation that is being recorded.
    called : id of a constant array -> the user's name for it.
    told : index of an equation's result -> the adjoint that JAX computes for it.
    """

    framework = "JAX"

    def __init__(self, strange: Collection[Any], closed: Any, inputs: Sequence[Any], called: Mapping[int, str]) -> None:
        super().__init__(strange)
        self.dialect, self.closed, self.arrays, self.called = JaxSpelling(), closed, inputs, called
        self.key, self.where, self.iteration, self.rows = 0, None, "", 0
        self.complex = dict[str, Any]()  # names of the equations that use complex numbers
        self.told: dict[Any, Any] | None = None
        self.opens = False  # whether ops on constants are recorded too
        self.alive: list[Any] = []  # keeps the constants below alive, so that no new array gets the id of an old one
        # id of a constant that contains or causes a nonfinite number -> its input node
        self.constants: dict[int, Tensor] = {}
        self.rounded = dict[int, str]()  # serial -> the dtype that NumPy lacks
        self.fixed = set[int]()  # the serials of nodes that depend only on constants

    def dtypes(self) -> dict[int, str]:
        return self.rounded

    def caveat(self) -> str:
        told = super().caveat()
        return f"{told}: {COMPLEX} ({', '.join(self.complex)})" if told and self.complex else told

    # Walk over the equations.

    def walk(self, jaxpr: Any, consts: Any, values: Any, equation: Callable[[Any, list[Any]], list[Any]]) -> list[Any]:
        env = dict(zip(jaxpr.constvars, consts)) | dict(zip(jaxpr.invars, values))
        read = lambda v: literal(v) if isinstance(v, jex.Literal) else env[v]
        for eqn in jaxpr.eqns:
            entering = [read(v) for v in eqn.invars]
            if eqn.primitive.name in INLINE:
                inner, own = body_of(eqn)
                outer, around, info = self.where, self.iteration, inner.debug_info
                self.iteration, self.rows = around or iteration_of(eqn), self.rows + rows_of(eqn)
                file = str(getattr(info, "func_filename", "") or getattr(info, "func_src_info", ""))
                if outer is None and any(part in file for part in NOT_USERS):
                    self.where = location_of(eqn)  # JAX caches inner equations with the line of an earlier call
                results = self.walk(inner, own, entering, equation)
                self.where, self.iteration, self.rows = outer, around, self.rows - rows_of(eqn)
            else:
                results = equation(eqn, entering) if eqn.outvars else []  # jax.debug.print has no result
            env.update(zip(eqn.outvars, results))
        return [read(v) for v in jaxpr.outvars]

    def build(self, nodes: Sequence[Any]) -> Any:
        """Build the graph from the nodes of the inputs, and return the node of the result."""
        pair = lambda v: v if isinstance(v, tuple) else (v, plain(v))
        equation = lambda eqn, values: self.equation(eqn, [pair(v) for v in values])
        (y,) = self.walk(self.closed.jaxpr, self.closed.consts, [*zip(self.arrays, nodes)], equation)
        return pair(y)[1]

    def equation(self, eqn: Any, pairs: list[Any]) -> list[Any]:
        """Record an equation; return each of its JAX results with its node, or with its number if it is a constant."""
        name, self.at = eqn.primitive.name, self.at + 1
        outs = bind(eqn, [v for v, _ in pairs])
        keys = [self.key + i if floating(v) else None for i, v in enumerate(outs)]
        self.complex |= dict.fromkeys([name] if any(jnp.iscomplexobj(v) for v in outs) else [])
        self.key += len(outs)
        if all(n.serial in self.fixed for _, n in pairs if isinstance(n, Tensor)):
            lifted = lambda v: _is_lost(pairs, outs) or (self.opens and id(v) in self.called)
            pairs = [(v, self.constant(v, n) if lifted(v) else n) for v, n in pairs]
            if not any(isinstance(n, Tensor) for _, n in pairs) or (all(map(finite, outs)) and not self.opens):
                return [(v, plain(v)) for v in outs]
        else:
            pairs = [(v, self.constant(v, n) if _holds_nan(n) else n) for v, n in pairs]
        same = self.handed_on(eqn, name, pairs, outs[0])
        if same is not None:
            return [(outs[0], same)]
        if not is_elementwise(name):
            whole = lambda v, n: isinstance(n, Tensor) and n.shape != np.shape(v)
            pairs = [(v, OPS["broadcast_to"].call(n, np.shape(v)) if whole(v, n) else n) for v, n in pairs]
        node = self.node(eqn, name, pairs, outs[0]) if len(outs) == 1 else None
        foreign = lambda i: None if keys[i] is None else self.foreign(eqn, pairs, outs[i], i)
        nodes = [*map(foreign, range(len(outs)))] if node is None else [node]
        reason = matrix_reason(rule_name(eqn) or name, plain(pairs[0][0])) if pairs else None
        self.reasons |= {n.serial: reason for n in nodes if n is not None and reason is not None}
        lacking = {n.serial: str(v.dtype) for v, n in zip(outs, nodes) if n is not None and numpy_lacks(v.dtype)}
        self.rounded |= lacking
        return [(v, plain(v) if n is None else self.bound(n, eqn, k)) for v, n, k in zip(outs, nodes, keys)]

    def constant(self, array: Any, node: Any) -> Any:
        """Return an input node for a constant array of floats, so that a nan that it contains or causes has a name.

        array, node : the array in JAX, and its recorded node or number. `node` is returned unchanged if it is already
            a Tensor, or a nan that JAX itself filled in.
        """
        if isinstance(node, Tensor) or not floating(array) or (_holds_nan(node) and id(array) not in self.called):
            return node
        if id(array) not in self.constants:
            self.constants[id(array)] = leaf = as_leaf(node)
            self.alive.append(array)
            self.fixed.add(leaf.serial)
            if name := self.called.get(id(array)):
                self.names[name] = leaf
            else:
                self.name_constant(leaf)
        return self.constants[id(array)]

    def handed_on(self, eqn: Any, name: str, pairs: list[Any], out: Any) -> Any:
        """Return the result of an equation that needs at most a reshape, such as a copy, or None for any other."""
        node = pairs[0][1]
        if name == "broadcast_in_dim" and isinstance(node, Tensor):
            shape, dims = eqn.params["shape"], eqn.params["broadcast_dimensions"]
            own = (1,) * (len(dims) - node.ndim) + node.shape  # the node may lack leading axes, which NumPy adds
            target = tuple(own[dims.index(d)] if d in dims else 1 for d in range(len(shape)))
            lead = len(shape) - node.ndim
            if (node.shape != target and target[lead:] != node.shape) or any(k != 1 for k in target[:lead]):
                alone = not self.rows + rows_of(eqn) and (self.where or location_of(eqn)) == _location(node)
                whole = keeping_axes(node, target) if alone else None
                return self.bound(OPS["reshape"].call(node, target) if whole is None else whole, eqn, None)
            return node
        if name == "select_n" and len(pairs) == 3 and not isinstance(node, Tensor):
            taken = {bool(c) for c in np.ravel(node)}
            picked, other = (pairs[1 + k][1] for k in (min(taken), 1 - min(taken)))  # a Tensor `other` may get 0 * inf
            return (
                picked if len(taken) == 1 and not isinstance(other, Tensor) and np.shape(picked) == out.shape else None
            )
        alike = name == "convert_element_type" and pairs[0][0].dtype == out.dtype
        return node if alike or name in ("copy", "copy_p", "optimization_barrier") else None

    def node(self, eqn: Any, name: str, pairs: list[Any], out: Any) -> Any:
        """Return an equation's result as a minigrad node if minigrad computes the same value, else None."""
        value, rule, operands = plain(out), rule_name(eqn), [n for _, n in pairs]

        def make() -> Any:
            if name.startswith("custom_") and rule not in RULES and (name.startswith("custom_vjp") or is_users(eqn)):
                return self.custom(eqn, pairs, out, rule)
            if self.at in self.strange:
                raise Differs(f"{name} is derived differently")
            made = translated(rule or name, eqn.params, operands, value.dtype)
            return made if made.shape == value.shape else OPS["broadcast_to"].call(made, value.shape)

        return agreed(make, [value], operands)[0]

    def custom(self, eqn: Any, pairs: list[Any], out: Any, name: str) -> Any:
        """Record a custom_jvp or custom_vjp function as a custom gradient with its own rule; its body is a ghost."""
        closed = eqn.params.get("call_jaxpr") or eqn.params["fun_jaxpr"]  # fun_jaxpr before JAX 0.5
        moving = [i for i, (v, n) in enumerate(pairs) if floating(v) and isinstance(n, Tensor)]
        fixed = [v for v, _ in pairs]

        def body(*copies: Any) -> Any:
            own, tracked = list(pairs), self.tracked
            for i, copy in zip(moving, copies):
                own[i] = (fixed[i], copy)
            at, key, self.tracked, self.rows = self.at, self.key, [], self.rows + rows_of(eqn)
            pair = lambda v: v if isinstance(v, tuple) else (v, plain(v))
            inner = lambda e, values: self.equation(e, [pair(v) for v in values])
            try:
                ((_, node),) = map(pair, self.walk(closed.jaxpr, closed.consts, own, inner))
            finally:
                self.at, self.key, self.tracked, self.rows = at, key, tracked, self.rows - rows_of(eqn)

            def backward(g: Any) -> Any:
                again = EquationAgain(eqn, fixed, moving, 0)
                grads = again.gradients([fixed[i] for i in moving], getattr(g, "value", g))
                return grads if len(grads) > 1 else grads[0]

            backward.__name__ = f"{name}.{'bwd' if eqn.primitive.name.startswith('custom_vjp') else 'jvp'}"
            return node, backward

        body.__name__ = name
        return custom_gradient(body)(*[pairs[i][1] for i in moving])

    def bound(self, node: Any, eqn: Any, key: int | None) -> Any:
        where, iteration = self.where or location_of(eqn), self.iteration or iteration_of(eqn)
        self.dialect.maps(where, self.rows + rows_of(eqn))
        for n in graph_of(node):
            if n.serial not in self.calls and not is_input(n):
                self.calls[n.serial], n.location = self.at, where
                self.within |= {n.serial: iteration} if iteration else {}
                if all(a.serial in self.fixed for a in n.args if isinstance(a, Tensor)):
                    self.fixed.add(n.serial)
        unused = eqn.primitive.name == "stop_gradient"  # this node sends no message to its inputs
        if key is not None and node.serial not in self.fixed and not unused:
            self.tracked.append((node, key))
        return node

    def foreign(self, eqn: Any, pairs: list[Any], value: Any, index: int) -> Any:
        """Record result number `index` of an equation as a node whose value and derivative JAX computes."""
        moving = [i for i, (v, n) in enumerate(pairs) if floating(v) and isinstance(n, Tensor)]
        if not moving:
            return None
        function, operands = EquationAgain(eqn, [v for v, _ in pairs], moving, index), [pairs[i][1] for i in moving]
        return self.left(matrix_op(rule_name(eqn) or eqn.primitive.name), function, operands, plain(value))

    # Comparison.

    def adjoints(self, keys: Sequence[Any]) -> list[Any]:
        if self.told is None:
            try:
                self.told = self._tapped()
            except (NotImplementedError, ValueError) as error:  # JAX raises this for nextafter, for example
                raise NotRecorded(f"JAX cannot differentiate each step of this program: {error}") from error
        return [self.told.get(key) for key in keys]

    def _tapped(self) -> dict[Any, Any]:
        """Return the adjoint of every equation's result, from a single vector-Jacobian product.

        A zero is subtracted from each result, and the function is also differentiated with respect to these zeros.
        """
        jaxpr, consts, inputs = self.closed.jaxpr, self.closed.consts, self.arrays
        shapes, at, keys = dict[int, Any](), itertools.count(), {key for _, key in self.tracked}

        def shape(eqn: Any, values: list[Any]) -> list[Any]:
            outs = bind(eqn, values)
            shapes.update({k: v for v in outs if (k := next(at)) in keys and floating(v)})
            return outs

        self.walk(jaxpr, consts, inputs, shape)

        def tapped(xs: Any, taps: Any) -> Any:
            at, moving = itertools.count(), iter(xs)

            def equation(eqn: Any, values: list[Any]) -> list[Any]:
                return [v - taps[k] if (k := next(at)) in taps else v for v in bind(eqn, values)]

            return self.walk(jaxpr, consts, [next(moving) if floating(x) else x for x in inputs], equation)[0]

        floats = [x for x in inputs if floating(x)]
        y, vjp = jax.vjp(tapped, floats, {k: jnp.zeros_like(v) for k, v in shapes.items()})
        gx, gt = vjp(jnp.ones_like(y))
        own = iter(gx)
        leaves = {f"leaf {i}": plain(next(own)) for i, x in enumerate(inputs) if floating(x)}
        return {k: -plain(g) for k, g in gt.items()} | leaves

    def run(self, new: Tensor, inputs: Sequence[Tensor]) -> tuple[Any, list[Any]]:
        f = lambda *xs: self.evaluated(new, {node.serial: x for node, x in zip(inputs, xs)}, jnp.asarray)
        with wide(new.dtype == np.float64 != self.y.dtype):
            y, vjp = jax.vjp(f, *[jnp.asarray(node.value) for node in inputs])
            return plain(y), [plain(g) for g in vjp(jnp.ones_like(y))]

    def twice(self, new: Tensor, inputs: Sequence[Tensor], ways: Sequence[Any]) -> float:
        f = lambda *xs: jnp.sum(self.evaluated(new, {node.serial: x for node, x in zip(inputs, xs)}, jnp.asarray))
        xs = [jnp.asarray(node.value) for node in inputs]
        ways = [jnp.asarray(way, x.dtype) for way, x in zip(ways, xs)]
        _, slopes = jax.jvp(jax.grad(f, tuple(range(len(xs)))), xs, ways)
        return float(sum(jnp.sum(g * way) for g, way in zip(slopes, ways)))


def _location(node: Tensor) -> Any:
    return getattr(node, "location", None)


def _holds_nan(node: Any) -> bool:
    """Return whether a constant contains a nan."""
    return not isinstance(node, Tensor) and np.asarray(node).dtype.kind == "f" and bool(np.isnan(node).any())


def finite(v: Any) -> bool:
    return not floating(v) or bool(np.isfinite(plain(v)).all())


def _is_lost(pairs: Sequence[Any], outs: Sequence[Any]) -> bool:
    """Return whether an equation of constants gives a nan, or an infinity although the constants are all finite."""
    return not all(map(finite, outs)) and (any(map(_holds_nan, map(plain, outs))) or all(finite(v) for v, _ in pairs))


def constants_of(f: Any, closed: Any) -> dict[int, str]:
    """Map the id of each constant in a jaxpr to the function's name for it, or to "" if it has none."""
    values = dict(referred(f))
    arrays = {k: v for k, v in [*values.items(), *arrays_by_name(values).items()] if isinstance(v, ARRAYS)}
    same = lambda a, b: a is b or (np.shape(a) == np.shape(b) and np.array_equal(a, b, equal_nan=True))
    return {id(c): next((name for name, v in arrays.items() if floating(v) and same(c, v)), "")
            for c in closed.consts if floating(c)}  # fmt: skip


def unreached(program: JaxProgram, name: str) -> str:
    """Return the error message for a function whose result depends on none of its float arguments."""
    if program.complex:
        return f"the result of {name} was computed through complex numbers, and {COMPLEX}"
    return f"no gradient reaches the arguments of {name}: no chain of floats leads from them to its result"


def record(
    f: Any, args: Sequence[Any], kwargs: Mapping[str, Any], only: Collection[int] | None = None, whole: bool = True
) -> ForeignProgram:
    """Record `f(*args, **kwargs)` as a program, and compare all its adjoints with JAX's.

    only : the positions of the arguments whose gradients matter; by default all.
    whole : whether arrays of integers and bools are traced too; if not, the code may index or branch with them.
    """
    values = bound_arguments(f, args, kwargs)
    paths, tree = tree_util.tree_flatten_with_path(values)
    number = lambda x: np.asarray(x) if not whole and isinstance(x, jax.Array) and not is_key(x) else x
    traced = lambda x: isinstance(x, (*ARRAYS, np.generic, float)) and not is_key(x) and (whole or floating(x))
    arrays = [i for i, (_, x) in enumerate(paths) if traced(x)]
    if not any(floating(paths[i][1]) for i in arrays):
        raise NotRecorded(
            f"{called(f)} was given no array of floats; write viz.trace_nan(f, x) with the arrays to "
            "differentiate with respect to"
        )

    def flat(*xs: Any) -> Any:
        leaves = [number(x) for _, x in paths]
        for i, x in zip(arrays, xs):
            leaves[i] = x
        new = tree_util.tree_unflatten(tree, leaves)  # JAX has sorted the dicts in it by their keys
        return checked(f, call_by_name(f, {name: new[name] for name in values}), floating)

    leaves = [jnp.asarray(paths[i][1]) for i in arrays]
    try:
        with unannounced():
            closed = opened(jax.make_jaxpr(flat)(*leaves), leaves)
    except NEEDS_NUMBERS as error:
        if whole:
            return record(f, args, kwargs, only, False)
        raise NotRecorded(NUMBERS_NEEDED.format(called(f))) from error
    constants = constants_of(f, closed)
    names = [f"{paths[i][0][0].key}{tree_util.keystr(paths[i][0][1:])}" for i in arrays]
    wanted = {*values} if only is None else {name for i, name in enumerate(values) if i in only}
    owners, order = [paths[i][0][0].key for i in arrays], [*values]
    owner = dict(zip(names, owners))

    def wider(dtype: Any) -> list[Any]:
        with wide(dtype == np.float64), unannounced():
            floats = [i for i, x in enumerate(leaves) if floating(x) and owners[i] in wanted]
            wide_flat = lambda *xs: flat(*[dict(zip(floats, xs)).get(i, x) for i, x in enumerate(leaves)])
            y, vjp = jax.vjp(wide_flat, *[jnp.asarray(leaves[i], dtype) for i in floats])
            return [plain(v) for v in (y, *vjp(jnp.ones_like(y)))]

    def make(strange: Collection[Any]) -> JaxProgram:
        program = recorded(strange, False)
        became_lost = any(np.isfinite(n.value).all() for n in program.constants.values())
        return recorded(strange, True) if became_lost else program

    def recorded(strange: Collection[Any], opens: bool) -> JaxProgram:
        program = JaxProgram(strange, closed, leaves, constants)
        program.opens = opens
        nodes = [as_leaf(plain(x)) for x in leaves]
        program.names = dict(sorted(zip(names, nodes), key=lambda pair: order.index(owner[pair[0]])))
        for i, (x, node) in enumerate(zip(leaves, nodes)):
            if floating(x):
                program.rounded |= {node.serial: str(x.dtype)} if numpy_lacks(x.dtype) else {}
                program.tracked.append((node, f"leaf {i}"))
                if owners[i] in wanted:
                    program.leaves[node.serial] = x
        program.wider = wider
        with unannounced():
            program.y = program.build(nodes)
            if not isinstance(program.y, Tensor):
                raise NotRecorded(unreached(program, called(f)))
            collapse(program)
        return program

    return settled(make)
