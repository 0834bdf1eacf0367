"""Minify the JavaScript of viz/static: `python -m viz.bundle` writes viz/static/bundle.json with esbuild.

Run it after changing a .js file. It needs esbuild, or Node, whose npx downloads esbuild. Users of viz need neither.

Each file is minified separately and keeps its top-level names, so a page includes only the files that it needs; of
scene.js, the names that no other file uses are shortened too.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

STATIC = Path(__file__).parent / "static"
BUNDLE = STATIC / "bundle.json"  #: file name -> its minified code and the hash of its source
ESBUILD = "esbuild@0.28.2"
OPTIONS = ("--minify", "--target=es2022", "--charset=utf8", "--log-level=warning")
EXPORT = "\nexport default "  #: the start of the last statement of a main file; esbuild does not see this statement


def bundle() -> dict[str, dict[str, str]]:
    """Return the bundle of the current files. Raises RuntimeError if esbuild is missing or fails."""
    command = ["esbuild"] if shutil.which("esbuild") else ["npx", "--yes", ESBUILD]
    if not shutil.which(command[0]):
        raise RuntimeError("the bundle is made by esbuild, or by Node, whose npx brings it: neither is on the path")
    made = {}
    with TemporaryDirectory() as folder:
        sources = {path.stem: path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.js"))}
        files = [Path(folder, f"{name}.js") for name in sources]
        for file, (name, source) in zip(files, sources.items()):
            code = enclosed(name, sources) if name == "scene" else source.partition(EXPORT)[0]
            file.write_text(code, encoding="utf-8")
        done = subprocess.run(
            [*command, *OPTIONS, f"--outdir={folder}/small", *map(str, files)], capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"esbuild says:\n{done.stderr}")
        for name, source in sources.items():
            small = Path(folder, "small", f"{name}.js").read_text(encoding="utf-8").rstrip("\n")
            made[name] = {"source": hashed(source), "code": small + "".join(source.partition(EXPORT)[1:]).rstrip("\n")}
    return made


def enclosed(name: str, sources: dict[str, str]) -> str:
    """Return a file whose top-level names are local, except those that another file uses."""
    names = re.findall(r"(?m)^(?:(?:function|class) (\w+)|const ([A-Z_]+)\b|const \{ (.*?) \} = Math)", sources[name])
    names = [word for row in names for word in "".join(row).split(", ")]
    others = "\n".join(source for other, source in sources.items() if other != name)
    others = re.sub(r"(?m)(^|\s)//.*$", "", others).replace("...", " ")
    used = ", ".join(word for word in names if re.search(rf"(?<![.\w]){word}(?![\w:])", others))
    return f"const {{ {used} }} = (() => {{\n{sources[name]}return {{ {used} }};\n}})();\n"


def changed() -> list[str]:
    """Return the names of the files that were changed, added or removed since the bundle was written."""
    previous = {name: piece["source"] for name, piece in json.loads(BUNDLE.read_text(encoding="utf-8")).items()}
    now = {path.stem: hashed(path.read_text(encoding="utf-8")) for path in STATIC.glob("*.js")}
    return sorted(name for name in previous.keys() | now.keys() if previous.get(name) != now.get(name))


def hashed(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()[:16]


if __name__ == "__main__":
    BUNDLE.write_text(json.dumps(bundle(), indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
