"""Page templates, which escape everything that is filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .errors import CommandError, missing


def templates(folder: Path) -> Any:
    """Return the Jinja2 environment for the templates in `folder`. Raises CommandError if Jinja2 is missing."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise CommandError(missing("jinja2")) from None
    return Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
