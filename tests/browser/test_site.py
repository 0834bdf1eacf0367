"""The site, built as a reader of CONTRIBUTING builds it, and opened from disk."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from minigrad.core.op import OPS
from tests.browser.lab import ROOT, unwatch, watch

pytest.importorskip("sphinx", reason="the site needs the extra docs: python -m pip install -e '.[docs]'")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("site")]


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The site in a folder of its own. The build fails at any warning."""
    out = tmp_path_factory.mktemp("site") / "out"
    done = subprocess.run([sys.executable, "-m", "docs", out], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


class Page(HTMLParser):
    """The ids, the links and the loaded files of a page."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links = [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.ids.append(given["id"])
        self.links += [given[name] for name in ("href", "src") if given.get(name)]


@pytest.fixture(scope="session")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html")}


def test_links_lead_to_files_and_ids_that_exist(pages):
    for path, page in pages.items():
        for link in page.links:
            target, _, fragment = link.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            file = (path.parent / unquote(target.partition("?")[0])).resolve() if target else path.resolve()
            assert file.exists(), f"{path.name}: {link}"
            if fragment and file.suffix == ".html":
                assert unquote(fragment) in pages[next(p for p in pages if p.resolve() == file)].ids, link


def test_ids_are_given_once(pages):
    twice = {path.name: {i for i in page.ids if page.ids.count(i) > 1} for path, page in pages.items()}
    assert {name: ids for name, ids in twice.items() if ids} == {}


def test_nothing_is_loaded_from_elsewhere(pages):
    loaded = r"<(?:script|img|iframe)[^>]+src=[\"']?https?:|<link[^>]+href=[\"']?https?:|@import|url\(https?:"
    for path in pages:
        assert not re.search(loaded, path.read_text(encoding="utf-8")), path


def test_every_op_has_a_heading_and_its_source(pages):
    text = "".join(path.read_text(encoding="utf-8") for path in pages if path.parent.name == "ops")
    for name in OPS:
        assert f'id="{name.replace("_", "-")}"' in text, name
    assert text.count("minigrad/ops/") >= len(OPS)


def test_no_formula_is_left_as_latex(pages):
    for path in pages:
        text = re.sub(r"<(script|style|pre|code)\b.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"\\(frac|log|cdot|sum)\b", re.sub(r"<[^>]+>", "", text)), path


TEN = [
    "index",
    "lessons/00_start_here",
    "lessons/07_write_the_rule_yourself",
    "lessons/15_train_something_real",
    "gallery/backward",
    "ops/exponential",
    "ops/systems",
    "api/viz",
    "errors/index",
    "project/benchmarks",
]


@pytest.mark.browser
def test_ten_pages_from_disk_in_light_and_dark_and_on_a_telephone(site, page):
    errors, outside = watch(page)
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        for name in TEN:
            page.goto((site / f"{name}.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
            wide = page.locator("pre, .table-wrapper").evaluate_all(
                "all => all.filter(e => e.scrollWidth > e.clientWidth && e.tabIndex < 0).length"
            )
            assert wide == 0, (name, width)  # content that is too wide scrolls with the keyboard
    assert (errors, outside) == ([], [])
    unwatch(page)


@pytest.mark.browser
def test_the_first_page_shows_eight_pictures_one_at_a_time(site, page):
    page.goto((site / "index.html").as_uri())
    titles, buttons, said = page.locator(".stage > div:not([hidden]) > p"), page.locator(".stage-choice button"), set()
    for button in buttons.all():
        button.click()
        said.add(titles.inner_text())
        assert page.locator(".stage > div:not([hidden]) svg").first.bounding_box()["width"] > 200
        assert page.locator(".stage-choice [aria-pressed=true]").inner_text() == button.inner_text()
    assert len(said) == buttons.count() == 8


@pytest.mark.browser
def test_a_player_on_a_page_steps_and_takes_a_number_that_is_typed_or_dragged(site, page):
    page.goto((site / "gallery" / "backward.html").as_uri())
    said = page.locator(".mg-say")
    slider = page.get_by_role("slider", name="Step")
    slider.fill("0")
    first = said.inner_text()
    slider.fill("2")
    assert said.inner_text() != first
    page.get_by_role("button", name="More").click()
    field = page.get_by_role("spinbutton", name="x", exact=True)
    box = page.locator(".mg-stage .n[aria-label^='x (input),']")
    field.fill("3")
    field.press("Enter")
    assert "= 3" in box.locator("text").all_text_contents()
    place = field.bounding_box()
    page.mouse.move(place["x"] + 10, place["y"] + 10)
    page.mouse.down()
    page.mouse.move(place["x"] + 70, place["y"] + 10, steps=4)
    page.mouse.up()
    assert float(field.input_value()) > 3


@pytest.mark.browser
def test_the_site_opens_with_a_rule_that_is_right_and_print_leaves_out_the_buttons(site, page):
    page.goto((site / "index.html").as_uri())
    page.get_by_text("right at all 121 samples").wait_for()
    choice = page.locator(".stage-choice")
    assert choice.is_visible()
    page.emulate_media(media="print")
    assert not choice.is_visible()
    page.emulate_media(media="screen")


@pytest.mark.browser
def test_the_search_finds_an_op_from_disk_without_an_error(site, page):
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((site / "search.html").as_uri() + "?q=softplus")
    results = page.locator("#search-results li a")
    results.first.wait_for()
    assert any("ops/sigmoid_and_tanh.html" in link.get_attribute("href") for link in results.all())
    page.locator(".search-summary", has_text="Search finished").wait_for()
    assert errors == []


@pytest.mark.browser
def test_what_a_prediction_locks_is_folded(site, page):
    page.goto((site / "lessons" / "07_write_the_rule_yourself.html").as_uri())
    folded = page.locator("details.hide, .cell.tag_hide-output details").first
    folded.wait_for()
    assert not folded.evaluate("e => e.open")


def test_another_folder_is_not_replaced(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    done = subprocess.run([sys.executable, "-m", "docs", tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and "holds something that is not this site" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]
