"""Every kind of view with a keyboard, with a screen reader, and for people with low vision, in light and dark."""

import json
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.browser.gallery import log1pexp, own
from tests.helpers.own_engines import assigning
from tests.helpers.random_programs import transformer
from viz.hosts.html import page as page_of
from viz.render.markup import Html

pytestmark = pytest.mark.browser

#: A widget in a page of its own, with the smallest object that works like a widget's model.
ALONE = """<div id="alone"></div><script type="module">%s
const state = %s;
const model = {get: (key) => state[key], set: (key, to) => { state[key] = to; }};
for (const act of ["on", "off", "send", "save_changes"]) model[act] = () => {};
player.render({model, el: document.getElementById("alone")});</script>"""


class Played:
    """The page that `viz.play` shows if no kernel answers."""

    def __init__(self, widget):
        state = {key: value for key, value in widget.get_state().items() if key[0] != "_" and key != "layout"}
        code = widget.code.replace("export default", "const player =")
        self.html = page_of(Html(ALONE % (code, json.dumps(state, default=str))), "play")

    def to_html(self, path):
        Path(path).write_text(self.html, encoding="utf-8")


ARRAYS = {"x": np.array([[1.0, -2.0], [3.0, 0.5]]), "w": np.array([[0.5], [2.0]])}
KINDS = {
    "backward": lambda: viz.backward(lambda x: x * x + x, x=3.0),
    "custom": lambda: viz.backward(log1pexp, x=1.0),
    "unused": lambda: viz.backward(lambda x, w: mg.exp(x), x=1.0, w=2.0),
    "arrays": lambda: viz.backward(lambda x, w: mg.sum(mg.tanh(x @ w)), **ARRAYS),
    "nan": lambda: viz.trace_nan(lambda x: mg.log(1 + mg.exp(x)), x=100.0),
    "frames": lambda: viz.backward(lambda x: transformer(x, 30), x=0.5),
    "predict": lambda: viz.backward(lambda x: x * x, x=3.0, predict=True),
    "compare": lambda: viz.compare(log1pexp, 100.0),
    "forward": lambda: viz.forward(lambda x: mg.exp(x * x) + x, x=1.5),
    "own": lambda: own(assigning),
    "play": lambda: Played(viz.play(log1pexp, x=(-5.0, 5.0))),
    "source": lambda: viz.source(lambda x, w: mg.tanh(x * w), x=1.0, w=0.5),
}
every_kind = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.smoke) if kind == "compare" else kind for kind in KINDS]
)

CONTROLS = {"button", "slider", "combobox", "textbox", "searchbox", "spinbutton", "listbox", "option"}
#: The element that has the focus: what it is, its place among those in the page, and whether the focus is seen.
FOCUSED = """() => {
    const e = document.activeElement, look = (e) => { const s = getComputedStyle(e);
        return [s.outlineStyle !== "none" && s.outlineWidth, s.stroke, s.strokeWidth, s.boxShadow].join(); };
    if (e === document.body) return null;
    const drawn = e.querySelector(":scope>:is(.b,.fb)") || e, focused = look(drawn);
    const all = [...document.querySelectorAll("*")];
    e.blur();
    const seen = look(drawn) !== focused;
    e.focus();
    const said = e.ariaLabel || e.textContent.trim().slice(0, 30) || e.className;
    return [all.indexOf(e), said, seen, !!e.closest(".mg-stage svg")];
  }"""


@pytest.fixture
def open_kind(open_view):
    def open_it(kind):
        page = open_view(KINDS[kind]())
        page.emulate_media(reduced_motion="reduce")
        page.get_by_role("button", name="More").evaluate("button => button.click()")
        return page

    return open_it


