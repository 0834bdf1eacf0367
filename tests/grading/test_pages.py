"""The pages that come back say what happened, hide what is hidden, and run nothing that a student wrote."""

import json
import re
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

import minigrad as mg
from minigrad.__main__ import main
from minigrad.classroom.answer_graph import Replayed
from minigrad.grading.gradebook import Gradebook
from minigrad.grading.grades import Adjustment, Grade, grade
from minigrad.grading.late import LateRule
from minigrad.grading.pages import class_page, page_parts, student_page, write_pages
from minigrad.grading.pages.backward_page import backward_page
from minigrad.grading.pages.page_parts import page_files
from minigrad.grading.report import Criterion, Mark, Report
from minigrad.grading.similar_code import Likeness
from minigrad.grading.submitted_notebook import Submission
from minigrad.grading.summary import summary
from minigrad.lab.errors import CommandError

EVIL = "</pre><script>alert(1)</script>'\"><img src=x onerror=alert(1)>"


def wrong(reveal="always", **more):
    lines = [
        Criterion("the value", True),
        Criterion("the gradient", False, reveal=reveal, message="Large inputs count."),
    ]
    return Mark(
        "safe_sqrt",
        "wrong",
        0.0,
        3.0,
        lines,
        words="It is not finite.",
        inputs="x = 0.0",
        yours="inf",
        true="0.0",
        mistake=("still infinite", "1 / 0 is inf."),
        code="def safe_sqrt(x): ...",
        **more,
    )


def graded(*marks, student="ada", **more):
    report = Report(student, "hw1", "ab" * 32, "cd" * 32, 0, "graded", list(marks), **more)
    return Grade(student, "graded", report.marks, report.out_of, {m.exercise: m.marks for m in marks}, report=report)


@mg.custom_gradient
def safe_sqrt(x):
    y = mg.sqrt(x)
    return y, lambda upstream: upstream / (2 * y)


class _Text(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.words = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)


def read(html):
    """The text that a reader sees, and the tags."""
    parser = _Text()
    parser.feed(re.sub(r"<style>.*?</style>", "", html, flags=re.S))
    return re.sub(r"\s+", " ", " ".join(parser.words)), parser.tags


def test_a_student_reads_marks_the_failure_and_the_mistake():
    text, tags = read(student_page(graded(wrong(), sandbox=("processes", "landlock")), "hw1"))
    for words in (
        "0 of 3",
        "safe_sqrt: not right",
        "✓ the value",
        "✗ the gradient",
        "It fails at x = 0.0 , the simplest input found.",
        "inf",
        "It looks like: still infinite . 1 / 0 is inf.",
        "protected by processes, landlock",
    ):
        assert words in text
    assert ("html", {"lang": "en"}) in tags


@pytest.mark.parametrize(
    ("reveal", "due_over", "name", "message", "numbers"),
    [
        ("always", False, True, True, True),
        ("counterexample", False, True, True, True),
        ("message", False, True, True, False),
        ("after", False, False, False, False),
        ("after", True, True, True, True),
        ("never", True, False, False, False),
    ],
)
def test_of_a_hidden_check_only_what_is_revealed_is_told(reveal, due_over, name, message, numbers):
    html = student_page(graded(wrong(reveal)), "hw1", due_over=due_over)
    assert ("the gradient" in html) == name
    assert ("Large inputs count." in html) == message
    for words in ("x = 0.0", "It is not finite", "still infinite", "<td class='v'>inf</td>"):
        assert (words in html) == numbers, words
    assert ("a check that is not shown" in html) == (not name)


def test_without_jinja2_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    page_parts._templates.cache_clear()
    with pytest.raises(CommandError, match="jinja2 is missing from this Python"):
        student_page(graded(wrong()), "hw1")
    page_parts._templates.cache_clear()


def test_what_could_not_be_graded_is_no_zero():
    broken = Mark("q2", "ungraded", None, 3.0, why="The check raised ZeroDivisionError.")
    text, _ = read(student_page(graded(broken), "hw1"))
    assert "not graded (of 3)" in text and "The check raised ZeroDivisionError." in text
    assert "0 of 3" not in text
    text, _ = read(student_page(Grade("eve", "missing", None, 3.0), "hw1"))
    assert "Nothing was handed in." in text and "of 3" not in text


def test_nothing_that_a_student_wrote_becomes_markup():
    mark = wrong(printed=EVIL)
    mark.words = mark.inputs = mark.yours = mark.code = EVIL
    mark.mistake = (EVIL, EVIL)
    mark.picture = ("data:image/png;base64,'onerror='alert(1)", EVIL)
    grade = graded(mark, student=EVIL, notes=[EVIL])
    grade.words = [EVIL]
    for html in (student_page(grade, "hw1", play=lambda mark: EVIL), class_page([grade], "hw1")):
        _, tags = read(html)
        assert {tag for tag, _ in tags}.isdisjoint({"script", "object", "embed"})
        assert not [attrs for _, attrs in tags if any(name.startswith("on") for name in attrs)]


