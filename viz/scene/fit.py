"""Fit a picture to its window: convert columns and rows to pixels, and open frames if all text has room."""

from __future__ import annotations

from typing import Any

from .order import AFTER, BEFORE, Grid, Place, Wire, grid_of
from .reading import PHONE, ReadingOrder
from .rows import set_rows
from .words import SHORTER, SIGNS, SMALL, wide

STRIP = 1.5  #: height of the strip below a loop, in rows
PILL = 0.56  #: height of a pill above its box, in rows
PILLS = [PILL, 0.75, 0.95, PILL]  #: widths of a pill beside its box, in rows, tried until no name is cut
LONGEST = 88.0  #: a name longer than this many pixels is cut in reading order too
LEAST_BOX, LEAST_ROW = 50.0, 20.0  #: minimum sizes of a readable box and a readable row, in pixels
ROOMY = 62.0  #: pixels along the flow that each box needs before a frame opens automatically
FEW, NAMED = 14, 84.0  #: if boxes are narrower than NAMED pixels, columns are used for at most FEW boxes


class Gauge:
    """Lengths along the flow, in pixels.

    want, most : the preferred and the maximum length of a box. least, widest : the minimum and maximum length of a gap.
    """

    def __init__(self, want: float, least: float, most: float, widest: float) -> None:
        self.want = want
        self.least = least
        self.most = most
        self.widest = widest


RIGHT, DOWN = Gauge(72.0, 15.0, 150.0, 120.0), Gauge(30.0, 15.0, 60.0, 30.0)


def shared(length: float, grid: Grid, across: bool, zoom: float) -> list[float]:
    """Divide `length` pixels into the lengths of a box and a gap: boxes grow first, then both share the rest."""
    gauge = RIGHT if across else DOWN
    gaps = max(grid.gaps, 0.001)
    rest = length - grid.units * gauge.want - grid.gaps * gauge.least
    if rest <= 0:
        box = (length - grid.gaps * gauge.least) / grid.units
        if box > gauge.least:
            return [box, gauge.least]
        return [length * 0.5 / grid.units, length * 0.5 / gaps]
    most = gauge.most * min(2.0, zoom)
    box = gauge.want + rest * 0.5 / grid.units
    gap = gauge.least + rest * 0.5 / gaps
    if box > most:
        gap += (box - most) * grid.units / gaps
        box = most
    return [box, min(gap, gauge.widest * max(1.0, zoom))]


