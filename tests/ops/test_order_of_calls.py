"""Every op gives the same bytes, in value and gradient, whatever the process called before."""

import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import minigrad as mg
from minigrad.core.op import OPS

ROOT = Path(__file__).parents[2]


def flat(y):
    """The Tensors of floats in the result of an op."""
    parts = y if isinstance(y, (tuple, list)) else [y]
    return [part for part in parts if isinstance(part, mg.Tensor) and part.dtype.kind == "f"]


def is_floats(a):
    return isinstance(a, float) or (isinstance(a, list) and np.asarray(a).dtype.kind == "f")


def digest(sample_of, options_of, op):
    """A hash of the values and the gradients of one call of an op; the name of the error if it is not called so."""
    args = [mg.constant(a, "float64") if is_floats(a) else a for a in sample_of]
    xs = [a for a in args if isinstance(a, mg.Tensor)]
    try:
        ys = flat(op.call(*args, **options_of))
        gradients = mg.gradients([mg.sum(y * y) for y in ys], xs) if ys and xs else []
    except Exception as error:
        return type(error).__name__
    parts = [t.value.tobytes() if t is not None else b"-" for t in (*ys, *gradients)]
    return hashlib.sha256(b"|".join(parts)).hexdigest()[:16]


def digests(seed):
    """The digest of each sample of each op, by its name, called in an order that the seed gives."""
    calls = [(op, i) for op in OPS.values() for i in range(len(op.facts.samples or ()))]
    random.Random(seed).shuffle(calls)
    found = {}
    for op, i in calls:
        sample = op.facts.samples[i]
        options = sample[-1] if isinstance(sample[-1], dict) else {}
        found[f"{op.name} {i}"] = digest(sample[: len(sample) - bool(options)], options, op)
    return found


def test_in_any_order_and_again_and_in_a_process_of_its_own_the_bytes_are_the_same():
    first, again = digests(0), digests(1)
    program = "import json; from tests.ops.test_order_of_calls import digests; print(json.dumps(digests(2)))"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert len(first) > 300 and len(set(first.values())) > 150
    assert first == again == json.loads(told.stdout)


def test_a_call_that_remembers_is_found():
    calls = []
    remembering = SimpleNamespace(call=lambda x: x * float(len(calls.append(x) or calls)))
    assert digest(([0.5],), {}, remembering) != digest(([0.5],), {}, remembering)
