"""Every verdict that a student can meet, on one small exercise."""

import gc
import math
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import minigrad as mg
from minigrad.classroom import arrays, exercise, floats, mistake
from minigrad.classroom.check import Lesson
from minigrad.classroom.examination import examine
from minigrad.classroom.loading import load
from minigrad.classroom.verdict import MIME
from minigrad.core.support.conversions import followers
from minigrad.core.support.fast import gc_paused
from minigrad.core.support.scopes import state
from minigrad.runner import timeout


@exercise("tanh_backward", function="tanh_backward(x, upstream)", seconds=0.3)
def backward(c):
    c.gradient(forward="tanh", vary=(floats(-4, 4),))
    c.hint("What is the slope of tanh?")


@exercise("root", function="root(x)", seconds=0.3)
def root(c):
    c.value(np.sqrt, vary=(floats(0, 100),), says="the value")
    c.derivative("the gradient", vary=(floats(0, 100),), slope=lambda x: 0.5 / np.sqrt(x) if x else 0.0)


@exercise("doubled", function="doubled(values)")
def doubled(c):
    c.example((np.array([1.0, 2.0]),), np.array([2.0, 4.0]))
    c.example((np.array([3.0]),), np.array([6.0]))


@exercise("letter")
def letter(c):
    c.choice("b", because={"a": "No, a is too small.", "b": "Yes, b.", "c": "No, c is too large."})


@exercise("amount")
def amount(c):
    c.number(3.0, within=0.1, because={3.0: "Yes.", 6.0: "That is twice as much."}, otherwise="Count again.")


def right(x, upstream):
    return upstream * (1 - math.tanh(x) ** 2)


def test_right():
    verdict = examine(backward, right)
    assert verdict.status == "right"
    assert verdict
    assert verdict.to_text() == "tanh_backward: right\n  ✓ upstream times the slope"


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (lambda x, g: 1 - math.tanh(x) ** 2, mistake.no_upstream),
        (lambda x, g: g, mistake.no_local),
        (lambda x, g: -right(x, g), mistake.sign),
        (lambda x, g: 2 * right(x, g), mistake.twice),
        (lambda x, g: right(x, g) / 2, mistake.half),
        (lambda x, g: g * right(x, g), mistake.upstream_twice),
        (lambda x, g: g + right(x, 1), mistake.upstream_added),
        (lambda x, g: g * math.tanh(x), mistake.value_for_slope),
        (lambda x, g: g * (1 - x * x), mistake.input_for_output),
        (lambda x, g: math.nan, mistake.not_finite),
    ],
)
def test_a_mistake_is_named(answer, named):
    verdict = examine(backward, answer)
    assert verdict.status == "wrong"
    assert verdict.mistake == named
    assert f"It looks like: {named.name}." in verdict.to_text()


def test_the_simplest_failing_input_stands_with_both_answers():
    verdict = examine(backward, lambda x, g: 0.0 if x > 2.5 else right(x, g))
    assert verdict.at == "x = 3, upstream = 1"
    assert verdict.sides == (("your gradient", "0"), ("true gradient", "0.00986604"))
    assert verdict.mistake is None
    assert verdict.to_text().endswith('For a hint: check.hint("tanh_backward").')


def test_a_failure_between_the_simple_points_is_found():
    patient = replace(backward, seconds=30.0)  # on a busy computer 0.3 seconds may pass in one call
    verdict = examine(patient, lambda x, g: 0.0 if 2.1 < x < 2.9 else right(x, g))
    place = float(re.match(r"x = ([^,]+)", verdict.at).group(1))
    assert 2.1 < place < 2.9


def test_the_verdict_is_the_same_every_time():
    answer = lambda x, g: 0.0 if 2.1 < x < 2.9 else right(x, g)
    patient = replace(backward, seconds=30.0)  # on a busy computer 0.3 seconds may pass in one call
    assert examine(patient, answer).to_html() == examine(patient, answer).to_html()


def test_without_hypothesis_nothing_is_called_right(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "hypothesis", None)
    with pytest.raises(ModuleNotFoundError, match=r'python -m pip install "minigrad-kit\[lab\]"'):
        examine(backward, right)
    assert not examine(backward, lambda x, g: -right(x, g))


