"""`numpy.random`, unchanged: it returns arrays."""

from numpy.random import *  # noqa: F403
