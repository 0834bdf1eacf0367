"""Put each box into the last possible column, order the columns so that few lines cross, and add waypoints."""

from __future__ import annotations

COUNTED = 80  #: maximum number of lines between two columns for which crossings are counted
SWEEPS = 12
BEFORE, AFTER = "<<", ">>"  #: the places that represent the iterations before and after the drawn iteration


class Place:
    """A box, a frame, a port or a waypoint of a grid.

    key : "n3" for the box of node 3, the key of a frame, "<" or ">" for the port where lines enter or leave a frame.
    row : its row, counted downwards. above, below : how far it extends above and below this row. units : its length
        along the flow, in boxes. gaps : the number of gaps between the columns inside it.
    """

    def __init__(self, key: str, column: int) -> None:
        self.key = key
        self.column = column
        self.index = 0
        self.row = 0.0
        self.offset = 0.0
        self.pull = 0.0
        self.units = 0.0
        self.gaps = 0.0
        self.above = 0.16
        self.below = 0.16
        self.waypoint = False
        self.seen = False
        self.sources: list[Place] = []
        self.targets: list[Place] = []


class Wire:
    """A line of a grid, or several lines from a frame drawn as one line; `edges` has the indices of the edges."""

    def __init__(self, src: str, dst: str) -> None:
        self.src = src
        self.dst = dst
        self.edges: list[int] = []
        self.via: list[Place] = []


class Grid:
    """The places of one frame by column, and its wires."""

    def __init__(self, columns: list[list[Place]], places: dict[str, Place], wires: list[Wire]) -> None:
        self.columns = columns
        self.places = places
        self.wires = wires
        self.crossings = 0
        self.top = 0.0
        self.low = 0.0
        self.units = 0.0
        self.gaps = 0.0


def ranks(keys: list[str], wires: list[Wire]) -> dict[str, int]:
    """Return the length of each key's longest path to the result; port "<" comes first, and port ">" last."""
    entering: dict[str, list[str]] = {key: [] for key in keys}
    waiting: dict[str, int] = {key: 0 for key in keys}
    for wire in wires:
        entering[wire.dst].append(wire.src)
        waiting[wire.src] += 1
    last = keys[len(keys) - 1] == ">"
    rank: dict[str, int] = {key: 1 if last and key != ">" else 0 for key in keys}
    ready = [key for key in keys if waiting[key] == 0]
    at = 0
    while at < len(ready):
        key = ready[at]
        at += 1
        for src in entering[key]:
            rank[src] = max(rank[src], rank[key] + 1)
            waiting[src] -= 1
            if waiting[src] == 0:
                ready.append(src)
    if keys[0] == "<":
        rank["<"] = max([rank[key] for key in keys if key != "<"]) + 1
    return rank


def grid_of(keys: list[str], wires: list[Wire]) -> Grid:
    """Return the ordered grid of the boxes, frames and ports `keys` and of the wires between them."""
    rank = ranks(keys, wires)
    last = max([rank[key] for key in keys])
    places = {key: Place(key, last - rank[key]) for key in keys}
    every = [places[key] for key in keys]
    for wire in wires:
        here, there = places[wire.src], places[wire.dst]
        for column in range(here.column + 1, there.column):
            way = Place("", column)
            way.waypoint = True
            here.targets.append(way)
            way.sources.append(here)
            wire.via.append(way)
            every.append(way)
            here = way
        here.targets.append(there)
        there.sources.append(here)
    columns: list[list[Place]] = [[] for _ in range(last + 1)]
    every.sort(key=from_the_end)
    for place in every:
        if not place.seen:
            gather(place, columns)
    grid = Grid(columns, places, wires)
    sort(grid)
    return grid


def from_the_end(place: Place) -> int:
    return -place.column


def gather(start: Place, columns: list[list[Place]]) -> None:
    """Append `start` and all places connected to it to their columns, depth first, in the order of arguments."""
    stack = [start]
    while len(stack) > 0:
        place = stack.pop()
        if place.seen:
            continue
        place.seen = True
        columns[place.column].append(place)
        for other in reversed(place.targets):
            stack.append(other)
        for other in reversed(place.sources):
            stack.append(other)


def sort(grid: Grid) -> None:
    """Order the places in each column so that few lines cross.

    Columns are sorted repeatedly by the mean index of each place's neighbours; the best order found is kept.
    """
    number(grid.columns)
    best = crossings(grid.columns)
    kept = [column[:] for column in grid.columns]
    for sweep in range(SWEEPS):
        if best == 0:
            break
        forward = sweep % 2 == 0
        for column in grid.columns if forward else reversed(grid.columns):
            for place in column:
                beside = place.sources if forward else place.targets
                place.pull = place.index
                if len(beside) > 0:
                    place.pull = sum([other.index for other in beside]) / len(beside)
            column.sort(key=by_pull)
            renumber(column)
        count = crossings(grid.columns)
        if count < best:
            best = count
            kept = [column[:] for column in grid.columns]
    grid.columns = kept
    grid.crossings = best
    number(kept)


def by_pull(place: Place) -> float:
    return place.pull


def number(columns: list[list[Place]]) -> None:
    for column in columns:
        renumber(column)


def renumber(column: list[Place]) -> None:
    for i, place in enumerate(column):
        place.index = i


def crossings(columns: list[list[Place]]) -> int:
    """Return the number of pairs of lines that cross between neighbouring columns."""
    count = 0
    for column in columns:
        starts: list[int] = []
        ends: list[int] = []
        for place in column:
            for other in place.targets:
                starts.append(place.index)
                ends.append(other.index)
        if len(starts) <= COUNTED:
            for i in range(len(starts)):
                for j in range(i):
                    if (starts[i] - starts[j]) * (ends[i] - ends[j]) < 0:
                        count += 1
    return count
