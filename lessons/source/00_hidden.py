"""The start page: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake


@exercise("slope_at_3")
def slope_at_3(c):
    c.number(
        5,
        within=0.01,
        because={
            5: "Yes: 0.005 divided by 0.001.",
            0.005: "The result rose by that much. How many times as much as x? 0.005 / 0.001.",
            0.005001: "The result rose by that much. How many times as much as x? 0.005 / 0.001.",
            6: "6 is the value at 3, and also the slope of x * x. Subtract the slope of x, which is 1.",
            7: "x is subtracted, so subtract its slope, 1, from 6.",
        },
        otherwise="How far did the result move, and how far did x? Divide the first by the second.",
    )


@exercise("slope_of_square")
def slope_of_square(c):
    c.tells("falls")
    c.choice(
        "b",
        because={
            "a": "Move right from -3, to -2: x * x falls from 9 to 4. Falling means a negative slope.",
            "b": "Yes: move right from -3, and x * x falls.",
            "c": "9 is the value there. How does it change when x moves right?",
        },
    )


@exercise("which_y")
def which_y(c):
    c.tells("y stays")
    c.choice(
        "a",
        because={
            "a": "Yes: y was computed when its cell ran, and it stays until that cell runs again.",
            "b": "In a spreadsheet, yes. Python computed y when its cell ran, and it stays until that cell runs again.",
        },
    )


@exercise("double", function="double(x)")
def double(c):
    c.hint(
        "Try it by hand at 1.",
        "Twice x is x + x.",
        "return 2 * ___",
    )
    c.solution("2 * x is x + x for every x, also for negative ones and fractions.")
    for named, body in (
        ("x times x", "x * x"),
        ("x plus 2", "x + 2"),
        ("x itself", "x"),
        ("the size only", "2 * abs(x)"),
        ("whole numbers only", "2 * int(x)"),
        ("a power of 2", "2 ** x"),
        ("three times", "3 * x"),
        (mistake.sign, "-2 * x"),
        (None, "2"),
        (None, "print(2 * x)"),
    ):
        c.wrong(f"def double(x): return {body}", named)


@exercise("slope_by_nudging", function="slope_by_nudging(f, x, h)")
def slope_by_nudging(c):
    c.hint(
        "How much does f change when x grows by h?",
        "Divide that change by h.",
        "return (f(x + h) - ___) / h",
    )
    c.solution(
        "f grows by f(x + h) - f(x) while x grows by h, and the slope is the quotient. With steps to both sides, as in "
        "part 1, x grows by 2 * h."
    )
    for named, body in (
        ("not divided by h", "f(x + h) - f(x)"),
        ("divided by x", "(f(x + h) - f(x)) / x"),
        ("brackets are missing", "f(x + h) - f(x) / h"),
        ("a value instead of a change", "f(x + h) / h"),
        ("the sign is flipped", "(f(x) - f(x + h)) / h"),
        ("a step of its own", "(f(x + 0.001) - f(x)) / 0.001"),
        ("a step to the left", "(f(x) - f(x - h)) / h"),
        ("two steps, divided by one", "(f(x + h) - f(x - h)) / h"),
        ("brackets are missing", "(f(x + h) - f(x - h)) / 2 * h"),
        ("added the two values", "(f(x + h) + f(x - h)) / (2 * h)"),
        ("upside down", "h / (f(x + h) - f(x))"),
        (None, "f(x) + h"),
    ):
        c.wrong(f"def slope_by_nudging(f, x, h): return {body}", named)
