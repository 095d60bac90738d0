# SPDX-License-Identifier: MIT
"""
uneven_ranks.py CALLS MILLISECONDS: one rank of two, under torchrun. So many times each rank does the
same work, the second one so much longer, and then both reduce a tensor with NCCL. Prints
"wait NANOSECONDS": how long the first rank waited for the second, as the second measured with events
how much longer its work took.
"""
import os
import sys

import torch
import torch.distributed


def main():
    calls, milliseconds = int(sys.argv[1]), float(sys.argv[2])
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl", device_id=torch.device("cuda", rank))
    tensor = torch.ones(1 << 20, device="cuda")
    matrix = torch.rand(512, 512, device="cuda")
    # _sleep() takes cycles.
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(1000000)
    begin.record()
    torch.cuda._sleep(10000000)
    end.record()
    end.synchronize()
    cycles = int(milliseconds * 10000000 / begin.elapsed_time(end))
    events = []
    torch.distributed.all_reduce(tensor)
    torch.cuda.synchronize()
    for _ in range(calls):
        torch.mm(matrix, matrix)
        if rank == 1:
            events.append((torch.cuda.Event(enable_timing=True),
                           torch.cuda.Event(enable_timing=True)))
            events[-1][0].record()
            torch.cuda._sleep(cycles)
            events[-1][1].record()
        torch.distributed.all_reduce(tensor)
        torch.cuda.synchronize()
    if rank == 1:
        print("wait", int(sum(first.elapsed_time(last) for first, last in events) * 1e6))
    torch.distributed.destroy_process_group()


main()
