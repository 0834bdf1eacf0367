"""Lesson 17: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake


@exercise("walks_for_wave")
def walks_for_wave(c):
    c.number(
        1000,
        because={
            1000: "Yes: one walk for each point.",
            1: "There is one input, and a walk back starts at an output. One walk is one row.",
            2: "A walk back starts at one output, and fills one row. How many rows are there?",
            1001: "One walk for each point. The value is computed by the function itself, not by a walk back.",
        },
        otherwise="A walk back starts at one output, and fills one row. How many rows are there?",
    )
    c.harmless("1000", "the number of points")


@exercise("two_nudges")
def two_nudges(c):
    c.number(
        120,
        because={
            120: "Yes: 30 · 1 + 9 · 10.",
            39: "Those are the two slopes, 30 and 9, added up. Each is multiplied by its tangent first.",
            309: "The tangents are swapped: 30 · 10 + 9 · 1.",
            105: "x · x has two arrows from x. Its tangent is 3 · 1 + 3 · 1 = 6.",
            30: "That is what x brings. z moves as well.",
            90: "That is what z brings. x moves as well.",
            2700: "30 and 90 arrive at y. Where arrows meet, they are added.",
            45: "That is the value of y.",
        },
        otherwise="The slope for x is 2 · x · z = 30; for z it is x · x = 9. Multiply each by its tangent, and add.",
    )


@exercise("forward", points=3, function="forward(y, seed)")
def forward(c):
    c.hint(
        "In which order must you visit the nodes, so that the tangents of the parents are there?",
        "The oldest first: reversed(order_nodes(y)). Then add tangent[parent] * slope over the arrows.",
        "tangent[node] = seed.get(node, 0.0) + sum(___ for parent, slope in zip(node.parents, node.slopes))",
    )
    c.solution("Each node is older than all that it goes into, so its tangent is complete when it is needed.")
    h = "def forward(y, seed):\n    t = {{}}\n    for n in reversed(order_nodes(y)):\n        t[n] = {}\n    return t"
    arrows = "for p, s in zip(n.parents, n.slopes)"
    c.wrong(h.format(f"seed.get(n, 0.0) + sum(s {arrows})"), "the slopes without the tangents")
    c.wrong(h.format(f"seed.get(n, 0.0) + sum(t[p] {arrows})"), "the tangents without the slopes")
    c.wrong(h.format(f"seed.get(n, 0.0) + sum(p.value * s {arrows})"), "the values instead of the tangents")
    c.wrong(h.format(f"seed.get(n, 0.0) + sum(t[p] + s {arrows})"), "added where it multiplies")
    c.wrong(h.format(f"seed.get(n, 1.0) + sum(t[p] * s {arrows})"))
    c.wrong(h.format(f"seed.get(n, 1.0) if not n.parents else sum(t[p] * s {arrows})"))
    c.wrong(h.format(f"seed[n] if not n.parents else sum(t[p] * s {arrows})"), "KeyError")
    c.wrong(h.format(f"1.0 if not n.parents else sum(t[p] * s {arrows})"), "every input moves by 1")
    c.wrong(h.format("seed.get(n, 0.0) + sum(t[p] * s for p, s in dict(zip(n.parents, n.slopes)).items())"))
    c.wrong(h.format(f"([seed.get(n, 0.0)] + [t[p] * s {arrows}])[-1]"), "= instead of +=")
    c.wrong(h.replace("reversed(order_nodes(y))", "order_nodes(y)").format(f"sum(t[p] * s {arrows})"), "KeyError")
    c.wrong(
        h.replace("reversed(order_nodes(y))", "order_nodes(y)").format(
            f"seed.get(n, 0.0) + sum(t.get(p, 0.0) * s {arrows})"
        ),
        "newest first",
    )
    c.wrong("def forward(y, seed):\n    return backward(y)", "the result begins with 1")
    c.wrong(
        "def forward(y, seed):\n    t = {}\n    def go(n):\n"
        f"        t[n] = seed.get(n, 0.0) + sum(go(p) * s {arrows})\n        return t[n]\n    go(y)\n    return t"
    )
    c.wrong(
        "def forward(y, seed):\n    for n in reversed(order_nodes(y)):\n"
        f"        seed[n] = seed.get(n, 0.0) + sum(seed[p] * s {arrows})\n    return seed",
        "seed is changed",
    )
    c.wrong(h.format(f"seed.get(n, 0.0) + sum(t[p] * s {arrows})") + "[y]")


@exercise("walks_for_weights")
def walks_for_weights(c):
    c.number(
        2410,
        because={
            2410: "Yes: one for each weight.",
            1: "One walk back would do. A walk forward gives the slope along one direction.",
            10: "The 10 outputs of the network are inside. The walk starts at a weight and ends at the loss.",
            2411: "One for each weight. The value travels with each of them.",
        },
        otherwise="A walk forward starts at one weight. How many weights are there?",
    )


@exercise("Dual", points=2, function="Dual(formula, a, b)")
def dual(c):
    c.hint(
        "a moves by da, and b by db. How much does a · b move for the one, and how much for the other?",
        "a moving changes the product by da · b; b moving changes it by a · db.",
        "return Dual(self.value * other.value, self.value * ___ + self.tangent * ___)",
    )
    shown = "f'Dual({self.value:g}, {self.tangent:g})'"
    for other in (f"-{shown}", f"2 * {shown}", f"({shown} * 1).astype('float32')"):
        c.accept(f"return {shown} -> return {other}", "how a Dual is shown does not count")
    c.solution("Each tangent is scaled by the value of the other factor, and where arrows meet, tangents add up.")
    h = (
        "class Dual:\n    def __init__(self, value, tangent=0.0):\n        self.value, self.tangent = value, tangent\n"
        "    def __add__(self, other):\n        other = dual(other)\n"
        "        return Dual(self.value + other.value, self.tangent + other.tangent)\n"
        "    def __mul__(self, other):\n        other = dual(other)\n        return Dual({})\n"
        "    def __radd__(self, other):\n        return self + other\n"
        "    def __rmul__(self, other):\n        return self * other\n"
    )
    v = "self.value * other.value, "
    c.wrong(h.format(v + "self.tangent * other.tangent"), "the tangents multiplied")
    c.wrong(h.format(v + "self.value * other.tangent"), "only the second factor moves")
    c.wrong(h.format(v + "self.tangent * other.value"), "only the first factor moves")
    c.wrong(h.format(v + "self.value * self.tangent + other.value * other.tangent"), "each factor with its own tangent")
    c.wrong(h.format(v + "self.tangent + other.tangent"), "the tangents added")
    c.wrong(h.format(v + "self.tangent * other.value - self.value * other.tangent"), "a difference")
    c.wrong(
        h.format(v + "self.value * other.tangent + self.tangent * other.value + self.tangent * other.tangent"),
        "the product of the tangents is added",
    )
    c.wrong(h.format("self.value * other.value"), "no tangent")
    c.wrong(h.format("self.value + other.value, self.value * other.tangent + self.tangent * other.value"))
    c.wrong(h.format("self.value * other.tangent + self.tangent * other.value, self.value * other.value"))
    right = "self.value * other.tangent + self.tangent * other.value"
    c.wrong(
        h.format(v + right).replace(
            "        other = dual(other)\n        return Dual(self.value *", "        return Dual(self.value *"
        ),
        "a plain number is not converted",
    )
    c.wrong(
        h.format(v + right).replace(
            "        other = dual(other)\n        return Dual(self.value *",
            "        other = other if isinstance(other, Dual) else Dual(other, 1.0)\n        return Dual(self.value *",
        ),
        "a plain number moves",
    )
    c.wrong(h.format(v + right).replace("return Dual(self.value *", "return (self.value *"), "the result is not a Dual")
    c.wrong(h.format(v + right).replace("return Dual(self.value *", "Dual(self.value *"), "the result is not a Dual")


@exercise("kept_by_dual")
def kept_by_dual(c):
    c.choice(
        "c",
        because={
            "a": "That is the graph, which a walk back needs. A dual number has no parents.",
            "b": "Each step makes a new pair, and nothing leads from it to the one before.",
            "c": "Yes: two numbers, those of the last step.",
        },
    )


@exercise("walks_for_hvp")
def walks_for_hvp(c):
    c.number(
        1,
        because={
            1: "Yes: the tangents travel with it.",
            2: "Lesson 11 walks twice. Here the second derivative is in the tangents of one walk.",
            0: "Without a walk back you get the tangent of f, one number. The gradients come from backward.",
            1000: "That would be the whole table. v is one direction.",
        },
        otherwise="The tangents travel with the numbers of a single walk.",
    )


@exercise("hvp", points=3, function="hvp(f, x, v)")
def hvp(c):
    c.hint(
        "What is the value of each input, if its tangent is to be v?",
        "inputs = [Number(Dual(value, tangent)) for value, tangent in zip(x, v)]; then backward(f(*inputs)).",
        "return [dual(gradient.get(i, 0.0)).___ for i in inputs]",
    )
    for other in ("1.0", "-1.0"):
        c.accept(f"0.0 -> {other}", "every plain number has the tangent 0")
    c.solution("Each gradient is computed from dual numbers, so its tangent is how it moves along v: an entry of H v.")
    h = (
        "def hvp(f, x, v):\n    inputs = [Number(Dual(a, d)) for a, d in zip(x, v)]\n"
        "    g = backward(f(*inputs))\n    return "
    )
    entries = "[dual(g.get(i, 0.0)).tangent for i in inputs]"
    c.wrong(h + "[dual(g.get(i, 0.0)).value for i in inputs]", "the gradient")
    c.wrong((h + entries).replace("Dual(a, d)", "Dual(a, 1.0)"), "v is not used")
    c.wrong((h + entries).replace("Dual(a, d)", "Dual(d, a)"), "x and v exchanged")
    c.wrong(h + "[dual(g.get(i, 0.0)).tangent * d for i, d in zip(inputs, v)]", "v comes twice")
    c.wrong(h + "[dual(g.get(i, 0.0)).value * d for i, d in zip(inputs, v)]", "the gradient times v")
    c.wrong(h + "sum(dual(g.get(i, 0.0)).value * d for i, d in zip(inputs, v))", "the gradient along v")
    c.wrong(h + "sum(dual(g.get(i, 0.0)).tangent for i in inputs)")
    c.wrong(h + "[g.get(i, 0.0).tangent for i in inputs]", "a gradient that does not move")
    c.wrong(h + "[dual(g[i]).tangent for i in inputs]", "an input that is not used")
    c.wrong(h + "[dual(g.get(i, 0.0)) for i in inputs]", "a Dual in the list")
    c.wrong("def hvp(f, x, v):\n    y = f(*[Dual(a, d) for a, d in zip(x, v)])\n    return [y.tangent * d for d in v]")
    c.wrong(
        "def hvp(f, x, v):\n    x, v = np.array(x), np.array(v)\n    def slopes(x):\n"
        "        inputs = [Number(a) for a in x]\n        g = backward(f(*inputs))\n"
        "        return np.array([g.get(i, 0.0) for i in inputs])\n"
        "    return (slopes(x + 1e-5 * v) - slopes(x - 1e-5 * v)) / 2e-5",
        "nearly right",
    )
    c.wrong(
        "def hvp(f, x, v):\n    product = mg.hvp(lambda p: f(*[p[i] for i in range(len(x))]))\n"
        "    return list(product(np.array(x), np.array(v)))",
        mistake.library_answer,
    )


@exercise("tangent_of_ten")
def tangent_of_ten(c):
    c.choice(
        "b",
        because={
            "a": "That is the true slope. mg.jvp does not differentiate the function behind a rule.",
            "b": "Yes: the rule is linear in upstream, and mg.jvp walks back through it.",
            "c": "In JAX, yes. minigrad gets the tangent from the rule.",
        },
    )
