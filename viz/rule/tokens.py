"""The words, numbers and signs of a rule. This file is translated to static/rule.js."""

from __future__ import annotations

from typing import Any

PAIRS = ("**", "<=", ">=", "==", "!=", "//")
#: A sign that the language lacks -> what to write instead.
INSTEAD = {
    "^": "a power is **", "=": "a comparison is ==, and the rule itself needs no =", "·": "a product is *",
    "×": "a product is *", "−": "a minus is -", "÷": "a quotient is /", "[": "one entry cannot be taken here",
    ":": "a rule is one expression, without a colon", "²": "a square is ** 2",
    ".": "a point stands in a number or after mg",
}  # fmt: skip
DIGITS = "0123456789"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"


class Tokens:
    """The tokens of a rule's text, in `all`. `error` describes the first part that is not in the language.

    `place` is the position of that part in the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.all: list[Any] = []
        self.error = ""
        self.place = 0
        self.split_up()

    def fail(self, words: str, at: int) -> None:
        if self.error == "":
            self.error = words
            self.place = at

    def split_up(self) -> None:
        text, i = self.text + " ", 0
        while i < len(self.text):
            char, start = text[i], i
            if char == " " or char == "\n" or char == "\t":
                i += 1
                continue
            if char in DIGITS or (char == "." and text[i + 1] in DIGITS):
                i = self.number_end(text, i)
                self.token("number", text[start:i], start, i)
                if text[i] == "_":
                    self.fail("write a number without _", i)
            elif char in LETTERS:
                while text[i] in LETTERS or text[i] in DIGITS:
                    i += 1
                word = text[start:i]
                if text[i] == "." and (word == "mg" or word == "np"):
                    numpy = word == "np"
                    i += 1
                    begin = i
                    while text[i] in LETTERS or text[i] in DIGITS:
                        i += 1
                    word = text[begin:i]
                    if numpy:
                        self.fail("write mg." + word + ", or " + word + " alone, not np." + word, start)
                    self.token("mg", word, start, i)
                else:
                    self.token("name", word, start, i)
            else:
                pair = text[start : start + 2]
                i += 2 if pair in PAIRS else 1
                sign = text[start:i]
                if sign == "//":
                    self.fail("a quotient is /", start)
                elif sign not in "+-*/()<>," and sign not in PAIRS:
                    self.fail(INSTEAD.get(sign, sign + " is not a sign of a rule"), start)
                self.token("sign", sign, start, i)
            if self.error != "":
                return
        self.token("end", "", len(self.text), len(self.text))

    def token(self, kind: str, text: str, at: int, end: int) -> None:
        self.all.append({"kind": kind, "text": text, "at": at, "end": end})

    def number_end(self, text: str, begin: int) -> int:
        i = begin
        while text[i] in DIGITS:
            i += 1
        if text[i] == ".":
            i += 1
            while text[i] in DIGITS:
                i += 1
        if text[i] == "e" or text[i] == "E":
            k = i + 1
            if text[k] == "+" or text[k] == "-":
                k += 1
            if k < len(text) and text[k] in DIGITS:
                i = k
                while text[i] in DIGITS:
                    i += 1
        return i
