"""Text in a picture: its width in any usual system font, and shorter forms for narrow boxes."""

from __future__ import annotations

from math import floor, inf, log10

#: Widths of the characters from space to "~", in hundredths of the font size, in DejaVu Sans, the widest font.
ADVANCES = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69,
    61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63,
    59, 82, 59, 59, 52, 64, 34, 64, 84,
]  # fmt: skip
BOLD = 1.15  #: width of bold text, relative to normal text
NORMAL, SMALL = 12, 11  #: the two font sizes

SHORTER = {
    "transpose": "transp.", "concatenate": "concat", "expand_dims": "expand", "logsumexp": "lse", "subtract": "subtr.",
    "multiply": "mult.", "greater_equal": "≥", "less_equal": "≤", "greater": ">", "less": "<",
    "broadcast_to": "broadc.",
}  # fmt: skip
SIGNS = {
    "multiply": "×", "add": "+", "subtract": "−", "divide": "÷", "matmul": "@", "negative": "−", "square": "²",
    "sqrt": "√", "power": "^", "sum": "Σ",
}  # fmt: skip


def wide(text: str, size: int, bold: bool) -> float:
    """Return an upper bound on the width of `text`, in pixels."""
    total = 0
    for char in text:
        code = ord(char)
        if code == 0x200D or code == 0xFE0F:  # inside an emoji, such as a family or a coloured heart
            total += 0
        elif code >= 0x1F000:  # the width of an emoji in the widest emoji font
            total += 140
        elif code >= 0x2000:
            total += 100
        elif code >= 127:
            total += 0 if code == 0x304 else 84 if code == 0xD7 else 72  # a bar over the previous letter, or ×
        else:
            total += ADVANCES[max(0, code - 32)]
    return total * size / 100 * (BOLD if bold else 1.0)


def fitting(forms: list[str], room: float, size: int, bold: bool) -> str:
    """Return the first of `forms` that fits into `room` pixels, or "" if none fits."""
    for form in forms:
        if form != "" and wide(form, size, bold) <= room:
            return form
    return ""


def joined(last: str, following: str) -> bool:
    """Return whether two characters are parts of one emoji, such as a family or a coloured heart."""
    codes = [ord(last), ord(following)]
    return codes[0] == 0x200D or codes[1] == 0x200D or codes[1] == 0xFE0F


def clipped(text: str, room: float, size: int, bold: bool) -> str:
    """Return `text` if it fits into `room` pixels; else its beginning and an ellipsis if three letters fit, or ""."""
    if wide(text, size, bold) <= room:
        return text
    letters: list[str] = []  # an emoji has two units in a JavaScript string
    for char in text:
        letters.append(char)
    n = len(letters) - 1
    while n > 2:
        beginning = "".join(letters[:n]) + "…"
        if not joined(letters[n - 1], letters[n]) and wide(beginning, size, bold) <= room:
            return beginning
        n -= 1
    return ""


def escaped(text: str) -> str:
    """Escape `text` for SVG, and replace each control character with a visible sign."""
    escaped_text = ""
    for char in text:
        if char == "&":
            escaped_text += "&amp;"
        elif char == "<":
            escaped_text += "&lt;"
        elif char == ">":
            escaped_text += "&gt;"
        elif char == '"':
            escaped_text += "&quot;"
        elif char == "'":
            escaped_text += "&#39;"
        elif ord(char) < 32 or ord(char) == 127:
            escaped_text += "\ufffd"
        else:
            escaped_text += char
    return escaped_text


def svg_tag(name: str, pairs: list[list[str]], end: str) -> str:
    """Return the tag that starts an element, and also ends it if `end` is "/>" rather than ">".

    pairs : the name and the value of each attribute; empty values are left out. Values are escaped here.
    """
    tag = "<" + name
    for pair in pairs:
        if pair[1] != "":
            value = pair[1].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            tag += " " + pair[0] + "='" + value.replace("'", "&#39;").replace('"', "&quot;") + "'"
    return tag + end


def path_svg(look: str, path: str) -> str:
    return svg_tag("path", [["class", look], ["d", path]], "/>")


def places(x: float) -> str:
    """Return a coordinate as text, rounded to half pixels."""
    halves = int(abs(x) * 2 + 0.5)
    text = str(halves // 2) + (".5" if halves % 2 == 1 else "")
    return "-" + text if x < 0 and halves > 0 else text


def quarters(x: float, more: float) -> str:
    """Return a coordinate as text: `x` rounded to half pixels, plus `more`, which is a multiple of a quarter pixel."""
    halves = int(abs(x) * 2 + 0.5)
    fourths = int(more * 4) + (-2 * halves if x < 0 else 2 * halves)
    text = str(abs(fourths) // 4) + ["", ".25", ".5", ".75"][abs(fourths) % 4]
    return "-" + text if fourths < 0 else text


def digits(size: float) -> str:
    """Write a size with three digits, because it was read from a picture's text, whose numbers have four digits."""
    return rounded(size, 3, 3)


def figure(x: float) -> str:
    """Write a number with three digits, or with two if it has an exponent."""
    if not (abs(x) < inf):
        return "nan" if x != x else "inf" if x > 0 else "-inf"
    return ("-" if x < 0 else "") + rounded(abs(x), 3, 4)


def rounded(size: float, most: int, power_of_10: int) -> str:
    """Write a size with `most` digits, or with all digits of its integer part if that has more.

    A size whose power of 10 is above `power_of_10` or below -3 has two digits and an exponent.
    """
    if size < 1e-320:  # the power of 10 would underflow to 0
        return "under 1e-320" if size > 0 else "0"
    power = floor(log10(size) + 1e-9)
    if power < -3 or power > power_of_10:
        tenths = int(size / 10.0**power * 10 + 0.5)
        if tenths > 99:
            return "1e" + str(power + 1)
        return str(tenths // 10) + ("." + str(tenths % 10) if tenths % 10 > 0 else "") + "e" + str(power)
    decimals = max(0, most - 1 - power)
    whole = int(size * 10**decimals + 0.5)
    text = str(whole)
    while len(text) <= decimals:
        text = "0" + text
    if decimals == 0:
        return text
    text = text[: len(text) - decimals] + "." + text[len(text) - decimals :]
    while text[len(text) - 1] == "0":
        text = text[: len(text) - 1]
    return text[: len(text) - 1] if text[len(text) - 1] == "." else text
