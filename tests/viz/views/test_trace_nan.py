"""viz.trace_nan: where, why, along which path, and what to write instead."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz


def soft(x, w):
    return mg.log(1 + mg.exp(x * w))


def test_a_nan_of_the_backward_pass_is_traced_to_each_input():
    found = viz.trace_nan(soft, x=100.0, w=1.0)
    assert found and (found.phase, found.word, found.kind, found.op) == ("backward", "nan", "0 * inf", "exp")
    assert set(found.paths) == {("exp", "multiply", "x"), ("exp", "multiply", "w")}
    assert found.line.text == "return mg.log(1 + mg.exp(x * w))"
    rows = found.report.repair.table()
    assert "softplus" in rows and rows in str(found)


def test_the_picture_opens_at_the_birth_with_the_path_marked():
    found = viz.trace_nan(soft, x=100.0, w=1.0)
    marked = re.findall(r"<g class='n ([^']*\bway[^']*)' data-n='(\d+)'", found.to_svg())
    named = {found.trace.nodes[int(n)].name or found.trace.nodes[int(n)].op for _, n in marked}
    assert named == {"exp", "multiply", "x", "w"}
    assert len(re.findall(r"<path class='e [^']*\bway", found.to_svg())) >= 2  # the line to a pill is short
    assert found._lanes[0].moments[found.data()[1]].words.count("nan first appears here")


def test_the_point_comes_first_then_what_happened_then_what_to_write_then_the_table():
    found = viz.trace_nan(soft, x=100.0, w=1.0)
    point = "A nan first appears at exp: the gradient 0 meets the slope inf, and 0 × inf = nan. It reaches x and w."
    first = "nan in the gradients of x, w; the value is inf."
    order = [
        point,
        first,
        "nan first appears in the backward pass (0 * inf)",
        "softplus",
        "after",
        "Path: exp -> ",
        "step  op",
    ]
    for text in (str(found), found._repr_mimebundle_()["text/plain"]):
        assert text.startswith(point) and [*sorted(order, key=text.index)] == order
    assert "Path: exp -> multiply -> x" in str(found)
    html = found.to_html()
    assert f'alt="{first}' in html
    below = html[html.index("<img") :]
    assert below.index(f"<b>{first}") < below.index('<code class="mg-new">') < below.index("<dt>after</dt>")


def test_a_nan_of_the_forward_pass_is_followed_to_the_output():
    x = mg.constant(-1.0)
    found = viz.trace_nan(mg.sqrt(x) * 2.0 + 1.0)
    assert found.phase == "forward" and found.op == "sqrt" and found.paths == (("add", "multiply", "sqrt"),)


def test_a_nan_of_the_forward_pass_names_the_number_and_the_domain_that_it_left():
    first, why, *_ = viz.trace_nan(lambda x: mg.sqrt(x) * 2.0, x=-1.0).report.sentences()
    assert first == "nan in the value and the gradient of x."
    assert "sqrt(-1) is nan: -1 is outside the domain of sqrt" in why


def test_without_a_nan_it_is_false_and_says_so():
    found = viz.trace_nan(lambda x: x * x, x=3.0)
    assert not found and str(found).startswith("Every value and every gradient is finite.\n\nstep  op ")
    assert found.data()[0]["point"] == "Every value and every gradient is finite."


def test_a_masked_branch_is_told_with_the_names_where_it_is_called():
    price = mg.constant([0.0, 1.0])
    loss = mg.sum(mg.where(price > 0, mg.log(price), 0.0))
    found = viz.trace_nan(loss)
    assert found.kind == "masked branch" and found.reaches == ("price",)


def test_it_stays_open_in_a_large_graph():
    def deep(x):
        for _ in range(300):
            x = mg.sin(x) + 0.01
        return mg.sqrt(x - x) * mg.exp(x)

    found = viz.trace_nan(deep, x=1.0)
    assert found and len(found.to_svg()) < 50_000
    assert "isbad" in found.to_svg()


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda: viz.trace_nan(3.0), r"trace_nan takes a Tensor.*viz\.trace_nan\(y\)"),
        (lambda: viz.trace_nan(lambda x: None, x=1.0), "trace_nan: <lambda> must return a Tensor, got None"),
        (lambda: viz.trace_nan(np.ones(3)), "got array"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(wrong, words):
    with pytest.raises(TypeError, match=words):
        wrong()


def test_the_text_of_a_backward_pass_has_the_cause_as_the_page_has_it():
    view = viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=100.0)
    first, *_ = view.report.sentences()
    assert view.to_text().startswith(f"{view.point}\n\n{first}\nnan first appears in the backward pass")
    assert view.report.repair.table() in view.to_text()
    assert view.report.sentence in view.to_text()
    found = viz.trace_nan(lambda x: mg.log(1 + mg.exp(x)), x=100.0)
    assert found.to_text().count(found.report.sentence) == 1
    finite = viz.backward(lambda x: x * x, x=100.0)
    assert finite.to_text().startswith(f"{finite.point}\n\nstep  op ")
