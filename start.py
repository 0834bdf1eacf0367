#!/usr/bin/env python3
"""Set up minigrad in this folder and open its lessons.

    python start.py                 open the lessons in JupyterLab
    python start.py 7               open lesson 7
    python start.py test            run a sample of the tests: 7 to 9 minutes on two cores
    python start.py test all        run all tests: about forty minutes on two cores
    python start.py --help          show this

The first time, it creates a virtual environment in .venv and installs what is needed there: one to three
minutes with pip, half a minute where uv is installed, and an internet connection. Later starts take a few
seconds and no connection. Outside this folder it writes the lessons, copied into your own
folder, and your progress, in .local/share/minigrad/progress.jsonl in your home (macOS: Library/Application
Support, Windows: AppData/Local); pip and Jupyter keep their caches and settings there.

Arguments after the lesson go to JupyterLab's launcher, arguments after "test" to pytest:

    --folder DIR                    your folder for the lessons (default: minigrad-lessons in your home)
    --port N                        the port to use (default: a free one)
    --no-browser                    print the address, open no browser
"""

# Only the standard library, and only syntax that Python 2.7 reads too, so that an old Python can say what is wrong.

from __future__ import print_function

import contextlib
import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

OLDEST = (3, 10)
NEWEST = (3, 15)  # the newest that was tested; newer ones are tried, and get a hint if they fail
ROOT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(ROOT, ".venv")
LOCK = os.path.join(ROOT, ".venv.lock")
WORKERS = ["-q", "-n", "auto", "--dist", "loadgroup", "--no-loadscope-reorder"]
QUICK = ["--quick"]
EXTRAS = {"lab": ["lab"], "test": ["lab", "test"]}
BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # the systems' errors for a lock that another process has
OFFLINE = (
    "name resolution",
    "getaddrinfo failed",
    "nodename nor servname",
    "NewConnectionError",
    "ConnectTimeout",
    "Network is unreachable",
    "dns error",
    "error sending request",
    "No route to host",
)
REFUSED = ("ProxyError", "CERTIFICATE_VERIFY_FAILED", "certificate verify failed", "invalid peer certificate")
NOT_BUILT = (  # no ready-made package for this Python, and none can be made here
    "No matching distribution",
    "Failed building wheel",
    "Failed to build",
    "metadata-generation-failed",
    "has no wheels with a matching Python",
    "requires a different Python",
)
FOLDER = os.path.join("~", "minigrad-lessons")  # as in minigrad/__main__.py


class Problem(Exception):
    """A reason to stop; its text explains what to do."""


