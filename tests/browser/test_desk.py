"""The desk in a browser: a class read by keyboard, two teachers, a killed desk, hostile pages, other origins."""

import http.server
import os
import random
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest

from minigrad.grading.gradebook import Gradebook
from tests.browser.lab import new_page, watch
from tests.helpers.read_class import HOSTILE, fill

pytestmark = pytest.mark.browser


class Served:
    """A desk in a process of its own. at : the address of a page."""

    def __init__(self, path, who="ann", port=0, starting=""):
        command = [sys.executable, "-m", "minigrad", "gradebook", str(path), "open", "--who", who, "--port", str(port)]
        command += [] if starting else ["--no-browser"]
        environment = {**os.environ, "BROWSER": starting}
        self.path = path
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        self._first = self.process.stdout.readline().strip()
        self.at = (self._first.partition("?")[0] + "{}").format
        self.port = int(self.at("").rpartition(":")[2].strip("/"))

    @property
    def address(self):
        """An address that opens the desk: the first, and after its use the one that is printed then."""
        first, self._first = self._first, ""
        lines = iter(self.process.stdout.readline, "")
        return first or next(line.strip() for line in lines if line.startswith("http"))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    return fill(tmp_path_factory.mktemp("course") / "course.db", 12)


@pytest.fixture
def serve(filled, tmp_path):
    """A function that serves the class to a teacher; the file is another one in each test."""
    served = []
    path = tmp_path / "course.db"
    path.write_bytes(filled.read_bytes())

    def start(*args, **kwargs):
        served.append(Served(path, *args, **kwargs))
        return served[-1]

    yield start
    for desk in served:
        desk.kill()


@pytest.fixture
def fresh(browser):
    """A function that opens a page in a window of its own, with no cookies."""
    opened = []

    def open_page(**options):
        opened.append(new_page(browser, **options))
        return opened[-1]

    yield open_page
    for page in opened:
        page.context.close()


def adjustments(path):
    with Gradebook(path, make=False, write=False) as book:
        return book.rows("SELECT student, marks, who, why FROM adjustments ORDER BY id")


def opened(page, where):
    """Open the desk by an address, and wait for the class and its script. The first page leads there by itself."""
    page.goto(where)
    page.locator("#class").wait_for(state="attached")
    page.wait_for_load_state()


def pressed(page, *keys):
    """Press keys, the last of which opens another page, and wait for that page."""
    before = page.url
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_url(lambda url: url != before)


WHY = "read?of=hw1&exercise=why"


@pytest.mark.smoke
def test_a_class_is_read_to_the_end_by_keys_alone_and_the_last_is_undone(serve, fresh):
    desk, page = serve(), fresh()
    errors, outside = watch(page, desk.at(""))
    opened(page, desk.address)
    pressed(page, "r")
    pressed(page, "4", "Enter")
    page.keyboard.press("2")
    page.keyboard.press("Tab")
    page.keyboard.type(" And more: 7, n, u.")
    pressed(page, "Control+Enter")
    for _ in range(3):
        page.keyboard.press("q")
        assert page.input_value("textarea") != ""
        pressed(page, "0", "Enter")
    while page.locator("form.rubric").count():
        pressed(page, "2", "Enter")
    assert "16 of 16 read" in page.inner_text("h1")
    rows = adjustments(desk.path)
    assert len({student for student, *_ in rows}) == len(rows) == 16
    assert rows[0][1:] == (4.0, "ann", "Names the reason, and one thing that the rule does not change.")
    assert rows[1][3].endswith("And more: 7, n, u.")
    pressed(page, "u")
    assert "15 of 16 read" in page.title() and f"student={quote(rows[-1][0])}".lower() in page.url.lower()
    pressed(page, "Escape")
    assert page.locator("tbody td.toread a").count() == 1
    assert errors == [] and outside == []


def test_a_newer_mark_of_another_teacher_is_told_and_what_was_typed_stays(serve, fresh):
    ann, bob = serve("ann"), serve("bob")
    pages = fresh(), fresh()
    for page, desk in zip(pages, (ann, bob)):
        opened(page, desk.address)
        page.goto(desk.at(f"{WHY}&student=s001"))
    pressed(pages[0], "4", "Enter")
    pages[1].keyboard.press("0")
    pages[1].fill("textarea", "I do not see it.")
    pages[1].keyboard.press("Control+Enter")
    pages[1].wait_for_selector("#said")
    assert "meanwhile ann gave 4 at" in pages[1].inner_text("#said")
    assert pages[1].input_value("textarea") == "I do not see it." and len(adjustments(ann.path)) == 1
    pages[1].locator("h1").click()
    pressed(pages[1], "Enter")
    assert [row[1:3] for row in adjustments(ann.path)] == [(4.0, "ann"), (0.0, "bob")]


