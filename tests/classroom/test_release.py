"""A lesson is made from its source, and only once it is proven."""

import contextlib
import doctest
import importlib
import json
import os
import pkgutil
import socket

import nbformat
import pytest

import minigrad.classroom
from minigrad.classroom.giveaways import given_away
from minigrad.classroom.loading import load
from minigrad.classroom.notebook import SourceError, blank, locked_texts, read, without_solutions
from minigrad.classroom.release import NotReleased, execute, main, release, sources

CHECKS = """
from minigrad.classroom import exercise, floats

@exercise("twice", function="twice(x)")
def twice(c):
    c.value(lambda x: 2 * x, vary=(floats(-3, 3),), says="twice x")
"""
HIDDEN = """
from minigrad.classroom import exercise, mistake

@exercise("guess")
def guess(c):
    c.number(4.0, because={4.0: "Yes."})

@exercise("twice", function="twice(x)")
def twice(c):
    c.wrong("def twice(x): return -2 * x", mistake.sign)
"""
SOURCE = """# %% [markdown]
# # A lesson

# %%
from minigrad.classroom import lesson

check = lesson("90")

# %% exercise="guess"
### BEGIN SOLUTION
guess = 4
### END SOLUTION
check("guess")

# %% tags=["after-prediction"]
print(2 + 2)

# %% exercise="twice"
def twice(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION


check("twice")
"""


@pytest.fixture
def folder(tmp_path):
    """An empty folder of lessons."""
    folder = tmp_path / "lessons"
    (folder / "source").mkdir(parents=True)
    return folder


@pytest.fixture
def made(folder, tmp_path, monkeypatch):
    """A function that makes a lesson of the given source and checks."""
    (tmp_path / "site").mkdir()
    # The kernel looks for the checks where this lesson is.
    (tmp_path / "site" / "sitecustomize.py").write_text(
        "import pathlib\nfrom minigrad.lab import handout\n"
        f"handout.lessons_folder = lambda: pathlib.Path({str(folder)!r})\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"), prepend=os.pathsep)

    def make(source=SOURCE, hidden=HIDDEN, checks=CHECKS):
        (folder / "source" / "90_checks.py").write_text(checks)
        (folder / "source" / "90_hidden.py").write_text(hidden)
        (folder / "source" / "90_small.py").write_text(source)
        return release(folder / "source" / "90_small.py")

    return make


def test_what_is_said_of_a_held_picture_is_folded_and_tagged_text_is_locked(tmp_path):
    source = tmp_path / "90_lesson.py"
    source.write_text(
        '# %% exercise="guess"\nguess = 4\n\n# %% tags=["after-prediction"]\nprint(2 + 2)\n\n# %% [markdown]\n'
        "# **Look: what is `2 + 2`?** It is\n# four.\n#\n# More follows.\n\n"
        '# %% [markdown] tags=["after-prediction"]\n# Four it is.\n\n'
        '# %% [markdown] tags=["after-prediction"]\n# # Really\n\n'
        "# %%\nprint(5)\n\n# %% [markdown]\n# **Look: was it asked?** No.\n"
    )
    notebook = read(source)
    folded, more, open_text = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert folded == "<details><summary>Look: what is <code>2 + 2</code>?</summary>\n\nIt is\nfour.\n\n</details>"
    assert more == "More follows."
    assert open_text == "**Look: was it asked?** No."
    reads = [cell.source for cell in notebook.cells if "check.read" in cell.source]
    head = "# Runs after the prediction guess.\n"
    assert reads == [f'{head}check.read("guess")', f'{head}check.read("guess", 2)']
    assert locked_texts(notebook.cells) == {"guess": ["Four it is.", "# Really"]}
    assert "Really" not in json.dumps(blank(notebook))


LESSON = """# %% [markdown]
# ## 1 · Predictions
#
# **Predict.** How many boxes has the graph?

# %% exercise="boxes"
### BEGIN SOLUTION
boxes = 4
### END SOLUTION

# %% tags=["after-prediction"]
print("four boxes")

# %% [markdown]
# **Predict.** What is the value?
#
# - a) inf
# - b) nan
# - c) 12.5

# %% exercise="value"
### BEGIN SOLUTION
value = "a"
### END SOLUTION

# %% [markdown]
# TEXT

# %% [markdown]
# ## 2 · Something else
#
# Both are inf, in four boxes.
"""
TOLD = """
from minigrad.classroom import exercise

@exercise("boxes")
def boxes(c):
    c.number(4)
    c.tells("each of the squares")

@exercise("value")
def value(c):
    c.choice("a", because={"a": "Yes.", "b": "No.", "c": "No."})
"""


