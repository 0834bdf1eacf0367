"""Questions come back after growing intervals; answers are kept, and a form and a text show the same."""

import json
from datetime import date, timedelta

import pytest

from minigrad.classroom import lesson, progress, three_a_day
from minigrad.classroom.questionnaire import DAYS, Answer, Key, answers, ask, due, next_days, questionnaire
from minigrad.classroom.student_progress import progress_file

MONDAY = date(2026, 1, 5)
A, B, C, D = (Key(part, n) for part, n in (("01", 1), ("01", 2), ("01", 3), ("02", 1)))


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    """A student who has answered nothing yet."""
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.jsonl"))


def day(n):
    return MONDAY + timedelta(n)


def test_a_question_that_is_always_right_comes_back_four_times():
    given, asked = [Answer(A, True, MONDAY)], []
    for n in range(1, 200):
        if due(given, day(n)):
            asked.append(n)
            given.append(Answer(A, True, day(n)))
    assert asked == [1, 4, 11, 32], "after 1, 3, 7 and 21 days"
    assert next_days(given) == {}, "after the fifth right answer it is done"
    assert len(DAYS) == 5


def test_a_wrong_answer_brings_it_back_on_the_next_day():
    given = [Answer(A, True, day(0)), Answer(A, True, day(1)), Answer(A, False, day(4))]
    assert next_days(given) == {A: day(5)}
    assert next_days([*given, Answer(A, True, day(5))]) == {A: day(6)}


def test_the_first_answer_of_a_day_counts():
    assert next_days([Answer(A, False, day(0)), Answer(A, True, day(0)), Answer(A, True, day(1))]) == {A: day(2)}


def test_a_clock_that_was_set_back_changes_nothing():
    assert next_days([Answer(A, True, day(9)), Answer(B, True, day(3))]) == {A: day(10), B: day(10)}


def test_the_longest_waiting_come_first_at_most_two_of_a_lesson_and_the_choice_stays_all_day():
    given = [Answer(key, True, day(n)) for n, key in enumerate((C, A, B, D))]
    assert due(given, day(9)) == [C, A, D]
    assert due([*given, Answer(C, True, day(9)), Answer(A, False, day(9))], day(9)) == [C, A, D]
    assert due(given, day(0)) == []


def test_the_questions_of_a_lesson_are_answered_and_kept():
    check = lesson("07")
    asked = check.questions()
    assert asked.to_text().startswith("Five questions on this lesson\n1. f(x) = x·x with the rule upstream * 2 * x")
    assert "Answer with check.questions([..., ..., ..., ..., ...])" in asked.to_text()
    said = check.questions(["30", 12, 2.0, ..., " B "])
    assert [right for right, _ in said.said] == [True, False, True, None, True]
    assert "✗ The rule counts; 12 would be the true slope." in said.to_text()
    assert "✗ The rule counts; 12 would be the true slope." in said.to_html()
    assert [(a.key.number, a.right) for a in answers()] == [(1, True), (2, False), (3, True), (5, True)]
    check.questions([30, 1, 2, 3, "b"])
    assert [(a.key.number, a.right) for a in answers()][4:] == [(4, True)], "the others were answered today"
    assert progress().parts[7].right == 0, "they are no exercises"


def test_three_a_day():
    assert three_a_day().to_text() == "No question is due today. Answer those at the end of a lesson first."
    lesson("01").questions([4, 6, 4, 9, 1])
    today, tomorrow = date.today(), date.today() + timedelta(1)
    assert three_a_day().to_text() == f"No question is due today. The next one is on {tomorrow:%d %B %Y}."
    shown = three_a_day(today=today + timedelta(1))
    assert shown.head == "Two questions from earlier lessons"
    assert three_a_day([4, 7], today=today + timedelta(1)).said[1] == (False, "Three ops with two arguments each.")


@pytest.mark.parametrize("typed", ["1/6", "0.167", "0,167", 0.167, " 0.167 "])
def test_a_number_may_be_typed_as_one_writes_it(typed, monkeypatch):
    sixth = ask("The slope?", 1 / 6, "1 / (2y).", within=0.001)
    monkeypatch.setattr("minigrad.classroom.questionnaire.questions_of_the_course", lambda: {"14": (sixth,)})
    assert questionnaire("14", [typed]).said == [(True, "1 / (2y).")]


def test_what_is_no_answer_is_not_kept():
    said = lesson("06").questions(["eleven", "d", "", None, "a"]).said
    assert said[0] == (None, "Type a number. Your answer is 'eleven'.")
    assert said[1] == (None, "Type one of 'a', 'b', 'c'. Your answer is 'd'.")
    assert [a.key.number for a in answers()] == [5]


def test_broken_lines_are_passed_over():
    lesson("06").questions([11.1, "c", "c", "c", "a"])
    good = progress_file().read_bytes()
    broken = [{"part": "06", "question": "x"}, {"part": "06", "question": 99, "right": True, "day": "2026-01-05"}, 7]
    lines = [json.dumps(line).encode() for line in broken]
    progress_file().write_bytes(b"\n".join([good, *lines, b'{"part": "06", "quest', b"\xff"]))
    assert len([a for a in answers() if a.key.number <= 5]) == 5
    assert three_a_day(today=date.today() + timedelta(1)).head == "Two questions from earlier lessons"


def test_errors_say_what_to_write():
    with pytest.raises(ValueError, match="lesson 00 has no questions"):
        lesson("00").questions()
    for given in ([1, 2], "abcde"):
        with pytest.raises(ValueError, match="give a list of 5 answers, in the order of the questions"):
            lesson("06").questions(given)
    with pytest.raises(ValueError, match="the answer 'c' names none of the 2 options"):
        ask("Which?", "c", "why", "one", "two")


def test_the_form_checks_what_was_typed_and_chosen():
    from minigrad.classroom.questionnaire import _form

    form = _form(lesson("06").questions())
    fields = [child for child in form.children if hasattr(child, "placeholder") and hasattr(child, "continuous_update")]
    choices = [child for child in form.children if hasattr(child, "options")]
    assert (len(fields), len(choices)) == (1, 4)
    fields[0].value = "11.1"
    choices[0].value = "a"
    form.children[-1].click()
    said = [child.value for child in form.children if "role='status'" in str(getattr(child, "value", ""))]
    assert said == [
        "<span role='status'>✓ log(65504). It is 88.7 in float32 and 709.8 in float64.</span>",
        "<span role='status'>✗ Neither 0 nor inf can be right for every way to get there.</span>",
    ]
