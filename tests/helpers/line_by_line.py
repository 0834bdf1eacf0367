"""A source run line by line, for tests of how its lines correspond to the graph."""

import numpy as np

from viz.render.code_rows import links_of


def states(s):
    """Each link of the source with what its variable holds after its lines."""
    rows = s.text.splitlines()
    start = next(i for i, row in enumerate(rows) if row.startswith("def value_and_gradients("))
    space = dict(s.inputs)
    with np.errstate(all="ignore"):
        exec("\n".join(rows[:start]), space)
        done = start + 1
        for link in links_of(s):
            for row in rows[done : link.lines[1]]:
                if not row.startswith("    return"):
                    exec(row.strip(), space)
            done = max(done, link.lines[1])
            yield link, space.get(link.name)
