"""Nothing that an answer does reaches the notebook: it runs in a separate process, which is killed or replaced."""

import builtins
import ctypes
import os
import sys
import threading
import time
import types

import numpy as np
import pytest

import minigrad as mg
from minigrad.classroom import helper_process
from minigrad.classroom.check import Lesson
from minigrad.classroom.examination import examine
from minigrad.classroom.helper_process import Unable, examine_apart
from minigrad.classroom.loading import load
from minigrad.runner import timeout
from minigrad.runner.packed_functions import pack, unpack
from minigrad.runner.timeout import Outcome

CHECKS = """
from minigrad.classroom import exercise, floats

@exercise("twice", function="twice(x)", seconds=0.5)
def twice(c):
    c.value(lambda x: 2 * x, vary=(floats(-3, 3),), says="twice x")
    c.value(lambda x: 2 * x, vary=(floats(-3, 3),), says="once more")
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("checks") / "small_checks.py"
    path.write_text(CHECKS)
    return path


@pytest.fixture
def said(path):
    return lambda answer: examine_apart(path, "twice", answer)


def without_len(x):
    builtins.len = None
    return 2 * x


def without_vars_and_any(x):
    builtins.vars = builtins.any = builtins.isinstance = None
    return 2 * x


@pytest.mark.cases(1)
@pytest.mark.parametrize("answer", [without_len, without_vars_and_any])
def test_an_answer_that_replaces_a_builtin_gets_a_verdict(said, answer):
    verdict = said(answer)
    assert verdict.status == "wrong"
    assert "It stopped with an error: it replaced a function that everything else uses" in verdict.to_text()
    assert said(lambda x: 2 * x), "the next answer is examined as always"
    assert len([1]) == 1


@pytest.mark.parametrize("answer", [lambda x: 2 * x, lambda x: -2 * x, lambda x: x + mg.constant(1.0), lambda x: [][1]])
def test_the_verdict_is_that_of_this_process(path, answer):
    assert examine_apart(path, "twice", answer).to_html() == examine(load(path)["twice"], answer).to_html()


def test_one_process_serves_many_answers(said):
    said(lambda x: 2 * x)
    (helper,) = helper_process._ready
    said(lambda x: 3 * x)
    assert helper_process._ready == [helper]


def swallow(x):
    while True:
        try:
            while True:
                pass
        except:  # noqa: E722
            pass


def hang_at_2(x):
    if x.value == 2:
        sum(range(10**11))
    return 2 * x


@pytest.mark.cases(1)
@pytest.mark.parametrize("answer", [lambda x: sum(range(10**11)), swallow, lambda x: time.sleep(100)])
def test_what_does_not_end_is_reported(said, answer):
    verdict = said(answer)
    assert verdict.words.startswith("It did not end within 0.5 seconds and was stopped.")
    assert [line.right for line in verdict.lines] == [False, None]
    assert verdict.at == "x = 1"


def test_the_input_at_which_it_hangs_is_found(said):
    assert said(hang_at_2).at == "x = 2"


def test_another_process_is_ready_when_the_first_is_killed(said):
    """So the answer is known 2.4 seconds after the call began, without waiting for another process to start."""
    said(lambda x: 2 * x)
    before = helper_process._ready[0]
    said(lambda x: sum(range(10**11)))
    assert before.process.returncode is not None
    assert before not in helper_process._ready


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x: input("?"), "It stopped with RuntimeError: input() cannot be used in an answer"),
        (lambda x: sys.stdin.readline() + 1, "It stopped with TypeError"),
        (lambda x: exit(), "It stopped with SystemExit"),
        (lambda x: quit(), "It stopped with SystemExit"),
        (lambda x: sys.exit(1), "It stopped with SystemExit: 1"),
        (lambda x: os._exit(0), "It stopped with SystemExit"),
        (lambda x: (_ for _ in ()).throw(KeyboardInterrupt), "It stopped with KeyboardInterrupt"),
        (lambda x: os.abort(), "It stopped with SystemExit"),
        (lambda x: ctypes.string_at(0), "It stopped with a crash: it ended the process"),
        (lambda x: os.kill(os.getpid(), 9), "It stopped with a crash"),
        (lambda x: [0] * 10**14, "It stopped with MemoryError"),
        (lambda x: 10**400, "Your value is about 1e400, too large for a float; a number is expected."),
        (lambda x: 10**5000, "Your value is about 1e5000, too large for a float; a number is expected."),
    ],
)
def test_what_ends_a_program_is_said_in_words(said, answer, words):
    if "a crash" in words and sys.platform == "win32":
        words = "It stopped with"
    verdict = said(answer)
    assert verdict.status == "wrong"
    assert verdict.words.startswith(words)
    assert said(lambda x: 2 * x), "and the next answer is examined as ever"


class Broken:
    def __repr__(self):
        raise ZeroDivisionError


def test_a_value_that_cannot_be_shown(said):
    assert said(lambda x: Broken()).words == "Your value is of type Broken; a number is expected."


def test_much_that_is_printed_is_cut(said):
    verdict = said(lambda x: print("x" * 10**7) or 2 * x)
    assert verdict
    assert len(verdict.to_text()) < 3000


def test_a_thread_that_is_left_running_ends_with_its_process(said):
    def answer(x):
        threading.Thread(target=time.sleep, args=(100,)).start()
        return 2 * x

    before = threading.active_count()
    assert said(answer)
    assert helper_process._ready == []
    assert threading.active_count() <= before + 1, "the reader of the next helper"


def test_what_the_answer_changes_is_not_changed_here(said):
    seen = []
    assert said(lambda x: seen.append(1) or 2 * x)
    assert seen == []


def replacing(x):
    np.allclose = lambda *args, **more: True
    builtins.repr = lambda *args: ""
    return 2 * x


def test_a_process_whose_functions_were_replaced_examines_no_other_answer(said):
    said(lambda x: 2 * x)
    before = helper_process._ready[0]
    said(replacing)
    assert before.process.returncode is not None
    assert said(lambda x: 0.0).status == "wrong" and said(lambda x: 2 * x)


def test_an_answer_that_cannot_be_carried_is_examined_here(path):
    lock = threading.Lock()
    with pytest.raises(Unable):
        examine_apart(path, "twice", lambda x: lock and 2 * x)
    assert Lesson("90", load(path), path)("twice", lambda x: lock and 2 * x)
    with pytest.raises(Unable, match="KeyError"):
        examine_apart(path, "thrice", lambda x: x)


def test_the_stop_button_ends_the_helper(said, monkeypatch):
    said(lambda x: 2 * x)
    (helper,) = helper_process._ready

    class Interrupted:
        def get(self, timeout):
            raise KeyboardInterrupt

        def put(self, message):
            pass

    monkeypatch.setattr(helper, "messages", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        said(lambda x: 2 * x)
    assert helper.process.returncode is not None
    assert helper_process._ready == []


def test_the_known_outcome_of_a_call_is_taken_instead_of_calling(monkeypatch):
    class Known:
        def begins(self, seconds):
            return Outcome(late=True)

        def ends(self):
            pass

    monkeypatch.setattr(timeout, "observer", Known())
    assert timeout.call(lambda: 1 / 0).late


# What is written as bytes and read back


NOTEBOOK = """
import dataclasses
import minigrad as mg
import numpy as np

