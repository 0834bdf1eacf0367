"""Saved traces with one field changed: another type, missing, negative, huge, the text of a script, a circle."""

import copy
import json

import minigrad as mg
import viz
from tests.helpers import traces

SCRIPT = "x'><script>window.ran=1</script><img src=q onerror=window.ran=1 onload='window.ran=1'\" onfocus=window.ran=1 "
VALUES = [None, True, -1, -(2**70), 2**70, 10**400, 0.5, 1e308, "", "nan", SCRIPT, [], {}, [[]], [SCRIPT], {"shape": 3}]


def documents():
    """Traces of several kinds as data, by name."""
    x, w = mg.constant([1.0, -2.0, 3.0]), mg.Variable(2.0, name="w")

    @mg.custom_gradient
    def doubled(a):
        return a * w, lambda dy, variables=None: (dy * 2.0, [mg.sum(dy)])

    with mg.scope("outer"):
        y = mg.sum(doubled(mg.tanh(x)) * x)
    mg.remember_lines()
    try:
        lined = mg.backward_trace(mg.log(mg.constant(100.0) * 2.0))
    finally:
        mg.remember_lines(False)
    made = {
        "overflow": traces.log1pexp(),
        "repaired": traces.repaired(),
        "arrays": mg.backward_trace(y),
        "lines": lined,
        "learner": viz.backward(lambda x: mg.where(x > 0, x, -x), x=1.0)._lanes[0].trace,
    }
    return {name: json.loads(trace.to_json()) for name, trace in made.items()}


def paths(data, path=()):
    """The path of each field, and of each element of a list."""
    if path:
        yield path
    for key in data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        yield from paths(data[key], (*path, key))


def changed(data, path, value):
    """A copy with another value in one place. value : "missing" to leave it out."""
    data = copy.deepcopy(data)
    place = data
    for key in path[:-1]:
        place = place[key]
    if value == "missing":
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return data


def written(path):
    """A path as an error names it."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")
