"""The examples of lessons/FIND_THE_NAN.md print the lines that the page says."""

import importlib.util
import re
from pathlib import Path

import pytest

from tests.parity import bridge_programs as programs

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
PAGE = (Path(__file__).parents[2] / "lessons" / "FIND_THE_NAN.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```.*?\n    (write  : .*?)\n", PAGE, re.DOTALL)
IMPORTS = {"torch": "PyTorch", "jax": "JAX", "tensorflow": "TensorFlow"}


def test_each_framework_has_an_example():
    assert [re.match(r"import (\w+)", code)[1] for code, _ in EXAMPLES] == ["torch", "torch", "jax", "tensorflow"]


@pytest.mark.parametrize("code, line", EXAMPLES, ids=["function", "loop", "JAX", "TensorFlow"])
def test_an_example_prints_the_line(code, line, capsys):
    package = re.match(r"import (\w+)", code)[1]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{IMPORTS[package]} is not installed")
    try:
        programs.executed(code)
        said = capsys.readouterr().out
    except FloatingPointError as found:
        said = str(found)
    assert line in said
