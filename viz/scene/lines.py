"""Draw a line for each message: its width shows the size; the number is above the line and the slope below it."""

from __future__ import annotations

from typing import Any

from .ink import is_bad, look_of, size_of, width_of
from .sheet import Sheet
from .words import NORMAL, SMALL, path_svg, places, svg_tag, wide


class Stroke:
    """A line to draw: its points as [along the flow, across it], its edge, and whether it ends at the box of an op.

    headed : whether an arrowhead is drawn; at the rim of an open frame, only the piece inside the frame has one.
    """

    def __init__(
        self, edge: Any, points: list[list[float]], near: float, low: bool, labelled: bool, headed: bool
    ) -> None:
        self.headed = headed
        self.edge = edge
        self.points = points
        self.near = near
        self.low = low
        self.labelled = labelled


def draw_line(sheet: Sheet, line: Stroke, state: Any, scale: list[float], across: bool) -> None:
    """Draw the line, and an arrowhead if a message was sent."""
    points = line.points
    key = "e" + str(line.edge["id"])
    message = state["sent"].get(key, "")
    size = size_of(message)
    for i in range(1, len(points)):
        note_piece(sheet, points[i - 1], points[i], width_of(size, scale), across)
    path = angled(points) if len(points) > 2 and points[1][0] == points[2][0] else flowing(points, across)
    look = look_of(size, scale) if message != "" else "no"
    extra = " gh" if line.edge["ghost"] else ""
    extra += " now" if state["now"].get(key, None) is not None else ""
    extra += " cut" if line.edge["cut"] else ""
    extra += " way" if state["marked"].get(key, None) is not None else ""
    wide_by = width_of(size, scale)
    sheet.lines.append(stroke_svg("e " + look + extra, path, wide_by, line.edge))
    if state["forward"] or (look != "no" and line.headed):
        tip = points[len(points) - 1] if state["forward"] else points[0]
        half = 4.0 if look == "no" else max(4.0, wide_by * 0.9 + 2.6)
        long = 7.0 if look == "no" else 1.5 * half
        slant = spot([-long if state["forward"] else long, -half], across)
        head = "M" + spot(tip, across) + "l" + slant + ("v" if across else "h") + places(2 * half) + "z"
        sheet.lines.append(path_svg("h no" if look == "no" else "h " + look + extra, head))


def flowing(points: list[list[float]], across: bool) -> str:
    """Return a path along the flow: straight pieces with curves between them."""
    path = "M" + spot(points[0], across)
    for i in range(1, len(points)):
        a, b = points[i - 1], points[i]
        if abs(a[1] - b[1]) < 0.5:
            if i + 1 == len(points) or abs(points[i + 1][1] - b[1]) >= 0.5:
                path += "L" + spot(b, across)
        else:
            half = (a[0] + b[0]) / 2
            path += "C" + spot([half, a[1]], across) + " " + spot([half, b[1]], across) + " " + spot(b, across)
    return path


def angled(points: list[list[float]]) -> str:
    """Return a path of alternating horizontal and vertical pieces."""
    path = "M" + spot(points[0], True)
    for i in range(1, len(points)):
        a, b = points[i - 1], points[i]
        path += "h" + places(b[0] - a[0]) if i % 2 == 1 else "v" + places(b[1] - a[1])
    return path


def stroke_svg(look: str, path: str, thick: float, edge: Any) -> str:
    """Return the SVG of an edge's line."""
    stroke = ["stroke-width", places(thick)]
    return svg_tag("path", [["class", look], ["d", path], stroke, ["data-e", str(edge["id"])]], "/>")


def spot(point: list[float], across: bool) -> str:
    """Convert a point of the flow to a point of the page."""
    return places(point[0]) + " " + places(point[1]) if across else places(point[1]) + " " + places(point[0])


