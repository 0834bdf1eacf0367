"""Sentences about a gradient that fades or grows on its way back, through a loop or from op to op."""

from __future__ import annotations

from math import inf
from typing import Any

from minigrad.tracing.trace_schema import Num

from ..scene.ink import is_bad
from ..scene.words import figure
from .finished import GIVEN, Finished, Point
from .number_words import signed, size_of

FAR = 1000  #: minimum factor by which a gradient fades or grows before the headline mentions it
FAINT = 1e-7  #: a gradient below this size is faint ("a ten-millionth")
WAY_OPS = 3  #: minimum number of ops on a path outside loops; with fewer ops, the slopes already show the fading


def times(start: float, end: float) -> float:
    """Return the factor by which a gradient fades or grows, or 0 if the factor is below `FAR`."""
    if is_bad(start) or is_bad(end) or start <= 0 or end < 0:
        return 0.0
    far = inf if end == 0 else max(start / end, end / start)
    return far if far >= FAR else 0.0


def along_a_loop(of: Finished) -> Point | None:
    """Return the headline about the loop in which the gradient fades or grows most, or None if there is none."""
    best, most = "", 0.0
    for key, loop in of.frames.items():
        handed = [handed_on(of, of.frames[turn]) for turn in loop["turns"]]
        if not handed or any(size < 0 or is_bad(size) for size in handed):
            continue
        start, end = of.size(loop["carry"][-1]), of.size(loop["carry"][0])
        far = times(start, end)
        if far > most and handed[0] == end and handed[-1] == start:
            best, most = key, far
    return loop_point(of, best) if best else None


def handed_on(of: Finished, turn: Any) -> float:
    """Return the size of the largest gradient that an iteration, given as its frame, passes on, or -1 without any."""
    sizes = [-1.0]
    for n in turn["nodes"]:
        node = of.nodes[n]
        if node["ghost"] or node["kind"] in GIVEN:
            continue
        if node["output"] or any(f"n{edge['dst']}" not in turn["holds"] for edge in of.uses[n]):
            sizes.append(of.size(n))
    return max(sizes)


def loop_point(of: Finished, key: str) -> Point:
    loop = of.frames[key]
    sizes = [of.size(n) for n in loop["carry"]]
    handed = [handed_on(of, of.frames[turn]) for turn in loop["turns"]]
    names = [of.turn(key, i) for i in range(len(sizes))]
    numbers = [of.number(n) for n in loop["carry"]]
    start, end = f"{numbers[-1]} at {names[-1]}", f"{numbers[0]} at {names[0]}"
    if sizes[0] > sizes[-1]:
        return Point(f"The gradient grows on its way back: {start}, {end}.", loop=key, turn=0)
    if last_alone(of, loop, handed):
        before = f", {numbers[-2]} at {names[-2]} and {end}"
        before = " and 0 at all before" if max(handed[:-1]) == 0 else before
        words = f"Only the last {loop['word']} matters: the gradient is {start}{before}."
        return Point(words, loop=key, turn=len(sizes) - 1)
    zero, faint = below(handed, 0.0), below(handed, FAINT)
    if stops(handed, zero, sizes[-1]):
        return Point(f"The gradient stops on its way back: {start}, 0 {up_to(names[zero], zero)}.", loop=key, turn=zero)
    more, turn = ends_of(names, zero, faint), max(faint, 0)
    most = within(of, loop["carry"], turn, names[turn])
    return Point(f"The gradient fades on its way back: {start}, {end}{more}{most}.", loop=key, turn=turn)


def within(of: Finished, carry: list[int], turn: int, name: str) -> str:
    """Return a clause about the box of an iteration at which the gradient shrinks most, or "" if there is none.

    carry : the node that each iteration passes on. name : the name of the iteration.
    """
    starts = [carry[turn - 1]] if turn > 0 else [n for n in of.inputs if of.size(n) > 0]
    ways = [way[: way.index(carry[turn]) + 1] for n in starts if carry[turn] in (way := way_back(of, n))]
    if len(ways) != 1 or len(ways[0]) <= 2:
        return ""
    sizes = [of.size(n) for n in ways[0]]
    most = largest_step(of, ways[0], marked=False) if min(sizes) > 0 else ""
    return f"; in {name} {most[2:]}" if most else ""


def below(sizes: list[float], bound: float) -> int:
    """Return the index of the last of the leading sizes that are 0 or below `bound`, or -1 if there are none."""
    return next((i for i, size in enumerate(sizes) if size >= bound and size > 0), len(sizes)) - 1


def stops(sizes: list[float], zero: int, start: float) -> bool:
    """Return whether a gradient drops to 0 at once: none of its nonzero sizes is below `start` / `FAR`.

    sizes : its sizes, in the order of the program. zero : the index of the last of the leading sizes that are 0, or -1.
    """
    return zero >= 0 and min(sizes[zero + 1 :]) * FAR > start


