# SPDX-License-Identifier: MIT
"""
A server: requests of some tokens each, a CUDA graph a token, whose choice the host waits for and computes
on. server.py REQUESTS PAUSE_S: before each request it waits for PAUSE_S on average, at random (0: not at
all). The graph has enough short kernels for ktime to record it in windows.
"""
import random
import sys
import time

import common

LAYERS = 60
HOST_S = 150e-6
requests, pause = int(sys.argv[1]), float(sys.argv[2])
chance = random.Random(7)
torch = common.deterministic_torch()
graph, token = common.decoding(torch, LAYERS)
chosen = 0
for _ in range(requests):
    if pause:
        time.sleep(min(chance.expovariate(1 / pause), 8 * pause))
    for _ in range(chance.randint(5, 60)):
        graph.replay()
        chosen += token.item()
        common.work_on_the_host(HOST_S)
torch.cuda.synchronize()
print(f"chosen {chosen}")
