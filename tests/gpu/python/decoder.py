# SPDX-License-Identifier: MIT
"""A decoder: a CUDA graph a token, whose choice the host waits for and computes on."""
import time

import common

TOKENS = 400
HOST_S = 300e-6
torch = common.deterministic_torch()
layers = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.ReLU())
                               for _ in range(8))).cuda().eval()
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
for _ in range(TOKENS):
    graph.replay()
    chosen += token.item()
    until = time.monotonic() + HOST_S
    while time.monotonic() < until:
        pass
torch.cuda.synchronize()
print(f"chosen {chosen}")
