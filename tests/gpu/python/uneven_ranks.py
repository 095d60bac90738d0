# SPDX-License-Identifier: MIT
"""
uneven_ranks.py CALLS MILLISECONDS: one rank of two, under torchrun and `--profile-from-start off`.
So many times each rank does the same work, the second one so much longer, and then both reduce a
tensor with NCCL. Prints "own RANK NANOSECONDS": by events, from the end of each all-reduce, which is
nearly the same moment on both ranks, to the begin of the next. By how much the second rank's is more,
so long the first one waited.
"""
import os
import sys

import torch
import torch.distributed

AHEAD_MS = 50  # for the host to queue the first calls in: no launch is waited for then


def event():
    return torch.cuda.Event(enable_timing=True)


def cycles_of_a_millisecond():
    begin, end = event(), event()
    torch.cuda._sleep(1000000)
    begin.record()
    torch.cuda._sleep(10000000)
    end.record()
    end.synchronize()
    return 10000000 / begin.elapsed_time(end)


def main():
    calls, milliseconds = int(sys.argv[1]), float(sys.argv[2])
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl")
    tensor = torch.ones(1 << 20, device="cuda")
    matrix = torch.rand(512, 512, device="cuda")
    per_millisecond = cycles_of_a_millisecond()
    pairs = [(event(), event()) for _ in range(calls)]
    # What is loaded at a first call is loaded here.
    for _ in range(3):
        torch.mm(matrix, matrix)
        torch.distributed.all_reduce(tensor)
    torch.cuda.synchronize()
    # Both ranks leave this all-reduce together; it is called outside of the profiling window.
    torch.cuda._sleep(int(AHEAD_MS * per_millisecond))
    torch.distributed.all_reduce(tensor)
    torch.cuda.cudart().cudaProfilerStart()
    for begin, end in pairs:
        begin.record()
        torch.mm(matrix, matrix)
        if rank == 1:
            torch.cuda._sleep(int(milliseconds * per_millisecond))
        end.record()
        torch.distributed.all_reduce(tensor)
    torch.cuda.cudart().cudaProfilerStop()
    torch.cuda.synchronize()
    own = sum(begin.elapsed_time(end) for begin, end in pairs)
    # In one write: the other rank writes to the same pipe at this moment.
    os.write(1, f"own {rank} {int(own * 1e6)}\n".encode())
    torch.distributed.destroy_process_group()


main()
