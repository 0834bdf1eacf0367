"""The vocabulary of a rule's language: functions, operators and keywords, with their names on a tape.

This file is translated to static/rule.js.
"""

from __future__ import annotations

#: The number of arguments of each function.
TAKES = {
    "exp": 1, "log": 1, "sqrt": 1, "tanh": 1, "sigmoid": 1, "sin": 1, "cos": 1, "abs": 1, "sign": 1, "maximum": 2,
    "minimum": 2, "where": 3,
}  # fmt: skip
NAMED = {"maximum": "max", "minimum": "min"}  #: function -> its name on a tape, if it differs
OPERATES = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq",
    "!=": "ne",
}  # fmt: skip
LEVELS = (("+", "-"), ("*", "/"))  #: operators, from the lowest to the highest precedence
KEYWORDS = ("and", "or", "not", "if", "else", "lambda", "return", "for", "in", "is")
WIDER = "efd"  #: the types of floats, from half to double
COMPARES = ("<", "<=", ">", ">=", "==", "!=")
#: The initial fields of a value.
PLAIN = {"cell": -1, "type": "", "shape": [], "weak": None, "first": 0}
