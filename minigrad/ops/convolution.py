"""Convolution and pooling over any number of axes; channels come last, as in TensorFlow and Keras.

Everything is built on two ops: `windows` cuts overlapping pieces from an array, and `fold` adds such pieces up into an
array.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .declare import composite, defop, names_as
from .extreme import limit, max
from .padding import pad
from .products import tensordot
from .reduce import mean, sum

Sizes = int | Sequence[int]  # one number for all axes, or one for each
Each = tuple[int, ...]
Padding = str | Sequence[Sequence[int]]  # "valid", "same", or a pair (before, after) for each axis

_IMAGE = (np.arange(16.0).reshape(1, 4, 4, 1) % 7 / 3).tolist()
_LINE = (np.arange(12.0).reshape(1, 6, 2) % 5 / 3).tolist()
_KERNEL = (np.arange(8.0).reshape(2, 2, 1, 2) / 4 - 1).tolist()
_BACK = (np.arange(8.0).reshape(2, 2, 2, 1) / 4 - 1).tolist()
_SHORT = (np.arange(12.0).reshape(3, 2, 2) / 4 - 1).tolist()


def _each(sizes: Sizes, n: int) -> Each:
    """One number for each of `n` axes."""
    return (int(sizes),) * n if isinstance(sizes, (int, np.integer)) else tuple(int(s) for s in sizes)


def _steps(strides: Sizes, dilation: Sizes, n: int) -> tuple[Each, Each]:
    """Strides and dilation, one number for each of `n` axes. Raises ValueError for a number below 1."""
    steps, gaps = _each(strides, n), _each(dilation, n)
    if min(*steps, *gaps, 1) < 1:
        raise ValueError(f"strides and dilations must be at least 1, got strides {steps} and dilations {gaps}")
    return steps, gaps


def _space(x: Any) -> int:
    """Return the number of spatial axes, which are between the batch and the channels."""
    if x.ndim < 3:
        raise ValueError(f"a pool takes x of shape (batch, *space, channels), got shape {x.shape}")
    return x.ndim - 2


def _offsets(size: Each, strides: Each, dilation: Each, out: Each) -> Any:
    """Yield each offset inside a window, with the index that selects the element of every window at that offset."""
    for offset in product(*map(range, size)):
        starts = [o * d for o, d in zip(offset, dilation)]
        yield offset, (slice(None), *(slice(i, i + s * (n - 1) + 1, s) for i, s, n in zip(starts, strides, out)))


def _out(space: Each, size: Each, strides: Each, dilation: Each) -> Each:
    """Return the number of windows along each axis. space, size : the lengths of the array and of a window."""
    _steps(strides, dilation, len(space))
    out = tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(space, size, strides, dilation))
    if min(out, default=1) < 1:
        raise ValueError(f"a window of {size} does not fit into {space}")
    return out


def _windows(x: Any, size: Each, strides: Each, dilation: Each) -> Any:
    """All windows of size `size` of an array (batch, *space, channels): (batch, *positions, *size, channels)."""
    out, (first, *space, last) = _out(x.shape[1:-1], size, strides, dilation), x.strides
    outside, inside = (tuple(n * k for n, k in zip(space, steps)) for steps in (strides, dilation))
    # In the view, overlapping windows share elements; a matrix product needs a contiguous copy.
    pieces = as_strided(x, (len(x), *out, *size, x.shape[-1]), (first, *outside, *inside, last), writeable=False)
    return np.ascontiguousarray(pieces)


def _fold(pieces: Any, space: Each, strides: Each, dilation: Each) -> Any:
    """An array (batch, *space, channels) with each piece added at its position."""
    n = len(space)
    out, size = pieces.shape[1 : n + 1], pieces.shape[n + 1 : -1]
    x = np.zeros((pieces.shape[0], *space, pieces.shape[-1]), pieces.dtype)
    for offset, key in _offsets(size, strides, dilation, out):
        inside = (slice(None), *(slice(None),) * n, *offset)
        # For one offset, the windows' elements are all different, so `+=` adds to each of them once.
        x[key] += pieces[inside]
    return x


windows = defop(
    "windows", _windows,
    vjp=lambda g, y, a, size, strides, dilation: fold(g, a.shape[1:-1], strides, dilation),
    slope="1",
    names=dict(tf="image.extract_patches", torch="nn.functional.unfold"),
    example=([[[[1.0], [2.0]]]], (1, 2), (1, 1), (1, 1)),
    samples=((_IMAGE, (2, 2), (1, 2), (1, 1)), (_LINE, (2,), (1,), (3,))),
)
fold = defop(
    "fold", _fold,
    vjp=lambda g, y, a, space, strides, dilation: windows(g, a.shape[len(space) + 1 : -1], strides, dilation),
    slope="1",
    names=dict(torch="nn.functional.fold"),
    samples=(([[[[1.0], [2.0]], [[3.0], [4.0]]]], (3,), (1,), (1,)),),
)


def _margins(padding: Padding, space: Each, size: Each, strides: Each, dilation: Each) -> list[tuple[int, int]]:
    """The padding before and after each axis: none for "valid"; for "same", enough for ceil(n / stride) windows."""
    if not isinstance(padding, str):
        return _explicit(padding, len(space))
    if padding.lower() == "valid":
        return [(0, 0)] * len(space)
    if padding.lower() != "same":
        raise ValueError(f"padding must be 'valid' or 'same', got {padding!r}")
    spans = [(-(-n // s) - 1) * s + d * (k - 1) + 1 - n for n, k, s, d in zip(space, size, strides, dilation)]
    return [(t // 2, t - t // 2) if t > 0 else (0, 0) for t in spans]


def _explicit(padding: Any, n: int) -> list[tuple[int, int]]:
    """Check padding that is written as a pair for each of `n` axes, and return the pairs.

    As in TensorFlow, there may be two more pairs, for the batch and the channels; these must be 0.
    """
    pairs = np.asarray(padding)
    if pairs.shape == (n + 2, 2) and not pairs[[0, -1]].any():
        pairs = pairs[1:-1]
    if pairs.shape != (n, 2) or pairs.dtype.kind not in "iu" or (pairs < 0).any():
        raise ValueError(
            f"padding must be 'valid', 'same', or a pair (before, after) for each of {n} axes, got {padding!r:.80}; "
            f"batch and channels are not padded"
        )
    return [(int(before), int(after)) for before, after in pairs]


def _padded(x: Any, margins: list[tuple[int, int]], value: float = 0.0) -> Any:
    return pad(x, ((0, 0), *margins, (0, 0)), "constant", value) if any(map(any, margins)) else x


def _setting(x: Any, size: Each, strides: Sizes, padding: Padding, dilation: Sizes = 1) -> Any:
    """Strides and dilation, one number for each axis, and the margins from `_margins`."""
    steps, gaps = _steps(strides, dilation, x.ndim - 2)
    return steps, gaps, _margins(padding, x.shape[1:-1], size, steps, gaps)


def _conv(x: Any, kernel: Any, strides: Sizes = 1, padding: Padding = "valid", dilation: Sizes = 1) -> Any:
    """Slide `kernel` over the spatial axes of `x` and sum the products at each position; the kernel is not flipped.

    x : shape (batch, *space, channels in). kernel : shape (*size, channels in, channels out).
    strides, dilation : the steps between positions and between the elements of one window, one number or one per axis.
    padding : "valid" for positions where the whole kernel fits, "same" for ceil(n / stride) positions, with zeros
    around `x`; or a pair (zeros before, zeros after) for each spatial axis, or for each axis of `x`.
    Returns shape (batch, *positions, channels out).
    """
    if np.ndim(x) != np.ndim(kernel) or np.ndim(x) < 3 or x.shape[-1] != kernel.shape[-2]:
        raise ValueError("it needs axes (batch, *space, channels in) and (*size, channels in, channels out)")
    return tensordot(_pieces(x, kernel, strides, padding, dilation), kernel, x.ndim - 1)


def _pieces(x: Any, kernel: Any, *setting: Any) -> Any:
    size = kernel.shape[:-2]
    strides, dilation, margins = _setting(x, size, *setting)
    return windows(_padded(x, margins), size, strides, dilation)


def _conv_x(g: Any, y: Any, a: Any, b: Any, strides: Any = 1, padding: Any = "valid", dilation: Any = 1) -> Any:
    """The input's gradient: at each position, g times the kernel is added to the elements of the window."""
    strides, dilation, margins = _setting(a, b.shape[:-2], strides, padding, dilation)
    space = [n + before + after for n, (before, after) in zip(a.shape[1:-1], margins)]
    back = fold(tensordot(g, b, (-1, -1)), tuple(space), strides, dilation)
    inside = (slice(None), *(slice(before, before + n) for n, (before, _) in zip(a.shape[1:-1], margins)))
    return back[inside]


