# SPDX-License-Identifier: MIT
"""
ResNet-50 so that CUPTI, with a budget of 3 %, is started late and then records kernels in windows:
five seconds of little work, in which what CUPTI costs fits, and then as many iterations as fit into
the seconds that the argument says; or, with --iterations N, the same work in no time and so many. An
iteration is an inference, ten replays of a graph of one and twenty of a graph of small kernels, and a
training step, of small images: many launches, little work, so that what recording all of them would
take exceeds the budget also where twenty of these processes share a device.
Prints how many iterations there were.
"""
import sys
import time

import common

FITTING = 1000  # launches
PAUSE_S = 0.005  # after each

torch = common.deterministic_torch()
torchvision = common.need("torchvision")

model = torchvision.models.resnet50(weights=None).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
on_host = torch.randn(2, 3, 64, 64).pin_memory()
images = on_host.cuda()
labels = torch.randint(0, 1000, (2,)).cuda()
small = torch.zeros(16).cuda()


def infer():
    with torch.inference_mode():
        return model(images[:1])


def add_up():
    for _ in range(200):
        small.add_(1)


def train():
    images.copy_(on_host, non_blocking=True)
    small.zero_()
    optimizer.zero_grad(set_to_none=False)
    torch.nn.functional.cross_entropy(model(images), labels).backward()
    optimizer.step()


def capture(work):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph


def iterate():
    model.eval()
    infer()
    for _ in range(10):
        for graph in (inference, sums, sums):
            graph.replay()
    model.train()
    train()
    torch.cuda.synchronize()


model.eval()
inference, sums = capture(infer), capture(add_up)
for _ in range(2):
    iterate()
fixed = int(sys.argv[2]) if sys.argv[1] == "--iterations" else None
seconds = float(sys.argv[1]) if fixed is None else 0
for _ in range(FITTING):
    small.add_(1)
    if fixed is None:
        time.sleep(PAUSE_S)
iterations, end = 0, time.monotonic() + seconds
while iterations < fixed if fixed else time.monotonic() < end:
    iterate()
    iterations += 1
print(f"iterations={iterations}")
