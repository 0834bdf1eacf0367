"""GitHub Classroom: the workflow file that grades each push with the students' checks.

Hidden checks are not put into a student's repository; the teacher's machine runs them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from .wheel import FILE, requirements

_HEAD = """\
# In the template repository this file is .github/workflows/classroom.yml; {name}.ipynb, {name}_checks.py,
# {name}_sealed.json and {wheel} lie at its top.
name: Autograding
on: [push, workflow_dispatch]
permissions:
  checks: write
  actions: read
  contents: read
jobs:
  grade:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: python -m venv .venv
      - run: .venv/bin/python -m pip install -q ./{wheel} {packages}
      - run: |
          rm -rf submitted && mkdir submitted
          cp {name}.ipynb *.py submitted || true
          .venv/bin/minigrad grade {name}_checks.py --one submitted --json > report.json || test $? = 3
"""
_STEP = """\
      - id: {id}
        uses: classroom-resources/autograding-command-grader@v1
        with:
          test-name: {title}
          command: {command}
          timeout: 10
          max-score: {marks:g}
"""
_LAST = """\
      - uses: classroom-resources/autograding-grading-reporter@v1
        env:
{results}
        with:
          runners: {runners}
"""
# The action that grades a step reports only pass or fail, so a step passes only with full marks.
_RIGHT = "import json; marks = {{m['exercise']: m for m in json.load(open('report.json'))['results']}}; "
_RIGHT += "assert marks[{name!r}]['marks'] == marks[{name!r}]['out_of'], marks[{name!r}]['words']"


def workflow(name: str, exercises: Mapping[str, float]) -> str:
    """Return the text of the workflow for the exercises, given with their full marks."""
    ids = {exercise: exercise.replace("_", "-") for exercise in exercises}
    steps = [
        _STEP.format(
            id=ids[exercise],
            title=json.dumps(exercise),
            command=json.dumps(f'python -c "{_RIGHT.format(name=exercise)}"'),
            marks=marks,
        )
        for exercise, marks in exercises.items()
    ]
    lines = [f"          {i.upper()}_RESULTS: ${{{{ steps.{i}.outputs.result }}}}" for i in ids.values()]
    last = _LAST.format(results="\n".join(lines), runners=",".join(ids.values()))
    return "".join([_HEAD.format(name=name, wheel=FILE, packages=" ".join(requirements())), *steps, last])
