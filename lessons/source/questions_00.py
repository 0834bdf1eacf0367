"""Five questions for each lesson, asked at its end and again on later days: `check.questions()`, `three_a_day()`.

A question is one fact, and its answer one number or one letter. Its numbers are others than those of the lesson's
predictions, so that the answer cannot be recalled, only the reason. Students receive `questions_sealed.json`.
"""

from minigrad.classroom.questionnaire import ask

QUESTIONS = {
    "01": [
        ask("How many boxes are in the graph of `x*x*x + x`?", 4, "x is one box; then x·x, that times x, and the sum."),
        ask("And how many arrows?", 6, "Three ops with two arguments each."),
        ask("`s = x + x; y = s * s`: how many paths lead from x to y?", 4, "Two into s, two out of it: 2 · 2."),
        ask(
            "`x` is 3, `y = x*x`, then `x = mg.constant(5.0)`. What is y?",
            9,
            "The graph holds numbers, not names.",
        ),
        ask(
            "`y = x * x if x > 0 else 0.0` is run at 3. How many boxes of y's graph are made by an op?",
            1,
            "The `if` leaves no box.",
        ),
    ],
    "02": [
        ask("b = 2x, y = b·b. The slope at x = 1?", 8, "2 · 2x · 2."),
        ask("y = (b·b)·b. How many messages arrive at b?", 3, "One for each use of b."),
        ask("What is the gradient of the result itself?", 1, "When it grows by 1, it grows by 1."),
        ask("y = a - b. Which message does b get?", -1, "When b grows, y falls."),
        ask(
            "Ten doublings `y = y + y`, walked newest first: how many messages?",
            20,
            "Two arrows for each of ten ops. 1024 is the number of paths.",
        ),
    ],
    "03": [
        ask("The central difference of x³ at 1 with h = 0.5?", 3.25, "(1.5³ - 0.5³) / 1."),
        ask(
            "A forward difference, before rounding counts: h ten times smaller makes the error about how many times "
            "smaller?",
            10,
            "Its error goes with h, that of the central one with h².",
        ),
        ask("The central difference of |x| at 0?", 0, "Both sides are equally high, so the kink does not show."),
        ask("In float64, (1 + 1e-17) - 1 is?", 0, "The next number after 1 is 2.2e-16 away."),
        ask(
            "How many runs of f does the check along one direction take, for a million inputs?",
            2,
            "One forward and one back along the direction.",
        ),
    ],
    "04": [
        ask(
            "y = x + x. The gradients are kept in the boxes and never set to 0. That of x after two walks?",
            4,
            "2, and 2 once more.",
        ),
        ask(
            "`=` instead of `+=`: the slope of x·x at 7 comes out as?",
            7,
            "The second message replaces the first.",
        ),
        ask(
            "The parents are kept in a set: the slope of x·x at 5 comes out as?",
            5,
            "{x, x} has one element, so one message of 5 is lost.",
        ),
        ask(
            "Which order of walking is right for every graph?",
            "b",
            "A number is older than everything made from it.",
            "oldest first",
            "newest first",
            "largest value first",
        ),
        ask(
            "About how many calls inside each other does Python allow?",
            "b",
            "sys.getrecursionlimit() is 1000.",
            "100",
            "1000",
            "a million",
        ),
    ],
    "05": [
        ask(
            "X is 8×3, W is 3×2, b has two entries. Each entry of b's gradient for `mg.sum(X @ W + b)`?",
            8,
            "b is used once in each row.",
        ),
        ask(
            "The gradient of W there has the shape",
            "b",
            "A gradient has the shape of its input.",
            "(8, 2)",
            "(3, 2)",
            "(2, 3)",
        ),
        ask("`mg.mean` of five numbers: the gradient of each?", 0.2, "1 / 5."),
        ask(
            "Upstream [1, 10, 100] at `cumsum`: the gradient of the first input?",
            111,
            "It is in all three sums: read a column of the table.",
        ),
        ask("The shapes (3,) minus (3, 1): how many entries?", 9, "All pairs, and nothing warns."),
    ],
    "06": [
        ask(
            "Above which x is exp(x) inf in float16? One digit after the point.",
            11.1,
            "log(65504). It is 88.7 in float32 and 709.8 in float64.",
            within=0.05,
        ),
        ask("0 · inf is", "c", "Neither 0 nor inf can be right for every way to get there.", "0", "inf", "nan"),
        ask(
            "The gradient of `mg.where(x > 0, mg.sqrt(x), 0.0)` at 0?",
            "c",
            "where sends 0 to the root, whose slope is inf there.",
            "0",
            "inf",
            "nan",
        ),
        ask(
            "One of 1000 examples has a nan gradient. The gradient of the shared weight is",
            "c",
            "A sum with a nan in it is nan.",
            "the sum of the other 999",
            "0",
            "nan",
        ),
        ask("inf + inf is", "a", "inf becomes nan in 0 · inf, inf - inf and inf / inf.", "inf", "nan"),
    ],
    "07": [
        ask(
            "f(x) = x·x with the rule `upstream * 2 * x`, and L = 5 f(x). The gradient of x at 3?",
            30,
            "The rule is called with 5.",
        ),
        ask(
            "f(x) = x³ with the rule `upstream`. The gradient at 2?",
            1,
            "The rule counts; 12 would be the true slope.",
        ),
        ask(
            "f(x) = x·x with the rule `upstream * 2 * x`: its second derivative at 3?",
            2,
            "The rule is differentiated like any function.",
        ),
        ask(
            "A function of three inputs and one output: how many gradients does its rule return?",
            3,
            "One for each input.",
        ),
        ask(
            "The value of log(1 + exp(x)) at 100 in float32, under a rule that is right?",
            "b",
            "A rule does not touch the value.",
            "100",
            "inf",
            "nan",
        ),
    ],
    "08": [
        ask(
            "Two Variables are named `b` and `W`. Which is first in `variables`?",
            "b",
            "They are sorted as words, and capitals come first.",
            "b",
            "W",
        ),
        ask(
            "Named `v9`, `v10`, `v2`: which is first?",
            "c",
            "The character 1 comes before 2 and 9.",
            "v2",
            "v9",
            "v10",
        ),
        ask(
            "A function reads one captured Variable twice. How many entries does `variables` have?",
            1,
            "One for each Variable.",
        ),
        ask(
            "The gradient of a captured constant, through a rule?",
            "c",
            "A rule speaks of arguments and Variables.",
            "the true one",
            "0",
            "None",
        ),
        ask(
            "A function of x and y captures three Variables. How many gradients does its rule return, in both parts?",
            5,
            "One for each argument, and one for each Variable.",
        ),
    ],
    "09": [
        ask(
            '`mg.nest.flatten({"b": 1, "a": [2, 3]})`: the last leaf?',
            1,
            "A dict goes by sorted key: 2, 3, 1.",
        ),
        ask("Two outputs, only the first is used. The rule gets for the second?", 0, "It is connected, and unused: 0."),
        ask(
            "Both outputs are used three times each. How often is the rule called?",
            1,
            "The node waits until everything is there.",
        ),
        ask("A rule sends None to b, another path sends 7. The gradient of b?", 7, "None is not a message."),
        ask(
            'The outputs are `{"z": .., "a": ..}`, and L = 3 z + 5 a. The first upstream of `grad(first, second)`?',
            5,
            "By sorted key a is first.",
        ),
    ],
}
