"""A student's own walk and un-broadcasting are kept in mine.py, and run in later lessons."""

import linecache
import os

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.classroom import lesson, mine
from minigrad.classroom.own_engine import HEAD, keep

WALK = '''
import math
from itertools import count

clock = count()
FACTOR = 1.0


def silent(*message):
    pass


def order_nodes(y):
    found, stack = {y}, [y]
    while stack:
        for parent in stack.pop().parents:
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return sorted(found, key=lambda node: node.serial, reverse=True)


def backward(y, tell=silent):
    """Mine."""
    adjoint = {node: 0.0 for node in order_nodes(y)}
    adjoint[y] = FACTOR
    for node in adjoint:
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes)):
            adjoint[parent] += adjoint[node] * slope
    return adjoint
'''
SUMS = """
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    return tmp_path


def notebook(source, name="cell"):
    """The names of a cell that was run, with its source available as in a notebook."""
    file = f"<{name} {len(linecache.cache)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space = {"__name__": "__main__"}
    exec(compile(source, file, "exec"), space)
    return space


def kept(source=WALK, name="backward"):
    return keep(name, notebook(source)[name], {"backward": "04", "unbroadcast": "05"}[name])


def test_the_check_keeps_what_is_right_and_later_lessons_run_it(folder):
    check = lesson("04")
    verdict = check("backward", notebook(WALK)["backward"])
    assert verdict and "Kept in mine.py: later lessons run your backward." in verdict.to_text()
    assert str(mine).splitlines() == [
        "backward: yours, from mine.py.",
        "unbroadcast: minigrad's. Yours is kept when its check in lesson 5 is right.",
    ]
    assert mine.backward.__doc__ == "Mine."
    assert "Kept" not in check("backward", notebook(WALK)["backward"]).to_text()  # nothing new
    assert lesson("05")("unbroadcast", notebook(SUMS)["unbroadcast"])
    assert str(mine).splitlines()[1] == "unbroadcast: yours, from mine.py."
    assert mine.backward.__doc__ == "Mine." and [*folder.iterdir()] == [folder / "mine.py"]


def test_a_wrong_answer_is_not_kept(folder):
    assert not lesson("04")("backward", notebook(WALK.replace("+=", "="))["backward"])
    assert [*folder.iterdir()] == []
    assert str(mine).startswith("backward: minigrad's. Yours is kept when its check in lesson 4 is right.")


def test_the_file_can_be_read_and_has_what_the_function_uses(folder):
    kept()
    text = (folder / "mine.py").read_text()
    assert text.startswith(HEAD) and "clock" not in text and "import math" not in text
    assert text.index("FACTOR = 1.0") < text.index("def backward") and text.index("def silent") < text.index("def back")
    space = {}
    exec(text, space)
    assert space["backward"].__doc__ == "Mine."


FAULTS = [
    ("def backward(y:\n", "minigrad's, because mine.py does not run: SyntaxError:"),
    ("1 / 0\n", "minigrad's, because mine.py does not run, line 1: ZeroDivisionError: division by zero."),
    ("while True: pass\n", "minigrad's, because mine.py does not run: it did not end."),
    ("x = 1\n", "minigrad's, because mine.py has no function backward."),
    ("def backward(y): return 3\n", "minigrad's, because yours in mine.py returns 3, and not a dict."),
    ("def backward(y): return {y: 1.0}\n", "gives 0.0 for the slope of x * x at x = 3, where 6 is right."),
    (WALK.replace("+=", "="), "gives 3.0 for the slope of x * x at x = 3, where 6 is right."),
    (WALK.replace("reverse=True", "reverse=False"), "for the slope of b + b * b with b = 2 * x at x = 3, where 26 is"),
    (WALK.replace("y.parents", "nodes"), "yours, from mine.py."),
    ("def backward(y): return later\n", "minigrad's, because yours in mine.py, line 1: NameError"),
]


@pytest.mark.parametrize(("text", "words"), FAULTS)
def test_a_file_that_is_broken_or_wrong_is_told_and_not_used(folder, text, words):
    (folder / "mine.py").write_text(text)
    assert words in str(mine).splitlines()[0]
    x = mg.constant(3.0)
    assert [g.value for g in mine.gradients(x * x, x)] == [6.0]  # by one or the other
    assert "does not belong to the lessons" in kept() and (folder / "mine.py").read_text() == text  # it is theirs


def test_a_part_that_was_changed_is_used_and_stays(folder):
    kept()
    kept(SUMS, "unbroadcast")
    path = folder / "mine.py"
    edited = path.read_text().replace('"""Mine."""', '"""Changed."""') + "# a note\n"
    path.write_text(edited)
    assert str(mine).splitlines()[0] == "backward: yours, from mine.py, as you changed it."
    assert mine.backward.__doc__ == "Changed."
    assert kept() == "mine.py has a backward that was changed by hand. It stays; delete it there to keep this one."
    assert path.read_text() == edited
    path.write_text(edited.replace("return adjoint", "return adjoint ]"))
    assert "does not run: SyntaxError" in str(mine) and mine.unbroadcast.__globals__["__name__"] == "mine"


def test_a_newer_answer_replaces_an_untouched_part_and_nothing_else(folder):
    kept()
    kept(SUMS, "unbroadcast")
    path = folder / "mine.py"
    sums = path.read_text().partition("# --- unbroadcast")[2]
    assert kept(WALK.replace("Mine.", "Better.")) == "Kept in mine.py: later lessons run your backward."
    assert mine.backward.__doc__ == "Better." and path.read_text().count("def backward") == 1
    assert path.read_text().partition("# --- unbroadcast")[2] == sums


def test_another_folder_has_no_engine_of_yours(folder, monkeypatch):
    kept()
    other = folder / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    assert str(mine).startswith("backward: minigrad's.")
    monkeypatch.setenv("JPY_SESSION_NAME", str(folder / "06_where_nans_come_from.ipynb"))
    assert str(mine).startswith("backward: yours, from mine.py.")


def test_a_folder_or_a_file_that_cannot_be_written_is_told(folder, monkeypatch):
    (folder / "mine.py").mkdir()
    assert kept() == "It is not kept for later lessons: mine.py cannot be written (Is a directory)."
    assert "cannot be read (Is a directory)" in str(mine)
    (folder / "mine.py").rmdir()

    def refused(*args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refused)
    assert kept() == "It is not kept for later lessons: mine.py cannot be written (Permission denied)."
    assert [*folder.iterdir()] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("FACTOR = 1.0", "FACTOR = object()"), "it uses FACTOR, of the type object, which cannot be"),
        (("FACTOR = 1.0", "FACTOR = 1.0; y = node = parent = object()"), "Kept in mine.py"),
        (("FACTOR = 1.0", "FACTOR = next(clock) + 1.0"), "Kept in mine.py"),
        (("= FACTOR", "= math.cos(0.0) + 0 * next(clock)"), "Kept in mine.py"),
    ],
)
def test_what_a_function_uses_goes_with_it_or_is_named(change, words):
    assert words in kept(WALK.replace(*change))
    if words == "Kept in mine.py":
        assert str(mine).startswith("backward: yours")


def test_a_lambda_cannot_be_kept():
    assert "write it with def" in keep("backward", lambda y: {}, "04")


def test_the_walk_of_a_student_trains_a_layer_and_is_drawn(folder):
    kept()
    kept(SUMS, "unbroadcast")
    rng = np.random.default_rng(0)
    X = mg.constant(rng.normal(size=(4, 3)))
    W, b = mg.Variable(rng.normal(size=(3, 2))), mg.Variable(np.zeros(2))
    loss = mg.mean((mg.tanh(X @ W + b)[1:] - 1.0) ** 2 / (1.0 + mg.exp(b)))
    for own, true in zip(mine.gradients(loss, [W, b]), mg.gradients(loss, [W, b])):
        np.testing.assert_allclose(own.value, true.value, rtol=1e-12)
    x = mg.constant(100.0)
    assert mine.gradients(loss, [x]) == [None]
    y = mg.log(1 + mg.exp(x))
    view = viz.backward(y, by=mine.backward)
    assert "exp sends to x: 0 · inf = nan. x now holds nan." in str(view)

    @mg.custom_gradient
    def log1pexp(x):
        return mg.log(1 + mg.exp(x)), lambda upstream: upstream * mg.sigmoid(x)

    assert "sends to x: 1 · 1 = 1." in str(viz.backward(log1pexp, x=100.0, by=mine.backward))
    assert mine.gradients(log1pexp(x), x)[0].value == 1.0


STEP = """
import minigrad as mg
from minigrad.classroom import mine


