"""Assumptions that lessons and checks do not show: formulas instead of loops, helpers in modules."""

import gc
import tracemalloc

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.classroom import lesson
from minigrad.data.layer_chain import layers, peak, rows, run_all


def middle(x):
    y = mg.mean(x)
    for _ in range(200):
        w = 1 / mg.sqrt(1 + ((x - y) / 3) ** 2)
        y = mg.sum(w * x) / mg.sum(w)
    return y


@pytest.mark.lesson14
@pytest.mark.parametrize("points", [[0.0, 1.0, 10.0], [1.0, 2.0, 3.0, 50.0], [-2.5, 0.25, 0.5, 1.0, 7.0]])
def test_the_say_of_a_point_is_the_gradient_through_200_steps(points):
    value, say = lesson("14").exercises["robust_middle"].checks[:2]
    points = np.array(points)
    assert value.true(points) == pytest.approx(middle(mg.constant(points)).item(), rel=1e-9)
    assert say.true(points, -3.0) == pytest.approx(-3.0 * np.asarray(mg.grad(middle)(points)), rel=1e-6)


@pytest.mark.lesson14
@pytest.mark.parametrize("name, inputs", [("settled", [[0.0, 1.0, 10.0]]), ("on_orbit", [2.0, 0.5])])
def test_the_second_derivatives_in_the_checks_are_true(name, inputs):
    truths = lesson("14").exercises["robust_middle"].checks[0].true.__globals__
    mg.check_gradients(truths[name], *map(np.array, inputs), order=2)


@pytest.mark.lesson14
def test_the_bends_that_the_text_states():
    points = np.array([0.0, 1.0, 2.0, 3.0, 40.0])
    d = (40 - middle(mg.constant(points)).item()) / 3
    assert round(d, 1) == 12.5
    bend = lambda d: (1 + d * d) ** -1.5
    slope = mg.grad(lambda d: mg.sqrt(1 + d * d))
    assert mg.grad(slope)(np.array(0.7)).item() == pytest.approx(bend(0.7))
    assert bend(0) == 1 and round(bend(d), 4) == 0.0005
    assert round(slope(np.array(4.0)).item(), 2) == 0.97  # "nearly level" from there on


def in_pieces(size, part=layers):
    def model(x):
        for start in range(0, len(part), size):
            x = mg.recompute_grad(run_all(part[start : start + size]))(x)
        return x

    return model if size else run_all(part)


@pytest.mark.lesson13
@pytest.mark.parametrize("size, arrays, runs", [(0, 130, 64), (64, 130, 128), (8, 30, 128), (1, 70, 128)])
def test_the_arrays_that_are_in_memory_at_once(size, arrays, runs):
    assert peak(in_pieces(size)) == f"about {arrays:3d} arrays at once, {runs} runs of a layer"


def arrays_at_most(run):
    """The memory at the peak of a call, in arrays like the rows of lesson 13."""
    gc.collect()
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / rows.nbytes


@pytest.mark.lesson13
def test_recorded_steps_back_take_twenty_arrays_more_in_a_piece_of_eight():
    piece, x = run_all(layers[:8]), mg.constant(rows)
    recorded = arrays_at_most(lambda: mg.gradients(piece(x), x))
    alone = arrays_at_most(lambda: mg.grad(lambda x: mg.sum(piece(x)))(rows))
    assert round(recorded - alone, -1) == 20, "about 50 arrays, and about 30 for mg.recompute_grad"


@pytest.mark.lesson13
def test_a_plan_for_3_states_has_more_than_3_results_in_memory():
    def longest(states, sweeps):
        if states == 1 or sweeps == 0:
            return sweeps + 1
        return longest(states - 1, sweeps) + longest(states, sweeps - 1)

    def plan(part, states, sweeps):
        if len(part) == 1:
            return part[0]
        left = longest(states, sweeps - 1)
        first = mg.recompute_grad(plan(part[:left], states, sweeps - 1))
        rest = plan(part[left:], max(states - 1, 1), sweeps)
        return lambda x: rest(first(x))

    view = viz.schedule(lambda some: plan(some, 3, 2), [mg.tanh] * longest(3, 2), np.ones((3, 4)))
    assert view.most > 3
    assert sum(event.layer == view.rows[0].layer and event.what != "step back" for event in view.rows) == 3
