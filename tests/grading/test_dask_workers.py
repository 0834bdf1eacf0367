"""The files of an assignment or a lesson that are sent to a remote worker."""

from minigrad.grading.dask_workers import files_of


def put(top, *names):
    for name in names:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(name, encoding="utf-8")


def test_the_files_of_an_assignment_without_what_is_released(tmp_path):
    kept = ["checks.py", "hw1.py", "data/points.csv"]
    put(tmp_path, *kept, "release/hw1.ipynb", "release/hw1/checks.py", "__pycache__/checks.pyc")
    assert files_of(tmp_path) == {name: name.encode() for name in kept}


def test_the_files_of_a_lesson_are_those_of_its_number(tmp_path):
    put(tmp_path, "07_checks.py", "07_sealed.json", "08_checks.py", "lesson.py")
    assert files_of(tmp_path / "07_checks.py") == {n: n.encode() for n in ("07_checks.py", "07_sealed.json")}