def test_a_function_that_answers_at_random_is_wrong_and_not_an_error():
    random = np.random.default_rng(0)
    assert examine(backward, lambda x, g: right(x, g) + (random.random() > 0.99)).status in ("right", "wrong")


NONE = "Your gradient is None; a number is expected. A function that ends without return gives None."


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x, g: "3", "Your gradient is the string '3'; a number is expected."),
        (lambda x, g: None, NONE),
        (lambda x, g: [1.0], "Your gradient is a list of 1: [1]; a number is expected."),
        (lambda x, g: np.zeros(3), "Your gradient has shape (3,); one number is expected."),
        (lambda x, g: math.tanh, "Your gradient is the function tanh; a number is expected."),
    ],
)
def test_the_wrong_kind_of_thing_is_said_in_words(answer, words):
    verdict = examine(backward, answer)
    assert verdict.words == words
    assert not verdict.sides


def test_a_wrong_shape_names_both():
    assert examine(doubled, lambda values: values[:1]).words == "Your answer has shape (1,); shape (2,) is expected."


def test_after_a_call_that_does_not_end_no_other_check_is_tried():
    calls = []

    @exercise("twice", function="twice(x)", seconds=0.3)
    def twice(c):
        c.example((1.0,), 2.0, says="of 1 and 2")
        c.example((2.0,), 4.0, says="of 1 and 2")
        c.example((3.0,), 6.0, says="of 3")

    def answer(x):
        calls.append(x)
        while x > 1:
            pass
        return x

    assert examine(twice, answer).at == "x = 1"
    assert calls.count(2.0) == 1 and 3.0 not in calls


def test_a_property_that_fails_is_the_last_that_is_tried():
    @exercise("pair", function="pair()")
    def pair(c):
        c.property("two", lambda f: len(f()) == 2 or "There are not two.", vary=(), points=[()])
        c.property("sorted", lambda f: list(f()) == sorted(f()), vary=(), points=[()])

    assert [line.right for line in examine(pair, lambda: [3, 2, 1]).lines] == [False, None]


def test_what_is_kept_from_call_to_call_is_said():
    def answer(values, found=[]):  # noqa: B006
        found.extend(2 * values)
        return np.array(found)

    assert examine(doubled, answer).mistake == mistake.kept


@pytest.mark.parametrize("form", [list, tuple, np.array])
def test_a_list_may_be_a_tuple_or_an_array(form):
    @exercise("ends", function="ends(values)")
    def ends(c):
        c.example(([1.0, 2.0, 3.0],), (1.0, 3.0))

    assert examine(ends, lambda values: form([values[0], values[-1]]))
    assert not examine(ends, lambda values: form([values[0], values[1]]))


@pytest.mark.parametrize(("answer", "right"), [(1, True), (np.int64(1), True), (0, False), (2, False), (1.0, False)])
def test_1_is_true(answer, right):
    @exercise("positive", function="positive(x)")
    def positive(c):
        c.example((3.0,), True)

    assert bool(examine(positive, lambda x: answer)) == right


def test_what_is_not_a_function():
    assert examine(backward, 3).words == "tanh_backward should be a function, but it is 3."


def test_too_few_arguments():
    verdict = examine(backward, lambda x: x)
    assert "takes 1 positional argument but 2 were given" in verdict.words


def test_an_exception_is_shown_with_its_line():
    def answer(x, g):
        shift = 1 / x
        return shift

    verdict = examine(backward, lambda x, g: right(x, g) if x else answer(x, g))
    assert verdict.words in (  # as Python before 3.14 says it, and since
        "It stopped with ZeroDivisionError: float division by zero",
        "It stopped with ZeroDivisionError: division by zero",
    )
    assert verdict.code.endswith("shift = 1 / x")
    assert verdict.at.startswith("x = 0")


@pytest.mark.parametrize("error", [SystemExit, RecursionError])
def test_no_exception_gets_out(error):
    def answer(x, g):
        if error is RecursionError:
            return answer(x, g)
        raise error

    with gc_paused():  # what other tests left is not finalized at the end of the stack
        assert examine(backward, answer).words.startswith(f"It stopped with {error.__name__}")


def test_the_stop_button_still_works():
    def answer(x, g):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        examine(backward, answer)


