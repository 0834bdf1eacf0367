"""Explain, from its arguments, why a built-in PyTorch function returns nan or inf, and say what to write instead."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F

from .matrix_reasons import RULES as ON_MATRICES
from .matrix_reasons import Reason, matrix_reason
from .pytorch_ops import plain_name

#: Calls on square matrices.
MATRIX_CALLS = {*ON_MATRICES, *(f"linalg_{name}" for name in ON_MATRICES)}
#: Calls that are examined even if the result is finite, because their derivatives may not be.
FINITE_ALL_THE_SAME = {"dropout", "layer_norm", "group_norm", *MATRIX_CALLS}


#: Calls that add up products.
SUMS_OF_PRODUCTS = {"linear", "matmul", "bmm", "mm", "conv1d", "conv2d", "conv3d"}


def reason_of(func: Any, args: Any, kwargs: Mapping[str, Any], out: Any) -> Reason | None:
    """Return the reason why a call is not finite, or None if it is finite or no reason is known."""
    name = plain_name(func)
    if not isinstance(out, torch.Tensor) or (bool(out.isfinite().all()) and name not in FINITE_ALL_THE_SAME):
        return None
    try:
        values = _arguments(name, args, kwargs)
        with torch.no_grad(), torch._C.DisableTorchFunction():
            plain = {k: v.detach() if isinstance(v, torch.Tensor) else v for k, v in values.items()}
            if name in MATRIX_CALLS and args and (reason := matrix_reason(name, _on_host(args[0]))) is not None:
                return reason
            rule = RULES.get(name)
            own = rule(plain, out) if rule is not None else None
            data = own or _data(args, kwargs, out) or _too_large_for_autocast(args, kwargs, out)
            return data or (_sums(func, name, args, kwargs, out) if name in SUMS_OF_PRODUCTS else None)
    except (IndexError, KeyError, RuntimeError, TypeError, ValueError):
        return None


def _arguments(name: str, args: Any, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by name, or as `args` and `kwargs` if PyTorch does not report the names."""
    try:
        signature = inspect.signature(getattr(F, name, _any))
    except ValueError:  # the function is written in C++
        signature = inspect.signature(_any)
    most = len(args) if name not in F.__dict__ else len(signature.parameters)  # torch.layer_norm has one more argument
    values = signature.bind(*(args if "args" in signature.parameters else args[:most]), **kwargs)
    values.apply_defaults()
    return dict(values.arguments)


def _on_host(a: torch.Tensor) -> Any:
    a = a.detach().cpu()
    return (a if a.dtype == torch.float64 else a.float()).numpy()


def _data(args: Any, kwargs: Mapping[str, Any], out: Any) -> Reason | None:
    """Return the reason why any function's result is nan if one of its arguments contains nan, else None."""
    if not bool(out.isnan().any()):
        return None
    for t in (*args, *kwargs.values()):
        if isinstance(t, torch.Tensor) and t.is_floating_point() and bool(t.isnan().any()):
            lost = int(t.isnan().sum())
            count = f"{lost} of {t.numel()} elements"
            return Reason("data", f"{count} of an argument {'is' if lost == 1 else 'are'} nan",
                          "leave these elements out, or fill them in, before the computation")  # fmt: skip
    return None


def _too_large_for_autocast(args: Any, kwargs: Mapping[str, Any], out: Any) -> Reason | None:
    """Return the reason if autocast runs a call in float16 and an argument exceeds the largest float16, else None."""
    most = torch.finfo(torch.float16).max
    if out.dtype != torch.float16:
        return None
    for t in (*args, *kwargs.values()):
        if isinstance(t, torch.Tensor) and t.dtype in (torch.float32, torch.float64) and bool((t.abs() > most).any()):
            many, largest = int((t.abs() > most).sum()), float(t.abs().max())
            count = f"{many} of {t.numel()} elements of an argument {'is' if many == 1 else 'are'}"
            why = f"autocast computes it in float16, where {count} inf: up to {largest:,.6g}, above {most:,.6g}"
            return Reason("overflow", why, "run this layer in float32, under torch.autocast(..., enabled=False), or "
                          "take dtype=torch.bfloat16, which holds numbers up to 3.4e38")  # fmt: skip
    return None


