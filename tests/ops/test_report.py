"""The list of ops that `python -m minigrad.ops` prints."""

import subprocess
import sys

from minigrad.core.op import OPS
from minigrad.ops.__main__ import groups, markdown, plain


def test_the_report_lists_every_op_under_the_file_that_declares_it():
    by_file = groups()
    assert sum(map(len, by_file.values())) == len(OPS)
    assert {"add", "sqrt", "floor_divide"} <= {op.name for op in by_file["arithmetic"]}
    assert {"equal", "floor", "isnan"} <= {op.name for op in by_file["comparison"]}
    assert {"where", "maximum", "clip"} <= {op.name for op in by_file["choose"]}


def test_the_report_says_kind_formula_and_names():
    assert "1 / a" in plain() and "tf math.log" in plain()
    assert "| `log` | primitive | $\\log a$ | 1 / a | tf math.log, keras log, torch log, jax log |" in markdown()


def test_the_report_runs_from_the_command_line():
    done = subprocess.run([sys.executable, "-m", "minigrad.ops"], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("constant (no gradient).")
