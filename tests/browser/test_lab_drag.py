"""Inputs that are changed in JupyterLab: live, and in a notebook that is opened again without being run."""

import pytest

from tests.browser.test_lab_player import COMPARE, PLAIN, run

pytestmark = pytest.mark.browser


def change(page, value):
    """Type into the field of the first view, without a kernel; what its first box says."""
    page.wait_for_selector(".mg-field")
    field = page.get_by_role("spinbutton", name="x", exact=True).first
    before = page.locator(".jp-Cell").count()
    field.fill(value)
    field.press("Enter")
    field.press("ArrowUp")  # no shortcut of the notebook
    assert page.locator(".jp-Cell").count() == before
    return page.locator(".mg-stage .n").first.text_content()


def test_a_field_works_live_and_in_a_notebook_that_is_opened_again(lab):
    with run(lab, "drag.ipynb", PLAIN, COMPARE) as notebook:
        assert "= 90" in change(notebook.page, "80")
        assert notebook.console_errors == [] and notebook.outside_requests == []
        path = notebook.save()
    reopened = lab.open(path)
    assert "= 20" in change(reopened.page, "10")
    table = reopened.page.locator(".jp-OutputArea-output table tbody")
    field = reopened.page.get_by_role("spinbutton", name="x", exact=True).last
    field.fill("1")
    field.press("Enter")
    assert "both are right" in table.inner_text()
    assert reopened.console_errors == []