def forever(x, g):
    while True:
        pass


def deaf(x, g):
    while True:
        try:
            while True:
                pass
        except:  # noqa: E722
            pass


@pytest.mark.parametrize("answer", [forever, deaf])
def test_a_loop_that_does_not_end_is_stopped(answer):
    began = time.process_time()
    verdict = examine(backward, answer)
    assert verdict.words.startswith("It did not end within 0.3 seconds")
    assert time.process_time() - began < 3


def test_garbage_is_collected_again_after_an_answer_that_was_stopped_where_the_collector_is_paused():
    def paused(x, g):
        gc.disable()
        forever(x, g)

    assert examine(backward, paused).words.startswith("It did not end within 0.3 seconds")
    assert gc.isenabled()


def settings():
    """What the notebook keeps, whatever the student's code did."""
    state = str(np.geterr()), list(warnings.filters), gc.isenabled(), sys.gettrace(), type(mg.grad(mg.exp)(1.0))
    return *state, signal.getsignal(signal.SIGALRM) if hasattr(signal, "SIGALRM") else None


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no timer that rings")
@pytest.mark.parametrize("handler", [signal.SIG_DFL, lambda *_: rung.append(1)], ids=["none", "the notebook's"])
def test_a_timer_that_rings_after_the_end_of_a_call_reaches_only_a_handler_of_the_notebook(handler):
    rung.clear()
    before = signal.signal(signal.SIGALRM, handler)
    try:
        assert timeout.call(lambda: 3.0, 1.0).value == 3.0
        assert callable(signal.getsignal(signal.SIGALRM)), "by default a timer ends the process"
        signal.raise_signal(signal.SIGALRM)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert len(rung) == callable(handler)


rung = []


@pytest.mark.parametrize("again", [0.05, 0.001, 0.0001])
def test_a_loop_inside_of_the_engine_leaves_everything_as_it_was(again, monkeypatch):
    def endless(x):
        while True:
            mg.grad(lambda v: mg.sum(mg.grad(lambda u: mg.sum(1 / u**3))(v)))(x)

    monkeypatch.setattr(timeout, "AGAIN", again)
    timeout.call(float, 1.0)  # from the first time limit on, a timer that rings too late does nothing
    before = settings()
    for n in range(20):
        assert timeout.call(lambda: mg.grad(endless)(np.ones(3)), 0.001 + 0.0007 * n).late
        assert settings() == before


def _taped():
    x = mg.constant(2.0)
    while True:
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        tape.gradient(y, x)


def _scoped():
    while True:
        with mg.scope("a"), mg.variable_scope("b"), mg.GradientTape() as tape, tape.stop_recording():
            pass


@pytest.mark.parametrize("endless", [_taped, _scoped])
def test_a_stopped_loop_leaves_no_block_open(endless, monkeypatch):
    monkeypatch.setattr(
        timeout, "GRACE", 20.0
    )  # it is stopped at its next line, not when the time for libraries is over
    for n in range(30):
        assert timeout.call(endless, 0.002 + 0.0002 * n).late
        assert not followers and len(state.scopes) == 1
        assert getattr(mg.sin(mg.constant(1.0)), "scope", ()) == ()
        assert isinstance(mg.grad(mg.exp)(np.float64(1.0)), np.float64)


FIRST_USE = """
import sys
import minigrad as mg
from minigrad.runner import timeout

def endless():
    while True:
        mg.find_nan(mg.log(mg.constant(0.0) * 0))

assert timeout.call(endless, float(sys.argv[1])).late
mg.find_nan(mg.log(mg.constant(0.0) * 0))
"""


@pytest.mark.cases(1)
@pytest.mark.parametrize("seconds", ["0.004", "0.012", "0.02", "0.03"])
def test_a_loop_that_is_stopped_while_a_module_is_imported_leaves_it_importable(seconds):
    run = subprocess.run([sys.executable, "-c", FIRST_USE, seconds], capture_output=True, text=True, timeout=60)
    assert not run.returncode, run.stderr


def test_a_loop_is_stopped_in_a_thread_too():
    found = []
    thread = threading.Thread(target=lambda: found.append(examine(backward, forever)))
    thread.start()
    thread.join(10)
    assert found[0].words.startswith("It did not end within")


