"""Open the lessons in JupyterLab: hand them out, start the server, stop it, and leave nothing behind."""

import difflib
import importlib.util
import os
import secrets
import signal
import socket
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from minigrad.lab.errors import CommandError
from minigrad.lab.handout import Handout, hand_out, lessons_folder

ADDRESS = "127.0.0.1"  # only this computer can connect
FIRST_PORT = 8888


def lab(folder: Path, lesson: str | None = None, port: int | None = None, browser: bool = True) -> int:
    """Hand out the lessons into ``folder`` and serve them with JupyterLab until Ctrl-C; return 0.

    ``lesson`` is a number or a name (``7``, ``"07"``, ``"custom"``); ``port`` is the port to use instead of the first
    free port. Raises :class:`~minigrad.lab.errors.CommandError` if JupyterLab is missing, the folder cannot be
    written, the port is taken or the lesson is unknown.
    """
    if importlib.util.find_spec("jupyterlab") is None:
        raise CommandError(
            'JupyterLab is missing from this Python; install it with: python -m pip install "minigrad-kit[lab]"'
        )
    lessons = lessons_folder()
    notebook = find_lesson(lesson, sorted(path.name for path in lessons.glob("*.ipynb")))
    if port is not None:
        _check_port(port)
    folder = folder.expanduser().absolute()
    try:
        done = hand_out(lessons, folder, kernel_metadata())
    except OSError as error:
        raise CommandError(
            f"the lessons could not be written to {folder} ({error.strerror or error}); "
            "choose another folder with --folder"
        ) from None
    _tell(done, folder)
    _keep_out_of_a_read_only_home(folder)
    _serve(folder, notebook, port, browser)
    print(f"JupyterLab has stopped. Your work is in {folder}", flush=True)
    return 0


def find_lesson(named: str | None, names: list[str]) -> str:
    """Return the file name of the notebook with the given number, name or part of a name; ``None`` means the first one.

    >>> names = ["01_graph.ipynb", "02_chain_rule.ipynb"]
    >>> find_lesson("2", names), find_lesson("graph", names), find_lesson(None, names)
    ('02_chain_rule.ipynb', '01_graph.ipynb', '01_graph.ipynb')
    """
    if not names:
        raise CommandError("this installation holds no lessons; install minigrad-kit again or clone it again")
    if named is None:
        return names[0]
    stems = [name.removesuffix(".ipynb") for name in names]
    part = Path(named).name.removesuffix(".ipynb")
    if part.isdecimal():
        matches = [stem for stem in stems if stem.startswith(f"{int(part):02d}_")]
    else:
        matches = [stem for stem in stems if stem == part] or [stem for stem in stems if part.lower() in stem.lower()]
    if len(matches) == 1:
        return matches[0] + ".ipynb"
    if matches:
        raise CommandError(f"several lessons match {named!r}; name one of: {', '.join(matches)}")
    words = {word: stem for stem in stems for word in [stem, *stem.split("_")]}
    near = [words[word] for word in difflib.get_close_matches(part.lower(), words)]
    if near:
        raise CommandError(f"there is no lesson {named!r}; did you mean {' or '.join(dict.fromkeys(near))}?")
    raise CommandError(f"there is no lesson {named!r}; the lessons are: {', '.join(stems)}")


def kernel_metadata() -> dict[str, Any]:
    """Return the metadata that JupyterLab writes into a notebook that it opens with this Python's kernel.

    >>> kernel_metadata()["kernelspec"]["name"]
    'python3'
    """
    from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpecManager

    spec = KernelSpecManager().get_kernel_spec(NATIVE_KERNEL_NAME)
    return {
        "kernelspec": {"name": NATIVE_KERNEL_NAME, "display_name": spec.display_name, "language": spec.language},
        # ipykernel could return this metadata, but importing it takes half a second at every start.
        "language_info": {
            "name": "python",
            "version": sys.version.split()[0],
            "mimetype": "text/x-python",
            "codemirror_mode": {"name": "ipython", "version": 3},
            "pygments_lexer": "ipython3",
            "nbconvert_exporter": "python",
            "file_extension": ".py",
        },
    }


def _check_port(port: int) -> None:
    try:
        socket.create_server((ADDRESS, port)).close()
    except OSError as error:
        raise CommandError(
            f"port {port} cannot be used ({error.strerror or error}); "
            "choose another, or leave out --port and a free one is found"
        ) from None


