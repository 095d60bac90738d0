# SPDX-License-Identifier: MIT
"""A Python program that uses CUDA: one memset, by the driver API."""

import ctypes

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result:
        raise SystemExit("%s: %d" % (name, result))


device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4096))
call("cuMemsetD8_v2", memory, ctypes.c_ubyte(7), ctypes.c_size_t(4096))
call("cuCtxSynchronize")