def test_a_name_of_240_letters_is_shortened_in_the_table_and_stands_by_itself_in_the_page():
    grade = graded(Mark("q1", "right", 2.0, 2.0), student="a" * 240 + "b")
    lines = summary("hw1", [grade])
    assert max(map(len, lines)) < 80 and "aaab" in lines[2]
    assert f"<bdi>{grade.student}</bdi>" in class_page([grade], "hw1")


def test_the_picture_to_play_is_in_a_frame_without_rights():
    _, tags = read(student_page(graded(wrong()), "hw1", play=lambda mark: "<p>play</p>"))
    (frame,) = [attrs for tag, attrs in tags if tag == "iframe"]
    assert frame["sandbox"] == "allow-scripts" and frame["srcdoc"] == "<p>play</p>" and frame["title"]


def test_every_adjustment_stands_inside_the_exercise_and_the_name_of_the_roster_above():
    by_hand = [Adjustment("safe_sqrt", marks, "prof", f"reason {marks:g}", 0.0) for marks in (1.0, 2.0)]
    by_hand.append(Adjustment(None, 0.5, "prof", "a good question", 0.0))
    report = graded(wrong()).report
    found = grade("al1", Submission("al1", "al1.ipynb", "00"), 0.0, report, by_hand, LateRule())
    found.name = "Ada Lovelace"
    html = student_page(found, "hw1")
    head, _, box = html.partition("<section")
    assert "Ada Lovelace (al1)" in head and "a good question" in head and "reason" not in head
    assert "Manual mark: 1 instead of 0, by prof: reason 1" in box
    assert "Manual mark: 2 instead of 1, by prof: reason 2" in box and "2 of 3" in box
    text, _ = read(class_page([found], "hw1", likeness=[Likeness(("al1", "bob"), 30, 40, "as written")]))
    assert "al1 Ada Lovelace 2.5 of 3 graded" in text
    assert "Ada Lovelace (al1) bob 30 of 40 as written" in text
    assert "it is rare when hardly anybody else has it" in text and "no verdict" in text


def test_the_class_page_counts():
    grades = [graded(wrong(), student=f"student {n}") for n in range(3)]
    grades += [graded(Mark("safe_sqrt", "right", 3.0, 3.0), student="eve"), Grade("zoe", "missing", None, 3.0)]
    text, tags = read(class_page(grades, "hw1", attempts=[0.0, 1.0, None, 86_400.0 * 3]))
    assert "not known 1" in text
    assert "5 students: 4 graded, 1 missing; median 0 of 3." in text
    assert "3 still infinite safe_sqrt 1 / 0 is inf." in text
    assert "An example of: still infinite" in text and "def safe_sqrt(x): ..." in text
    assert "safe_sqrt 25% 1 3 0 0" in text
    links = [attrs["href"] for tag, attrs in tags if tag == "a"]
    assert links[0] == "students/student%200.html" and len(links) == 5


def test_the_class_page_shows_what_was_predicted():
    marks = [Mark("q", "wrong", 0.0, 1.0, words="No.", code=f'q = "{letter}"') for letter in "ab"]
    marks += [Mark("q", "right", 1.0, 1.0, code='q = "<c>"')]
    page = class_page([graded(mark, student=str(n)) for n, mark in enumerate(marks)], "hw1")
    text, _ = read(page)
    assert "q < c> 1 ✓ · a 1 · b 1" in text.replace("<c>", "< c>") and "without a mistake" not in text
    assert "<c>" not in page


def test_an_example_without_a_result_says_where_it_fails():
    endless = Mark("q1", "wrong", 0.0, 2.0, inputs="x = 1", mistake=("it does not end in time", "It was stopped."))
    text, _ = read(class_page([graded(endless)], "hw1"))
    assert "It fails at x = 1 ." in text and "it gives" not in text


def test_the_class_page_says_what_was_odd_and_what_has_no_name():
    odd = graded(wrong(), student="cleo", notes=["Statement 2 of cell 8 did not end and was left out."])
    odd.words = ["1 day late"]
    strange = wrong()
    strange.mistake = None
    text, _ = read(class_page([odd, graded(strange, student="dan")], "hw1"))
    assert "1 day late; Statement 2 of cell 8 did not end and was left out." in text
    assert "Wrong answers without a mistake that has a name: 1" in text


def test_marks_are_counted_in_whole_numbers():
    grades = [graded(Mark("q", "wrong", got, 3.0), student=str(got)) for got in (0.0, 0.9, 1.0, 3.0)]
    text, _ = read(class_page(grades, "hw1"))
    assert "0 to under 1 2 1 to under 2 1 2 to under 3 0 3 to under 4 1" in text
    large, _ = read(class_page([graded(Mark("q", "right", 100.0, 100.0))], "hw1"))
    assert "96 to under 104 1" in large and "0 to under 8 0" in large


def test_an_empty_class_has_a_page():
    text, _ = read(class_page([], "hw1"))
    assert "No answer shows a mistake that has a name." in text


