"""The questions at the end of a lesson as a form in a real JupyterLab: by keyboard, with a verdict for each."""

import pytest

pytestmark = pytest.mark.browser


@pytest.mark.smoke
def test_the_questions_of_a_lesson_are_answered_by_keyboard(lab):
    cells = ['from minigrad.classroom import lesson\ncheck = lesson("06")', "check.questions()"]
    with lab.open(lab.write("questions.ipynb", cells)) as notebook:
        assert notebook.run_all()
        page = notebook.page
        field = page.get_by_placeholder("a number")
        field.click()
        page.keyboard.type("11.1")
        page.get_by_role("radio").nth(2).focus()
        page.keyboard.press("Space")
        page.get_by_role("radio").nth(3).focus()
        page.keyboard.press("Space")
        page.get_by_role("button", name="Check", exact=True).focus()
        page.keyboard.press("Enter")
        page.get_by_role("status").nth(2).wait_for()
        said = page.get_by_role("status").all_inner_texts()
        assert said == [
            "✓ log(65504). It is 88.7 in float32 and 709.8 in float64.",
            "✓ Neither 0 nor inf can be right for every way to get there.",
            "✗ where sends 0 to the root, whose slope is inf there.",
        ]
        notebook.screenshot("questions")
        notebook.set_theme(dark=True)
        notebook.screenshot("questions_dark")
        assert not notebook.console_errors
