"""The checks of the rules in lesson 12 see each break but those of rounding and of the size that is tried."""

import pytest

from tests.lessons.breaks import BREAKS, course, trials

UNSEEN = {"float32 only", "this size only"}  # their room is that of float32, and some probes have one size


@pytest.mark.slow
def test_breaks_of_rules_are_seen():
    (exercises,) = [trials(notebook, exercises) for number, notebook, exercises in course() if number == "12"]
    results = [*exercises]
    assert {change for _, _, change, result in results if result == "passes"} <= UNSEEN
    assert {change for _, _, change, result in results if result == "seen"} >= {*BREAKS} - UNSEEN
