"""Random functions as a user writes them, with their source: numbers and arrays, names inside, branches, own rules."""

import linecache
import re

import numpy as np

import minigrad as mg
from tests.helpers.written_rules import written

RIGHT = {
    "mg.sin({x})": "upstream * cos({x})", "mg.exp({x})": "upstream * exp({x})", "{x} * {x}": "upstream * 2 * {x}",
    "mg.tanh({x})": "upstream * (1 - tanh({x}) ** 2)", "mg.log(1 + mg.exp({x}))": "upstream * sigmoid({x})",
    "mg.sqrt({x} * {x} + 1)": "upstream * {x} / sqrt({x} * {x} + 1)", "mg.abs({x})": "upstream * sign({x})",
    "1 / (1 + {x} * {x})": "-upstream * 2 * {x} / (1 + {x} * {x}) ** 2",
    "mg.maximum({x}, 0.5)": "upstream * where({x} > 0.5, 1, 0)", "{x} / (1 + mg.exp({x}))": "upstream / (1 + exp({x}))",
    "mg.sigmoid({x})": "upstream * y * (1 - y)", "mg.log({x})": "upstream / {x}",
}  # fmt: skip


class Written:
    """A function `f`, its arguments by name, and rules to try: a dict of texts each.

    several : whether it has two results. upstreams, results : what the language of its rule calls the upstream
    gradients and the results.
    """

    def __init__(self, seed, several=False):
        rng = self.rng = np.random.default_rng(seed)
        kind = int(rng.integers(5))
        self.names = ["x", "w"][: 1 + int(rng.integers(2))] if kind != 1 else ["x"]
        array = kind == 2
        shape = (3,) if array else ()
        self.arguments = {name: mg.constant(self.numbers(shape)) for name in self.names}
        lines, value = [], ""
        if kind == 1:
            value, self.good = [text.format(x="x") for text in list(RIGHT.items())[rng.integers(len(RIGHT))]]
        else:
            value = self.part()
            self.good = ""
        inner, self.upstreams, self.results = kind == 3 and not several, ["upstream"], ["y"]
        if rng.integers(2):
            lines.append(f"e = {self.python(self.part(1))}")
        if inner:
            lines += ["if x > 0:", f"    return {self.python(self.part())}"]
        value = value if kind == 1 else self.python(value)
        total = array and rng.integers(2)
        value = f"mg.sum({value})" if total else value
        custom = kind == 4
        if several:
            value = self.second(lines, value, kind)
        self.extra = ["e"] if lines and lines[0][:1] == "e" else []
        result = f"return {value}" if not custom else f"return {value}, lambda dy: {self.rule('dy')}"
        if custom and several:
            result = f"return {value}, lambda dy, dx: {self.rule('dx')}"
        head = ["@mg.custom_gradient"] * custom + [f"def f({', '.join(self.names)}):"]
        self.source = "\n".join([*head, *(f"    {line}" for line in [*lines, result])]) + "\n"
        name = f"<written {seed}>"
        linecache.cache[name] = (len(self.source), None, self.source.splitlines(True), name)
        space = {"mg": mg}
        exec(compile(self.source, name, "exec"), space)
        self.f = space["f"]

    def second(self, lines, value, kind):
        """A pair of the value and another one, with names or without, and the right rule if that is known."""
        other, good = (text.format(x="x") for text in list(RIGHT.items())[self.rng.integers(len(RIGHT))])
        self.results = ["a", "b"] if self.rng.integers(2) else ["y0", "y1"]
        self.upstreams = [f"upstream_{name}" for name in self.results]
        if kind == 1:
            both = zip([self.good, good], self.upstreams, self.results)
            self.good = " + ".join(re.sub(r"\by\b", y, text.replace("upstream", up)) for text, up, y in both)
        if self.results == ["a", "b"]:
            lines += [f"a = {value}", f"b = {other}"]
            return "(a, b)"
        return f"({value}, {other})"

    def numbers(self, shape):
        some = [0.0, 1.0, -1.0, 2.0, 0.5, -0.3, 3.7, 100.0, -20.0, 1e-3]
        return np.array(self.rng.choice(some, size=shape), np.float32 if self.rng.integers(4) else np.float64)

    def part(self, depth=2):
        return f"({written(self.rng, self.names, depth)}) * {self.rng.choice(self.names)}"

    def python(self, text):
        from viz.rule.grammar import Rule

        return Rule(text, {name: {"cell": 0, "type": "f", "shape": []} for name in self.names}, 9).python()

    def rule(self, upstream):
        from viz.rule.grammar import Rule

        names = {name: {"cell": 0, "type": "f", "shape": []} for name in [*self.names, upstream]}
        texts = [Rule(f"{upstream} * ({written(self.rng, self.names, 2)})", names, 9).python() for _ in self.names]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    def rules(self, count, names):
        """Texts for each input: right ones, spoilt ones, and random ones."""
        for k in range(count):
            texts = {}
            for name in self.names:
                text = " + ".join(f"{up} * ({written(self.rng, names, 2)})" for up in self.upstreams)
                if self.good and k < 4:
                    text = [
                        self.good,
                        f"-({self.good})",
                        re.sub(r"\bupstream(_\w+)?", "1", self.good),
                        f"({self.good}) * 1.01",
                    ][k]
                texts[name] = text
            yield texts
