"""Lesson 15: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake


@exercise("first_loss")
def first_loss(c):
    c.number(
        2.303,
        within=0.01,
        because={
            2.303: "Yes: -log(1 / 10) = log 10 = 2.303.",
            0.1: "0.1 is the probability. The loss is -log of it.",
            1.0: "That would be the logarithm to base 10. log is the natural one.",
            10.0: "The loss is -log(1 / 10), not 1 / 0.1.",
        },
        otherwise="-log of the probability 0.1.",
    )


@exercise("what_moves")
def what_moves(c):
    c.choice(
        "c",
        because={
            "a": "The hidden numbers are 0, so the second W gets 0. The second W is 0, so the first layer gets 0.",
            "b": "The last bias does not need the hidden numbers: it learns how often each digit occurs.",
            "c": "Yes: it learns how often each digit occurs. Everything else gets a gradient of 0.",
        },
    )


@exercise("train", points=3, function="train(images, labels)")
def train(c):
    c.hint(
        "What do step and optimizer.step return? Use both results.",
        "loss, slopes = step(params, images[batch], T[batch])",
        "params = optimizer.step(params, ___)",
    )
    c.solution("Values in, values out: the new parameters are what optimizer.step returns.")
    c.free("another rate, batch or start reads as well")
    loop = """\
def train(images, labels):
    params = layers_of(scale=SCALE)
    T = np.eye(10, dtype="float32")[labels]
    rng, optimizer = np.random.default_rng(0), mg.optim.SGD(RATE, momentum=0.9)
    step = mg.value_and_grad(loss_of)
    for _ in range(EPOCHS):
        order = rng.permutation(len(images))
        for i in range(0, len(images) - 31, 32):
            batch = PART
            loss, slopes = step(params, images[batch], LABELS)
            UPDATE
    return params"""
    right = {
        "SCALE": "1.0",
        "RATE": "0.1",
        "EPOCHS": "10",
        "PART": "order[i : i + 32]",
        "LABELS": "T[batch]",
        "UPDATE": "params = optimizer.step(params, slopes)",
    }
    for changed in (
        {"UPDATE": "optimizer.step(params, slopes)"},
        {"UPDATE": "return params"},
        {"UPDATE": "params = optimizer.step(params, [{k: -v for k, v in part.items()} for part in slopes])"},
        {"LABELS": "T[i : i + 32]"},
        {"LABELS": "np.roll(T[batch], 1, axis=0)"},
        {"PART": "order[:32]"},
        {"RATE": "3.0"},
        {"RATE": "0.0001"},
        {"SCALE": "0.0"},
        {"EPOCHS": "1"},
    ):
        text = loop
        for word, code in {**right, **changed}.items():
            text = text.replace(word, code)
        c.wrong(text)


@exercise("loss_of_a_large_start")
def loss_of_a_large_start(c):
    c.choice(
        "c",
        because={
            "a": "It knows nothing, and is sure of it: its logits are about 100 times as large.",
            "b": "That is about the start times 10.",
            "c": "Yes: logits of size 100, and a wrong answer costs about their difference.",
        },
    )


@exercise("start_weights", points=2, function="start_weights(inputs, outputs, seed)")
def start_weights(c):
    c.hint(
        "A sum of n random numbers of size 1 has which size?",
        "The root of n. Divide by it.",
        "return rng.normal(size=(inputs, outputs)) / ___",
    )
    c.solution("Each output is a sum over `inputs` products, so it has the size of the root of their number.")
    drawn = "rng.normal(size=(inputs, outputs)) / np.sqrt(inputs)"
    c.accept(f"return {drawn} -> return -({drawn})", "random numbers with the other sign are as random")
    c.accept(f"return {drawn} -> return ({drawn} * 1).astype('float32')", "float32 is enough for a start")
    for name, code in (
        ("not divided at all", "rng.normal(size=(inputs, outputs))"),
        ("divided by inputs, without the root", "rng.normal(size=(inputs, outputs)) / inputs"),
        ("divided by the root of outputs", "rng.normal(size=(inputs, outputs)) / np.sqrt(outputs)"),
        ("rows and columns are exchanged", "rng.normal(size=(outputs, inputs)) / np.sqrt(inputs)"),
        ("not around 0", "rng.uniform(size=(inputs, outputs)) / np.sqrt(inputs)"),
        ("all units are the same", "np.zeros((inputs, outputs))"),
        ("all units are the same", "np.ones((inputs, outputs)) / np.sqrt(inputs)"),
        ("all units are the same", "np.repeat(rng.normal(size=(inputs, 1)), outputs, axis=1) / np.sqrt(inputs)"),
        ("the same spread for every shape", "0.01 * rng.normal(size=(inputs, outputs))"),
        ("its own random numbers", "np.random.normal(size=(inputs, outputs)) / np.sqrt(inputs)"),
        ("divided by the root of inputs * outputs", "rng.normal(size=(inputs, outputs)) / np.sqrt(inputs * outputs)"),
        (None, "10 * rng.normal(size=(inputs, outputs)) / np.sqrt(inputs)"),
    ):
        c.wrong(
            "def start_weights(inputs, outputs, seed):\n    rng = np.random.default_rng(seed)\n    return " + code, name
        )


@exercise("through_five_sigmoids")
def through_five_sigmoids(c):
    c.choice(
        "c",
        because={
            "a": "One factor for each layer, multiplied, and not added.",
            "b": "About 4.45 for each layer, five times multiplied.",
            "c": "Yes: about 4.45 for each layer, and 4.45 to the power of 5 is about 1,700.",
        },
    )


@exercise("silent_units", points=1, function="silent_units(h)")
def silent_units(c):
    c.hint(
        "Rows are images, columns are units.",
        "np.all along an axis.",
        "return int(np.sum(np.all(h == 0, axis=___)))",
    )
    c.solution("A silent unit is a column of zeros.")
    for code in (
        "np.sum(h == 0)",
        "np.sum(np.any(h == 0, axis=0))",
        "np.sum(np.all(h == 0, axis=1))",
        "np.sum(np.any(h != 0, axis=0))",
        "np.sum(np.sum(h, axis=0) == 0)",
        "np.mean(np.all(h == 0, axis=0))",
        "np.all(h == 0, axis=0)",
        "np.sum(np.all(h <= 0, axis=0)) + 1",
        "np.all(h == 0)",
        "np.sum(np.all(h < 1e-6, axis=0))",
        "np.sum(np.all(np.isclose(h, 0), axis=0))",
    ):
        c.wrong("def silent_units(h): return " + code)


@exercise("all_silent")
def all_silent(c):
    c.choice(
        "b",
        because={
            "a": "All 32 units are 0 for every image. What is left of the image then?",
            "b": "Yes: only the last bias is left, and it is the same for every image.",
            "c": "Everything is finite. That is why nobody notices.",
        },
    )


@exercise("cross_entropy", points=4, function="cross_entropy(z, labels, upstream)")
def cross_entropy(c):
    c.hint(
        "Which exp never overflows? That of z minus the largest entry of its row.",
        "The slope for the logits: softmax minus label, for each image, divided by their number.",
        "return upstream * (e / total - ___) / len(T)",
    )
    c.solution("log(sum(exp(z))) = m + log(sum(exp(z - m))), for any m.")
    c.accept("0 -> -1", "total and m have a single column")
    body = """\
