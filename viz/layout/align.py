"""Coordinates within the rows of a layered graph, after Brandes and Köpf: chains straight, no two boxes overlapping.

Each of four runs (from the first or last row, from the left or right) joins every node with a median neighbour
where that crosses nothing, so that chains become blocks, and pushes the blocks together. The result is the mean
of the two middle positions of the four; order and distance hold in each run, so they hold in the mean.
"""

from __future__ import annotations

from itertools import pairwise

from .layers import Layers


def coordinates(layers: Layers, breadth: dict[str, float], gap: float) -> dict[str, float]:
    """The centre of each key along its row; neighbours in a row are at least half their breadths and `gap` apart.

    >>> from viz.layout.layers import make_layers
    >>> layers = make_layers(["x", "y"], [("a", "x", "y")])
    >>> coordinates(layers, {"x": 10.0, "y": 40.0}, 5.0)
    {'y': 0.0, 'x': 0.0}
    """
    marked = _conflicts(layers)
    runs = []
    for flip_rows in (False, True):
        for flip in (False, True):
            rows = [row[::-1] if flip else row for row in (layers.rows[::-1] if flip_rows else layers.rows)]
            run = _compact(rows, _blocks(rows, layers, flip_rows, marked), breadth, gap)
            runs.append({key: -x for key, x in run.items()} if flip else run)
    lows = [min(x - breadth[k] / 2 for k, x in run.items()) for run in runs]
    highs = [max(x + breadth[k] / 2 for k, x in run.items()) for run in runs]
    narrow = min(range(4), key=lambda i: highs[i] - lows[i])
    # Runs 0 and 2 lean to the low side, 1 and 3 to the high side: line each up with the narrowest run there.
    shifts = [lows[narrow] - lows[i] if i % 2 == 0 else highs[narrow] - highs[i] for i in range(4)]
    result = {}
    for row in layers.rows:
        for key in row:
            spots = sorted(run[key] + shift for run, shift in zip(runs, shifts))
            result[key] = (spots[1] + spots[2]) / 2
    return result


def _conflicts(layers: Layers) -> set[tuple[str, str]]:
    """Edges that cross a line between two waypoints: the line stays straight, the edge bends."""
    marked: set[tuple[str, str]] = set()
    for r in range(1, len(layers.rows)):
        row, place = layers.rows[r], {key: i for i, key in enumerate(layers.rows[r - 1])}
        low, start = -1, 0
        for i, key in enumerate(row):
            inner = next((n for n in layers.below[key] if {key, n} <= layers.waypoints), None)
            if inner is None and i < len(row) - 1:
                continue
            high = len(place) if inner is None else place[inner]
            for other in row[start : i + 1]:
                for n in layers.below[other]:
                    if (place[n] < low or place[n] > high) and not {other, n} <= layers.waypoints:
                        marked.add((other, n))
            low, start = (low, i + 1) if inner is None else (high, i + 1)
    return marked


def _blocks(rows: list[list[str]], layers: Layers, flip_rows: bool, marked: set[tuple[str, str]]) -> dict[str, str]:
    """Map each key to the first key of the straight line that it belongs to."""
    near, far = (layers.above, layers.below) if flip_rows else (layers.below, layers.above)
    root = {key: key for row in rows for key in row}
    weight = {key: layers.priority.get(key, 0) for key in root}
    last: dict[str, str] = {}  # the end of the line that starts at a root
    for before, row in pairwise(rows):
        place = {key: i for i, key in enumerate(before)}
        used = -1
        for key in row:
            around = sorted((n for n in near[key] if n in place), key=place.__getitem__)
            if not around:
                continue
            heavy = min(weight[n] for n in around)
            around = [n for n in around if weight[n] == heavy]
            middle = (len(around) - 1) / 2
            for n in around[int(middle) : int(middle + 0.5) + 1]:
                free = last.get(root[n], n) == n and (key, n) not in marked and (n, key) not in marked
                if any(weight[other] < weight[key] for other in far[n]):
                    continue
                if root[key] == key and free and place[n] > used:
                    root[key] = root[n]
                    last[root[n]] = key
                    used = place[n]
    return root


def _compact(rows: list[list[str]], root: dict[str, str], breadth: dict[str, float], gap: float) -> dict[str, float]:
    """Push the blocks to the low side, then each as far to the high side as its neighbours leave room."""
    apart: dict[str, dict[str, float]] = {root[key]: {} for row in rows for key in row}
    waiting = dict.fromkeys(apart, 0)
    for row in rows:
        for a, b in pairwise(row):
            distance = (breadth[a] + breadth[b]) / 2 + gap
            after = apart[root[a]]
            waiting[root[b]] += root[b] not in after
            after[root[b]] = max(after.get(root[b], 0.0), distance)
    queue = [block for block in apart if not waiting[block]]
    x = dict.fromkeys(queue, 0.0)
    for block in queue:
        for later, distance in apart[block].items():
            x[later] = max(x.get(later, 0.0), x[block] + distance)
            waiting[later] -= 1
            if not waiting[later]:
                queue.append(later)
    for block in reversed(queue):
        if apart[block]:
            x[block] = max(x[block], min(x[later] - distance for later, distance in apart[block].items()))
    return {key: x[root[key]] for row in rows for key in row}
