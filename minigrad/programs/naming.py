"""Name a program's lines: use the user's own names, and name adjoints after their nodes.

Notes are taken while the lines are written: the user's names, the nodes, and the steps of backward passes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from ..core.backward import Sends, backward, start
from ..core.custom import CustomCall
from ..core.op import as_leaf
from ..core.support.observers import observing
from ..core.support.scattered import Scattered
from ..core.tensor import Tensor
from ..tracing.names import collect_names, identifier
from .instructions import FILLING, EachRow, Line, constant, passed_in, seed
from .listing import Listing, StandIn, here


class NotedSend(NamedTuple):
    """A message that a step of a backward pass sends to argument `number` of its node.

    to : the serial of that argument. line : the line that computes the message, or None for a constant.
    """

    number: int
    to: int
    line: Line | None


class NotedStep(NamedTuple):
    """A step of a backward pass, and the range of its lines in the listing.

    node, op : the serial of the node and the name of its op. value, upstream : the lines of its value and its upstream
        gradient. rule : the name of its custom rule, or "". sends : its messages. begin, end : the range of lines.
    """

    node: int
    op: str
    value: Line | None
    rule: str
    upstream: Line | None
    sends: list[NotedSend]
    begin: int
    end: int


class Notes:
    """Facts that are recorded while a function runs on stand-ins, to choose names for the lines later.

    names : line -> the user's name. nodes : (serial, line) for each new Tensor. steps : the steps of backward passes.
    """

    def __init__(self, listing: Listing) -> None:
        self.listing = listing
        listing.notes = self
        self.names: dict[Line, str] = {}
        self.nodes: list[tuple[int, Line]] = []
        self.steps: list[NotedStep] = []

    @contextmanager
    def taking(self, named: bool = False) -> Iterator[None]:
        """Take notes about everything that runs inside the `with` block.

        named : whether to record the names of local variables too, which is slow.
        """
        local_names: dict[Any, str] = {}
        try:
            with (
                observing(created=self._node, run=self.backward),
                collect_names(local_names, _key) if named else nullcontext(),
            ):
                yield
        finally:
            by_serial = dict(self.nodes)
            for key, name in local_names.items():
                line = by_serial.get(key) if isinstance(key, int) else key
                if line is not None:
                    self.names[line] = name

    def _node(self, node: Tensor) -> None:
        line = _line_of(node)
        if line is not None and here.listing is self.listing:
            self.nodes.append((node.serial, line))

    def rename(self, serials: Mapping[int, int]) -> None:
        """Replace node serials in the recorded steps. serials : old serial -> new serial."""
        renamed = lambda serial: serials.get(serial, serial)
        for i, step in enumerate(self.steps):
            sends = [send._replace(to=renamed(send.to)) for send in step.sends]
            self.steps[i] = step._replace(node=renamed(step.node), sends=sends)

    def backward(self, targets: Any, upstreams: Any, sources: Any, cut: Any) -> dict[int, Any]:
        """Run a backward pass, note its steps, and return the adjoints.

        Each constant upstream gradient becomes a line, so the program's text shows it.
        """
        if here.listing is not self.listing:  # the pass runs in a different thread
            return backward(start(targets, upstreams, sources, cut))
        lines = self.listing.lines
        begin = len(lines)

        def observe(node: Tensor, upstream: Any, sends: Sends) -> None:
            nonlocal begin
            noted = [NotedSend(i, a.serial, _line_of(c)) for i, a, c in sends if not isinstance(a.value, tuple)]
            arrived = None if isinstance(upstream, dict) else _line_of(upstream)
            name, end = node.op.name if node.op else "", len(lines)
            self.steps.append(NotedStep(node.serial, name, _line_of(node), _rule(node), arrived, noted, begin, end))
            begin = len(lines)

        return backward(start(targets, [self._seed(u) for u in upstreams], sources, cut), observe)

    def _seed(self, upstream: Any) -> Any:
        tensor = isinstance(upstream, Tensor)
        value = upstream.value if tensor else upstream
        if not isinstance(value, (np.ndarray, np.generic)) or _line_of(value) or (tensor and upstream.op is not None):
            return upstream
        seeded = self.listing.call(seed, (value,))
        return as_leaf(seeded) if tensor else seeded


def _line_of(x: Any) -> Line | None:
    """Return the line of a Tensor's value or of a stand-in, or None for other values."""
    part = x.value if isinstance(x, Scattered) else x
    value = part.value if isinstance(part, Tensor) else part
    return value.line if issubclass(type(value), StandIn) else None


def _rule(node: Tensor) -> str:
    op = node.op
    return f"{getattr(op.grad_fn, '__name__', 'rule')} of {op.name}" if isinstance(op, CustomCall) else ""


