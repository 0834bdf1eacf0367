"""A real JupyterLab for tests, and the notebooks opened in it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "screenshots"
#: Seconds to wait for a state that a busy computer may be slow to reach; no test waits for a time to pass.
PATIENCE = float(os.environ.get("MINIGRAD_PATIENCE", "240"))
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
CHROMIUM_FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WINDOW = {"width": 1280, "height": 900}
SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    # Cells outside the window stay in the page, where a test can find them.
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
}


def find_chromium() -> str | None:
    """The Chromium to drive: ``$MINIGRAD_CHROMIUM`` if set, otherwise the first one on the path."""
    named = os.environ.get("MINIGRAD_CHROMIUM")
    return named or next(filter(None, map(shutil.which, PROGRAMS)), None)


def new_page(browser, **options):
    """A page in a separate window that waits long enough for every state."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE * 1000)
    return context.new_page()


#: Resolves when the page has looked the same in eight animation frames, and nothing in it moves.
RESTS = """() => new Promise((done) => {
  let last = "", same = 0;
  const look = () => {
    const parts = [...document.querySelectorAll(".mg-stage, .mg-rule, .mg-slot")];
    const places = parts.map((part) => JSON.stringify(part.getBoundingClientRect()));
    const now = [innerWidth, ...places, document.body.innerHTML].join();
    const running = document.getAnimations().filter((one) => one.playState === "running");
    const moves = running.some((one) => isFinite(one.effect.getComputedTiming().endTime));
    same = now === last && !moves ? same + 1 : 0;
    last = now;
    same === 8 ? done() : requestAnimationFrame(look);
  };
  look();
})"""


def rests(page):
    """Wait until a picture has taken its shape: a page draws again in the frame after its width changed."""
    page.evaluate(RESTS)


#: Whether the notebook has its kernel again: until then JupyterLab may draw an output a second time.
HAS_KERNEL = """(context => context?.isReady && context.session?.kernel?.status === "idle")(
  window.jupyterapp?.shell?.currentWidget?.context?.sessionContext)"""


def reload(page):
    """Load JupyterLab again, and wait until the notebook has its kernel and its outputs have been drawn."""
    page.reload()
    page.wait_for_function(HAS_KERNEL)
    rests(page)


#: Words that JupyterLab logs if a kernel ended before it replied.
CANCELED = "before replies were done"


def watch(page, own: str = "file:") -> tuple[list[str], list[str]]:
    """Two lists that fill while ``page`` lives: console errors, and requests to anywhere but ``own``."""
    errors: list[str] = []
    outside: list[str] = []
    keep = lambda text: CANCELED in text or errors.append(text)
    listeners = {
        "console": lambda message: message.type == "error" and keep(message.text),
        "pageerror": lambda error: keep(str(error)),
        "request": lambda request: request.url.startswith((own, "data:", "blob:")) or outside.append(request.url),
    }
    for event, hear in listeners.items():
        page.on(event, hear)
        _watching.append((page, event, hear))
    return errors, outside


def unwatch(page) -> None:
    """End what `watch` began."""
    for entry in [entry for entry in _watching if entry[0] is page]:
        page.remove_listener(*entry[1:])
        _watching.remove(entry)


_watching: list[tuple] = []


def screenshot(page, name: str) -> Path:
    """Save what ``page`` shows as ``screenshots/NAME.png`` and return the path."""
    SCREENSHOTS.mkdir(exist_ok=True)
    path = SCREENSHOTS / f"{name}.png"
    page.screenshot(path=path)
    return path


