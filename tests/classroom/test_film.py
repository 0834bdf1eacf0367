"""A wrong walk or rule is shown as its pass, opened at its first wrong message, next to the true one."""

import pytest

import minigrad as mg
from minigrad.classroom import lesson
from minigrad.classroom.verdict import Verdict
from tests.classroom.test_own_engine import WALK, notebook


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


WALKS = [
    (("+=", "="), "y sends x 3. 3, 3 arrived at x, together 6. But x holds 3."),
    (("reverse=True", "reverse=False"), "scale sends x 0; true: 2."),
    (("adjoint[y] = FACTOR", "adjoint[y] = 2.0 * FACTOR"), "y sends x 6; true: 3."),
    (("zip(node.parents, node.slopes)", "set(zip(node.parents, node.slopes))"), "y sends x nothing; true: 3."),
]


@pytest.mark.parametrize(("change", "words"), WALKS)
def test_a_wrong_walk_over_nodes_is_a_film(change, words):
    verdict = lesson("04")("backward", notebook(WALK.replace(*change))["backward"])
    assert verdict.status == "wrong"
    assert verdict.film.wrong == words
    assert f"The first wrong message: {words}" in verdict.to_text()
    html = verdict._repr_mimebundle_()["text/html"]
    assert "<b>The first wrong message:</b>" in html and "Your pass and the true one" in html


def test_a_walk_that_tells_is_drawn_by_what_it_tells():
    told = WALK.replace("adjoint[parent] += adjoint[node] * slope", "adjoint[parent] += adjoint[node]")
    told = (
        told.replace("    return adjoint\n", "")
        + "            tell(node, i, adjoint[node], adjoint[parent])\n    return adjoint\n"
    )
    verdict = lesson("04")("backward", notebook(told)["backward"])
    assert verdict.film.wrong == "y sends x 1; true: 3."


def first_come(rows):
    gradients, queue = [0.0] * len(rows), [len(rows) - 1]
    gradients[-1] = 1.0
    for row in queue:
        for argument, slope in rows[row]:
            gradients[argument] += gradients[row] * slope
            queue += [argument] * (argument not in queue)
    return gradients


def test_a_wrong_walk_over_rows_is_a_film():
    verdict = lesson("02")("backprop", first_come)
    assert verdict.film.wrong == "multiply#1 sends x 2; true: 26."
    yours, true = verdict.film._lanes
    assert (yours.name, true.name) == ("yours", "true")
    moment = yours.moments[verdict.film._opening()]
    assert moment.message.value == "2 ≠ 26" and "Wrong: multiply#1 sends x 2; true: 26." in moment.words


@mg.custom_gradient
def safe_sqrt(x):
    y = mg.sqrt(x)
    return y, lambda upstream: upstream * 0.5 * y


def test_a_wrong_rule_is_a_film_that_opens_where_it_sends():
    verdict = lesson("07")("safe_sqrt", safe_sqrt)
    assert verdict.film.wrong == ("safe_sqrt sends x 1; true: 0.25",)
    assert "≠ 0.25" in verdict.film._lanes[0].moments[verdict.film._opening()].message.value


@pytest.mark.parametrize(
    ("number", "name", "answer"),
    [
        ("04", "backward", notebook(WALK)["backward"]),
        ("04", "backward", lambda y: 1 / 0),
        ("04", "backward", lambda y: [x for x in iter(int, 1)]),
        ("04", "order_nodes", lambda y: [y]),
        ("02", "backprop", lambda rows: None),
    ],
)
def test_what_has_no_film(number, name, answer):
    assert lesson(number)(name, answer).film is None


def test_a_wrong_rule_of_an_array_is_told():
    @mg.custom_gradient
    def robust_middle(x):
        y = mg.mean(x)
        for _ in range(60):
            w = 1 / mg.sqrt(1 + ((x - y) / 3) ** 2)
            y = mg.sum(w * x) / mg.sum(w)
        return y, lambda upstream: upstream * w / mg.sum(w)

    verdict = lesson("14")("robust_middle", robust_middle)
    assert verdict.status == "wrong" and [line.right for line in verdict.lines[:2]] == [True, False]
    assert "the true one" in verdict.to_text()


def curve_and_pass():
    verdict = lesson("07")("safe_sqrt", safe_sqrt)
    return [kind for kind, _ in verdict.parts]


def test_a_verdict_has_one_picture():
    assert curve_and_pass().count("film") == 1 and "picture" not in curve_and_pass()


def test_a_printed_text_is_shown_by_its_first_lines():
    verdict = Verdict("f", "wrong", printed="\n".join(f"line {i}" for i in range(50)))
    assert verdict.to_text().splitlines()[-4:] == ["    line 0", "    line 1", "    line 2", "    (47 more lines)"]
