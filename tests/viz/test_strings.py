"""Names and texts from users: no form of a picture contains a character that controls a terminal or breaks a page."""

import json
import linecache
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.helpers.own_engines import Number, backward
from tests.helpers.tables import over

#: What a user may paste into a name, and what a picture writes instead.
STRINGS = {
    "a terminal's colour": ("red\x1b[31m", "red\\x1b[31m"),
    "NUL": ("a\0b", "a\\x00b"),
    "half a character": ("half\ud800", "half\\ud800"),
    "markup": ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    "a mark from right to left": ("abc\u202ecba", "abc\\u202ecba"),
    "an isolate": ("a\u2067b\u2069", "a\\u2067b\\u2069"),
    "a second line": ("one\ntwo", "one\\ntwo"),
    "a sign that only the packing uses": ("a\ue000b", "a\\ue000b"),
    "a quotation mark": ("a'\"b", "a'\"b"),
    "a family, three people and two joiners": ("\U0001f469\u200d\U0001f469\u200d\U0001f467",) * 2,
    "a joiner that joins nothing": ("a\u200db", "a\\u200db"),
}
#: Everything but letters, signs and line ends.
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u2028-\u202e\u2066-\u2069\ue000-\ue0ff]")


def variable(text):
    w = mg.Variable(2.0, name=text)
    return viz.backward(lambda x: x * w, x=3.0)


def inputs(text):
    return viz.backward(lambda **xs: mg.sin(xs[text]), **{text: 1.0})


def unused(text):
    return viz.backward(lambda x, **xs: mg.sin(x), **{"x": 1.0, text: 2.0})


def keys(text):
    return viz.backward(lambda p: mg.sin(p[text]) * p["b"], p={text: 1.0, "b": 2.0})


def named(text):
    x = mg.constant(2.0)
    return viz.backward(x * x, names={text: x})


def scoped(text):
    x = mg.constant(0.5)
    for i in range(30):
        with mg.scope(f"{text} {i % 10}"):
            x = mg.tanh(x * 0.9) + mg.sin(x)
    return viz.backward(x)


def rule(text):
    w = mg.Variable(2.0, name=f"w{text}")

    def f(x):
        def grad(dy, variables):
            return dy * w, [dy * x]

        grad.__name__ = f"grad {text}"
        return x * w, grad

    f.__name__ = text
    return mg.custom_gradient(f)


def rules(text):
    return viz.backward(rule(text), x=3.0)


def compared(text):
    return viz.compare(rule(text), x=3.0)


def compared_by_name(text):
    def f(x):
        return mg.sin(x)

    def g(x):
        return mg.cos(x)

    f.__name__ = g.__name__ = text
    return viz.compare(f, g, 1.0)


def grown(text):
    return viz.forward(lambda **xs: mg.sin(xs[text]), **{text: 1.0})


def born(text):
    return viz.backward(lambda **xs: mg.log(mg.exp(xs[text]) + 1.0), **{text: 100.0})


def own(text):
    x = Number(3.0)
    x.name, y = f"x{text}", Number(9.0, f"square{text}", (x, x), (3.0, 3.0))

    def by(y, tell):
        backward(y, tell)

    by.__name__ = text
    return viz.backward(y, by=by)


def silent(text):
    def by(y, tell):
        pass

    by.__name__ = text
    return viz.backward(Number(9.0, text, (Number(3.0),), (3.0,)), by=by)


def read(text):
    trace = named("x").to_json().replace('"name":"x"', f'"name":{json.dumps(text)}')
    return viz.backward(mg.BackwardTrace.from_json(trace))


def silent_rule(text):
    def grad(dy):
        return None

    grad.__name__ = text
    return viz.backward(mg.custom_gradient(lambda x: (x * 2, grad)), x=1.0)


