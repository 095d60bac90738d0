# SPDX-License-Identifier: MIT
"""CuPy: element-wise, reduction, raw kernels, and a matrix product."""
import common

cupy = common.need("cupy")
try:
    cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError as error:
    common.skip(str(error))

x = cupy.arange(1 << 16, dtype=cupy.float32)
raw = cupy.RawKernel(
    'extern "C" __global__ void raw_kernel(float *x) { x[threadIdx.x] *= 2; }', "raw_kernel")
for _ in range(10):
    raw((1,), (256,), (x,))
    y = x * 2 + 1
matrix = cupy.ones((256, 256), dtype=cupy.float32)
print(f"sum {float(y.max()):.0f} {float((matrix @ matrix).sum()):.0f}")
