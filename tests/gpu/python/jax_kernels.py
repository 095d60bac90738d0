# SPDX-License-Identifier: MIT
"""JAX: a compiled function, run several times."""
import os

import common

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
# Choosing kernels by timing them would make their number differ from run to run.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_gpu_autotune_level=0"
jax = common.need("jax")
if jax.default_backend() != "gpu":
    common.skip("JAX sees no GPU")


@jax.jit
def function(x):
    return jax.numpy.tanh(x @ x.T).sum(axis=0)


x = jax.numpy.ones((256, 128)) / 128
for _ in range(10):
    result = function(x)
print(f"sum {float(result.sum()):.1f}")
