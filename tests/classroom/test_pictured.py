"""Answers that were given in a picture: an edge that was chosen, numbers that were typed in its predict mode."""

import math

import pytest

import minigrad as mg
import viz
from minigrad.classroom import exercise
from minigrad.classroom.check import Lesson
from minigrad.classroom.examination import examine
from minigrad.classroom.sealed_answers import attach, to_text
from tests.helpers.node import run_js
from viz.render.document import static


@exercise("nan_edge")
def nan_edge(c):
    c.edge(
        ("exp", "x"),
        because={("exp", "x"): "Yes: 0 * inf.", ("add", "exp"): "A 0 arrives there."},
        otherwise="Which product is nan?",
    )


@exercise("messages")
def messages(c):
    c.numbers([0.0, 0.0, math.nan], because={(0.0, 0.0, math.nan): "Yes."}, otherwise="Look at each factor.")


@exercise("last")
def last(c):
    c.number(math.nan, because={0.0: "An inf is there as well."})


@pytest.fixture
def picture():
    x = mg.constant(100.0)
    return viz.backward(mg.log(1 + mg.exp(x))).ask({"kind": "edge"}).widget()


@pytest.mark.parametrize(
    ("edge", "status", "words"),
    [
        (("exp", "x"), "right", "Your answer: ('exp', 'x'). Yes: 0 * inf."),
        (("add", "exp"), "wrong", "Your answer: ('add', 'exp'). A 0 arrives there."),
        (("x", "exp"), "wrong", "Your answer: ('x', 'exp'). Which product is nan?"),
    ],
)
def test_an_edge_is_chosen_or_typed(picture, edge, status, words):
    picture.edge = edge
    for answer in (picture, edge, list(edge)):
        verdict = examine(nan_edge, answer)
        assert verdict.status == status
        assert verdict.words == words.replace(str(edge), str(list(edge)) if answer == list(edge) else str(edge))


def test_a_picture_without_a_choice_is_not_answered_yet(picture):
    said = examine(nan_edge, picture)
    assert said.status == "unanswered"
    assert said.words == (
        "Nothing is chosen in the picture: click it, or take it from the list. "
        "A restarted kernel has no earlier answer."
    )
    picture.edge = ("exp", "x")
    picture.edge = ...
    assert picture.edge is None and examine(nan_edge, picture).status == "unanswered"


@pytest.mark.parametrize("answer", ["exp", ("exp",), (1, 2), ("exp", "x", "y"), 3.0, object()])
def test_what_is_no_edge(answer):
    verdict = examine(nan_edge, answer)
    assert verdict.status == "wrong"
    assert verdict.words.startswith('Type the names of its two ends, the sender first, as in ("add", "x").')


def test_the_name_of_the_notebook_holds_the_picture(picture):
    check = Lesson("here", {"nan_edge": nan_edge})
    picture.edge = ("exp", "x")
    namespace = {"check": check, "nan_edge": picture}
    exec("one, all = check('nan_edge'), check()", namespace)
    assert namespace["one"] and all(namespace["all"].verdicts)
    exec("del nan_edge\nlost = check('nan_edge')", namespace)
    assert namespace["lost"].words.startswith("There is no nan_edge yet. Run the cell that defines it")


def test_the_edge_is_not_shipped_in_clear():
    text = to_text({"nan_edge": nan_edge}, [])
    assert "exp" not in text and "inf" not in text
    shipped = attach({}, text)["nan_edge"]
    assert examine(shipped, ("exp", "x")).words.endswith("Yes: 0 * inf.")


def test_numbers_that_were_typed_into_a_picture():
    x = mg.constant(100.0)
    picture = viz.backward(mg.log(1 + mg.exp(x)), predict=True).widget()
    assert picture.numbers is None
    assert examine(messages, picture).words.startswith("Nothing is typed into the picture")
    assert examine(last, picture).status == "unanswered"
    picture.typed = ["0", "0"]
    assert examine(messages, picture).words == "Your answer: [0, 0]. Look at each factor."
    assert examine(last, picture).words == "Your answer: 0. An inf is there as well."
    picture.typed = ["0", "0", "NaN"]
    assert examine(messages, picture) and examine(last, picture)
    picture.numbers = [0, None, math.nan]
    assert examine(messages, picture).words == (
        "1 of 3 messages was shown before a number was typed. Run the cell of the picture again, and type each of them."
    )
    assert examine(messages, [0.0, None]).words.startswith("Type a list of numbers")


def test_the_cause_of_a_nan_is_not_told_beside_a_question():
    x = mg.constant(100.0)
    y = mg.log(1 + mg.exp(x))
    seen = lambda view: view._repr_mimebundle_()["text/html"].partition("<details>")[0]
    for told in ("A nan first appears at exp", 'class="mg-why"', "mg.softplus(x)"):
        assert told in seen(viz.backward(y))
        for view in (viz.backward(y).ask({"kind": "edge"}), viz.backward(y, predict=True)):
            assert told not in seen(view)


