"""A notebook opens, runs and saves in a real JupyterLab."""

import json

import pytest

pytestmark = pytest.mark.browser


def test_one_plus_one_is_seen_to_be_two(lab):
    notebook = lab.open(lab.write("one plus one.ipynb", ["1 + 1"]))
    assert notebook.run_all()
    output = notebook.page.locator(".jp-OutputArea-executeResult .jp-RenderedText")
    output.wait_for()
    assert output.inner_text().strip() == "2"
    saved = json.loads(notebook.save().read_text(encoding="utf-8"))
    assert saved["cells"][0]["outputs"][0]["data"]["text/plain"] == ["2"]
    assert notebook.console_errors == []
    assert notebook.outside_requests == []


def test_a_cell_that_raises_is_reported_and_the_theme_is_restored(lab, tmp_path):
    source = lab.write("raises.ipynb", ["1 / 0"]).rename(tmp_path / "raises.ipynb")
    with lab.open(source) as notebook:
        notebook.set_theme(dark=True)
        assert not notebook.run_all()
        (output,) = notebook.read()["cells"][0]["outputs"]
        assert output["ename"] == "ZeroDivisionError"
    body = lab.open(lab.write("light.ipynb", ["1"])).page.locator("body")
    assert body.get_attribute("data-jp-theme-light") == "true"
