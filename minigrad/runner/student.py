"""The student's process: it runs the cells of one submission, then serves the judge's requests.

A statement that hangs or ends the process is left out in the next process that the judge starts. The judge checks all
messages from this process; nothing in this file is meant as protection.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import json
import linecache
import operator
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from .cell_statements import statements
from .channel import Channel, Ended
from .codec import BadMessage
from .silence import PrintedText, quiet
from .student_objects import Objects, is_tensor
from .used_names import used_names

WORDS = 600  # the maximum length of an error message, in characters
PRINTED = 2000  # the maximum number of characters of a call's printed text that are kept
OPERATORS = (
    *("add", "sub", "mul", "truediv", "pow", "matmul", "mod", "floordiv", "neg", "pos", "abs"),
    *("getitem", "lt", "le", "gt", "ge", "contains"),
)
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": len,
    "iter": list,
    "repr": lambda x: repr(x)[:PRINTED],
    "bool": bool,
    "float": float,
    "setattr": setattr,
    "used_names": used_names,
}


class Student:
    """The names that a submission defines, and the replies to requests about them."""

    def __init__(self, channel: Channel, engine: bool, output: int) -> None:
        self.channel, self.engine, self.output = channel, engine, output
        self.module = types.ModuleType("__main__")
        self.names = vars(self.module)
        sys.modules["__main__"] = self.module
        self.objects = Objects(self._call_back, engine)
        self.question = 0
        builtins.input = _no_input

    def serve(self) -> None:
        """Serve one request after another until the last one."""
        with contextlib.suppress(Ended):
            while True:
                self._serve(self.channel.receive())

    def _serve(self, request: dict[str, Any]) -> None:
        before, self.question = self.question, request["id"]
        do = {"run": self.run, "evaluate": self.evaluate, "record": self.record, "has": self.has}[request["do"]]
        self._send(do(request))
        self.question = before

    def _send(self, answer: dict[str, Any]) -> None:
        try:
            self.channel.send({"id": self.question, **answer})
        except BadMessage as why:
            self.channel.send({"id": self.question, "opaque": f"a value that cannot be compared: {why}"})

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run the statements in all cells, except those to skip; before each statement runs, send its number."""
        skip = {tuple(place) for place in request["skip"]}
        notes: list[str] = []
        printed = PrintedText(self.output)
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), quiet():
            for number, source in request["cells"]:
                linecache.cache[f"<cell {number}>"] = (len(source), None, source.splitlines(True), f"<cell {number}>")
                parts, cell_notes = statements(source, number)
                notes += cell_notes
                for i, code in enumerate(parts):
                    if (number, i) not in skip:
                        # This is sent first, so that the judge knows which statement ended the process, if one does.
                        self.channel.send({"id": self.question, "at": [number, i]})
                        try:
                            exec(code, self.names)
                        except BaseException as error:
                            notes.append(_note(number, error))
        if printed.cut:
            notes.append(f"It printed more than {self.output:,} characters; the rest was left out.")
        return {"notes": notes[:50]}

    def has(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the values of the requested names, as data; names that the submission does not define are left out."""
        return {"ok": {name: self.objects.write(self.names[name]) for name in request["names"] if name in self.names}}

    def evaluate(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the value of an expression, or the error that the expression raised."""
        return self._answered(request, self._value)

    def record(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the graph of an expression for each list of params in `points`, or the error that was raised."""
        one = lambda params: self._answered(request, lambda request: {"ok": self._recorded(request, params)})
        return {"answers": [one(params) for params in request["points"]]}

    def _answered(self, request: dict[str, Any], answers: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        printed = PrintedText(PRINTED)
        answer: dict[str, Any]
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), quiet():
            try:
                self.objects.learn(request.pop("records", ()), request.pop("named", {}))
                answer = answers(request)
            except BadMessage as why:
                answer = {"opaque": str(why)}
            except RecursionError as error:
                answer = {"raised": _described(error, "the function calls itself again and again")}
            except BaseException as error:
                answer = {"raised": _described(error)}
        return {**answer, "printed": printed.getvalue()}

    def _value(self, request: dict[str, Any]) -> dict[str, Any]:
        tree = request["tree"]
        function, args, kwargs = self._called(tree) if "call" in tree else (None, [], {})
        before = [self.objects.write(a) for a in args if type(a) in (list, dict, np.ndarray)]
        value = function(*args, **kwargs) if function is not None else self._at(tree)
        after = [self.objects.write(a) for a in args if type(a) in (list, dict, np.ndarray)]
        answer = {"ok": self.objects.write(value)}
        return {**answer, "changed": after} if repr(before) != repr(after) else answer

    def _called(self, tree: dict[str, Any]) -> tuple[Any, list[Any], dict[str, Any]]:
        read = self.objects.read
        function = self._at(tree["call"])
        return function, [read(a) for a in tree["args"]], {k: read(v) for k, v in tree.get("kwargs", {}).items()}

    def _at(self, tree: dict[str, Any]) -> Any:
        """Evaluate an expression that the judge sent as data: a name, a call, an attribute, an item or an operator."""
        match tree:
            case {"call": _}:
                function, args, kwargs = self._called(tree)
                return function(*args, **kwargs)
            case {"global": str(name)}:
                return self.names[name]
            case {"of": of, "attribute": str(name)}:
                return getattr(self._at(of), name)
            case {"of": of, "item": key}:
                return self._at(of)[key]
            case {"operator": str(name), "args": list(args)} if name in OPERATORS:
                return getattr(operator, name)(*map(self.objects.read, args))
            case {"function": str(name), "args": list(args)}:
                return FUNCTIONS[name](*map(self.objects.read, args))
        return self.objects.read(tree)

    def _recorded(self, request: dict[str, Any], params: Sequence[Any]) -> Any:
        """Return the graph of the expression at the given params; record in float32 if any of them is float32."""
        from minigrad.core.support.tensor_values import default_dtype, set_default_dtype
        from minigrad.graphs import recorded_indices, write

        before = default_dtype()
        try:
            arguments = [self.objects.read(p) for p in params]
            set_default_dtype(np.float32 if any(x.dtype == np.float32 for x in arguments) else np.float64)
            self.objects.params = arguments
            with recorded_indices():
                value = self._at(request["tree"])
                tensors: list[Any] = []
                shape = _taken_apart(value, tensors, self.objects)
                if not tensors:
                    return {"out": shape}
                if request.get("differentiate"):
                    importlib.import_module("minigrad").gradients(tensors, arguments)
                text = write(arguments, tensors, request["order"])
        finally:
            set_default_dtype(before)
        return {"out": shape, "graph": json.dumps(text, allow_nan=False)}

    def _call_back(self, number: int, *args: Any) -> Any:
        self.channel.send({"id": self.question, "callback": number, "args": [self.objects.write(a) for a in args]})
        while "do" in (answer := self.channel.receive()):  # the judge's function may use the student's objects
            self._serve(answer)
        if "error" in answer:
            kind = getattr(builtins, answer["kind"], RuntimeError)
            raise kind(answer["error"])
        if isinstance(answer["result"], dict) and "graph" in answer["result"]:
            return _run(answer["result"]["graph"], args)
        return self.objects.read(answer["result"])


def _run(graph: str, args: Sequence[Any]) -> Any:
    """Return the result of one of the judge's functions, computed from the function's graph at these arguments."""
    from minigrad.core.support.structure import flatten
    from minigrad.graphs import Graph, function_of

    return function_of(Graph(graph))(*(leaf for leaf in flatten(list(args)) if is_tensor(leaf)))


def _taken_apart(x: Any, tensors: list[Any], objects: Objects) -> Any:
    """Return a result as data with {"output": n} for each Tensor; append the Tensors to `tensors`."""
    if is_tensor(x):
        tensors.append(x)
        return {"output": len(tensors) - 1}
    if type(x) in (tuple, list):
        items = [_taken_apart(item, tensors, objects) for item in x]
        return {"tuple": items} if type(x) is tuple else items
    if type(x) is dict:
        return {"dict": [[objects.write(k), _taken_apart(v, tensors, objects)] for k, v in x.items()]}
    return objects.write(x)


def _described(error: BaseException, words: str = "") -> dict[str, Any]:
    """Return an error as data, with the innermost line of the student's cells in its traceback."""
    line, code, traceback = None, "", error.__traceback__
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file.startswith("<cell") and file != "<cell 0>":  # cell 0 contains and imports the submitted modules
            line, code = traceback.tb_lineno, linecache.getline(file, traceback.tb_lineno).strip()
        traceback = traceback.tb_next
    try:
        words = words or str(error)
    except BaseException:
        words = "an error whose message cannot be read"
    return {"kind": type(error).__name__[:60], "words": words[:WORDS], "line": line, "code": code[:200]}


def _note(number: int, error: BaseException) -> str:
    note = _described(error)
    where = f", line {note['line']}" if note["line"] else ""
    return f"Cell {number}{where}: {note['kind']}{': ' if note['words'] else ''}{note['words']}"[:300]


def _no_input(*args: Any, **kwargs: Any) -> NoReturn:
    raise EOFError("input() cannot be used in an answer; take the value as an argument instead")
