"""The sheet: pieces of SVG in their stacking order, and the occupied areas."""

from __future__ import annotations

from typing import Any

from .words import SMALL, escaped, path_svg, places, quarters, svg_tag, wide

HEAVY = ["nm", "gv", "lv", "vbad", "tagt"]  #: CSS classes of bold text
CELL = 9.0  #: maximum size in pixels of a cell of an array


class Sheet:
    """The SVG drawn so far: frames at the back, then lines, boxes, and the labels on lines."""

    def __init__(self, wide: float) -> None:
        self.wide = wide
        self.back: list[str] = []
        self.lines: list[str] = []
        self.boxes: list[str] = []
        self.over: list[str] = []
        self.taken: list[list[float]] = []
        self.dots: list[list[float]] = []
        self.rims: list[Any] = []
        self.paired = False  # whether some box shows its value and its gradient as images side by side

    def svg(self) -> str:
        return "".join(self.back) + "".join(self.lines) + "".join(self.boxes) + "".join(self.over)

    def take(self, x: float, y: float, w: float, h: float) -> None:
        """Mark a rectangle as occupied, so that no label of a line is drawn in it."""
        self.taken.append([x, y, w, h])

    def text(self, x: float, y: float, words: str, look: str, size: int, anchor: str) -> str:
        """Return text as SVG, and mark its area as occupied.

        anchor : whether `x` is the left end (""), the right end ("r") or the middle ("c") of the text.
        """
        w = wide(words, size, look.split(" ")[0] in HEAVY)
        left = x - w if anchor == "r" else x - w / 2 if anchor == "c" else x
        self.take(left, y - size * 0.8, w, size)
        return text_svg(x, y, words, look, size, anchor)

    def word(self, x: float, y: float, words: str, look: str, size: int, anchor: str) -> bool:
        """Draw text next to a line if the area is free; return whether it was drawn."""
        w = wide(words, size, look.split(" ")[0] in HEAVY)
        left = x - w if anchor == "r" else x - w / 2 if anchor == "c" else x
        top = y - size * 0.8
        if left < 2 or left + w > self.wide - 2 or not self.free(left, top, w, size):
            return False
        self.take(left, top, w, size)
        self.over.append(text_svg(x, y, words, look, size, anchor))
        return True

    def free(self, left: float, top: float, w: float, h: float) -> bool:
        """Return whether a rectangle contains no line, box or text."""
        for dot in self.dots:
            near = dot[2] + 1
            if dot[0] > left - near and dot[0] < left + w + near and dot[1] > top - near and dot[1] < top + h + near:
                return False
        for box in self.taken:
            if box[0] < left + w and left < box[0] + box[2] and box[1] < top + h and top < box[1] + box[3]:
                return False
        return True


def text_svg(x: float, y: float, words: str, look: str, size: int, anchor: str) -> str:
    classes = look + (" sm" if size == SMALL else "") + (" " + anchor if anchor != "" else "")
    return svg_tag("text", [["class", classes], ["x", places(x)], ["y", places(y)]], ">") + escaped(words) + "</text>"


def rect_svg(look: str, x: float, y: float, w: float, h: float, round_by: float) -> str:
    w, h = max(0.0, w), max(0.0, h)  # the room for a box in an open frame may be negative
    rounded = ["rx", places(round_by) if round_by > 0 else ""]
    area = [["x", places(x)], ["y", places(y)], ["width", places(w)], ["height", places(h)]]
    return svg_tag("rect", [["class", look], area[0], area[1], area[2], area[3], rounded], "/>")


class Heat:
    """A small array as an image with a tinted cell for each element; its width is 0 if it does not fit."""

    def __init__(self, shades: str, columns: int, x: float, y: float, room: float, high: float, zoom: float) -> None:
        rows = (len(shades) + columns - 1) // columns if columns > 0 else 0
        if columns == 1 and rows > 4:
            columns = rows
            rows = 1
        self.wide = 0.0
        self.svg = ""
        if rows == 0:
            return
        cell = min(high / rows, room / columns, CELL * min(2.2, zoom))
        cell = int(cell * 2) / 2  # with a multiple of half a pixel, all cells look equally large
        if cell < 2:
            return
        self.wide = cell * columns
        top = y + (high - cell * rows) / 2
        self.svg = rect_svg("hf", x - 1, top - 1, cell * columns + 1.5, cell * rows + 1.5, 0)
        tints = ""
        for sign in ["a", "b", "c", "d", "1", "2", "3", "4"]:
            path = ""
            for i in range(len(shades)):
                if shades[i] == sign:
                    path += f"M{i % columns} {i // columns}z"
            if path != "":
                tints += path_svg("q" + sign, path)
        if tints != "":  # the path has a point for each cell, drawn as a square by a square pen
            half = (cell - 0.5) / 2
            place = f"translate({quarters(x, half)} {quarters(top, half)})scale({places(cell)})"
            pen = int(1000 - 500 / cell + 0.5)
            look = [["class", "qs"], ["transform", place], ["stroke-width", f".{pen}"]]
            self.svg += svg_tag("g", look, ">") + tints + "</g>"
        crosses = ""
        side = places(cell - 0.5)
        for i in range(len(shades)):
            if shades[i] == "x":
                left = places(x + (i % columns) * cell)
                crosses += f"M{left} {places(top + (i // columns) * cell)}l{side} {side}m0-{side}l-{side} {side}"
        if crosses != "":
            self.svg += path_svg("qx", crosses)
