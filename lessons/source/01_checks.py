"""Lesson 1, a function is a graph: what its exercises compute. Answers and hints are in 01_hidden.py."""

import math

import numpy as np

from minigrad.classroom import exercise, mistake

SQUARE_PLUS_X = [("x", []), ("multiply", [0, 0]), ("add", [1, 0])]
BY_HAND = [("a", []), ("b", []), ("add", [0, 1]), (1.0, []), ("add", [1, 3]), ("multiply", [2, 4])]
WITH_EXP = [("x", []), ("exp", [0]), (2.0, []), ("add", [1, 2]), ("multiply", [0, 3])]
ALONE = [("x", [])]
UNUSED = [("x", []), ("exp", [0]), ("multiply", [0, 0]), ("add", [2, 0])]
DOUBLINGS = [("x", [])] + [("add", [row, row]) for row in range(30)]
OPS = {"add": lambda a, b: a + b, "multiply": lambda a, b: a * b, "exp": math.exp}


unary = mistake(
    "names instead of row numbers", "the second entry of a row has numbers of earlier rows, such as [0, 1]."
)
later = mistake("uses a later row", "a row may use only rows above it. Rows are counted from 0.")
exchanged = mistake("add and multiply are swapped", "The brackets are sums, and their product is the result.")


def formula(rows, a, b):
    """What the rows compute at a and b, or a sentence about rows that do not form a graph."""
    if not isinstance(rows, (list, tuple)) or not all(isinstance(row, (list, tuple)) and len(row) == 2 for row in rows):
        return 'draw_by_hand() returns a list of pairs, such as [("a", []), ("b", []), ("add", [0, 1])].'
    rows = [(op, used.tolist() if isinstance(used, np.ndarray) else used) for op, used in rows]
    for number, (op, arguments) in enumerate(rows):
        place = f"Row {number}, {(op, arguments)!r}:"
        if not isinstance(arguments, (list, tuple)):
            return f"{place} the second entry is a list of row numbers, such as [0, 1]."
        constant = next((i for i in arguments if isinstance(i, (float, np.floating))), None)
        if constant is not None:
            return f"{place} the constant needs a row of its own, ({constant!r}, []); write that row's number here."
        if any(not isinstance(i, int) for i in arguments):
            return f"{place} {unary.says}"
        if any(not 0 <= i < number for i in arguments):
            return f"{place} {later.says}"
        if arguments and op not in ("add", "multiply"):
            return f'{place} the ops are "add" and "multiply".'
        if arguments and len(arguments) != 2:
            return f"{place} {op} takes two arguments."
        if not isinstance(op, (str, int, float, np.number)):
            return f"{place} the first entry is an op, an input, or a number."
        if not arguments and isinstance(op, str) and op not in ("a", "b"):
            return f"{place} the inputs are a and b. A constant is a number, written without quotes."
    for name in ("a", "b"):
        count = sum(op == name for op, _ in rows)
        if count != 1:
            return f"{name} has {count} rows. It is one number: give it one row, and use the number of that row twice."
    used = {i for _, arguments in rows for i in arguments}
    for number, (op, arguments) in enumerate(rows[:-1]):
        if number not in used:
            return (
                f"Row {number}, {(op, arguments)!r}: no later row uses it. Only the result, the last row, is not used."
            )
    return values_of(rows, {"a": a, "b": b})[-1]


AT = ((2.0, 1.0), (2.0, 3.0), (-1.0, 0.5))
SUMS = [("a + b", tuple(a + b for a, b in AT)), ("b + 1", tuple(b + 1 for _, b in AT))]


def by_hand(f, a, b):
    rows = f()
    got = formula(rows, a, b)
    if isinstance(got, str):
        return got
    true = (a + b) * (b + 1)
    if got == true:
        return True
    computed = list(zip(*(values_of(rows, {"a": x, "b": y}) for x, y in AT)))
    missing = [name for name, sums in SUMS if sums not in computed]
    which = f"No row computes {' or '.join(missing)}" if missing else "Both sums are there, and the last row"
    which += "." if missing else f", {rows[-1]!r}, is not their product."
    return f"With a = {a:g} and b = {b:g} your rows compute {got:g}. (a + b) * (b + 1) is {true:g}. {which}"


def values_of(graph, inputs):
    values = []
    for op, arguments in graph:
        if arguments:
            values.append(OPS[op](*[values[i] for i in arguments]))
        else:
            values.append(inputs[op] if isinstance(op, str) else op)
    return values


@exercise("draw_by_hand", points=2, function="draw_by_hand()")
def draw_by_hand(c):
    c.property(
        "the rows compute (a + b) * (b + 1)",
        by_hand,
        vary=(),
        points=[(2.0, 1.0), (2.0, 3.0), (-1.0, 0.5), (0.0, 0.0)],
    )
    c.graph(BY_HAND, says="they are the graph of two sums and their product", drawn=False)


each_once = mistake(
    "each argument once",
    "You made a set of the arguments, which has equal ones once. x * x has [0, 0]: two arrows, both from row 0.",
)
rows = mistake(
    "counted the rows", "You counted the rows, which are the boxes. The arrows are in the lists of arguments."
)
op_rows = mistake("counted the ops", "You counted one for each op. It has one arrow for each of its arguments.")
boxes_less_one = mistake(
    "counted the rows less one", "You counted the steps from row to row. The arrows are in the lists of arguments."
)
last_only = mistake("counted the last row only", "You counted the arguments of the last row. Add up those of all rows.")
last_missing = mistake("left the last row out", "Your loop ends before the last row. It has arguments, too.")
inputs_too = mistake(
    "counted an arrow for each input", "You counted one for each input. It has no arguments, so no arrow enters it."
)
always_two = mistake(
    "counted two for every op", "You counted two for each op, but exp has one argument. Take the length of the list."
)


