"""Lesson 9, which gradient goes where: what its exercises compute. Answers and hints are in 09_hidden.py."""

import contextlib
import copy
import functools
import sys

import numpy as np

import minigrad as mg
from minigrad.classroom import exercise, mistake

as_written = mistake("in the order of writing", "A dict is read by sorted key: b before w.")
last_key_first = mistake("the last key first", "A dict is read by sorted key, from the smallest on: a, b, c.")
by_value = mistake("in the order of the values", "A dict is read by sorted key. Its values are not sorted.")
one_level = mistake("one level only", "A child may be a structure itself: call flatten on it.")
keys = mistake("keys instead of values", "The leaves are the values of a dict.")
tuples = mistake("tuples taken for leaves", "A tuple is a structure, like a list.")
unwrapped = mistake("a leaf that is not a list", "flatten returns a list, also of a single leaf: a list of one.")
no_none = mistake("None is dropped", "None is a leaf like any other.")
breadth = mistake("level by level", "All leaves of a child come before the next child.")
capitals = mistake("capitals among small letters", "sorted compares letters as they are: 'W' comes before 'b'.")
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
    {"a": 2, "b": 1},
    {"b": 1, "W": 2},
    [*range(11)],
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


ready_made = mistake(
    mistake.library_answer.name,
    "It calls mg.nest, which has this ready. Tell dicts, lists and tuples apart yourself.",
)


def made_here(function, *inputs):
    """True, or the mistake that the function calls mg.nest, by whatever name; its result does not matter here."""
    called = set()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, argument: called.add(frame.f_globals.get("__name__")))
    try:
        with contextlib.suppress(Exception):
            function(*inputs)
    finally:
        sys.setprofile(before)
    return ready_made if mg.nest.flatten.__module__ in called else True


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
        capitals: lambda tree: leaves_of(tree, order=lambda d: sorted(d, key=str.lower)),
        backwards: lambda tree: leaves_of(tree)[::-1],
    }
    for tree in [*TREES, [0, [0]]]:
        c.example(
            (tree,),
            leaves_of(tree),
            says="the leaves in flat order",
            looks_like=looks_like,
        )
    c.property("made without mg.nest", made_here, vary=(), points=[(TREES[0],)])


def filled(like, leaves, order=sorted, made_of=None, kind=None):
    """`like` with other leaves. order : order in which a dict's keys are filled; made_of : what a dict becomes."""
    again = functools.partial(filled, order=order, made_of=made_of, kind=kind)
    if isinstance(like, dict):
        parts, start = {}, 0
        for key in order(like):
            end = start + len(leaves_of(like[key]))
            parts[key], start = again(like[key], leaves[start:end]), end
        return made_of(parts) if made_of else {key: parts[key] for key in like}
    if isinstance(like, (list, tuple)):
        ends = [len(leaves_of(list(like[: place + 1]))) for place in range(len(like))]
        return (kind or type(like))(
            [again(child, leaves[start:end]) for child, start, end in zip(like, [0, *ends], ends)]
        )
    return leaves[0]


def mirrored(tree):
    if isinstance(tree, dict):
        return {key: mirrored(child) for key, child in tree.items()}
    return type(tree)([mirrored(child) for child in reversed(tree)]) if isinstance(tree, (list, tuple)) else tree


def only_the_top(like, leaves):
    if isinstance(like, dict):
        return dict(zip(sorted(like), leaves))
    return type(like)(leaves) if isinstance(like, (list, tuple)) else leaves[0]


in_written_order = mistake("a dict is filled as it was written", "The leaves come by sorted key: b before w.")
sorted_keys = mistake("the keys have changed their order", "Write the keys in the order that they have in like.")
only_lists = mistake("tuples become lists", "A tuple is made for a tuple: type(like) is the type to make.")
only_tuples = mistake("lists become tuples", "A list is made for a list: type(like) is the type to make.")
old_leaves = mistake("the old leaves stay", "The leaves of the result are those of the list, not those of like.")
no_keys = mistake("a dict becomes a list", "Make a dict with the keys of like.")
reversed_children = mistake("the children are reversed", "The first child of like is the first of the result.")
flat_still = mistake("the leaves as they came", "Put the leaves into a structure made like like.")
first_again = mistake(
    "the first leaf everywhere", "Each leaf is used once: go on in the list where the last one was taken."
)
top_only = mistake("one level only", "A child may be a structure itself: call the function for it again.")
changed = mistake("like is changed", "Make a new structure, and leave like as it is.")

