"""The language of a rule: parse an expression in a function's names into the instructions of a tape.

The file is translated to static/rule.js, so Python and a page parse rules in the same way. An integer takes the type of
the other operand. If no operand has a type, as in `where(x > 0, 1, 0)`, the Python text has 1.0 and 0.0 instead,
because NumPy would otherwise compute with integers.
"""

from __future__ import annotations

from typing import Any

from .constant_folding import LARGEST, TOO_LARGE, combined, refused
from .language import COMPARES, KEYWORDS, LEVELS, NAMED, OPERATES, PLAIN, TAKES, WIDER
from .tokens import DIGITS, Tokens


class Rule:
    """A parsed rule.

    names : name -> an object with the `cell`, `type` and `shape` of a value on the tape, or with the `text` of a local
        name.
    start : the index of the first instruction.

    The attribute `rows` has the instructions, `signs` the sign or name of each in the text, `value` the result, and
    `used` the names in the text. `error` is the error message, and `at` the error's position in the text. A value has
    `cell`, `type` and `shape`, or `weak` if it is a plain number; `first` is its first token.
    """

    def __init__(self, text: str, names: Any, start: int) -> None:
        self.text = text
        self.names = names
        self.start = start
        self.rows: list[Any] = []
        self.signs: list[Any] = []
        self.used: list[str] = []
        self.pointed: list[int] = []  # tokens of integers that need a decimal point in Python
        self.local: Any = {}
        read = Tokens(text)
        self.tokens: list[Any] = read.all
        self.error = read.error
        self.at = read.place
        self.i = 0
        self.value: Any = None
        if self.error == "":
            self.value = self.comparison()
        if self.error == "" and self.tokens[self.i]["kind"] != "end":
            token = self.tokens[self.i]
            one = token["text"] == ","
            self.fail(
                "one ) too many"
                if token["text"] == ")"
                else "a rule is one expression, without a comma"
                if one
                else "an operator is missing before " + token["text"],
                token,
            )
        if self.error == "" and self.value["type"] == "b":
            self.fail("a comparison is not a number: write where(x > 0, 1, 0)", self.tokens[0])
        if self.error == "" and self.value["weak"] is not None:
            self.value = self.strong(self.value, "d")

    def fail(self, words: str, token: Any) -> None:
        """Record `words` as the error unless there is one already, and stop parsing at the end of the text."""
        if self.error == "":
            self.error = words
            self.at = token["at"]
        self.i = len(self.tokens) - 1

    def sees(self, *signs: str) -> bool:
        token = self.tokens[self.i]
        return token["kind"] == "sign" and token["text"] in signs

    def missing(self, token: Any) -> None:
        """Record an error if the value `token` is followed by another value without an operator between them."""
        after = self.tokens[self.i]
        if self.error == "" and (after["kind"] in ("number", "name", "mg") or after["text"] == "("):
            if after["text"] in KEYWORDS:
                self.keyword(after)
            elif after["text"] == "(":
                self.fail("write * before (", after)
            else:
                self.fail("write " + token["text"] + " * " + after["text"], after)

    def keyword(self, token: Any) -> None:
        word = token["text"]
        if word == "if" or word == "else":
            self.fail("write where(condition, this, that) instead of " + word, token)
        elif word == "and" or word == "or":
            self.fail("write a product of two comparisons, or where, instead of " + word, token)
        else:
            self.fail(word + " is not part of a rule: it is one expression", token)

    # Expressions, from the lowest to the highest precedence.

    def comparison(self) -> Any:
        value = self.operation(0)
        if self.error == "" and self.sees(*COMPARES):
            token = self.next()
            value = self.binary(token, value, self.operation(0))
            if self.error == "" and self.sees(*COMPARES):
                self.fail("one comparison at a time: write (a < b) * (b < c)", self.tokens[self.i])
        return value

    def operation(self, level: int) -> Any:
        """Parse a sum at level 0, a product at level 1, or a factor at any higher level."""
        if level == len(LEVELS):
            return self.factor()
        value = self.operation(level + 1)
        while self.error == "" and self.sees(*LEVELS[level]):
            token = self.next()
            value = self.binary(token, value, self.operation(level + 1))
        return value

    def factor(self) -> Any:
        if self.sees("+", "-"):
            token, first = self.next(), self.i - 1
            a = self.factor()
            if self.error != "":
                return None
            if a["type"] == "b":
                self.fail("a comparison has no sign: write where(x > 0, 1, 0)", token)
                return None
            if a["weak"] is not None:
                return self.number(-a["weak"] if token["text"] == "-" else a["weak"], first)
            if token["text"] == "+":
                return a
            return self.row("neg", [a["cell"]], a["type"], a["shape"], "-")
        base = self.atom()
        if self.error == "" and self.sees("**"):
            token = self.next()
            return self.binary(token, base, self.factor())
        return base

    def next(self) -> Any:
        self.i += 1
        return self.tokens[self.i - 1]

    def atom(self) -> Any:
        token, first = self.tokens[self.i], self.i
        self.i += 1
        if token["kind"] == "number":
            long = len(token["text"]) > 1 and token["text"][0] == "0" and token["text"][1] in DIGITS
            if long or abs(float(token["text"])) > LARGEST:
                self.fail("a number has no 0 in front" if long else TOO_LARGE, token)
                return None
            self.missing(token)
            return self.number(float(token["text"]), first)
        if token["text"] == "(":
            inner = self.comparison()
            if self.error == "" and not self.sees(")"):
                self.fail("a rule has no tuples" if self.sees(",") else "a ) is missing", self.tokens[self.i])
            if self.error != "":
                return None
            self.i += 1
            after = self.tokens[self.i]
            if (after["kind"] != "end" and after["kind"] != "sign") or after["text"] == "(":
                self.missing({"text": "(…)"})
            return inner
        if token["kind"] == "name" or token["kind"] == "mg":
            return self.called(token) if self.sees("(") else self.named(token)
        if token["kind"] == "end":
            self.i -= 1
            self.fail(
                "something is missing at the end" if self.i > 0 else "write what goes back, such as upstream * 2", token
            )
        elif token["text"] == ")":
            self.fail("a ( is missing" if first == 0 else "something is missing before )", token)
        else:
            self.fail("something is missing before " + token["text"], token)
        return None

    def named(self, token: Any) -> Any:
        word = token["text"]
        if word in KEYWORDS:
            self.keyword(token)
            return None
        entry = self.names.get(word)
        if token["kind"] == "mg" or entry is None:
            if TAKES.get(word) is not None:
                self.fail(word + " is a function: write " + word + "(x)", token)
            else:
                self.fail("there is no " + word + " here; the names are " + ", ".join(list(self.names)), token)
            return None
        if word not in self.used:
            self.used.append(word)
        self.missing(token)
        if self.error != "":
            return None
        if entry.get("text") is None:
            return {**PLAIN, "cell": entry["cell"], "type": entry["type"], "shape": entry["shape"]}
        if self.local.get(word) is None:
            self.compute(word, token)
        return None if self.error != "" else self.local[word]

    def compute(self, word: str, token: Any) -> None:
        """Parse the text of a local name, after the local names that it uses; long chains rule out recursion."""
        needed: dict[str, bool] = {}
        needed[word] = True
        order: list[str] = []
        for name in reversed(list(self.names)):
            text = self.names[name].get("text")
            if needed.get(name) is not None and text is not None and self.local.get(name) is None:
                order.append(name)
                for other in Tokens(text).all:
                    needed[other["text"]] = True
        for name in reversed(order):
            if self.error == "":
                self.local[name] = self.inner(self.names[name]["text"], token)

    def inner(self, text: str, token: Any) -> Any:
        """Parse `text`, the expression of the local name `token`, and append its instructions; return its value."""
        outer, at, pointed = self.tokens, self.i, self.pointed[:]
        read = Tokens(text)
        self.tokens, self.i = read.all, 0
        value = self.comparison()
        failed = read.error != "" or self.error != "" or self.tokens[self.i]["kind"] != "end"
        self.tokens, self.i, self.pointed = outer, at, pointed
        if failed:
            self.error = ""
            self.fail("the page cannot compute " + token["text"], token)
        return {**value, "first": at - 1} if self.error == "" else None

    def called(self, token: Any) -> Any:
        word = token["text"]
        if TAKES.get(word) is None:
            is_name = self.names.get(word) is not None
            missing = "there is no function " + word + " here; there are " + ", ".join(list(TAKES))
            self.fail("write " + word + " * (" if is_name else missing, token)
            return None
        self.i += 1
        first = self.i
        values = []
        if not self.sees(")"):
            values.append(self.comparison())
            while self.error == "" and self.sees(","):
                self.i += 1
                values.append(self.comparison())
        if self.error == "" and not self.sees(")"):
            self.fail("a ) is missing", self.tokens[self.i])
        if self.error != "":
            return None
        last = self.i
        self.i += 1
        if len(values) != TAKES[word]:
            self.fail(f"{word} takes {TAKES[word]} argument{'' if TAKES[word] == 1 else 's'}, not {len(values)}", token)
            return None
        self.missing({"text": word + "(…)"})
        if self.error != "":
            return None
        if word == "where":
            if values[0]["type"] != "b":
                self.fail("where begins with a comparison, as in where(x > 0, 1, 0)", token)
                return None
            return self.where(token, values, first, last)
        for a in values:
            if a["type"] == "b":
                self.fail("a comparison is not a number: write where(x > 0, 1, 0)", token)
                return None
        type = self.common(values)
        if type == "":
            self.point(first, last)
            type = "f"
        shape = self.shape_of(token, values)
        cells = [self.cell(a, type) for a in values] if self.error == "" else []
        if self.error != "":
            return None
        if word == "sigmoid":
            return self.sigmoid(cells[0], type, shape)
        return self.row(NAMED.get(word, word), cells, type, shape, word)

    def where(self, token: Any, values: Any, first: int, last: int) -> Any:
        both = values[1:3]
        if both[0]["type"] == "b" or both[1]["type"] == "b":
            self.fail("where chooses between numbers: its last two arguments cannot be comparisons", token)
            return None
        type = self.common(both)
        shape = self.shape_of(token, values)
        if self.error != "":
            return None
        if type == "":
            for k in range(first, last):
                if both[0]["first"] <= k:
                    self.point(k, k + 1)
            type = "f"
        cells = [self.cell(a, type) for a in both]
        return self.row("where", [values[0]["cell"], cells[0], cells[1]], type, shape, "where")

    def sigmoid(self, x: int, type: str, shape: Any) -> Any:
        """Return the sigmoid 1 / (1 + e**-x), computed from e**-|x| as in the op."""
        small = self.row("abs", [x], type, shape, "")
        small = self.row("neg", [small["cell"]], type, shape, "")
        small = self.row("exp", [small["cell"]], type, shape, "")
        one = self.strong(self.number(1.0, 0), type)
        zero = self.strong(self.number(0.0, 0), type)
        below = self.row("add", [one["cell"], small["cell"]], type, shape, "")
        right = self.row("ge", [x, zero["cell"]], "b", shape, "")
        above = self.row("where", [right["cell"], one["cell"], small["cell"]], type, shape, "")
        return self.row("div", [above["cell"], below["cell"]], type, shape, "sigmoid")

    def binary(self, token: Any, a: Any, b: Any) -> Any:
        if self.error != "":
            return None
        sign = token["text"]
        if a["weak"] is not None and b["weak"] is not None:
            return self.folded(token, a, b)
        shape = self.shape_of(token, [a, b])
        if self.error != "":
            return None
        tests = [v for v in [a, b] if v["type"] == "b"]
        if len(tests) > 0 and (sign in COMPARES or sign == "**" or (len(tests) == 2 and sign != "*")):
            self.fail("a comparison is not a number: write where(x > 0, 1, 0)", token)
            return None
        type = self.common([a, b])
        if len(tests) == 2:
            return self.row("mul", [a["cell"], b["cell"]], "b", shape, sign)
        if type == "":  # no operand has a float type, as in (x > 0) * 2
            number = a if a["weak"] is not None else b
            self.point(number["first"], number["first"] + 1)
            type = "f"
        cells = [self.cell(a, type), self.cell(b, type)]
        if sign == "**":
            return self.row("pows" if b["weak"] is not None else "pow", cells, type, shape, sign)
        return self.row(OPERATES[sign], cells, "b" if sign in COMPARES else type, shape, sign)

    def folded(self, token: Any, a: Any, b: Any) -> Any:
        """Return the result of an operator on two numbers, as Python computes it."""
        words = refused(token["text"], a["weak"], b["weak"])
        value = 0.0 if words != "" else combined(token["text"], a["weak"], b["weak"])
        if words != "" or abs(value) > LARGEST:
            self.fail(words if words != "" else TOO_LARGE, token)
            return None
        return self.number(value, a["first"])

    # Values and instructions.

    def number(self, value: float, first: int) -> Any:
        return {**PLAIN, "weak": value, "first": first}

    def row(self, name: str, cells: Any, type: str, shape: Any, sign: str) -> Any:
        self.rows.append([name, *cells])
        self.signs.append(sign)
        return {**PLAIN, "cell": self.start + len(self.rows) - 1, "type": type, "shape": shape}

    def strong(self, a: Any, type: str) -> Any:
        self.rows.append(["is", type, [a["weak"]]])
        self.signs.append("")
        return {**PLAIN, "cell": self.start + len(self.rows) - 1, "type": type}

    def cell(self, a: Any, type: str) -> int:
        """Return the cell of a value, converted to a type."""
        if a["weak"] is not None:
            value = self.strong(a, type)
            return int(value["cell"])
        if a["type"] != type:
            self.rows.append(["as", type, a["cell"]])
            self.signs.append("")
            return self.start + len(self.rows) - 1
        return int(a["cell"])

    def common(self, some: Any) -> str:
        """Return the widest float type among arguments, or "" if there is none."""
        best = ""
        for a in some:
            if a["weak"] is None and a["type"] != "b" and (best == "" or WIDER.find(a["type"]) > WIDER.find(best)):
                best = a["type"]
        return best

    def shape_of(self, token: Any, some: Any) -> Any:
        """Return the common shape of the arguments of a call, each of which has this shape or is a single number."""
        shape: Any = []
        for a in some:
            if self.error == "" and len(a["shape"]) > 0:
                if len(shape) > 0 and ", ".join([str(n) for n in shape]) != ", ".join([str(n) for n in a["shape"]]):
                    sizes = "×".join([str(n) for n in shape]) + " and " + "×".join([str(n) for n in a["shape"]])
                    self.fail(
                        "arrays of " + sizes + " meet here, and the page computes with arrays of one shape", token
                    )
                shape = a["shape"]
        return shape

    def point(self, first: int, last: int) -> None:
        """Mark the integers among some tokens, so that Python reads them as floats."""
        for k in range(first, last):
            if self.tokens[k]["kind"] == "number":
                self.pointed.append(k)

    def python(self) -> str:
        """Return the text for Python, with the names of minigrad's functions."""
        copied, at = "", 0
        for k in range(len(self.tokens)):
            token = self.tokens[k]
            copied += self.text[at : token["at"]]
            word = self.text[token["at"] : token["end"]]
            if token["kind"] == "name" and self.names.get(word) is None:
                copied += "mg."
            copied += word
            if k in self.pointed and "." not in word and "e" not in word and "E" not in word:
                copied += ".0"
            at = token["end"]
        return copied