def _sums(func: Any, name: str, args: Any, kwargs: Mapping[str, Any], out: Any) -> Reason | None:
    """Return the reason why a sum of products is nan although all operands are finite."""
    size = lambda t: t.detach().double().abs() if isinstance(t, torch.Tensor) and t.is_floating_point() else t
    sizes = [*map(size, args)], {k: size(v) for k, v in kwargs.items()}
    with torch.autocast(out.device.type, enabled=False):
        most = float(func(*sizes[0], **sizes[1]).max())
    dtype = torch.float64 if out.dtype == torch.float64 else torch.float32  # PyTorch computes the sums in this dtype
    if not bool(out.isnan().any()) or not torch.finfo(dtype).max < most < math.inf:
        return None
    why = f"the absolute values of its products add up to {most:.4g}, above {torch.finfo(dtype).max:.2g}, "
    why += f"the largest {str(dtype)[6:]}, so that inf and -inf meet"
    return Reason("overflow", why, "make its input or its weights smaller; look at what makes them grow")


def _softmax(a: dict[str, Any], out: Any) -> Reason | None:
    x, dim = a["input"], a["dim"]
    if dim is None or not (hidden := int((x == -math.inf).all(dim).sum())):
        return None
    rows = x.numel() // x.shape[dim]
    why = f"all scores are -inf in {hidden} of {rows} rows, so that nothing is left to choose from"
    return Reason("inf - inf", why, "leave each row a score, or hide with torch.finfo(dtype).min instead of -inf")


def _any(*args: Any, **kwargs: Any) -> None:
    """Accept any arguments: the signature that stands in for one that PyTorch does not report."""


def _cross_entropy(a: dict[str, Any], out: Any) -> Reason | None:
    target, ignored, weight = a["target"], a["ignore_index"], a["weight"]
    if (smoothed := _smoothed(a)) is not None:
        return smoothed
    if target.is_floating_point() or a["reduction"] != "mean":
        return None
    name = f"torch.nn.functional.{'cross_entropy' if 'label_smoothing' in a else 'nll_loss'}"
    counted = target[target != ignored]
    if not counted.numel():
        why = f"all {target.numel()} targets are {ignored}, which is ignored" if target.numel() else "it has no targets"
        write = f'skip this batch, or write {name}(..., reduction="sum") / (target != {ignored}).sum().clamp(min=1)'
        return Reason("0 / 0", f"{why}, and the mean of 0 losses is 0 / 0", write)
    if weight is not None and not bool(weight[counted].any()):
        why = f"the weights of the classes of all {counted.numel()} targets that count are 0"
        return Reason(
            "0 / 0", f"{why}, and the mean divides by their sum", "give these classes a weight, or skip this batch"
        )
    return None


def _smoothed(a: dict[str, Any]) -> Reason | None:
    """Return the reason for a cross entropy with label smoothing, which gives every class a share of the target."""
    scores, share = a["input"], a.get("label_smoothing", 0.0)
    hidden = int((scores == -math.inf).sum())
    if not share or not hidden or bool(scores.isnan().any()) or bool((scores == math.inf).any()):
        return None
    why = f"{hidden} of {scores.numel()} scores are -inf, and label_smoothing={share:g} gives each class a share"
    return Reason("domain", f"{why}, whose loss is inf there", "leave out label_smoothing where classes are hidden")


def _norm(rows: Any, eps: float) -> Reason | None:
    """Return the reason why an op that standardises each row to mean 0 and variance 1 is not finite, or None."""
    wide = rows.double()
    infinite = wide.isinf().any(1) & ~wide.isnan().any(1)
    if bool(infinite.any()) and not bool(wide.isnan().any()):
        why = f"{int(infinite.sum())} of {len(wide)} rows hold inf or -inf, and inf minus their mean is inf - inf"
        return Reason("inf - inf", why, "")
    if not bool(wide.isfinite().all()) or not wide.numel():
        return None
    constant = (wide == wide[:, :1]).all(1)
    if not eps and bool(constant.any()):
        why = f"{int(constant.sum())} of {len(wide)} rows are constant, so their variance is 0, and eps is 0"
        return Reason("0 / 0", f"{why}: 0 / 0", "give a positive eps, such as eps=1e-5")
    away = float((wide - wide.mean(1, keepdim=True)).abs().max())
    dtype = torch.float64 if rows.dtype == torch.float64 else torch.float32  # PyTorch computes the sums in this dtype
    most = torch.finfo(dtype).max
    if away**2 <= most:
        return None
    why = f"an element is {away:.4g} away from the mean of its row, and the square of that is above {most:.2g}"
    return Reason(
        "overflow", f"{why}, the largest {str(dtype)[6:]}", "make its input smaller; look at what makes it grow"
    )


