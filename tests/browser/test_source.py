"""The program beside the picture in a browser: choosing a line or a node lights up the other, by mouse and by keys."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from tests.browser.lab import new_page, watch

pytestmark = pytest.mark.browser


def layer(x, w, b):
    z = x @ w + b
    h = mg.tanh(z)
    return mg.mean(h * h)


@pytest.fixture
def view():
    return viz.source(layer, np.ones((4, 3)), np.ones((3, 2)), np.zeros(2))


@pytest.fixture
def program(page, tmp_path, view):
    """The page of the view; asserts at the end that it logged no error and made no request."""
    errors, outside = watch(page)
    view.to_html(tmp_path / "source.html")
    page.goto((tmp_path / "source.html").as_uri())
    page.wait_for_selector(".mg-code")
    yield page
    assert errors == []
    assert outside == []


def line(page, start):
    return page.get_by_role("option", name=re.compile(rf"^\s*{re.escape(start)}"))


def numbers(page, look, kind):
    return {int(one.get_attribute(f"data-{kind}")) for one in page.locator(f".mg-stage {look}").all()}


def lit(page, kind):
    """The numbers of the nodes ("n") or edges ("e") that are lit."""
    return numbers(page, f".{kind}.lit", kind)


def selected(page):
    return [text.strip() for text in page.locator("[role=option][aria-selected=true]").all_text_contents()]


def running(page):
    (text,) = page.locator("[aria-current=step]").all_text_contents()
    return text.strip().partition("  #")[0].strip()


def test_every_line_lights_its_nodes_and_edges(program, view):
    nodes, edges = numbers(program, "[data-n]", "n"), numbers(program, ".e", "e")
    words = {node.id for node in view.trace.nodes} - nodes
    assert {node.kind for node in view.trace.nodes if node.id in words} <= {"const"}  # they are in a box
    for i, row in enumerate(view.program.rows):
        if row.pieces:
            program.locator(".mg-code > div").nth(i).click()
            assert lit(program, "n") == set(row.nodes) & nodes and lit(program, "e") == set(row.edges) & edges
            assert selected(program) == [row.text.strip()]


def test_what_is_lit_stays_lit_while_the_reader_steps_and_zooms(program, view):
    line(program, "d_z = ").click()
    before = lit(program, "n"), lit(program, "e")
    assert before[1]
    for button in ("One step back", "One step back", "Nearer (+)", "The whole (0)"):
        program.get_by_role("button", name=button).click()
        assert (lit(program, "n"), lit(program, "e")) == before


def test_of_a_line_in_a_closed_frame_the_frame_is_lit(open_view):
    def deep(x):
        for i in range(3):
            with mg.scope(f"part {i}"):
                for _ in range(i + 9):
                    x = mg.tanh(mg.sin(x) * 0.9)
        return x

    page = open_view(viz.source(deep, 0.5))
    closed = ["/0/0", "/1/0", "/2/0"]  # the loop of each part
    assert [frame.get_attribute("data-f") for frame in page.locator(".mg-stage .f:not(.open)").all()] == closed
    for name, frame in (("x_2", "/0/0"), ("x_9", "/1/0"), ("x_19", "/2/0")):
        line(page, f"{name} = ").click()
        assert page.locator(".mg-stage .f.chosen").get_attribute("data-f") == frame
        assert page.locator(".mg-stage .n.lit").count() == 0
    page.locator(".mg-stage .f[data-f='/0/0']").dispatch_event("click")
    line(page, "t6 = ").click()  # another iteration than the drawn one
    assert page.locator(".mg-stage .n.lit").count() == 2 and page.locator(".mg-stage .f.chosen").count() == 0


def test_every_node_selects_its_lines(program, view):
    for node in view.trace.nodes:
        if node.id not in numbers(program, "[data-n]", "n"):
            continue
        program.locator(f'.mg-stage [data-n="{node.id}"]').first.dispatch_event("click")
        assert selected(program) == [row.text.strip() for row in view.program.rows if node.id in row.nodes]
        assert lit(program, "n") == set()


def test_a_chosen_line_takes_the_place_of_a_chosen_node(program):
    program.locator(".mg-stage .n").filter(has_text="tanh").click()
    assert program.locator(".mg-card").is_visible()
    line(program, "z = ").click()
    assert program.locator(".mg-card").is_hidden() and program.locator(".mg-stage .picked").count() == 0


def test_the_list_is_one_tab_stop_and_keys_walk_through_it(program):
    assert program.locator('.mg-code [tabindex="0"]').count() == 1
    line(program, "h = ").focus()
    program.keyboard.press("ArrowDown")
    assert selected(program) == ["value = np.sum(h * h) / 8"]
    program.keyboard.press("ArrowUp")
    program.keyboard.press("ArrowUp")
    assert selected(program) == ["z = x @ w + b"]
    program.keyboard.press("Home")
    assert selected(program) == ["import numpy as np"]
    program.keyboard.press("End")
    assert selected(program)[0].startswith("return ")
    assert program.locator('.mg-code [tabindex="0"]').count() == 1


def test_the_running_line_follows_the_player_and_enter_goes_to_the_message_of_a_line(program, view):
    (lane,) = view._lanes
    program.get_by_role("button", name="More").click()
    program.get_by_role("button", name="To the start").click(force=True)
    for moment in lane.moments:
        assert running(program) == view.program.rows[view.program.at(moment)].text.strip().partition("  #")[0].strip()
        program.keyboard.press("ArrowRight")
    line(program, "d_z = ").focus()
    program.keyboard.press("Enter")
    assert running(program).startswith("d_z = ")
    assert program.locator(".mg-say").inner_text().startswith("h sends to z")
    program.keyboard.press("ArrowRight")  # the other message of z = x @ w + b, which the same line computes
    program.keyboard.press("ArrowRight")
    assert running(program).startswith("d_b = ")


def test_keys_of_the_list_do_not_leave_the_player(program):
    program.evaluate("() => { window.heard = []; document.addEventListener('keydown', e => heard.push(e.key)); }")
    line(program, "h = ").focus()
    for key in ("ArrowDown", "Home", "Enter", "b", "Tab"):
        program.keyboard.press(key)
    assert program.evaluate("heard") == ["Tab"]


def test_roles_and_descriptions(program):
    box = program.get_by_role("listbox")
    assert box.get_attribute("aria-multiselectable") == "true" and "program" in box.get_attribute("aria-label")
    assert line(program, "h = ").get_attribute("title") == "h (tanh)"


def contrast(page, text, behind):
    """The contrast of two colours, as CSS writes them."""
    return page.evaluate(
        """([a, b]) => { const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return .2126 * r + .7152 * g + .0722 * b; };
            const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); }""",
        [text, behind],
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_of_the_program_has_contrast_on_every_ground(program, theme):
    program.emulate_media(color_scheme=theme)
    line(program, "d_z = ").click()
    style = "([css, what]) => getComputedStyle(document.querySelector(css))[what]"
    grounds = [
        program.evaluate(style, [css, "backgroundColor"]) for css in (".mg-code", ".mg-code [aria-selected=true]")
    ]
    assert len(set(grounds)) == 2
    for css in (".mg-code", *(f".mg-code .{kind}" for kind in ("pk", "pn", "pc", "pd"))):
        for ground in grounds:
            assert contrast(program, program.evaluate(style, [css, "color"]), ground) >= 4.5


def test_a_narrow_picture_has_the_program_at_its_side(page, tmp_path):
    view = viz.source(lambda x: mg.exp(mg.sin(x)), 1.0, flow="down")
    view.to_html(tmp_path / "source.html")
    page.set_viewport_size({"width": 1000, "height": 700})
    page.goto((tmp_path / "source.html").as_uri())
    stage, code = (page.locator(css).bounding_box() for css in (".mg-stage", ".mg-code"))
    assert stage["x"] + stage["width"] <= code["x"] and abs(stage["y"] - code["y"]) < 2
    page.set_viewport_size({"width": 500, "height": 700})
    stage, code = (page.locator(css).bounding_box() for css in (".mg-stage", ".mg-code"))
    assert stage["y"] + stage["height"] <= code["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 500


def test_without_scripts_picture_and_program_remain(browser, view, tmp_path):
    view.to_html(tmp_path / "source.html")
    page = new_page(browser, java_script_enabled=False)
    page.goto((tmp_path / "source.html").as_uri())
    assert page.locator("img").is_visible() and "h = np.tanh(z)" in page.locator("pre").inner_text()
    page.context.close()


def near(page):
    """What is marked under the pointer: nodes, edges, and the text of lines."""
    lines = [text.strip() for text in page.locator(".mg-code > .near").all_text_contents()]
    return numbers(page, ".n.near", "n"), numbers(page, ".e.near", "e"), lines


def test_the_pointer_on_a_line_marks_its_boxes_and_arrows(program, view):
    nodes, edges = numbers(program, "[data-n]", "n"), numbers(program, ".e", "e")
    for i, row in enumerate(view.program.rows):
        if row.nodes or row.edges:
            program.locator(".mg-code > div").nth(i).hover()
            assert near(program) == (set(row.nodes) & nodes, set(row.edges) & edges, [row.text.strip()])
    program.mouse.move(1, 1)
    assert near(program) == (set(), set(), [])


def test_the_pointer_on_a_box_or_an_arrow_marks_its_lines_also_while_the_picture_is_drawn_again(program, view):
    rows = view.program.rows
    texts = lambda kind, number: [row.text.strip() for row in rows if number in getattr(row, kind)]
    for node in sorted(numbers(program, ".n", "n")):
        program.locator(f'.mg-stage [data-n="{node}"]').first.hover()
        assert near(program) == ({node}, set(), texts("nodes", node))
    for edge in sorted(numbers(program, ".e", "e")):
        middle = program.locator(f'.mg-stage path.e[data-e="{edge}"]').evaluate(
            """(path) => { const p = path.getPointAtLength(path.getTotalLength() / 2), m = path.getScreenCTM();
              return [p.x * m.a + m.e, p.y * m.d + m.f + 4]; }"""
        )
        program.mouse.move(*middle)  # four pixels beside it
        assert near(program) == (set(), {edge}, texts("edges", edge))
    program.keyboard.press("Tab")
    program.evaluate("document.querySelector('[aria-label=\"One step back\"]').click()")
    assert near(program)[1] == {edge}


def test_modes_are_those_of_the_picture_and_the_line_that_runs_is_that_of_the_box(open_view):
    view = viz.source(layer, np.ones((4, 3)), np.ones((3, 2)), np.zeros(2), mode="values")
    page = open_view(view)
    assert page.locator(".mg-modes label").all_inner_texts() == ["Values", "Wiggle", "Gradient", "Your rule"]
    assert page.locator(".mg-modes :checked").get_attribute("value") == "values"
    assert running(page) == "value = np.sum(h * h) / 8"
    page.get_by_role("slider").first.focus()
    seen = [running(page)]
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
        seen.append(running(page))
    assert list(dict.fromkeys(seen)) == [
        "value = np.sum(h * h) / 8",
        "h = np.tanh(z)",
        "z = x @ w + b",
        "def value_and_gradients(x, w, b):",
    ]
    line(page, "h = ").focus()
    page.keyboard.press("Enter")
    assert page.locator(".mg-say").inner_text().startswith("h = ")
    page.get_by_role("radio", name="Gradient").check()
    assert "d_" in running(page)


def test_an_input_is_changed_and_a_rule_is_tried_next_to_the_program(open_view):
    rule = mg.custom_gradient(lambda x: (mg.log(1 + mg.exp(x)), lambda upstream: upstream * mg.sigmoid(x)))
    page = open_view(viz.source(rule, 100.0, mode="rule"))
    assert page.get_by_role("textbox", name="Rule for the gradient").input_value() == "upstream * mg.sigmoid(x)"
    assert "np.log(" in page.locator(".mg-code").inner_text()
    assert page.locator(".mg-rule").inner_text().count("Right at x = 100")
    page.get_by_role("radio", name="Gradient").check()
    page.get_by_role("button", name="More").click()
    page.get_by_label("x", exact=True).fill("0")
    page.keyboard.press("Enter")
    assert "0.5" in page.locator(".mg-say").inner_text()