@exercise("uses")
def uses(c):
    c.edges([("s", "x"), ("y", "x")], because={(("s", "x"),): "y uses x too."}, otherwise="Who uses x?")


@exercise("shared")
def shared(c):
    c.box("x", because={"x": "Yes: three uses.", "s": "One use."}, otherwise="Count the arrows.")


@exercise("sum_at_x")
def sum_at_x(c):
    c.number(7.0, within=0.1, because={7.0: "Yes: 1 + 3 + 3.", 4.0: "A message of s is missing."}, otherwise="Add.")


@exercise("two_sums")
def two_sums(c):
    c.numbers([1.0, 7.0], because={(7.0, 1.0): "The other way round."}, otherwise="Add.")


@exercise("first_to_last")
def first_to_last(c):
    c.order([("y", "s"), ("s", "x"), ("s", "x"), ("y", "x")], "Yes: s waits for y.")


EXERCISES = {made.name: made for made in (nan_edge, uses, shared, sum_at_x, two_sums, first_to_last)}
GIVEN = [
    ("uses", [("y", "x"), ("s", "x")], "right", ""),
    ("uses", [["s", "x"]], "wrong", "y uses x too."),
    ("uses", [("s", "x"), ("y", "x"), ("y", "s")], "wrong", "Who uses x?"),
    ("shared", "x", "right", "Yes: three uses."),
    ("shared", "s", "wrong", "One use."),
    ("shared", "y", "wrong", "Count the arrows."),
    ("sum_at_x", 7.05, "right", "Yes: 1 + 3 + 3."),
    ("sum_at_x", 4, "wrong", "A message of s is missing."),
    ("two_sums", [1, 7], "right", ""),
    ("two_sums", [7.0, 1.0], "wrong", "The other way round."),
    ("first_to_last", [("y", "x"), ("y", "s"), ("s", "x"), ("s", "x")], "right", "Yes: s waits for y."),
    ("first_to_last", [("y", "s"), ("s", "x"), ("y", "x"), ("s", "x")], "right", "Yes: s waits for y."),
    ("first_to_last", [("s", "x"), ("y", "s")], "wrong", "s sends to x before it has the message from y."),
    ("first_to_last", [("y", "s"), ("y", "s")], "wrong", "Number 2 is y to s: there is no such arrow, or it has sent"),
    (
        "first_to_last",
        [("y", "s"), ("y", "x"), ("s", "x")],
        "wrong",
        "s has not sent to x: put every message in order.",
    ),
]


def square_plus(x):
    s = x * x
    y = s + x
    return viz.backward(y, names={"x": x, "s": s, "y": y})


def asked(name):
    boxes = {"sum_at_x": ["x"], "two_sums": ["s", "x"]}.get(name, ())
    return Lesson("here", EXERCISES).picture(name, square_plus(mg.constant(3.0)), *boxes, words="Which?")


@pytest.mark.parametrize(("name", "answer", "status", "words"), GIVEN)
def test_an_answer_is_given_in_the_picture_or_typed(name, answer, status, words):
    picture = asked(name)
    assert examine(EXERCISES[name], picture).status == "unanswered"
    picture.answer = answer
    shipped = attach({}, to_text({name: EXERCISES[name]}, []))[name]
    for question in (EXERCISES[name], shipped):
        for given in (picture, answer):
            verdict = examine(question, given)
            assert verdict.status == status and words in verdict.words


def test_the_page_judges_as_python_does_and_holds_no_answer():
    """ask.js has the keys of questions.py, and both reject an arrow that sends too early."""
    numbers = [0.0, 3.0, -2.5, 1e-05, 0.0001, 123456789.0, 1e16, 1.5e300, 0.1, math.inf, -math.inf, math.nan]
    code = static("ask.js").partition("// A number as Python writes it.")[2]
    texts = [str(v).replace("inf", "Infinity") for v in numbers]
    assert run_js([], code + "return data.map((v) => python(Number(v)))", texts) == [*map(repr, numbers)]
    for name in EXERCISES:
        if name == "nan_edge":
            continue
        html = asked(name).shown._repr_mimebundle_()
        assert "Yes: " not in str(html) and "= 7" not in html["text/plain"] and "Which?" in html["text/plain"]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda check, view: check.picture("sum_at_x", view), "a number is typed into a box: name it"),
        (lambda check, view: check.picture("sum_at_x", view, "z"), "there is no box 'z' in the picture; its boxes are"),
        (lambda check, view: view.ask({"kind": "letter"}), "a question has one of the kinds box, edge, edges, order"),
        (lambda check, view: check.picture("none", view), "has no exercise 'none'"),
    ],
)
def test_a_question_that_a_picture_cannot_hold(ask, words):
    with pytest.raises((ValueError, TypeError), match=words):
        ask(Lesson("here", EXERCISES), square_plus(mg.constant(3.0)))


def test_an_order_is_about_the_arrows_of_its_picture():
    x = mg.constant(3.0)
    with pytest.raises(ValueError, match="first_to_last is about the arrows"):
        Lesson("here", EXERCISES).picture("first_to_last", viz.backward(x * x))
