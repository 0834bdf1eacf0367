"""The habits of language that `tests.words` counts become fewer: a limit here may fall, and never rise."""

import re
from collections import Counter

import pytest

from tests import words

#: The maximum number of each habit in the engine's packages and the guides.
HABITS = {
    "is no NOUN": 12, "PREPOSITION which": 15, "fronted Of": 0, "beside": 4, "alone for only": 0,
    "in place of": 0, "that of, those of": 19, "where for if": 24, "as for because": 13, "stands for is": 1,
    "tell, say": 19, "what as a subject": 15, "of its own": 5, "turn for iteration": 6, "births": 3,
}  # fmt: skip
#: The maximum number of names of every kind of result, in the code of the engine's packages and in all code.
ENGINE, ALL = 45, 961
#: Of these, found, given and known in all code: hypothesis' `given`, and a key of the sealed answers.
FOUND_GIVEN_KNOWN = 6
#: The names that Python gives to files, which packages share.
PYTHONS = {"__init__", "__main__"}
#: The pass of the engine and the view of it: both are what a reader looks for under this name.
SHARED = {"backward"}


def test_habits_of_language_become_fewer():
    count = words.habits()
    assert {name: (count[name], most) for name, most in HABITS.items() if count[name] > most} == {}
    assert set(count) == set(HABITS)


def test_names_say_what_they_hold():
    assert sum(words.names(*(f"minigrad/{room}" for room in words.ROOMS)).values()) <= ENGINE
    everywhere = words.names("minigrad", "viz")
    assert sum(everywhere.values()) <= ALL
    assert everywhere["found"] + everywhere["given"] + everywhere["known"] <= FOUND_GIVEN_KNOWN


def test_files_have_names_of_their_own():
    names = Counter(path.stem for path in words.files("minigrad", "viz") if path.stem not in PYTHONS)
    assert {name for name, count in names.items() if count > 1} == SHARED


@pytest.mark.parametrize(
    ("habit", "text", "count"),
    [
        ("is no NOUN", "it is no index, and there are no longer any", 1),
        ("fronted Of", "It is drawn. Of a pass, the last step is kept", 1),
        ("where for if", '"" where none does; x where y < 0', 1),
        ("what as a subject", "What is kept is freed", 1),
        ("of its own", "a process of its own; its own process", 1),
    ],
)
def test_each_habit_is_noticed(habit, text, count):
    assert len(re.findall(words.HABITS[habit], text)) == count


def test_docstrings_and_messages_are_counted_each_once(tmp_path):
    path = tmp_path / "one.py"
    path.write_text('"""Of a pass."""\ndef f(x):\n    """Return x."""\n    raise E(f"the number {x} is too large")\n')
    assert words.texts(path) == ["Of a pass.", "Return x.", "the number X is too large"]
