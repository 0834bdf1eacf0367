"""The answer to each question at the end of a lesson equals the result of a line of minigrad, NumPy or Python."""

import pytest

from minigrad.classroom.questionnaire import sources_of_questions, to_text
from minigrad.lab.handout import lessons_folder
from tests.lessons.question_runs import RUN

SOURCE = lessons_folder() / "source"
QUESTIONS = sources_of_questions(SOURCE)
ASKED = {f"{part}.{n}": asked for part, found in QUESTIONS.items() for n, asked in enumerate(found, start=1)}


def test_each_lesson_has_five():
    assert {part: len(found) for part, found in QUESTIONS.items()} == dict.fromkeys(QUESTIONS, 5)
    assert set(RUN) == set(ASKED)


@pytest.mark.parametrize("name", RUN)
@pytest.mark.always
def test_the_answer_is_what_a_run_gives(name):
    right, _ = ASKED[name].question.verdict(RUN[name]())
    assert right, f"{ASKED[name].text} {RUN[name]()}"


def test_what_students_receive_is_made_of_them():
    assert (SOURCE / "questions_sealed.json").read_text(encoding="utf-8") == to_text(QUESTIONS)
