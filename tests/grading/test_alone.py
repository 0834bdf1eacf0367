"""A process that is started alone answers as one that a server forked."""

import pytest

from minigrad.grading.allowance import Limits
from minigrad.grading.alone import Alone
from minigrad.grading.process import Process, Stopped
from minigrad.grading.servers import Server
from minigrad.grading.submission import Cell

CELLS = [Cell("import os, time\ndef twice(x):\n    return 2 * x\ndef end():\n    os._exit(0)", 1)]


@pytest.fixture(params=[Alone, Server], ids=["alone", "forked"])
def process(request):
    server = request.param(True, Limits(), ("limits",))
    process = Process(server, CELLS)
    yield process
    process.end()
    server.close()


def called(process, name, *args):
    number = process.reply_to({"do": "has", "names": [name]}, 5.0, print)["ok"][name]["object"]
    return process.reply_to({"do": "evaluate", "tree": {"call": {"object": number}, "args": list(args)}}, 5.0, print)


def test_it_answers(process):
    assert called(process, "twice", 3.0)["ok"] == 6.0


def test_it_starts_again_when_it_has_ended(process):
    with pytest.raises(Stopped, match="ended the process"):
        called(process, "end")
    assert called(process, "twice", 4.0)["ok"] == 8.0
    assert process.generation == 2
