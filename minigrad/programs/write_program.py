"""Write a function's program, and raise an error if its results differ by a single byte from the function's."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.support.error_words import location_of
from ..core.support.structure import flatten
from ..core.variable import restored_variables
from .arguments import Result, names_of, split_call
from .comparing import other_arguments, other_variables, parting, same
from .program import Program
from .recording import RecordedRun
from .refusals import NotAProgram, check_argument, is_input, refusal


def write(f: Callable[..., Any], args: Any, kwargs: Any, named: bool = False) -> tuple[Program, Any]:
    """Write the program for a call to `f`, and compare it with `f`; return the program and the result of `f`.

    named : whether the text uses the names of local variables in the user's code.

    Raises NotAProgram, or the error that `f` itself raises.
    """
    names = names_of(f, args, kwargs)
    try:
        for name, x in zip(names, [*args, *kwargs.values()]):
            check_argument(x, name)
    except NotAProgram as error:
        _show_own_error(f, args, kwargs)
        raise NotAProgram(f"{location_of(f)}: {error}") from None
    numbers = [type(x) in (int, float) for x in flatten([*args, *kwargs.values()]) if is_input(x, "")]
    try:
        return _written(f, args, kwargs, names, named, frozenset())
    except NotAProgram:
        if not any(numbers):
            raise
    # `f` uses a Python number in a way that cannot be recorded, so the program is valid only for this number.
    return _written(f, args, kwargs, names, named, frozenset(i for i, plain in enumerate(numbers) if plain))


def _written(
    f: Callable[..., Any], args: Any, kwargs: Any, names: Sequence[str], named: bool, decided: frozenset[int]
) -> tuple[Program, Any]:
    """Write the program, and compare it with `f`.

    decided : the indices of the Python numbers whose values the program is valid for.
    """
    recording = _recorded(f, args, kwargs, names, named, decided)
    try:
        recorded, value = Result(recording.result, f), f(*args, **kwargs)
        if not same(recording.result, value):
            raise NotAProgram(f"{refusal(f)}: with the same arguments, {parting(f, args, kwargs, recording)}")
        program = Program(f, args, kwargs, recording, recorded)
        del recorded
    finally:
        recording.forget()
    if not program.connected:
        plain, value = value, program(*args, **kwargs)
        if not same(plain, value):
            raise NotAProgram(
                f"{refusal(f)}: its program's result is not bit for bit the function's; leave it uncompiled"
            )
        del plain
        _compare_elsewhere(program, args, kwargs, [line is None for line in recording.inputs])
    return program, value


def _compare_elsewhere(program: Program, args: Any, kwargs: Any, decided: Sequence[bool]) -> None:
    """Compare a program with its function at different numbers of the same kind."""
    f, values = program.f, [*args, *kwargs.values()]
    stays = iter(decided)
    fixed = [next(stays) if is_input(x, "") else True for x in flatten(values)]
    others = other_arguments(values, fixed)
    other, options = others[: len(args)], dict(zip(kwargs, others[len(args) :]))
    kind, inputs = split_call(other, options)
    if kind != program.kind:  # an array with the other numbers has another memory layout, so nothing can be compared
        return
    with other_variables(program.variables), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        try:
            plain = f(*other, **options)
        except Exception:  # f does not accept these numbers
            return
        if not same(plain, program.compute(inputs, other, options)):
            parts = parting(f, other, options, program.recording)
            raise NotAProgram(f"{refusal(f)}: with other numbers, {parts}")


def _recorded(
    f: Any, args: Any, kwargs: Any, names: Sequence[str], named: bool, decided: frozenset[int]
) -> RecordedRun:
    """Record a run of `f` on stand-ins.

    decided : the indices of the Python numbers that are passed to `f` unchanged. If code branches on another number,
        its index is added, and `f` is run again.
    """
    try:
        while True:
            recording = RecordedRun(f, args, kwargs, names, decided, named)
            if recording.decided() == decided:
                return recording
            decided |= recording.decided()
            recording.forget()
    except Exception as raised:
        error = raised
    _show_own_error(f, args, kwargs)
    if isinstance(error, NotAProgram):
        raise error
    what = f"while the program was written, the function raised {type(error).__name__}: {error}"
    raise NotAProgram(f"{refusal(f)}: {what}") from error


def _show_own_error(f: Any, args: Any, kwargs: Any) -> None:
    """Run `f` to raise its own error, if there is one, because that error is more informative than NotAProgram."""
    with restored_variables():
        f(*map(_copied, args), **_copied(kwargs))


def _copied(x: Any) -> Any:
    """Return `x` with copies of its arrays, lists and dicts, because `f` may change them."""
    kind = type(x)
    if kind in (list, tuple):
        return kind(map(_copied, x))
    if kind is dict:
        return {key: _copied(value) for key, value in x.items()}
    return x.copy("K") if kind is np.ndarray else x