#: What a wrong rebuild makes of a structure and a list of leaves.
REBUILT = {
    in_written_order: lambda like, leaves: filled(like, leaves, order=list),
    sorted_keys: lambda like, leaves: filled(like, leaves, made_of=dict),
    only_lists: lambda like, leaves: filled(like, leaves, kind=list),
    only_tuples: lambda like, leaves: filled(like, leaves, kind=tuple),
    old_leaves: lambda like, leaves: like,
    no_keys: lambda like, leaves: filled(like, leaves, made_of=lambda parts: list(parts.values())),
    reversed_children: lambda like, leaves: filled(mirrored(like), leaves),
    flat_still: lambda like, leaves: leaves,
    first_again: lambda like, leaves: filled(like, leaves[:1] * len(leaves)),
    top_only: only_the_top,
}
REBUILD_OF = [*TREES, [0, 0]]


def new_leaves(like):
    return [10 * (place + 1) for place in range(len(leaves_of(like)))]


def outcome(function, *inputs):
    """What a function returns, as text, or the type of the error that ends it."""
    try:
        return repr(function(*inputs))
    except Exception as error:
        return type(error).__name__


def taken_for(candidates, answer, inputs, words):
    """The words, as the mistake that gives what the answer gives at each of the inputs; alone if there is none."""
    got = [outcome(answer, *copy.deepcopy(each)) for each in inputs]
    for named, wrong in candidates.items():
        if all(outcome(wrong, *copy.deepcopy(each)) == text for each, text in zip(inputs, got)):
            return mistake(named.name, f"{words} {named.says}")
    return words


def rebuilt(rebuild, like):
    leaves = new_leaves(like)
    before, true = copy.deepcopy(like), filled(like, leaves)
    got = rebuild(like, list(leaves))
    where = f"rebuild({before!r}, {leaves!r})"
    if like != before:
        return mistake(changed.name, f"{where}: afterwards like is {like!r}. {changed.says}")
    if repr(got) == repr(true):
        return True
    words = f"{where} is {got!r}. It should be {true!r}."
    return taken_for(REBUILT, rebuild, [(tree, new_leaves(tree)) for tree in REBUILD_OF], words)


@exercise("rebuild", points=3, function="rebuild(like)")
def rebuild(c):
    c.property(
        "the structure of like, with the leaves in flat order",
        rebuilt,
        vary=(),
        points=[(tree,) for tree in REBUILD_OF],
    )
    c.property(
        "made without mg.nest",
        lambda rebuild, like: made_here(rebuild, like, new_leaves(like)),
        vary=(),
        points=[(TREES[0],)],
    )


def text(value):
    return np.array2string(np.asarray(value, dtype=float), separator=", ", precision=6).replace("\n", "")


SPLITS = [
    ([1.0, 2.0, 3.0], 1, [10.0], [20.0, 30.0]),
    ([1.0, 2.0, 3.0], 1, [10.0], None),
    ([1.0, 2.0, 3.0], 1, None, [20.0, 30.0]),
    ([4.0, 3.0, 2.0, 1.0], 2, [1.0, 2.0], [3.0, 4.0]),
    ([1.0, 2.0], 0, [], [5.0, 6.0]),
    ([1.0, 2.0], 2, [5.0, 6.0], []),
]


exchanged = mistake("start and rest are swapped", "The upstream gradients come by sorted key: rest first.")
one_output = mistake("only start has a gradient", "The entries of rest get the upstream gradient of rest.")
ones = mistake("1 instead of an upstream gradient", "Each entry gets the upstream gradient of its place.")
input_itself = mistake(
    "the input instead of its gradient", "A rule returns upstream gradients, here in the order of x."
)
one_sum = mistake(
    "one sum for every entry", "Each entry of x went to one output, and gets only the upstream gradient from there."
)
no_place_for_k = mistake("nothing is returned for k", "k is an input, too. Return a pair: the gradient of x, and None.")
not_joined = mistake("start and rest are not joined", "Both belong to x: join them, and return None for k.")
one_upstream = mistake("one upstream gradient for two outputs", "Write *upstreams, or a parameter for each output.")

#: What a wrong rule makes of the upstream gradients.
SPLIT = {
    exchanged: lambda x, k, start, rest: np.concatenate([rest, start]),
    one_output: lambda x, k, start, rest: np.concatenate([start, 0 * rest]),
    ones: lambda x, k, start, rest: 0 * x + 1,
    input_itself: lambda x, k, start, rest: x,
    one_sum: lambda x, k, start, rest: 0 * x + start.sum() + rest.sum(),
}
#: What the message of the engine holds when a rule cannot be used.
UNUSABLE = {
    "returned 1 gradient": no_place_for_k,
    "takes 1": one_upstream,
}


