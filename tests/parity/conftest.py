"""Keras reads its backend when it is first imported, which TensorFlow does, too: so it is named before all tests."""

import os

os.environ.setdefault("KERAS_BACKEND", "jax")
