"""Lessons as LaTeX, on a computer without Inkscape: nbconvert asks it for each output that has an SVG and no PDF."""

import nbformat
import pytest

from minigrad.lab.handout import lessons_folder

exporters = pytest.importorskip("nbconvert.exporters")
LESSONS = sorted(lessons_folder().glob("[0-9]*.ipynb"))
STEPS = "step  op"  #: how the table of a backward pass begins


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem[:2])
def test_a_lesson_becomes_latex_with_the_text_of_its_pictures(lesson, monkeypatch):
    monkeypatch.setenv("PATH", "")
    notebook = nbformat.read(lesson, 4)
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]  # Pandoc converts the others
    exporter = exporters.LatexExporter()
    exporter.register_filter("convert_pandoc", lambda text, *_, **__: text)
    tex, resources = exporter.from_notebook_node(notebook)
    assert r"\end{document}" in tex
    assert not any(name.endswith((".svg", ".pdf")) for name in resources["outputs"])
    twins = [o["data"].get("text/plain", "") for cell in notebook.cells for o in cell.outputs if "data" in o]
    assert tex.count(STEPS) == sum(text.count(STEPS) for text in twins)
