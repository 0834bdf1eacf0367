"""The guides for teachers and authors, the benchmarks, and the changelog: files of the project as pages of the site."""

from __future__ import annotations

import re
from pathlib import Path

from .text import Pages, by_name, relinked, title_of, toctree

ROOT = Path(__file__).parent.parent

#: Path of the page -> file of the project, in the order of the margin.
GUIDES = {
    "guides/TEACHING.md": "lessons/TEACHING.md",
    "guides/GRADING.md": "lessons/GRADING.md",
    "guides/AUTHORING.md": "lessons/AUTHORING.md",
    "guides/HUB.md": "lessons/HUB.md",
    "guides/FIND_THE_NAN.md": "lessons/FIND_THE_NAN.md",
    "guides/VIEWS.md": "docs/views.md",
    "guides/DIFFERENCES.md": "docs/differences.md",
}
PROJECT = {
    "project/benchmarks.md": "benchmarks/README.md",
    "project/changelog.md": "CHANGELOG.md",
    "project/contributing.md": "CONTRIBUTING.md",
    "project/decisions.md": "docs/decisions.md",
    "project/maintaining.md": "docs/maintaining.md",
}
WORDS = {
    "TEACHING": "the course by the hour, what to expect in each lesson, and weights for marks",
    "GRADING": "from a folder of notebooks to marks and feedback, on your own computer",
    "AUTHORING": "your own lessons and assignments, with every method of the checks",
    "HUB": "the course on JupyterHub",
    "FIND_THE_NAN": "the first nan of a program in PyTorch, JAX, TensorFlow or minigrad",
    "VIEWS": "every picture, by the line that makes it",
    "DIFFERENCES": "where minigrad gives another number than a framework, and why",
}
#: Where links in these files lead, by the last part of their target.
TARGETS = {Path(file).name: f"/{page}" for page, file in {**GUIDES, **PROJECT}.items() if "README" not in file}
TARGETS |= {path.name: f"/lessons/{path.name}" for path in (ROOT / "lessons").glob("*.ipynb")}


def _title(name: str) -> str:
    """Return the heading of the page made from a file of this name; for any other file, its name."""
    files = [file for file in [*GUIDES.values(), *PROJECT.values()] if Path(file).name == name]
    return title_of((ROOT / files[0]).read_text(encoding="utf-8")) if files else name


def pages() -> Pages:
    """Return a page for each file, and the pictures of that page."""
    found: Pages = {}
    for page, file in {**GUIDES, **PROJECT}.items():
        text = (ROOT / file).read_text(encoding="utf-8")
        titled = re.sub(r"\[(\w+\.md)\]", lambda match: f"[{_title(match[1])}]", text)
        found[page] = re.sub(r"^<!-- .*-->$", "", relinked(titled, by_name(TARGETS)), flags=re.MULTILINE)
        for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
            found[str(Path(page).parent / picture)] = (ROOT / file).parent.joinpath(picture).read_bytes()
    names = [Path(page).stem for page in GUIDES]
    lines = [f"- [{name.replace('_', ' ').capitalize()}]({name}.md): {WORDS[name]}" for name in names]
    found["guides/index.md"] = "\n\n".join(["# Guides", "\n".join(lines), toctree(names)])
    found["project/index.md"] = "\n\n".join(
        [
            "# The project",
            "- [Benchmarks](benchmarks.md): times and memory, each with the command that measures it\n"
            "- [Changelog](changelog.md)\n- [Contributing](contributing.md): the map of the code\n"
            "- [Decisions](decisions.md): why it is built as it is\n"
            "- [For maintainers](maintaining.md): releases, what is public, which Pythons\n"
            "- [What is tested on the site, and what is not](hosting.md)",
            toctree([*(Path(page).stem for page in PROJECT), "hosting"]),
        ]
    )
    return found
