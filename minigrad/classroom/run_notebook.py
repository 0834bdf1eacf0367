"""Run a notebook in a separate kernel and store its outputs."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .verdict import MIME

LESSONS = Path(__file__).resolve().parents[2] / "lessons"
TIMEOUT = 120  # seconds for one cell
WIDGET = "application/vnd.jupyter.widget-view+json"
MARK = re.compile(r' data-saved="\w*"')
ADDRESS = re.compile(r"\b0x[0-9a-f]{8,}\b")


class NotReleased(Exception):
    """Raised if a lesson was not written; the message has one line for each reason."""


def execute(notebook: Any, beside: Mapping[str, Path] = MappingProxyType({}), private: bool = False) -> Any:
    """Run every cell in a fresh kernel, in a folder with the files `beside`, and store the outputs in the notebook.

    Raises NotReleased if a cell raises an exception, writes to stderr or, unless `private`, shows something about this
    machine.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    from traitlets.config import Config

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "lesson")
        home.mkdir()
        for name, path in beside.items():
            (shutil.copytree if path.is_dir() else shutil.copyfile)(path, home / name)
        environment = {**os.environ, "PYTHONHASHSEED": "0", "IPYTHONDIR": str(Path(folder, "ipython"))}
        environment |= {"MINIGRAD_PROGRESS": str(Path(folder, "progress.jsonl")), "MINIGRAD_PREDICTED": "all"}
        environment.pop("MPLBACKEND", None)
        config = Config()
        if os.name == "posix" and len(folder) < 80:  # the path of a socket must be short
            # A port that was free when it was chosen may be taken before the kernel uses it; a socket file in this
            # folder cannot.
            config.KernelManager.transport = "ipc"
            config.KernelManager.connection_file = str(Path(folder, "kernel.json"))
        client = NotebookClient(
            notebook,
            config=config,
            timeout=TIMEOUT,
            startup_timeout=TIMEOUT,
            iopub_timeout=TIMEOUT,  # outputs come late on a busy computer; without this they are dropped silently
            raise_on_iopub_timeout=True,
            record_timing=False,
            store_widget_state=False,
            resources={"metadata": {"path": str(home)}},
            extra_arguments=["--log-level=40"],  # silences a warning: a kernel on this computer needs no encryption
        )
        try:
            client.execute(env=environment)
        except CellExecutionError as error:
            raise NotReleased(str(error)) from None
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = joined(cell.outputs)
            if cell.cell_type == "code" and not private:
                cell.metadata.pop("execution", None)
                cell.outputs = [*map(_without_mark, filter(_lasting, cell.outputs))]
                _refuse(cell, [str(LESSONS.parent), folder, sys.prefix, str(Path.home())])
    return notebook


def joined(outputs: Iterable[Any]) -> list[Any]:
    """Return outputs with consecutive printed parts joined, because the kernel may split text anywhere."""
    made: list[Any] = []
    for output in outputs:
        if made and output.output_type == made[-1].output_type == "stream" and output.name == made[-1].name:
            made[-1].text += output.text
        else:
            made.append(output)
    return made


def verdicts(notebook: Any) -> dict[str, dict[str, Any]]:
    """Map each exercise to its last verdict in an executed notebook."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    data = ({**d[MIME], "text": d["text/plain"]} for output in outputs if MIME in (d := output.get("data", {})))
    return {verdict["exercise"]: verdict for verdict in data}


def _lasting(output: Any) -> bool:
    """Return whether an output can be stored: a widget cannot, because it needs a kernel and has a new id each time."""
    return WIDGET not in output.get("data", {})


def _without_mark(output: Any) -> Any:
    """Remove from an output the mark with which a widget hides the saved picture below it.

    The mark is different in each run.
    """
    if MARK.search(str(output.get("data", {}).get("text/html", ""))):
        output.data["text/html"] = MARK.sub("", output.data["text/html"])
    return output


def _refuse(cell: Any, places: Iterable[str]) -> None:
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            raise NotReleased(f"a cell writes to stderr:\n{cell.source}\n{output.text}")
        text = json.dumps(output)
        seen = next((place for place in places if len(place) > 5 and place in text), None)
        address = ADDRESS.search(text)
        if address and not seen:
            seen = address.group()
        if seen:
            raise NotReleased(f"a cell shows {seen}, which differs on another computer:\n{cell.source}")