def _conv_kernel(g: Any, y: Any, a: Any, b: Any, strides: Any = 1, padding: Any = "valid", dilation: Any = 1) -> Any:
    """The kernel's gradient: for each kernel element, the sum over positions of g times the element it multiplied."""
    positions = tuple(range(a.ndim - 1))
    return tensordot(_pieces(a, b, strides, padding, dilation), g, (positions, positions))


conv = defop(
    "conv", _conv, vjp=(_conv_x, _conv_kernel),
    latex=r"\sum_{k, m} a_{i + k, m} b_{k, m, n}", slope=("fold of g b", "windows of a times g"),
    names=names_as("conv", tf="nn.convolution", torch="nn.functional.conv2d", jax="lax.conv_general_dilated"),
    example=([[[1.0], [2.0], [4.0]]], [[[1.0]], [[10.0]]]),
    samples=((_IMAGE, _KERNEL), (_IMAGE, _KERNEL, 2, "same"), (_LINE, _SHORT, 1, "same", 2)),
)


@composite(
    arrays=2,
    names=dict(keras="conv_transpose", torch="nn.functional.conv_transpose2d", jax="lax.conv_transpose"),
    example=([[[1.0], [2.0]]], [[[1.0]], [[10.0]]]),
    samples=(
        (_IMAGE, _BACK), (_IMAGE, _BACK, 2, "same"), (_LINE, _SHORT, 3, "valid", 1),
        (_LINE, _SHORT, dict(padding="same", dilation_rate=2)), (_LINE, _SHORT, 4),
    ),
)
def conv_transpose(
    inputs: Any, kernel: Any, strides: Sizes = 1, padding: str = "valid", output_padding: Sizes | None = None,
    data_format: str | None = None, dilation_rate: Sizes = 1,
) -> Any:  # fmt: skip
    """The transpose of `conv`: each element, times `kernel`, is added at its position in a larger array.

    inputs : shape (batch, *space, channels in). kernel : shape (*size, channels out, channels in).
    strides, dilation_rate : the steps between positions and between the elements of one copy.
    padding : "valid" for all positions that the copies cover (at least n * stride), "same" for n * stride positions.
    output_padding : how many positions to add to the minimum that `padding` allows, as in Keras.
    data_format : None or "channels_last".
    Returns shape (batch, *positions, channels out).
    """
    if data_format not in (None, "channels_last"):
        raise ValueError(f"channels come last here, got data_format={data_format!r}; move them with moveaxis")
    space, n = inputs.shape[1:-1], inputs.ndim - 2
    steps, gaps = _steps(strides, dilation_rate, n)
    spans = [d * (k - 1) + 1 for k, d in zip(kernel.shape, gaps)]
    covered = tuple((m - 1) * s + span for m, s, span in zip(space, steps, spans))
    whole = fold(tensordot(inputs, kernel, (-1, -1)), covered, steps, gaps)
    more = (None,) * n if output_padding is None else _each(output_padding, n)
    slices = [_kept(padding, *each) for each in zip(space, spans, steps, more)]
    whole = _padded(whole, [(0, (end - m) * (end > m)) for (_, end), m in zip(slices, covered)])
    inner = (slice(None), *(slice(*ends) for ends in slices))
    return whole[inner]


