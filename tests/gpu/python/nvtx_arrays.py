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
    numpy, cuda, cupy = common.need("numpy", "numba.cuda", "cupy")
    nvtx = cupy.cuda.nvtx

    @cuda.jit
    def scale(x):
        x[cuda.grid(1)] *= 2

    x = cuda.to_device(numpy.ones(1024, dtype=numpy.float32))
    try:
        scale[4, 256](x)
    except AttributeError as error:
        common.skip(f"Numba does not fit NumPy: {error}")
    nvtx.RangePush("numba")
    for _ in range(10):
        scale[4, 256](x)
    nvtx.RangePop()
    cuda.synchronize()


{"cupy": of_cupy, "numba": of_numba}[sys.argv[1]]()
