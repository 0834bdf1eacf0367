"""The command: `python -m benchmarks [names] [--rounds N] [--markdown FILE] [--quick]`."""

from __future__ import annotations

import argparse
import importlib.metadata
import platform
import sys
from pathlib import Path

import numpy as np

from .growth import QUESTIONS, grow
from .importing import import_times
from .peers import faults, installed
from .report import GROWTH_HEAD, columns, growth_rows, markdown, plot, ratio_rows, show
from .timing import SLOT, ratios, rounds
from .workloads import WORKLOADS

EXTRA = ("growth", "import")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"what to run, by default all: {', '.join([*WORKLOADS, *EXTRA])}")
    parser.add_argument("--rounds", type=int, default=15, help="interleaved rounds (15)")
    parser.add_argument("--peers", nargs="*", help="the libraries to run, by the names of their columns")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there, and a plot beside them")
    parser.add_argument("--quick", action="store_true", help="three short rounds and small sizes")
    options = parser.parse_args(argv)
    unknown = [name for name in options.names if name not in (*WORKLOADS, *EXTRA)]
    if unknown:
        parser.error(f"no workload is called {', '.join(unknown)}; there are {', '.join([*WORKLOADS, *EXTRA])}")
    return run(options)


def run(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.progress import Progress

    console = Console()
    chosen = options.names or [*WORKLOADS, *EXTRA]
    count, slot = (min(3, options.rounds), SLOT / 4) if options.quick else (options.rounds, SLOT)
    np.zeros(4_000_000)  # freeing 32 MB lets the allocator keep large blocks, as importing some of the peers does
    peers = installed(options.peers)
    table: dict[str, dict[str, float]] = {}
    wrong = []
    with Progress(console=console, transient=True) as progress:
        for name in [name for name in WORKLOADS if name in chosen]:
            task = progress.add_task(WORKLOADS[name].title, total=count)
            work, arrays = WORKLOADS[name], WORKLOADS[name].arrays()
            made = {who: peer.prepare(work, arrays) for who, peer in peers.items()}
            contestants = {who: thunk for who, thunk in made.items() if thunk is not None}
            for who, fault in faults(contestants):
                wrong.append(f"{name}: {who} {fault}")
                del contestants[who]
            for times in rounds(contestants, count, slot):
                table[name] = ratios(times, "by hand")
                progress.advance(task)
            progress.remove_task(task)
        growths = []
        for name in QUESTIONS if "growth" in chosen else ():
            task = progress.add_task(f"growth with {name}", total=len(QUESTIONS[name][2]))
            growths.append(grow(name, options.quick, lambda task=task: progress.advance(task)))
            progress.remove_task(task)
    imports = import_times(count) if "import" in chosen else {}

    if table:
        show(console, ["workload", *columns(table)], ratio_rows(table), "CPU time, hand-written = 1")
    if growths:
        show(console, GROWTH_HEAD, growth_rows(growths), "Growth of minigrad")
    if imports:
        show(console, ["library", "ms"], [[m, f"{t:.0f}"] for m, t in imports.items()], "Import")
    for line in wrong:
        console.print(line, style="red")
    if options.markdown:
        options.markdown.write_text(markdown(table, growths, imports, versions()), encoding="utf-8")
        if table:
            plot(table, growths, options.markdown.with_suffix(".png"))
    return bool(wrong)


def versions() -> str:
    """What was compared, in a line."""
    found = [f"Python {platform.python_version()}", f"NumPy {np.__version__}"]
    for name in ("autograd", "torch", "jax", "tensorflow-cpu", "tensorflow", "micrograd"):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(found) + "; float64, one thread."


if __name__ == "__main__":
    sys.exit(main())
