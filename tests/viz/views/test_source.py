"""viz.source: the program beside the picture, and that each of its lines is linked with the right box and line."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given, settings

import minigrad as mg
import viz
from minigrad.tracing.trace_fields import number
from tests.helpers.line_by_line import states
from tests.helpers.random_shapes import cubed, shaped_arrays, shaped_programs, sum_and_gap
from tests.helpers.saved_outputs import unpack
from tests.viz.views.test_view import image_of, saved
from viz.render.code_rows import as_html, highlight


def layer(x, w, b):
    z = x @ w + b
    h = mg.tanh(z)
    return mg.mean(h * h)


LAYER = (np.ones((4, 3)), np.ones((3, 2)), np.zeros(2))


def line(view, text):
    """The row of the program that begins with `text`, and its place."""
    found = [(row, i) for i, row in enumerate(view.program.rows) if row.text.strip().startswith(text)]
    assert len(found) == 1, view.source.text
    return found[0]


def node(view, name):
    return next(n.id for n in view.trace.nodes if n.name == name and not n.ghost)


# The links are right.


def rows_in_another_order(x, b):
    """Products with one factor that lies in memory column by column: their sum depends on the order of its terms."""
    x_b = x + b
    return mg.sum((mg.tanh(x[..., [2, 2, 0]]) + 2.0) ** 1.5 * x_b)


def unused_output_in_another_order(x, b):
    """The output that nothing uses has zeros as its upstream gradient, which lie in memory as it does."""
    t = x[..., [2, 2, 0]]
    return mg.sum(mg.sigmoid(t) * sum_and_gap(b, t)[1])


ROWS = np.array([[0, 0, 0], [0, 0, 1.25]], np.float32)


@settings(max_examples=40)
@given(shaped_programs(), shaped_arrays())
@example(rows_in_another_order, [ROWS, np.float32(0)])
@example(unused_output_in_another_order, [ROWS, np.float32(0)])
@example(unused_output_in_another_order, [ROWS * 1.6, np.float32(0)])
def test_each_line_computes_what_stands_in_its_box_or_at_its_line_bit_for_bit(f, arrays):
    y = f(*map(mg.constant, arrays))
    view = viz.source(y)
    values = {n.id: n.value for n in view.trace.nodes}
    totals = {send.to: send.after for step in view.trace.steps for send in step.sends}
    found = view.trace.node_of
    for link, value in states(view.source):
        row = view.program.rows[link.lines[1] - 1]
        if link.nodes and not link.backward and link.name.isidentifier():
            assert number(value) in [values[n] for n in row.nodes]
        for serial in link.adjoints:
            assert found[serial] not in totals or number(value) == totals[found[serial]]


@settings(max_examples=30)
@given(shaped_programs(), shaped_arrays())
def test_every_box_is_found_again_by_birth(f, arrays):
    xs = [mg.constant(a) for a in arrays]
    y = f(*xs)
    trace = mg.backward_trace(y)
    found = trace.node_of
    assert {found[x.serial] for x in xs if x.serial in found} <= {n.id for n in trace.nodes if n.kind == "leaf"}
    assert found[y.serial] == next(n.id for n in trace.nodes if n.output)
    assert set(found.values()) == {n.id for n in trace.nodes if n.op != "const"}


def test_a_line_of_the_forward_pass_is_linked_with_its_node_and_one_of_the_backward_pass_with_its_message():
    view = viz.source(layer, *LAYER)
    h, z = node(view, "h"), node(view, "z")
    row, _ = line(view, "h = np.tanh(z)")
    assert row.nodes == (h,) and row.edges == ()
    row, _ = line(view, "d_z = ")
    edge = next(e for e in view.trace.edges if e.id in row.edges and e.dst == h)
    assert edge.src == z and h in row.nodes


def test_inputs_are_linked_with_the_head_and_with_the_lines_that_add_to_them():
    view = viz.source(lambda x: x * mg.sin(x), 2.0)
    x = node(view, "x")
    linked = [row.text.strip() for row in view.program.rows if x in row.nodes]
    assert linked == ["def value_and_gradients(x):", "d_x = d_value * t1 + d_t1 * np.cos(x)"]


def test_the_body_of_a_custom_gradient_is_linked_with_the_ghost_and_its_rule_with_the_call():
    view = viz.source(lambda x: mg.sum(cubed(x)), np.array([1.0, 2.0]))
    call = next(n.id for n in view.trace.nodes if n.kind == "custom")
    row, _ = line(view, "d_x = ")
    assert call in row.nodes and [row.text.strip() for row in view.program.rows].count("# grad of cubed") == 1
    ghosts = {n.id for n in view.trace.nodes if n.ghost and n.op != "const"}
    assert ghosts <= {n for row in view.program.rows for n in row.nodes}


def test_boxes_bear_the_names_of_the_program():
    view = viz.source(layer, *LAYER)
    assert {n.name for n in view.trace.nodes if n.kind != "const"} == {"x", "w", "b", "", "z", "h", "value"}


def test_each_moment_has_the_line_that_is_running():
    view = viz.source(layer, *LAYER)
    texts = [view.program.rows[view.program.at(moment)].text.strip() for moment in view._lanes[0].moments]
    assert texts == [
        "value = np.sum(h * h) / 8",  # the start: where the output stands
        "t1 = d_value / 8 * h",  # the message d_value / 8 is part of this line
        "t1 = d_value / 8 * h",
        "t1 = d_value / 8 * h",
        "d_z = d_h * np.square(1 / np.cosh(z))",
        "d_z = d_h * np.square(1 / np.cosh(z))",  # the sum hands it on as it is
        "d_b = np.sum(d_z, axis=0)",
        "d_x = d_z @ w.T",
        "d_w = x.T @ d_z",
        "d_b = np.sum(d_z, axis=0)",  # b is complete, then w, then x
        "d_w = x.T @ d_z",
        "d_x = d_z @ w.T",
    ]


def test_what_a_rule_replaced_has_no_line_that_runs():
    view = viz.source(lambda x: mg.sum(cubed(x)), np.array([1.0, 2.0]))
    (lane,) = view._lanes
    assert all((view.program.at(moment) == -1) == moment.ghost for moment in lane.moments)


# What it takes, and what it refuses.


def test_arguments_in_order_or_by_name_or_a_finished_value():
    x, w, b = map(mg.constant, LAYER)
    energy = layer(x, w, b)
    by_name = viz.source(layer, x=LAYER[0], w=LAYER[1], b=LAYER[2])
    assert str(by_name) == str(viz.source(layer, *LAYER))
    assert "energy = np.sum(" in str(viz.source(energy)) and "def value_and_gradients(x, w, b):" in str(
        viz.source(energy)
    )


def test_an_int_stays_the_number_that_it_is():
    view = viz.source(lambda x, n: x**n, 2.0, n=3)
    assert "def value_and_gradients(x):" in str(view) and "n" not in {node.name for node in view.trace.nodes}


def test_the_program_gives_the_gradients_of_the_engine():
    view = viz.source(layer, *LAYER)
    _, gradients = view.source.run()
    xs = [mg.constant(a) for a in LAYER]
    assert all(np.array_equal(g, t.value) for g, t in zip(gradients, mg.gradients(layer(*xs), xs)))


def test_variables_are_called_by_their_names():
    w = mg.Variable(np.array([1.0, 2.0]), name="weights")
    view = viz.source(mg.sum(w * w))
    assert "def value_and_gradients(weights):" in str(view) and node(view, "weights") == 0


def test_second_order_marks_what_is_missing():
    @mg.custom_gradient
    def leaving(x):
        e = mg.exp(x)
        return mg.log(1 + e), lambda dy: dy * float(e)

    x = mg.constant(1.0)
    y = leaving(x)
    (slope,) = mg.gradients(y, x)
    view = viz.source(slope)
    assert "left the graph" in view.note and "gradient stops" in view.to_svg()


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda: viz.source(3.0), "source takes a Tensor, or a function and its inputs"),
        (lambda: viz.source(lambda x: None, 1.0), "must return a Tensor, got None"),
        (lambda: viz.source(layer, 1.0), "source cannot call layer with these arguments: missing"),
        (lambda: viz.source(mg.constant(1.0), 2.0), "source got 2.0 next to a value"),
        (lambda: viz.source(mg.constant(1.0) * 2.0, mode="rule"), "takes a function and its inputs"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(wrong, words):
    with pytest.raises(TypeError, match=words):
        wrong()


def test_it_opens_in_each_mode_with_the_program_of_what_is_drawn():
    softplus = mg.custom_gradient(lambda x: (mg.log(1 + mg.exp(x)), lambda upstream: upstream * mg.sigmoid(x)))
    for mode in ("values", "wiggle", "gradient", "rule"):
        data, _ = viz.source(layer, *LAYER, mode=mode).data()
        assert data["mode"] == mode and data["modes"] == ["values", "gradient", "rule"]
    derived, own = viz.source(softplus, 100.0, mode="rule"), viz.source(softplus, 100.0)
    assert "np.absolute" in own.source.text and "np.absolute" not in derived.source.text  # of the sigmoid
    assert derived.try_rule(x="upstream * sigmoid(x)").startswith("Right at x = 100")
    assert "Right at x = 2" in viz.source(lambda x, n: x**n, 2.0, n=3, mode="rule").try_rule(x="upstream * 3 * x * x")
    with pytest.raises(ValueError, match="mode must be"):
        viz.source(layer, *LAYER, mode="slopes")
    with pytest.raises(ValueError, match='mode="wiggle" needs'):
        viz.source(softplus, 1.0, mode="wiggle")


def test_inputs_can_be_changed_unless_drag_is_off():
    assert "drag" in viz.source(layer, *LAYER).data()[0]["lanes"][0]
    assert "drag" not in viz.source(layer, *LAYER, drag=False).data()[0]["lanes"][0]


# Every form.


def test_the_text_twin_is_the_program():
    view = viz.source(layer, *LAYER)
    assert view.to_text() == view.source.text == str(view)
    bundle, size = saved(view)
    assert bundle["text/plain"] == view.to_text() and size < 98_000


def test_without_scripts_the_program_stands_below_the_picture():
    html = viz.source(layer, *LAYER).to_html()
    assert html.index("<img") < html.index("<pre>import numpy as np") < html.index("<script>")
    ElementTree.fromstring(image_of(html))


def test_the_player_has_the_rows_and_the_row_of_each_stop():
    view = viz.source(layer, *LAYER)
    code = unpack(view.to_html())
    rows = code["view"]["code"]["rows"]
    assert [re.sub("<[^>]*>", "", html) for html, _, _ in rows] == view.source.text.splitlines()
    assert len(code["view"]["code"]["at"]) == len(code["view"]["lanes"][0]["stops"])
    assert "render:" in code["js"]


def test_the_svg_holds_picture_and_program_with_the_running_line_lit():
    view = viz.source(layer, *LAYER)
    root = ElementTree.fromstring(view.to_svg(step=3))
    texts = ["".join(text.itertext()) for text in root.iter() if text.tag.endswith("text")]
    assert set(filter(None, view.source.text.splitlines())) <= set(texts)
    assert sum(rect.get("class") == "pl" for rect in root.iter()) == 1


def test_a_long_program_is_shortened_where_it_is_only_looked_at():
    def chain(x):
        for _ in range(140):
            x = mg.sin(x)
        return x

    view = viz.source(chain, 1.0)
    bundle = view._repr_mimebundle_()
    assert "lines are left out here" in bundle["text/plain"] and "left out" not in view.to_text()
    assert json.dumps(bundle["text/plain"]).count("\\n") < 70


def test_steps_and_folds_keep_the_program():
    view = viz.source(layer, *LAYER).step(2)
    assert view.unfold().to_text() == view.to_text() and unpack(view.to_html())["stop"] > 0


# The colours.


def test_highlighting_adds_nothing_and_loses_nothing():
    text = 'import numpy as np\n\ndef f(x):\n    """Text\n    in two lines."""\n    return x < 2.5e-3  # d_x\n'
    lines = highlight(text, {"d_x"})
    assert ["".join(piece for _, piece in pieces) for pieces in lines] == text.splitlines()
    kinds = {piece: kind for pieces in lines for kind, piece in pieces}
    assert kinds["import"] == kinds["return"] == "pk" and kinds["2.5e-3"] == "pn" and kinds["# d_x"] == "pc"
    assert "x &lt; " in as_html(lines[5])
