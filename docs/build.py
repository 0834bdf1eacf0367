"""Put all pages into a folder and run Sphinx on it. A warning ends the build."""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

import minigrad

from . import api, catalogue, errors, gallery, guides, handbook, lessons
from .text import Pages

HERE = Path(__file__).parent
ROOT = HERE.parent

SETTINGS: dict[str, Any] = {
    "project": "minigrad",
    "version": minigrad.__version__,
    "release": minigrad.__version__,
    "language": "en",
    "extensions": ["myst_nb", "sphinx_copybutton", "docs.mathml"],
    "html_theme": "furo",
    "html_title": f"minigrad {minigrad.__version__}",
    "html_static_path": ["_static"],
    "html_css_files": ["site.css"],
    "html_favicon": "_static/icon.svg",
    "html_copy_source": False,
    "html_show_sphinx": False,
    "html_show_copyright": False,
    "html_js_files": ["site.js"],
    "html_math_renderer": "mathml",
    "nb_execution_mode": "off",  # the saved outputs are tested elsewhere
    "nb_render_markdown_format": "myst",
    "nb_code_prompt_show": "Predict first, then show {type}",
    "nb_code_prompt_hide": "Hide {type}",
    "myst_enable_extensions": ["dollarmath", "deflist"],
    "myst_heading_anchors": 3,
    "copybutton_prompt_text": r">>> |\.\.\. |\$ ",
    "copybutton_prompt_is_regexp": True,
    "toc_object_entries": False,
}


class NotBuilt(Exception):
    """The site was not built; the message has the reason."""


def written(course: bool = False) -> Pages:
    """Return every page of the site by its path: from `pages/`, and generated ones."""
    pages: Pages = {p.relative_to(HERE / "pages").as_posix(): p.read_bytes() for p in (HERE / "pages").rglob("*.*")}
    for part in (guides.pages(), handbook.pages(), api.pages(), errors.pages(), gallery.pages(), catalogue.pages()):
        pages.update(part)
    pages.update(lessons.pages(course))
    button = (HERE / "course_button.md").read_bytes() if course else b""
    index = pages["index.md"]
    assert isinstance(index, bytes)
    pages["index.md"] = index.replace(b"<!-- course -->\n", button)
    return pages


def build(out: Path, course: bool = False) -> int:
    """Write the site into `out` and return the number of its pages.

    course : whether the lessons link to `course/`, the folder of `docs.browser` for the course in a browser.

    Raises NotBuilt if Sphinx warns, or if `out` holds something that is not a site.
    """
    try:
        from sphinx.application import Sphinx
        from sphinx.errors import SphinxError
    except ImportError:
        raise NotBuilt('the site needs Sphinx: python -m pip install -e ".[docs]"') from None
    if out.exists() and any(out.iterdir()) and not (out / "searchindex.js").is_file():
        raise NotBuilt(f"{out} holds something that is not this site; name a new folder, or an empty one")
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="minigrad-site-") as folder:
        source, doctrees = Path(folder, "source"), Path(folder, "doctrees")
        for path, page in written(course).items():
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            (source / path).write_bytes(page if isinstance(page, bytes) else page.encode())
        try:
            said = io.StringIO()
            app = Sphinx(source, None, out, doctrees, "html", SETTINGS, status=None, warning=said, warningiserror=True)
            app.build(force_all=True)
        except SphinxError as error:
            raise NotBuilt(f"the site was not built: {error}") from error
        if app.statuscode:
            raise NotBuilt(f"the site was not built:\n{said.getvalue()}")
        return len(app.project.docnames)
