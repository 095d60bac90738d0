# SPDX-License-Identifier: MIT
"""
A server: requests of some tokens each, a CUDA graph a token, whose choice the host waits for and computes
on. server.py REQUESTS PAUSE_S: before each request it waits for PAUSE_S on average, at random (0: not at
all). The graph has so many short kernels that ktime records it in windows.
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
layers = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.ReLU())
                               for _ in range(LAYERS))).cuda().eval()
state = torch.randn(16, 1024).cuda()


def step():
    return layers(state).sum(dim=0).argmax()


graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
with torch.no_grad():
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    with torch.cuda.graph(graph):
        token = step()
chosen = 0
for _ in range(requests):
    if pause:
        time.sleep(min(chance.expovariate(1 / pause), 8 * pause))
    for _ in range(chance.randint(5, 60)):
        graph.replay()
        chosen += token.item()
        until = time.monotonic() + HOST_S
        while time.monotonic() < until:
            pass
torch.cuda.synchronize()
print(f"chosen {chosen}")