def _kept(padding: str, n: int, span: int, step: int, more: int | None) -> tuple[int, int]:
    """The range (begin, end) of the covered positions that the result contains along one axis, as in Keras."""
    if padding.lower() == "valid":
        return 0, (n - 1) * step + (span + more if more is not None else span if span > step else step)
    if padding.lower() != "same":
        raise ValueError(f"padding must be 'valid' or 'same', got {padding!r}")
    length = n * step if more is None else (n - 1) * step + span % 2 + more
    around = length - (n - 1) * step + span - 2  # the number of zeros to add; if it is odd, the extra zero comes first
    begin = span - 1 - (around + 1) // 2
    begin = begin if begin > 0 else 0
    return begin, begin + length


@composite(
    edge_cases="ties within a window share the gradient evenly",
    names=dict(tf="nn.max_pool", keras="max_pool", torch="nn.functional.max_pool2d"),
    example=([[[1.0], [3.0], [2.0], [0.0]]], 2), samples=((_LINE, 2), (_LINE, 3, 2, "same")),
)
def max_pool(x: Any, pool_size: Sizes, strides: Sizes | None = None, padding: Padding = "valid") -> Any:
    """The largest element of each window of size `pool_size`; `strides` is `pool_size` by default."""
    n = _space(x)
    size = _each(pool_size, n)
    steps, gaps, margins = _setting(x, size, size if strides is None else strides, padding)
    pieces = windows(_padded(x, margins, limit(x.dtype, -1)), size, steps, gaps)
    return max(pieces, tuple(range(n + 1, 2 * n + 1)))


@composite(
    names=dict(tf="nn.avg_pool", keras="average_pool", torch="nn.functional.avg_pool2d"),
    example=([[[1.0], [3.0], [2.0], [0.0]]], 2), samples=((_IMAGE, 2), (_IMAGE, 3, 2, "same")),
)
def avg_pool(x: Any, pool_size: Sizes, strides: Sizes | None = None, padding: Padding = "valid") -> Any:
    """The mean of each window of size `pool_size`; the zeros that "same" adds around `x` are not counted."""
    n = _space(x)
    size, inside = _each(pool_size, n), tuple(range(n + 1, 2 * n + 1))
    steps, gaps, margins = _setting(x, size, size if strides is None else strides, padding)
    pieces = windows(_padded(x, margins), size, steps, gaps)
    if not any(map(any, margins)):
        return mean(pieces, inside)
    ones = np.pad(np.ones((1, *x.shape[1:-1], 1), x.dtype), ((0, 0), *margins, (0, 0)))
    return sum(pieces, inside) / _windows(ones, size, steps, gaps).sum(inside)
