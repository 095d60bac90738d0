# SPDX-License-Identifier: MIT
"""ResNet-50 with random weights: inference at batch 1 and training at batch 64.

usage: resnet.py [--profiler] [--iterations N]

Prints one line of NAME=VALUE for each: the median time of an iteration, each waited for.
--profiler runs the measured iterations under torch.profiler. Exits with 77 where PyTorch or
torchvision is missing.
"""
import argparse
import contextlib
import statistics
import sys
import time

try:
    import torch
    import torchvision
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(77)


def measure(name, step, warm_up, iterations, profiler):
    for _ in range(warm_up):
        step()
    torch.cuda.synchronize()
    times = []
    with profiler():
        for _ in range(iterations):
            start = time.perf_counter_ns()
            step()
            torch.cuda.synchronize()
            times.append(time.perf_counter_ns() - start)
    times.sort()
    print(f"workload={name} operations={iterations} ns={statistics.median(times):.1f} "
          f"ns_minimum={times[0]} ns_maximum={times[-1]} end_ns={time.monotonic_ns()}",
          flush=True)


def inference():
    model = torchvision.models.resnet50(weights=None).cuda().eval()
    image = torch.randn(1, 3, 224, 224, device="cuda")

    def step():
        with torch.inference_mode():
            model(image)

    return step


def training():
    model = torchvision.models.resnet50(weights=None).cuda().train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images = torch.randn(64, 3, 224, 224, device="cuda")
    labels = torch.randint(0, 1000, (64,), device="cuda")
    loss = torch.nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss(model(images), labels).backward()
        optimizer.step()

    return step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--profiler", action="store_true")
    parser.add_argument("--iterations", type=int, default=200)
    options = parser.parse_args()
    profiler = contextlib.nullcontext
    if options.profiler:
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]

        def profiler():
            return torch.profiler.profile(activities=activities)

    torch.manual_seed(0)
    measure("resnet_inference", inference(), 30, options.iterations, profiler)
    measure("resnet_training", training(), 10, max(options.iterations // 4, 1), profiler)


main()
