# SPDX-License-Identifier: MIT
"""PyTorch's own NVTX ranges: torch.cuda.nvtx around training steps, and emit_nvtx in the last one."""
import torch

model = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.ReLU(),
                            torch.nn.Linear(4096, 1024)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.randn(512, 1024, device="cuda")


def step():
    with torch.cuda.nvtx.range("forward"):
        loss = model(data).square().mean()
    with torch.cuda.nvtx.range("backward"):
        loss.backward()
    with torch.cuda.nvtx.range("optimizer"):
        optimizer.step()
        optimizer.zero_grad()


step()  # what is done once
torch.cuda.synchronize()
torch.cuda.profiler.start()  # where profiling starts off
torch.cuda.nvtx.range_push("training")
for _ in range(50):
    step()
torch.cuda.nvtx.range_pop()
torch.cuda.nvtx.range_push("operators")
with torch.autograd.profiler.emit_nvtx():
    step()
torch.cuda.synchronize()
torch.cuda.nvtx.range_pop()
