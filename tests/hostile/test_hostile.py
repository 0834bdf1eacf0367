"""Every hostile submission is graded as it deserves, in each layer; nothing is lost, and nothing is left behind."""

import dataclasses
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minigrad.grading.judge import Judge
from minigrad.grading.sandbox_canary import choose
from minigrad.grading.submitted_notebook import Cell, Submission
from minigrad.runner.budgets import Limits
from minigrad.runner.process import SERVER_ENDED
from tests.hostile.answers import DERIVATIVES, NUMBERS
from tests.hostile.assignment import CHECKS, HIDDEN, SETUP, SOURCE
from tests.hostile.insides import HONEST, INSIDES
from tests.hostile.rows import BREAKING, MEAN, REACHING, TANH, Row
from tests.hostile.test_assignments import RIGHT
from tests.hostile.types_and_hooks import TYPES_AND_HOOKS

pytestmark = pytest.mark.hostile

ROOT = Path(__file__).parents[2]
HELD = choose().layers
#: Only the limits, and all layers that work here together. Answers that are merely wrong are tried in the latter.
LAYERS = {"limits": ("limits",), "all": HELD}
ANSWERS = [*NUMBERS, *DERIVATIVES, *TYPES_AND_HOOKS, *INSIDES, *HONEST]
ROWS = [*BREAKING, *REACHING, *ANSWERS]
REACH = [(row, name) for row in [*BREAKING, *REACHING] for name in LAYERS if not row.needs or row.needs in LAYERS[name]]
TRIED = [*REACH, *[(row, "all") for row in ANSWERS]]
#: One of each kind, which the quick mode tries too, with the layers.
SMOKE = {
    ("never ends below the answer", "limits"), ("os._exit in a function", "all"), ("a crash in a cell", "limits"),
    ("too much memory in a cell", "limits"), ("forks", "limits"), ("forks in an answer", "all"),
    ("signals to all", "all"), ("writes a file", "all"), ("reads the tests", "all"),
    ("changes who may use a file", "all"),
    ("garbage on every descriptor", "all"), ("central differences", "all"), ("a float that equals everything", "all"),
    ("np.allclose replaced", "all"), ("gradients replaced by one that repairs inf", "all"), ("forged: a cycle", "all"),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    for name, text in (("checks.py", CHECKS), ("hidden.py", HIDDEN), ("hw1.py", SOURCE)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    """A folder that no submission may change."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "gradebook").write_text("0")
    return outside


@pytest.fixture(scope="module")
def judges(folder):
    limits = Limits(call=1.0, statement=1.0, submission=8.0, judging=10.0)  # most rows wait for one of them
    made = {name: Judge(folder, ",".join(layers), limits, consent=True) for name, layers in LAYERS.items()}
    yield made
    for judge in made.values():
        judge.close()


def submission(row, folder, outside):
    sources = (f"{SETUP}\n{row.before}", row.q1, row.q2, row.q3, row.after)
    cells = [
        Cell(s.replace("OUTSIDE", repr(str(outside))).replace("HOMEWORK", repr(str(folder))), i + 1)
        for i, s in enumerate(sources)
    ]
    return Submission("ada", "ada.ipynb", "00", tuple(cells))


def children(pid):
    try:
        return [int(n) for task in Path(f"/proc/{pid}/task").iterdir() for n in (task / "children").read_text().split()]
    except OSError:
        return []


def everyone_below(pid):
    found = children(pid)
    return found + [n for child in found for n in everyone_below(child)]


def within(server):
    """The server itself where bubblewrap was started around it, which consists of two processes."""
    while Path(f"/proc/{server}/comm").read_text() == "bwrap\n":
        (server,) = children(server)
    return server


def content(folder):
    return sorted((str(p.relative_to(folder)), p.read_bytes() if p.is_file() else b"") for p in folder.rglob("*"))


@pytest.mark.smoke
def test_the_tables_are_as_long_as_promised():
    hostile = [row for row in ROWS if row.marks != Row("").marks or row in REACHING]
    honest = [row for row in ANSWERS if row not in hostile]
    spellings = [file.read_text("utf-8").count("\n#: ") for file in (ROOT / "tests/lessons/spellings").iterdir()]
    assert len(hostile) >= 200 and len(honest) + len(RIGHT) + sum(spellings) >= 60
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert {row for row, _ in SMOKE} <= {row.name for row in ROWS}


def tried(row, layers):
    smoke = [pytest.mark.smoke] * ((row.name, layers) in SMOKE)
    return pytest.param(row, layers, id=f"{row.name}, {layers}", marks=smoke)


@pytest.mark.cases(len(SMOKE))
@pytest.mark.parametrize("row, layers", [tried(row, layers) for row, layers in TRIED])
def test_it_is_graded_as_it_deserves(row, layers, judges, folder, outside, monkeypatch):
    judge = judges[layers]
    if None in row.marks:  # it sleeps until its time is over, which is longer on a busy computer
        monkeypatch.setattr(os, "getloadavg", lambda: (1.0, 1.0, 1.0), raising=False)
    before = content(outside)
    report = judge.judge(submission(row, folder, outside))
    assert tuple(mark.marks for mark in report.results) == row.marks, [
        (m.words, m.why) for m in report.results
    ] + report.notes
    assert report.status == "graded" and report.sandbox == LAYERS[layers]
    assert json.dumps(dataclasses.asdict(report), ensure_ascii=False).encode()  # a gradebook can hold it
    assert row.note in "\n".join(report.notes)
    told = [f"{mark.words} {mark.mistake}" for mark in report.results if mark.state != "right"]
    assert not row.words or row.words in told[0]
    left = [pid for server in children(judge.worker) for pid in everyone_below(within(server))]
    assert left == []
    if row.needs != "landlock" or "landlock" in LAYERS[layers]:
        assert [item for item in content(outside) if item not in before or item[1]] == [("gradebook", b"0")]


@pytest.mark.smoke
@pytest.mark.parametrize("layers", LAYERS)
def test_afterwards_an_honest_submission_has_full_marks(layers, judges, folder, outside):
    report = judges[layers].judge(submission(Row("honest"), folder, outside))
    assert (report.marks, report.notes) == (10.0, [])


def test_processes_of_others_live(judges):
    assert os.getppid() and all(judge.worker for judge in judges.values())


#: A recorded graph whose one sum of products takes years, and does not let other threads run meanwhile.
HEAVY = """import base64, minigrad.graphs
@mg.custom_gradient
def safe_sqrt(x):
    return mg.sqrt(x), lambda u: u
def write(*a, **k):
    zeros = {"array": "float64", "shape": [60, 60], "bytes": base64.b64encode(np.zeros((60, 60)).tobytes()).decode()}
    pairs = ",".join(a + b for a in "abcdefgh" for b in "abcdefgh" if a < b)
    return {"params": [0], "out": [3], "nodes": [
        [1, "op", "add", [{"node": 0}, zeros], {}],
        [2, "op", "einsum", [{"node": 1}] * 28, {"subscripts": pairs + "->"}],
        [3, "op", "add", [{"node": 2}, {"node": 0}], {}]]}
minigrad.graphs.write = write
"""


def test_a_graph_that_is_too_heavy_ends_the_work_on_it_and_nothing_else(folder, outside):
    row = Row("heavy", q3=HEAVY)
    with Judge(folder, limits=Limits(judging=2.0, submission=2.0)) as judge:
        report = judge.judge(submission(row, folder, outside))
        assert [mark.marks for mark in report.results] == [2, 3, 0]
        assert "took too long" in report.results[2].words
        assert judge.judge(submission(Row("honest"), folder, outside)).marks == 10


ENDS_THE_SERVER = "os.kill(os.getppid(), 9); time.sleep(60)"
IMPORTS = "import os, time\n"


@pytest.mark.parametrize(
    "row, marks, said",
    [
        (
            Row("in a cell", after=IMPORTS + "if True: " + ENDS_THE_SERVER),
            [2, 3, 5],
            "ended the process and was left out",
        ),
        (Row("in a function", q2=IMPORTS + MEAN + ENDS_THE_SERVER), [2, None, 5], SERVER_ENDED),
        (
            Row("in two functions", q1=IMPORTS + TANH + ENDS_THE_SERVER, q2=IMPORTS + MEAN + ENDS_THE_SERVER),
            [None, None, 5],
            SERVER_ENDED,
        ),
    ],
    ids=lambda x: x.name if isinstance(x, Row) else "",
)
def test_who_ends_the_server_loses_no_more_than_that(row, marks, said, judges, folder, outside):
    judge = judges["limits"]
    report = judge.judge(submission(row, folder, outside))
    assert [mark.marks for mark in report.results] == marks
    assert said in " ".join([*report.notes, *[mark.words + mark.why for mark in report.results]])
    assert judge.judge(submission(Row("honest"), folder, outside)).marks == 10


def test_each_submission_is_another_students_and_sees_nothing_of_the_one_before(judges, folder, outside):
    judge = judges["limits"]
    leave = Row("leave", before="import sys, builtins\nbuiltins.left = sys.left = 1")
    find = Row(
        "find", q2="import sys, builtins\nmean_square = getattr(builtins, 'left', None) or getattr(sys, 'left', None)"
    )
    judge.judge(submission(leave, folder, outside))
    report = judge.judge(submission(find, folder, outside))
    assert [mark.state for mark in report.results] == ["right", "unanswered", "right"]


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def used(pid):
    """The seconds of processor time that a process has used."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def wait(until):
    deadline = time.monotonic() + 60
    while not until() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert until()


def test_all_of_it_ends_with_the_judge(folder, outside):
    judge = Judge(folder)
    judge.judge(submission(Row("honest"), folder, outside))
    pids = [judge.worker, *everyone_below(judge.worker)]
    judge.close()
    wait(lambda: not any(map(runs, pids)))


@pytest.mark.parametrize("layers", LAYERS)
def test_all_of_it_ends_with_a_judge_that_is_killed_while_a_submission_runs(layers, folder, tmp_path):
    begun = tmp_path / "judging"
    code = f"""
from minigrad.grading.judge import Judge, Limits
from minigrad.grading.submitted_notebook import Cell, Submission
limits = Limits(statement=600.0, submission=600.0, judging=600.0)
with Judge({str(folder)!r}, {",".join(LAYERS[layers])!r}, limits, consent=True) as judge:
    judge.judge(Submission("ada", "ada.ipynb", "00", (Cell("x = 1", 1),)))
    open({str(begun)!r}, "w").close()
    judge.judge(Submission("ben", "ben.ipynb", "00", (Cell("while True: pass", 1),)))
"""
    grading = subprocess.Popen([sys.executable, "-c", code])
    wait(lambda: begun.exists() and any(used(pid) > 1 for pid in everyone_below(grading.pid) if not children(pid)))
    pids = everyone_below(grading.pid)
    grading.kill()
    grading.wait()
    wait(lambda: not any(map(runs, pids)))


def test_it_ends_soon_after_a_judge_that_is_killed_while_its_worker_is_held_up(folder, tmp_path):
    begun = tmp_path / "judging"
    code = f"""
import minigrad.grading.judge as judge
from minigrad.grading.judge import Judge, Limits
from tests.hostile.test_hostile import HEAVY, Row, submission
judge.busy = lambda: 100.0  # so that it does not end the worker itself
with Judge({str(folder)!r}, limits=Limits(judging=0.5, submission=0.5)) as judge:
    judge.judge(submission(Row("honest"), {str(folder)!r}, {str(tmp_path)!r}))
    open({str(begun)!r}, "w").close()
    judge.judge(submission(Row("heavy", q3=HEAVY), {str(folder)!r}, {str(tmp_path)!r}))
"""
    grading = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    wait(begun.exists)
    (worker,) = children(grading.pid)
    before = used(worker)
    wait(lambda: used(worker) > before + 1)
    grading.kill()
    grading.wait()
    wait(lambda: not runs(worker))
