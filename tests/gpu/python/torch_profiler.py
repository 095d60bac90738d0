# SPDX-License-Identifier: MIT
"""
torch.profiler around a part of a program, with the same work before and after. Its trace has to
name every kernel of that part: the kernels and their counts are printed. With --plain the same
work without torch.profiler.
"""
import collections
import contextlib
import sys

import common

torch = common.deterministic_torch()


def work(count):
    x = torch.ones(128, 128, device="cuda")
    for _ in range(count):
        x = torch.relu(x @ x / 128)
    return x.sum().item()


before = work(10)
activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
plain = "--plain" in sys.argv
profiler = contextlib.nullcontext() if plain else torch.profiler.profile(activities=activities)
with profiler as profile:
    during = work(20)
    torch.cuda.synchronize()
after = work(10)
print(f"sums {before:.0f} {during:.0f} {after:.0f}")
counts = collections.Counter(
    event.name for event in (() if plain else profile.events())
    if event.device_type == torch.autograd.DeviceType.CUDA and "Activity Buffer" not in event.name)
for name, count in sorted(counts.items()):
    print(count, name)
