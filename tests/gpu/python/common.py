# SPDX-License-Identifier: MIT
"""What the Python test programs share: a missing package ends them with status 77, a skip."""
import importlib
import sys
import time

sys.dont_write_bytecode = True


def skip(why):
    print(f"skipped: {why}", file=sys.stderr)
    sys.exit(77)


def need(*packages):
    """Imports packages; gives the module, or a list of them where there are several."""
    modules = []
    for package in packages:
        try:
            modules.append(importlib.import_module(package))
        except ImportError as error:
            skip(f"no {package} ({error})")
    return modules[0] if len(modules) == 1 else modules


def deterministic_torch():
    torch = need("torch")
    if not torch.cuda.is_available():
        skip("PyTorch sees no GPU")
    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    return torch


def captured(torch, function):
    """A CUDA graph of a call, after some calls to warm up, and what the captured one returned."""
    captured.kept.append(function)  # with the memory that the graph works on
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.no_grad():
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                function()
        torch.cuda.current_stream().wait_stream(side)
        with torch.cuda.graph(graph):
            result = function()
    return graph, result


captured.kept = []


def decoding(torch, layers):
    """A graph of a token's layers, and the token that it chooses."""
    model = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.ReLU())
                                  for _ in range(layers))).cuda().eval()
    state = torch.randn(16, 1024).cuda()
    return captured(torch, lambda: model(state).sum(dim=0).argmax())


def work_on_the_host(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
