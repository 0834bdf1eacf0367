"""Lessons 6 and 7 in a real JupyterLab, as a student works through them."""

import pytest

import minigrad as mg
from minigrad.lab.handout import hand_out, lessons_folder
from minigrad.lab.launch import kernel_metadata

pytestmark = pytest.mark.browser

NAN = "06_where_nans_come_from.ipynb"
CUSTOM = "07_write_the_rule_yourself.ipynb"
ONE_WHERE = """\
def safe_log1pexp(x):
    return mg.where(x > 50, x, log1pexp(x))

check("safe_log1pexp")"""
TWO_WHERE = """\
def safe_log1pexp(x):
    harmless = mg.where(x > 50, 0.0, x)
    return mg.where(x > 50, x, log1pexp(harmless))

check("safe_log1pexp")"""
NO_UPSTREAM = """\
@mg.custom_gradient
def safe_sqrt(x):
    y = mg.sqrt(x)
    return y, lambda upstream: mg.where(x > 0, 1 / (2 * y), 0.0)

check("safe_sqrt")"""


@pytest.fixture
def opened(lab, tmp_path):
    """A function that opens a lesson from a student's own folder and runs all of it.

    predicted : whether every prediction has an answer, some of them wrong.
    """

    def opened(name, predicted=False):
        hand_out(lessons_folder(), tmp_path, kernel_metadata())
        if predicted:
            path = tmp_path / name
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(" = ...\\n", ' = \\"a\\"\\n'), encoding="utf-8")
        notebook = lab.open(tmp_path / name)
        assert notebook.run_all()
        shows_pictures = predicted or name == NAN  # lesson 7 has none before its predictions
        notebook.page.wait_for_selector(".mg-bar" if shows_pictures else ".mg-check")
        return notebook

    return opened


def cell(notebook, code):
    """The code cell that holds `code`."""
    return notebook.page.locator(".jp-CodeCell").filter(has=notebook.page.locator(".cm-content", has_text=code)).first


def type_and_run(notebook, code, source):
    """Replace the content of the cell that holds `code`, run it, and return its verdict."""
    number = cell(notebook, code).evaluate("cell => [...document.querySelectorAll('.jp-CodeCell')].indexOf(cell)")
    found = notebook.page.locator(".jp-CodeCell").nth(number)
    before = found.locator(".jp-InputPrompt").first.inner_text()
    found.locator(".cm-content").click()
    notebook.page.keyboard.press("ControlOrMeta+A")
    notebook.page.keyboard.insert_text(source)
    notebook.page.keyboard.press("Control+Enter")
    notebook.page.wait_for_function(
        "([cell, before]) => { const now = cell.querySelector('.jp-InputPrompt').innerText;"
        " return now !== before && !now.includes('*') }",
        arg=[found.element_handle(), before],
    )
    return found.locator(".mg-check")


def sentence(player):
    return player.locator(".mg-say").inner_text()


def test_a_fresh_lesson_is_not_marked_as_unsaved(lab, tmp_path, subtests):
    hand_out(lessons_folder(), tmp_path, kernel_metadata())
    lessons = sorted(path.name for path in lessons_folder().glob("*.ipynb"))
    assert len(lessons) > 8
    for name in lessons:
        with subtests.test(name), lab.open(tmp_path / name) as notebook:
            assert not notebook.unsaved()
            assert notebook.page.locator(".jp-Cell").count() == len(notebook.read()["cells"])
            notebook.page.locator(".jp-OutputArea-output").last.scroll_into_view_if_needed()
            assert not notebook.unsaved()
            mine = "jupyterapp.shell.currentWidget.content.model.sharedModel.getCell(0).setSource('mine')"
            notebook.page.evaluate(mine)
            assert notebook.unsaved(), "the mark appears with the student's first word"


@pytest.mark.lesson06
def test_lesson_6_each_step_of_the_player_says_what_the_trace_holds(opened):
    notebook = opened(NAN, predicted=True)
    player = cell(notebook, 'check("which_factors")').locator(
        "xpath=following-sibling::*[contains(@class, 'jp-CodeCell')][1]"
    )
    x = mg.constant(100.0)
    y = mg.log(1 + mg.exp(x))
    trace = mg.backward_trace(y, names={"x": x, "y": y})
    name = {node.id: node.name or node.op for node in trace.nodes}
    sends = [(step, send) for step in trace.steps for send in step.sends]
    assert [send.value for _, send in sends] == [0.0, 0.0, "nan"]

    player.get_by_role("button", name="More").click(force=True)
    player.get_by_role("button", name="To the start").click(force=True)
    assert "the gradient of y is 1" in sentence(player)
    for count, (step, send) in enumerate(sends, start=1):
        player.get_by_role("button", name="One step forward").click()
        assert player.locator(".mg-count").inner_text() == f"{count} of {len(sends) + 1}"
        local = trace.edges[send.edge].local_value
        product = f"{float(step.g):g} · {float(local):g} = {float(send.value):g}"
        assert sentence(player).startswith(name[step.node])
        assert f"sends to {name[send.to]}: " in sentence(player)
        assert product in sentence(player)
        assert ("nan first appears here" in sentence(player)) == (send.event == "nan-born")
    player.get_by_role("button", name="One step forward").click()
    assert player.locator(".mg-stage .n[aria-label='x (input), value 100, gradient nan']").count() == 1
    assert notebook.console_errors == []
    assert notebook.outside_requests == []


