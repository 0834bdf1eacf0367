"""Lesson 9: what students do not get in clear. Answers, hints, and wrong answers that must be recognised."""

from minigrad.classroom import exercise, mistake


@exercise("gradient_of_w")
def gradient_of_w(c):
    c.tells(r"sorted|wrong place")
    c.number(
        1,
        because={
            1: "Yes: b comes before w, so the first gradient of the list went to b.",
            3: "That is the slope of w. But a dict is read by sorted key, b before w: the 3 went to b.",
            2: "That is the value of w.",
        },
        otherwise="The rule returns 3 and 1. In which order is a dict read?",
    )


@exercise("flat_order")
def flat_order(c):
    c.tells(r"sorted|by key")
    c.choice(
        "b",
        because={
            "a": "So it was written. By sorted key, b comes before w.",
            "b": "Yes: b comes first, with 2 and 3, and then w with 1.",
            "c": "Those are the keys. The values are flattened.",
            "d": "The inner list is taken apart, too, down to its numbers.",
        },
    )


@exercise("unused_output")
def unused_output(c):
    c.tells(r"upstream.*\b(0|zero)\b")
    c.choice(
        "b",
        because={
            "a": "It is computed, and nobody used it: that makes 0, a number.",
            "b": "Yes: nobody used it, so it changes the result by 0.",
            "c": "Only the result itself starts with 1, and that is total.",
            "d": "It is called, for the sum.",
        },
    )


@exercise("calls_of_grad")
def calls_of_grad(c):
    c.tells(r"\bonce\b|waits")
    c.number(
        1,
        because={
            1: "Yes: once, with 14 for the sum and 1 for the product.",
            2: "It is not called for each output: it waits until both have their upstream gradients.",
            3: "Messages to the same output are added up first, and the rule waits until both outputs have theirs.",
            0: "The gradients of a and b come from the rule, so it must be called.",
        },
        otherwise="A box sends once, when everything that uses it has sent (lesson 2).",
    )


@exercise("unused_at_zero")
def unused_at_zero(c):
    c.tells(r"0 / 0|(is|becomes) nan")
    c.choice(
        "b",
        because={
            "a": "The upstream gradient of the logarithm is 0, and the rule divides it by x, which is 0.",
            "b": "Yes: 0 / 0 is nan, and 0 + nan is nan.",
            "c": "inf would need an upstream gradient that is not 0: 1 / 0.",
            "d": "None would mean no message. The rule runs, and sends one.",
        },
    )


@exercise("none_and_seven")
def none_and_seven(c):
    c.tells(r"no message")
    c.choice(
        "c",
        because={
            "a": "The rule sends b nothing. The other path, 7 * b, still sends a message.",
            "b": "The rule sends b nothing, but 7 * b sends 7.",
            "c": "Yes: the only message that arrives is 7.",
            "d": "9 has the derived message in it, 2. The rule replaced that by None.",
        },
    )


@exercise("what_is_in_args")
def what_is_in_args(c):
    c.tells(r"\*inputs|args.*inputs")
    c.choice(
        "b",
        because={
            "a": "So it is in TensorFlow's form, grad(*upstreams). Here the upstream gradient comes by name.",
            "b": "Yes: the inputs, as in PyTorch's way of calling.",
            "c": "The rule gets the inputs, too.",
            "d": "The upstream gradient comes by name. Both inputs are in args.",
        },
    )


