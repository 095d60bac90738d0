# SPDX-License-Identifier: MIT
"""ResNet-50 with random weights: inference at batch 1 and training at batch 64.

usage: resnet.py [--profiler | --switch] [--inferences N] [--trainings N]

Prints `ready` when both are warm. For every line on its input, which names one of the two, it then
prints one line of NAME=VALUE, the median time of an iteration, each waited for, and `done`. It ends
with its input. --profiler runs the measured iterations under torch.profiler. --switch has every other
iteration between cudaProfilerStart and cudaProfilerStop, and prints the mean times of those and of the
others. Exits with 77 where PyTorch or torchvision is missing.
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


WARM_UP = 20


def measure(name, step, iterations, profiler):
    times = []
    with profiler():
        for _ in range(iterations):
            start = time.perf_counter_ns()
            step()
            torch.cuda.synchronize()
            times.append(time.perf_counter_ns() - start)
    times.sort()
    print(f"workload={name} operations={iterations} ns={statistics.median(times):.1f} "
          f"ns_minimum={times[0]} ns_maximum={times[-1]}", flush=True)


def measure_switched(name, step, iterations):
    times = [], []  # outside, inside
    runtime = torch.cuda.cudart()
    for iteration in range(iterations):
        inside = iteration % 2
        if inside:
            runtime.cudaProfilerStart()
        start = time.perf_counter_ns()
        step()
        torch.cuda.synchronize()
        times[inside].append(time.perf_counter_ns() - start)
        if inside:
            runtime.cudaProfilerStop()
    outside, inside = map(statistics.mean, times)
    print(f"workload={name} operations={iterations} ns_inside={inside:.1f} ns_outside={outside:.1f}",
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
    parser.add_argument("--switch", action="store_true")
    parser.add_argument("--inferences", type=int, default=40)
    parser.add_argument("--trainings", type=int, default=3)
    options = parser.parse_args()
    profiler = contextlib.nullcontext
    if options.profiler:
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]

        def profiler():
            return torch.profiler.profile(activities=activities)

    torch.manual_seed(0)
    work = {"resnet_inference": (inference(), options.inferences),
            "resnet_training": (training(), options.trainings)}
    for step, iterations in work.values():
        for _ in range(max(iterations, WARM_UP)):
            step()
        torch.cuda.synchronize()
    print("ready", flush=True)
    for line in sys.stdin:
        step, iterations = work[line.strip()]
        # What came in between has left caches cold.
        for _ in range(iterations // 10 + 1):
            step()
        torch.cuda.synchronize()
        if options.switch:
            measure_switched(line.strip(), step, iterations)
        else:
            measure(line.strip(), step, iterations, profiler)
        print("done", flush=True)


main()