class Lab:
    """A JupyterLab server on this computer, in separate folders, and a browser to look at it with."""

    def __init__(self, place: Path, browser):
        self.browser = browser
        self.folder = place / "notebooks"
        self.log = place / "jupyterlab.log"
        self.notebooks: list[Notebook] = []
        self.page = None
        self.folder.mkdir()
        settings = place / "settings"
        for name, values in SETTINGS.items():
            file = settings / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        environment = {
            **os.environ,
            "JUPYTER_CONFIG_DIR": str(place / "config"),
            "JUPYTER_DATA_DIR": str(place / "data"),
            "JUPYTER_RUNTIME_DIR": str(place / "runtime"),
            "JUPYTERLAB_WORKSPACES_DIR": str(place / "workspaces"),
            "JUPYTERLAB_SETTINGS_DIR": str(settings),
            "IPYTHONDIR": str(place / "ipython"),
            "MINIGRAD_PROGRESS": str(place / "progress.jsonl"),
            "XDG_DATA_HOME": str(place / "share"),
        }
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        command = [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"),
            f"--port={port}",
            "--ServerApp.port_retries=0",
            "--IdentityProvider.token=",
            "--ServerApp.password=",
            "--ServerApp.disable_check_xsrf=True",
            f"--ServerApp.root_dir={self.folder}",
            "--ServerApp.terminals_enabled=False",
            "--LabApp.expose_app_in_browser=True",
            "--LabApp.news_url=None",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            "--LabApp.extension_manager=readonly",
        ]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command,
                env=environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait_until_it_answers()

    def write(self, name: str, cells: list[str]) -> Path:
        """Write a notebook of code cells into the served folder and return its path."""
        import nbformat
        from nbformat import v4

        notebook = v4.new_notebook(cells=[v4.new_code_cell(source) for source in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
        return path

    def open(self, path: Path | str, fresh: bool = False) -> "Notebook":
        """Open a notebook and wait for its kernel; one from outside the served folder is copied into it.

        Loading JupyterLab takes longer than everything after it, so one page shows one notebook after another. With
        `fresh`, or while a notebook is open there, a new page is opened, which has nothing from earlier ones.
        """
        path = self.folder / path
        if not path.is_relative_to(self.folder):
            copy = self.folder / uuid.uuid4().hex / path.name
            copy.parent.mkdir()
            path = Path(shutil.copy(path, copy))
        notebook = Notebook(self, path, own=fresh or any(not other.own for other in self.notebooks))
        self.notebooks.append(notebook)
        return notebook

    def forget(self) -> None:
        """Leave the shared page if a test has failed, because it may be in any state."""
        page, self.page = self.page, None
        self.notebooks = [notebook for notebook in self.notebooks if notebook.own]
        if page is not None:
            page.context.close()

    def stop(self) -> None:
        """Close what is open and end the server with its kernels."""
        for notebook in [*self.notebooks]:
            notebook.close()
        if hasattr(os, "killpg"):
            os.killpg(self.process.pid, signal.SIGTERM)
        else:
            self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _wait_until_it_answers(self) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.address}/api/status", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        if self.process.poll() is None:
            self.stop()
        raise RuntimeError(f"JupyterLab did not start; it said:\n{self.log.read_text(errors='replace')}")


class Notebook:
    """One notebook open in JupyterLab: ``page`` is Playwright's page, ``path`` the file."""

    def __init__(self, lab: Lab, path: Path, own: bool):
        self.lab, self.path, self.own, self.dark = lab, path, own, False
        inside, shown = path.relative_to(lab.folder).as_posix(), None if own else lab.page
        self.page = shown or new_page(lab.browser, viewport=WINDOW)
        self.console_errors, self.outside_requests = watch(self.page, own=lab.address)
        if shown is None:
            self.page.goto(f"{lab.address}/doc/workspaces/{uuid.uuid4().hex}/tree/{quote(inside)}?reset")
            self.page.wait_for_function("window.jupyterapp?.shell?.currentWidget?.context?.sessionContext")
        else:
            self.page.evaluate(
                "async (path) => { const {commands, shell} = window.jupyterapp;"
                " shell.activateById((await commands.execute('docmanager:open', {path, factory: 'Notebook'})).id) }",
                inside,
            )
            self.page.wait_for_function("path => jupyterapp.shell.currentWidget?.context?.path === path", arg=inside)
        if not own:
            lab.page = self.page
        self.do("await panel.revealed; await session.ready; await session.session.kernel.info")

    def run_all(self) -> bool:
        """Run every cell and wait for the last; False when one raised an exception."""
        return self.do("return await app.commands.execute('notebook:run-all-cells')")

    def run_until(self, source: str, printed: str) -> None:
        """Run one more cell until it prints this text; `source` must do the same however often it is run.

        Widgets send their changes one after another, each when the kernel is done with the last one, so a cell may
        run before a click has arrived.
        """
        self.do(
            f"const [source, printed] = {json.dumps([source, printed])};"
            """const cells = panel.content.model.sharedModel, at = cells.cells.length;
            cells.insertCell(at, {cell_type: "code", source});
            const end = Date.now() + PATIENCE, text = () => JSON.stringify(cells.cells[at].outputs);
            const wanted = JSON.stringify(printed).slice(1, -1);
            while (!text().includes(wanted)) {
                if (Date.now() > end) throw new Error(`${wanted} was not printed, but ${text()}`);
                panel.content.activeCellIndex = at;
                await app.commands.execute("notebook:run-cell");
            }"""
        )

    def unsaved(self) -> bool:
        """Whether JupyterLab marks the notebook as unsaved, once the kernel is idle and has identified itself."""
        return self.do(
            "const kernel = session.session.kernel; await kernel.info; await kernel.spec;"
            "await kernel.requestKernelInfo();"
            "while (kernel.status !== 'idle') await new Promise(done => kernel.statusChanged.connect(done));"
            "return panel.context.model.dirty || panel.title.className.includes('jp-mod-dirty')"
        )

    def read(self) -> dict:
        """The notebook with its outputs as the browser shows it, as the parsed JSON of its file."""
        return self.do("return panel.content.model.toJSON()")

    def save(self) -> Path:
        """Save the notebook and return its path."""
        self.do("await app.commands.execute('docmanager:save')")
        return self.path

    def set_theme(self, dark: bool) -> None:
        """Switch JupyterLab to its dark or light theme; closing the notebook brings the light one back."""
        name = "JupyterLab Dark" if dark else "JupyterLab Light"
        self.do(f"await app.commands.execute('apputils:change-theme', {{theme: '{name}'}})")
        light = "false" if dark else "true"
        self.page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")
        self.page.wait_for_selector("#jupyterlab-splash", state="hidden")
        self.dark = dark

    def screenshot(self, name: str) -> Path:
        """Save what the window shows as ``screenshots/NAME.png`` and return the path."""
        return screenshot(self.page, name)

    def close(self) -> None:
        """End the kernel and leave the page; a second time does nothing."""
        if self in self.lab.notebooks:
            self.lab.notebooks.remove(self)
            if self.dark:
                self.set_theme(dark=False)
            self.do("await session.shutdown(); session.dispose(); panel.dispose()")
            unwatch(self.page)
            if self.own:
                self.page.context.close()
            else:
                self.page.context.clear_permissions()
                self.page.set_viewport_size(WINDOW)

    def __enter__(self) -> "Notebook":
        return self

    def __exit__(self, *reason) -> None:
        self.close()

    def do(self, script: str):
        """Run JavaScript in the page, with `app`, `panel` and `session` of JupyterLab; return what it returns."""
        return self.page.evaluate(
            f"async () => {{ const PATIENCE = {PATIENCE * 1000}, late = new Error(`no end after ${{PATIENCE}} ms`);"
            " const app = window.jupyterapp, panel = app.shell.currentWidget, session = panel.context.sessionContext;"
            " return Promise.race([new Promise((_, fail) => setTimeout(() => fail(late), PATIENCE)),"
            f" (async () => {{ {script} }})()]) }}"
        )


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
