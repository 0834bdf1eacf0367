"""Lesson 2, the chain rule walks backwards: what its exercises compute. Answers and hints are in 02_hidden.py."""

import minigrad as mg
from minigrad.classroom import exercise, mistake
from minigrad.classroom.answer_graph import Misused

own_factor = mistake(
    "own factor", "You gave each factor its own value. Let a grow by 1: a * b grows by b. So a gets b, and b gets a."
)
product = mistake("the product for both", "You gave both the product. Let a grow by 1: a * b grows by b, not by a * b.")
as_for_add = mistake(
    "ones, as for add", "You gave both 1, which is right for a sum. Let a grow by 1: a * b grows by b."
)
values = mistake("the values", "You gave the values. Let a grow by 1: a + b grows by 1, whatever a and b are.")
shared_out = mistake(
    "shared out", "You divided the effect between a and b. Each has all of it: let a grow by 1, and a + b grows by 1."
)
sign_lost = mistake(
    "the sign is lost", "Your second slope is positive. But when b grows, the result falls: put a minus there."
)
sign_first = mistake(
    "the sign is on the first", "Your first slope is negative. But when a grows, a - b grows; it falls when b grows."
)
square_lost = mistake("the square is lost", "You divided by b once. The slope for b is -a / b**2.")
swapped = mistake("swapped", "Both slopes are right, in the wrong order: first that of a, then that of b.")
upside_down = mistake("upside down", "You multiplied by b. Let a grow by 1: a / b grows by 1 / b.")
not_squared = mistake("b is not squared", "You divided by 2 * b. The slope for b is -a / b**2, and b**2 is b * b.")
a_lost = mistake("a is lost", "You left a out. The slope for b is -a / b**2.")
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
        not_squared: lambda op, a, b: (1 / b, -a / (2 * b)),
        swapped: lambda op, a, b: (-a / b**2, 1 / b),
        upside_down: lambda op, a, b: (b, -a / b**2),
        a_lost: lambda op, a, b: (1 / b, -1 / b**2),
    },
}


@exercise("slopes_of", points=2, function="slopes_of(op, a, b)")
def slopes_of(c):
    for op, true in TRUE.items():
        for a, b in ((3.0, 2.0), (2.0, 5.0), (-1.0, 4.0), (0.0, 3.0), (0.3, 0.7)):
            c.example(
                (op, a, b),
                true(a, b),
                says=f"{op}: both slopes",
                looks_like=LOOKS_LIKE[op],
                rtol=1e-12,
            )


kept_last = mistake("kept the last message", "The later message replaced the earlier one. b gets two: add them.")
kept_first = mistake("kept the first message", "The second message is missing. b gets two: add them.")
multiplied = mistake("multiplied where paths meet", "You multiplied the two messages of b. Where paths meet, add.")
hand_own = mistake(
    "own factor", "You sent s its own value. A multiplication sends s the value of t, and t the value of s."
)
slope_only = mistake(
    "slopes only", "You sent a the slope 1. A message is gradient times slope: start with the gradient of s."
)
by_value = mistake("the values", "These are the values of the boxes. The gradients start with 1 at e and go backwards.")
from_value = mistake(
    "started with the value", "You started with 6, the value of e. When e grows by 1, e grows by 1: start with 1."
)
forwards = mistake(
    "started at the inputs", "a and b have nothing. Start with 1 at e and go backwards: first s and t, then b and a."
)
ends_at_0 = mistake(
    "the result has no gradient", "You gave e the gradient 0. When e grows by 1, e grows by 1: its gradient is 1."
)


NAMES, BACKPROP = "abste", [2, 5, 2, 3, 1]


@exercise("backprop_by_hand", function="backprop_by_hand()")
def backprop_by_hand(c):
    seen = (
        (kept_last, [2, 3, 2, 3, 1]),
        (kept_first, [2, 2, 2, 3, 1]),
        (multiplied, [2, 6, 2, 3, 1]),
        (hand_own, [3, 5, 3, 2, 1]),
        (slope_only, [1, 2, 2, 3, 1]),
        (by_value, [2, 1, 3, 2, 6]),
        (from_value, [12, 30, 12, 18, 6]),
        (forwards, [0, 0, 2, 3, 1]),
        (ends_at_0, [2, 5, 2, 3, 0]),
    )

    def holds(f):
        got = f()
        try:
            numbers = [float(number) for number in getattr(got, "value", got)]
        except (TypeError, ValueError):
            return "backprop_by_hand() returns a list of five numbers, in the order [a, b, s, t, e]."
        if len(numbers) != len(NAMES):
            return f"Return a list of five numbers, in the order [a, b, s, t, e]. Yours has {len(numbers)}."
        wrong = [name for name, number, true in zip(NAMES, numbers, BACKPROP) if number != true]
        if not wrong:
            return True
        words = f"Wrong: {', '.join(wrong)}. Right: {', '.join(name for name in NAMES if name not in wrong) or 'none'}."
        looks = next((named for named, answer in seen if answer == numbers), None)
        return mistake(looks.name, f"{looks.says} {words}") if looks else words

    c.property("the gradients of a, b, s, t and e", holds, vary=(), points=[()])


