"""The text of a picture with frames says of each frame what the picture shows of it, closed and open."""

import pytest

import minigrad as mg
import viz
from viz.render.frame_list import NAMED, frame_list


def layer(x, turns):
    w = mg.constant(0.9)
    for _ in range(turns):
        x = mg.tanh(x * w)
    return x


def stack(x, calls, turns):
    for _ in range(calls):
        x = layer(x, turns)
    return x * 2.0


def listed(view, max_lines=None):
    lane = view._lanes[0]
    return frame_list(lane.found, lane.drawing, max_lines).split("\n")[1:]


def test_a_frame_is_listed_with_its_ops_its_inputs_where_it_leads_and_what_opening_shows():
    x = mg.constant(0.5)
    view = viz.backward(stack(x, 2, 2), names={"x": x}, fold="layer")
    assert listed(view) == [
        "[+] layer, call 1 of 2: 4 ops, inputs x, x1; to layer, call 2 of 2",
        "    opened, it shows x; x1; multiply#2; tanh#3; multiply#4; tanh#5",
        "[+] layer, call 2 of 2: 4 ops, inputs x2; to multiply#12",
        "    opened, it shows x2; multiply#7; tanh#8; multiply#9; tanh#10",
    ]


@pytest.mark.parametrize("calls, turns", [(3, 20), (12, 4), (30, 12)])
def test_every_frame_of_the_picture_is_listed_in_the_depth_in_which_it_stands(calls, turns):
    view = viz.backward(lambda x: stack(x, calls, turns), x=0.5)

    def frames(drawing, depth=0):
        for box in drawing.boxes:
            if box.folded:
                yield f"{'  ' * depth}[+] {box.label}"
                yield from frames(box.inside, depth + 1) if box.inside else ()

    expected = [*frames(view._lanes[0].drawing)]
    assert expected and [line.partition(":")[0] for line in listed(view)[::2]] == expected
    assert "\n".join(listed(view)) in view.to_text()


def test_of_many_frames_the_saved_text_has_the_outermost():
    view = viz.backward(lambda x: stack(x, 30, 12), x=0.5)
    lines = listed(view, 12)
    assert all(line[0] in "[ …" and line[:3] != "  [" for line in lines) and len(lines) <= 13
    assert lines[-1].endswith("more: see to_text()") and lines[-1] in view._repr_mimebundle_()["text/plain"]
    assert len(view.to_text(12)) < 4000


def test_a_frame_that_opens_in_python_only_says_how():
    view = viz.backward(lambda x: stack(x, 1, 1000), x=0.5)
    closed = next(box.label for box in view._lanes[0].drawing.all_boxes if box.folded and not box.inside)
    lines = [line.strip() for line in listed(view)]
    assert f'opens with unfold("{closed}") in Python' in lines
    assert f"[+] {closed}" in {line.partition(":")[0] for line in lines}
    opened = {line.strip().partition(":")[0] for line in listed(view.unfold(closed))}
    assert f"[+] {closed}" not in opened


def test_edges_are_counted_as_in_the_picture_and_long_lists_end():
    xs = [mg.constant(float(k)) for k in range(20)]
    view = viz.backward(mg.sum(mg.stack(xs)), names={"xs": xs})
    head, opened = listed(view)
    assert head.endswith("; 20 edges to concatenate") and "20 edges" in view.start().to_svg()
    assert f"x{NAMED - 1}" in opened and f"x{NAMED};" not in opened and opened.endswith("; … (40 in all)")


def test_a_nan_that_begins_in_a_closed_frame_is_said():
    def risky(x):
        return mg.log(1 + mg.exp(x)) * 1.0

    view = viz.backward(lambda x: risky(x * 1.0), x=100.0, fold="risky")
    assert "nan born inside" in listed(view)[0]


def test_a_picture_without_frames_has_no_list():
    assert "Frames" not in viz.backward(lambda x: stack(x, 1, 2), x=0.5).to_text()
