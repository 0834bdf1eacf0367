"""The JavaScript of the pages run by Node, or in an empty page of Chromium where Node is missing."""

import json
import shutil
import subprocess

import numpy as np

from viz.render.document import static

WORDS = "(k, v) => v !== v ? 'nan' : v === Infinity ? 'inf' : v === -Infinity ? '-inf' : Object.is(v, -0) ? '-0' : v"


def run_js(names, body, data):
    """What `body` returns, a function body of `data`, after the files `names` of viz/static."""
    code = "\n".join(static(f"{name}.js") for name in names)
    code = "\n".join(line for line in code.splitlines() if not line.startswith("export "))
    source = f"{code}\nconst answer = (data) => {{{body}}};\n"
    node = shutil.which("node")
    if node:
        source += "let text = '';\nprocess.stdin.on('data', (c) => { text += c; }).on('end', () => "
        source += f"process.stdout.write(JSON.stringify(answer(JSON.parse(text)), {WORDS})));\n"
        done = subprocess.run([node, "-e", source], input=json.dumps(data), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout)
    from playwright.sync_api import sync_playwright

    from tests.browser.lab import CHROMIUM_FLAGS, find_chromium

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
        page = browser.new_page()
        text = page.evaluate(
            f"(text) => {{{source} return JSON.stringify(answer(JSON.parse(text)), {WORDS})}}", json.dumps(data)
        )
        browser.close()
    return json.loads(text)


#: Runs each tape at each of its settings of the inputs, {cell: elements}, and returns all cells that are asked for;
#: null where a whole number is beyond the page.
#: The files of the tape.
TAPE = ("tape", "arrays", "rare")
RUN_TAPES = """
return data.map(({ code, settings, wanted }) => {
  const t = tape(code);
  return settings.map((setting) => {
    for (const [cell, values] of Object.entries(setting)) t.cells[cell].set(values.map(numeric));
    return t.run() ? wanted.map((cell) => [...t.cells[cell]]) : null;
  });
});
"""


def words(x):
    """Elements as JSON has them."""
    flat = np.ravel(x).astype(float)
    return [float(v) if np.isfinite(v) else "nan" if v != v else "inf" if v > 0 else "-inf" for v in flat]


def numbers(values, dtype=np.float64):
    """Elements as the page gives them, as an array."""
    return np.array([float(v) for v in values], dtype)
