"""`python -m docs OUT`: write the site into the folder OUT."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .build import NotBuilt, build


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m docs", description="Write the site of minigrad into a folder.")
    parser.add_argument("out", type=Path, help="the folder; the files of an earlier run are replaced")
    parser.add_argument("--browser", action="store_true", help="and the course that runs in a browser, in OUT/course")
    parser.add_argument("--packages", type=Path, help="wheels for Pyodide: see python -m docs.browser --help")
    given = parser.parse_args(arguments)
    try:
        if given.browser:
            from . import browser

            browser.require()
        pages = build(given.out, course=given.browser)
        if given.browser:
            browser.build(given.out / "course", given.packages)
    except NotBuilt as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{pages} pages: open {given.out / 'index.html'}")
    if given.browser:
        print(f"the course needs a web server: python -m http.server -d {given.out}, then http://localhost:8000")
    return 0


if __name__ == "__main__":
    sys.exit(main())
