"""What a saved lesson is compared by, and that a second run gives the same bytes."""

import base64
import copy
import io
import json
import re

import pytest
from nbformat.v4 import new_output

import minigrad as mg
import viz
from minigrad.classroom.notebook import blank, read
from minigrad.classroom.release import execute, sources
from minigrad.classroom.run_notebook import joined
from tests.helpers.lesson_runs import group, seen_by_a_student
from tests.helpers.saved_outputs import agree, differences, same
from viz.hosts.html import data_uri

(LESSON,) = sources(["06"])


@pytest.mark.slow
@pytest.mark.lesson06
@pytest.mark.xdist_group(group(LESSON))
def test_a_second_run_of_a_lesson_gives_the_same_bytes():
    one, two = seen_by_a_student(LESSON), execute(blank(read(LESSON)))
    assert ran(one) == ran(two)


def ran(notebook):
    """The text of what a run may change in a notebook."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert any(cell.outputs for cell in cells)
    return json.dumps([cells, notebook.metadata], sort_keys=True)


@pytest.mark.parametrize(
    ("old", "new", "agrees"),
    [
        ("1.0737418e+09", "1073741800.0", True),
        ("0.88079715", "0.8807971", True),
        ("7.38905573", "7.38905621", True),
        ("2.", "2.0", True),
        ("2e-10", "3e-10", True),
        ("-0.0012345678901234", "-0.0012346870994", True),
        ("-0.0012345678901234", "-0.0012376870994", False),
        ("0.00123", "0.00125", False),
        ("26.0", "2.0", False),
        ("0.8808", "0.8811", False),
        ("1e-10", "1e-9", False),
        ("26", "27", False),
        ("16777217", "16777216", False),
        ("1.5", "-1.5", False),
    ],
)
def test_numbers_agree_to_the_digits_that_are_printed(old, new, agrees):
    assert agree(old, new) == agree(new, old) == agrees


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("Tensor([1.,  2.])", "Tensor([1., 2.])", True),
        ("the slope is 1", "the slope is nan", False),
        ("it passes at 2", "it fails at 2", False),
        ("M78 27h38c17 0", "M78 27h39c17 0", False),
        ("1 2 3", "1 2", False),
    ],
)
def test_texts_have_the_same_words(old, new, is_same):
    assert same(old, new) == same(new, old) == is_same


def png(colour, version="Matplotlib 1", size=(8, 8)):
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    info, file = PngInfo(), io.BytesIO()
    info.add_text("Software", version)
    Image.new("RGB", size, colour).save(file, "png", pnginfo=info)
    data = base64.b64encode(file.getvalue()).decode()
    return {"text/html": f'<img alt="a square" src="data:image/png;base64,{data}">'}


def view(x, name="y"):
    x = mg.constant(x)
    return viz.backward(x * x, names={"x": x})._repr_mimebundle_()


def hashed_otherwise(shown):
    """The same plot, in which a part and what refers to it have another name: the hash of its last digits."""
    html = shown["text/html"]
    part = re.search(r"%23(m[0-9a-f]{10})", html)[1]
    return {"text/html": html.replace(part, "m0123456789")}


def notebook(data):
    return {"cells": [{"id": "cell", "outputs": [{"output_type": "display_data", "data": data}]}]}


def plot(*numbers, version="Matplotlib 1"):
    svg = re.sub("Matplotlib [^-]*", version, viz.matrices(yours=[numbers], true=[numbers]).to_svg())
    return {"text/html": f'<img alt="a plot" src="{data_uri(svg)}">'}


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        (png("red"), png("blue"), "another picture"),
        (png("red"), png("red", size=(8, 9)), "another picture"),
        (png("red"), {"text/html": '<img alt="a square" src="">'}, "another picture"),
        (png("red"), png("red"), None),
        (png("red"), png("blue", "Matplotlib 2"), None),
        (plot(1.0, 2.0), plot(1.0, 2.0), None),
        (plot(1.0, 2.0), hashed_otherwise(plot(1.0, 2.0)), None),
        (plot(1.0, 2.0), plot(1.0, 3.0), "another plot"),
        (plot(1.0, 2.0), {"text/html": '<img alt="a plot" src="">'}, "another plot"),
        (plot(1.0, 2.0), plot(1.0, 3.0, version="Matplotlib 2"), None),
        (view(3.0), view(3.0), None),
        (view(3.0), view(3.5), "text/html"),
        (png("red"), {"text/html": png("red")["text/html"].replace("a square", "a circle")}, "a circle"),
        ({"a/b": {"status": "right"}}, {"a/b": {"status": "wrong"}}, "a/b"),
        ({"text/plain": "1"}, {}, "text/plain"),
    ],
)
def test_pictures_are_compared_by_their_data_their_words_and_their_pixels(old, new, where):
    found = list(differences(notebook(old), notebook(new)))
    assert len(found) == (where is not None)
    assert all(where in words for words in found)


def test_the_numbers_of_a_player_are_compared_where_its_picture_and_its_twin_agree():
    """What is told at a step is in the packed data only."""
    x = mg.constant(3.0)
    shown = viz.backward(x * x, names={"x": x})
    html = shown._repr_mimebundle_()["text/html"]
    data, stop = shown.data()
    row = next(row for row in data["lanes"][0]["stops"] if "=" in row[6])
    row[6] += "1"
    shown.data = lambda *_: (data, stop)
    mixed = shown._repr_mimebundle_()["text/html"]
    assert re.sub("<script>.*", "", mixed, flags=re.DOTALL) == re.sub("<script>.*", "", html, flags=re.DOTALL)
    (words,) = differences(notebook({"text/html": html}), notebook({"text/html": mixed}))
    assert "3" in words


def test_a_player_that_is_packed_otherwise_is_a_difference():
    html = view(3.0)["text/html"]
    start = html.index(',t="') + 4
    other = f"{html[:start]}!!!!!!!!{html[start + 8 :]}"
    (words,) = differences(notebook({"text/html": other}), notebook({"text/html": html}))
    assert "otherwise" in words


def test_an_output_that_is_missing_or_new_is_a_difference():
    full, empty = notebook({"text/plain": "1"}), notebook({})
    empty["cells"][0]["outputs"] = []
    assert len(list(differences(full, empty))) == len(list(differences(empty, full))) == 1
    printed = {"cells": [{"id": "a", "outputs": [{"output_type": "stream", "text": "slope 1.0"}]}]}
    other = copy.deepcopy(printed)
    other["cells"][0]["outputs"][0]["text"] = "slope 0.0"
    assert list(differences(printed, other)) == ["cell a: its text was 'slope 1.0' and is 'slope 0.0'"]


@pytest.mark.parametrize(
    ("old", "new", "agrees"),
    [
        ({"text/plain": "reads 61%"}, {"text/plain": "reads 70%"}, True),
        ({"text/plain": "reads 61%"}, {"text/plain": "reads nan%"}, False),
        ({"text/plain": "16 are silent"}, {"text/plain": "16 of them"}, False),
        ({"text/plain": "loss 2 3"}, {"text/plain": "loss 2"}, False),
        ({"text/plain": "reads 61%"}, {}, False),
        (plot(1.0, 2.0), plot(1.0, 3.0), True),
        (png("red"), png("blue"), True),
        (png("red"), {"text/html": png("red")["text/html"].replace("a square", "a circle")}, False),
    ],
)
def test_of_a_trained_network_the_words_are_compared(old, new, agrees):
    saved, made = notebook(old), notebook(new)
    for each in (saved, made):
        each["cells"][0]["metadata"] = {"tags": ["after-prediction", "trained"]}
    assert (list(differences(saved, made)) == []) == agrees
    made["cells"][0]["metadata"] = {}
    assert (list(differences(saved, made)) == []) == (old == new)


def test_what_a_kernel_sends_in_parts_is_saved_as_one():
    parts = [new_output("stream", text=text) for text in ("args:", " 2\n")]
    shown = new_output("display_data", {"text/plain": "a picture"})
    again = new_output("stream", text="after\n")
    warned = new_output("stream", name="stderr", text="warning\n")
    found = joined([*parts, shown, again, warned])
    assert [output.get("text") for output in found] == ["args: 2\n", None, "after\n", "warning\n"]
