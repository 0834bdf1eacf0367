"""What the README shows runs as it stands there."""

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_code_of_the_readme_runs_from_top_to_bottom():
    for package in ("matplotlib", "anywidget"):
        pytest.importorskip(package)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    space = {}
    for block in blocks:
        exec(block, space)
    assert {"log1pexp", "slope"} <= set(space)
