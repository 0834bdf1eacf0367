"""The built-in layered layout: ranks, waypoints, order within a rank, and coordinates that keep chains straight.

The steps are those of Sugiyama, Tagawa and Toda (1981), with the coordinates of Brandes and Köpf (2001). All of
it is plain Python and deterministic.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ..model.drawing import ranks

LONG = 40  #: an edge over more ranks than this has no waypoints: it runs around the picture


@dataclass
class Layers:
    """A graph whose every edge joins neighbouring ranks: long edges run over waypoints.

    rows[r] are the keys of rank r; `above[k]` and `below[k]` the neighbours of k in rank r + 1 (its sources) and
    r - 1 (its targets). `chain[link]` are the waypoints of a link from source to target. A key with a higher
    number in `priority` (ghosts 1, constants 2, and their waypoints) bends where two lines cannot both be straight.
    """

    rank: dict[str, int]
    rows: list[list[str]]
    above: dict[str, list[str]]
    below: dict[str, list[str]]
    chain: dict[str, list[str]]
    waypoints: set[str]
    priority: dict[str, int]


def make_layers(
    keys: list[str],
    links: list[tuple[str, str, str]],
    priority: dict[str, int] | None = None,
    first: Collection[str] = (),
) -> Layers:
    """Build the layers of a graph; `links` are (key, source, target) in the order in which they should lie.

    first: keys of the highest rank.

    >>> layers = make_layers(["x", "exp", "y"], [("a", "x", "exp"), ("b", "exp", "y"), ("c", "x", "y")])
    >>> layers.rank["x"], layers.chain["c"], [len(row) for row in layers.rows]
    (2, ['c/1'], [1, 2, 1])
    """
    rank = ranks(keys, [(src, dst) for _, src, dst in links])
    linked = {end for _, src, dst in links for end in (src, dst)}
    rank |= dict.fromkeys(set(keys) - linked, max(rank.values(), default=0))  # what nothing uses stands with the inputs
    if first:
        rank |= dict.fromkeys(first, max(rank[key] + (key not in first) for key in keys))
    above: dict[str, list[str]] = {key: [] for key in keys}
    below: dict[str, list[str]] = {key: [] for key in keys}
    chain: dict[str, list[str]] = {}
    waypoints: set[str] = set()
    priority = dict(priority or {})
    for link, src, dst in links:
        span = rank[src] - rank[dst]
        if span > LONG:
            chain[link] = []
            continue
        points = [f"{link}/{r}" for r in range(rank[src] - 1, rank[dst], -1)]
        for r, point in zip(range(rank[src] - 1, rank[dst], -1), points):
            rank[point] = r
            above[point], below[point] = [], []
        waypoints.update(points)
        priority.update(dict.fromkeys(points, max(priority.get(src, 0), priority.get(dst, 0))))
        chain[link] = points
        for upper, lower in zip([src, *points], [*points, dst]):
            above[lower].append(upper)
            below[upper].append(lower)
    rows: list[list[str]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for key in _depth_first(keys, above, rank):
        rows[rank[key]].append(key)
    return Layers(rank, rows, above, below, chain, waypoints, priority)


def _depth_first(keys: list[str], above: dict[str, list[str]], rank: dict[str, int]) -> list[str]:
    """Keys in the order of a walk from the output along the arguments: a good first order, without recursion."""
    seen: dict[str, None] = {}
    for start in sorted(keys, key=rank.__getitem__):
        stack = [start]
        while stack:
            key = stack.pop()
            if key not in seen:
                seen[key] = None
                stack.extend(reversed(above[key]))
    return list(seen)


def order(layers: Layers) -> None:
    """Sort each row so that few edges cross: sweeps by the mean position of the neighbours, swaps, at last sifting.

    The best order seen is kept, and the first of equals, so that ties stay in argument order.
    """
    size = sum(len(row) for row in layers.rows)
    starts = [layers.rows, _from_sources(layers)] if size < 1000 else [layers.rows]
    found = []
    for i, start in enumerate(starts):
        layers.rows[:] = [list(row) for row in start]
        found.append((_improve(layers, size), i, [list(row) for row in layers.rows]))
    layers.rows[:] = min(found)[2]


def _from_sources(layers: Layers) -> list[list[str]]:
    """The rows in the order of a walk from the inputs: another start, from which another order is found."""
    seen: dict[str, int] = {}
    for start in [key for row in reversed(layers.rows) for key in row]:
        stack = [start]
        while stack:
            key = stack.pop()
            if key not in seen:
                seen[key] = len(seen)
                stack.extend(reversed(layers.below[key]))
    return [sorted(row, key=seen.__getitem__) for row in layers.rows]


def _improve(layers: Layers, size: int) -> int:
    """Reorder the rows and return the number of crossings that are left."""
    best, fewest = [list(row) for row in layers.rows], _all_crossings(layers)
    for sweep in range(24 if size < 1000 else 10 if size < 3000 else 4):
        if not fewest:
            break
        down = sweep % 2 == 0
        neighbours = layers.below if down else layers.above
        rows = range(1, len(layers.rows)) if down else range(len(layers.rows) - 2, -1, -1)
        for r in rows:
            _by_mean(layers, r, r - 1 if down else r + 1, neighbours, sweep % 4 > 1)
        if size < 3000:
            _swap(layers)
        now = _all_crossings(layers)
        if now < fewest:
            best, fewest = [list(row) for row in layers.rows], now
    layers.rows[:] = best
    for _ in range(6 if size < 1500 else 0):
        _sift(layers)
        now = _all_crossings(layers)
        if now >= fewest:
            break
        fewest = now
    return fewest


def _by_mean(layers: Layers, r: int, fixed: int, neighbours: dict[str, list[str]], median: bool) -> None:
    place = {key: i for i, key in enumerate(layers.rows[fixed])}
    mean = {}
    for i, key in enumerate(layers.rows[r]):
        spots = sorted(place[n] for n in neighbours[key] if n in place)
        if median and len(spots) > 2:
            spots = spots[(len(spots) - 1) // 2 : len(spots) // 2 + 1]
        mean[key] = sum(spots) / len(spots) if spots else i * len(place) / len(layers.rows[r])
    layers.rows[r].sort(key=mean.__getitem__)


def _around(layers: Layers, r: int) -> list[dict[str, list[int]]]:
    """For each of the rows beside row r: where the neighbours of each key stand."""
    around = []
    for other, neighbours in ((r - 1, layers.below), (r + 1, layers.above)):
        if 0 <= other < len(layers.rows):
            place = {key: i for i, key in enumerate(layers.rows[other])}
            around.append({key: sorted(place[n] for n in neighbours[key] if n in place) for key in layers.rows[r]})
    return around


def _sift(layers: Layers) -> None:
    """Move each key to the place in its row where it crosses least (Matuszewski, Schönfeld and Molitor, 1999)."""
    for r, row in enumerate(layers.rows):
        around = _around(layers, r)
        for key in list(row):
            rest = [other for other in row if other != key]
            here = row.index(key)
            cost, costs = 0, [0]
            for other in rest:  # what it changes to stand behind `other` instead of before it
                cost += sum(_pair(spots[other], spots[key]) - _pair(spots[key], spots[other]) for spots in around)
                costs.append(cost)
            best = min(range(len(costs)), key=lambda i: (costs[i], i != here))
            row[:] = [*rest[:best], key, *rest[best:]]


def _swap(layers: Layers) -> None:
    """Exchange neighbours in a row while that lowers the number of crossings."""
    for r, row in enumerate(layers.rows):
        around = _around(layers, r)
        for _ in range(3):
            changed = False
            for i in range(len(row) - 1):
                a, b = row[i], row[i + 1]
                if sum(_pair(spots[a], spots[b]) - _pair(spots[b], spots[a]) for spots in around) > 0:
                    row[i], row[i + 1] = b, a
                    changed = True
            if not changed:
                break


def _pair(left: list[int], right: list[int]) -> int:
    """Crossings between the edges of two neighbours of which `left` lies before `right`; both lists are sorted."""
    count = j = 0
    for spot in left:
        while j < len(right) and right[j] < spot:
            j += 1
        count += j
    return count


def _all_crossings(layers: Layers) -> int:
    return sum(crossings(layers, r) for r in range(len(layers.rows) - 1))


def crossings(layers: Layers, r: int) -> int:
    """Crossings between rows r and r + 1: inversions, counted in a Fenwick tree."""
    place = {key: i for i, key in enumerate(layers.rows[r + 1])}
    ends = [i for key in layers.rows[r] for i in sorted(place[n] for n in layers.above[key] if n in place)]
    tree, total = [0] * (len(place) + 1), 0
    for seen, end in enumerate(ends):
        smaller, i = 0, end + 1
        while i:
            smaller += tree[i]
            i -= i & -i
        total += seen - smaller
        i = end + 1
        while i < len(tree):
            tree[i] += 1
            i += i & -i
    return total