def cross_entropy(z, T):
    @mg.custom_gradient
    def loss(z):
        m = mg.stop_gradient(mg.max(z, axis=1, keepdims=True))
        e = mg.exp(z - m)
        total = mg.sum(e, axis=1, keepdims=True)
        value = {value}
        def grad(upstream):
            return {rule}
        return value, grad
    return loss(z)"""
    u = {
        "value": "mg.mean(mg.log(total[:, 0]) + m[:, 0] - mg.sum(z * T, axis=1))",
        "rule": "upstream * (e / total - T) / len(T)",
    }
    for name, ch in (
        ("exp of a large number", {"value": "mg.mean(mg.log(mg.sum(mg.exp(z), axis=1)) - mg.sum(z * T, axis=1))"}),
        ("log of 0", {"value": "-mg.mean(mg.log(mg.sum(e / total * T, axis=1)))"}),
        ("the sum instead of the mean", {"value": "mg.sum(mg.log(total[:, 0]) + m[:, 0] - mg.sum(z * T, axis=1))"}),
        ("one loss for each image", {"value": "mg.log(total[:, 0]) + m[:, 0] - mg.sum(z * T, axis=1)"}),
        (
            "the largest entry is not added again",
            {"value": "mg.mean(mg.log(total[:, 0]) - mg.sum(z * T, axis=1))"},
        ),
        ("forgot the upstream gradient", {"rule": "(e / total - T) / len(T)"}),
        ("the sign is flipped", {"rule": "upstream * (T - e / total) / len(T)"}),
        ("not divided by the number of images", {"rule": "upstream * (e / total - T)"}),
        ("softmax alone: the labels are missing", {"rule": "upstream * (e / total) / len(T)"}),
        ("divided by the number of entries", {"rule": "upstream * (e / total - T) / T.size"}),
        ("the rule cannot be differentiated", {"rule": "upstream * (mg.stop_gradient(e / total) - T) / len(T)"}),
        (None, {"rule": "upstream * (e / mg.sum(e, axis=0) - T) / len(T)"}),
        (None, {"rule": "mg.sum(upstream * (e / total - T) / len(T))"}),
        ("the label's row alone", {"rule": "-upstream * T / len(T)"}),
    ):
        c.wrong(body.format(**{**u, **ch}), name)
    c.wrong("def cross_entropy(z, T): return mg.mean(mg.logsumexp(z, axis=1) - mg.sum(z * T, axis=1))", mistake.no_rule)


@exercise("smoothed_loss", points=3, function="smoothed_loss(z, labels, epsilon, upstream)")
def smoothed_loss(c):
    c.hint(
        "What is the gradient for labels S instead of T?",
        "S is (1 - epsilon) T, and epsilon shared out among all classes.",
        "smooth = (1 - epsilon) * T + ___",
    )
    c.solution("The rule is that of the smoothed labels. The value is not touched.")
    body = """\