def upstreams_of(x, k, start, rest):
    """The inputs as arrays, with 0 for the upstream gradient of an output that is not used."""
    x, zeros = np.array(x), np.zeros(len(x))
    return x, k, np.array(zeros[:k] if start is None else start), np.array(zeros[k:] if rest is None else rest)


def gradient_of_split(split, x, k, start, rest):
    x = mg.constant(np.array(x))
    parts = split(x, k)
    used = {"start": start, "rest": rest}
    ys = [parts[key] for key, seed in used.items() if seed is not None]
    seeds = [mg.constant(np.array(seed, dtype=float)) for seed in used.values() if seed is not None]
    return mg.gradients(ys, x, grad_ys=seeds)[0]


def without_rule(function, *inputs):
    """The mistake of a function that is not decorated."""
    returned = function(*inputs)
    pair = isinstance(returned, tuple) and len(returned) == 2 and callable(returned[1])
    return mistake.no_decorator if pair else mistake.no_rule


def parts_of_split(split, x, k):
    """What is wrong with the parts; None if nothing is."""
    parts = split(mg.constant(np.array(x)), k)
    for key, want in (("start", x[:k]), ("rest", x[k:])):
        got = parts.get(key) if isinstance(parts, dict) else None
        if not isinstance(got, mg.Tensor) or not np.array_equal(got, want):
            got = text(got) if isinstance(got, mg.Tensor) else repr(got)
            return f"x = {text(x)}, k = {k}: {key!r} is {got}. It should be {text(want)}."
    return None


def gradients_of_rule(split, x, k, start, rest):
    """What the rule returns for x and for k."""
    x, k, start, rest = upstreams_of(x, k, start, rest)
    returned = split.__wrapped__(mg.constant(x), k)[1](mg.constant(rest), mg.constant(start))
    return [returned["x"], returned["k"]] if isinstance(returned, dict) else list(returned)


def split_right(split, x, k, start, rest):
    where = f"x = {text(x)}, k = {k}, upstream {start} for start and {rest} for rest"
    true = np.concatenate(upstreams_of(x, k, start, rest)[2:])
    if not hasattr(split, "__wrapped__"):
        return without_rule(split, mg.constant(np.array(x)), k)
    if wrong_part := parts_of_split(split, x, k):
        return wrong_part
    try:
        got = gradient_of_split(split, x, k, start, rest)
        of_k = gradients_of_rule(split, x, k, start, rest)[-1]
    except (TypeError, ValueError) as error:
        named = next((named for piece, named in UNUSABLE.items() if piece in str(error)), None)
        if named is None and "the gradient for input x has shape" in str(error):
            first = gradients_of_rule(split, x, k, start, rest)[0]
            named = not_joined if any(np.array_equal(first, part) for part in (start, rest)) else None
        if named is None:
            raise
        return mistake(named.name, f"{error}. {named.says}")
    if of_k is not None:
        words = f"{where}: for k the rule returns {of_k!r}. k is a number of entries and has no gradient: return None."
        return mistake("a gradient where None is asked for", words)
    if got is None:
        return f"{where}: the gradient is None. It should be {text(true)}."
    got = got.numpy()
    if got.shape == true.shape and np.allclose(got, true):
        return True
    words = f"{where}: the gradient is {text(got)}. It should be {text(true)}."
    mine = lambda *given: text(gradient_of_split(split, *given).numpy())
    wrong = {named: lambda *given, rule=rule: text(rule(*upstreams_of(*given))) for named, rule in SPLIT.items()}
    return taken_for(wrong, mine, SPLITS, words)


@exercise("split", points=2, function="split(x, k, start, rest)")
def split(c):
    c.property(
        "each entry of x gets the upstream gradient of its place",
        split_right,
        vary=(),
        points=SPLITS,
    )


only_by_position = mistake(
    "only grad(upstream) works", "PyTorch's backend calls grad(x, upstream=...): take *args as well."
)
only_by_name = mistake(
    "only grad(x, upstream=...) works", "Called as grad(upstream), it finds the upstream in args: None is the default."
)
first_of_args = mistake(
    "the first of args in both ways",
    "Called as grad(x, upstream=...), args is the input x, and upstream comes by name.",
)
all_of_args = mistake("args as a whole", "args is a tuple of one entry: take that entry out of it.")
default_of_1 = mistake(
    "1 where upstream is missing", "Called as grad(upstream), the upstream gradient is in args. Take it from there."
)
zero_is_missing = mistake(
    "0 taken for missing", "An upstream gradient of 0 is a number. Compare with None: upstream is None."
)
overflowed = mistake("a number on the way is not finite", "e is inf at 100, and inf / inf is nan. Use 1 - 1 / (1 + e).")


