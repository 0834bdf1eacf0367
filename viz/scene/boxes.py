"""Draw boxes and pills with text that fits. Values are on the left, gradients on the right or below."""

from __future__ import annotations

from typing import Any

from .ink import is_bad, look_of, size_of, width_of, wrong_of
from .sheet import Heat, Sheet, rect_svg
from .words import NORMAL, SHORTER, SIGNS, SMALL, clipped, digits, fitting, rounded, svg_tag, wide

ROW = 15.0  #: height of a line of text in pixels
BAR = "foot"  #: CSS class of the bar of ink at the foot of a box


class BoxState:
    """The content of a node at one moment: value, gradient so far, size of the gradient, and cells for arrays."""

    def __init__(self, node: Any, state: Any) -> None:
        key = "n" + str(node["id"])
        self.key = key
        self.value = state["value"].get(key, node["value"])
        self.cells = state["shades"].get(key, node["cells"])
        self.gradient = state["gradient"].get(key, "")
        self.gradient_cells = state["cells"].get(key, "")
        self.size = size_of(self.gradient)
        self.bad = is_bad(self.size)
        self.scalar = node["shape"] == ""
        self.word = wrong_of(self.value)
        self.sign = state["sign"]


def classes_of(node: Any, box: BoxState, state: Any) -> str:
    """Return the CSS classes of a box, which depend on its kind and its state at this moment."""
    look = "n " + node["kind"]
    if node["ghost"]:
        look += " ghost"
    if node["uses"] == 0 and node["kind"] in ["leaf", "var"] and not node["output"]:
        look += " unused"
    if box.bad and not node["ghost"]:
        look += " isbad"
    if state["active"] == box.key:
        look += " active"
    if state["picked"] == box.key:
        look += " picked"
    if state["marked"].get(box.key, None) is not None:
        look += " way"
    return look


def draw_box(
    sheet: Sheet, node: Any, state: Any, scale: list[float], room: list[float], across: bool, zoom: float
) -> None:
    """Draw the box of a node in the rectangle `room`, given as [x, y, width, height].

    state : see `Lane.state`. scale : see `scale_of`. across : whether the flow goes to the right.
    """
    box = BoxState(node, state)
    x, y, w, h = room[0], room[1], room[2], room[3]
    leaf = node["kind"] in ["leaf", "var", "const"]
    svg = svg_tag("g", [["class", classes_of(node, box, state)], ["data-n", str(node["id"])]], ">")
    if node["output"]:
        svg += rect_svg("rim", x - 3, y - 3, w + 6, h + 6, 7)
    corner = min(h / 2, 13) if leaf else 4.0
    inset = max(2.0, corner * 0.6)
    svg += rect_svg("b", x, y, w, h, corner)
    thick = max(2.0, min(width_of(box.size, scale), h / 6))
    if box.gradient != "" and (box.size >= 0 or box.bad):
        svg += rect_svg(f"{BAR} {look_of(box.size, scale)}", x + inset, y + h - 1 - thick, w - 2 * inset, thick, 1)
    sheet.take(x, y, w, h)
    pad = 9.0 if leaf and h < 30 else 7.0
    rows = max(int((h - 3 - max(4.0, thick)) / ROW), 1 if h >= 18 else 0)
    if (not across and h < 40 and w > 150) or (across and rows < 2 and w > 184):
        svg += in_one_line(sheet, node, box, x + pad, y, w - 2 * pad, h, zoom)
    else:
        svg += in_rows(sheet, node, box, x + pad, y, w - 2 * pad, h, rows, zoom)
    sheet.boxes.append(svg + tag_svg(sheet, box.word, x, y, w) + "</g>")


def tag_svg(sheet: Sheet, word: str, x: float, y: float, w: float) -> str:
    """Return the SVG of the tag "nan" or "inf" at the corner of a box with a nan or inf as its value."""
    if word == "" or w <= 40:
        return ""
    tag = wide(word, SMALL, True) + 8
    sheet.take(x + w - tag + 4, y - 9, tag, 15)
    text = sheet.text(x + w - tag / 2 + 4, y + 2, word, "tagt", SMALL, "c")
    return rect_svg("tag", x + w - tag + 4, y - 9, tag, 15, 3) + text


