"""The benchmarks compute what they claim to, and compare only correct results. How fast they run is not tested."""

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="benchmarks/ is part of a clone, not of the installed library")

from benchmarks import contestant
from benchmarks.contest import measure_memory, measure_times, prepared, started
from benchmarks.contestant import Contestant, Fault
from benchmarks.peak import beyond, counted
from benchmarks.peers import PEERS, minigrad_compiled, minigrad_eager, plain, same
from benchmarks.timing import ratios, rounds
from benchmarks.workloads import WORKLOADS
from tests.helpers.tables import over

SLOW = {"large", "scalar-chain", "scalar-mlp", "hessian"}

WRONG = """
class Peer:
    def prepare(self, workload, arrays):
        value, grads = workload.by_hand(*arrays)
        return lambda: (value, [grads[0] * (1 + 1e-6), *grads[1:]])
"""
FAILING = "class Peer:\n    def prepare(self, workload, arrays):\n        return lambda: 1 / 0\n"
SLEEPY = "import time\nclass Peer:\n    def prepare(self, workload, arrays):\n        time.sleep(60)\n"
DYING = "import os\nclass Peer:\n    def prepare(self, workload, arrays):\n        os._exit(1)\n"
ABSENT = "import a_library_that_nobody_has_installed\n"


@pytest.fixture
def peers(tmp_path, monkeypatch):
    """A function that adds contestants, given as the text of their files."""
    monkeypatch.syspath_prepend(tmp_path)

    def add(**texts):
        for name, text in texts.items():
            (tmp_path / f"peer_{name}.py").write_text(text)
            monkeypatch.setitem(PEERS, name, f"peer_{name}")
        return ["by hand", *texts]

    return add


@over([name for name in WORKLOADS if name not in SLOW], [minigrad_eager, minigrad_compiled])
def test_minigrad_computes_the_result_written_by_hand(name, peer):
    work = WORKLOADS[name]
    arrays = work.tiny() if work.tiny else work.arrays()
    run = peer.Peer().prepare(work, arrays)
    for _ in range(2):  # the second call of a compiled function is the first of its program
        assert same(run(), work.by_hand(*arrays))


def test_results_are_compared_number_by_number():
    assert same([np.float64(2.0), [np.ones((2, 2))]], (2.0, np.ones(4)))
    assert not same([1.0, 2.0], [1.0])
    assert [a.tolist() for a in plain([1.0, [[2.0, 3.0], np.arange(2)]])] == [[1.0], [2.0, 3.0], [0.0, 1.0]]


def test_a_small_gradient_is_compared_by_its_own_size():
    large, small = np.full(3, 1e9), np.array([1e-9, 2e-9])
    assert not same((large, small * 1.001), (large, small))
    assert same((large, small * (1 + 1e-10)), (large, small))


def test_a_wrong_result_is_found_before_anything_is_timed(peers):
    with started(peers(wrong=WRONG)) as contestants:
        table, by_hand, faults = measure_times(["mlp"], contestants, 2, 1e-4, lambda name: None, 60)
    assert faults == ["mlp: wrong gives another result than the one by hand"]
    assert table == {"mlp": {"by hand": 1.0}} and by_hand["mlp"] > 0


@pytest.mark.slow
def test_who_fails_sleeps_or_dies_is_left_out_with_a_sentence_and_the_others_run(peers):
    with started(peers(failing=FAILING, dying=DYING, sleepy=SLEEPY)) as contestants:
        right, faults = prepared(contestants, "mlp", timeout=3)
    assert right == ["by hand"]
    assert faults == [
        "mlp: failing raises ZeroDivisionError: division by zero",
        "mlp: dying is gone: its process ended",
        "mlp: sleepy is not ready after 3 seconds",
    ]


def test_who_slept_is_there_again_for_the_next_workload(peers):
    peers(sleepy=SLEEPY.replace("time.sleep(60)", "time.sleep(60 * (workload.name == 'mlp'))"))
    late = Contestant("peer_sleepy")
    try:
        with pytest.raises(Fault, match="is not ready after 1 seconds"):
            late.call("compute", "mlp", timeout=1)
        assert late.call("compute", "custom", timeout=60) is None
    finally:
        late.close()


def test_a_library_that_is_not_installed_is_left_out_silently(peers):
    with started(peers(absent=ABSENT)) as contestants:
        assert list(contestants) == ["by hand"]


def test_a_contestant_that_cannot_do_a_workload_is_left_out_silently():
    with started(["by hand", "minigrad compiled"]) as contestants:
        assert prepared(contestants, "scalar-mlp") == (["by hand"], [])


@pytest.mark.skipif(not counted(), reason="this system does not tell the peak of a process")
def test_the_peak_of_memory_is_that_of_the_arrays():
    peaks, faults = measure_memory(["large"], ["by hand"], lambda name: None, 120)
    assert faults == [] and list(peaks["large"]) == ["by hand"]
    assert peaks["large"]["by hand"].later == pytest.approx(3 * 80e6, rel=0.05)  # two arrays and one that is passing


@pytest.mark.skipif(not counted(), reason="this system does not tell the peak of a process")
def test_what_is_kept_between_calls_counts_and_the_first_calls_count_apart():
    kept, calls = [], []

    def run():
        calls.append(1)
        np.ones(6_000_000 if len(calls) == 1 else 2_000_000).sum()
        kept.append(np.ones(2_000_000)) if len(calls) == 1 else None

    first, later = beyond(run)
    assert first == pytest.approx(48e6, rel=0.1) and later == pytest.approx(32e6, rel=0.1)


def test_all_processes_are_prepared_alike(monkeypatch):
    calls = []
    monkeypatch.setattr(contestant, "prime", lambda: calls.append("prime"))

    class Line:
        def recv(self):
            raise EOFError

    contestant.serve("benchmarks.peers.hand", Line())
    assert calls == ["prime"]


def test_ratios_are_taken_within_rounds():
    times = {"by hand": [1.0, 2.0, 4.0], "other": [3.0, 6.0, 8.0]}
    assert ratios(times, "by hand") == {"by hand": 1.0, "other": 3.0}


def test_every_contestant_runs_in_every_round_in_turns():
    turns = []
    clocks = {name: lambda calls, name=name: turns.append((name, calls)) or 1e-3 for name in "ab"}
    *_, times = rounds(clocks, 5, slot=0.01)
    assert [len(t) for t in times.values()] == [5, 5]
    assert turns[-4:] == [("a", 10), ("b", 10)] * 2


def test_what_is_slow_runs_three_times_only():
    *_, times = rounds({"fast": lambda calls: 1e-3, "slow": lambda calls: 3.0}, 5)
    assert [len(t) for t in times.values()] == [5, 3]
