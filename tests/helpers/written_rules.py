"""Rules as a reader writes them below a picture: random texts of the language, and texts with a mistake in them."""

NUMBERS = ["0", "1", "2", "3", "0.5", "1.5", "1e-3", "10", "100.0", ".25", "7"]
ONE = ["exp", "log", "sqrt", "tanh", "sigmoid", "sin", "cos", "abs", "sign"]
COMPARES = ["<", "<=", ">", ">=", "==", "!="]
SPOILT = [
    "^",
    "=",
    "//",
    "(",
    ")",
    ",",
    "@",
    "2x",
    "np.exp(x)",
    " if x",
    " and ",
    "[0]",
    "",
    "ex",
    "lambda",
    "1_0",
    "·",
]


def written(rng, names, depth=3):
    """A random text, with or without `mg.` and spaces."""
    part = lambda: written(rng, names, depth - 1)
    kind = rng.integers(12) if depth else rng.integers(3)
    gap = " " * int(rng.integers(2))
    if kind < 2:
        return str(rng.choice(names))
    if kind == 2:
        return str(rng.choice(NUMBERS))
    if kind < 7:
        sign = rng.choice(["+", "-", "*", "/", "*"])
        text = f"{part()}{gap}{sign}{gap}{part()}"
        return f"({text})" if rng.integers(2) else text
    if kind == 7:
        return f"{rng.choice(['-', '+'])}{part()}"
    if kind == 8:
        return f"({part()}){gap}**{gap}{rng.choice(['2', '3', '0.5', '-1', '-2', 'x', '(1/3)'])}"
    dot = "mg." * int(rng.integers(2))
    if kind == 9:
        return f"{dot}{rng.choice(ONE)}({part()})"
    if kind == 10:
        return f"{dot}{rng.choice(['maximum', 'minimum'])}({part()}, {part()})"
    return f"{dot}where({rng.choice(names)}{gap}{rng.choice(COMPARES)}{gap}{part()}, {part()}, {part()})"


def spoilt(rng, names):
    """A random text with something put in, taken out or doubled at a random place."""
    text = written(rng, names, 2)
    at = int(rng.integers(len(text) + 1))
    what = rng.integers(3)
    if what == 0:
        return text[:at] + str(rng.choice(SPOILT)) + text[at:]
    return text[:at] + text[at + 1 :] if what == 1 else text[:at] + text[at : at + 1] * 2 + text[at + 1 :]
