"""Lesson 2, the chain rule walks backwards: what its exercises compute. Answers and hints are in 02_hidden.py."""

from minigrad.classroom import exercise, mistake

own_factor = mistake("own factor", "The local derivative of a * b with respect to a is b: each gets the other one.")
product = mistake("the product for both", "When a grows by 1, a * b grows by b, not by a * b.")
as_for_add = mistake("ones, as for add", "When a grows by 1, a * b grows by b.")
values = mistake("the values", "When a grows by 1, a + b grows by 1, whatever a and b are.")
shared_out = mistake("shared out", "Both arguments have the full effect: when a grows by 1, a + b grows by 1.")
sign_lost = mistake("the sign is lost", "When b grows, the result falls: the second local derivative is negative.")
sign_first = mistake("the sign is on the first", "When a grows, a - b grows, and when b grows it falls.")
square_lost = mistake("the square is lost", "The derivative of a / b with respect to b is -a / b**2.")
exchanged = mistake("exchanged", "The first of the pair belongs to a, the second to b.")
upside_down = mistake("upside down", "When a grows by 1, a / b grows by 1 / b.")
a_lost = mistake("a is lost", "The derivative of a / b with respect to b has a in it: -a / b**2.")
TRUE = {
    "add": lambda a, b: (1.0, 1.0),
    "subtract": lambda a, b: (1.0, -1.0),
    "multiply": lambda a, b: (b, a),
    "divide": lambda a, b: (1 / b, -a / b**2),
}
LOOKS_LIKE = {
    "add": {values: lambda op, a, b: (a, b), shared_out: lambda op, a, b: (0.5, 0.5)},
    "subtract": {sign_lost: lambda op, a, b: (1.0, 1.0), sign_first: lambda op, a, b: (-1.0, 1.0)},
    "multiply": {
        own_factor: lambda op, a, b: (a, b),
        product: lambda op, a, b: (a * b, a * b),
        as_for_add: lambda op, a, b: (1.0, 1.0),
    },
    "divide": {
        sign_lost: lambda op, a, b: (1 / b, a / b**2),
        square_lost: lambda op, a, b: (1 / b, -a / b),
        exchanged: lambda op, a, b: (-a / b**2, 1 / b),
        upside_down: lambda op, a, b: (b, -a / b**2),
        a_lost: lambda op, a, b: (1 / b, -1 / b**2),
    },
}


@exercise("local_derivatives", points=2, function="local_derivatives(op, a, b)")
def local_derivatives(c):
    for op, true in TRUE.items():
        for a, b in ((3.0, 2.0), (2.0, 5.0), (-1.0, 4.0), (0.0, 3.0)):
            c.example(
                (op, a, b),
                true(a, b),
                says=f"{op}: both local derivatives",
                looks_like=LOOKS_LIKE[op],
            )


kept_last = mistake("kept the last message", "b gets two messages: add them.")
kept_first = mistake("kept the first message", "b gets two messages: add them.")
multiplied = mistake("multiplied where paths meet", "Where paths meet, the messages are added.")
hand_own = mistake("own factor", "A multiplication sends to s the value of t, and to t the value of s.")
local_only = mistake("local derivatives only", "a gets what s holds times 1. The upstream gradient is missing.")
by_value = mistake("the values", "These are the values of the boxes. The adjoints start with 1 at e and go backwards.")
from_value = mistake("started with the value", "The adjoint of the result with respect to itself is 1, not its value.")
forwards = mistake("started at the inputs", "Start with 1 at e and go backwards: first s and t, then b and a.")
ends_at_0 = mistake("the result has no adjoint", "The result changes by 1 when it changes by 1: its adjoint is 1.")


@exercise("backprop_by_hand", function="backprop_by_hand()")
def backprop_by_hand(c):
    seen = (
        (kept_last, [2, 3, 2, 3, 1]),
        (kept_first, [2, 2, 2, 3, 1]),
        (multiplied, [2, 6, 2, 3, 1]),
        (hand_own, [3, 5, 3, 2, 1]),
        (local_only, [1, 2, 2, 3, 1]),
        (by_value, [2, 1, 3, 2, 6]),
        (from_value, [12, 30, 12, 18, 6]),
        (forwards, [0, 0, 2, 3, 1]),
        (ends_at_0, [2, 5, 2, 3, 0]),
    )
    c.example(
        (),
        [2, 5, 2, 3, 1],
        says="the adjoints of a, b, s, t and e",
        looks_like={named: lambda answer=answer: answer for named, answer in seen},
    )