class Fit:
    """The grids of a graph for one flow (to the right if `across`) and one set of open frames.

    Their sizes are in boxes along the flow and in rows across it, not in pixels. The order within a frame is
    computed once, because it does not depend on the open frames. longest : the pixels of the longest name of a box and
    of a pill that are drawn. pill : the rows of a pill.
    """

    def __init__(
        self, graph: Any, across: bool, open_frames: Any, turns: Any, orders: Any, padding: int, pill: float
    ) -> None:
        self.graph = graph
        self.across = across
        self.open = open_frames
        self.turns = turns
        self.orders = orders
        self.padding = padding
        self.pill = pill
        self.longest = [0.0, 0.0]
        self.grids: dict[str, Grid] = {}

    def frame(self, key: str) -> Any:
        return self.graph["frames"][key]

    def is_open(self, key: str) -> bool:
        return self.open.get(self.frame(key)["as"], None) is not None

    def shown(self, key: str) -> Any:
        """Return the frame `key` or, if it is a loop, the frame of the iteration that is drawn."""
        frame = self.frame(key)
        if len(frame["turns"]) > 0:
            return self.frame(frame["turns"][self.turns.get(key, 0)])
        return frame

    def grid(self, key: str) -> Grid:
        """Return the grid of an open frame, with its rows."""
        grid = self.grids.get(key, None)
        if grid is not None:
            return grid
        name = self.shown(key)["key"]
        order = self.orders.get(name, None)
        if order is None:
            order = ordered(self.graph, self.shown(key))
            self.orders[name] = order
        self.measure(order, key == "")
        self.grids[key] = order
        return order

    def measure(self, grid: Grid, whole: bool) -> None:
        """Set the sizes and rows of all places in a grid, and its length. whole : whether it is the whole graph."""
        grid.units = float(self.padding) if whole else 0.0
        grid.gaps = len(grid.columns) - 1.0 + grid.units
        for column in grid.columns:
            units = 0.0
            gaps = 0.0
            for place in column:
                if not place.waypoint:
                    self.size(place)
                units = max(units, place.units)
                gaps = max(gaps, place.gaps)
            grid.units += units
            grid.gaps += gaps
        grid.units = max(grid.units, 0.5)
        set_rows(grid)
        if grid.places.get("<") is not None and grid.places.get(">") is not None:
            grid.places[">"].row = grid.places["<"].row  # lines enter and leave a frame in the same row

    def size(self, place: Place) -> None:
        """Set a place's length along the flow, in boxes, and how far it extends above and below its row, in rows."""
        place.gaps = 0.0
        if place.key == "<" or place.key == ">":
            set_size(place, 0.0, 0.1, 0.1)
        elif place.key == BEFORE or place.key == AFTER:
            aside = 0.2 if self.across else 0.42
            set_size(place, 0.8 if self.across else 0.6, aside, aside)
        elif place.key[0] == "n":
            node = self.graph["nodes"][int(place.key[1:])]
            if node["kind"] == "leaf" or node["kind"] == "const":
                set_size(place, 0.86, 0.42, 0.42)
            else:
                set_size(place, 1.0, 0.5 + self.pill * len(node["pills"]), 0.5)
            short = SIGNS.get(node["title"], SHORTER.get(node["title"], node["title"]))
            self.note_name(node["called"] if node["called"] != "" else short + node["mark"], 0)
            for e in node["pills"]:
                self.note_name(self.graph["nodes"][self.graph["edges"][e]["src"]]["title"], 1)
        elif not self.is_open(place.key):
            set_size(place, 1.35, 0.62, 0.62)
        else:
            inner = self.grid(place.key)
            loop = len(self.frame(place.key)["turns"]) > 0
            port = port_row(inner)
            place.gaps = inner.gaps
            above = port - inner.top
            below = inner.low - port
            if self.across:
                set_size(place, inner.units + 0.3, above + 0.34, below + 0.16 + (STRIP if loop else 0.0))
            else:
                set_size(place, inner.units + (4.6 if loop else 1.1), above + 0.06, below + 0.06)

    def note_name(self, name: str, i: int) -> None:
        """Keep the length of the longest name of a box (i = 0) or a pill (i = 1), but of none that is always cut."""
        long = wide(name, SMALL, i == 1)
        if long < LONGEST:
            self.longest[i] = max(self.longest[i], long)


def set_size(place: Place, units: float, above: float, below: float) -> None:
    place.units = units
    place.above = above
    place.below = below


def port_row(grid: Grid) -> float:
    """Return the row in which lines enter and leave a frame."""
    for key in ["<", ">"]:
        port = grid.places.get(key, None)
        if port is not None:
            return port.row
    return (grid.top + grid.low) / 2


def ordered(graph: Any, frame: Any) -> Grid:
    """Return the ordered grid of a frame's direct parts; ports represent everything that crosses the rim of the frame.

    In an iteration of a loop, `BEFORE` and `AFTER` represent the other iterations.
    """
    home: dict[str, str] = {}
    loop = graph["frames"].get(frame["up"], None)
    turns: dict[str, bool] = loop["holds"] if loop is not None and len(loop["turns"]) > 0 else {}
    for key in frame["items"]:
        if key[0] == "n":
            home[key] = key
        else:
            for n in graph["frames"][key]["nodes"]:
                home["n" + str(n)] = key
    wires: list[Wire] = []
    wire_of: dict[str, Wire] = {}
    ports: dict[str, bool] = {}
    for n in frame["nodes"]:
        here = home["n" + str(n)]
        for e in graph["nodes"][n]["enters"]:
            node = "n" + str(graph["edges"][e]["src"])
            src = home.get(node, "<" if turns.get(node) is None else BEFORE)
            if src != here:
                join(wires, wire_of, src, here, e)
                ports[src] = True
        for e in graph["nodes"][n]["leaves"]:
            node = "n" + str(graph["edges"][e]["dst"])
            if home.get(node) is None:
                dst = ">" if turns.get(node) is None else AFTER
                join(wires, wire_of, here, dst, e)
                ports[dst] = True
    keys = frame["items"][:]
    for port in [BEFORE, "<"]:
        if ports.get(port) is not None:
            keys.insert(0, port)
    for port in [AFTER, ">"]:
        if ports.get(port) is not None:
            keys.append(port)
    return grid_of(keys, wires)


