"""`python -m docs.browser OUT`: the course as a site that runs Python in the browser (JupyterLite, Pyodide).

The lessons are those that `minigrad lab` hands out, except for the length of a chain in lesson 4. The wheel of minigrad
and anything missing from Pyodide's distribution are put next to the site, and named in its lock file, so that `import
minigrad` in a first cell finds them.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import shutil
import string
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from minigrad.lab.handout import hand_out, lessons_folder

from . import lite_lock
from .build import ROOT, NotBuilt

#: The version of Pyodide that jupyterlite-pyodide-kernel 0.7 was made with: the lock file of another one does not fit.
PYODIDE = "0.29.3"
CDN = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/"
#: What the kernel loads before the first cell. matplotlib is among the needs of minigrad below: a cell that plots does
#: not import it itself, so the page would not see it coming.
LOADED = [
    *("numpy", "micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython", "sqlite3"),
    *("ipywidgets", "minigrad-kit"),
]
#: What minigrad imports where it needs it, beyond its own requirements.
NEEDS = ["numpy", "matplotlib", "anywidget", "graphviz", "tqdm", "hypothesis", "jinja2", "cloudpickle"]

EXTENSIONS = {"@jupyter-widgets/jupyterlab-manager", "@jupyterlite/pyodide-kernel-extension", "anywidget"}
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"


def build(out: Path, packages: Path | None = None) -> None:
    """Write the site into `out`.

    packages : a folder of wheels built for this Pyodide, NumPy's among them, or a ZIP file that holds them, such as
        another package's wheel. Then the site loads nothing from elsewhere; matplotlib is left out if it is not there.
        By default NumPy and matplotlib come from Pyodide's public distribution.

    Raises NotBuilt with a sentence if something is missing.
    """
    require()
    if out.exists() and any(out.iterdir()) and not (out / "jupyter-lite.json").is_file():
        raise NotBuilt(f"{out} holds something that is not this site; name a new folder, or an empty one")
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="minigrad-course-") as folder:
        work = Path(folder)
        files(work / "files")
        settings = {"pyodideUrl": "./static/pyodide/pyodide.js", "disablePyPIFallback": True}
        settings["loadPyodideOptions"] = {"packages": LOADED}
        config = {"appName": "minigrad", "litePluginSettings": {KERNEL: settings}}
        written = {"jupyter-lite-schema-version": 0, "jupyter-config-data": config}
        (work / "lite").mkdir()
        (work / "lite" / "jupyter-lite.json").write_text(json.dumps(written))
        command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(work / "lite")]
        command += ["--contents", str(work / "files"), "--output-dir", str(out.absolute())]
        _run([*command, "--apps", "lab", "--apps", "notebooks", "--no-sourcemaps"], 'pip install -e ".[course]"', work)
        _keep_extensions(out)
        core = _core(work)
        _run([sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", str(work / "wheels"), str(ROOT)], "pip")
        (wheel,) = (work / "wheels").glob("*.whl")
        beside = out / "static" / "pyodide"
        beside.mkdir(parents=True, exist_ok=True)
        for name in ("pyodide.js", "pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"):
            if (core / name).is_file():
                shutil.copy(core / name, beside)
        theirs = json.loads((core / "pyodide-lock.json").read_text(encoding="utf-8"))
        kernel = sorted(out.glob("extensions/@jupyterlite/pyodide-kernel-extension/static/pypi/*.whl"))
        own = _wheels(packages, work / "own") if packages else None
        lock = lite_lock.lock(theirs, wheel, NEEDS, kernel, beside, CDN, own)
        (beside / "pyodide-lock.json").write_text(json.dumps(lock))
    for app in ("lab", "notebooks"):
        page = out / app / "index.html"
        page.write_text(with_icon(page.read_text(encoding="utf-8")), encoding="utf-8")
    start = out / "index.html"  # the pages of the notebooks read their settings from this one
    start.write_text(start_page(out / "files", start.read_text(encoding="utf-8")), encoding="utf-8")


def require() -> None:
    """Raise NotBuilt if this environment lacks something it must have."""
    if importlib.util.find_spec("jupyterlite_core") is None:
        raise NotBuilt(
            'the course in the browser needs JupyterLite: python -m pip install -e ".[course]", in a separate '
            "environment, because it extends every JupyterLab in its environment"
        )
    if shutil.which("npm") is None:
        raise NotBuilt("Pyodide comes from npm: install Node.js, which brings it")


def files(folder: Path) -> None:
    """Write the notebooks that `minigrad lab` hands out into `folder`, with the checks of the assignments."""
    folder.mkdir()
    with tempfile.TemporaryDirectory() as temporary:
        handed_out = Path(temporary)
        hand_out(lessons_folder(), handed_out, _kernel())
        for path in (*handed_out.glob("*.ipynb"), *(handed_out / "assignments").iterdir()):
            shutil.copyfile(path, folder / path.name)
    for path in folder.glob("04_*.ipynb"):
        path.write_text(shorter(path.read_text(encoding="utf-8")), encoding="utf-8")


def start_page(folder: Path, made: str) -> str:
    """Return the page that links to each notebook of `folder`, with the settings of `made`, the page it replaces."""
    paths = sorted(folder.glob("*.ipynb"), key=lambda path: (not path.name[0].isdigit(), len(path.name), path.name))
    lessons = [path for path in paths if path.name[0].isdigit()]
    config = re.search(r'<script\s+id="jupyter-config-data".*?</script>', made, re.DOTALL)
    links = {path: f"notebooks/index.html?path={path.name}" for path in paths}
    lines = {path: f'<li><a href="{link}">{_title(path)}</a></li>' for path, link in links.items()}
    page = string.Template((Path(__file__).parent / "course_start.html").read_text(encoding="utf-8"))
    return page.substitute(
        config=config[0] if config else "",
        first=links[next(path for path in lessons if path.name.startswith("01_"))],
        lessons="".join(lines[path] for path in sorted(lessons)),
        assignments="".join(line for path, line in lines.items() if path not in lessons),
    )


def with_icon(page: str) -> str:
    """Return a page of JupyterLite with its language and its icon; without an icon, browsers ask the server's root."""
    icon = '<meta charset="utf-8" />\n    <link rel="icon" type="image/x-icon" href="./favicon.ico" />'
    return page.replace("<html>", '<html lang="en">', 1).replace('<meta charset="utf-8" />', icon, 1)


