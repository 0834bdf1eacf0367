"""Positions from Graphviz: the same layered graph, with dot choosing the order and the coordinates in each row.

Waypoints go to dot as small nodes, so its coordinates have the form of the built-in ones, and both are drawn alike.
"""

from __future__ import annotations

import shutil
import subprocess
from itertools import pairwise

from .layers import Layers

TIMEOUT = 4.0  #: seconds; graphs on which dot is slow look no worse in the built-in layout


class NoDot(Exception):
    """Graphviz gave no positions; the message is the reason, as a sentence."""


def coordinates(layers: Layers, breadth: dict[str, float], gap: float) -> dict[str, float]:
    """The centre of each key along its row, as `align.coordinates` gives it. Raises NoDot on any failure."""
    if shutil.which("dot") is None:
        raise NoDot('layout="dot" needs the Graphviz program dot on the PATH; layout="builtin" needs nothing')
    keys = [key for row in layers.rows for key in row]
    number = {key: f"v{i}" for i, key in enumerate(keys)}
    try:
        done = subprocess.run(
            ["dot", "-Tplain"],
            input=_source(layers, breadth, gap, number),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=True,
        )
    except ImportError:
        raise NoDot(
            'layout="dot" needs the Python package graphviz: pip install graphviz, or layout="builtin"'
        ) from None
    except subprocess.TimeoutExpired:
        raise NoDot(f"dot had no layout after {TIMEOUT:g} s") from None
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoDot(f"dot failed: {error}") from None
    words = (line.split() for line in done.stdout.splitlines())
    spot = {word[1]: float(word[2]) * 72 for word in words if word and word[0] == "node"}
    if len(spot) < len(keys):
        raise NoDot(f"dot placed {len(spot)} of {len(keys)} nodes")
    x = {key: spot[number[key]] for key in keys}
    for row in layers.rows:
        row.sort(key=x.__getitem__)
        for a, b in pairwise(row):
            if x[b] - x[a] < (breadth[a] + breadth[b]) / 2 + gap / 2:
                raise NoDot("dot placed two nodes on top of each other")
    return x


def _source(layers: Layers, breadth: dict[str, float], gap: float, number: dict[str, str]) -> str:
    import graphviz

    graph = graphviz.Digraph(graph_attr={"nodesep": f"{gap / 72:.4f}", "ranksep": "0.1", "splines": "false"})
    graph.attr("node", shape="box", fixedsize="true", height="0.05", label="")
    for row in layers.rows:
        with graph.subgraph(graph_attr={"rank": "same"}) as same:
            for key in row:
                same.node(number[key], width=f"{breadth[key] / 72:.4f}")
    for key, sources in layers.above.items():
        for src in sources:
            ends = {key, src}
            give = max(layers.priority.get(end, 0) for end in ends)
            heavy = [s for s in sources if not layers.priority.get(s)]
            chain = len(layers.below[src]) == 1 and len(heavy) == 1
            weight = (3, 2, 1)[give] if give else 40 if chain or ends <= layers.waypoints else 3
            graph.edge(number[src], number[key], weight=str(weight))
    return graph.source