def test_the_checks_after_a_loop_are_not_tried():
    verdict = examine(root, lambda x: forever(x, 1))
    assert [line.right for line in verdict.lines] == [False, None]


@pytest.mark.parametrize("answer", [lambda x, g: ..., ...])
def test_not_answered_yet(answer):
    verdict = examine(backward, answer)
    assert verdict.status == "unanswered"
    assert verdict.to_text() == "tanh_backward: not answered yet"


def test_a_stub_is_not_answered_yet():
    def stub(x, upstream):
        raise NotImplementedError("your code goes here")

    assert examine(backward, stub).status == "unanswered"


def test_a_stub_inside_of_a_rule_is_not_answered_yet():
    @mg.custom_gradient
    def stub(x):
        def grad(upstream):
            raise NotImplementedError("your code goes here")

        return mg.sqrt(x), grad

    assert examine(root, stub).status == "unanswered"


def test_what_a_function_prints_is_kept_short_and_out_of_the_notebook(capsys):
    def answer(x, g):
        print("looking at", x)
        return right(x, g)

    verdict = examine(backward, answer)
    assert verdict.status == "right"
    assert verdict.to_text().endswith("It printed:\n    looking at 1.0")
    assert capsys.readouterr() == ("", "")


def test_a_function_that_changes_its_input_is_told_so():
    def answer(values):
        values *= 2
        return values

    assert examine(doubled, answer).words.startswith("Your function changes its input.")


def test_a_nan_is_shown_beside_the_true_number():
    verdict = examine(root, lambda x: mg.sqrt(x) * (x / x))
    assert verdict.at.startswith("x = 0")
    assert verdict.sides[0].value == "nan"
    assert verdict.mistake == mistake.not_finite


def test_a_gradient_that_does_not_arrive_is_explained():
    assert "No gradient arrives at the input" in examine(root, lambda x: mg.constant(np.sqrt(x.value))).words
    assert "returned a plain number, not a Tensor" in examine(root, lambda x: np.sqrt(x.value)).words


def test_arrays_are_drawn_too():
    @exercise("total", function="total(x)")
    def total(c):
        c.derivative("the gradient", vary=(arrays((3,), (2, 2)),), forward=np.sum)

    assert examine(total, mg.sum)
    assert examine(total, lambda x: mg.sum(x * x)).status == "wrong"


def test_second_derivatives():
    @exercise("cube", function="cube(x)")
    def cube(c):
        c.derivative("bends", vary=(floats(-3, 3),), forward=lambda x: x**3, order=2, atol=1e-3)

    assert examine(cube, lambda x: x * x * x)
    assert examine(cube, lambda x: x * x).sides[0].whose == "your second derivative"


def test_a_property_says_what_does_not_hold():
    @exercise("even", function="even(x)")
    def even(c):
        c.property(
            "the same on both sides",
            lambda f, x: f(x) == f(-x) or f"At {-x:g} it is {f(-x):g}.",
            vary=(floats(0, 9, also=[2.0]),),
        )

    assert examine(even, abs)
    assert examine(even, lambda x: x).words == "At -2 it is -2."


@pytest.mark.parametrize(("answer", "status"), [("b", "right"), (" B) ", "right"), ("a", "wrong"), (..., "unanswered")])
def test_choices(answer, status):
    assert examine(letter, answer).status == status


def test_a_choice_answers_to_the_choice():
    assert examine(letter, "c").words == "Your answer: 'c'. No, c is too large."
    assert examine(letter, "q").words == "Type one of 'a', 'b', 'c'. Your answer is 'q'."
    assert examine(letter, 3).words == "Type one of 'a', 'b', 'c'. Your answer is 3."


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (3.05, "right", "Yes."),
        (np.float32(3), "right", "Yes."),
        (mg.constant(3.0), "right", "Yes."),
        (6, "wrong", "That is twice as much."),
        (math.nan, "wrong", "Count again."),
        ("three", "wrong", "Type a number."),
        (np.zeros(2), "wrong", "Type a number."),
    ],
)
def test_numbers(answer, status, words):
    verdict = examine(amount, answer)
    assert (verdict.status, words in verdict.words) == (status, True)


