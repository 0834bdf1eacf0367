"""The verdict on a wrong walk in JupyterLab opens on its first wrong message."""

import pytest

from tests.browser.test_widgets_play import run
from tests.classroom.test_own_engine import WALK

pytestmark = pytest.mark.browser


def test_a_verdict_opens_at_the_first_wrong_message(lab):
    wrong = WALK.replace("+=", "=")
    notebook = run(
        lab, "film.ipynb", f'from minigrad.classroom import lesson\ncheck = lesson("04")\n{wrong}', 'check("backward")'
    )
    film = notebook.page.locator(".mg-check .mg-view")
    film.locator(".mg-count", has_text="2 of 3").wait_for()
    assert film.locator(".mg-name").all_inner_texts() == ["yours", "true"]
    assert film.locator(".mg-error").inner_text().endswith("together 6. But x holds 3.")
    film.get_by_label("One step back").click()
    assert film.locator(".mg-say p").first.inner_text() == "yours: y sends to x: 1 · 3 = 3. x now holds 3."
    assert notebook.console_errors == []
