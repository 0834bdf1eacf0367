"""The sliders of `viz.play`, for any range of finite floats."""

from __future__ import annotations

from typing import Any

import numpy as np

LARGEST = np.finfo(float).max


def slider(name: str, value: Any) -> dict[str, Any] | None:
    """Return the range of a slider, its step and its start; None for an input that has no slider.

    Raises TypeError or ValueError for an invalid range.

    >>> slider("x", (0, 4))
    {'name': 'x', 'min': 0.0, 'max': 4.0, 'step': 0.01, 'start': 2.0}
    """
    if isinstance(value, tuple):
        try:
            low, high = map(float, value)
        except (TypeError, ValueError):
            raise TypeError(
                f"the range {name} must be a pair of numbers, as in {name}=(-5, 5), got {value!r:.60}"
            ) from None
    elif isinstance(value, float):
        if not np.isfinite(value):
            raise ValueError(f"the input {name} is where a slider starts and must be finite, got {value}")
        low, high = np.clip(sorted((-value, 3 * value)), -LARGEST, LARGEST).tolist() if value else (-1.0, 1.0)
    else:
        return None
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(f"the range {name} must go from a smaller to a larger finite number, got {value}")
    step = 10.0 ** np.floor(np.log10(max(high / 100 - low / 100, 2e-322)))
    start = value if isinstance(value, float) else min(max(round((low / 2 + high / 2) / step) * step, low), high)
    return {"name": name, "min": low, "max": high, "step": float(step), "start": float(start) + 0.0}
