"""The desk, asked without a server: what each page shows, and what a form writes."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from html import unescape
from html.parser import HTMLParser
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests

from minigrad.grading.desk import desk as desk_module
from minigrad.grading.desk import tables as desk_tables
from minigrad.grading.desk.desk import ACTIONS, PAGES, Desk
from minigrad.grading.desk.extension import Books, name_of
from minigrad.grading.desk.tables import sorted_rows
from minigrad.grading.desk.wrong import behaviour_of, wrong_marks
from minigrad.grading.gradebook import Gradebook, GradebookError, user
from minigrad.grading.similar_code import Likeness
from tests.grading.test_gradebook import version_1
from tests.helpers.read_class import HOSTILE, fill

OF = {"of": "hw1"}
WHY = {**OF, "exercise": "why"}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    return fill(tmp_path_factory.mktemp("course") / "course.db", 8)


@pytest.fixture
def desk(filled, tmp_path):
    (tmp_path / "course.db").write_bytes(filled.read_bytes())
    with Gradebook(tmp_path / "course.db", make=False) as book:
        yield Desk(book)


class Tags(HTMLParser):
    """The tags of a page with the attributes of each."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def shown(desk, page, who="ann", **query):
    reply = desk.answer("GET", page, query, who=who, secret="secret")
    assert reply.status == 200, reply.body
    return reply.body


def text_of(html):
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def form_of(html, within="rubric"):
    """The hidden fields of a form."""
    form = html.partition(f'class="{within}"')[2].partition("</form>")[0]
    return {name: unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)}


def students_of(html):
    rows = html.partition('<table id="class">')[2]
    return [
        dict(parse_qsl(urlsplit(unescape(a)).query))["student"] for a in re.findall(r'<a href="(/student[^"]*)"', rows)
    ]


def next_answer(desk, who="ann", **query):
    reply = desk.answer("GET", "read", {**WHY, **query}, who=who, secret="secret")
    if reply.status == 200:
        return None, reply.body
    query = dict(parse_qsl(urlsplit(reply.headers["Location"]).query))
    return query["student"], desk.answer("GET", "read", query, who=who, secret="secret").body


def test_every_page_is_there_and_an_unknown_one_is_not(desk):
    student = {**OF, "student": "s001", "exercise": "safe_sqrt"}
    for page in PAGES.keys() - {"read"}:
        reply = desk.answer("GET", page, student, who="ann")
        assert reply.status == 200 and "default-src 'none'" in reply.headers["Content-Security-Policy"], page
    assert "missing" in shown(desk, "student", **OF, student="zoe"), "who handed nothing in"
    assert desk.answer("GET", "desk.css").kind.startswith("text/css")
    unknown = [
        ("nothing", {}), ("class", {"of": "hw9"}), ("student", {**OF, "student": "x"}), ("read", {"of": "hw1"}),
        ("../desk.py", {}), ("desk.py", {}), ("play", {**OF, "student": "s001", "exercise": "x"}), ("mark", {}),
        ("read", {**WHY, "student": "zoe"}),
    ]  # fmt: skip
    for page, query in unknown:
        assert desk.answer("GET", page, query).status == 404, page
    assert desk.answer("POST", "class", OF).status == 404


def test_a_page_that_is_only_read_writes_nothing(desk):
    before = desk.book.state()
    for page in [*PAGES, *ACTIONS, "desk.js"]:
        for query in ({}, WHY, {**WHY, "student": "s001"}, {"number": "1"}):
            desk.answer("GET", page, query, who="ann")
    assert desk.book.state() == before


@pytest.mark.parametrize(
    "sort", ["", "student", "-student", "marks", "-marks", "safe_sqrt", "-safe_sqrt", "status", "handed in"]
)
def test_the_table_is_sorted_as_the_grades_are(desk, sort):
    desk.book.adjust("s002", "hw1", 2, "read", "why")
    desk.book.adjust("s003", "hw1", 4, "read", "why")
    html = shown(desk, "class", **OF, sort=sort)
    rows = sorted_rows(list(desk.book.grades("hw1")), sort, ["safe_sqrt", "why"])
    assert students_of(html) == [g.student for g in rows]
    column = sort.lstrip("-") or "student"
    assert f'aria-sort="{"descending" if sort[:1] == "-" else "ascending"}"' in html and len(rows) == 13
    if column == "marks":
        assert {students_of(html)[0], students_of(html)[1]} == {"s002", "s003"}, "those without marks come last"


