"""Count habits of language that a native reader stumbles over: `python -m tests.words` prints the table.

The habits are patterns in docstrings, messages and guides, and names that do not say what they hold. `test_words` has
a limit for each of them, which may only fall.
"""

import ast
import re
from collections import Counter
from pathlib import Path

from minigrad.classroom import notebook

ROOT = Path(__file__).resolve().parents[1]

#: The packages of the engine, and the guides.
ROOMS = (
    "core", "data", "frameworks", "graphs", "lab", "numpy", "ops", "programs", "runner", "scipy", "tracing",
    "transforms",
)  # fmt: skip
#: The packages around the engine.
AROUND = ("minigrad/bridges", "minigrad/classroom", "minigrad/diagnostics", "minigrad/grading", "viz")
GUIDES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/pages/*.md")
#: The course: the text of the lessons' notebooks, which are generated from these files, and the guides next to them.
COURSE = ("lessons/source/[0-9]*_*_*.py", "lessons/source/17_forward.py", "lessons/*.md")

HABITS = {
    "is no NOUN": r"\b(?:is|are|was|were) no (?!longer|more\b|less\b|one\b)[a-z]",
    "PREPOSITION which": r"\b(?:of|in|at|by|with|from|to|for|on|through|without|into|under|behind) which\b",
    "fronted Of": r"(?:^|[.;:] )[Oo]f (?:a|an|the|what|each|one|several|those|two)\b[^.;:]{0,80}?, ",
    "beside": r"\bbeside\b",
    "alone for only": r"\b(?!stands? |let |leaves? |leave it )\w+ alone\b",
    "in place of": r"\bin place of\b",
    "that of, those of": r"\b(?:that|those) (?:of|which|with|by|from|beside|in)\b",
    "where for if": r"(?:None|\"\"|empty|-1|False|nothing|one|;|,) where\b"
    r"|\bwhere (?:it|there|this|these|they|none|one) (?:is|are|has|was|holds|does)\b",
    "as for because": r", (?:as|since) (?:it|they|he|a|an|the)\b",
    "stands for is": r"\bstands?\b(?! for| in for|-in)",
    "tell, say": r"\b(?:tells?|told|said|says)\b",
    "what as a subject": r"(?:^|[.;:,(] ?|\bof |\band )[Ww]hat (?:is|was|are|were|has|it|a|an|the|they)\b",
    "of its own": r"\bof (?:the (?:user|student|learner|teacher|program)'s(?= ?[.,;:)]| that| who| is| on)"
    r"|mine\b|yours\b|(?:its|their|his|her|your|my|one's) own\b)",
    "turn for iteration": r"\bturns?\b(?! (?:[^ .;:]+ ){1,8}into\b)",
    "births": r"\b(?:births?|born)\b",
}

#: Names of every kind of result; a name says what it holds.
NAMES = (
    "found", "given", "known", "told", "made", "held", "left", "kept", "own", "said", "meant", "begun", "lent",
    "wanted",
)  # fmt: skip


def files(*rooms: str) -> list[Path]:
    return [path for room in rooms for path in sorted((ROOT / room).rglob("*.py"))]


def texts(path: Path) -> list[str]:
    """The docstrings of a file, and its messages of four words or more, with X for what is filled in."""
    nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    documented = [
        n for n in nodes if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(n)
    ]
    joined = [n for n in nodes if isinstance(n, ast.JoinedStr)]
    parts = {id(n.body[0].value) for n in documented} | {id(part) for n in joined for part in n.values}
    plain = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in parts]
    filled = ["".join(v.value if isinstance(v, ast.Constant) else "X" for v in n.values) for n in joined]
    return [ast.get_docstring(n) or "" for n in documented] + [t for t in plain + filled if len(t.split()) > 3]


def guide(path: Path) -> str:
    """The text of a guide without its code, or of the text cells of a notebook."""
    if path.suffix == ".py":
        return "\n".join(cell.source for cell in notebook.read(path).cells if cell.cell_type == "markdown")
    return re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def habits(folders: tuple[str, ...] = (), guides: tuple[str, ...] = ()) -> dict[str, int]:
    """How often each habit occurs in some folders and guides; in the engine and the guides by default."""
    if not folders and not guides:
        folders, guides = tuple(f"minigrad/{room}" for room in ROOMS), GUIDES
    passages = [text for path in files(*folders) for text in texts(path)]
    passages += [guide(path) for pattern in guides for path in sorted(ROOT.glob(pattern))]
    lines = [" ".join(text.split()) for text in passages]
    return {name: sum(len(re.findall(pattern, line)) for line in lines) for name, pattern in HABITS.items()}


def names(*rooms: str) -> Counter[str]:
    """How often each of NAMES occurs in the code of some folders: as a variable, attribute, parameter or definition.

    The syntax tree is counted, not the tokens: those of an f-string are one string before Python 3.12.
    """
    fields = ("id", "attr", "arg", "name", "asname")
    nodes = (node for path in files(*rooms) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    count = Counter(value for node in nodes for field in fields if isinstance(value := getattr(node, field, None), str))
    return Counter({name: count[name] for name in NAMES})


if __name__ == "__main__":
    around, course = habits(AROUND), habits(guides=COURSE)
    for name, count in habits().items():
        print(f"{name:20}{count:6}{around[name]:6}{course[name]:6}")
    for name, count in names("minigrad", "viz").items():
        print(f"{name:20}{count:6}")