@exercise("flatten", points=2, function="flatten(tree)")
def flatten(c):
    c.hint(
        "When is tree a leaf? Then the answer is a list of one.",
        "Turn a dict into the list of its values, by sorted key. Then it is a case you have already.",
        "return [leaf for child in tree for leaf in ___]",
    )
    c.solution(
        "A leaf gives a list of one. Everything else gives the leaves of its children, one child after the other."
    )
    body = """\
def flatten(tree):
    if isinstance(tree, dict): tree = {values}
    if not isinstance(tree, {sequences}): return {leaf}
    return {joined}"""
    usual = {
        "values": "[tree[key] for key in sorted(tree)]",
        "sequences": "(list, tuple)",
        "leaf": "[tree]",
        "joined": "[leaf for child in tree for leaf in flatten(child)]",
    }
    for named, change in (
        ("in the order of writing", {"values": "list(tree.values())"}),
        ("one level only", {"joined": "list(tree)"}),
        ("keys instead of values", {"values": "sorted(tree)"}),
        ("tuples taken for leaves", {"sequences": "list"}),
        (None, {"joined": "sorted(leaf for child in tree for leaf in flatten(child))"}),
        (None, {"leaf": "tree"}),
        ("capitals among small letters", {"values": "[tree[key] for key in sorted(tree, key=str.lower)]"}),
        ("None is dropped", {"leaf": "[] if tree is None else [tree]"}),
        (
            None,
            {
                "sequences": "(list, tuple, str)",
                "leaf": "[tree]",
                "joined": "[x for c in tree for x in ([c] if isinstance(c, str) and len(c) == 1 else flatten(c))]",
            },
        ),
        (
            "from the end",
            {
                "joined": "[leaf for child in reversed(tree) for leaf in flatten(child)]",
                "values": "[tree[key] for key in sorted(tree)]",
            },
        ),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    c.wrong("def flatten(tree): return mg.nest.flatten(tree)", mistake.library_answer)
    c.wrong(
        "def flatten(tree):\n    queue, leaves = [tree], []\n    for node in queue:\n"
        "        if isinstance(node, dict): queue += [node[key] for key in sorted(node)]\n"
        "        elif isinstance(node, (list, tuple)): queue += node\n"
        "        else: leaves.append(node)\n    return leaves",
        "level by level",
    )


@exercise("rebuild", points=3, function="rebuild(like)")
def rebuild(c):
    c.hint(
        "Each leaf is used once: take them from one iterator, iter(leaves), for the whole structure.",
        "There are two orders. Leaves come by sorted key; the new dict lists its keys as like does. Fill by the first, "
        "then rewrite by the second.",
        "made = {key: build(like[key]) for key in sorted(like)}; return {key: made[key] for key in ___}",
    )
    c.solution("The leaves are taken in flat order. Then the keys are written as in like.")
    body = """\
def rebuild(like, leaves):
    leaves = iter(leaves)
    def build(like):
        if isinstance(like, dict):
            made = {{key: build(like[key]) for key in {order}}}
            return {result}
        if isinstance(like, (list, tuple)):
            return {kind}([build(child) for child in {children}])
        return {leaf}
    return build(like)"""
    usual = {
        "order": "sorted(like)",
        "result": "{key: made[key] for key in like}",
        "kind": "type(like)",
        "children": "like",
        "leaf": "next(leaves)",
    }
    for named, change in (
        ("a dict is filled as it was written", {"order": "like"}),
        ("the keys have changed their order", {"result": "made"}),
        ("tuples become lists", {"kind": "list"}),
        ("lists become tuples", {"kind": "tuple"}),
        ("the old leaves stay", {"leaf": "like"}),
        ("a dict becomes a list", {"result": "list(made.values())"}),
        ("the children are reversed", {"children": "reversed(like)"}),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    c.wrong("def rebuild(like, leaves): return leaves", "the leaves as they came")
    c.wrong(
        "def rebuild(like, leaves):\n"
        "    if isinstance(like, dict): return {k: rebuild(like[k], leaves) for k in like}\n"
        "    if isinstance(like, (list, tuple)): return type(like)([rebuild(child, leaves) for child in like])\n"
        "    return leaves[0]",
        "the first leaf everywhere",
    )
    c.wrong(
        "def rebuild(like, leaves):\n    if isinstance(like, dict): return dict(zip(sorted(like), leaves))\n"
        "    return type(like)(leaves) if isinstance(like, (list, tuple)) else leaves[0]",
        "one level only",
    )
    c.wrong(
        "def rebuild(like, leaves):\n    for i in range(len(like)) if isinstance(like, list) else []:\n"
        "        like[i] = leaves[i]\n    return like",
        "like is changed",
    )


@exercise("split", points=2, function="split(x, k, start, rest)")
def split(c):
    c.hint(
        "How many upstream gradients come, and in which order? Print them.",
        "They come by sorted key: rest, then start.",
        "rest, start = upstreams, and mg.concatenate([___]), None",
    )
    c.solution("Each entry of x went to one output, and its gradient comes back from there.")
    body = """\
@mg.custom_gradient
def split(x, k):
    def grad(*upstreams):
        rest, start = upstreams
        return {}
    return {{"start": x[:k], "rest": x[k:]}}, grad"""
    for named, result in (
        ("start and rest are swapped", "mg.concatenate([rest, start]), None"),
        ("nothing is returned for k", "mg.concatenate([start, rest])"),
        ("only start has a gradient", "mg.concatenate([start, 0 * rest]), None"),
        ("1 instead of an upstream gradient", "mg.concatenate([mg.ones_like(start), mg.ones_like(rest)]), None"),
        (None, "mg.concatenate([start, mg.ones_like(rest)]), None"),
        ("start and rest are not joined", "start, rest"),
        ("the input instead of its gradient", "x, None"),
        ("one sum for every entry", "(mg.sum(start) + mg.sum(rest)) * mg.ones_like(x), None"),
        (None, "mg.concatenate([start, start, rest])[: len(x)], None"),
    ):
        c.wrong(body.format(result), named)
    c.wrong(
        body.replace("*upstreams", "upstream")
        .replace("rest, start = upstreams\n", "start = rest = upstream\n")
        .format("upstream, None"),
        "one upstream gradient for two outputs",
    )


@exercise("portable", points=2, function="portable(x, upstream)")
def portable(c):
    c.hint(
        "Print args and upstream, once for each way of calling.",
        "If upstream did not come by name, it is the only entry of args.",
        "if upstream is None: (upstream,) = ___",
    )
    c.solution("Compared with None, an upstream gradient of 0 is not taken for a missing one.")
    body = """\
from minigrad import ops
@ops.custom_gradient
def portable(x):
    e = mg.exp(x)
    def grad({parameters}):
        {first}
        return {result}
    return mg.log(1 + e), grad"""
    usual = {
        "parameters": "*args, upstream=None",
        "first": "upstream = args[0] if upstream is None else upstream",
        "result": "upstream * (1 - 1 / (1 + e))",
    }
    for named, change in (
        ("only grad(upstream) works", {"parameters": "upstream", "first": "pass"}),
        ("only grad(x, upstream=...) works", {"parameters": "*args, upstream", "first": "pass"}),
        ("the first of args in both ways", {"first": "upstream = args[0]"}),
        ("args as a whole", {"first": "upstream = args if upstream is None else upstream[None]"}),
        ("1 where upstream is missing", {"parameters": "*args, upstream=1.0", "first": "pass"}),
        ("0 taken for missing", {"first": "upstream = args[0] if not upstream else upstream"}),
        (mistake.no_upstream, {"result": "1 - 1 / (1 + e)"}),
        (mistake.upstream_twice, {"result": "upstream * upstream * (1 - 1 / (1 + e))"}),
        (mistake.no_local, {"result": "upstream"}),
        ("a number on the way is not finite", {"result": "upstream * e / (1 + e)"}),
    ):
        c.wrong(body.format(**{**usual, **change}), named)
    c.accept(
        "return upstream * (1 - 1 / (1 + e)) -> return (upstream * (1 - 1 / (1 + e)) * 1).astype('float32')",
        "it is float32 already",
    )
