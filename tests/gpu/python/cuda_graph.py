# SPDX-License-Identifier: MIT
"""A training step captured by torch.cuda.graph and replayed."""
import common

torch = common.deterministic_torch()

model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs, targets = torch.randn(32, 64).cuda(), torch.randn(32, 1).cuda()


def step():
    optimizer.zero_grad(set_to_none=False)
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()
for replay in range(20):
    graph.replay()
torch.cuda.synchronize()
print(f"loss {loss.item():.4f}")