@pytest.mark.cases(20)
@pytest.mark.parametrize(
    ("change", "harmless", "gives"),
    [
        (("TEXT", "Nothing."), "", []),
        (("TEXT", "The value there is inf."), "", ["value"]),
        (("TEXT", "The graph has 4 small boxes."), "", ["boxes"]),
        (("TEXT", "There are four."), "", []),
        (("TEXT", "A box for each of the\n# squares."), "", ["boxes"]),
        (("2 · Something else", "2 · Why four boxes"), "", ["boxes", "value"][:1]),
        (("2 · Something else", "2 · Where inf comes from"), "", ["value"]),
        (('# %% tags=["after-prediction"]\nprint', "# %%\nprint"), "", ["boxes", "boxes"]),
        (("TEXT", "The value there is inf."), 'c.harmless("there is inf", "another number")', []),
        (("TEXT", "Nothing."), 'c.harmless("there is inf", "another number")', ["clears nothing"]),
        (("[markdown]\n# TEXT", '[markdown] tags=["after-prediction"]\n# The value is inf.'), "", []),
        (("# TEXT", "# TEXT\n\n# %%\nfloat('inf')"), "", ["value", "value"]),
        (("# TEXT", "# <details><summary>Look: why?</summary>\n#\n# The value is inf.\n#\n# </details>"), "", []),
        (("# TEXT", "# <details><summary>Look: why inf?</summary>\n#\n# So.\n#\n# </details>"), "", ["value"]),
    ],
)
def test_what_gives_a_prediction_away_is_found(tmp_path, change, harmless, gives):
    """In code, outputs, text and titles, by the words of the answer or by declared words."""
    assert change[0] in LESSON
    source, hidden = tmp_path / "90_lesson.py", tmp_path / "90_hidden.py"
    source.write_text(LESSON.replace(*change))
    hidden.write_text(f"{TOLD}    {harmless}\n")
    notebook = read(source)
    student = blank(notebook)
    for cell in student.cells:
        if cell.cell_type == "code":
            shown = {"float('inf')": "inf", 'print("four boxes")': "four boxes"}.get(cell.source, "")
            cell.outputs = [nbformat.v4.new_output("stream", text=shown)] * bool(shown)
    found = list(given_away(notebook, student, load(hidden)))
    assert len(found) == len(gives)
    for words, sentence in zip(gives, found):
        assert words in sentence


@pytest.mark.skipif(os.name != "posix", reason="kernels have ports on Windows")
def test_a_kernel_starts_although_others_take_what_was_free(monkeypatch):
    """Ports are chosen first, and used only once the kernel has started, seconds later on a busy computer."""
    from jupyter_client.provisioning.local_provisioner import LocalProvisioner
    from nbformat.v4 import new_code_cell, new_notebook

    start, others = LocalProvisioner.launch_kernel, contextlib.ExitStack()

    async def after_others(self, cmd, **options):
        for port in self.parent.ports:
            with contextlib.suppress(OSError):
                others.enter_context(socket.create_server(("127.0.0.1", port)))
        return await start(self, cmd, **options)

    monkeypatch.setattr(LocalProvisioner, "launch_kernel", after_others)
    with others:
        (cell,) = execute(new_notebook(cells=[new_code_cell("print(6 * 7)")])).cells
    assert cell.outputs[0].text == "42\n"


