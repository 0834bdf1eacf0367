"""The numbers of a page next to Python's, entry by entry: gradients and rules of random functions."""

import numpy as np

from tests.helpers.written_functions import Written
from tests.viz.rule.test_tried import GROUP, compared, looked, texts_of
from viz.rule.explained import doubt

UNITS = 2  #: units in the last place by which numbers may differ
SINGLE = 2.0**-23


def units(a, b, dtype):
    """How many units in the last place of a dtype two numbers are apart."""
    a, b = (np.asarray(v, dtype)[()] for v in (a, b))
    if a == b or (np.isnan(a) and np.isnan(b)):
        return 0.0
    return abs(float(a) - float(b)) / float(np.spacing(max(abs(a), abs(b)))) if np.isfinite([a, b]).all() else np.inf


@np.errstate(all="ignore")
def test_a_page_and_python_have_the_same_numbers(sampled):
    """If they differ by more than two units, rounding in the rule or near the input explains the difference."""
    seen = 0
    for seed in sampled(range(0, 220, 6), 8):
        case = Written(seed, several=seed % GROUP > 2)
        view = compared(case.f, several=len(case.results) > 1, **case.arguments)
        if "cannot" in view.rule:
            continue
        texts = texts_of(case, view, 5)
        for one, page in zip(texts, looked(view, texts) or ()):
            if "refused" not in page:
                seen += compared_rows(view.tried(), one, [page["here"], *page["rows"][::24]], case.source)
    assert seen > 200


def compared_rows(tried, texts, rows, source):
    """Compare the samples of a page with Python; return how many numbers were compared."""
    rules = tried.rules({name: texts[name] for name in tried.ruled})
    i, dtype = tried.names.index(tried.ruled[0]), tried.dtypes[tried.names.index(tried.ruled[0])]
    rule, index = rules[i], (0,) * tried.inputs.values[i].ndim
    for row in (row for row in rows if row["state"] != "edge"):
        x = float(row["x"])
        narrow, wide = (tried.cells(rule, i, index, x, 1.0, double) for double in (False, True))
        mine = narrow[rule.value["cell"]][0].astype(dtype)
        derived = [gradient(tried, i, index, v) for v in nearby(x, dtype)]
        about = (source, texts, x, row["mine"], mine, row["derived"], derived[0])
        if units(row["mine"], mine, dtype) > UNITS and not of_zeros(row["mine"], mine, str(texts)):
            # The constants of a rule are single, also where its inputs are double.
            assert abs(float(row["mine"]) - float(mine)) <= 2 * doubt(rule, wide, 0, SINGLE), about
        if units(row["derived"], derived[0], dtype) > UNITS:
            spread = np.nanmax(np.abs(np.array(derived) - derived[0]))
            assert abs(float(row["derived"]) - derived[0]) <= 4 * spread, about
    return 2 * len(rows)


def of_zeros(a, b, text):
    """Whether two infs differ in their sign because maximum or minimum takes 0 or -0, as the processor does."""
    return bool(np.isinf([a, b]).all()) and ("maximum" in text or "minimum" in text)


def test_inf_is_not_the_other_inf():
    assert units(np.inf, -np.inf, np.float32) > UNITS and units(np.inf, np.inf, np.float32) == 0
    assert not of_zeros(np.inf, -np.inf, "1 / x") and of_zeros(np.inf, -np.inf, "1 / maximum(x, 0)")


def nearby(x, dtype):
    """A number, and those up to two units in the last place from it."""
    unit = float(np.spacing(np.asarray(x, dtype)))
    return [x + k * unit for k in (0, -2, -1, 1, 2)]


def gradient(tried, i, index, x):
    found = tried.call.gradient(tried.tensors(tried.at(i, index, x)), i, 1.0)
    return 0.0 if found is None else float(found[index])