@exercise("count_arrows", function="count_arrows(graph)")
def count_arrows(c):
    looks_like = {
        each_once: lambda g: sum(len(set(arguments)) for _, arguments in g),
        rows: len,
        op_rows: lambda g: sum(bool(arguments) for _, arguments in g),
        last_only: lambda g: len(g[-1][1]),
        inputs_too: lambda g: sum(max(1, len(arguments)) for _, arguments in g),
        always_two: lambda g: 2 * sum(bool(arguments) for _, arguments in g),
        boxes_less_one: lambda g: len(g) - 1,
        last_missing: lambda g: sum(len(arguments) for _, arguments in g[:-1]),
    }
    says = "one arrow for each argument of each row"
    for graph, arrows in ((SQUARE_PLUS_X, 4), (BY_HAND, 6), (WITH_EXP, 5), (ALONE, 0), (UNUSED, 5)):
        c.example((graph,), arrows, says=says, looks_like=looks_like)


all_values = mistake(
    "returned all the values", "You returned the whole list. The result is its last value: values[-1]."
)
first_value = mistake(
    "returned the first value", "You returned the value of row 0. The result is that of the last row: values[-1]."
)
row_numbers = mistake(
    "took row numbers for values", "You computed with row numbers. Look up the value of that row: values[i]."
)
only_add = mistake("added where it should multiply", "You added in every row. Look up the op by its name: OPS[op].")
too_early = mistake(
    "one row too early", "You returned the value of the row before. The result is that of the last row: values[-1]."
)


@exercise("evaluate_graph", points=2, function="evaluate_graph(graph, inputs)")
def evaluate_graph(c):
    def taken_as_values(graph, inputs):
        values = []
        for op, arguments in graph:
            values.append(OPS[op](*arguments) if arguments else inputs[op] if isinstance(op, str) else op)
        return values[-1]

    def added(graph, inputs):
        values = []
        for op, arguments in graph:
            taken = [values[i] for i in arguments]
            known = math.exp(taken[0]) if op == "exp" else sum(taken)
            values.append(known if arguments else inputs[op] if isinstance(op, str) else op)
        return values[-1]

    looks_like = {
        all_values: values_of,
        first_value: lambda graph, inputs: values_of(graph, inputs)[0],
        too_early: lambda graph, inputs: values_of(graph, inputs)[max(0, len(graph) - 2)],
        row_numbers: taken_as_values,
        only_add: added,
    }
    says = "the value of the last row"
    for graph, inputs in (
        (SQUARE_PLUS_X, {"x": 3.0}),
        (BY_HAND, {"a": 2.0, "b": 3.0}),
        (WITH_EXP, {"x": 1.0}),
        (ALONE, {"x": 5.0}),
        (SQUARE_PLUS_X, {"x": 0.0}),
        (UNUSED, {"x": -0.5}),
        (SQUARE_PLUS_X, {"x": 0.3}),
    ):
        c.example((graph, inputs), values_of(graph, inputs)[-1], says=says, looks_like=looks_like, rtol=1e-12)
    c.example((DOUBLINGS, {"x": 1.0}), 2.0**30, says="each row is computed once")


stored = mistake("= instead of +=", "You store the paths, so those of an earlier use are lost. Add up: +=.")
arrows = mistake(
    "counted arrows", "You added 1 for each arrow. Add the number of paths of the row where the arrow ends."
)
oldest = mistake(
    "started with the oldest row",
    "You went from the first row to the last, when no count was there yet. Go from the last row to the first.",
)
unused_too = mistake(
    "unused rows count",
    "You start every row with one path. Only the last row starts with one; a row that leads nowhere has none.",
)
ends_at_0 = mistake(
    "the last row has no path",
    "You start with 0 everywhere, so all counts stay 0. The last row has one path to itself: paths[-1] = 1.",
)


def ways_of(graph, once=False, store=False, forwards=False, start=None, last=1):
    paths = [0] * len(graph) if start is None else [start] * len(graph)
    paths[-1] = last
    for row in range(len(graph)) if forwards else reversed(range(len(graph))):
        for i in set(graph[row][1]) if once else graph[row][1]:
            paths[i] = paths[row] if store else paths[i] + paths[row]
    return paths


@exercise("count_paths", points=3, function="count_paths(graph)")
def count_paths(c):
    looks_like = {
        stored: lambda g: ways_of(g, store=True)[0],
        each_once: lambda g: ways_of(g, once=True)[0],
        oldest: lambda g: ways_of(g, forwards=True)[0],
        unused_too: lambda g: ways_of(g, start=1)[0],
        ends_at_0: lambda g: ways_of(g, last=0)[0],
        arrows: lambda g: sum(len(arguments) for _, arguments in g),
    }
    says = "the paths from row 0 to the last row"
    for graph, count in ((SQUARE_PLUS_X, 3), (BY_HAND, 1), (WITH_EXP, 2), (ALONE, 1), (UNUSED, 3), (DOUBLINGS, 2**30)):
        c.example((graph,), count, says=says, looks_like=looks_like)
