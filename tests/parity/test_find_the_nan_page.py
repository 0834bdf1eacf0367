"""The examples of lessons/FIND_THE_NAN.md print the lines that the page says."""

import importlib.util
import re
from pathlib import Path

import pytest

from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
PAGE = (Path(__file__).parents[2] / "lessons" / "FIND_THE_NAN.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```(?:(?!```).)*?\n\n((?:    [^\n]*\n)+)", PAGE, re.DOTALL)
#: Further lines of the page that the second example prints, the loop.
MORE = {1: re.findall(r"\n    (tried  : .*)\n", PAGE)}
IMPORTS = {"torch": "PyTorch", "jax": "JAX", "tensorflow": "TensorFlow"}


def test_each_framework_has_an_example():
    assert [re.match(r"import (\w+)", code)[1] for code, _ in EXAMPLES] == [
        "torch", "torch", "jax", "tensorflow", "torch", "torch", "torch"
    ]  # fmt: skip


@pytest.mark.parametrize("which", range(7), ids=["function", "loop", "JAX", "TensorFlow", "place", "digits", "zero"])
def test_an_example_prints_the_lines(which, capsys):
    code, lines = EXAMPLES[which]
    package = re.match(r"import (\w+)", code)[1]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{IMPORTS[package]} is not installed")
    try:
        programs.executed(code)
        said = capsys.readouterr().out
    except FloatingPointError as found:
        said = str(found)
    lines = [line.strip() for line in lines.splitlines()] + MORE.get(which, [])
    assert lines and [line for line in lines if line not in said] == []
