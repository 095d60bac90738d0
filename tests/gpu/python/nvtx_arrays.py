# SPDX-License-Identifier: MIT
"""NVTX ranges of CuPy, and ranges around kernels of Numba's: for tests/gpu/nvtx.py."""
import sys
import warnings

import common

warnings.simplefilter("ignore")


def of_cupy():
    cupy = common.need("cupy")
    nvtx = cupy.cuda.nvtx
    x = cupy.arange(1 << 16, dtype=cupy.float32)
    x * 2
    nvtx.RangePush("cupy")
    for _ in range(10):
        nvtx.RangePush("double")
        x * 2
        nvtx.RangePop()
    nvtx.RangePop()
    cupy.cuda.get_current_stream().synchronize()


def of_numba():
    numpy, cuda, torch = common.need("numpy", "numba.cuda", "torch")

    @cuda.jit
    def scale(x):
        x[cuda.grid(1)] *= 2

    x = cuda.to_device(numpy.ones(1024, dtype=numpy.float32))
    scale[4, 256](x)
    with torch.cuda.nvtx.range("numba"):
        for _ in range(10):
            scale[4, 256](x)
    cuda.synchronize()


{"cupy": of_cupy, "numba": of_numba}[sys.argv[1]]()
