"""20,000 random calls agree with NumPy and PyTorch; see `tests.parity.fuzz`."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("scipy")

from tests.parity.fuzz import search

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

CASES = 200


@pytest.mark.cases(2)
@pytest.mark.parametrize("seed", range(100))
def test_random_calls_agree(seed):
    reports = []
    assert search(CASES, seed, reports.append) == 0, "\n".join(reports)
