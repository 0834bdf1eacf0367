"""PyTorch under torch.compile, which writes C++ and has it compiled."""

from __future__ import annotations

import os
import shutil
from functools import partial
from typing import Any

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

import torch

from .torch_ import Peer as Eager
from .torch_ import leaves_of, spell, tensors

if not any(map(shutil.which, (os.environ.get("CXX", "c++"), "g++", "clang++"))):
    raise ImportError("torch.compile needs a C++ compiler")


class Peer:
    def prepare(self, workload: Any, arrays: list[Any]) -> Any:
        if workload.task != "gradient" or workload.name in ("chain", "scalar-chain", "scalar-mlp"):
            return None  # what it compiles is differentiated once; the chain takes it more than eight minutes
        torch.compiler.reset()  # or all workloads are one function to it, and it gives up after eight of them
        given = [tensors(a) for a in arrays]
        f = torch.compile(partial(workload.f, spell), dynamic=False)
        return partial(Eager()._gradient, f, given, leaves_of(given, workload.wrt))
