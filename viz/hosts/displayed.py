"""Display a widget together with its saved form, for a notebook that is opened without a kernel."""

from __future__ import annotations

from typing import Any


def display_both(widget: Any, options: dict[str, Any], words: str, mark: str, html: str, text: str) -> None:
    """Display a widget, and below it its saved form, which a working widget hides by the `mark`.

    words : the text that is shown if no kernel runs. html, text : the saved form.
    """
    from IPython.display import display

    live: Any = widget._repr_mimebundle_(**options)
    live = live[0] if isinstance(live, tuple) else live
    live = {kind: form for kind, form in live.items() if kind.startswith("application/")}
    display({**live, "text/plain": words}, raw=True)
    display({"text/html": f'<div data-saved="{mark}">{html}</div>', "text/plain": text}, raw=True)
