"""The benchmarks compute what they say, and their report reads as it should. How fast they run is not tested."""

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="benchmarks/ is part of a clone, not of the installed library")

from benchmarks.__main__ import main
from benchmarks.growth import Growth
from benchmarks.peers import faults, installed, plain, same
from benchmarks.report import grid, markdown, number
from benchmarks.timing import ratios, rounds
from benchmarks.workloads import WORKLOADS

SLOW = {"large", "scalar-chain", "scalar-mlp", "hessian"}
PEERS = installed(["minigrad", "minigrad compiled"])


@pytest.mark.parametrize("name", [name for name in WORKLOADS if name not in SLOW])
def test_minigrad_answers_as_the_answer_written_by_hand(name):
    work, arrays = WORKLOADS[name], WORKLOADS[name].arrays()
    contestants = {who: peer.prepare(work, arrays) for who, peer in PEERS.items()}
    assert faults({who: thunk for who, thunk in contestants.items() if thunk is not None}) == []


def test_a_wrong_answer_is_found_and_named():
    right, wrong = (lambda: (1.0, [np.ones(3)])), (lambda: (1.0, [np.array([1.0, 1.0, 1.001])]))
    failing = lambda: 1 / 0
    found = dict(faults({"by hand": right, "a": right, "b": wrong, "c": failing}))
    assert set(found) == {"b", "c"}
    assert found["b"] == "gives another answer" and "ZeroDivisionError" in found["c"]


def test_answers_are_compared_number_by_number():
    assert same([np.float64(2.0), [np.ones((2, 2))]], (2.0, np.ones(4)))
    assert not same([1.0, 2.0], [1.0])
    assert [a.tolist() for a in plain([1.0, [2.0, np.arange(2)]])] == [[1.0], [2.0], [0.0, 1.0]]


def test_ratios_are_taken_within_rounds():
    times = {"by hand": [1.0, 2.0, 4.0], "other": [3.0, 6.0, 8.0]}
    assert ratios(times, "by hand") == {"by hand": 1.0, "other": 3.0}


def test_every_contestant_runs_in_every_round():
    seen = list(rounds({"a": lambda: None, "b": lambda: None}, 2, slot=1e-5))
    assert [len(t) for t in seen[-1].values()] == [2, 2]


def test_the_power_of_growth_is_the_slope_in_log_log():
    g = Growth("depth", "ops", [10, 100, 1000], [1e-3, 1e-1, 1e1], [10, 100, 1000])
    assert g.power == pytest.approx([2.0, 1.0])


def test_the_report_is_markdown():
    table = {"mlp": {"by hand": 1.0, "minigrad": 2.5}, "chain": {"by hand": 1.0, "minigrad": 3.0, "JAX jit": 0.2}}
    text = markdown(table, [], {"numpy": 60.0}, "versions")
    assert "| MLP 64-32-10, batch 32 | 2.50 |  |" in text and "| numpy | 60 |" in text
    assert grid(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"
    assert [number(x) for x in (None, 0.123, 12.34, 1234.5)] == ["", "0.12", "12.3", "1,234"]


def test_an_unknown_workload_is_refused_with_the_list_of_those_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["nonsense"])
    assert "no workload is called nonsense; there are mlp, medium" in capsys.readouterr().err
