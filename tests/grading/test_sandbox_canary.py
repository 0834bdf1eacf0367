"""Each layer of the sandbox prevents what it claims to, and is dropped by name where it does not work."""

import os
import re
import sys

import pytest

from minigrad.__main__ import main
from minigrad.grading import sandbox_canary
from minigrad.grading.judge import Judge
from minigrad.grading.sandbox_canary import PROBES, canary, choose
from minigrad.grading.submitted_notebook import Cell
from minigrad.runner import server, servers
from minigrad.runner.budgets import Limits
from minigrad.runner.process import Process
from minigrad.runner.servers import ROOT, Server, readable
from tests.helpers.submissions import checks

HELD = choose().layers


def test_the_layers_that_hold_pass_the_canary():
    assert "limits" in HELD
    assert canary(HELD) == {}


@pytest.mark.parametrize("layer", [layer for layer in HELD if layer not in ("limits", "bubblewrap")])
def test_a_layer_holds_by_itself_beside_the_limits(layer):
    assert canary(("limits", layer)) == {}


@pytest.mark.parametrize("layer", [layer for layer in HELD if layer not in ("limits", "bubblewrap")])
def test_without_the_layer_the_harm_is_done(layer, monkeypatch):
    """A probe that could not succeed anyway would prove nothing."""
    needed = {name: (code, (layer,)) for name, (code, holders) in PROBES.items() if layer in holders}
    monkeypatch.setattr(sandbox_canary, "PROBES", {k: (code, ("limits",)) for k, (code, _) in needed.items()})
    assert "limits" in canary(("limits",))


def test_a_layer_that_does_not_hold_is_named(monkeypatch):
    monkeypatch.setitem(PROBES, "trivial", ("1", ("limits",)))
    assert canary(("limits",)) == {"limits": "It does not prevent what it should: trivial."}


def ran(source, layers=HELD, engine=True, used=(), **limits):
    server = Server(engine, Limits(**limits), layers, used=used)
    process = Process(server, [Cell(source, 1)])
    try:
        return process.reply_to({"do": "has", "names": ["x"]}, 10.0, lambda _: None)["ok"].get("x"), process.notes
    finally:
        process.end()
        server.close()


def test_libraries_are_imported_in_all_layers():
    source = "import numpy as np, minigrad as mg, statistics, uuid, sqlite3\nx = float(mg.exp(mg.constant(0.0)).value)"
    assert ran(source) == (1.0, [])


def test_without_the_engine_its_files_cannot_be_read():
    source = f"import sys\ndel sys.modules['minigrad']\nsys.path.append({str(ROOT)!r})\n"
    source += "import minigrad\nx = minigrad.__name__"
    assert ran(source, engine=False)[0] == (None if "landlock" in HELD else "minigrad")
    assert ran(source.replace("del sys.modules['minigrad']", ""), engine=True)[0] == "minigrad"
    assert not [path for path in readable(engine=False)[0] if ROOT.as_posix() == path or path.endswith("minigrad")]


@pytest.mark.parametrize(
    "source", ["import tqdm", "import sys; del sys.modules['tqdm']; import tqdm"], ids=["import", "import in spite"]
)
def test_a_package_that_differentiates_is_closed_unless_the_assignment_uses_it(source, monkeypatch):
    monkeypatch.setattr(servers, "ENGINES", {"tqdm"})
    source += "\nx = tqdm.__name__"
    reached = "sys" in source and "landlock" not in HELD
    assert ran(source)[0] == ("tqdm" if reached else None)
    assert ran(source.replace("del sys.modules['tqdm']; ", ""), used=["tqdm"])[0] == "tqdm"
    assert servers.readable(False, ["tqdm"])[0] and not [
        path for path in servers.readable(False, ["tqdm"])[0] if re.search(r"/(tqdm|minigrad)([-.].*)?$", path)
    ]


@pytest.mark.parametrize("layers", [("limits",), HELD], ids=["limits", "all"])
def test_the_environment_is_empty_of_the_teachers(layers, monkeypatch):
    monkeypatch.setenv("TOKEN", "secret")
    assert ran("import os\nx = os.environ.get('TOKEN', 'none')", layers)[0] == "none"


def test_threads_are_allowed():
    source = "import threading\nfound = []\nt = threading.Thread(target=lambda: found.append(3))\nt.start(); t.join()"
    assert ran(source + "\nx = found[0]")[0] == 3


def test_none_needs_consent():
    with pytest.raises(ValueError, match="i-trust-these"):
        Judge(checks("07"), sandbox="none")
    with Judge(checks("07"), sandbox="none", consent=True) as judge:
        assert judge.layers == () and "No sandbox" in judge.caution


def test_limits_alone_need_consent_too():
    with pytest.raises(ValueError, match=r"a submission can read your files.*i-trust-these"):
        Judge(checks("07"), sandbox="limits")
    with Judge(checks("07"), sandbox="limits", consent=True) as judge:
        assert judge.layers == ("limits",) and "a submission can read your files" in judge.caution


def test_a_name_that_is_no_layer():
    with pytest.raises(ValueError, match="unknown sandbox layer 'docker'"):
        choose("docker")


@pytest.mark.skipif(os.name == "nt", reason="a user of their own is a part of Linux")
def test_a_user_of_their_own_needs_a_python_that_others_can_read(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(sandbox_canary, "canary", lambda layers: {})
    monkeypatch.setattr(sandbox_canary, "__file__", "/usr/sandbox_canary.py")
    for name in ("base_prefix", "prefix"):
        monkeypatch.setattr(sys, name, "/usr")
    chosen = choose.__wrapped__  # which keeps nothing of this
    assert chosen("user").layers == ("limits", "user")
    tmp_path.chmod(0o700)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "python"))
    with pytest.raises(ValueError, match="'user' does not hold here: Other users cannot read this Python"):
        chosen("user")


def test_the_doctor_names_every_layer(capsys):
    assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in sandbox_canary.LAYERS)
    assert "  yes  limits" in printed
    assert printed.splitlines()[-1] == sandbox_canary.enough(choose().layers)


@pytest.mark.parametrize(
    ("layers", "words"),
    [
        ((), "No sandbox works here"),
        (("limits",), "it can read your files, change who may use your files, use the network, send signals to your"),
        (("limits", "filters"), "Not enough for strangers' work: it can read your files. Use a container."),
        (("limits", "landlock", "namespaces"), "it can change who may use your files. Use a container."),
        (("limits", "landlock", "filters"), "Enough for strangers' work"),
        (("limits", "bubblewrap"), "Enough for strangers' work"),
    ],
)
def test_it_says_whether_the_layers_are_enough(layers, words):
    assert words in sandbox_canary.enough(layers)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no server where processes cannot be forked")
def test_a_process_that_is_slow_to_end_is_counted_once(monkeypatch):
    rounds = iter([[7, 9], [9], [9], []])
    monkeypatch.setattr(server, "_children", lambda: next(rounds))
    for name in ("kill", "killpg", "waitpid"):
        monkeypatch.setattr(server.os, name, lambda *args: (0, 0))
    assert server._end(7) == 1
