# SPDX-License-Identifier: MIT
"""A decoder: a CUDA graph a token, whose choice the host waits for and computes on."""
import common

TOKENS = 400
HOST_S = 300e-6
torch = common.deterministic_torch()
graph, token = common.decoding(torch, layers=8)
chosen = 0
for _ in range(TOKENS):
    graph.replay()
    chosen += token.item()
    common.work_on_the_host(HOST_S)
torch.cuda.synchronize()
print(f"chosen {chosen}")
