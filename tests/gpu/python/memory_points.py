# SPDX-License-Identifier: MIT
"""
memory_points.py WHAT FOLDER: allocates device memory, and stops at some points to say what the device
has free there, as "point NUMBER FREE_BYTES", while `ktime snapshot` (KTIME_COMMAND) copies the
profile to FOLDER/NUMBER. WHAT is driver: cuMemAlloc and cuMemFree at random, in whole granules; or
torch: training steps of PyTorch, with batches that grow and a cache that is emptied.
"""
import ctypes
import os
import random
import subprocess
import sys

GRANULE = 2 << 20
CALLS = 2000  # between two points
HELD = 150  # allocations at most
POINTS = 4

points = 0


def point(free):
    """At rest: nothing is allocated or freed while the profile is copied."""
    global points
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("LD_PRELOAD", "KTIME_OPTIONS")}
    subprocess.run([os.environ["KTIME_COMMAND"], "snapshot", str(os.getpid()), "-o",
                    os.path.join(sys.argv[2], str(points))],
                   env=environment, check=True, stdout=subprocess.DEVNULL, timeout=300)
    print("point", points, free, flush=True)
    points += 1


def check(result):
    if result:
        sys.exit(f"a driver call gave {result}")


def driver():
    cuda = ctypes.CDLL("libcuda.so.1")
    context, pointer = ctypes.c_void_p(), ctypes.c_uint64()
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    check(cuda.cuInit(0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(cuda.cuCtxSetCurrent(context))
    numbers, held = random.Random(1), []
    for _ in range(POINTS):
        check(cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)))
        point(free.value)
        for _ in range(CALLS):
            if held and (len(held) == HELD or numbers.random() < 0.4):
                address = held.pop(numbers.randrange(len(held)))
                check(cuda.cuMemFree_v2(ctypes.c_uint64(address)))
            else:
                check(cuda.cuMemAlloc_v2(ctypes.byref(pointer),
                                         ctypes.c_size_t(GRANULE * numbers.randint(1, 3))))
                held.append(pointer.value)
    check(cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)))
    point(free.value)


def train():
    import torch

    def steps(batch):
        data = torch.rand(batch, 1024, device="cuda")
        for _ in range(20):
            optimizer.zero_grad()
            model(data).square().mean().backward()
            optimizer.step()
        torch.cuda.synchronize()

    model = torch.nn.Sequential(*(layer for _ in range(8) for layer in
                                  (torch.nn.Linear(1024, 1024), torch.nn.ReLU()))).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    # The driver takes memory for each module that it loads: all are loaded before the first point.
    for batch in (64, 4096, 16384, 65536):
        steps(batch)
    for batch in (64, 4096, 16384, 65536, 64):
        torch.cuda.empty_cache()
        steps(batch)
        point(torch.cuda.mem_get_info()[0])


{"driver": driver, "torch": train}[sys.argv[1]]()