@pytest.mark.lesson06
def test_lesson_6_a_student_predicts_fails_asks_three_hints_reads_the_picture_mends_and_passes(opened):
    notebook = opened(NAN)
    after = "# Runs after the prediction gradient_at_100."
    shows = cell(notebook, after)
    assert "Predict first: type your answer instead of the ... in `gradient_at_100 = ...`" in shows.inner_text()
    assert shows.locator("pre").last.evaluate("e => getComputedStyle(e).wordBreak") == "normal"  # words stay whole
    wrong = type_and_run(notebook, "gradient_at_100 = ...", 'gradient_at_100 = "b"; check("gradient_at_100")')
    assert "gradient_at_100: not yet" in wrong.inner_text()
    value = 'y = log1pexp(mg.constant(100.0)); print("value   ", y)'
    type_and_run(notebook, after, f"{after}\n{value}")
    assert "value    Tensor(inf" in shows.inner_text(), "a result is shown after its prediction"
    right = type_and_run(notebook, 'gradient_at_100 = "b"', 'gradient_at_100 = "d"; check("gradient_at_100")')
    assert "gradient_at_100: right" in right.inner_text()

    help_with = lambda call: type_and_run(notebook, "def safe_log1pexp", f"{ONE_WHERE.partition('check(')[0]}{call}")
    early = help_with('check.solution("safe_log1pexp")').inner_text()
    assert "safe_log1pexp: try it first" in early
    wrong = type_and_run(notebook, "def safe_log1pexp", ONE_WHERE)
    said = wrong.inner_text()
    assert "safe_log1pexp: not yet" in said and "2 of 3 checks" in said
    assert "It fails at x = 100, upstream = 1" in said
    assert "the branch not taken sends a nan" in said
    assert 'For a hint: check.hint("safe_log1pexp")' in said
    assert wrong.locator("td").all_inner_texts() == ["nan", "1"]
    picture = wrong.locator("img")
    assert "Yours is nan for x from" in picture.get_attribute("alt")
    assert picture.evaluate("image => image.complete && image.naturalWidth > 300")
    for number in (1, 2, 3):
        hint = help_with('check.hint("safe_log1pexp")').inner_text()
        assert f"safe_log1pexp: hint {number} of 3" in hint
    assert "mg.where(x > 50, 0.0, x)" in hint
    right = type_and_run(notebook, "def safe_log1pexp", TWO_WHERE)
    assert "safe_log1pexp: right" in right.inner_text()
    assert "the solution" in help_with('check.solution("safe_log1pexp")').inner_text()
    assert notebook.console_errors == []


@pytest.mark.lesson07
def test_lesson_7_shows_the_ghost_the_gradient_of_the_rule_and_the_forgotten_upstream(opened):
    notebook = opened(CUSTOM, predicted=True)
    output = cell(notebook, "viz.compare(log1pexp, 100.0)")
    ghosts = output.locator(".mg-stage .n.ghost").all_text_contents()
    for op in ("log", "add", "exp"):
        assert any(op in ghost for ghost in ghosts), "the op as it would have been differentiated"
    assert output.locator(".mg-stage path.e.bad.gh").count() == 1, "and the number it would have sent"
    assert output.locator(".mg-stage text.lv", has_text="nan").count() > 0
    table = output.locator("table").inner_text()
    assert "the custom rule repairs nan" in table
    assert output.locator("tbody td").all_inner_texts()[:2] == ["nan", "1"]
    before = cell(notebook, 'print("gradient", mg.gradients(y, x)[0])').inner_text()
    assert "gradient Tensor(1.0" in before
    assert "value    Tensor(inf" in before
    said = type_and_run(notebook, "def safe_sqrt", NO_UPSTREAM).inner_text()
    assert "forgot the upstream gradient" in said
    right = NO_UPSTREAM.replace("1 / (2 * y)", "upstream / (2 * y)")
    assert "safe_sqrt: right" in type_and_run(notebook, "def safe_sqrt", right).inner_text()
    assert notebook.console_errors == []


@pytest.mark.lesson06
def test_the_last_right_answer_leads_to_the_next_lesson(lab):
    """The others are marked as right, as they are when they were answered in an earlier session."""
    folder = lab.folder / "mine"
    hand_out(lessons_folder(), folder, kernel_metadata())
    notebook = lab.open(folder / NAN, fresh=True)
    notebook.do("await app.commands.execute('notebook:run-cell')")
    solved = (
        "from minigrad.classroom.student_progress import progress, record; progress(reset=True); "
        "names = list(check.exercises)"
    )
    solved = f"{solved}; [record('06', name, True, names) for name in names if name != 'gradient_at_100']"
    opened = 'from minigrad.classroom import lesson; check = lesson("06")'
    notebook.run_until(f"{opened}; {solved}; print('noted')", "noted")
    said = type_and_run(notebook, "gradient_at_100 = ...", 'gradient_at_100 = "d"; check("gradient_at_100")')
    link = said.get_by_role("link", name="7 · Write the rule yourself")
    assert "Lesson 6 is complete. Next:" in said.inner_text()
    page = notebook.page
    link.click()
    page.wait_for_function(f"jupyterapp.shell.currentWidget?.context?.path === 'mine/{CUSTOM}'")
    page.get_by_role("heading", name="7 · Write the rule yourself").wait_for()
    assert notebook.console_errors == []
