"""Slopes at awkward points, as computed by PyTorch 2.13, JAX 0.10.2 and TensorFlow 2.21, for lesson 10.

The lesson does not contain them, because they would give away the answers to its predictions.
"""

from math import inf, nan

#: The slopes at each point, by the point's name: the slope with respect to the first input in PyTorch, JAX and
#: TensorFlow, or None if there is no gradient.
STORED: dict[str, tuple[float | None, ...]] = {
    "abs at 0": (0.0, 1.0, 0.0),
    "relu at 0": (0.0, 0.0, 0.0),
    "maximum(x, 0) at 0": (0.5, 0.5, 1.0),
    "max of [2 2], along an axis": (1.0, 0.5, 0.5),
    "clip(x, 0, 1) at 1": (1.0, 0.5, 1.0),
    "x ** 0.0 at 0": (0.0, nan, nan),
    "norm at [0 0]": (0.0, nan, nan),
    "std of [1 1]": (0.0, nan, nan),
    "std of [1 2]": (-0.70710678, -0.5, -0.5),
    "median of [2 1 3 4]": (1.0, 0.5, None),
    "where(x > 0, sqrt(x), 0) at 0": (nan, nan, 0.0),
    "log(1 + exp(x)) at 100": (nan, nan, nan),
    "sqrt at 0": (inf, inf, inf),
    "cumprod of [0 2 3], summed": (9.0, 9.0, 0.0),
}