def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)

class Value:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Value(self.x + other.x)

    @property
    def twice(self):
        return 2 * self.x

    @staticmethod
    def three():
        return Value(3)

class Other(Value):
    __slots__ = ("y",)

    def __init__(self, x):
        super().__init__(x)
        self.y = 1

@dataclasses.dataclass
class Pair:
    a: int
    b: list = dataclasses.field(default_factory=list)

def everything(shift=2, *, scale=np.float32(3)):
    inner = lambda x: x + shift
    value = Other(2) + Value.three()
    return factorial(5), value.x, Value(2).twice, Other(1).y, Pair(1) == Pair(1, []), inner(1), scale

w = mg.Variable([1.0, 2.0])

@mg.custom_gradient
def rule(x):
    return mg.exp(x) * w, lambda upstream, variables=None: (upstream, [upstream])
"""


@pytest.fixture
def notebook(monkeypatch):
    """The names of a notebook, whose functions and classes cannot be imported."""
    names = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", names)
    exec(NOTEBOOK, vars(names))
    return vars(names)


def test_functions_and_classes_of_a_notebook_are_carried(notebook):
    again = unpack(pack(notebook["everything"]))
    assert again.__globals__ is not notebook
    assert again() == notebook["everything"]() == (120, 5, 4, 1, True, 3, 3.0)


def test_a_custom_gradient_is_carried_with_its_variable(notebook):
    again, its_w = unpack(pack((notebook["rule"], notebook["w"])))
    assert np.array_equal(again(mg.constant([0.0, 0.0])).value, [1.0, 2.0])
    its_w.assign([5.0, 6.0])
    assert np.array_equal(again(mg.constant([0.0, 0.0])).value, [5.0, 6.0]), "one Variable, not two"


def test_functions_of_one_notebook_share_its_names(tmp_path):
    notebook = {"__name__": "__main__"}
    exec("count = 0\ndef step():\n    global count\n    count += 1\ndef read(): return count", notebook)
    step, read = unpack(pack((notebook["step"], notebook["read"])))
    step()
    assert (read(), notebook["count"]) == (1, 0)


def test_the_line_of_an_error_is_known_in_the_other_process(said):
    def answer(x):
        return x / [][1]

    assert said(answer).code.endswith("return x / [][1]")


def test_an_answer_that_ends_each_process_is_not_tried_in_the_notebook(path, monkeypatch):
    monkeypatch.setattr(helper_process, "TRIES", 0)
    calls = []
    check = Lesson("small", load(path), path)
    assert "It ends each process that tries it." in check("twice", calls.append).to_text()
    assert calls == []


def test_a_function_that_was_written_may_use_what_numpy_imports_when_it_is_called():
    namespace = {"__name__": "__main__"}
    exec("def averaged(x): return x.mean(axis=0), x.clip(0, 1).sum(), x.std()", namespace)
    averaged = unpack(pack(namespace["averaged"]))
    assert averaged.__globals__["__builtins__"] in (builtins, vars(builtins))  # which the import in mean needs
    assert averaged(np.array([0.0, 2.0])) == (1.0, 1.0, 1.0)
