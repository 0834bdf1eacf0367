"""The judge's side of a student's process, which is started separately or forked by a server."""

import builtins
import dataclasses
import math
import time

import numpy as np
import pytest

from minigrad.classroom import exercise
from minigrad.grading import judge_exercise
from minigrad.grading.proxy import StudentError
from minigrad.grading.student_requests import Session
from minigrad.grading.submitted_notebook import Cell
from minigrad.runner import process as judges_side
from minigrad.runner import timeout
from minigrad.runner.budgets import Limits
from minigrad.runner.channel import Channel
from minigrad.runner.process import Process, Stopped
from minigrad.runner.servers import OneByOne, Server

SOURCE = """
import builtins, os, time
def twice(x):
    return 2 * x
def end():
    os._exit(0)
def loop():
    while True:
        pass
class Last(Exception):
    pass
Last.__name__ = "StopIteration"
class Number:
    def __init__(self, error):
        self.error = error
    def __float__(self):
        raise self.error
def numbers_that_stop(kind):
    return [Number(Last() if kind == "Last" else getattr(builtins, kind)())]
"""
CELLS = [Cell(SOURCE, 1)]


@pytest.fixture(params=[OneByOne, Server], ids=["one by one", "forked"])
def process(request):
    server = request.param(True, Limits(), ("limits",))
    process = Process(server, CELLS)
    yield process
    process.end()
    server.close()


def called(process, name, *args):
    number = process.reply_to({"do": "has", "names": [name]}, 5.0, print)["ok"][name]["object"]
    return process.reply_to({"do": "evaluate", "tree": {"call": {"object": number}, "args": list(args)}}, 5.0, print)


def test_it_answers(process):
    assert called(process, "twice", 3.0)["ok"] == 6.0


def test_it_starts_again_when_it_has_ended(process):
    with pytest.raises(Stopped, match="ended the process"):
        called(process, "end")
    assert called(process, "twice", 4.0)["ok"] == 8.0
    assert process.generation == 2


def slowly(function, seconds):
    """The function, after a pause that consists of many steps, in each of which it can be interrupted."""

    def slow(*args):
        done = time.monotonic() + seconds
        while time.monotonic() < done:
            time.sleep(0.01)
        return function(*args)

    return slow


@pytest.mark.cases(1)
@pytest.mark.parametrize("within", [0.2, 5.0], ids=["around", "of the request"])
def test_a_time_limit_leaves_no_process_and_the_server_in_step(process, within, monkeypatch):
    """The limit of a check may pass while the process is being ended, which takes long where the computer is busy."""
    monkeypatch.setattr(judges_side, "busy", lambda: 1.0)
    session = Session(process, within)
    loop = session.root("loop")
    monkeypatch.setattr(process.server, "end", slowly(process.server.end, 1.0))
    assert timeout.call(loop, 0.2).late
    assert process.ended and session.stopped == "late"
    assert "its process had ended before" in timeout.call(loop, 2.0).failure.words
    assert called(process, "twice", 4.0)["ok"] == 8.0
    assert process.generation == 2 and process.notes == []


def test_the_limit_that_is_told_is_the_same_on_a_busy_computer(process, monkeypatch):
    @exercise("loop", function="loop()", seconds=0.2)
    def loop(c):
        c.example((), 1.0)

    words = []
    for factor in (1.0, 3.0):
        monkeypatch.setattr(judge_exercise, "busy", lambda factor=factor: factor)
        monkeypatch.setattr(judges_side, "busy", lambda factor=factor: factor)
        words.append(judge_exercise.judge_exercise(loop, lambda hidden: process, 0).mark.words)
    assert words == ["It did not end within 0.2 seconds and was stopped."] * 2


def test_a_call_is_not_late_by_the_work_of_the_judge(process):
    """Writing ten thousand nodes as data takes most of a second; an answer walks over them in a tenth."""

    def doubled(twice):
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            pass
        return twice(2.0) == 4.0

    @exercise("twice", function="twice(x)", seconds=0.2)
    def exercise_of_twice(c):
        c.property("it doubles", doubled, vary=(), points=[()])

    mark = judge_exercise.judge_exercise(exercise_of_twice, lambda hidden: process, 0).mark
    assert (mark.state, mark.words) == ("right", "")


