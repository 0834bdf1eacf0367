"""The point of a finished pass in one sentence: what a reader should see first, and no more than the numbers show."""

from __future__ import annotations

from math import floor, log10
from typing import Any

from .ink import is_bad, size_of
from .words import digits

FAR = 1000  #: times by which a gradient fades or grows before that is the point
FAINT = 1e-7  #: "a ten-millionth"
WAY_OPS = 3  #: ops on the way of a gradient that fades without a loop; with fewer a slope says the same
CLOSE = 2e-3  #: relative difference of numbers that agree, as in the table of `viz.compare`
LISTED = 4  #: names in a list, beyond which it says how many more
TERMS = 6  #: of a sum that is written out
CAPITALS = {"a": "A", "e": "E", "n": "N", "t": "T"}
GIVEN = ["leaf", "var"]  #: the kinds of inputs
#: Ops of numbers whose gradient, where it is finite, is their slope; those where it is not at 0; and not at a tie.
SMOOTH = [
    "add", "subtract", "multiply", "divide", "negative", "power", "square", "sqrt", "reciprocal", "exp", "log", "log1p",
    "expm1", "sin", "cos", "tan", "tanh", "sigmoid", "softplus", "sum", "mean", "matmul", "where",
]  # fmt: skip
BENT = ["relu", "absolute"]
CHOOSING = ["maximum", "minimum", "greater", "less", "greater_equal", "less_equal"]


class Point:
    """A sentence, and what to look at.

    bad: it tells of a nan or inf that the pass has; one that a rule keeps away is none. loop: the key of the loop that
    it tells of, or "". turn: the number of the turn worth looking at, from 0; -1 for none.
    """

    def __init__(self, words: str, bad: bool, loop: str, turn: int) -> None:
        self.words = words
        self.bad = bad
        self.loop = loop
        self.turn = turn


def point_of(graph: Any, state: Any, births: list[Any], word_of_pass: str) -> Point:
    """The point of a finished pass.

    births: [edge id, "nan" or "inf", the gradient of the sender in words, the slope in words, ghost], in the order of
    the pass. word_of_pass: the name of the learner's function that made the pass; "" of the engine's own.
    """
    of = Finished(graph, state, births, word_of_pass)
    if of.output < 0:
        return calm("")
    for find in [born, overflown, repaired, changed, along_a_loop, along_a_way, shared_out, added_up]:
        found: Point | None = find(of)
        if found is not None:
            return found
    return calm(dependence(of))


def calm(words: str) -> Point:
    """A sentence without a nan and without a loop."""
    return Point(words, False, "", -1)