def tree(page):
    """Every part of the page as a screen reader presents it: (role, name)."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    there = (node for node in nodes if not node["ignored"])
    return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in there]


@every_kind
def test_every_control_has_a_role_and_a_name_of_its_own(open_kind, kind):
    page = open_kind(kind)
    for button in page.get_by_role("button", name="Elements of").all():
        button.click()
        parts = tree(page)
        assert [part for part in parts if part[0] in CONTROLS and not part[1].strip()] == []
    parts = [part for part in tree(page) if part[0] in CONTROLS]
    assert [part for part in parts if not part[1].strip()] == []
    handles = page.locator("button, input, select, summary, [tabindex]")
    tags = handles.evaluate_all("all => all.map(e => [e.tagName, e.getAttribute('role') || ''])")
    assert [tag for tag in tags if tag[0] in ("g", "DIV", "SPAN") and not tag[1]] == []
    name = page.evaluate("document.querySelector('.mg-stage').closest('[role=group]').ariaLabel")
    assert name and ("group", name) in tree(page)
    bar = [name for role, name in parts if role == "button" and name in ("Play", "To the start", "To the end")]
    assert sorted(bar) == ["Play", "To the end", "To the start"]


@every_kind
def test_tab_goes_once_through_every_control_in_the_order_of_the_page_and_is_seen(open_kind, kind):
    page = open_kind(kind)
    page.evaluate("document.activeElement.blur()")
    stops = []
    for _ in range(60):
        page.keyboard.press("Tab")
        here = page.evaluate(FOCUSED)
        if here is None or (stops and here[0] == stops[0][0]):
            break
        stops.append(here)
    places = [place for place, *_ in stops]
    assert places == sorted(places)
    assert [name for _, name, seen, _ in stops if not seen] == []
    assert sum(drawn for *_, drawn in stops) == 1  # of the boxes the one that arrow keys start from
    expected = page.evaluate(
        """[...document.querySelectorAll("button, input, select, summary, [tabindex='0']")].filter(e =>
            !e.disabled && (e.type !== "radio" || e.checked) && e.checkVisibility({visibilityProperty: true}))
            .map(e => [...document.querySelectorAll("*")].indexOf(e))"""
    )
    assert set(expected) <= set(places)
    assert len(stops) > 8


@every_kind
def test_each_message_is_spoken(open_kind, kind):
    page = open_kind(kind)
    say = page.locator(".mg-say")
    assert say.get_attribute("role") == "status" and say.get_attribute("aria-live") == "polite"
    assert ("status", "") in [(role, "") for role, _ in tree(page)]
    page.evaluate(
        """() => { self.spoken = []; const say = document.querySelector(".mg-say");
            const hear = () => spoken.push(say.innerText.trim());
            new MutationObserver(hear).observe(say, {childList: true, subtree: true}) }"""
    )
    page.get_by_role("button", name="To the start").click(force=True)
    count = int(page.locator(".mg-bar:not(.mg-live) input[type=range]").get_attribute("max"))
    told = [say.inner_text().strip()]
    for at in range(min(count, 12)):
        page.locator("button[aria-label$=forward]").evaluate("button => button.click()")
        if kind == "predict" and (shown := page.get_by_role("button", name="Show", exact=True)).is_visible():
            shown.click()
        told.append(say.inner_text().strip())
        text = page.locator(".mg-bar:not(.mg-live) input[type=range]").get_attribute("aria-valuetext")
        assert text.split()[1] == str(at + 1 + (kind == "forward"))  # the first of its boxes is there at the start
    spoken = page.evaluate("spoken")
    assert all(told) and len(set(told)) == len(told)
    assert [words for words in told[1:] if words not in spoken] == []


def test_while_a_picture_grows_a_box_that_is_there_can_be_reached(open_view):
    page = open_view(viz.forward(lambda x: mg.exp(x * x) + x, x=1.5).start())
    reached = page.locator(".mg-stage [tabindex='0']")
    assert reached.get_attribute("aria-label") == "x (input), value 1.5"
    page.get_by_role("button", name="One step forward").click()
    assert reached.get_attribute("aria-label") == "multiply, value 2.25"
    reached.focus()
    page.keyboard.press("ArrowLeft")  # back to a moment before this box appears
    assert reached.get_attribute("aria-label") == "x (input), value 1.5"


def test_an_unused_argument_is_greyed_and_can_be_chosen_anywhere_in_its_box(open_kind):
    page = open_kind("unused")
    w = page.get_by_role("button", name="w (input)")
    soft = page.evaluate("getComputedStyle(document.querySelector('.mg-count')).color")
    assert w.locator("text").first.evaluate("e => getComputedStyle(e).fill") == soft
    box = w.locator(".b").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 6, box["y"] + 6)
    assert page.locator(".mg-card h4").inner_text() == "w (input)"


def test_the_table_of_a_comparison_does_not_widen_a_narrow_page(open_kind):
    page = open_kind("compare")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("td").last.bounding_box()["width"] >= 80  # the verdict is not a column of single letters


#: For every visible text: its contrast with the background, its size on the screen, and the text.
TEXTS = """() => {
  const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = (c) => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = c; pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
  const over = ([r, g, b, a], below) => [r, g, b].map((v, i) => v * a + below[i] * (1 - a));
  const bright = (c) => c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode, e = node.parentElement, svg = e.ownerSVGElement, style = getComputedStyle(e);
    if (!node.textContent.trim() || e.closest("script,style,title,option,:disabled,[aria-disabled=true]") ||
        !e.checkVisibility({visibilityProperty: true})) continue;
    e.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
    const range = document.createRange();
    range.selectNodeContents(node);
    const r = range.getBoundingClientRect(), grounds = [];
    const stack = document.elementsFromPoint(r.x + r.width / 2, r.y + r.height / 2);
    if (!stack.includes(e)) continue; // of a closed frame
    for (const under of stack) {
      if (under === e && svg || under.tagName === "text") continue;
      const s = getComputedStyle(under), drawn = under.ownerSVGElement;
      const c = rgba(!drawn ? s.backgroundColor : /none|url/.test(s.fill) ? "transparent" : s.fill);
      const part = drawn ? +s.fillOpacity : 1;
      grounds.unshift([c[0], c[1], c[2], c[3] * part]);
      if (c[3] * part === 1) break;
    }
    let ground = [255, 255, 255], seen = 1;
    for (const c of grounds) ground = over(c, ground);
    for (let p = e; p; p = p.parentElement) seen *= getComputedStyle(p).opacity;
    const [red, green, blue, part] = rgba(svg ? style.fill : style.color);
    const ink = over([red, green, blue, part * seen], ground);
    const [low, high] = [bright(ink), bright(ground)].sort((a, b) => a - b);
    const zoom = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    found.push([(high + 0.05) / (low + 0.05), parseFloat(style.fontSize) * zoom, node.textContent.trim()]);
  }
  return found;
}"""


@every_kind
def test_every_text_has_the_contrast_of_wcag_aa_and_can_be_read(open_kind, kind):
    page = open_kind(kind)
    page.get_by_role("button", name="To the end").click(force=True)
    page.locator(".mg-stage .n").last.click(force=True)
    page.locator("summary").evaluate_all("all => all.forEach(e => e.parentElement.open = true)")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        texts = page.evaluate(TEXTS)
        assert len(texts) > 15
        assert [text for text in texts if text[0] < 4.5] == [], theme
        assert [text for text in texts if text[1] < 11] == []


#: What can have the keys in a picture: its paper, its sentence, a box, the slider, a button, the switch.
HOLDERS = (
    ".mg-stage svg",
    ".mg-say",
    ".mg-stage .n",
    ".mg-view input[type=range]",
    ".mg-bar button",
    ".mg-modes input",
)
NUDGED = {"nudge": lambda: viz.nudge(lambda x: mg.exp(x) * x, x=1.0)}


@pytest.mark.parametrize("kind", ["backward", "frames", "compare", "source", "nudge"])
def test_arrows_home_end_and_space_never_scroll_the_page_of_a_picture_that_has_the_keys(page, tmp_path, kind):
    {**KINDS, **NUDGED}[kind]().to_html(tmp_path / "view.html")
    page.set_viewport_size({"width": 1000, "height": 400})
    page.goto((tmp_path / "view.html").as_uri())
    page.wait_for_selector(".mg-bar")
    page.evaluate("document.body.style.padding = '300px 0 3000px'")
    page.evaluate("document.documentElement.style.overflowAnchor = 'none'")
    give = """(css) => {
      const one = document.querySelector(css);
      const group = one && (one.tabIndex < 0 || one.matches("svg")) ? one.closest("[role=group]") : one;
      if (group) group.focus({ preventScroll: true });
      return !!one && document.activeElement.closest(".mg-view") !== null;
    }"""
    held = 0
    for css in HOLDERS:
        for key in ("ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "End", "Home", " "):
            if key == " " and (kind == "nudge" or css == HOLDERS[4]):
                continue  # nothing plays, or the button is pressed
            if not page.evaluate(give, css):
                continue
            held += 1
            page.evaluate("scrollTo(0, 250)")
            page.keyboard.press(key)
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            assert page.evaluate("window.scrollY") == 250, (css, key)
    assert held >= 20


def test_arrows_walk_into_the_boxes_from_anywhere_in_the_picture(page, tmp_path):
    KINDS["backward"]().to_html(tmp_path / "view.html")
    page.goto((tmp_path / "view.html").as_uri())
    page.locator(".mg-stage svg").click(position={"x": 3, "y": 3})
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('.mg-stage .n')")
    slider = page.locator("input[type=range]")
    slider.focus()
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    page.wait_for_function("document.querySelector('input[type=range]').value !== '0'")
    NUDGED["nudge"]().to_html(tmp_path / "nudge.html")
    page.goto((tmp_path / "nudge.html").as_uri())
    page.locator(".mg-say").click()
    before = slider.input_value()
    page.keyboard.press("ArrowRight")
    assert int(slider.input_value()) == int(before) + 1
    page.keyboard.press("Home")
    assert slider.input_value() == "0"