def _layer_norm(a: dict[str, Any], out: Any) -> Reason | None:
    width = len(a["normalized_shape"])
    return _norm(a["input"].flatten(-width).flatten(0, -2), a["eps"])


def _rms_norm(a: dict[str, Any], out: Any) -> Reason | None:
    rows = a["input"].flatten(-len(a["normalized_shape"])).flatten(0, -2)
    if bool(rows.isnan().any()):
        return None
    infinite = int(rows.isinf().any(1).sum())
    if infinite:
        return Reason("inf / inf", f"{infinite} of {len(rows)} rows hold inf or -inf, and inf / inf is nan", "")
    zeros = _zero_lengths(rows, 1)
    if a["eps"] == 0 and zeros:
        why = f"{zeros} of {len(rows)} rows are 0, so that the mean of their squares is 0, and eps is 0: 0 / 0"
        return Reason("0 / 0", why, "give a positive eps, such as eps=1e-5")
    return None


def _group_norm(a: dict[str, Any], out: Any) -> Reason | None:
    x = a["input"]
    return _norm(x.reshape(x.shape[0] * a["num_groups"], -1), a["eps"])


def _ctc_loss(a: dict[str, Any], out: Any) -> Reason | None:
    targets, steps, lengths = (torch.as_tensor(a[k]) for k in ("targets", "input_lengths", "target_lengths"))
    if a["zero_infinity"] or not lengths.ndim:
        return None
    rows = targets.split(lengths.tolist()) if targets.ndim == 1 else targets
    for i, (row, n, length) in enumerate(zip(rows, steps.tolist(), lengths.tolist())):
        target = row.tolist()
        equal = sum(p == q for p, q in pairwise(target[:length]))
        if n < length + equal:
            more = f", {length} and one between each of {equal} pairs of equal neighbours" if equal else ""
            why = f"target {i} needs {length + equal} steps{more}, and its input has {n}: its probability is 0"
            return Reason("domain", why, "leave it out, or write zero_infinity=True")
    return None


def _dropout(a: dict[str, Any], out: Any) -> Reason | None:
    if a.get("p") == 1 and a.get("training", True):
        return Reason("0 * inf", "its p is 1, so that it drops all elements", "give a p below 1")
    dropped = out.isnan() & a["input"].isinf()
    return Reason("0 * inf", "it multiplies an element that is inf by 0", "") if bool(dropped.any()) else None


def _kl_div(a: dict[str, Any], out: Any) -> Reason | None:
    x, t = torch.broadcast_tensors(a["input"], a["target"])
    if a.get("log_target") or bool(x.isnan().any()) or bool(t.isnan().any()):
        return None
    below, never = t < 0, (t == 0) & x.isinf()
    if bool(below.any()):
        why = f"its target is below 0 at {int(below.sum())} of {t.numel()} elements, and the logarithm of that is nan"
        return Reason("domain", why, "give it probabilities; if these are logarithms, log_target=True")
    if bool(never.any()):
        why = f"the target is 0 and the input inf or -inf at {int(never.sum())} of {t.numel()} elements: 0 · inf"
        return Reason("0 * inf", why, "give it log_softmax of scores, not the logarithm of probabilities that are 0")
    return None


def _zero_lengths(a: Any, dim: int) -> int:
    """Count the vectors of length 0."""
    return int((a == 0).all(dim).sum())


def _normalize(a: dict[str, Any], out: Any) -> Reason | None:
    if a["eps"] != 0 or not (zeros := _zero_lengths(a["input"], a["dim"])):
        return None
    return Reason(
        "0 / 0",
        f"{zeros} of its vectors {'has' if zeros == 1 else 'have'} the length 0, and eps is 0",
        "leave out eps=0",
    )


