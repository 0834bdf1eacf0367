"""The JavaScript of a player in few characters: without comments and spaces, and with short names for its variables.

It reads the JavaScript of `viz/static`, not all of it: semicolons end statements, `:` follows the keys of objects and
the first half of a choice only, and a template string stands inside of no other.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import product
from typing import NamedTuple

TOKEN = re.compile(
    r"""(?P<pattern>(?<=[(,=:?&|!>])\s*/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)
    |(?P<skip>\s+|//[^\n]*)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<number>0x[\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)
    |(?P<sign>\.\.\.|\?\.(?!\d)|=>|\+\+|--|&&|\|\||\?\?|.)""",
    re.VERBOSE,
)
HOLE = re.compile(r"(\$\{(?:[^{}]|\{[^{}]*\})*\})")  #: in a template string
WORDS = re.compile(r"[\w$]\0[\w$]")

#: Words of the language, which name no variable.
KEPT = frozenset(
    re.findall(
        r"\w+",
        """arguments break catch const continue default delete do else export false finally for function if in
        instanceof let new null of return switch this throw true try typeof undefined var void while""",
    )
)
#: What stands before a brace that begins no block.
OBJECT_AFTER = frozenset(("(", ",", "=", ":", "[", "?", "??", "||", "&&", "...", "return", "const", "let"))
LETTERS = "etnrisaouclhdmpfgvybwxkjqETNRISAOUCLHDMPFGVYBWXKJQ"


class Token(NamedTuple):
    """A piece of code. The kind `name` is a variable, `both` one that is the name of a property as well.

    depth : how many brackets are around it.
    """

    kind: str
    text: str
    depth: int


class Scope(NamedTuple):
    """Where a variable is known: between which tokens, and at which it stands or would hide another of its name."""

    begin: int
    end: int
    at: list[int]

    def meets(self, other: Scope) -> bool:
        """Whether the two variables need different names."""
        if self.end < other.begin or other.end < self.begin:
            return False
        inner, outer = (self, other) if self.end - self.begin < other.end - other.begin else (other, self)
        next_ = bisect_left(outer.at, inner.begin)
        return next_ < len(outer.at) and outer.at[next_] <= inner.end


def minified(code: str) -> str:
    """The code with short names for its variables; the names of properties stay as they are.

    >>> minified("const wide = (box) => { const { left, right: end } = box; return end - left; };  // in pixels")
    'const e=e=>{const{left:t,right:n}=e;return n-t};'
    """
    tokens = [*_tokens(code)]
    ends = _ends(tokens)
    own = set(_declared(tokens, ends))  # all others are names of the browser
    tokens = [t if t.kind not in ("name", "both") or t.text in own else t._replace(kind="word") for t in tokens]
    shared = Counter(t.text for t in tokens if t.kind in ("name", "both") and not t.depth)
    every = Counter(t.text for t in tokens if t.text in shared)
    short = dict(zip(sorted(shared, key=lambda name: -every[name]), _words(())))
    names = {i: short[t.text] for i, t in enumerate(tokens) if t.kind in ("name", "both") and t.text in short}
    starts = [i for i, t in enumerate(tokens) if not t.depth and t.text in ("const", "let", "function", "for", "class")]
    for begin, end in zip([0, *starts], [*starts, len(tokens)]):
        _name(_scopes(tokens, ends, begin, end, short), names)
    for i, name in names.items():
        kind, text, depth = tokens[i]
        if kind in ("name", "both"):
            tokens[i] = Token(kind, name if kind == "name" or text == name else f"{text}:{name}", depth)
    return _joined(tokens)


def _words(taken: Collection[str]) -> Iterator[str]:
    words = ("".join(word) for n in (1, 2) for word in product(LETTERS, repeat=n))
    return (word for word in words if word not in KEPT and word not in taken)


def _tokens(code: str, depth: int = 0) -> Iterator[Token]:
    found = [(m.lastgroup or "", m.group().strip()) for m in TOKEN.finditer(code) if m.lastgroup != "skip"]
    around, before, earlier = [""], "", ""
    for (kind, text), (_, after) in zip(found, [*found[1:], ("", "")]):
        if text in ("(", "[", "{"):
            yield Token(kind, text, depth + len(around) - 1)
            block = "object" if text == "{" and before in OBJECT_AFTER else text
            around.append("class" if earlier == "class" else block)
        elif text in (")", "]", "}"):
            around.pop()
            yield Token(kind, text, depth + len(around) - 1)
        elif text[0] == "`":
            for i, part in enumerate(HOLE.split(text)):
                here = depth + len(around) - 1
                inner = _tokens(part[2:-1], here + 1) if i % 2 else ()
                ends = [Token("part", "${", here), *inner, Token("part", "}", here)]
                yield from ends if i % 2 else [Token("part", part, here)]
        else:
            yield Token(
                _kind(text, before, after, around[-1]) if kind == "name" else kind, text, depth + len(around) - 1
            )
        before, earlier = text, before


def _kind(name: str, before: str, after: str, around: str) -> str:
    key = (around == "object" and before in ("{", ",")) or (around == "class" and before in ("{", "}"))
    if name in KEPT or before in (".", "?.") or (key and after in (":", "(")):
        return "word"
    return "both" if key and after in (",", "}", "=") else "name"


def _ends(tokens: list[Token]) -> dict[int, int]:
    """By the number of a bracket that of the one which closes it, and the other way round."""
    found, open_ = {}, []
    for i, (kind, text, _) in enumerate(tokens):
        if text in ("(", "[", "{", "${") and (kind == "part") == (text == "${"):
            open_.append(i)
        elif text in (")", "]", "}") and (kind != "part" or text == "}"):
            found[i] = open_.pop()
            found[found[i]] = i
    return found


def _scopes(tokens: list[Token], ends: dict[int, int], begin: int, end: int, shared: Collection[str]) -> list[Scope]:
    """One for each variable of a statement. Those of one name that are no arguments count as one."""
    at: dict[str, list[int]] = {}
    for i in range(begin, end):
        if tokens[i].kind in ("name", "both") and tokens[i].text not in shared:
            at.setdefault(tokens[i].text, []).append(i)
    found = []
    for first, body, last, names in sorted(_functions(tokens, ends, begin, end), key=lambda f: f[2] - f[0]):
        for name in sorted(names & at.keys()):
            uses = [i for i in at[name] if first <= i <= last]
            at[name] = [i for i in at[name] if not first <= i <= last]
            block = [body] if tokens[body].text == "{" else []
            found.append(Scope(first, last, sorted(uses + block)))
    for uses in at.values():  # the variable of a loop is one in its body, used there or not
        loops = [ends[i - 2] + 1 for i in uses if tokens[i - 2].text == "(" and tokens[i - 3].text == "for"]
        uses += [body for body in loops if tokens[body].text == "{"]
    return found + [Scope(*_around(tokens, sorted(uses), begin, end), sorted(uses)) for uses in at.values() if uses]


def _functions(
    tokens: list[Token], ends: dict[int, int], begin: int, end: int
) -> Iterator[tuple[int, int, int, set[str]]]:
    """The first token of each function, that of its body, the last one, and the names of its arguments."""
    for i in range(begin, end):
        if tokens[i].text == "=>":
            first = ends.get(i - 1, i - 1)
            yield first, i + 1, _end(tokens, ends, i + 1), set(_arguments(tokens[first:i]))
        elif tokens[i].text == "(" and tokens[i - 1].kind in ("name", "word") and tokens[i - 1].text not in KEPT:
            body = ends[i] + 1
            if body in ends and tokens[body].text == "{":
                yield i, body, ends[body], set(_arguments(tokens[i : body - 1]))


def _declared(tokens: list[Token], ends: dict[int, int]) -> Iterator[str]:
    """The names of all variables of the code."""
    for *_, names in _functions(tokens, ends, 0, len(tokens)):
        yield from names
    for i, (_, text, depth) in enumerate(tokens):
        if text in ("function", "class") or (text == "catch" and tokens[i + 1].text == "("):
            yield tokens[i + 1 + (text == "catch")].text
        at = i + 1
        while text in ("const", "let") and at > i:
            close = ends.get(at, at)
            yield from _arguments(tokens[at : close + 1])
            at = close + 1
            while at < len(tokens) and tokens[at].depth >= depth and tokens[at].text not in (",", ";"):
                at = ends.get(at, at) + 1
            at = at + 1 if at < len(tokens) and tokens[at].text == "," and tokens[at].depth == depth else 0


def _arguments(tokens: list[Token]) -> Iterator[str]:
    """The names that are declared; those in the value that one has where it is left out are not."""
    value = -1
    for kind, text, depth in tokens:
        if depth <= value and text in (",", "}", "]"):
            value = -1
        if value < 0 and kind in ("name", "both"):
            yield text
        if value < 0 and text == "=":
            value = depth


def _end(tokens: list[Token], ends: dict[int, int], begin: int) -> int:
    """The last token of the body of an arrow function: a block or an expression."""
    if tokens[begin].text == "{":
        return ends[begin]
    depth, choices, i = tokens[begin].depth, 0, begin
    while i < len(tokens) and tokens[i].depth >= depth:
        choices += (tokens[i].text == "?") - (tokens[i].text == ":")
        if choices < 0 or tokens[i].text in (",", ";"):
            break
        i = ends.get(i, i) + 1
    return i - 1


def _around(tokens: list[Token], uses: list[int], begin: int, end: int) -> tuple[int, int]:
    """The brackets that hold all uses of a variable."""
    depth = min(t.depth for t in tokens[uses[0] : uses[-1] + 1])
    first = next((i for i in range(uses[0], begin, -1) if tokens[i].depth < depth), begin)
    return first, next((i for i in range(uses[-1], end) if tokens[i].depth < depth), end)


def _name(scopes: list[Scope], names: dict[int, str]) -> None:
    """Add to `names` the short name of each token that is one of the variables."""
    done: list[tuple[Scope, str]] = []
    shared = dict(names)
    for scope in sorted(scopes, key=lambda scope: -len(scope.at)):
        taken = {shared[i] for i in range(scope.begin, scope.end + 1) if i in shared}
        name = next(_words(taken | {other for it, other in done if scope.meets(it)}))
        done.append((scope, name))
        names.update(dict.fromkeys(scope.at, name))


def _joined(tokens: Iterable[Token]) -> str:
    """The tokens side by side, without signs before what ends anyway, and with a space where two words meet."""
    code: list[str] = []
    for kind, text, _ in tokens:
        if kind == "text" and text[0] == '"' and "'" not in text:
            text = f"'{text[1:-1]}'"  # JSON has a backslash before each double quote
        if text == "=>" and code[-1] == ")" and code[-3] == "(" and code[-2] != "(":
            code[-3:] = [" " * bool(WORDS.search(f"{code[-4] if code[3:] else ''}\0{code[-2]}")), code[-2]]
        before = code[-1] if code else ""
        if (text == "}" and kind != "part" and before == ";") or (text in ("}", "]", ")") and before == ","):
            code.pop()
        elif kind != "part" and (before + text in ("++", "--", "+++", "---") or WORDS.search(f"{before}\0{text}")):
            code.append(" ")
        code.append(text)
    return "".join(code)