def ends_of(names: list[str], zero: int, faint: int) -> str:
    """Return a clause about the positions at which a gradient is below a ten-millionth or 0; "" if there are none.

    names : the names of the positions, in the order of the program. zero, faint : the index of the last of
        the leading positions with a gradient that is 0, or faint; -1 if there are none.
    """
    words = ""
    if max(zero, 0) < faint < len(names) - 1 and names[faint]:
        words = f"; below a ten-millionth {up_to(names[faint], faint)}"
    if zero > 0 and names[zero]:
        words += f"{',' if words else ';'} 0 {up_to(names[zero], zero)}"
    return words


def up_to(name: str, i: int) -> str:
    """Return "at NAME and before" or, for the first position, "at NAME"."""
    return f"at {name} and before" if i else f"at {name}"


def last_alone(of: Finished, loop: Any, handed: list[float]) -> bool:
    """Return whether the inputs get nearly all of their gradient from the last iteration of a loop.

    All other iterations together must send at most a thousandth as much. loop : the loop's frame. handed : the size of
    the gradient that each iteration passes on.
    """
    last = len(handed) - 1
    if max(handed[:-1]) * FAR > handed[-1]:
        return False
    turn = {n: i for i, key in enumerate(loop["turns"]) for n in of.frames[key]["nodes"]}
    edges = [edge for n in of.inputs for edge in of.uses[n] if edge["dst"] in turn]
    sizes = [(turn[edge["dst"]], max(0.0, size_of(of.sent(edge)))) for edge in edges]
    mine = max((size for i, size in sizes if i == last), default=0.0)
    return mine > 0 and sum(size for i, size in sizes if i != last) * FAR <= mine


def along_a_way(of: Finished) -> Point | None:
    """Return the headline if the gradient fades or grows from the result to an input, or None if it does neither."""
    reached = [n for n in of.inputs if of.size(n) > 0]
    zeros = [n for n in of.inputs if of.size(n) == 0]
    ends = [*(pick(reached, key=of.size) for pick in (min, max) if reached), *zeros[-1:]]
    ways = [way for n in ends if len(way := way_back(of, n)) > WAY_OPS]
    far, best = max(((times(of.size(way[-1]), of.size(way[0])), way) for way in ways), default=(0.0, []))
    if far == 0:
        return None
    sizes = [of.size(n) for n in best]
    names = [of.plain_name(n) if of.count[of.plain_name(n)] == 1 else "" for n in best]
    top = of.result() if best[-1] == of.output else "the argument of mean"
    start, end = f"{of.number(best[-1])} at {top}", f"{of.number(best[0])} at {of.name(best[0])}"
    if sizes[0] > sizes[-1]:
        return Point(f"The gradient grows on its way back: {start}, {end}.")
    zero, faint = below(sizes, 0.0), below(sizes, FAINT)
    if stops(sizes, zero, sizes[-1]):
        return None
    most = "" if zero >= 0 else largest_step(of, best)
    return Point(f"The gradient fades on its way back: {start}, {end}{ends_of(names, zero, faint)}{most}.")


def largest_step(of: Finished, way: list[int], marked: bool = True) -> str:
    """Return a clause about the box on a path at which the gradient shrinks by far the most, or "" if there is none.

    The clause is also "" if messages that cancel at a box of the path shrink the gradient about as much.
    marked : whether the box has its number, if several boxes have the same op.
    """
    if min(of.size(n) for n in way) == 0:  # a rule may send more than arrives
        return ""
    sent = [sent_on(of, way[i + 1], way[i]) for i in range(len(way) - 1)]
    cancel = [of.size(n) / size_of(message) for n, message in zip(way, sent)]
    steps = sorted((size_of(message) / of.size(way[i + 1]), i) for i, message in enumerate(sent))
    (factor, i), (second, _) = steps[0], steps[1]
    if 2 * factor > min(second, *cancel):
        return ""
    n, node = way[i + 1], of.nodes[way[i + 1]]
    title = of.op(n) if marked and not node["words"] else of.title(n)
    box = of.name(n) if node["called"] else " ".join([title, *node["words"]])
    goes_on = signed(sent[i]) if of.scalar(way[i]) else f"at most {figure(size_of(sent[i]))}"
    return f"; most at {box}, where {of.number(n)} arrives and {goes_on} goes on"


def sent_on(of: Finished, n: int, argument: int) -> Num | None:
    """Return what a node sends to an argument: the gradient of the argument if nothing else does, or a message."""
    edges = of.uses_of(argument)
    if all(edge["dst"] == n for edge in edges):
        return of.gradient(argument)
    return max((of.sent(edge) for edge in edges if edge["dst"] == n), key=size_of)


def way_back(of: Finished, n: int) -> list[int]:
    """Return the path from input `n` to the result or to a mean; at each node, it follows the largest message.

    Returns [] if the gradient of a node on the path is a sum of several messages.
    """
    way = [n]
    while n != of.output:
        edges = of.uses_of(n)
        if not edges:
            return []
        best = max(edges, key=lambda edge: size_of(of.sent(edge)))
        if best["sum"]:
            return []
        n = best["dst"]
        if of.title(n) == "mean":
            return way
        way.append(n)
    return way