def _key(x: Any) -> Any:
    return x.serial if isinstance(x, Tensor) else x.line if issubclass(type(x), StandIn) else None


class Naming:
    """Chooses names for lines, from the notes about them.

    uses : line -> how many times it is needed. users : line -> the lines that need it.
    step : line -> the number of the backward-pass step that wrote it.
    total : the line of a partial sum -> the line of the final sum, for sums of three or more messages.
    """

    def __init__(
        self, notes: Notes, old: Sequence[Line], lines: Sequence[Line], now: Mapping[Line, Line],
        outputs: Sequence[Line], inputs: Mapping[Line, str], taken: set[str],
    ) -> None:  # fmt: skip
        self._lines, self.now, self._taken, self._numbers = lines, now, taken, Counter[str]()
        self.uses = Counter([*outputs, *(a for line in lines for a in line.uses)])
        self.users: dict[Line, list[Line]] = {}
        for line in lines:
            for a in line.uses:
                self.users.setdefault(a, []).append(line)
        self.step: dict[Line, int] = {}
        self.total: dict[Line, Line] = {}
        self._adjoint: dict[Line, NotedStep] = {}
        self._label = _labels([*inputs.values()])
        self._read(notes, old)
        self._base = self._bases(notes, inputs)

    def fresh(self, name: str) -> str:
        """Return a name that is not yet taken; "" gives t1, t2, ..."""
        stem = identifier(name) + "_" if name else "t"
        candidate = stem[:-1]
        while not candidate or candidate in self._taken:
            self._numbers[stem] += 1
            candidate = f"{stem}{self._numbers[stem]}"
        self._taken.add(candidate)
        return candidate

    def _read(self, notes: Notes, lines: Sequence[Line]) -> None:
        """Set `step`, `total` and the node of each adjoint from the notes."""
        is_named = lambda total: self._adjoint[total].value in notes.names or total.function is seed
        count = Counter(send.to for step in notes.steps for send in step.sends)
        first = {self.now.get(line, line): i for i, line in reversed([*enumerate(lines)])}
        for k, step in enumerate(notes.steps):
            for line in lines[step.begin : step.end]:
                new = self.now.get(line, line)
                if first[new] >= step.begin:
                    self.step.setdefault(new, k)
            if step.upstream is None:
                continue
            total = self.now[step.upstream]
            if total not in self._adjoint or (step.value in notes.names and not is_named(total)):
                self._adjoint[total] = step
            partial = total
            while partial.function in FILLING and isinstance(partial.args[0], Line):  # the sum is built in one array
                self.total[partial] = total
                partial = partial.args[0]
            partial = total
            for _ in range(count[step.node] - 1 if count[step.node] > 2 else 0):
                self.total[partial] = total
                if partial.function is not np.add or self.uses[partial.args[0]] != 1:
                    break
                partial = partial.args[0]
                self.total[partial] = total

    def _bases(self, notes: Notes, inputs: Mapping[Line, str]) -> dict[Line, str]:
        """Return line -> the user's name for it, with a number if several lines have the same name."""
        names = {self.now[line]: name for line, name in notes.names.items() if line in self.now}
        for total, step in self._adjoint.items():
            if total.function is seed and step.value is not None:
                names.setdefault(self.now[step.value], "value")
        named = [x for x in self._lines if x in names and x.function not in (constant, passed_in) and x not in inputs]
        count, turn = Counter(names[line] for line in named), Counter[str]()
        bases = {}
        for line in named:
            name = names[line]
            bases[line] = f"{name}_{turn[name]}" if count[name] > 1 else name
            turn[name] += 1
        return bases

    def name_for(self, line: Line, names: Mapping[Line, str]) -> str | None:
        """Return the name for a line, "" if any new name will do, or None if the line needs no name.

        names : the names of other lines.
        """
        if line in self._base:
            return self._base[line]
        step = self._adjoint.get(self.total.get(line, line))
        value = self.now[step.value] if step is not None and step.value is not None else None
        if value is not None and value in names:
            return f"d_{self._label.get(names[value], names[value])}"
        if line.function is seed:
            return "d_value"
        needs = self.uses[line] > 1 or line.function in FILLING or line in self.total
        needs = needs or any(isinstance(x.function, EachRow) for x in self.users.get(line, ()))
        return (f"d_{step.op}" if step is not None and step.op else "") if needs else None


def _labels(texts: Sequence[str]) -> dict[str, str]:
    """Return name of an input -> its short form for the name of its adjoint: W for params['W'], xs_3 for xs[3]."""
    short = {}
    for text in texts:
        parts = re.findall(r"\w+", text)
        short[text] = f"{parts[-2]}_{parts[-1]}" if parts[-1].isdigit() and len(parts) > 1 else parts[-1]
    count = Counter(short.values())
    return {text: name if count[name] == 1 else identifier(text) for text, name in short.items()}