def head_of(node: Any, room: float) -> list[Any]:
    """Return the first line of a box as [text, CSS class, font size], in the longest form that fits into `room` pixels.

    The forms are the box's name or its op with constants, a shorter text, and a sign such as "×".
    """
    title, words = node["title"], node["words"]
    if node["called"] != "":
        forms = [node["called"]]
        shorter = [clipped(node["called"], room + 5, SMALL, True)]
    else:
        mark = node["mark"]
        forms = [titled(title, words, mark), title + mark]
        shorter = [some + mark for some in [SHORTER.get(title, ""), SIGNS.get(title, "")] if some != ""]
        shorter = [titled(SIGNS.get(title, ""), words, mark), *shorter, clipped(title + mark, room + 5, SMALL, True)]
    for look in ["nm", "ti"]:
        text = fitting(forms, room + (5 if look == "nm" else 8), NORMAL, look == "nm")
        if text != "":
            return [text, look, NORMAL]
        text = fitting(forms, room + (6 if look == "nm" else 10), SMALL, look == "nm")
        if text != "":
            return [text, look, SMALL]
    text = fitting(shorter, room + 5, SMALL, True)
    return [text, "nm", SMALL]


def titled(op: str, words: list[str], mark: str) -> str:
    """Return an op as written in its box, such as "add 2" or, if the constant is the first argument, "2 - …".

    words : the constants. mark : a number such as "#3" that distinguishes equal ops, or "".
    """
    if op == "" or len(words) == 0:
        return op + mark if op != "" else ""
    if words[0].endswith("…"):
        return words[0].replace("…", SIGNS.get(op, op) + mark + " …")
    return op + mark + " " + ", ".join(words)


def gradient_words(box: BoxState) -> list[str]:
    """Return the texts that may show the gradient in a box, the preferred one first."""
    if box.gradient == "":
        return []
    text = box.gradient if box.scalar or box.bad else digits(box.size)
    # `size` has no sign, so the sign of the text is put in front again.
    short = text if box.bad or box.size < 0 else ("-" if text[0] == "-" else "") + rounded(box.size, 2, 3)
    long = box.sign + text
    if box.scalar:
        return [long, text, box.sign + short, short]
    if box.gradient[0] == "[" and box.word == "":
        return [box.sign + box.gradient, box.gradient, long, box.sign + short, text, short]
    return [long, box.sign + short, text, short]


def side_words(node: Any) -> list[str]:
    """Return the forms of the label next to the first line: the op if the box has a name, and the shape."""
    title, words, shape = node["title"], node["words"], node["shape"]
    if node["called"] == "":
        return [shape]
    short = titled(SIGNS.get(title, SHORTER.get(title, title)), words, "")
    both = title + " " + shape if shape != "" else ""
    return [both, titled(title, words, ""), short + " " + shape if shape != "" else "", title, short, shape]


def gradient_look(box: BoxState) -> str:
    return "gv badt" if box.bad else "gv"


def in_one_line(sheet: Sheet, node: Any, box: BoxState, x: float, y: float, w: float, h: float, zoom: float) -> str:
    """Draw name, shape, value and gradient in one line."""
    if h < 13:
        return ""
    base = y + h / 2 + 3
    right = x + w
    head = head_of(node, w / 2)
    svg = sheet.text(x, base, head[0], head[1], head[2], "") if head[0] != "" else ""
    left = x + wide(head[0], head[2], head[1] == "nm") + 8
    text = fitting(gradient_words(box), right - left, NORMAL, True)
    if text != "":
        svg += sheet.text(right, base, text, gradient_look(box), NORMAL, "r")
        right -= wide(text, NORMAL, True) + 8
    text = fitting(side_words(node), right - left - 70, SMALL, False)
    if text != "":
        svg += sheet.text(left, base, text, "mu", SMALL, "")
        left += wide(text, SMALL, False) + 8
    if node["shape"] != "":
        half = min(54.0, (right - left - 8) / 2)
        value = Heat(box.cells, node["row"], right - half, y + 3, half, h - 8, zoom)
        gradient = Heat(box.gradient_cells, node["row"], right - half, y + 3, half, h - 8, zoom)
        if value.wide > 0 and gradient.wide > 0:
            svg += Heat(box.cells, node["row"], right - gradient.wide - value.wide - 8, y + 3, half, h - 8, zoom).svg
            gradient = Heat(box.gradient_cells, node["row"], right - gradient.wide, y + 3, half, h - 8, zoom)
            svg += svg_tag("g", [["class", "ga"]], ">") + gradient.svg + "</g>"
    else:
        text = fitting(["= " + box.value, box.value], right - left, NORMAL, False)
        if text != "":
            svg += sheet.text(right, base, text, value_look(node, box), NORMAL, "r")
    return svg


