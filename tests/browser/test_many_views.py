"""Many views on one page, as in a notebook: each looks as it does by itself, even if its scripts are outside it."""

from html import escape

import pytest

import minigrad as mg
import viz
from tests.browser.gallery import many
from tests.browser.lab import watch

pytestmark = pytest.mark.browser

LOOK = """view => [...view.querySelectorAll('.mg-stage svg *, .mg-code *, table *')].map(e => {
    const s = getComputedStyle(e);
    return [e.tagName, e.getAttribute('class'), s.fill, s.stroke, s.strokeWidth, s.strokeDasharray, s.fontSize,
            s.fontWeight, s.color, s.textAnchor].join(' ');
  })"""


def looks(page):
    return [page.evaluate(LOOK, view) for view in page.query_selector_all("[data-page] > .mg-view")]


def test_a_view_among_others_looks_as_it_does_alone(page, tmp_path):
    page.emulate_media(reduced_motion="reduce")  # out of sight nothing moves
    errors, outside = watch(page)
    bundles = [view._repr_mimebundle_()["text/html"] for view in many()]
    parts = [f"<section data-page>{html}</section>" for html in bundles]
    alone = []
    for part in parts:
        (tmp_path / "one.html").write_text(f"<meta charset=utf-8>{part}", encoding="utf-8")
        page.goto((tmp_path / "one.html").as_uri())
        page.wait_for_selector(".mg-bar")
        alone += looks(page)
    (tmp_path / "all.html").write_text(f"<meta charset=utf-8>{''.join(parts)}", encoding="utf-8")
    page.goto((tmp_path / "all.html").as_uri())
    page.wait_for_function(f"document.querySelectorAll('.mg-bar').length === {len(parts)}")
    together = looks(page)
    assert len(together) == len(alone) == len(parts)
    for own, among in zip(alone, together):
        assert [pair for pair in zip(own, among) if pair[0] != pair[1]] == []
    assert errors == [] and outside == []


#: Imitate the renderer of VS Code: run a copy of each script at the end of the output, then drop it.
LIKE_VS_CODE = """html => {
    const output = document.createElement("div");
    output.innerHTML = html;
    document.body.append(output);
    for (const found of [...output.getElementsByTagName("script")]) {
      const copy = document.createElement("script");
      copy.text = found.innerText;
      output.append(copy);
      copy.remove();
    }
  }"""


def test_where_scripts_run_outside_of_the_view_its_table_notes_and_text_stay(page, tmp_path):
    @mg.custom_gradient
    def log1pexp(x):
        e = mg.exp(x)
        return mg.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    errors, _ = watch(page)
    page.set_content("<meta charset=utf-8><body data-vscode-theme-kind=vscode-dark>")
    for view in (viz.compare(log1pexp, 100.0), viz.backward(log1pexp, x=1.0)):
        view.note = "a note below"
        page.evaluate(LIKE_VS_CODE, view._repr_mimebundle_()["text/html"])
    page.wait_for_function("document.querySelectorAll('.mg-bar').length === 2")
    assert page.locator("table th[scope=row]").inner_text() == "x"
    assert page.locator(".mg-note:not(.mg-rule *)").all_inner_texts() == ["a note below"] * 2
    assert page.locator("summary:not(.mg-rule *)").count() == 2 and page.locator("img").count() == 0
    assert errors == []


def test_a_view_plays_in_a_frame_that_may_run_scripts_and_nothing_else(page, tmp_path):
    """Colab shows each output in a separate frame, which belongs to a site other than the notebook's."""
    html = viz.backward(lambda x: x * x, x=3.0)._repr_mimebundle_()["text/html"]
    errors, outside = watch(page)
    page.set_content(f'<iframe sandbox="allow-scripts" width=1000 height=800 srcdoc="{escape(html)}"></iframe>')
    view = page.frame_locator("iframe")
    view.locator("[aria-label='To the start']").evaluate("button => button.click()")  # it opens at the end
    view.locator("[aria-label='To the end']").evaluate("button => button.click()")
    assert "grows 6 times as fast as x" in view.locator(".mg-say").inner_text()
    assert (errors, outside) == ([], [])


