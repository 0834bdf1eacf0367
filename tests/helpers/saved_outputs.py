"""What a reader notices of the outputs of a notebook, so that saved outputs can be compared with those of a run.

Under another Python, NumPy, Matplotlib or processor the bytes differ where nobody sees it: in the compression, in the
last digit of a number, in how letters are smoothed. Words, numbers to the digits that are printed, the text twins and
the data of pictures do not. Hundreds of training steps make a difference in the last bit visible, so for a cell with
the tag `trained` only the words are compared. tests/lessons/test_numbers.py tests what the text states about its
numbers.
"""

import base64
import io
import json
import re
import zlib
from itertools import zip_longest

import numpy as np
import pytest

from viz.hosts.saved import DIGITS, PYTHON

from .node import run_js

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?![\w])", re.IGNORECASE)
PNG = re.compile(r"data:image/png;base64,([\w+/=]+)")
#: A plot as SVG: what it says of its Matplotlib, and what names a part in it.
PLOT = re.compile(r"data:image/svg\+xml,<svg [^\"]*class='mg-plot'[^\"]*")
MADE_BY = re.compile(r"<!--(Matplotlib [^-]*)-->")
PART = re.compile(r"(?:\b|(?<=%23))[a-z]+[0-9a-f]{10}\b")
#: What names a part of a page, and where its pixels are: nobody reads it.
UNSEEN = re.compile(r"""<style>.*?</style>|mg\d+-[0-9a-f]{6}\w?|mg[0-9a-f]{8}|coords="[\d,]+"|\s+""", re.DOTALL)
TRAINED = "trained"  #: the tag of a cell whose numbers are those of a trained network
FLOAT32 = 2.5e-7  #: two steps of float32, in relation
POINTS = 0.02  #: how far a line of a plot may move, in points of 1/72 inch
PIXELS = 1e-3  #: the mean difference of two pictures that look alike, where 1 is from black to white


def unpack(html):
    """The compressed data in the script of a player, with its lanes as the player has them."""
    data = packed(html)
    data["view"]["lanes"] = restored(data["view"]["lanes"])
    return data


def packed(html):
    """The compressed data in the script of a player, with its lanes as they are saved."""
    digits = re.search(r',t="([^"]+)"', html).group(1).translate(str.maketrans(DIGITS, PYTHON))
    text = zlib.decompressobj().decompress(base64.b85decode(digits))
    data = json.loads(text, parse_constant=lambda word: pytest.fail(word))
    data["js"] = data["view"].pop("js")
    return data


def restored(lanes):
    """The lanes as the page has them, from the form in which they are saved."""
    return run_js(["restore"], "restored(data); return data", lanes)


def differences(saved, made):
    """A sentence for each cell whose outputs a reader would find to be others in `made` than in `saved`."""
    for old, new in zip_longest(saved["cells"], made["cells"], fillvalue={}):
        outputs = list(zip_longest(old.get("outputs", []), new.get("outputs", []), fillvalue={}))
        differs = _differs_in_words if TRAINED in new.get("metadata", {}).get("tags", ()) else _differs
        found = next((words for pair in outputs for words in differs(*map(_noticed, pair))), None)
        if found:
            yield f"cell {old.get('id')}: {found}"


def _noticed(output):
    """The texts of an output by their kind: what is printed, or each form of what is shown."""
    forms = {kind: form for kind, form in output.get("data", {"text": output.get("text", "")}).items()}
    text = lambda form: json.dumps(form, sort_keys=True) if isinstance(form, dict) else "".join(form)
    return {kind: text(form) for kind, form in forms.items()}


def _differs(old, new):
    for kind in sorted(old.keys() | new.keys()):
        before, after = old.get(kind, ""), new.get(kind, "")
        if not all(plotted_alike(*pair) for pair in zip_longest(*map(PLOT.findall, (before, after)), fillvalue="")):
            yield f"another plot in its {kind}"
        before, after = (PLOT.sub("", form) for form in (before, after))
        if not _pictures_alike(before, after):
            yield f"another picture in its {kind}"
        if not same(_words(before), _words(after)):  # as they are saved, columns of numbers are whole ones
            pair = [_words(form, unpack) for form in (before, after)]
            yield from (f"its {kind} was {a!r} and is {b!r}" for a, b in _first(*pair))


