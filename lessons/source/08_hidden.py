"""Lesson 8: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake


@exercise("true_gradient")
def true_gradient(c):
    c.choice(
        "b",
        because={
            "a": "That is what the rule says. But weights[0] stands alone: its slope is 1, three times.",
            "b": "Yes: weights[0] has slope 1 in each of three outputs, weights[1] has x, and 1 + 2 + 3 is 6.",
            "c": "Each entry of x sends a message, and they are added up.",
            "d": "weights has two entries, and so has its gradient (lesson 5).",
        },
    )


@exercise("when_told")
def when_told(c):
    c.choice(
        "a",
        because={
            "a": "Yes: when the function returns, it has read w, and its rule cannot take it.",
            "b": "When the function returns, it has read w, and the error can be raised.",
            "c": "That is what happens to a captured constant. For a Variable there is an error.",
            "d": "Assigning a Variable needs no gradient.",
        },
    )


@exercise("how_many_variables")
def how_many_variables(c):
    c.number(
        1,
        because={
            1: "Yes: w alone.",
            2: "Only w counts: a is an argument, frozen is not trainable, and the others pass no gradient.",
            3: "No gradient passes stop_gradient.",
            4: "A Variable that is not trainable counts as a constant.",
            5: "The value does not depend on what was computed and thrown away.",
        },
        otherwise="Go through the five: an argument, one behind stop_gradient, one not trainable, one thrown away.",
    )


@exercise("argument_and_captured")
def argument_and_captured(c):
    c.number(
        100,
        because={
            100: "Yes: it is an argument, and that is its one place.",
            200: "It has one place, among the arguments, and gets one gradient.",
            101: "It has one place, among the arguments. Its use inside the function is covered by the rule.",
            0: "It is an input like x.",
        },
        otherwise="w is passed as an argument: its gradient is what the rule returns for that argument.",
    )


@exercise("captured_constant")
def captured_constant(c):
    c.choice(
        "c",
        because={
            "a": "The rule replaces the ops inside, and returns gradients for the arguments and for Variables only.",
            "b": "0 would say that k makes no difference. It does, but the rule has no place for it.",
            "c": "Yes: a rule returns gradients for the arguments and for Variables only. Pass k as an argument.",
            "d": "There is no error. mg.explain_none tells the reason.",
        },
    )


@exercise("order_of_names")
def order_of_names(c):
    c.choice(
        "b",
        because={
            "a": "They are sorted as words, and the character 1 comes before 2.",
            "b": 'Yes: sorted as words, "v10" comes before "v2".',
            "c": "In TensorFlow's eager mode no order is promised. Here they are sorted by name.",
        },
    )


@exercise("assigned_between")
def assigned_between(c):
    c.choice(
        "b",
        because={
            "a": "The multiplication kept the 2. The rule reads w when it runs, and then w is 10.",
            "b": "Yes: the rule reads w when it runs, the multiplication kept its 2.",
            "c": "The other way round: the multiplication kept the 2 with which it was computed.",
            "d": "z was computed with 2, and the multiplication kept it.",
        },
    )


@exercise("make_linear_poly", points=3, function="make_linear_poly(weights, x, upstream)")
def make_linear_poly(c):
    c.hint(
        "What is the slope of the value for weights[0]? And for weights[1]?",
        "Each entry of x sends upstream times that slope; add them up.",
        "[mg.stack([mg.sum(upstream), mg.sum(___)])]",
    )
    c.solution("weights[0] has slope 1 and weights[1] has slope x in every output, and all messages are added.")
    body = """\