class Finished:
    """A graph at the end of its pass: what each box holds, and what each edge carried."""

    def __init__(self, graph: Any, state: Any, births: list[Any], word: str) -> None:
        self.nodes = graph["nodes"]
        self.frames = graph["frames"]
        self.state = state
        self.births = births
        self.word = word
        self.uses: list[list[Any]] = [[] for node in self.nodes]  # the edges that leave a node, without ghosts
        self.made: list[list[Any]] = [[] for node in self.nodes]  # the edges that enter it, with ghosts
        self.call: list[int] = [-1 for node in self.nodes]  # of a ghost the custom call that it belongs to
        self.edges: dict[str, Any] = {}
        self.within: dict[str, list[str]] = {}  # what the replaced pass of a call sends to an argument
        self.trusted = word == ""  # the gradients are slopes: no rule, nothing cut, no kink, no nan
        for edge in graph["edges"]:
            self.edges["e" + str(edge["id"])] = edge
            self.made[edge["dst"]].append(edge)
            if not edge["ghost"]:
                self.uses[edge["src"]].append(edge)
            elif self.nodes[edge["src"]]["ghost"] and not self.nodes[edge["dst"]]["ghost"]:
                self.call[edge["src"]] = edge["dst"]
            if edge["rule"] or edge["cut"]:
                self.trusted = False
        self.output = -1
        self.inputs: list[int] = []
        self.count: dict[str, int] = {}  # how many boxes have a name
        for node in reversed(self.nodes):
            n = node["id"]
            if node["ghost"] and self.call[n] >= 0:
                for edge in self.made[n]:
                    if self.nodes[edge["src"]]["ghost"]:
                        self.call[edge["src"]] = self.call[n]
                    elif self.sent(edge) != "":
                        key = f"{edge['src']} {self.call[n]}"
                        self.within[key] = self.within.get(key, [])
                        self.within[key].append(self.sent(edge))
            if node["output"]:
                self.output = n
            if node["ghost"] or node["kind"] == "const":
                continue
            if (
                node["title"] == "stop_gradient"
                or self.at_kink(n)
                or (node["output"] and is_bad(size_of(self.value(n))))
            ):
                self.trusted = False
            if node["kind"] in GIVEN and len(self.made[n]) == 0:
                self.inputs.insert(0, n)
            key = "name " + self.plain_name(n)
            self.count[key] = self.count.get(key, 0) + 1

    def gradient(self, n: int) -> str:
        found: str = self.state["gradient"].get("n" + str(n), "")
        return found

    def size(self, n: int) -> float:
        """The size of the gradient of a node; -1 where none has arrived."""
        return 0.0 if self.gradient(n) == "[]" else size_of(self.gradient(n))

    def value(self, n: int) -> str:
        found: str = self.state["value"].get("n" + str(n), self.nodes[n]["value"])
        return found

    def sent(self, edge: Any) -> str:
        found: str = self.state["sent"].get("e" + str(edge["id"]), "")
        return found

    def messages(self, n: int) -> list[str]:
        """What was sent to a node, in words."""
        return [self.sent(edge) for edge in self.uses[n] if self.sent(edge) != ""]

    def ruled(self, n: int, call: int) -> list[str]:
        """What the rule of a call sends to a node, in words."""
        return [self.sent(edge) for edge in self.uses[n] if edge["dst"] == call and self.sent(edge) != ""]

    def scalar(self, n: int) -> bool:
        return self.nodes[n]["shape"] == ""

    def title(self, n: int) -> str:
        found: str = self.nodes[n]["title"]
        return found

    def at_kink(self, n: int) -> bool:
        """Whether an op is known to be where its slope to the left is not its slope to the right."""
        values = [self.value(edge["src"]) for edge in self.made[n]]
        if self.title(n) in CHOOSING:
            return len(values) > 1 and values[0] == values[1]
        return self.title(n) in BENT and size_of(values[0]) == 0

    def plain_name(self, n: int) -> str:
        found: str = self.nodes[n]["called"]
        return found if found != "" else self.title(n)

    def name(self, n: int) -> str:
        """The name of a node, of an input with its number where another box has the same."""
        name = self.plain_name(n)
        many = self.nodes[n]["kind"] in GIVEN and self.count.get("name " + name, 0) > 1
        return name + "#" + str(n) if many else name

    def names(self, some: list[int]) -> str:
        return names_in_a_row([self.name(n) for n in some])

    def result(self) -> str:
        """The name of the result."""
        called = self.nodes[self.output]["called"] != "" or self.nodes[self.output]["kind"] in GIVEN
        return self.name(self.output) if called else "the result"

    def differentiated(self) -> str:
        """What the gradients are of: of an array its sum."""
        return self.result() if self.scalar(self.output) else "the sum of " + self.result()

    def equation(self) -> str:
        name = self.result()
        return ("The result is " if name == "the result" else name + " = ") + signed(self.value(self.output)) + "."

    def said(self, rest: str) -> str:
        """A sentence about gradients behind what it needs: whose pass it is, what is summed, or the value."""
        if self.word != "":
            return f"By {self.word}, {rest}"
        return (
            self.equation() + " " + capital(rest)
            if self.scalar(self.output)
            else f"For {self.differentiated()}, {rest}"
        )

    def place(self, n: int) -> list[Any]:
        """The key of the outermost loop around a node and the number of its turn; "" and -1 for none."""
        best = ""
        for key in list(self.frames):
            frame = self.frames[key]
            inside = len(frame["turns"]) > 0 and frame["holds"].get("n" + str(n), False)
            if inside and (best == "" or len(key) < len(best)):
                best = key
        turns = self.frames[best]["turns"]
        for i in range(len(turns)):
            if self.frames[turns[i]]["holds"].get("n" + str(n), False):
                return [best, i]
        return ["", -1]

    def turn(self, key: str, i: int) -> str:
        """The name of a turn of a loop."""
        parts = self.frames[self.frames[key]["turns"][i]]["name"].split(", call ")
        name: str = parts[0]
        return f"{name} (call {parts[1]})" if len(parts) > 1 else name

    def reached(self, first: int, ghost: bool) -> list[int]:
        """The inputs to which nan or inf is sent on from node `first`; of a ghost the arguments of its call."""
        seen: dict[str, bool] = {}
        seen["n" + str(first)] = True
        queue = [first]
        at = 0
        while at < len(queue):
            n = queue[at]
            at += 1
            if ghost and not self.nodes[n]["ghost"]:
                continue
            for edge in self.made[n]:
                key = "n" + str(edge["src"])
                if edge["ghost"] == ghost and is_bad(size_of(self.sent(edge))) and not seen.get(key, False):
                    seen[key] = True
                    queue.append(edge["src"])
        ends = [n for n in range(len(self.nodes)) if seen.get("n" + str(n), False) and not self.nodes[n]["ghost"]]
        return ends if ghost else [n for n in ends if self.nodes[n]["kind"] in GIVEN]


def capital(text: str) -> str:
    return CAPITALS.get(text[0], text[0]) + text[1:]


def names_in_a_row(names: list[str]) -> str:
    """Names as in "x, y, z and 3 more"."""
    count = len(names)
    if count < 2:
        return "".join(names)
    if count > LISTED:
        return ", ".join(names[: LISTED - 1]) + f" and {count - LISTED + 1} more"
    return ", ".join(names[: count - 1]) + " and " + names[count - 1]


