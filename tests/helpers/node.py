"""The JavaScript of the pages run by Node, or in an empty page of Chromium where Node is missing."""

import atexit
import functools
import json
import shutil
import subprocess

import numpy as np

from viz.render.document import static

WORDS = "(k, v) => v !== v ? 'nan' : v === Infinity ? 'inf' : v === -Infinity ? '-inf' : Object.is(v, -0) ? '-0' : v"
#: Reads a function body and its data from each line, and writes what it returns, or the error, as a line.
ANSWER = f"""
require("readline").createInterface({{input: process.stdin}}).on("line", (line) => {{
  let said;
  try {{
    const [body, data] = JSON.parse(line);
    said = JSON.stringify([new Function("data", body)(data)], {WORDS});
  }} catch (error) {{ said = JSON.stringify(String(error.stack)); }}
  process.stdout.write(said + "\\n");
}});"""


def run_js(names, body, data):
    """What `body` returns, a function body of `data`, after the files `names` of viz/static."""
    source = source_of(names, body)
    if not shutil.which("node"):
        return _run_in_a_page(source, data)
    node = _node()
    node.stdin.write(json.dumps([source, data]) + "\n")
    node.stdin.flush()
    answer = json.loads(node.stdout.readline())
    assert isinstance(answer, list), answer
    return answer[0]


def source_of(names, body):
    """The code that `run_js` runs."""
    code = "\n".join(static(f"{name}.js") for name in names)
    code = "\n".join(line for line in code.splitlines() if not line.startswith("export "))
    return f"{code}\nreturn ((data) => {{{body}}})(data);"


def in_page(page, names, body, data):
    """As `run_js`, in a page of Chromium."""
    run = f"(text) => JSON.stringify(((data) => {{{source_of(names, body)}}})(JSON.parse(text)), {WORDS})"
    return json.loads(page.evaluate(run, json.dumps(data)))


@functools.cache
def _node():
    """One process gives all answers, because starting it takes longer than most answers."""
    node = subprocess.Popen(["node", "-e", ANSWER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    atexit.register(node.communicate)
    return node


def _run_in_a_page(source, data):
    from playwright.sync_api import sync_playwright

    from tests.browser.lab import CHROMIUM_FLAGS, find_chromium

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
        page = browser.new_page()
        run = f"(text) => JSON.stringify(((data) => {{{source}}})(JSON.parse(text)), {WORDS})"
        text = page.evaluate(run, json.dumps(data))
        browser.close()
    return json.loads(text)


#: The files of the tape.
TAPE = ("tape", "arrays", "rare")
#: Runs each tape at each of its settings of the inputs, {cell: elements}, and returns all cells that are asked for;
#: null where a whole number is beyond the page.
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