def make_linear_poly(weights):
    @mg.custom_gradient
    def linear_poly(x):
        def grad(upstream, variables=None):
            return {x}, {weights}
        return weights[1] * x + weights[0], grad
    return linear_poly"""
    usual = {
        "x": "upstream * weights[1]",
        "weights": "[mg.stack([mg.sum(upstream), mg.sum(upstream * x)])]",
    }
    for named, change in (
        ("the gradients are in the wrong order", {"weights": "[mg.stack([mg.sum(upstream * x), mg.sum(upstream)])]"}),
        ("the other weight", {"x": "upstream * weights[0]"}),
        ("forgot the upstream gradient", {"weights": "[mg.stack([mg.sum(mg.ones_like(x)), mg.sum(x)])]"}),
        ("forgot the upstream gradient", {"x": "mg.ones_like(x) * weights[1]"}),
        (None, {"weights": "[mg.stack([upstream, upstream * x])]"}),
        ("the mean in place of the sum", {"weights": "[mg.stack([mg.mean(upstream), mg.mean(upstream * x)])]"}),
        (None, {"weights": "[mg.sum(upstream), mg.sum(upstream * x)]"}),
        ("no gradient for an input that has one", {"weights": "[None]"}),
        (None, {"weights": "[mg.stack([mg.sum(upstream, axis=0), mg.sum(upstream * x, axis=0)])]"}),
        ("one number for a whole array", {"x": "mg.sum(upstream * weights[1])"}),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    c.wrong("def make_linear_poly(weights): return lambda x: weights[1] * x + weights[0]", mistake.no_rule)
    c.wrong(body.format(**usual).replace(", variables=None", ""))


@exercise("dense_with_rule", points=3, function="dense_with_rule(weights, names)")
def dense_with_rule(c):
    c.hint(
        "Print the names in variables: in which order are they?",
        "See the program in lesson 5: x gets upstream @ W.T, and b, used once for each row, a sum over the rows.",
        "[___ if v is W else mg.sum(upstream, axis=0) for v in variables]",
    )
    c.solution("Variables come sorted by name, so the rule looks which one it is, with `is`.")
    body = """\
def dense_with_rule(W, b):
    @mg.custom_gradient
    def dense(x):
        def grad(upstream, variables=None):
            of_W, of_b = {W}, {b}
            return {x}, {owed}
        return x @ W + b, grad
    return dense"""
    usual = {
        "W": "mg.transpose(x) @ upstream",
        "b": "mg.sum(upstream, axis=0)",
        "x": "upstream @ mg.transpose(W)",
        "owed": "[of_W if v is W else of_b for v in variables]",
    }
    for named, change in (
        ("the gradients are in the wrong order", {"owed": "[of_W, of_b]"}),
        ("the gradients are in the wrong order", {"owed": "[of_b, of_W]"}),
        (None, {"b": "upstream"}),
        ("the mean in place of the sum", {"b": "mg.mean(upstream, axis=0)"}),
        ("added up along the wrong axis", {"b": "mg.sum(upstream, axis=1)"}),
        (None, {"x": "upstream @ W"}),
        (None, {"W": "mg.transpose(upstream) @ x"}),
        (None, {"W": "x @ upstream"}),
        ("forgot the upstream gradient", {"W": "mg.transpose(x) @ mg.ones_like(upstream)"}),
        ("forgot the upstream gradient", {"x": "mg.ones_like(upstream) @ mg.transpose(W)"}),
        (None, {"W": "mg.transpose(x) @ upstream / 2"}),
        (None, {"owed": "[of_W]"}),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    c.wrong("def dense_with_rule(W, b): return lambda x: x @ W + b", mistake.no_rule)


@exercise("freeze_by_rule", points=2, function="freeze_by_rule(w, b, x, upstream, names)")
def freeze_by_rule(c):
    c.hint(
        "Which entry of variables is w?",
        "None says that there is no gradient.",
        "return upstream * w, [mg.sum(upstream) if v is b else ___ for v in variables]",
    )
    c.solution("None sends no message to w, and x and b get what they are owed.")
    body = """\
def freeze_by_rule(w, b):
    @mg.custom_gradient
    def line(x):
        def grad(upstream, variables=None):
            return {x}, {owed}
        return w * x + b, grad
    return line"""
    usual = {"x": "upstream * w", "owed": "[mg.sum(upstream) if v is b else None for v in variables]"}
    for named, change in (
        ("the gradients are in the wrong order", {"owed": "[None, mg.sum(upstream)]"}),
        ("the gradients are in the wrong order", {"owed": "[mg.sum(upstream), None]"}),
        (
            "a gradient where None is asked for",
            {"owed": "[mg.sum(upstream) if v is b else 0.0 * mg.sum(upstream) for v in variables]"},
        ),
        (
            "a gradient where None is asked for",
            {"owed": "[mg.sum(upstream) if v is b else mg.sum(upstream * x) for v in variables]"},
        ),
        (None, {"owed": "[mg.sum(upstream * x) if v is w else None for v in variables]"}),
        ("no gradient for an input that has one", {"owed": "[None for v in variables]"}),
        (None, {"owed": "[upstream if v is b else None for v in variables]"}),
        (
            "forgot the upstream gradient",
            {"owed": "[mg.sum(mg.ones_like(upstream)) if v is b else None for v in variables]"},
        ),
        (None, {"owed": "[mg.sum(upstream)]"}),
        ("no gradient for an input that has one", {"x": "None"}),
        ("forgot the slope", {"x": "upstream"}),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    c.wrong("def freeze_by_rule(w, b): return lambda x: mg.stop_gradient(w) * x + b", mistake.no_rule)
