"""The rule of one box: the pass that continues with it equals the pass of a program whose op has the rule."""

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.core.graph import ancestors
from tests.helpers.node import TAPE, run_js
from tests.helpers.op_samples import NAMED, arrays, function
from tests.helpers.written_functions import Written

FILES = (*TAPE, "numbers", "measured", "rule", "boxrule", "tried")
#: Rules for a number; {a} is the argument, {y} the result of the box.
TEXTS = ["upstream * 2", "upstream * {a} + {y}", "-upstream", "{a} * {a} + 1", "where({a} > 0, upstream, 0)", "0 * {a}"]
LOOK = """
const { lane, rule, texts } = data, run = tape(lane.drag.code);
run.run();
const tried = triedOf({ lane, run, rule });
return lane.drag.steps.filter((s) => !s[1]).map(([n]) => n).filter((n) => tried.aimed(n)).map((n) => {
  tried.aimed(n);
  const opens = tried.inputs.map(({ text, derived }) => [text, derived]), names = Object.keys(tried.names);
  const y = names[names.length - 1];
  tried.read(opens.map(([text]) => text));
  const first = tried.ends();
  const text = (name, i) => texts[(n + i) % texts.length].replaceAll("{a}", name).replaceAll("{y}", y);
  let rules = tried.inputs.map(({ name }, i) => text(name, i));
  if (!tried.read(rules)) tried.read((rules = tried.inputs.map(({ name }) => `0 * ${name} + 2`)));
  const entry = tried.entries[0];
  tried.changed(entry);
  const { found, here } = tried.looked(entry, tried.span(entry));
  const inputs = tried.inputs.map(({ name, box }) => [name, box]);
  return { n, y, rules, opens, first, inputs, ends: tried.ends(), python: tried.python(), found, here };
});
"""
NUMPY = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh, "sin": np.sin, "cos": np.cos, "abs": np.abs,
    "sign": np.sign, "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "where": np.where,
    "maximum": np.maximum, "minimum": np.minimum,
}  # fmt: skip


def drawn(f, *args, **inputs):
    with np.errstate(all="ignore"):
        return viz.backward(f, *args, mode="rule", **inputs)


def tried(view):
    """The page's data for each box of the view, with rules of `TEXTS`."""
    data, _ = view.data()
    lane = data["lanes"][0]
    if "drag" not in lane or "inputs" not in view.rule:
        return []
    return run_js(FILES, LOOK, {"lane": lane, "rule": view.rule, "texts": TEXTS})


def numbers(end):
    """The value of an end as numbers, of an array up to 64."""
    return np.array([float(v) for v in (end["sample"] if isinstance(end, dict) else [end])])


class Program:
    """The graph behind a view, in which a box sends other messages: by linearity, what its rule adds on each way."""

    def __init__(self, view):
        self.y = view.followed[0].y
        self.tensors = {view.trace.node_of.get(t.serial): t for t in ancestors([self.y])}

    def sent(self, found):
        """What arrives at each input with the rules of a box, and how large the terms of that sum are."""
        box = self.tensors[found["n"]]
        parents = [self.tensors[n] for _, n in found["inputs"]]
        upstream = mg.gradients(self.y, [box])[0]
        space = {**NUMPY, "upstream": upstream.value, found["y"]: box.value}
        space |= {name: parent.value for (name, _), parent in zip(found["inputs"], parents)}
        derived = mg.gradients(box, parents, upstream, stop_gradients=parents)
        for end in found["ends"]:
            x = self.tensors[end["node"]]
            total = self.gradient(self.y, x, None)
            size = np.max(np.abs(total))
            for parent, text, was in zip(parents, found["rules"], derived):
                rule = np.asarray(eval(text, {"__builtins__": {}}, space), parent.dtype)
                for message, sign in [(rule, 1), (was.value, -1)]:
                    part = self.gradient(parent, x, mg.constant(np.broadcast_to(message, parent.shape), parent.dtype))
                    total, size = total + sign * part, max(size, np.max(np.abs(part)))
            yield end, total, size

    def gradient(self, y, x, upstream):
        if y is x:
            return np.asarray(upstream.value, np.float64)
        (found,) = mg.gradients(y, [x], upstream)
        return np.zeros(x.shape) if found is None else np.asarray(found.value, np.float64)


def agree(view):
    """Hold each box of a view against the program; returns how many rules were compared."""
    program, compared = Program(view), 0
    with np.errstate(all="ignore"):
        for found in tried(view):
            for end, want, size in program.sent(found):
                if not np.isfinite(size):
                    continue
                got = numbers(end["sent"])
                assert np.allclose(got, np.ravel(want)[:64], rtol=2e-4, atol=2e-5 * max(size, 1e-6), equal_nan=True), (
                    found,
                    end,
                    want,
                )
                compared += 1
    return compared


