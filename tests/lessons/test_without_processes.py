"""Lessons where Python has no processes, threads or sockets, as in a page: answers are judged all the same."""

import json
import subprocess
import sys

import pytest

from minigrad.classroom import notebook
from minigrad.lab.handout import lessons_folder

#: Runs the cells on standard input as a notebook does, refuses what a page refuses, and prints the verdicts.
RUN = """
import json, os, socket, subprocess, sys, threading
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

cells = json.load(sys.stdin)
def refused(*args, **kwargs):
    raise OSError("not in a page")
subprocess.Popen.__init__ = socket.socket.__init__ = refused
threading.Thread.start = lambda self: (_ for _ in ()).throw(RuntimeError("can't start new thread"))
if hasattr(os, "fork"):
    os.fork = refused
shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
for name, source in cells:
    done = shell.run_cell(source, silent=False)
    error = done.error_before_exec or done.error_in_exec
    if error:
        print("ERROR", type(error).__name__, error, file=sys.stderr)
    if name:
        print("VERDICT", name, getattr(done.result, "status", None), file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", ["01", "04", "07"])
def test_solutions_are_right_without_processes_threads_and_sockets(number, tmp_path):
    (source,) = (lessons_folder() / "source").glob(f"{number}_[a-z]*_*.py")
    code = [cell for cell in notebook.read(source).cells if cell.cell_type == "code"]
    cells = json.dumps([(cell.metadata.get("exercise"), cell.source) for cell in code])
    done = subprocess.run([sys.executable, "-c", RUN], input=cells, capture_output=True, text=True, cwd=tmp_path)
    said = done.stderr.splitlines()
    verdicts = [line.split()[1:] for line in said if line.startswith("VERDICT")]
    assert len(verdicts) == sum("exercise" in cell.metadata for cell in code), done.stderr[-2000:]
    assert [v for v in verdicts if v[1] != "right"] == []
    assert [line for line in said if line.startswith("ERROR")] == []
