"""Recorded computations as programs of NumPy calls: written down to be read, or to be run faster."""

from .compiled import Compiled, NotCompiled, compile
from .readable import Source, source
