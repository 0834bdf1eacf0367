"""Saved traces with the text of a script in a field: no script of theirs runs in a browser."""

import pytest

from tests.browser.lab import watch
from tests.helpers.changed_traces import SCRIPT, changed, documents
from tests.viz.test_changed_traces import drawn, texts

pytestmark = pytest.mark.browser


def test_no_script_of_a_trace_runs_in_a_browser(page, tmp_path):
    errors, _ = watch(page)
    parts = []
    for data in documents().values():
        for path in list(texts(data))[:40:4]:
            try:
                parts.append(drawn(changed(data, path, SCRIPT)))
            except ValueError:
                continue
    assert parts
    body = "".join(svg + html for svg, html in parts[:12])
    (tmp_path / "all.html").write_text(f"<meta charset=utf-8>{body}", encoding="utf-8")
    page.goto((tmp_path / "all.html").as_uri())
    page.wait_for_selector(".mg-bar")
    page.wait_for_timeout(300)
    assert page.evaluate("window.ran") is None
    assert errors == []
