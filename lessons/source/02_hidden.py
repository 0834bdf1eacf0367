"""Lesson 2: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise


@exercise("arrives_along_a_chain")
def arrives_along_a_chain(c):
    c.tells("1 · 2")
    c.number(
        2,
        because={
            2: "Yes: exp sends 1 · 1 to 2x, and the multiplication sends 1 · 2 to x.",
            1: "That is what arrives at 2x. From there the multiplication sends 1 · 2.",
            3: "Along a path the slopes multiply. They are added where paths meet.",
        },
        otherwise="Multiply the slopes along the path: the slope of exp at 0, and the slope of 2x.",
    )


@exercise("messages_at_x")
def messages_at_x(c):
    c.choice(
        "b",
        because={
            "a": "x * x has two arrows from x, and each carries 3.",
            "b": "Yes: the sum is the last op, so it sends first: 1 to x * x and 1 to x. Then x * x sends 3 and 3.",
            "c": "The walk starts at the result. The sum is the last op, so it sends first: 1 to x * x, and 1 to x.",
            "d": "x adds up what arrives, message by message. Nothing arrives as a sum.",
        },
    )


@exercise("gradient_of_x")
def gradient_of_x(c):
    c.tells(r"1 \+ 3 \+ 3", r"1, 3 and 3")
    c.number(
        7,
        because={
            7: "Yes: 1 + 3 + 3. The formula agrees: the derivative of x**2 + x is 2x + 1, and 2 · 3 + 1 is 7.",
            4: "You counted one arrow of x * x. It has two: 3 + 3 + 1.",
            9: "You multiplied the messages. Where paths meet, add.",
            6: "You left out the arrow from the sum straight to x.",
            12: "That is the value of y. The gradient of x is the sum of its messages.",
        },
        otherwise="Add up the messages that arrive at x.",
    )


@exercise("three_times")
def three_times(c):
    c.tells("three times as large")
    c.choice(
        "a",
        because={
            "a": "Yes: L changes by 3 when y changes by 1, and that 3 is a factor of every message. At x: 21.",
            "b": "L changes by 3 when y changes by 1, and that 3 is a factor of every message.",
            "c": "The walk starts at L now, and y gets the message 3 instead of 1.",
        },
    )


@exercise("a_minus_a")
def a_minus_a(c):
    c.tells("they cancel")
    c.choice(
        "a",
        because={
            "a": "Yes: a - a is 0 whatever a is, and its slope is the sum of 1 and -1.",
            "b": "a is the second argument, too, and the slope for that one is -1.",
            "c": "Two messages arrive, and they cancel. This 0 is a sum.",
        },
    )


@exercise("messages_for_b")
def messages_for_b(c):
    c.tells("two messages of 6", "both messages of 6")
    c.number(
        3,
        because={
            3: "Yes: one from the sum and two from b * b.",
            2: "b * b has two arrows from b, and the sum has one more.",
            1: "b is used three times: once by the sum and twice by the multiplication.",
        },
        otherwise="Count the arrows that leave b: one message comes back along each.",
    )


@exercise("messages_in_all")
def messages_in_all(c):
    c.tells("one for each arrow", "60 messages")
    c.number(
        60,
        because={
            60: "Yes: one for each arrow, however many paths lead through it.",
            2**30: "That is the number of paths. Each arrow carries one message, however many paths lead through it.",
            30: "There are two arrows at each step.",
            31: "That is the number of boxes. Each arrow carries one message.",
        },
        otherwise="Each arrow carries one message. Count the arrows.",
    )


@exercise("slopes_of", points=2, function="slopes_of(op, a, b)")
def slopes_of(c):
    c.hint(
        "Let a grow a little and keep b. What does the result do?",
        "Take a * b. When a grows by 1, it grows by b. And when b grows by 1?",
        'if op == "divide": return 1 / b, -a / ___',
    )
    c.solution("Each number says by how many times a nudge of one argument moves the result, while the other stays.")
    right = {
        "add": "(1.0, 1.0)",
        "subtract": "(1.0, -1.0)",
        "multiply": "(b, a)",
        "divide": "(1 / b, -a / b**2)",
    }
    for named, op, answer in (
        ("own factor", "multiply", "(a, b)"),
        ("the product for both", "multiply", "(a * b, a * b)"),
        ("ones, as for add", "multiply", "(1.0, 1.0)"),
        ("the values", "add", "(a, b)"),
        ("shared out", "add", "(0.5, 0.5)"),
        ("the sign is lost", "subtract", "(1.0, 1.0)"),
        ("the sign is on the first", "subtract", "(-1.0, 1.0)"),
        ("the sign is lost", "divide", "(1 / b, a / b**2)"),
        ("the square is lost", "divide", "(1 / b, -a / b)"),
        ("swapped", "divide", "(-a / b**2, 1 / b)"),
        ("upside down", "divide", "(b, -a / b**2)"),
        ("a is lost", "divide", "(1 / b, -1 / b**2)"),
    ):
        table = ", ".join(f'"{name}": {answer if name == op else text}' for name, text in right.items())
        c.wrong(f"def slopes_of(op, a, b): return {{{table}}}[op]", named)


@exercise("backprop_by_hand", function="backprop_by_hand()")
def backprop_by_hand(c):
    c.hint(
        "Where does the walk start, and with which number? At e, with 1.",
        "s gets the value of t, and t gets the value of s.",
        "a gets 2; b gets 2 from s and 3 from t.",
    )
    c.solution("e sends 2 to s and 3 to t; a gets 2 from s, and b gets 2 from s and 3 from t.")
    for named, answer in (
        ("kept the last message", [2, 3, 2, 3, 1]),
        ("kept the first message", [2, 2, 2, 3, 1]),
        ("multiplied where paths meet", [2, 6, 2, 3, 1]),
        ("own factor", [3, 5, 3, 2, 1]),
        ("slopes only", [1, 2, 2, 3, 1]),
        ("the values", [2, 1, 3, 2, 6]),
        ("started with the value", [12, 30, 12, 18, 6]),
        ("started at the inputs", [0, 0, 2, 3, 1]),
        ("the result has no gradient", [2, 5, 2, 3, 0]),
    ):
        c.wrong(f"def backprop_by_hand(): return {answer}", named)


@exercise("backprop", points=3, function="backprop(rows)")
def backprop(c):
    c.hint(
        "You have written this walk before: count_paths of lesson 1. What does each arrow multiply by now?",
        "When may a row send? When all rows that use it have sent. So go from the last row to the first.",
        "gradients[argument] += gradients[row] * ___",
    )
    c.solution("From the last row to the first, each row has all its messages before it sends.")
    body = (
        "def backprop(rows):\n    gradients = [{start}] * len(rows)\n    gradients[-1] = {seed}\n"
        "    for row in {order}:\n"
        "        for argument, slope in {arrows}:\n            gradients[argument] {adds} {message}\n"
        "    return gradients"
    )
    usual = {
        "start": "0.0",
        "seed": "1.0",
        "order": "reversed(range(len(rows)))",
        "arrows": "rows[row]",
        "adds": "+=",
        "message": "gradients[row] * slope",
    }
    for named, change in (
        ("= instead of +=", {"adds": "="}),
        ("oldest first", {"order": "range(len(rows))"}),
        ("forgot the gradient", {"message": "slope"}),
        ("forgot the slope", {"message": "gradients[row]"}),
        ("added along a path", {"message": "gradients[row] + slope"}),
        ("the result starts at 0", {"seed": "0.0"}),
        ("every row starts at 1", {"start": "1.0"}),
        ("each argument once", {"arrows": "set(rows[row])"}),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    queue = (
        "def backprop(rows):\n    gradients = [0.0] * len(rows)\n    gradients[-1] = 1.0\n    queue = [len(rows) - 1]\n"
        "    for row in queue:\n        for argument, slope in rows[row]:\n"
        "            gradients[argument] += gradients[row] * slope\n"
        "            if argument not in queue:\n                queue.append(argument)\n    return gradients"
    )
    c.wrong(queue, "first come, first served")
    without = (
        body.format(**usual).replace("[0.0] * len(rows)", "{}").replace("gradients[-1]", "gradients[len(rows) - 1]")
    )
    c.wrong(without, "a row that is not in the dict")