def figure(x: float) -> str:
    """A number in three digits, in two where it has an exponent."""
    size = abs(x)
    if size > 0 and size < 1e-300:
        return "under 1e-300"
    sign = "-" if x < 0 else ""
    power = floor(log10(size) + 1e-9) if size > 0 else 0
    if power >= -3 and power <= 4:
        return sign + digits(size)
    tenths = int(size / float("1e" + str(power)) * 10 + 0.5)  # a power of 10.0 differs in the last bit in browsers
    if tenths == 100:
        tenths = 10
        power += 1
    return f"{sign}{tenths // 10}{'.' + str(tenths % 10) if tenths % 10 > 0 else ''}e{power}"


def signed(text: str) -> str:
    """A number in words in three digits; what is no finite number stays as it is."""
    size = size_of(text)
    return text if is_bad(size) or size < 0 or "…" in text or "[" in text or "all" in text else figure(float(text))


def in_short(text: str, scalar: bool) -> str:
    """A number in three digits; of an array its size, which is that of its largest entry."""
    return signed(text) if scalar else figure(size_of(text))


def is_close(a: float, b: float, scale: float) -> bool:
    return abs(a - b) <= CLOSE * scale


def total(texts: list[str]) -> float:
    return sum([float(text) for text in texts])


def total_size(texts: list[str]) -> float:
    return sum([size_of(text) for text in texts])


# Where a nan or inf comes from.


def born(of: Finished) -> Any:
    """Where the first nan or inf that reaches an input is born, or else the first of all; None where none is."""
    best = None
    ends: list[int] = []
    for birth in [birth for birth in of.births if not birth[4]][:20]:
        reached = of.reached(of.edges["e" + str(birth[0])]["src"], False)
        if best is None or len(reached) > 0:
            best = birth
            ends = reached
        if len(ends) > 0:
            break
    if best is None:
        return None
    edge = of.edges["e" + str(best[0])]
    word = best[1]
    at = edge["dst"]
    why = meeting(of, best)[0]
    if word in of.sent(edge):
        slope = best[3] if of.scalar(at) else "inf"
        if meeting(of, best)[1] == "0 × " + slope and behind_where(of, at):
            words = f"the branch that was not taken sends 0 into {of.title(at)}, where the slope is {slope}"
            why = f"{words}, and 0 × {slope} = nan"
    else:
        at = edge["src"]
        why = "messages of inf and -inf add up there"
    turned = word == "inf" and len(ends) > 0 and len([n for n in ends if "nan" in of.gradient(n)]) == len(ends)
    return told(of, word, at, why, ends, " as nan" if turned else "")


def told(of: Finished, word: str, at: int, why: str, ends: list[int], how: str) -> Point:
    """The sentence of a birth: the node and its turn, the reason, and the inputs that are reached."""
    place = of.place(at)
    name = of.name(at) if of.nodes[at]["kind"] in GIVEN else of.title(at)
    words = f"{a_word(word)} is born at {name}"
    words += f" ({of.turn(place[0], place[1])})" if place[1] >= 0 else ""
    words += f": {why}." if why != "" else "."
    reaches = of.names(ends) if len(ends) > 0 else "no input"
    return Point(f"{words} It reaches {reaches}{how}.", True, place[0], place[1])


def a_word(word: str) -> str:
    return "An inf" if word == "inf" else "A nan"


def overflown(of: Finished) -> Any:
    """The inf that a sum of finite messages makes, or a nan or inf of which no more is known; None for neither."""
    for node in reversed(of.nodes):
        texts = of.messages(node["id"])
        finite = [text for text in texts if not is_bad(size_of(text))]
        summed = len(texts) > 1 and len(finite) == len(texts) and of.word == ""
        if summed and not node["ghost"] and is_bad(of.size(node["id"])):
            why = "the messages to it are finite, and their sum is too large a number"
            return told(of, "inf", node["id"], why, of.reached(node["id"], False), "")
    bad = [n for n in of.inputs if is_bad(of.size(n))]
    if len(bad) == 0:
        return None
    word = "nan" if "nan" in of.gradient(bad[0]) else "inf"
    same = [n for n in bad if word in of.gradient(n)]
    if len(same) > 1:
        return Point(f"The gradients of {of.names(same)} have {word}.", True, "", -1)
    verb = "is " + of.gradient(same[0]) if of.scalar(same[0]) else "has " + word
    return Point(f"The gradient of {of.names(same)} {verb}.", True, "", -1)


