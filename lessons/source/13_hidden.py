"""Lesson 13: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake


@exercise("kept_of_exp")
def kept_of_exp(c):
    c.choice(
        "b",
        because={
            "a": "From x it could compute exp(x) again, which is what this lesson is about. The result itself is "
            "enough.",
            "b": "Yes: the slope of exp is exp(x), the result.",
            "c": "The message is multiplied by the slope, and the slope of exp is its result.",
        },
    )


@exercise("recompute", points=3, function="recompute(x, upstream)")
def recompute(c):
    c.hint(
        "What does the Tensor that the first attempt returns remember?",
        "mg.constant(f(x).value) has the same value and remembers nothing.",
        "return mg.constant(___), grad, and in grad: mg.gradients(f(x), x, grad_ys=___)[0]",
    )
    c.solution("The value has no past. In the rule f runs again on x itself, so all orders are right.")
    rule = "mg.gradients(f(x), x, grad_ys=upstream)[0]"
    product = "mg.gradients(mg.sum(f(x) * upstream), x)[0]"
    c.accept(f"return {rule} -> return {product}", "in a rule the upstream gradient is a constant for mg.gradients")
    c.accept(f"return {rule} -> return ({rule} * 1).astype('float32')", "float32 is enough here")
    c.accept("0 -> -1", "the list has one entry")
    h = "def recompute(f):\n    @mg.custom_gradient\n    def wrapped(x):\n"
    b = "        def grad(u): return "
    v = "\n        return mg.constant(f(x).value), grad\n    return wrapped"
    c.wrong("def recompute(f): return f", "what f made is kept")
    c.wrong("def recompute(f): return mg.recompute_grad(f)", mistake.library_answer)
    c.wrong(h + b + "u * mg.gradients(f(x), x)[0]" + v, "the upstream gradient comes too late")
    c.wrong(
        h + "        y = f(x)\n        slope = mg.gradients(y, x)[0].value\n"
        "        return mg.constant(y.value), lambda u: u * slope\n    return wrapped",
        "f is not run again",
    )
    c.wrong(
        h
        + "        y = f(x)"
        + "\n"
        + b
        + "mg.gradients(f(x), x, grad_ys=u)[0]\n        return y, grad\n    return wrapped",
        "what f made is kept",
    )
    c.wrong(
        h
        + "        y = f(x)"
        + "\n"
        + b
        + "mg.gradients(y, x, grad_ys=u)[0]\n        return mg.constant(y.value), grad\n    return wrapped",
        "what f made is kept",
    )
    c.wrong(
        h + b + "mg.gradients(f(x), x, grad_ys=u)[0]\n        return mg.stop_gradient(f(x)), grad\n    return wrapped",
        "what f made is kept",
    )
    c.wrong(h + b + "mg.gradients(f(x), x)[0]" + v, "forgot the upstream gradient")
    c.wrong(h + b + "u" + v, "passed the upstream gradient on unchanged")
    c.wrong(h + b + "f(x)" + v, "the value instead of the gradient")
    c.wrong(h + b + "mg.sum(mg.gradients(f(x), x, grad_ys=u)[0])" + v)
    c.wrong(h + b + "u * mg.gradients(f(x), x, grad_ys=u)[0]" + v, "multiplied by the upstream gradient twice")
    c.wrong(
        h + "        def grad(u):\n            f(x)\n            return mg.gradients(f(x), x, grad_ys=u)[0]" + v,
        "f is run too often",
    )
    c.wrong(
        h + "        def grad(u):\n            leaf = mg.constant(x.value)\n"
        "            return mg.gradients(f(leaf), leaf, grad_ys=u)[0]" + v,
        "the second derivative is lost",
    )
    c.wrong(
        h
        + b
        + "mg.gradients(f(x), x, grad_ys=u)[0]\n        return mg.constant(0.0 * f(x).value), grad\n    return wrapped",
        "the value is changed",
    )
    c.wrong("def recompute(f): return lambda x: mg.constant(f(x).value)", "no gradient")
    c.wrong(h + b + "mg.gradients(f(x), x, grad_ys=u.value)[0]" + v, "the upstream gradient loses its arrow")
    c.wrong(
        "def recompute(f):\n    seen = []\n    @mg.custom_gradient\n    def wrapped(x):\n        seen.append(x)\n"
        + b
        + "mg.gradients(f(seen[-1]), seen[-1], grad_ys=u)[0]"
        + v,
        "the input of another call",
    )
    c.wrong(
        "def recompute(f): return lambda x: (mg.constant(f(x).value), lambda u: mg.gradients(f(x), x, grad_ys=u)[0])",
        "the decorator is missing",
    )


@exercise("one_piece")
def one_piece(c):
    c.choice(
        "b",
        because={
            "a": "Nothing is halved: all 64 layers run again in one go.",
            "b": "Yes: when the piece runs again, all its layers are there at once.",
            "c": "So it is after the forward pass. Then all 64 layers run again, and are there at once.",
        },
    )


@exercise("kept", points=1, function="kept(n, size)")
def kept(c):
    c.hint(
        "How many pieces are there? Round up.",
        "While one piece is open, its own results are there as well: size of them, but not more than n.",
        "return math.ceil(n / size) + ___",
    )
    c.solution("The results of all pieces, and those of one open piece.")
    h = "def kept(n, size): return "
    c.wrong(h + "math.ceil(n / size)", "pieces alone")
    c.wrong(h + "math.ceil(n / size) * size", "all pieces at once")
    c.wrong(h + "n", "nothing saved")
    c.wrong(h + "n // size + min(size, n)", "the last piece is forgotten")
    c.wrong(h + "math.ceil(n / size) * min(size, n)")
    c.wrong(h + "math.ceil(2 * math.sqrt(n))", "twice the root")
    c.wrong(h + "math.ceil(n / size) + size", "a piece larger than the chain")
    c.wrong(h + "n / size + size")
    c.wrong(h + "size")


@exercise("best_size")
def best_size(c):
    c.number(
        10,
        because={
            10: "Yes: 10 pieces and 10 open layers, 20 results.",
            50: "2 pieces and 50 open layers are 52. With 10 and 10 it is 20.",
            1: "100 pieces and one open layer: 101.",
            20: "5 pieces and 20 open layers are 25. With 10 and 10 it is 20.",
            100: "1 piece and 100 open layers: 101.",
        },
        otherwise="Add the number of pieces, 100 / size, and the size. When is the sum least?",
    )


@exercise("in_pieces", points=3, function="in_pieces(n, size)")
def in_pieces(c):
    c.hint(
        "Write a function that runs a given slice of the layers, as run_all does.",
        "Make each piece by calling that function with the slice, so that each piece has a slice of its own.",
        "x = mg.recompute_grad(run(layers[start : start + size]))(___)",
    )
    c.solution("run(part) makes a function that holds its own part, also when the loop has gone on.")
    run = (
        "def run(part):\n    def piece(x):\n        for layer in part: x = layer(x)\n        return x\n"
        "    return piece\n"
    )
    h = run + "def in_pieces(layers, size):\n    def model(x):\n        "
    e = "\n        return x\n    return model"
    c.wrong(h + "for k in range(0, len(layers), size): x = run(layers[k:k + size])(x)" + e, "nothing is recomputed")
    c.wrong(h + "x = mg.recompute_grad(run(layers))(x)" + e, "one piece")
    c.wrong(h + "for layer in layers: x = mg.recompute_grad(layer)(x)" + e, "a piece for each layer")
    c.wrong(
        h + "for k in range(0, len(layers) - size + 1, size): x = mg.recompute_grad(run(layers[k:k + size]))(x)" + e
    )
    c.wrong(
        h + "for k in range(0, len(layers), size): x = mg.recompute_grad(run(layers[k:k + size + 1]))(x)" + e,
        "a layer runs twice",
    )
    c.wrong(
        h + "for k in range(0, len(layers), size): x = mg.recompute_grad(run(layers[k:k + size - 1]))(x)" + e,
        "a layer is left out",
    )
    c.wrong(h + "for k in reversed(range(0, len(layers), size)): x = mg.recompute_grad(run(layers[k:k + size]))(x)" + e)
    c.wrong(
        "def in_pieces(layers, size):\n    def model(x):\n        for k in range(0, len(layers), size):\n"
        "            part = layers[k:k + size]\n            def piece(x):\n"
        "                for layer in part: x = layer(x)\n                return x\n"
        "            x = mg.recompute_grad(piece)(x)\n        return x\n    return model",
        "a piece runs other layers the second time",
    )
    c.wrong(
        h + "for k in range(0, len(layers), size): y = mg.recompute_grad(run(layers[k:k + size]))(x)\n        "
        "return y\n    return model",
        "each piece gets x",
    )
    c.wrong(
        run + "def in_pieces(layers, size):\n    ends = [round(i * len(layers) / -(-len(layers) // size)) for i in "
        "range(-(-len(layers) // size) + 1)]\n"
        "    return run([mg.recompute_grad(run(layers[a:b])) for a, b in zip(ends, ends[1:])])",
        "pieces of other sizes",
    )
    c.wrong(
        run + "def in_pieces(layers, size):\n    return run(mg.recompute_grad(run(layers[k:k + size])) for k in "
        "range(0, len(layers), size))",
        "it works only once",
    )
    c.wrong(
        run + "def in_pieces(layers, size):\n    pieces = []\n    while layers:\n"
        "        pieces.append(mg.recompute_grad(run(layers[:size])))\n        del layers[:size]\n"
        "    return run(pieces)",
        "the list of layers is changed",
    )
    c.wrong(
        run + "def in_pieces(layers, size):\n    return mg.recompute_grad(run([mg.recompute_grad("
        "run(layers[k:k + size])) for k in range(0, len(layers), size)]))",
        "the whole is wrapped as well",
    )
    c.wrong(
        h + "n = -(-len(layers) // size)\n"
        "        for k in range(0, len(layers), n): x = mg.recompute_grad(run(layers[k:k + n]))(x)" + e
    )
    c.wrong(
        h
        + "for k in range(0, len(layers), size): x = mg.recompute_grad(mg.recompute_grad(run(layers[k:k + size])))(x)"
        + e
    )
    c.wrong(
        h + "for k in range(0, len(layers), size): x = mg.recompute_grad(run([mg.recompute_grad(layer) for layer in "
        "layers[k:k + size]]))(x)" + e
    )
    c.wrong(
        h + "x = run(layers[:size])(x)\n"
        "        for k in range(size, len(layers), size): x = mg.recompute_grad(run(layers[k:k + "
        "size]))(x)" + e
    )


@exercise("what_is_wrong")
def what_is_wrong(c):
    c.choice(
        "b",
        because={
            "a": "The value was computed once, in the first run.",
            "b": "Yes: the second run draws another mask, and the gradient is of that one.",
            "c": "Compare value and gradient, entry by entry.",
        },
    )


@exercise("does_the_check_find_it")
def does_the_check_find_it(c):
    c.choice(
        "b",
        because={
            "a": "To measure a slope, it needs the same function twice. Each call draws another mask.",
            "b": "Yes: each call is another function, so hardly a slope can be measured. Read how many were compared.",
            "c": "It is the gradient for another mask. It can't agree, even if it can be measured.",
        },
    )


@exercise("dropout", points=2, function="dropout(rate, seed, size)")
def dropout(c):
    c.hint(
        "Where must the generator be made, so that both runs draw the same numbers?",
        "Inside, from the seed: np.random.default_rng(seed).",
        "keep = np.random.default_rng(___).random(x.shape) >= rate",
    )
    c.solution("The mask follows from the arguments alone.")
    kept = "mg.where(keep, x / (1 - rate), 0.0)"
    c.accept(f"return {kept} -> return ({kept} * 1).astype('float32')", "float32 is enough here")
    c.accept(
        "np.random.default_rng(seed).random(x.shape) >= rate -> np.random.default_rng(seed).random(x.shape) > rate",
        "a random number equals the rate with probability 0",
    )
    h = "def dropout(x, rate, seed):\n    keep = "
    r = "\n    return mg.where(keep, x / (1 - rate), 0.0)"
    c.wrong(h + "np.random.default_rng().random(x.shape) >= rate" + r, "another mask each time")
    c.wrong(
        h + "np.random.default_rng(seed).permutation(x.size).reshape(x.shape) >= round(rate * x.size)" + r,
        "always as many",
    )
    c.wrong(
        h + "np.random.default_rng(seed).random(x.shape) >= rate\n    x.value[~keep] = 0\n    return x / (1 - rate)",
        "the input is changed",
    )
    c.wrong(h + "np.random.random(x.shape) >= rate" + r, "the generator of everybody is used")
    c.wrong(
        "def dropout(x, rate, seed):\n    np.random.seed(seed)\n    keep = np.random.random(x.shape) >= rate" + r,
        "the generator of everybody is used",
    )
    c.wrong(h + "np.random.default_rng(0).random(x.shape) >= rate" + r, "the seed is not used")
    c.wrong(h + "np.random.default_rng(seed).random(x.shape) < rate" + r)
    c.wrong(h + "np.random.default_rng(seed).random(x.shape) >= rate\n    return mg.where(keep, x, 0.0)", "not scaled")
    c.wrong(
        h
        + "np.random.default_rng(seed).random(x.shape) >= rate\n    return mg.where(keep, x / rate if rate else x, 0.0)"
    )
    c.wrong(
        h + "np.random.default_rng(seed).random(x.shape) >= rate\n    return mg.where(keep, x * (1 - rate), 0.0)",
        "multiplied, not divided",
    )
    c.wrong(
        h + "np.random.default_rng(seed).random(x.shape) >= rate\n"
        "    return mg.where(keep, mg.constant(x.value) / (1 - rate), 0.0)",
        "the gradient has another mask",
    )
    c.wrong(h + "np.random.default_rng(seed).random(x.shape) >= 0.5" + r)
    c.wrong("_rng = np.random.default_rng(0)\n" + h + "_rng.random(x.shape) >= rate" + r, "another mask each time")
    c.wrong(h + "(np.arange(x.size) + seed) % 4 >= 4 * rate" + r)
    c.wrong("def dropout(x, rate, seed): return mg.dropout(x, rate, seed)", mistake.library_answer)


@exercise("ten_and_three")
def ten_and_three(c):
    c.choice(
        "b",
        because={
            "a": "10 · 3 would be so if each state served once. It is set again in every run.",
            "b": "Yes: 13 · 12 · 11 / 6.",
            "c": "Not every choice is possible: each place that is kept uses up a state.",
        },
    )


@exercise("longest", points=2, function="longest(states, sweeps)")
def longest(c):
    c.hint(
        "The chain has two parts. Which of them has a state less, which a run less?",
        "With one state, or with no run left over, return sweeps + 1.",
        "return longest(states - 1, sweeps) + longest(___, ___)",
    )
    c.solution("It is Pascal's triangle: the number of ways to choose `states` of states + sweeps things.")
    c.accept("longest(states - 1, sweeps) -> longest(sweeps, states - 1)", "Pascal's triangle is symmetric")
    c.accept("0 -> -1", "sweeps is not negative")
    h = "def longest(s, t): return "
    c.wrong(h + "s * t", "multiplied")
    c.wrong(h + "s + t", "one sweep for all")
    c.wrong(h + "2 ** min(s, t)", "halved each time")
    c.wrong(h + "(s + 1) ** t", "a power")
    c.wrong(h + "math.comb(s + t, s) - 1", "one too few")
    c.wrong(h + "math.comb(s + t + 1, s + 1)", "the start is not counted")
    c.wrong(h + "math.comb(s + t - 1, s - 1)", "one state too few")
    c.wrong(h + "math.comb(s + t - 1, s) if t else 1", "one sweep too few")
    c.wrong(h + "math.factorial(s + t) // math.factorial(s)", "factorials not divided")
    c.wrong("def longest(s, t): return 1 if t == 0 else longest(s, t - 1) + longest(s - 1, t)", mistake.too_deep)