@pytest.mark.parametrize(
    ("query", "students"),
    [
        ({"search": "aDa"}, ["s000"]),
        ({"search": "S00"}, [f"s00{n}" for n in range(8)]),
        ({"status": "missing"}, ["zoe"]),
        ({"mistake": "no upstream", "exercise": "safe_sqrt"}, ["<b>eve</b>", "s001", "s005"]),
        ({"search": "nobody"}, []),
    ],
)
def test_the_table_is_filtered(desk, query, students):
    html = shown(desk, "class", **OF, **query)
    assert sorted(students_of(html)) == students
    assert f'<span id="count">{len(students)}</span> of 13' in html


def test_the_class_page_says_what_is_to_read_and_which_mistakes_are_common(desk):
    said = text_of(shown(desk, "class"))
    assert "why 0 of 12 0 of 12 read Read the next r" in said
    assert "3 a flipped sign safe_sqrt 3 no upstream safe_sqrt" in said
    assert "Due 1970-01-11" in said


def test_a_student_page_has_all_checks_and_the_hidden_ones_marked(desk):
    said = text_of(shown(desk, "student", **OF, student="s002"))
    assert "safe_sqrt: wrong, 0 of 3" in said and "✗ the gradient hidden: message" in said
    assert "It looks like: a flipped sign" in said and "why: to read, – of 4" in said


def test_names_are_folded_while_reading(desk):
    student, html = next_answer(desk)
    outside = re.sub(r"<details>.*?</details>|<input[^>]*>|<form[^>]*data-draft[^>]*>|<a [^>]*>", "", html, flags=re.S)
    assert student not in outside and "names the reason" in html.casefold()


def test_a_class_is_read_to_the_end_and_the_last_is_undone_exactly(desk):
    read = []
    undo = ""
    while True:
        student, html = next_answer(desk, undo=undo)
        if student is None:
            break
        read.append(student)
        form = {**form_of(html), "marks": "2", "why": "Names the reason."}
        reply = desk.answer("POST", "mark", form=form, who="ann", secret="secret")
        undo = dict(parse_qsl(urlsplit(reply.headers["Location"]).query))["undo"]
    assert sorted(read) == sorted([*HOSTILE, *(f"s00{n}" for n in range(8))])
    assert "12 of 12 read" in text_of(html) and "Nothing is left to read." in text_of(html)
    assert {g.status for g in desk.book.grades("hw1")} == {"graded", "missing"}
    form = {"number": undo, "back": "read"}
    reply = desk.answer("POST", "undo", form=form, who="ann", secret="secret")
    assert dict(parse_qsl(urlsplit(reply.headers["Location"]).query))["student"] == read[-1]
    assert desk.grade("hw1", read[-1]).to_read == ["why"] and desk.grade("hw1", read[0]).to_read == []
    assert desk.book.rows("SELECT who FROM withdrawals") == [("ann",)]


def test_two_teachers_begin_at_different_answers_and_are_told_of_each_other(desk):
    first, _ = next_answer(desk, "ann")
    others = {next_answer(desk, who)[0] for who in ("bob", "cem", "dee")}
    assert len(others | {first}) == 4, "what somebody has open is not offered to others"
    html = shown(desk, "read", "bob", **WHY, student=first)
    assert "ann has this answer open." in text_of(html)


def saved(desk, who, student, marks, why, html=None, **more):
    html = html or shown(desk, "read", who, **WHY, student=student)
    form = {**form_of(html), "marks": marks, "why": why, **more}
    return desk.answer("POST", "mark", form=form, who=who, secret="secret")


def test_a_newer_mark_is_told_and_what_was_typed_is_kept(desk):
    html = shown(desk, "read", "bob", **WHY, student="s001")
    assert saved(desk, "ann", "s001", "4", "All of it.").status == 303
    reply = saved(desk, "bob", "s001", "0", "I do not see it.", html)
    said = text_of(reply.body)
    assert reply.status == 409 and "Not saved, because meanwhile ann gave 4 at" in said
    assert "I do not see it." in said and desk.grade("hw1", "s001").by_exercise["why"] == 4
    assert saved(desk, "bob", "s001", "0", "I do not see it.", reply.body).status == 303
    assert desk.grade("hw1", "s001").by_exercise["why"] == 0


