"""How fast minigrad is, beside hand-written NumPy and other libraries: `python -m benchmarks`.

Every contestant computes the same value and the same gradients, which is checked before anything is timed. All run on
one thread, in interleaved rounds, so that disturbances of the machine affect all alike.
"""

import os

# The libraries read these when they are imported, so they are set first.
for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_NUM_INTRAOP_THREADS"] = os.environ["TF_NUM_INTEROP_THREADS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