def _tell(done: Handout, folder: Path) -> None:
    print(f"Your lessons are in {folder}")
    if done.new:
        print(f"  new: {_count(done.new)}")
    if done.updated:
        print(f"  brought up to date: {_count(done.updated)}")
    for mine, newer in done.beside:
        print(f"  {mine} has changed since you began: yours is kept, the newer one is {newer!r}")


def _count(files: list[str]) -> str:
    return "1 file" if len(files) == 1 else f"{len(files)} files"


def _keep_out_of_a_read_only_home(folder: Path) -> None:
    """If the home folder is read-only, let Jupyter and other libraries write into ``folder`` instead."""
    from jupyter_core.paths import jupyter_config_dir, jupyter_data_dir, jupyter_runtime_dir

    folders = {
        "JUPYTER_CONFIG_DIR": jupyter_config_dir(),
        "JUPYTER_DATA_DIR": jupyter_data_dir(),
        "JUPYTER_RUNTIME_DIR": jupyter_runtime_dir(),
        "IPYTHONDIR": os.environ.get("IPYTHONDIR", "~/.ipython"),
        "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", "~/.config/matplotlib"),
    }
    for name, path in folders.items():
        if not _writable(Path(path).expanduser()):
            os.environ[name] = str(folder / ".jupyter" / name.lower())


def _writable(path: Path) -> bool:
    """Return whether a folder at ``path`` can be written or created, by trying it; permission bits do not suffice."""
    existing = next(folder for folder in [path, *path.parents] if os.path.exists(folder))
    try:
        tempfile.TemporaryFile(dir=existing).close()
    except OSError:
        return False
    return True


def _serve(folder: Path, notebook: str, port: int | None, browser: bool) -> None:
    from jupyterlab.labapp import LabApp

    # A token in the environment, unlike one in the arguments, is hidden from the computer's other users.
    os.environ.setdefault("JUPYTER_TOKEN", secrets.token_hex(24))
    # labconfig/ in this folder holds the changes to JupyterLab's defaults; the user's settings take precedence.
    folders = [os.environ.get("JUPYTER_CONFIG_PATH", ""), str(Path(__file__).parent)]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, folders))
    os.environ.setdefault("PYTHONSTARTUP", str(Path(__file__).with_name("startup.py")))  # kernels run this file
    # With this PATH, `minigrad` and `python` belong to this Python in JupyterLab's terminals and after ! in a cell.
    os.chdir(folder)  # terminals start here
    os.environ["PATH"] = os.pathsep.join(filter(None, [sysconfig.get_path("scripts"), os.environ.get("PATH")]))
    page = f"lab/tree/{quote(notebook)}"
    server = LabApp.initialize_server(
        [
            f"--ServerApp.ip={ADDRESS}",
            f"--ServerApp.port={port or FIRST_PORT}",
            f"--ServerApp.port_retries={0 if port else 50}",
            f"--ServerApp.root_dir={folder}",
            f"--ServerApp.open_browser={browser}",
            "--ServerApp.allow_root=True",  # root is the usual user inside a container
            "--Application.log_level=ERROR",
            f"--LabApp.default_url=/{page}",
            "--LabApp.news_url=None",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            *_encryption(),
        ]
    )
    _keep_path_in_terminals(server)
    stop = lambda number, frame: server.stop(from_signal=True)  # this ends the kernels too
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    token = server.identity_provider.token
    query = "?" + urlencode({"token": token}) if token else ""
    message = f"JupyterLab: {server.connection_url}{page}{query}\nStop it with Ctrl-C."
    server.io_loop.add_callback(print, message, flush=True)  # printed once the server accepts connections
    server.start()


def _keep_path_in_terminals(server: Any) -> None:
    """Start terminals with a shell that is not a login shell, because a login shell resets PATH from /etc/profile.

    JupyterLab uses a login shell if it was not itself started in a terminal, unless the user has set another shell.
    """
    terminals = server.web_app.settings.get("terminal_manager")
    if terminals is not None and "shell_command" not in server.terminado_settings:
        terminals.shell_command = [part for part in terminals.shell_command if part != "-l"]


def _encryption() -> list[str]:
    """Return the option to encrypt server-kernel messages, if both sides support it; newer kernels warn without it."""
    import zmq
    from jupyter_client.manager import KernelManager

    able = zmq.has("curve") and hasattr(KernelManager, "transport_encryption")
    return ["--KernelManager.transport_encryption=auto"] if able else []
