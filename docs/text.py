"""Text as Markdown for Sphinx: docstrings, code, links, and the pages by path."""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Callable, Iterable, Mapping

#: The pages of a part: path in the site's source -> text, or bytes of a picture.
Pages = dict[str, "str | bytes"]

#: A line of a docstring that describes one or more names: `xs, ys : what they are`.
_FIELD = re.compile(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*) : (.*)")
_SECOND = re.compile(r"(?<=\.) (\w+ : )")
_SECTION = re.compile(r"(\w[\w ]*)\n-+\n?")


def escape(text: str) -> str:
    """`text` with the special characters of Markdown and HTML escaped outside of `code`."""
    parts = re.split(r"(`[^`]+`)", text)
    parts[::2] = [re.sub(r"([\\*_\[\]<>$|#])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def docstring(text: str | None) -> str:
    """Return a docstring as Markdown: paragraphs, lists of names, examples."""
    blocks = [_block(block) for block in re.split(r"\n\s*\n", inspect.cleandoc(text or "")) if block.strip()]
    return "\n\n".join(blocks)


def _block(block: str) -> str:
    if block.lstrip().startswith(">>>"):
        return fenced(inspect.cleandoc(block), "pycon")
    if block.startswith("Formula: "):
        return f"Formula: ${block.removeprefix('Formula: ').strip()}$"
    section = _SECTION.match(inspect.cleandoc(block))
    if section:
        return "\n\n".join(filter(None, [f"**{section[1]}**", _block(inspect.cleandoc(block)[section.end() :])]))
    lines, items, before = _SECOND.sub(r"\n\1", inspect.cleandoc(block)).split("\n"), [], []
    for line in lines:
        field = _FIELD.match(line)
        if field:
            items.append(f"- **{escape(field[1])}**: {escape(field[2])}")
        elif items and ">>>" not in line:
            items[-1] += f" {escape(line.strip())}"
        else:
            before.append(escape(line.strip()))
    head, _, example = "\n".join(before).partition("\\>\\>\\>")
    if example:  # an example that follows its sentence without an empty line
        first = next(n for n, line in enumerate(lines) if line.lstrip().startswith(">>>"))
        head = "\n".join(map(escape, lines[:first])) + "\n\n" + fenced("\n".join(lines[first:]), "pycon")
    return "\n".join(filter(None, [head.strip(), "\n".join(items)]))


def fenced(code: str, language: str = "python") -> str:
    """Return a block of code, fenced by more backticks than it has in a row."""
    longest = max(map(len, re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code.rstrip()}\n{fence}"


def directive(name: str, argument: str, body: str, **options: str) -> str:
    """Return a block for Sphinx; its fence has more backticks than any inside."""
    longest = max(map(len, re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = [f":{key}: {value}".rstrip() for key, value in options.items()]
    return "\n".join([f"{fence}{{{name}}} {argument}", *lines, "", body.strip(), fence])


def toctree(names: Iterable[str], caption: str = "") -> str:
    """Return the table of the pages below this one, in the margin of the site."""
    return directive("toctree", "", "\n".join(names), **({"caption": caption} if caption else {}), hidden="")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table; the cells are Markdown already."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("\n", " ") for cell in line) + " |" for line in lines)


def html_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of numbers as HTML on one line, for the side of a picture."""
    line = lambda cells, kind: "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in cells) + "</tr>"
    return f'<table class="numbers">{line(head, "th")}{"".join(line(row, "td") for row in rows)}</table>'


def code(text: str) -> str:
    """`text` as code within a line, also in a cell of a table."""
    return (
        f'<code class="literal">{html.escape(text).replace("|", "&#124;").replace("$", "&#36;")}</code>' if text else ""
    )


#: A link of Markdown: its words and its target.
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")


def relinked(text: str, target_of: Callable[[str], str | None]) -> str:
    """Return Markdown with each link changed to `target_of(target)`; if that is None, only the words stay."""

    def link(match: re.Match[str]) -> str:
        target = target_of(match[2])
        return match[1] if target is None else f"[{match[1]}]({target})"

    return _LINK.sub(link, text)


def title_of(page: str | bytes) -> str:
    """Return the first heading of a page of Markdown."""
    text = page.decode() if isinstance(page, bytes) else page
    return text.partition("\n")[0].lstrip("# ")


def by_name(table: Mapping[str, str]) -> Callable[[str], str | None]:
    """Targets of links by the last part of their path; web addresses stay as they are."""
    return lambda target: target if "://" in target or target[0] == "#" else table.get(target.rpartition("/")[2])