def meeting(of: Finished, birth: Any) -> list[str]:
    """How a message became nan or inf, as far as the numbers show it, and the product of its factors; or ""."""
    edge = of.edges["e" + str(birth[0])]
    word, g, slope = birth[1], signed(birth[2]), signed(birth[3])
    one, other = size_of(birth[2]), size_of(birth[3])
    if edge["rule"]:
        return ["its rule sends " + word, ""]
    if other < 0:
        return ["", ""]
    if "nan" in slope:
        return ["the slope there is nan", ""]
    steep = "inf" in slope
    if not of.scalar(edge["dst"]):
        if steep and not is_bad(one) and edge["sum"] == "":
            if word == "nan":
                return ["where the gradient is 0, the slope is inf, and 0 × inf = nan", "0 × inf"]
            return ["the slope there is inf", ""]
        return ["", ""]
    product = f"{g} × {slope}"
    both = f"the gradient {g} meets the slope {slope}"
    if word == "nan" and ((one == 0 and steep) or (other == 0 and is_bad(one))):
        return [f"{both}, and {product} = nan", product]
    if word == "inf" and steep:
        return [f"{both}, and {product} = {of.sent(edge)}", product]
    if word == "inf" and not is_bad(one) and one * other > 60000:
        return [f"{both}, and their product is too large a number", product]
    return ["", ""]


def behind_where(of: Finished, n: int) -> bool:
    """Whether the gradient of a node is 0 because a `where` did not take its branch: all messages on the way are 0."""
    if not of.scalar(n):
        edges = [edge for edge in of.uses[n] if of.sent(edge) != ""]
        dst = edges[0]["dst"] if len(edges) == 1 and edges[0]["sum"] == "" else n
        return of.title(dst) == "where" and has_no_zero(of.gradient(dst))
    found = False
    queue = [n]
    seen: dict[str, bool] = {}
    at = 0
    while at < len(queue):
        for edge in of.uses[queue[at]]:
            dst = edge["dst"]
            if of.sent(edge) == "" or seen.get("n" + str(dst), False):
                continue
            if size_of(of.sent(edge)) != 0:
                return False
            if of.size(dst) == 0:
                seen["n" + str(dst)] = True
                queue.append(dst)
            elif of.title(dst) == "where" and of.scalar(dst):
                found = True
            else:
                return False
        at += 1
    return found


def has_no_zero(text: str) -> bool:
    """Whether all entries of an array in words are known not to be 0."""
    if is_bad(size_of(text)):
        return False
    numbers = text.replace("all ", "").replace("[", "").replace("]", "").replace("…", " ").split(" ")
    low, high = min([float(number) for number in numbers]), max([float(number) for number in numbers])
    if text[0] == "[":
        return len([number for number in numbers if float(number) == 0]) == 0
    return low > 0 or high < 0


# What a rule does.


def repaired(of: Finished) -> Any:
    """What a rule sends where the pass that it replaces would send nan or inf; None where none does."""
    for birth in [birth for birth in of.births if birth[4]][:20]:
        edge = of.edges["e" + str(birth[0])]
        call = of.call[edge["dst"]]
        for n in of.reached(edge["src"], True):
            would = [text for text in of.within.get(f"{n} {call}", []) if is_bad(size_of(text))]
            rule = of.ruled(n, call)
            if len(would) == 0 or len([text for text in rule if is_bad(size_of(text))]) > 0:
                continue
            word = "nan" if len([text for text in would if "nan" in text]) > 0 else "inf"
            product = meeting(of, birth)[1]
            at = of.title(edge["dst"])
            why = f"{product} at {at}" if word == birth[1] and product != "" else f"{birth[1]} is born at {at}"
            sends = " and ".join([signed(text) for text in rule]) if of.scalar(n) else "finite numbers"
            sends = sends if len(rule) > 0 else "nothing"
            return calm(f"The rule sends {sends} to {of.name(n)}; the pass it replaces would send {word}: {why}.")
    return None


def changed(of: Finished) -> Any:
    """An argument to which a rule sends another number than the pass that it replaces; None where there is none."""
    for node in reversed(of.nodes):
        if node["kind"] != "custom" or node["ghost"]:
            continue
        for edge in of.made[node["id"]]:
            pair = exchanged(of, edge) if edge["rule"] else []
            if len(pair) > 0:
                words = f"The rule of {node['title']} sends {pair[0]} to {of.name(edge['src'])}"
                return calm(f"{words}; the pass it replaces would send {pair[1]}.")
    return None


def exchanged(of: Finished, edge: Any) -> list[str]:
    """What a rule sends and what the pass it replaces would, where these differ and are known; [] otherwise."""
    src, call = edge["src"], edge["dst"]
    rule = of.ruled(src, call)
    would = [text for text in of.within.get(f"{src} {call}", [])]
    for other in of.made[call]:
        if other["ghost"] and other["src"] == src and of.nodes[src]["shape"] == of.nodes[call]["shape"]:
            would.append(of.gradient(call))  # the body returns this argument
    scale = max(total_size(rule), total_size(would))
    if len(would) == 0 or (len(rule) == 0 and not edge["none"]) or is_bad(scale) or scale == 0:
        return []
    if not of.scalar(src):
        if len(would) > 1 or len(rule) > 1:
            return []
        plain = [text for text in [rule[0] if len(rule) > 0 else "all 0", would[0]] if text[:4] == "all "]
        if len(plain) == 2 and len(rule) > 0 and not is_close(float(plain[0][4:]), float(plain[1][4:]), scale):
            return plain
        if len(rule) > 0 and is_close(size_of(rule[0]), size_of(would[0]), scale):
            return []
        return [
            "up to " + in_short(rule[0], False) if len(rule) > 0 else "nothing",
            "up to " + in_short(would[0], False),
        ]
    a, b = total(rule), total(would)
    if is_close(a, b, scale) or is_lost(a, total_size(rule)) or is_lost(b, total_size(would)):
        return []
    return [figure(a) if len(rule) > 0 else "nothing", figure(b)]


