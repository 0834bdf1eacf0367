"""The language of a rule: it computes what minigrad computes, and an error names the place."""

import numpy as np
import pytest

import minigrad as mg
from tests.helpers.node import TAPE, run_js, words
from tests.helpers.written_rules import spoilt, written
from viz.rule.explained import doubt
from viz.rule.grammar import Rule

SCALAR = {"x": [], "w": [], "upstream": []}
ARRAY = {"x": [3], "w": [], "upstream": [3]}
LETTERS = {"float32": "f", "float64": "d", "float16": "e"}
READ = """
return data.map(({ text, names, start }) => {
  const rule = new ruling.Rule(text, Object.assign(Object.create(null), names), start);
  return rule.error ? [rule.error, rule.at] : [rule.rows, rule.value.cell, rule.python()];
});
"""
RUN = """
return data.map(({ code, settings }) => {
  const t = tape(code);
  return settings.map((setting) => {
    setting.forEach((values, k) => t.cells[k].set(values.map(numeric)));
    t.run();
    return t.cells.map((cell) => [...cell]);
  });
});
"""


def names_of(shapes, dtype):
    known = {
        name: {"cell": k, "type": LETTERS[dtype], "shape": shape} for k, (name, shape) in enumerate(shapes.items())
    }
    return {**known, "e": {"text": "exp(x)"}}


def read(text, names, start=3):
    rule = Rule(text, names, start)
    return [rule.error, rule.at] if rule.error else [rule.rows, rule.value["cell"], rule.python()]


def asked(texts, names):
    return [{"text": text, "names": names, "start": 3} for text in texts]


def texts(count, seed, names=("x", "w", "upstream", "e")):
    rng = np.random.default_rng(seed)
    return [written(rng, names) for _ in range(count)]


@pytest.mark.parametrize("shapes", [SCALAR, ARRAY], ids=["numbers", "arrays"])
def test_the_page_reads_a_text_as_python_does(shapes):
    names, rng = names_of(shapes, "float32"), np.random.default_rng(1)
    some = texts(200, 0) + [spoilt(rng, ["x", "w", "upstream"]) for _ in range(200)]
    for text, page in zip(some, run_js(["numbers", "rule"], READ, asked(some, names))):
        assert rounded(page) == rounded(read(text, names)), text


def rounded(found):
    """The result without the last digit of numbers computed from numbers: JavaScript's powers differ in it."""
    if isinstance(found, list):
        return [*map(rounded, found)]
    return float(f"{found:.14g}") if isinstance(found, float) else found


SETTINGS = [(0.0, 1.0, 1.0), (1.5, -2.0, 1.0), (-20.0, 0.5, 2.0), (100.0, 3.0, -1.0), (-0.3, 0.0, 1.0)]


def units_off(got, want, dtype):
    """By how many units in the last place two numbers differ; 0 if both are nan, or equal."""
    if got == want or (got != got and want != want):
        return 0.0
    return abs(got - want) / float(np.spacing(np.asarray(abs(want), dtype))) if np.isfinite(got - want) else np.inf


def single(rule):
    """The rounding of float32 where a rule has functions of numbers alone, which minigrad computes in it."""
    return float(np.finfo(np.float32).eps) * any(row[:2] == ["is", "f"] for row in rule.rows)


def in_minigrad(text, setting, shapes, dtype):
    tensors = {}
    for (name, shape), v in zip(shapes.items(), setting):
        tensors[name] = mg.constant(np.full(shape, v, dtype) if not shape else (np.arange(3) * 0.37 + v).astype(dtype))
    with np.errstate(all="ignore"):
        tensors["e"] = mg.exp(tensors["x"])
        y = eval(text, {"mg": mg, **tensors})
    return np.ravel(y.value if isinstance(y, mg.Tensor) else y), [np.ravel(tensors[name].value) for name in shapes]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shapes", [SCALAR, ARRAY], ids=["numbers", "arrays"])
def test_two_hundred_rules_have_on_the_page_the_values_that_minigrad_computes(shapes, dtype, sampled):
    names, jobs, wanted, eps = names_of(shapes, dtype), [], [], float(np.finfo(dtype).eps)
    rules = [rule for text in sampled(texts(260, 2), 40) if not (rule := Rule(text, names, 3)).error]
    for rule in rules[:200]:
        results = [in_minigrad(rule.python(), setting, shapes, dtype) for setting in SETTINGS]
        given = [["in", LETTERS[dtype], [0.0] * max(1, sum(shape))] for shape in shapes.values()]
        settings = [[words(v) for v in inputs] for _, inputs in results]
        jobs.append({"code": [*given, *rule.rows], "settings": settings})
        wanted.append([y for y, _ in results])
    assert len(jobs) >= min(200, 0.7 * len(rules))
    off = []
    for rule, ys, page in zip(rules, wanted, run_js(TAPE, RUN, jobs)):
        for want, cells in zip(ys, page):
            cells = [np.array([float(v) for v in cell]) for cell in cells]
            for k, v in enumerate(want.astype(float)):
                got = float(cells[rule.value["cell"]][k if rule.value["shape"] else 0])
                units = units_off(got, v, dtype)
                # Functions may differ by a unit, which what follows makes larger.
                assert units <= 1 or abs(got - v) <= 4 * doubt(rule, cells, k, max(eps, single(rule))), rule.text
                off.append(units)
    assert np.mean(np.array(off) <= 1) > 0.97
