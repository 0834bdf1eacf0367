"""`mine`: the student's own walk, un-broadcasting and step from lessons 4 and 5, for use in later lessons.

Once these functions are right, their checks save them in `mine.py` next to the notebook. Each function has its
own section of that file, below a line with a checksum. A check never overwrites a part that was edited by hand.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.tensor import Tensor, constant
from ..lab.files import write_whole
from ..runner.timeout import Outcome, call
from ..tracing.nodes import nodes_of, unbroadcast
from .function_source import NoSource, source_of
from .kernel import folder_of_the_notebook
from .verdict import Displayed

FILE = "mine.py"
HEAD = '''"""Your own engine, as you wrote it in the lessons. Later lessons run it next to minigrad's.

A check wrote each part when it was right. You may change a part: then it is yours, and stays as you wrote it.
"""
'''
PART = re.compile(r"^# --- (\w+), from lesson (\w+) \((\w+)\) ---\n", re.MULTILINE)
SECONDS = 2.0  #: time limit for running the file, and for trying one of its functions


def keep(name: str, answer: Any, lesson: str) -> str:
    """Write a right function into `mine.py`, with everything that it uses.

    Return a sentence about the change, or about why there was none, or "" if the file already has this function. A
    file that does not belong to the lessons, or a part that was changed by hand, is left unchanged.
    """
    path = folder_of_the_notebook() / FILE
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else HEAD
        body = source_of(answer, name)
        parts = _parts(text)
        if path.exists() and not parts and text.strip() and text != HEAD:
            return f"{FILE} next to this notebook does not belong to the lessons, so your {name} was not kept in it."
        if name in parts and not parts[name].untouched:
            return f"{FILE} has a {name} that was changed by hand. It stays; delete it there to keep this one."
        if name in parts and parts[name].body == body:
            return ""
        previous = parts[name].whole if name in parts else ""
        part = f"# --- {name}, from lesson {lesson} ({_mark(body)}) ---\n{body}\n"
        write_whole(path, (text.replace(previous, part) if previous else f"{text.rstrip()}\n\n\n{part}").encode())
    except NoSource as problem:
        return f"It is not kept for later lessons: {problem}"
    except (OSError, UnicodeDecodeError) as problem:
        return f"It is not kept for later lessons: {FILE} cannot be written ({_reason(problem)})."
    return f"Kept in {FILE}: later lessons run your {name}."


@dataclass(frozen=True)
class KeptPart:
    """One function's part of `mine.py`.

    whole, body : the part with and without its first line, which names the function and contains the checksum.
    mark : the checksum: a digest of the body as the check wrote it.
    first : the number of lines in the file above the body.
    """

    whole: str
    body: str
    mark: str
    first: int

    @property
    def untouched(self) -> bool:
        return _mark(self.body) == self.mark


def _parts(text: str) -> dict[str, KeptPart]:
    heads = [*PART.finditer(text)]
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return {
        head[1]: KeptPart(
            text[head.start() : end].rstrip("\n") + "\n" * (end == len(text) and text.endswith("\n")),
            text[head.end() : end].strip("\n"),
            head[3],
            text.count("\n", 0, head.end()),
        )
        for head, end in zip(heads, ends)
    }


def _mark(body: str) -> str:
    return hashlib.sha256(body.strip().encode()).hexdigest()[:8]


class Mine(Displayed):
    """Your own `backward` of lesson 4, `unbroadcast` and `step` of lesson 5, or minigrad's if yours are missing.

    print(mine) shows the author of each function and, if it is not you, the reason. All functions are read from
    `mine.py` next to the notebook and tested first: a function that does not run, or is wrong, is not used.
    `viz.backward(y, by=mine.backward)` draws your walk.

    >>> mine.gradients(constant(3.0) * 2.0, [])
    []
    """

    __name__ = "mine"  # `source_of` needs it to write functions that use `mine` into the file
    page = "mine.html"

    def __init__(self) -> None:
        self._instead: dict[str, Callable[..., Any]] = {}
        #: If True, gradients are None and `step` raises, so a check can tell whether an answer uses them.
        self.finds_nothing = False

    @property
    def backward(self) -> Callable[..., Any]:
        """The walk: `backward(y)` returns the gradients of the nodes behind `y` in a dict."""
        return self._function("backward")

    @property
    def unbroadcast(self) -> Callable[..., Any]:
        """`unbroadcast(g, shape)`: the sum of `g` over the axes broadcast from `shape`."""
        return self._function("unbroadcast")

    @property
    def step(self) -> Callable[..., Any]:
        """`step(loss_of, weights, rate)`: new weights, each moved against its slope, and the loss at the old ones."""
        if self.finds_nothing:
            raise RuntimeError("mine.step is what the check is about")
        return self._function("step")

    def _function(self, name: str) -> Callable[..., Any]:
        return self._instead.get(name) or _found(name).function

    @contextmanager
    def using(self, **functions: Callable[..., Any]) -> Iterator[None]:
        """Use other functions inside a `with` block, even wrong ones: `with mine.using(backward=stores):`.

        Raises TypeError for a name that `mine` lacks, or for a value that is not a function.

        >>> with mine.using(backward=lambda y: {node: 7.0 for node in (y, *y.parents)}):
        ...     mine.gradients(constant(3.0) * 2.0, [])
        []
        """
        for name, function in functions.items():
            if name not in OURS or not callable(function):
                raise TypeError(
                    f"mine.using takes functions by the names {', '.join(OURS)}, got {name}={function!r:.60}"
                )
        before = self._instead
        self._instead = {**before, **functions}
        try:
            yield
        finally:
            self._instead = before

    def gradients(self, y: Tensor, sources: Tensor | Sequence[Tensor]) -> list[Tensor | None]:
        """Return the gradients of `y`, as `mg.gradients` does, computed by `mine.backward` and `mine.unbroadcast`.

        The same walk serves numbers and arrays: when it computes `adjoint * slope`, the rule of the op is run.

        Raises TypeError if `y` is not a Tensor, or if an op has several results.

        >>> x = constant(3.0)
        >>> mine.gradients(x * x + x, [x])
        [Tensor(7.0, dtype=float32)]
        """
        if not isinstance(y, Tensor):
            raise TypeError(
                f"mine.gradients differentiates a Tensor, got {type(y).__name__}. An array remembers nothing: make "
                "Tensors of the inputs first, as in x = mg.constant(x), and compute y from them."
            )
        if self.finds_nothing:
            return [None] * (1 if isinstance(sources, Tensor) else len(sources))
        nodes = nodes_of(y, unbroadcast=self.unbroadcast)
        adjoints = self.backward([*nodes.values()][-1])
        tensors = []
        for source in [sources] if isinstance(sources, Tensor) else sources:
            node = nodes.get(source.serial)
            g = adjoints.get(node) if node is not None else None
            tensors.append(None if g is None else constant(np.asarray(g, source.dtype)))
        return tensors

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Return pairs of a function's name and its author; `step` is listed only if it is the student's."""
        whose = [(name, _found(name).words) for name in OURS]
        return [(name, words) for name, words in whose if name != "step" or words.startswith("yours")]

    def to_text(self) -> str:
        return "\n".join(f"{name}: {words}" for name, words in self.rows)