def smoothed_loss(z, T, epsilon):
    @mg.custom_gradient
    def loss(z):
        value = {value}
        k = T.shape[1]
        def grad(upstream):
            return {rule}
        return value, grad
    return loss(z)"""
    u = {
        "value": "mg.mean(mg.logsumexp(z, axis=1) - mg.sum(z * T, axis=1))",
        "rule": "upstream * (mg.softmax(z) - (1 - epsilon) * T - epsilon / k) / len(T)",
    }
    for name, ch in (
        (
            "the value is changed",
            {
                "value": "mg.mean(mg.logsumexp(z, axis=1) - mg.sum(z * ((1 - epsilon) * T + epsilon / T.shape[1]), "
                "axis=1))"
            },
        ),
        ("the labels are not smoothed", {"rule": "upstream * (mg.softmax(z) - T) / len(T)"}),
        ("forgot the upstream gradient", {"rule": "(mg.softmax(z) - (1 - epsilon) * T - epsilon / k) / len(T)"}),
        ("the sign is flipped", {"rule": "-upstream * (mg.softmax(z) - (1 - epsilon) * T - epsilon / k) / len(T)"}),
        (
            "not divided by the number of images",
            {"rule": "upstream * (mg.softmax(z) - (1 - epsilon) * T - epsilon / k)"},
        ),
        (
            "epsilon is added, not taken from the label",
            {"rule": "upstream * (mg.softmax(z) - T - epsilon / k) / len(T)"},
        ),
        ("epsilon is not shared out", {"rule": "upstream * (mg.softmax(z) - (1 - epsilon) * T - epsilon) / len(T)"}),
        (
            "the label got 1 - epsilon in all",
            {"rule": "upstream * (mg.softmax(z) - mg.where(T > 0, 1 - epsilon, epsilon / (k - 1))) / len(T)"},
        ),
        ("the rest is left out", {"rule": "upstream * (mg.softmax(z) - (1 - epsilon) * T) / len(T)"}),
        (
            "epsilon and 1 - epsilon are exchanged",
            {"rule": "upstream * (mg.softmax(z) - epsilon * T - (1 - epsilon) / k) / len(T)"},
        ),
        (None, {"rule": "upstream * mg.softmax(z - (1 - epsilon) * T - epsilon / k) / len(T)"}),
    ):
        c.wrong(body.format(**{**u, **ch}), name)
    c.wrong(
        "def smoothed_loss(z, T, epsilon): return mg.mean(mg.logsumexp(z, axis=1) - mg.sum(z * T, axis=1))",
        mistake.no_rule,
    )


@exercise("change_of_the_gradient")
def change_of_the_gradient(c):
    c.number(
        2,
        because={
            2: "Yes: one at the place of the label, one for the nine others.",
            10: "One for the place of the label, one for the nine others.",
            1: "At the place of the label it is another one than elsewhere.",
        },
        otherwise="The difference is T - S, times 1 / n. Which numbers are in it?",
    )
