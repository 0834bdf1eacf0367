"""Draw a graph at one moment in one window, in columns or in reading order."""

from __future__ import annotations

from typing import Any

from .boxes import draw_box, draw_pill
from .drawn_frames import draw_closed, draw_names, draw_rim, draw_strip
from .fit import PILL, STRIP, Choice, Laid, Spot, chosen, port_row, shared
from .ink import look_of, size_of, width_of
from .lines import Stroke, draw_line, draw_words, room_for, stroke_svg
from .order import AFTER, BEFORE, Grid, Place, Wire
from .reading import ReadingOrder
from .sheet import Sheet
from .words import SMALL, fitting, places

FINE = 3.0  #: minimum distance in pixels between the ends of lines at a box; closer lines are drawn as a single line


class Scene:
    """A graph that can be drawn in any window at any moment; the order of boxes in each frame is computed only once."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.orders: dict[str, Grid] = {}
        self.opened: dict[str, bool] = {}
        self.last = ""
        self.across = True
        self.boxes: dict[str, list[float]] = {}
        self.bottom = 0.0

    def draw(self, window: Any, state: Any) -> str:
        """Return the inner SVG of the picture; set `boxes` to the rectangles of nodes, and `bottom` to the height."""
        choice = self.choice(window, state)
        self.fit = choice.fit
        self.state = state
        self.zoom = window["zoom"]
        self.scale = window["scale"]
        self.across = choice.reading is not None or choice.fit.across
        self.sheet = Sheet(window["wide"])
        self.boxes = {}
        self.lines: list[Stroke] = []
        self.sums: list[Any] = []
        self.closed: list[float] = []
        self.bottom = 0.0
        if choice.reading is not None:
            self.opened = choice.reading.opened
            self.in_order(choice.reading, window["x"], window["y"])
        else:
            self.opened = choice.fit.open
            self.in_columns(window)
        # Labels come after all lines, because each looks for a place that neither a box nor a line takes.
        for line in self.lines:
            draw_line(self.sheet, line, state, self.scale, self.across)
        draw_names(self.sheet)
        for line in self.lines:
            draw_words(self.sheet, line, state, self.across)
        self.captions()
        self.bottom += 10
        return self.sheet.svg()

    def in_columns(self, window: Any) -> None:
        """Draw the whole graph in columns that fill the window."""
        grid = self.fit.grid("")
        wide = (window["wide"] - 18) * self.zoom
        high = (window["high"] - (33 if self.graph["arrays"] and self.across else 16)) * self.zoom
        along, aside = (wide, high) if self.across else (high, wide)
        # A graph of few rows would fill the window with huge boxes, so a row has a maximum size.
        row = aside / max(grid.low - grid.top, 0.5)
        if self.across:
            row = min(row, (130.0 if self.graph["arrays"] else 92.0) * max(1.0, self.zoom))
        else:
            row = min(row, (250.0 if window["wide"] < 500 else 330.0) * max(1.0, self.zoom))
        self.row = row
        self.box, self.gap = shared(along, grid, self.across, self.zoom)
        length = self.length(grid)
        begin = 9 + window["x"] if self.across else 8 + window["y"]
        begin += max(0.0, (along - length) / 2) if self.across or self.zoom > 1 else 0.0
        cross = (12 + window["y"] if self.across else 9 + window["x"]) - grid.top * row
        if not self.across:
            cross += max(0.0, (aside - (grid.low - grid.top) * row) / 2)
        self.group("", begin, begin - self.gap * 0.6, begin + length, cross)

    def in_order(self, reading: ReadingOrder, x: float, y: float) -> None:
        """Draw the graph in reading order, moved by `x` and `y`."""
        self.row = reading.row
        for rim in reading.rims:
            self.rim(rim.key, Spot(rim.x + x, rim.y + y, rim.w, rim.h, 0.0), rim.strip)
        for key in list(reading.cells):
            cell = reading.cells[key]
            spot = Spot(cell.x + x, cell.y + y, cell.w, cell.h, cell.y + y + cell.h / 2)
            last = key[len(key) - 2 :]
            if key[0] == "n":
                self.node(int(key[1:]), spot)
            elif last in [BEFORE, AFTER]:
                self.other_turn(key[: len(key) - 2], last, spot)
            else:
                self.closed_frame(key, spot)
        hidden = self.state["hidden"]
        for way in reading.ways:
            src, dst = way.src.key, way.dst.key
            if hidden.get(src, None) is None and hidden.get(dst, None) is None:
                edge = self.graph["edges"][self.largest(way.edges)]
                points = [[point[0] + x, point[1] + y] for point in way.points]
                self.lines.append(Stroke(edge, points, 99.0, False, False, True))
        self.bottom = reading.bottom + y

    def choice(self, window: Any, state: Any) -> Choice:
        """Return the layout for this window and these open frames, reusing the last one if neither has changed."""
        names = ",".join([str(state["turns"].get(key, 0)) for key in self.graph["outward"]])
        key = f"{window['wide']} {window['high']} {window['zoom']} {window['flow']} {window['padding']}"
        key += " " + ",".join(state["opened"]) + " " + ",".join(list(state["shut"])) + " " + names
        if key != self.last:
            self.last = key
            self.kept = chosen(self.graph, window, state, self.orders)
        return self.kept

    def length(self, part: Grid | Place) -> float:
        """Return the length of a grid or a place along the flow."""
        return part.units * self.box + part.gaps * self.gap

    def group(self, key: str, begin: float, entry: float, leave: float, cross: float) -> None:
        """Draw the content of a frame, starting at `begin`; see `Laid` for the other parameters."""
        laid = Laid(self.fit.grid(key), entry, leave, cross)
        at = begin
        for column in laid.grid.columns:
            units = max([place.units for place in column])
            gaps = max([place.gaps for place in column])
            laid.starts.append(at)
            laid.spans.append(units * self.box + gaps * self.gap)
            at += laid.spans[len(laid.spans) - 1] + self.gap
        for column in laid.grid.columns:
            for place in column:
                if not place.waypoint:
                    spot = self.spot(place, laid)
                    laid.spots[place.key] = spot
                    self.bottom = max(self.bottom, spot.y + spot.h)
                elif self.across:
                    self.bottom = max(self.bottom, cross + place.row * self.row + 4)
        for wire in laid.grid.wires:
            self.wire(wire, laid)
        for column in laid.grid.columns:
            for place in column:
                if place.key == "" or place.key == "<" or place.key == ">":
                    continue
                spot = laid.spots[place.key]
                if place.key[0] == "n":
                    self.node(int(place.key[1:]), spot)
                elif place.key == BEFORE or place.key == AFTER:
                    self.other_turn(key, place.key, spot)
                else:
                    self.frame(place, spot)

    def spot(self, place: Place, laid: Laid) -> Spot:
        """Return the `Spot` of a place, in the middle of its column; its size depends on the kind of place."""
        row = self.row
        middle = laid.starts[place.column] + laid.spans[place.column] / 2
        port = laid.cross + place.row * row
        if place.key == "<" or place.key == ">":
            along = laid.entry if place.key == "<" else laid.leave
            return Spot(along, port, 0.0, 0.0, port) if self.across else Spot(port, along, 0.0, 0.0, port)
        zoom = min(2.0, max(1.0, self.zoom))
        long = self.length(place)
        top = port
        if place.key[0] == "n":
            node = self.graph["nodes"][int(place.key[1:])]
            long = min(long, (150.0 if self.across else 60.0) * zoom)
            most = (104.0 if node["shape"] != "" else 64.0) if self.across else 290.0
            tall = min(row * 0.8, most * zoom)
            if not self.across and node["kind"] == "leaf":
                tall = min(tall, 230.0)
        elif place.key == BEFORE or place.key == AFTER:
            long = min(long, 60.0) if self.across else 16.0
            tall = 16.0 if self.across else min(60.0, row * 0.8)
        elif not self.fit.is_open(place.key):
            long = min(long, (190.0 if self.across else 54.0) * zoom)
            tall = min((place.above + place.below) * row * 0.9, (124.0 if self.across else 300.0) * zoom)
        else:
            tall = (place.above + place.below) * row
            top = laid.cross + (place.row + (place.below - place.above) / 2) * row
        if self.across:
            return Spot(middle - long / 2, top - tall / 2, long, tall, port)
        return Spot(top - tall / 2, middle - long / 2, tall, long, port)

    def wire(self, wire: Wire, laid: Laid) -> None:
        """Draw the lines of a wire: for an op, one per argument; for a frame, only the one with the largest message."""
        src, dst = laid.spots[wire.src], laid.spots[wire.dst]
        first, last = laid.grid.places[wire.src].column, laid.grid.places[wire.dst].column
        starts, spans = laid.starts, laid.spans
        hidden = self.state["hidden"]
        if hidden.get(wire.src, None) is not None or hidden.get(wire.dst, None) is not None:
            return
        op = wire.dst[0] == "n"
        headed = wire.src[0] == "n" or wire.src == BEFORE or (wire.src != "<" and not self.fit.is_open(wire.src))
        entering = self.arguments(laid.grid, wire.dst) if op else []
        apart = 99.0
        if len(entering) > 1:
            apart = min(36.0, (dst.h if self.across else dst.w) * 0.6 / (len(entering) - 1))
        # An op with many arguments, such as a stack of 200, gets one line and a count instead of 200 lines.
        gathered = op and len(wire.edges) > 1 and apart < FINE
        edges = wire.edges if op and not gathered else [self.largest(wire.edges)]
        for e in edges:
            edge = self.graph["edges"][e]
            ends = wire.edges if gathered else [e]
            off = 0.0
            for i in range(len(entering)):
                if entering[i] in ends:
                    off += (i - (len(entering) - 1) / 2) * apart / len(ends)
            leaves = src.x + src.w if self.across else src.y + src.h
            arrives = dst.x if self.across else dst.y
            points = [[leaves, src.port]]
            if starts[first] + spans[first] > leaves + 1:
                points.append([starts[first] + spans[first], src.port])
            for way in wire.via:
                y = laid.cross + way.row * self.row
                points.append([starts[way.column], y])
                points.append([starts[way.column] + spans[way.column], y])
            # A line stays level within a column, because other boxes there may be longer than the boxes at its ends.
            before = points[len(points) - 1][0]
            level = starts[last]
            room = room_for(edge, self.state) + 12 if op and self.across and not gathered else 0.0
            if room > 16 and room < (arrives - before) * 0.85:
                level = min(level, arrives - room)
            if level > before and level < arrives - 1:
                points.append([level, dst.port + off])
            points.append([arrives, dst.port + off])
            self.lines.append(Stroke(edge, points, apart, off > 0, op and not gathered, headed))
            if gathered:
                count, what = str(len(wire.edges)), " values" if self.state["forward"] else " messages"
                end = [arrives - 7, dst.port + off + 16] if self.across else [dst.port + off + 7, arrives - 8]
                self.sums.append([end[0], end[1], count + what, "× " + count, "r" if self.across else ""])

    def arguments(self, grid: Grid, key: str) -> list[int]:
        """Return the edges that end at a box, from top to bottom."""
        rows: list[float] = []
        edges: list[int] = []
        for wire in grid.wires:
            if wire.dst == key:
                last = wire.via[len(wire.via) - 1] if len(wire.via) > 0 else grid.places[wire.src]
                for e in wire.edges:
                    at = len(edges)
                    # An insertion sort that keeps the order of equal rows, and does the same in Python and JavaScript.
                    while at > 0 and rows[at - 1] > last.row + 1e-9:
                        at -= 1
                    rows.insert(at, last.row)
                    edges.insert(at, e)
        return edges

    def largest(self, edges: list[int]) -> int:
        """Return the edge with the largest message; a nan or inf counts as the largest."""
        best = edges[0]
        most = -2.0
        for e in edges:
            size = size_of(self.state["sent"].get("e" + str(self.graph["edges"][e]["id"]), ""))
            # nan and inf are the reason why a reader looks here, so they hide no other message.
            if not (size < 1e300):
                return e
            if size > most:
                most = size
                best = e
        return best

    def node(self, n: int, spot: Spot) -> None:
        """Draw a box, and the pills of the inputs that only this box uses."""
        node = self.graph["nodes"][n]
        if self.state["hidden"].get("n" + str(n), None) is not None:
            return
        y = spot.port - spot.h / 2 if self.across else spot.y
        room = [spot.x, y, spot.w, spot.h]
        self.boxes["n" + str(n)] = room
        draw_box(self.sheet, node, self.state, self.scale, room, self.across, self.zoom)
        for i in range(len(node["pills"])):
            self.pill(self.graph["edges"][node["pills"][i]], i, room)

    def pill(self, edge: Any, i: int, box: list[float]) -> None:
        """Draw the i-th pill of a box and its stem: above the box, or to its left if the flow goes down."""
        node = self.graph["nodes"][edge["src"]]
        message = self.state["sent"].get("e" + str(edge["id"]), "")
        size = size_of(message)
        row = self.row
        if self.across:
            high = max(
                15.0,
                min(row * 0.42, 46.0 if node["shape"] != "" else 36.0 if row * 0.42 >= 34 and box[2] < 118 else 24.0),
            )
            wide = min(box[2] * 1.04, 150.0)
            stem = row * PILL - high
            x, y = box[0] + box[2] / 2 - wide / 2, box[1] - (i + 1) * (high + stem)
            stem_path = f"M{places(x + wide / 2)} {places(y + high)}v{places(stem)}"
        else:
            high = min(box[3], 40.0)
            stem = max(10.0, row * 0.06)
            wide = min(row * (self.fit.pill - 0.06), 140.0, (box[0] - 4) / max(1, i + 1) - stem)
            x, y = box[0] - (i + 1) * (wide + stem), box[1] + box[3] / 2 - high / 2
            stem_path = f"M{places(x + wide)} {places(y + high / 2)}h{places(stem)}"
        if wide < 12:
            return
        look = look_of(size, self.scale) if message != "" else "no"
        look += " gh" if edge["ghost"] else ""
        look += " now" if self.state["now"].get("e" + str(edge["id"]), None) is not None else ""
        look += " way" if self.state["marked"].get("e" + str(edge["id"]), None) is not None else ""
        thick = width_of(size, self.scale)
        if self.across:
            self.sheet.take(x + wide / 2 - thick / 2, y + high, thick, stem)
        else:
            self.sheet.take(x + wide, y + high / 2 - thick / 2, stem, thick)
        self.sheet.lines.append(stroke_svg("e " + look, stem_path, thick, edge))
        self.boxes["e" + str(edge["id"])] = [x, y, wide, high]
        draw_pill(self.sheet, node, edge, self.state, self.scale, [x, y, wide, high], self.zoom)
        if edge["sum"] != "" and message != "" and self.across:
            self.sums.append([x + wide / 2 + 6, y + high + stem / 2 + 4, edge["sum"], "Σ", ""])

    def frame(self, place: Place, spot: Spot) -> None:
        """Draw a frame, closed or with its content; for an open loop, draw one iteration and the loop's strip."""
        if not self.fit.is_open(place.key):
            self.closed_frame(place.key, spot)
            return
        loop = len(self.graph["frames"][place.key]["turns"]) > 0
        strip = (STRIP * self.row if self.across else min(spot.h * 0.5, 4 * self.box)) if loop else 0.0
        self.rim(place.key, spot, strip)
        inner = self.fit.grid(place.key)
        whole = spot.w if self.across else spot.h - strip
        entry = spot.x if self.across else spot.y
        begin = entry + (whole - self.length(inner)) / 2 + (0.0 if self.across else 6.0)
        self.group(place.key, begin, entry, entry + whole, spot.port - port_row(inner) * self.row)

    def closed_frame(self, key: str, spot: Spot) -> None:
        room = [spot.x, spot.y, spot.w, spot.h]
        self.boxes[key] = room
        draw_closed(self.sheet, self.graph["frames"][key], self.graph, self.state, self.scale, room)
        if len(self.closed) == 0 and spot.h > 52:
            self.closed = room

    def rim(self, key: str, spot: Spot, strip: float) -> None:
        """Draw the rim of an open frame, and for a loop the strip at its bottom."""
        frame = self.graph["frames"][key]
        room = [spot.x, spot.y, spot.w, spot.h]
        self.boxes[key] = room
        loop = len(frame["turns"]) > 0
        now = self.state["turns"].get(key, 0)
        name = frame["name"]
        if loop:
            name = self.graph["frames"][frame["turns"][now]]["name"] + ", one of " + str(len(frame["turns"]))
        draw_rim(self.sheet, frame, self.state, room, name)
        if loop:
            strip_room = [spot.x, spot.y + spot.h - strip, spot.w, strip - 2]
            draw_strip(self.sheet, frame, self.graph, self.state, strip_room, now)
            self.sheet.take(spot.x, spot.y + spot.h - strip, spot.w, strip)

    def other_turn(self, key: str, port: str, spot: Spot) -> None:
        """Draw the name of the previous or next iteration where the lines from or to it end."""
        turns = self.graph["frames"][key]["turns"]
        name = self.graph["frames"][turns[self.state["turns"].get(key, 0) + (-1 if port == BEFORE else 1)]]["name"]
        words = name.split(" ")
        text = fitting([name, words[len(words) - 1], "…"], spot.w, SMALL, False)
        self.sheet.take(spot.x, spot.y, spot.w, spot.h)
        base = spot.y + spot.h / 2 + (4 if self.across else 1 if port == BEFORE else 6)
        self.sheet.back.append(self.sheet.text(spot.x + spot.w / 2, base, text, "sl", SMALL, "c"))

    def captions(self) -> None:
        """Draw the captions: the meanings of ghosts and bars, sums, and the number of messages drawn as one line."""
        for one in self.sums:
            if not self.sheet.word(one[0], one[1], one[2], "sl", SMALL, one[4]):
                self.sheet.word(one[0], one[1], one[3], "sl", SMALL, one[4])
        if len(self.closed) > 0:
            x, foot = self.closed[0], self.closed[1] + self.closed[3]
            what = "|value| of each op" if self.state["forward"] else "|ḡ| of each op"
            words = fitting(["bars: " + what, what], self.closed[2], SMALL, False)
            if words != "" and self.sheet.word(x, foot + 14, words, "sl", SMALL, ""):
                self.bottom = max(self.bottom, foot + 17)
        left = 1e9
        low = 0.0
        for node in self.graph["nodes"]:
            room = self.boxes.get("n" + str(node["id"]), None)
            if node["ghost"] and room is not None:
                left = min(left, room[0])
                low = max(low, room[1] + room[3])
        if low > 0 and self.sheet.word(left, low + 15, "dashed: what the rule replaced", "sl", SMALL, ""):
            self.bottom = max(self.bottom, low + 18)
        if self.sheet.paired:
            framed = "the gradient" if self.state["sign"] == "ḡ " else "how far it moves"
            numbers = "numbers: entries or the largest size"
            key = f"left the value, framed {framed}; blue above 0, orange below; {numbers}"
            forms = ["Images: " + key, key, f"framed: {framed}; blue above 0, orange below"]
            forms.append(f"framed: {framed}")
            self.sheet.word(9, self.bottom + 14, fitting(forms, self.sheet.wide - 18, SMALL, False), "sl", SMALL, "")
            self.bottom += 17