mine = Mine()


@dataclass(frozen=True)
class Chosen:
    """The function in use, and a phrase about its author."""

    function: Callable[..., Any]
    words: str


_known: dict[tuple[str, Path, int, int], Chosen] = {}


def _found(name: str) -> Chosen:
    """Return the function `name` from `mine.py` if it is right; otherwise return minigrad's, with the reason."""
    path = folder_of_the_notebook() / FILE
    try:
        state = path.stat()
        key = name, path, state.st_mtime_ns, state.st_size
        if key not in _known:
            _known[key] = _tried(name, path.read_text(encoding="utf-8"), path)
        return _known[key]
    except FileNotFoundError:
        return _not_yet(name)
    except (OSError, UnicodeDecodeError) as problem:
        return Chosen(OURS[name].function, f"minigrad's, because {FILE} cannot be read ({_reason(problem)}).")


def _tried(name: str, text: str, path: Path) -> Chosen:
    parts = _parts(text)
    part = parts.get(name)
    if part is None and parts:
        return _not_yet(name)
    body, first = (part.body, part.first) if part else (text, 0)
    space: dict[str, Any] = {"__name__": "mine", "__file__": str(path)}
    whole = "\n" * first + body  # makes errors show the line numbers of the file
    outcome = call(lambda: exec(compile(whole, str(path), "exec"), space), SECONDS)
    function = space.get(name)
    if outcome.late or outcome.failure:
        why = _why(outcome, f"{FILE} does not run")
    elif not callable(function):
        why = f"{FILE} has no function {name}"
    else:
        outcome = call(lambda: OURS[name].fault(function), SECONDS)
        why = _why(outcome, f"yours in {FILE}") if outcome.late or outcome.failure else outcome.value
    if why:
        return Chosen(OURS[name].function, f"minigrad's, because {why}.")
    changed = part is not None and not part.untouched
    return Chosen(function, f"yours, from {FILE}{', as you changed it' if changed else ''}.")  # type: ignore[arg-type]


def _not_yet(name: str) -> Chosen:
    ours = OURS[name]
    return Chosen(ours.function, f"minigrad's. Yours is kept when its check in lesson {int(ours.lesson)} is right.")


def _reason(problem: Exception) -> str:
    return getattr(problem, "strerror", "") or str(problem)


def _why(outcome: Outcome, what: str) -> str:
    if outcome.failure is None:
        return f"{what}: it did not end"
    line = f", line {outcome.failure.line}" if outcome.failure.line else ""
    return f"{what}{line}: {outcome.failure.words}"


