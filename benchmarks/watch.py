"""The time of a training step of PyTorch: plain, watched by minigrad, and under PyTorch's own search for a nan.

A mode that only passes each call on measures what PyTorch needs to call Python at each function: no watch that sees
calls can be faster.
"""

from __future__ import annotations

import gc
import importlib
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from .timing import SLOT, rounds

PLAIN, EMPTY, WATCH, ANOMALY = WAYS = ("plain", "empty mode", "watch", "detect_anomaly")
MISSING = "left out, because PyTorch is not installed"

#: Of the shapes of GPT-2 small: 768 numbers for each word, 12 heads, 3,072 units.
BLOCK = "TransformerEncoderLayer(768, 12, 3072, 0.1, 'gelu', batch_first=True, norm_first=True)"
#: A loop's name -> its network, whose layers are those of torch.nn, and the shape of a batch.
LOOPS = {
    "perceptron 2-16-2, batch 8": ("Linear(2, 16), Tanh(), Linear(16, 2)", (8, 2)),
    "perceptron 784-128-10, batch 64": ("Linear(784, 128), ReLU(), Linear(128, 10)", (64, 784)),
    "convolutions, 32 x 28 x 28": (
        "Conv2d(1, 8, 3), ReLU(), MaxPool2d(2), Conv2d(8, 16, 3), ReLU(), Flatten(), Linear(1936, 10)", (32, 1, 28, 28),
    ),
    "2 blocks of GPT-2 small, 2 x 64 words": (
        f"{BLOCK}, {BLOCK}, Flatten(), Linear(49152, 10)", (2, 64, 768),
    ),
}  # fmt: skip


class Watched(NamedTuple):
    """The least seconds of a step of a loop in each of WAYS."""

    loop: str
    seconds: dict[str, float]


def pytorch() -> Any:
    """Return PyTorch if it is installed; else None."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None


def step_of(network: str, shape: tuple[int, ...]) -> tuple[Any, Callable[[], None]]:
    """Return a network and a function that trains it by one step, as a user writes it."""
    torch = pytorch()
    torch.manual_seed(0)
    net = torch.nn.Sequential(*eval(f"[{network}]", vars(torch.nn)))
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    x = torch.randn(shape)
    target = torch.arange(shape[0]) % 2

    def step() -> None:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x), target)
        loss.backward()
        optimizer.step()

    return net, step


def contexts(net: Any) -> dict[str, Callable[[], AbstractContextManager[Any]]]:
    """Return the context around the loop for each of WAYS."""
    import viz

    torch = pytorch()

    class Empty(torch.overrides.TorchFunctionMode):  # type: ignore[name-defined, misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return function(*args, **(kwargs or {}))

    anomaly = lambda: torch.autograd.set_detect_anomaly(True)
    return dict(zip(WAYS, (nullcontext, Empty, lambda: viz.watch(net), anomaly)))


def watched(name: str, count: int, slot: float = SLOT, tick: Callable[[], Any] = lambda: None) -> Watched:
    """Return the least time of `count` rounds that alternate the ways. `tick` is called after each round."""
    pytorch().set_num_threads(1)
    net, step = step_of(*LOOPS[name])

    def clock(around: Callable[[], AbstractContextManager[Any]]) -> Callable[[int], float]:
        def seconds(steps: int) -> float:
            gc.collect()
            with around():
                step()
                start = time.process_time()
                for _ in range(steps):
                    step()
                return (time.process_time() - start) / steps

        return seconds

    clocks = {way: clock(around) for way, around in contexts(net).items()}
    times: dict[str, list[float]] = {}
    for times in rounds(clocks, count, slot):  # noqa: B007  the last one holds all
        tick()
    return Watched(name, {way: min(seconds) for way, seconds in times.items()})
