"""The words in a picture: each message has its number, and a box the name that sentences and tables give it."""

import re

import pytest

import minigrad as mg
import viz


def texts(view):
    return re.findall(r"<text class=['\"]([^'\"]*)['\"][^>]*>([^<]*)</text>", view.to_svg())


@pytest.mark.parametrize("flow", ["right", "down"])
@pytest.mark.parametrize("f, numbers", [(lambda x: x * x, ["3", "3"]), (lambda x: x + x, ["1", "1"])])
def test_two_uses_of_one_box_by_one_op_have_a_line_and_a_number_each(f, numbers, flow):
    view = viz.backward(f, 3.0, flow=flow)
    assert [words for look, words in texts(view) if look.split()[0] == "lv"] == numbers
    ways = re.findall(r"<path class=['\"]e [^>]*d=['\"]([^'\"]*)", view.to_svg())
    assert len(ways) == len({*ways}) == 2


@pytest.mark.parametrize("flow", ["right", "down"])
def test_a_box_is_called_what_the_table_calls_it(flow):
    view = viz.backward(lambda x, y: mg.sqrt(x * 4.0 + y * y + 1.0), x=3.0, y=4.0, flow=flow)
    heads = [words for look, words in texts(view) if look.split()[0] in ("nm", "ti")]
    for name in re.findall(r"\w+#\d+", str(view)):
        assert any(re.match(rf"{name}\b", head) for head in heads), (name, heads)
    assert "multiply#3 4" in heads