def join(wires: list[Wire], wire_of: dict[str, Wire], src: str, dst: str, edge: int) -> None:
    """Add an edge to the wire between two places."""
    wire = wire_of.get(src + " " + dst)
    if wire is None:
        wire = Wire(src, dst)
        wire_of[src + " " + dst] = wire
        wires.append(wire)
    wire.edges.append(edge)


class Spot:
    """The position of a place in a grid: its rectangle, and the coordinate across the flow where its wires end."""

    def __init__(self, x: float, y: float, w: float, h: float, port: float) -> None:
        self.x = x
        self.y = y
        self.w = w
        self.h = h
        self.port = port


class Laid:
    """The layout of a frame's grid: its columns along the flow, its rows across the flow.

    entry, leave : the positions at which lines cross the rim of the frame. cross : the position of row 0.
    starts, spans : the start and the length of each column. spots : key of a place -> its `Spot`.
    """

    def __init__(self, grid: Grid, entry: float, leave: float, cross: float) -> None:
        self.grid = grid
        self.entry = entry
        self.leave = leave
        self.cross = cross
        self.starts: list[float] = []
        self.spans: list[float] = []
        self.spots: dict[str, Spot] = {}


class Choice:
    """A `Fit` in a window of a given size, and how readable the result is; `score` is larger if it is more readable."""

    def __init__(self, fit: Fit, wide: float, high: float, zoom: float) -> None:
        grid = fit.grid("")
        across = fit.across
        rows = max(grid.low - grid.top, 0.5)
        box = shared(wide if across else high, grid, across, zoom)[0]
        row = (high if across else wide) / rows
        self.fit = fit
        self.box_wide = box if across else row * 0.9
        self.box_high = min(row * 0.8, 104.0) if across else min(box, 46.0)
        self.roomy = self.box_wide >= ROOMY and (across or self.box_high >= ROOMY / 2)
        self.legible = self.box_wide >= (LEAST_BOX if across and wide > PHONE else 64.0) and self.box_high >= LEAST_ROW
        self.reading: Any = None
        self.score = min(self.box_wide, 150.0) / 150 + min(self.box_high, 56.0) / 56
        narrow = box if across else row * 0.8
        pill = box * 1.04 if across else row * (fit.pill - 0.06)
        self.cut = wide < PHONE and (fit.longest[0] + 4 > narrow or fit.longest[1] + 6 > pill)


def chosen(graph: Any, window: Any, state: Any, orders: Any) -> Choice:
    """Choose the most detailed layout in columns if no name is cut; otherwise, choose reading order.

    A window that is zoomed in shows the same layout as the whole picture.
    """
    if window["zoom"] == 1:
        return chosen_whole(graph, window, state, orders)
    whole = chosen_whole(graph, at_zoom(window, 1.0, window["flow"]), state, orders)
    if whole.reading is not None:
        whole.reading = ReadingOrder(graph, whole.reading.opened, state["turns"], window["wide"], window["zoom"])
        return whole
    flow = "right" if whole.fit.across else "down"
    return in_columns(graph, at_zoom(window, window["zoom"], flow), state, orders, whole.fit.pill)


def at_zoom(window: Any, zoom: float, flow: str) -> Any:
    wide, high = window["wide"], window["high"]
    return {"wide": wide, "high": high, "zoom": zoom, "flow": flow, "padding": window["padding"]}


