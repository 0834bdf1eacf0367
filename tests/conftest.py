"""What holds for all tests."""

from hypothesis import settings

settings.register_profile("busy", deadline=None)  # a busy computer may take long for one example
settings.load_profile("busy")