def test_a_desk_that_is_killed_loses_nothing_and_a_draft_comes_back(serve, fresh):
    desk, page = serve(), fresh()
    opened(page, desk.address)
    page.goto(desk.at(f"{WHY}&student=s001"))
    page.keyboard.press("2")
    page.fill("textarea", "Half of it")
    desk.kill()
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#said")
    assert "the desk has stopped" in page.inner_text("#said")
    again = serve(port=desk.port)
    opened(page, again.address)
    page.goto(again.at(f"{WHY}&student=s001"))
    assert page.input_value("textarea") == "Half of it" and page.is_checked("input[value='2']")
    page.focus("textarea")
    pressed(page, "Control+Enter")
    assert adjustments(desk.path) == [("s001", 2.0, "ann", "Half of it")]


MOMENTS = int(os.environ.get("MINIGRAD_KILLS", "5"))  # 30 in the long run


@pytest.mark.slow
def test_a_mark_is_saved_once_or_still_typed_whenever_the_desk_is_killed(serve, fresh):
    desk, page, ended = serve(), fresh(), []
    page.on("requestfinished", lambda request: ended.append((request.url, True)))
    page.on("requestfailed", lambda request: ended.append((request.url, False)))
    confirmed, kept = [], []
    for n in range(MOMENTS):
        opened(page, desk.address)
        where = f"{WHY}&student=s{n % 12:03}"
        page.goto(desk.at(where))
        page.keyboard.press("2")
        page.fill("textarea", f"mark {n}")
        killing = threading.Timer(random.Random(n).uniform(0, 0.1), desk.process.kill)
        killing.start()
        page.keyboard.press("Control+Enter")
        killing.join()
        desk.kill()
        while not (said := [finished for url, finished in ended if url.endswith("/mark")]):
            page.wait_for_timeout(10)
        confirmed += [f"mark {n}"] if said[-1] else []
        ended.clear()
        desk = serve(port=desk.port)
        opened(page, desk.address)
        page.goto(desk.at(where))
        rows = [why for *_, why in adjustments(desk.path)]
        kept += [f"mark {n}"] if f"mark {n}" not in rows else []
        assert f"mark {n}" in (*rows, page.input_value("textarea"))
    assert set(confirmed) <= set(rows) and len(rows) == len(set(rows)) == MOMENTS - len(kept)
    with Gradebook(desk.path, make=False, write=False) as book:
        assert book.rows("PRAGMA integrity_check") == [("ok",)]
    print(f"killed {MOMENTS} times: {len(confirmed)} marks confirmed, {len(rows)} saved, {len(kept)} still typed")