def value_look(node: Any, box: BoxState) -> str:
    return "vbad" if box.word != "" else "ed" if node["kind"] == "leaf" else "v"


def in_rows(
    sheet: Sheet, node: Any, box: BoxState, x: float, y: float, w: float, h: float, rows: int, zoom: float
) -> str:
    """Draw the head, the value and the gradient below one another; for arrays, draw two images side by side."""
    svg = ""
    base = y + min(16, h / 2 - 6) if rows >= 2 else y + h / 2 + (2 if h > 22 else 4)
    head = head_of(node, w)
    long = wide(head[0], head[2], head[1] == "nm")
    beside = w - long - 8
    value = fitting(["= " + box.value, box.value], w + 3, NORMAL, False) if node["shape"] == "" else ""
    room = w + 3 if rows >= 2 else beside
    size = NORMAL
    gradient = fitting(gradient_words(box), room, size, True)
    if gradient == "":
        size = SMALL
        gradient = fitting(gradient_words(box), room, size, True)
    level = wide(value, NORMAL, False) + wide(gradient, NORMAL, True) + 8 <= w  # both fit in one line
    raised = fitting(["= " + box.value, box.value], beside, NORMAL, False) if rows == 2 and not level else ""
    raised = raised if value != "" and gradient != "" else ""
    second = ""
    if head[0] != "" and rows >= 1:
        if rows == 1 and gradient != "":
            svg += sheet.text(x, base, head[0], head[1], head[2], "")
            svg += sheet.text(x + w, base, gradient, gradient_look(box), size, "r")
        elif long > w or (rows == 1 and beside < 30):
            svg += sheet.text(x + w / 2, base, head[0], head[1], head[2], "c")
        elif raised != "":
            svg += sheet.text(x, base, head[0], head[1], head[2], "")
            svg += sheet.text(x + w, base, raised, value_look(node, box), NORMAL, "r")
        else:
            svg += sheet.text(x, base, head[0], head[1], head[2], "")
            text = fitting([side_words(node)[0]], beside, SMALL, False)
            if text == "" and h >= 76:
                second = fitting(side_words(node), w + 4, SMALL, False)
                if second != "":
                    base += 13
                    svg += sheet.text(x, base, second, "mu", SMALL, "")
            if text == "" and second == "":
                text = fitting(side_words(node), beside, SMALL, False)
            if text != "":
                svg += sheet.text(x + w, base, text, "mu", SMALL, "r")
    if rows >= 3 and node["shape"] != "":
        return svg + images(sheet, node, box, x, y + (34 if second != "" else 21), w, y + h - 10, zoom)
    if rows == 2 and gradient == "":
        svg += Heat(box.cells, node["row"], x, base + 5, w, y + h - base - 11, zoom).svg
    if rows >= 2 and value != "" and (rows >= 3 or level or gradient == ""):
        svg += sheet.text(x, base + ROW, value, value_look(node, box), NORMAL, "")
    if rows >= 2 and gradient != "":
        apart = rows == 2 and level and value != ""
        down = base + (2 * ROW if rows >= 3 else ROW)
        svg += sheet.text(x + w if apart else x, down, gradient, gradient_look(box), size, "r" if apart else "")
    return svg


def images(sheet: Sheet, node: Any, box: BoxState, x: float, top: float, w: float, foot: float, zoom: float) -> str:
    """Draw value and gradient as images, with their entries or their largest numbers below."""
    svg = ""
    half = (w - 8) / 2
    high = foot - 10 - top
    if high > 3:
        value = Heat(box.cells, node["row"], x, top, half, high, zoom)
        gradient = Heat(box.gradient_cells, node["row"], x + half + 8, top, half, high, zoom)
        svg += value.svg + svg_tag("g", [["class", "ga"]], ">") + gradient.svg + "</g>"
        sheet.paired = sheet.paired or (value.wide > 0 and gradient.wide > 0)
    size = box.value if box.word != "" else digits(size_of(box.value))
    beside = fitting(gradient_words(box), w - wide(size, SMALL, False) - 6, SMALL, True)
    text = beside if beside != "" else fitting(gradient_words(box), w + 4, SMALL, True)
    if text != "":
        svg += sheet.text(x + w + 2, foot, text, gradient_look(box), SMALL, "r")
    left = w - wide(text, SMALL, True) - 6
    number = fitting([box.value, size] if box.value[:1] == "[" else [size], left, SMALL, False)
    if number != "" and (text != "" or box.gradient == ""):
        svg += sheet.text(x, foot, number, "vbad" if box.word != "" else "mu", SMALL, "")
    return svg


