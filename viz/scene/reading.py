"""Place boxes in reading order if columns have no room for their names: one box per cell, in as many rows as needed.

An open frame begins a new row, and the box after it begins another. A line between boxes that are not neighbours runs
down the left margin, then in a lane above the row of its end.
"""

from __future__ import annotations

from typing import Any

from .order import AFTER, BEFORE

PHONE = 560.0  #: width of a window in pixels below which cells are narrower
TRACK, SIDE = 8.0, 6.0  #: distance in pixels between two lanes above a row, and between two in the margin
TRACKS, SIDES = 9, 5  #: maximum number of lanes above a row and in the margin
EDGE = 6.0  #: distance in pixels from the edge of the window to the first lane in the margin
RIM, UNDER, TURNS = 24.0, 10.0, 112.0  #: room in an open frame: above its boxes, below them, and for a loop's strip
TAB = 0.56  #: fraction of the room above a box that an input occupies: see `Scene.pill`


class Tile:
    """A box, a closed frame, or the iteration of a loop before or after the iteration that is drawn.

    span : the number of columns that the cell occupies. above : the height in pixels of the inputs above the cell.
    slot : the first column of the cell.
    """

    def __init__(self, key: str, span: int, high: float, above: float) -> None:
        self.key = key
        self.span = span
        self.above = above
        self.line = 0
        self.slot = 0
        self.x = 0.0
        self.y = 0.0
        self.w = 0.0
        self.h = high
        self.leaving: list[Way] = []
        self.arriving: list[Way] = []


class TileRow:
    """A row of cells from `begin` to `right`, divided into `columns`.

    base : the vertical position of the top of the cells, including the inputs above them. lanes : the occupied ranges
        of each lane above the row, lowest lane first.
    """

    def __init__(self, begin: float, right: float, columns: int) -> None:
        self.begin = begin
        self.right = right
        self.columns = columns
        self.cells: list[Tile] = []
        self.base = 0.0
        self.lanes: list[list[list[float]]] = []

    def framed(self) -> bool:
        """Return whether the row contains a closed frame, which may have text below it."""
        return len([cell for cell in self.cells if cell.span > 1]) > 0


class Rim:
    """The rectangle of an open frame. `strip` is the height in pixels of a loop's strip at its bottom."""

    def __init__(self, key: str, x: float, w: float, strip: float) -> None:
        self.key = key
        self.x = x
        self.y = 0.0
        self.w = w
        self.h = 0.0
        self.strip = strip


class Way:
    """The route of one or more edges from the cell `src` to the later cell `dst`.

    near : whether the cells are neighbours in one row. lane : the index of its lane above the row of `dst`. first : the
        index of its lane above the row after the row of `src`. side : the index of its lane in the margin.
    out, into : how far below the middle of its cell the route starts or ends. turn, bend : the positions of the
        vertical pieces at both ends.
    """

    def __init__(self, src: Tile, dst: Tile) -> None:
        self.src = src
        self.dst = dst
        self.edges: list[int] = []
        self.near = src.line == dst.line and src.slot + src.span == dst.slot
        self.lane = 0
        self.first = 0
        self.side = 0
        self.out = 0.0
        self.into = 0.0
        self.turn = 0
        self.bend = 0
        self.points: list[list[float]] = []


def reach(way: Way) -> float:
    return abs(way.dst.x - way.src.x) + 10000.0 * (way.dst.line - way.src.line)


def set_ports(ways: list[Way], high: float, leaving: bool) -> None:
    """Spread the ends of routes over one side of a cell: a route between neighbours at the middle, others above it.

    high : the height of the cell. leaving : whether the routes start at this cell.
    """
    near = 0
    far = 0
    for way in ways:
        step = min(11.0, (high / 2 - 6) / len(ways))
        if way.near:
            near += 1
        else:
            far += 1
        offset = (near - 1) * step if way.near else -far * step
        if leaving:
            way.out = offset
            way.turn = min(far, 3)
        else:
            way.into = offset
            way.bend = min(far, 3)


def lane_for(lanes: list[list[list[float]]], low: float, high: float, most: int) -> int:
    """Reserve the range from `low` to `high` in the first lane that is free there, and return the index of that lane.

    If no lane is free and there are already `most` lanes, the lane with the fewest ranges is shared.
    """
    at = 0
    while at < len(lanes):
        if len([run for run in lanes[at] if run[0] < high and low < run[1]]) == 0:
            break
        at += 1
    if at == most:
        at = 0
        for i in range(1, most):
            if len(lanes[i]) < len(lanes[at]):
                at = i
    elif at == len(lanes):
        lanes.append([])
    lanes[at].append([low, high])
    return at


