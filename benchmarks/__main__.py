"""Time and memory of minigrad, compared with hand-written NumPy and other libraries.

Measures everything by default, or what is named: workloads, or times, growth, memory, import, picture, stage,
watch.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .contest import MEMORY_OF, TIMED, TIMEOUT, measure_memory, measure_times, started
from .contestant import prime
from .growth import QUESTIONS, grow
from .importing import import_times
from .machine import about
from .peak import counted
from .peers import PEERS
from .picture import PROGRAMS, SIZES, draw
from .plots import plot_growth, plot_memory, plot_times
from .recompute import SEGMENTS, trade
from .report import show, write
from .sections import (
    Section,
    growth_section,
    import_section,
    memory_section,
    picture_section,
    stage_section,
    times_section,
    watch_section,
)
from .stage import PICTURES, empty_page, staged
from .timing import SLOT
from .watch import LOOPS, pytorch, watched
from .workloads import WORKLOADS
from .workloads.deep import deep_arrays

PARTS = ("times", "growth", "memory", "import", "picture", "stage", "watch")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PARTS)}, {', '.join(TIMED)}")
    parser.add_argument("--rounds", type=int, default=15, help="interleaved rounds (15)")
    parser.add_argument("--peers", nargs="*", metavar="PEER", help=f"of {', '.join(PEERS)}; by default all installed")
    parser.add_argument("--timeout", type=float, default=TIMEOUT, help="seconds for a first result (%(default)g)")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables and plots there")
    parser.add_argument("--quick", action="store_true", help="three short rounds and small sizes")
    options = parser.parse_args(argv)
    refuse(parser, "workload or part", options.names, (*PARTS, *TIMED))
    refuse(parser, "contestant", options.peers or [], tuple(PEERS))
    return run(options)


def refuse(parser: argparse.ArgumentParser, what: str, names: list[str], known: tuple[str, ...]) -> None:
    """Exit with a sentence if a name is not known."""
    unknown = [name for name in names if name not in known]
    if unknown:
        parser.error(f"no {what} is called {', '.join(unknown)}; there are {', '.join(known)}")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

    console = Console()
    parts = set(options.names or PARTS) & set(PARTS)
    workloads = [name for name in TIMED if "times" in parts or name in options.names]
    prime()
    with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn(), console=console) as bar:
        runs: list[Callable[..., tuple[Section, Any, list[str]]]] = []
        runs += [times] if workloads else []
        runs += [
            step
            for step in (growth, memory, imports, pictures, stage, watch)
            if step.__name__.removesuffix("s") in parts
        ]
        done = []
        for step in runs:
            section, draw, faults = step(options, bar, workloads)
            done.append((section, faults))
            if options.markdown:  # at once, as a later part may be interrupted
                picture = options.markdown.with_name(f"{options.markdown.stem.lower()}-{section.name}.png")
                write(options.markdown, section, about(), draw(picture) if draw else None)
    for section, faults in done:
        show(console, section)
        for fault in faults:
            console.print(f"left out: {fault}", style="red", highlight=False)
    return int(any(faults for _, faults in done))


def entrants(options: argparse.Namespace) -> list[str]:
    """Return the names of the contestants that run, always with the one by hand."""
    return [name for name in PEERS if name == "by hand" or name in (options.peers or PEERS)]


def times(options: argparse.Namespace, bar: Any, workloads: list[str]) -> tuple[Section, Any, list[str]]:
    count, slot = (min(3, options.rounds), SLOT / 4) if options.quick else (options.rounds, SLOT)
    task = bar.add_task("starting the contestants", total=len(workloads) * count)

    def tick(name: str) -> None:
        bar.update(task, description=WORKLOADS[name].title, advance=1)

    with started(entrants(options)) as peers:
        result = measure_times(workloads, peers, count, slot, tick, options.timeout)
    return times_section(result), lambda path: plot_times(result.table, path), result.faults


def growth(options: argparse.Namespace, bar: Any, _: list[str]) -> tuple[Section, Any, list[str]]:
    task = bar.add_task("growth", total=sum(len(sizes) - 2 * options.quick for *_, sizes in QUESTIONS.values()))
    growths = [grow(name, options.quick, lambda: bar.advance(task)) for name in QUESTIONS]
    return growth_section(growths), lambda path: plot_growth(growths, path), []


def memory(options: argparse.Namespace, bar: Any, workloads: list[str]) -> tuple[Section, Any, list[str]]:
    who = entrants(options)
    names = MEMORY_OF if counted() else []
    segments = (0, *SEGMENTS[::3]) if options.quick else (0, *SEGMENTS)
    task = bar.add_task("memory", total=len(names) * len(who) + len(segments))

    def tick(name: str = "deep") -> None:
        bar.update(task, description=f"memory: {WORKLOADS[name].title}", advance=1)

    peaks, faults = measure_memory(names, who, tick, options.timeout)
    traded = trade(segments, deep_arrays(batch=64) if options.quick else None, tick)
    return memory_section(peaks, traded), lambda path: plot_memory(peaks, traded, path), faults


def imports(options: argparse.Namespace, bar: Any, _: list[str]) -> tuple[Section, Any, list[str]]:
    count = 2 if options.quick else options.rounds
    task = bar.add_task("import", total=count + 1)
    return import_section(import_times(count, lambda: bar.advance(task))), None, []


def pictures(options: argparse.Namespace, bar: Any, _: list[str]) -> tuple[Section, Any, list[str]]:
    count, sizes = (2, SIZES[:2]) if options.quick else (options.rounds, SIZES)
    task = bar.add_task("pictures", total=len(PROGRAMS) * len(sizes) * count)
    drawn = [draw(name, ops, count, lambda: bar.advance(task)) for name in PROGRAMS for ops in sizes]
    return picture_section(drawn), None, []


def stage(options: argparse.Namespace, bar: Any, _: list[str]) -> tuple[Section, Any, list[str]]:
    from tests.browser.lab import CHROMIUM_FLAGS, find_chromium

    program, count = find_chromium(), 2 if options.quick else options.rounds
    names = list(PICTURES) if program else []
    task = bar.add_task("pictures in a browser", total=len(names) * count)
    if not program:
        return stage_section([]), None, []
    with empty_page(program, CHROMIUM_FLAGS) as page:
        return stage_section([staged(name, page, count, tick=lambda: bar.advance(task)) for name in names]), None, []


def watch(options: argparse.Namespace, bar: Any, _: list[str]) -> tuple[Section, Any, list[str]]:
    loops, count = (list(LOOPS)[:1], 2) if options.quick else (list(LOOPS), options.rounds)
    loops = loops if pytorch() else []
    task = bar.add_task("watched loops", total=len(loops) * count)
    return watch_section([watched(name, count, tick=lambda: bar.advance(task)) for name in loops]), None, []


if __name__ == "__main__":
    sys.exit(main())