def _differs_in_words(old, new):
    """Whether the words between the numbers differ: plots and pictures, which show the numbers, are left out."""
    for kind in sorted(old.keys() | new.keys()):
        words = [NUMBER.sub("0", PLOT.sub("", _words(form.get(kind, "")))) for form in (old, new)]
        yield from (f"its {kind} was {a!r} and is {b!r}" for a, b in _first(*words))


def _words(text, read=packed):
    """The text as a reader gets it: the data of a player in place of its script, without style."""
    script = re.search(r"<script>(.*)</script>", text, re.DOTALL)
    if script and ',t="' in script[1]:
        try:
            data = read(text)
        except (zlib.error, ValueError):
            data = {"packed": "otherwise than today"}  # as an earlier edition did: its reader would need that edition
        data.pop("js", None)
        text = text.replace(script[1], json.dumps(data, sort_keys=True, ensure_ascii=False))
    return UNSEEN.sub(" ", PNG.sub("", text))


def _first(old, new):
    """The first difference of two texts, with its surroundings; nothing if they are the same to a reader."""
    if not same(old, new):
        pieces = list(zip_longest(old.split(), new.split(), fillvalue=""))
        at = next((i for i, (a, b) in enumerate(pieces) if not same(a, b)), 0)
        yield tuple(" ".join(pair[side] for pair in pieces[max(at - 3, 0) : at + 4])[:200] for side in (0, 1))


def same(old, new, room=0.0):
    """Whether two texts have the same words, and the same numbers to the digits that are printed, or within `room`."""
    words = [" ".join(NUMBER.sub(" # ", text).split()) for text in (old, new)]
    return words[0] == words[1] and all(agree(a, b, room) for a, b in zip(NUMBER.findall(old), NUMBER.findall(new)))


def agree(old, new, room=0.0):
    """Whether two printed numbers differ by one in their last digit, or less; counts are the same.

    Numbers that are written in full are points of a curve, which may cross 0: there a float32 has lost digits.
    """
    if old == new:
        return True
    if re.fullmatch(r"[-+]?\d+", old) and re.fullmatch(r"[-+]?\d+", new):
        return int(old) == int(new)
    unit, a, b = min(map(_unit, (old, new))), float(old), float(new)
    size = max(abs(a), abs(b))
    if 0 < unit < 1e-11 and min(abs(a), abs(b)) > 1e-6:
        room = max(room, 4 * FLOAT32 * max(size, 1.0))
    return abs(a - b) <= max(1.01 * unit, FLOAT32 * size, room)


def _unit(printed):
    """One in the last digit of a printed number; 0 of a whole number, which may be 2.0 elsewhere."""
    digits, _, exponent = printed.lower().partition("e")
    decimals = len(digits.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals) if decimals or exponent else 0.0


def look_alike(old, new):
    """Whether two pictures, as base64, show the same.

    Those of two versions of Matplotlib differ in each letter: the text twin and the alternative text beside them tell.
    """
    from PIL import Image

    if not (old and new):
        return False
    one, two = (Image.open(io.BytesIO(base64.b64decode(data))) for data in (old, new))
    if one.info.get("Software") != two.info.get("Software"):
        return True
    a, b = (np.asarray(image.convert("RGB"), float) / 255 for image in (one, two))
    return a.shape == b.shape and abs(a - b).mean() < PIXELS


def plotted_alike(old, new):
    """Whether two plots, as the addresses of SVGs, show the same, or come from two versions of Matplotlib."""
    if not (old and new):
        return False
    one, two = (MADE_BY.search(plot)[1] for plot in (old, new))
    return one != two or (
        _pictures_alike(old, new) and same(*(PART.sub("", PNG.sub("", plot)) for plot in (old, new)), POINTS)
    )


def _pictures_alike(old, new):
    return all(look_alike(*pair) for pair in zip_longest(PNG.findall(old), PNG.findall(new), fillvalue=""))
