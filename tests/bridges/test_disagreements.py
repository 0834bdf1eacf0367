"""The table of points at which frameworks differ, measured with those that are installed."""

import minigrad as mg
from minigrad.bridges.disagreements import POINTS, installed, measured, table
from minigrad.classroom.release import sources


def test_each_point_is_measured_here():
    rows = measured()
    assert len(rows) == len(POINTS) >= 22
    (lesson,) = (path.read_text(encoding="utf-8") for path in sources(["10"]))
    assert f"measures {len(POINTS)} such points" in lesson
    assert all("minigrad" in found for _, found in rows)
    known = dict(rows)
    assert known["norm at 0"]["minigrad"] == "0, slope [0 0]"
    assert known["sqrt at 0"]["minigrad"] == "0, slope inf"
    assert known["where with a root of -1"]["minigrad"] == "0, slope nan"


def test_rows_that_differ_are_marked():
    rows = [("same", {"minigrad": "0, slope 0", "JAX": "0, slope 0"})]
    rows += [("other", {"minigrad": "0, slope 0", "JAX": "0, slope nan"})]
    lines = table(rows).splitlines()
    assert [line[:1] for line in lines[1:3]] == [" ", "*"]
    told = "The frameworks differ at 1 of 2 points. Not installed, so not measured: PyTorch, TensorFlow."
    assert lines[-1] == told


def test_alone_nothing_differs_and_the_version_is_named():
    lines = table(measured(POINTS[:1])[:1]).splitlines() if len(installed()) == 1 else [f"minigrad {mg.__version__}"]
    assert f"minigrad {mg.__version__}" in lines[0] and not any("differ" in line for line in lines)
