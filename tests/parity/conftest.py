"""Name Keras's backend before all tests: it is read on the first import, and TensorFlow imports Keras too."""

import os

os.environ.setdefault("KERAS_BACKEND", "jax")
