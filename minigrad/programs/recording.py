"""Run a function on stand-ins to record its calls; anything that a program cannot contain raises an error.

During the run, notes are taken for the names in the text; see `naming`.
"""

from __future__ import annotations

import operator
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from ..core.op import as_leaf, record
from ..core.support.observers import observe, unobserve
from ..core.support.scattered import repeats
from ..core.support.structure import leaves, rebuild
from ..core.tensor import Tensor
from ..core.variable import READ, Variable
from ..tracing.overlay import Overlay, stored_value
from ..transforms.jacobians import row_makers
from . import instructions
from .instructions import Line
from .jacobian_rows import rows_at_once
from .leftovers import settle
from .listing import STAND_INS, Listing, StandIn, Undecided, writing
from .naming import Notes
from .refusals import by_user, is_input
from .standins import Array, Number

STAND_INS |= {"array": Array, "number": Number}


class Reads(Overlay):
    """An observer of reads of Tensors and Variables; it raises an error if the user's code would get a stand-in.

    listing : the listing that gets the error if the user's code reads a stand-in.
    """

    listing: Listing

    def reading(self, variable: Variable) -> Tensor:
        raise NotImplementedError

    def __enter__(self) -> Any:
        observe(compute=as_one_line)
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        unobserve(compute=as_one_line)

    def value(self, x: Tensor) -> Any:
        value = super().value(self.reading(x) if type(x) is Variable else x)
        if issubclass(type(value), StandIn) and by_user():
            value.detach()
        return value

    def hold(self, x: Tensor, value: Any) -> None:
        if type(x) is Variable:
            self.assigning(x)
        super().hold(x, value)

    def assigning(self, variable: Variable) -> None:
        if getattr(variable, "name", ""):
            what = f"it assigns the Variable {variable.name}"
            self.listing.refuse(what, "return the new value and assign it outside")
        self.listing.refuse("the function creates a Variable", "create it outside, once")


class RecordedRun(Reads):
    """One run of `f` on stand-ins for its arguments.

    inputs : the lines of the arguments' leaves that each run reads again. The entry is None for a number whose index is
        in `decided`; code branches on this number, so it is passed to `f` unchanged.
    names : the names of these leaves.
    variables : the Variables that were read, each with its line.
    result : the result of `f`, with stand-ins in it.
    """

    def __init__(
        self, f: Callable[..., Any], args: Any, kwargs: Any, names: Sequence[str], decided: Any = (),
        named: bool = False, located: bool = False,
    ) -> None:  # fmt: skip
        super().__init__({})
        self.listing = Listing(located)
        self.notes = Notes(self.listing)
        self.argument_names = names
        self.inputs: list[Line | None] = []
        self.names: list[str] = []
        self.variables: list[tuple[Variable, Line]] = []
        self._reads: dict[int, Tensor] = {}  # id of a Variable -> the node that reads it
        values = [*args, *kwargs.values()]
        parts = [leaf for name, x in zip(names, values) for leaf in leaves(x, name)]
        inputs = [self._stand_in(x, name, decided) if is_input(x, name) else x for name, x in parts]
        stand_ins = rebuild(values, inputs)
        again, options = stand_ins[: len(args)], dict(zip(kwargs, stand_ins[len(args) :]))
        before = [(path, id(x)) for path, x in leaves(stand_ins)]
        try:
            with self, writing(self.listing), self.notes.taking(named):
                self.result = f(*again, **options)
                if [(path, id(x)) for path, x in leaves(stand_ins)] != before:
                    self.listing.refuse("it changes a list or dict among its arguments", "return the new one")
            if self.listing.refusals:  # raise the error even if the function caught it
                raise self.listing.refusals[0]
        except Undecided as undecided:
            self.result = None
            traceback.clear_frames(undecided.__traceback__)
        except BaseException as error:
            del again, options, stand_ins, inputs
            traceback.clear_frames(error.__traceback__)
            self.forget()
            raise

    def _stand_in(self, x: Any, name: str, decided: Any) -> Any:
        self.names.append(name)
        if len(self.inputs) in decided:
            self.inputs.append(None)
            return x
        stand_in = self.listing.add_input(x.value if isinstance(x, Tensor) else x)
        self.inputs.append(stand_in.line)
        return as_leaf(stand_in) if isinstance(x, Tensor) else stand_in

    def forget(self) -> None:
        """Free the run's values, and remove its stand-ins from the objects that hold them."""
        self.result = None
        self._reads.clear()
        settle(self.listing)

    def decided(self) -> frozenset[int]:
        """Return the indices of leaves whose values decided a branch; the program is valid only for these values."""
        return frozenset(i for i, line in enumerate(self.inputs) if line is None or line in self.listing.decided)

    def reading(self, variable: Variable) -> Tensor:
        """Return the node that reads a Variable; each run of the program reads the Variable's value again."""
        if id(variable) not in self._reads:
            stand_in = self.listing.add_input(stored_value(variable))
            self.variables.append((variable, stand_in.line))
            self._reads[id(variable)] = record(READ, stand_in, (variable,))
        return self._reads[id(variable)]


def as_one_line(op: Any, values: Any, kwargs: Any) -> Any:
    """Record an op that takes only plain arrays as one line; return its result, or None if no value is a stand-in."""
    stand_ins = [v for v in (*values, *(kwargs or {}).values()) if issubclass(type(v), StandIn)]
    stand_ins += [k for v in values if isinstance(v, tuple) for k in v if issubclass(type(k), StandIn)]
    if not stand_ins:
        return None
    function = {"getitem": operator.getitem, "index_set": instructions.index_set}.get(op.name, op.fn)
    if op.name == "index_add":
        function = instructions.index_add_each if repeats(values[1]) else instructions.index_add
    return stand_ins[0].listing.call(function, tuple(values), kwargs)


row_makers.append(rows_at_once)