def is_lost(found: float, size: float) -> bool:
    """Whether a sum of numbers in words has too few digits left."""
    return found != 0 and abs(found) < 0.01 * size


def shared_out(of: Finished) -> Any:
    """To whom a rule with variables sends, and most; None where there is none."""
    for node in reversed(of.nodes):
        edges = [edge for edge in of.made[node["id"]] if edge["rule"]]
        sent = [edge for edge in edges if of.sent(edge) != ""]
        if len([edge for edge in sent if of.nodes[edge["src"]]["kind"] == "var"]) == 0:
            continue
        start = f"The rule of {node['title']} sends "
        silent = [edge["src"] for edge in edges if edge["none"]]
        end = f"; it sends nothing to {of.names(silent)}." if len(silent) > 0 else "."
        once: list[int] = []
        for edge in sent:
            if len([n for n in once if n == edge["src"]]) == 0:
                once.append(edge["src"])
        names = of.names(once)
        most = max([size_of(of.sent(edge)) for edge in sent])
        best = [edge for edge in sent if figure(size_of(of.sent(edge))) == figure(most)]
        one = best[0]["src"]
        text = in_short(of.sent(best[0]), of.scalar(one))
        text = text if of.scalar(one) else "up to " + text
        if most == 0 or len(sent) == 1:
            return calm(start + f"{'0' if most == 0 else text} to {names}{end}")
        if len(best) == 1 and len(once) == len(sent):
            return calm(start + f"to {names}; {of.name(one)} gets most, {text}{end}")
        return calm(start + f"to {names}{end}")
    return None


# Gradients that fade or grow.


def times(start: float, end: float) -> float:
    """By how many times a gradient fades or grows, 0 where that is less than `FAR`."""
    if is_bad(start) or is_bad(end) or start <= 0 or end < 0:
        return 0.0
    far = 1e300 if end == 0 else max(start / end, end / start)
    return far if far >= FAR else 0.0


def along_a_loop(of: Finished) -> Any:
    """Where the gradient fades or grows in the loop in which it does so most; None where it does in none."""
    best = None
    most = 0.0
    for key in list(of.frames):
        loop = of.frames[key]
        handed = [handed_on(of, of.frames[turn]) for turn in loop["turns"]]
        last = len(handed) - 1
        if len([size for size in handed if size >= 0 and not is_bad(size)]) <= last or last < 0:
            continue
        start, end = of.size(loop["carry"][last]), of.size(loop["carry"][0])
        far = times(start, end)
        if far > most and handed[0] == end and handed[last] == start:
            most = far
            best = key
    return None if best is None else loop_point(of, best)


def handed_on(of: Finished, turn: Any) -> float:
    """The largest gradient of what a turn hands on."""
    sizes = [-1.0]
    for n in turn["nodes"]:
        node = of.nodes[n]
        if node["ghost"] or node["kind"] in GIVEN:
            continue
        leaving = [edge for edge in of.uses[n] if not turn["holds"].get("n" + str(edge["dst"]), False)]
        if node["output"] or len(leaving) > 0:
            sizes.append(of.size(n))
    return max(sizes)


def loop_point(of: Finished, key: str) -> Point:
    loop = of.frames[key]
    sizes = [of.size(n) for n in loop["carry"]]
    handed = [handed_on(of, of.frames[turn]) for turn in loop["turns"]]
    last = len(sizes) - 1
    start, end = f"{figure(sizes[last])} at {of.turn(key, last)}", f"{figure(sizes[0])} at {of.turn(key, 0)}"
    if sizes[0] > sizes[last]:
        return Point(f"The gradient grows on its way back: {start}, {end}.", False, key, 0)
    if last_alone(of, loop, handed):
        before = f", {figure(sizes[last - 1])} at {of.turn(key, last - 1)} and {end}"
        before = " and 0 at all before" if max(handed[:last]) == 0 else before
        words = f"Only the last {loop['word']} matters: the gradient is {start}{before}."
        return Point(words, False, key, last)
    zero, faint = below(handed, 0.0), below(handed, FAINT)
    if zero >= 0 and min(handed[zero + 1 :]) * FAR > sizes[last]:
        words = f"The gradient stops on its way back: {start}, 0 from {of.turn(key, zero)} on."
        return Point(words, False, key, zero)
    more = ends_of([of.turn(key, i) for i in range(last + 1)], zero, faint)
    return Point(f"The gradient fades on its way back: {start}, {end}{more}.", False, key, max(faint, 0))


def below(sizes: list[float], bound: float) -> int:
    """The last index up to which no size is above `bound`, or reaches it unless it is 0; -1 for none."""
    i = 0
    while i < len(sizes) and (sizes[i] < bound or sizes[i] <= 0):
        i += 1
    return i - 1


