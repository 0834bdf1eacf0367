"""The widget: the same code and data, and a way back to Python."""

import json
import sys

import pytest

import minigrad as mg
import viz
from tests.helpers.traces import log1pexp
from viz.views.backward import view_of


def test_it_holds_the_data_of_the_player_and_no_bare_nan():
    pytest.importorskip("anywidget")
    view = view_of(log1pexp()).step(1)
    widget = view.widget()
    json.dumps(widget.view, allow_nan=False)
    (lane,) = widget.view["lanes"]
    assert widget.stop == 2 and widget.step == 1 and len(lane["graph"]["nodes"]) == len(view.trace.nodes)
    assert "export default" in widget.code


def test_a_comparison_whose_second_pass_is_longer_is_a_widget():
    pytest.importorskip("anywidget")
    twice = mg.custom_gradient(lambda x: (mg.exp(x), lambda upstream: upstream * mg.exp(x)))
    widget = viz.compare(twice, 1.0).widget()
    derived, custom = (lane["stops"] for lane in widget.view["lanes"])
    assert len(derived) < len(custom) == widget.stop + 1
    assert widget.step == derived[-1][0]


def test_a_click_reaches_python():
    pytest.importorskip("anywidget")
    widget, heard = view_of(log1pexp()).widget(), []
    widget.on_click(heard.append)
    widget._handle_custom_msg({"type": "node-click", "node": 4}, [])
    widget._handle_custom_msg({"type": "other"}, [])
    assert heard == [4]


def test_without_anywidget_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "viz.hosts.widget", raising=False)
    with pytest.raises(ImportError, match=r'pip install "minigrad-kit\[lab\]"; the view itself does not'):
        view_of(log1pexp()).widget()
