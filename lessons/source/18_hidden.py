"""Lesson 18: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake


@exercise("where_it_ends")
def where_it_ends(c):
    c.choice(
        "c",
        because={
            "a": "Each step is rounded on its own. The number next to 1 is 0.99951, and 0.9999 is nearer to 1.",
            "b": "Nothing overflows here. 1 and 0.0001 are ordinary numbers of float16.",
            "c": "Yes: 1 - 0.0001 is rounded to 1, ten thousand times.",
        },
    )


@exercise("counting_stops")
def counting_stops(c):
    c.number(
        2048,
        because={
            2048: "Yes: the next number is 2050, and 2049 lies in the middle.",
            65504: "There is room up to 65504, but not for each whole number.",
            65535: "There is room up to 65504, but not for each whole number.",
            65536: "There is room up to 65504, but not for each whole number.",
            1024: "1025 is a number of float16. One doubling more.",
            2047: "One more fits: 2048 is a power of 2.",
            2049: "2049 needs 12 bits, and is rounded to 2048.",
            4096: "Between 2048 and 4096 only even numbers fit.",
            32768: "The digits end long before the range does.",
            10000: "It ends where 1 is half of the distance to the next number.",
        },
        otherwise="It ends where 1 is half of the distance to the next number. float16 has 11 bits for its digits.",
    )


@exercise("all_in_half")
def all_in_half(c):
    c.choice(
        "c",
        because={
            "a": "That would be a network that learned nothing. Its steps, of about 0.01, are far above the spacing.",
            "b": "The rounding errors of 400 steps go both ways, and they are small next to the steps.",
            "c": "Yes: with steps as large as these.",
        },
    )


@exercise("what_stays_long")
def what_stays_long(c):
    c.choice(
        "b",
        because={
            "a": "Three digits are enough for a product. What is lost, is lost where the step is added.",
            "b": "Yes: a small step, added to a large weight, needs the digits.",
            "c": "The slopes are right to three digits. Added to a weight in float16, a right step is lost.",
        },
    )


@exercise("as_half", points=2, function="as_half(x, upstream)")
def as_half(c):
    c.hint(
        "What does mg.astype(x, 'float16') return, and what does it take to get a float32 out of that?",
        "The value is mg.astype of mg.astype. The rule gets upstream, and sends upstream.",
        'return mg.astype(___, "float32"), lambda upstream: ___',
    )
    c.accept("return rounded(x) -> return (rounded(x) * 1).astype('float32')", "the value is in float32 already")
    c.solution("The value goes to float16 and back. The rule hands the message on, so it never was in float16.")
    h = (
        "def as_half(x):\n    @mg.custom_gradient\n    def f(x):\n"
        "        return {}, lambda upstream: {}\n    return f(x)"
    )
    value = 'mg.astype(mg.astype(x, "float16"), "float32")'
    c.wrong(f"def as_half(x): return {value}", "the way back is rounded")
    c.wrong(h.format("mg.identity(x)", "upstream"), "not rounded")
    c.wrong(h.format('mg.astype(x, "float16")', "upstream"), "the result is in float16")
    c.wrong(h.format(value, "0.0 * upstream"), "the slope of rounding")
    c.wrong(f"def as_half(x): return mg.stop_gradient({value})", "nothing is sent")
    c.wrong(h.format(value, "mg.ones_like(upstream)"), "forgot the upstream gradient")
    c.wrong(h.format("mg.constant(np.round(x.numpy(), 3))", "upstream"))
    c.wrong(h.format(value.replace("(x,", "(mg.clip(x, -65504.0, 65504.0),"), "upstream"), "clipped")
    c.wrong(h.format(value, value.replace("(x,", "(upstream,")), "the way back is rounded")
    c.wrong(h.format(value, "upstream * x"))
    c.wrong(h.format(value, "-upstream"), "the sign is flipped")
    c.wrong(h.format(value, "mg.sum(upstream) + 0 * upstream"), "added up")
    c.wrong(h.format(value, "None"), "nothing is sent")
    c.wrong(h.format(value, "mg.stop_gradient(upstream)"), mistake.upstream_lost)
    c.wrong(f"def as_half(x): return {value}, lambda upstream: upstream", mistake.no_decorator)


@exercise("loss_made_small")
def loss_made_small(c):
    c.choice(
        "b",
        because={
            "a": "The slopes are multiplied again, so the steps have their size. But what became 0 stays 0.",
            "b": "Yes: every slope is 0 on the way back, and a million times 0 is 0.",
            "c": "With exact numbers, yes. In float16 nothing below 0.00000003 is left.",
        },
    )


@exercise("scale_gradient", points=2, function="scale_gradient(dtype, x, upstream, factor)")
def scale_gradient(c):
    c.hint(
        "The value is x itself. What is it that has to be multiplied?",
        "The value is mg.identity(x). The rule gets upstream, and sends it times factor.",
        "return mg.identity(x), lambda upstream: ___",
    )
    c.solution("The value passes unchanged. Each message is multiplied once, and so is all that follows from it.")
    h = (
        "def scale_gradient(x, factor):\n    @mg.custom_gradient\n    def f(x):\n"
        "        return {}, lambda upstream: {}\n    return f(x)"
    )
    value = "mg.identity(x)"
    c.wrong("def scale_gradient(x, factor): return x * factor", "the value is multiplied")
    c.wrong(h.format("x * factor", "upstream"), "the value is multiplied")
    c.wrong(h.format(value, "factor * mg.ones_like(upstream)"))
    c.wrong(h.format(value, "upstream / factor"), "divided by the factor")
    c.wrong("def scale_gradient(x, factor): return mg.identity(x)", "the factor is not used")
    c.wrong(h.format(value, "upstream"), "the factor is not used")
    c.wrong(h.format(value, "upstream * factor * x"))
    c.wrong(h.format(value, "mg.sum(upstream) * factor + 0 * upstream"))
    c.wrong(h.format(value, "upstream * factor * factor"), "the factor twice")
    c.wrong(h.format(value, "upstream + factor"), "the factor is added")
    c.wrong(h.format(value, "-upstream * factor"), "the sign is flipped")
    c.wrong("def scale_gradient(x, factor): return mg.stop_gradient(x)", "nothing is sent")
    c.wrong(h.format(value, "None"), "nothing is sent")
    c.wrong(h.format(value, "mg.stop_gradient(upstream) * factor"), mistake.upstream_lost)
    c.wrong("def scale_gradient(x, factor): return x, lambda upstream: upstream * factor", mistake.no_decorator)


@exercise("slopes_of_inf")
def slopes_of_inf(c):
    c.choice(
        "c",
        because={
            "a": "inf is the value. The first message is 2^15, and that fits.",
            "b": "A nan would need an inf on the way back, where it meets a 0. The way back has no inf.",
            "c": "Yes: no message is made of the value of the loss.",
        },
    )


@exercise("careful_step", points=3, function="careful_step(w, slope, k, rate)")
def careful_step(c):
    c.hint(
        "Which NumPy function is False for inf, for -inf and for nan?",
        "if not np.all(np.isfinite(slope)): return w, k - 1",
        'return w - rate * (slope.astype("float32") / ___), k',
    )
    c.solution("A step with an inf is skipped whole. The slope gets its digits first, and its size afterwards.")
    skip = (
        "def careful_step(w, slope, k, rate):\n"
        "    if not np.all(np.isfinite(slope)):\n        return w, k - 1\n    return "
    )
    step = 'w - rate * (slope.astype("float32") / 2.0**k)'
    right = f"{skip}{step}, k"
    c.wrong(skip + 'w - rate * slope.astype("float32"), k', "not divided")
    c.wrong(skip + 'w - rate * (slope.astype("float32") * 2.0**k), k', "multiplied")
    c.wrong(skip + 'w - rate * (slope.astype("float32") / k), k', "divided by k")
    c.wrong(skip + 'w - rate * (slope / np.float16(2.0**k)).astype("float32"), k')
    c.wrong(f"def careful_step(w, slope, k, rate): return {step}, k", "k stays")
    c.wrong(right.replace("not np.all(np.isfinite(slope))", "np.any(np.isinf(slope))"), "nan is not seen")
    c.wrong(right.replace("not np.all(np.isfinite(slope))", "np.any(np.isnan(slope))"), "k stays")
    c.wrong(right.replace("k - 1", "k // 2"), "k is halved")
    c.wrong(right.replace("k - 1", "k"), "k stays")
    c.wrong(right.replace("k - 1", "k + 1"), "k grows")
    c.wrong(
        "def careful_step(w, slope, k, rate):\n    bad = ~np.isfinite(slope)\n"
        '    s = np.where(bad, 0, slope).astype("float32") / 2.0**k\n    return w - rate * s, k - bool(bad.any())',
        "only bad entries are skipped",
    )
    c.wrong(
        "def careful_step(w, slope, k, rate):\n    ok = np.all(np.isfinite(slope))\n"
        f"    return {step}, k if ok else k - 1",
        "bad steps are used",
    )
    c.wrong(right.replace(step, f'({step}).astype("float16")'), "the weights are in float16")
    c.wrong(right.replace(step, f'({step}).astype("float16").astype("float32")'))
    c.wrong(right.replace("w - rate", "w + rate"), "uphill")
    c.wrong(right.replace("rate * (", "("), "the rate is left out")
    c.wrong(right.replace("not np.all(np.isfinite(slope))", "not np.any(np.isfinite(slope))"))
    c.wrong(
        f"{skip}w, k".replace("    return w, k\n", "").removesuffix("return w, k")
        + f"w -= w - ({step})\n    return w, k"
    )
    c.wrong(skip + step)
