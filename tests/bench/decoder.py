# SPDX-License-Identifier: MIT
"""A transformer that decodes at batch 1, one replay of a captured graph for each token.

usage: decoder.py [--profiler FILE] [--tokens N] [--layers L] [--width W] [--table N]

Prints `ready` when the graph is captured and warm. For every line on its input it then decodes N
tokens, each of which the host reads before the next, prints one line of NAME=VALUE and `done`. It
ends with its input. --table decodes N tokens at once and ends. --profiler has torch.profiler work
while it is measured or, with --table, all the time, and then writes {name of an operation:
[calls, nanoseconds]} to FILE. Exits with 77 where PyTorch is missing.
"""
import argparse
import contextlib
import json
import sys
import time

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(77)

WARM_UP = 20
VOCABULARY = 32000
CACHE = 512
HEAD = 64


class Layer(torch.nn.Module):
    """Attention over a cache of fixed size, then a feed-forward block."""

    def __init__(self, width):
        super().__init__()
        self.heads = width // HEAD
        self.first, self.second = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.into = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width)
        self.feed = torch.nn.Sequential(torch.nn.Linear(width, 4 * width), torch.nn.GELU(),
                                        torch.nn.Linear(4 * width, width))
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, self.heads, CACHE, HEAD))

    def forward(self, x, position, seen):
        query, key, value = (part.view(1, 1, self.heads, HEAD).transpose(1, 2)
                             for part in self.into(self.first(x)).chunk(3, dim=-1))
        self.keys.index_copy_(2, position, key)
        self.values.index_copy_(2, position, value)
        mixed = torch.nn.functional.scaled_dot_product_attention(query, self.keys, self.values,
                                                                 attn_mask=seen)
        x = x + self.out(mixed.transpose(1, 2).reshape(1, 1, -1))
        return x + self.feed(self.second(x))


class Decoder(torch.nn.Module):
    """A step turns the token and the position that it holds into the next ones."""

    def __init__(self, layers, width):
        super().__init__()
        self.embedding = torch.nn.Embedding(VOCABULARY, width)
        self.places = torch.nn.Embedding(CACHE, width)
        self.layers = torch.nn.ModuleList(Layer(width) for _ in range(layers))
        self.last = torch.nn.LayerNorm(width)
        self.register_buffer("token", torch.zeros(1, 1, dtype=torch.long))
        self.register_buffer("position", torch.zeros(1, dtype=torch.long))
        self.register_buffer("cells", torch.arange(CACHE))

    def step(self):
        x = self.embedding(self.token) + self.places(self.position)
        seen = (self.cells <= self.position).view(1, 1, 1, CACHE)
        for layer in self.layers:
            x = layer(x, self.position, seen)
        logits = self.last(x) @ self.embedding.weight.t()
        self.token.copy_(logits.argmax(-1))
        self.position.copy_((self.position + 1) % CACHE)


def capture(decoder):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            decoder.step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        decoder.step()
    return graph


def decode(decoder, graph, tokens):
    """Nanoseconds for all of them."""
    start = time.perf_counter_ns()
    for _ in range(tokens):
        graph.replay()
        decoder.token.item()
    return time.perf_counter_ns() - start


def write_table(profile, path):
    table = {}
    for event in profile.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            entry = table.setdefault(event.name, [0, 0])
            entry[0] += 1
            entry[1] += event.time_range.elapsed_us() * 1000
    with open(path, "w") as file:
        json.dump(table, file)


def profiler():
    return torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU,
                                              torch.profiler.ProfilerActivity.CUDA])


def make(options):
    torch.manual_seed(0)
    decoder = Decoder(options.layers, options.width).cuda().half().eval()
    graph = capture(decoder)
    decode(decoder, graph, WARM_UP)
    return decoder, graph


def serve(options):
    """Decodes when it is told to; the profiler works only meanwhile."""
    decoder, graph = make(options)
    print("ready", flush=True)
    for line in sys.stdin:
        # What came in between has left caches cold.
        decode(decoder, graph, options.tokens // 10 + 1)
        with profiler() if options.profiler else contextlib.nullcontext():
            spent = decode(decoder, graph, options.tokens)
        print(f"workload={line.strip()} operations={options.tokens} "
              f"ns={spent / options.tokens:.1f}\ndone", flush=True)


def decode_once(options):
    """Everything from the making of the model on is profiled."""
    with profiler() if options.profiler else contextlib.nullcontext() as profile:
        decode(*make(options), options.table)
    if options.profiler:
        write_table(profile, options.profiler)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--profiler", metavar="FILE")
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--table", type=int, metavar="N")
    options = parser.parse_args()
    with torch.inference_mode():
        if options.table:
            decode_once(options)
        else:
            serve(options)


main()
