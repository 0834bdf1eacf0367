"""Set the row of each place: as near to its connected places as the other places in its column allow.

This is a weighted least-squares fit with minimum distances. In each round, the fit is solved column by column by
pooling adjacent violators.
"""

from __future__ import annotations

from .order import Grid, Place

ROUNDS, SETTLED = 40, 34  #: number of rounds; from round SETTLED on, both sides have the same weight
BETWEEN, BESIDE = 0.22, 0.12  #: distance in rows between two boxes, and between a waypoint and its neighbours


class Pool:
    """Neighbours in a column that are at their minimum distance, so they move together; `shift` is their position."""

    def __init__(self, weight: float, shift: float, place: Place) -> None:
        self.weight = weight
        self.shift = shift
        self.places = [place]


def set_rows(grid: Grid) -> None:
    """Set the row of each place, and the top and bottom of the grid."""
    for column in grid.columns:
        stack(column)
    for turn in range(ROUNDS):
        for column in grid.columns if turn % 2 == 1 else reversed(grid.columns):
            settle(column, turn)
    level = chains(grid)
    for _ in range(3):
        for chain in level:
            straighten(chain, grid.columns)
    grid.top = min([min([place.row - place.above for place in column]) for column in grid.columns])
    grid.low = max([max([place.row + place.below for place in column]) for column in grid.columns])


def stack(column: list[Place]) -> None:
    """Set the offsets of a column's places to their minimum distances, and centre the column on row 0."""
    at = 0.0
    for i, place in enumerate(column):
        if i > 0:
            before = column[i - 1]
            apart = BESIDE if place.waypoint or before.waypoint else BETWEEN
            at += before.below + place.above + apart
        place.offset = at
    for place in column:
        place.row = place.offset - at / 2


def settle(column: list[Place], turn: int) -> None:
    """Move the places of a column towards their neighbours; in even rounds the next column has the larger weight."""
    pools: list[Pool] = []
    for place in column:
        weight = 0.0
        total = 0.0
        first = place.sources if turn % 2 == 1 else place.targets
        second = place.targets if turn % 2 == 1 else place.sources
        for other in first:
            much = pull_of(place, other)
            weight += much
            total += much * other.row
        for other in second:
            much = pull_of(place, other) * (0.35 if turn < SETTLED else 1.0)
            weight += much
            total += much * other.row
        if weight == 0:
            weight = 0.01
            total = place.row * 0.01
        pools.append(Pool(weight, total / weight - place.offset, place))
        while len(pools) > 1 and pools[len(pools) - 2].shift > pools[len(pools) - 1].shift:
            last = pools.pop()
            pool = pools[len(pools) - 1]
            pool.shift = (pool.shift * pool.weight + last.shift * last.weight) / (pool.weight + last.weight)
            pool.weight += last.weight
            for moved in last.places:
                pool.places.append(moved)
    for pool in pools:
        for place in pool.places:
            place.row = pool.shift + place.offset


def pull_of(place: Place, other: Place) -> float:
    """Return the weight that pulls two places to one row; it is larger for a long line, which should be straight."""
    if place.waypoint and other.waypoint:
        return 30.0
    return 2.0 if place.waypoint or other.waypoint else 1.0


def chains(grid: Grid) -> list[list[Place]]:
    """Return the groups of places that can share a row: simple chains of places, then the waypoints of long lines."""
    groups: list[list[Place]] = []
    for column in grid.columns:
        for place in column:
            if not sole_link(place.sources, place):
                chain = [place]
                while sole_link(chain[len(chain) - 1].targets, chain[len(chain) - 1]):
                    chain.append(chain[len(chain) - 1].targets[0])
                if len(chain) > 1:
                    groups.append(chain)
    for wire in grid.wires:
        if len(wire.via) > 1:
            groups.append(wire.via)
    return groups


def sole_link(ends: list[Place], place: Place) -> bool:
    """Return whether the line on one side of a place is the only line on this side and on that side of its other end.

    ends : the places that the lines on this side connect to. Waypoints do not count.
    """
    if len(ends) != 1 or place.waypoint or ends[0].waypoint:
        return False
    return len(ends[0].targets if ends[0].column < place.column else ends[0].sources) == 1


def straighten(chain: list[Place], columns: list[list[Place]]) -> None:
    """Put the places of a chain on one row if some row is free in all their columns."""
    low = -1e9
    high = 1e9
    total = 0.0
    for place in chain:
        column = columns[place.column]
        total += place.row  # Python 3.12's `sum` rounds differently from a browser's
        if place.index > 0:
            before = column[place.index - 1]
            low = max(low, before.row + place.offset - before.offset)
        if place.index + 1 < len(column):
            after = column[place.index + 1]
            high = min(high, after.row + place.offset - after.offset)
    if low <= high:
        row = max(low, min(high, total / len(chain)))
        for place in chain:
            place.row = row
