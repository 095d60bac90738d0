# SPDX-License-Identifier: MIT
"""
An encoder with NVTX ranges around its modules, captured by torch.cuda.graph ("graph"), by
make_graphed_callables ("callables"), or in a call that torch.compile(mode="reduce-overhead") captures
("compiled"); and a Llama of transformers with random weights ("llama"). Prints {"range": operations} as JSON: the nodes that were captured between a module's
borders, by cuStreamGetCaptureInfo, times the replays. A range of null is to have all operations.
"with" and "without" ranges print the nanoseconds of a replay of the encoder instead.
"""
import contextlib
import ctypes
import json
import sys
import time

import common

REPLAYS = 300
OPERATIONS = (0, 1, 2)  # CUgraphNodeType: kernels, copies, memsets
torch = common.deterministic_torch()
cuda = ctypes.CDLL("libcuda.so.1")
open_names, parts = [], []


def graph_now():
    """The graph that the present stream is captured into."""
    status, identity, graph = ctypes.c_int(), ctypes.c_uint64(), ctypes.c_void_p()
    dependencies, edges, count = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    if hasattr(cuda, "cuStreamGetCaptureInfo_v3"):
        result = cuda.cuStreamGetCaptureInfo_v3(
            stream, ctypes.byref(status), ctypes.byref(identity), ctypes.byref(graph),
            ctypes.byref(dependencies), ctypes.byref(edges), ctypes.byref(count))
    else:
        result = cuda.cuStreamGetCaptureInfo_v2(
            stream, ctypes.byref(status), ctypes.byref(identity), ctypes.byref(graph),
            ctypes.byref(dependencies), ctypes.byref(count))
    assert result == 0 and graph.value, f"cuStreamGetCaptureInfo: {result}"
    return graph


def nodes_now():
    """How many nodes that are operations the graph has."""
    graph, count = graph_now(), ctypes.c_size_t()
    assert cuda.cuGraphGetNodes(graph, None, ctypes.byref(count)) == 0
    nodes = (ctypes.c_void_p * max(1, count.value))()
    if count.value:
        assert cuda.cuGraphGetNodes(graph, nodes, ctypes.byref(count)) == 0
    kind, operations = ctypes.c_int(), 0
    for node in nodes[:count.value]:
        assert cuda.cuGraphNodeGetType(ctypes.c_void_p(node), ctypes.byref(kind)) == 0
        operations += kind.value in OPERATIONS
    return operations


@contextlib.contextmanager
def part(name):
    """A range around a part of the model; what is not captured has a range of another name."""
    if not torch.cuda.is_current_stream_capturing():
        with torch.cuda.nvtx.range("eager " + name):
            yield
        return
    open_names.append(name)
    before = nodes_now()
    with torch.cuda.nvtx.range(name):
        yield
    parts.append(("/".join(open_names), nodes_now() - before))
    open_names.pop()


class Layer(torch.nn.Module):
    def __init__(self, width, ranges):
        super().__init__()
        self.query, self.key, self.value = (torch.nn.Linear(width, width) for _ in range(3))
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)
        self.norm = torch.nn.LayerNorm(width)
        self.part = part if ranges else lambda name: contextlib.nullcontext()

    def forward(self, x):
        with self.part("attention"):
            x = x + torch.nn.functional.scaled_dot_product_attention(
                self.query(x), self.key(x), self.value(x))
        with self.part("mlp"):
            return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


class Encoder(torch.nn.Module):
    def __init__(self, layers=6, width=256, ranges=True):
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer(width, ranges) for _ in range(layers))
        self.part = part if ranges else lambda name: contextlib.nullcontext()

    def forward(self, x):
        for number, layer in enumerate(self.layers):
            with self.part(f"layer {number}"):
                x = layer(x)
        return x


def replay(graph):
    with torch.cuda.nvtx.range("replay"):
        for _ in range(REPLAYS):
            graph.replay()


def by_graph():
    model, inputs = Encoder().cuda().eval(), torch.randn(8, 128, 256).cuda()
    replay(common.captured(torch, lambda: model(inputs))[0])


def within(module, name):
    """Has a module's calls in a range."""
    forward = module.forward

    def ranged(*arguments, **named):
        with part(name):
            return forward(*arguments, **named)

    module.forward = ranged


def llama():
    import transformers

    model = transformers.LlamaModel(transformers.LlamaConfig(
        vocab_size=1000, hidden_size=256, intermediate_size=704, num_hidden_layers=4,
        num_attention_heads=4)).cuda().eval()
    for number, layer in enumerate(model.layers):
        within(layer.self_attn, "attention")
        within(layer.mlp, "mlp")
        within(layer, f"layer {number}")
    tokens = torch.randint(0, 1000, (1, 128)).cuda()
    replay(common.captured(torch, lambda: model(tokens, use_cache=False))[0])


def cost(ranges):
    model, inputs = Encoder(ranges=ranges).cuda().eval(), torch.randn(8, 128, 256).cuda()
    graph, _ = common.captured(torch, lambda: model(inputs))
    for _ in range(REPLAYS):
        graph.replay()
    torch.cuda.synchronize()
    started = time.monotonic_ns()
    for _ in range(10 * REPLAYS):
        graph.replay()
    torch.cuda.synchronize()
    print((time.monotonic_ns() - started) / (10 * REPLAYS))
    sys.exit()


def by_callables():
    model, inputs = Encoder(layers=3).cuda(), torch.randn(8, 128, 256).cuda()
    graphed = torch.cuda.make_graphed_callables(model, (inputs,))
    with torch.cuda.nvtx.range("replay"):
        for _ in range(REPLAYS):
            graphed(inputs)


def compiled():
    model, inputs = Encoder(ranges=False).cuda().eval(), torch.randn(8, 128, 256).cuda()
    function = torch.compile(model, mode="reduce-overhead")
    with torch.no_grad():
        for _ in range(REPLAYS):
            with torch.cuda.nvtx.range("call"):
                torch.compiler.cudagraph_mark_step_begin()
                function(inputs)


{"graph": by_graph, "callables": by_callables, "compiled": compiled, "llama": llama,
 "with": lambda: cost(True), "without": lambda: cost(False)}[sys.argv[1]]()
torch.cuda.synchronize()
expected = {}
for path, nodes in parts:
    expected[path] = expected.get(path, 0) + nodes * REPLAYS
print(json.dumps({"call": None} if sys.argv[1] == "compiled" else expected))
