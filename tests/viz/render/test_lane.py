"""A lane: whether a pass is drawn without frames."""

import time

import pytest

import minigrad as mg
from viz import backward
from viz.render.lane import LONGEST, _legible, _longest_chain


def chain(length):
    y = mg.constant(0.5)
    for _ in range(length):
        y = mg.sin(y)
    return backward(y, fold="none")._lanes[0]


@pytest.mark.parametrize("length", [2, 10, 17, 18, 21, 24, 25, 26, 40])
def test_a_chain_that_is_too_long_is_known_before_it_is_laid_out_and_no_other_is(length):
    lane = chain(length)
    assert _longest_chain(lane.scene.graph["edges"]) == length + 1
    assert _legible(lane) == lane.scene.choice(lane.window(), lane.state(len(lane.moments) - 1)).legible
    assert _legible(lane) or length >= 17  # each side of the limit is tried
    assert not _legible(lane) or length < LONGEST


def test_a_rule_in_place_of_a_long_loop_is_drawn_at_once():
    @mg.custom_gradient
    def root(a):
        y = a
        for _ in range(100):
            y = (y + a / y) / 2
        return y, lambda upstream: upstream / (2 * y)

    began = time.process_time()
    backward(lambda a: 2.0 * root(a), a=4.0)
    rule = time.process_time() - began
    began = time.process_time()
    for _ in range(20):
        backward(lambda a: 2.0 * mg.sqrt(a), a=4.0)
    assert rule < 5 * (time.process_time() - began)  # more than ten times as long if all 300 boxes get a row
