# SPDX-License-Identifier: MIT
"""An all-reduce by NCCL over all GPUs, one process each."""
import os

import common


def reduce(rank, size):
    import torch

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ["KTIME_TEST_PORT"])
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl", rank=rank, world_size=size)
    values = torch.full((1 << 20,), float(rank + 1), device="cuda")
    for _ in range(5):
        torch.distributed.all_reduce(values)
    value, expected = values[0].item(), sum(range(1, size + 1)) * size**4
    if value != expected:
        raise ValueError(f"rank {rank} has {value}, not {expected}")
    # The ranks share one standard output, in any order: one speaks.
    if rank == 0:
        print(f"every rank: {value:.0f}", flush=True)
    torch.distributed.destroy_process_group()


def main():
    torch = common.deterministic_torch()
    size = torch.cuda.device_count()
    if size < 2:
        common.skip("one GPU only")
    os.environ.setdefault("KTIME_TEST_PORT", str(20000 + os.getpid() % 20000))
    torch.multiprocessing.start_processes(reduce, (size,), size, start_method="spawn")


if __name__ == "__main__":
    main()
