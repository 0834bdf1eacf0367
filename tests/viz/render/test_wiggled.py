"""The wiggle of an input: how far each number moves with it, by the slopes."""

import re

import numpy as np
import pytest

import minigrad as mg
import viz
from viz.hosts.saved import DIGITS, as_digits


def wiggle(f, **inputs):
    with np.errstate(all="ignore"):
        return viz.backward(f, **inputs, mode="wiggle")


def moments(view):
    return [moment.words for moment in view._opened(view._lanes[0]).moments]


def last_words(view):
    return moments(view)[-1]


@pytest.mark.parametrize(
    "f, inputs, slope",
    [
        (lambda x: x * x * x, {"x": 2.0}, "12"),
        (lambda x, w: mg.exp(x * w), {"x": 0.0, "w": -3.0}, "-3"),
        (lambda x, w: x / w, {"x": 1.0, "w": 4.0}, "0.25"),
        (lambda x: mg.abs(x), {"x": -2.0}, "-1"),
        (lambda x: 1.0 - 2.0 * x, {"x": 5.0}, "-2"),
        (lambda x: mg.square(x), {"x": 0.0}, "0"),
        (lambda x: mg.sqrt(x), {"x": 0.25}, "1"),
    ],
)
def test_the_result_moves_by_its_slope(f, inputs, slope):
    view = wiggle(f, **inputs)
    assert last_words(view).endswith(f"= {slope} times as far.")
    assert f"δ {slope}<" in view.to_svg()


def test_what_does_not_move_with_the_first_input_is_said():
    assert moments(wiggle(lambda x, w: x * mg.exp(w), x=2.0, w=0.0)) == [
        "x takes a tiny step: how far does each number move, as a multiple of it?",
        "A tiny step of x does not move w, by the slopes.",
        "A tiny step of x does not move exp, by the slopes.",
        "By the slopes, a tiny step of x moves multiply 1 · 1 = 1 times as far.",
    ]


def test_minus_and_sums_are_written_out():
    assert last_words(wiggle(lambda x: x - x * x, x=3.0)).endswith("1 · 1 + 6 · -1 = -5 times as far.")
    assert last_words(wiggle(lambda x: x + x * -2.0, x=3.0)).endswith("1 · 1 - 2 · 1 = -1 times as far.")


def test_a_slope_that_is_no_number_moves_nothing_by_a_number():
    words = last_words(wiggle(lambda x: mg.log(1 + mg.exp(x)), x=100.0))
    assert words == "By the slopes, it cannot be said how far a tiny step of x moves log: inf · 0 = nan."
    assert last_words(wiggle(lambda x: mg.sqrt(x), x=0.0)).endswith(
        "it cannot be said how far a tiny step of x moves sqrt: 1 · inf = inf."
    )


@pytest.mark.parametrize(
    "f, x, reason",
    [
        (mg.custom_gradient(lambda x: (mg.exp(x), lambda up: up)), 1.0, "has a rule instead of a slope"),
        (lambda x: mg.stop_gradient(x) * 3.0, 1.0, "no gradient reaches an input"),
    ],
)
def test_where_there_is_no_wiggle_the_error_says_why(f, x, reason):
    with pytest.raises(ValueError, match="needs numbers with a slope at each op, or arrays; here") as e:
        wiggle(f, x=x)
    assert reason in str(e.value)


@pytest.mark.parametrize(
    "f, plain, x",
    [
        (
            lambda x: mg.sum(mg.exp(x) / mg.sum(mg.exp(x)) * x),
            lambda x: np.sum(np.exp(x) / np.exp(x).sum() * x),
            [1, 2],
        ),
        (lambda x: mg.sum(mg.tanh(x @ x)), lambda x: np.tanh(x @ x).sum(), [[0.1, 0.2], [0.3, 0.4]]),
        (lambda x: mg.sum(mg.cumsum(x) ** 3), lambda x: (np.cumsum(x) ** 3).sum(), np.arange(70) / 70),
        (mg.custom_gradient(lambda x: (mg.sum(x * x), lambda up: 9 * up * x)), lambda x: (x * x).sum(), [3, 1]),
    ],
)
def test_an_array_moves_the_result_as_a_difference_in_numpy_says(f, plain, x):
    x = np.float32(x)
    view, wide = wiggle(f, x=x), np.float64(x)
    h = np.zeros_like(wide)
    h.flat[0] = 1e-5
    expected = (plain(wide + h) - plain(wide - h)) / 2e-5
    number = re.search(r" moves \S+ (\S+) times as far", last_words(view))
    assert float(number[1]) == pytest.approx(expected, rel=1e-3)
    assert f"δ {number[1]}<" in view.to_svg() and "ḡ" not in view.to_svg()
    assert "ḡ" in viz.backward(f, x=x).to_svg()


def test_a_wiggle_where_the_code_decides_otherwise_or_moves_nothing_is_no_number():
    f = lambda x: mg.sum(x * x) if x[0] > 1.0 else mg.sum(x)
    near, far = wiggle(f, x=np.float32([1, 2])), wiggle(f, x=np.float32([3, 2]))
    assert last_words(near) == "Within a step of x[0] the code decides otherwise, so nothing is measured."
    assert "δ" not in near.to_svg() and last_words(far).endswith("x[0] moves sum 6 times as far.")
    still = wiggle(lambda x: mg.sum(x[1:]), x=np.float32([3, 2]))
    assert last_words(still) == "Measured with a step of 0.0003 up and down, x[0] does not move sum."


def test_another_mode_is_an_error_that_names_the_four():
    for mode in ("value", "backward", None, 3):
        with pytest.raises(ValueError, match='mode must be "values", "wiggle", "gradient" or "rule", got'):
            viz.backward(mg.exp, 1.0, mode=mode)
    with pytest.raises(ValueError, match="predict asks about gradients"):
        viz.backward(mg.exp, 1.0, mode="values", predict=True)


def test_values_have_no_gradient_in_the_saved_picture_and_the_text_stays():
    f = lambda x: mg.sin(x * 2.0)
    values, plain = viz.backward(f, x=1.0, mode="values"), viz.backward(f, x=1.0)
    assert "ḡ" not in values.to_svg() and "= 0.9093" in values.to_svg() and "ḡ" in plain.to_svg()
    assert values.to_text() == plain.to_text() and values.to_json() == plain.to_json()


def test_an_opening_is_that_of_a_short_pass_without_questions():
    long = lambda x: [x := mg.sin(x) for _ in range(20)][-1]
    film = lambda view: view.data()[0].get("film", False)
    assert film(viz.backward(mg.sin, 1.0).start()) and not film(viz.backward(mg.sin, 1.0))
    assert not film(viz.backward(mg.sin, 1.0).start(play=False)) and not film(viz.backward(long, 1.0).start())
    assert not film(viz.backward(mg.sin, 1.0, predict=True)) and not film(viz.compare(mg.sin, mg.cos, 1.0).start())


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 63, 64, 1001])
def test_bytes_become_signs_that_no_host_reads_as_its_own(size):
    data = np.random.default_rng(size).integers(0, 256, size).astype("uint8").tobytes()
    text = as_digits(data)
    numbers = [
        sum(DIGITS.index(c) * 85 ** (4 - k) for k, c in enumerate(text[i : i + 5])) for i in range(0, len(text), 5)
    ]
    assert b"".join(n.to_bytes(4, "big") for n in numbers)[:size] == data
    assert not set(text) & set("<>&\"'`$\\{\n ")
