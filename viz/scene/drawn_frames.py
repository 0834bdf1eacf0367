"""Draw frames and loops. A closed frame shows a bar for the gradient of each op, on the same scale as the lines."""

from __future__ import annotations

from math import floor, log10
from typing import Any

from .boxes import tag_svg
from .ink import is_bad, look_of, share_of, size_of, wrong_of
from .sheet import Sheet, rect_svg
from .words import NORMAL, SMALL, clipped, digits, fitting, path_svg, places, svg_tag, wide


def sizes_in(nodes: list[int], graph: Any, state: Any) -> list[float]:
    """Return the size of each node's gradient, or of its value if values or a wiggle are shown.

    The size is -1 for a gradient or value that is not shown yet.
    """
    if state["forward"]:
        shown = [n for n in nodes if state["hidden"].get("n" + str(n), None) is None]
        values = [state["value"].get("n" + str(n), graph["nodes"][n]["value"]) for n in nodes]
        return [size_of(values[i]) if nodes[i] in shown else -1.0 for i in range(len(nodes))]
    return [size_of(state["gradient"].get("n" + str(n), "")) for n in nodes]


def ops_in(frame: Any, graph: Any) -> list[int]:
    """Return the ops of a frame in order of creation."""
    return [n for n in frame["nodes"] if graph["nodes"][n]["kind"] not in ["leaf", "const"]]


def largest_of(sizes: list[float]) -> float:
    """Return the largest size, or nan if any size is nan."""
    largest = -1.0
    for size in sizes:
        if is_bad(size):
            return size
        largest = max(largest, size)
    return largest


