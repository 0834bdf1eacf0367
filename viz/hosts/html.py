"""The HTML of a view: a picture and its text, which work anywhere, and a script that replaces them with a player.

If scripts do not run (in an untrusted notebook or an email), an <img> and a <details> remain; otherwise, the script
replaces both. The script's code and data are compressed in the cell, so a saved notebook stays small, and nothing is
fetched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from minigrad.tracing.numbers import full, short
from minigrad.tracing.trace_schema import COPIED, Edge, Node, Summary

from ..model.cells import bad_cells, fold_of, shades
from ..model.findings import Findings
from ..model.timeline import Moment, ghost_seeds, made_by
from ..render.document import script, static
from ..render.lane import Lane
from ..render.markup import Html, markup, scrolling
from .saved import BORN, INSTEAD, instead, packed

#: The files that every player includes; they are joined into one module.
PLAYER = ("scene", "elements", "moments", "boxes", "camera", "view")
#: The files of a player whose inputs can be changed.
DRAG = ("drag", "rates", "fields", "scrub", "typed", "tape", "numbers", "recomputed")
COMPARED = (*DRAG, "kinks", "measured", "compared", "comparison")
#: The files of the panel in which a rule is written.
RULE = ("measured", "rule", "boxrule", "tried", "strip", "ruled", "yourrule")
#: File -> the names of the instructions that it runs. A player includes a file if it needs any of its instructions.
INSTRUCTIONS = {
    "arrays": {"rep", "take", "cat", "matmul", "sum", "adds", "prod", "rmax", "rmin"},
    "rare": {"erf", "erfc", "exp2", "rad", "deg", "mod", "fdiv", "lae", "put", "put+", "cumsum", "cumprod"},
}
#: The files of the buttons that switch between a picture's modes. Only a picture with arrays needs the first file.
MODES = ("moves", "wiggle", "modes")
#: The files of a player where the reader types messages, and of a player that asks a question.
PREDICT = ("predict", "typed", "numbers")
ASK = ("ask", "typed")
#: A formula that is only the name of a box, as in static/recomputed.js.
NAME = re.compile(r"(?!nan$|inf$)[a-zA-Z_]\w*(#\d+)?")
#: The order of the files in a module: similar files are next to each other, so that they compress best.
ORDER = (
    "scene", "rates", "typed", "rule", "measured", "wiggle", "tape", "arrays", "rare", "moves", "moments", "boxrule",
    "recomputed", "tried", "numbers", "kinks", "compared", "comparison", "boxes",
    "cells", "modes", "yourrule", "fields", "drag",
    "ruled", "strip", "scrub", "predict", "ask", "camera", "elements", "view",
)  # fmt: skip

#: The end of the code: it starts the player with a minimal object that works like a widget's model.
START = ".render({el,model:{get:k=>d[k],set:(k,v)=>{d[k]=v},on(){},off(){},send(){},save_changes(){}}})"


def html(above: Html, image: str, summary: str, twin: Html, more: Html, data: Mapping[str, Any], place: str) -> Html:
    """Return the HTML of a view: text, the element that the player fills, more text, and the script that starts it.

    above, more : the HTML above and below the player. image, twin : the picture and its text, shown until scripts run.
    place : the id of the player's element. data : the data that the player starts with.
    """
    picture = markup(
        '<img style="max-width: none" alt="{summary}" src="{source}">', summary=summary, source=data_uri(image)
    )
    return markup(
        '<div class="mgv mg-view">{above}<div id="{place}">{picture}{twin}</div>{more}<script>{script}</script></div>',
        above=above, place=place, picture=scrolling("Picture", picture), twin=twin, more=more,
        script=Html(packed(data, place)),
    )  # fmt: skip


def page(body: Html, title: str) -> Html:
    """Return a complete HTML file around `body`."""
    return markup(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        '<style>{style}</style></head><body class="mgv">{body}</body></html>',
        title=title, style=Html(f"{page_style()} body{{margin:16px;background:var(--paper)}}"), body=body,
    )  # fmt: skip


def data_uri(svg: str) -> Html:
    """Return the picture as a data URI for a double-quoted attribute; only characters that would end it are encoded."""
    for char in '%#"&\n':
        svg = svg.replace(char, f"%{ord(char):02X}")
    return Html(f"data:image/svg+xml,{svg}")


def parts_of(view: Mapping[str, Any], parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the additional files that the player needs for the data of a view."""
    drag = () if "drag" not in view["lanes"][0] else DRAG if len(view["lanes"]) == 1 else COMPARED
    held = PREDICT if view.get("predict") else ASK if view.get("ask") else ()
    code = {name for lane in view["lanes"] if drag for name, *_ in lane["drag"]["code"]}
    more = [file for file, names in INSTRUCTIONS.items() if names & code]
    folds = any(len(row) > 9 for lane in view["lanes"] for row in lane["stops"])
    more += ["cells"] * (folds or bool(drag))
    rule = RULE if drag and view.get("rule") else ()
    more += MODES[not view["lanes"][0]["graph"]["arrays"] :] if "modes" in view else ()
    return *dict.fromkeys((*drag, *rule, *held, *more)), *parts


@cache
def module(parts: tuple[str, ...] = ()) -> str:
    """Return the JavaScript of the player: the files of `PLAYER` and of `parts` as one module."""
    # Parts outside the list are further views, which replace the player as the module that is exported.
    others = [name for name in parts if name not in ORDER]
    player = "".join(map(script, [*sorted({*PLAYER, *parts} - {*others}, key=ORDER.index), *others]))
    return player.replace("export default { render };", "") if others else player


