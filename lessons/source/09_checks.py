"""Lesson 9, structures and upstreams: what its exercises compute. Answers and hints are in 09_hidden.py."""

import copy

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, mistake

as_written = mistake("in the order of writing", "A dict goes by its sorted keys: b before w.")
last_key_first = mistake("the last key first", "A dict goes by its sorted keys, from the smallest on: a, b, c.")
by_value = mistake("in the order of the values", "A dict goes by its sorted keys: the values are not sorted.")
one_level = mistake("one level only", "A child may be a structure itself: call flatten on it.")
keys = mistake("keys in place of values", "The leaves are the values of a dict.")
tuples = mistake("tuples taken for leaves", "A tuple is a structure, like a list.")
unwrapped = mistake("a leaf that is no list", "flatten returns a list, also for a leaf alone.")
no_none = mistake("None is dropped", "None is a leaf like any other.")
breadth = mistake("level by level", "All leaves of a child come before the next child.")
backwards = mistake("from the end", "The first child comes first.")

TREES = [
    [1, [2, 3]],
    {"w": 1, "b": 2},
    5,
    [],
    (1, (2,), [3, [4]]),
    [[1], 2],
    {"w": [1, 2], "b": {"z": 3, "a": 4}},
    [[], {}],
    [None, "ab"],
    {"b": 1, "a": 2, "c": 3},
]


def leaves_of(tree, order=sorted, sequences=(list, tuple), keep=lambda leaf: True):
    if isinstance(tree, dict):
        tree = [tree[key] for key in order(tree)]
    if not isinstance(tree, sequences):
        return [tree] if keep(tree) else []
    return [leaf for child in tree for leaf in leaves_of(child, order, sequences, keep)]


def level_by_level(tree):
    queue, leaves = [tree], []
    for node in queue:
        if isinstance(node, dict):
            queue += [node[key] for key in sorted(node)]
        elif isinstance(node, (list, tuple)):
            queue += node
        else:
            leaves.append(node)
    return leaves


def children(tree):
    return [tree[key] for key in sorted(tree)] if isinstance(tree, dict) else tree


@exercise("flatten", points=2, function="flatten(tree)")
def flatten(c):
    def only_keys(tree):
        return sorted(tree) if isinstance(tree, dict) else leaves_of(tree)

    looks_like = {
        as_written: lambda tree: leaves_of(tree, order=list),
        last_key_first: lambda tree: leaves_of(tree, order=lambda d: sorted(d, reverse=True)),
        by_value: lambda tree: leaves_of(tree, order=lambda d: sorted(d, key=lambda key: str(d[key]))),
        one_level: lambda tree: list(children(tree)) if isinstance(tree, (dict, list, tuple)) else [tree],
        keys: only_keys,
        tuples: lambda tree: leaves_of(tree, sequences=(list,)),
        unwrapped: lambda tree: leaves_of(tree) if isinstance(tree, (dict, list, tuple)) else tree,
        no_none: lambda tree: leaves_of(tree, keep=lambda leaf: leaf is not None),
        breadth: level_by_level,
        backwards: lambda tree: leaves_of(tree)[::-1],
    }
    for tree in TREES:
        c.example(
            (tree,),
            leaves_of(tree),
            says="the leaves in flat order",
            looks_like=looks_like,
        )


def filled(like, leaves):
    if isinstance(like, dict):
        parts, start = {}, 0
        for key in sorted(like):
            end = start + len(leaves_of(like[key]))
            parts[key], start = filled(like[key], leaves[start:end]), end
        return {key: parts[key] for key in like}
    if isinstance(like, (list, tuple)):
        ends = [len(leaves_of(list(like[: place + 1]))) for place in range(len(like))]
        return type(like)([filled(child, leaves[start:end]) for child, start, end in zip(like, [0, *ends], ends)])
    return leaves[0]


