"""The sentence on a gradient after inputs were changed: true at the numbers in view, with the sum over the uses."""

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import minigrad as mg
import viz
from tests.helpers.random_programs import numeric_gradient, programs
from tests.viz.sentences.test_point import check
from viz.hosts.html import page as html_page
from viz.render.markup import joined

pytestmark = pytest.mark.browser

#: Changes the inputs of each view to each of its points, and returns the sentences; "" if the picture does not follow.
PUT = """
(points) => [...document.querySelectorAll(".mg-view[role=group]")].map((el, i) => points[i].map((point) => {
  const followed = Object.entries(point).map(([name, v]) => el.put(name, v)).at(-1);
  return followed ? el.querySelector(".mg-say").innerText : "";
}))
"""
NUMBERS = st.floats(-3, 3, width=32).map(lambda x: round(x, 2))


def said(page, path, views, points):
    """The sentences of several views on one page after their inputs were changed."""
    html = html_page(joined([view._html(view._image(view._figures()), "") for view in views]), "views")
    path.write_text(str(html), encoding="utf-8")
    page.goto(path.as_uri())
    page.wait_for_function(
        "n => document.querySelectorAll('.mg-view[role=group] .mg-bar').length === n", arg=len(views)
    )
    return page.evaluate(PUT, points)


def slopes_at(f, point):
    arrays = {name: np.array(x) for name, x in point.items()}
    value = float(f(*map(mg.constant, arrays.values())))
    return dict(zip(point, map(float, numeric_gradient(f, *arrays.values())))), value


@settings(
    max_examples=2, deadline=None, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_after_a_change_the_sentence_is_that_of_the_new_numbers(page, tmp_path, data):
    functions, points = [lambda a: a * a], [[{"a": x} for x in (3.0, 4.0, -0.5)]]
    for count in (1, 1, 2, 2, 2, 3, 3, 3):
        functions.append(data.draw(programs(inputs=count, most=8)))
        points.append([{name: data.draw(NUMBERS) for name in "abc"[:count]} for _ in range(4)])
    views = [
        viz.backward(lambda f=f, **xs: f(*xs.values()), **{name: np.float64(x) for name, x in first.items()})
        for f, (first, *_) in zip(functions, points)
    ]
    found = said(page, tmp_path / "views.html", views, [others for _, *others in points])
    assert [words.partition("sum: ")[2] for words in found[0]] == ["4 + 4 = 8.", "-0.5 - 0.5 = -1."]
    for f, (_, *others), sentences in zip(functions, points, found):
        for point, sentence in zip(others, sentences):
            slopes, value = slopes_at(f, point)
            if any(abs(slope) > 1e-3 for slope in slopes.values()):
                check(sentence.replace("The result is", "y =").replace("the result", "y"), slopes, value)