class ReadingOrder:
    """The cells, rims and routes of a graph in a window of width `wide`, with the frames `opened` open."""

    def __init__(self, graph: Any, opened: Any, turns: Any, wide: float, zoom: float) -> None:
        self.graph = graph
        self.opened = opened
        self.turns = turns
        self.zoom = zoom
        small = wide < PHONE
        self.small = small
        self.cell = (94.0 if small else 114.0 if graph["arrays"] else 108.0) * zoom
        self.gap = (20.0 if small else 32.0) * zoom
        self.row = (96.0 if graph["arrays"] else 58.0) * zoom
        self.cells: dict[str, Tile] = {}
        self.home: dict[str, str] = {}
        self.rows: list[TileRow] = []
        self.rims: list[Rim] = []
        self.order: list[Any] = []
        self.ways: list[Way] = []
        self.waiting: list[Tile] = []
        begin, right = 0.6 * self.gap + 2 * zoom, wide * zoom - 0.78 * self.gap - 2 * zoom
        self.fill("", begin, right)
        self.break_line(begin, right)
        self.connect()
        self.set_columns()
        self.set_lanes()
        self.set_rows()
        for key in list(self.cells):
            set_ports(self.cells[key].leaving, self.cells[key].h, True)
            set_ports(self.cells[key].arriving, self.cells[key].h, False)
        for way in self.ways:
            way.points = self.points_of(way)

    def fill(self, key: str, begin: float, right: float) -> None:
        """Put the content of the frame `key` into cells, in the order of computation; inputs come before their uses.

        begin, right : the horizontal range of the frame.
        """
        frame = self.graph["frames"][key]
        turns = frame["turns"]
        shown = frame
        if len(turns) > 0:
            now = self.turns.get(key, 0)
            shown = self.graph["frames"][turns[now]]
            for i in range(len(turns)):
                if i != now:
                    for n in self.graph["frames"][turns[i]]["nodes"]:
                        self.home["n" + str(n)] = key + (BEFORE if i < now else AFTER)
            if now > 0:
                self.put(key + BEFORE, 1, 20.0, 0.0)
        for item in shown["items"]:
            if item[0] == "n" and not self.is_input(item):
                self.inputs_of([int(item[1:])], shown)
                self.put_node(item)
            elif item[0] != "n" and self.opened.get(self.graph["frames"][item]["as"], None) is None:
                self.inputs_of(self.graph["frames"][item]["nodes"], shown)
                for n in self.graph["frames"][item]["nodes"]:
                    self.home["n" + str(n)] = item
                self.put(item, 2, 76.0, 0.0)
            elif item[0] != "n":
                self.inputs_of(self.graph["frames"][item]["nodes"], shown)
                self.open_frame(item, begin, right)
        for item in shown["items"]:
            if item[0] == "n" and self.home.get(item, None) is None:
                self.put_node(item)
        if len(turns) > 0 and self.turns.get(key, 0) < len(turns) - 1:
            self.put(key + AFTER, 1, 20.0, 0.0)

    def open_frame(self, key: str, begin: float, right: float) -> None:
        pad = (4.0 if self.small else 9.0) * self.zoom
        self.break_line(begin, right)
        strip = TURNS if len(self.graph["frames"][key]["turns"]) > 0 else 0.0
        rim = Rim(key, begin, right - begin, strip * self.zoom)
        self.rims.append(rim)
        self.order.append(["open", rim])
        self.fill(key, begin + pad, right - pad)
        self.break_line(begin + pad, right - pad)
        self.order.append(["close", rim])

    def is_input(self, item: str) -> bool:
        return self.graph["nodes"][int(item[1:])]["kind"] in ["leaf", "var", "const"]

    def inputs_of(self, nodes: list[int], frame: Any) -> None:
        """Place the inputs of `nodes` if they are in `frame` and have no cell yet."""
        for n in nodes:
            for e in self.graph["nodes"][n]["enters"]:
                src = "n" + str(self.graph["edges"][e]["src"])
                if self.is_input(src) and self.home.get(src, None) is None and src in frame["items"]:
                    self.put_node(src)

    def put_node(self, key: str) -> None:
        node = self.graph["nodes"][int(key[1:])]
        self.home[key] = key
        self.put(key, 1, 88.0 if node["shape"] != "" else 58.0, len(node["pills"]) * TAB * self.row)

    def put(self, key: str, span: int, high: float, above: float) -> None:
        cell = Tile(key, span, high * self.zoom, above)
        self.cells[key] = cell
        self.waiting.append(cell)

    def break_line(self, begin: float, right: float) -> None:
        """Divide the waiting cells into rows that are about equally full."""
        units = 0
        for cell in self.waiting:
            units += cell.span
        if units == 0:
            return
        most = max(1, int((right - begin + self.gap) / (self.cell + self.gap)))
        for cell in self.waiting:
            cell.span = min(cell.span, most)
        count = (units + most - 1) // most
        most = max((units + count - 1) // count, max([cell.span for cell in self.waiting]))
        at = most
        for cell in self.waiting:
            if at + cell.span > most:
                self.rows.append(TileRow(begin, right, most))
                self.order.append(["row", self.rows[len(self.rows) - 1]])
                at = 0
            row = self.rows[len(self.rows) - 1]
            cell.line = len(self.rows) - 1
            cell.slot = at
            row.cells.append(cell)
            at += cell.span
        self.waiting = []

    def connect(self) -> None:
        """Create a route for each edge between cells; all edges from or to a frame share one route per other cell."""
        joined: dict[str, Way] = {}
        for node in self.graph["nodes"]:
            for e in node["enters"]:
                edge = self.graph["edges"][e]
                src = self.home.get("n" + str(edge["src"]), "")
                dst = self.home.get("n" + str(edge["dst"]), "")
                if src == "" or dst == "" or src == dst:
                    continue
                here, there = self.cells.get(src, None), self.cells.get(dst, None)
                if here is None or there is None or not self.before(here, there):
                    continue
                key = src + " " + dst
                way = joined.get(key)
                if way is None or (src[0] == "n" and dst[0] == "n"):
                    way = Way(here, there)
                    joined[key] = way
                    here.leaving.append(way)
                    there.arriving.append(way)
                    self.ways.append(way)
                way.edges.append(e)

    def before(self, here: Tile, there: Tile) -> bool:
        return here.line < there.line or (here.line == there.line and here.slot < there.slot)

    def set_columns(self) -> None:
        """Set the horizontal positions of the cells: each row shares the room to the right of the margin."""
        margin: list[list[list[float]]] = []
        for way in self.ways:
            if way.dst.line > way.src.line + 1:
                way.side = lane_for(margin, float(way.src.line), float(way.dst.line), SIDES)
        shift = len(margin) * SIDE * self.zoom
        shared = min([self.step(row, shift) for row in self.rows])
        for row in self.rows:
            step = shared if shared - self.gap > 0.85 * self.cell else self.step(row, shift)
            for cell in row.cells:
                cell.x = row.begin + shift + cell.slot * step
                cell.w = cell.span * step - self.gap
        for rim in self.rims:
            rim.x += shift
            rim.w -= shift

    def step(self, row: TileRow, shift: float) -> float:
        """Return the distance from one column of a row to the next."""
        return min((row.right - row.begin - shift + self.gap) / max(row.columns, 1), 1.35 * self.cell + self.gap)

    def set_lanes(self) -> None:
        """Assign lanes to routes between cells that are not neighbours; the shortest routes are next to the boxes."""
        far = [way for way in self.ways if not way.near]
        far.sort(key=reach)
        for way in far:
            come = way.src.x + way.src.w
            if way.dst.line > way.src.line + 1:
                way.first = lane_for(self.rows[way.src.line + 1].lanes, 0.0, come + self.gap, TRACKS)
                come = 0.0
            low, high = min(come, way.dst.x), max(come, way.dst.x)
            way.lane = lane_for(self.rows[way.dst.line].lanes, low, high, TRACKS)

    def set_rows(self) -> None:
        """Set the vertical positions of rims, lanes and cells."""
        at = 8.0 * self.zoom
        for entry in self.order:
            if entry[0] == "open":
                entry[1].y = at
                at += RIM * self.zoom
            elif entry[0] == "close":
                at += entry[1].strip + UNDER * self.zoom
                entry[1].h = at - entry[1].y
                at += UNDER * self.zoom
            else:
                row = entry[1]
                row.base = at + (len(row.lanes) * TRACK + 4) * self.zoom
                above = max([cell.above + cell.h / 2 for cell in row.cells])
                below = max([cell.h / 2 for cell in row.cells])
                for cell in row.cells:
                    cell.y = row.base + above - cell.h / 2
                at = row.base + above + below + (14.0 + (9.0 if row.framed() else 0.0)) * self.zoom
        self.bottom = at

    def points_of(self, way: Way) -> list[list[float]]:
        """Return the points of a route from the right side of a cell to the left side of a later cell.

        Neighbours are joined by a straight line; any other route runs along a lane.
        """
        here, there = way.src, way.dst
        leave = here.y + here.h / 2 + way.out
        arrive = there.y + there.h / 2 + way.into
        right = here.x + here.w
        if way.near:
            return [[right, leave], [there.x, arrive]]
        out = right + self.gap * (0.3 + 0.14 * way.turn)
        into = there.x - self.gap * (0.12 + 0.14 * way.bend)
        above = self.above(self.rows[there.line], way.lane)
        start = [[right, leave], [out, leave]]
        end = [[into, above], [into, arrive], [there.x, arrive]]
        if there.line <= here.line + 1:
            return [*start, [out, above], *end]
        below = self.above(self.rows[here.line + 1], way.first)
        side = (EDGE + way.side * SIDE) * self.zoom
        return [*start, [out, below], [side, below], [side, above], *end]

    def above(self, row: TileRow, lane: int) -> float:
        """Return the vertical position of a lane above a row of boxes."""
        return row.base - (3 + lane * TRACK) * self.zoom
