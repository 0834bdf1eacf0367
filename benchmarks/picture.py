"""The time of a picture, compared with the backward pass that it shows.

A loop is drawn as one iteration and a strip. Code without repetition is the other extreme: each op is a separate box,
or in a frame with its neighbours.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

import minigrad as mg

from .timing import SLOT, clock, rounds

SIZES = (60, 300, 1_200, 10_000)
PASS, TRACE, PICTURE, PAGE, STEP = STAGES = ("backward pass", "trace", "picture", "page", "a step")


class Drawn(NamedTuple):
    """The seconds of each stage for a graph of so many ops, and the bytes of its page."""

    program: str
    ops: int
    seconds: dict[str, float]
    bytes: int


def loop(ops: int) -> tuple[Any, list[Any]]:
    """Return a recurrent net of four ops per iteration, and its inputs."""
    inputs = x, w, u = [mg.constant(value) for value in (0.5, 0.9, 0.1)]
    h = x
    for _ in range(ops // 4):
        h = mg.tanh(h * w + x * u)
    return h, inputs


def unlike(ops: int) -> tuple[Any, list[Any]]:
    """Ops in an order that does not repeat, each of one or two of the last nine values, and the inputs."""
    dice = random.Random(0)
    moves = (mg.tanh, mg.sin, mg.sigmoid, mg.add, mg.multiply, mg.subtract)
    known = [mg.constant(0.1 * k) for k in range(1, 5)]
    for _ in range(ops):
        k = dice.randrange(len(moves))
        picked = [known[-1], dice.choice(known[-9:])]
        known.append(moves[k](*picked[: 1 if k < 3 else 2]))
    return known[-1], known[:4]


PROGRAMS = {"a loop": loop, "nothing repeats": unlike}


def stages(y: Any, inputs: list[Any]) -> dict[str, Callable[[], Any]]:
    """Return the timed stages: everything from the graph of `y` on, or only a step in an existing picture."""
    import viz
    from minigrad.tracing.recorder import backward_trace

    lane = viz.backward(y)._lanes[0]
    middle = len(lane.moments) // 2
    found = (
        lambda: mg.gradients(y, inputs),
        lambda: backward_trace(y),
        lambda: viz.backward(y).to_svg(),
        lambda: viz.backward(y).to_html(),
        lambda: lane.drawn(middle),
    )
    return dict(zip(STAGES, found))


def draw(name: str, ops: int, count: int, tick: Callable[[], Any] = lambda: None) -> Drawn:
    """Return the medians of `count` rounds that alternate the stages. `tick` is called after each."""
    runs = stages(*PROGRAMS[name](ops))
    size = len(runs[PAGE]().encode())
    clocks = {stage: lambda calls, run=run: clock(run, calls) for stage, run in runs.items()}
    times: dict[str, list[float]] = {}
    for times in rounds(clocks, count, SLOT):  # noqa: B007  the last one holds all
        tick()
    return Drawn(name, ops, {stage: median(seconds) for stage, seconds in times.items()}, size)
