"""Reports in one process: each equals that of a fresh process, whatever was reported before."""

import ast
import contextlib
import linecache
import random
import re
import threading

import numpy as np
import pytest

import minigrad as mg
from minigrad.diagnostics.edits import edited
from minigrad.diagnostics.user_expressions import source_of as parsed
from tests.diagnostics.nan_programs import executed, lines_remembered, read, source_of, tensors

#: A program that binds the module's name prevents the edits of all others in its file, and a class replaces an earlier
#: one of the same name.
PROGRAMS = {
    name: program
    for file in ("known", "strangers", "traps", "textbooks")
    for name, program in read(file).items()
    if not re.search(r"\bmg = ", program.body) and name != "attribute input"
}
COSINE = "mg.sum(a * b) / (mg.sqrt(mg.sum(a * a)) * mg.sqrt(mg.sum(b * b)))"


def one_file(programs, name):
    """The functions of several programs, by their names, in one file."""
    head, parts = "import minigrad as mg\nimport numpy as np\n\n\n", []
    for i, program in enumerate(programs.values()):
        text = source_of(program).removeprefix(head).replace("\nprogram = f\n", f"\nprogram_{i} = f\n")
        parts.append(text.replace("def program(", f"def program_{i}("))
    return module(head + "\n\n".join(parts), name)


def module(source, name):
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    space = {}
    exec(compile(source, name, "exec"), space)
    return space, source


def report(function, program):
    """What is said of a program, without the numbers of lines and the names of files; and its edits as text."""
    inputs = tensors(program.inputs, program.dtype)
    with np.errstate(all="ignore"):
        try:
            found = mg.find_nan(function(*inputs.values()), names=inputs)
        except (ArithmeticError, ValueError) as error:
            return str(error)
    lines = re.sub(r"line +\d+ *|\S+\.py:\d+", "line", str(found))
    words = " ".join(re.sub(r" +(?=:)", "", lines).split())  # the width of a column depends on the numbers of lines
    plain = lambda text: re.sub(r"\b(divisor|inner|safe)_+", r"\1", text)  # names that another program took
    return plain(words), [plain(edit.text) for edit in found.repair.edits]


def test_each_report_in_one_file_is_that_in_a_file_of_its_own(sampled):
    programs = {name: PROGRAMS[name] for name in sampled(list(PROGRAMS), 20)}
    with lines_remembered():
        own = {name: report(executed(source_of(program)), program) for name, program in programs.items()}
        space, _ = one_file(programs, "many_programs.py")
        before = ast.dump(parsed("many_programs.py").tree, include_attributes=True)
        for turn in range(2):
            order = list(enumerate(programs))
            random.Random(turn).shuffle(order)
            for i, name in order:
                assert report(space[f"program_{i}"], programs[name]) == own[name], name
        assert ast.dump(parsed("many_programs.py").tree, include_attributes=True) == before
    assert any(isinstance(found, tuple) and found[1] for found in own.values())


def cosine_report(space, name="cosine"):
    a, b = mg.constant([0.0, 0.0]), mg.constant([1.0, 2.0])
    with lines_remembered():
        return mg.find_nan(space[name](a, b), names={"a": a, "b": b})


def test_the_edit_is_that_of_the_users_text_each_time():
    source = f"import minigrad as mg\n\n\ndef cosine(a, b):\n    return {COSINE}\n\n\n"
    source += "def other(a, b):\n    return mg.sum(mg.log(a))\n"
    space, _ = module(source, "twice.py")
    first = cosine_report(space)
    for _ in range(3):
        assert str(cosine_report(space)) == str(first)
        assert cosine_report(space).repair.edits == first.repair.edits
        assert "log" in str(cosine_report(space, "other"))
    changed = edited(source, first.repair.edits)
    ast.parse(changed)
    assert changed != source or not first.repair.edits


def test_a_file_that_was_edited_is_read_again(tmp_path):
    file = tmp_path / "own.py"
    texts = ["mg.log(1 + mg.exp(x))", "mg.log(1 + mg.exp(x * 2)) + x", "mg.sqrt(x - x)"]
    for text in [*texts, *texts]:
        file.write_text(f"import minigrad as mg\n\n\ndef f(x):\n    return {text}\n" + "#" * len(text))
        space = {}
        exec(compile(file.read_text(), str(file), "exec"), space)
        x = mg.constant(100.0)
        with lines_remembered():
            found = mg.find_nan(space["f"](x), names={"x": x})
        assert found.line.text == f"return {text}"
        for edited_file, _, old, _ in found.repair.lines:
            assert edited_file == str(file) and old == f"return {text}"


def test_no_line_is_edited_that_another_text_stands_in_now(tmp_path):
    file, text = tmp_path / "own.py", "    return mg.log(1 + mg.exp(x))\n"
    source = f"import minigrad as mg\n\n\ndef f(x):\n{text}"
    file.write_text(source)
    space = {}
    exec(compile(source, str(file), "exec"), space)
    file.write_text(source.replace(text, "    z = x\n    return mg.log(1 + mg.exp(z - 1))\n"))
    x = mg.constant(100.0)
    with lines_remembered():
        found = mg.find_nan(space["f"](x), names={"x": x})
    assert found.repair.rewrites and not found.repair.edits


def test_reports_of_several_threads_are_the_same(sampled):
    programs = {name: PROGRAMS[name] for name in sampled(list(PROGRAMS)[:24], 8)}
    results = {}
    with lines_remembered():
        space, _ = one_file(programs, "threads.py")
        own = {name: report(space[f"program_{i}"], program) for i, (name, program) in enumerate(programs.items())}

        def work(number):
            order = list(enumerate(programs))
            random.Random(number).shuffle(order)
            results[number] = {name: report(space[f"program_{i}"], programs[name]) for i, name in order}

        threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for found in results.values():
        assert {name: words[0] for name, words in found.items()} == {name: words[0] for name, words in own.items()}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MemoryError])
def test_a_report_that_was_interrupted_leaves_nothing(error, monkeypatch):
    source = f"import minigrad as mg\n\n\ndef cosine(a, b):\n    return {COSINE}\n"
    space, _ = module(source, "interrupted.py")
    first = str(cosine_report(space))
    calls = 0

    def failing(*args, **kwargs):
        nonlocal calls
        calls += 1
        if calls > 2:
            raise error
        return original(*args, **kwargs)

    from minigrad.diagnostics import repairs

    original = repairs.equal_points
    with monkeypatch.context() as patched, contextlib.suppress(error):
        patched.setattr(repairs, "equal_points", failing)
        cosine_report(space)
    assert str(cosine_report(space)) == first
