"""`python -m docs OUT`: write the site into the folder OUT."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .build import NotBuilt, build


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m docs", description="Write the site of minigrad into a folder.")
    parser.add_argument("out", type=Path, help="the folder; what an earlier run left there is replaced")
    parser.add_argument("--browser", action="store_true", help="and the course that runs in a browser, in OUT/course")
    given = parser.parse_args(arguments)
    try:
        pages = build(given.out, course=given.browser)
        if given.browser:
            from .browser import build as course

            course(given.out / "course")
    except NotBuilt as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{pages} pages: open {given.out / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