@pytest.mark.parametrize(
    "kind", ["StopIteration", "StopAsyncIteration", "GeneratorExit", "KeyboardInterrupt", "SystemExit", "Last"]
)
def test_an_error_of_a_students_object_does_not_end_the_loop_of_a_check(process, kind):
    @exercise("numbers_that_stop", function="numbers_that_stop(kind)", seconds=2.0)
    def numbers(c):
        each = lambda f, kind: all(map(lambda x: float(x) == 1.0, f(kind)))
        c.property("all are 1", each, vary=(), points=[(kind,)])

    mark = judge_exercise.judge_exercise(numbers, lambda hidden: process, 0).mark
    assert mark.state == "wrong" and mark.words.startswith("It stopped with")


def test_statements_that_never_end_cost_less_and_less(process, monkeypatch):
    """One that ended before keeps the whole limit when it runs again."""
    waits = []
    receive = Channel.receive
    monkeypatch.setattr(judges_side, "busy", lambda: 1.0)
    monkeypatch.setattr(Channel, "receive", lambda self, seconds: waits.append(seconds) or receive(self, seconds))
    process.limits = dataclasses.replace(process.limits, statement=0.8)
    process.cells = [Cell("x = 1", 1), *(Cell("while True: pass", n) for n in range(2, 6))]
    process.begin()
    assert process.statements.lost == [(n, 0) for n in range(2, 6)]
    assert min(waits) == 0.3 and waits.count(0.8) >= 4 and waits.count(0.4) == 1


TRICKS = """
class Error(Exception):
    def __init__(self, kind):
        self.__class__.__name__ = kind
def stop(kind):
    raise Error(kind)
"""


@pytest.mark.parametrize(
    "kind", ["OutOfTime", "Stopped", "BadMessage", "Exception", "BaseException", "Warning", "OSError"]
)
def test_every_error_of_a_student_is_one_kind_here(process, kind):
    process.cells = [Cell(TRICKS, 1)]
    stop = Session(process, 2.0).root("stop")
    with pytest.raises(StudentError) as error:
        stop(kind)
    assert error.value.failure.kind == kind and not isinstance(error.value, (OSError, Warning))


@pytest.mark.parametrize("kind", ["ValueError", "AttributeError", "KeyError"])
def test_a_check_catches_an_error_by_its_kind(process, kind):
    process.cells = [Cell(TRICKS, 1)]
    stop = Session(process, 2.0).root("stop")
    with pytest.raises(getattr(builtins, kind)) as error:
        stop(kind)
    assert isinstance(error.value, StudentError)


#: A class whose objects would be right wherever they are compared.
SLY = """
class Sly:
    __float__ = lambda self: 7.0
    __sub__ = __rsub__ = __abs__ = __mul__ = lambda self, *other: Zero()
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = lambda self, other: True
class Zero(Sly):
    __float__ = lambda self: 0.0
class Value:
    def __init__(self, value):
        self.value = VALUE
    def __add__(self, other):
        return Value(0)
    __float__, __sub__, __rsub__, __abs__ = Sly.__float__, Sly.__sub__, Sly.__rsub__, Sly.__abs__
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = Sly.__lt__
"""
COMPARED = {
    "difference": lambda value: abs(value - 5.0) < 1e-9,
    "the other way": lambda value: abs(5.0 - value) < 1e-9,
    "between": lambda value: 5.0 - 1e-9 <= value <= 5.0 + 1e-9,
    "equal": lambda value: value == 5.0,
    "isclose": lambda value: math.isclose(value, 5.0),
    "allclose": lambda value: bool(np.allclose(value, 5.0)),
}


@pytest.mark.parametrize("compared", COMPARED)
@pytest.mark.parametrize("value", ["Sly()", "self", "(lambda: None)", "Value.__new__(Value)"])
def test_an_attribute_never_computes_its_own_error(process, compared, value):
    process.cells = [Cell(SLY.replace("VALUE", value), 1)]

    @exercise("Value", function="Value(number)", seconds=2.0)
    def of_class(c):
        holds = lambda Value: COMPARED[compared]((Value(2.0) + Value(3.0)).value)
        c.property("2 + 3 is 5", holds, vary=(), points=[()])

    assert judge_exercise.judge_exercise(of_class, lambda hidden: process, 0).mark.state == "wrong"
