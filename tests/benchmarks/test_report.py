"""The report of the benchmarks: its command, its tables, its goals, growth and what recomputing saves."""

import re
import sys

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="benchmarks/ is part of a clone, not of the installed library")

from benchmarks import goals, growth
from benchmarks.__main__ import main
from benchmarks.contest import Race
from benchmarks.growth import Growth, grow
from benchmarks.peak import Peak
from benchmarks.picture import PROGRAMS, STAGES, Drawn, draw
from benchmarks.recompute import Traded, trade
from benchmarks.report import markdown, put, table, write
from benchmarks.sections import (
    Grid,
    Section,
    duration,
    growth_section,
    import_section,
    memory_section,
    number,
    picture_section,
    size,
    stage_section,
    times_section,
    watch_section,
)
from benchmarks.stage import Staged
from benchmarks.watch import LOOPS, WAYS, Watched
from benchmarks.workloads import WORKLOADS
from benchmarks.workloads.deep import deep_arrays
from minigrad.core.graph import ancestors

RACE = Race(
    {"mlp": {"by hand": 1.0, "minigrad": 3.0, "PyTorch": 4.0}, "chain": {"by hand": 1.0, "JAX jit": 0.2}},
    {"mlp": 38e-6, "chain": 2e-4},
    ["chain: torch.compile is not ready after 120 seconds"],
)


def rows_of(text):
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]


# The command.


def test_a_quick_run_prints_and_writes_its_tables_and_a_plot(tmp_path, capsys):
    pytest.importorskip("rich")
    pytest.importorskip("matplotlib")
    page = tmp_path / "page.md"
    page.write_text("# Speed\n\n<!-- times -->\nold\n<!-- end times -->\n\nEnd.\n", encoding="utf-8")
    done = main(["mlp", "custom", "--quick", "--rounds", "2", "--peers", "minigrad", "--markdown", str(page)])
    text = page.read_text(encoding="utf-8")
    assert done == 0 and "old" not in text and text.endswith("<!-- end times -->\n\nEnd.\n")
    assert (tmp_path / "page-times.png").stat().st_size > 1000 and "(page-times.png)" in text
    assert [row[0] for row in rows_of(text)][2:4] == [WORKLOADS["mlp"].title, WORKLOADS["custom"].title]
    assert "minigrad" in capsys.readouterr().out


def test_an_unknown_workload_is_refused_with_the_list_of_those_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["nonsense"])
    assert (
        "no workload or part is called nonsense; there are times, growth, memory, import, picture, stage, watch, mlp"
        in (" ".join(capsys.readouterr().err.split()))
    )


def test_an_unknown_contestant_is_refused_with_the_list_of_those_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["mlp", "--peers", "Torch"])
    assert "no contestant is called Torch; there are by hand, minigrad" in " ".join(capsys.readouterr().err.split())


# Tables.


def test_numbers_have_the_digits_they_deserve():
    assert [number(x) for x in (None, 0.123, 12.34, 1234.5)] == ["", "0.12", "12.3", "1,234"]
    assert [size(n) for n in (7, 1234, 240e6, 1.2e9)] == ["7 B", "1.2 kB", "240 MB", "1.20 GB"]
    assert [duration(t) for t in (2.0, 0.0123, 4.5e-6)] == ["2 s", "12.3 ms", "4.5 µs"]


def test_columns_of_numbers_stand_on_the_right():
    grid = Grid("", ["a", "b", "c"], [["x", "1.5 ms", "n^0.98"], ["y", "", "x 1.9 each"]])
    assert table(grid).splitlines()[1] == "| --- | ---: | ---: |"


def test_the_table_of_times_has_a_row_for_each_workload_and_names_who_is_missing():
    section = times_section(RACE)
    assert section.grids[0].head == ["workload", "by hand", "minigrad", "PyTorch", "JAX jit"]
    assert section.grids[0].rows == [
        [WORKLOADS["mlp"].title, "38 µs", "3.00", "4.00", ""],
        [WORKLOADS["chain"].title, "200 µs", "", "", "0.20"],
    ]
    assert "Left out: chain: torch.compile is not ready after 120 seconds." in section.grids[0].text


def test_every_row_of_the_table_says_what_limits_it():
    assert all(work.limit.endswith(".") for work in WORKLOADS.values())


