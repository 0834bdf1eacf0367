"""Lesson 16: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake


@exercise("found_at_first")
def found_at_first(c):
    c.number(
        0,
        because={
            0: "Yes: at usual numbers, and with an upstream gradient of 1, all four are the same.",
            1: "Which one? Compute its value and its message at 0.3, for an upstream gradient of 1.",
            2: "Which ones? Compute their values and messages at 0.3, for an upstream gradient of 1.",
            3: "Each is right at these inputs. What do the three do wrong, and when would it be seen?",
        },
    )
    c.tells("none of them", "all four are the same")


@exercise("wrong_upstream")
def wrong_upstream(c):
    c.choice(
        "a",
        because={
            "a": "Yes: the rule of bob never uses what it gets.",
            "b": "dan multiplies by upstream. At these inputs his exp is far from its limit.",
            "c": "eve multiplies by upstream. What she holds is her slope, whose value is right.",
        },
    )


@exercise("second_of_eve")
def second_of_eve(c):
    c.choice(
        "c",
        because={
            "a": "The slope that eve sends is a number without a past: no op leads from it back to x.",
            "b": "0 would be sent if the slope were constant in x. Here no op leads from it back to x.",
            "c": "Yes: behind stop_gradient there is no path to x. A second derivative is silently missing.",
        },
    )


@exercise("dan_at_1000")
def dan_at_1000(c):
    c.choice(
        "c",
        because={
            "a": "That is the true slope. Compute it as dan does: exp(1000) first.",
            "b": "exp(1000) is inf, and so is 1 + exp(1000). What is inf / inf?",
            "c": "Yes: inf / inf.",
        },
    )


@exercise("log_cosh", points=3, function="log_cosh(x)")
def log_cosh(c):
    c.hint(
        "Which op of the value has to be kept from overflowing, and which slope has log(cosh(x))?",
        "size = abs(x); the value is size + log1p(exp(-2 size)) - log(2), the slope is tanh(x).",
        "return size + mg.log1p(mg.exp(-2 * size)) - math.log(2), lambda upstream: upstream * ___",
    )
    c.solution("exp(-2|x|) is at most 1, and tanh(x) is the slope at every x.")
    c.accept(
        "return upstream * mg.tanh(x) -> return (upstream * mg.tanh(x) * 1).astype('float32')", "float32 is enough here"
    )
    h = (
        "@mg.custom_gradient\ndef log_cosh(x):\n    s = abs(x)\n"
        "    y = s + mg.log1p(mg.exp(-2 * s)) - math.log(2)\n    return y, lambda u: "
    )
    c.wrong(h + "mg.tanh(x)", mistake.no_upstream)
    c.wrong(h + "-u * mg.tanh(x)", mistake.sign)
    c.wrong(h + "u * mg.sign(x)", "the slope far away")
    c.wrong(h + "u * (1 - mg.tanh(x) ** 2)", "the slope's own slope")
    c.wrong(h + "u * mg.stop_gradient(mg.tanh(x))")
    c.wrong(h + "u * mg.sinh(x) / mg.cosh(x)")
    c.wrong(h + "u * mg.tanh(s)")
    c.wrong(h + "u * (mg.exp(x) - mg.exp(-x)) / (mg.exp(x) + mg.exp(-x))")
    c.wrong(h + "u * mg.where(abs(x) > 50, mg.sign(x), mg.sinh(x) / mg.cosh(x))")
    c.wrong(h + "u", mistake.no_local)
    c.wrong(h + "None", mistake.rule_none)
    c.wrong(h + "mg.sum(u * mg.tanh(x))", mistake.summed)
    c.wrong(h.replace(" - math.log(2)", "") + "u * mg.tanh(x)", "log(2) is left in")
    c.wrong("@mg.custom_gradient\ndef log_cosh(x): return mg.log(mg.cosh(x)), lambda u: u * mg.tanh(x)")
    c.wrong(
        "def log_cosh(x):\n    s = abs(x)\n    return s + mg.log1p(mg.exp(-2 * s)) - math.log(2)",
        mistake.no_rule,
    )
    c.wrong("def log_cosh(x): return mg.log(mg.cosh(x))")


@exercise("make_loss", points=3, function="make_loss(width, x, upstream, name)")
def make_loss(c):
    c.hint(
        "y = log_cosh(width * x): what goes on to x, and what to width?",
        "Both get tanh(width * x) times upstream, times the other factor. width is one number: add up.",
        "message = upstream * mg.tanh(width * x); return message * width, [mg.sum(message * ___)]",
    )
    c.solution("The product passes to each factor the message times the other one; width is used by every entry.")
    h = (
        "def make_loss(width):\n    @mg.custom_gradient\n    def loss(x):\n"
        "        def log_cosh(x):\n            s = abs(x)\n"
        "            return s + mg.log1p(mg.exp(-2 * s)) - math.log(2)\n"
        "        y = log_cosh(width * x)\n        t = mg.tanh(width * x)\n"
        "        def grad(u, variables=None):\n            return {}\n        return y, grad\n    return loss"
    )
    c.wrong(h.format("t * width, [mg.sum(t * x)]"), "forgot the upstream gradient")
    c.wrong(h.format("u * t * width, [mg.sum(t * x)]"), "forgot the upstream gradient")
    c.wrong(h.format("u * t, [mg.sum(u * t * x)]"), "without the inner slope")
    c.wrong(h.format("u * t * width, [mg.sum(u * t)]"), "without the inner slope")
    c.wrong(h.format("u * t * width, [u * t * x]"))
    c.wrong(h.format("u * t * width, [None]"))
    c.wrong(h.format("u * t * width, []"))
    c.wrong(h.format("u * t * width"))
    c.wrong(h.format("[mg.sum(u * t * x)], u * t * width"))
    c.wrong(h.format("u * t * width, [mg.mean(u * t * x)]"))
    c.wrong(h.format("-u * t * width, [-mg.sum(u * t * x)]"))
    c.wrong(h.format("u * t / width, [mg.sum(u * t * x)]"))
    c.wrong(h.format("u * t * width, [mg.sum(u * t * x)]").replace("u, variables=None", "u"))
    c.wrong(
        h.format("u * t * width, [mg.sum(u * t * x)]")
        .replace("    @mg.custom_gradient\n", "")
        .replace("return y, grad", "return y"),
        mistake.no_rule,
    )


@exercise("largest_left_on")
def largest_left_on(c):
    c.number(
        17,
        because={
            17: "Yes: finite fails, 2 marks, and with it the mark for all of it.",
            18: "finite costs 2. And one mark is given for everything at once.",
            20: "exp(1000) is inf: one criterion tries that, and one mark is for everything at once.",
            6: "At the usual numbers all is right: value, first, second, others and shapes hold.",
        },
        otherwise="Which criteria try a number as large as 1000? One mark is for everything at once.",
    )


@exercise("upstream_left_out")
def upstream_left_out(c):
    c.number(
        6,
        because={
            6: "Yes: value 3, picture 1, why 2. All else multiplies the message by something.",
            9: "second differentiates the rule with an upstream gradient that is not 1 as well.",
            16: "first is lost, and so is everything else that looks at a gradient.",
            15: "first and all of it are lost, and so is everything else that looks at a gradient.",
        },
        otherwise="Go through the table: which criteria hold without a right gradient?",
    )