def chosen_whole(graph: Any, window: Any, state: Any, orders: Any) -> Choice:
    for pill in PILLS:
        columns = in_columns(graph, window, state, orders, pill)
        if columns.legible and not columns.cut:
            break
    cells = cells_in(graph, "", columns.fit.open, state["turns"])
    if window["flow"] != "auto" or named(columns, cells):
        return columns
    opened = forced(state)
    for key in graph["outward"]:
        if opened.get(key) is None and state["shut"].get(key, None) is None and inside_open(key, opened):
            more = {name: True for name in list(opened)}
            more[key] = True
            if cells_in(graph, "", more, state["turns"]) <= FEW:
                opened = more
    columns.reading = ReadingOrder(graph, opened, state["turns"], window["wide"], 1.0)
    return columns


def named(choice: Choice, cells: int) -> bool:
    """Return whether every box has room for its name. cells : the number of boxes and closed frames."""
    return choice.legible and not choice.cut and (cells <= FEW or choice.box_wide >= NAMED)


def cells_in(graph: Any, key: str, opened: Any, turns: Any) -> int:
    """Return the number of boxes and closed frames in the frame `key`, including all in open frames inside it."""
    frame = graph["frames"][key]
    if len(frame["turns"]) > 0:
        frame = graph["frames"][frame["turns"][turns.get(key, 0)]]
    count = 0
    for item in frame["items"]:
        if item[0] == "n" or opened.get(graph["frames"][item]["as"], None) is None:
            count += 1
        else:
            count += cells_in(graph, item, opened, turns)
    return count


def forced(state: Any) -> dict[str, bool]:
    """Return the names of the frames that must be open: those that the reader opened, and the frames around them."""
    opened: dict[str, bool] = {}
    for key in state["opened"]:
        path = ""
        for part in key.split("/")[1:]:
            path += "/" + part
            if part != "t":
                opened[path] = True
    return opened


def inside_open(key: str, opened: Any) -> bool:
    """Return whether the frame directly around the frame `key` is open, or there is none."""
    around = key[: key.rfind("/")]
    if around.endswith("/t"):
        around = around[: len(around) - 2]
    return around == "" or opened.get(around) is not None


def in_columns(graph: Any, window: Any, state: Any, orders: Any, pill: float) -> Choice:
    """Choose the best layout in columns: the flow, and as many open frames as fit.

    Frames that the reader opened are always open. Others are opened in the order of the graph's list `outward`.
    """
    wide = window["wide"] * window["zoom"] - 18
    high = window["high"] * window["zoom"] - 16
    flow = window["flow"]
    best: Any = None
    for across in [True, False]:
        if flow == ("down" if across else "right"):
            continue
        opened = forced(state)
        fit = Fit(graph, across, opened, state["turns"], orders, window["padding"], pill)
        now = Choice(fit, wide, high, window["zoom"])
        for key in graph["outward"]:
            if opened.get(key) is not None or state["shut"].get(key, None) is not None:
                continue
            if not (now.legible and now.roomy):  # an open frame needs more room than a closed frame
                continue
            if not inside_open(key, opened):
                continue
            more = {name: True for name in list(opened)}
            more[key] = True
            fit = Fit(graph, across, more, state["turns"], orders, window["padding"], pill)
            other = Choice(fit, wide, high, window["zoom"])
            if other.roomy and named(other, cells_in(graph, "", more, state["turns"])):
                now = other
                opened = more
        if across == (wide > 560):
            now.score += 0.5
        if best is None or better(now, best):
            best = now
    # measure the best fit last: all fits share the same grids, which keep the sizes that were measured last
    return Choice(
        Fit(graph, best.fit.across, best.fit.open, state["turns"], orders, window["padding"], pill),
        wide,
        high,
        window["zoom"],
    )


def better(one: Choice, other: Choice) -> bool:
    if one.legible != other.legible:
        return one.legible
    return one.score > other.score + 0.12