def test_the_answer_is_found_in_the_notebook_by_name():
    check = Lesson("00", {"letter": letter, "tanh_backward": backward})
    notebook = {"check": check}
    exec("missing = check('letter')", notebook)
    assert notebook["missing"].words == "There is no letter yet. Run the cell that defines it, then this one again."
    notebook |= {"letter": "b", "tanh_backward": right}
    exec("one, other, all = check('letter'), check('tanh_backward'), check()", notebook)
    assert notebook["one"]
    assert notebook["other"]
    assert notebook["all"].to_text().startswith("Lesson 0: 2 of 2 right")


def test_an_unknown_exercise_is_an_error_with_a_hint():
    with pytest.raises(ValueError, match="has no exercise 'leter'; did you mean 'letter'"):
        Lesson("00", {"letter": letter})("leter")


class Page(HTMLParser):
    """The words and the tags of a fragment of HTML."""

    def __init__(self, html):
        super().__init__()
        self.words, self.tags, self.alts = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.alts += [value for name, value in attributes if name == "alt"]

    def handle_data(self, data):
        if self.tags[-1] != "style" or not data.startswith("\n"):
            self.words.append(data)


@pytest.mark.parametrize(
    "exercise, answer",
    [
        (backward, right),
        (backward, lambda x, g: -right(x, g)),
        (backward, lambda x, g: print("<i>hm</i>") or "<script>alert(1)</script>"),
        (backward, lambda x, g: [][1]),
        (letter, "<b>"),
        (letter, ...),
    ],
    ids=["right", "wrong", "markup", "an error", "markup in a choice", "not answered"],
)
def test_page_and_text_say_the_same_and_the_students_words_are_escaped(exercise, answer):
    verdict = examine(exercise, answer)
    bundle = verdict._repr_mimebundle_()
    page = Page(bundle["text/html"])
    assert not {"script", "i"} & set(page.tags)
    assert len(page.alts) == page.tags.count("img")
    simple = lambda text: re.sub(r"\W+", "", text)
    words = simple("".join(page.words) + "".join(page.alts))
    for word in re.findall(r"\w+", bundle["text/plain"].replace("[picture:", "")):
        assert simple(word) in words
    assert bundle[MIME]["status"] == verdict.status


def test_a_picture_is_drawn_where_curves_differ_and_described_in_words():
    verdict = examine(backward, lambda x, g: math.nan if x > 2.5 else right(x, g))
    alt = verdict.picture.alt
    assert verdict.picture.address.startswith("data:image/png;base64,")
    assert "At x = 3 yours is nan and the true one 0.00986604." in alt
    assert re.search(r"Yours is nan for x from 2\.\d+ to 4\.", alt)


@pytest.mark.parametrize(
    "wrong_where, said",
    [
        (lambda x: abs(x) > 2.5, r"nan for x from -4 to -2\.\d+ and from 2\.\d+ to 4\."),
        (lambda x: x == 3.0, r"nan there\."),
        (lambda x: math.sin(5 * x) < -0.5, r"nan at \d\d of \d+ points from -4 to 4\."),
    ],
)
def test_where_it_is_nan_is_said_only_of_points_where_it_is(wrong_where, said):
    alt = examine(backward, lambda x, g: math.nan if wrong_where(x) else right(x, g)).picture.alt
    assert re.search(f"Yours is {said}", alt), alt


def test_a_correct_answer_is_told_within_a_second():
    examine(backward, right)  # hypothesis is imported
    began = time.process_time()
    assert examine(backward, right)
    assert time.process_time() - began < 1


def test_a_line_of_the_checks_is_not_shown_as_the_students(tmp_path):
    (tmp_path / "hw_checks.py").write_text(
        "from minigrad.classroom import exercise\n"
        "@exercise('f', function='f(x)')\n"
        "def f(c):\n"
        "    c.property('it is even', lambda f, x: f(x) == f(-x).real, vary=(), points=[(1.0,)])\n"
    )
    verdict = examine(load(tmp_path / "hw_checks.py")["f"], lambda x: "one")
    assert verdict.words.startswith("It stopped with AttributeError") and verdict.code == ""
    assert "1 / 0" in examine(load(tmp_path / "hw_checks.py")["f"], lambda x: 1 / 0).code
