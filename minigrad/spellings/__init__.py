"""Functions that TensorFlow or Keras have under an order of arguments, or with options, of their own.

Each module ends with its table, from the spelling to the function; `minigrad.names` installs them.
"""

from __future__ import annotations

from typing import Any

from . import keras, random, tensorflow, tensorflow_linalg, tensorflow_nn, tensorflow_programs

_TENSORFLOW = (tensorflow, tensorflow_linalg, tensorflow_nn, tensorflow_programs, random)

TENSORFLOW: dict[str, Any] = {spelling: call for module in _TENSORFLOW for spelling, call in module.NAMES.items()}
KERAS: dict[str, Any] = keras.NAMES
KERAS_GROUPS: dict[str, str] = keras.GROUPS
