"""One picture in two languages: what Python draws of a pass, the player draws too, text for text."""

import ast
import re

import pytest

import minigrad as mg
import viz
import viz.scene.translate as translate
from tests.browser.gallery import drawn
from tests.helpers.node import run_js
from tests.helpers.pictures import PROGRAMS, lane_of, program, random_view
from viz.hosts.html import ORDER, lane_data, module
from viz.scene.words import clipped

#: Draws a lane at each of the given moments and windows, with what is open, and returns state and SVG.
DRAW = """
const lane = data.lane, scene = new Scene(lane.graph), stops = lane.stops.map((s) => expand(lane, s));
const marks = Object.fromEntries(lane.marked.map((key) => [key, true]));
const known = { ...lane, stops, marks, value: {}, shades: {}, slope: {} };
return data.jobs.map(({ at, window, opened, turns }) => {
  const state = stateOf(known, at, true, { opened, shut: {}, turns, picked: "" });
  const body = scene.draw({ ...lane.window, ...window, scale: inkOf(known) }, state);
  return { state, body, bottom: scene.bottom };
});
"""
WINDOWS = [(360.0, 640.0), (640.0, 440.0), (850.0, 440.0), (1150.0, 440.0)]


def jobs(lane):
    """Windows and zooms of the finished pass, then moments before it, frames that are open, and turns of loops."""
    last = len(lane.moments) - 1
    frames = [frame["as"] for frame in lane.graph["frames"].values() if frame["as"] in lane.graph["outward"]]
    loops = {key: len(frame["turns"]) // 2 for key, frame in lane.graph["frames"].items() if frame["turns"]}

    def job(at=last, wide=850.0, high=440.0, zoom=1.0, x=0.0, y=0.0, opened=(), turns=None):
        window = {"wide": wide, "high": high, "zoom": zoom, "x": x, "y": y}
        return {"at": at, "window": window, "opened": list(opened), "turns": turns or {}}

    yield from (job(wide=wide, high=high) for wide, high in WINDOWS)
    yield from (job(wide=wide, high=high, zoom=2.2, x=-0.5 * wide, y=-120.0) for wide, high in WINDOWS)
    yield from (job(at=at) for at in {0, last // 3, max(0, last - 1)})
    yield from (job(at=last // 2, opened=some) for some in (frames[:1], frames[-1:], frames[:4]) if some)
    if loops:
        yield job(turns=loops)


def in_python(lane, some):
    for one in some:
        state = {**lane.state(one["at"]), "opened": one["opened"], "turns": one["turns"]}
        body = lane.scene.draw({**lane.window(), **one["window"]}, state)
        yield {"state": state, "body": body, "bottom": lane.scene.bottom}


def check(view):
    for lane in view._lanes:
        some = [*jobs(lane)]
        got = run_js(["scene", "moments"], DRAW, {"lane": lane_data(lane), "jobs": some})
        for one, ours, theirs in zip(some, in_python(lane, some), got):
            assert theirs["state"] == ours["state"], one
            assert theirs["body"] == ours["body"], one
            assert theirs["bottom"] == pytest.approx(ours["bottom"], abs=1e-6), one


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_player_draws_a_program_as_python_does(name):
    check(program(name))


@pytest.mark.parametrize("name", drawn())
def test_the_player_draws_a_view_of_the_gallery_as_python_does(name):
    check(drawn()[name])


@pytest.mark.parametrize("tens", range(8))
def test_the_player_draws_random_graphs_as_python_does(tens):
    for seed in range(10 * tens, 10 * tens + 10):
        check(random_view(seed))


def test_the_player_cuts_a_name_of_emoji_between_two_of_them_as_python_does():
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    hearts, balloon = mg.Variable([1.0, 2.0], name="\u2764\ufe0f" * 30), mg.Variable(2.0, name="\U0001f388 balloon")
    view = viz.backward(mg.sum(mg.tanh(hearts * balloon) * mg.Variable([3.0, 4.0], name=family * 9)))
    check(view)
    assert clipped(family * 9, 90, 12, False) == family + "…"
    assert clipped("\u2764\ufe0f" * 30, 60, 12, False) == "\u2764\ufe0f" * 4 + "…"


def test_what_is_loaded_together_has_no_name_twice():
    names = [
        name
        for piece in translate.FILES.keys() - translate.OFFERED.keys()  # whose names are their own
        for name in re.findall(r"^(?:const|class|function) (\w+)", translate.translated(piece), re.M)
    ]
    assert sorted(names) == sorted(set(names))


def test_the_drawing_code_of_the_player_is_that_of_python():
    for name in translate.FILES:
        assert (translate.STATIC / f"{name}.js").read_text(encoding="utf-8") == translate.translated(name), (
            "viz/scene changed: python -m viz.scene.translate"
        )


@pytest.mark.parametrize("part", ["source", "play"])
def test_no_name_is_declared_twice_at_the_top_of_the_player(part):
    code = re.sub(r"export default ", "const theModule = ", module((*ORDER, part)))
    twice = f"{code}\nfunction stateOf() {{}}"
    body = """
    const made = (code) => new Function(`"use strict"; {${code}}`) && "";
    return data.map((code) => { try { return made(code); } catch (e) { return String(e); } });"""
    # a strict block refuses what a module refuses
    assert run_js([], body, [code, twice]) == ["", "SyntaxError: Identifier 'stateOf' has already been declared"]


def test_a_construct_that_has_no_counterpart_is_refused():
    with pytest.raises(NotImplementedError, match="line 2"):
        tree = ast.parse("def f(x):\n    return {*x}")
        translate.Translator(set()).statement(tree.body[0])


def test_lanes_without_ghosts_hide_them():
    lane = lane_of(drawn()["custom"])
    assert any(node["ghost"] for node in lane.graph["nodes"])
    body = """
    const lane = data, stops = lane.stops.map((s) => expand(lane, s));
    const known = { ...lane, stops, marks: {}, value: {}, shades: {}, slope: {} };
    const state = stateOf(known, lane.stops.length - 1, false, { opened: [], shut: {}, turns: {}, picked: "" });
    return new Scene(lane.graph).draw({ ...lane.window, scale: inkOf(known) }, state);"""
    assert "ghost" not in run_js(["scene", "moments"], body, lane_data(lane))
