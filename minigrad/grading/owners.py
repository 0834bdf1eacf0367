"""The owners of files: `placed` finds the student for each person in an export.

The teacher's decision comes first, then a login, then a name. Two people are never merged because their names are
similar.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .platforms import Owner
from .roster import Roster

ABSENT = "not in the roster"
_SURE, _EXACT, _SIMILAR = 3, 2, 1


@dataclass(frozen=True)
class Placement:
    """The student matched to a person in an export, or a name for the person if the student is unknown.

    why : the reason why the student is unknown. nobody : whether the teacher decided that the person is not a student.
    """

    student: str
    why: str = ""
    nobody: bool = False
    certainty: int = 0


def placed(
    people: Mapping[str, Owner], roster: Roster | None = None, decided: Mapping[str, str] | None = None
) -> dict[str, Placement]:
    """Find the student for each person in an export.

    people : `Owner.person` -> the owner, as read from the paths. decided : person or name -> the student whom the
        teacher chose, or "" for nobody.

    >>> from .platforms import owner
    >>> from .roster import read_roster_text
    >>> roster = read_roster_text("id,name\\nal1,Ada Adams\\nal2,Ada Adams\\nbb2,Ben Brown")
    >>> people = {p.person: p for p in (owner((name, "hw1.ipynb")) for name in ("ben brown", "Ada Adams"))}
    >>> for place in placed(people, roster).values():
    ...     print([place.student, place.why])
    ['bb2', '']
    ['Ada Adams', 'the name fits al1 and al2']
    """
    named = Counter(whose.name for whose in people.values())
    places = {person: _place(whose, named, roster, decided or {}) for person, whose in people.items()}
    of: dict[str, list[str]] = defaultdict(list)
    for person, place in places.items():
        if place.student:
            of[place.student].append(person)
    for student, persons in of.items():
        best = max(places[person].certainty for person in persons)
        names = Counter(people[person].name for person in persons if places[person].certainty == best)
        for person in persons if len(persons) > 1 else ():
            certainty, others = places[person].certainty, ", ".join(each for each in persons if each != person)
            alone = certainty == best and list(names.values()) == [1]
            if not (alone or certainty == _SURE or (certainty == best == _EXACT and names[people[person].name] == 1)):
                places[person] = Placement("", f"the name is similar to {student}, and so is {others}")
    return _labelled(places, people, set(roster.rows if roster else ()))


def _place(whose: Owner, named: Mapping[str, int], roster: Roster | None, decided: Mapping[str, str]) -> Placement:
    namesakes = {fit for name in whose.names for fit in roster.fits(name)} if roster else set()
    only = named[whose.name] == 1 and len(namesakes) < 2
    choice = decided.get(whose.person, decided.get(whose.name) if only else None)
    if choice is not None:
        return Placement(choice, nobody=not choice, certainty=_SURE)
    if roster is None:
        return Placement("", whose.note if not whose.names else "")
    for login in whose.logins:
        if len(fits := roster.fits(login)) == 1:
            return Placement(fits[0], certainty=_SURE)
    several: tuple[str, ...] = ()
    for name in whose.names:
        fits = roster.fits(name)
        if len(fits) > 1 and whose.id:
            fits = tuple(fit for fit in fits if whose.id in roster.rows[fit].values()) or fits
        if len(fits) == 1:
            exact = name == whose.names[0] and roster.is_exact(name, fits[0])
            return Placement(fits[0], certainty=_EXACT if exact else _SIMILAR)
        several = several or fits
    if several:
        return Placement("", f"the name fits {' and '.join(several[:4])}")
    if len(fits := roster.of_platform(whose.shape.roster, whose.id)) == 1:  # the only way to find a group
        return Placement(fits[0], certainty=_SURE)
    return Placement("", ABSENT if whose.names else whose.note)


def _labelled(places: Mapping[str, Placement], people: Mapping[str, Owner], taken: set[str]) -> dict[str, Placement]:
    """Return the placements, with a unique name as the student of each person who matches no student.

    taken : the names that are already in use.
    """
    short = Counter(people[person].short for person, place in places.items() if not place.student)
    labelled: dict[str, Placement] = {}
    for person, place in places.items():
        if not place.student:
            label = people[person].short
            label = person if short[label] > 1 or label in taken else label
            place = replace(place, student=f"{label} (not placed)" if label in taken else label)
        labelled[person] = place
    return labelled