def _cosine_similarity(a: dict[str, Any], out: Any) -> Reason | None:
    values = dict(zip(("x1", "x2", "dim", "eps"), a["args"])) | a["kwargs"]
    pair = torch.broadcast_tensors(values["x1"].detach(), values["x2"].detach())
    zeros = max(_zero_lengths(x, values.get("dim", 1)) for x in pair)
    if values.get("eps", 1e-8) != 0 or not zeros:
        return None
    return Reason(
        "0 / 0",
        f"{zeros} of its vectors {'has' if zeros == 1 else 'have'} the length 0, and eps is 0",
        "leave out eps=0",
    )


def _deviation(a: dict[str, Any], out: Any) -> Reason | None:
    x, *dims = a["args"]
    dims += [value for name, value in a["kwargs"].items() if name == "dim"]
    if len(dims) > 1 or {*a["kwargs"]} - {"dim", "keepdim"} or any(isinstance(dim, bool) for dim in dims):
        return None
    axes = dims[0] if dims and isinstance(dims[0], (tuple, list)) else dims
    if math.prod(x.shape[axis] for axis in axes or range(x.ndim)) != 1:
        return None
    why = "it has only 1 element and divides by 1 - 1 = 0"
    return Reason("0 / 0", why, "give it at least 2 elements; with correction=0 it is 0, which cannot be a divisor")


def _poisson(a: dict[str, Any], out: Any) -> Reason | None:
    most, end = float(a["input"].max()), math.log(torch.finfo(out.dtype).max)
    if not a["log_input"] or not most > end:
        return None
    why = f"with log_input=True it computes exp of its input, up to {most:.4g}, and exp is inf above {end:.4g}"
    return Reason("overflow", why, "keep its input smaller, with clamp or a lower learning rate; it is the logarithm "
                  "of the expected count")  # fmt: skip


def _batch_norm(a: dict[str, Any], out: Any) -> Reason | None:
    x, variance, eps = a["input"], a["running_var"], a["eps"]
    if a["training"] or variance is None:
        return _norm(x.transpose(0, 1).flatten(1), eps)
    below, zeros = int((variance + eps < 0).sum()), int((variance + eps == 0).sum())
    if below:
        why = f"running_var + eps is below 0 in {below} of {len(variance)} channels, and the root of that is nan"
        return Reason("domain", why, "look at what wrote running_var; a variance is never below 0")
    if zeros:
        why = f"running_var + eps is 0 in {zeros} of {len(variance)} channels, and it divides by the root of that"
        return Reason("0 / 0", why, "give a positive eps, such as eps=1e-5")
    return None


def _weight_norm(a: dict[str, Any], out: Any) -> Reason | None:
    v, _, *dim = a["args"]
    rows = v.movedim(dim[0] if dim else 0, 0).flatten(1)
    if not (zeros := _zero_lengths(rows, 1)):
        return None
    why = f"the length of {zeros} of the {len(rows)} vectors that it divides by their lengths is 0"
    return Reason("0 / 0", why, "start these weights at numbers that are not 0")


def _soft_margin(a: dict[str, Any], out: Any) -> Reason | None:
    most, end = float((-a["input"] * a["target"]).max()), math.log(torch.finfo(out.dtype).max)
    if not end < most < math.inf:
        return None
    why = f"it computes exp of -target · input, up to {most:.4g}, and exp is inf above {end:.4g}"
    return Reason("overflow", why, "the same function without this overflow is softplus(-target * input)")


RULES: dict[str, Callable[[dict[str, Any], Any], Reason | None]] = {
    "cross_entropy": _cross_entropy,
    "nll_loss": _cross_entropy,
    "layer_norm": _layer_norm,
    "group_norm": _group_norm,
    "rms_norm": _rms_norm,
    "ctc_loss": _ctc_loss,
    "dropout": _dropout,
    "softmax": _softmax,
    "log_softmax": _softmax,
    "kl_div": _kl_div,
    "normalize": _normalize,
    "cosine_similarity": _cosine_similarity,
    "poisson_nll_loss": _poisson,
    "soft_margin_loss": _soft_margin,
    "batch_norm": _batch_norm,
    "_weight_norm": _weight_norm,
    "std": _deviation,
    "var": _deviation,
}
