"""What holds for all tests."""

import os

import pytest
from hypothesis import settings

settings.register_profile("busy", deadline=None)  # a busy computer may take long for one example
settings.load_profile("busy")


@pytest.fixture(autouse=True, scope="session")
def _progress_of_nobody(tmp_path_factory):
    """What tests solve is not the progress of who runs them."""
    os.environ["MINIGRAD_PROGRESS"] = str(tmp_path_factory.mktemp("progress") / "progress.jsonl")