def slope(x):
    return 1 / (1 + np.exp(-x))


#: What a wrong rule returns when it is called as grad(upstream), and as grad(x, upstream=upstream).
PORTABLE = {
    first_of_args: (lambda x, u: u * slope(x), lambda x, u: x * slope(x)),
    default_of_1: (lambda x, u: slope(x), lambda x, u: u * slope(x)),
    zero_is_missing: (lambda x, u: u * slope(x), lambda x, u: (u or x) * slope(x)),
    mistake.no_upstream: (lambda x, u: slope(x), lambda x, u: slope(x)),
    mistake.upstream_twice: (lambda x, u: u * u * slope(x), lambda x, u: u * u * slope(x)),
    mistake.no_local: (lambda x, u: u, lambda x, u: u),
    overflowed: (lambda x, u: u * slope(x) if x < 80 else np.nan, lambda x, u: u * slope(x) if x < 80 else np.nan),
}
CALLS = [(0.0, 1.0), (0.0, 3.0), (2.0, -2.0), (2.0, 0.0), (100.0, 1.0)]


def by_position(rule, x, upstream):
    return rule(mg.constant(upstream))


def by_name(rule, x, upstream):
    return rule(mg.constant(x), upstream=mg.constant(upstream))


def returned(call, portable, x, upstream):
    """The number that the rule returns, in four digits."""
    got = call(portable.__wrapped__(mg.constant(x))[1], x, upstream)
    return f"{alone(got).item() + 0.0:.4g}"


def alone(got):
    return got[0] if isinstance(got, (tuple, list)) and len(got) == 1 else got


def both_ways(portable, x, upstream):
    """The rule, called as grad(upstream) and as grad(x, upstream=upstream)."""
    if not hasattr(portable, "__wrapped__"):
        return without_rule(portable, mg.constant(x))
    portable(mg.constant(x))  # raises an error in words where no pair is returned
    value, rule = portable.__wrapped__(mg.constant(x))
    if not isinstance(value, mg.Tensor):
        return f"x = {x:g}: the value is {value!r}. It should be a Tensor."
    with np.errstate(over="ignore"):
        expected = np.log(1 + np.exp(np.float32(x)))
    if not np.isclose(value.item(), [expected, np.logaddexp(0, x)], rtol=1e-5).any():  # a stable formula has no inf
        return f"x = {x:g}: the value is {value.item():g}. It should be {expected:g}."
    true = upstream * slope(x)
    for form, call, needs in (
        ("grad(upstream)", by_position, only_by_name),
        ("grad(x, upstream=upstream)", by_name, only_by_position),
    ):
        where = f"x = {x:g}, upstream = {upstream:g}, called as {form}"
        try:
            got = alone(call(rule, x, upstream))
        except TypeError as error:
            if "argument" not in str(error):
                raise
            words = f"{where}: it stopped with TypeError: {error}."
            other = by_position if call is by_name else by_name
            with contextlib.suppress(Exception):
                if np.isclose(alone(other(rule, x, upstream)).item(), true, rtol=1e-5):
                    return mistake(needs.name, f"{words} {needs.says}")
            return words
        if not isinstance(got, mg.Tensor) or got.shape != ():
            words = f"{where}: the result is {got!r}. It should be one number."
            whole = isinstance(got, mg.Tensor) and got.shape == (1,)
            return mistake(all_of_args.name, f"{words} {all_of_args.says}") if whole else words
        if not np.isclose(got.item(), true, rtol=1e-5):
            return named_call(portable, f"{where}: {got.item():g}. It should be {true:g}.")
    return True


def named_call(portable, words):
    """The words, as the mistake that gives what the rule gives when it is called in both ways."""
    mine = lambda *given: [returned(call, portable, *given) for call in (by_position, by_name)]
    wrong = {
        named: lambda *given, ways=ways: [f"{way(*given) + 0.0:.4g}" for way in ways]
        for named, ways in PORTABLE.items()
    }
    return taken_for(wrong, mine, CALLS, words)


@exercise("portable", points=2, function="portable(x, upstream)")
def portable(c):
    c.property(
        "the gradient, whichever way the rule is called",
        both_ways,
        vary=(),
        points=CALLS,
    )
