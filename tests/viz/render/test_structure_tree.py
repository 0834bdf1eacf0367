"""Structures of inputs as trees, in the text and in the page."""

import numpy as np

import minigrad as mg
import viz
from viz.render.structure_tree import structures


def line(p, x):
    return mg.sum(mg.tanh(x @ p["layers"][0]["w"] + p["layers"][0]["b"]) * p["scale"])


def view():
    p = {"layers": [{"w": np.ones((2, 3), np.float32), "b": np.zeros(3)}], "scale": 2.0}
    return viz.backward(line, p=p, x=np.ones((4, 2)))


def test_a_structure_is_a_tree_of_its_keys_with_shape_and_dtype():
    assert structures(view()._lanes[0].findings) == {
        "p": {
            "'layers'": {"0": {"'b'": "3, float64", "'w'": "2×3, float32"}},
            "'scale'": "number, float32",
        }
    }


def test_the_text_has_the_tree():
    text = view().to_text()
    assert "Structures of inputs:\np\n  'layers'\n    0\n      'b': 3, float64\n      'w': 2×3, float32\n" in text
    assert "  'scale': number, float32" in text


def test_keys_with_brackets_and_quotes_stay_whole():
    found = viz.backward(lambda p: p["a]b"] * p['it\'s "so"'], p={"a]b": 1.0, 'it\'s "so"': 2.0})._lanes[0].findings
    assert structures(found) == {"p": {"'a]b'": "number, float32", repr('it\'s "so"'): "number, float32"}}


def test_without_a_structure_there_is_no_tree():
    plain = viz.backward(lambda x: x * x, x=3.0)
    assert "as a tree" not in plain.to_html() and "Structures" not in plain.to_text()