GROUP, GROUPS = 5, 30
SAMPLED = 4  #: of so many samples of an op one is copied


@pytest.mark.parametrize("group", range(GROUPS))
def test_of_random_functions_the_pass_goes_on_as_that_of_a_program_with_the_rule(group):
    compared = 0
    for seed in range(group * GROUP, (group + 1) * GROUP):
        case = Written(seed)
        compared += agree(drawn(case.f, **case.arguments))
    assert compared


def network(x, w, b):
    h = mg.tanh(mg.matmul(x, w) + b)
    return mg.sum(h * h * h, axis=0)


def attention(q, k, v):
    return mg.matmul(mg.softmax(mg.matmul(q, mg.transpose(k))), v)


def pieces(x):
    return mg.mean(mg.concat([x[:2] * 2, mg.exp(x[1:])], axis=0)) + mg.logsumexp(x) * mg.max(x)


ARRAYS = [
    (network, [(2, 3), (3, 2), (2,)]),
    (attention, [(2, 3), (4, 3), (4, 2)]),
    (pieces, [(3,)]),
    (lambda a, b: a * b + a * a / b, [(2, 1), (1, 3)]),
]


@pytest.mark.parametrize("f, shapes", ARRAYS, ids=["network", "attention", "pieces", "rows and columns"])
def test_of_arrays_too(f, shapes):
    rng = np.random.default_rng(3)
    assert agree(drawn(f, *(rng.uniform(0.5, 2, shape).astype(np.float32) for shape in shapes))) >= len(shapes)


def test_with_the_rule_that_a_field_opens_with_where_it_is_the_derived_one_nothing_changes():
    derived = 0
    for seed in range(60):
        for found in tried(drawn(Written(seed).f, **Written(seed).arguments)):
            if all(one for _, one in found["opens"]):
                derived += 1
                for end in found["first"]:
                    got, want = numbers(end["sent"]), numbers(end["derived"])
                    assert np.allclose(got, want, rtol=2e-5, equal_nan=True), (found["opens"], end)
    assert derived > 60


def copies(view):
    """How many copied boxes have the value of their op, and send what their rules say; others say what to write."""
    program, copied = Program(view), 0
    for found in tried(view):
        if "..." in found["python"].partition("# In the")[0]:
            continue
        space = {}
        exec(found["python"], space)
        with_rule = next(v for k, v in space.items() if k.endswith("_with_rule"))
        box = program.tensors[found["n"]]
        values = [mg.constant(program.tensors[n].value) for _, n in found["inputs"]]
        y = with_rule(*values)
        assert y.shape == box.shape and np.array_equal(y.value, box.value, equal_nan=True), found["python"]
        names = {**NUMPY, "upstream": np.ones(box.shape, box.dtype), found["y"]: box.value}
        names |= {name: x.value for (name, _), x in zip(found["inputs"], values)}
        for text, got in zip(found["rules"], mg.gradients(y, values)):
            with np.errstate(all="ignore"):
                want = eval(text, {"__builtins__": {}}, names)
            assert np.allclose(got.value, want, rtol=1e-5, equal_nan=True), found["python"]
        copied += 1
    return copied


def test_a_copied_box_has_the_value_of_the_op_and_sends_what_the_rule_says():
    copied = 0
    for op, sample in [*NAMED.values()][::SAMPLED]:
        names = ", ".join(f"x{i}" for i in range(len(arrays(sample))))
        space = {"of_op": function(op, sample)}
        exec(f"def f({names}): return of_op({names})", space)
        if isinstance(y := space["f"](*map(mg.constant, arrays(sample))), mg.Tensor) and y.dtype.kind == "f":
            copied += copies(drawn(space["f"], *map(np.float32, arrays(sample))))
    assert copied > 300 / SAMPLED


def softplus(x):
    e = mg.exp(x)
    return mg.log(1 + e)


def test_the_verdict_is_that_of_the_whole_function():
    by_box = {found["y"]: found for found in tried(drawn(softplus, 1.0))}
    e = by_box["e"]
    assert e["rules"] == ["upstream * x + e"] and e["here"]["mine"] == pytest.approx(2.71828 + 0.268941, rel=1e-6)
    assert e["found"]["words"].startswith("Wrong at x = 1")


def test_a_copied_op_in_a_second_version_of_the_function_is_judged_in_python():
    f = lambda x: mg.exp(x) * 3.0
    data, _ = drawn(f, 1.0).data()
    job = {"lane": data["lanes"][0], "rule": drawn(f, 1.0).rule, "texts": ["upstream * 2"]}
    space = {}
    exec(next(box["python"] for box in run_js(FILES, LOOK, job) if "exp_with_rule" in box["python"]), space)
    words = viz.compare(f, lambda x: space["exp_with_rule"](x) * 3.0, 1.0).rows[0].verdict
    assert words == "first is right, not second's 6"  # 3 * 2
