"""A mistake in a file of checks is reported in a sentence with its line."""

import pytest

from minigrad.classroom.loading import AuthoringError, failing_references, load

HEAD = "from minigrad.classroom import exercise, floats\n@exercise('a', function='a(x)')\ndef a(c):\n    "


@pytest.fixture
def written(tmp_path):
    """A function that writes a file of checks and returns its path."""

    def write(line):
        (tmp_path / "hw1_checks.py").write_text(HEAD + line + "\n")
        return tmp_path / "hw1_checks.py"

    return write


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("c.gradient(forward='tahn', vary=(floats(-4, 4),))", "there is no op 'tahn'; did you mean 'tanh'?"),
        ("c.gradient(forward='tanh', vary=floats(-4, 4))", "vary of "),
        ("c.example(1.0, 2.0)", "the arguments of an example are a tuple: write c.example((1.0,), ...)"),
        ("c.exmaple((1.0,), 2.0)", "AttributeError: "),
        ("c.number(3.0, whithin=2)", "TypeError: "),
        ("return [][1]", "IndexError: list index out of range"),
    ],
)
def test_a_declaration_that_cannot_be_used(written, line, words):
    with pytest.raises(AuthoringError) as problem:
        load(written(line))
    assert str(problem.value).startswith(f"hw1_checks.py, line 4: {words}")


def test_a_truth_that_raises_an_exception_is_named_with_its_input(written):
    path = written("c.value(lambda x: 1 / x, vary=(floats(0, 4),), says='one over x')")
    (sentence,) = failing_references(load(path)["a"], path)
    assert sentence.startswith("hw1_checks.py, line 4: ZeroDivisionError")
    assert sentence.endswith("(the truth of 'one over x', a, at 0)")
    path = written("c.value(lambda x: x, vary=(floats(0, 4),), says='x')")
    assert list(failing_references(load(path)["a"], path)) == []