def test_a_section_is_renewed_between_its_marks_or_begun_at_the_end():
    page = "top\n<!-- a -->\nold\n<!-- end a -->\nbottom\n"
    assert put(page, "a", "<!-- a -->\nnew\\1\n<!-- end a -->") == page.replace("old", "new\\1")
    assert put(page, "b", "<!-- b -->") == page + "\n<!-- b -->\n"


def test_the_page_is_markdown_with_pictures_beside_it(tmp_path):
    section = Section("times", "Time", [Grid("Text.", ["a", "b"], [["x", "1"]]), Grid("Nothing.", ["c"], [])])
    text = markdown(section, "About.", "times.png")
    assert text.splitlines()[::2][:2] == ["<!-- times -->", "## Time"] and "Nothing." not in text
    assert "| a | b |\n| --- | ---: |\n| x | 1 |" in text and "](times.png)" in text
    write(tmp_path / "new.md", section, "About.", tmp_path / "times.png")
    assert (tmp_path / "new.md").read_text(encoding="utf-8") == f"# Measured\n\n{text}\n"


def test_imports_are_shown_beside_numpys():
    assert import_section({"numpy": 60.0, "minigrad": 90.0}).grids[0].rows[1] == ["minigrad", "90", "1.50"]


def test_memory_is_shown_beside_that_by_hand_and_segments_beside_none():
    peaks = {"large": {"by hand": Peak(240_000_000, 240_000_000), "PyTorch": Peak(600_000_000, 480_000_000)}}
    section = memory_section(peaks, [Traded(0, 1000, 1.0), Traded(10, 250, 1.5)])
    assert section.grids[0].rows[1][1:] == ["PyTorch", "480 MB", "2.00", "600 MB"]
    assert section.grids[-1].rows == [["none", "1.0 kB", "1.00", "1.00"], ["10", "250 B", "0.25", "1.50"]]


# Goals.


def test_a_goal_is_met_or_missed_by_what_is_shown():
    assert goals.verdict(1.104, 1.1) == "met" and goals.verdict(1.106, 1.1) == "missed"


def test_goals_are_judged_against_the_results_by_hand_and_against_others():
    found = {(who, beside): (most, verdict) for _, who, beside, most, _, verdict in goals.time_goals(RACE.table)}
    assert found == {("minigrad", "by hand"): ("2.80", "missed"), ("minigrad", "PyTorch"): ("0.77", "met")}


def test_every_goal_is_about_a_workload_and_a_contestant_that_exist():
    from benchmarks.peers import PEERS

    assert set(goals.TIMES) <= set(WORKLOADS)
    for goal in goals.BESIDE:
        assert {goal.workload, goal.of or goal.workload} <= set(WORKLOADS) and {goal.than, goal.who} <= set(PEERS)


def test_a_custom_gradient_is_judged_against_the_same_through_primitives():
    measured = {"custom": {"by hand": 1.0, "minigrad": 7.0}, "primitives": {"by hand": 1.0, "minigrad": 5.0}}
    ((_, who, beside, most, ratio, verdict),) = goals.time_goals(measured)
    assert (who, beside, most, ratio, verdict) == (
        "minigrad", WORKLOADS["primitives"].title, "1.30", "1.40", "missed",
    )  # fmt: skip


# Growth.


def test_the_power_of_growth_is_the_slope_in_log_log():
    g = Growth("depth", "ops", [10, 100, 1000], [1e-3, 1e-1, 1e1], [10, 100, 1000])
    assert g.slopes == pytest.approx((2.0, 1.0)) and g.laws == ("n^2.00", "n^1.00")


def test_the_fit_leaves_out_the_smallest_sizes_and_stands_noise():
    sizes = [10**k for k in range(2, 8)]
    noise = np.random.default_rng(0).uniform(0.95, 1.05, len(sizes))
    seconds = [1e-4 + 1e-8 * n**1.5 * e for n, e in zip(sizes, noise)]
    assert Growth("width", "", sizes, seconds, sizes).slopes[0] == pytest.approx(1.5, abs=0.05)


def test_orders_grow_by_a_factor_each():
    g = Growth("order", "orders", [1, 2, 3, 4, 5, 6], [2.0**k for k in range(6)], [3**k for k in range(6)])
    assert g.laws == ("x 2.0 each", "x 3.0 each")


