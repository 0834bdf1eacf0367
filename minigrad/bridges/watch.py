"""Watch a training loop, and stop with the reason at the first step whose loss or gradients are not finite."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from .given import check_version, framework_of_value


def watch(*models: Any, every: int = 1, names: Mapping[str, Any] | None = None) -> Any:
    """Watch a PyTorch or JAX training loop, and raise NanFound at its first nan.

    The error is raised before the nan changes the weights.

    models : the PyTorch modules whose gradients are checked; write `with viz.watch(model):` around the loop. Or a JAX
        function that returns a value and gradients, such as `jax.value_and_grad(f)`, jitted or not; `watch` then
        returns a watched function, as in `step = viz.watch(jax.value_and_grad(f))`.
    every : only for PyTorch. Every step is checked, but only one step in `every` logs its calls, which are needed to
        explain a nan. If `every` is more than 1, the last logged step is explained, with the current weights.
    names : only for PyTorch. Further trained tensors, by their names in the report, as in {"w": w}. If there are any,
        `models` may be empty.

    The context manager has `.step`, the number of backward passes. It also has `.skipped`, the number of passes whose
    gradients were not finite at the scale of a `GradScaler`, which skips such steps. A skipped step does not count as
    an error unless the scale has already fallen to 1.

    Raises NanFound, a FloatingPointError with `.step` and `.report`, at the first nan. Raises TypeError if the
    arguments are neither PyTorch modules nor a JAX function.

    >>> import jax, viz                                                         # doctest: +SKIP
    >>> step = viz.watch(jax.value_and_grad(lambda w: (w * w).sum()))          # doctest: +SKIP
    """
    if not isinstance(every, int) or isinstance(every, bool) or every < 1:
        raise ValueError(f"every must be a whole number, 1 or more, got {every!r:.40}")
    frameworks = {framework_of_value(model) for model in models}
    trained = {name: t for name, t in (names or {}).items() if framework_of_value(t) == "PyTorch"}
    frameworks |= {"PyTorch"} if trained else set()
    if (
        (models or trained)
        and all(hasattr(model, "named_parameters") for model in models)
        and frameworks == {"PyTorch"}
    ):
        check_version("PyTorch")
        return importlib.import_module(".pytorch_watch", __package__).WatchedLoop(models, every, trained)
    if len(models) == 1 and callable(models[0]) and not hasattr(models[0], "named_parameters"):
        f: Any = models[0]
        inner = getattr(f, "__wrapped__", f)
        if "JAX" in (framework_of_value(f), framework_of_value(inner)) or _is_of_jax(f):
            check_version("JAX")
            return importlib.import_module(".jax_watch", __package__).watched(f)
    got = ", ".join(f"{model!r:.40}" for model in models) or "nothing"
    raise TypeError(
        "watch takes the PyTorch modules being trained, as in: with viz.watch(model): ..., or a JAX function, "
        f"as in step = viz.watch(jax.value_and_grad(f)); got {got}"
    )


def _is_of_jax(f: Any) -> bool:
    """Return whether a function is defined in JAX, like the result of `jax.value_and_grad`."""
    return ".jax." in f".{getattr(f, '__globals__', {}).get('__name__', '')}."
