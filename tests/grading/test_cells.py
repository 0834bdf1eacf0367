"""A cell as statements: magics run their body or are left out, and one bad line loses its own cell only."""

import pytest

from minigrad.runner.cells import statements


def names(source):
    """The names that the statements of a cell define, and the notes."""
    space = {}
    found, notes = statements(source, 3)
    for code in found:
        exec(code, space)
    return {name: x for name, x in space.items() if name != "__builtins__"}, notes


@pytest.mark.parametrize("magic", ["%%time", "%%capture", "%%timeit -n 1", "\n%%time"])
def test_a_magic_of_the_whole_cell_runs_its_body(magic):
    assert names(f"{magic}\nx = 1") == ({"x": 1}, [])


def test_a_cell_of_another_language_is_left_out():
    assert names("%%bash\nrm -rf /") == ({}, ["Cell 3: the cell of %%bash was left out."])


@pytest.mark.parametrize("line", ["%matplotlib inline", "!pip install torch", "%pip install x", "f?", "files = !ls"])
def test_a_line_for_the_shell_is_left_out_with_a_note(line):
    assert names(f"x = 1\n{line}\ny = 2") == ({"x": 1, "y": 2}, [f"Cell 3: {line!r} was left out."])


def test_a_timed_line_runs():
    assert names("%time x = 1")[0] == {"x": 1}


def test_a_line_for_the_shell_inside_of_a_block():
    assert names("if True:\n    !ls\nx = 1")[0] == {"x": 1}


def test_text_that_looks_like_a_magic_stays():
    assert names('x = """\n%time\n!ls\n"""') == ({"x": "\n%time\n!ls\n"}, [])


def test_a_syntax_error_names_its_cell_and_line():
    assert names("x = 1\ny = (") == ({}, ["Cell 3, line 2: SyntaxError: '(' was never closed"])


@pytest.mark.parametrize("source", ["", "   ", "x = \0", "(" * 5000, "# only a comment"])
def test_no_source_ends_the_process(source):
    assert names(source)[0] == {}


def test_each_statement_keeps_its_line():
    found, _ = statements("a = 1\n\nb = 1 / 0", 5)
    with pytest.raises(ZeroDivisionError) as caught:
        exec(found[1], {})
    assert caught.traceback[-1].lineno + 1 == 3
