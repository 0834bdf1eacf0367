"""Run tests as on another processor: python -m tests.kernels Haswell Sandybridge, or --others 2.

OpenBLAS has its own kernels for each kind of processor and NumPy its own loops. They round in different orders, and
hundreds of training steps make a difference in the last bit visible. So the tests marked `numbers`, which check what
lessons, the README and guides state, are run with the kernels and the loops of other processors.
"""

import argparse
import os
import subprocess
import sys

import numpy as np
from numpy._core import _multiarray_umath as built
from threadpoolctl import threadpool_info

SSE = {"SSSE3", "SSE41", "POPCNT", "SSE42", "X86_V2"}
AVX2 = {"AVX", "F16C", "FMA3", "AVX2", "X86_V3"}
#: The names that OPENBLAS_CORETYPE takes, each with what NumPy's loops may use on such a processor.
KERNELS = {
    "Haswell": SSE | AVX2,
    "Zen": SSE | AVX2,
    "SkylakeX": SSE | AVX2 | {"AVX512F", "AVX512CD", "AVX512_SKX", "X86_V4"},
    "Sandybridge": SSE | {"AVX"},
}
#: The instructions that a processor needs to run them.
NEEDS = {"Haswell": "AVX2", "Zen": "AVX2", "SkylakeX": "AVX512_SKX", "Sandybridge": "AVX"}
#: The kernels that OpenBLAS uses if it was built without kernels of this name, as in NumPy's wheels.
INSTEAD = {"Zen": "Haswell"}


def running():
    """Return the name of the kernels that NumPy's OpenBLAS runs, and its number of threads; None without OpenBLAS."""
    for library in threadpool_info():
        if library["internal_api"] == "openblas":
            return library["architecture"], library["num_threads"]
    return None


def environment(kernel, threads=1):
    """Return the variables with which a process runs these kernels."""
    has = {name for name in built.__cpu_dispatch__ if built.__cpu_features__.get(name)}
    has |= set(os.environ.get("NPY_DISABLE_CPU_FEATURES", "").split())  # in the environment of another process
    variables = {name: value for name, value in os.environ.items() if name != "OPENBLAS_L2_SIZE"}
    variables |= {"OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": str(threads)}
    return variables | {"NPY_DISABLE_CPU_FEATURES": " ".join(sorted(has - KERNELS[kernel]))}


def hindrance(kernel):
    """Return why these kernels cannot run here, or None."""
    if running() is None:
        blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
        return f"NumPy computes with {blas} here, whose kernels have other names than OpenBLAS's"
    if not built.__cpu_features__.get(NEEDS[kernel]):
        return f"this processor has no {NEEDS[kernel]}"
    return None


def others(number):
    """Return the first kernels that differ from the processor's own and from each other."""
    own, _ = running() or (None, None)
    names = [name for name in KERNELS if name not in INSTEAD and name != INSTEAD.get(own, own)]
    return [name for name in names if hindrance(name) is None][:number] or names[:number]


def main(arguments):
    """Run pytest with each of the kernels; return 1 if a test failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.kernels", description=__doc__.partition("\n")[0])
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=f"{', '.join(KERNELS)} (default: all)")
    parser.add_argument("--others", type=int, metavar="N", help="the first N that differ from the processor's own")
    parser.add_argument("--threads", type=int, nargs="+", default=[1], metavar="N", help="of OpenBLAS (default: 1)")
    parser.add_argument("--pytest", nargs=argparse.REMAINDER, default=["-m", "numbers"], help="default: -m numbers")
    options = parser.parse_args(arguments)
    if unknown := set(options.kernels) - set(KERNELS):
        parser.error(f"no kernels are called {', '.join(sorted(unknown))}; there are {', '.join(KERNELS)}")
    failed = False
    for kernel in options.kernels or (others(options.others) if options.others else list(KERNELS)):
        if reason := hindrance(kernel):
            print(f"\nKernels for {kernel}: skipped, as {reason}.", flush=True)
            continue
        for threads in options.threads:
            print(f"\nKernels for {kernel}, threads: {threads}", flush=True)
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options.pytest]
            failed |= subprocess.run(command, env=environment(kernel, threads)).returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
