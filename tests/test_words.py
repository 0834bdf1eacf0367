"""The habits of language that `tests.words` counts become fewer: a limit here may fall, and never rise."""

import re
from collections import Counter
from operator import gt

import pytest

from tests import words

#: The maximum number of each habit in the engine's packages and the guides, and in the packages around the engine.
HABITS = {
    "is no NOUN": (9, 40), "PREPOSITION which": (4, 64), "fronted Of": (0, 0), "beside": (1, 13),
    "alone for only": (0, 0), "in place of": (0, 0), "that of, those of": (4, 13), "where for if": (15, 22),
    "as for because": (11, 17), "stands for is": (0, 2), "tell, say": (12, 50), "what as a subject": (3, 4),
    "of its own": (1, 11), "turn for iteration": (2, 7), "births": (3, 2),
}  # fmt: skip
#: The maximum number of each habit in the text of the lessons and the guides next to them: 30,000 words that also use
#: these words in their plain meaning, as in "What is y then?" and "the test tells you".
COURSE = {
    "is no NOUN": 4, "PREPOSITION which": 3, "fronted Of": 1, "beside": 1, "alone for only": 3, "in place of": 0,
    "that of, those of": 2, "where for if": 26, "as for because": 8, "stands for is": 3, "tell, say": 55,
    "what as a subject": 35, "of its own": 4, "turn for iteration": 8, "births": 0,
}  # fmt: skip
#: The maximum number of names of every kind of result, in the code of the engine's packages and in all code.
ENGINE, ALL = 45, 919
#: Of these, found, given and known in all code: hypothesis' `given`, and a key of the sealed answers.
FOUND_GIVEN_KNOWN = 6
#: The names that Python gives to files, which packages share.
PYTHONS = {"__init__", "__main__"}
#: The pass of the engine and the view of it: both are what a reader looks for under this name.
SHARED = {"backward"}


def test_habits_of_language_become_fewer():
    course = words.habits(guides=words.COURSE)
    assert {name: count for name, count in course.items() if count > COURSE[name]} == {}
    counts = words.habits(), words.habits(words.AROUND)
    counted = {name: tuple(count[name] for count in counts) for name in words.HABITS}
    assert {name: most for name, most in HABITS.items() if any(map(gt, counted[name], most))} == {}, counted
    assert set(counted) == set(HABITS)


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
