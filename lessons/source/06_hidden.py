"""Lesson 6: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake

KINK = "a kink at 0"
ONE_WHERE, NO_WHERE = "the branch not taken sends a nan", "exp(x) is still computed for large x"
MESSENGER, INFINITY, LAST = (
    "returned a row that only passes a nan on",
    "took an infinity for a nan",
    "returned the last row where one begins",
)


@exercise("gradient_at_100")
def gradient_at_100(c):
    c.tells(r"(is|becomes) nan|nan first appears")
    c.choice(
        "d",
        because={
            "a": "That is the true slope. The backward pass gets there by a product of two numbers. Run the next cell.",
            "b": "A 0 comes up on the way, and then it meets something. Run the next cell.",
            "c": "An inf comes up on the way, and then it meets something. Run the next cell.",
            "d": "Yes, nan. Which step made it?",
        },
    )


@exercise("which_factors")
def which_factors(c):
    c.tells(r"0 (·|times|\*|×) (inf|∞)")
    c.choice(
        "b",
        because={
            "a": "inf times inf would be inf. Read what arrives at exp: it is the message of add.",
            "b": "Yes. log sends 1 / (1 + inf) = 0, add passes it on, and the slope of exp is its own value, inf.",
            "c": "The rule of exp multiplies; it does not subtract. Stop where exp sends, and read the product.",
            "d": "The other way round: the upstream gradient comes from log, through add.",
        },
    )


@exercise("breaks_at")
def breaks_at(c):
    c.tells(r"88\.7")
    c.number(
        88.72,
        within=0.02,
        because={
            88.72: "Yes: the logarithm of 3.4e38 is 88.72. Beyond it, value and gradient are gone.",
            89: "At 89 exp(x) is inf already. The limit is a little lower: solve e**x = 3.4e38.",
            88: "At 88 there is still room: e**88 is 1.65e38. Solve e**x = 3.4e38.",
            38: "38 is the power of ten in it, and exp is a power of e: take the natural logarithm, np.log.",
            38.53: "That is np.log10 of 3.4e38, and exp is a power of e: take the natural logarithm, np.log.",
            709.78: "That is the limit of float64. The largest float32 is 3.4e38.",
            100: "At 100 it is broken already. Below which x is e**x still less than 3.4e38?",
        },
        otherwise="Not quite: exp(x) becomes inf where e**x passes the largest float32, 3.4e38. Solve e**x = 3.4e38.",
    )
    c.hint("Which x has e**x = 3.4e38?", "The inverse of exp is the natural logarithm.", "breaks_at = np.log(___)")


@exercise("at_88")
def at_88(c):
    c.tells(r"just below|right up to")
    c.choice(
        "a",
        because={
            "a": "Yes: e**88 is 1.65e38, large, and still a float32. Hardly anything is lost.",
            "b": "e**88 is 1.65e38, and the largest float32 is 3.4e38: there is room. Run the next cell.",
            "c": "The slope would be lost if 1 / e**88 were rounded to 0. Some systems do so; NumPy does not.",
        },
    )


@exercise("dead_branch")
def dead_branch(c):
    c.tells(r"(is|becomes) nan|both branches")
    c.choice(
        "d",
        because={
            "a": "That is the slope of the branch taken. The other branch is computed, too, and sends something.",
            "b": "0 is what where sends into the branch not taken. It does not stay 0.",
            "c": "The inf is in the branch not taken, and on the way back it is multiplied by something.",
            "d": "Yes, nan, although the branch with the inf was not taken. Where does it come from?",
        },
    )


@exercise("which_arrow")
def which_arrow(c):
    c.tells(r"exp.*\binf\b")
    c.edge(
        ("exp", "x"),
        because={
            ("exp", "x"): "Yes: 0 arrives at exp, and its slope is inf.",
            ("add", "exp"): "Here a 0 is sent: nothing is multiplied by inf yet. Which box has the slope inf?",
            ("log", "add"): "Here 0 is multiplied by a slope of 0. Which box has the slope inf?",
            ("y", "log"): "This arrow carries the 0 of the branch not taken. It is still a number.",
            ("y", "x"): "This is the branch taken: it sends 1. Follow the other one.",
        },
        otherwise="Look for the box that gets 0 and has the slope inf. The sender comes first.",
    )


@exercise("shared_weight")
def shared_weight(c):
    c.tells(r"sum is nan")
    c.harmless("returns the row where a nan begins", "of the exercise that follows, not of this weight")
    c.choice(
        "c",
        because={
            "a": "A sum does not leave out the entries that are broken: 1.49 + nan is nan.",
            "b": "Nothing sets the broken entry to 0. It stays nan, and is added to the others.",
            "c": "Yes: w receives one message from each entry and adds them, and a number plus nan is nan.",
        },
    )


@exercise("safe_log1pexp", points=3, function="safe_log1pexp(x)")
def safe_log1pexp(c):
    c.hint(
        "Which function in log(1 + exp(x)) gets a number that is too large for it?",
        "Use where twice: around the argument of exp, so that exp never gets a large number, and at the end.",
        "harmless = mg.where(x > 50, 0.0, x), and mg.where(x > 50, ___, log1pexp(___))",
    )
    c.solution(
        "exp gets 0 wherever its result is not used. The branch not taken still sends 0, now times a finite slope."
    )
    head = "def safe_log1pexp(x): return "
    c.wrong(head + "mg.log(1 + mg.exp(x))", NO_WHERE)
    c.wrong(head + "mg.where(x > 50, x, mg.log(1 + mg.exp(x)))", ONE_WHERE)
    c.wrong(head + "mg.log(1 + mg.exp(mg.minimum(x, 50.0)))")
    c.wrong(head + "2 * mg.where(x > 50, x, mg.log(1 + mg.exp(mg.where(x > 50, 0.0, x))))", mistake.twice)
    c.wrong(head + "mg.softplus(x)", mistake.library_answer)
    c.wrong(head + "mg.log10(1 + mg.exp(mg.minimum(x, 50.0)))")
    c.wrong(head + "-mg.where(x > 50, x, mg.log(1 + mg.exp(mg.where(x > 50, 0.0, x))))", mistake.sign)
    c.wrong("def safe_log1pexp(x): return x if x > 50 else mg.log(1 + mg.exp(x))", mistake.python_if)
    c.wrong(head + "mg.where(x > 50, x, mg.log(1 + mg.exp(mg.where(x > 50, 0.0, x)))) + 1e-12")
    c.wrong(head + "mg.relu(x)")
    c.wrong(head + "mg.relu(x) + mg.log1p(mg.exp(-abs(x)))", KINK)
    c.wrong(head + "mg.where(x > 12, x, mg.log(1 + mg.exp(mg.where(x > 12, 0.0, x))))")
    c.wrong(head + "mg.where(x > 80, x, mg.log(1 + mg.exp(x)))", ONE_WHERE)
    c.wrong(head + "mg.log(1 + mg.exp(mg.clip(x, -50.0, 50.0)))")
    c.accept("x > 50 -> x >= 50", "at 50 both branches give the same number")
    c.accept("50 -> 49", "at 49 and 50 both branches give the same number")
    c.accept("50 -> 51", "at 50 and 51 both branches give the same number")
    c.accept("0.0 -> 1.0", "any number that exp can take is harmless")
    c.accept("0.0 -> -1.0", "any number that exp can take is harmless")


@exercise("first_nan", points=3, function="first_nan(messages)")
def first_nan(c):
    c.hint(
        "Where does a nan begin? Where the message is nan and the upstream gradient is not.",
        "Go through the rows in order, and return the first one of this kind. After the loop, return None.",
        "if math.isnan(row.message) and not math.isnan(___): return row",
    )
    c.solution("A row whose upstream gradient is nan only passes it on. The first other row is where it begins.")
    loop = "def first_nan(messages):\n    for m in messages:\n        "
    c.wrong(loop + "if math.isnan(m.message): return m", MESSENGER)
    c.wrong(loop + "if not math.isfinite(m.message): return m", INFINITY)
    c.wrong("def first_nan(messages): return None")
    begun = "[m for m in messages if math.isnan(m.message) and not math.isnan(m.upstream)]"
    c.wrong(f"def first_nan(messages):\n    return ({begun} or [None])[-1]", LAST)
    c.wrong(f"def first_nan(messages):\n    return {begun}[0]")
    c.wrong(loop + "if math.isnan(m.message) and math.isnan(m.local): return m")
    c.wrong(loop + "return m if math.isnan(m.message) else None")
    c.wrong(loop + "if math.isnan(m.message) and not math.isnan(m.upstream): return m.node")
    c.wrong(f"def first_nan(messages):\n    return {begun}")
    c.wrong("def first_nan(messages):\n    return max(messages, key=lambda m: math.isnan(m.message))")
