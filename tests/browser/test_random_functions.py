"""Random functions with random rules on one page of Chromium, next to Python, float64 and exact slopes.

MINIGRAD_RANDOM_PROGRAMS is the number of functions (default 60): 200 take about 45 seconds of a processor.
"""

import os

import numpy as np
import pytest

from tests.helpers.node import in_page
from tests.viz.rule.test_page_numbers import UNITS, compared_rows, gradient, nearby, units
from tests.viz.rule.test_tried import FILES, GROUP, LOOK, Oracle, Written, compared, skeleton, texts_of

pytestmark = pytest.mark.browser

RULES = 5
MANY = int(os.environ.get("MINIGRAD_RANDOM_PROGRAMS", "60"))
#: The value and the gradients that the page computes for each function, and its verdict on each rule.
NUMBERS = """
const judged = ((data) => {%s})(data);
return data.map(({ lane: { drag, cards } }, i) => {
  const run = tape(drag.code), of = (n) => drag.steps.find((s) => s[0] === n && !s[1])?.[2];
  run.run();
  const name = (n) => cards[n]?.name ?? drag.names[n];
  const gradients = Object.fromEntries(drag.inputs.map(([n]) => [name(n), [...(run.cells[of(n)] ?? [])]]));
  return { value: [...run.cells[drag.nodes[drag.steps[0][0]]]], gradients, verdicts: judged[i] };
});
"""


class Compared:
    """A random function with its picture and rules to try."""

    def __init__(self, seed):
        self.case = Written(seed, several=seed % GROUP > 2)
        self.view = compared(self.case.f, several=len(self.case.results) > 1, **self.case.arguments)
        lane = self.view.data()[0]["lanes"][0]
        self.follows = "cannot" not in self.view.rule and "drag" in lane
        self.texts = texts_of(self.case, self.view, RULES) if self.follows else []
        self.job = {"lane": lane, "rule": self.view.rule, "texts": self.texts, "number": 0}

    def wrong(self, page):
        """What the page says that Python, float64 or the exact slopes contradict; and how many rules were judged."""
        tried, wrong = self.view.tried(), []
        wrong += [f"the value {page['value']}"] * (not self.same_value(tried, page["value"]))
        for i, name in enumerate(tried.names):
            numbers = page["gradients"].get(name, [])
            wrong += [f"the gradient of {name}: {numbers}"] * (not same_gradient(tried, i, numbers))
        for k, (texts, found) in enumerate(zip(self.texts, page["verdicts"])):
            ruled = {name: texts[name] for name in tried.ruled}
            try:
                said = tried.verdict(ruled)["words"]
            except ValueError:
                said = None
            unknown = any("there is no" in words for words in found.get("refused", ()))  # Python knows more ops
            if unknown if said else "refused" not in found:
                wrong.append(f"{ruled} is refused by one alone")
            if said is None or "refused" in found:
                continue
            if "if x > 0" not in self.case.source and skeleton(said) != skeleton(found["words"]):
                wrong.append(f"{ruled}: the page says {found['words']} and Python {said}")
            try:
                compared_rows(tried, texts, [found["here"], *found["rows"][::60]], self.case.source)
                if k < 2:
                    Oracle(self.case, self.view, texts).check(found)
            except AssertionError as error:
                wrong.append(f"{ruled}: {error}")
        return [f"{self.case.source}\n{words}" for words in wrong]

    def same_value(self, tried, page):
        y = np.sum([np.sum(y) for y in tried.ys]) if len(tried.ys) > 1 else tried.ys[0]
        dtype = np.result_type(*tried.ys)
        return all(units(a, b, dtype) <= UNITS * max(1, len(tried.ys)) for a, b in zip(page, np.ravel(y), strict=True))


def same_gradient(tried, i, page):
    """Whether a page has Python's gradients: each within two units of the truth, or of what two of the input change."""
    value, dtype = tried.inputs.values[i], tried.dtypes[i]
    for k, index in enumerate(np.ndindex(*value.shape)):
        near = [gradient(tried, i, index, x) for x in nearby(float(value[index]), dtype)]
        off = 4 * np.nanmax(np.abs(np.array(near) - near[0])) if np.isfinite(near[0]) else 0.0
        found = float(page[k]) if page else 0.0
        if units(found, near[0], dtype) > 2 * UNITS and not abs(found - near[0]) <= off:
            return False
    return True


@np.errstate(all="ignore")
def disagreements(page, seeds):
    """What is wrong on the page, for each function; and the number of rules that were compared."""
    all_of = [one for one in map(Compared, seeds) if one.follows]
    found = in_page(page, FILES, NUMBERS % LOOK, [one.job for one in all_of])
    return [words for one, numbers in zip(all_of, found) for words in one.wrong(numbers)], RULES * len(all_of)


@pytest.mark.smoke
def test_a_few_random_functions_with_rules_are_on_the_page_what_they_are_in_python(page):
    wrong, judged = disagreements(page, range(0, 40, 7))
    assert judged >= 20 and wrong == []


@pytest.mark.slow
def test_random_functions_with_rules_are_on_the_page_what_they_are_in_python(page):
    wrong, judged = disagreements(page, range(1000, 1000 + MANY))
    print(f"{judged} rules of {MANY} functions, {len(wrong)} disagreements")
    assert judged >= 3 * MANY and wrong == []
