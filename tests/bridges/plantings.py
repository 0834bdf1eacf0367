"""Ten ways in which a nan gets into a network of the zoo, each with the words of a right report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

import viz

from .zoo import FAMILIES, LENGTH, born_in, weights_of

NAN, INF = float("nan"), float("inf")


class Planted(NamedTuple):
    """A program with a nan, and what its report must hold.

    loss : the program. ops, kinds : the report has one of each. within, first : the modules of the nan and of the
    first inf; "" if none is known. words : the report contains all of them.
    """

    loss: Callable[[], Any]
    ops: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    within: str = ""
    first: str = ""
    words: tuple[str, ...] = ()


def weight(name: str) -> Planted:
    """A nan in one weight near the end."""
    net, given = FAMILIES[name].make(), FAMILIES[name].inputs()
    path, matrix = [*weights_of(net)][-2]
    with torch.no_grad():
        matrix.view(-1)[1] = NAN
    return Planted(lambda: net(**given).loss, kinds=("input",), words=(f"the weights {path} hold 1 number",))


def mask(name: str, attn_implementation: str = "eager") -> Planted:
    """A mask that hides all keys of a row."""
    net, given = FAMILIES[name].make(attn_implementation=attn_implementation), FAMILIES[name].inputs()
    hidden = torch.zeros(2, 1, LENGTH, LENGTH)
    hidden[0, 0, 2] = -INF
    loss = lambda: net(**given, attention_mask=hidden).loss
    return Planted(loss, ("softmax",), ("inf - inf",), born_in(net, loss), words=("all scores are -inf in 2 of ",))


def labels(name: str) -> Planted:
    """Labels that are all ignored."""
    net, given = FAMILIES[name].make(), FAMILIES[name].inputs()
    given["labels"] = torch.full_like(given["labels"], -100)
    return Planted(lambda: net(**given).loss, ("cross_entropy",), ("0 / 0",), words=("-100, which is ignored",))


def nan_labels(name: str) -> Planted:
    """A label of a regression that is nan."""
    net, given = FAMILIES[name].make(num_labels=1), FAMILIES[name].inputs()
    given["labels"] = torch.tensor([0.5, NAN])
    return Planted(lambda: net(**given).loss, kinds=("input", "data"))


def overflow(name: str) -> Planted:
    """Weights that are too large for float16."""
    net, given = FAMILIES[name].make(), FAMILIES[name].inputs()
    matrix = [*weights_of(net)][-3][1]
    with torch.no_grad():
        matrix.mul_(3e4 / matrix.abs().max())
        for _, other in weights_of(net):
            if other is not matrix:
                other.mul_(20)
    net = net.half()
    given = {k: v.half() if v.is_floating_point() else v for k, v in given.items()}
    loss = lambda: net(**given).loss
    return Planted(loss, within=born_in(net, loss), first=born_in(net, loss, "inf"))


def autocast(name: str) -> Planted:
    """The same under autocast, where PyTorch chooses float16."""
    net, given = FAMILIES[name].make(), FAMILIES[name].inputs()
    matrix = [*weights_of(net)][-3][1]
    with torch.no_grad():
        matrix.mul_(1e6 / matrix.abs().max())

    def loss() -> Any:
        with torch.autocast("cpu", torch.float16):
            return net(**given).loss

    words = ("autocast computes it in float16, where",)
    return Planted(loss, kinds=("overflow",), within=born_in(net, loss), first=born_in(net, loss, "inf"), words=words)


def zero_norm(name: str) -> Planted:
    """Outputs that are 0, divided by their length."""
    net, given = FAMILIES[name].make(), FAMILIES[name].inputs()
    given.pop("labels")
    with torch.no_grad():
        for _, w in [*net.named_parameters()][-4:]:
            w.zero_()

    def loss() -> Any:
        out = net(**given).logits
        return (out / out.norm(dim=-1, keepdim=True)).sum()

    return Planted(loss, ("divide",), ("0 / 0",), words=("divide(0, 0) is nan",))


def empty(name: str) -> Planted:
    """A batch without examples."""
    net, given = FAMILIES[name].make(), FAMILIES[name].inputs()
    given = {k: v[:0] for k, v in given.items()}
    target = given.pop("labels")

    def loss() -> Any:
        out = net(**given).logits
        return torch.nn.functional.cross_entropy(out.reshape(-1, out.shape[-1]), target.reshape(-1))

    return Planted(loss, ("cross_entropy", "mean"), ("0 / 0",))


def eps(name: str) -> Planted:
    """A norm without eps, of rows that are constant."""
    net, given = FAMILIES[name].make(), FAMILIES[name].inputs()
    norm = [m for m in net.modules() if "norm" in type(m).__name__.lower()][-1]
    for at in ("eps", "variance_epsilon"):
        if hasattr(norm, at):
            setattr(norm, at, 0.0)
    norm.register_forward_pre_hook(lambda m, args: (args[0] * 0, *args[1:]))
    loss = lambda: net(**given).loss
    return Planted(loss, kinds=("0 / 0", "0 * inf", "domain"), within=born_in(net, loss))


def log_of_softmax(name: str) -> Planted:
    """A logarithm of probabilities, one of them 0."""
    net, given = FAMILIES[name].make(), FAMILIES[name].inputs()
    given.pop("labels")

    def loss() -> Any:
        p = torch.softmax(net(**given).logits * 3e4, dim=-1)
        return -(p * torch.log(p)).sum()

    return Planted(loss, ("multiply", "log"), ("0 * inf",), words=("The cause is log of 0",))


def root(name: str) -> Planted:
    """The root of a distance that is 0."""
    net, given = FAMILIES[name].make(), FAMILIES[name].inputs()
    given.pop("labels")

    def loss() -> Any:
        out = net(**given).logits
        return torch.sqrt(((out - out.detach()) ** 2).sum(-1)).mean()

    return Planted(loss, ("sqrt",), ("0 * inf",), words=("sqrt",))


def data(name: str) -> Planted:
    """A nan in the data."""
    net, given = FAMILIES[name].make(), FAMILIES[name].inputs()
    if "input_ids" in given:
        ids = given.pop("input_ids")
        x = given["inputs_embeds"] = net.get_input_embeddings()(ids).detach().clone()
        if net.config.is_encoder_decoder:
            given["decoder_input_ids"] = ids
    else:
        x = given.get("pixel_values", given.get("input_features"))
    x.view(-1)[7] = NAN
    return Planted(lambda: net(**given).loss, kinds=("input", "data"))


WAYS = {f.__name__: f for f in (weight, mask, labels, nan_labels, overflow, autocast, zero_norm, empty, eps,
                                log_of_softmax, root, data)}  # fmt: skip


def diverging(name: str, rate: float = 1e4) -> None:
    """Train a network with a learning rate that is far too large, watched."""
    net, given = FAMILIES[name].make(), FAMILIES[name].inputs()
    optimizer = torch.optim.SGD(net.parameters(), lr=rate)
    with viz.watch(net):
        for _ in range(60):
            optimizer.zero_grad()
            net(**given).loss.backward()
            optimizer.step()
