"""Answers that were given in a picture: an edge that was chosen, numbers that were typed in its predict mode."""

import math

import pytest

import minigrad as mg
import viz
from minigrad.classroom import exercise
from minigrad.classroom.check import Lesson, examine
from minigrad.classroom.shipped import attach, to_text


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
    return viz.backward(mg.log(1 + mg.exp(x)), choose=True).widget()


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
        "Nothing is chosen in the picture: click an edge, or take it from the list. "
        "A kernel that was started again has no earlier answer."
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
        "Of 3 messages, 1 were shown before a number was typed. "
        "Run the cell of the picture again, and type each of them."
    )
    assert examine(messages, [0.0, None]).words.startswith("Type a list of numbers")


def test_a_view_holds_one_kind_of_question():
    x = mg.constant(1.0)
    with pytest.raises(ValueError, match="give one of them"):
        viz.backward(x * x, predict=True, choose=True)


def test_the_cause_of_a_nan_is_not_told_beside_a_question():
    x = mg.constant(100.0)
    y = mg.log(1 + mg.exp(x))
    seen = lambda **question: viz.backward(y, **question)._repr_mimebundle_()["text/html"].partition("<details>")[0]
    for told in ("A nan is born at exp", 'class="mg-why"', "mg.softplus(x)"):
        assert told in seen()
        assert told not in seen(choose=True) and told not in seen(predict=True)
