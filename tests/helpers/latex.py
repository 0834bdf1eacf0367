"""The value of a formula in LaTeX, for formulas of numbers as the ops show them.

>>> evaluate(r"\frac{1}{1 + e^{-a}}", a=0.0)
0.5
"""

import math
import re

import numpy as np
from scipy import special

TOKEN = re.compile(r"\\[a-zA-Z]+|\\[,; _]|\d+(?:\.\d+)?|[a-zA-Z]|\S")

FUNCTIONS = {
    "\\log": np.log, "\\sin": np.sin, "\\cos": np.cos, "\\tan": np.tan, "\\arcsin": np.arcsin,
    "\\arccos": np.arccos, "\\arctan": np.arctan, "\\sinh": np.sinh, "\\cosh": np.cosh, "\\tanh": np.tanh,
    "\\max": max, "\\min": min, "\\Gamma": special.gamma, "arsinh": np.arcsinh, "arcosh": np.arccosh,
    "artanh": np.arctanh, "atan2": np.arctan2, "sign": np.sign, "trunc": np.trunc,
}  # fmt: skip


def evaluate(formula, **letters):
    """The number that `formula` stands for where its letters have these values."""
    reader = _Reader(TOKEN.findall(formula), letters)
    value = reader.choice()
    assert not reader.tokens, f"{formula}: left over from {' '.join(reader.tokens)}"
    return value


class _Reader:
    """Recursive descent: a choice is made of sums, a sum of products, a product of powers, a power of atoms."""

    def __init__(self, tokens, letters):
        self.tokens, self.letters = tokens, letters

    def next(self):
        return self.tokens[0] if self.tokens else ""

    def take(self, expected=None):
        token = self.tokens.pop(0)
        assert expected in (None, token), f"{expected} expected, got {token}"
        return token

    def words(self, text):
        """Whether `\\text{ text }` comes next; it is taken if so."""
        spelled = ["\\text", "{", *text, "}"]
        if self.tokens[: len(spelled)] != spelled:
            return False
        del self.tokens[: len(spelled)]
        return True

    def choice(self):
        value = self.sum()
        if not self.words("where"):
            return value
        condition = self.sum()
        if self.next() in ("<", ">"):
            condition = condition < self.sum() if self.take() == "<" else condition > self.sum()
        assert self.words("else")
        other = self.sum()
        return value if condition else other

    def sum(self):
        sign = {"-": -1.0, "+": 1.0}.get(self.next(), 0)
        if sign:
            self.take()
        value = (sign or 1.0) * self.product()
        while self.next() in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self):
        value = self.power()
        while True:
            if self.next() == "\\bmod":
                self.take()
                value = np.mod(value, self.power())
            elif self.next() == "/":
                self.take()
                value = value / self.power()
            elif self.next() in ("", ")", "}", "+", "-", ",", "<", ">", "|", "]") or self.tokens[:2] == ["\\text", "{"]:
                return value
            else:
                value = value * self.power()

    def power(self):
        value = self.atom()
        if self.next() == "^":
            self.take()
            value = value ** self.argument()
        return value

    def argument(self):
        """The operand of ^ or _: a group in braces, or one token."""
        return self.group("{", "}") if self.next() == "{" else self.atom()

    def group(self, opening, closing):
        self.take(opening)
        value = self.choice()
        self.take(closing)
        return value

    def operands(self):
        """What a function is given: `(a, b)`, or the product that follows its name."""
        if self.next() != "(":
            return [self.product()]
        self.take("(")
        found = [self.choice()]
        while self.next() == ",":
            self.take()
            found.append(self.choice())
        self.take(")")
        return found

    def atom(self):
        token = self.next()
        if token in ("(", "{"):
            return self.group(token, {"(": ")", "{": "}"}[token])
        if token == "|":
            return abs(self.group("|", "|"))
        self.take()
        if token == "\\frac":
            return self.argument() / self.argument()
        if token == "\\sqrt":
            root = self.group("[", "]") if self.next() == "[" else 2.0
            inside = self.argument()
            return math.copysign(abs(inside) ** (1 / root), inside) if root % 2 else np.sqrt(inside)
        if token == "\\operatorname":
            self.take("{")
            token = ""
            while self.next() != "}":
                token += self.take().lstrip("\\")
            self.take("}")
        if token in FUNCTIONS:
            base = None
            if self.next() == "_":
                self.take()
                base = self.argument()
            value = FUNCTIONS[token](*self.operands())
            return value if base is None else value / np.log(base)
        if token == "\\pi":
            return math.pi
        if token == "e":
            return math.e
        return float(token) if token[0].isdigit() else self.letters[token.lstrip("\\")]