@pytest.mark.parametrize(
    "student",
    ["../ada", "con", "Con.txt", "a" * 300, "陳" * 90, "ada.", " ada", "a/b", "a\\b", "a\0b", "ada?", "class", ""],
)
def test_names_that_a_file_cannot_have_get_another_one(student):
    name = page_files([student])[student]
    assert re.fullmatch(r"[^\x00-\x1f<>:\"/\\|?*]+\.html", name) and len(name.encode()) <= 120
    assert name != f"{student}.html" and name.lower() != "class.html"


def test_names_that_differ_in_capitals_or_accents_alone_are_two_files():
    students = ["ada", "Ada", "Zoë", "Zoe\u0308", "bob"]
    files = page_files(students)
    assert len({name.casefold() for name in files.values()}) == 5
    assert files["bob"] == "bob.html"


def test_the_pages_of_a_class_are_written_with_links_that_lead_to_them(tmp_path):
    with Gradebook(tmp_path / "course.db") as book:
        for student in ("ada", "../bob", "Zoë"):
            submission = Submission(student, "hw1.ipynb", f"{len(student):064}", received=86_400.0)
            book.receive("hw1", submission)
            report = Report(student, "hw1", submission.digest, "cd" * 32, 0, "graded", [wrong()])
            book.record("hw1", report)
        written = write_pages(book, "hw1", tmp_path / "pages")
    assert sorted(written) == sorted(path for path in (tmp_path / "pages").rglob("*") if path.is_file())
    assert [path.name for path in (tmp_path / "pages").glob("*.html")] == ["class.html"], (
        "no page for students beside it"
    )
    _, tags = read((tmp_path / "pages" / "class.html").read_text("utf-8"))
    from urllib.parse import unquote

    for link in [attrs["href"] for tag, attrs in tags if tag == "a"]:
        assert (tmp_path / "pages" / unquote(link)).is_file()


def test_the_backward_pass_of_a_failed_answer_opens_where_it_goes_wrong():
    replayed = Replayed(safe_sqrt)
    text = replayed.record([mg.constant(2.0)])
    mark = wrong(graph=json.dumps({"graph": text, "inputs": [0.0], "names": ["x"]}))
    html = backward_page(mark)
    assert "the custom rule grad of safe_sqrt returned inf for x" in html
    assert __file__ not in html and "backward_page.py" not in html, "no line of code that is not the student's"
    assert backward_page(wrong()) == ""


@pytest.mark.parametrize(("true", "marked"), [([0.5], ["root sends x 1; true: 0.5"]), ([None], []), ([], [])])
def test_the_messages_that_are_wrong_are_marked_on_the_backward_pass(true, marked):
    """The rule gives upstream / y instead of upstream / (2 y)."""

    @mg.custom_gradient
    def root(x):
        y = mg.sqrt(x)
        return y, lambda upstream: upstream / y

    replayed = Replayed(root)
    text = replayed.record([mg.constant(2.0)])
    graph = {"graph": text, "inputs": [4.0, 2.0], "names": ["x"], "true": true}
    mark = wrong(graph=json.dumps(graph))
    mark.inputs = "x = 4, upstream = 2"
    page = unescape(backward_page(mark))
    assert re.findall(r"The first wrong message:</b> (.*?)</p>", page) == marked
    assert ("1 ≠ 0.5" in page) == bool(marked)
    assert ("Wrong messages:\nroot sends x 1; true: 0.5" in page) == bool(marked)


@pytest.mark.parametrize(("inputs", "adjoint"), [("x = 4, upstream = 3", "0.75"), ("x = 4", "0.25")])
def test_the_backward_pass_begins_with_the_upstream_gradient_of_the_failure(inputs, adjoint):
    replayed = Replayed(safe_sqrt)
    text = replayed.record([mg.constant(2.0)])
    graph = json.dumps({"graph": text, "inputs": [4.0, 3.0], "names": ["x"]})
    mark = wrong(graph=graph)
    mark.inputs = inputs
    shown = backward_page(mark)
    assert f"ḡ {adjoint}<" in shown
    assert f"step by step (at {inputs})" in student_page(graded(mark), "hw1", play=backward_page)


@pytest.mark.parametrize(
    "graph", [{"graph": "{}", "inputs": [0.0], "names": ["x"]}, {"graph": "[]", "inputs": [], "names": []}]
)
def test_a_graph_that_cannot_be_drawn_is_left_out(graph):
    assert backward_page(wrong(graph=json.dumps(graph))) == ""


def test_the_command_writes_the_pages(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Gradebook(tmp_path / "course.db") as book:
        book.receive("hw1", Submission("ada", "hw1.ipynb", "00" * 32))
        book.record("hw1", Report("ada", "hw1", "00" * 32, "cd" * 32, 0, "graded", [wrong("after")]))
    assert main(["gradebook", "course.db", "feedback", "hw1", "back"]) == 0
    assert "It is not finite" not in Path("back/students/ada.html").read_text("utf-8")
    assert main(["gradebook", "course.db", "feedback", "hw1", "back", "--after"]) == 0
    assert "It is not finite" in Path("back/students/ada.html").read_text("utf-8")
    assert main(["gradebook", "course.db", "feedback", "hw2", "back"]) == 1
    assert "there is no assignment 'hw2'; there are hw1" in capsys.readouterr().err