def test_a_mark_for_a_text_that_was_replaced_is_not_saved(desk):
    html = shown(desk, "read", **WHY, student="s001")
    assert "a new answer was submitted" in text_of(
        saved(desk, "ann", "s001", "4", "All of it.", html, answer="0" * 64).body
    )
    assert desk.book.rows("SELECT count(*) FROM adjustments") == [(0,)]


@pytest.mark.parametrize(
    ("marks", "why"), [("5", "too much"), ("-1", "less"), ("", "none"), ("x", "word"), ("nan", "no number"), ("2", " ")]
)
def test_a_mark_that_is_none_is_told(desk, marks, why):
    reply = saved(desk, "ann", "s001", marks, why)
    assert reply.status == 409 and "Not saved: write a mark from 0 to 4, and a reason." in text_of(reply.body)
    assert desk.book.rows("SELECT count(*) FROM adjustments") == [(0,)]


def test_a_student_page_takes_marks_for_checked_exercises_and_for_the_sum(desk):
    mark = desk.mark("hw1", "s001", "safe_sqrt")
    form = {
        **OF,
        "student": "s001",
        "exercise": "safe_sqrt",
        "after": "0",
        "answer": mark.answer,
        "marks": "1,5",
        "why": "half",
    }
    assert desk.answer("POST", "mark", form=form, who="ann").status == 303
    form = {**OF, "student": "s001", "exercise": "", "marks": "-0.5", "why": "no name on it", "reply": "address"}
    reply = desk.answer("POST", "mark", form=form, who="ann")
    assert (reply.status, reply.body) == (200, "/student?of=hw1&student=s001")
    said = text_of(shown(desk, "student", **OF, student="s001"))
    assert "safe_sqrt: wrong, 1.5 of 3 1.5 instead of 0, by ann: half" in said
    assert "sum: -0.5 , ann: no name on it Withdraw" in said


def test_all_who_made_a_mistake_get_one_mark_and_a_row_each(desk):
    desk.book.adjust("s001", "hw1", 3, "seen before", "safe_sqrt")
    form = {**OF, "exercise": "safe_sqrt", "mistake": "no upstream", "marks": "1", "why": "half of the rule"}
    assert desk.answer("POST", "all", form=form, who="ann").status == 303
    marks = {s: g.by_exercise.get("safe_sqrt") for s, g in desk.grades("hw1").items()}
    assert (marks["s001"], marks["s005"], marks["<b>eve</b>"], marks["s002"]) == (3, 1, 1, 0)
    assert desk.answer("POST", "all", form=form, who="ann").status == 404, "all have a manual mark now"


def test_nothing_that_a_student_wrote_becomes_markup(desk):
    saved(desk, "ann", "<b>eve</b>", "2", '"><img src=x onerror=top.HIT=7>')
    pages = [shown(desk, "class", **OF, search='"><script>'), shown(desk, "class", **OF)]
    for student in HOSTILE:
        pages += [shown(desk, "student", **OF, student=student), shown(desk, "read", **WHY, student=student)]
        pages.append(shown(desk, "page", **OF, student=student))
    for html in pages:
        tags = Tags(html).found
        assert not [name for _, attributes in tags for name in attributes if name.startswith("on") or name == "style"]
        scripts = [attributes.get("src") for tag, attributes in tags if tag == "script"]
        assert set(scripts) <= {"/desk.js"} and not {"svg", "img"} & {tag for tag, _ in tags}
        assert "49" not in re.sub(r"\d\d:\d\d", "", text_of(html)) and "<b>eve" not in html


def test_who_handed_in_the_same_text_is_told_and_a_group_is_not(desk):
    mark = desk.mark("hw1", "s001", "why")
    desk.mark("hw1", "s002", "why").code = mark.code.upper()
    assert "The same text, word for word" in shown(desk, "read", **WHY, student="s001")
    desk.book.set_group("hw1", "A", ["s001", "s002"])
    assert "The same text, word for word" not in shown(desk, "read", **WHY, student="s001")


def test_undo_takes_a_mark_of_a_group_back_from_all(desk):
    desk.book.set_group("hw1", "A", ["s001", "s002"])
    saved(desk, "ann", "s001", "4", "together")
    assert [desk.grade("hw1", s).by_exercise["why"] for s in ("s001", "s002")] == [4, 4]
    number = desk.book.last_adjustment("s001", "hw1", "why").number
    desk.answer("POST", "undo", form={"number": str(number)}, who="ann")
    assert [desk.grade("hw1", s).by_exercise["why"] for s in ("s001", "s002")] == [None, None]


