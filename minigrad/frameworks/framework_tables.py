"""The TensorFlow and Keras functions whose arguments differ from the ops', by their names in these frameworks.

Each module ends with its table; `install` installs them.
"""

from __future__ import annotations

from typing import Any

from . import keras
from .tensorflow import array_ops, linalg_ops, losses, nn, programs, random_ops

_TENSORFLOW = (array_ops, linalg_ops, nn, programs, random_ops, losses)

TENSORFLOW: dict[str, Any] = {spelling: call for module in _TENSORFLOW for spelling, call in module.NAMES.items()}
KERAS: dict[str, Any] = keras.NAMES
KERAS_GROUPS: dict[str, str] = keras.GROUPS