SQUARE_PLUS_X = [[], [(0, 3.0), (0, 3.0)], [(1, 1.0), (0, 1.0)]]
DIAMOND = [[], [(0, 2.0)], [(1, 6.0), (1, 6.0)], [(1, 1.0), (2, 1.0)]]
OTHER_DIAMOND = [[], [(0, 2.0)], [(1, 1.0)], [(1, 6.0), (1, 6.0)], [(2, 36.0), (3, 7.0)]]
BY_HAND = [[], [], [(0, 1.0), (1, 1.0)], [(1, 1.0)], [(2, 2.0), (3, 3.0)]]
UNUSED = [[], [(0, 5.0)], [(0, 2.0), (0, 2.0)]]
HALVES = [[], [(0, -0.5)], [(1, 3.0), (0, 1.0)]]
ALONE = [[]]
DOUBLINGS = [[]] + [[(row, 1.0), (row, 1.0)] for row in range(30)]


def walked(rows, seed=1.0, start=0.0, order=reversed, add=True, message=lambda g, slope: g * slope, once=False):
    """The walk with one thing changed."""
    adjoints = [start] * len(rows)
    adjoints[-1] = seed
    for row in order(range(len(rows))):
        for argument, slope in set(rows[row]) if once else rows[row]:
            sent = message(adjoints[row], slope)
            adjoints[argument] = adjoints[argument] + sent if add else sent
    return adjoints


def first_come(rows):
    last = len(rows) - 1
    adjoints, queue = [0.0] * len(rows), [last]
    adjoints[last] = 1.0
    for row in queue:
        for argument, slope in rows[row]:
            adjoints[argument] += adjoints[row] * slope
            queue += [argument] * (argument not in queue)
    return adjoints


def depth_first(rows, again=False):
    adjoints, done = [0.0] * len(rows), set()
    adjoints[-1] = 1.0

    def send(row):
        if again or row not in done:
            done.add(row)
            for argument, slope in rows[row]:
                adjoints[argument] += adjoints[row] * slope
                send(argument)

    send(len(rows) - 1)
    return adjoints


stored = mistake("= in place of +=", "Where arrows meet, each message replaces the one before. Add them up.")
oldest = mistake("oldest first", "The walk starts at the result: from the last row to the first.")
come = mistake(
    "first come, first served", "A row sends before all its messages have arrived. Newest first, as in lesson 1."
)
deep = mistake("depth first", "A row sends at its first message and misses the others. From the last row to the first.")
total = mistake(
    "sends its total again", "A row sends once for each message, each time all it holds, so early messages count twice."
)
no_upstream = mistake(
    "forgot the upstream gradient", "A message is what the row holds times the slope, not the slope alone."
)
no_local = mistake("forgot the local derivative", "A message is what the row holds times the slope of the arrow.")
summed = mistake("added along a path", "A message is what the row holds times the slope, not plus.")
starts_at_0 = mistake("the result starts at 0", "The result starts with the adjoint 1, else all messages are 0.")
all_ones = mistake("every row starts at 1", "Only the result starts with 1. All others start with 0 and collect.")
each_once = mistake("each argument once", "x * x has two arrows from x, and each carries a message.")


@exercise("backprop", points=3, function="backprop(rows)")
def backprop(c):
    looks_like = {
        stored: lambda rows: walked(rows, add=False),
        oldest: lambda rows: walked(rows, order=list),
        come: first_come,
        deep: depth_first,
        no_upstream: lambda rows: walked(rows, message=lambda g, slope: slope),
        no_local: lambda rows: walked(rows, message=lambda g, slope: g),
        summed: lambda rows: walked(rows, message=lambda g, slope: g + slope),
        starts_at_0: lambda rows: walked(rows, seed=0.0),
        all_ones: lambda rows: walked(rows, start=1.0),
        each_once: lambda rows: walked(rows, once=True),
        total: lambda rows: depth_first(rows, again=True) if len(rows) < 20 else None,
    }
    says = "all adjoints, also where paths meet"
    for rows in (SQUARE_PLUS_X, DIAMOND, OTHER_DIAMOND, BY_HAND, UNUSED, ALONE, HALVES):
        c.example((rows,), walked(rows), says=says, looks_like=looks_like)
    c.example((DOUBLINGS,), walked(DOUBLINGS), says="one message for each arrow, however many paths")
