"""Numbers that the text of lesson 18 states, with room for what another processor rounds differently."""

from functools import cache

import numpy as np
import pytest

import minigrad as mg
from minigrad.classroom.notebook import read
from minigrad.classroom.proof import cells_up_to, namespace
from minigrad.classroom.release import sources

pytestmark = [pytest.mark.numbers, pytest.mark.lesson18, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
half = np.float16


@cache
def lesson():
    """The names of lesson 18, with its solutions."""
    (source,) = (path for path in sources() if path.name.startswith("18"))
    return namespace(cells_up_to(read(source), "careful_step"))


@cache
def slow(products, slopes, weights, epochs=50):
    return lesson()["train"](products, slopes, weights, 0.001, epochs)


def reads(v):
    return lesson()["score"](v)


def test_a_weight_of_1_stands_still_and_a_larger_step_is_rounded_up():
    walk = lesson()["walk_down"]
    assert walk("float16", 0.0001) == 1 and abs(walk("float32", 0.0001)) < 1e-3
    assert round(float(np.nextafter(half(1), half(0))), 5) == 0.99951
    assert half(1) - half(0.00025) == np.nextafter(half(1), half(0)) and round(1 - 0.99951, 5) == 0.00049
    assert walk("float16", 0.00025) == -1 and 1 - 10_000 * 0.00025 == -1.5


def test_the_ends_of_float16():
    assert half(2047) + half(1) == 2048 == half(2048) + half(1)
    assert half(65504) == np.finfo(half).max and np.isinf(half(65520))
    assert f"{np.finfo(half).tiny:.0e}" == "6e-05"
    assert f"{half(3e-8):.0e}" == "6e-08" and half(2.9e-8) == 0
    assert half(1e-6) / np.finfo(half).smallest_subnormal == 17, "five bits"


def test_the_picture_of_the_formats_shows_how_many_bits_there_are():
    space = lesson()
    powers = list(space["powers"])
    count = {name: dict(zip(powers, space["bits"](space["np"].dtype(name).type))) for name in ("float16", "float32")}
    assert set(count["float32"].values()) == {24}
    assert {p: n for p, n in count["float16"].items() if n} == {p: min(11, p + 25) for p in range(-24, 16)}, (
        "1 bit at 2**-24, 11 from 2**-14 to 2**15"
    )
    assert set(space["bits"](space["to_bfloat16"])) == {8}


def test_bfloat16_is_the_nearest_number_of_8_bits_and_the_even_one_of_two():
    x = np.random.default_rng(0).normal(size=1000).astype(np.float32) * 10.0 ** np.arange(-30, 30).repeat(17)[:1000]
    short = lesson()["to_bfloat16"](x.astype(np.float32)).astype(np.float64)
    exponent = np.floor(np.log2(np.abs(x.astype(np.float32)).astype(np.float64)))
    true = np.round(x.astype(np.float32).astype(np.float64) / 2.0 ** (exponent - 7)) * 2.0 ** (exponent - 7)
    assert np.array_equal(short, true)
    assert lesson()["to_bfloat16"](1 + 2.0**-8) == 1 and lesson()["to_bfloat16"](1 + 3 * 2.0**-8) == 1 + 2.0**-6


def test_with_large_steps_half_the_digits_are_enough():
    train = lesson()["train"]
    long, short = (reads(train(d, d, d, 0.5, 10)) for d in ("float32", "float16"))
    assert long > 0.95 and abs(long - short) <= 0.02
    steps = 0.5 * np.abs(mg.grad(lesson()["loss_of"])(*first_batch()))
    assert 0.003 < np.mean(steps[steps > 0]) < 0.03, "about 0.01"


def first_batch():
    space = lesson()
    b = next(space["batches"](1))
    return space["start"](), space["images"][b], space["one_hot"][b]


def test_with_small_steps_nearly_half_of_the_weights_stay_where_they_are():
    assert reads(slow(*["float32"] * 3)) == pytest.approx(0.59, abs=0.03)
    assert reads(slow(*["float16"] * 3)) == pytest.approx(0.40, abs=0.03)
    still = (slow(*["float16"] * 3) == lesson()["start"]().astype(half))[362:].reshape(64, 32)
    assert 0.38 < still[lesson()["images"].any(axis=0)].mean() < 0.5
    assert len(list(lesson()["batches"](50))) == 2000


def test_a_long_copy_of_the_weights_is_enough_and_nothing_else_is():
    long, short = "float32", "float16"
    assert reads(slow(long, long, long, epochs=20)) == pytest.approx(0.32, abs=0.03)
    assert reads(slow(short, short, long, epochs=20)) == pytest.approx(0.32, abs=0.03)
    for formats in ((long, short, short), (short, long, short)):
        assert reads(slow(*formats, epochs=20)) == pytest.approx(0.23, abs=0.03)


@cache
def at(k):
    """What it reads after 3 epochs with the loss times 2^k, and whether a slope was inf or nan."""
    space, v, finite = lesson(), lesson()["start"](), True
    for b in space["batches"](3):
        slope = space["half_slopes"](v, b, 2.0**k)
        finite = finite and bool(np.isfinite(slope).all())
        v = v - 0.5 * slope.astype("float32") / 2.0**k
    return reads(v), finite


def vanished(k):
    v, x, T = first_batch()
    slope = lesson()["half_slopes"](v, next(lesson()["batches"](1)), 2.0**k)
    return np.mean(slope[mg.grad(lesson()["loss_of"])(v, x, T) != 0] == 0)


def test_the_corridor():
    assert vanished(-16) == pytest.approx(1 / 6, abs=0.03) and at(-16)[0] > 0.93
    assert vanished(-20) > 0.99 and at(-20)[0] < 0.2
    assert at(0)[0] > 0.93 and at(18) == (pytest.approx(at(0)[0], abs=0.02), True)
    assert at(19)[0] < 0.2 and not at(19)[1]


def test_an_infinite_loss_has_finite_slopes():
    space, (v, x, T) = lesson(), (part.astype(half) for part in first_batch())
    loss, slope = mg.value_and_grad(lambda v: space["loss_of"](v, x, T) * half(2.0**15))(v)
    assert np.isinf(loss) and np.isfinite(slope).all()
    true = mg.grad(space["loss_of"])(*first_batch()) * 2.0**15
    assert np.allclose(slope.astype(float), true, atol=0.02 * np.abs(true).max())


def test_a_power_of_2_changes_no_slope_and_1000_nearly_all():
    b = next(lesson()["batches"](1))
    slopes = lambda factor: lesson()["half_slopes"](lesson()["start"](), b, factor).astype("float32") / factor
    assert 0.98 < np.mean(slopes(2.0**10) == slopes(1.0)) < 1, "1 % is too small without a factor"
    assert np.all(slopes(2.0**10) == slopes(2.0**5)), "and has all its bits with one"
    assert np.mean(slopes(1000.0) == slopes(1.0)) < 0.3
    true = mg.grad(lesson()["loss_of"])(*first_batch())
    off = [np.abs(slopes(factor) - true).mean() for factor in (1000.0, 1.0)]
    assert off[0] < 1.5 * off[1], "the errors are no larger"


def test_the_careful_run_skips_until_it_fits_climbs_and_is_thrown_back():
    space, v, k, good, powers = lesson(), lesson()["start"](), 24, 0, []
    for b in space["batches"](3):
        powers.append(k)
        v, new = space["careful_step"](v, space["half_slopes"](v, b, 2.0**k), k, 0.5)
        good = good + 1 if new == k else 0
        k = new + (good > 0 and good % 50 == 0)
    least = powers.index(min(powers))
    assert powers[: least + 1] == list(range(24, 23 - least, -1)) and 5 <= least <= 7
    after = np.diff(powers[least:])
    assert after.max() == 1 and after.min() == -1 and after.sum() >= 1
    assert reads(v) > 0.93