def ends_of(names: list[str], zero: int, faint: int) -> str:
    """From where on a gradient is faint, and from where on 0. names: of the places, the last one first."""
    words = ""
    if faint > zero and faint > 0 and faint < len(names) - 1 and names[faint] != "":
        words = f"; below a ten-millionth from {names[faint]} on"
    if zero > 0 and names[zero] != "":
        words += f"{', and' if words != '' else ';'} 0 from {names[zero]}"
    return words


def last_alone(of: Finished, loop: Any, handed: list[float]) -> bool:
    """Whether the last turn sends to some input, and all the others together no more than a thousandth of that."""
    last = len(handed) - 1
    if max(handed[:last]) * FAR > handed[last]:
        return False
    turn: dict[str, int] = {}
    for i in range(last + 1):
        for n in of.frames[loop["turns"][i]]["nodes"]:
            turn["n" + str(n)] = i
    mine = 0.0
    others = 0.0
    for n in of.inputs:
        for edge in of.uses[n]:
            size = max(0.0, size_of(of.sent(edge)))
            if turn.get("n" + str(edge["dst"]), -1) == last:
                mine = max(mine, size)
            elif turn.get("n" + str(edge["dst"]), -1) >= 0:
                others += size
    return others * FAR <= mine and mine > 0


def along_a_way(of: Finished) -> Any:
    """Where the gradient fades or grows from the result to one of the inputs at the extremes; None for neither."""
    least = -1
    most = -1
    none = -1
    for n in of.inputs:
        size = of.size(n)
        if size == 0:
            none = n
        elif size > 0:
            least = n if least < 0 or size < of.size(least) else least
            most = n if most < 0 or size > of.size(most) else most
    best: list[int] = []
    far = 0.0
    for n in [least, most, none]:
        way = way_back(of, n) if n >= 0 else []
        if len(way) > WAY_OPS:
            found = times(of.size(way[len(way) - 1]), of.size(n))
            if found > far:
                far = found
                best = way
    if len(best) == 0:
        return None
    sizes = [of.size(n) for n in best]
    last = len(best) - 1
    names = [of.plain_name(n) if of.count["name " + of.plain_name(n)] == 1 else "" for n in best]
    top = of.result() if best[last] == of.output else "the argument of mean"
    start, end = f"{figure(sizes[last])} at {top}", f"{figure(sizes[0])} at {of.name(best[0])}"
    if sizes[0] > sizes[last]:
        return calm(f"The gradient grows on its way back: {start}, {end}.")
    zero, faint = below(sizes, 0.0), below(sizes, FAINT)
    if zero >= 0 and min(sizes[zero + 1 :]) * FAR > sizes[last]:
        return None
    return calm(f"The gradient fades on its way back: {start}, {end}{ends_of(names, zero, faint)}.")


def way_back(of: Finished, n: int) -> list[int]:
    """The nodes from an input to the result, or to a mean, each time to the op that sends most; [] where a sum adds."""
    way = [n]
    while n != of.output:
        best = None
        for edge in of.uses[n]:
            if of.sent(edge) != "" and (best is None or size_of(of.sent(edge)) > size_of(of.sent(best))):
                best = edge
        if best is None or best["sum"] != "":
            return []
        n = best["dst"]
        if of.title(n) == "mean":
            return way
        way.append(n)
    return way


# Of what a gradient is the sum, and how the result depends on the inputs.


def added_up(of: Finished) -> Any:
    """The sum that the gradient of an input with many uses is, where there are one or two inputs; else None."""
    best = -1
    for n in of.inputs:
        if of.scalar(n) and len(of.messages(n)) > (2 if best < 0 else len(of.messages(best))):
            best = n
    if best < 0 or len(of.inputs) > 2:
        return None
    texts = of.messages(best)
    count = len(texts)
    whole = float(of.gradient(best))
    if not is_close(total(texts), whole, abs(whole)):
        return None
    some = texts if count <= TERMS else texts[: TERMS - 1]
    words = signed(some[0])
    for text in some[1:]:
        words += " - " + signed(text)[1:] if signed(text)[0] == "-" else " + " + signed(text)
    same = " = "
    if count > TERMS:
        words += " + …"
    elif figure(total([signed(text) for text in texts])) != figure(whole):
        same = " ≈ "
    uses = f"is used {count} times" if count == len(of.uses[best]) else f"gets {count} messages"
    return calm(f"{of.name(best)} {uses}, so its gradient is a sum: {words}{same}{figure(whole)}.")