def test_memory_of_a_chain_grows_with_its_length():
    found = grow("depth", quick=True)
    assert found.sizes == [100, 1000, 10_000]
    assert 0.8 < found.slopes[1] < 1.3 and 100 < found.bytes[-1] / found.sizes[-1] < 1000
    ((*_, each),) = growth_section([found]).grids[0].rows
    assert re.fullmatch(r"\d{3}", each)


def test_each_question_of_growth_can_be_measured():
    for name, (make, _, sizes) in growth.QUESTIONS.items():
        assert np.isfinite(np.asarray(make(sizes[0])()[0] if name != "order" else make(sizes[0])(), float))


# Pictures.


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_picture_is_timed_beside_its_pass(name):
    y, _ = PROGRAMS[name](60)
    assert sum(node.op is not None for node in ancestors([y])) == 60
    found = draw(name, 60, 1)
    assert (found.program, found.ops) == (name, 60) and 30_000 < found.bytes < 200_000
    assert found.seconds["backward pass"] < found.seconds["trace"] < found.seconds["picture"] < found.seconds["page"]


def test_the_table_of_pictures_has_times_and_the_goal_at_the_largest():
    seconds = dict(zip(STAGES, (2e-3, 4e-3, 0.5, 2.0, 3e-3)))
    drawn = [Drawn("a loop", n, seconds, 64_000) for n in (60, 10_000)]
    times, aims = picture_section(drawn).grids
    assert times.rows[0] == ["a loop, 60 ops", "2 ms", "4 ms", "500 ms", "2 s", "3 ms", "250", "64.0 kB"]
    assert times.right == [False] + [True] * 7
    assert [[row[0], *row[3:]] for row in aims.rows] == [["a picture of 10,000 ops, a loop", "1.00", "0.50", "met"]]


def test_the_table_of_watched_loops_has_multiples_of_the_plain_step_and_the_goals():
    loops = [Watched(name, dict(zip(WAYS, (1e-4, 1.5e-4, 2e-4, 5e-4)))) for name in LOOPS]
    times, aims = watch_section(loops).grids
    assert times.rows[0] == ["perceptron 2-16-2, batch 8", "100 µs", "1.50", "2.00", "5.00"]
    assert [row[2:] for row in aims.rows[1:5]] == [
        ["plain", "1.70", "2.00", "missed"], ["plain", "1.25", "2.00", "missed"], ["plain", "1.30", "2.00", "missed"],
        ["detect_anomaly", "1.00", "0.40", "met"],
    ]  # fmt: skip


def test_without_pytorch_watched_loops_are_left_out_with_a_sentence(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["watch"]) == 0
    assert "left out, because PyTorch is not installed" in capsys.readouterr().out


# Memory for time.


def test_more_segments_need_less_until_the_results_between_them_weigh_more():
    arrays = deep_arrays(layers=64, width=16, batch=512)
    peak = {t.segments: t.bytes for t in trade((0, 1, 4, 8, 64), arrays)}
    assert peak[8] < peak[4] < peak[1] and peak[8] < peak[64]
    assert peak[8] < peak[0] / 3
    assert peak[1] > peak[0] * 0.9  # one segment is the whole: it is only computed twice


def test_the_result_does_not_depend_on_the_segments():
    import minigrad as mg
    from benchmarks.peers import same
    from benchmarks.recompute import in_segments
    from benchmarks.workloads.deep import deep_by_hand

    arrays = deep_arrays(layers=10, width=4, batch=3)
    for segments in (0, 1, 3, 10):
        result = mg.value_and_grad(in_segments(segments, 10), tuple(range(20)))(*arrays)
        assert same(result, deep_by_hand(*arrays))


def test_the_table_of_pictures_in_a_browser_has_ratios_and_goals():
    table, aims = stage_section([Staged("a chain", 100.0, 8.0, 2.0, 70_000)]).grids
    assert table.rows == [["a chain", "100 ms", "8.0 ms", "4.00", "70.0 kB"]]
    assert [row[3:] for row in aims.rows] == [
        ["150", "100", "met"], ["16.67", "8.00", "met"], ["60.00", "70.00", "missed"],
    ]  # fmt: skip
    assert "no Chromium" in str(stage_section([]).grids[0].rows)