def test_a_view_that_is_out_of_sight_waits_and_nothing_in_it_moves(page, tmp_path):
    html = [viz.backward(lambda x: mg.exp(x * x), x=0.5)._repr_mimebundle_()["text/html"] for _ in range(2)]
    far = f"<meta charset=utf-8><article>{html[0]}</article><article style='margin-top: 3000px'>{html[1]}</article>"
    (tmp_path / "two.html").write_text(far, encoding="utf-8")
    page.goto((tmp_path / "two.html").as_uri())
    page.wait_for_function("document.querySelectorAll('.mg-bar').length === 2")
    near, away = page.locator("article").all()
    away.locator(".mg-stage.mg-away").wait_for(state="attached")
    for player in (away, near):
        player.locator("[aria-label='To the start']").evaluate("button => button.click()")
        player.get_by_role("button", name="Play").evaluate("button => button.click()")
    near.get_by_text("2 of 4").wait_for()
    moving = "all => all.filter((path) => path.getAnimations().length).length"
    assert near.locator("path.e.now").evaluate_all(moving) == 1
    near.get_by_text("4 of 4").wait_for()
    assert away.locator(".mg-count").inner_text() == "0 of 4"
    away.get_by_role("button", name="One step forward").evaluate("button => button.click()")
    assert away.locator("path.e.now").evaluate_all("all => all.length") == 1
    assert away.locator("path.e.now").evaluate_all(moving) == 0
    away.get_by_role("button", name="Play").evaluate("button => button.click()")
    away.locator(".mg-stage").scroll_into_view_if_needed()
    away.get_by_text("4 of 4").wait_for()


#: Replace the output, as a notebook does when a cell is run again.
RUN_AGAIN = """async html => {
    const output = document.createElement("div");
    output.innerHTML = html;
    document.body.replaceChildren(output);
    for (const found of output.querySelectorAll("script")) {
      const copy = document.createElement("script");
      copy.text = found.text;
      found.replaceWith(copy);
    }
    while (!output.querySelector(".mg-bar")) await new Promise((done) => setTimeout(done, 10));
  }"""


def test_a_cell_that_is_run_again_leaves_nothing_of_its_last_output(page):
    html = viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=1.0)._repr_mimebundle_()["text/html"]
    devtools = page.context.new_cdp_session(page)
    devtools.send("HeapProfiler.enable")
    devtools.send("Performance.enable")

    def nodes():
        devtools.send("HeapProfiler.collectGarbage")
        page.wait_for_timeout(100)
        return {row["name"]: row["value"] for row in devtools.send("Performance.getMetrics")["metrics"]}["Nodes"]

    def fewest():
        return min(nodes() for _ in range(10))  # on a busy computer the collector needs several turns

    page.set_content("<meta charset=utf-8><body>")
    counts = []
    for _ in range(2):
        for _ in range(6):
            page.evaluate(RUN_AGAIN, html)
            page.wait_for_timeout(50)
        counts.append(fewest())
    one = page.evaluate("document.querySelectorAll('body *').length")
    assert counts[1] - counts[0] < 2 * one  # six outputs were replaced
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")  # the remaining one follows the theme
    page.wait_for_function("document.querySelector('.mg-stage svg').dataset.theme === 'dark'")


#: Show a widget as anywidget does, and count the modules of players that the page has loaded.
SHOW = """async ([esm, state]) => {
    if (!globalThis.players) {
      const make = URL.createObjectURL;
      globalThis.players = 0;
      URL.createObjectURL = (blob) => ((globalThis.players += blob.size > 10000), make(blob));
    }
    const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
    const model = { get: (key) => state[key], set: (key, to) => { state[key] = to; } };
    for (const act of ["on", "off", "send", "save_changes"]) model[act] = () => {};
    const el = document.createElement("div");
    document.body.append(el);
    await (await import(url)).default.render({ model, el });
    return globalThis.players;
  }"""


def test_widgets_of_a_page_share_the_module_of_their_player(page):
    """A browser keeps each module until the page is closed: 0.6 MB for a player."""
    pytest.importorskip("anywidget")
    page.set_content("<meta charset=utf-8><body>")
    counts = []
    for x in (1.0, 2.0, 3.0):
        widget = viz.backward(lambda x: mg.log(1 + mg.exp(x)), x=x).widget()
        state = {key: value for key, value in widget.get_state().items() if key[0] != "_" and key != "layout"}
        counts.append(page.evaluate(SHOW, [str(widget._esm), state]))
    assert counts == [1, 1, 1] and page.locator(".mg-bar").count() == 3