@pytest.mark.slow
def test_the_student_gets_the_lesson_without_its_solutions(made, folder, monkeypatch, capsys):
    path = made()
    notebook = json.loads(path.read_text(encoding="utf-8"))
    _, _, guess, after, twice = notebook["cells"]
    assert "".join(guess["source"]) == 'guess = ...\ncheck("guess")'
    assert "return 2 * x" not in path.read_text(encoding="utf-8")
    assert 'raise NotImplementedError("your code goes here")' in "".join(twice["source"])
    assert [cell["id"] for cell in (guess, twice)] == ["guess", "twice"]
    assert "not answered yet" in json.dumps(guess["outputs"])
    assert after["outputs"][0]["text"] == "4\n"
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    monkeypatch.setattr("minigrad.classroom.release.LESSONS", folder)
    assert main(["--check"]) == 0, "the same source gives the same bytes"
    assert "90_small.ipynb: up to date" in capsys.readouterr().out
    saved = path.read_text(encoding="utf-8")
    path.write_text(stale := saved.replace('"4\\n"', '"5\\n"'), encoding="utf-8")
    assert stale != saved
    assert main(["--check", "90"]) == 1
    assert "90_small.ipynb is stale; write it with the same command without --check" in capsys.readouterr().out
    assert path.read_text(encoding="utf-8") == stale, "nothing is written"


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("return 2 * x", "return 3 * x"), "with its solutions, twice is wrong, not right"),
        (("### BEGIN SOLUTION\nguess", "guess"), "ends that has not begun"),
        (('check("guess")', "pass"), "no cell checks guess"),
        (("print(2 + 2)", "import sys; print(1, file=sys.stderr)"), "writes to stderr"),
        (("print(2 + 2)", "print(object())"), "which differs on another computer"),
        (("print(2 + 2)", "import os; print(os.getcwd())"), "which differs on another computer"),
        (("print(2 + 2)", "1 / 0"), "ZeroDivisionError"),
        (("    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION\n", "    return 2 * x\n"), "twice is right"),
    ],
)
def test_a_lesson_that_is_not_proven_is_not_written(made, folder, change, reason):
    written = folder / "90_small.ipynb"
    written.write_text("an earlier edition")
    assert change[0] in SOURCE
    with pytest.raises((NotReleased, SourceError), match=reason):
        made(SOURCE.replace(*change))
    assert written.read_text() == "an earlier edition"
    assert sorted(path.name for path in folder.iterdir()) == ["90_small.ipynb", "source"]


def test_a_declared_wrong_answer_must_fail_and_be_recognised(made):
    with pytest.raises(NotReleased, match="a wrong answer to twice is right"):
        made(hidden=HIDDEN.replace("return -2 * x", "return 2 * x"))
    with pytest.raises(NotReleased, match="is taken for 'the sign is flipped', not for 'counted twice'"):
        made(hidden=HIDDEN.replace("mistake.sign", "mistake.twice"))


def test_checks_that_tell_an_answer_are_not_released(made):
    with pytest.raises(NotReleased, match=r"90_checks.py, line 7: c.number holds an answer; write it in 90_hidden.py"):
        made(checks=CHECKS + "    c.number(4.0)\n")


@pytest.mark.parametrize(
    ("solution", "stub"),
    [
        ("a = 1\nb = 2", "a = ...\nb = ..."),
        ("import os\na = 1", 'raise NotImplementedError("your code goes here")'),
        ("# only a thought", 'raise NotImplementedError("your code goes here")'),
    ],
)
def test_stubs(solution, stub):
    assert without_solutions(f"x\n### BEGIN SOLUTION\n{solution}\n### END SOLUTION\ny") == f"x\n{stub}\ny"


@pytest.mark.parametrize(
    "source",
    ["### BEGIN SOLUTION\na = 1", "### END SOLUTION", "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION"],
)
def test_markers_that_do_not_match_are_refused(source):
    with pytest.raises(SourceError):
        without_solutions(source)


def test_a_lesson_that_does_not_exist_is_a_sentence(capsys):
    with pytest.raises(SystemExit):
        main(["99"])
    assert "there is no lesson 99; write its number as in 06" in capsys.readouterr().err


def test_cells_keep_their_names_when_others_change(made, tmp_path):
    source = tmp_path / "a.py"
    source.write_text(SOURCE)
    before = [cell.id for cell in read(source).cells]
    source.write_text(SOURCE.replace("# # A lesson", "# # A longer lesson"))
    assert [cell.id for cell in read(source).cells][1:] == before[1:]


def test_a_lesson_that_has_no_checks_is_a_sentence():
    with pytest.raises(ValueError, match="there is no lesson '99' with exercises; there are 00, 01, 02"):
        minigrad.classroom.lesson("99")
    assert minigrad.classroom.lesson(6).number == "06"


def test_the_sources_are_found():
    assert [path.name[:2] for path in sources()][:1] <= ["06"]


def test_examples_in_docstrings(subtests):
    modules = [m.name for m in pkgutil.iter_modules(minigrad.classroom.__path__)]
    tried = 0
    for name in modules:
        module = importlib.import_module(f"minigrad.classroom.{name}")
        namespace = {**vars(module), **vars(minigrad.classroom)}
        with subtests.test(name):
            result = doctest.testmod(module, extraglobs=namespace, optionflags=doctest.ELLIPSIS)
            tried += result.attempted
            assert result.failed == 0
    assert tried
