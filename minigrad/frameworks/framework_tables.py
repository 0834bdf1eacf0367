"""Tables of the TensorFlow and Keras functions whose arguments differ from the ops' arguments, by name.

Each module ends with its own table, and this file joins the tables. `install` installs the functions.
"""

from __future__ import annotations

from typing import Any

from . import keras
from .tensorflow import array_ops, linalg_ops, losses, nn, programs, random_ops

_TENSORFLOW = (array_ops, linalg_ops, nn, programs, random_ops, losses)

TENSORFLOW: dict[str, Any] = {spelling: call for module in _TENSORFLOW for spelling, call in module.NAMES.items()}
KERAS: dict[str, Any] = keras.NAMES
KERAS_GROUPS: dict[str, str] = keras.GROUPS
