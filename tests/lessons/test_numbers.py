"""Numbers that the lessons tell and no cell prints: what a student finds by typing into a picture."""

import numpy as np
import pytest

import minigrad as mg


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
def test_from_88_7_downwards_both_lanes_agree():
    rule = lambda x: 1 - 1 / (1 + np.exp(np.float32(x)))
    for x in (88.7, 50.0, 2.0, -3.0):
        assert slope(x) == pytest.approx(rule(x), rel=1e-5)
