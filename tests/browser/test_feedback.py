"""The page that a student gets back, in a browser without a network: its picture plays, on paper it is left out."""

import json

import pytest

import minigrad as mg
from minigrad.classroom.answer_graph import Replayed
from minigrad.classroom.verdict import LessonSummary, Verdict
from minigrad.grading.grades import Grade
from minigrad.grading.pages.backward_page import backward_page
from minigrad.grading.pages.of_class import class_page
from minigrad.grading.pages.of_student import student_page
from minigrad.grading.report import Criterion, Mark, Report
from tests.browser.lab import watch

pytestmark = pytest.mark.browser


@mg.custom_gradient
def safe_sqrt(x):
    y = mg.sqrt(x)
    return y, lambda upstream: upstream / (2 * y)


@pytest.fixture
def feedback(tmp_path, page):
    """The page of a student whose slope is infinite at 0, opened."""
    replayed = Replayed(safe_sqrt)
    text = replayed.record([mg.constant(2.0)])
    graph = json.dumps({"graph": text, "inputs": [0.0], "names": ["x"]})
    mark = Mark("safe_sqrt", "wrong", 0.0, 3.0, [Criterion("the gradient", False)], inputs="x = 0.0", graph=graph)
    report = Report("ada", "hw1", "ab" * 32, "cd" * 32, 0, "graded", [mark])
    grade = Grade("ada", "graded", 0.0, 3.0, {"safe_sqrt": 0.0}, report=report)
    path = tmp_path / "ada.html"
    path.write_text(student_page(grade, "hw1", play=backward_page), "utf-8")
    page.goto(path.as_uri())
    return page


def test_the_backward_pass_is_played_inside_the_page(feedback):
    _, requests = watch(feedback)
    feedback.get_by_text("The backward pass of safe_sqrt, step by step").click()
    frame = feedback.frame_locator("iframe")
    frame.get_by_role("button", name="More").click()
    assert "the custom rule grad of safe_sqrt returned inf for x" in frame.locator("body").inner_text()
    field = frame.get_by_role("spinbutton", name="x")
    field.fill("4")
    field.press("Enter")
    frame.get_by_role("button", name="To the end").click()
    frame.locator(".mg-say", has_text="the gradient of x is 0.25").wait_for()
    assert [url for url in requests if url.startswith("http")] == []


def test_on_paper_the_picture_to_play_is_left_out(feedback):
    feedback.emulate_media(media="print")
    assert not feedback.locator("details.play").is_visible()
    assert feedback.get_by_text("It fails at").is_visible()


def test_the_page_of_a_class_is_as_wide_as_a_phone(feedback, tmp_path):
    mark = Mark("safe_sqrt", "wrong", 0.0, 3.0, [Criterion("the gradient", False)], "off", "x = 0", "1 / 0", "0")
    mark.mistake = ("forgot the upstream gradient", "The result does not change with the upstream gradient. " * 3)
    report = Report("ada", "hw1", "ab" * 32, "cd" * 32, 0, "graded", [mark])
    grades = [Grade(name, "graded", 0.0, 3.0, {"safe_sqrt": 0.0}, ["a note"], report=report) for name in ("ada", "ben")]
    (tmp_path / "class.html").write_text(class_page(grades, "hw1", attempts=[0.0]), "utf-8")
    feedback.set_viewport_size({"width": 390, "height": 800})
    for name in ("class.html", "ada.html"):
        feedback.goto((tmp_path / name).as_uri())
        assert feedback.evaluate("document.documentElement.scrollWidth") == 390


def test_the_summary_of_a_lesson_keeps_names_whole_on_a_phone(page):
    verdicts = [Verdict("multiplications_shared", "unanswered"), Verdict("x", "right"), Verdict("paths", "wrong")]
    page.set_viewport_size({"width": 250, "height": 600})
    page.set_content(LessonSummary("lesson 1", verdicts).to_html())
    assert page.evaluate("document.documentElement.scrollWidth") <= 250
    for words in page.locator("li code, li span").all():
        assert words.evaluate("e => new Set([...e.getClientRects()].map(r => r.top)).size") == 1
    assert len({code.bounding_box()["x"] for code in page.locator("li code").all()}) == 1
