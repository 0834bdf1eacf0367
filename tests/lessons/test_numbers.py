"""Numbers that the lessons tell and no cell prints: what a student finds by typing into a picture."""

import re
from functools import cache

import numpy as np
import pytest

import minigrad as mg
from minigrad.classroom.notebook import read
from minigrad.classroom.release import sources


def slope(x):
    x = mg.constant(np.float32(x))
    return mg.gradients(mg.log(1 + mg.exp(x)), x)[0].item()


@pytest.mark.lesson06
def test_the_edge_of_float32_lies_between_the_two_numbers_to_type():
    assert slope(88.72) == 1.0
    assert np.isnan(slope(88.73))


@pytest.mark.lesson06
def test_below_minus_104_the_slope_is_0_and_hardly_wrong():
    assert slope(-104.0) == 0.0
    assert 0 < np.exp(np.float64(-104.0)) < 1e-45


@pytest.mark.lesson06
def test_what_a_subnormal_number_is():
    assert f"{np.finfo(np.float32).tiny:.1e}" == "1.2e-38"
    stored, true = float(np.float32(np.exp(np.float64(-100.0)))), np.exp(np.float64(-100.0))
    assert 0 < abs(stored / true - 1) < 0.05, "hardly two digits"
    assert 0 < 1 / (1 + np.exp(np.float64(88.0))) < np.finfo(np.float32).tiny, "a factor at 88 is subnormal"
    assert np.finfo(np.float16).precision == 3


@pytest.mark.lesson07
def test_from_88_7_down_to_minus_6_both_lanes_agree_in_the_digits_of_the_picture():
    rule = lambda x: 1 - 1 / (1 + np.exp(np.float32(x)))
    for x in (88.7, 50.0, 2.0, -3.0, -6.0):
        assert f"{slope(x):.4g}" == f"{rule(x):.4g}"
    assert f"{slope(-20):.1e}" == "2.1e-09" == f"{1 / (1 + np.exp(20.0)):.1e}"
    assert rule(-20) == 0
    assert f"{mg.sigmoid(mg.constant(-20.0)).item():.1e}" == "2.1e-09"


@pytest.mark.lesson07
def test_the_second_derivative_of_the_length_of_nothing_depends_on_the_rule():
    x = mg.constant(0.0)
    by_value, safe = (
        mg.custom_gradient(lambda x, rule=rule: (mg.sqrt(x), rule(x)))
        for rule in (
            lambda x: lambda u: mg.where(x > 0, u / (2 * mg.sqrt(x)), 0.0),
            lambda x: lambda u: mg.where(x > 0, u * 0.5 * mg.where(x > 0, x, 1.0) ** -0.5, 0.0),
        )
    )
    assert np.isnan(mg.gradients(mg.gradients(by_value(x), x)[0], x)[0].item())
    assert mg.gradients(mg.gradients(safe(x), x)[0], x)[0].item() == 0


@pytest.mark.lesson06
def test_a_nan_may_begin_where_two_messages_meet():
    x = mg.constant(0.0)
    b = 2 * x
    rows = mg.messages(mg.sqrt(b) - mg.sqrt(b))
    assert not [r for r in rows if np.isnan(r.message) and not np.isnan(r.upstream)]
    assert "inf - inf" in str(mg.find_nan(mg.sqrt(b) - mg.sqrt(b)))


@cache
def lesson15():
    """The names of lesson 15, up to the network of five hidden layers; pictures are left out."""
    (source,) = (path for path in sources() if path.name.startswith("15"))
    cells = [c.source for c in read(source).cells if c.cell_type == "code" and "check(" not in c.source]
    space = {"np": np, "mg": mg}
    for cell in cells:
        if "def " in cell or "mg.data.digits()" in cell:
            exec(re.sub(r"^(viz\.|trial\().*$", "", cell, flags=re.M), space)
    return space


def read_in_the_exam(params, f):
    """The share of the exam that a network with the activation f reads, its answers, and its silent units."""
    _, _, x, labels = mg.data.digits()
    hidden = []
    for layer in params[:-1]:
        x = f(mg.constant(x @ np.asarray(layer["W"]) + np.asarray(layer["b"]))).numpy()
        hidden.append(x)
    answers = np.argmax(x @ np.asarray(params[-1]["W"]) + np.asarray(params[-1]["b"]), axis=1)
    return np.mean(answers == labels), set(answers.tolist()), int(np.sum(np.all(hidden[0] == 0, axis=0)))


@pytest.mark.lesson15
def test_five_layers_of_sigmoid_read_one_digit_in_thirteen_and_those_of_tanh_93_percent():
    space = lesson15()
    for f, told in ((mg.sigmoid, 0.078), (mg.tanh, 0.93)):
        params, _ = space["train_network"](space["deep"], loss=space["deep_loss"](f))
        assert abs(read_in_the_exam(params, f)[0] - told) < 0.02


@pytest.mark.lesson15
def test_at_a_rate_of_2_all_units_of_relu_fall_silent_and_every_image_gets_one_answer():
    space = lesson15()
    loss = space["deep_loss"](mg.relu)
    params, losses = space["train_network"](space["layers_of"](1.0), epochs=5, rate=2.0, loss=loss)
    _, answers, silent = read_in_the_exam(params, mg.relu)
    assert (len(answers), silent) == (1, 32)
    assert abs(np.mean(losses[-40:]) - 2.5) < 0.1


def newton(x):
    """Newton's steps on log(cosh(x))."""
    while 1e-6 < abs(x) < 1e6:
        x -= np.tanh(x) * np.cosh(x) ** 2
    return abs(x)


@pytest.mark.lesson11
def test_newton_on_log_cosh_arrives_from_1_08_and_explodes_from_1_09():
    with np.errstate(over="ignore"):
        assert newton(1.08) < 1e-6 and newton(1.09) > 1e6


@pytest.mark.lesson11
def test_gradient_descent_needs_4630_steps_down_rosenbrock_s_valley():
    x, y, steps = -1.2, 1.0, 0
    while (1 - x) ** 2 + 100 * (y - x * x) ** 2 >= 1e-4:
        x, y = x - 0.002 * (-2 * (1 - x) - 400 * x * (y - x * x)), y - 0.002 * 200 * (y - x * x)
        steps += 1
    assert steps == 4630


@pytest.mark.lesson14
@pytest.mark.parametrize("e, M, steps", [(0.0167, 1.0, 3), (0.967, 0.1, 40)])
def test_steps_to_six_digits_of_the_earth_and_of_halley_s_comet(e, M, steps):
    run, E = [M], M
    for _ in range(500):
        run.append(E := M + e * np.sin(E))
    assert next(k for k, at in enumerate(run) if abs(at - run[-1]) < 1e-6) == steps


@pytest.mark.lesson14
def test_an_answer_that_forgets_its_loop_keeps_three_numbers_and_has_a_second_derivative():
    def orbit(M, e):
        E = M
        for _ in range(60):
            E = M + e * mg.sin(E)
        return E

    @mg.custom_gradient
    def kepler(M, e):
        def grad(upstream):
            E = kepler(M, e)
            v = upstream / (1 - e * mg.cos(E))
            return v, v * mg.sin(E)

        return mg.constant(orbit(M, e).value), grad

    M, e = mg.constant(0.1, dtype="float64"), mg.constant(0.3, dtype="float64")
    E = kepler(M, e)
    assert len(mg.saved(E)) == 3
    second = [mg.gradients(mg.gradients(y, M)[0], M)[0].item() for y in (E, orbit(M, e))]
    assert second[0] == pytest.approx(second[1])