def backward(y: Any, tell: Callable[..., Any] = lambda *message: None) -> dict[Any, Any]:
    """Walk over nodes as minigrad does: newest first, each node sends its gradient times its slopes."""
    reached, stack = {y}, [y]
    while stack:
        new = {parent for parent in stack.pop().parents} - reached
        reached |= new
        stack += new
    adjoints = dict.fromkeys(sorted(reached, key=lambda node: node.serial, reverse=True), 0.0)
    adjoints[y] = 1.0
    for node in adjoints:
        for i, (parent, slope) in enumerate(zip(node.parents, node.slopes, strict=True)):
            message = adjoints[node] * slope
            adjoints[parent] = adjoints[parent] + message
            tell(node, i, message, adjoints[parent])
    return adjoints


def _shortened(x: Any, most: int = 60) -> str:
    """Return the repr of a value in one line, without the entries beyond `most` characters.

    >>> _shortened([0.25, 100.0, 4.0], 14)
    '[0.25, 100.0, ...'
    """
    text = " ".join(repr(x).split())
    return text if len(text) <= most else f"{text[:most].rpartition(',')[0] or text[:most]}, ..."


def _fault_of_backward(walk: Callable[..., Any]) -> str:
    """Test a walk on three graphs; return a sentence about the first fault, or ""."""
    for formula, build, true in (
        ("x * x", lambda x: x * x, 6.0),
        ("b + b * b with b = 2 * x", lambda x: (lambda b: b + b * b)(2.0 * x), 26.0),
        ("x / (1 + x) + x", lambda x: x / (1.0 + x) + x, 1.0625),
    ):
        x = constant(3.0)
        nodes = nodes_of(build(x))
        got = walk([*nodes.values()][-1])
        if not isinstance(got, dict):
            return f"yours in {FILE} returns {_shortened(got)}, and not a dict"
        slope = got.get(nodes[x.serial], 0.0)
        if not isinstance(slope, (int, float, np.number)) or abs(float(slope) - true) > 1e-6:
            return f"yours in {FILE} gives {slope!r:.40} for the slope of {formula} at x = 3, where {true:g} is right"
    return ""


def _fault_of_unbroadcast(function: Callable[..., Any]) -> str:
    for sent, shape in (((4, 3), (3,)), ((2, 3), (2, 1)), ((2, 3), ()), ((2, 3, 2), (3, 1)), ((2, 3), (2, 3))):
        g = np.arange(1.0, 1.0 + np.prod(sent)).reshape(sent)
        got, true = function(g.copy(), shape), unbroadcast(g, shape)
        if np.shape(got) != true.shape or not np.array_equal(got, true):
            shown = _shortened(np.asarray(got).tolist())
            return f"yours in {FILE} gives {shown} from shape {sent} to {shape}, not {true.tolist()}"
    return ""


def step(loss_of: Callable[..., Any], weights: Sequence[np.ndarray], rate: float) -> tuple[list[np.ndarray], float]:
    """Take a step as minigrad does: move each weight against its slope."""
    tensors = [constant(w) for w in weights]
    loss = loss_of(tensors)
    slopes = mine.gradients(loss, tensors)
    moved = [w if g is None else w - rate * g.numpy() for w, g in zip(weights, slopes)]
    return moved, float(loss.numpy())


def _fault_of_step(function: Callable[..., Any]) -> str:
    """Test a `step` on w * w + 3 * v, with minigrad's own walk; return a sentence about the first fault, or ""."""

    def right(got: Any) -> bool:
        try:
            (w, v), loss = got
            return bool(np.allclose(w, [0.5, -1.0]) and np.allclose(v, [[3.5]]) and np.allclose(loss, 35.0))
        except (TypeError, ValueError):
            return False

    def tried() -> Any:
        weights = [np.array([1.0, -2.0]), np.array([[5.0]])]
        return function(lambda ws: (ws[0] * ws[0] + 3.0 * ws[1]).sum(), weights, 0.25)

    with mine.using(backward=backward, unbroadcast=unbroadcast):
        got = tried()
    if not right(got):
        return f"yours in {FILE} gives {_shortened(got)} for w * w + 3 * v"
    mine.finds_nothing = True
    try:
        return f"yours in {FILE} finds the slopes without mine.gradients" if right(tried()) else ""
    except Exception:
        return ""
    finally:
        mine.finds_nothing = False


class Ours(NamedTuple):
    """One of minigrad's own functions, the lesson where students write theirs, and the test for a student's version."""

    function: Callable[..., Any]
    lesson: str
    fault: Callable[[Callable[..., Any]], str]


OURS = {
    "backward": Ours(backward, "04", _fault_of_backward),
    "unbroadcast": Ours(unbroadcast, "05", _fault_of_unbroadcast),
    "step": Ours(step, "05", _fault_of_step),
}