def main(arguments):
    """Do what the command line asks; return the exit code."""
    if arguments[:1] in (["-h"], ["--help"], ["help"]):
        try:
            print(__doc__.strip())
            sys.stdout.flush()
        except (IOError, OSError):  # the reader, such as "| head", has stopped reading
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    purpose = "test" if arguments[:1] == ["test"] else "lab"
    rest = arguments[1:] if arguments[:1] in (["test"], ["lab"]) else arguments
    say_whatever_the_console_can()
    try:
        check_python(sys.version_info)
        prepare(purpose, lessons_folder(rest))
    except Problem as problem:
        print("\n" + str(problem), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run this again to go on with the setup.")
        return 130
    if purpose == "test":
        os.chdir(ROOT)
        return hand_over(
            [venv_python(), "-m", "pytest"] + WORKERS + (rest[1:] if rest[:1] == ["all"] else QUICK + rest)
        )
    return hand_over([venv_python(), "-m", "minigrad", "lab"] + rest)


def say_whatever_the_console_can():
    """Print a character that the console's encoding lacks, as in the name of a folder, as its number."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def check_python(version):
    """Refuse a Python that is too old, and say how to get a newer one."""
    if tuple(version[:2]) >= OLDEST:
        return
    raise Problem(
        "minigrad needs Python %d.%d or newer, and this is Python %d.%d (%s).\n"
        "Install a newer one from https://www.python.org/downloads/ and start this file with it,\n"
        "for example:  %s start.py"
        % (OLDEST + tuple(version[:2]) + (sys.executable, "py -3" if os.name == "nt" else "python3.12"))
    )


def lessons_folder(arguments):
    """The student's folder: what ``--folder`` names, or the default."""
    for word, following in zip(arguments, arguments[1:] + [""]):
        name, equals, value = word.partition("=")
        if len(name) > 2 and "--folder".startswith(name):
            return value if equals else following
    return FOLDER


def check_writable(folder):
    """Refuse a folder for the lessons that cannot be made or written, before minutes are spent on the setup."""
    existing = os.path.abspath(os.path.expanduser(folder))
    while not os.path.exists(existing):
        existing = os.path.dirname(existing)
    try:
        tempfile.TemporaryFile(dir=existing).close()
    except OSError as error:
        raise Problem(
            "The lessons could not be written to %s (%s).\n"
            "Choose another folder:  %s start.py --folder DIR"
            % (os.path.expanduser(folder), error.strerror or error, "py" if os.name == "nt" else "python3")
        )


def prepare(purpose, folder):
    """Make .venv hold what ``purpose`` needs; do nothing when it already does."""
    extras = EXTRAS[purpose]
    if complete(extras):
        return
    if purpose == "lab":
        check_writable(folder)
    healthy = works(venv_python())
    try:
        with one_at_a_time():
            if not complete(extras):  # the other start may have done it
                set_up(extras)
    except Problem as problem:
        if not (healthy and purpose == "lab" and works(venv_python(), "import minigrad, jupyterlab")):
            raise
        print("\n%s\nGoing on with what was installed before.\n" % problem)


def complete(extras):
    """Return whether .venv holds the extras, as pyproject.toml lists them now."""
    stamp = read_stamp()
    return stamp.get("key") == wanted_key() and set(extras) <= set(stamp.get("extras", [])) and works(venv_python())


def set_up(extras):
    """Create .venv if it is missing or broken, and install the extras into it."""
    uv = shutil.which("uv")
    print("Setting up minigrad in %s" % VENV)
    print(
        "The first time this needs an internet connection and takes %s."
        % ("half a minute" if uv else "one to three minutes")
    )
    if sys.version_info[:2] > NEWEST:
        print("This is Python %d.%d, which is newer than those that minigrad was tested with." % sys.version_info[:2])
    try:
        if not works(venv_python(), "import pip"):
            make_venv(uv)
        install(uv, extras, os.path.join(VENV, "install.log"))
        write_stamp(extras)
    except OSError as error:
        raise Problem(
            "The environment %s could not be written (%s).\n"
            "Remove that folder, and run this again." % (VENV, error.strerror or error)
        )


@contextlib.contextmanager
def one_at_a_time():
    """Hold a lock on this folder, waiting while another start holds it; the end of the process releases it."""
    try:
        lock = open(LOCK, "a")  # noqa: SIM115
    except OSError as error:
        raise Problem(
            "This folder cannot be written (%s):\n  %s\nThe setup makes .venv in it. "
            "Copy the folder to a place where you can write, and run start.py there." % (error.strerror or error, ROOT)
        )
    with lock:
        if not taken(lock):
            print("Another start is setting up this folder; waiting until it has ended.", flush=True)
            while not taken(lock):
                time.sleep(0.2)
        yield


def taken(lock):
    """Try to take the lock; return whether no other process has it."""
    try:
        if fcntl:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            lock.seek(0)
            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
    except OSError as error:
        return error.errno not in BUSY  # a file system without locks: go on without one
    return True


def make_venv(uv):
    """Create .venv, after removing what is left of an earlier one."""
    print("  making the environment", flush=True)
    python = getattr(sys, "_base_executable", None) or sys.executable  # not one that lives in .venv
    if not uv and not works(python, "import venv, ensurepip"):
        raise Problem(
            "This Python cannot make environments: its venv module is not complete.\n"
            "On Debian and Ubuntu:  sudo apt install python3-venv\n"
            "Elsewhere, install Python from https://www.python.org/downloads/\n"
            "Then run this again."
        )
    try:
        if os.path.islink(VENV) or os.path.isfile(VENV):
            os.remove(VENV)
        elif os.path.isdir(VENV):
            shutil.rmtree(VENV)
    except OSError as error:
        raise Problem(
            "The unfinished environment %s could not be removed (%s).\n"
            "Close the programs that use it, remove that folder, and run this again." % (VENV, error)
        )
    # With pip in it, because CONTRIBUTING.md installs more with pip.
    tool = [uv, "venv", "--seed", "--python", python] if uv else [python, "-m", "venv"]
    made = subprocess.run(tool + [VENV], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode:
        raise Problem(
            "The environment %s could not be made:\n%s" % (VENV, made.stdout.decode("utf-8", "replace").strip())
        )


def install(uv, extras, log):
    """Install this folder, editable, with its extras into .venv, and show that it is still running."""
    if uv:
        tool = [uv, "pip", "install", "--python", venv_python()]
    else:
        tool = [venv_python(), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    what = ".[%s]" % ",".join(extras)
    # A user's own setting to install outside of environments would make pip refuse.
    environment = dict(os.environ, PIP_USER="0")
    print("  installing minigrad and its dependencies", flush=True)
    began = time.time()
    with open(log, "wb") as output:
        process = subprocess.Popen(
            tool + ["-e", what], cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            while process.returncode is None:
                try:
                    process.wait(timeout=1)
                except subprocess.TimeoutExpired:
                    if sys.stdout.isatty():
                        show("%d s  %s" % (time.time() - began, last_line(log)))
        except KeyboardInterrupt:
            process.terminate()
            process.wait()
            raise
    if process.returncode:
        raise Problem(explain(log))
    if sys.stdout.isatty():
        show("")
    print("  done in %d s" % (time.time() - began), flush=True)


def show(words):
    """Write ``words`` over the last line of the terminal."""
    width = shutil.get_terminal_size().columns - 3
    print("\r  %s\r" % words[:width].ljust(width), end="", flush=True)


def last_line(log):
    """Return the installer's last output: the package that it is working on."""
    with open(log, "rb") as said:
        said.seek(max(0, os.path.getsize(log) - 2000))
        lines = said.read().decode("utf-8", "replace").split("\n")
    return ([""] + [line.strip() for line in lines if line.strip()])[-1]


def explain(log):
    """Describe what went wrong with an installation, from the installer's output."""
    with open(log, encoding="utf-8", errors="replace") as lines:
        said = lines.read()
    if any(sign in said for sign in REFUSED):
        return (
            "The packages could not be downloaded: this network requires a proxy or its own certificates. Set them\n"
            "up for pip (pip config set global.proxy, global.cert), ask whoever\n"
            "runs the network, or use another one, and run this again.\nThe installer's output is in %s" % log
        )
    # hatchling, which builds this package, exists for every Python: if none was found, no index was reached.
    none = [line for line in said.splitlines() if "hatchling" in line and "(from versions: none)" in line]
    if none or any(sign in said for sign in OFFLINE):
        return (
            "The packages could not be downloaded: this computer seems to be offline.\n"
            "Connect to the internet and run this again; it is needed only until the setup is done.\n"
            "The installer's output is in %s" % log
        )
    if "No space left on device" in said:
        return "The disk is full: the environment needs about 600 MB in %s" % VENV
    end = "\n".join("  " + line for line in said.strip().splitlines()[-12:])
    hint = ""
    if any(sign in said for sign in NOT_BUILT):
        hint = (
            "A package is not there for this Python (%s, %d bit).\n"
            "Start this file with a Python from %d.%d to %d.%d, 64 bit, for example:  %s start.py\n"
        ) % ((sys.version.split()[0], 64 if sys.maxsize > 2**32 else 32) + OLDEST + NEWEST + (another_python(),))
    return "The installation failed. The installer's last words:\n%s\n%sAll of them are in %s" % (end, hint, log)


def another_python():
    """The command that starts a Python that was tested: one that is here, or else an example."""
    versions = ["%d.%d" % (3, minor) for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]
    others = [version for version in versions if version != "%d.%d" % sys.version_info[:2]]
    if os.name == "nt":
        return "py -%s" % others[1]
    return next((python for python in map("python{}".format, others) if shutil.which(python)), "python%s" % others[1])


def hand_over(command):
    """Run ``command`` instead of this program and return its exit code."""
    if os.name != "nt":
        sys.stdout.flush()
        os.execv(command[0], command)
    process = subprocess.Popen(command)
    while True:  # Ctrl-C reaches the command too; wait until it has ended in its own way
        try:
            return process.wait()
        except KeyboardInterrupt:
            pass


def venv_python():
    """The Python inside .venv."""
    place = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return os.path.join(VENV, *place)


def works(python, code="pass"):
    """Return whether ``python`` exists, is new enough and runs ``code``."""
    check = "import sys; assert sys.version_info >= %r; %s" % (OLDEST, code)
    try:
        ran = subprocess.run([python, "-c", check], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError:
        return False
    return ran.returncode == 0


def wanted_key():
    """Return a key that changes when the requirements change or this folder is moved."""
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        return hashlib.sha256(file.read() + ROOT.encode("utf-8")).hexdigest()


def read_stamp():
    """Return the record of the last finished installation, or an empty dict."""
    try:
        with open(os.path.join(VENV, "minigrad.json"), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def write_stamp(extras):
    """Note that .venv is complete."""
    path = os.path.join(VENV, "minigrad.json")
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump({"key": wanted_key(), "extras": extras}, file)
    os.replace(path + ".part", path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
