"""Recorded computations as programs of NumPy calls: written down to be read, or to be run faster."""

from .readable import Source, source
