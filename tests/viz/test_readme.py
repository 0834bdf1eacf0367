"""The README is true: its program prints what it shows, its links lead to files, its numbers are right."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad as mg

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.numbers
def test_the_program_prints_what_is_shown_below_it(tmp_path):
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (shown,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    (tmp_path / "first.py").write_text(program, encoding="utf-8")
    strict = [sys.executable, "-X", "utf8", "-W", "error", "first.py"]
    ran = subprocess.run(strict, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert (ran.stdout, ran.stderr) == (shown, "")
    assert len([line for line in program.splitlines() if line]) <= 20
    page = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert "the rule 1. The rule repairs the nan." in page


def test_the_lines_on_the_page_of_views_run_from_top_to_bottom():
    for package in ("matplotlib", "anywidget"):
        pytest.importorskip(package)
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "views.md").read_text("utf-8"), re.DOTALL)
    exec(program, {"__name__": "views"})


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/decisions.md", "docs/maintaining.md"])
def test_every_link_and_every_path_leads_to_a_file(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
    found = [(ROOT / page).parent / (a or b) for a, b in links if "://" not in a + b]
    rooms = r"`((?:minigrad|viz|tests|lessons|docs|benchmarks|\.ci|\.github)/[\w./-]*)`"
    found += [ROOT / path for path in re.findall(rooms, text)]
    assert found
    assert [str(path.relative_to(ROOT)) for path in found if not path.exists()] == []


def times():
    """The rows of the table of times in benchmarks/README.md, as numbers by library."""
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8").partition("\n## Time\n")[2]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    table = [dict(zip(rows[0], row)) for row in rows[2:] if len(row) == len(rows[0]) and row[0] != "workload"]
    return [
        {name: float(n.replace(",", "")) for name, n in row.items() if re.fullmatch(r"[\d.,]+", n)} for row in table
    ]


def test_what_it_says_of_speed_is_in_the_table_of_the_benchmarks():
    rows = times()
    pytorch = [row["minigrad"] / row["PyTorch"] for row in rows]
    jax = [row for row in rows if "JAX jit" in row]
    slower = sum(row["JAX jit"] < row["minigrad"] for row in jax)
    compiled = sum(row["JAX jit"] > row["minigrad compiled"] for row in jax)
    assert max(pytorch) < 1
    took = f"minigrad took {min(pytorch):.2f} to {max(pytorch):.2f} times as long as PyTorch on the CPU"
    assert f"On [this machine](benchmarks/README.md), {took} on all {len(rows)} workloads." in README
    assert f"On the {len(jax)} that were also measured in JAX" in README
    assert f"faster than minigrad on {slower}, and slower than `mg.compile` on {compiled}." in README
    page = " ".join((ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8").split())
    assert "less time than PyTorch in 14 to 17 of 17, and at most 1.24 of it" in page, "measured apart from the table"
    assert "faster than PyTorch on 14 to 17 of the 17, and took at most 1.24 times its time" in README


def test_its_other_numbers():
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "minigrad.ops"], capture_output=True, text=True, encoding="utf-8"
    )
    (ops,) = re.search(r"^(\d+) ops: \d+ primitive", ran.stdout, re.MULTILINE).groups()
    assert f"one declaration per op, {ops} in all" in README
    assert f"Version {mg.__version__}" in README
    last = max(int(path.name[:2]) for path in (ROOT / "lessons").glob("[0-9]*.ipynb"))
    assert README.count(f"0 to {last}") == 2
