"""The speed of minigrad, compared with hand-written NumPy and other libraries: `python -m benchmarks`.

Every contestant computes the same value and the same gradients, which is checked before anything is timed. All run on
one thread, in interleaved rounds, so that disturbances of the machine affect all alike.
"""

import os
import sys

VARIABLES = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB")} | {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "",
}
if "numpy" not in sys.modules:  # the libraries read these when they are imported: changed later, they have no effect
    os.environ.update(VARIABLES)