def dependence(of: Finished) -> str:
    """On which inputs the result depends most and least, as far as gradients tell."""
    found = [n for n in of.inputs if of.size(n) > 0]
    zeros = [n for n in of.inputs if of.size(n) == 0]
    silent = [n for n in of.inputs if of.size(n) < 0 and len(of.uses[n]) > 0]
    unused = [n for n in of.inputs if of.size(n) < 0 and len(of.uses[n]) == 0]
    more: list[str] = []
    if len(of.inputs) == 0:
        more.append("no input takes a gradient")
    if len(silent) > 0:
        more.append("no gradient reaches " + of.names(silent))
    if len(unused) > 0:
        more.append(f"{of.names(unused)} {'is' if len(unused) == 1 else 'are'} not used")
    if len(found) + len(zeros) == 0:
        return of.said("; ".join(more)) + "."
    end = "".join(["; " + one for one in more]) + "."
    none = f"of {of.names(zeros)} {'is' if len(zeros) == 1 else 'are'} 0"
    if len(found) == 0:
        return of.said(("the gradient " if len(zeros) == 1 else "the gradients ") + none) + end
    if len(found) == 1 and len(of.inputs) == 1:
        return alone(of, found[0])
    sizes = [of.size(n) for n in found]
    most = [n for n in found if figure(of.size(n)) == figure(max(sizes))]
    least = [n for n in found if figure(of.size(n)) == figure(min(sizes))]
    if of.trusted:
        words = of.equation() + " It depends " if of.scalar(of.output) else capital(of.differentiated()) + " depends "
        if len(zeros) > 0:
            none = f"; the gradient{' ' if len(zeros) == 1 else 's '}{none}"
            end = (f", not at all on {of.names(zeros)} (gradient 0)" if is_smooth(of) else none) + end
        if len(most) == len(found):
            how = "on " if len(most) == 1 else "about equally on "
            return f"{words}{how}{of.names(most)} ({largest(of, most)}){end}"
        words += f"most on {of.names(most)} ({largest(of, most)})"
        return words + (f", least on {of.names(least)} ({common(of, least)})" if len(zeros) == 0 else "") + end
    end = (f", {'that' if len(zeros) == 1 else 'those'} {none}" if len(zeros) > 0 else "") + end
    if len(found) == 1:
        verb = "is" if of.scalar(found[0]) else "goes up to"
        return of.said(f"the gradient of {of.names(found)} {verb} {common(of, found)}") + end
    if len(most) == len(found):
        return of.said(f"the gradients of {of.names(most)} are about equally large ({common(of, most)})") + end
    words = "the largest gradient is that of " if len(most) == 1 else "the largest gradients are those of "
    words += f"{of.names(most)} ({common(of, most)})"
    if len(zeros) == 0:
        those = "that" if len(least) == 1 else "those"
        words += f", the smallest {those} of {of.names(least)} ({common(of, least)})"
    return of.said(words) + end


def common(of: Finished, some: list[int]) -> str:
    """The size that the gradients of some inputs have in common, of numbers with its sign where that is one."""
    texts = [in_short(of.gradient(n), of.scalar(n)) for n in some]
    same = [text for text in texts if text == texts[0]]
    return texts[0] if len(same) == len(texts) else figure(of.size(some[0])) + " in size"


def largest(of: Finished, some: list[int]) -> str:
    numbers = [n for n in some if of.scalar(n)]
    return ("gradient " if len(numbers) == len(some) else "largest gradient ") + common(of, some)


def alone(of: Finished, n: int) -> str:
    """How the result depends on its only input."""
    name = of.name(n)
    text = of.gradient(n)
    if not of.scalar(n):
        if text[:4] == "all ":
            return of.said(f"each entry of {name} has the gradient {text[4:]}") + "."
        ends = text.split("…")
        if len(ends) == 2:
            return of.said(f"the entries of the gradient of {name} go from {ends[0]} to {ends[1]}") + "."
        return of.said(f"the gradient of {name} is {text}") + "."
    if n == of.output and of.trusted:
        return f"{name} is the result itself, so its gradient is {signed(text)}."
    if not of.trusted or not is_smooth(of):
        return of.said(f"the gradient of {name} is {signed(text)}") + "."
    much = signed(text)
    verb = "grows by "
    if much[0] == "-":
        verb = "falls by "
        much = much[1:]
    much = "as much" if much == "1" else much + " times as much"
    return f"If {name} grows by a little, {of.differentiated()} {verb}{much}."


def is_smooth(of: Finished) -> bool:
    """Whether all ops are known to have slopes: there may be no kink that was not seen."""
    for n in range(len(of.nodes)):
        title = of.title(n)
        if of.nodes[n]["ghost"] or of.nodes[n]["kind"] in GIVEN or of.nodes[n]["kind"] == "const" or title in SMOOTH:
            continue
        if not of.scalar(n) or not (title in BENT or title in CHOOSING):
            return False
    return True


# Two passes.


class Pair:
    """The gradients of an input in two passes, and how they compare: "agree", "differ", "open", or "none" in either."""

    def __init__(self, name: str, scalar: bool, one: str, other: str) -> None:
        self.name = name
        self.scalar = scalar
        self.one = one
        self.other = other
        self.spoilt = is_bad(size_of(one)) or is_bad(size_of(other))
        self.verdict = verdict_of(one, other, scalar)

    def words(self, text: str) -> str:
        """One of the gradients, in three digits where these tell it from the other."""
        if text == "":
            return "nothing"
        if self.verdict != "agree" and in_short(self.one, self.scalar) == in_short(self.other, self.scalar):
            return text
        ranged = len(text.split("…")) > 1
        return "up to " + in_short(text, False) if ranged else signed(text)


