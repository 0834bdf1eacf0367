"""How many answers of students the tests hold. Run as ``python -m tests.lessons.count_answers``."""

from collections import Counter

from tests.lessons.test_answers import SOURCES, answers_to
from tests.lessons.test_spellings_of_samples import SPELLINGS


def counted():
    """The answers by where they are kept and whether they are right; each is there once."""
    found = Counter()
    for number, source in SOURCES.items():
        for answer in {(row.exercise, row.right, row.code) for row in answers_to(source)}:
            found[f"lesson {number}", answer[1]] += 1
    for kind, sources in SPELLINGS.items():
        found[kind.split()[0], True] += len(set(sources))
    return found


if __name__ == "__main__":
    for place in sorted({place for place, _ in counted()}):
        print(f"{place:10}  {counted()[place, True]:4} right  {counted()[place, False]:4} wrong")
    right, wrong = (sum(n for (_, is_right), n in counted().items() if is_right is want) for want in (True, False))
    print(f"together    {right} right  {wrong} wrong, {right + wrong} in all")