@cache
def code_of_player(parts: tuple[str, ...] = ()) -> str:
    """Return the body of a JavaScript function that starts the player with the saved data `d` in the element `el`."""
    player = module(parts).replace("export default", "return")
    return f"{script('restore')}restored(d.view.lanes);(()=>{{{player}}})(){START}"


@cache
def player_style(parts: tuple[str, ...] = ()) -> str:
    """Return all style rules of the player, so that the styles of other views in the notebook cannot affect it."""
    own = (name for name in parts if name not in (*COMPARED[1:], *RULE[:-1], *INSTRUCTIONS, *MODES[:-1]))
    names = ("ink", "view", *("ask" if name in PREDICT else name for name in own))
    return " ".join(" ".join(static(f"{name}.css") for name in names).split())


@cache
def page_style() -> str:
    """Return the style rules for everything around a picture; the rules for the picture come with the player."""
    colours = (line for line in static("ink.css").splitlines() if "--paper:" in line)
    return " ".join([*colours, *static("view.css").split("\n")])


GHOST, BAD_MESSAGE, BAD_ADJOINT, VERDICT = 1, 2, 4, 16
CALLED = 300  #: if a pass has more boxes than this, their cards do not show the calls that computed the values


def lane_data(lane: Lane, calls: bool = False) -> dict[str, Any]:
    """Return a lane as plain data for the player; moments.js describes the order of a row's fields.

    calls : whether the cards of a short pass show the calls that made their values.
    """
    trace = lane.trace
    calls = calls and len(trace.nodes) <= CALLED
    arriving: dict[int, list[Edge]] = {node.id: [] for node in trace.nodes}
    for edge in trace.edges:
        arriving[edge.dst].append(edge)
    at_end = lane.state(0)
    return {
        "name": lane.name,
        "stops": [_row(lane, moment) for moment in lane.moments],
        "cards": {node.id: _card(lane.findings, node, arriving[node.id], calls) for node in trace.nodes},
        "bodies": [node.id for node in trace.nodes if node.ghost],
        "seeds": [[of, node, short(g)] for of, node, g in ghost_seeds(trace)],
        "graph": lane.graph,
        "window": {**lane.window(), "forward": at_end["forward"]},
        "marked": list(at_end["marked"]),
        "open": list(lane.open),
        "turns": lane.turns,
        **({"appears": lane.appears} if lane.appears else {}),
    }


def _row(lane: Lane, moment: Moment) -> list[Any]:
    findings, message, flags = lane.findings, moment.message, GHOST * moment.ghost + VERDICT * moment.verdict
    if message is None:
        g = findings.trace.steps[0].g if moment.step < 0 and findings.trace.steps else None
        row = [moment.step, moment.node, -1, -1, "", "" if g is None else short(g), "", flags, moment.words]
        return row + [shades(g)] * bool(shades(g))
    send = message.send
    flags += BAD_MESSAGE * message.bad + BAD_ADJOINT * message.spoils + BORN * (message.origin is not None)
    said = message.value, message.after, findings.names[moment.node], findings.names[send.to], message.product
    after = "" if message.after == message.value else message.after
    words, product = instead(moment.words, said), message.product
    # The number is also in the row: a short mark in its place makes a saved page smaller.
    if len(message.value) > 4:
        product = product.replace(message.value, INSTEAD[0])
    # A list in a fixed order, without the names of the fields: a long pass has thousands of rows.
    row = [moment.step, moment.node, send.edge, send.to, message.value, after, product, flags, words]
    step, edge = findings.trace.steps[moment.step], findings.edges[send.edge]
    derived = not (moment.ghost or moment.verdict) and step.node == moment.node and step.rule == "derived"
    ends = findings.nodes[moment.node], findings.nodes[send.to]
    fold = fold_of(*ends, step.g, edge.local_value, send.value) if derived and ends[0].shape != ends[1].shape else []
    cells = shades(send.after)
    return row + [cells] * bool(cells or fold) + [fold] * bool(fold)


def _card(findings: Findings, node: Node, arriving: list[Edge], calls: bool) -> dict[str, Any]:
    """Return the details that the player shows when a node is selected; empty details are left out."""
    names, local = findings.names, []
    for edge in arriving:
        if edge.local and edge.ghost <= node.ghost and (formula := findings.formulas[edge.id]):
            value = "" if edge.local_value is None else findings.slopes[edge.id]
            named = "the value of " * bool(NAME.fullmatch(formula))
            local.append(f"for {names[edge.src]}: {named}{formula}" + f" = {value}" * (value not in ("", formula)))
    what = {"leaf": node.detail or "input", "const": "constant", "custom": "custom gradient"}.get(node.kind, node.op)
    if node.detail == COPIED:
        what = "a copy that the engine made, as for a rule; it passes its gradient on"
    called = names[node.id]
    head = called if called.partition("#")[0] == node.op else f"{called} ({what})"
    head += f", inside {names[node.ghost_of]}" if node.ghost_of is not None else ""
    card = {
        "name": called,
        "head": head if head != called else "",
        "made": made_by(findings, node) if calls and node.kind != "const" else "",
        "value": full(node.value),
        "slot": node.id in findings.slots,
        "local": local,
        "bad": bad_cells(findings, node.id) if isinstance(node.value, Summary) else [],
        "rule": f"{node.custom} runs instead of the ops inside" if node.custom else "",
        "variables": node.detail.removeprefix("variables=") if node.custom else "",
        "none": findings.reasons.get(node.id, ""),
        "used": f"{uses} times" if (uses := findings.uses.get(node.id, 0)) > 2 else "no" * (node.id in findings.unused),
        "line": f"{node.line.file}:{node.line.no}  {node.line.text}" if node.line else "",
    }
    return {key: value for key, value in card.items() if value}
