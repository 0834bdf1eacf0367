"""`numpy.random` as it is: what it draws are arrays, where gradients begin."""

from numpy.random import *  # noqa: F403