def bars(sizes: list[float], scale: list[float], x: float, y: float, w: float, h: float, current: int) -> str:
    """Return the SVG of a bar for each size; if there are too few pixels, neighbouring sizes share a bar.

    scale : see `scale_of`. current : the index of the size whose bar is highlighted, or -1.
    """
    count = len(sizes)
    shown = min(count, int(w / 1.6))
    step = w / max(shown, 1)
    paths: dict[str, str] = {}
    looks: list[str] = []
    for i in range(shown):
        first = i * count // shown
        size = largest_of(sizes[first : max(first + 1, (i + 1) * count // shown)])
        look = look_of(size, scale)
        tall = h if is_bad(size) else 1.0 if size <= 0 else 1.5 + share_of(size, scale) * (h - 1.5)
        if current >= 0 and i == current * shown // count:
            look = "cur"
        if paths.get(look) is None:
            looks.append(look)
            paths[look] = ""
        side = places(max(1.0, step - (1.0 if step > 3 else 0.0)))
        paths[look] += f"M{places(x + i * step)} {places(y + h - tall)}h{side}v{places(tall)}h-{side}z"
    return "".join([path_svg("sp " + look, paths[look]) for look in looks])


def wrong_in(frame: Any, graph: Any, state: Any) -> str:
    """Return "nan", "inf" or "≠" if a gradient of the frame's ops, or a message from them, has this fault; else ""."""
    texts = ""
    for n in ops_in(frame, graph):
        node = graph["nodes"][n]
        if node["ghost"]:
            continue
        texts += state["gradient"].get("n" + str(n), "")
        for entering in [node["enters"], node["pills"]]:
            for at in entering:
                edge = graph["edges"][at]
                texts += "" if edge["ghost"] else state["sent"].get("e" + str(edge["id"]), "")
    return wrong_of(texts)


def wrong_values(frame: Any, graph: Any, state: Any) -> str:
    """Return "nan" or "inf" if the value of a frame's op that is already shown has this fault; else ""."""
    texts = ""
    for n in ops_in(frame, graph):
        key = "n" + str(n)
        if state["hidden"].get(key, None) is None:
            texts += state["value"].get(key, graph["nodes"][n]["value"])
    return wrong_of(texts)


def frame_group(frame: Any, opened: bool, state: Any, extra: str) -> str:
    look = "f open" if opened else "f"
    look += extra
    if state["active"] != "" and frame["holds"].get(state["active"], None) is not None:
        look += " lit"
    return svg_tag("g", [["class", look], ["data-f", frame["as"]]], ">")


def draw_closed(sheet: Sheet, frame: Any, graph: Any, state: Any, scale: list[float], room: list[float]) -> None:
    """Draw a closed frame: its name, the value or shape of its last op, and a bar for the gradient of each op inside.

    It also shows the sizes of the gradients that enter and leave the frame.
    """
    x, y, w, h = room[0], room[1], room[2], room[3]
    sizes = sizes_in(ops_in(frame, graph), graph, state)
    look = " isbad" if wrong_in(frame, graph, state) != "" else ""
    behind = f"M{places(x + 8)} {places(y - 3)}h{places(w - 5)}v{places(h - 5)}"  # the edge of another frame behind it
    svg = frame_group(frame, False, state, look) + path_svg("fs", behind) + rect_svg("fb", x, y, w, h, 6)
    name = clipped(frame["name"], w - 12, NORMAL, True)
    size = NORMAL
    if name == "":
        name = clipped(frame["name"], w - 6, SMALL, True)
        size = SMALL
    if name != "" and h > 15:
        svg += sheet.text(x + 6, y + 13, name, "nm fn", size, "")
    foot = 18.0 if h > 52 else 4.0
    top = 20.0
    text = passed_words(frame, sizes, state, w - 10, h <= 52) if h > 40 else ""
    if text != "":
        base = h - 6 if h > 52 else 28.0  # the text is below the bars if there is room, else above them
        side = "" if h > 52 else "r"
        look = "gv badt" if is_bad(largest_of(sizes)) else "gv"
        svg += sheet.text(x + 6 if side == "" else x + w - 6, y + base, text, look, SMALL, side)
        top = top if h > 52 else 32.0
    last = "n" + str(frame["last"])
    if h > 15 and frame["last"] >= 0 and state["hidden"].get(last, None) is None:
        node = graph["nodes"][frame["last"]]
        value = "= " + state["value"].get(last, node["value"]) if node["shape"] == "" else node["shape"]
        look = "mu" if node["shape"] != "" else "v" if wrong_of(value) == "" else "vbad"
        long = wide(value, NORMAL, False) + 20
        if wide(name, size, True) + long <= w:
            svg += sheet.text(x + w - 6, y + 13, value, look, NORMAL, "r")
        elif (h > 66 or top > 20) and long + (wide(text, SMALL, True) if h <= 52 else 0.0) <= w:
            svg += sheet.text(x + 6, y + 28, value, look, NORMAL, "")
            top = max(top, 34.0) if h > 66 else top
    if h > 30:
        svg += bars(sizes, scale, x + 7, y + top, w - 14, h - top - foot, -1)
    sheet.take(x, y, w, h)
    sheet.boxes.append(svg + tag_svg(sheet, wrong_values(frame, graph, state), x, y, w) + "</g>")


def passed_words(frame: Any, sizes: list[float], state: Any, room: float, only_one: bool) -> str:
    """Write the gradients that leave and enter a frame, such as "0.5 ← 2", or only the one that enters.

    room : the width in pixels; the result is "" if nothing fits into it.
    """
    entering = state["gradient"].get("n" + str(frame["last"]), "")
    if entering == "" or len(sizes) == 0:
        return ""
    leaving = state["gradient"].get("n" + str(frame["first"]), "")
    both = (shortest(leaving) if leaving != "" else "…") + (" → " if state["forward"] else " ← ") + shortest(entering)
    sign = state["sign"]
    one = [sign + shortest(entering), shortest(entering)]
    return fitting(one if only_one else [sign + both, both, *one], room, SMALL, True)


def shortest(text: str) -> str:
    """Return the size of a gradient with three digits, or its fault, such as "nan". text : the gradient's text."""
    size = size_of(text)
    if is_bad(size):
        return wrong_of(text)
    return digits(size)


def draw_rim(sheet: Sheet, frame: Any, state: Any, room: list[float], name: str) -> None:
    """Draw the rim of an open frame, behind its content; `draw_names` adds the name when all lines are known."""
    svg = frame_group(frame, True, state, " loop" if len(frame["turns"]) > 0 else "")
    sheet.rims.append([len(sheet.back), room, name])
    sheet.back.append(svg + rect_svg("fb", room[0], room[1], room[2], room[3], 7))


def draw_names(sheet: Sheet) -> None:
    """Draw the names of the open frames, each at the left or right end of its rim, whichever is free of lines."""
    for rim in sheet.rims:
        at, room = rim[0], rim[1]
        text = clipped(rim[2], room[2] - 14, NORMAL, True)
        long = wide(text, NORMAL, True)
        for left in [room[0] + 8, room[0] + room[2] - 8 - long]:
            if text != "" and sheet.free(left, room[1] + 14 - NORMAL * 0.8, long, NORMAL):
                sheet.back[at] += sheet.text(left, room[1] + 14, text, "nm fn", NORMAL, "")
                text = ""
        sheet.back[at] += "</g>"


def draw_strip(sheet: Sheet, frame: Any, graph: Any, state: Any, room: list[float], now: int) -> None:
    """Draw the strip of a loop, with a bar for the gradient or the value that each iteration passes on.

    In a forward pass, the bars show values. The iteration that is drawn is marked.
    """
    count = len(frame["turns"])
    sizes = sizes_in(frame["carry"], graph, state)
    finite = [size for size in sizes if size > 0 and not is_bad(size)]
    low = min(floor(log10(min(finite))), -1) if len(finite) > 0 else -1
    high = max(0, -floor(0.01 - log10(max(finite)))) if len(finite) > 0 else 0
    own = [float(low), float(high)]
    x, w, y, h = room[0] + 52, room[2] - 66, room[1] + 18, room[3] - 42
    if w < 60 or h < 10:  # the open frame is too small; zooming in makes room
        return
    svg = ""
    marks = [high, (high + low) // 2, low]
    for i in range(3):
        if i > 0 and marks[i] == marks[i - 1]:
            continue
        line = y + h - h * (marks[i] - low) / (high - low)
        svg += path_svg("ax", f"M{places(x - 3)} {places(line)}H{places(x + w)}")
        svg += sheet.text(x - 6, line + 4, "1" if marks[i] == 0 else "1e" + str(marks[i]), "mu", SMALL, "r")
    word = frame["word"]
    head = ("|value|" if state["forward"] else "|ḡ|") + f" of each {word}"
    head = fitting([head + ", on a log scale", head + ", log scale", head], room[2] - 14, SMALL, True)
    svg += sheet.text(room[0] + 9, y - 7, head, "mu" if state["forward"] else "gv", SMALL, "")
    zeros = 0
    while zeros < count - 1 and sizes[zeros] == 0:
        zeros += 1
    part = zeros * w / count  # the width of the bars for iterations whose gradient is 0
    if part > w / 2:  # shrink that part, but not so far that the few other bars look like most of the loop
        part = max(w * 0.16, min(w / 2, 210.0), w - 24 * (count - zeros))
        svg += path_svg("ax", f"M{places(x + part)} {places(y)}V{places(y + h)}")
    if zeros > 0:
        svg += bars(sizes[:zeros], own, x, y, part, h, now if now < zeros else -1)
        dtype = frame["dtype"]
        least = 1e-300 if dtype == "float64" else 1e-5 if dtype == "float16" else 1e-35
        words = [f"gradient 0: too small for {dtype}", "gradient 0"]
        if sizes[zeros] > least:  # the gradient is not too small: the messages may have cancelled
            words = ["gradient 0"]
        text = fitting(words, part - 8, SMALL, False)
        if text != "" and not state["forward"]:
            svg += sheet.text(x + part / 2, y + h - 7, text, "sl", SMALL, "c")
    svg += bars(sizes[zeros:], own, x + part, y, w - part, h, now - zeros)
    at = (now + 0.5) * part / max(zeros, 1)
    if now >= zeros:
        at = part + (now - zeros + 0.5) * (w - part) / (count - zeros)
    at += x
    svg += path_svg("mark", f"M{places(at)} {places(y - 2)}V{places(y + h + 3)}")
    svg += path_svg("markt", f"M{places(at)} {places(y + h + 1)}l4 6h-8z")
    name = graph["frames"][frame["turns"][now]]["name"]
    label = name
    if is_bad(sizes[now]):
        carried = frame["carry"][now]
        key = "n" + str(carried)
        values = state["value"].get(key, graph["nodes"][carried]["value"])
        label += ": " + (values if state["forward"] else state["gradient"].get(key, ""))
    elif sizes[now] >= 0:
        label += ": " + digits(sizes[now])
    long = wide(label, NORMAL, True)
    left = max(min(x, room[0] + room[2] - 8 - long), min(x + w - long, at - long / 2))
    svg += sheet.text(left, y + h + 19, label, "nm" if state["forward"] else "lv", NORMAL, "")
    first, last = graph["frames"][frame["turns"][0]]["name"], graph["frames"][frame["turns"][count - 1]]["name"]
    if left > x + wide(first, SMALL, False) + 12:
        svg += sheet.text(x, y + h + 16, first, "mu", SMALL, "")
    if left + long < x + w - wide(last, SMALL, False) - 12:
        svg += sheet.text(x + w, y + h + 16, last, "mu", SMALL, "r")
    pairs = [["class", "hit"], ["data-strip", frame["key"]], ["data-zeros", str(zeros)], ["data-part", places(part)]]
    for pair in [["x", places(x)], ["y", places(y - 4)], ["width", places(w)], ["height", places(h + 24)]]:
        pairs.append(pair)
    ground = rect_svg("sb", room[0] + 2, room[1] + 2, room[2] - 4, room[3] - 4, 0)  # hides lines behind the strip
    sheet.boxes.append(ground + svg + svg_tag("rect", pairs, "/>"))
