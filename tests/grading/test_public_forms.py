"""Three further cases of each kind that a class brings, in the forms that platforms document and people report."""

import os
import re

import pytest

from minigrad.grading.judge import Judge
from minigrad.grading.platforms import seconds
from minigrad.grading.roster import read_roster_text
from minigrad.grading.submissions import submissions_in
from minigrad.runner.cell_statements import statements
from tests.grading.test_platforms import ROSTER, counted, export, notebook, unpacked
from tests.grading.test_unseen_answers import HW7
from tests.grading.test_written_text import CHECKS, NOTEBOOK
from tests.helpers.submissions import of_cells

CANVAS = read_roster_text(
    "Student,ID,SIS User ID,SIS Login ID,Section,hw1 (77)\n    Points Possible,,,,,3\n"
    '"Adams, Ada",501,0007,ada,A,\n"Brown, Ben",502,0008,ben,A,\n"Student, Test",599,,abc,A,'
)


# Whose file


def test_groups_of_canvas_have_the_number_of_the_one_who_submitted(tmp_path):
    """Canvas: the name of a group, in small letters without signs, then the user's number."""
    names = ["3musketeers_501_9001_hw1.ipynb", "code_ninjas_LATE_502_9002_hw1.ipynb"]
    found = submissions_in(export(tmp_path / "x.zip", names), "hw1", CANVAS)
    assert counted(found) == {"501": names[0], "502": names[1]} and found.unplaced == {}
    other = read_roster_text("student,name\n501,Ada Adams\n502,Ben Brown")
    found = submissions_in(tmp_path / "x.zip", "hw1", other)
    assert set(found.missing) == {"501", "502"}, "a number of another system is nobody's"


def test_files_that_all_have_the_name_of_the_assignment_are_nobodys(tmp_path):
    """A folder of Google Drive, in which each student's Colab notebook has the name that Colab gave it."""
    names = ["hw1.ipynb", "hw1 (1).ipynb", "Copy of hw1.ipynb", "Copy of Copy of hw1.ipynb"]
    found = submissions_in(export(tmp_path / "x.zip", names), "hw1", ROSTER)
    assert found.missing == ("ada", "ben", "cy") and len(found.unplaced) == 4
    assert all("does not name a student" in why for _, why in found.unplaced.values())


def test_a_middle_name_and_two_family_names_are_the_same_person(tmp_path):
    roster = read_roster_text("student,name\ns1,Ana María García López\ns2,Jean-Luc Le Goff\ns3,Nguyễn Văn An")
    names = [f"{name}_{n}_assignsubmission_file/hw1.ipynb" for n, name in enumerate(
        ["Ana María García López", "LE GOFF Jean-Luc", "An Nguyễn Văn"])]  # fmt: skip
    found = submissions_in(export(tmp_path / "x.zip", names), "hw1", roster)
    assert counted(found) == dict(zip(("s1", "s2", "s3"), names))


@pytest.mark.parametrize("folder", ["hw1-collected", "hw1_2026", "HW1-all"])
def test_a_folder_of_the_class_that_is_named_after_the_assignment_is_no_repository(folder, tmp_path):
    """CoCalc collects into `hw1-collected`, with a folder for each student; GitHub Classroom clones `hw1-ada`."""
    names = [f"{folder}/Ada Adams/hw1.ipynb", f"{folder}/ben/hw1.ipynb"]
    assert counted(submissions_in(export(tmp_path / "x.zip", names), "hw1", ROSTER)) == dict(zip(("ada", "ben"), names))
    one = export(tmp_path / "y.zip", ["hw1-ada/hw1.ipynb", "hw1-ada/scratch/x.ipynb"])
    assert counted(submissions_in(one, "hw1", ROSTER)) == {"ada": "hw1-ada/hw1.ipynb"}


def test_a_name_in_a_zip_file_that_does_not_say_it_is_utf_8_is_read(tmp_path):
    """The Finder of macOS and several libraries write names in UTF-8 without the mark that says so."""
    names = ["José Ñúñez_7_assignsubmission_file/hw1.ipynb", "李小龙_8_assignsubmission_file/hw1.ipynb", "a/hw1.ipynb"]
    data = bytearray(export(tmp_path / "x.zip", names).read_bytes())
    for mark, at in ((b"PK\3\4", 7), (b"PK\1\2", 9)):
        for found in re.finditer(re.escape(mark), bytes(data)):
            data[found.start() + at] &= ~8
    (tmp_path / "x.zip").write_bytes(data)
    roster = read_roster_text("student,name\njn,José Ñúñez\nxl,李小龙\na,A")
    assert counted(submissions_in(tmp_path / "x.zip", "hw1", roster)) == dict(zip(("jn", "xl", "a"), names))


@pytest.mark.parametrize("unpack", [False, True])
def test_a_folder_with_hidden_files_only_is_a_row(unpack, tmp_path):
    names = ["ada/.ipynb_checkpoints/hw1-checkpoint.ipynb", "ben/.hw1.ipynb", "cy/hw1.ipynb", "__MACOSX/cy/._hw1.ipynb"]
    where = export(tmp_path / "x.zip", names)
    found = submissions_in(unpacked(where) if unpack else where, "hw1", ROSTER)
    none = "no notebook among the files: (only hidden files)"
    assert counted(found) == {"ada": none, "ben": none, "cy": "cy/hw1.ipynb"} and found.left_out == {}


