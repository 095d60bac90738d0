# SPDX-License-Identifier: MIT
"""A kernel written in Numba."""
import warnings

import common

numpy, numba = common.need("numpy", "numba")
cuda = common.need("numba.cuda")
warnings.simplefilter("ignore")
if not cuda.is_available():
    common.skip("Numba sees no GPU")


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


x = cuda.to_device(numpy.ones(10000, dtype=numpy.float32))
y = cuda.to_device(numpy.zeros(10000, dtype=numpy.float32))
for _ in range(10):
    saxpy[40, 256](2.0, x, y)
print(f"sum {y.copy_to_host().sum():.0f}")
