"""`mg.messages(y)`: the messages of a backward pass from each node to its arguments, one row per message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, NamedTuple

from ..core.tensor import Tensor
from .labels import titles
from .numbers import nonfinite, short
from .recorder import backward_trace
from .table import in_a_box, text_table
from .trace_schema import Num, Summary


class Message(NamedTuple):
    """One message of a backward pass, which `node` sends to its `argument`.

    node, argument : the names of the two nodes; a node without a name is shown as its op. If several nodes share a name
        or an op, a number is added, as in "multiply#3".
    upstream : the adjoint of the node.
    local : the local derivative; None if the op is not elementwise, or if the message came from a custom rule.
    message : the number that is added to the argument's adjoint: upstream * local, if the local derivative exists.

    Numbers are floats. An array is represented by a `Summary`: its shape, dtype, extremes and first elements.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> first = mg.messages(mg.exp(2 * x))[0]
    >>> first.node, first.argument
    ('exp', 'multiply')
    """

    node: str
    argument: str
    upstream: float | Summary
    local: float | Summary | None
    message: float | Summary


#: The titles of the columns. The first differs from its field, because "from" is a keyword in Python.
HEAD = ("from", "argument", "upstream", "slope", "message")


class Messages(tuple[Message, ...]):
    """The messages in the order they were sent. They print as a table, also in a notebook.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> [message.node for message in mg.messages(mg.exp(2 * x))]
    ['exp', 'multiply']
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return text_table(HEAD, [*map(_texts, self)], words=range(len(HEAD)))

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{title}</th>" for title in HEAD)
        rows = "".join(f"<tr>{''.join(map(_cell, row, _texts(row)))}</tr>" for row in self)
        return in_a_box(f'<table dir="ltr"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>')


def messages(y: Tensor, xs: Iterable[Tensor] | None = None, names: Mapping[str, Any] | None = None) -> Messages:
    """List the messages of a backward pass from `y`, one row per message.

    The columns are node, argument, upstream, local and message.

    y, xs, names : as in `backward_trace`: the Tensor to differentiate; the inputs to differentiate with respect to, by
        default all float inputs; and the Tensors by the user's names, as `locals()` returns them.

    Raises TypeError if `y` is not a Tensor.

    >>> import minigrad as mg
    >>> x = mg.constant(2.0)
    >>> mg.messages(mg.log(x) * x, names={"x": x})
    from      argument  upstream  slope   message
    multiply  log       1         2       2
    multiply  x         1         0.6931  0.6931
    log       x         2         0.5     1
    >>> [row.message for row in mg.messages(mg.log(x) * x) if row.node == "log"]
    [1.0]
    """
    trace = backward_trace(y, xs, names)
    title = titles(trace)
    messages = []
    for step in trace.steps:
        for send in step.sends:
            slope = trace.edges[send.edge].local_value
            local = None if slope is None else _value(slope)
            ends = title[step.node], title[send.to]
            messages.append(Message(*ends, _value(step.g), local, _value(send.value)))
    return Messages(messages)


def _value(number: Num) -> float | Summary:
    return number if isinstance(number, Summary) else float(number)


def _texts(row: Message) -> tuple[str, ...]:
    return (*row[:2], *("" if value is None else short(value) for value in row[2:]))


def _cell(value: Any, text: str) -> str:
    bad = not isinstance(value, str) and nonfinite(value)
    return f"<td><b>{escape(text)}</b></td>" if bad else f"<td>{escape(text)}</td>"
