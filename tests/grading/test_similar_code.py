"""Copies are found, also with changed names; code that everybody has, or that was handed out, is ignored."""

from minigrad.grading.similar_code import similar_pairs

SQRT = """
def safe_sqrt(x):
    y = mg.sqrt(x)  # the root itself
    harmless = mg.where(y > 0, y, 1.0)

    def grad(upstream):
        slope = 0.5 / harmless
        return mg.where(x > 0, upstream * slope, 0.0)

    return y, grad
"""
OTHER = """
def safe_sqrt(value):
    root = mg.sqrt(value)

    def grad(dy):
        return mg.where(value > 0, dy / (2 * root + (value <= 0)), 0 * dy)

    return root, grad
"""


def test_a_copy_is_found_with_how_much_is_shared():
    (pair,) = similar_pairs({"ada": SQRT, "bob": SQRT, "eve": OTHER})
    assert pair.students == ("ada", "bob") and pair.shared == pair.of > 30
    assert "ada and bob share" in str(pair) and str(pair).endswith("(as written)")


def test_a_copy_with_other_names_and_without_comments_is_found():
    renamed = (
        SQRT.replace("harmless", "z").replace("slope", "k").replace("y ", "root ").replace("  # the root itself", "")
    )
    (pair,) = similar_pairs({"ada": SQRT, "bob": renamed, "eve": OTHER})
    assert pair.students == ("ada", "bob") and pair.reading == "with other names"


def test_answers_of_their_own_are_not_alike():
    assert similar_pairs({"ada": SQRT, "eve": OTHER}) == []


def test_what_was_handed_out_does_not_count():
    own = {name: f"{SQRT}\nlimit_{name} = {n}" for n, name in enumerate(("ada", "bob"))}
    assert similar_pairs(own) and similar_pairs(own, handed_out=SQRT) == []


def test_what_many_have_does_not_count():
    assert similar_pairs({f"student {n}": SQRT for n in range(5)}) == []
    assert len(similar_pairs({f"student {n}": SQRT for n in range(4)})) == 6


def test_code_that_cannot_be_read_is_read_as_far_as_it_goes():
    broken = SQRT + "\ndef f(:\n    '''"
    assert [pair.students for pair in similar_pairs({"ada": broken, "bob": SQRT})] == [("ada", "bob")]
    assert similar_pairs({"ada": "\x00", "bob": ""}) == []
