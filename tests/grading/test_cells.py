"""A cell as statements: magics run their body or are left out, and a bad line costs only its own cell."""

import pytest

from minigrad.runner.cell_statements import statements


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


RIGHT = "def f(x):\n    return x"
SHELL = {
    "%matplotlib inline\nk = (17\n     % 5)": {"k": 2},
    "%matplotlib inline\nk = 17 \\\n    % 5": {"k": 2},
    "%%time\nk = (17\n     % 5)": {"k": 2},
    "%matplotlib inline\ntext = '''\n% a table\n! important\n? open\n'''": {
        "text": "\n% a table\n! important\n? open\n"
    },
    "!pip list\ntext = ('%s of %s'\n        % (1, 2))": {"text": "1 of 2"},
    "h = mg.where?": {},
    "if True:\n    %matplotlib inline\n    k = 1": {"k": 1},
    "!pip install -q \\\n    numpy": {},
    "files = !ls -l | head": {},
    "t = %timeit -o -q 1+1": {},
    "help?\n?mg.where\nmg.where??": {},
    "try:\n    import nowhere\nexcept ImportError:\n    !pip install -q nowhere": {},
    "%matplotlib inline\n   # a comment": {},
    "%timeit -n 3 k = 2": {"k": 2},
}


@pytest.mark.parametrize("before", SHELL)
def test_a_magic_costs_nothing_of_its_cell(before):
    found, notes = names(f"{before}\n{RIGHT}")
    assert found.pop("f")(3) == 3
    assert found == SHELL[before]
    assert all("left out" in note for note in notes)


def test_the_line_of_an_error_below_a_magic_is_that_of_the_cell():
    found, _ = statements("\n%%time\nb = 1 / 0", 5)
    with pytest.raises(ZeroDivisionError) as caught:
        exec(found[0], {})
    assert caught.traceback[-1].lineno + 1 == 3


@pytest.mark.parametrize(
    "source",
    [
        ">>> x = 1\n>>> y = 2",
        "In [1]: x = 1\n\nIn [2]: y = 2",
        "In [7]: x = 1\n   ...: y = 2",
        ">>> if True:\n...     x, y = 1, 2",
    ],
)
def test_prompts_that_were_copied_along_are_taken_away(source):
    assert names(source) == ({"x": 1, "y": 2}, [])


@pytest.mark.parametrize("line", [",print a b", ";print a b", "/print a"])
def test_a_call_as_only_ipython_reads_it_costs_nothing_else(line):
    assert names(f"a = x = 1\n{line}\ny = 2")[0] == {"a": 1, "x": 1, "y": 2}


def test_a_magic_that_is_called_is_left_out():
    source = "get_ipython().run_line_magic('matplotlib', 'inline')\nget_ipython().system('ls')\nx = 1"
    notes = ["Cell 3: '%matplotlib inline' was left out.", "Cell 3: '!ls' was left out."]
    assert names(source) == ({"x": 1}, notes)