def _title(path: Path) -> str:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return "".join(notebook["cells"][0]["source"]).partition("\n")[0].lstrip("# ")


def _kernel() -> dict[str, object]:
    """Return the metadata of the kernel that runs the lessons there."""
    named = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
    return {"kernelspec": named, "language_info": {"name": "python"}}


def shorter(lesson: str) -> str:
    """Lesson 4 with chains of 1,500 steps, as in its checks: freeing 10,000 nodes crashes Python in a page."""
    return lesson.replace("10_000", "1_500").replace("10,000", "1,500")


def _keep_extensions(out: Path) -> None:
    """Leave out JupyterLab extensions of the building environment that the course does not use."""
    path = out / "jupyter-lite.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    data = settings["jupyter-config-data"]
    data["federated_extensions"] = [e for e in data["federated_extensions"] if e["name"] in EXTENSIONS]
    path.write_text(json.dumps(settings), encoding="utf-8")


def _core(work: Path) -> Path:
    """Download Pyodide itself from npm, which verifies its checksum."""
    npm = shutil.which("npm")
    assert npm is not None  # see `require`
    _run([npm, "pack", f"pyodide@{PYODIDE}", "--pack-destination", str(work), "--silent"], "npm")
    with tarfile.open(work / f"pyodide-{PYODIDE}.tgz") as packed:
        packed.extractall(work / "core", filter="data")
    return work / "core" / "package"


def _wheels(packages: Path, work: Path) -> Path:
    """Return the folder with the wheels of `packages`; those in a ZIP file are unpacked into `work`."""
    folder = packages
    if packages.is_file():
        work.mkdir()
        folder = work
        with zipfile.ZipFile(packages) as packed:
            for name in packed.namelist():
                if name.endswith(".whl"):
                    (work / name.rpartition("/")[2]).write_bytes(packed.read(name))
    if not any(folder.glob("numpy-*.whl")):
        raise NotBuilt(f"{packages} holds no NumPy wheel")
    return folder


def _run(command: list[str], brings: str, cwd: Path | None = None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    if done.returncode:
        raise NotBuilt(f"{' '.join(command[:4])} ({brings}) failed:\n{(done.stdout + done.stderr)[-2000:]}")


def main(arguments: list[str] | None = None) -> int:
    about = "Write the course as a site that runs in a browser."
    parser = argparse.ArgumentParser(prog="python -m docs.browser", description=about)
    parser.add_argument("out", type=Path, help="the folder; the files of an earlier run are replaced")
    parser.add_argument("--packages", type=Path, help="a folder or ZIP file with wheels for Pyodide, to load no others")
    given = parser.parse_args(arguments)
    try:
        build(given.out, given.packages)
    except NotBuilt as error:
        print(error, file=sys.stderr)
        return 1
    print(f"open it through a web server: python -m http.server -d {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
