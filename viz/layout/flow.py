"""Coordinates of a sheet: its columns one after the other and, where they are too wide together, in lines as a text.

frames.js does the same in a page, with frames open.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import NamedTuple

from .geometry import MARGIN, Path, Rectangle
from .sheet import LANE, NECK, Sheet, Track

AISLE = 10.0  #: distance of the lines that go on below
LINE = 8.0  #: what a line of columns costs, in edges that go on below


class Span(NamedTuple):
    """Where a column begins, has its middle and ends, where the room for messages before it begins, and its line."""

    begin: float
    middle: float
    end: float
    label: float
    line: int


class Knot(NamedTuple):
    """A point of a path: the line of columns that it belongs to, and where it is along and across."""

    line: int
    u: float
    c: float


def flow(sheet: Sheet, width: float) -> tuple[dict[str, Rectangle], dict[str, Path], float, float]:
    """Boxes and paths by key, and the size of the whole, `width` wide where the lines allow it."""
    lines, across = _lines(sheet, width), sheet.across
    spans: list[Span] = []
    for number, line in enumerate(lines):
        u = MARGIN + (AISLE * sheet.columns[line[0]].crossing if number else 0.0)
        for k in line:
            column = sheet.columns[k]
            u += 0.0 if not k else column.gap if k > line[0] else column.label
            spans.append(Span(u, u + column.size / 2, u + column.size, u - column.label, number))
            u += column.size
    shift, floors, breadth = [0.0], [sheet.breadth], sheet.breadth
    if len(lines) > 1:
        shift, floors, breadth = _stack(sheet, lines)
    boxes = {}
    for key, (k, c, w, h) in sheet.boxes.items():
        u, c = spans[k].middle, c + shift[spans[k].line]
        boxes[key] = Rectangle(u - w / 2, c - h / 2, w, h) if across else Rectangle(c - w / 2, u - h / 2, w, h)
    length = max(span.end for span in spans) + MARGIN
    length += AISLE * max((sheet.columns[line[0]].crossing for line in lines[1:]), default=0)
    paths = _paths(sheet, spans, shift, floors)
    return boxes, paths, *((length, breadth) if across else (breadth, length))


def _lines(sheet: Sheet, width: float) -> list[list[int]]:
    """The columns in lines: few lines, with few edges from one to the next, none wider than `width` if possible."""
    columns = sheet.columns
    last = len(columns)
    best: list[tuple[float, int]] = [(0.0, 0)]  # of the columns before each: the cost, the last line's begin
    for end in range(1, last + 1):
        found = (inf, 0)
        wide, after = 2 * MARGIN, columns[end].crossing if end < last else 0
        for begin in range(end - 1, -1, -1):
            gap, label, size, crossing = columns[begin]
            if begin == 0 or crossing <= NECK:
                over = wide + (label if begin else 0.0) + size + AISLE * ((crossing if begin else 0) + after) - width
                cost = best[begin][0] + LINE + after + (max(0.0, over) / LINE) ** 2
                found = min(found, (cost, begin))
            wide += gap + size
            if wide > 2 * width and found[0] < inf:
                break
        best.append(found if after <= NECK else (inf, 0))
    lines: list[list[int]] = []
    while last:
        begin = best[last][1]
        lines.append(list(range(begin, last)))
        last = begin
    return lines[::-1]


def _stack(sheet: Sheet, lines: list[list[int]]) -> tuple[list[float], list[float], float]:
    """How far each line is moved down, where each ends, and the breadth of the whole."""
    home = {k: number for number, line in enumerate(lines) for k in line}
    low, high = [inf] * len(lines), [0.0] * len(lines)
    spots = [(k, c, h if sheet.across else w) for k, c, w, h in sheet.boxes.values()]
    spots += [(k, c, LANE) for track in sheet.tracks.values() for k, c in track.lanes]
    for k, c, size in spots:
        number = home[k]
        low[number], high[number] = min(low[number], c - size / 2), max(high[number], c + size / 2)
    low = [0.0 if lowest == inf else lowest for lowest in low]  # a line of columns in which this picture has no box
    shift: list[float] = []
    floors, top = [], MARGIN
    for number, line in enumerate(lines):
        top += 2 * AISLE + AISLE * sheet.columns[line[0]].crossing if number else 0.0
        shift.append(round(top - low[number]))
        top += high[number] - low[number]
        floors.append(top)
    return shift, floors, top + MARGIN


def _paths(sheet: Sheet, spans: list[Span], shift: list[float], floors: list[float]) -> dict[str, Path]:
    ways = {key: _knots(sheet, spans, shift, track) for key, track in sheet.tracks.items()}
    rows: dict[tuple[int, str], int] = {}  # the order of those that go on below: the topmost turns outermost
    if len(floors) > 1:
        turns = [(a.line, a.c, key) for key, way in ways.items() for a, b in pairwise(way) if b.line > a.line]
        for line in range(len(floors)):
            mine = sorted(turn for turn in turns if turn[0] == line)
            rows |= {(line, key): row for row, (_, _, key) in enumerate(reversed(mine))}
    ends = {span.line: span.end for span in spans}
    paths = {}
    for key, way in ways.items():
        pieces: list[tuple[str, tuple[float, ...]]] = []
        for (line, u0, c0), (after, u1, c1) in pairwise(way):
            if after > line:  # to the end of the line, down, back to the beginning, on in the next line
                row = AISLE * rows[line, key]
                down, out, back = floors[line] + AISLE + row, ends[line] + AISLE + row, MARGIN + row
                pieces += [("L", spot) for spot in ((out, c0), (out, down), (back, down), (back, c1), (u1, c1))]
            elif abs(u1 - u0) < 0.5:  # a piece without length would leave an arrowhead without direction
                continue
            elif abs(c0 - c1) < 0.5:
                if pieces and pieces[-1][0] == "L" and pieces[-1][1][1] == c0:
                    pieces.pop()
                pieces.append(("L", (u1, c1)))
            else:
                middle = (u0 + u1) / 2
                pieces.append(("C", (middle, c0, middle, c1, u1, c1)))
        (_, u0, c0), (_, u1, c1) = way[0], way[-1]
        if sheet.across:
            paths[key] = Path((u0, c0), tuple(pieces), (u1 - 9, c1 - 4))
        else:
            pieces = [(letter, tuple(points[i ^ 1] for i in range(len(points)))) for letter, points in pieces]
            paths[key] = Path((c0, u0), tuple(pieces), (c1, u1 - 18))  # even, so that halves round alike
    return paths


def _knots(sheet: Sheet, spans: list[Span], shift: list[float], track: Track) -> list[Knot]:
    """The points of a line: straight across columns, curved between them."""
    k, c, *size = sheet.boxes[track.src]
    src, start, half = spans[k], c + track.leave + shift[spans[k].line], size[0 if sheet.across else 1] / 2
    knots = [Knot(src.line, src.middle + half, start), Knot(src.line, src.end, start)]
    for k, c in track.lanes:
        span = spans[k]
        c += shift[span.line]
        knots += [Knot(span.line, span.begin, c), Knot(span.line, span.end, c)]
    k, c, *size = sheet.boxes[track.dst]
    dst, goal, half = spans[k], c + track.arrive + shift[spans[k].line], size[0 if sheet.across else 1] / 2
    return [*knots, Knot(dst.line, dst.label, goal), Knot(dst.line, dst.middle - half, goal)]