# When


@pytest.mark.parametrize("zone", ["EST", "CET", "America/New_York", "+25:00"])
def test_a_time_in_a_zone_that_is_not_known_is_not_known(zone):
    """nbgrader writes the zone of its configuration into timestamp.txt."""
    assert seconds(f"2026-02-01 10:00:00 {zone}") is None
    assert seconds("2026-02-01 10:00:00.123456 UTC") == seconds("2026-02-01 11:00:00 +0100") + 0.123456


def test_one_notebook_that_the_teacher_opened_makes_no_others_late(tmp_path):
    """JupyterLab saves what it opens: of an unpacked export one file is newer, all others are as old as the copy."""
    where = unpacked(export(tmp_path / "x.zip", [f"{who}/hw1.ipynb" for who in ("ada", "ben", "cy")]))
    for n, who in enumerate(("ada", "ben", "cy")):
        os.utime(where / who / "hw1.ipynb", (1e9, 1e9 + 90_000 * (n == 2)))
    found = submissions_in(where, "hw1", ROSTER)
    assert [s.received for s in found.submissions] == [None] * 3 and "within" in found.times


def test_a_date_in_another_language_is_not_known_and_costs_nothing(tmp_path):
    names = ["93-1 - Ada Adams - 20 novembre, 2026 2348/hw1.ipynb", "94-1 - Ben Brown - Nov 20, 2026 1148 PM/hw1.ipynb"]
    ada, ben = submissions_in(export(tmp_path / "x.zip", names), "hw1", ROSTER).submissions
    assert (ada.student, ada.received, ben.student) == ("ada", None, "ben") and ben.received is not None


# Which file


def test_what_a_mac_and_jupyter_put_into_a_zip_file_does_not_count(tmp_path):
    inner = export(tmp_path / "in.zip", {"hw1/hw1.ipynb": None, "__MACOSX/hw1/._hw1.ipynb": b"\0\5\x16\7Mac OS X",
        "hw1/.ipynb_checkpoints/hw1-checkpoint.ipynb": notebook("old")})  # fmt: skip
    found = submissions_in(export(tmp_path / "x.zip", {"ada/all.zip": inner.read_bytes()}), "hw1", ROSTER)
    assert counted(found) == {"ada": "hw1/hw1.ipynb"}


@pytest.mark.parametrize(
    ("names", "counts", "why"),
    [
        (["2/hw1.ipynb", "10/hw1.ipynb", "9/hw1.ipynb"], "10/hw1.ipynb", "the last by name"),  # Submitty's versions
        (["hw1 (2).ipynb", "hw1 (10).ipynb"], "hw1 (10).ipynb", "the last by name"),
        (["old/hw1.ipynb", "hw1.ipynb"], "hw1.ipynb", "in a folder further down"),
        (["z/z/hw1.ipynb", "a/hw1.ipynb"], "a/hw1.ipynb", "in a folder further down"),
    ],
)
def test_of_files_with_one_time_the_last_number_counts_and_a_copy_further_down_does_not(names, counts, why, tmp_path):
    all_names = [f"ada/{name}" for name in names] + ["ben/hw1.ipynb"]
    found = submissions_in(export(tmp_path / "x.zip", all_names), "hw1", ROSTER)
    assert counted(found)["ada"] == f"ada/{counts}" and why in found.submissions[0].notes[0]


def test_a_text_that_was_typed_into_canvas_is_the_students_without_a_notebook(tmp_path):
    """Canvas: `name_number_text.html` and `name_number_link.html` have no number of a file."""
    names = {"adamsada_501_text.html": b"<html>", "brownben_LATE_502_link.html": b"<html>"}
    found = submissions_in(export(tmp_path / "x.zip", names), "hw1", CANVAS)
    none = "no notebook among the files: {}"
    assert counted(found) == {"501": none.format("text.html"), "502": none.format("link.html")}
    found = submissions_in(export(tmp_path / "y.zip", {"adamsada_501_9001_hw1.ipynb": None, **names}), "hw1", CANVAS)
    assert counted(found)["501"] == "adamsada_501_9001_hw1.ipynb"


def test_a_page_that_was_exported_from_the_notebook_is_none(tmp_path):
    names = {"ada/hw1.html": b"<!DOCTYPE html>", "ada/hw1.py": b"x", "ben/hw1.html": b"<html>", "ben/hw1.ipynb": None}
    found = submissions_in(export(tmp_path / "x.zip", names), "hw1", ROSTER)
    assert counted(found) == {"ada": "no notebook among the files: hw1.html", "ben": "ben/hw1.ipynb"}
    assert "not read, because they are not notebooks: hw1.html" in found.submissions[1].notes


# Text for a person

TEXT = "Both sides are computed, so 0 times inf is nan."