def test_an_empty_gradebook_and_an_unknown_number_are_sentences(tmp_path):
    with Gradebook(tmp_path / "course.db") as book:
        empty = Desk(book)
        assert "grade one with minigrad grade" in text_of(empty.answer("GET", "class").body)
        reply = empty.answer("POST", "undo", form={"number": "x"}, who="ann")
        assert reply.status == 404 and "a manual mark with the number 'x'" in text_of(reply.body)


@pytest.mark.parametrize("text", ["9" * 18, "9" * 19, "9" * 400, "9" * 5000, "-1", "1e400", "²", "a" * 5000, "..\0"])
def test_no_number_and_no_name_is_too_long(desk, text):
    before = desk.book.state()
    form = {**WHY, "student": "s001", "number": text, "marks": text, "after": text, "why": "x", "answer": text}
    for page in [*PAGES, text, f"{text}.js", "../" * 2000 + text]:
        for query in ({**WHY, "student": text}, {"of": text}, {**WHY, "student": "s001", "undo": text}):
            assert desk.answer("GET", page, query, who="ann").status in (200, 303, 404), page
    for page in [*ACTIONS, text]:
        for more in ({}, {"exercise": text}, {"decision": text}, {"behaviour": text}, {"student": text}):
            assert desk.answer("POST", page, form={**form, **more}, who="ann").status in (404, 409), page
    assert desk.book.state() == before


def groups_of(desk, **query):
    html = shown(desk, "wrong", **OF, **query)
    parts = html.split('<section class="exercise wrong">')[1:]
    return [(form_of(part, "all"), text_of(part)) for part in parts]


def test_wrong_answers_that_do_the_same_are_decided_and_undone_together(desk):
    groups = groups_of(desk, exercise="safe_sqrt")
    assert [text.partition(" Whose")[0][:21] for _, text in groups] == ["safe_sqrt: 3 answers "] * 2
    assert all("not all results are known" in text for _, text in groups), "these reports have no digest"
    form = {**groups[0][0], "marks": "1.5", "why": "half of the rule"}
    decided = [g for g, mark in wrong_marks(desk, "hw1") if behaviour_of(mark) == form["behaviour"]]
    desk.book.adjust(decided[0].student, "hw1", 3, "seen before", "safe_sqrt", who="bob")
    assert desk.answer("POST", "all", form=form, who="ann").headers["Location"] == "/wrong?of=hw1&exercise=safe_sqrt"
    marks = {s: g.by_exercise.get("safe_sqrt") for s, g in desk.grades("hw1").items()}
    assert [marks[g.student] for g in decided] == [3, 1.5, 1.5] and list(marks.values()).count(0.0) == 3
    (undo, text), other = groups_of(desk, exercise="safe_sqrt")
    assert "1.5 for 2, ann: half of the rule Undo for all" in text and "Save for all 3" in other[1]
    assert undo == {}, "nobody is left without a manual mark"
    fields = form_of(shown(desk, "wrong", **OF), "undo")
    assert desk.answer("POST", "undo", form=fields, who="bob").status == 303
    marks = {s: g.by_exercise.get("safe_sqrt") for s, g in desk.grades("hw1").items()}
    assert [marks[g.student] for g in decided] == [3, 0, 0], "the mark that was there before stays"
    assert desk.answer("POST", "undo", form=fields, who="bob").status == 404, "undone once"


def test_all_who_made_a_mistake_are_undone_together(desk):
    form = {**OF, "exercise": "safe_sqrt", "mistake": "no upstream", "marks": "1", "why": "half of the rule"}
    assert desk.answer("POST", "all", form=form, who="ann").status == 303
    html = shown(desk, "class", **OF, mistake="no upstream", exercise="safe_sqrt")
    assert "1 for 3, ann: half of the rule Undo for all" in text_of(html) and "One mark for all" not in text_of(html)
    desk.answer("POST", "undo", form=form_of(html, "undo"), who="ann")
    assert {g.by_exercise["safe_sqrt"] for g, _ in wrong_marks(desk, "hw1")} == {0.0}


