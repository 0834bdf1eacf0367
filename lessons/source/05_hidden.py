"""Lesson 5: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise


@exercise("shape_of_bias")
def shape_of_bias(c):
    c.tells(r"own shape|shape of (its|the) (input|argument)")
    c.choice(
        "b",
        because={
            "a": "() is the shape of the sum. b has two entries, and each has a gradient of its own.",
            "b": "Yes: one gradient for each entry of b.",
            "c": "That is what arrives at the addition. b has two entries, each used in 32 rows.",
            "d": "The result of mg.sum is one number, and b has two entries: one gradient for each.",
        },
    )


@exercise("entries_of_bias")
def entries_of_bias(c):
    c.tells(r"added up|one for each row")
    c.number(
        4,
        because={
            4: "Yes: each of the four rows sends 1, and they are added up.",
            1: "Each row sends 1, and there are four rows.",
            8: "Each column belongs to one entry of b: four for each.",
            0.5: "That would be for mg.mean: 4 of 8.",
        },
        otherwise="Each row uses each entry of b once. Which message does a row send, and how many rows are there?",
    )


@exercise("ones_of_cumsum")
def ones_of_cumsum(c):
    c.tells(r"triang|below")
    c.choice(
        "b",
        because={
            "a": "Then each output would use only one input.",
            "b": "Yes: row i is output i, the sum of the inputs 0 to i.",
            "c": "Row i is output i. It adds up x[0] to x[i], the columns to the left.",
            "d": "Output 0 is only x[0]. It does not move with x[1].",
        },
    )


@exercise("back_through_cumsum")
def back_through_cumsum(c):
    c.tells(r"\b111\b")
    c.choice(
        "b",
        because={
            "a": "That is cumsum of u, which reads rows. A gradient reads columns: x[0] is in all three sums.",
            "b": "Yes: x[0] is in all three sums, x[1] in two, x[2] in the last.",
            "c": "x[2] is only in the last sum.",
            "d": "That would be right if each output used one input.",
        },
    )


@exercise("back_through_sort")
def back_through_sort(c):
    c.tells(r"100, 1, 10")
    c.choice(
        "c",
        because={
            "a": "The outputs come by size. The inputs do not.",
            "b": "x[0] = 3 is the last output, so it gets the last upstream gradient.",
            "c": "Yes: 3 is the last output, 1 the first, and 2 is between them.",
            "d": "When the 3 moves a little, the last output moves by as much.",
        },
    )


@exercise("terabytes")
def terabytes(c):
    c.number(
        4,
        because={
            4: "Yes: a million rows of a million numbers, four bytes each. The gradient itself takes 4 megabytes.",
            4e-6: "That is the image, or its gradient: 4 megabytes. The Jacobian has a million rows of this size.",
            1: "10**12 is the number of entries. Each takes four bytes.",
            8: "In float64 it would be 8. float32 takes four bytes.",
        },
        otherwise="A row for each of a million outputs, a column for each of a million inputs, four bytes each.",
    )


@exercise("gradient_of_column")
def gradient_of_column(c):
    c.tells(r"three (times|columns)")
    c.choice(
        "a",
        because={
            "a": "Yes: each entry of c is used in the three columns of its row.",
            "b": "Each entry of r is used twice. Each entry of c is used three times.",
            "c": "c[0] is used only in its own row, three times.",
            "d": "Each entry of c is used three times, and the messages are added up.",
        },
    )


@exercise("silent_table")
def silent_table(c):
    c.tells(r"all (nine )?pairs|3 ?[x×] ?3")
    c.choice(
        "c",
        because={
            "a": "(3,) and (3, 1) do not pair up. They broadcast to a table of all pairs, 3 x 3.",
            "b": "An error would be kind. But the shapes broadcast, to a table of all pairs, 3 x 3.",
            "c": "Yes: a table of all nine pairs. Only its diagonal is 0.",
            "d": "All nine differences are finite, and so is their mean.",
        },
    )


@exercise("jac_mean", function="jac_mean(x)")
def jac_mean(c):
    c.hint(
        "How many outputs are there, and how many inputs?",
        "When one input moves by 1, how far does the mean move?",
        "return np.full((1, x.size), ___)",
    )
    c.solution("The mean is one output: one row. When an input moves by 1, it moves by 1 / n.")
    for named, body in (
        ("the value in the table", "np.full((1, x.size), x.mean())"),
        (None, "np.ones((1, x.size))"),
        ("x / n in the table", "x[None] / x.size"),
        (None, "np.full((x.size, 1), 1 / x.size)"),
        (None, "np.full(x.size, 1 / x.size)"),
        (None, "np.eye(x.size) / x.size"),
        (None, "np.full((x.size, x.size), 1 / x.size)"),
        ("n is fixed", "np.full((1, x.size), 0.25)"),
        (None, "1 / x.size"),
    ):
        c.wrong(f"def jac_mean(x): return {body}", named)
    c.accept(
        "return np.full((1, x.size), 1 / x.size) -> return (np.full((1, x.size), 1 / x.size) * 1).astype('float32')",
        "float32 holds 1 / n to 7 digits",
    )


@exercise("jac_cumsum", function="jac_cumsum(x)")
def jac_cumsum(c):
    c.hint(
        "Write out the two sums for [2, 7].",
        "In which outputs does x[1] appear?",
        "A 1 wherever the column is at most the row: np.tril(___)",
    )
    c.solution("Output i is the sum of the inputs 0 to i. A sum has slope 1 for each of its parts.")
    for named, body in (
        ("rows and columns are swapped", "np.triu(np.ones((x.size, x.size)))"),
        ("only the diagonal", "np.eye(x.size)"),
        ("ones everywhere", "np.ones((x.size, x.size))"),
        ("the diagonal is missing", "np.tril(np.ones((x.size, x.size)), -1)"),
        ("values in the table", "np.tril(np.ones((x.size, x.size))) * x"),
        ("a running mean", "np.tril(np.ones((x.size, x.size))) / np.arange(1, x.size + 1)[:, None]"),
        ("differences instead of sums", "np.eye(x.size) - np.eye(x.size, k=-1)"),
        (None, "np.cumsum(x)"),
    ):
        c.wrong(f"def jac_cumsum(x): return {body}", named)
    c.accept("return (j <= i) * 1.0 -> return ((j <= i) * 1.0 * 1).astype('float32')", "float32 holds 0 and 1")
    c.accept("(j <= i) * 1.0 -> (j <= i) / 1.0", "True / 1.0 is 1.0 as well")
    c.accept("(j <= i) * 1.0 -> j <= i", "True counts as 1")


@exercise("jac_sort", points=2, function="jac_sort(x)")
def jac_sort(c):
    c.hint(
        "Which input is output 0?",
        "That row has a single 1. In which column?",
        "The rows of np.eye(x.size), in the order of np.argsort(x, kind=___).",
    )
    c.solution("Output i is a copy of one input, the one that argsort names. It moves with it.")
    for named, body in (
        ("rows and columns are swapped", "np.eye(x.size)[np.argsort(x, kind='stable')].T"),
        ("nothing is moved", "np.eye(x.size)"),
        ("the largest first", "np.eye(x.size)[np.argsort(x, kind='stable')][::-1]"),
        ("no slope at all", "np.zeros((x.size, x.size))"),
        ("values in the table", "np.eye(x.size)[np.argsort(x, kind='stable')] * x"),
        ("equal numbers in another order", "np.eye(x.size)[np.argsort(x)]"),
        (None, "np.diag(np.sort(x))"),
        ("ones everywhere", "np.ones((x.size, x.size))"),
        (None, "(np.sort(x)[:, None] == x) * 1.0"),
        (None, "np.argsort(x)"),
    ):
        c.wrong(f"def jac_sort(x): return {body}", named)
    c.accept(
        "return np.eye(x.size)[np.argsort(x, kind='stable')] -> "
        "return (np.eye(x.size)[np.argsort(x, kind='stable')] * 1).astype('float32')",
        "float32 holds 0 and 1",
    )


@exercise("jac_conv1d", points=2, function="jac_conv1d(x, w)")
def jac_conv1d(c):
    c.hint(
        "Which entries of x are in output 0?",
        "Output 1 has the same weights, one place to the right.",
        "jacobian[i, i : i + w.size] = ___, for x.size - w.size + 1 rows",
    )
    c.solution("Output i is the sum of w[k] * x[i + k], so the slope for x[i + k] is w[k].")
    body = (
        "def jac_conv1d(x, w):\n    J = np.zeros(({rows}, x.size))\n    for i in range(len(J)):\n"
        "        J[i, {start} : {start} + w.size] = {cells}\n    return J{end}"
    )
    usual = {"rows": "x.size - w.size + 1", "start": "i", "cells": "w", "end": ""}
    for named, change in (
        ("the weights are flipped", {"cells": "w[::-1]"}),
        (None, {"end": ".T"}),
        (None, {"rows": "x.size - w.size"}),
        ("the window does not move", {"start": "0"}),
        ("values in the table", {"cells": "w * x[i : i + w.size]"}),
        ("ones instead of the weights", {"cells": "1.0"}),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    c.wrong("def jac_conv1d(x, w): return np.lib.stride_tricks.sliding_window_view(x, w.size) * 1.0")
    padded_rows = "np.array([np.roll(np.r_[w, np.zeros(x.size - w.size)], i) for i in range(x.size)])"
    c.wrong(f"def jac_conv1d(x, w): return {padded_rows}")


@exercise("unbroadcast", points=3, function="unbroadcast(g, shape)")
def unbroadcast(c):
    c.hint(
        "Write the two shapes below each other, lined up at the right. Where was the argument copied?",
        "Sum over axis 0 until g has as many axes as shape. Then sum over each axis of size 1, and keep it.",
        "if size == 1: g = g.sum(axis=axis, keepdims=___)",
    )
    c.solution("Each copy of a number sends a message. The sums bring them back to where they were copied from.")
    body = (
        "def unbroadcast(g, shape):\n    {loop} g.ndim {more} len(shape): g = g.{sum}(axis={axis})\n"
        "    for axis, size in enumerate(shape):\n"
        "        if size {one}: g = g.{sum}(axis=axis{keep})\n    return g"
    )
    usual = {"loop": "while", "more": ">", "sum": "sum", "axis": "0", "one": "== 1", "keep": ", keepdims=True"}
    for named, change in (
        ("the mean instead of the sum", {"sum": "mean"}),
        (None, {"loop": "if"}),
        (None, {"keep": ""}),
        (None, {"one": "<= 2"}),
        (None, {"axis": "-1"}),
        (None, {"one": "== 0"}),
        (None, {"more": ">="}),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    c.wrong("def unbroadcast(g, shape): return g")
    c.wrong("def unbroadcast(g, shape): return np.resize(g, shape)", "the first row only")
    c.wrong("def unbroadcast(g, shape): return np.full(shape, g.sum())", "everything is added up")
    at_once = "axis=(*range(g.ndim - len(shape)), *(i - len(shape) for i, n in enumerate(shape) if n == 1))"
    c.wrong(f"def unbroadcast(g, shape): return g.sum({at_once})", "an axis of size 1 is lost")


@exercise("before_training")
def before_training(c):
    c.tells(r"one (digit )?in (ten|eight)")
    c.choice(
        "b",
        because={
            "a": "It gives one of ten answers to each digit, and some of them are right by luck.",
            "b": "Yes: ten answers, and luck.",
            "c": "That would be luck with two answers. There are ten.",
        },
    )


@exercise("which_walk_learns")
def which_walk_learns(c):
    c.tells(r"half (of|as)|too long")
    c.choice(
        "b",
        because={
            "a": "Your slopes are right. But with them a step at the rate 1 is too long here.",
            "b": "Yes. Two equal messages arrive at e, and one is lost: each slope is half, and so is the step.",
            "c": "The two walks take different steps: two messages arrive at e, and = keeps one of them.",
            "d": "What is left of two equal messages is half of their sum. Half of too long a step may be good.",
        },
    )


@exercise("step", points=3, function="step(loss_of, weights, rate)")
def step(c):
    c.hint(
        "Where do the slopes come from? A Tensor remembers, an array does not: the loss must be made from Tensors.",
        "The slopes are mine.gradients(loss, tensors), in the order of the tensors. Against the slope is minus.",
        "return [w - ___ * g.numpy() for w, g in zip(weights, slopes)], loss.item()",
    )
    c.solution(
        "Against its slope each weight lowers the loss, if the step is short. Arrays come back: nothing is kept."
    )
    body = (
        "from minigrad.classroom import mine\n\n\ndef step(loss_of, weights, rate):\n"
        "    tensors = [mg.constant(w) for w in weights]\n    loss = loss_of({arguments})\n"
        "    slopes = mine.gradients(loss, tensors){order}\n"
        "    return {result}"
    )
    new = "[{each} for w, g in zip(weights, slopes)], loss.item()"
    usual = {"arguments": "tensors", "order": "", "result": new.format(each="w - rate * g.numpy()")}
    for named, each in (
        ("uphill", "w + rate * g.numpy()"),
        ("the rate is missing", "w - g.numpy()"),
        ("divided by the rate", "w - g.numpy() / rate"),
        ("the slope instead of the weight", "g.numpy()"),
        ("the step instead of the weight", "rate * g.numpy()"),
        ("the weights did not move", "w"),
        ("only the sign of the slope", "w - rate * np.sign(g.numpy())"),
        ("the mean of the slopes", "w - rate * g.numpy().mean()"),
        ("half a step", "w - rate * g.numpy() / 2"),
        ("the weight times the rate", "rate * (w - g.numpy())"),
        ("a Tensor is returned", "w - rate * g"),
        (None, "w - rate * g.numpy().sum(axis=0)"),
        (None, "w - rate * np.clip(g.numpy(), -0.1, 0.1)"),
    ):
        c.wrong(body.format(**{**usual, "result": new.format(each=each)}), named)
    c.wrong(body.format(**{**usual, "result": "[w - rate * g.numpy() for w, g in zip(weights, slopes)]"}))
    c.wrong(body.format(**{**usual, "arguments": "weights"}), "arrays for Tensors")
    c.wrong(body.format(**usual).replace("mine.gradients", "mg.gradients"), "the walk is minigrad's")
    c.wrong(
        body.format(**usual).replace(
            "    slopes =", "    mine.gradients(loss, tensors)\n    slopes = mg.gradients(loss, tensors)  #"
        ),
        "the walk is minigrad's",
    )
    whole = "    return mine.step(loss_of, weights, rate)"
    c.wrong(body.format(**usual).split("    tensors")[0] + whole, "mine.step is called")
    c.wrong(body.format(**{**usual, "order": "[:2]"}))
    c.wrong(body.format(**{**usual, "order": "[::-1]"}))
    c.wrong(
        body.format(
            **{
                **usual,
                "result": "[w - rate * g.numpy() if w.ndim == 2 else w for w, g in zip(weights, slopes)], loss.item()",
            }
        ),
        None,
    )
    c.wrong(
        body.format(**usual).split("    return")[0] + "    for w, g in zip(weights, slopes):\n"
        "        w -= rate * g.numpy()\n    return weights, loss.item()",
        "the weights that came in are changed",
    )
    c.wrong(body.format(**usual).replace("return", "new ="), "no return")
    after = "loss_of([mg.constant(w - rate * g.numpy()) for w, g in zip(weights, slopes)]).item()"
    c.wrong(body.format(**usual).replace("loss.item()", after), "the loss after the step")
