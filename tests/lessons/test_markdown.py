"""The text of the lessons in two other readers of Markdown, as on the site and in nbconvert: the same blocks."""

import re

import mistune
import nbformat
import pytest
from markdown_it import MarkdownIt

from minigrad.classroom.notebook import read
from minigrad.classroom.release import sources

READERS = {"markdown-it": MarkdownIt("commonmark").enable("table").render, "mistune": mistune.html}
BLOCKS = re.compile(r"<(h[1-6]|p|ul|ol|li|blockquote|pre|hr|table)\b")
FORMULA = re.compile(r"(?<!\\)\$\$.+?\$\$|(?<![\\$])\$(?!\$)[^$\n]+(?:\n[^$\n]+)?\$", re.DOTALL)
CODE = re.compile(r"```.*?```|`[^`\n]*`|<code>.*?</code>", re.DOTALL)
HEADING, ITEM = re.compile(r"^#{1,6} ", re.MULTILINE), re.compile(r"^ *(?:[-*+]|\d+[.)]) ", re.MULTILINE)


def troubles(text):
    """Text that another renderer would show in a way that its author did not mean."""
    found = []
    bare = CODE.sub("code", text)
    if "$" in FORMULA.sub("", bare):
        found.append("a stray $")
    if re.search(r"^(?!\s*$)(?! *(?:[-*+]|\d+[.)]) |  ).+\n(?:[-*+]|\d+[.)]) ", bare, re.MULTILINE):
        found.append("a list begins in the middle of a paragraph")
    for name, html in READERS.items():
        blocks = BLOCKS.findall(html(text))
        if blocks != BLOCKS.findall(html(FORMULA.sub("formula", text))):
            found.append(f"{name}: a formula is taken for something else")
        if sum(block[0] == "h" and block != "hr" for block in blocks) != len(HEADING.findall(bare)):
            found.append(f"{name}: other headings")
        if blocks.count("li") != len(ITEM.findall(bare)):
            found.append(f"{name}: other lists")
    return found


@pytest.mark.parametrize(
    "text, trouble",
    [
        ("$$y\n=\nx$$", "markdown-it: a formula is taken for something else"),
        ("$$y\n= x\n- z$$", "mistune: a formula is taken for something else"),
        ("A price of $5, and $x$.", "a stray $"),
        ("Two ways:\n- one", "a list begins in the middle of a paragraph"),
        ("A text\n---", "mistune: other headings"),
    ],
)
def test_what_breaks_elsewhere_is_found(text, trouble):
    assert trouble in troubles(text)


@pytest.mark.parametrize("text", ["# A\n\nb $x$ `$y`\n\n- c\n- d", "$$y = x$$", "> a\n\n1. b\n2. c"])
def test_and_plain_text_is_not(text):
    assert troubles(text) == []


@pytest.mark.parametrize("source", sources(), ids=lambda source: source.name[:2])
def test_every_text_of_a_lesson_is_read_alike_everywhere(source):
    released = nbformat.read(source.parents[1] / f"{source.stem}.ipynb", as_version=4)
    cells = [cell.source for cell in (*read(source).cells, *released.cells) if cell.cell_type == "markdown"]
    assert cells
    assert {cell[:60]: troubles(cell) for cell in cells if troubles(cell)} == {}
