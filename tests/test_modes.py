"""The quick tests and the rest are all tests; a test in both goes through more rows in the second."""

import subprocess
import sys

from tests.test_house import ROOT

FILES = ["tests/bridges/test_spelling.py", "tests/core/test_structure.py", "tests/browser/test_source.py"]


def collected(*options):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *FILES, *options]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in lines if "::" in line]


def test_the_quick_tests_and_the_rest_are_all():
    whole, quick, rest = collected(), collected("--quick"), collected("--rest")
    assert quick and sorted({*quick, *rest}) == sorted(whole)
    twice = {test.partition("::")[0] for test in {*quick} & {*rest}}
    assert twice == {"tests/bridges/test_spelling.py"}  # it takes a few rows of tables in the quick mode
    assert any("[" in test for test in {*rest} - {*quick}) and any("browser" in test for test in {*rest} - {*quick})


def test_after_its_minutes_no_test_begins_and_those_left_out_are_counted():
    command = [sys.executable, "-m", "pytest", "-q", "-ra", "-p", "no:cacheprovider", FILES[1], "-n", "0"]
    for minutes, words in (("0", "left out: the minutes that --minutes gives are over"), ("9", "passed")):
        run = subprocess.run([*command, "--minutes", minutes], cwd=ROOT, capture_output=True, text=True)
        assert run.returncode == 0 and words in run.stdout, run.stdout
        assert ("passed" in run.stdout) == (minutes == "9")
