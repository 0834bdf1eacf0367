"""The kernels of other processors, on which stated numbers are tested, really run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import kernels

ROOT = Path(__file__).parent.parent
WHERE = """
import json, numpy as np
from numpy._core import _multiarray_umath as built
from tests.kernels import running
print(json.dumps([running(), [name for name in built.__cpu_dispatch__ if built.__cpu_features__[name]]]))
"""


@pytest.mark.numbers
def test_the_kernels_are_those_that_were_asked_for():
    asked = os.environ.get("OPENBLAS_CORETYPE")
    found = kernels.running()
    if not asked or found is None:
        pytest.skip("OPENBLAS_CORETYPE names no kernels, or NumPy computes without OpenBLAS")
    assert found[0] in (asked, kernels.INSTEAD.get(asked))
    assert "OPENBLAS_L2_SIZE" not in os.environ
    if threads := os.environ.get("OPENBLAS_NUM_THREADS"):
        assert found[1] <= int(threads)


@pytest.mark.parametrize("kernel", kernels.KERNELS)
def test_a_process_with_these_variables_runs_the_kernels_and_the_loops(kernel):
    if reason := kernels.hindrance(kernel):
        pytest.skip(reason)
    command = [sys.executable, "-W", "error", "-c", WHERE]
    run = subprocess.run(command, env=kernels.environment(kernel), cwd=ROOT, capture_output=True, text=True, check=True)
    (name, threads), loops = json.loads(run.stdout)
    assert name in (kernel, kernels.INSTEAD.get(kernel)) and threads == 1
    assert set(loops) <= kernels.KERNELS[kernel]


def test_the_others_are_not_the_own_and_not_twice_the_same(monkeypatch):
    monkeypatch.setattr(kernels, "hindrance", lambda kernel: None)
    for own, expected in {
        "SkylakeX": ["Haswell", "Sandybridge"],
        "Haswell": ["SkylakeX", "Sandybridge"],
        "Zen": ["SkylakeX", "Sandybridge"],
        "Nehalem": ["Haswell", "SkylakeX"],
    }.items():
        monkeypatch.setattr(kernels, "running", lambda own=own: (own, 2))
        assert kernels.others(2) == expected


def test_what_cannot_run_here_is_skipped_with_the_reason(monkeypatch, capsys):
    monkeypatch.setattr(kernels, "running", lambda: None)
    assert kernels.main(["--others", "2"]) == 0
    assert "skipped, as NumPy computes with" in capsys.readouterr().out
    monkeypatch.undo()
    monkeypatch.setattr(kernels, "running", lambda: ("Haswell", 2))
    monkeypatch.setitem(kernels.NEEDS, "SkylakeX", "AVX1024")
    assert kernels.main(["SkylakeX"]) == 0
    assert "this processor has no AVX1024" in capsys.readouterr().out


def test_a_test_that_fails_under_a_kernel_fails_the_run(tmp_path, monkeypatch):
    kernel = next((name for name in kernels.KERNELS if kernels.hindrance(name) is None), None)
    if kernel is None:
        pytest.skip("none of the kernels runs here")
    (tmp_path / "test_it.py").write_text("import os\ndef test_it(): assert os.environ['OPENBLAS_CORETYPE'] == 'x'\n")
    monkeypatch.chdir(tmp_path)
    assert kernels.main([kernel, "--pytest", "test_it.py"]) == 1
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n")
    assert kernels.main([kernel, "--pytest", "test_it.py"]) == 0
