"""The templates of the pages, which escape whatever they are filled with, and the words that pages share."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from minigrad.lab.errors import CommandError, missing

SIGNS = {True: "✓", False: "✗", None: "–"}


def filled(template: str, **holes: Any) -> str:
    """A template beside this file, filled. Raises CommandError where Jinja2 is missing."""
    return _templates().get_template(template).render(**holes)


@cache
def _templates() -> Any:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise CommandError(missing("jinja2")) from None
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip


def marks(got: float | None, of: float) -> str:
    """The marks in words.

    >>> marks(2.5, 3.0), marks(None, 3.0)
    ('2.5 of 3', 'not graded (of 3)')
    """
    return f"{got:g} of {of:g}" if got is not None else f"not graded (of {of:g})"


def capital(sentence: str) -> str:
    """The sentence with a capital letter and a full stop; nothing where there is none."""
    return f"{sentence[:1].upper()}{sentence[1:]}." if sentence else ""
