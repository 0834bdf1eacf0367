"""The view: every form it takes, and that none of them needs anything from outside."""

import json
import re
import subprocess
import sys
import zlib
from html.parser import HTMLParser
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad as mg
import viz
from minigrad.tracing.trace_schema import BackwardTrace
from tests.helpers.saved_outputs import unpack
from tests.helpers.traces import log1pexp, repaired
from viz.hosts.html import COMPARED, DRAG, INSTRUCTIONS, code_of_player
from viz.hosts.saved import INSTEAD
from viz.views import forms
from viz.views.backward import view_of


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.urls = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.urls += [value for name, value in attrs if name in ("src", "href", "srcset", "action")]


def saved(view):
    """The bundle of a view, and its bytes in a notebook."""
    bundle = view._repr_mimebundle_()
    return bundle, sum(len(json.dumps(form, ensure_ascii=False).encode()) for form in bundle.values())


def image_of(html):
    return unquote(re.search(r'src="data:image/svg\+xml,([^"]*)"', html).group(1))


def words_of(svg):
    """The words of a picture."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_the_bundle_has_the_picture_once():
    bundle, _ = saved(view_of(log1pexp()))
    assert set(bundle) == {"text/html", "text/plain"} and "<text" in image_of(bundle["text/html"])
    assert bundle["text/plain"].startswith("A nan first appears at exp: ") and "step  op" in bundle["text/plain"]


@pytest.mark.parametrize("trace", [log1pexp(), repaired()])
def test_the_html_asks_nobody_for_anything(trace):
    html = view_of(trace).to_html()
    tags = Tags(html)
    assert all(url.startswith("data:image/svg+xml,") for url in tags.urls)
    assert not {"link", "iframe", "object", "embed", "form"} & set(tags.tags)
    code = html + json.dumps(unpack(html), ensure_ascii=False)
    found = set(re.findall(r"https?://[\w./]+", unquote(code)))
    assert found == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\bfetch\(|XMLHttpRequest|import\s*\(|@import|url\((?!#)", unquote(code))


def test_json_has_no_bare_nan():
    view = view_of(log1pexp())
    json.loads(view.to_json(), parse_constant=lambda word: pytest.fail(word))
    assert BackwardTrace.from_json(view.to_json()) == view.trace
    for state, shown in (
        (view.step(0), {"step": 0, "mode": "gradient"}), (view.start(), {"step": -1, "mode": "gradient"}), (view, None),
    ):  # fmt: skip
        assert json.loads(state.to_json()).get("shown") == shown
        assert BackwardTrace.from_json(state.to_json()) == view.trace
    unpack(view.to_html())


def test_the_player_is_small():
    code = unpack(view_of(log1pexp()).to_html())
    assert len(zlib.compress(code["js"].encode(), 9)) < 29_500
    assert len(view_of(log1pexp()).to_html()) < 56_000


def network(x, y, w1, b1, w2, b2, w3):
    h = mg.tanh(x @ w1 + b1)
    h = mg.relu(h @ w2 + b2) + h
    z = h @ w3
    p = mg.exp(z - mg.max(z, axis=1, keepdims=True))
    p = p / mg.sum(p, axis=1, keepdims=True)
    loss = -mg.mean(mg.sum(y * mg.log(p + 1e-7), axis=1))
    for w in (w1, b1, w2, b2):
        loss = loss + 0.0137 * mg.sum(w * w) + 1e-3 * mg.mean(mg.abs(w))
    return mg.sqrt(loss + 0.25) + 0.25 * mg.tanh(loss * 0.731) * mg.exp(-1.234 * loss)


def recurrent(x1, x2, x3, w, u, b, c, h):
    for x in (x1, x2, x3):
        forget = mg.sigmoid(w * x + u * h + b)
        update = mg.sigmoid(w * x * 0.731 + u * h - b)
        c = forget * c + update * mg.tanh(u * x + w * h)
        h = mg.tanh(c) * forget
    return h


def spring(x, v, k, m):
    for _ in range(5):
        a = -k * x / m - 0.137 * v * mg.abs(v)
        v = v + a * 0.0173
        x = x + v * 0.0173
    return 0.5 * m * v * v + 0.5 * k * x * x


def sixty():
    """Three functions of sixty ops as users write them, with numbers that have many digits."""
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=s).astype("float32") for s in ((8, 5), (8, 3), (5, 6), (6,), (6, 6), (6,), (6, 3))]
    yield network, dict(zip(("x", "y", "w1", "b1", "w2", "b2", "w3"), arrays))
    yield recurrent, dict(zip(("x1", "x2", "x3", "w", "u", "b", "c", "h"), rng.normal(size=8).tolist()))
    yield spring, {"x": 1.2345678, "v": -0.98765432, "k": 3.1415926, "m": 0.7654321}


@pytest.mark.parametrize(
    "f, inputs, most",
    [(*row, size) for row, size in zip(sixty(), [119_500, 63_500, 63_000])],
)
def test_a_view_of_sixty_ops_stays_small(f, inputs, most):
    view = viz.backward(f, **inputs)
    assert sum(node.kind in ("op", "output") for node in view.trace.nodes) >= 60
    assert saved(viz.backward(f, **inputs, drag=False))[1] < most
    bundle, size = saved(view)
    assert "drag" in unpack(bundle["text/html"])["view"]["lanes"][0], "its inputs can be changed in the cell"
    assert size < most + 42_500


def test_the_code_and_the_data_for_changing_inputs_stay_small():
    kinds = ((), (*DRAG, *INSTRUCTIONS), (*COMPARED, *INSTRUCTIONS))
    small = [len(zlib.compress(code_of_player(parts).encode(), 9)) for parts in kinds]
    assert small[1] - small[0] < 11_000 and small[2] - small[1] < 7_000
    view = viz.backward(lambda x, w: mg.exp(x * w) + x, x=2.0, w=0.5)
    assert "drag" in unpack(saved(view)[0]["text/html"])["view"]["lanes"][0]
    fixed = viz.backward(lambda x, w: mg.exp(x * w) + x, x=2.0, w=0.5, drag=False)
    assert saved(view)[1] - saved(fixed)[1] < 15_500 + 25_500, "fields for the inputs, and for a rule"


def test_where_a_cell_has_no_room_for_a_rule_it_has_the_fields_for_the_inputs(monkeypatch):
    view = viz.backward(lambda x, w: mg.exp(x * w) + x, x=2.0, w=0.5)
    monkeypatch.setattr(forms, "SAVED", saved(view)[1] - 1_000)
    cell = unpack(saved(view)[0]["text/html"])["view"]
    assert "drag" in cell["lanes"][0] and "rule" not in cell and "rule" not in cell["modes"]
    assert "rule" in unpack(view.to_html())["view"]


def test_where_a_cell_has_no_room_the_inputs_can_be_changed_in_a_page(monkeypatch):
    monkeypatch.setattr(forms, "SAVED", 50_000)
    f, inputs = [*sixty()][2]
    view = viz.backward(f, **inputs)
    cell = saved(view)[0]["text/html"]
    assert "drag" not in unpack(cell)["view"]["lanes"][0]
    assert "drag" in view.data()[0]["lanes"][0]
    said = "to_html() has fields for the inputs."
    assert said in cell and said not in view.to_html()
    assert said not in saved(viz.backward(f, **inputs, drag=False))[0]["text/html"]


def test_the_static_picture_shows_where_the_player_opens():
    view = view_of(log1pexp()).step(1)
    html = view.to_html()
    assert unpack(html)["stop"] == 2
    assert words_of(image_of(html)) == words_of(view.to_svg()) != words_of(view.start().to_svg())


@pytest.mark.parametrize("trace", [log1pexp(), repaired()])
def test_the_image_is_complete_and_styled_without_the_page_around_it(trace):
    image = image_of(view_of(trace).to_html())
    root = ElementTree.fromstring(image)
    used = {name for element in root.iter() for name in element.get("class", "").split()}
    full = ElementTree.fromstring(view_of(trace).to_svg())
    assert used == {name for element in full.iter() for name in element.get("class", "").split()}
    rules = set(re.findall(r"\.(\w+)[^{}]*\{", re.search("<style>(.*)</style>", image).group(1)))
    assert rules <= used | {"mgv"}
    variables = set(re.findall(r"var\((--\w+)\)", image))
    assert variables and all(f"{name}:" in image for name in variables)
    lines = [path for path in root.iter() if path.get("class", "").split()[:1] == ["e"]]
    assert len(lines) == sum(trace.nodes[edge.src].kind != "const" for edge in trace.edges)


def test_every_sentence_of_the_player_is_the_one_of_the_trace():
    view = view_of(repaired())
    (lane,) = unpack(view.to_html())["view"]["lanes"]
    words = []
    for _, node, _, to, message, adjoint, product, _, text in lane["stops"]:
        names = [lane["cards"].get(str(n), {}).get("name", "") for n in (node, to)]
        for sign, said in zip(reversed(INSTEAD), (product, *reversed(names), adjoint or message, message)):
            text = text.replace(sign, said)
        words.append(text)
    assert words == [moment.words for moment in view._lanes[0].moments]


def test_steps_outside_are_refused_in_a_sentence():
    view = view_of(log1pexp())
    assert view.step(0).to_svg().count("ḡ") < view.step(3).to_svg().count("ḡ")
    for wrong, error in ((4, ValueError), (-1, ValueError), (1.5, TypeError), (True, TypeError), ("2", TypeError)):
        with pytest.raises(error, match="whole number from 0 to 3"):
            view.step(wrong)


def test_files_are_written(tmp_path):
    view = view_of(log1pexp())
    assert view.to_svg(tmp_path / "a.svg", step=1) == (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert view.to_html(tmp_path / "a.html").startswith("<!doctype html>")
    view.to_json(tmp_path / "a.json")
    assert BackwardTrace.from_json((tmp_path / "a.json").read_text()) == view.trace


def test_find_looks_at_ops_and_names():
    view = view_of(log1pexp())
    assert [node.op for node in view.find("EXP")] == ["exp"]
    assert "x" in [node.name for node in view.find("x")]
    with pytest.raises(TypeError, match="part of a name"):
        view.find(3)


def test_graphviz_gives_a_digraph_with_the_numbers():
    pytest.importorskip("graphviz")
    source = view_of(repaired()).to_dot()
    assert "log1pexp" in source and "ḡ 1" in source and "dashed" in source and "nan" in source


def test_the_edges_of_dot_have_messages_and_slopes_once_they_are_sent():
    pytest.importorskip("graphviz")
    view = viz.backward(lambda x, w: mg.square(x) * w, x=3.0, w=0.5)
    labels = lambda dot: re.findall(r'-> \d+ \[label="?([^"\]]*?)"? color', dot)
    assert sorted(labels(view.to_dot())) == ["0.5\n× 0.5", "3\n× 6", "9\n× 9"]
    assert labels(view.start().to_dot()) == ["", "", ""] and not any(labels(viz.forward(mg.constant(2.0) * 3).to_dot()))


def test_births_are_listed():
    assert [serial.kind for serial in view_of(log1pexp()).origins] == ["0 * inf"]


def test_importing_viz_imports_nothing_heavy():
    heavy = {"graphviz", "matplotlib", "anywidget", "ipywidgets", "IPython"}
    code = f"import sys, viz; print(*({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_step_is_remembered_by_every_form():
    x = mg.constant(2.0)
    view = viz.backward(mg.exp(mg.tanh(x))).step(0)
    assert view.to_svg().count("ḡ") == 2 and unpack(view.to_html())["stop"] == 1
    bundle, _ = saved(view)
    assert image_of(view.to_html()).count("ḡ") == image_of(bundle["text/html"]).count("ḡ") == 2


def test_an_input_that_is_used_often_stands_once_and_its_card_says_how_often():
    def many(x):
        total = x
        for _ in range(400):
            total = mg.tanh(total * x) + x
        return total

    view = viz.backward(many, x=0.5)
    assert len(re.findall("<g class='n leaf' data-n='0'", view.to_svg())) == 1
    cards = unpack(view.to_html())["view"]["lanes"][0]["cards"]
    assert "801 times" in [card.get("used") for card in cards.values()]


def test_the_picture_opens_on_the_finished_pass():
    x = mg.constant(2.0)
    view = viz.backward(mg.exp(mg.tanh(x)))
    data = unpack(view.to_html())
    assert data["stop"] == len(data["view"]["lanes"][0]["stops"]) - 1
    assert image_of(view.to_html()).count("ḡ") == 3
    assert unpack(view.start().to_html())["stop"] == 0 and image_of(view.start().to_html()).count("ḡ") == 1


def test_a_pass_with_a_nan_opens_where_it_is_born():
    view = viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=100.0)
    (lane,), stop = view.data()[0]["lanes"], view.data()[1]
    assert "first appears here" in lane["stops"][stop][8] and lane["stops"][stop][7] & 8


def test_integers_that_go_in_keep_their_names():
    n, x = mg.constant(3), mg.constant(2.0)
    assert {"multiply n=3", "x"} <= set(words_of(viz.backward(x * n).to_svg()))


def test_the_line_of_a_card_is_never_one_of_the_pictures():
    view = viz.compare(lambda x: (x * 2.0, x), lambda x: (x * 2.0, x + 0.0), 1.0)
    lines = [node.line for lane in view._lanes for node in lane.trace.nodes if node.line]
    assert lines and {line.file for line in lines} == {"test_view.py"}


def test_words_for_an_image_do_not_tell_what_the_reader_is_asked_for():
    nan, x = (lambda x: mg.log(1 + mg.exp(x))), 100.0
    assert "nan first appears" in viz.backward(nan, x=x).to_svg()
    for view in (viz.backward(nan, x=x).ask({"kind": "edge"}), viz.backward(nan, x=x, predict=True)):
        assert "first appears" not in ElementTree.fromstring(view.to_svg()).get("aria-label")


def test_boxes_say_what_the_code_says():
    def f(x, w):
        q = x @ w
        scale = 1 / (2 - q[0, 1:])
        return mg.sum(scale * q[:, ::2])

    words = [re.sub(r"#\d+$", "", word) for word in words_of(viz.backward(f, x=np.ones((2, 3)), w=np.eye(3)).to_svg())]
    assert {"q", "matmul 2×3", "2 − …", "scale", "[0,1:]", "[:,::2]", "sum"} <= set(words)


#: What Tab offers on every picture of a pass.
OFFERED = (
    "answer arrows ask find fold graphviz note origins point report start step strip title to_dot to_html to_json "
    "to_png to_svg to_text trace try_rule unfold widget"
)


def test_tab_offers_what_users_need_and_nothing_that_modules_share():
    """IPython without jedi offers `dir` of the class as well."""
    x = mg.constant(100.0)
    softplus = lambda x: mg.log(1 + mg.exp(x))
    nan = viz.trace_nan(softplus, x)
    for shown, more in (
        (viz.backward(softplus, x=1.0), ""),
        (viz.forward(softplus, x=1.0), ""),
        (viz.compare(softplus, mg.softplus, 1.0), "equal labels rows"),
        (viz.source(softplus, x=1.0), "program source"),
        (nan, "kind line op paths phase reaches repair sentence word"),
    ):
        for names in (dir(shown), {*dir(type(shown))} | {*vars(shown)} - type(shown)._shared):
            assert {n for n in names if n[0] != "_"} <= {*OFFERED.split(), *more.split()}, type(shown)
        assert {*OFFERED.split(), *more.split()} <= {*dir(shown)} and all(hasattr(shown, name) for name in dir(shown))
    for result, internal in (
        (nan.report, "ends head node outgrown rest"),
        (nan.report.repair, "edits rows"),
        (mg.source(x * x), "checked compute connected kind recording serves written written_for"),
    ):
        assert not {*dir(result), *dir(type(result))} & {*internal.split()}
        assert all(hasattr(result, name) for name in internal.split()), "no name is hidden that is not there"
    assert {"sentence", "repair", "line", "sentences"} <= {*dir(nan.report)} and "lines" in dir(nan.report.repair)


def test_an_object_is_called_by_its_own_arguments_whatever_its_attributes_are_called():
    class Product:
        """A callable whose attribute `f` is another function."""

        def f(self, a):
            return a

        def __call__(self, x, w):
            return x * w

    assert {node.name for node in viz.backward(Product(), 3.0, w=2.0).trace.nodes} >= {"x", "w"}
    rule = mg.custom_gradient(lambda x, w: (x * w, lambda upstream: (upstream * w, upstream * x)))
    assert {node.name for node in viz.backward(rule, 3.0, w=2.0).trace.nodes} >= {"x", "w"}