def test_pages_are_there_while_answers_are_compared_and_it_is_done_once_for_each_state(desk, monkeypatch):
    may_end, calls = threading.Event(), []

    def compare(codes):
        calls.append(len(codes))
        assert may_end.wait(60)
        return [Likeness(("s001", "s002"), 30, 31, "as written")]

    monkeypatch.setattr(desk_tables, "similar_pairs", compare)
    try:
        waiting = desk.answer("GET", "alike", OF)
        assert "are being compared" in waiting.body and waiting.headers["Refresh"] == "1"
        assert "Commonest mistakes" in shown(desk, "class", **OF)
    finally:
        may_end.set()
    while "Refresh" in (found := desk.answer("GET", "alike", OF)).headers:
        pass
    assert "30 of 31" in found.body and calls == [12]
    desk.book.enroll({"new": {"student": "new"}})
    desk.book.adjust("s001", "hw1", 1.0, "x", "why", who="ann")
    while "Refresh" in desk.answer("GET", "alike", OF).headers:
        pass
    assert calls == [12, 12]


def test_the_extension_serves_files_below_its_folder_and_never_changes_their_version(filled, tmp_path):
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "course.db").write_bytes(filled.read_bytes())
    (tmp_path / "outside.db").write_bytes(filled.read_bytes())
    old = version_1(tmp_path / "hub" / "old.db")
    before = old.read_bytes()
    books = Books(tmp_path / "hub", "/user/ann/minigrad-desk")
    html = books.desk("course.db").answer("GET", "class", {}, who="ann").body
    assert 'href="/user/ann/minigrad-desk/student?book=course.db&amp;of=hw1&amp;student=s000"' in html
    for name in ("../outside.db", "none.db", "", "/etc/passwd"):
        with pytest.raises(GradebookError, match="path of a gradebook below"):
            books.desk(name)
    with pytest.raises(GradebookError, match=r"of version 1: minigrad gradebook old\.db open brings it up to date"):
        books.desk("old.db")
    assert old.read_bytes() == before
    books.desk("course.db").book.close()
    assert name_of(SimpleNamespace(username="bob")) == "bob"
    assert name_of(SimpleNamespace(username="0" * 32)) == name_of(None) == user()


def test_a_desk_names_its_templates():
    names = {path.stem for path in (desk_module.FOLDER / "templates").iterdir()}
    assert names == {"alike", "class", "done", "forms", "frame", "read", "said", "student", "wrong"}


def listens(port):
    with socket.socket() as client:
        client.settimeout(0.2)
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def jupyter(filled, tmp_path):
    """The address of a Jupyter Server with the extension, whose folder holds the gradebook."""
    (tmp_path / "course.db").write_bytes(filled.read_bytes())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = tmp_path / "config.json"
    extension = {"minigrad.grading.desk.extension": True}
    server = {"jpserver_extensions": extension, "root_dir": str(tmp_path), "port": port, "open_browser": False}
    server |= {"allow_root": True, "port_retries": 0, "ip": "127.0.0.1"}
    config.write_text(json.dumps({"ServerApp": server, "IdentityProvider": {"token": "key"}}))
    command = [sys.executable, "-m", "jupyter_server", "--config", str(config)]
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(tmp_path / "c"), "JUPYTER_RUNTIME_DIR": str(tmp_path / "r")}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        reading = threading.Thread(target=process.stderr.read)
        reading.start()
        while not listens(port):
            assert process.poll() is None
            time.sleep(0.05)
        address = f"http://127.0.0.1:{port}/"
        yield f"{address}minigrad-desk/"
        process.terminate()
        reading.join()


@pytest.mark.slow
def test_the_same_pages_within_a_jupyter_server(jupyter, tmp_path):
    session = requests.Session()
    assert session.get(jupyter, params={"book": "course.db"}, allow_redirects=False).status_code in (302, 403)
    session.get(jupyter, params={"book": "course.db", "token": "key"})  # which leaves a cookie
    reply = session.get(f"{jupyter}read", params={"book": "course.db", **WHY})
    assert reply.status_code == 200 and "Names the reason." in reply.text
    assert reply.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    assert session.get(f"{jupyter}class", params={"book": "../course.db"}).status_code == 404
    form = {**form_of(reply.text), "marks": "4", "why": "All of it."}
    assert session.post(f"{jupyter}mark", params={"book": "course.db"}, data={**form, "_xsrf": "x"}).status_code == 403
    saved = session.post(f"{jupyter}mark", params={"book": "course.db"}, data=form, allow_redirects=False)
    assert saved.status_code == 303 and "/minigrad-desk/read?book=course.db&of=hw1" in saved.headers["Location"]
    with Gradebook(tmp_path / "course.db", make=False) as book:
        assert book.rows("SELECT marks, who FROM adjustments") == [(4.0, user())]