def draw_pill(
    sheet: Sheet, node: Any, edge: Any, state: Any, scale: list[float], room: list[float], zoom: float
) -> None:
    """Draw an input next to the op that uses it, with the message that the op sends to it."""
    box = BoxState(node, state)
    x, y, w, h = room[0], room[1], room[2], room[3]
    message = state["sent"].get("e" + str(edge["id"]), "")
    size = size_of(message)
    whole = message if message[:1] == "[" and not state["forward"] else ""
    if message != "" and node["shape"] != "" and not is_bad(size):
        message = digits(size)
    look = classes_of(node, box, state) + " pill"
    look += " ghost" if edge["ghost"] else " isbad" if is_bad(size) else ""
    svg = svg_tag("g", [["class", look], ["data-n", str(node["id"])], ["data-e", str(edge["id"])]], ">")
    svg += rect_svg("b", x, y, w, h, min(h / 2, 13))
    sheet.take(x, y, w, h)
    inner = w - 16
    name = node["title"]
    # An input with several uses has a pill at each; there the message is shown, a part of the gradient.
    several = node["uses"] > 1 and not state["forward"]
    shown = box.gradient if state["forward"] else message
    forms = [message if message[:1] == "-" else "+" + message, message] if several else [box.sign + shown, shown]
    forms.insert(0, whole)
    if shown == "":
        forms = ["None"] if edge["none"] and state["gradient"].get("n" + str(edge["dst"]), "") != "" else []
    heavy = "gv badt" if is_bad(size) else "gv"
    if h >= 34 and (node["shape"] == "" or wide(name, NORMAL, True) > inner):
        value = " " + box.value if node["shape"] == "" else ""
        svg += named_pill(sheet, [name + value, name], x + w / 2, y + 15, inner)
        text = fitting(forms, inner + 4, NORMAL, True)
        svg += sheet.text(x + w / 2, y + 30, text, heavy, NORMAL, "c") if text != "" else ""
    elif h >= 34:
        svg += sheet.text(x + 8, y + 14, name, "nm", NORMAL, "")
        text = fitting(forms, inner - wide(name, NORMAL, True) - 2, SMALL, True)
        svg += sheet.text(x + w - 7, y + 14, text, heavy, SMALL, "r") if text != "" else ""
        half = (inner - 6) / 2
        svg += Heat(box.cells, node["row"], x + 8, y + 19, half, h - 24, zoom).svg
        cells = "" if several else box.gradient_cells
        image = Heat(cells, node["row"], x + 14 + half, y + 19, half, h - 24, zoom)
        svg += svg_tag("g", [["class", "ga"]], ">") + image.svg + "</g>"
    else:
        base = y + h / 2 + 4
        value = " " + box.value if node["shape"] == "" and name != box.value else ""
        for head in [name + value, name]:
            text = fitting(forms, inner - wide(head, NORMAL, True) - 6, SMALL, True)
            if text != "":
                svg += sheet.text(x + 8, base, head, "nm", NORMAL, "")
                sheet.boxes.append(svg + sheet.text(x + w - 8, base, text, heavy, SMALL, "r") + "</g>")
                return
        svg += named_pill(sheet, [name + value, name], x + w / 2, base, inner)
    sheet.boxes.append(svg + "</g>")


def named_pill(sheet: Sheet, forms: list[str], x: float, base: float, inner: float) -> str:
    """Draw the first of `forms` that fits into a pill; if none fits, draw the beginning of the last form, a name."""
    text = fitting(forms, inner + 6, NORMAL, True)
    if text != "":
        return sheet.text(x, base, text, "nm", NORMAL, "c")
    name = forms[len(forms) - 1]
    text = clipped(name, inner + 10, SMALL, True)
    text = text if text != "" else fitting([name[:2] + "…", name[:1] + "…"], inner + 10, SMALL, True)
    return sheet.text(x, base, text, "nm", SMALL, "c") if text != "" else ""