def note_piece(sheet: Sheet, a: list[float], b: list[float], thick: float, across: bool) -> None:
    """Mark the area of a piece of a line as occupied, so that no text is drawn over it."""
    if across and a[0] == b[0]:
        sheet.take(a[0] - thick / 2, min(a[1], b[1]), thick, abs(b[1] - a[1]))
        return
    if abs(a[1] - b[1]) < 0.5:
        if across:
            sheet.take(min(a[0], b[0]), a[1] - thick / 2, abs(b[0] - a[0]), thick)
        else:
            sheet.take(a[1] - thick / 2, a[0], thick, b[0] - a[0])
        return
    count = int(min(200.0, (abs(b[0] - a[0]) + abs(b[1] - a[1])) / 4)) + 1
    half = (a[0] + b[0]) / 2
    for i in range(count + 1):
        t = i / count
        r = 1 - t
        along = r * r * r * a[0] + 3 * r * t * half + t * t * t * b[0]
        aside = (r * r * r + 3 * r * r * t) * a[1] + (3 * r * t * t + t * t * t) * b[1]
        sheet.dots.append([along, aside, thick / 2] if across else [aside, along, thick / 2])


def words_of(edge: Any, state: Any) -> list[str]:
    """Return the two labels of a line: the number that was sent ("" before that), and its factor or another note."""
    message = state["sent"].get("e" + str(edge["id"]), "")
    if not edge["scalar"] and not is_bad(size_of(message)):
        message = ""
    if state["forward"] and message == "":  # no value has arrived yet
        return ["", ""]
    if edge["none"]:
        return ["", ""] if state["gradient"].get("n" + str(edge["dst"]), "") == "" else ["None", "no gradient"]
    if edge["cut"]:
        return ["", "gradient stops"]
    slope = state["slopes"].get("e" + str(edge["id"]), edge["slope"])
    return [message, "by the rule" if edge["rule"] else "" if slope == "× 1" else slope]


def room_for(edge: Any, state: Any) -> float:
    """Return the width that a line's labels need."""
    words = words_of(edge, state)
    return max(wide(words[0], NORMAL, True), wide(words[1], SMALL, False))


def longest_level(points: list[list[float]]) -> list[list[float]]:
    """Return the start and the end of a line's longest level piece, which runs in the direction of the flow."""
    best = [points[0], points[0]]
    for i in range(1, len(points)):
        a, b = points[i - 1], points[i]
        if abs(a[1] - b[1]) < 0.5 and b[0] - a[0] > best[1][0] - best[0][0]:
            best = [a, b]
    return best


def draw_words(sheet: Sheet, line: Stroke, state: Any, across: bool) -> None:
    """Draw the number above the end of a line and the slope below it, if there is room for them."""
    if not line.labelled:
        return
    words = words_of(line.edge, state)
    number, slope = words[0], words[1]
    heavy = "lv badt" if is_bad(size_of(number)) else "lv"
    last = line.points[len(line.points) - 1]
    before = line.points[len(line.points) - 2]
    if not across:
        if number != "" and last[0] - before[0] >= 16:
            written = False
            for y in [(last[0] + before[0]) / 2 + 4, last[0] - 4]:
                written = written or sheet.word(last[1] + 7, y, number, heavy, NORMAL, "")
                written = written or sheet.word(last[1] - 7, y, number, heavy, NORMAL, "r")
        return
    x, y, room = last[0] - 7, last[1], last[0] - before[0] - 4
    lift = 4.0 if state["forward"] and number != "" and line.near >= 24 else 0.0  # the arrowhead is at this end
    if "≠" in number and wide(number, NORMAL, True) > room:
        number = "≠ " + number.split("≠ ")[1]
    written = number == ""
    if not written and wide(number, NORMAL, True) <= room:
        written = sheet.word(x, y + 15 if line.low and line.near < 24 else y - 6 - lift, number, heavy, NORMAL, "r")
    if not written:
        long = longest_level(line.points)
        if long[0][0] + wide(number, NORMAL, True) + 8 <= long[1][0]:
            sheet.word(long[1][0] - 4, long[1][1] - 6, number, heavy, NORMAL, "r")
    if slope != "" and line.near >= 24 and wide(slope, SMALL, False) <= room:
        sheet.word(x, y + 15 + lift, slope, "sl", SMALL, "r")