def step(loss_of, weights, rate):
    tensors = [mg.constant(w) for w in weights]
    loss = loss_of(tensors)
    slopes = mine.gradients(loss, tensors)
    return [w - rate * g.numpy() for w, g in zip(weights, slopes)], loss.item()
"""


def squares(tensors):
    return sum((mg.sum(t * t) for t in tensors), mg.constant(0.0))


def test_the_step_is_kept_with_the_engine_that_it_uses(folder):
    weights, loss = mine.step(squares, [np.array([1.0, 2.0])], 0.25)
    assert weights[0].tolist() == [0.5, 1.0] and loss == 5.0 and "step" not in str(mine)
    verdict = lesson("05")("step", notebook(STEP)["step"])
    assert "Kept in mine.py: later lessons run your step." in verdict.to_text()
    assert str(mine).splitlines()[2] == "step: yours, from mine.py."
    weights, loss = mine.step(squares, [np.array([1.0, 2.0])], 0.25)
    assert weights[0].tolist() == [0.5, 1.0] and loss == 5.0


@pytest.mark.parametrize("text", [STEP.replace("w - rate", "w + rate"), STEP.replace(", loss.item()", "")])
def test_a_wrong_step_is_not_used(folder, text):
    (folder / "mine.py").write_text(text)
    assert mine.step(squares, [np.array([1.0, 2.0])], 0.25)[0][0].tolist() == [0.5, 1.0]


def test_a_step_that_walks_by_minigrad_is_not_used(folder):
    (folder / "mine.py").write_text(STEP.replace("mine.gradients", "mg.gradients"))
    with mine.using(backward=notebook(WALK.replace("+=", "="))["backward"]):
        assert mine.step(squares, [np.array([1.0, 2.0])], 0.25)[0][0].tolist() == [0.75, 1.5]


def test_another_walk_is_used_inside_of_a_with_and_no_longer_after_it(folder):
    lesson("05")("step", notebook(STEP)["step"])
    stores = notebook(WALK.replace("+=", "="))["backward"]
    with mine.using(backward=stores):
        assert mine.step(squares, [np.array([1.0, 2.0])], 0.25)[0][0].tolist() == [0.75, 1.5]
        with pytest.raises(ZeroDivisionError), mine.using(backward=lambda y: 1 / 0):
            mine.gradients(mg.constant(3.0) * 2.0, [])
        assert mine.backward is stores
    assert mine.step(squares, [np.array([1.0, 2.0])], 0.25)[0][0].tolist() == [0.5, 1.0]


@pytest.mark.parametrize("wrong", [{"walk": len}, {"backward": 3}])
def test_what_mine_does_not_have_is_refused(wrong):
    with pytest.raises(TypeError, match="backward, unbroadcast, step"), mine.using(**wrong):
        pass


def test_no_number_of_a_wrong_result_is_cut_in_two(folder):
    (folder / "mine.py").write_text("def unbroadcast(g, shape):\n    return g * 1.2345678")
    (words,) = (words for name, words in mine.rows if name == "unbroadcast")
    shown = words.split(" gives ")[1].split(" from shape ")[0]
    whole = (np.arange(1.0, 13.0) * 1.2345678).tolist()
    numbers = [part.strip(" []") for part in shown.removesuffix(", ...").split(",")]
    assert shown.endswith(", ...") and numbers == [repr(number) for number in whole[: len(numbers)]]


def test_what_is_no_tensor_has_no_gradients():
    with pytest.raises(TypeError, match=r"a Tensor, got float32\. .* x = mg\.constant\(x\)"):
        mine.gradients(np.float32(3.0), [np.float32(3.0)])


def test_a_check_sees_whether_a_function_uses_mine(monkeypatch):
    x = mg.constant([1.0, 2.0])
    monkeypatch.setattr(mine, "finds_nothing", True)
    assert mine.gradients(mg.sum(x * x), [x, x]) == [None, None]
    assert mine.gradients(mg.sum(x * x), x) == [None]