SQUARE_PLUS_X = [[], [(0, 3.0), (0, 3.0)], [(1, 1.0), (0, 1.0)]]
DIAMOND = [[], [(0, 2.0)], [(1, 6.0), (1, 6.0)], [(1, 1.0), (2, 1.0)]]
OTHER_DIAMOND = [[], [(0, 2.0)], [(1, 1.0)], [(1, 6.0), (1, 6.0)], [(2, 36.0), (3, 7.0)]]
BY_HAND = [[], [], [(0, 1.0), (1, 1.0)], [(1, 1.0)], [(2, 2.0), (3, 3.0)]]
UNUSED = [[], [(0, 2.0)], [(1, 5.0)], [(1, 0.0), (1, 3.0)]]
HALVES = [[], [(0, -0.5)], [(1, 3.0), (0, 1.0)]]
ALONE = [[]]
DOUBLINGS = [[]] + [[(row, 1.0), (row, 1.0)] for row in range(30)]


def drawn(rows):
    """The numbers of which the rows are, for a picture of a wrong walk."""
    x, b = mg.constant(3.0), mg.constant(1.0)
    if rows == SQUARE_PLUS_X:
        return x * x + x
    if rows == DIAMOND:
        double = 2.0 * x
        return double + double * double
    return (mg.constant(2.0) + b) * (b + 1.0) if rows == BY_HAND else None


def walked(rows, seed=1.0, start=0.0, order=reversed, add=True, message=lambda g, slope: g * slope, once=False):
    """The walk with one thing changed."""
    gradients = [start] * len(rows)
    gradients[-1] = seed
    for row in order(range(len(rows))):
        for argument, slope in set(rows[row]) if once else rows[row]:
            sent = message(gradients[row], slope)
            gradients[argument] = gradients[argument] + sent if add else sent
    return gradients


def first_come(rows):
    last = len(rows) - 1
    gradients, queue = [0.0] * len(rows), [last]
    gradients[last] = 1.0
    for row in queue:
        for argument, slope in rows[row]:
            gradients[argument] += gradients[row] * slope
            queue += [argument] * (argument not in queue)
    return gradients


def depth_first(rows, again=False):
    gradients, done = [0.0] * len(rows), set()
    gradients[-1] = 1.0

    def send(row):
        if again or row not in done:
            done.add(row)
            for argument, slope in rows[row]:
                gradients[argument] += gradients[row] * slope
                send(argument)

    send(len(rows) - 1)
    return gradients


stored = mistake("= instead of +=", "You store each message, so it replaces the one before. Where arrows meet, add.")
oldest = mistake(
    "oldest first", "Your walk starts at the input, where nothing has arrived. Go from the last row to the first."
)
come = mistake(
    "first come, first served",
    "A row sends too early, so later messages are lost. Go from the last row to the first, as count_paths does.",
)
deep = mistake(
    "depth first", "A row sends at its first message, so the others are lost. Go from the last row to the first."
)
total = mistake(
    "sends its total again",
    "A row sends its total at each message, so early messages count twice. Send once, when all have arrived.",
)
no_upstream = mistake(
    "forgot the gradient", "You sent only the slope. A message is the gradient of the row times the slope."
)
no_local = mistake(
    "forgot the slope", "You sent only the gradient. A message is the gradient of the row times the slope."
)
summed = mistake("added along a path", "You added gradient and slope. A message is their product.")
no_zero = mistake(
    "a row that is not in the dict",
    "You read the gradient of a row before the dict has one. Begin with 0.0 for each row: [0.0] * len(rows).",
)
starts_at_0 = mistake(
    "the result starts at 0", "You start with 0, so all messages are 0. The gradient of the result is 1."
)
all_ones = mistake(
    "every row starts at 1",
    "You start every row with 1. Only the result starts with 1; the others start with 0 and collect.",
)
each_once = mistake(
    "each argument once",
    "You made a set of the pairs, which has equal ones once. x * x has two arrows from x, and each carries a message.",
)


def walk_of(backprop, rows):
    """The gradients that the answer returns; the number of a row that its dict lacks is a mistake with a name."""
    try:
        return backprop(rows)
    except KeyError as error:
        if str(error).strip("'") not in map(str, range(len(rows))):
            raise
        raise Misused(no_zero).with_traceback(error.__traceback__) from None


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
    says = "all gradients, also where paths meet"
    for rows in (SQUARE_PLUS_X, DIAMOND, OTHER_DIAMOND, BY_HAND, UNUSED, ALONE, HALVES):
        c.example((rows,), walked(rows), says=says, run=walk_of, looks_like=looks_like)
    c.example((DOUBLINGS,), walked(DOUBLINGS), says="one message for each arrow, however many paths")
    c.walk(drawn, rows=True)