def repaired(text):
    """The line of a nan, and the line to write instead, with a comment of anything that Python accepts there."""
    comment = "".join(char for char in text if char not in "\n\0" and not "\ud800" <= char <= "\udfff")
    source = f"def f(x):\n    return mg.log(mg.exp(x) + 1.0)  # {comment}\n"
    file, space = f"<strings {text!a}>", {"mg": mg}
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), space)
    return viz.trace_nan(space["f"], x=100.0)


WHERE = (
    variable, inputs, unused, keys, named, scoped, rules, compared, compared_by_name, grown, born, own, silent, read,
    silent_rule, repaired,
)  # fmt: skip
FIGURES = {
    "curves": lambda f: viz.curves(f, x=(-1.0, 1.0), points=5),
    "jacobian": lambda f: viz.jacobian(f, np.ones(2)),
    "steps": lambda f: viz.steps(f, x=1.0),
}


def forms(view):
    bundle = view._repr_mimebundle_()
    return {
        "str": str(view),
        "repr": repr(view),
        "text": view.to_text(5),
        "svg": view.to_svg(),
        "html": view.to_html(),
    } | bundle


@over([(place, kind) for place in WHERE for kind in STRINGS], quick=15)
def test_no_form_of_a_picture_has_a_character_that_steers(place, kind):
    view = place(STRINGS[kind][0])
    for name, text in forms(view).items():
        assert not STEERS.findall(text), name
        text.encode("utf-8")
    ElementTree.fromstring(view.to_svg())
    assert "<script>alert" not in view.to_svg() + view.to_html()


@over([(figure, kind) for figure in FIGURES for kind in STRINGS], quick=4)
@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
def test_no_form_of_a_figure_has_a_character_that_steers(figure, kind):
    pytest.importorskip("matplotlib")

    def f(x):
        return mg.sin(x)

    f.__name__ = STRINGS[kind][0]
    view = FIGURES[figure](f)
    for name, text in forms(view).items():
        assert not STEERS.findall(text), name
    assert "<script>alert" not in view.to_svg() + view.to_html()
    ElementTree.fromstring(view.to_svg())


@over(
    [(place, kind) for place in (variable, inputs, keys, named, rules, compared, grown, own) for kind in STRINGS],
    quick=15,
)
def test_the_name_can_be_read_in_the_text(place, kind):
    given, shown = STRINGS[kind]
    names = {shown, repr(given)[1:-1]}  # a key of a dict is written as Python writes it
    assert any(name in str(place(given)) for name in names)


@over([(place, kind) for place in WHERE for kind in STRINGS], quick=15)
def test_the_player_gets_no_character_that_steers(place, kind):
    def strings(data):
        if isinstance(data, dict):
            for key, value in data.items():
                yield str(key)
                yield from strings(value)
        elif isinstance(data, (list, tuple)):
            for value in data:
                yield from strings(value)
        elif isinstance(data, str):
            yield data

    data, _ = place(STRINGS[kind][0]).data()
    lanes = [{key: value for key, value in lane.items() if key != "stops"} for lane in data["lanes"]]
    texts = [*strings({**data, "lanes": lanes})]
    assert not [text for text in texts if STEERS.findall(text.replace("\n", ""))]


def test_a_file_with_such_a_name_is_written(tmp_path):
    view = inputs("\ud800\x1b")
    view.to_svg(tmp_path / "a.svg")
    view.to_html(tmp_path / "a.html")
    assert "\\ud800\\x1b" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_the_report_of_a_nan_has_none():
    x = mg.constant(np.float32(100.0))
    report = mg.find_nan(mg.log(mg.exp(x) + 1.0), names={"red\x1b[31m": x})
    assert "\x1b" not in str(report) and "red\\x1b[31m" in str(report)


def test_a_name_that_prints_stays_as_it_is():
    for name in ("größe", "学習率", "שלום", "x'", "loss (train)", "α₁", "🎲"):
        view = inputs(name)
        assert view.trace.nodes[0].name == name and name in str(view)