@pytest.fixture(scope="module")
def reading(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "hw1"
    folder.mkdir()
    (folder / "checks.py").write_text(CHECKS)
    (folder / "hw1.py").write_text(NOTEBOOK)
    with Judge(folder) as judge:
        yield judge


@pytest.mark.parametrize(
    "source",
    [
        f'Why = "{TEXT}"\ncheck("why")',
        f'answer = "{TEXT}"',
        f'def why():\n    """{TEXT}"""',
        f'why = print("{TEXT}")',
        f'from IPython.display import Markdown\nMarkdown("{TEXT}")',
        f"%%markdown\n{TEXT}",
        'why = ("Both sides are computed, " f"so {0} times inf is nan."\ncheck("why")',
    ],
)
def test_text_under_another_name_or_in_a_magic_is_to_read(source, reading):
    (mark,) = reading.judge(of_cells(("code", source, "why"))).results
    assert mark.state == "to read" and "Both sides are computed" in mark.code


# Lines that begin with %

LINES = {
    "text = ('%d %%'\n        % 3)": {"text": "3 %"},
    "k = [17\n     % n for n in (5, 6)]": {"k": [2, 5]},
    "%%time\n\n%matplotlib inline\ntext = '''%s\n%d\n''' % (1, 2)": {"text": "1\n2\n"},
    "x = 7; y = x \\\n  % 4 # 3": {"x": 7, "y": 3},
    "%config InlineBackend.figure_format = 'retina'\nk = {'a':\n%s}": None,
    "%%html\n<b>100 %</b>": {},
    "def g(n):\n    '''\n    % of n\n    '''\n    return (n\n% 3)\nk = g(5)\ndel g": {"k": 2},
}


@pytest.mark.parametrize("source", LINES)
def test_a_line_that_begins_with_a_percent_sign_is_read_as_in_a_notebook(source):
    space = {}
    for code in statements(source, 1)[0]:
        exec(code, space)
    space.pop("__builtins__", None)
    assert space == (LINES[source] or {})


# An answer that is lost at the end

RULE = "@mg.custom_gradient\ndef xlogx(x):\n    l = mg.log(mg.where(x > 0, x, 1.0))\n    return x * l, lambda u: "
RULE += "mg.where(x > 0, u * (l + 1), 0.0)"
START = "import minigrad as mg\nfrom minigrad.classroom import assignment\ncheck = assignment('hw7')"
LOST = [
    "try:\n    1 / 0\nexcept ZeroDivisionError as xlogx:\n    print(xlogx)",
    "[xlogx := n for n in range(3)]",
    "with open('/dev/null') as xlogx:\n    pass",
    "import math as xlogx",
    "class xlogx: pass",
    "match 3:\n    case xlogx: pass",
]


@pytest.fixture(scope="module")
def hw7():
    with Judge(HW7) as judge:
        yield judge


@pytest.mark.parametrize("after", LOST)
def test_an_answer_that_is_lost_at_the_end_is_named(after, hw7):
    cells = [("code", START, None), ("code", RULE, "xlogx"), ("code", after, None)]
    report = hw7.judge(of_cells(*cells), only=["xlogx"])
    (mark,) = [mark for mark in report.results if mark.exercise == "xlogx"]
    assert mark.marks == 0.0 and "cell 3" in " ".join([*report.notes, mark.words]).lower()


# The wrong file


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([("code", "check = lesson('07')", None), ("code", "x = 1", "safe_sqrt")], "safe_sqrt"),
        ([("code", "import pandas as pd\ndf = pd.DataFrame()", None)], "Nothing is answered"),
        ([("markdown", "# My essay", None)], "Nothing is answered"),
    ],
)
def test_another_notebook_is_told(cells, words, hw7):
    report = hw7.judge(of_cells(*cells))
    assert report.marks == 0.0 and words in " ".join(report.notes)


# Rosters


@pytest.mark.parametrize(
    ("text", "students"),
    [
        ("identifier,github_username,github_id,name\nada@x,adalove,77,\nben@x,benb,78,\n", ["ada@x", "ben@x"]),
        ('Last Name\tFirst Name\tUsername\tStudent ID\tAvailability\thw1 [Total Pts: 9 Score] |12345\n'
         'Adams\tAda\tadalove\t7\tYes\t\nBrown\tBen\tbenb\t8\tYes\t', ["7", "8"]),
        ("First name,Surname,ID number,Institution,Department,Email address,Assignment: hw1 (Real)\n"
         "Ada,Adams,,,,adalove@x,-\nAda,Brown,,,,benb@x,-", ["adalove@x", "benb@x"]),
        ("First Name,Last Name,SID,Email,Role\nAda,Adams,7,adalove@x,Student\nBen,Brown,8,benb@x,Student", ["7", "8"]),
    ],
    ids=["GitHub Classroom", "Blackboard", "Moodle's gradebook", "Gradescope"],
)  # fmt: skip
def test_rosters_that_platforms_export(text, students, tmp_path):
    roster = read_roster_text(text)
    assert list(roster.rows) == students and roster.skipped == ()
    assert roster.fits("adalove") == (students[0],) and roster.fits("benb") == (students[1],)
