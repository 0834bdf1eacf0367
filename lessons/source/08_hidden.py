"""Lesson 8: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake


@exercise("true_gradient")
def true_gradient(c):
    c.tells(r"\[3\.? 6|swapped")
    c.choice(
        "b",
        because={
            "a": "That is what the rule says. But weights[0] is only added: its slope is 1, in each of three outputs.",
            "b": "Yes: weights[0] has slope 1 in each of three outputs, weights[1] has x, and 1 + 2 + 3 is 6.",
            "c": "Three outputs send a message each, and messages are added up.",
            "d": "weights has two entries, and so has its gradient, as in lesson 5.",
        },
    )


@exercise("when_told")
def when_told(c):
    c.tells(r"at once|typeerror")
    c.choice(
        "a",
        because={
            "a": "Yes, at once: the function has read w when it returns, and its rule has no room for it.",
            "b": "It need not wait for that: when the function returns, it has read w.",
            "c": "Silence would be dangerous: w would not learn. For a Variable there is an error.",
            "d": "Assigning a Variable needs no gradient.",
        },
    )


@exercise("how_many_variables")
def how_many_variables(c):
    c.tells(r"only w\b")
    c.number(
        1,
        because={
            1: "Yes: only w.",
            2: "No gradient passes stop_gradient, and a Variable that is not trainable counts as a constant.",
            3: "No gradient passes stop_gradient.",
            4: "The value does not depend on what was computed and thrown away.",
            0: "The value is w * x and more: w is in it.",
        },
        otherwise="Go through the four: one is multiplied, one stopped, one not trainable, one thrown away.",
    )


@exercise("argument_and_captured")
def argument_and_captured(c):
    c.number(
        100,
        because={
            100: "Yes: as an argument it gets what the rule returns for that argument.",
            200: "It is not counted twice: it is an argument, and gets one gradient.",
            101: "It gets only what the rule returns for the argument. The rule speaks for its use inside, too.",
            0: "It is an input like x.",
        },
        otherwise="w is passed as an argument: its gradient is what the rule returns for that argument.",
    )


@exercise("captured_constant")
def captured_constant(c):
    c.tells(r"pass (it|k) as an argument|gets no gradient")
    c.choice(
        "c",
        because={
            "a": "That is the derived slope. The rule replaces the ops inside, and returns no gradient for a constant.",
            "b": "0 would say that k makes no difference. It does.",
            "c": "Yes: a rule returns gradients for arguments and for Variables. To get one, pass k as an argument.",
            "d": "There is no error, and mg.explain_none gives the reason.",
        },
    )


@exercise("order_of_names")
def order_of_names(c):
    c.tells(r"sorted|alphabet")
    c.choice(
        "b",
        because={
            "a": "They are sorted as words, and the character 1 comes before 2.",
            "b": 'Yes: sorted as words, "v10" comes before "v2".',
            "c": "So it is in TensorFlow's eager mode. Here they are sorted by name.",
        },
    )


@exercise("assigned_between")
def assigned_between(c):
    c.tells(r"when it runs|kept")
    c.choice(
        "b",
        because={
            "a": "The multiplication kept its 2. The rule reads w when it runs, and by then w is 10.",
            "b": "Yes: the rule reads w when it runs, the multiplication kept its 2.",
            "c": "The other way round: the multiplication kept its 2, and the rule reads w again.",
            "d": "z = x * w was computed with 2, and the multiplication kept that 2.",
        },
    )


@exercise("make_linear_poly", points=3, function="make_linear_poly(weights, x, upstream)")
def make_linear_poly(c):
    c.hint(
        "When weights[0] grows by 1, by how much does an entry of the value grow? And for weights[1]?",
        "Each entry sends upstream times this slope. Add the messages up.",
        "[mg.stack([mg.sum(upstream), mg.sum(___)])]",
    )
    c.solution("In every output weights[0] has slope 1 and weights[1] has slope x. All messages are added up.")
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
        ("the mean instead of the sum", {"weights": "[mg.stack([mg.mean(upstream), mg.mean(upstream * x)])]"}),
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
        "Print the names in variables. In which order are they?",
        "See the program in lesson 5: x gets upstream @ W.T. b is used in each row, so it gets a sum over the rows.",
        "[___ if v is W else mg.sum(upstream, axis=0) for v in variables]",
    )
    c.solution("Variables come sorted by name, so the rule finds out which one it has, with `is`.")
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
        ("the mean instead of the sum", {"b": "mg.mean(upstream, axis=0)"}),
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
        "What does a rule return where it sends nothing?",
        "return upstream * w, [mg.sum(upstream) if v is b else ___ for v in variables]",
    )
    c.solution("None sends no message to w. x and b get their gradients as before.")
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
