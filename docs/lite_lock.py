"""The lock file of the course in the browser: Pyodide's own entries, and ours for files next to the site."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from .build import NotBuilt

#: What markers in requirements mean in Pyodide 0.29.
THERE = {
    "sys_platform": "emscripten",
    "platform_system": "Emscripten",
    "os_name": "posix",
    "platform_machine": "wasm32",
    "platform_python_implementation": "CPython",
    "implementation_name": "cpython",
    "python_version": "3.13",
    "python_full_version": "3.13.2",
    "extra": "",
}
#: The last wheel without compiled code: later ones are not built for Pyodide.
PINNED = {"hypothesis": "6.155.7"}
#: Parts of Python's library that Pyodide ships separately. If nothing is loaded from elsewhere, they stay empty.
EMPTY = ("sqlite3", "ssl")
#: Requirements that no cell of a lesson needs: a terminal, and processes.
LEFT_OUT = {"pexpect", "ptyprocess", "psutil", "nest-asyncio", "pyzmq", "tornado", "jupyter-client", "jupyter-core",
            "debugpy", "appnope", "matplotlib", "jupyterlab-widgets"}  # fmt: skip
#: Packages whose compiled part only makes them faster.
WITHOUT_COMPILED = ("markupsafe",)
KERNEL_NEEDS = {"piplite": ["micropip"], "pyodide-kernel": ["comm", "ipykernel", "traitlets", "ipython"]}

Entry = dict[str, Any]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def lock(
    theirs: dict[str, Any],
    wheel: Path,
    needs: list[str],
    kernel: list[Path],
    beside: Path,
    cdn: str,
    own: Path | None,
) -> dict[str, Any]:
    """Return the lock file; wheels that are not Pyodide's own are copied into `beside`.

    theirs : Pyodide's lock file. wheel : minigrad's wheel. needs : the packages it imports. kernel : the wheels of the
        kernel. own : a folder with wheels built for Pyodide; with it nothing is loaded from `cdn`, and what the folder
        lacks is downloaded in the same version if it is pure Python.
    """
    known = {} if own else {name: {**e, "file_name": cdn + e["file_name"]} for name, e in theirs["packages"].items()}
    packages: dict[str, Entry] = dict(known)
    for path in [wheel, *kernel]:
        packages[_name(path)] = _entry(path, beside)
    built = {_name(path): path for path in own.glob("*.whl")} if own else {}
    if own:
        for name in EMPTY:
            packages[name] = _entry(_empty(name, beside), beside)
    packages["minigrad-kit"]["depends"] = needs
    for name, more in KERNEL_NEEDS.items():
        packages[name]["depends"] = more
    # Compared by key: the name in Pyodide's entry may be spelled differently, "Cartopy" for the key "cartopy".
    wanted = [need for key, entry in packages.items() if entry is not known.get(key) for need in entry["depends"]]
    wanted += ["micropip", "jedi", "ipython", "comm", "ipywidgets"]
    while wanted:
        name = wanted.pop()
        if name in packages or (name in LEFT_OUT and name not in built):
            continue
        version = PINNED.get(name) or theirs["packages"].get(name, {}).get("version")
        path = built.get(name) or _download(f"{name}=={version}" if version else name, beside)
        packages[name] = _entry(path, beside)
        wanted += packages[name]["depends"]
    for entry in [entry for name, entry in packages.items() if entry is not known.get(name)]:
        entry["depends"] = [name for name in entry["depends"] if name in packages]
    return {**theirs, "packages": packages}


def _name(path: Path) -> str:
    return canonical(path.name.split("-")[0])


def _entry(path: Path, beside: Path) -> Entry:
    """Return the lock entry of a wheel, which is copied into `beside`."""
    if path.parent != beside:
        shutil.copy(path, beside)
    with zipfile.ZipFile(path) as packed:
        inside = packed.namelist()
        (metadata,) = (n for n in inside if re.fullmatch(r"[^/]+\.dist-info/METADATA", n))
        said = Parser().parsestr(packed.read(metadata).decode())
    tops = {n.split("/")[0] for n in inside if "/" in n} | {
        n[:-3] for n in inside if "/" not in n and n.endswith(".py")
    }
    asked = [Requirement(text) for text in said.get_all("Requires-Dist", [])]
    return {
        "name": _name(path),
        "version": said["Version"],
        "file_name": path.name,
        "install_dir": "site",
        "package_type": "package",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "unvendored_tests": False,
        "imports": sorted(top for top in tops if top.isidentifier()),
        "depends": sorted({canonical(r.name) for r in asked if r.marker is None or r.marker.evaluate(THERE)}),
    }


def _download(wanted: str, into: Path) -> Path:
    """Return a package's wheel if it runs anywhere, or its pure Python part if that works without the compiled part."""
    anywhere = ["--platform", "any", "--abi", "none", "--implementation", "py"]
    compiled = ["--platform", "manylinux2014_x86_64"]
    for kind in (anywhere, compiled) if wanted.startswith(WITHOUT_COMPILED) else (anywhere,):
        before = set(into.iterdir())
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(into)]
        done = subprocess.run([*command, *kind, "--python-version", "3.13", wanted], capture_output=True, text=True)
        for path in set(into.iterdir()) - before:
            return path if kind is anywhere else _plain(path)
    raise NotBuilt(f"{wanted} has no wheel that runs in a browser:\n{done.stderr[-800:]}")


def _plain(path: Path) -> Path:
    """Return a copy of a wheel, without its compiled parts."""
    name, version = path.name.split("-")[:2]
    plain = path.with_name(f"{name}-{version}-py3-none-any.whl")
    with zipfile.ZipFile(path) as packed, zipfile.ZipFile(plain, "w") as repacked:
        for inside in packed.namelist():
            if not inside.endswith(".so"):
                repacked.writestr(inside, packed.read(inside))
    path.unlink()
    return plain


def _empty(name: str, into: Path) -> Path:
    path = into / f"{name}-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(f"{name}-1.0.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0.0\n")
        tags = "Wheel-Version: 1.0\nGenerator: minigrad\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        packed.writestr(f"{name}-1.0.0.dist-info/WHEEL", tags)
        packed.writestr(f"{name}-1.0.0.dist-info/RECORD", "")
    return path
