"""Hints in steps, the solution after an honest attempt, and nothing in plain text before."""

import json
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell

from minigrad.classroom import exercise, lesson
from minigrad.classroom.check import Lesson
from minigrad.classroom.hints import Note
from minigrad.classroom.notebook import BEGIN, END
from minigrad.classroom.sealed import Solution, digest, seal, unseal
from minigrad.classroom.sealed_answers import answers_in_clear, attach, merge, to_text
from minigrad.lab.handout import lessons_folder


def double():
    @exercise("double", function="double(x)")
    def double(c):
        c.example((1,), 2)
        c.hint("Try it by hand at 1.", "Twice x is x + x.", "return ___ * x")
        c.solution("Two times one is two.")

    return double


@pytest.fixture
def check():
    solved = new_code_cell(f"{BEGIN}\nreturn 2 * x\n{END}", metadata={"exercise": "double"})
    exercises = attach({}, to_text({"double": double()}, [solved]))
    exercises["double"].checks, exercises["double"].function = double().checks, "double"
    return Lesson("00", exercises)


def test_one_hint_at_a_time(check):
    assert [check.hint("double").words for _ in range(4)] == [
        "Try it by hand at 1.",
        "Twice x is x + x.",
        'return ___ * x After this: check.solution("double").',
        'return ___ * x After this: check.solution("double").',
    ]
    assert check.hint("double").head == "hint 3 of 3"


def test_the_solution_comes_after_a_try_and_every_hint(check):
    assert check.solution("double").head == "try it first"
    assert not check("double", lambda x: x)
    assert check.solution("double").to_text() == 'double: hints first\nThere are 3 hints: check.hint("double").'
    for _ in range(3):
        check.hint("double")
    assert check.solution("double").to_text() == "double: the solution\n    return 2 * x\nTwo times one is two."


def test_the_solution_comes_at_once_when_the_answer_is_right(check):
    assert check("double", lambda x: x + x)
    assert check.solution("double").code == "return 2 * x"


def test_a_stub_is_no_try(check):
    def stub(x):
        raise NotImplementedError

    check("double", stub)
    assert check.solution("double").head == "try it first"


def test_the_first_failure_offers_a_hint_and_no_recipe(check):
    text = check("double", lambda x: x).to_text()
    assert text.endswith('For a hint: check.hint("double").')
    assert "Twice" not in text


def test_an_exercise_without_hints_says_so():
    @exercise("plain", function="plain(x)")
    def plain(c):
        c.example((1,), 1)

    check = Lesson("00", {"plain": plain})
    assert check.hint("plain").head == "no hints"
    assert check.solution("plain").head == "no solution"
    with pytest.raises(ValueError, match="did you mean 'plain'"):
        check.hint("plane")


def test_nothing_is_held_in_clear(check):
    found = json.dumps(json.loads(to_text(check.exercises, []))) + repr(check.exercises)
    for words in ("return", "by hand", "Twice", "Two times"):
        assert words not in found


def test_a_seal_opens_with_its_key_only():
    box = seal("a secret, with ü", "salt", "key")
    assert unseal(box, "salt", "key") == "a secret, with ü"
    with pytest.raises(ValueError):
        unseal(box, "salt", "keys")
    with pytest.raises(ValueError):
        Solution.of("return 2 * x * x * x", "because it is", "salt", "hint").open("salt", "another")
    assert digest("salt", "d") != digest("pepper", "d") != digest("pepper", "c")


def test_a_note_is_escaped_on_the_page():
    assert "<b>x</b> < 3" not in Note("q", "hint 1 of 1", "<b>x</b> < 3").to_html()


def test_hidden_questions_and_wrong_answers_are_added():
    @exercise("double", function="double(x)")
    def shown(c):
        c.example((1,), 2)

    @exercise("guess")
    def guess(c):
        c.choice("a", because={"a": "Yes.", "b": "No."})

    @exercise("double", function="double(x)")
    def hidden(c):
        c.hint("Twice.")
        c.wrong("def double(x): return x")

    merged = merge({"double": shown}, {"guess": guess, "double": hidden})
    assert list(merged) == ["guess", "double"]
    assert merged["double"].checks and merged["double"].hint(0) == "Twice." and len(merged["double"].wrongs) == 1


def test_answers_in_checks_are_found(tmp_path):
    checks = Path(tmp_path, "hw1_checks.py")
    checks.write_text("def a(c):\n    c.value(1)\n    c.choice('d')\n\n\ndef b(c):\n    c.wrong('x')\n")
    assert answers_in_clear(checks) == [
        "hw1_checks.py, line 3: c.choice holds an answer; write it in hw1_hidden.py",
        "hw1_checks.py, line 7: c.wrong holds an answer; write it in hw1_hidden.py",
    ]


def test_a_locked_text_is_not_read_before_its_prediction(monkeypatch):
    check = lesson("03")
    for early in (..., "z"):
        monkeypatch.setitem(globals(), "smaller_and_smaller", early)
        assert str(check.read("smaller_and_smaller")).startswith("Predict first: ")
    monkeypatch.setitem(globals(), "smaller_and_smaller", "a")  # wrong, and a prediction
    assert "**truncation error**" in str(check.read("smaller_and_smaller"))


def test_a_locked_text_is_sealed_and_rendered(monkeypatch):
    monkeypatch.setenv("MINIGRAD_PREDICTED", "all")
    shown = lesson("03").read("smaller_and_smaller")
    data = shown._repr_mimebundle_()
    assert data["text/markdown"] == data["text/plain"] == str(shown)
    assert "**truncation error**" in str(shown)
    assert "truncation" not in (lessons_folder() / "source" / "03_sealed.json").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="smaller_and_smaller has 2 texts to read; 3 was given"):
        lesson("03").read("smaller_and_smaller", 3)
    with pytest.raises(ValueError, match="has_kink has no texts to read; 1 was given"):
        lesson("03").read("has_kink")