def test_hostile_names_and_answers_run_nothing_even_without_the_policy(serve, fresh):
    desk, page = serve(), fresh(bypass_csp=True)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    opened(page, desk.address)
    with Gradebook(desk.path, make=False) as book:
        book.adjust("s002", "hw1", 2, "\"><img src=x onerror='top.HIT = 7'>", "why", who="<svg onload='top.HIT = 8'>")
    asked = ["wrong?of=hw1"]
    asked += [f"{kind}&student={quote(s, safe='')}" for s in HOSTILE for kind in ("student?of=hw1", WHY, "page?of=hw1")]
    strange = "class?of=hw1&search=%22%3E%3Cscript%3Etop.HIT=9%3C/script%3E&sort=%22onx=1&mistake=%3Cb%3E&exercise='%22"
    for where in [*asked, strange, "student?of=hw1&student=s002", f"{WHY}&student=s003"]:
        page.goto(desk.at(where))
        page.keyboard.press("q")
        assert page.evaluate("window.HIT ?? null") is None, where
        assert page.locator("main svg, main bdi b, main pre b, main script").count() == 0, where


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A page of another origin, which frames the desk, reads it, and sends it a form."""

    def __init__(self, at, *args):
        self.at = at
        super().__init__(*args)

    def do_GET(self):
        fields = {
            "of": "hw1",
            "student": "s001",
            "exercise": "why",
            "marks": "4",
            "why": "x",
            "after": "0",
            "_xsrf": "x",
        }
        inputs = "".join(f"<input name={name} value={value}>" for name, value in fields.items())
        text = f"""<iframe src="{self.at("class")}"></iframe>
        <form method=post action="{self.at("mark")}">{inputs}</form>
        <script>fetch("{self.at("class")}", {{credentials: "include"}}).then(r => r.text()).then(
          t => document.title = "read", e => document.title = "refused")</script>"""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args):
        pass


def test_another_origin_reads_frames_and_writes_nothing(serve, fresh):
    desk, page = serve(), fresh()
    opened(page, desk.address)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Elsewhere, desk.at))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.wait_for_function("document.title !== ''")
        assert page.title() == "refused" and "Commonest" not in page.frames[1].content()
        with page.expect_response(lambda response: response.url.endswith("/mark")) as response:
            page.evaluate("document.querySelector('form').submit()")
        assert response.value.status == 403 and adjustments(desk.path) == []
    finally:
        server.shutdown()
        server.server_close()


def test_who_does_not_have_the_address_gets_nothing(serve, fresh):
    desk, page = serve(), fresh()
    for where in ("", "class", "desk.js", "?token=x"):
        reply = page.goto(desk.at(where))
        assert reply.status == 403 and "hw1" not in page.content()
    reply = page.request.get(desk.at("class"), headers={"Host": "evil.example"})
    assert reply.status == 421


def test_an_address_opens_one_browser_and_the_next_one_is_printed(serve, fresh):
    desk, pages = serve(), [fresh(), fresh()]
    first, mine = desk.address, fresh()
    opened(mine, first)
    assert pages[0].goto(first).status == 403 and "hw1" not in pages[0].content()
    cookie = next(c for c in mine.context.cookies() if c["name"] == f"desk-{desk.port}")
    assert cookie["value"] not in first and cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    opened(mine, first)
    opened(pages[1], desk.address)


@pytest.mark.skipif(os.name == "nt", reason="a file has no such mode on Windows")
def test_the_browser_is_started_with_a_file_that_nobody_else_can_read(serve, fresh, tmp_path):
    script, arguments = tmp_path / "browser", tmp_path / "arguments"
    script.write_text(f"#!{sys.executable}\nimport sys\nopen({str(arguments)!r}, 'w').write(' '.join(sys.argv[1:]))\n")
    script.chmod(0o700)
    desk = serve(starting=f"{script} %s")
    for _ in range(200):
        if arguments.exists() and arguments.read_text():
            break
        time.sleep(0.05)
    where = arguments.read_text()
    file = Path(unquote(urlsplit(where).path))
    assert where.startswith("file:") and "token" not in where
    assert file.stat().st_mode & 0o777 == 0o600 and f"127.0.0.1:{desk.port}/?token=" in file.read_text()
    text = file.read_text()
    page = fresh()
    opened(page, where)
    assert not file.exists()
    file.write_text(text)
    other = fresh()
    other.goto(where)
    other.get_by_text("opens the desk once").wait_for()
    assert "hw1" not in other.content(), "no token is used twice"


def test_enter_saves_and_a_sentence_is_written_on_at_its_end(serve, fresh):
    desk, page = serve(), fresh()
    opened(page, desk.address)
    pressed(page, "r")
    page.keyboard.press("4")
    page.keyboard.press("Tab")
    page.keyboard.type(" More.")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("Then 7.")
    pressed(page, "Enter")
    page.keyboard.press("q")
    page.keyboard.type(" And u, 3.")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("Tab")
    pressed(page, "Enter")
    page.keyboard.press("q")
    page.keyboard.press("0")
    pressed(page, "Enter")
    reason = "Names the reason, and one thing that the rule does not change. More.\nThen 7."
    assert [row[1:] for row in adjustments(desk.path)] == [
        (4.0, "ann", reason), (2.0, "ann", f"{reason} And u, 3."), (0.0, "ann", f"{reason} And u, 3."),
    ]  # fmt: skip
    page.keyboard.press("4")
    page.keyboard.press("2")
    assert page.is_checked("input[value='2']") and page.input_value("textarea") == "Names the reason."


def test_nothing_is_saved_by_enter_before_a_mark_is_chosen_or_while_a_letter_is_composed(serve, fresh):
    desk, page = serve(), fresh()
    opened(page, desk.address)
    pressed(page, "r")
    page.keyboard.press("Tab")
    page.keyboard.type("Right.")
    page.keyboard.press("Enter")
    asked_for = page.evaluate("document.querySelector('form.rubric input:invalid').name")
    assert asked_for == "marks", "as the button does"
    assert page.input_value("textarea") == "Right." and adjustments(desk.path) == []
    page.get_by_role("radio").first.check()
    page.focus("textarea")
    page.evaluate("""document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
        {key: "Enter", code: "Enter", bubbles: true, cancelable: true, isComposing: true}))""")
    assert page.evaluate("document.querySelector('form.rubric').dataset.sent") is None
    pressed(page, "NumpadEnter")
    assert [row[1:] for row in adjustments(desk.path)] == [(4.0, "ann", "Right.")]


def test_a_sentence_of_a_key_is_put_after_what_was_typed_and_digits_are_text_once_a_mark_is_chosen(serve, fresh):
    desk, page = serve(), fresh()
    opened(page, desk.address)
    pressed(page, "r")
    page.keyboard.press("2")
    page.fill("textarea", "Short.")
    page.focus("textarea")
    pressed(page, "Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("First line")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("second")
    page.keyboard.press("Home")
    page.keyboard.press("Escape")
    page.keyboard.press("q")
    where = "(box => [box.selectionStart, box.selectionEnd, box === document.activeElement])"
    where += "(document.querySelector('textarea'))"
    text = "First line\nsecond Short."
    assert page.input_value("textarea") == text and page.evaluate(where) == [len(text), len(text), True]
    page.keyboard.press("Numpad4")
    page.keyboard.type(" 2, q and u")
    pressed(page, "Enter")
    assert [row[1:] for row in adjustments(desk.path)] == [(2.0, "ann", "Short."), (4.0, "ann", f"{text} 2, q and u")]


def test_a_group_of_wrong_answers_is_marked_and_undone_as_one(serve, fresh):
    desk, page = serve(), fresh()
    errors, _ = watch(page, desk.at(""))
    opened(page, desk.address)
    page.locator(".exercises a").first.click()
    page.wait_for_selector("section.wrong")
    group = page.locator("section.wrong").first
    many = int(group.locator("h2").inner_text().split(":")[1].split()[0])
    group.get_by_label("Marks").fill("1")
    group.get_by_label("Reason").fill("Half of it.")
    assert group.get_by_role("button", name=f"Save for all {many}").is_visible()
    page.keyboard.press("Enter")  # does what the button says
    page.wait_for_selector(".undo")
    assert len(adjustments(desk.path)) == many > 1
    page.get_by_role("button", name="Undo for all").click()
    page.wait_for_selector(".undo", state="detached")
    with Gradebook(desk.path, make=False, write=False) as book:
        assert book.rows("SELECT count(*) FROM withdrawals") == [(many,)]
    assert errors == []


def test_without_javascript_one_reads_saves_and_undoes(serve, fresh):
    desk, page = serve(), fresh(java_script_enabled=False)
    opened(page, desk.address)
    page.get_by_role("link", name="Read the next").click()
    page.get_by_role("radio").first.check()
    page.get_by_label("Reason, which the student reads").fill("All of it.")
    page.get_by_role("button", name="Save and go on").click()
    assert "1 of 16 read" in page.title() and [row[1] for row in adjustments(desk.path)] == [4.0]
    page.get_by_role("button", name="Undo").click()
    assert "0 of 16 read" in page.title()


def test_pages_fit_a_narrow_window_and_the_table_is_searched_while_typing(serve, fresh):
    desk, page = serve(), fresh(viewport={"width": 390, "height": 800}, color_scheme="dark")
    opened(page, desk.address)
    student = "student?of=hw1&student="
    for where in ("class?of=hw1", f"{student}s001", WHY, "alike?of=hw1", f"{student}..", "wrong?of=hw1"):
        page.goto(desk.at(where))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where
    page.goto(desk.at("class?of=hw1"))
    page.keyboard.press("/")
    page.keyboard.type("ada")
    assert page.locator("#class tbody tr:visible").count() == 2 and page.inner_text("#count") == "2"
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(desk.at("class?of=hw1"))
    heights = page.evaluate("[...document.querySelectorAll('.exercises tbody td')].map(cell => cell.offsetHeight)")
    assert heights and max(heights) < 40, "names of exercises stand on one line"


def test_the_backward_pass_plays_in_a_frame_of_its_own(serve, fresh):
    desk, page = serve(), fresh()
    opened(page, desk.address)
    page.goto(desk.at("student?of=hw1&student=s001"))
    page.get_by_text("The backward pass, step by step").click()
    frame = page.frame_locator("details.play iframe")
    frame.get_by_role("button", name="One step forward").click()
    assert frame.locator(".mg-stage").count() == 1
    assert page.locator("details.play iframe").get_attribute("sandbox") == "allow-scripts"
