"""The table of points at which frameworks differ, measured with those that are installed."""

from minigrad.bridges.disagreements import POINTS, measured, table


def test_each_point_is_measured_here():
    rows = measured()
    assert len(rows) == len(POINTS) >= 22
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
    assert lines[-1] == "The frameworks differ at 1 of 2 points."
