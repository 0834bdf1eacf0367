"""Draw a nudge on its way through a graph: a ribbon along each arrow, and in each box the curve of the op.

Forwards, the thickness of a ribbon shows the nudge, which each box stretches by its slope. Backwards, it shows the
gradient, which the same slopes stretch on its way to the input. Each curve is drawn with its tangent.
"""

from __future__ import annotations

from typing import Any

from .sheet import rect_svg, text_svg
from .words import SMALL, fitting, path_svg, places, svg_tag, wide

PLOT, HIGH, PAD = 112.0, 78.0, 8.0  #: width and height of a plot, and the space around it, in pixels
HEAD, FOOT = 24.0, 40.0  #: heights of the text above and below the plots of a box, in pixels
LONG, LOW, APART = 150.0, 92.0, 20.0  #: pixels between columns (if the flow is to the right, or down) and between rows
NARROW, BROAD = 256.0, 360.0  #: least and largest width in pixels of a picture with the result at the bottom
LANE = 34.0  #: pixels for an arrow that passes a column
THICKEST = 30.0  #: thickness of the thickest ribbon, in pixels
STEPS = 16  #: number of points along each piece of a ribbon


class Stretched:
    """The picture of nudge `at`, or of the gradients if `back` is set.

    room : the width of a narrow page, with the result at the bottom; 0 if the result is at the right.
    """

    def __init__(self, data: Any, at: int, back: bool, room: float) -> None:
        self.data = data
        self.at = at
        self.back = back
        self.down = room > 0
        self.least = max(NARROW, min(room, BROAD))
        self.rooms: list[list[float]] = []
        self.lanes: list[list[float]] = []
        self.labels: list[list[float]] = []  #: [left end, baseline, right end] of each label next to an arrow
        self.wide = 0.0
        self.high = 0.0
        self.place()

    def place(self) -> None:
        """Find the rectangle of each box, and the points at which arrows cross columns."""
        along = PAD
        gap = LOW if self.down else LONG
        ranks: list[float] = []
        longs: list[float] = []
        crosses: list[list[float]] = []
        most = 0.0
        for column in self.data["columns"]:
            long = 0.0
            cross = 0.0
            for place in column:
                w, h = self.size(place)
                long = max(long, h if self.down else w)
                cross += (w if self.down else h) + APART
            ranks.append(along)
            longs.append(long)
            crosses.append([cross - APART])
            most = max(most, cross - APART)
            along += long + gap
        self.rooms = [[0.0, 0.0, 0.0, 0.0] for card in self.data["cards"]]
        self.lanes = [[0.0, 0.0, 0.0] for lane in range(self.data["lanes"])]
        for c in range(len(self.data["columns"])):
            cross = PAD + ((max(most, self.least - 2 * PAD) if self.down else most) - crosses[c][0]) / 2
            for place in self.data["columns"][c]:
                w, h = self.size(place)
                own = h if self.down else w
                start = ranks[c] + (longs[c] - own) / 2
                if place >= 0:
                    self.rooms[place] = [cross, start, w, h] if self.down else [start, cross, w, h]
                    cross += (w if self.down else h) + APART
                else:
                    self.lanes[-place - 1] = [cross + LANE / 2, ranks[c], ranks[c] + longs[c]]
                    cross += LANE + APART
        along += PAD - gap
        self.wide = max(most + 2 * PAD, self.least) if self.down else along
        self.high = along if self.down else most + 2 * PAD

    def size(self, place: int) -> list[float]:
        if place < 0:
            return [LANE, LANE]
        plots = len(self.data["cards"][place]["plots"])
        if plots == 0:
            return [PLOT, HEAD + FOOT]
        return [plots * (PLOT + PAD) + PAD, HEAD + HIGH + FOOT]

    def svg(self) -> str:
        """Draw the ribbons, and the boxes on top of them."""
        pieces = [self.ribbon(arrow) for arrow in self.data["arrows"]]
        for i in range(len(self.data["cards"])):
            pieces.append(self.card(self.data["cards"][i], self.rooms[i]))
        self.labels = []
        for i in range(len(self.data["arrows"])):
            pieces.append(self.label(i))
        return "".join(pieces)

    def ends(self, arrow: Any) -> list[list[float]]:
        """Return the route of an arrow: from its box, past the columns between, to a plot of the next box."""
        a = self.rooms[arrow["from"]]
        b = self.rooms[arrow["to"]]
        across = (arrow["at"] - (arrow["of"] - 1) / 2) * 20
        spread = (arrow["plot"] - (len(self.data["cards"][arrow["to"]]["plots"]) - 1) / 2) * HIGH / 2
        middle = PAD + arrow["plot"] * (PLOT + PAD) + PLOT / 2
        way = [[a[0] + a[2] / 2, a[1] + a[3]] if self.down else [a[0] + a[2], a[1] + a[3] / 2]]
        for lane in arrow["lanes"]:
            cross, start, end = self.lanes[lane]
            way.append([cross, start] if self.down else [start, cross])
            way.append([cross, end] if self.down else [end, cross])
        way.append([b[0] + middle + across, b[1]] if self.down else [b[0], b[1] + HEAD + HIGH / 2 + across + spread])
        return way

    def ribbon(self, arrow: Any) -> str:
        """Draw an arrow as a ribbon whose thickness at each end shows the number there: see `sizes`."""
        way = self.ends(arrow)
        first, last = self.sizes(arrow)
        finite = first < 1e300 and last < 1e300
        begin = self.thickness(first) if finite else 1.0
        end = self.thickness(last) if finite else 1.0
        left: list[str] = []
        right: list[str] = []
        stretches = len(way) - 1
        for s in range(stretches):
            x0, y0 = way[s]
            x1, y1 = way[s + 1]
            for i in range(STEPS + 1):
                t = i / STEPS
                u = t * t * (3 - 2 * t)
                x = x0 + (x1 - x0) * (u if self.down else t)
                y = y0 + (y1 - y0) * (t if self.down else u)
                half = (begin + (end - begin) * (s + t) / stretches) / 2
                left.append(self.point(x - half, y) if self.down else self.point(x, y - half))
                right.append(self.point(x + half, y) if self.down else self.point(x, y + half))
        right.reverse()
        look = "rib" + (" back" if self.back else "") + ("" if finite else " isbad")
        return path_svg(look, f"M{'L'.join(left)}L{'L'.join(right)}z")

    def sizes(self, arrow: Any) -> list[float]:
        """Return the numbers at the start and the end of an arrow.

        These are the nudge before and after the op's slope or, if `back` is set, the message and the op's gradient.
        """
        if self.back:
            return [arrow["message"], self.data["cards"][arrow["to"]]["g"]]
        move = self.data["cards"][arrow["from"]]["moves"][self.at]
        return [move, move * arrow["slope"]]

    def thickness(self, size: float) -> float:
        most = self.data["messages"] if self.back else self.data["reach"]
        return max(1.4, min(THICKEST, THICKEST * abs(size) / most)) if most > 0 else 1.4

    def label(self, number: int) -> str:
        """Write the product with the slope next to an arrow if there is room, or only the slope, or else nothing."""
        arrow = self.data["arrows"][number]
        way = self.ends(arrow)
        x0, y0 = way[len(way) - 2]
        x1, y1 = way[len(way) - 1]
        product = arrow["back"] if self.back else arrow["forth"][self.at]
        forms = [product, arrow["factor"]]
        look = "gv over" if self.back else "nv over"
        if not self.down:
            return text_svg(x1 - 6, y1 - 5, fitting(forms, LONG - 8, SMALL, True), look, SMALL, "r")
        low = y0 + (y1 - y0) * 0.8  # near the end of the ribbon, because other ribbons are farther away there
        half = self.thickness(self.sizes(arrow)[1]) / 2 + 6
        first = (arrow["at"] == 0 and arrow["of"] > 1) or x1 + half + wide(product, SMALL, True) + 4 > self.wide
        for clear in [True, False]:
            for words in forms:
                w = wide(words, SMALL, True)
                for line in [low, low - 14, low - 28, low - 42]:
                    t = (line - 4 - y0) / (y1 - y0)
                    x = x0 + (x1 - x0) * t * t * (3 - 2 * t)
                    for left in [first, not first]:
                        start = x - half - w if left else x + half
                        inside = start >= 2 and start + w <= self.wide - 2
                        if inside and self.free(start, line, w, number, clear):
                            self.labels.append([start, line, start + w])
                            return text_svg(
                                x - half if left else x + half, line, words, look, SMALL, "r" if left else ""
                            )
        return ""

    def free(self, start: float, line: float, w: float, number: int, clear: bool) -> bool:
        """Return whether a label of this width would lie on no other label, and if `clear`, on no other ribbon."""
        for left, y, right in self.labels:
            if start < right + 4 and left < start + w + 4 and abs(y - line) < SMALL + 2:
                return False
        for i in range(len(self.data["arrows"]) if clear else 0):
            way = self.ends(self.data["arrows"][i])
            for s in range(len(way) - 1):
                t = (line - 4 - way[s][1]) / (way[s + 1][1] - way[s][1])
                x = way[s][0] + (way[s + 1][0] - way[s][0]) * t * t * (3 - 2 * t)
                if t >= 0 and t <= 1 and start - 4 < x and x < start + w + 4 and i != number:
                    return False
        return True

    def card(self, card: Any, room: list[float]) -> str:
        """Draw a box: its op, the curves of its arguments, its value, and its move or gradient."""
        x, y, w, h = room
        look = "n " + card["kind"]
        piece = svg_tag("g", [["class", look]], ">") + rect_svg("b", x, y, w, h, 14 if card["kind"] == "leaf" else 4)
        piece += text_svg(x + 8, y + 16, card["title"], "nm", SMALL + 1, "")
        if card["called"] != "":
            piece += text_svg(x + w - 8, y + 16, card["called"], "mu", SMALL, "r")
        for i in range(len(card["plots"])):
            piece += self.plot(card["plots"][i], x + PAD + i * (PLOT + PAD), y + HEAD)
        low = y + h - FOOT
        value = card["value"] if self.back else card["values"][self.at]
        piece += text_svg(x + 8, low + 16, value, "sm", SMALL, "")
        if self.back:
            piece += text_svg(x + 8, low + 32, card["gradient"], "gv sm", SMALL, "")
        else:
            piece += text_svg(x + 8, low + 32, card["stretch"][self.at], "nv sm", SMALL, "")
        return piece + "</g>"

    def plot(self, plot: Any, x: float, y: float) -> str:
        """Draw the curve of an op along one argument, its tangent, and the moves of the argument and the value."""
        piece = rect_svg("plot", x, y, PLOT, HIGH, 0)
        if len(plot["curve"]) == 0:
            return piece + text_svg(x + PLOT / 2, y + HIGH / 2 + 4, plot["bad"], "badt", SMALL, "c")
        piece += path_svg("curve", "M" + "L".join([self.inside(p, x, y) for p in plot["curve"]]))
        if len(plot["tangent"]) > 0:
            piece += path_svg("tan", "M" + "L".join([self.inside(p, x, y) for p in plot["tangent"]]))
        here = plot["at"]
        there = plot["moved"][self.at]
        if len(there) > 0 and not self.back:
            corner = [there[0], here[1]]
            piece += path_svg("in", f"M{self.inside(here, x, y)}L{self.inside(corner, x, y)}")
            piece += path_svg("out", f"M{self.inside(corner, x, y)}L{self.inside(there, x, y)}")
            piece += self.dot(there, x, y, "dot moved")
        return piece + self.dot(here, x, y, "dot")

    def inside(self, p: list[float], x: float, y: float) -> str:
        return self.point(x + p[0] * PLOT, y + (1 - p[1]) * HIGH)

    def dot(self, p: list[float], x: float, y: float, look: str) -> str:
        at = [["cx", places(x + p[0] * PLOT)], ["cy", places(y + (1 - p[1]) * HIGH)]]
        return svg_tag("circle", [["class", look], at[0], at[1], ["r", "3.2"]], "/>")

    def point(self, x: float, y: float) -> str:
        return places(x) + " " + places(y)