def verdict_of(one: str, other: str, scalar: bool) -> str:
    """Whether two gradients agree, as far as their words tell."""
    if one == "" or other == "":
        return "none" if one == other else "differ"
    first, second = size_of(one), size_of(other)
    if is_bad(first) or is_bad(second):
        if is_bad(first) != is_bad(second):
            return "differ"
        return "open" if not scalar else "agree" if one == other else "differ"
    plain = one[:4] == "all " and other[:4] == "all "
    if scalar or plain:
        a, b = float(one.replace("all ", "")), float(other.replace("all ", ""))
        return "agree" if is_close(a, b, max(first, second)) else "differ"
    if not is_close(first, second, max(first, second)):
        return "differ"
    return "agree" if one == other and one[0] == "[" else "open"


def pairs_of(first: Finished, second: Finished) -> list[Pair]:
    """The inputs of two passes, those of one name together; of several with one name the first with the first."""
    pairs: list[Pair] = []
    taken: dict[str, bool] = {}
    for n in first.inputs:
        other = ""
        for m in second.inputs:
            if second.plain_name(m) == first.plain_name(n) and not taken.get("n" + str(m), False):
                taken["n" + str(m)] = True
                other = second.gradient(m)
                break
        pairs.append(Pair(first.name(n), first.scalar(n), first.gradient(n), other))
    for m in second.inputs:
        if not taken.get("n" + str(m), False):
            pairs.append(Pair(second.name(m), second.scalar(m), "", second.gradient(m)))
    return [pair for pair in pairs if pair.verdict != "none"]


def both_of(graphs: list[Any], states: list[Any], names: list[str]) -> Point:
    """How the gradients of two passes compare: a derived one and that of a rule, or those of two functions."""
    first, second = Finished(graphs[0], states[0], [], ""), Finished(graphs[1], states[1], [], "")
    if first.output < 0 or second.output < 0:
        return calm("")
    rule = names[0] == "derived" and names[1] == "custom"
    who = ["the derived pass", "the rule"] if rule else names
    pairs = pairs_of(first, second)
    value = values_of(first, second, names, rule)
    if len(pairs) == 0:
        return calm((value + ". " if value != "" else "") + "Neither pass sends a gradient to an input.")
    start = value + ", two gradients" if value != "" else "Two gradients"
    bad = len([pair for pair in pairs if pair.spoilt]) > 0
    differ = [pair for pair in pairs if pair.verdict == "differ"]
    agree = [pair for pair in pairs if pair.verdict == "agree"]
    unclear = [pair for pair in pairs if pair.verdict == "open"]
    those = f" Those of {joined(agree)} agree." if len(agree) > 0 else ""
    if len(agree) == len(pairs):
        same = agree[0].words(agree[0].other) if len(pairs) == 1 else "those of " + joined(pairs)
        return Point(f"{start}, and they agree: {same}.", bad, "", -1)
    if len(differ) == 0:
        spoilt = [pair for pair in unclear if pair.spoilt]
        some = spoilt if len(spoilt) > 0 else unclear
        what = "have nan or inf" if len(spoilt) > 0 else "have the same largest entry"
        both = "both" if len(pairs) == 1 else f"both of {joined(some)}"
        return Point(f"{start}, and {both} {what}.{those}", bad, "", -1)
    spoilt = [pair for pair in differ if pair.spoilt]
    one = spoilt[0] if len(spoilt) > 0 else differ[0]
    words = f"{start}{' of ' + one.name if len(pairs) > 1 else ''}: "
    words += f"{who[0]} sends {one.words(one.one)}, {who[1]} {one.words(one.other)}."
    if not one.spoilt:
        return Point(f"{words} They differ.{those}", bad, "", -1)
    word = "nan" if "nan" in one.one + one.other else "inf"
    if rule and not is_bad(size_of(one.other)) and one.other != "":
        words += f" The rule repairs the {word}."
    if rule and not is_bad(size_of(one.one)):
        words += f" The {word} is the rule's own."
    return Point(words + those, bad, "", -1)


def joined(pairs: list[Pair]) -> str:
    return names_in_a_row([pair.name for pair in pairs])


def values_of(first: Finished, second: Finished, names: list[str], rule: bool) -> str:
    """How the values of two passes compare, as far as their words tell; "" where they do not."""
    one, other = first.value(first.output), second.value(second.output)
    if one == other and rule:
        return "Same value"
    if is_bad(size_of(one)) or is_bad(size_of(other)) or not first.scalar(first.output):
        return ""
    if one == other:
        return f"Same value ({signed(one)})"
    short = [signed(one), signed(other)] if signed(one) != signed(other) else [one, other]
    return f"Two values, {names[0]} {short[0]} and {names[1]} {short[1]}"
