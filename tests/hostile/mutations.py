"""Random changes of a recorded graph as text: of its structure, and of its characters."""

import copy
import json

from minigrad.core.op import OPS

NAMES = sorted(name for name, op in OPS.items() if op.kind != "composite")
VALUES = [
    *(None, True, False, 0, 1, -1, 3, 40, 2**53, 10**400, 0.5, -2.5, 1e300, "", "x", "op", "rule", "constant", [], {}),
    *({"node": 0}, {"node": 99}, {"node": -1}, {"node": True}, {"float": "nan"}, {"float": "1e"}, {"tuple": [2, 2]}),
    *({"dtype": "float32"}, {"dtype": "object"}, {"slice": [0, 1, None]}, {"ellipsis": True}, {"raises": "no"}),
    *({"array": "float64", "shape": [2], "bytes": "AAAA"}, {"array": "int64", "shape": [], "number": 2}, [[[]]]),
    {"params": [0], "nodes": [], "out": [0]},
]


def mutated(text, rng, count=1):
    """The text after some changes. rng : a `random.Random`."""
    for _ in range(count):
        text = _characters(text, rng) if rng.random() < 0.25 else _structure(text, rng)
    return text


def _characters(text, rng):
    at = rng.randrange(len(text) + 1)
    end = min(len(text), at + rng.choice([0, 1, 1, 3, 40]))
    put = rng.choice(["", "", "[", "]", "}", ",", "0", "-", '"', "1e999", "NaN", "\\u0000", "null", text[:50]])
    return text[:at] + put + text[end:]


def _structure(text, rng):
    try:
        root = [json.loads(text)]
    except (ValueError, RecursionError):
        return _characters(text, rng)
    places = list(_places(root))
    holder, key = rng.choice(places)
    what = rng.randrange(5)
    if what == 0:
        holder[key] = copy.deepcopy(rng.choice(VALUES))
    elif what == 1 and holder is not root:
        del holder[key]
    elif what == 2:
        other, place = rng.choice(places)
        holder[key] = copy.deepcopy(other[place])
    elif what == 3 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif isinstance(holder[key], str):
        holder[key] = rng.choice(NAMES)
    elif isinstance(holder[key], (int, float)):
        holder[key] += rng.choice([-1, 1, 0.5])
    return json.dumps(root[0] if root else None)


def _places(holder):
    """Every list or dict below `holder` with each of its keys."""
    for key, item in list(enumerate(holder) if isinstance(holder, list) else holder.items()):
        yield holder, key
        if isinstance(item, (list, dict)):
            yield from _places(item)