def rebuilt(rebuild, like):
    leaves = [10 * (place + 1) for place in range(len(leaves_of(like)))]
    before, true = copy.deepcopy(like), filled(like, leaves)
    got = rebuild(like, list(leaves))
    where = f"rebuild({like!r}, {leaves!r})"
    if like != before:
        return f"{where}: afterwards like is {like!r}. Make a new structure."
    if repr(got) != repr(true):
        return f"{where} is {got!r}. It should be {true!r}."
    return True


@exercise("rebuild", points=3, function="rebuild(like)")
def rebuild(c):
    c.property(
        "the structure of like, with the leaves in flat order",
        rebuilt,
        vary=(),
        points=[(tree,) for tree in [*TREES, [0, 0]]],
    )


def text(value):
    return np.array2string(np.asarray(value, dtype=float), separator=", ", precision=6).replace("\n", "")


def split_right(split, x, k, start, rest):
    x = mg.constant(np.array(x))
    parts = split(x, k)
    ys, seeds = [], []
    for key, seed in (("start", start), ("rest", rest)):
        if seed is not None:
            ys.append(parts[key])
            seeds.append(mg.constant(np.array(seed, dtype=float)))
    got = mg.gradients(ys, x, grad_ys=seeds)[0]
    zeros = np.zeros(len(x))
    true = np.concatenate([zeros[:k] if start is None else start, zeros[k:] if rest is None else rest])
    where = f"x = {text(x.numpy())}, k = {k}, upstream {start} for start and {rest} for rest"
    if got is None:
        return f"{where}: the gradient is None. It should be {text(true)}."
    got = got.numpy()
    return (got.shape == true.shape and np.allclose(got, true)) or (
        f"{where}: the gradient is {text(got)}. It should be {text(true)}."
    )


SPLITS = [
    ([1.0, 2.0, 3.0], 1, [10.0], [20.0, 30.0]),
    ([1.0, 2.0, 3.0], 1, [10.0], None),
    ([1.0, 2.0, 3.0], 1, None, [20.0, 30.0]),
    ([4.0, 3.0, 2.0, 1.0], 2, [1.0, 2.0], [3.0, 4.0]),
    ([1.0, 2.0], 0, [], [5.0, 6.0]),
    ([1.0, 2.0], 2, [5.0, 6.0], []),
]


@exercise("split", points=2, function="split(x, k, start, rest)")
def split(c):
    c.property(
        "each entry of x gets the upstream gradient of its place",
        split_right,
        vary=(),
        points=SPLITS,
    )


def both_ways(portable, x, upstream):
    """The rule, called as grad(upstream) and as grad(x, upstream=upstream)."""
    value, rule = portable.__wrapped__(mg.constant(x))
    with np.errstate(over="ignore"):
        expected = np.log(1 + np.exp(np.float32(x)))
    if not np.isclose(value.item(), expected, rtol=1e-5):
        return f"x = {x:g}: the value is {value.item():g}. It should be {expected:g}."
    given = mg.constant(upstream)
    true = upstream / (1 + np.exp(-x))
    for call, run in (
        ("grad(upstream)", lambda: rule(given)),
        ("grad(x, upstream=upstream)", lambda: rule(mg.constant(x), upstream=given)),
    ):
        where = f"x = {x:g}, upstream = {upstream:g}, called as {call}"
        got = run()
        if isinstance(got, tuple) and len(got) == 1:
            got = got[0]
        if not isinstance(got, mg.Tensor) or got.shape != ():
            return (
                f"x = {x:g}, upstream = {upstream:g}, called as {call}: the result is {got!r}. It should be one number."
            )
        if not np.isclose(got.item(), true, rtol=1e-5):
            return f"{where}: {got.item():g}. It should be {true:g}."
    return True


@exercise("portable", points=2, function="portable(x, upstream)")
def portable(c):
    c.property(
        "the gradient, whichever way the rule is called",
        both_ways,
        vary=(),
        points=[(0.0, 1.0), (0.0, 3.0), (2.0, -2.0), (2.0, 0.0), (100.0, 1.0)],
    )
