"""Choose the sandbox layers that work here; each is tested with a canary, a process whose harmful calls must fail."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from minigrad.lab.files import temporary_folder
from minigrad.runner.budgets import Limits
from minigrad.runner.process import Process, Stopped
from minigrad.runner.sandbox.layers import LAYERS
from minigrad.runner.servers import Server

from .submitted_notebook import Cell

NOT_A_SANDBOX = "No sandbox works here: submissions run as you, and can read and change all that you can."
CONSENT = "Grade in a container or on Linux; or, if you trust these submissions, with --i-trust-these."

#: Danger -> the layers that prevent it; any one of them is enough.
OPEN = {
    "read your files": ("landlock", "bubblewrap"),
    "change who may use your files": ("filters", "bubblewrap", "user"),
    "use the network": ("filters", "namespaces", "bubblewrap"),
    "send signals to your programs": ("filters", "namespaces", "bubblewrap"),
}

#: Name of a harmful call -> its code, and the layers that must each prevent it without the others.
PROBES = {
    "memory": ("bytearray(3 << 30)", ("limits",)),
    "written": ("open(WRITTEN, 'w').write('x' * 9) and open(WRITTEN).read(1)[0]", ("limits",)),
    "secret": ("open(SECRET).read()", ("landlock", "bubblewrap")),
    "listing": ("os.listdir(os.path.dirname(SECRET))[0]", ("landlock", "bubblewrap")),
    "created": ("os.mkdir(WRITTEN + '.d')", ("landlock", "bubblewrap")),
    "changed": ("os.chmod(SECRET, 0o600)", ("filters", "bubblewrap", "user")),
    "connected": ("socket.create_connection(('127.0.0.1', PORT), 2)", ("filters", "namespaces")),
    "forked": ("os.fork() or os._exit(0)", ("filters",)),
    "signalled": ("os.kill(JUDGE, 0)", ("filters", "namespaces")),
    "seen": ("os.getpid() == 1 and 1 / 0", ("namespaces",)),
    "the same user": ("os.getuid() != ME and 1 / 0", ("user",)),
}
CANARY = """
import os, socket, json, numpy
done = []
for name, code in {probes}.items():
    try:
        eval(code, globals())
        done.append(name)
    except (Exception, MemoryError):
        pass
answer = float(numpy.ones(3).sum())
"""


@dataclass(frozen=True)
class Holding:
    """The sandbox layers that work, and for each of the others the reason why it does not."""

    layers: tuple[str, ...]
    missing: dict[str, str]

    def __str__(self) -> str:
        """Return a line for each layer."""
        lines = [f"  yes  {name}: {LAYERS[name]}" for name in self.layers]
        lines += [f"  no   {name}: {LAYERS[name]}. {why}" for name, why in self.missing.items()]
        return "\n".join(lines)


def danger(layers: Sequence[str]) -> str:
    """Return a sentence about the dangers that remain with these layers, or "" if they prevent all dangers.

    >>> danger(["limits", "filters"])
    'Only limits, filters work here: a submission can read your files.'
    """
    if "limits" not in layers:
        return NOT_A_SANDBOX
    harms = _harms(layers)
    return f"Only {', '.join(layers)} work here: a submission can {', '.join(harms)}." if harms else ""


def enough(layers: Sequence[str]) -> str:
    """Return a sentence that says whether these layers are enough to grade the work of strangers.

    >>> enough(["limits", "filters"])
    "Not enough for strangers' work: it can read your files. Use a container."
    """
    if "limits" not in layers:
        return f"{NOT_A_SANDBOX} {CONSENT}"
    if harms := _harms(layers):
        return f"Not enough for strangers' work: it can {', '.join(harms)}. Use a container."
    return "Enough for strangers' work: it can read none of your files, and reach neither network nor programs."


def _harms(layers: Sequence[str]) -> list[str]:
    return [harm for harm, holders in OPEN.items() if not set(holders) & set(layers)]


@cache
def choose(wanted: str = "auto") -> Holding:
    """Return the layers that work here, among those in `wanted`: "auto" for all, or names separated by commas.

    "none" selects no layer. Raises ValueError for a name that is not a layer, or if a named layer does not work.
    """
    names = [name.strip() for name in wanted.split(",")]
    unknown = [name for name in names if name not in (*LAYERS, "auto", "none")]
    if unknown:
        raise ValueError(f"unknown sandbox layer {unknown[0]!r}; choose from {', '.join(LAYERS)}, auto and none")
    if wanted == "none" or not hasattr(os, "fork"):
        return Holding(
            (), dict.fromkeys(LAYERS, "This system has none of them." if wanted != "none" else "Not wanted.")
        )
    named = list(LAYERS) if "auto" in names else ["limits", *(n for n in LAYERS if n in names and n != "limits")]
    missing: dict[str, str] = {}
    layers = [name for name in named if not (why := _absent(name)) or missing.setdefault(name, why) is None]
    while layers:
        failed = canary(layers)
        if not failed:
            break
        missing.update(failed)
        layers = [name for name in layers if name not in failed]
    named = [name for name in missing if "auto" not in names]
    if named:
        raise ValueError(f"the layer {named[0]!r} does not hold here: {missing[named[0]]}")
    return Holding(tuple(layers), missing)


def _absent(name: str) -> str:
    """Return a sentence on why a layer cannot be used on this computer, or "" if it can be tried."""
    if name != "limits" and sys.platform != "linux":
        return "It is a part of Linux."
    if name == "bubblewrap" and not shutil.which("bwrap"):
        return "The program bwrap is not installed."
    if name == "user" and os.getuid() != 0:
        return "The judge does not run as root."
    if name == "user" and not _readable_by_all(Path(sys.base_prefix), Path(sys.prefix), Path(__file__)):
        return "Other users cannot read this Python."
    return ""


def _readable_by_all(*files: Path) -> bool:
    return all(path.stat().st_mode & 1 for file in files for path in (file.parent, *file.parent.parents))


def canary(layers: Sequence[str]) -> dict[str, str]:
    """Run harmful calls in a student's process with these layers; return the layers that fail, with the reasons."""
    with temporary_folder() as folder, socket.socket() as listening:
        os.chmod(folder, 0o755)
        secret = folder / "secret"
        secret.write_text("secret")
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        constants = {"SECRET": str(secret), "WRITTEN": f"{folder}/written", "PORT": listening.getsockname()[1]}
        constants |= {"JUDGE": os.getpid(), "ME": os.getuid()}
        probes = {name: code for name, (code, _) in PROBES.items()}
        head = "".join(f"{name} = {value!r}\n" for name, value in constants.items())
        try:
            Server(False, Limits(), layers).close()
            server = Server(True, Limits(), layers)
        except (OSError, RuntimeError) as problem:
            return {layers[-1]: f"The process does not start with it: {problem}."}
        process = Process(server, [Cell(head + CANARY.replace("{probes}", json.dumps(probes)), 1)])
        try:
            values = process.reply_to({"do": "has", "names": ["done", "answer"]}, 20.0, lambda _: None)["ok"]
        except (Stopped, KeyError, OSError) as problem:
            return {layers[-1]: f"The process does not work with it: {problem}."}
        finally:
            process.end()
            server.close()
    if values.get("answer") != 3.0:
        return {layers[-1]: "Python does not work with it."}
    failed = {}
    for name, (_, holders) in PROBES.items():
        for holder in holders:
            if holder in layers and name in values["done"]:
                failed[holder] = f"It does not prevent what it should: {name}."
    return failed
