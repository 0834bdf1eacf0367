"""Lesson 1: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise

RIGHT_ROW = "OPS[op](*[values[i] for i in arguments]) if arguments else LEAF"
WALK = """\
OPS = {{"add": lambda a, b: a + b, "multiply": lambda a, b: a * b, "exp": math.exp}}
def evaluate_graph(graph, inputs):
    values = []
    for op, arguments in graph:
        values.append({row})
    return {result}"""


@exercise("boxes_at_1_5")
def boxes_at_1_5(c):
    c.tells("four multiplications", "runs four times", "four turns")
    c.number(
        5,
        because={
            5: "Yes: 1.5, 2.25, and three more until 100 is passed. At 3 there was one box fewer.",
            4: "That is the count at 3, or you left out x itself. From 1.5 the loop runs four times.",
            8: "You counted arrows: each of the four multiplications has two.",
            6: "You gave the loop a box. Only what it computed is recorded.",
        },
        otherwise="Follow the loop by hand: 1.5, then 2.25, and so on until 100 is passed. Each number is a box.",
    )


@exercise("arrows_into_square")
def arrows_into_square(c):
    c.tells("used twice", "two of them")
    c.number(
        2,
        because={
            2: "Yes: multiply has two arguments, and x is both of them.",
            1: "One number, but two uses: both arguments of multiply are x.",
            3: "The arrow to y leaves the box of s; it does not enter it.",
        },
        otherwise="Count the arguments of x * x.",
    )


@exercise("size_of_graph")
def size_of_graph(c):
    c.choice(
        "a",
        because={
            "a": "Yes: x, x * x and the sum are three numbers; each of the two ops has two arguments.",
            "b": "x is one number, so it is one box, however often it is used. The name y has no box of its own.",
            "c": "x * x uses x twice: two arrows, although both lead from the same box to the same box.",
            "d": "Count the numbers that are computed, not the letters in the formula.",
        },
    )


@exercise("multiplications_shared")
def multiplications_shared(c):
    c.number(
        2,
        because={
            2: "Yes: s is computed once and used twice.",
            3: "x * x * x * x has three. Here s is computed once and used twice.",
            4: "s is one box, and s * s is the second.",
            1: "s itself is a multiplication, too.",
        },
        otherwise="Count the boxes: s = x * x is one, and s * s is another.",
    )


@exercise("name_moved")
def name_moved(c):
    c.tells("numbers, not names", "still 12")
    c.choice(
        "a",
        because={
            "a": "Yes: y was computed from 3.0, and it keeps what it was made from.",
            "b": "The name x leads to another number now. y was computed before that, from the number 3.0.",
            "c": "Nothing was destroyed: y keeps the number that it was made from.",
        },
    )


@exercise("arrows_after_sqrt")
def arrows_after_sqrt(c):
    c.tells("plain number", "no arrow leads")
    c.number(
        1,
        because={
            1: "Yes: only the + sees x. math.sqrt made a plain number of it.",
            2: "math.sqrt takes a plain number: x is turned into 3.0 first, and there the record ends.",
            0: "One use of x is recorded: the + is an op of minigrad.",
        },
        otherwise="The formula uses x twice. Which of the two uses is an op of minigrad?",
    )


@exercise("paths")
def paths(c):
    c.tells("a billion", "1,073,741,824", "splits in two")
    c.choice(
        "c",
        because={
            "a": "30 is the number of steps. At each step every path splits in two.",
            "b": "60 is the number of arrows. A path leads through 30 of them.",
            "c": "Yes: at each of 30 steps every path splits in two.",
            "d": "31 is the number of boxes. At each step every path splits in two.",
        },
    )


@exercise("small_paths")
def small_paths(c):
    c.numbers(
        [1, 3],
        because={
            (1, 3): "Yes: one from s. From x two through s, by its two arrows, and one straight to the sum.",
            (1, 2): "x * x uses x twice: two arrows lead from x to s, and each begins a path.",
            (2, 3): "Two arrows enter s. One leaves it, so one path leads on from there.",
            (1, 1): "From x count every way: through s by each of two arrows, and straight to the sum.",
            (3, 1): "The other way round: the first number is that of s.",
        },
        otherwise="Follow the arrows with a finger, from the box to the result, and count the different ways.",
    )


@exercise("draw_by_hand", points=2, function="draw_by_hand()")
def draw_by_hand(c):
    c.hint(
        "Which numbers come up, from the inputs to the result? There are six, and each has a row.",
        "Row 2 is a + b, row 3 the number 1, row 4 is b + 1.",
        '[("a", []), ("b", []), ("add", [0, 1]), (1.0, []), ("add", [___]), ("multiply", [___])]',
    )
    c.solution("b has one row, which both sums use. Their product is the last row.")
    start = 'def draw_by_hand(): return [("a", []), ("b", []), '
    c.wrong(start + '("add", [0, 1]), ("b", []), (1.0, []), ("add", [3, 4]), ("multiply", [2, 5])]')
    c.wrong(start + '("add", [0, 1]), ("multiply", [2, 2])]')
    c.wrong(start + '("add", [0, 1]), (1.0, []), ("add", [1, 3])]')
    c.wrong(start + '("add", ["a", "b"]), (1.0, []), ("add", ["b", 1.0]), ("multiply", [2, 4])]')
    c.wrong(start + '("add", [0, 1]), ("add", [1, 1]), ("multiply", [2, 3])]')
    c.wrong(start + '("multiply", [0, 1]), (1.0, []), ("multiply", [1, 3]), ("add", [2, 4])]')
    c.wrong(start + '("multiply", [1, 1]), (1.0, []), ("add", [0, 2]), ("add", [4, 3])]')
    c.wrong(start + '("add", [0, 1]), (1.0, []), ("add", [0, 3]), ("multiply", [2, 4])]')
    c.wrong(start + '("add", [0, 1]), ("add", [0, 1]), (1.0, []), ("add", [1, 4]), ("multiply", [2, 5])]')
    c.wrong(start + '("add", [0, 1]), (1.0, []), (7.0, []), ("add", [1, 3]), ("multiply", [2, 5])]')
    c.wrong(start + '("+", [0, 1]), (1.0, []), ("+", [1, 3]), ("*", [2, 4])]')
    c.wrong(start + '("add", [1, 2]), (1.0, []), ("add", [2, 4]), ("multiply", [3, 5])]')
    c.wrong(start + '(1.0, []), ("add", [0, 1, 1, 2])]')


@exercise("count_arrows", function="count_arrows(graph)")
def count_arrows(c):
    c.hint(
        "Where are the arrows in a list of rows? Each argument is one.",
        "How many does x * x have? Its arguments are [0, 0]: two.",
        "return sum(len(___) for op, arguments in graph)",
    )
    c.solution("The length of a list of arguments is the number of arrows that enter the box.")
    for named, body in (
        ("each argument once", "sum(len(set(arguments)) for op, arguments in graph)"),
        ("counted the rows", "len(graph)"),
        ("counted the ops", "sum(1 for op, arguments in graph if arguments)"),
        (None, "len(graph) - 1"),
        (None, "len(graph[-1][1])"),
        ("counted an arrow for each input", "sum(len(arguments) or 1 for op, arguments in graph)"),
        ("counted two for every op", "sum(2 for op, arguments in graph if arguments)"),
        (None, "sum(len(arguments) for op, arguments in graph[:-1])"),
    ):
        c.wrong(f"def count_arrows(graph): return {body}", named)


@exercise("evaluate_graph", points=2, function="evaluate_graph(graph, inputs)")
def evaluate_graph(c):
    c.hint(
        "What do you need when the turn of a row comes? The values of the rows above it: keep them in a list.",
        "A row without arguments is an input, which you look up in inputs, or a number, which is its own value.",
        "values.append(OPS[op](*[values[i] for i in ___]))",
    )
    c.solution("Each row uses only earlier rows, so their values are there when its turn comes.")
    for named, row, result in (
        (None, RIGHT_ROW, "values"),
        ("returned the first value", RIGHT_ROW, "values[0]"),
        ("took row numbers for values", "OPS[op](*arguments) if arguments else LEAF", "values[-1]"),
        (None, "OPS[op](*[values[i] for i in set(arguments)]) if arguments else LEAF", "values[-1]"),
        (None, "OPS[op](*[values[i] for i in arguments]) if arguments else inputs[op]", "values[-1]"),
        ("added where it should multiply", "ADDED if arguments else LEAF", "values[-1]"),
        ("one row too early", RIGHT_ROW, "values[-2] if len(values) > 1 else values[0]"),
        (None, RIGHT_ROW, "max(values)"),
    ):
        row = row.replace("LEAF", "(inputs[op] if isinstance(op, str) else op)")
        row = row.replace("ADDED", "(math.exp(values[0]) if op == 'exp' else sum(values[i] for i in arguments))")
        c.wrong(WALK.format(row=row, result=result), named)


@exercise("count_paths", points=3, function="count_paths(graph)")
def count_paths(c):
    c.hint(
        "Start at the end. How many paths lead from the last row to itself? One: the path without a step.",
        "Go backwards. Each row adds its count to the count of each of its arguments.",
        "for row in reversed(range(len(graph))): for i in graph[row][1]: paths[i] += ___",
    )
    c.solution("When the turn of a row comes, all rows that use it have added their counts.")
    body = (
        "def count_paths(graph):\n    paths = [{start}] * len(graph)\n    paths[-1] = {last}\n    for row in {order}:\n"
        "        for i in {arguments}:\n            paths[i] {adds} {what}\n    return {result}"
    )
    usual = {
        "start": "0",
        "last": "1",
        "order": "reversed(range(len(graph)))",
        "arguments": "graph[row][1]",
        "adds": "+=",
        "what": "paths[row]",
        "result": "paths[0]",
    }
    for named, change in (
        ("= instead of +=", {"adds": "="}),
        ("each argument once", {"arguments": "set(graph[row][1])"}),
        ("started with the oldest row", {"order": "range(len(graph))"}),
        ("unused rows count", {"start": "1"}),
        ("the last row has no path", {"last": "0"}),
        (None, {"what": "1"}),
        (None, {"result": "sum(w for w, (op, a) in zip(paths, graph) if not a)"}),
        (None, {"result": "max(paths)"}),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    c.wrong("def count_paths(graph): return sum(len(arguments) for op, arguments in graph)", "counted arrows")
